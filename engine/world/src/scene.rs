use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use zero_base::Span;

use crate::{ENTITY, EntityId, Record, TRANSFORM, Transform};

mod check;
mod emit;
mod merge;
mod parse;
#[cfg(test)]
mod tests;

pub use merge::{merge_scene, replay_scene};

/// A scene file as data: `scene.yaml` read, or about to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneDoc {
    /// What players of the scene start as (`playerIntent`).
    pub player_intent: Option<String>,
    /// The number the next spawned entity gets (`nextId`); past every id in use.
    pub next_id: u64,
    pub entities: BTreeMap<EntityId, EntityRecord>,
    /// Top-level keys nobody knows, kept.
    pub extra: Record,
    /// Entity records that could not be read, kept as they were written.
    pub unread: Vec<Json>,
    /// Where things stand in the text; not part of what the scene says.
    pub positions: Positions,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntityRecord {
    pub name: String,
    pub parent: Option<EntityId>,
    pub transform: Transform,
    /// Authored fields only.
    pub components: BTreeMap<String, Record>,
    /// Keys of the record nobody knows, kept.
    pub extra: Record,
}

impl Default for SceneDoc {
    fn default() -> SceneDoc {
        SceneDoc {
            player_intent: None,
            next_id: 1,
            entities: BTreeMap::new(),
            extra: Record::new(),
            unread: Vec::new(),
            positions: Positions::default(),
        }
    }
}

impl EntityRecord {
    /// What changes carry under `component`; none when the entity has no such component.
    pub fn state(&self, component: &str) -> Option<Json> {
        match component {
            ENTITY if self.extra.is_empty() => Some(json!({ "name": self.name, "parent": self.parent })),
            ENTITY => Some(json!({ "name": self.name, "parent": self.parent, "extra": self.extra })),
            TRANSFORM => Some(self.transform.to_json()),
            _ => self.components.get(component).cloned().map(Json::Object),
        }
    }

    /// The names under which [`EntityRecord::state`] says something worth saying: the entity
    /// itself, a transform that is not the identity, and the components by name.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = &str> {
        let transform = (self.transform != Transform::IDENTITY).then_some(TRANSFORM);
        [ENTITY].into_iter().chain(transform).chain(self.components.keys().map(String::as_str))
    }
}

/// The text positions of a scene's entities, components and fields. Two scenes that say the
/// same are equal wherever they say it, so all positions compare as equal.
#[derive(Debug, Clone, Default)]
pub struct Positions {
    /// The file's path in diagnostics; empty for a scene that was not read.
    pub path: String,
    entities: BTreeMap<EntityId, EntityPositions>,
}

#[derive(Debug, Clone)]
struct EntityPositions {
    span: Span,
    /// Each component's own place, and those of its fields.
    components: BTreeMap<String, (Span, BTreeMap<String, Span>)>,
}

impl PartialEq for Positions {
    fn eq(&self, _: &Positions) -> bool {
        true
    }
}

impl Positions {
    /// The nearest known place of a field, a component or an entity.
    pub fn of(&self, entity: EntityId, component: Option<&str>, field: Option<&str>) -> Option<Span> {
        let entity = self.entities.get(&entity)?;
        let Some((span, fields)) = component.and_then(|component| entity.components.get(component)) else {
            return Some(entity.span);
        };
        Some(field.and_then(|field| fields.get(field)).copied().unwrap_or(*span))
    }
}
