use glam::{Quat, Vec3};
use serde_json::{Value as Json, json};

use crate::*;

mod editing;
mod hierarchy;
mod random;

/// A world that knows Mesh, Camera and a Health component.
fn world() -> World {
    let mut world = World::new();
    register(&mut world);
    world
}

fn register(world: &mut World) {
    let mesh = FieldKind::AssetRef { category: "mesh".into() };
    let fields = vec![
        FieldSchema::new("mesh", mesh).with_default(json!("@builtin::meshes.cube")),
        FieldSchema::new("castShadows", FieldKind::Boolean).with_default(json!(true)),
    ];
    let health = vec![
        FieldSchema::new("amount", FieldKind::Number).with_default(json!(100)).in_range(Some(0.0), None),
        FieldSchema::new("tint", FieldKind::Color),
        FieldSchema::new("owner", FieldKind::EntityRef),
        FieldSchema::new("spots", FieldKind::List(Box::new(FieldKind::Vec3))),
    ];
    let schemas = world.schemas_mut();
    schemas.register(ComponentSchema::new("Mesh", "@builtin::components.Mesh", fields)).unwrap();
    schemas.register(ComponentSchema::new("Health", "kit.health", health)).unwrap();
}

fn spawn(world: &mut World, name: &str, parent: Option<EntityId>) -> EntityId {
    world.apply(Edit::Spawn { name: name.into(), parent, id: None }).unwrap()[0].entity
}

fn move_to(entity: EntityId, translation: Vec3) -> Edit {
    Edit::SetTransform { entity, translation: Some(translation), rotation: None, scale: None }
}

fn add(entity: EntityId, component: &str, fields: Json) -> Edit {
    Edit::AddComponent { entity, component: component.into(), fields: fields.as_object().unwrap().clone() }
}

fn set(entity: EntityId, component: &str, field: &str, value: Json) -> Edit {
    Edit::SetField { entity, component: component.into(), field: field.into(), value }
}

fn id(text: &str) -> EntityId {
    text.parse().unwrap()
}

/// An edit that is refused with this code and message, and changes nothing.
fn refuse(world: &mut World, edit: Edit, code: &str, words: &str) {
    let (scene, hash) = (world.to_scene(), world.hash());
    let error = world.apply(edit).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(words), "{error}");
    assert_eq!((world.to_scene(), world.hash()), (scene, hash));
}

fn turned(angle: f32) -> Quat {
    Quat::from_rotation_y(angle)
}
