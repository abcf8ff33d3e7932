use glam::camera::rh::proj::directx::perspective;
use glam::{Mat4, Vec3};

use crate::{Bounds, CameraView};

/// A camera put to a picture's proportions, with the matrices that follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) position: Vec3,
    pub(crate) forward: Vec3,
    pub(crate) near: f32,
    pub(crate) far: f32,
    /// Tangents of half the opening angles, across and up.
    pub(crate) half_width: f32,
    pub(crate) half_height: f32,
    /// Depth is reversed: 1 at `near`, 0 at `far`, where floats have their precision.
    pub(crate) clip_from_world: Mat4,
}

impl View {
    pub(crate) fn new(camera: &CameraView, aspect: f32) -> View {
        let fov = camera.fov_y_radians.clamp(0.01, 3.1);
        let near = camera.near.max(1e-4);
        let far = camera.far.max(near * 1.001);
        let world_from_camera = Mat4::from_rotation_translation(camera.rotation.normalize(), camera.position);
        let half_height = (fov * 0.5).tan();
        View {
            position: camera.position,
            forward: -world_from_camera.z_axis.truncate(),
            near,
            far,
            half_width: half_height * aspect,
            half_height,
            clip_from_world: perspective(fov, aspect, far, near) * world_from_camera.inverse(),
        }
    }

    /// A view from the front, above and a little to the right that has all of `bounds` in it.
    pub(crate) fn framing(bounds: Bounds, aspect: f32) -> View {
        let bounds = if bounds.is_empty() { Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) } } else { bounds };
        let center = bounds.center();
        let lens = CameraView::looking_at(center + Vec3::new(0.45, 0.5, 1.0), center);
        let [right, up, back] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| lens.rotation * axis);
        let half_height = (lens.fov_y_radians * 0.5).tan();
        let half_width = half_height * aspect;
        // Far enough that no corner is outside the opening angles, with a margin around.
        let mut distance = 0.01_f32;
        let mut behind = 0.0_f32;
        for corner in bounds.corners().map(|corner| corner - center) {
            let sideways = (corner.dot(right).abs() / half_width).max(corner.dot(up).abs() / half_height);
            distance = distance.max(sideways * 1.06 + corner.dot(back));
            behind = behind.max(-corner.dot(back));
        }
        let near = (distance - bounds.half_extent().length()).max(distance * 0.01);
        let camera =
            CameraView { position: center + back * distance, near, far: (distance + behind) * 1.01 + 0.01, ..lens };
        View::new(&camera, aspect)
    }

    /// Distance along the view direction.
    pub(crate) fn depth_of(&self, point: Vec3) -> f32 {
        (point - self.position).dot(self.forward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_reversed_and_forward_is_in_the_middle() {
        let camera =
            CameraView { near: 0.5, far: 100.0, ..CameraView::looking_at(Vec3::new(0.0, 2.0, 5.0), Vec3::ZERO) };
        let view = View::new(&camera, 2.0);
        let at = |distance: f32| view.clip_from_world.project_point3(view.position + view.forward * distance);
        assert!((at(0.5) - Vec3::new(0.0, 0.0, 1.0)).length() < 1e-3, "{}", at(0.5));
        assert!(at(99.9).z.abs() < 1e-3 && at(10.0).z > at(20.0).z);
    }

    #[test]
    fn framing_holds_every_corner() {
        let bounds = Bounds { min: Vec3::new(-3.0, 0.0, -1.0), max: Vec3::new(5.0, 9.0, 2.0) };
        for aspect in [0.5, 1.0, 2.4] {
            let view = View::framing(bounds, aspect);
            for corner in bounds.corners() {
                let place = view.clip_from_world.project_point3(corner);
                assert!(place.x.abs() <= 1.0 && place.y.abs() <= 1.0 && (0.0..=1.0).contains(&place.z), "{place}");
            }
        }
    }
}
