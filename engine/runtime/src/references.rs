//! Names of assets in component fields: one that a script sets must be there.

use serde_json::Value as Json;
use zero_base::Fault;
use zero_world::{FieldKind, FieldSchema};

use crate::shared::Shared;
use crate::state::State;

/// Refuses a value that names an asset which is not there, or is of another type. Whatever else
/// may be wrong with the value, the world refuses itself.
pub(crate) fn check(shared: &Shared, component: &str, field: &str, value: &Json) -> Result<(), Fault> {
    let state = shared.state.borrow();
    let schema = state.world.schemas().get(component);
    let declared = schema.and_then(|schema| schema.fields.iter().find(|declared| declared.name == field));
    match declared {
        Some(declared) => check_kind(&state, &format!("{component}.{field}"), &declared.kind, value),
        None => Ok(()),
    }
}

fn check_kind(state: &State, place: &str, kind: &FieldKind, value: &Json) -> Result<(), Fault> {
    match (kind, value) {
        // Of a type that nobody declares nothing can be there yet.
        (FieldKind::AssetRef { category }, Json::String(name))
            if !name.is_empty() && (category.is_empty() || state.assets.type_info(category).is_some()) =>
        {
            let category = (!category.is_empty()).then_some(category.as_str());
            state.assets.resolve(name, category, state.scene.file.as_ref()).map(drop).map_err(|error| {
                let fault = Fault::from(error);
                Fault { message: format!("{place}: {}", fault.message), ..fault }
            })
        }
        (FieldKind::List(element), Json::Array(items)) => {
            items.iter().try_for_each(|item| check_kind(state, place, element, item))
        }
        (FieldKind::Record(fields), Json::Object(record)) => {
            let given = |field: &FieldSchema| record.get(&field.name).cloned();
            let mut given = fields.iter().filter_map(|field| Some((field, given(field)?)));
            given.try_for_each(|(field, value)| {
                check_kind(state, &format!("{place}.{}", field.name), &field.kind, &value)
            })
        }
        _ => Ok(()),
    }
}
