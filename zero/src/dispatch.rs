use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use tokio::sync::oneshot;
use zero_base::{Caller, Fault};
use zero_runtime::{Op, Outcome};

use crate::ProgramError;

/// Carries out operations: an engine in this process, a remote one, or a closure in tests.
pub trait Dispatch: Send + Sync + 'static {
    /// Blocks until the outcome is known.
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome;

    /// Answers through `reply` when the outcome is known, and does not wait for it: a call that
    /// waits for minutes holds no thread of its caller's. May open a world before it returns.
    fn begin(self: Arc<Self>, caller: Caller, op: Op, reply: Reply) {
        let failed = thread::Builder::new().spawn(move || reply.send(self.dispatch(caller, op))).err();
        if let Some(error) = failed {
            tracing::error!(%error, "a call has no thread");
        }
    }
}

impl<F> Dispatch for F
where
    F: Fn(Caller, Op) -> Outcome + Send + Sync + 'static,
{
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome {
        self(caller, op)
    }
}

/// Whom to tell an outcome: once, and in any case.
pub struct Reply(Option<Box<dyn FnOnce(Outcome) + Send>>);

impl Reply {
    /// `tell` may be called on the engine's thread: it must not block.
    pub fn new(tell: impl FnOnce(Outcome) + Send + 'static) -> Reply {
        Reply(Some(Box::new(tell)))
    }

    pub fn send(mut self, outcome: Outcome) {
        if let Some(tell) = self.0.take() {
            tell(outcome);
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        // Whoever was to answer has panicked.
        if let Some(tell) = self.0.take() {
            tell(Err(ProgramError::Panicked.into()));
        }
    }
}

/// Asks from asynchronous code: no thread is held while the outcome is waited for.
pub async fn ask(dispatch: Arc<dyn Dispatch>, caller: Caller, op: Op) -> Outcome {
    let (reply, outcome) = oneshot::channel();
    let reply = Reply::new(move |outcome| drop(reply.send(outcome)));
    // Beginning may take long: the first call of all opens the world.
    tokio::task::spawn_blocking(move || dispatch.begin(caller, op, reply));
    outcome.await.unwrap_or_else(|_| Err(ProgramError::Panicked.into()))
}

/// What has to be known to open a world in this process.
#[derive(Debug, Clone)]
pub struct OpenRequest {
    pub world: PathBuf,
    /// Reads the built-in library from this folder instead of the embedded copy.
    pub builtin: Option<PathBuf>,
}

/// Opens a world in this process. Called only while the world's lock is held.
pub type Opener = Arc<dyn Fn(&OpenRequest) -> Result<Arc<dyn Dispatch>, Fault> + Send + Sync>;
