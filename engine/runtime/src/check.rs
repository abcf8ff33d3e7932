//! Diagnostics of content: one file, what blocks play, and a whole tree for `zero check`.

use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use zero_base::{Diagnostic, Fault};
use zero_script::{Checked, Checker, NoChecker, check_length, compiler, is_private, private_module};
use zero_source::{luau, yaml};
use zero_vfs::{Kind, VfsPath};

use crate::components;
use crate::content;
use crate::host::chunk_name;
use crate::imports::StateImports;
use crate::scenes;
use crate::shared::{IntoDiagnostic, Shared};
use crate::startup;
use crate::state::State;
use crate::type_rules;

/// Syntax, annotations and requires of a script; syntax of a YAML file and the names it holds;
/// entities of a scene; what the renderer reads. Nothing for a file that is gone or is none of these.
pub(crate) fn file(shared: &Rc<Shared>, path: &VfsPath) -> Vec<Diagnostic> {
    let found = check_file(&shared.state.borrow(), path);
    if found.iter().any(Diagnostic::is_error) {
        return found;
    }
    let (named, read) = {
        let state = shared.state.borrow();
        (unresolved_names(&state, path), content::findings(&state, path))
    };
    [found, named, scenes::findings(shared, path), read].concat()
}

/// Names of assets in a data file that lead nowhere. Those in scripts are told when they run.
fn unresolved_names(state: &State, path: &VfsPath) -> Vec<Diagnostic> {
    let Some(asset) = state.assets.containing(path).filter(|_| is_data(path.name())) else { return Vec::new() };
    let mut found = state.assets.reference_problems(&state.vfs, asset);
    found.retain(|problem| problem.path.as_deref() == Some(path.as_str()));
    found
}

/// The same, whether a component's script runs, and what the code of an asset's type says of
/// the asset. Only content of this world is run for it.
fn file_and_run(shared: &Rc<Shared>, path: &VfsPath) -> Vec<Diagnostic> {
    let mut found = file_and_component(shared, path);
    if found.iter().any(Diagnostic::is_error) {
        return found;
    }
    let guid = {
        let state = shared.state.borrow();
        let own = state.assets.containing(path).filter(|asset| !asset.root.is_library());
        own.filter(|asset| state.assets.body(asset).as_ref() == Some(path)).map(|asset| asset.guid)
    };
    let of_type = guid.map(|guid| type_rules::findings(shared, &guid)).unwrap_or_default();
    let new: Vec<Diagnostic> = of_type.into_iter().filter(|problem| !found.contains(problem)).collect();
    found.extend(new);
    found
}

/// The same, and whether a component's script runs.
fn file_and_component(shared: &Rc<Shared>, path: &VfsPath) -> Vec<Diagnostic> {
    let found = file(shared, path);
    if found.iter().any(Diagnostic::is_error) {
        return found;
    }
    let identity = {
        let state = shared.state.borrow();
        let asset = state.assets.containing(path);
        let own = asset.filter(|asset| !asset.root.is_library() && asset.type_name == "component");
        own.filter(|asset| state.assets.body(asset).as_ref() == Some(path)).map(|asset| asset.identity.clone())
    };
    match identity.map(|identity| components::require(shared, &identity)) {
        Some(Err(fault)) => {
            let diagnostic = fault.into_diagnostic();
            [found, vec![Diagnostic { path: Some(path.as_str().to_owned()), ..diagnostic }]].concat()
        }
        _ => found,
    }
}

/// Whether a component that nobody uses yet loads is found out in the background.
pub(crate) fn try_unused_component(state: &mut State, path: &VfsPath) {
    let asset = state.assets.containing(path).filter(|asset| asset.type_name == "component");
    let is_body = asset.is_some_and(|asset| state.assets.body(asset).as_ref() == Some(path));
    if is_body && !state.components.values().any(|info| info.path == *path) {
        state.unchecked.insert(path.clone());
    }
}

/// Puts every script and data file of this world on the list of what is still to be looked at.
pub(crate) fn queue_all(state: &mut State) {
    for asset in state.assets.list(None).into_iter().filter(|asset| !asset.root.is_library()) {
        let files = state.assets.files(asset);
        let checked = files.iter().filter(|name| is_script(name) || is_data(name) || is_drawn(name));
        state.unchecked.extend(checked.filter_map(|name| asset.path.join(name).ok()));
    }
}

/// What is on the list, until it is empty or the time is over.
pub(crate) fn work_off(shared: &Rc<Shared>, budget: Duration) {
    let began = Instant::now();
    while began.elapsed() < budget {
        let Some(path) = shared.state.borrow_mut().unchecked.pop_first() else { return };
        let found = file_and_run(shared, &path);
        let mut state = shared.state.borrow_mut();
        match found.is_empty() {
            true => drop(state.problems.remove(path.as_str())),
            false => drop(state.problems.insert(path.as_str().to_owned(), found)),
        }
    }
}

fn is_script(name: &str) -> bool {
    name.ends_with(".luau") || name.ends_with(".lua")
}

/// Files that nobody but the renderer reads.
fn is_drawn(name: &str) -> bool {
    name.ends_with(".wgsl") || name.ends_with(".png")
}

fn is_data(name: &str) -> bool {
    name.ends_with(".yaml") || name.ends_with(".yml")
}

fn check_file(state: &State, path: &VfsPath) -> Vec<Diagnostic> {
    let name = path.name();
    let (script, data) = (is_script(name), is_data(name));
    // A template holds slots, not a name: it is checked in what is made of it.
    let template = path.as_str().contains(".assetType/template/");
    if template || !script && !data || !matches!(state.vfs.stat(path), Some(stat) if stat.kind == Kind::File) {
        return Vec::new();
    }
    let text = match state.vfs.read_text(path) {
        Ok(text) => text,
        Err(error) => return vec![Fault::from(error).into_diagnostic().in_file(path.as_str())],
    };
    let found = if script { check_script(state, path, &text) } else { yaml::parse(&text).err().unwrap_or_default() };
    found.into_iter().map(|diagnostic| Diagnostic { path: Some(path.as_str().to_owned()), ..diagnostic }).collect()
}

/// What can be said about a script without running it.
pub(crate) fn check_script(state: &State, path: &VfsPath, text: &str) -> Vec<Diagnostic> {
    let mut found = compile_errors(&chunk_name(state, path), text, &StateImports { state, from: path });
    // A type can be unknown because its module is: that is said as well.
    if found.iter().any(|diagnostic| diagnostic.is_error() && diagnostic.code != "luau/unknown_type") {
        return found;
    }
    let chunk = luau::parse(text);
    found.extend(chunk.diagnostics);
    for call in &chunk.requires {
        let refused = match state.assets.resolve_require(&state.vfs, path, &call.name) {
            Ok(module) => is_private(path.as_str(), module.as_str()).then(|| private_module(&call.name)),
            Err(error) => Some(Fault::from(error)),
        };
        if let Some(fault) = refused {
            found.push(Diagnostic::error(fault.code, fault.message).at(call.span));
        }
    }
    found
}

/// Errors of the `typed` rewriting and of the compiler.
fn compile_errors(name: &str, text: &str, imports: &dyn luau::Imports) -> Vec<Diagnostic> {
    if let Err(fault) = check_length(name, text) {
        return vec![fault.into_diagnostic()];
    }
    let instrumented = match luau::instrument(text, name, imports) {
        Ok(instrumented) => instrumented,
        Err(found) => return found,
    };
    match compiler().compile(instrumented.text.as_bytes()) {
        Ok(_) => Vec::new(),
        // The rewriting's own locals can be one too many; the machine then loads the compact form.
        Err(error) if error.to_string().contains("exceeded limit 200") => Vec::new(),
        Err(error) => vec![syntax_diagnostic(&error.to_string())],
    }
}

/// The compiler's `syntax error: <name>:3: Expected …` as a diagnostic with a place.
fn syntax_diagnostic(text: &str) -> Diagnostic {
    let text = text.strip_prefix("syntax error: ").unwrap_or(text);
    let mut parts = text.splitn(3, ':');
    let (first, second, rest) = (parts.next(), parts.next(), parts.next());
    for (line, message) in
        [(second, rest.map(str::to_owned)), (first, second.map(|s| [s, rest.unwrap_or_default()].concat()))]
    {
        if let (Some(line), Some(message)) = (line.and_then(|line| line.trim().parse::<u32>().ok()), message) {
            return Diagnostic::error("script/syntax", message.trim()).at(zero_base::Span::at(line, 1));
        }
    }
    Diagnostic::error("script/syntax", text.trim())
}

/// Errors of this world's own content: what must be mended before it may play.
pub(crate) fn play_blockers(shared: &Rc<Shared>) -> Vec<Diagnostic> {
    work_off(shared, Duration::MAX);
    let state = shared.state.borrow();
    let own = |diagnostic: &&Diagnostic| {
        diagnostic.is_error()
            && diagnostic
                .path
                .as_deref()
                .is_some_and(|path| path.starts_with("/zero/source/") && !path.starts_with("/zero/source/libs/"))
    };
    state.problems.values().flatten().filter(own).cloned().collect()
}

/// Everything that can be said about a file, an asset, a folder or the whole world.
pub(crate) fn tree(shared: &Rc<Shared>, path: Option<&str>) -> Result<Json, Fault> {
    let whole = path.is_none();
    let folder = VfsPath::parse(path.unwrap_or("/zero/source"))?;
    let paths = {
        let state = shared.state.borrow();
        if state.vfs.stat(&folder).is_none() {
            return Err(Fault::new("vfs/not_found", format!("there is nothing at {folder}")));
        }
        state.vfs.walk(&folder)
    };
    let libraries = VfsPath::parse("/zero/source/libs")?;
    let wanted = |path: &VfsPath| path.starts_with(&folder) && (!whole || !path.starts_with(&libraries));
    let mut found: Vec<Diagnostic> = shared
        .state
        .borrow()
        .assets
        .diagnostics()
        .into_iter()
        .filter(|diagnostic| {
            diagnostic.path.as_deref().and_then(|path| VfsPath::parse(path).ok()).is_none_or(|path| wanted(&path))
        })
        .collect();
    let (mut files, mut assets) = (0, 0);
    let mut not_checked = None;
    if whole {
        found.extend(startup::settings_findings(&shared.state.borrow()));
    }
    for path in paths.into_iter().filter(wanted) {
        files += 1;
        found.extend(file_and_run(shared, &path));
        if path.name().ends_with(".luau") && not_checked.is_none() {
            match NoChecker.check(path.as_str(), "") {
                Checked::NotChecked(reason) => not_checked = Some(reason),
                Checked::Done(more) => found.extend(more),
            }
        }
    }
    let state = shared.state.borrow();
    for asset in state.assets.list(None) {
        if wanted(&asset.path) {
            assets += 1;
            found.extend(state.assets.validate(&state.vfs, asset));
        }
    }
    found.sort_by(|a, b| (&a.path, a.span, &a.code, &a.message).cmp(&(&b.path, b.span, &b.code, &b.message)));
    found.dedup();
    let errors = found.iter().filter(|diagnostic| diagnostic.is_error()).count();
    Ok(json!({
        "ok": errors == 0,
        "files": files,
        "assets": assets,
        "errors": errors,
        "warnings": found.len() - errors,
        "typeCheck": not_checked.map_or_else(|| "nothing to check".to_owned(), |reason| format!("not checked: {reason}")),
        "diagnostics": found,
    }))
}
