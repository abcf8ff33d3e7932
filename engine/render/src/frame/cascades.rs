use glam::{Mat4, Vec3};

use super::view::View;
use crate::Bounds;

/// Shadow maps for the sun, each covering a longer stretch of the view than the one before.
pub(crate) const CASCADES: usize = 4;
/// Width of the square texture that holds all of them.
pub(crate) const ATLAS_SIZE: u32 = 2048;
const TILES_ACROSS: u32 = 2;
pub(crate) const TILE_SIZE: u32 = ATLAS_SIZE / TILES_ACROSS;

/// Shadows are drawn up to this many metres away.
const FARTHEST: f32 = 160.0;
/// Between splitting the view evenly (0) and each cascade a fixed multiple of the last (1).
const LOGARITHMIC_SHARE: f32 = 0.75;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cascade {
    pub(crate) clip_from_world: Mat4,
    pub(crate) atlas_from_world: Mat4,
    /// Corner of its tile in the atlas, in texels.
    pub(crate) origin: [u32; 2],
    /// Lowest and highest atlas coordinates of its tile.
    pub(crate) tile: [f32; 4],
    pub(crate) texel_metres: f32,
    pub(crate) texel_in_atlas: f32,
}

/// Fits the cascades to what the camera sees of `receivers`; `casters` is what may throw shadows
/// onto it. Each covers a sphere around its stretch of the view, so that its texels keep their size
/// when the camera turns, and moves by whole texels, so that edges do not crawl.
pub(crate) fn fit(view: &View, to_light: Vec3, receivers: Bounds, casters: Bounds) -> Vec<Cascade> {
    if receivers.is_empty() || casters.is_empty() {
        return Vec::new();
    }
    let deepest = receivers.corners().into_iter().map(|corner| view.depth_of(corner)).fold(0.0, f32::max);
    let far = deepest.min(view.far).min(FARTHEST);
    let near = view.near.max(far * 0.005);
    if far <= near {
        return Vec::new();
    }
    let light = LightSpace::looking_from(to_light);
    let scene = light.bounds(receivers.join(casters));
    let mut slice_near = near;
    (0..CASCADES)
        .map(|index| {
            let share = (index + 1) as f32 / CASCADES as f32;
            let even = near + (far - near) * share;
            let multiple = near * (far / near).powf(share);
            let slice_far = even + (multiple - even) * LOGARITHMIC_SHARE;
            let (center, radius) = slice_sphere(view, slice_near, slice_far);
            slice_near = slice_far;
            light.cascade(index as u32, center, radius, scene)
        })
        .collect()
}

/// The smallest sphere around a stretch of the view whose middle is on the view axis.
fn slice_sphere(view: &View, near: f32, far: f32) -> (Vec3, f32) {
    let slope2 = view.half_width * view.half_width + view.half_height * view.half_height;
    // Where the corners at both ends are equally far away, but no farther than the end itself.
    let depth = ((near + far) * 0.5 * (1.0 + slope2)).min(far);
    let radius = ((far - depth) * (far - depth) + far * far * slope2).sqrt();
    (view.position + view.forward * depth, radius)
}

/// Coordinates with z towards the light.
struct LightSpace {
    light_from_world: Mat4,
}

impl LightSpace {
    fn looking_from(to_light: Vec3) -> LightSpace {
        let (right, up) = to_light.any_orthonormal_pair();
        let world_from_light = glam::Mat3::from_cols(right, up, to_light);
        LightSpace { light_from_world: Mat4::from_mat3(world_from_light.transpose()) }
    }

    fn bounds(&self, world: Bounds) -> Bounds {
        world.transformed(&self.light_from_world)
    }

    fn cascade(&self, index: u32, center: Vec3, radius: f32, scene: Bounds) -> Cascade {
        let texel_metres = 2.0 * radius / TILE_SIZE as f32;
        let center = self.light_from_world.transform_point3(center);
        let snapped = (center / texel_metres).floor() * texel_metres;
        // Towards the light everything that may throw a shadow belongs in; away from it, only what
        // this cascade shows.
        let nearest = scene.max.z + 0.1;
        let farthest = scene.min.z.max(center.z - radius) - 0.1;
        let depth = (nearest - farthest).max(0.1);
        let clip_from_light = Mat4::from_scale(Vec3::new(1.0 / radius, 1.0 / radius, -1.0 / depth))
            * Mat4::from_translation(Vec3::new(-snapped.x, -snapped.y, -nearest));
        let clip_from_world = clip_from_light * self.light_from_world;
        let origin = [index % TILES_ACROSS * TILE_SIZE, index / TILES_ACROSS * TILE_SIZE];
        let share = 1.0 / TILES_ACROSS as f32;
        let [low_u, low_v] = origin.map(|texels| texels as f32 / ATLAS_SIZE as f32);
        let atlas_from_clip = Mat4::from_translation(Vec3::new(low_u + share * 0.5, low_v + share * 0.5, 0.0))
            * Mat4::from_scale(Vec3::new(share * 0.5, -share * 0.5, 1.0));
        Cascade {
            clip_from_world,
            atlas_from_world: atlas_from_clip * clip_from_world,
            origin,
            tile: [low_u, low_v, low_u + share, low_v + share],
            texel_metres,
            texel_in_atlas: 1.0 / ATLAS_SIZE as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CameraView;

    #[test]
    fn every_visible_point_lies_in_a_cascade_of_its_own_depth() {
        let view = View::new(&CameraView::looking_at(Vec3::new(0.0, 1.7, 10.0), Vec3::ZERO), 16.0 / 9.0);
        let floor = Bounds { min: Vec3::new(-30.0, -0.5, -30.0), max: Vec3::new(30.0, 5.0, 30.0) };
        let cascades = fit(&view, Vec3::new(0.5, 0.6, 0.3).normalize(), floor, floor);
        assert_eq!(cascades.len(), CASCADES);
        for depth in [0.5, 2.0, 8.0, 20.0, 35.0] {
            let point = view.position + view.forward * depth;
            let held = cascades.iter().any(|cascade| {
                let place = cascade.atlas_from_world.transform_point3(point);
                let [low_u, low_v, high_u, high_v] = cascade.tile;
                (low_u..high_u).contains(&place.x)
                    && (low_v..high_v).contains(&place.y)
                    && (0.0..1.0).contains(&place.z)
            });
            assert!(held, "{depth} m away");
        }
        assert!(cascades.windows(2).all(|pair| pair[0].texel_metres < pair[1].texel_metres));
    }

    #[test]
    fn points_nearer_to_the_light_have_less_depth() {
        let view = View::new(&CameraView::looking_at(Vec3::new(0.0, 2.0, 6.0), Vec3::ZERO), 1.0);
        let bounds = Bounds { min: Vec3::splat(-2.0), max: Vec3::splat(2.0) };
        let cascades = fit(&view, Vec3::Y, bounds, bounds);
        let depth = |y: f32| cascades[3].clip_from_world.transform_point3(Vec3::new(0.0, y, 0.0)).z;
        assert!(depth(1.0) < depth(0.0) && depth(2.0) >= 0.0);
        assert!(fit(&view, Vec3::Y, Bounds::EMPTY, bounds).is_empty());
    }
}
