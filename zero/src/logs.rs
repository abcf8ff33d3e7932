use std::io;

use tracing_subscriber::EnvFilter;

/// Sends log lines to standard error, and nowhere else: standard output belongs to answers
/// and to the protocol. `ZERO_LOG` chooses them, as in `ZERO_LOG=warn,zero=debug`.
pub fn start(default: &str) {
    let filter = EnvFilter::try_from_env("ZERO_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(false);
    // A second call in one process (tests) keeps the first.
    let _ = lines.try_init();
}
