//! One turn of the engine's loop: edits from outside, timers, a frame if one is due, and a
//! slice for every coroutine that can go on.

use std::rc::Rc;
use std::time::{Duration, Instant};

use zero_base::Fault;
use zero_script::mlua::MultiValue;
use zero_script::{Due, Ran};

use crate::check;
use crate::finish;
use crate::frame;
use crate::ops::LogLevel;
use crate::reload;
use crate::scenes;
use crate::shared::Shared;
use crate::state::Mode;

/// The longest the loop sleeps: the watcher is looked at that often.
const LONGEST_SLEEP: Duration = Duration::from_millis(15);
/// How long one turn looks for what is wrong with files.
const CHECKING: Duration = Duration::from_millis(2);
/// How long one turn resumes coroutines before requests are looked at again.
pub(crate) const TURN: Duration = Duration::from_millis(16);

/// How long nothing has to happen.
pub(crate) fn idle_time(shared: &Shared) -> Duration {
    let machine = shared.machine();
    let scheduler = machine.scheduler.borrow();
    if scheduler.has_ready() || !shared.state.borrow().unchecked.is_empty() {
        return Duration::ZERO;
    }
    let mut sleep = LONGEST_SLEEP;
    if let Some(moment) = shared.calls.borrow().next_moment() {
        sleep = sleep.min(moment.saturating_duration_since(Instant::now()));
    }
    if let Some(due) = frame::next_due(shared) {
        sleep = sleep.min(due);
    }
    let ticks_with_the_wall = shared.state.borrow().mode == Mode::Edit;
    if let Some(wake) = scheduler.next_wake()
        && ticks_with_the_wall
    {
        sleep = sleep.min(Duration::from_secs_f64((wake - shared.wall()).clamp(0.0, 1.0)));
    }
    sleep
}

pub(crate) fn turn(shared: &Rc<Shared>) {
    reload::external(shared);
    if shared.state.borrow().scene_file_changed {
        shared.settle_editor(Duration::ZERO);
    }
    scenes::follow_file(shared);
    frame::advance(shared);
    finish::retry(shared);
    let now = shared.now();
    shared.scheduler(|scheduler| scheduler.advance(now));
    run_ready(shared);
    check::work_off(shared, CHECKING);
    let instant = Instant::now();
    let gone = shared.calls.borrow().gone(instant);
    for call in gone {
        finish::abandon(shared, call);
    }
    let summary = shared.state.borrow().summary();
    shared.calls.borrow_mut().promote(instant, &summary);
}

/// Gives each coroutine that is due a slice, oldest first, until the turn is over.
pub(crate) fn run_ready(shared: &Rc<Shared>) {
    let started = Instant::now();
    loop {
        let due = shared.machine().scheduler.borrow_mut().take_due();
        let Some(due) = due else { return };
        shared.settle_editor(Duration::ZERO);
        resume(shared, due);
        if started.elapsed() >= TURN {
            return;
        }
    }
}

fn resume(shared: &Rc<Shared>, due: Due) {
    let id = due.context;
    match shared.calls.borrow_mut().work_mut(id) {
        Some(work) => (work.parked, work.context.queued, work.context.waits_for) = (false, false, None),
        None => return,
    }
    let vm = shared.vm();
    let thread = due.thread;
    let mut ran = shared.in_context(id, || vm.resume(&thread, due.args));
    // A slice that is over between asking to be resumed later and the yield after it: the
    // scheduler has the coroutine already, and it must come to that yield first.
    while matches!(ran, Ran::Preempted) && shared.calls.borrow().work(id).is_some_and(|work| work.parked) {
        ran = shared.in_context(id, || vm.resume(&thread, MultiValue::new()));
    }
    match ran {
        Ran::Preempted => {
            shared.scheduler(|scheduler| scheduler.push(Due { thread, args: MultiValue::new(), context: id }));
        }
        Ran::Yielded(_) => waited(shared, id),
        Ran::Returned(values) => {
            let result = shared.in_context(id, || finish::result_of(values));
            finish::ended(shared, id, result);
        }
        Ran::Failed(fault) => finish::ended(shared, id, Err(fault)),
    }
}

/// The coroutine waits: what it has written so far is a transaction of its own.
fn waited(shared: &Rc<Shared>, id: u64) {
    let (parked, queued) = {
        let calls = shared.calls.borrow();
        calls.work(id).map_or((true, false), |work| (work.parked, work.context.queued))
    };
    if !parked {
        let fault = Fault::new(
            "task/stray_yield",
            "the task yielded to nobody: suspend with task.wait, or resume what you create with coroutine.resume",
        );
        finish::ended(shared, id, Err(fault));
        return;
    }
    if queued {
        return;
    }
    if let Err(fault) = shared.commit(id) {
        shared.in_context(id, || shared.log(LogLevel::Error, "journal", fault.to_string()));
        finish::ended(shared, id, Err(fault));
    }
}
