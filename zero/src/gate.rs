use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use zero_base::{Caller, CancelFlag, Fault};
use zero_runtime::{Op, Outcome};

use crate::dispatch::Reply;
use crate::{Dispatch, ProgramError};

/// Stands before the engine of the process that owns a world: counts the calls under way, so
/// that the owner can end without cutting one off; fences each, so that a panic fails one
/// call and not the process; and opens the world anew after an engine has ended by itself.
pub struct Gate {
    open: Open,
    engine: Mutex<Option<Arc<dyn Dispatch>>>,
    state: Mutex<State>,
    changed: Condvar,
}

/// How many calls may be under way at once. Each may be a connection, and with these a process
/// may have 1024 files open on many systems: the engine needs some of them.
pub const MOST_CALLS: usize = 768;

type Open = Box<dyn Fn() -> Result<Arc<dyn Dispatch>, Fault> + Send + Sync>;

#[derive(Default)]
struct State {
    closed: bool,
    /// Why nothing is carried out any more, though the engine was not ended.
    lost: Option<Fault>,
    next: u64,
    under_way: HashMap<u64, CancelFlag>,
}

impl Gate {
    /// Opens the world.
    pub fn open(open: impl Fn() -> Result<Arc<dyn Dispatch>, Fault> + Send + Sync + 'static) -> Result<Gate, Fault> {
        let engine = Mutex::new(Some(open()?));
        Ok(Gate { open: Box::new(open), engine, state: Mutex::default(), changed: Condvar::new() })
    }

    /// Refuses new calls, waits for those under way, cancels what is left after `grace`, and
    /// ends the engine. Does nothing the second time.
    pub fn close(&self, grace: Duration) -> Outcome {
        {
            let mut state = self.lock();
            if std::mem::replace(&mut state.closed, true) {
                return Ok(Default::default());
            }
            if let Some(fault) = &state.lost {
                return Err(fault.clone());
            }
            state = self.wait_until_idle(state, grace);
            state.under_way.values().for_each(CancelFlag::cancel);
            // A call that heeds its flag is given the time to say so.
            drop(self.wait_until_idle(state, Duration::from_secs(1)));
        }
        match self.engine.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(engine) => fenced(&*engine, Caller::engine(), Op::Shutdown),
            None => Ok(Default::default()),
        }
    }

    /// Carries nothing out from now on, and leaves the engine as it is: it has no right to write
    /// any more, not even to end in good order.
    pub fn shut_for(&self, fault: Fault) {
        let mut state = self.lock();
        state.lost.get_or_insert(fault);
        state.under_way.values().for_each(CancelFlag::cancel);
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

    /// The running engine, opened if the one before it has ended.
    fn engine(&self) -> Result<Arc<dyn Dispatch>, Fault> {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = &*engine {
            return Ok(engine.clone());
        }
        tracing::warn!("opening the world anew: its engine had ended");
        let opened = (self.open)()?;
        *engine = Some(opened.clone());
        Ok(opened)
    }

    fn has_ended(&self, ended: &Arc<dyn Dispatch>) {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if engine.as_ref().is_some_and(|engine| Arc::ptr_eq(engine, ended)) {
            *engine = None;
        }
    }

    fn note_end(&self, engine: &Arc<dyn Dispatch>, outcome: &Outcome) {
        if matches!(outcome, Err(fault) if fault.code == "engine/gone") {
            self.has_ended(engine);
        }
    }

    fn enter(&self, cancel: &CancelFlag) -> Result<u64, Fault> {
        let mut state = self.lock();
        if let Some(fault) = &state.lost {
            return Err(fault.clone());
        }
        if state.closed {
            return Err(ProgramError::Gone { pid: std::process::id(), sent: false }.into());
        }
        if state.under_way.len() >= MOST_CALLS {
            return Err(ProgramError::TooManyCalls { limit: MOST_CALLS }.into());
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
        let outcome = self.engine().and_then(|engine| {
            let outcome = fenced(&*engine, caller, op);
            self.note_end(&engine, &outcome);
            outcome
        });
        self.leave(ticket);
        outcome
    }

    fn begin(self: Arc<Self>, caller: Caller, op: Op, reply: Reply) {
        let ticket = match self.enter(&caller.cancel) {
            Ok(ticket) => ticket,
            Err(fault) => return reply.send(Err(fault)),
        };
        let gate = self.clone();
        let left = move |engine: Option<Arc<dyn Dispatch>>, outcome: Outcome| {
            if let Some(engine) = &engine {
                gate.note_end(engine, &outcome);
            }
            gate.leave(ticket);
            reply.send(outcome);
        };
        // A panic on the way drops the reply within, which answers for it.
        let opened = catch_unwind(AssertUnwindSafe(|| self.engine()));
        match opened.unwrap_or_else(|_| Err(ProgramError::Panicked.into())) {
            Err(fault) => left(None, Err(fault)),
            Ok(engine) => {
                // The engine holds the reply: it must not be kept alive by it.
                let begun = Arc::downgrade(&engine);
                let reply = Reply::new(move |outcome| left(begun.upgrade(), outcome));
                let _ = catch_unwind(AssertUnwindSafe(|| engine.begin(caller, op, reply)));
            }
        }
    }
}

fn fenced(engine: &dyn Dispatch, caller: Caller, op: Op) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| engine.dispatch(caller, op)))
        .unwrap_or_else(|_| Err(ProgramError::Panicked.into()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc;

    use zero_base::Transport;
    use zero_runtime::Answer;

    use super::*;

    fn caller() -> Caller {
        Caller::new("a", Transport::Shell)
    }

    fn gate(engine: impl Dispatch) -> Gate {
        let engine: Arc<dyn Dispatch> = Arc::new(engine);
        Gate::open(move || Ok(engine.clone())).unwrap()
    }

    #[test]
    fn waits_for_a_call_under_way_and_refuses_the_next() {
        let (entered, has_entered) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let (ended, has_ended) = mpsc::channel();
        let (entered, released) = (Mutex::new(entered), Mutex::new(released));
        let gate = Arc::new(gate(move |_: Caller, op: Op| {
            match op {
                Op::Shutdown => ended.send(()).unwrap(),
                Op::Status => {
                    entered.lock().unwrap().send(()).unwrap();
                    released.lock().unwrap().recv().unwrap();
                }
                _ => {}
            }
            Ok(Answer::default())
        }));
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
        let gate = Arc::new(gate(|caller: Caller, op: Op| {
            while op != Op::Shutdown && !caller.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(Answer::default())
        }));
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
        let gate = gate(|_: Caller, op: Op| {
            assert!(op != Op::Edit, "a bug");
            Ok(Answer::default())
        });
        assert_eq!(gate.dispatch(caller(), Op::Edit).unwrap_err().code, "engine/panic");
        assert!(gate.dispatch(caller(), Op::Status).is_ok());
    }

    #[test]
    fn calls_that_wait_are_bounded_and_hold_no_thread() {
        let waiting: Arc<Mutex<Vec<Reply>>> = Arc::default();
        struct Patient(Arc<Mutex<Vec<Reply>>>);
        impl Dispatch for Patient {
            fn dispatch(&self, _: Caller, _: Op) -> Outcome {
                unreachable!("nobody blocks")
            }
            fn begin(self: Arc<Self>, _: Caller, _: Op, reply: Reply) {
                self.0.lock().unwrap().push(reply);
            }
        }
        let gate = Arc::new(gate(Patient(waiting.clone())));
        let (told, outcomes) = mpsc::channel();
        let begin = || {
            let told = told.clone();
            gate.clone().begin(caller(), Op::Status, Reply::new(move |outcome| told.send(outcome).unwrap()));
        };
        (0..MOST_CALLS).for_each(|_| begin());
        assert!(outcomes.try_recv().is_err());
        begin();
        let refused = outcomes.try_recv().unwrap().unwrap_err();
        assert_eq!(refused.code, "engine/busy");
        assert!(refused.message.contains(&MOST_CALLS.to_string()), "{}", refused.message);
        // One answers, one is forgotten: both make room.
        waiting.lock().unwrap().pop().unwrap().send(Ok(Answer::default()));
        assert!(outcomes.try_recv().unwrap().is_ok());
        drop(waiting.lock().unwrap().pop());
        assert_eq!(outcomes.try_recv().unwrap().unwrap_err().code, "engine/panic");
        begin();
        begin();
        assert!(outcomes.try_recv().is_err());
        begin();
        assert_eq!(outcomes.try_recv().unwrap().unwrap_err().code, "engine/busy");
    }

    #[test]
    fn after_the_world_is_lost_nothing_is_carried_out() {
        let gate = gate(|_: Caller, op: Op| {
            assert!(op != Op::Shutdown, "the end of an engine writes");
            Ok(Answer::default())
        });
        assert!(gate.dispatch(caller(), Op::Status).is_ok());
        gate.shut_for(Fault::new("world/lock_lost", "another process has it"));
        assert_eq!(gate.dispatch(caller(), Op::Status).unwrap_err().code, "world/lock_lost");
        assert_eq!(gate.close(Duration::ZERO).unwrap_err().code, "world/lock_lost");
    }

    #[test]
    fn an_engine_that_ended_by_itself_is_opened_anew() {
        let opened = Arc::new(AtomicU64::new(0));
        let counted = opened.clone();
        let gate = Gate::open(move || {
            let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
            Ok(Arc::new(move |_: Caller, op: Op| match op {
                Op::Edit => Err(Fault::new("engine/gone", "a bug ended the engine")),
                _ => Ok(Answer { value: number.into(), ..Answer::default() }),
            }) as Arc<dyn Dispatch>)
        });
        let gate = gate.unwrap();
        assert_eq!(gate.dispatch(caller(), Op::Status).unwrap().value, 1);
        assert_eq!(gate.dispatch(caller(), Op::Edit).unwrap_err().code, "engine/gone");
        assert_eq!(gate.dispatch(caller(), Op::Status).unwrap().value, 2);
        gate.close(Duration::ZERO).unwrap();
        assert_eq!(gate.dispatch(caller(), Op::Status).unwrap_err().code, "engine/gone");
        assert_eq!(opened.load(Ordering::SeqCst), 2);
    }
}
