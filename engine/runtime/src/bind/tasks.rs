use zero_base::Fault;
use zero_script::mlua::{MultiValue, Result, Thread, Value};
use zero_script::{Due, WaitFor, fault_of_value};
use zero_vfs::TxnId;

use crate::bind::Binder;
use crate::calls::PATIENCE;
use crate::ops::LogLevel;
use crate::tasks;

/// The longest a task sleeps: about a hundred days.
const LONGEST_SLEEP_SECS: f64 = 1e7;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add("taskSleep", |_, shared, args: MultiValue| {
        let (thread, rest) = thread_of(args)?;
        let mut rest = rest;
        let secs = match rest.pop_front() {
            Some(Value::Number(secs)) => secs,
            Some(Value::Integer(secs)) => secs as f64,
            _ => 0.0,
        };
        if !(0.0..=LONGEST_SLEEP_SECS).contains(&secs) {
            return Err(Fault::new("task/seconds", format!("seconds must be 0 to {LONGEST_SLEEP_SECS:e}, got {secs}")));
        }
        let context = tasks::work_of(shared, &thread)?;
        shared.sleep(Due { thread, args: rest, context }, secs);
        Ok(())
    })?;
    binder.add("taskAfterFrame", |_, shared, thread: Thread| {
        let context = tasks::work_of(shared, &thread)?;
        shared.scheduler(|scheduler| {
            scheduler.wait(Due { thread, args: MultiValue::new(), context }, WaitFor::FrameEnd);
        });
        Ok(())
    })?;
    // Waits for another call's transaction, with its own left open. False once the caller's
    // patience is over. Refused when the other waits for this one.
    binder.add("taskQueue", |_, shared, (thread, waited, owner): (Thread, f64, Option<f64>)| {
        let caller = shared.caller();
        let patient = match caller.deadline {
            Some(deadline) => std::time::Instant::now() < deadline,
            None => waited < PATIENCE.as_secs_f64(),
        };
        if !patient {
            return Ok(false);
        }
        let context = tasks::work_of(shared, &thread)?;
        let owner = owner.map(|owner| TxnId(owner as u64));
        if owner.is_some_and(|owner| shared.would_deadlock(context, owner)) {
            return Err(Fault::new(
                "txn/deadlock",
                "another call waits for what this one has written, and this one for what that has: \
                 write in the same order, or wait between the writes; this call is refused so that the other goes on",
            ));
        }
        if let Some(context) = shared.calls.borrow_mut().context_mut(context) {
            context.waits_for = owner;
            context.queued = true;
        }
        shared.scheduler(|scheduler| scheduler.push(Due { thread, args: MultiValue::new(), context }));
        Ok(true)
    })?;
    binder.add("taskReady", |_, shared, args: MultiValue| {
        let (thread, args) = thread_of(args)?;
        let context = tasks::work_of(shared, &thread)?;
        shared.scheduler(|scheduler| scheduler.push(Due { thread, args, context }));
        Ok(())
    })?;
    binder.add("taskCancel", |_, shared, thread: Thread| tasks::cancel(shared, &thread))?;
    binder.add("taskFailed", |_, shared, (_, problem): (Thread, Value)| {
        let fault = fault_of_value(&problem);
        shared.log(LogLevel::Error, "task", fault.to_string());
        Ok(())
    })
}

fn thread_of(mut args: MultiValue) -> std::result::Result<(Thread, MultiValue), Fault> {
    match args.pop_front() {
        Some(Value::Thread(thread)) => Ok((thread, args)),
        other => Err(Fault::new(
            "task/not_a_task",
            format!("expected a task, got {}", other.as_ref().map_or("nothing", Value::type_name)),
        )),
    }
}
