//! A polished floor with three pillars on it, under an afternoon sky: the numbers of the built-in
//! demo scene.

use glam::{Mat4, Quat, Vec3};
use zero_render::{CameraView, DirectionalLight, Instance, ProceduralSky, RenderScene};

use crate::disk::DiskAssets;

pub const CUBE: &str = "@builtin::meshes.cube";

pub fn assets() -> DiskAssets {
    let mut assets = DiskAssets::new();
    let mut material = |name: &str, albedo: &str, roughness: f32| {
        let text = format!(
            "shader: \"@builtin::shaders.standard\"\nvalues:\n  albedo: \"{albedo}\"\n  roughness: {roughness}\n"
        );
        assets.write(&format!("demo/{name}.material/mat.yaml"), &text);
    };
    material("stone", "#0b0c0e", 0.06);
    material("red", "#b3261e", 0.55);
    material("green", "#2e8b3d", 0.55);
    material("blue", "#2456b8", 0.55);
    assets
}

pub fn scene() -> RenderScene {
    let pillar = |entity: u64, color: &str, x: f32, z: f32| {
        let world = Mat4::from_translation(Vec3::new(x, 2.2, z)) * Mat4::from_scale(Vec3::new(1.6, 5.0, 1.6));
        instance(entity, CUBE, &format!("demo.{color}"), world)
    };
    let slab = Mat4::from_translation(Vec3::new(0.0, -0.25, 0.0)) * Mat4::from_scale(Vec3::new(60.0, 0.5, 60.0));
    RenderScene {
        camera: Some(CameraView {
            position: Vec3::new(0.0, 1.7, 12.4),
            rotation: Quat::from_xyzw(-0.034899, 0.0, 0.0, 0.999391),
            fov_y_radians: 50_f32.to_radians(),
            ..CameraView::default()
        }),
        instances: vec![
            instance(1, CUBE, "demo.stone", slab),
            pillar(2, "red", -4.4, -1.5),
            pillar(3, "green", 0.9, -6.5),
            pillar(4, "blue", 4.6, 0.0),
        ],
        lights: vec![sun()],
        ambient: Vec3::new(0.337, 0.473, 0.716) * 0.15,
        sky: Some(sky()),
    }
}

pub fn instance(entity: u64, mesh: &str, material: &str, world: Mat4) -> Instance {
    Instance { entity, mesh: mesh.into(), material: material.into(), world, cast_shadows: true }
}

pub fn sun() -> DirectionalLight {
    DirectionalLight {
        direction: Quat::from_xyzw(-0.208024, 0.526047, 0.134505, 0.813577) * Vec3::NEG_Z,
        color: Vec3::new(1.0, 0.694, 0.392),
        intensity: 3.0,
        cast_shadows: true,
    }
}

pub fn sky() -> ProceduralSky {
    ProceduralSky {
        zenith: Vec3::new(0.042, 0.127, 0.392),
        horizon: Vec3::new(0.807, 0.624, 0.392),
        ground: Vec3::new(0.095, 0.081, 0.069),
        sun_size_radians: 1.2_f32.to_radians(),
        intensity: 1.0,
    }
}
