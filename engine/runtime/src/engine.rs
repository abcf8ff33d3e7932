//! The handle everybody holds, and the thread behind it.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use zero_base::{Caller, Fault};

use crate::dispatch;
use crate::ops::{Answer, Op, Outcome};
use crate::run;
use crate::shared::Shared;
use crate::startup;

/// How an engine is opened.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// The world's folder: holds `world.yaml`.
    pub world: PathBuf,
    /// Root of a checkout whose `builtin/`, `luau-api/` and `toolboxes/` are read from disk and
    /// hot-reloaded, in place of the ones the program carries.
    pub builtin: Option<PathBuf>,
    /// Whether to look for a device at all; without, `capture` answers `gpu/off`.
    pub pictures: bool,
}

/// A running engine: one world, one thread. Clones are the same engine; it ends when
/// [`Op::Shutdown`] is called or the last handle goes.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    requests: Sender<Request>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

pub(crate) struct Request {
    pub caller: Caller,
    pub op: Op,
    pub reply: Sender<Outcome>,
}

impl Engine {
    /// Opens the world and starts its thread. Content that is wrong is a diagnostic, not a
    /// refusal; a folder that is no world is refused with `world/not_found`.
    pub fn open(config: EngineConfig) -> Result<Engine, Fault> {
        let (requests, inbox) = channel();
        let (opened, answer) = channel();
        let thread = thread::Builder::new()
            .name("engine".to_owned())
            // Luau's parser and the guards recurse to stated depths that fit well within this.
            .stack_size(16 << 20)
            .spawn(move || engine_thread(config, inbox, opened))
            .map_err(|error| Fault::new("engine/thread", format!("the engine's thread could not start: {error}")))?;
        match answer.recv() {
            Ok(Ok(())) => Ok(Engine { inner: Arc::new(Inner { requests, thread: Mutex::new(Some(thread)) }) }),
            Ok(Err(fault)) => Err(fault),
            Err(_) => Err(Fault::new("engine/panic", "the engine ended while it was opening the world; this is a bug")),
        }
    }

    /// Asks for something. The receiver gets exactly one answer; none when the engine ends first.
    pub fn call(&self, caller: Caller, op: Op) -> Receiver<Outcome> {
        let (reply, answer) = channel();
        // A send that fails drops `reply`, which the receiver sees as the engine's end.
        let _ = self.inner.requests.send(Request { caller, op, reply });
        answer
    }

    /// Asks and waits. `engine/gone` when the engine has ended.
    pub fn call_blocking(&self, caller: Caller, op: Op) -> Outcome {
        self.call(caller, op).recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let (reply, answer) = channel();
        if self.requests.send(Request { caller: Caller::engine(), op: Op::Shutdown, reply }).is_ok() {
            let _ = answer.recv_timeout(Duration::from_secs(10));
        }
        if let Some(thread) = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take()
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

pub(crate) fn gone() -> Fault {
    Fault::new("engine/gone", "the engine that owned the world has ended; call again to open the world anew")
}

fn engine_thread(config: EngineConfig, inbox: Receiver<Request>, opened: Sender<Result<(), Fault>>) {
    let shared = match startup::open(config) {
        Ok(shared) => {
            let _ = opened.send(Ok(()));
            shared
        }
        Err(fault) => {
            let _ = opened.send(Err(fault));
            return;
        }
    };
    serve(&shared, &inbox);
    shared.drop_machines();
}

/// Serves requests, tasks and frames until it is told to shut down.
fn serve(shared: &Rc<Shared>, inbox: &Receiver<Request>) {
    let mut postponed: Vec<dispatch::Postponed> = Vec::new();
    loop {
        let patience = if postponed.is_empty() { run::idle_time(shared) } else { Duration::from_millis(2) };
        let first = if patience.is_zero() {
            inbox.try_recv().ok()
        } else {
            match inbox.recv_timeout(patience) {
                Ok(request) => Some(request),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        };
        for request in first.into_iter().chain(std::iter::from_fn(|| inbox.try_recv().ok())).take(64) {
            if request.op == Op::Shutdown {
                let outcome = dispatch::shut_down(shared).map(|()| Answer::default());
                let _ = request.reply.send(outcome);
                return;
            }
            postponed.extend(dispatch::begin(shared, request));
        }
        postponed = dispatch::retry(shared, postponed, Instant::now());
        run::turn(shared);
    }
}
