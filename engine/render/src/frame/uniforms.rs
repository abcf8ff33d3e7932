//! What the built-in shaders read, byte for byte: `builtin/shaders/frame/bindings.shader` and
//! `sky.shader` declare the same in WGSL.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3};

use super::cascades::{CASCADES, Cascade};
use super::view::View;
use crate::{DirectionalLight, ProceduralSky, RenderScene};

#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct FrameUniform {
    clip_from_world: [f32; 16],
    world_from_clip: [f32; 16],
    camera_position: [f32; 4],
    ambient: [f32; 4],
    picture_size: [f32; 4],
    counts: [u32; 4],
    lights: [LightUniform; RenderScene::MOST_LIGHTS],
    cascades: [CascadeUniform; CASCADES],
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct LightUniform {
    to_light: [f32; 4],
    irradiance: [f32; 4],
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct CascadeUniform {
    atlas_from_world: [f32; 16],
    tile: [f32; 4],
    texel: [f32; 4],
}

#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct SkyUniform {
    zenith: [f32; 4],
    horizon: [f32; 4],
    ground: [f32; 4],
    to_sun: [f32; 4],
    sun: [f32; 4],
}

/// One drawn mesh: the rows of its matrix and of the matrix that turns its normals.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct InstanceRecord {
    world_rows: [[f32; 4]; 3],
    normal_rows: [[f32; 4]; 3],
}

impl FrameUniform {
    pub(crate) fn new(scene: &RenderScene, view: &View, size: [u32; 2], cascades: &[Cascade]) -> FrameUniform {
        let [width, height] = size.map(|side| side as f32);
        let mut uniform = FrameUniform {
            clip_from_world: view.clip_from_world.to_cols_array(),
            world_from_clip: view.clip_from_world.inverse().to_cols_array(),
            camera_position: view.position.extend(0.0).to_array(),
            ambient: scene.ambient.extend(0.0).to_array(),
            picture_size: [width, height, 1.0 / width, 1.0 / height],
            ..Zeroable::zeroed()
        };
        let lights = &scene.lights[..scene.lights.len().min(RenderScene::MOST_LIGHTS)];
        for (index, (slot, light)) in uniform.lights.iter_mut().zip(lights).enumerate() {
            let shadowed = scene.shadowing_light() == Some(index) && !cascades.is_empty();
            *slot = LightUniform {
                to_light: to_light(light).extend(f32::from(u8::from(shadowed))).to_array(),
                irradiance: (light.color * light.intensity).extend(0.0).to_array(),
            };
        }
        for (slot, cascade) in uniform.cascades.iter_mut().zip(cascades) {
            *slot = CascadeUniform {
                atlas_from_world: cascade.atlas_from_world.to_cols_array(),
                tile: cascade.tile,
                texel: [cascade.texel_metres, cascade.texel_in_atlas, 0.0, 0.0],
            };
        }
        uniform.counts = [lights.len() as u32, cascades.len() as u32, 0, 0];
        uniform
    }
}

impl SkyUniform {
    pub(crate) fn new(sky: Option<&ProceduralSky>, sun: Option<&DirectionalLight>) -> SkyUniform {
        let Some(sky) = sky else { return SkyUniform::zeroed() };
        let colour = |colour: Vec3, w: f32| (colour * sky.intensity).extend(w).to_array();
        let half_angle = sky.sun_size_radians.clamp(0.0, 1.5) * 0.5;
        let cosine = if half_angle > 0.0 { half_angle.cos() } else { 2.0 };
        // A disc that holds all of the sun's light has its irradiance over its solid angle.
        let solid_angle = std::f32::consts::TAU * (1.0 - half_angle.cos()).max(1e-6);
        let brightness = (1.0 / solid_angle).min(BRIGHTEST_DISC);
        let (to_sun, irradiance) = match sun {
            Some(sun) => (to_light(sun), sun.color * sun.intensity),
            None => (Vec3::Y, Vec3::ZERO),
        };
        SkyUniform {
            zenith: colour(sky.zenith, 1.0),
            horizon: colour(sky.horizon, 0.0),
            ground: colour(sky.ground, 0.0),
            to_sun: to_sun.extend(if sun.is_some() { cosine } else { 2.0 }).to_array(),
            sun: irradiance.extend(brightness).to_array(),
        }
    }
}

/// Times the sun's irradiance: white whatever the exposure, and still finite in half floats.
const BRIGHTEST_DISC: f32 = 4000.0;

impl InstanceRecord {
    pub(crate) fn new(world: &Mat4) -> InstanceRecord {
        let row = |index: usize| world.row(index).to_array();
        let [x, y, z] = [world.x_axis, world.y_axis, world.z_axis].map(|axis| axis.truncate());
        // Cofactors instead of the inverse transpose: they exist for flattened meshes too. Their
        // sign follows the determinant's, which a mirrored mesh must not see in its normals.
        let sign = if x.cross(y).dot(z) < 0.0 { -1.0 } else { 1.0 };
        let columns = [y.cross(z) * sign, z.cross(x) * sign, x.cross(y) * sign];
        let normal_row = |axis: usize| [columns[0][axis], columns[1][axis], columns[2][axis], 0.0];
        InstanceRecord {
            world_rows: [row(0), row(1), row(2)],
            normal_rows: [normal_row(0), normal_row(1), normal_row(2)],
        }
    }
}

/// The direction a light comes from. A light without direction comes from above.
pub(crate) fn to_light(light: &DirectionalLight) -> Vec3 {
    -light.direction.normalize_or(Vec3::NEG_Y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_stay_perpendicular_under_uneven_and_mirrored_scale() {
        let (normal, along) = (Vec3::new(1.0, 1.0, 0.0).normalize(), Vec3::new(1.0, -1.0, 0.0));
        for scale in [Vec3::new(4.0, 1.0, 1.0), Vec3::new(-4.0, 1.0, 1.0)] {
            let world = Mat4::from_scale(scale);
            let record = InstanceRecord::new(&world);
            let turned = Vec3::from_array(record.normal_rows.map(|row| Vec3::new(row[0], row[1], row[2]).dot(normal)));
            assert!(turned.dot(world.transform_vector3(along)).abs() < 1e-5, "{turned}");
            assert!(turned.dot(world.transform_vector3(normal)) > 0.0, "{turned} points inwards");
        }
    }
}
