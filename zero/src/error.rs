use std::io;
use std::path::PathBuf;

use serde_json::json;
use zero_base::Fault;

/// What the program itself can refuse; whatever the engine refuses arrives as a [`Fault`].
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error(
        "no world here: neither {} nor a folder above it holds world.yaml; go into a world, name one with --world DIR, or make one with `zero new DIR`",
        from.display()
    )]
    NoWorld { from: PathBuf },

    #[error("{} is not a world: it holds no world.yaml; `zero new {}` makes one", dir.display(), dir.display())]
    NotAWorld { dir: PathBuf },

    #[error(
        "this world is owned by process {pid}{}; one process serves a world at a time: connect to that one, or end it first",
        port_text(*port)
    )]
    Owned { pid: u32, port: Option<u16> },

    #[error(
        "the process that owns this world ({pid}) has not answered for {waited_secs} s: it is stopped or hangs; let it go on (kill -CONT {pid}) or end it (kill -KILL {pid}), then try again; {}",
        if *sent {
            "whether this call took effect is unknown"
        } else {
            "nothing of this call was carried out"
        }
    )]
    OwnerSilent { pid: u32, waited_secs: u64, sent: bool },

    #[error(
        "this process ({pid}) no longer owns its world: {} is another file than the one it locked, and another process holds it; it stops at once, and what it had committed is in the journal; start it again to attach to the new owner",
        path.display()
    )]
    LockLost { pid: u32, path: PathBuf },

    #[error("{} is {found}, and must be {expected} of the engine's own; move it away and try again", path.display())]
    LockPath { path: PathBuf, found: &'static str, expected: &'static str },

    #[error("process {pid} holds this world but has not opened its port in {waited_secs} s; end it, or try again")]
    OwnerNotReady { pid: u32, waited_secs: u64 },

    #[error(
        "the process that ran this world ({pid}) has ended, and its play session and tasks with it; {}; the next call opens the world anew",
        if *sent {
            "whether this call took effect is unknown: read back what it should have changed"
        } else {
            "nothing of this call was carried out"
        }
    )]
    Gone { pid: u32, sent: bool },

    #[error("{limit} calls are under way in this world, and no more are taken; try again when some of them have ended")]
    TooManyCalls { limit: usize },

    #[error(
        "the answer has more than {limit} bytes, the most that is sent to another process; ask for less: a part of the file, a smaller picture"
    )]
    AnswerTooLarge { limit: usize },

    #[error("the call has more than {limit} bytes, the most that is taken; put large files into the world's folder")]
    CallTooLarge { limit: usize },

    #[error("the process that owns this world ({pid}) answered {status} to an attached call: {body}")]
    Attach { pid: u32, status: u16, body: String },

    #[error("only the process that owns a world ends its engine; stop process {pid} instead")]
    ShutdownRefused { pid: u32 },

    #[error("the call was cancelled before its outcome was known")]
    Cancelled,

    #[error("the engine failed inside this call; the world goes on, and what the call changed may be incomplete")]
    Panicked,

    #[error("cannot use {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },

    #[error("cannot listen on 127.0.0.1:{port}: {source}; choose another port with --port, or none for a free one")]
    Listen { port: u16, source: io::Error },

    #[error("cannot start the asynchronous runtime: {source}")]
    Runtime { source: io::Error },

    #[error(
        "'{name}' is not a caller name: use lower-case letters, digits, '-' and '_', at most {} of them",
        crate::attach::MAX_NAME_BYTES
    )]
    CallerName { name: String },

    #[error("{message}")]
    Usage { message: String },

    #[error("stdio session: {message}")]
    Session { message: String },
}

fn port_text(port: Option<u16>) -> String {
    port.map(|port| format!(" on port {port}")).unwrap_or_default()
}

impl ProgramError {
    pub fn usage(message: impl Into<String>) -> ProgramError {
        ProgramError::Usage { message: message.into() }
    }

    pub fn code(&self) -> &'static str {
        match self {
            ProgramError::NoWorld { .. } => "world/none_here",
            ProgramError::NotAWorld { .. } => "world/not_found",
            ProgramError::Owned { .. } => "world/owned",
            ProgramError::OwnerNotReady { .. } => "world/owner_not_ready",
            ProgramError::OwnerSilent { .. } => "world/owner_silent",
            ProgramError::LockLost { .. } => "world/lock_lost",
            ProgramError::LockPath { .. } => "world/lock_path",
            ProgramError::Gone { .. } => "engine/gone",
            ProgramError::TooManyCalls { .. } => "engine/busy",
            ProgramError::AnswerTooLarge { .. } => "attach/answer_too_large",
            ProgramError::CallTooLarge { .. } => "attach/call_too_large",
            ProgramError::Attach { .. } => "engine/attach",
            ProgramError::ShutdownRefused { .. } => "engine/not_yours",
            ProgramError::Cancelled => "engine/cancelled",
            ProgramError::Panicked => "engine/panic",
            ProgramError::File { .. } => "zero/file",
            ProgramError::Listen { .. } => "zero/listen",
            ProgramError::Runtime { .. } => "zero/runtime",
            ProgramError::CallerName { .. } => "caller/name",
            ProgramError::Usage { .. } => "zero/usage",
            ProgramError::Session { .. } => "zero/session",
        }
    }
}

impl From<ProgramError> for Fault {
    fn from(error: ProgramError) -> Fault {
        let fault = Fault::new(error.code(), error.to_string());
        match error {
            ProgramError::Owned { pid, port } => fault.with_data(json!({ "pid": pid, "port": port })),
            ProgramError::OwnerNotReady { pid, .. } => fault.with_data(json!({ "pid": pid })),
            ProgramError::OwnerSilent { pid, sent, .. } => {
                fault.with_data(json!({ "pid": pid, "outcomeUnknown": sent }))
            }
            ProgramError::Gone { pid, sent } => fault.with_data(json!({ "pid": pid, "outcomeUnknown": sent })),
            _ => fault,
        }
    }
}
