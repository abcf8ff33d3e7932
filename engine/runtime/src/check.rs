//! Diagnostics of content: one file, what blocks play, and a whole tree for `zero check`.

use std::rc::Rc;

use serde_json::{Value as Json, json};
use zero_base::{Diagnostic, Fault};
use zero_script::{Checked, Checker, NoChecker, check_length, compiler, is_private, private_module};
use zero_source::{luau, yaml};
use zero_vfs::{Kind, VfsPath};

use crate::host::chunk_name;
use crate::shared::{IntoDiagnostic, Shared};
use crate::state::State;

/// Syntax, annotations and requires of one file, or the syntax of a YAML file. Nothing for a
/// file that is gone or is neither.
pub(crate) fn file(shared: &Shared, path: &VfsPath) -> Vec<Diagnostic> {
    let state = shared.state.borrow();
    check_file(&state, path)
}

fn check_file(state: &State, path: &VfsPath) -> Vec<Diagnostic> {
    let name = path.name();
    let script = name.ends_with(".luau") || name.ends_with(".lua");
    let data = name.ends_with(".yaml") || name.ends_with(".yml");
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
    let mut found = compile_errors(&chunk_name(state, path), text);
    if found.iter().any(Diagnostic::is_error) {
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
pub(crate) fn compile_errors(name: &str, text: &str) -> Vec<Diagnostic> {
    if let Err(fault) = check_length(name, text) {
        return vec![fault.into_diagnostic()];
    }
    let instrumented = match luau::instrument(text, name, &luau::NoImports) {
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
pub(crate) fn play_blockers(shared: &Shared) -> Vec<Diagnostic> {
    let state = shared.state.borrow();
    let own = |diagnostic: &&Diagnostic| {
        diagnostic.is_error()
            && diagnostic
                .path
                .as_deref()
                .is_some_and(|path| path.starts_with("/zero/source/") && !path.starts_with("/zero/source/libs/"))
    };
    let mut found: Vec<Diagnostic> = state.problems.values().flatten().filter(own).cloned().collect();
    // Scripts that were broken before the engine started have not been looked at yet.
    for asset in state.assets.list(None) {
        if asset.root.is_library() {
            continue;
        }
        for name in state.assets.files(asset) {
            if name.ends_with(".luau")
                && let Ok(path) = asset.path.join(&name)
                && !state.problems.contains_key(path.as_str())
            {
                found.extend(check_file(&state, &path).into_iter().filter(Diagnostic::is_error));
            }
        }
    }
    found
}

/// Everything that can be said about a file, an asset, a folder or the whole world.
pub(crate) fn tree(shared: &Rc<Shared>, path: Option<&str>) -> Result<Json, Fault> {
    let state = shared.state.borrow();
    let whole = path.is_none();
    let folder = VfsPath::parse(path.unwrap_or("/zero/source"))?;
    if state.vfs.stat(&folder).is_none() {
        return Err(Fault::new("vfs/not_found", format!("there is nothing at {folder}")));
    }
    let libraries = VfsPath::parse("/zero/source/libs")?;
    let wanted = |path: &VfsPath| path.starts_with(&folder) && (!whole || !path.starts_with(&libraries));
    let mut found: Vec<Diagnostic> = state
        .assets
        .diagnostics()
        .into_iter()
        .filter(|diagnostic| {
            diagnostic.path.as_deref().and_then(|path| VfsPath::parse(path).ok()).is_none_or(|path| wanted(&path))
        })
        .collect();
    let (mut files, mut assets) = (0, 0);
    let mut not_checked = None;
    for path in state.vfs.walk(&folder) {
        if !wanted(&path) {
            continue;
        }
        files += 1;
        found.extend(check_file(&state, &path));
        if path.name().ends_with(".luau") && not_checked.is_none() {
            match NoChecker.check(path.as_str(), "") {
                Checked::NotChecked(reason) => not_checked = Some(reason),
                Checked::Done(more) => found.extend(more),
            }
        }
    }
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
