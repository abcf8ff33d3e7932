//! From a component's name to its script and schema.

use std::rc::Rc;

use serde_json::Value as Json;
use zero_assets::{Asset, Root};
use zero_base::{Diagnostic, Fault, Severity, did_you_mean};
use zero_vfs::VfsPath;
use zero_world::{Change, ComponentSchema, EventSchema, FieldKind, FieldSchema, SyncMode};

use crate::shared::{IntoDiagnostic, Shared};
use crate::state::{ComponentInfo, State};

/// Systems this build has; a component may name another, whose data is kept until it comes.
const SYSTEMS: [&str; 1] = ["render"];

/// The key a component is stored under: the bare name of one in `@builtin`, the identity of
/// any other. Loads its script the first time.
pub(crate) fn require(shared: &Rc<Shared>, name: &str) -> Result<String, Fault> {
    let (key, path) = {
        let state = shared.state.borrow();
        let asset = find(&state, name)?;
        let key = key_of(asset);
        if state.components.contains_key(&key) {
            return Ok(key);
        }
        let path = script_of(&state, asset)?;
        (key, path)
    };
    define(shared, &key, &path)?;
    Ok(key)
}

/// The key a name means, for look-ups that must not fail on what is stored already.
pub(crate) fn key(shared: &Rc<Shared>, name: &str) -> String {
    let state = shared.state.borrow();
    find(&state, name).map(key_of).unwrap_or_else(|_| name.to_owned())
}

fn find<'a>(state: &'a State, name: &str) -> Result<&'a Asset, Fault> {
    if let Ok(asset) = state.assets.resolve(name, Some("component"), None) {
        return Ok(asset);
    }
    let named = state.assets.find_by_name(name, Some("component"));
    match named.as_slice() {
        [one] => Ok(one),
        [] => {
            let known: Vec<String> = state.assets.list(Some("component")).into_iter().map(key_of).collect();
            Err(Fault::new("component/unknown", format!("no component '{name}'{}", did_you_mean(name, &known)))
                .with_data(serde_json::json!({ "known": known })))
        }
        several => {
            let identities: Vec<&str> = several.iter().map(|asset| asset.identity.as_str()).collect();
            Err(Fault::new(
                "component/ambiguous",
                format!("'{name}' is several components: {}; write the identity", identities.join(", ")),
            ))
        }
    }
}

fn key_of(asset: &Asset) -> String {
    match &asset.root {
        Root::Library(library) if library == "builtin" => asset.name.clone(),
        _ => asset.identity.clone(),
    }
}

fn script_of(state: &State, asset: &Asset) -> Result<VfsPath, Fault> {
    state.assets.body(asset).ok_or_else(|| {
        Fault::new(
            "component/no_script",
            format!("{} has no init.luau; write one that declares `public`", asset.identity),
        )
    })
}

/// Loads or reloads the script. A failure keeps what was there, and is a diagnostic of the file.
pub(crate) fn define(shared: &Rc<Shared>, key: &str, path: &VfsPath) -> Result<(), Fault> {
    let machine = shared.machine();
    let description = machine.define(key, path.as_str())?;
    let identity = {
        let state = shared.state.borrow();
        state.assets.containing(path).map_or_else(|| key.to_owned(), |asset| asset.identity.clone())
    };
    let schema = schema_of(key, &identity, &description)
        .map_err(|message| Fault::from(Diagnostic::error("component/public", message).in_file(path.as_str())))?;
    let system = schema.system.clone();
    let scripted = description["scripted"] == Json::Bool(true);
    {
        let mut state = shared.state.borrow_mut();
        state.world.schemas_mut().register(schema)?;
        state.components.insert(key.to_owned(), ComponentInfo { path: path.clone(), scripted });
    }
    if let Some(system) = system
        && !SYSTEMS.contains(&system.as_str())
        && shared.state.borrow_mut().missing_systems.insert(format!("{key}/{system}"))
    {
        let message = format!("{key} is kept as data: this build has no '{system}' system to read it");
        shared.report(Diagnostic::new(Severity::Info, "component/no_system", message), None);
    }
    Ok(())
}

/// The same after an edit of the component's file: failures are reported, not returned.
pub(crate) fn redefine(shared: &Rc<Shared>, key: &str, path: &VfsPath) -> Vec<Diagnostic> {
    match define(shared, key, path) {
        Ok(()) => Vec::new(),
        Err(fault) => {
            let diagnostic = fault.into_diagnostic();
            let diagnostic = if diagnostic.path.is_none() { diagnostic.in_file(path.as_str()) } else { diagnostic };
            vec![diagnostic]
        }
    }
}

/// Loads whatever the world's entities use, and gives each scripted component its instance.
/// Components nobody declares stay as data.
pub(crate) fn attach_all(shared: &Rc<Shared>) {
    let used: Vec<String> = {
        let state = shared.state.borrow();
        let mut names: Vec<String> =
            state.world.entities().into_iter().flat_map(|entity| state.world.component_names(entity)).collect();
        names.sort();
        names.dedup();
        names
    };
    for name in &used {
        if let Err(fault) = require(shared, name)
            && fault.code != "component/unknown"
        {
            let file = fault.diagnostics.first().and_then(|diagnostic| diagnostic.path.clone());
            shared.report(fault.into_diagnostic(), file.as_deref());
        }
    }
    let changes: Vec<Change> = {
        let state = shared.state.borrow();
        let world = &state.world;
        let mut changes = Vec::new();
        for entity in world.entities() {
            for name in world.component_names(entity) {
                let record = world.component(entity, &name).cloned();
                changes.push(Change { entity, component: name, before: None, after: record.map(Json::Object) });
            }
        }
        changes
    };
    shared.sync_components(&changes);
}

/// Ends every instance: the scene is about to be replaced.
pub(crate) fn detach_all(shared: &Rc<Shared>) {
    let changes: Vec<Change> = {
        let state = shared.state.borrow();
        let world = &state.world;
        let mut changes = Vec::new();
        for entity in world.entities() {
            for name in world.component_names(entity) {
                changes.push(Change { entity, component: name, before: Some(Json::Null), after: None });
            }
        }
        changes
    };
    shared.sync_components(&changes);
}

fn schema_of(key: &str, identity: &str, description: &Json) -> Result<ComponentSchema, String> {
    let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
    let fields = list(&description["fields"]).iter().map(field_of).collect::<Result<Vec<_>, _>>()?;
    let mut schema = ComponentSchema::new(key, identity, fields);
    schema.system = description["system"].as_str().map(str::to_owned);
    schema.methods = list(&description["methods"]).iter().filter_map(Json::as_str).map(str::to_owned).collect();
    schema.events = list(&description["events"])
        .iter()
        .filter_map(Json::as_str)
        .map(|name| EventSchema { name: name.to_owned(), payload: Vec::new() })
        .collect();
    Ok(schema)
}

fn field_of(described: &Json) -> Result<FieldSchema, String> {
    let name = described["name"].as_str().unwrap_or_default();
    let mut field = FieldSchema::new(name, kind_of(described)?);
    if !described["default"].is_null() {
        field = field.with_default(described["default"].clone());
    }
    field.sync = if described["mode"] == "Local" { SyncMode::Local } else { SyncMode::Sync };
    field.description = described["description"].as_str().unwrap_or_default().to_owned();
    Ok(field.in_range(described["min"].as_f64(), described["max"].as_f64()))
}

fn kind_of(described: &Json) -> Result<FieldKind, String> {
    let kind = described["kind"].as_str().unwrap_or_default();
    Ok(match kind {
        "number" => FieldKind::Number,
        "integer" => FieldKind::Integer,
        "boolean" => FieldKind::Boolean,
        "string" => FieldKind::String,
        "vec2" => FieldKind::Vec2,
        "vec3" => FieldKind::Vec3,
        "vec4" => FieldKind::Vec4,
        "quat" => FieldKind::Quat,
        "color" => FieldKind::Color,
        "entityRef" => FieldKind::EntityRef,
        "assetRef" => FieldKind::AssetRef { category: described["category"].as_str().unwrap_or_default().to_owned() },
        "enum" => FieldKind::Enum(
            described["choices"].as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect(),
        ),
        "list" => FieldKind::List(Box::new(kind_of(&described["element"])?)),
        "record" => match described["fields"].as_array() {
            Some(fields) if !fields.is_empty() => {
                FieldKind::Record(fields.iter().map(field_of).collect::<Result<_, _>>()?)
            }
            _ => FieldKind::OpenRecord,
        },
        other => return Err(format!("'{other}' is no kind of field")),
    })
}
