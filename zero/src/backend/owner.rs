use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;
use zero_base::{Caller, Fault};
use zero_runtime::{Op, Outcome};

use super::BackendSettings;
use crate::dispatch::Reply;
use crate::server::{Server, ServerSettings, listen};
use crate::{Dispatch, Gate, Opener, ProgramError, Token, WorldLock};

/// This process, owning a world: the lock, the engine, and the port for everybody else.
pub struct Owner {
    gate: Arc<Gate>,
    port: u16,
    held: Arc<Mutex<Option<Held>>>,
}

/// How often the owner makes sure that it still is.
const LOOK_AFTER_LOCK_EVERY: Duration = Duration::from_millis(500);

/// Fields drop in order: the port goes before the lock, so that a successor can take both.
struct Held {
    server: Server,
    lock: WorldLock,
}

impl Owner {
    pub fn open(
        mut lock: WorldLock,
        settings: &BackendSettings,
        opener: &Opener,
        runtime: &Handle,
    ) -> Result<Owner, Fault> {
        let token = Token::load_or_create(&settings.open.world)?;
        // Before the engine: a port that is taken is known at once, and costs nothing.
        let listener = listen(settings.port)?;
        let (opener, request) = (opener.clone(), settings.open.clone());
        let gate = Arc::new(Gate::open(move || opener(&request))?);
        let started_at = lock.record().started_at;
        let server = Server::start(runtime, ServerSettings { listener, token, dispatch: gate.clone(), started_at })?;
        let port = server.port();
        lock.publish_port(port)?;
        tracing::info!(port, world = %settings.open.world.display(), "world opened");
        let held = Arc::new(Mutex::new(Some(Held { server, lock })));
        let (watched, shut, on_lost) = (Arc::downgrade(&held), gate.clone(), settings.on_lock_lost);
        thread::Builder::new()
            .name("lock".to_owned())
            .spawn(move || look_after(&watched, &shut, on_lost))
            .map_err(|source| ProgramError::Runtime { source })?;
        Ok(Owner { gate, port, held })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Lets calls under way finish for `grace`, ends the engine, then gives up port and lock.
    pub fn close(&self, grace: Duration) -> Result<(), Fault> {
        let ended = self.gate.close(grace);
        if let Some(Held { server, lock }) = self.held.lock().unwrap_or_else(PoisonError::into_inner).take() {
            server.stop(Duration::from_millis(500));
            drop(lock);
        }
        ended.map(|_| ())
    }
}

/// Until the world is given up. Not before each commit: between a look and the write there is
/// always a moment, and where folders can be locked nobody can come in at all.
fn look_after(held: &Weak<Mutex<Option<Held>>>, gate: &Gate, on_lost: fn(&Fault)) {
    loop {
        thread::sleep(LOOK_AFTER_LOCK_EVERY);
        let Some(held) = held.upgrade() else { return };
        let looked = match &mut *held.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(held) => held.lock.look_after(),
            None => return,
        };
        if let Err(error) = looked {
            let fault = Fault::from(error);
            gate.shut_for(fault.clone());
            return on_lost(&fault);
        }
    }
}

impl Dispatch for Owner {
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome {
        self.gate.dispatch(caller, op)
    }

    fn begin(self: Arc<Self>, caller: Caller, op: Op, reply: Reply) {
        self.gate.clone().begin(caller, op, reply);
    }
}
