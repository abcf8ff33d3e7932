use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use zero_vfs::EntityChange;

use crate::{EntityId, Record};

/// The name under which changes of an entity's existence, name and parent are recorded:
/// `{ name, parent }`, and `extra` when its file record held keys nobody knows.
pub use zero_vfs::ENTITY;
/// The name under which changes of an entity's place are recorded: `{ position, rotation, scale }`.
pub const TRANSFORM: &str = "Transform";

/// One authored edit. Checked as a whole before anything is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Without an id the scene's counter gives one.
    Spawn {
        name: String,
        parent: Option<EntityId>,
        id: Option<EntityId>,
    },
    /// With all descendants.
    Despawn {
        entity: EntityId,
    },
    Rename {
        entity: EntityId,
        name: String,
    },
    /// The local transform stays, so the entity moves along with its new parent.
    SetParent {
        entity: EntityId,
        parent: Option<EntityId>,
    },
    /// Parts that are none stay as they are.
    SetTransform {
        entity: EntityId,
        translation: Option<Vec3>,
        rotation: Option<Quat>,
        scale: Option<Vec3>,
    },
    /// Fields that are left out have their defaults, and keep them when the defaults change.
    AddComponent {
        entity: EntityId,
        component: String,
        fields: Record,
    },
    /// Takes `Transform` and `Entity` as components too.
    SetField {
        entity: EntityId,
        component: String,
        field: String,
        value: Json,
    },
    RemoveComponent {
        entity: EntityId,
        component: String,
    },
}

/// What an edit did to one component of one entity: the whole value before and after.
/// A list of these, in order, can be reverted and redone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub entity: EntityId,
    pub component: String,
    pub before: Option<Json>,
    pub after: Option<Json>,
}

impl Change {
    /// The change that undoes this one.
    pub fn reversed(&self) -> Change {
        let Change { entity, component, before, after } = self.clone();
        Change { entity, component, before: after, after: before }
    }

    /// The change as the journal records it, for the scene of this identity.
    pub fn to_journal(&self, scene: &str) -> EntityChange {
        EntityChange {
            scene: scene.to_owned(),
            entity: self.entity.to_string(),
            component: self.component.clone(),
            before: self.before.clone(),
            after: self.after.clone(),
        }
    }

    /// None for a record that names no entity.
    pub fn from_journal(change: &EntityChange) -> Option<Change> {
        Some(Change {
            entity: change.entity.parse().ok()?,
            component: change.component.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        })
    }

    /// Whether it is about the entity itself or its place, which every entity has, rather
    /// than about one of its components.
    pub fn is_structural(&self) -> bool {
        matches!(self.component.as_str(), ENTITY | TRANSFORM)
    }
}
