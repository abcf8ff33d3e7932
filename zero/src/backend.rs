//! A world as a command sees it: opened in this process, or used through the process that
//! owns it. Which of the two it is may change between calls.

mod owner;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use zero_base::{Caller, Fault};
use zero_runtime::{Op, Outcome};

use crate::attach::{ConnectError, SILENCE_BORNE, Silence};
use crate::dispatch::Reply;
use crate::{Dispatch, LockRecord, OpenRequest, Opener, ProgramError, Remote, WorldLock};
use owner::Owner;

const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(20);

/// How a command holds a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// One command: what was not carried out because an owner ended is simply tried again.
    OneShot,
    /// A conversation: is told when an owner ends, because play and tasks end with it.
    Session,
    /// Must own the world itself.
    Server,
}

#[derive(Debug, Clone)]
pub struct BackendSettings {
    pub open: OpenRequest,
    pub role: Role,
    /// 0 takes a free one.
    pub port: u16,
    /// How long calls of others may take to finish when this process ends.
    pub grace: Duration,
    /// What to do when another process has come to own the world that this one owned: nothing
    /// may be written any more.
    pub on_lock_lost: fn(&Fault),
}

pub struct Backend {
    settings: BackendSettings,
    opener: Opener,
    runtime: Handle,
    connection: Mutex<Option<Connection>>,
}

#[derive(Clone)]
enum Connection {
    Owned(Arc<Owner>),
    Attached(Remote),
}

impl Backend {
    pub fn new(settings: BackendSettings, opener: Opener, runtime: Handle) -> Backend {
        Backend { settings, opener, runtime, connection: Mutex::new(None) }
    }

    /// Opens the world or attaches to its owner, unless that is done.
    pub fn connect(&self) -> Result<(), Fault> {
        self.connection().map(|_| ())
    }

    /// The world's folder.
    pub fn world(&self) -> &Path {
        &self.settings.open.world
    }

    /// The port this process listens on, if it owns the world.
    pub fn port(&self) -> Option<u16> {
        match &*self.lock() {
            Some(Connection::Owned(owner)) => Some(owner.port()),
            _ => None,
        }
    }

    /// Ends the engine if it is ours and gives up the world. Not to be called on a thread of
    /// the runtime.
    pub fn close(&self) -> Result<(), Fault> {
        match self.lock().take() {
            Some(Connection::Owned(owner)) => owner.close(self.settings.grace),
            _ => Ok(()),
        }
    }

    fn connection(&self) -> Result<Connection, Fault> {
        let mut connection = self.lock();
        if let Some(connection) = &*connection {
            return Ok(connection.clone());
        }
        let made = self.make_connection()?;
        *connection = Some(made.clone());
        Ok(made)
    }

    fn make_connection(&self) -> Result<Connection, Fault> {
        const PATIENCE: Duration = Duration::from_secs(30);
        let begun = Instant::now();
        let world = &self.settings.open.world;
        let mut silence = Silence::since(begun);
        loop {
            if let Some(lock) = WorldLock::try_acquire(world)? {
                return Ok(Connection::Owned(Arc::new(Owner::open(
                    lock,
                    &self.settings,
                    &self.opener,
                    &self.runtime,
                )?)));
            }
            let record = LockRecord::read(world)?;
            if let Some(record) = &record
                && record.port.is_some()
            {
                if self.settings.role == Role::Server {
                    return Err(ProgramError::Owned { pid: record.pid, port: record.port }.into());
                }
                match Remote::connect(record) {
                    Ok(remote) => {
                        tracing::info!(pid = remote.pid(), "attached to the world's owner");
                        return Ok(Connection::Attached(remote));
                    }
                    // The owner is ending or starting: look again.
                    Err(ConnectError::Stale) => silence = Silence::since(Instant::now()),
                    Err(ConnectError::Silent) => {
                        if silence.lasts_too_long(record.pid) {
                            let waited_secs = SILENCE_BORNE.as_secs();
                            return Err(ProgramError::OwnerSilent { pid: record.pid, waited_secs, sent: false }.into());
                        }
                    }
                    Err(ConnectError::Failed(error)) => return Err(error.into()),
                }
            }
            if begun.elapsed() >= PATIENCE {
                let pid = record.map_or(0, |record| record.pid);
                return Err(ProgramError::OwnerNotReady { pid, waited_secs: PATIENCE.as_secs() }.into());
            }
            std::thread::sleep(LOOK_AGAIN_AFTER);
        }
    }

    /// Drops the connection to `gone`, unless another call has done so.
    fn forget(&self, gone: &Remote) {
        let mut connection = self.lock();
        if matches!(&*connection, Some(Connection::Attached(remote)) if remote.is_same_as(gone)) {
            *connection = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Dispatch for Backend {
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome {
        loop {
            let remote = match self.connection()? {
                Connection::Owned(owner) => return owner.dispatch(caller, op),
                Connection::Attached(remote) => remote,
            };
            let outcome = remote.dispatch(caller.clone(), op.clone());
            match &outcome {
                Err(fault) if fault.code == "engine/gone" => {
                    self.forget(&remote);
                    let carried_out_nothing =
                        fault.data.as_ref().is_some_and(|data| data["outcomeUnknown"] == serde_json::json!(false));
                    if self.settings.role == Role::OneShot && carried_out_nothing {
                        // It may still be ending: the lock says when it has.
                        std::thread::sleep(LOOK_AGAIN_AFTER);
                        continue;
                    }
                }
                _ => {}
            }
            return outcome;
        }
    }

    fn begin(self: Arc<Self>, caller: Caller, op: Op, reply: Reply) {
        match self.connection() {
            Ok(Connection::Owned(owner)) => owner.begin(caller, op, reply),
            Ok(Connection::Attached(_)) => {
                // Another process answers, over a connection that is waited on by a thread.
                let spawned = std::thread::Builder::new().spawn(move || reply.send(self.dispatch(caller, op)));
                if let Err(error) = spawned {
                    tracing::error!(%error, "a call has no thread");
                }
            }
            Err(fault) => reply.send(Err(fault)),
        }
    }
}

#[cfg(test)]
mod tests;
