use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use zero_base::CancelFlag;

/// What Ctrl-C and SIGTERM do: ask the command to end, once; make it end, the second time or
/// when it takes too long. The operating system then frees the lock.
#[derive(Clone, Default)]
pub struct Interrupt {
    /// Of every call the command makes.
    pub cancel: CancelFlag,
    /// For what waits without a call.
    pub stop: CancellationToken,
    exit_code: Arc<AtomicI32>,
}

/// A clean end writes the scene's checkpoint: time enough for a large one.
const PATIENCE: Duration = Duration::from_secs(30);

impl Interrupt {
    pub fn install(runtime: &Handle) -> Interrupt {
        let interrupt = Interrupt::default();
        let watched = interrupt.clone();
        runtime.spawn(async move {
            let code = signal().await;
            tracing::debug!(code, "asked to end");
            watched.exit_code.store(code, Ordering::Release);
            watched.cancel.cancel();
            watched.stop.cancel();
            tokio::select! {
                _ = signal() => {}
                () = tokio::time::sleep(PATIENCE) => {}
            }
            std::process::exit(code);
        });
        interrupt
    }

    /// The exit code of a command that was interrupted: 128 and the signal's number.
    pub fn exit_code(&self) -> Option<i32> {
        Some(self.exit_code.load(Ordering::Acquire)).filter(|code| *code != 0)
    }
}

#[cfg(unix)]
async fn signal() -> i32 {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => 130,
        _ = terminate.recv() => 143,
    }
}

#[cfg(not(unix))]
async fn signal() -> i32 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 130,
        Err(_) => std::future::pending().await,
    }
}
