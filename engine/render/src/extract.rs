use glam::{Mat4, Quat, Vec3};
use zero_world::{EntityId, World};

use crate::{CameraView, DirectionalLight, Instance, ProceduralSky, RenderScene};

/// Eyes above the feet of someone who arrives at a spawn point.
const EYE_HEIGHT: f32 = 1.7;

/// What a world looks like now, as plain data. Everything comes in the order of entity ids, so the
/// same world gives the same scene.
///
/// The camera is the active one with the lowest id; without one, what a player sees who arrives at
/// the first enabled spawn point; without that either, a view that frames everything.
pub fn extract(world: &World) -> RenderScene {
    let sky = world.sorted::<zero_world::ProceduralSky>().into_iter().next().map(|(_, sky)| ProceduralSky {
        zenith: sky.zenith_color,
        horizon: sky.horizon_color,
        ground: sky.ground_color,
        sun_size_radians: sky.sun_size_degrees.to_radians(),
        intensity: sky.intensity,
    });
    let ambient = world.sorted::<zero_world::AmbientLight>();
    RenderScene {
        camera: active_camera(world).or_else(|| arrival(world)),
        instances: instances(world),
        lights: lights(world),
        ambient: ambient.into_iter().map(|(_, light)| light.color * light.intensity).sum(),
        sky,
    }
}

fn instances(world: &World) -> Vec<Instance> {
    let meshes = world.sorted::<zero_world::Mesh>();
    let materials = world.sorted::<zero_world::Material>();
    let material_of = |entity: EntityId| {
        let found = materials.binary_search_by_key(&entity, |(wearer, _)| *wearer);
        found.map_or("", |index| &materials[index].1.material).into()
    };
    let shown = meshes.iter().filter(|(_, mesh)| !mesh.mesh.is_empty());
    shown
        .filter_map(|(entity, mesh)| {
            Some(Instance {
                entity: entity.number(),
                mesh: mesh.mesh.as_str().into(),
                material: material_of(*entity),
                world: world.world_matrix(*entity).ok()?,
                cast_shadows: mesh.cast_shadows,
            })
        })
        .collect()
}

fn lights(world: &World) -> Vec<DirectionalLight> {
    let lights = world.sorted::<zero_world::DirectionalLight>();
    lights
        .into_iter()
        .filter_map(|(entity, light)| {
            let matrix = world.world_matrix(entity).ok()?;
            Some(DirectionalLight {
                direction: matrix.transform_vector3(Vec3::NEG_Z).normalize_or(Vec3::NEG_Z),
                color: light.color,
                intensity: light.intensity,
                cast_shadows: light.cast_shadows,
            })
        })
        .collect()
}

fn active_camera(world: &World) -> Option<CameraView> {
    let cameras = world.sorted::<zero_world::Camera>();
    let (entity, camera) = cameras.into_iter().find(|(_, camera)| camera.active)?;
    let (position, rotation) = pose(&world.world_matrix(entity).ok()?);
    Some(CameraView {
        position,
        rotation,
        fov_y_radians: camera.field_of_view_degrees.to_radians(),
        near: camera.near,
        far: camera.far,
    })
}

fn arrival(world: &World) -> Option<CameraView> {
    let enabled = |entity: &EntityId| {
        world.component(*entity, "SpawnPoint").and_then(|record| record.get("enabled")).is_none_or(|on| on != false)
    };
    let entity = world.entities_with("SpawnPoint").into_iter().find(enabled)?;
    let (feet, rotation) = pose(&world.world_matrix(entity).ok()?);
    Some(CameraView { position: feet + rotation * Vec3::Y * EYE_HEIGHT, rotation, ..CameraView::default() })
}

/// Position and rotation, whatever the scale.
fn pose(matrix: &Mat4) -> (Vec3, Quat) {
    let (scale, rotation, position) = matrix.to_scale_rotation_translation();
    // A flattened entity has no rotation to speak of.
    let turned = rotation.is_finite() && scale.abs().min_element() > 1e-6;
    (position, if turned { rotation.normalize() } else { Quat::IDENTITY })
}

#[cfg(test)]
mod tests;
