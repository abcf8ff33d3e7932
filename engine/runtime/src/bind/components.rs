use serde_json::{Map, Value as Json};
use zero_base::Fault;
use zero_script::mlua::{Result, Value};
use zero_script::{fault_of, from_json, to_json};
use zero_world::{Edit, EntityId};

use crate::bind::Binder;
use crate::components;
use crate::references;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add("componentKey", |_, shared, name: String| Ok(components::key(shared, &name)))?;
    binder.add_write("componentAdd", |_, shared, (id, kind, fields): (String, String, Value)| {
        let entity = id.parse::<EntityId>()?;
        let component = components::require(shared, &kind)?;
        let fields = match to_json(&fields)? {
            Json::Null => Map::new(),
            Json::Object(fields) => fields,
            Json::Array(items) if items.is_empty() => Map::new(),
            _ => {
                return Err(Fault::new(
                    "component/fields",
                    format!("the fields of {kind} must be a table of name → value"),
                ));
            }
        };
        for (field, value) in &fields {
            references::check(shared, &component, field, value)?;
        }
        shared.edit(Edit::AddComponent { entity, component: component.clone(), fields })?;
        Ok(component)
    })?;
    binder.add_write("componentRemove", |_, shared, (id, component): (String, String)| {
        shared.edit(Edit::RemoveComponent { entity: id.parse()?, component })?;
        Ok(())
    })?;
    binder.add("componentHas", |_, shared, (id, component): (String, String)| {
        let entity = id.parse::<EntityId>()?;
        Ok(shared.state.borrow().world.component(entity, &component).is_some())
    })?;
    binder.add("componentList", |_, shared, id: String| {
        let entity = id.parse::<EntityId>()?;
        let state = shared.state.borrow();
        state.world.name(entity)?;
        Ok(state.world.component_names(entity))
    })?;
    binder.add("componentFields", |lua, shared, (id, component): (String, String)| {
        let entity = id.parse::<EntityId>()?;
        let record = shared.state.borrow().world.component_with_defaults(entity, &component);
        from_json(lua, &Json::Object(record.unwrap_or_default())).map_err(|e| fault_of(&e))
    })?;
    binder.add("fieldGet", |lua, shared, (id, component, field): (String, String, String)| {
        let entity = id.parse::<EntityId>()?;
        let value = shared.state.borrow().world.field(entity, &component, &field)?;
        from_json(lua, &value).map_err(|e| fault_of(&e))
    })?;
    binder.add_write("fieldSet", |_, shared, (id, component, field, value): (String, String, String, Value)| {
        let value = to_json(&value)?;
        references::check(shared, &component, &field, &value)?;
        shared.edit(Edit::SetField { entity: id.parse()?, component, field, value })?;
        Ok(())
    })
}
