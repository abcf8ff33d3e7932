use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// The way a call came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// MCP over stdio.
    Stdio,
    /// MCP or the attach protocol over HTTP.
    Http,
    /// The `zero` command line.
    Shell,
    /// An editor or another program that changed files of the world.
    External,
    /// The engine itself: scene load, recovery, tests.
    Engine,
}

/// Set once by whoever gives up on a call; looked at by whoever works for it.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// On whose behalf something happens: a parameter of every write, log line and transaction.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Lower-case letters, digits, `-` and `_`.
    pub name: String,
    pub transport: Transport,
    /// When the caller stops waiting; none for work nobody waits for.
    pub deadline: Option<Instant>,
    pub cancel: CancelFlag,
    /// Refuses every write, wherever it is dispatched.
    pub read_only: bool,
}

impl Caller {
    pub fn new(name: impl Into<String>, transport: Transport) -> Caller {
        Caller { name: name.into(), transport, deadline: None, cancel: CancelFlag::default(), read_only: false }
    }

    /// The engine acting for itself.
    pub fn engine() -> Caller {
        Caller::new("engine", Transport::Engine)
    }

    /// An edit that came from outside the engine.
    pub fn external() -> Caller {
        Caller::new("external", Transport::External)
    }

    pub fn until(mut self, deadline: Instant) -> Caller {
        self.deadline = Some(deadline);
        self
    }

    /// Whether the caller has given up or run out of time.
    pub fn is_gone(&self, now: Instant) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|deadline| deadline <= now)
    }
}
