use glam::{Quat, Vec3};
use serde_json::{Value as Json, json};
use zero_world::{ComponentSchema, Edit, EntityId, FieldKind, FieldSchema, World};

use super::*;

/// A world that knows the components the renderer reads.
fn world() -> World {
    let mut world = World::new();
    let number = |name: &str, default: f64| FieldSchema::new(name, FieldKind::Number).with_default(json!(default));
    let flag = |name: &str| FieldSchema::new(name, FieldKind::Boolean).with_default(json!(true));
    let color = |name: &str, default: &str| FieldSchema::new(name, FieldKind::Color).with_default(json!(default));
    let asset = |name: &str| FieldSchema::new(name, FieldKind::AssetRef { category: name.to_owned() });
    let schemas = [
        ("Mesh", vec![asset("mesh"), flag("castShadows")]),
        ("Material", vec![asset("material")]),
        ("DirectionalLight", vec![color("color", "#ffffff"), number("intensity", 3.0), flag("castShadows")]),
        ("AmbientLight", vec![color("color", "#ffffff"), number("intensity", 0.2)]),
        (
            "ProceduralSky",
            vec![
                color("zenithColor", "#3f6fb5"),
                color("horizonColor", "#ffffff"),
                color("groundColor", "#000000"),
                number("sunSizeDegrees", 90.0),
                number("intensity", 2.0),
            ],
        ),
        ("Camera", vec![number("fieldOfViewDegrees", 90.0), number("near", 0.1), number("far", 50.0), flag("active")]),
        ("SpawnPoint", vec![flag("enabled")]),
    ];
    for (name, fields) in schemas {
        world
            .schemas_mut()
            .register(ComponentSchema::new(name, format!("@builtin::components.{name}"), fields))
            .unwrap();
    }
    world
}

fn spawn(world: &mut World, translation: Vec3, rotation: Quat, components: &[(&str, Json)]) -> EntityId {
    let entity = world.apply(Edit::Spawn { name: "thing".into(), parent: None, id: None }).unwrap()[0].entity;
    let (translation, rotation) = (Some(translation), Some(rotation));
    world.apply(Edit::SetTransform { entity, translation, rotation, scale: None }).unwrap();
    for (component, fields) in components {
        let fields = fields.as_object().unwrap().clone();
        world.apply(Edit::AddComponent { entity, component: (*component).into(), fields }).unwrap();
    }
    world.update_hierarchy();
    entity
}

#[test]
fn meshes_become_instances_with_their_material_and_place() {
    let mut world = world();
    let mesh = json!({ "mesh": "@builtin::meshes.cube", "castShadows": false });
    let worn = ("Material", json!({ "material": "demo.red" }));
    let first = spawn(&mut world, Vec3::X, Quat::IDENTITY, &[("Mesh", mesh.clone()), worn]);
    spawn(&mut world, Vec3::Y, Quat::IDENTITY, &[("Mesh", mesh)]);
    spawn(&mut world, Vec3::Z, Quat::IDENTITY, &[("Mesh", json!({}))]);
    let scene = extract(&world);
    assert_eq!(scene.instances.len(), 2, "a mesh that names none is not drawn");
    let instance = &scene.instances[0];
    assert_eq!(
        (instance.entity, &*instance.mesh, &*instance.material),
        (first.number(), "@builtin::meshes.cube", "demo.red")
    );
    assert_eq!((instance.world.w_axis.truncate(), instance.cast_shadows), (Vec3::X, false));
    assert_eq!(&*scene.instances[1].material, "");
}

#[test]
fn lights_shine_along_minus_z_and_ambient_lights_add_up() {
    let mut world = world();
    let down = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    spawn(
        &mut world,
        Vec3::ZERO,
        down,
        &[("DirectionalLight", json!({})), ("AmbientLight", json!({ "intensity": 0.5 }))],
    );
    spawn(
        &mut world,
        Vec3::ZERO,
        Quat::IDENTITY,
        &[("AmbientLight", json!({ "intensity": 0.25 })), ("ProceduralSky", json!({}))],
    );
    let scene = extract(&world);
    assert!((scene.lights[0].direction - Vec3::NEG_Y).length() < 1e-5 && scene.lights[0].intensity == 3.0);
    assert!((scene.ambient - Vec3::splat(0.75)).length() < 1e-6, "{}", scene.ambient);
    let sky = scene.sky.unwrap();
    assert!((sky.sun_size_radians - std::f32::consts::FRAC_PI_2).abs() < 1e-6 && sky.horizon == Vec3::ONE);
}

#[test]
fn the_camera_is_an_active_one_or_an_arrival_or_everything() {
    let mut world = world();
    assert!(extract(&world).camera.is_none());
    let back = Quat::from_rotation_y(std::f32::consts::PI);
    spawn(&mut world, Vec3::X, Quat::IDENTITY, &[("SpawnPoint", json!({ "enabled": false }))]);
    spawn(&mut world, Vec3::Z, back, &[("SpawnPoint", json!({}))]);
    let arrival = extract(&world).camera.unwrap();
    assert!((arrival.position - Vec3::new(0.0, 1.7, 1.0)).length() < 1e-5, "{}", arrival.position);
    assert!((arrival.rotation * Vec3::NEG_Z - Vec3::Z).length() < 1e-5);
    spawn(&mut world, Vec3::ONE, Quat::IDENTITY, &[("Camera", json!({ "active": false }))]);
    spawn(&mut world, Vec3::Y, Quat::IDENTITY, &[("Camera", json!({ "fieldOfViewDegrees": 45 }))]);
    let camera = extract(&world).camera.unwrap();
    assert_eq!((camera.position, camera.far), (Vec3::Y, 50.0));
    assert!((camera.fov_y_radians - 45_f32.to_radians()).abs() < 1e-6);
}
