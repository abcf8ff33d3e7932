use zero_base::{Diagnostic, Hash, Hasher};

use super::World;
use crate::SceneDoc;

impl World {
    /// Replaces every entity by those of a scene. What the registered types do not accept is
    /// kept as it was written, reported, and read as its default; records of unknown types
    /// are kept and reported once per type.
    pub fn load_scene(&mut self, scene: &SceneDoc) -> Vec<Diagnostic> {
        let (scene, diagnostics) = self.schemas.normalise_scene(scene);
        let schemas = std::mem::take(&mut self.schemas);
        *self = World { schemas, next_id: scene.next_id.max(1), ..World::new() };
        for (entity, record) in &scene.entities {
            self.insert(*entity, &record.name, record.extra.clone());
        }
        for (entity, record) in scene.entities {
            self.link(entity, record.parent);
            self.place(entity, record.transform);
            for (component, fields) in record.components {
                self.put_component(entity, &component, Some(fields));
            }
        }
        self.player_intent = scene.player_intent;
        self.extra = scene.extra;
        self.unread = scene.unread;
        diagnostics
    }

    /// The scene as its file would say it.
    pub fn to_scene(&self) -> SceneDoc {
        SceneDoc {
            player_intent: self.player_intent.clone(),
            next_id: self.next_id,
            entities: self.nodes.iter().map(|(entity, node)| (*entity, self.record_of(node))).collect(),
            extra: self.extra.clone(),
            unread: self.unread.clone(),
            ..SceneDoc::default()
        }
    }

    /// The same for equal entities, whatever order they were made and edited in. The id
    /// counter is not part of it: undoing a spawn gives the old hash, not the old counter.
    pub fn hash(&self) -> Hash {
        let mut hasher = Hasher::new();
        hasher.part(self.player_intent.as_deref().unwrap_or_default().as_bytes());
        for (entity, node) in &self.nodes {
            let record = self.record_of(node);
            hasher.part(&entity.number().to_le_bytes());
            for component in record.states() {
                let state = record.state(component).expect("the record names its own states");
                hasher.part(component.as_bytes()).part(state.to_string().as_bytes());
            }
        }
        hasher.finish()
    }
}
