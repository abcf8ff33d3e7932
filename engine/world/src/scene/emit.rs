use serde_json::{Map, Value as Json, json};
use zero_source::yaml;

use super::{EntityRecord, SceneDoc};
use crate::{EntityId, Transform};

impl SceneDoc {
    /// Canonical text: entities by id, components and fields by name, what is the identity
    /// left out. Equal scenes are equal bytes, and parsing gives the scene back.
    pub fn emit(&self) -> String {
        let mut root = Map::new();
        root.insert("scene".into(), json!(1));
        if let Some(intent) = &self.player_intent {
            root.insert("playerIntent".into(), json!(intent));
        }
        root.insert("nextId".into(), json!(self.next_id));
        root.extend(self.extra.clone());
        let known = self.entities.iter().map(|(entity, record)| emit_entity(*entity, record));
        root.insert("entities".into(), Json::Array(known.chain(self.unread.iter().cloned()).collect()));
        yaml::emit(&Json::Object(root))
    }
}

fn emit_entity(entity: EntityId, record: &EntityRecord) -> Json {
    let mut map = Map::new();
    map.insert("id".into(), json!(entity));
    map.insert("name".into(), json!(record.name));
    if let Some(parent) = record.parent {
        map.insert("parent".into(), json!(parent));
    }
    for field in Transform::FIELDS {
        let value = record.transform.part(field);
        if value != Transform::IDENTITY.part(field) {
            map.insert(field.into(), value);
        }
    }
    map.extend(record.extra.clone());
    if !record.components.is_empty() {
        let components = record.components.iter().map(|(name, fields)| (name.clone(), Json::Object(fields.clone())));
        map.insert("components".into(), Json::Object(components.collect()));
    }
    Json::Object(map)
}
