use std::time::{Duration, Instant};

use crate::print::err;

/// How long an owner may say nothing before somebody is told.
const SILENCE_TOLD_AFTER: Duration = Duration::from_secs(3);
/// How long it may say nothing at all.
pub const SILENCE_BORNE: Duration = Duration::from_secs(10);

/// How long an owner that holds its port has not answered: it is stopped, or hangs.
#[derive(Debug)]
pub struct Silence {
    since: Instant,
    is_told: bool,
}

impl Silence {
    /// `since` is when the owner was last known to be alive, or first asked.
    pub fn since(since: Instant) -> Silence {
        Silence { since, is_told: false }
    }

    /// It has not answered once more. Says so on standard error when it is time to.
    pub fn lasts_too_long(&mut self, pid: u32) -> bool {
        let lasts = self.since.elapsed();
        if lasts >= SILENCE_TOLD_AFTER && !std::mem::replace(&mut self.is_told, true) {
            let borne = SILENCE_BORNE.as_secs();
            err(&format!(
                "process {pid}, which owns this world, does not answer; waiting for it until {borne} s have passed"
            ));
        }
        lasts >= SILENCE_BORNE
    }
}
