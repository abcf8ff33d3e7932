//! The only code that writes entities. It checks nothing: callers have.

use serde_json::Value as Json;

use super::{Name, Node, Parent, World};
use crate::native::{NATIVE_COMPONENTS, put_view};
use crate::{EntityId, Record, Transform};

impl World {
    /// A root without components at the origin.
    pub(super) fn insert(&mut self, entity: EntityId, name: &str, extra: Record) {
        let handle = self.ecs.spawn((entity, Name(name.to_owned()), Parent(None), Transform::IDENTITY));
        let node = Node { handle, children: Vec::new(), components: Default::default(), extra, row: u32::MAX };
        self.nodes.insert(entity, node);
        self.by_name.entry(name.to_owned()).or_default().insert(entity);
        self.next_id = self.next_id.max(entity.number() + 1);
        self.flat.forget_topology();
    }

    /// Its children must be removed or hung elsewhere in the same go.
    pub(super) fn remove(&mut self, entity: EntityId) {
        self.link(entity, None);
        self.unname(entity);
        if let Some(node) = self.nodes.remove(&entity) {
            self.ecs.despawn(node.handle).expect("an entity of the table is alive");
        }
        self.flat.forget_topology();
    }

    pub(super) fn rename(&mut self, entity: EntityId, name: &str) {
        self.unname(entity);
        self.by_name.entry(name.to_owned()).or_default().insert(entity);
        let handle = self.nodes[&entity].handle;
        self.ecs.insert_one(handle, Name(name.to_owned())).expect("an entity of the table is alive");
    }

    pub(super) fn link(&mut self, entity: EntityId, parent: Option<EntityId>) {
        let Some(node) = self.nodes.get(&entity) else { return };
        let (handle, before) = (node.handle, self.parent_of(node));
        if before == parent {
            return;
        }
        // A parent that was removed in the same go is no longer in the table.
        if let Some(siblings) = before.and_then(|before| self.nodes.get_mut(&before)) {
            let place = siblings.children.binary_search(&entity).expect("a parent lists its children");
            siblings.children.remove(place);
        }
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(&parent))
            && let Err(place) = parent.children.binary_search(&entity)
        {
            parent.children.insert(place, entity);
        }
        self.ecs.insert_one(handle, Parent(parent)).expect("an entity of the table is alive");
        self.flat.forget_topology();
    }

    pub(super) fn place(&mut self, entity: EntityId, transform: Transform) {
        let node = &self.nodes[&entity];
        *self.ecs.get::<&mut Transform>(node.handle).expect("every entity has a transform") = transform;
        self.flat.moved(node.row);
    }

    pub(super) fn put_component(&mut self, entity: EntityId, component: &str, record: Option<Record>) {
        let Some(node) = self.nodes.get_mut(&entity) else { return };
        match record {
            Some(record) => drop(node.components.insert(component.to_owned(), record)),
            None => drop(node.components.remove(component)),
        }
        if NATIVE_COMPONENTS.contains(&component) {
            self.put_view(entity, component);
        }
    }

    /// Makes every typed view anew when a type has come, gone or changed.
    pub(super) fn refresh_views(&mut self) {
        if !std::mem::take(&mut self.views_stale) {
            return;
        }
        for component in NATIVE_COMPONENTS {
            self.entities_with(component).into_iter().for_each(|entity| self.put_view(entity, component));
        }
    }

    fn put_view(&mut self, entity: EntityId, component: &str) {
        let node = &self.nodes[&entity];
        let schema = self.schemas.get(component);
        let fields = node.components.get(component).zip(schema).map(|(record, schema)| schema.with_defaults(record));
        put_view(&mut self.ecs, node.handle, component, fields.as_ref());
    }

    fn unname(&mut self, entity: EntityId) {
        let Some(node) = self.nodes.get(&entity) else { return };
        let name = self.name_of(node);
        if let Some(namesakes) = self.by_name.get_mut(&name) {
            namesakes.remove(&entity);
            if namesakes.is_empty() {
                self.by_name.remove(&name);
            }
        }
    }

    /// The entity's value under `component`, as changes carry it.
    pub(super) fn state(&self, entity: EntityId, component: &str) -> Option<Json> {
        self.record_of(self.nodes.get(&entity)?).state(component)
    }
}
