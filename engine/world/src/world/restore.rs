use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::World;
use super::apply::check_name;
use crate::canonical::canonical_record;
use crate::{Change, ENTITY, EntityId, Record, TRANSFORM, Transform, WorldError};

/// What a component is to become.
enum State {
    Entity { name: String, parent: Option<EntityId>, extra: Record },
    Transform(Transform),
    Component(Record),
    Gone,
}

/// By entity, then component: the last word on each.
type States = BTreeMap<EntityId, BTreeMap<String, State>>;

impl World {
    /// Takes changes back, the last one first: everything they touched is as it was before,
    /// ids and all. Ids they used up stay used.
    ///
    /// Errors: `world/conflict` when other edits since then are in the way, such as a child
    /// hung below an entity that would go; nothing is written then.
    pub fn revert(&mut self, changes: &[Change]) -> Result<(), WorldError> {
        self.restore(changes.iter().rev().map(|change| (change, &change.before)))
    }

    /// Makes changes that were taken back again. Errors as for [`World::revert`].
    pub fn redo(&mut self, changes: &[Change]) -> Result<(), WorldError> {
        self.restore(changes.iter().map(|change| (change, &change.after)))
    }

    fn restore<'a>(&mut self, values: impl Iterator<Item = (&'a Change, &'a Option<Json>)>) -> Result<(), WorldError> {
        let mut states = States::new();
        for (change, value) in values {
            let state = decode(change, value.as_ref())?;
            states.entry(change.entity).or_default().insert(change.component.clone(), state);
        }
        self.check(&states)?;
        self.write(states);
        Ok(())
    }

    fn check(&self, states: &States) -> Result<(), WorldError> {
        for (entity, components) in states {
            let conflict = |component: &str, reason: String| {
                Err(WorldError::Conflict { entity: *entity, component: component.to_owned(), reason })
            };
            match components.get(ENTITY) {
                Some(State::Gone) => {
                    let children = self.nodes.get(entity).map_or(&[][..], |node| &node.children);
                    let stays = |child: &&EntityId| self.parent_after(states, **child) == Some(Some(*entity));
                    if let Some(child) = children.iter().find(stays) {
                        return conflict(ENTITY, format!("{child} hangs below it; move or despawn that first"));
                    }
                }
                Some(State::Entity { parent, .. }) => {
                    let mut above = *parent;
                    // No chain is longer than all entities; one that seems so is a loop.
                    let mut steps = self.nodes.len() + states.len();
                    while let Some(ancestor) = above {
                        if ancestor == *entity || steps == 0 {
                            return conflict(ENTITY, "it would hang below itself".into());
                        }
                        steps -= 1;
                        let Some(next) = self.parent_after(states, ancestor) else {
                            return conflict(ENTITY, format!("its parent {ancestor} is gone"));
                        };
                        above = next;
                    }
                }
                _ if self.contains(*entity) => {}
                _ => {
                    let component = components.keys().next().map_or(ENTITY, String::as_str);
                    return conflict(component, "the entity is gone".into());
                }
            }
        }
        Ok(())
    }

    /// The parent an entity has once `states` are written; none when it is gone.
    fn parent_after(&self, states: &States, entity: EntityId) -> Option<Option<EntityId>> {
        match states.get(&entity).and_then(|components| components.get(ENTITY)) {
            Some(State::Entity { parent, .. }) => Some(*parent),
            Some(_) => None,
            None => self.nodes.get(&entity).map(|node| self.parent_of(node)),
        }
    }

    fn write(&mut self, states: States) {
        let gone = |components: &BTreeMap<String, State>| matches!(components.get(ENTITY), Some(State::Gone));
        // Entities go before others come, and all are there before they are linked.
        for (entity, _) in states.iter().filter(|(_, components)| gone(components)) {
            self.remove(*entity);
        }
        for (entity, components) in &states {
            if let Some(State::Entity { name, extra, .. }) = components.get(ENTITY) {
                match self.nodes.get_mut(entity) {
                    Some(node) => {
                        node.extra = extra.clone();
                        self.rename(*entity, name);
                    }
                    None => self.insert(*entity, name, extra.clone()),
                }
            }
        }
        for (entity, components) in states {
            for (component, state) in components {
                match state {
                    State::Entity { parent, .. } => self.link(entity, parent),
                    State::Transform(transform) if self.contains(entity) => self.place(entity, transform),
                    State::Component(record) => self.put_component(entity, &component, Some(record)),
                    State::Gone if component == TRANSFORM && self.contains(entity) => {
                        self.place(entity, Transform::IDENTITY);
                    }
                    State::Gone => self.put_component(entity, &component, None),
                    State::Transform(_) => {}
                }
            }
        }
    }
}

fn decode(change: &Change, value: Option<&Json>) -> Result<State, WorldError> {
    let conflict =
        |reason: String| WorldError::Conflict { entity: change.entity, component: change.component.clone(), reason };
    let Some(value) = value else { return Ok(State::Gone) };
    let Json::Object(record) = value else { return Err(conflict("its record is not a map".into())) };
    match change.component.as_str() {
        ENTITY => {
            let name = record.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
            check_name(&name)?;
            let parent = match record.get("parent") {
                None | Some(Json::Null) => None,
                Some(Json::String(parent)) => Some(parent.parse()?),
                Some(other) => return Err(conflict(format!("its parent is {other}"))),
            };
            let extra = record.get("extra").and_then(Json::as_object).cloned().unwrap_or_default();
            Ok(State::Entity { name, parent, extra })
        }
        TRANSFORM => Transform::from_json(record).map(State::Transform),
        component => canonical_record(record, component).map(State::Component),
    }
}
