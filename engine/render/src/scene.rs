use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};

/// Everything one picture shows, as plain data. Colours are linear RGB.
#[derive(Debug, Clone, Default)]
pub struct RenderScene {
    /// Where the picture is taken from; `None` frames everything that is drawn.
    pub camera: Option<CameraView>,
    pub instances: Vec<Instance>,
    /// The sky shows the disc of the first one; the first that casts shadows throws them. At most
    /// [`RenderScene::MOST_LIGHTS`] are drawn.
    pub lights: Vec<DirectionalLight>,
    /// Light that reaches every surface alike: the irradiance of all ambient lights added up.
    pub ambient: Vec3,
    pub sky: Option<ProceduralSky>,
}

impl RenderScene {
    pub const MOST_LIGHTS: usize = 4;

    /// Which of the drawn lights throws shadows.
    pub(crate) fn shadowing_light(&self) -> Option<usize> {
        let drawn = self.lights.iter().take(RenderScene::MOST_LIGHTS);
        drawn.into_iter().position(|light| light.cast_shadows && light.intensity > 0.0)
    }
}

/// A point of view that looks along its own −Z with +Y up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraView {
    pub position: Vec3,
    pub rotation: Quat,
    /// Angle between the top and the bottom edge of the picture.
    pub fov_y_radians: f32,
    pub near: f32,
    pub far: f32,
}

impl CameraView {
    /// A camera at `eye` that has `target` in the middle of its picture, with the default lens.
    pub fn looking_at(eye: Vec3, target: Vec3) -> CameraView {
        let forward = (target - eye).normalize_or(Vec3::NEG_Z);
        // Straight up and down have no horizon to keep level; −Z is then the top of the picture.
        let up = if forward.y.abs() > 0.999 { Vec3::NEG_Z } else { Vec3::Y };
        let right = forward.cross(up).normalize();
        let rotation = Quat::from_mat3(&glam::Mat3::from_cols(right, right.cross(forward), -forward));
        CameraView { position: eye, rotation, ..CameraView::default() }
    }

    pub(crate) fn is_finite(&self) -> bool {
        let lens = [self.fov_y_radians, self.near, self.far];
        self.position.is_finite() && self.rotation.is_finite() && lens.into_iter().all(f32::is_finite)
    }
}

impl Default for CameraView {
    fn default() -> CameraView {
        CameraView {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            fov_y_radians: 60_f32.to_radians(),
            near: 0.1,
            far: 1000.0,
        }
    }
}

/// One mesh, worn by one material, at one place.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Named in diagnostics, and the last word in draw order.
    pub entity: u64,
    pub mesh: Arc<str>,
    pub material: Arc<str>,
    pub world: Mat4,
    pub cast_shadows: bool,
}

/// Light that arrives from one direction everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DirectionalLight {
    /// The way the light travels; any length but zero.
    pub direction: Vec3,
    pub color: Vec3,
    /// Irradiance of a surface that faces the light: a white matt one then has the radiance
    /// `intensity / π`. 3 is a clear midday sun at the fixed exposure.
    pub intensity: f32,
    /// One light of a scene throws shadows: the first that is asked to.
    pub cast_shadows: bool,
}

/// A sky of three colours, blended by height, with a disc where the sun is. It is the backdrop,
/// what surfaces reflect, and the soft light on them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProceduralSky {
    pub zenith: Vec3,
    pub horizon: Vec3,
    pub ground: Vec3,
    /// Width of the sun's disc; 0 draws none. The real one is 0.53°.
    pub sun_size_radians: f32,
    pub intensity: f32,
}
