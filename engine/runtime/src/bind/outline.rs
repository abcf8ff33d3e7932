//! Natives that tell what an asset's script declares.

use serde_json::{Value as Json, json};
use zero_base::Fault;
use zero_script::mlua::Result;
use zero_script::{fault_of, from_json};
use zero_source::luau;
use zero_world::{ComponentSchema, FieldKind, FieldSchema, SyncMode};

use super::assets::by_guid;
use crate::bind::Binder;
use crate::{components, outline};

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add("assetFunctions", |lua, shared, guid: String| {
        let text = {
            let state = shared.state.borrow();
            let asset = by_guid(&state, &guid)?;
            let script = state.assets.body(asset).filter(|path| path.name().ends_with(".luau"));
            let path = script.ok_or_else(|| {
                let (identity, type_) = (&asset.identity, &asset.type_name);
                let message = format!("{identity} is a {type_} without a script: it declares no functions");
                Fault::new("asset/no_script", message)
            })?;
            state.vfs.read_text(&path)?
        };
        from_json(lua, &outline::of(&luau::parse(&text))).map_err(|e| fault_of(&e))
    })?;
    binder.add("componentSchema", |lua, shared, name: String| {
        let key = components::require(shared, &name)?;
        let described = {
            let state = shared.state.borrow();
            schema(state.world.schemas().require(&key)?)
        };
        from_json(lua, &described).map_err(|e| fault_of(&e))
    })
}

fn schema(schema: &ComponentSchema) -> Json {
    json!({
        "name": schema.name,
        "identity": schema.identity,
        "fields": schema.fields.iter().map(field).collect::<Json>(),
        "methods": schema.methods,
        "events": schema.events.iter().map(|event| &event.name).collect::<Vec<_>>(),
        "system": schema.system,
    })
}

fn field(field: &FieldSchema) -> Json {
    let mut described = kind(&field.kind);
    described["name"] = json!(field.name);
    described["default"] = field.default.clone();
    described["mode"] = json!(if field.sync == SyncMode::Local { "Local" } else { "Sync" });
    described["description"] = json!(field.description);
    described["min"] = json!(field.min);
    described["max"] = json!(field.max);
    described
}

/// `kind` as `Field` calls it, with what else the kind says.
fn kind(kind: &FieldKind) -> Json {
    match kind {
        FieldKind::Number => json!({ "kind": "number" }),
        FieldKind::Integer => json!({ "kind": "integer" }),
        FieldKind::Boolean => json!({ "kind": "boolean" }),
        FieldKind::String => json!({ "kind": "string" }),
        FieldKind::Vec2 => json!({ "kind": "vec2" }),
        FieldKind::Vec3 => json!({ "kind": "vec3" }),
        FieldKind::Vec4 => json!({ "kind": "vec4" }),
        FieldKind::Quat => json!({ "kind": "quat" }),
        FieldKind::Color => json!({ "kind": "color" }),
        FieldKind::EntityRef => json!({ "kind": "entityRef" }),
        FieldKind::AssetRef { category } => json!({ "kind": "assetRef", "category": category }),
        FieldKind::Enum(choices) => json!({ "kind": "enum", "choices": choices }),
        FieldKind::List(element) => json!({ "kind": "list", "element": self::kind(element) }),
        FieldKind::OpenRecord => json!({ "kind": "record" }),
        FieldKind::Record(fields) => {
            json!({ "kind": "record", "fields": fields.iter().map(field).collect::<Json>() })
        }
    }
}
