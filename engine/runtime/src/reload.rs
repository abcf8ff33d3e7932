//! What changed files mean for what is loaded: the index, modules, components, the scene.

use std::collections::BTreeSet;
use std::rc::Rc;

use zero_base::Diagnostic;
use zero_vfs::{ChangeKind, FileEvent, Origin, VfsPath};

use crate::capture;
use crate::check;
use crate::components;
use crate::shared::{IntoDiagnostic, Shared};
use crate::state::{Mode, State};

/// Takes in what the last writes changed; diagnostics of the scripts among them.
pub(crate) fn settle(shared: &Shared) -> Vec<Diagnostic> {
    let events = shared.state.borrow_mut().vfs.take_events();
    take_in(shared, &events)
}

/// Takes in what was changed from outside.
pub(crate) fn external(shared: &Rc<Shared>) {
    let polled = shared.state.borrow_mut().vfs.poll_external();
    match polled {
        Ok(events) if events.is_empty() => {}
        Ok(events) => {
            for diagnostic in take_in(shared, &events) {
                let file = diagnostic.path.clone();
                shared.report(diagnostic, file.as_deref());
            }
        }
        Err(error) => shared.report(zero_base::Fault::from(error).into_diagnostic(), None),
    }
}

/// Brings the edit machine up to date with what changed while play ran.
pub(crate) fn catch_up(shared: &Shared, paths: Vec<VfsPath>) {
    for path in paths {
        refresh_loaded(shared, &path);
    }
}

fn take_in(shared: &Shared, events: &[FileEvent]) -> Vec<Diagnostic> {
    if events.is_empty() {
        return Vec::new();
    }
    {
        let mut state = shared.state.borrow_mut();
        let state = &mut *state;
        state.assets.apply(&state.vfs, events);
        capture::files_changed(state);
        state.scene_file_changed |= events.iter().any(|event| state.scene.file.as_ref() == Some(&event.path));
        if state.mode == Mode::Play {
            state.missed_by_edit.extend(events.iter().map(|event| event.path.clone()));
        }
    }
    let paths: BTreeSet<&VfsPath> = events.iter().map(|event| &event.path).collect();
    let mut found = Vec::new();
    for path in paths {
        shared.state.borrow_mut().problems.remove(path.as_str());
        shared.state.borrow_mut().unchecked.remove(path);
        let mut in_file = check::file(&shared.rc(), path);
        if !in_file.iter().any(Diagnostic::is_error) {
            in_file.extend(refresh_loaded(shared, path));
        }
        check::try_unused_component(&mut shared.state.borrow_mut(), path);
        if !in_file.is_empty() {
            shared.state.borrow_mut().problems.insert(path.as_str().to_owned(), in_file.clone());
        }
        found.extend(in_file);
    }
    queue_dependants(&mut shared.state.borrow_mut(), events);
    let external = events.iter().filter(|event| event.origin == Origin::External).count();
    if external > 0 {
        tracing::debug!(files = external, "took in edits from outside");
    }
    found
}

/// What was written may mend what is wrong elsewhere; what is gone may break anything.
fn queue_dependants(state: &mut State, events: &[FileEvent]) {
    if events.iter().any(|event| event.change == ChangeKind::Removed) {
        check::queue_all(state);
    } else {
        let broken = state.problems.keys().filter_map(|path| VfsPath::parse(path).ok());
        state.unchecked.extend(broken.filter(|path| events.iter().all(|event| event.path != *path)));
    }
}

/// Runs the new code of a file that is loaded as a module or a component.
fn refresh_loaded(shared: &Shared, path: &VfsPath) -> Vec<Diagnostic> {
    if !shared.has_machine() || !path.name().ends_with(".luau") && !path.name().ends_with(".lua") {
        return Vec::new();
    }
    let machine = shared.machine();
    let exists = shared.state.borrow().vfs.stat(path).is_some();
    let component =
        shared.state.borrow().components.iter().find(|(_, info)| info.path == *path).map(|(key, _)| key.clone());
    let mut found = Vec::new();
    match (component, exists) {
        (Some(key), true) => found.extend(components::redefine(&shared.rc(), &key, path)),
        (Some(key), false) => forget_component(shared, &key),
        (None, true) => {
            if let Err(fault) = machine.vm.reload(path.as_str()) {
                let diagnostic = fault.into_diagnostic();
                found.push(if diagnostic.path.is_some() { diagnostic } else { diagnostic.in_file(path.as_str()) });
            }
        }
        (None, false) => machine.vm.forget(path.as_str()),
    }
    found
}

/// The script is gone: its data stays with the entities, its code goes.
fn forget_component(shared: &Shared, key: &str) {
    {
        let mut state = shared.state.borrow_mut();
        state.components.remove(key);
        state.world.schemas_mut().unregister(key);
    }
    if let Err(fault) = shared.machine().undefine(key) {
        shared.report(fault.into_diagnostic(), None);
    }
}
