//! Where to look from for a picture of one entity.

use glam::{Quat, Vec3};
use zero_base::Fault;
use zero_render::{Bounds, CameraView, MeshBody, RenderAssets, parse_mesh};
use zero_world::{Camera, EntityId, World};

/// From front, right and above: shows three sides.
const FROM: Vec3 = Vec3::new(0.6, 0.45, 1.0);
/// Room left around the subject.
const MARGIN: f32 = 1.25;

/// What the entity's Camera component sees.
pub(crate) fn camera_of(world: &World, entity: EntityId) -> Result<CameraView, Fault> {
    let camera = world.sorted::<Camera>().into_iter().find(|(id, _)| *id == entity).map(|(_, camera)| camera);
    let camera = camera.ok_or_else(|| {
        Fault::new(
            "capture/no_camera",
            format!("{entity} has no Camera component; add one, or use source entity to look at it"),
        )
    })?;
    let (_, rotation, position) = world.world_matrix(entity)?.to_scale_rotation_translation();
    let rotation = if rotation.is_finite() { rotation.normalize() } else { Quat::IDENTITY };
    Ok(CameraView {
        position,
        rotation,
        fov_y_radians: camera.field_of_view_degrees.to_radians(),
        near: camera.near,
        far: camera.far,
    })
}

/// A view that holds the entity and everything below it.
pub(crate) fn frame_entity(world: &World, entity: EntityId, assets: &dyn RenderAssets) -> Result<CameraView, Fault> {
    let mut bounds = Bounds::EMPTY;
    let mut waiting = vec![entity];
    let meshes = world.sorted::<zero_world::Mesh>();
    while let Some(id) = waiting.pop() {
        waiting.extend(world.children(id)?);
        if let Ok(at) = meshes.binary_search_by_key(&id, |(wearer, _)| *wearer) {
            let mesh = mesh_bounds(&meshes[at].1.mesh, assets);
            bounds = bounds.join(mesh.transformed(&world.world_matrix(id)?));
        }
    }
    if bounds.is_empty() {
        // Nothing to see of it: the metre around where it stands.
        let at = world.world_matrix(entity)?.to_scale_rotation_translation().2;
        bounds = Bounds::EMPTY.with(at - Vec3::splat(0.5)).with(at + Vec3::splat(0.5));
    }
    let view = CameraView::default();
    let radius = bounds.half_extent().length().max(0.01);
    let distance = radius * MARGIN / (view.fov_y_radians * 0.5).sin();
    let eye = bounds.center() + FROM.normalize() * distance;
    let mut view = CameraView::looking_at(eye, bounds.center());
    view.near = (distance - radius * 2.0).max(distance * 0.01).min(view.near);
    view.far = view.far.max(distance + radius * 4.0);
    Ok(view)
}

/// A mesh that cannot be read is drawn as a unit cube.
fn mesh_bounds(identity: &str, assets: &dyn RenderAssets) -> Bounds {
    let read = assets.mesh(identity).ok().and_then(|source| match source.body {
        MeshBody::Text(text) => parse_mesh(&text, &source.path).ok().map(|mesh| mesh.bounds()),
        MeshBody::Data(mesh) => Some(mesh.bounds()),
    });
    read.unwrap_or(Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) })
}
