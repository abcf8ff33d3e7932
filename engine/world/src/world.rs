use std::collections::{BTreeMap, BTreeSet};

use glam::Mat4;
use serde_json::Value as Json;

use crate::scene::EntityRecord;
use crate::{EntityId, Record, Schemas, Transform, WorldError};

mod apply;
mod flat;
mod load;
mod restore;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use apply::check_name;
use flat::Flat;

/// The entities of one scene.
///
/// Everything is listed in the order of ids, whatever order it was made in. Authored edits go
/// through [`World::apply`]; what is derived from them (typed views, world matrices) is
/// brought up to date by [`World::update_hierarchy`].
pub struct World {
    ecs: hecs::World,
    nodes: BTreeMap<EntityId, Node>,
    by_name: BTreeMap<String, BTreeSet<EntityId>>,
    next_id: u64,
    schemas: Schemas,
    /// A type was registered or dropped since the typed views were made.
    views_stale: bool,
    flat: Flat,
    player_intent: Option<String>,
    /// Keys of the scene's file that nobody knows, and entity records nobody could read.
    extra: Record,
    unread: Vec<Json>,
}

/// What an entity has besides its native components.
struct Node {
    handle: hecs::Entity,
    /// Sorted.
    children: Vec<EntityId>,
    components: BTreeMap<String, Record>,
    extra: Record,
    /// Its row in the flat arrays, valid while they fit the topology.
    row: u32,
}

/// An entity's name, as a native component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(pub String);

/// The link to an entity's parent, as a native component; none for a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent(pub Option<EntityId>);

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

impl World {
    pub fn new() -> World {
        World {
            ecs: hecs::World::new(),
            nodes: BTreeMap::new(),
            by_name: BTreeMap::new(),
            next_id: 1,
            schemas: Schemas::default(),
            views_stale: false,
            flat: Flat::default(),
            player_intent: None,
            extra: Record::new(),
            unread: Vec::new(),
        }
    }

    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// Registering a type leaves the records as they are; typed views follow at the next
    /// [`World::update_hierarchy`].
    pub fn schemas_mut(&mut self) -> &mut Schemas {
        self.views_stale = true;
        &mut self.schemas
    }

    /// What players of the scene start as; the scene file's `playerIntent`.
    pub fn player_intent(&self) -> Option<&str> {
        self.player_intent.as_deref()
    }

    /// The number the next spawned entity gets.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn contains(&self, entity: EntityId) -> bool {
        self.nodes.contains_key(&entity)
    }

    /// In the order of ids.
    pub fn entities(&self) -> Vec<EntityId> {
        self.nodes.keys().copied().collect()
    }

    /// Entities without a parent, in the order of ids.
    pub fn roots(&self) -> Vec<EntityId> {
        self.nodes.iter().filter(|(_, node)| self.parent_of(node).is_none()).map(|(entity, _)| *entity).collect()
    }

    /// The entity of this name with the lowest id.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.by_name.get(name)?.first().copied()
    }

    /// All entities of this name, in the order of ids.
    pub fn find_all(&self, name: &str) -> Vec<EntityId> {
        self.by_name.get(name).into_iter().flatten().copied().collect()
    }

    /// The one entity meant by an id or a name. Errors: `world/no_entity` with the nearest
    /// name, `world/ambiguous_entity` listing the ids.
    pub fn find_one(&self, id_or_name: &str) -> Result<EntityId, WorldError> {
        let id = id_or_name.parse::<EntityId>();
        if let Ok(entity) = id
            && self.contains(entity)
        {
            return Ok(entity);
        }
        let ids = self.find_all(id_or_name);
        match (ids.as_slice(), id) {
            ([entity], _) => Ok(*entity),
            ([], Ok(entity)) => Err(WorldError::NoEntity { entity }),
            ([], Err(_)) => {
                let names = self.by_name.keys().cloned().collect();
                Err(WorldError::NoEntityNamed { name: id_or_name.to_owned(), names })
            }
            _ => Err(WorldError::AmbiguousName { name: id_or_name.to_owned(), ids }),
        }
    }

    pub fn name(&self, entity: EntityId) -> Result<String, WorldError> {
        Ok(self.name_of(self.node(entity)?))
    }

    pub fn parent(&self, entity: EntityId) -> Result<Option<EntityId>, WorldError> {
        Ok(self.parent_of(self.node(entity)?))
    }

    /// In the order of ids.
    pub fn children(&self, entity: EntityId) -> Result<Vec<EntityId>, WorldError> {
        Ok(self.node(entity)?.children.clone())
    }

    /// The entity's own transform, relative to its parent.
    pub fn transform(&self, entity: EntityId) -> Result<Transform, WorldError> {
        Ok(self.transform_of(self.node(entity)?))
    }

    /// Where the entity is in the world, every edit so far included.
    pub fn world_matrix(&self, entity: EntityId) -> Result<Mat4, WorldError> {
        let node = self.node(entity)?;
        let matrix = match self.flat.matrix(node.row) {
            Some(matrix) => matrix,
            None => self.matrix_from_ancestors(entity),
        };
        Ok(Mat4::from_cols_array(&matrix))
    }

    /// The names of an entity's components, sorted; none for an entity that is gone.
    pub fn component_names(&self, entity: EntityId) -> Vec<String> {
        self.nodes.get(&entity).into_iter().flat_map(|node| node.components.keys().cloned()).collect()
    }

    /// The authored fields of a component; what is not in it has the type's default.
    pub fn component(&self, entity: EntityId, component: &str) -> Option<&Record> {
        self.nodes.get(&entity)?.components.get(component)
    }

    /// Every declared field of a component, defaults filled in; invalid values, which a file
    /// or a changed type may leave behind, count as absent. The record itself when its type is
    /// unknown.
    pub fn component_with_defaults(&self, entity: EntityId, component: &str) -> Option<Record> {
        let record = self.component(entity, component)?;
        match self.schemas.get(component) {
            Some(schema) => Some(schema.with_defaults(record)),
            None => Some(record.clone()),
        }
    }

    /// One field of a component, its default if it is absent or invalid; null for a field an
    /// unknown type's record does not have. Errors: `world/no_entity`, `world/no_component`,
    /// `world/unknown_field`.
    pub fn field(&self, entity: EntityId, component: &str, field: &str) -> Result<Json, WorldError> {
        let record = self.require_component(entity, component)?;
        match self.schemas.get(component) {
            Some(schema) => schema.field_with_default(record, field),
            None => Ok(record.get(field).cloned().unwrap_or_default()),
        }
    }

    /// The entities that have a component of this name, in the order of ids.
    pub fn entities_with(&self, component: &str) -> Vec<EntityId> {
        let having = self.nodes.iter().filter(|(_, node)| node.components.contains_key(component));
        having.map(|(entity, _)| *entity).collect()
    }

    /// Native components, for queries: `EntityId`, [`Name`], [`Parent`], [`Transform`] on
    /// every entity, and the typed views. Queries come in no particular order; see
    /// [`World::sorted`].
    pub fn ecs(&self) -> &hecs::World {
        &self.ecs
    }

    /// Every native component of one type, in the order of ids.
    pub fn sorted<T: hecs::Component + Clone>(&self) -> Vec<(EntityId, T)> {
        let mut query = self.ecs.query::<(&EntityId, &T)>();
        let mut found: Vec<(EntityId, T)> = query.iter().map(|(entity, view)| (*entity, view.clone())).collect();
        found.sort_unstable_by_key(|(entity, _)| *entity);
        found
    }

    /// Everything a file would say about an entity.
    pub fn record(&self, entity: EntityId) -> Result<EntityRecord, WorldError> {
        Ok(self.record_of(self.node(entity)?))
    }

    fn node(&self, entity: EntityId) -> Result<&Node, WorldError> {
        self.nodes.get(&entity).ok_or(WorldError::NoEntity { entity })
    }

    fn name_of(&self, node: &Node) -> String {
        self.native::<Name>(node).0
    }

    fn parent_of(&self, node: &Node) -> Option<EntityId> {
        self.native::<Parent>(node).0
    }

    fn transform_of(&self, node: &Node) -> Transform {
        self.native::<Transform>(node)
    }

    fn record_of(&self, node: &Node) -> EntityRecord {
        EntityRecord {
            name: self.name_of(node),
            parent: self.parent_of(node),
            transform: self.transform_of(node),
            components: node.components.clone(),
            extra: node.extra.clone(),
        }
    }

    fn native<T: hecs::Component + Clone>(&self, node: &Node) -> T {
        let view = self.ecs.get::<&T>(node.handle).expect("every entity has a name, a parent link and a transform");
        (*view).clone()
    }
}
