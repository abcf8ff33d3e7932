use glam::{Mat4, Vec4};

use crate::Bounds;

/// The planes around what a matrix projects into the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frustum {
    planes: [Vec4; 6],
}

impl Frustum {
    /// The planes follow from the rows of the matrix: Gribb and Hartmann, "Fast Extraction of
    /// Viewing Frustum Planes from the World-View-Projection Matrix" (2001).
    pub(crate) fn of(clip_from_world: &Mat4) -> Frustum {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| clip_from_world.row(row));
        Frustum { planes: [w + x, w - x, w + y, w - y, z, w - z] }
    }

    /// Whether any of the box may be inside; some boxes near a corner pass that are not.
    pub(crate) fn touches(&self, bounds: &Bounds) -> bool {
        if bounds.is_empty() {
            return false;
        }
        let (center, half) = (bounds.center(), bounds.half_extent());
        self.planes.iter().all(|plane| {
            let normal = plane.truncate();
            normal.dot(center) + normal.abs().dot(half) + plane.w >= 0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::CameraView;
    use crate::frame::view::View;

    #[test]
    fn only_what_may_be_seen_passes() {
        let view = View::new(&CameraView { far: 50.0, ..CameraView::default() }, 1.0);
        let frustum = Frustum::of(&view.clip_from_world);
        let check = |center: Vec3, expected: bool| {
            let bounds = Bounds { min: center - 0.5, max: center + 0.5 };
            assert_eq!(frustum.touches(&bounds), expected, "{center}");
        };
        check(Vec3::new(0.0, 0.0, -5.0), true);
        check(Vec3::new(0.0, 0.0, 5.0), false);
        check(Vec3::new(0.0, 0.0, -49.8), true);
        check(Vec3::new(0.0, 0.0, -60.0), false);
        check(Vec3::new(20.0, 0.0, -5.0), false);
        assert!(!frustum.touches(&Bounds::EMPTY));
    }
}
