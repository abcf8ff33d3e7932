//! The handle everybody holds, and the thread behind it.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use zero_base::{Caller, Fault};

use crate::dispatch;
use crate::ops::{Answer, Op, Outcome};
use crate::run;
use crate::shared::{IntoDiagnostic, Shared};
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
    requests: Sender<Incoming>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

pub(crate) struct Request {
    pub caller: Caller,
    pub op: Op,
    pub reply: Sender<Outcome>,
}

/// A request, and whom to tell its outcome if nobody waits for it on a receiver.
struct Incoming {
    request: Request,
    told: Option<Told>,
}

struct Told {
    answer: Receiver<Outcome>,
    tell: Tell,
}

/// Told once: when nothing else was said, that the engine has ended.
struct Tell(Option<Box<dyn FnOnce(Outcome) + Send>>);

impl Tell {
    fn tell(mut self, outcome: Outcome) {
        if let Some(tell) = self.0.take() {
            tell(outcome);
        }
    }
}

impl Drop for Tell {
    fn drop(&mut self) {
        if let Some(tell) = self.0.take() {
            tell(Err(gone()));
        }
    }
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
        let _ = self.inner.requests.send(Incoming { request: Request { caller, op, reply }, told: None });
        answer
    }

    /// Asks without anybody waiting: `tell` is called once with the outcome, `engine/gone` when
    /// the engine ends first. It is called on the engine's thread: it must neither block nor
    /// call the engine.
    pub fn call_then(&self, caller: Caller, op: Op, tell: impl FnOnce(Outcome) + Send + 'static) {
        let (reply, answer) = channel();
        let told = Told { answer, tell: Tell(Some(Box::new(tell))) };
        // A send that fails drops `told`, which says so.
        let _ = self.inner.requests.send(Incoming { request: Request { caller, op, reply }, told: Some(told) });
    }

    /// Asks and waits. `engine/gone` when the engine has ended.
    pub fn call_blocking(&self, caller: Caller, op: Op) -> Outcome {
        self.call(caller, op).recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let thread = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        // The last handle may go with what is told to a caller, on the engine's own thread: it
        // is on its way out then, or finds that nobody can ask any more.
        let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id()) else { return };
        let (reply, answer) = channel();
        let request = Request { caller: Caller::engine(), op: Op::Shutdown, reply };
        if self.requests.send(Incoming { request, told: None }).is_ok() {
            let _ = answer.recv_timeout(Duration::from_secs(10));
        }
        let _ = thread.join();
    }
}

pub(crate) fn gone() -> Fault {
    Fault::new("engine/gone", "the engine that owned the world has ended; call again to open the world anew")
}

fn engine_thread(config: EngineConfig, inbox: Receiver<Incoming>, opened: Sender<Result<(), Fault>>) {
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
fn serve(shared: &Rc<Shared>, inbox: &Receiver<Incoming>) {
    let mut postponed: Vec<dispatch::Postponed> = Vec::new();
    let mut to_tell: Vec<Told> = Vec::new();
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
        for incoming in first.into_iter().chain(std::iter::from_fn(|| inbox.try_recv().ok())).take(64) {
            let Incoming { request, told } = incoming;
            to_tell.extend(told);
            if request.op == Op::Shutdown {
                let outcome = dispatch::shut_down(shared).map(|()| Answer::default());
                let _ = request.reply.send(outcome);
                tell_answered(&mut to_tell);
                return;
            }
            postponed.extend(dispatch::begin(shared, request));
        }
        postponed = dispatch::retry(shared, postponed);
        tell_answered(&mut to_tell);
        if let Err(fault) = dispatch::fenced(|| run::turn(shared)) {
            shared.abandon_immediate();
            shared.report(fault.into_diagnostic(), None);
        }
        tell_answered(&mut to_tell);
    }
}

/// Every answer is given on this thread, so that looking now and then misses none.
fn tell_answered(to_tell: &mut Vec<Told>) {
    for Told { answer, tell } in std::mem::take(to_tell) {
        match answer.try_recv() {
            Ok(outcome) => tell.tell(outcome),
            Err(TryRecvError::Disconnected) => drop(tell),
            Err(TryRecvError::Empty) => to_tell.push(Told { answer, tell }),
        }
    }
}
