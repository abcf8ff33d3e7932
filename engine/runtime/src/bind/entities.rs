use glam::{Quat, Vec3};
use zero_base::Fault;
use zero_script::fault_of;
use zero_script::mlua::{Lua, Result, Table, Value, Vector};
use zero_world::{Edit, EntityId};

use crate::bind::Binder;
use crate::shared::Shared;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add_write(
        "entitySpawn",
        |_, shared, (name, parent, position, rotation, scale): (String, Option<String>, Value, Value, Value)| {
            let parent = parent.map(|id| id.parse::<EntityId>()).transpose()?;
            // Read before anything is made: a bad value must leave nothing behind.
            let translation = vec3(&position, "position")?;
            let rotation = quat(&rotation, "rotation")?;
            let scale = vec3(&scale, "scale")?;
            let entity = shared
                .edit(Edit::Spawn { name, parent, id: None })?
                .ok_or_else(|| Fault::new("engine/spawn", "the spawn made no change; this is a bug of the engine"))?;
            if translation.is_some() || rotation.is_some() || scale.is_some() {
                shared.edit(Edit::SetTransform { entity, translation, rotation, scale })?;
            }
            Ok(entity.to_string())
        },
    )?;
    binder.add("entityFind", |_, shared, name: String| Ok(shared.state.borrow().world.find_one(&name)?.to_string()))?;
    binder.add("entitiesNamed", |_, shared, name: Option<String>| {
        let state = shared.state.borrow();
        let ids = match name {
            Some(name) => state.world.find_all(&name).into_iter().map(|id| id.to_string()).collect::<Vec<_>>(),
            None => state.world.entities().into_iter().map(|id| id.to_string()).collect(),
        };
        Ok(ids)
    })?;
    binder.add("entityExists", |_, shared, id: String| {
        Ok(id.parse::<EntityId>().is_ok_and(|id| shared.state.borrow().world.contains(id)))
    })?;
    binder.add("entityName", |_, shared, id: String| {
        let id = id.parse::<EntityId>()?;
        Ok(shared.state.borrow().world.name(id)?)
    })?;
    binder.add("entityParent", |_, shared, id: String| {
        let id = id.parse::<EntityId>()?;
        Ok(shared.state.borrow().world.parent(id)?.map(|id| id.to_string()))
    })?;
    binder.add("entityChildren", |_, shared, id: String| {
        let id = id.parse::<EntityId>()?;
        let state = shared.state.borrow();
        Ok(state.world.children(id)?.iter().map(|id| id.to_string()).collect::<Vec<_>>())
    })?;
    binder.add("entityPosition", |_, shared, id: String| Ok(vector(transform(shared, &id)?.translation)))?;
    binder.add("entityScale", |_, shared, id: String| Ok(vector(transform(shared, &id)?.scale)))?;
    binder.add("entityRotation", |lua, shared, id: String| {
        quat_table(lua, transform(shared, &id)?.rotation).map_err(|e| fault_of(&e))
    })?;
    binder.add("entityWorldPosition", |_, shared, id: String| {
        let id = id.parse::<EntityId>()?;
        let mut state = shared.state.borrow_mut();
        state.world.update_hierarchy();
        let (_, _, translation) = state.world.world_matrix(id)?.to_scale_rotation_translation();
        Ok(vector(translation))
    })?;
    binder.add_write("entitySetTransform", |_, shared, (id, part, value): (String, String, Value)| {
        let entity = id.parse::<EntityId>()?;
        let mut edit = (None, None, None);
        match part.as_str() {
            "position" => edit.0 = vec3(&value, "position")?,
            "rotation" => edit.1 = quat(&value, "rotation")?,
            _ => edit.2 = vec3(&value, "scale")?,
        }
        if let (None, None, None) = edit {
            return Err(Fault::new("entity/transform", format!("{part} cannot be nil")));
        }
        shared.edit(Edit::SetTransform { entity, translation: edit.0, rotation: edit.1, scale: edit.2 })?;
        Ok(())
    })?;
    binder.add_write("entityRename", |_, shared, (id, name): (String, String)| {
        shared.edit(Edit::Rename { entity: id.parse()?, name })?;
        Ok(())
    })?;
    binder.add_write("entitySetParent", |_, shared, (id, parent): (String, Option<String>)| {
        let parent = parent.map(|id| id.parse::<EntityId>()).transpose()?;
        shared.edit(Edit::SetParent { entity: id.parse()?, parent })?;
        Ok(())
    })?;
    binder.add_write("entityDespawn", |_, shared, id: String| {
        shared.edit(Edit::Despawn { entity: id.parse()? })?;
        Ok(())
    })
}

fn transform(shared: &Shared, id: &str) -> std::result::Result<zero_world::Transform, Fault> {
    Ok(shared.state.borrow().world.transform(id.parse::<EntityId>()?)?)
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn quat_table(lua: &Lua, q: Quat) -> Result<Table> {
    let table = lua.create_table_with_capacity(0, 4)?;
    for (name, component) in [("x", q.x), ("y", q.y), ("z", q.z), ("w", q.w)] {
        table.raw_set(name, component)?;
    }
    Ok(table)
}

/// A vector, `{ x =, y =, z = }` or `{ 1, 2, 3 }`; none for nil.
pub(super) fn vec3(value: &Value, what: &str) -> std::result::Result<Option<Vec3>, Fault> {
    match value {
        Value::Nil => Ok(None),
        Value::Vector(v) => Ok(Some(Vec3::new(v.x(), v.y(), v.z()))),
        Value::Table(table) => {
            let [x, y, z] = components(table, what, ["x", "y", "z"])?;
            Ok(Some(Vec3::new(x, y, z)))
        }
        other => Err(wrong(what, "a vector, {x, y, z} or three numbers", other)),
    }
}

/// `{ x =, y =, z =, w = }` or four numbers; none for nil.
fn quat(value: &Value, what: &str) -> std::result::Result<Option<Quat>, Fault> {
    match value {
        Value::Nil => Ok(None),
        Value::Table(table) => {
            let [x, y, z, w] = components(table, what, ["x", "y", "z", "w"])?;
            Ok(Some(Quat::from_xyzw(x, y, z, w)))
        }
        other => Err(wrong(what, "a quaternion {x, y, z, w}", other)),
    }
}

fn components<const N: usize>(table: &Table, what: &str, names: [&str; N]) -> std::result::Result<[f32; N], Fault> {
    let length = table.raw_len();
    let listed = length == N;
    if length > 0 && !listed {
        return Err(Fault::new("entity/argument", format!("{what}: expected {N} numbers, got a list of {length}")));
    }
    let mut result = [0.0; N];
    for (index, name) in names.into_iter().enumerate() {
        let component: Value =
            if listed { table.raw_get(index + 1) } else { table.raw_get(name) }.map_err(|e| fault_of(&e))?;
        let number = match component {
            Value::Number(number) => number,
            Value::Integer(number) => number as f64,
            other => return Err(wrong(&format!("{what}.{name}"), "a number", &other)),
        };
        result[index] = number as f32;
    }
    Ok(result)
}

fn wrong(what: &str, expected: &str, got: &Value) -> Fault {
    Fault::new("entity/argument", format!("{what}: expected {expected}, got {}", got.type_name()))
}
