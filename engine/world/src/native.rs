//! Components the engine's own systems read, kept typed beside the records they mirror.
//!
//! A view exists while its entity has the component and its type is registered; fields that
//! are missing or invalid in the record hold the declared defaults. Colours are linear.

use glam::Vec3;
use serde_json::Value as Json;

use crate::{Record, linear_color};

#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// Identity of the mesh; empty for none.
    pub mesh: String,
    pub cast_shadows: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Identity of the material; empty for none.
    pub material: String,
}

/// Shines along its entity's −Z.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectionalLight {
    pub color: Vec3,
    pub intensity: f32,
    pub cast_shadows: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AmbientLight {
    pub color: Vec3,
    pub intensity: f32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ProceduralSky {
    pub zenith_color: Vec3,
    pub horizon_color: Vec3,
    pub ground_color: Vec3,
    pub sun_size_degrees: f32,
    pub intensity: f32,
}

/// Looks along its entity's −Z.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    pub field_of_view_degrees: f32,
    pub near: f32,
    pub far: f32,
    pub active: bool,
}

/// The component names that have a typed view, sorted.
pub const NATIVE_COMPONENTS: [&str; 6] =
    ["AmbientLight", "Camera", "DirectionalLight", "Material", "Mesh", "ProceduralSky"];

/// Makes an entity's view of `component` say what `fields` say, or removes it.
pub(crate) fn put_view(ecs: &mut hecs::World, handle: hecs::Entity, component: &str, fields: Option<&Record>) {
    match component {
        "AmbientLight" => put::<AmbientLight>(ecs, handle, fields),
        "Camera" => put::<Camera>(ecs, handle, fields),
        "DirectionalLight" => put::<DirectionalLight>(ecs, handle, fields),
        "Material" => put::<Material>(ecs, handle, fields),
        "Mesh" => put::<Mesh>(ecs, handle, fields),
        "ProceduralSky" => put::<ProceduralSky>(ecs, handle, fields),
        _ => {}
    }
}

trait View: hecs::Component {
    /// Reads fields whose defaults have been filled in.
    fn read(fields: &Fields<'_>) -> Self;
}

fn put<V: View>(ecs: &mut hecs::World, handle: hecs::Entity, fields: Option<&Record>) {
    match fields {
        Some(fields) => ecs.insert_one(handle, V::read(&Fields(fields))).expect("the entity is alive"),
        // Not there is as good as removed.
        None => drop(ecs.remove_one::<V>(handle)),
    }
}

struct Fields<'a>(&'a Record);

impl Fields<'_> {
    fn number(&self, name: &str) -> f32 {
        self.0.get(name).and_then(Json::as_f64).unwrap_or_default() as f32
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Json::as_bool).unwrap_or_default()
    }

    fn text(&self, name: &str) -> String {
        self.0.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
    }

    fn color(&self, name: &str) -> Vec3 {
        let color = self.0.get(name).and_then(linear_color).unwrap_or([1.0; 4]);
        Vec3::new(color[0], color[1], color[2])
    }
}

impl View for Mesh {
    fn read(fields: &Fields<'_>) -> Mesh {
        Mesh { mesh: fields.text("mesh"), cast_shadows: fields.flag("castShadows") }
    }
}

impl View for Material {
    fn read(fields: &Fields<'_>) -> Material {
        Material { material: fields.text("material") }
    }
}

impl View for DirectionalLight {
    fn read(fields: &Fields<'_>) -> DirectionalLight {
        DirectionalLight {
            color: fields.color("color"),
            intensity: fields.number("intensity"),
            cast_shadows: fields.flag("castShadows"),
        }
    }
}

impl View for AmbientLight {
    fn read(fields: &Fields<'_>) -> AmbientLight {
        AmbientLight { color: fields.color("color"), intensity: fields.number("intensity") }
    }
}

impl View for ProceduralSky {
    fn read(fields: &Fields<'_>) -> ProceduralSky {
        ProceduralSky {
            zenith_color: fields.color("zenithColor"),
            horizon_color: fields.color("horizonColor"),
            ground_color: fields.color("groundColor"),
            sun_size_degrees: fields.number("sunSizeDegrees"),
            intensity: fields.number("intensity"),
        }
    }
}

impl View for Camera {
    fn read(fields: &Fields<'_>) -> Camera {
        Camera {
            field_of_view_degrees: fields.number("fieldOfViewDegrees"),
            near: fields.number("near"),
            far: fields.number("far"),
            active: fields.flag("active"),
        }
    }
}
