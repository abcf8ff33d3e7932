use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use zero_base::{Caller, Fault};
use zero_runtime::{Op, Outcome};

use super::BackendSettings;
use crate::server::{Server, ServerSettings, listen};
use crate::{Dispatch, Gate, Opener, Token, WorldLock};

/// This process, owning a world: the lock, the engine, and the port for everybody else.
pub struct Owner {
    gate: Arc<Gate>,
    port: u16,
    held: Mutex<Option<Held>>,
}

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
        Ok(Owner { gate, port, held: Mutex::new(Some(Held { server, lock })) })
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

impl Dispatch for Owner {
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome {
        self.gate.dispatch(caller, op)
    }
}
