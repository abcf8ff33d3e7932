use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use zero_assets::{Asset, CreateRequest, NameRule};
use zero_base::{Diagnostic, Fault, Guid};
use zero_script::mlua::{LuaString, Result, Table, Value};
use zero_script::{fault_of, from_json};
use zero_vfs::VfsPath;

use crate::bind::Binder;
use crate::content;
use crate::create;
use crate::shared::Shared;
use crate::state::State;

type Fallible<T> = std::result::Result<T, Fault>;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    bind_lookups(binder)?;
    bind_contents(binder)?;
    bind_checks(binder)?;
    binder.add_write(
        "assetCreate",
        |_, shared, args: (String, String, Option<String>, Option<String>, Table, bool)| {
            let (category, name, into, folder, files, pattern_matched) = args;
            let mut own = BTreeMap::new();
            for pair in files.pairs::<String, LuaString>() {
                let (name, bytes) = pair.map_err(|e| fault_of(&e))?;
                own.insert(name, bytes.as_bytes().to_vec());
            }
            let into = into.map(|name| guid_of(shared, &name)).transpose()?;
            let request = CreateRequest {
                into,
                folder,
                files: own,
                name_rule: if pattern_matched { NameRule::OfType } else { NameRule::Plain },
                type_name: category,
                name,
                ..CreateRequest::default()
            };
            create::create(shared, request)
        },
    )?;
    binder.add_write("assetDelete", |_, shared, guid: String| {
        let path = {
            let state = shared.state.borrow();
            let asset = by_guid(&state, &guid)?;
            if asset.root.is_library() {
                return Err(Fault::new(
                    "asset/read_only",
                    format!("{} belongs to a library and cannot be deleted", asset.identity),
                ));
            }
            asset.path.clone()
        };
        shared.remove_file(&path)
    })?;
    binder.add("assetBehavior", |_, shared, category: String| {
        let path = {
            let state = shared.state.borrow();
            let Some(asset) =
                state.assets.list(Some("assetType")).into_iter().find(|asset| asset.name == category).cloned()
            else {
                return Ok(Value::Nil);
            };
            let path = asset.path.join("behavior.luau")?;
            if state.vfs.stat(&path).is_none() {
                return Ok(Value::Nil);
            }
            path
        };
        shared.vm().module(path.as_str())
    })
}

fn bind_lookups(binder: &Binder) -> Result<()> {
    binder.add("assetResolve", |lua, shared, (name, category): (String, Option<String>)| {
        let from = shared.vm().calling_file().and_then(|path| VfsPath::parse(&path).ok());
        let state = shared.state.borrow();
        let asset = match state.assets.resolve(&name, category.as_deref(), from.as_ref()) {
            Ok(asset) => asset,
            // A library's code was handed a name by its caller: then it is the world's.
            Err(error) => state.assets.resolve(&name, category.as_deref(), None).map_err(|_| error)?,
        };
        from_json(lua, &info(asset)).map_err(|e| fault_of(&e))
    })?;
    binder.add("assetLoad", |_, shared, guid: String| {
        let path = {
            let state = shared.state.borrow();
            let asset = by_guid(&state, &guid)?;
            state
                .assets
                .body(asset)
                .filter(|path| path.name().ends_with(".luau"))
                .ok_or_else(|| Fault::new("asset/no_script", format!("{} has no script to load", asset.identity)))?
        };
        shared.vm().module(path.as_str())
    })?;
    binder.add("assetFind", |lua, shared, (name, category): (String, Option<String>)| {
        let state = shared.state.borrow();
        match state.assets.resolve(&name, category.as_deref(), state.scene.file.as_ref()) {
            Ok(asset) => from_json(lua, &info(asset)).map_err(|e| fault_of(&e)),
            Err(_) => Ok(Value::Nil),
        }
    })?;
    binder.add("assetInfo", |lua, shared, guid: String| {
        let state = shared.state.borrow();
        from_json(lua, &info(by_guid(&state, &guid)?)).map_err(|e| fault_of(&e))
    })?;
    binder.add("assetExists", |_, shared, guid: String| Ok(by_guid(&shared.state.borrow(), &guid).is_ok()))?;
    binder.add("assetList", |lua, shared, category: Option<String>| {
        let state = shared.state.borrow();
        if let Some(category) = &category {
            let known = state.assets.categories();
            if !known.contains(category) {
                return Err(Fault::new(
                    "asset/unknown_type",
                    format!("no asset type '{category}'{}", zero_base::did_you_mean(category, &known)),
                ));
            }
        }
        let rows: Json = state.assets.list(category.as_deref()).into_iter().map(info).collect();
        from_json(lua, &rows).map_err(|e| fault_of(&e))
    })?;
    binder.add("assetContaining", |lua, shared, path: String| {
        let state = shared.state.borrow();
        let path = VfsPath::parse(&path)?;
        let asset = state
            .assets
            .containing(&path)
            .ok_or_else(|| Fault::new("asset/not_in_an_asset", format!("{path} lies in no asset's folder")))?;
        from_json(lua, &info(asset)).map_err(|e| fault_of(&e))
    })?;
    binder.add("assetTypeGuid", |_, shared, guid: String| {
        let state = shared.state.borrow();
        let asset = by_guid(&state, &guid)?;
        let type_ = state.assets.type_of(asset).ok_or_else(|| {
            Fault::new("asset/unknown_type", format!("the type '{}' is not registered", asset.type_name))
        })?;
        Ok(type_.guid.to_string())
    })?;
    binder.add("assetCategories", |_, shared, ()| Ok(shared.state.borrow().assets.categories()))
}

fn bind_contents(binder: &Binder) -> Result<()> {
    binder.add("assetText", |lua, shared, (guid, file, bytes): (String, Option<String>, Option<bool>)| {
        let state = shared.state.borrow();
        let asset = by_guid(&state, &guid)?;
        let path = match file {
            Some(file) => asset.path.join(&file)?,
            None => state
                .assets
                .body(asset)
                .ok_or_else(|| Fault::new("asset/no_body", format!("{} has no main file; name one", asset.identity)))?,
        };
        let made = if bytes == Some(true) {
            lua.create_string(&*state.vfs.read(&path)?)
        } else {
            lua.create_string(state.vfs.read_text(&path)?)
        };
        made.map_err(|e| fault_of(&e))
    })?;
    binder.add("assetMeta", |lua, shared, guid: String| {
        let state = shared.state.borrow();
        let asset = by_guid(&state, &guid)?;
        let empty = json!({});
        from_json(lua, state.assets.metadata(asset).unwrap_or(&empty)).map_err(|e| fault_of(&e))
    })?;
    binder.add("assetDeps", |lua, shared, guid: String| {
        let state = shared.state.borrow();
        let asset = by_guid(&state, &guid)?;
        let rows = json!(state.assets.references(&state.vfs, asset));
        from_json(lua, &rows).map_err(|e| fault_of(&e))
    })?;
    binder.add("assetInspect", |lua, shared, (name, category): (String, Option<String>)| {
        let from = shared.vm().calling_file().and_then(|path| VfsPath::parse(&path).ok());
        let state = shared.state.borrow();
        let asset = match name.parse::<Guid>().ok().and_then(|guid| state.assets.get(&guid)) {
            Some(asset) => asset,
            None => state.assets.resolve(&name, category.as_deref(), from.as_ref())?,
        };
        from_json(lua, &envelope(&state, asset)).map_err(|e| fault_of(&e))
    })?;
    Ok(())
}

fn bind_checks(binder: &Binder) -> Result<()> {
    binder.add("assetRenderProblems", |lua, shared, guid: String| {
        let state = shared.state.borrow();
        let asset = by_guid(&state, &guid)?;
        let files = state.assets.files(asset).into_iter().filter_map(|name| asset.path.join(&name).ok());
        let rows: Json = files.flat_map(|path| content::findings(&state, &path)).map(|found| problem(&found)).collect();
        from_json(lua, &rows).map_err(|e| fault_of(&e))
    })?;
    binder.add("assetValidate", |lua, shared, guid: String| {
        let state = shared.state.borrow();
        let asset = by_guid(&state, &guid)?;
        let mut found = state.assets.validate(&state.vfs, asset);
        let main = state.assets.body(asset);
        if let Some(path) = &main
            && path.name().ends_with(".luau")
            && let Ok(text) = state.vfs.read_text(path)
        {
            found.extend(
                crate::check::check_script(&state, path, &text).into_iter().map(|found| found.in_file(path.as_str())),
            );
        }
        let rows: Json = found.iter().map(problem).collect();
        let rows = from_json(lua, &rows).map_err(|e| fault_of(&e))?;
        Ok((rows, main.map(|path| path.as_str().to_owned())))
    })
}

fn problem(diagnostic: &Diagnostic) -> Json {
    json!({
        "code": diagnostic.code,
        "message": diagnostic.message,
        "severity": diagnostic.severity,
        "path": diagnostic.path,
        "line": diagnostic.span.map(|span| span.line),
        "column": diagnostic.span.map(|span| span.column),
    })
}

pub(super) fn by_guid<'a>(state: &'a State, guid: &str) -> Fallible<&'a Asset> {
    let parsed: Guid = guid.parse()?;
    state
        .assets
        .get(&parsed)
        .ok_or_else(|| Fault::new("asset/gone", format!("the asset {guid} is gone; resolve it again")))
}

fn guid_of(shared: &Shared, name: &str) -> Fallible<Guid> {
    if let Ok(guid) = name.parse() {
        return Ok(guid);
    }
    let state = shared.state.borrow();
    Ok(state.assets.resolve(name, None, None)?.guid)
}

fn info(asset: &Asset) -> Json {
    json!({
        "guid": asset.guid,
        "path": asset.path,
        "identity": asset.identity,
        "category": asset.type_name,
        "name": asset.name,
    })
}

/// What every asset says of itself; its type adds `detail`.
fn envelope(state: &State, asset: &Asset) -> Json {
    let definition = state.assets.type_of(asset).map(|type_| type_.path.as_str().to_owned());
    let scope = if asset.root.is_library() { "library" } else { "world" };
    json!({
        "identity": asset.identity,
        "name": asset.name,
        "guid": asset.guid,
        "source": asset.path,
        "typeName": asset.type_name,
        "typeDefinitionPath": definition,
        "scope": scope,
        "origin": asset.root.to_string(),
        "description": state.assets.description(&state.vfs, asset),
        "tags": asset.tags,
        "files": state.assets.files(asset),
    })
}
