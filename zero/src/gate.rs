use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use zero_base::{Caller, CancelFlag, Fault};
use zero_runtime::{Op, Outcome};

use crate::{Dispatch, ProgramError};

/// Stands before the engine of the process that owns a world: counts the calls under way, so
/// that the owner can end without cutting one off, and fences each, so that a panic fails one
/// call and not the process.
pub struct Gate {
    engine: Arc<dyn Dispatch>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    closed: bool,
    next: u64,
    under_way: HashMap<u64, CancelFlag>,
}

impl Gate {
    pub fn new(engine: Arc<dyn Dispatch>) -> Gate {
        Gate { engine, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Refuses new calls, waits for those under way, cancels what is left after `grace`, and
    /// ends the engine. Does nothing the second time.
    pub fn close(&self, grace: Duration) -> Outcome {
        {
            let mut state = self.lock();
            if std::mem::replace(&mut state.closed, true) {
                return Ok(Default::default());
            }
            state = self.wait_until_idle(state, grace);
            state.under_way.values().for_each(CancelFlag::cancel);
            // A call that heeds its flag is given the time to say so.
            drop(self.wait_until_idle(state, Duration::from_secs(1)));
        }
        self.fenced(Caller::engine(), Op::Shutdown)
    }

    fn wait_until_idle<'a>(&self, mut state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        let deadline = Instant::now() + limit;
        while !state.under_way.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }

    fn fenced(&self, caller: Caller, op: Op) -> Outcome {
        catch_unwind(AssertUnwindSafe(|| self.engine.dispatch(caller, op)))
            .unwrap_or_else(|_| Err(ProgramError::Panicked.into()))
    }

    fn enter(&self, cancel: &CancelFlag) -> Result<u64, Fault> {
        let mut state = self.lock();
        if state.closed {
            return Err(ProgramError::Gone { pid: std::process::id(), sent: false }.into());
        }
        state.next += 1;
        let ticket = state.next;
        state.under_way.insert(ticket, cancel.clone());
        Ok(ticket)
    }

    fn leave(&self, ticket: u64) {
        self.lock().under_way.remove(&ticket);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Dispatch for Gate {
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome {
        let ticket = self.enter(&caller.cancel)?;
        let outcome = self.fenced(caller, op);
        self.leave(ticket);
        outcome
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use zero_base::Transport;
    use zero_runtime::Answer;

    use super::*;

    fn caller() -> Caller {
        Caller::new("a", Transport::Shell)
    }

    #[test]
    fn waits_for_a_call_under_way_and_refuses_the_next() {
        let (entered, has_entered) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let (ended, has_ended) = mpsc::channel();
        let (entered, released) = (Mutex::new(entered), Mutex::new(released));
        let gate = Arc::new(Gate::new(Arc::new(move |_: Caller, op: Op| {
            match op {
                Op::Shutdown => ended.send(()).unwrap(),
                Op::Status => {
                    entered.lock().unwrap().send(()).unwrap();
                    released.lock().unwrap().recv().unwrap();
                }
                _ => {}
            }
            Ok(Answer::default())
        })));
        let busy = {
            let gate = gate.clone();
            std::thread::spawn(move || gate.dispatch(caller(), Op::Status))
        };
        has_entered.recv().unwrap();
        let closing = {
            let gate = gate.clone();
            std::thread::spawn(move || gate.close(Duration::from_secs(60)))
        };
        // Until the closing thread has shut the gate, calls get in and out.
        while gate.dispatch(caller(), Op::Hash).map_err(|fault| fault.code) != Err("engine/gone".into()) {
            std::thread::yield_now();
        }
        assert!(has_ended.try_recv().is_err(), "the engine outlives the calls under way");
        release.send(()).unwrap();
        assert!(busy.join().unwrap().is_ok());
        assert!(closing.join().unwrap().is_ok());
        has_ended.recv().unwrap();
        assert!(gate.close(Duration::ZERO).is_ok());
        assert!(has_ended.try_recv().is_err(), "the engine is ended once");
    }

    #[test]
    fn cancels_what_does_not_end_by_itself() {
        let gate = Arc::new(Gate::new(Arc::new(|caller: Caller, op: Op| {
            while op != Op::Shutdown && !caller.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(Answer::default())
        })));
        let busy = {
            let gate = gate.clone();
            std::thread::spawn(move || gate.dispatch(caller(), Op::Status))
        };
        while gate.lock().under_way.is_empty() {
            std::thread::yield_now();
        }
        gate.close(Duration::ZERO).unwrap();
        assert!(busy.join().unwrap().is_ok());
    }

    #[test]
    fn a_panic_fails_one_call() {
        let gate = Gate::new(Arc::new(|_: Caller, op: Op| {
            assert!(op != Op::Edit, "a bug");
            Ok(Answer::default())
        }));
        assert_eq!(gate.dispatch(caller(), Op::Edit).unwrap_err().code, "engine/panic");
        assert!(gate.dispatch(caller(), Op::Status).is_ok());
    }
}
