use std::path::PathBuf;
use std::sync::Arc;

use zero_base::{Caller, Fault};
use zero_runtime::{Op, Outcome};

/// Carries out operations: an engine in this process, a remote one, or a closure in tests.
pub trait Dispatch: Send + Sync + 'static {
    /// Blocks until the outcome is known.
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome;
}

impl<F> Dispatch for F
where
    F: Fn(Caller, Op) -> Outcome + Send + Sync + 'static,
{
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome {
        self(caller, op)
    }
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
