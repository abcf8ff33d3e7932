use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// What an engine logs for whoever watches it: what scripts print, and what is wrong in the world.
const OF_THE_WORLD: &str = "zero_runtime::state";
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Sends log lines to standard error, and nowhere else: standard output belongs to answers
/// and to the protocol. `ZERO_LOG` chooses them, as in `ZERO_LOG=warn,zero=debug`.
pub fn start(default: &str) {
    let chosen = EnvFilter::try_from_env("ZERO_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let answered = dynamic_filter_fn(|line, _| line.target() != OF_THE_WORLD || !ANSWERED.load(Ordering::Relaxed));
    let lines = fmt::layer().with_writer(io::stderr).with_ansi(false).with_filter(answered);
    // A second call in one process (tests) keeps the first.
    let _ = tracing_subscriber::registry().with(chosen).with(lines).try_init();
}

/// Runs work whose answer says what scripts log: it is not said a second time meanwhile.
pub fn answered<T>(work: impl FnOnce() -> T) -> T {
    ANSWERED.store(true, Ordering::Relaxed);
    let done = work();
    ANSWERED.store(false, Ordering::Relaxed);
    done
}
