use glam::{Quat, Vec3};
use serde_json::{Value as Json, json};
use zero_hierarchy::{Pose, Rotation, compose_matrix};

use crate::canonical::{Record, canonical_f32};
use crate::schema::{FieldKind, normalise};
use crate::{TRANSFORM, WorldError};

/// Where an entity is, relative to its parent: metres, a unit quaternion, factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
}

impl Default for Transform {
    fn default() -> Transform {
        Transform::IDENTITY
    }
}

impl Transform {
    pub const IDENTITY: Transform = Transform { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// The names its parts have in files and changes.
    pub const FIELDS: [&'static str; 3] = ["position", "rotation", "scale"];

    /// The transform with a unit rotation and without negative zeros. Refuses what is not
    /// finite by name (`position.y`) and a rotation without length.
    pub fn checked(self) -> Result<Transform, WorldError> {
        let position = canonical_parts("position", &self.translation.to_array())?;
        let scale = canonical_parts("scale", &self.scale.to_array())?;
        let rotation = normalise(
            &Json::Array(canonical_parts("rotation", &self.rotation.to_array())?),
            &FieldKind::Quat,
            "rotation",
        )?;
        let transform = Transform {
            translation: Vec3::from_array(floats(&position)),
            rotation: Quat::from_array(floats(rotation.as_array().map_or(&[], Vec::as_slice))),
            scale: Vec3::from_array(floats(&scale)),
        };
        match compose_matrix(&transform.pose()) {
            Ok(_) => Ok(transform),
            Err(_) => Err(WorldError::NotFinite { field: "the matrix of position, rotation and scale".into() }),
        }
    }

    /// All three parts, as changes carry them.
    pub fn to_json(&self) -> Json {
        json!({ "position": self.part("position"), "rotation": self.part("rotation"), "scale": self.part("scale") })
    }

    /// Reads parts as people and scripts write them; missing ones are those of the identity.
    /// Refuses parts a transform does not have.
    pub fn from_json(record: &Record) -> Result<Transform, WorldError> {
        let mut transform = Transform::IDENTITY;
        for (field, value) in record {
            transform = transform.with_part(field, value)?;
        }
        transform.checked()
    }

    /// This transform with one part replaced; [`Transform::checked`] is still to be called.
    pub(crate) fn with_part(mut self, field: &str, value: &Json) -> Result<Transform, WorldError> {
        let read = |kind: FieldKind| normalise(value, &kind, field);
        match field {
            "position" => self.translation = Vec3::from_array(floats(list(&read(FieldKind::Vec3)?))),
            "rotation" => self.rotation = Quat::from_array(floats(list(&read(FieldKind::Quat)?))),
            "scale" => self.scale = Vec3::from_array(floats(list(&read(FieldKind::Vec3)?))),
            _ => {
                let known = Transform::FIELDS.map(str::to_owned).to_vec();
                return Err(WorldError::UnknownField { owner: TRANSFORM.into(), field: field.to_owned(), known });
            }
        }
        Ok(self)
    }

    /// A part as it is written in a file.
    pub(crate) fn part(&self, field: &str) -> Json {
        let numbers = |parts: &[f32]| Json::Array(parts.iter().map(|part| canonical_f32(*part)).collect());
        match field {
            "position" => numbers(&self.translation.to_array()),
            "rotation" => numbers(&self.rotation.to_array()),
            _ => numbers(&self.scale.to_array()),
        }
    }

    pub(crate) fn pose(&self) -> Pose {
        Pose {
            position: self.translation.to_array(),
            rotation: Rotation::Quaternion(self.rotation.to_array()),
            scale: self.scale.to_array(),
        }
    }

    /// Column-major, as the flat arrays hold it.
    pub(crate) fn matrix(&self) -> [f32; 16] {
        compose_matrix(&self.pose()).expect("a checked transform has a matrix")
    }
}

fn canonical_parts(name: &str, parts: &[f32]) -> Result<Vec<Json>, WorldError> {
    let named = parts.iter().zip(["x", "y", "z", "w"]);
    named
        .map(|(part, axis)| match part.is_finite() {
            true => Ok(canonical_f32(*part)),
            false => Err(WorldError::NotFinite { field: format!("{name}.{axis}") }),
        })
        .collect()
}

fn list(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn floats<const N: usize>(parts: &[Json]) -> [f32; N] {
    std::array::from_fn(|at| parts.get(at).and_then(Json::as_f64).unwrap_or_default() as f32)
}
