//! Starting coroutines: for calls, for tasks of calls, for files.

use std::rc::Rc;
use std::time::Instant;

use zero_base::{Caller, Fault};
use zero_script::Due;
use zero_script::mlua::{Function, MultiValue, Thread};

use crate::calls::Work;
use crate::finish;
use crate::shared::{Context, Shared};

/// Tasks of one call that may run or wait at a time.
const MOST_TASKS: usize = 10_000;

/// Makes a function due as work of `call`; `slot` is the result it makes.
pub(crate) fn start(
    shared: &Shared,
    call: u64,
    slot: Option<usize>,
    name: &str,
    (function, args): (Function, MultiValue),
) -> Result<(), Fault> {
    let again = slot.is_some().then(|| (function.clone(), args.clone()));
    let (thread, args) = shared.vm().task(function, args)?;
    let caller = shared.calls.borrow().call(call).map_or_else(Caller::engine, |call| call.caller.clone());
    let id = add_work(shared, call, caller, (slot, slot), name, &thread);
    if let Some(work) = shared.calls.borrow_mut().work_mut(id) {
        work.again = again;
    }
    shared.scheduler(|scheduler| scheduler.push(Due { thread, args, context: id }));
    Ok(())
}

/// What a task belongs to.
struct Parent {
    call: u64,
    caller: Caller,
    started_by: Option<usize>,
    name: String,
}

/// The work a coroutine that asks to be resumed later belongs to: its call's own when it is
/// that, one of its own otherwise, so that its transactions are its own.
pub(crate) fn work_of(shared: &Shared, thread: &Thread) -> Result<u64, Fault> {
    let current = shared.current_context();
    let mut calls = shared.calls.borrow_mut();
    let parent = match current.and_then(|id| Some((id, calls.work_mut(id)?))) {
        Some((id, work)) if work.thread == address(thread) => {
            work.parked = true;
            return Ok(id);
        }
        Some((_, work)) => Parent {
            call: work.context.call,
            caller: work.context.caller.clone(),
            started_by: work.started_by,
            name: work.name.clone(),
        },
        None => Parent { call: 0, caller: Caller::engine(), started_by: None, name: "task".to_owned() },
    };
    drop(calls);
    add_task(shared, parent, thread)
}

/// Ends a task that waits, and takes back what it has not finished; the call whose own it is
/// is answered. Whether there was anything to end.
pub(crate) fn cancel(shared: &Rc<Shared>, thread: &Thread) -> Result<bool, Fault> {
    let epoch = shared.machine().epoch;
    let work = shared.calls.borrow().work_of_thread(epoch, address(thread));
    let Some((id, call, is_calls_own)) = work else { return Ok(false) };
    if shared.current_context() == Some(id) {
        return Err(Fault::new("task/running", "a task cannot cancel itself while it runs; return, or throw an error"));
    }
    if is_calls_own {
        finish::end_call(shared, call, Fault::new("call/cancelled", "the call was cancelled by a task of its own"));
    } else {
        finish::end_work(shared, id);
    }
    Ok(true)
}

fn park(shared: &Shared, id: u64) {
    if let Some(work) = shared.calls.borrow_mut().work_mut(id) {
        work.parked = true;
    }
}

/// Runs a file as a task nobody waits for.
pub(crate) fn start_file(shared: &Rc<Shared>, path: &str) -> Result<(), Fault> {
    let machine = shared.machine();
    let script = machine.vm.load_file(path)?;
    start(shared, 0, None, path, (script.main, MultiValue::new()))
}

/// One more task, within what one call may have.
fn add_task(shared: &Shared, parent: Parent, thread: &Thread) -> Result<u64, Fault> {
    let Parent { call, caller, started_by, name } = parent;
    if shared.calls.borrow().works_of_call(call).len() >= MOST_TASKS {
        return Err(Fault::new(
            "task/too_many",
            format!("one call, or the world's own scripts together, may have {MOST_TASKS} tasks at a time"),
        ));
    }
    let id = add_work(shared, call, caller, (None, started_by), &name, thread);
    park(shared, id);
    Ok(id)
}

fn add_work(
    shared: &Shared,
    call: u64,
    caller: Caller,
    (slot, started_by): (Option<usize>, Option<usize>),
    name: &str,
    thread: &Thread,
) -> u64 {
    let epoch = shared.machine().epoch;
    shared.calls.borrow_mut().add_work(Work {
        context: Context::new(call, caller),
        epoch,
        thread: address(thread),
        slot,
        started_by,
        name: name.to_owned(),
        started: Instant::now(),
        parked: false,
        again: None,
    })
}

pub(crate) fn address(thread: &Thread) -> usize {
    thread.to_pointer() as usize
}
