//! A polished floor with three pillars on it, under an afternoon sky.

use glam::{Mat4, Vec3};
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
    material("stone", "#0d0e10", 0.06);
    material("red", "#c23a2b", 0.55);
    material("green", "#3f8f4a", 0.55);
    material("blue", "#2f5fb3", 0.55);
    assets
}

pub fn scene() -> RenderScene {
    let pillar = |entity: u64, color: &str, x: f32, z: f32| {
        let world = Mat4::from_translation(Vec3::new(x, 2.4, z)) * Mat4::from_scale(Vec3::new(1.6, 5.0, 1.6));
        instance(entity, CUBE, &format!("demo.{color}"), world)
    };
    let slab = Mat4::from_translation(Vec3::new(0.0, -0.25, 0.0)) * Mat4::from_scale(Vec3::new(60.0, 0.5, 60.0));
    RenderScene {
        camera: Some(CameraView::looking_at(Vec3::new(-1.0, 1.7, 9.5), Vec3::new(0.2, 1.9, 0.0))),
        instances: vec![
            instance(1, CUBE, "demo.stone", slab),
            pillar(2, "red", -3.8, 0.0),
            pillar(3, "green", 0.4, -3.0),
            pillar(4, "blue", 4.4, -1.0),
        ],
        lights: vec![sun()],
        ambient: Vec3::new(0.05, 0.06, 0.08),
        sky: Some(sky()),
    }
}

pub fn instance(entity: u64, mesh: &str, material: &str, world: Mat4) -> Instance {
    Instance { entity, mesh: mesh.into(), material: material.into(), world, cast_shadows: true }
}

pub fn sun() -> DirectionalLight {
    DirectionalLight {
        direction: Vec3::new(0.85, -0.45, -0.22),
        color: Vec3::new(1.0, 0.86, 0.68),
        intensity: 3.4,
        cast_shadows: true,
    }
}

pub fn sky() -> ProceduralSky {
    ProceduralSky {
        zenith: Vec3::new(0.05, 0.159, 0.462),
        horizon: Vec3::new(0.485, 0.624, 0.768),
        ground: Vec3::new(0.069, 0.063, 0.053),
        sun_size_radians: 0.53_f32.to_radians(),
        intensity: 1.0,
    }
}
