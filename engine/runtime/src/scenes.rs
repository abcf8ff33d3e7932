//! Scenes: opening, saving, and the journal's changes on top of a saved file.

use std::rc::Rc;

use serde_json::{Value as Json, json};
use zero_base::{Diagnostic, Fault, Hash};
use zero_vfs::{VfsPath, WriteOptions};
use zero_world::{Change, SceneDoc, merge_scene, replay_scene};

use crate::components;
use crate::shared::{IntoDiagnostic, Shared};
use crate::state::{Mode, OpenScene};

const SCENE_FILE: &str = "scene.yaml";
/// Text of this size is within every budget of the reader.
const SURELY_READABLE_BYTES: usize = 1 << 20;

/// Opens a scene in place of the current one. What the current one has unsaved is written to
/// its file first where it has one; a library's stays in the journal.
///
/// Errors: `txn/busy` while another call is half way through changing the open scene.
pub(crate) fn load(shared: &Rc<Shared>, identity: &str) -> Result<Json, Fault> {
    shared.check_scene_free()?;
    let (scene, text, pending) = {
        let state = shared.state.borrow();
        let asset = state.assets.resolve(identity, Some("scene"), None)?;
        let file = asset.path.join(SCENE_FILE)?;
        // A scene whose entities all come from its entrypoint needs no file of them.
        let on_disk = state.vfs.stat(&file).map(|_| state.vfs.read_text(&file)).transpose()?;
        let scene = OpenScene {
            identity: Some(asset.identity.clone()),
            file_hash: on_disk.as_ref().map(|text| Hash::of(text.as_bytes())),
            saved: None,
            read_only: asset.root.is_library(),
            file: Some(file),
        };
        let pending = state.vfs.pending_entities(scene.key());
        (scene, on_disk.unwrap_or_else(|| SceneDoc::default().emit()), pending)
    };
    let file = scene.file.clone().map(|file| file.as_str().to_owned()).unwrap_or_default();
    let (doc, mut found) = SceneDoc::parse(&text, &file)
        .map_err(|found| Fault::new("scene/unreadable", first_line(&file, &found)).with_diagnostics(found))?;
    let playing = shared.state.borrow().mode == Mode::Play;
    let on_file = doc;
    let doc = if pending.changes.is_empty() || playing {
        on_file.clone()
    } else {
        let changes: Vec<Change> = pending.changes.iter().filter_map(Change::from_journal).collect();
        let same_file = pending.base == scene.file_hash;
        let (doc, conflicts) = if same_file {
            replay_scene(&on_file, &changes)
        } else {
            merge_scene(&as_stored(shared, &on_file), &changes)
        };
        found.extend(conflicts);
        doc
    };
    if !playing {
        save_if_dirty(shared)?;
    }
    replace(shared, scene, &on_file, &doc, found, &file);
    if playing {
        run_entrypoint(shared);
    }
    Ok(current(shared))
}

fn first_line(file: &str, found: &[Diagnostic]) -> String {
    match found.first() {
        Some(first) => first.to_string(),
        None => format!("{file} cannot be read as a scene"),
    }
}

/// A world without a scene: its entities live in the journal until they are saved.
pub(crate) fn open_untitled(shared: &Rc<Shared>) -> Result<(), Fault> {
    let scene = OpenScene { identity: None, file: None, file_hash: None, saved: None, read_only: false };
    let pending = shared.state.borrow().vfs.pending_entities(scene.key());
    let changes: Vec<Change> = pending.changes.iter().filter_map(Change::from_journal).collect();
    let (doc, found) = replay_scene(&SceneDoc::default(), &changes);
    replace(shared, scene, &SceneDoc::default(), &doc, found, "untitled");
    Ok(())
}

/// Puts the entities of `doc` in place of the current ones; `on_file` is what is saved of them.
fn replace(
    shared: &Rc<Shared>,
    scene: OpenScene,
    on_file: &SceneDoc,
    doc: &SceneDoc,
    found: Vec<Diagnostic>,
    file: &str,
) {
    components::detach_all(shared);
    {
        let mut state = shared.state.borrow_mut();
        state.scene = scene;
        state.scene_file_changed = false;
        state.problems.remove(file);
    }
    // Schemas first: loading checks fields against them.
    declare_components(shared, doc);
    let mut found = found;
    {
        let mut state = shared.state.borrow_mut();
        let state = &mut *state;
        if on_file != doc {
            state.world.load_scene(on_file);
            state.scene.saved = Some(state.world.hash());
        }
        found.extend(state.world.load_scene(doc));
        if on_file == doc {
            state.scene.saved = Some(state.world.hash());
        }
        state.world.update_hierarchy();
    }
    found.extend(missing_assets(shared));
    for diagnostic in found {
        let diagnostic = if diagnostic.path.is_none() { diagnostic.in_file(file) } else { diagnostic };
        shared.report(diagnostic, Some(file));
    }
    components::attach_all(shared);
}

/// The scene with its values spelt as changes spell them, so that only what differs conflicts.
fn as_stored(shared: &Rc<Shared>, doc: &SceneDoc) -> SceneDoc {
    declare_components(shared, doc);
    shared.state.borrow().world.schemas().normalise_scene(doc).0
}

fn declare_components(shared: &Rc<Shared>, doc: &SceneDoc) {
    let mut names: Vec<&String> = doc.entities.values().flat_map(|entity| entity.components.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        // What cannot be loaded is reported when instances are made.
        let _ = components::require(shared, name);
    }
}

/// What is wrong with the entities that a scene's file holds; nothing for any other file.
pub(crate) fn findings(shared: &Rc<Shared>, path: &VfsPath) -> Vec<Diagnostic> {
    let text = {
        let state = shared.state.borrow();
        let of_scene = state.assets.containing(path).is_some_and(|asset| asset.type_name == "scene");
        if !of_scene || path.name() != SCENE_FILE {
            return Vec::new();
        }
        state.vfs.read_text(path)
    };
    let Ok(text) = text else { return Vec::new() };
    let mut found = match SceneDoc::parse(&text, path.as_str()) {
        Ok((doc, mut found)) => {
            declare_components(shared, &doc);
            found.extend(shared.state.borrow().world.schemas().normalise_scene(&doc).1);
            found
        }
        Err(found) => found,
    };
    found.iter_mut().for_each(|diagnostic| diagnostic.path = Some(path.as_str().to_owned()));
    found
}

/// Assets that components of the scene name and nothing answers to: drawn as placeholders.
fn missing_assets(shared: &Shared) -> Vec<Diagnostic> {
    use zero_world::FieldKind;
    let state = shared.state.borrow();
    let mut found = Vec::new();
    for entity in state.world.entities() {
        for name in state.world.component_names(entity) {
            let Some(schema) = state.world.schemas().get(&name) else { continue };
            let Some(record) = state.world.component(entity, &name) else { continue };
            for field in &schema.fields {
                let FieldKind::AssetRef { category } = &field.kind else { continue };
                let Some(identity) = record.get(&field.name).and_then(Json::as_str) else { continue };
                if let Err(error) = state.assets.resolve(identity, Some(category), state.scene.file.as_ref()) {
                    found.push(Diagnostic::warning(
                        "scene/missing_asset",
                        format!("{name}.{} of {entity} names the {category} '{identity}': {error}", field.name),
                    ));
                }
            }
        }
    }
    found
}

pub(crate) fn save_if_dirty(shared: &Rc<Shared>) -> Result<(), Fault> {
    let (dirty, writable) = {
        let state = shared.state.borrow();
        (state.scene_is_dirty(), state.scene.file.is_some() && !state.scene.read_only)
    };
    if dirty && writable {
        save(shared, None)?;
    }
    Ok(())
}

/// Writes the scene's checkpoint; with a name, to a scene of this world of that name.
pub(crate) fn save(shared: &Rc<Shared>, name: Option<&str>) -> Result<String, Fault> {
    if shared.state.borrow().mode == Mode::Play {
        return Err(Fault::new(
            "scene/playing",
            "what play changed is not authored and cannot be saved; leave play with edit first",
        ));
    }
    let text = shared.state.borrow().world.to_scene().emit();
    // What could not be read back must not take the place of what can.
    if text.len() > SURELY_READABLE_BYTES && SceneDoc::parse(&text, SCENE_FILE).is_err() {
        return Err(Fault::new(
            "scene/too_large",
            format!(
                "the scene is too large for one file ({} MiB of text); split it into several scenes",
                text.len() >> 20
            ),
        ));
    }
    let own = shared.state.borrow().scene.clone();
    let old_key = own.key().to_owned();
    let is_own = name.is_none() || name == own.identity.as_deref();
    let (identity, file) = match (&own.identity, &own.file) {
        (Some(identity), Some(file)) if is_own && !own.read_only => (identity.clone(), file.clone()),
        (Some(identity), _) if is_own => {
            return Err(Fault::new(
                "scene/read_only",
                format!(
                    "{identity} belongs to a library and cannot be written; save it under a name of yours: scene.save(\"name\")"
                ),
            ));
        }
        (None, _) if name.is_none() => {
            return Err(Fault::new(
                "scene/untitled",
                "the scene has no file yet; give it a name: scene.save(\"name\")",
            ));
        }
        _ => scene_named(shared, name.unwrap_or_default())?,
    };
    check_unchanged(shared, &own, &file)?;
    shared.write_file(&file, text.as_bytes(), WriteOptions { base: None, durable: true })?;
    let hash = Hash::of(text.as_bytes());
    shared.checkpoint(&old_key, hash)?;
    if old_key != identity {
        shared.checkpoint(&identity, hash)?;
    }
    let saved = Some(shared.state.borrow().world.hash());
    shared.scene_saved(OpenScene {
        identity: Some(identity.clone()),
        file: Some(file),
        file_hash: Some(hash),
        saved,
        read_only: false,
    });
    Ok(identity)
}

/// Refuses to save over what has not been taken in: an edit of the file that play or another
/// call keeps waiting, or one that cannot be read.
fn check_unchanged(shared: &Shared, own: &OpenScene, file: &VfsPath) -> Result<(), Fault> {
    let on_disk = shared.state.borrow().vfs.hash(file).ok();
    if own.file.as_ref() != Some(file) || on_disk == own.file_hash {
        return Ok(());
    }
    Err(Fault::new(
        "scene/changed_on_disk",
        format!(
            "{file} has changed since it was opened and is taken in as soon as no call is half way; save again \
             then, mend the file if it cannot be read, or save under another name"
        ),
    ))
}

/// The scene of that name in this world.
fn scene_named(shared: &Shared, name: &str) -> Result<(String, VfsPath), Fault> {
    let state = shared.state.borrow();
    let asset = state.assets.resolve(name, Some("scene"), None)?;
    if asset.root.is_library() {
        return Err(Fault::new(
            "scene/read_only",
            format!("{} belongs to a library; save under a name of yours", asset.identity),
        ));
    }
    Ok((asset.identity.clone(), asset.path.join(SCENE_FILE)?))
}

pub(crate) fn list(shared: &Shared) -> Vec<String> {
    let state = shared.state.borrow();
    state.assets.list(Some("scene")).into_iter().map(|asset| asset.identity.clone()).collect()
}

pub(crate) fn current(shared: &Shared) -> Json {
    let state = shared.state.borrow();
    let doc_intent = state.world.player_intent().map(str::to_owned);
    json!({
        "identity": state.scene.identity,
        "name": state.scene.key(),
        "entities": state.world.len(),
        "dirty": state.scene_is_dirty(),
        "readOnly": state.scene.read_only,
        "playerIntent": doc_intent,
    })
}

/// Takes in an edit of the open scene's file once nothing is in the way: play ends first, and
/// what calls are half way through.
pub(crate) fn follow_file(shared: &Rc<Shared>) {
    let due = shared.state.borrow().scene_file_changed && shared.state.borrow().mode == Mode::Edit;
    if !due || shared.calls.borrow().open_transactions().next().is_some() {
        return;
    }
    shared.state.borrow_mut().scene_file_changed = false;
    if let Err(fault) = shared.as_engine(|| file_changed(shared)) {
        shared.report(fault.into_diagnostic(), None);
    }
}

/// The open scene's file changed under it: the file wins, the journal's unsaved changes stay
/// where they do not contradict it.
fn file_changed(shared: &Rc<Shared>) -> Result<(), Fault> {
    let (scene, text) = {
        let mut state = shared.state.borrow_mut();
        let state = &mut *state;
        let Some(file) = &state.scene.file else { return Ok(()) };
        if state.vfs.stat(file).is_none() {
            // Nothing is saved of it any more; what is open stays, and the next save writes it.
            (state.scene.file_hash, state.scene.saved) = (None, None);
            return Ok(());
        }
        let text = state.vfs.read_text(file)?;
        let hash = Some(Hash::of(text.as_bytes()));
        if state.scene.file_hash == hash {
            return Ok(());
        }
        (OpenScene { file_hash: hash, ..state.scene.clone() }, text)
    };
    let file = scene.file.clone().map(|file| file.as_str().to_owned()).unwrap_or_default();
    let (doc, mut found) = match SceneDoc::parse(&text, &file) {
        Ok(read) => read,
        Err(found) => {
            // Half-written: keep what is open until the file reads again.
            for diagnostic in found {
                shared.report(diagnostic, Some(&file));
            }
            return Ok(());
        }
    };
    let pending = shared.state.borrow().vfs.pending_entities(scene.key());
    let changes: Vec<Change> = pending.changes.iter().filter_map(Change::from_journal).collect();
    let on_file = doc;
    let doc = if changes.is_empty() {
        on_file.clone()
    } else {
        let (merged, conflicts) = merge_scene(&as_stored(shared, &on_file), &changes);
        found.extend(conflicts);
        merged
    };
    replace(shared, scene, &on_file, &doc, found, &file);
    Ok(())
}

/// Runs the open scene's `entrypoint.luau` as a task: once per play, or per load during play.
pub(crate) fn run_entrypoint(shared: &Rc<Shared>) {
    let path = {
        let state = shared.state.borrow();
        state.scene.file.as_ref().and_then(|file| file.parent()).and_then(|folder| folder.join("entrypoint.luau").ok())
    };
    let Some(path) = path.filter(|path| shared.state.borrow().vfs.stat(path).is_some()) else { return };
    if let Err(fault) = crate::tasks::start_file(shared, path.as_str()) {
        shared.report(crate::shared::IntoDiagnostic::into_diagnostic(fault), Some(path.as_str()));
    }
}
