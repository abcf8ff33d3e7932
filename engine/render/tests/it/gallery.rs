//! Every built-in shape and material on a matt ground, to look at.

use glam::{Mat4, Quat, Vec3};
use zero_render::{CameraView, RenderScene};

use crate::floor::{CUBE, instance, sky, sun};

const SHAPES: &[&str] = &["cube", "sphere", "cylinder", "cone", "capsule", "torus", "plane"];
const MATERIALS: &[&str] = &[
    "default", "white", "black", "gold", "chrome", "copper", "plastic", "rubber", "concrete", "wood", "glow", "missing",
];

pub fn scene() -> RenderScene {
    let ground = Mat4::from_translation(Vec3::new(0.0, -0.5, 0.0)) * Mat4::from_scale(Vec3::new(40.0, 1.0, 40.0));
    let mut instances = vec![instance(1, CUBE, "@builtin::materials.concrete", ground)];
    for (index, shape) in SHAPES.iter().enumerate() {
        let place = Vec3::new(index as f32 * 1.35 - 4.05, 0.62, -0.6);
        let turned = if *shape == "torus" { Quat::from_rotation_x(1.1) } else { Quat::from_rotation_y(0.5) };
        let world = Mat4::from_rotation_translation(turned, place);
        instances.push(instance(
            10 + index as u64,
            &format!("@builtin::meshes.{shape}"),
            "@builtin::materials.default",
            world,
        ));
    }
    for (index, material) in MATERIALS.iter().enumerate() {
        let (row, column) = (index / 6, index % 6);
        let place = Vec3::new(column as f32 * 1.45 - 3.6 + row as f32 * 0.3, 0.5, 1.2 + row as f32 * 1.5);
        let world = Mat4::from_translation(place);
        instances.push(instance(
            30 + index as u64,
            "@builtin::meshes.sphere",
            &format!("@builtin::materials.{material}"),
            world,
        ));
    }
    RenderScene {
        camera: Some(CameraView {
            fov_y_radians: 0.7,
            ..CameraView::looking_at(Vec3::new(1.0, 4.2, 10.5), Vec3::new(0.0, 0.6, 0.8))
        }),
        instances,
        lights: vec![sun()],
        ambient: Vec3::ZERO,
        sky: Some(sky()),
    }
}
