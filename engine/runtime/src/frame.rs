//! Frames: editor updates in edit mode, fixed and variable updates in play.

use std::rc::Rc;
use std::time::{Duration, Instant};

use zero_base::Fault;

use crate::calls::Kind;
use crate::finish;
use crate::play;
use crate::run;
use crate::shared::{IntoDiagnostic, Shared};
use crate::state::Mode;

/// Seconds of one frame and of one fixed step.
pub(crate) const FRAME_SECS: f64 = 1.0 / 60.0;
/// How often what editor updates change becomes durable while nobody else wants anything.
const EDITOR_COMMITS: Duration = Duration::from_secs(1);
/// Frames made up for when the machine was busy; the rest of the time is let go.
const MOST_FRAMES_AT_ONCE: u64 = 3;

/// Time until the next frame, if anything needs one.
pub(crate) fn next_due(shared: &Shared) -> Option<Duration> {
    if shared.calls.borrow().stepping().is_some() {
        return Some(Duration::ZERO);
    }
    if !needs_frames(shared) {
        return None;
    }
    let state = shared.state.borrow();
    if state.frames_requested > 0 {
        return Some(Duration::ZERO);
    }
    let due = state.next_frame_at;
    Some(Duration::from_secs_f64((due - shared.wall()).clamp(0.0, 1.0)))
}

fn needs_frames(shared: &Shared) -> bool {
    let (mode, paused, requested) = {
        let state = shared.state.borrow();
        (state.mode, state.paused, state.frames_requested > 0)
    };
    match mode {
        Mode::Play => !paused || requested,
        Mode::Edit => {
            let machine = shared.machine();
            let waits = machine.scheduler.borrow().waits_for_frame();
            waits || (!paused && machine.any_component_has("editorUpdate"))
        }
    }
}

/// Runs the frames that are due: those a call has asked for first, which the clock does not
/// add to.
pub(crate) fn advance(shared: &Rc<Shared>) {
    let began = Instant::now();
    loop {
        let Some(call) = shared.calls.borrow().stepping() else { break };
        if began.elapsed() >= run::TURN {
            return;
        }
        run_asked(shared, call);
    }
    if !needs_frames(shared) {
        let now = shared.wall();
        shared.state.borrow_mut().next_frame_at = now;
        return;
    }
    for _ in 0..MOST_FRAMES_AT_ONCE {
        let now = shared.wall();
        let requested = {
            let mut state = shared.state.borrow_mut();
            let requested = state.frames_requested > 0;
            if requested {
                state.frames_requested -= 1;
            } else if state.next_frame_at > now {
                return;
            }
            state.next_frame_at = (state.next_frame_at + FRAME_SECS).max(now - FRAME_SECS);
            requested
        };
        one(shared);
        // A frame somebody waits for lets that somebody run before the next one.
        if requested {
            return;
        }
    }
}

/// One frame of those that the call has asked for, and its answer after the last.
fn run_asked(shared: &Rc<Shared>, id: u64) {
    one(shared);
    let now = shared.wall();
    shared.state.borrow_mut().next_frame_at = now;
    let done = match shared.calls.borrow_mut().call_mut(id).map(|call| &mut call.kind) {
        Some(Kind::Steps { left }) => {
            *left -= 1;
            *left == 0
        }
        // The frame itself has ended the call, as a script that ends play does.
        _ => false,
    };
    if done {
        finish::answer(shared, id, Ok(play::run_state(shared)));
    }
}

/// Runs one frame of the current mode.
fn one(shared: &Rc<Shared>) {
    let mode = shared.state.borrow().mode;
    match mode {
        Mode::Edit => {
            shared.scheduler(|scheduler| scheduler.begin_frame());
            report(shared, shared.as_editor(|| shared.machine().step("editorUpdate", FRAME_SECS)));
            shared.settle_editor(EDITOR_COMMITS);
            shared.scheduler(|scheduler| scheduler.end_frame());
        }
        Mode::Play => {
            {
                let mut state = shared.state.borrow_mut();
                state.frame += 1;
                // Counted, not added up: the time of a frame does not depend on how it was reached.
                state.time = state.frame as f64 * FRAME_SECS;
            }
            let now = shared.now();
            shared.scheduler(|scheduler| {
                scheduler.begin_frame();
                scheduler.advance(now);
            });
            run::run_ready(shared);
            step(shared, "start");
            step(shared, "fixedUpdate");
            step(shared, "update");
            shared.state.borrow_mut().world.update_hierarchy();
            shared.scheduler(|scheduler| scheduler.end_frame());
        }
    }
}

fn step(shared: &Rc<Shared>, hook: &str) {
    report(shared, shared.as_engine(|| shared.machine().step(hook, FRAME_SECS)));
}

fn report(shared: &Shared, result: Result<(), Fault>) {
    if let Err(fault) = result {
        shared.report(fault.into_diagnostic(), None);
    }
}
