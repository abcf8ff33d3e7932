//! Edit, play, pause: what is set aside when play begins and put back when it ends.

use std::rc::Rc;

use serde_json::{Value as Json, json};
use zero_base::{Diagnostic, Fault};

use crate::check;
use crate::components;
use crate::finish;
use crate::machine::Machine;
use crate::reload;
use crate::scenes;
use crate::shared::Shared;
use crate::state::{BeforePlay, Mode};

/// Starts play in a machine of its own. Refused while content of this world has errors.
pub(crate) fn play(shared: &Rc<Shared>) -> Result<Json, Fault> {
    if shared.state.borrow().mode == Mode::Play {
        return Ok(run_state(shared));
    }
    let errors: Vec<Diagnostic> = check::play_blockers(shared);
    if !errors.is_empty() {
        let shown: Vec<String> = errors.iter().take(5).map(Diagnostic::to_string).collect();
        return Err(Fault::new(
            "play/diagnostics",
            format!(
                "play is refused while the world has {} error(s); mend them and play again:\n{}",
                errors.len(),
                shown.join("\n")
            ),
        )
        .with_diagnostics(errors));
    }
    end_open_transactions(shared, "play began");
    {
        let mut state = shared.state.borrow_mut();
        let state = &mut *state;
        state.before_play =
            Some(BeforePlay { scene: state.scene.clone(), dirty: state.scene_is_dirty(), doc: state.world.to_scene() });
        state.vfs.begin_shadow();
        state.mode = Mode::Play;
        state.recent_errors.clear();
        state.frame = 0;
        state.time = 0.0;
        state.frames_requested = 0;
        state.next_frame_at = shared.wall();
    }
    shared.park_machine();
    match Machine::new(shared) {
        Ok(machine) => shared.set_machine(machine),
        Err(fault) => {
            leave(shared);
            return Err(fault);
        }
    }
    redefine_components(shared);
    components::attach_all(shared);
    scenes::run_entrypoint(shared);
    Ok(run_state(shared))
}

/// Ends play: its machine, its shadow and its changes to entities go.
pub(crate) fn edit(shared: &Rc<Shared>) -> Result<Json, Fault> {
    if shared.state.borrow().mode == Mode::Edit {
        return Ok(run_state(shared));
    }
    let machine = shared.machine();
    let works = shared.calls.borrow().works_of_epoch(machine.epoch);
    for id in works {
        let call = shared.calls.borrow().context(id).map(|context| context.call);
        shared.roll_back(id);
        shared.calls.borrow_mut().end_work(id);
        if let Some(call) = call.filter(|call| *call != 0) {
            finish::end_call(
                shared,
                call,
                Fault::new("call/mode_changed", "play ended while the call was running in it"),
            );
        }
    }
    let ended = || Fault::new("call/mode_changed", "play ended before all the frames were run");
    loop {
        let Some(call) = shared.calls.borrow().stepping() else { break };
        finish::end_call(shared, call, ended());
    }
    // Scripts hear that they end while their world still stands.
    let _ = shared.as_engine(|| {
        components::detach_all(shared);
        Ok(())
    });
    leave(shared);
    let missed: Vec<_> = std::mem::take(&mut shared.state.borrow_mut().missed_by_edit).into_iter().collect();
    reload::catch_up(shared, missed);
    Ok(run_state(shared))
}

fn leave(shared: &Rc<Shared>) {
    {
        let mut state = shared.state.borrow_mut();
        let state = &mut *state;
        state.mode = Mode::Edit;
        state.recent_errors.clear();
        state.frames_requested = 0;
        let dropped = state.vfs.end_shadow();
        state.missed_by_edit.extend(dropped);
        if let Some(before) = state.before_play.take() {
            state.scene = before.scene;
            state.scene_file_changed = true;
            for diagnostic in state.world.load_scene(&before.doc) {
                tracing::warn!(%diagnostic, "restoring the scene after play");
            }
            state.world.update_hierarchy();
        }
    }
    shared.unpark_machine();
    reload::settle(shared);
}

pub(crate) fn pause(shared: &Shared, paused: bool) -> Json {
    let now = shared.wall();
    let mut state = shared.state.borrow_mut();
    state.paused = paused;
    state.next_frame_at = now;
    drop(state);
    run_state(shared)
}

pub(crate) fn run_state(shared: &Shared) -> Json {
    let state = shared.state.borrow();
    let mut value = json!({ "mode": state.mode.name(), "paused": state.paused, "frame": state.frame });
    state.put_errors(&mut value);
    value
}

/// Components load anew in the new machine, so that the schemas are those of its scripts.
fn redefine_components(shared: &Rc<Shared>) {
    let known: Vec<(String, zero_vfs::VfsPath)> =
        shared.state.borrow().components.iter().map(|(key, info)| (key.clone(), info.path.clone())).collect();
    for (key, path) in known {
        for diagnostic in components::redefine(shared, &key, &path) {
            shared.report(diagnostic, Some(path.as_str()));
        }
    }
}

/// A transaction left open by a call that was suspended half way cannot outlive the mode.
fn end_open_transactions(shared: &Rc<Shared>, why: &str) {
    let open: Vec<u64> = {
        let calls = shared.calls.borrow();
        calls
            .works_of_epoch(shared.machine().epoch)
            .into_iter()
            .filter_map(|id| calls.context(id).filter(|context| context.txn.is_some()).map(|context| context.call))
            .collect()
    };
    for call in open {
        finish::end_call(
            shared,
            call,
            Fault::new("call/mode_changed", format!("{why} while the call was half way; it is undone")),
        );
    }
}
