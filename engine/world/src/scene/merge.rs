//! A scene file and the changes that were not yet written to it.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use zero_base::Diagnostic;

use super::check::cut_bad_links;
use super::{EntityRecord, SceneDoc};
use crate::{Change, ENTITY, EntityId, TRANSFORM, Transform};

/// The file with the changes made after it: for a file that is the one the changes were made
/// against. Changes that make no sense there are reported and left out.
pub fn replay_scene(file: &SceneDoc, changes: &[Change]) -> (SceneDoc, Vec<Diagnostic>) {
    let mut merge = Merge::new(file, changes);
    for (entity, components) in net_changes(changes) {
        for (component, Net { after, .. }) in in_order(components) {
            merge.put(entity, &component, after);
        }
    }
    merge.finish()
}

/// The file with those of the changes that do not contradict it: for a file that somebody
/// edited after the changes were made. Per entity and component, a value the file still has
/// as it was before the change is changed; any other keeps what the file says, and the loss is
/// reported as `scene/conflict`.
///
/// Compare like with like: pass a file that went through [`crate::Schemas::normalise_scene`].
pub fn merge_scene(file: &SceneDoc, changes: &[Change]) -> (SceneDoc, Vec<Diagnostic>) {
    let mut merge = Merge::new(file, changes);
    let mut removed = Vec::new();
    for (entity, mut components) in net_changes(changes) {
        match components.remove(ENTITY) {
            Some(Net { before: Some(before), after: None }) => {
                if merge.remove_unless_edited(entity, &before, &components) {
                    removed.push(entity);
                }
                continue;
            }
            // The same entity in both: it was spawned here and the file has it already.
            Some(net) if net.before.is_none() && merge.state(entity, ENTITY) == net.after => {}
            Some(net) if net.before.is_none() && file.entities.contains_key(&entity) => {
                let what = format!("{entity} was spawned here and is another entity in the file");
                merge.conflict(entity, what, &net.after);
                continue;
            }
            Some(net) if net.before.is_some() && !merge.scene.entities.contains_key(&entity) => {
                merge.conflict(entity, format!("{entity} was edited here and is gone from the file"), &net.after);
                continue;
            }
            Some(net) => merge.merge(entity, ENTITY, net),
            None if !merge.scene.entities.contains_key(&entity) => {
                merge.conflict(entity, format!("{entity} was edited here and is gone from the file"), &None);
                continue;
            }
            None => {}
        }
        for (component, net) in components {
            merge.merge(entity, &component, net);
        }
    }
    merge.keep_parents(file, removed);
    merge.finish()
}

/// What all changes of one component come to.
struct Net {
    before: Option<Json>,
    after: Option<Json>,
}

fn net_changes(changes: &[Change]) -> BTreeMap<EntityId, BTreeMap<String, Net>> {
    let mut net: BTreeMap<EntityId, BTreeMap<String, Net>> = BTreeMap::new();
    for change in changes {
        let components = net.entry(change.entity).or_default();
        let entry = components.entry(change.component.clone());
        let first =
            entry.or_insert_with(|| Net { before: said(&change.component, change.before.clone()), after: None });
        first.after = said(&change.component, change.after.clone());
    }
    net.retain(|_, components| {
        components.retain(|_, net| net.before != net.after);
        !components.is_empty()
    });
    net
}

/// A transform in full, so that it compares with others. The identity is what no transform
/// says: an entity that is spawned or despawned there has no change of it.
fn said(component: &str, value: Option<Json>) -> Option<Json> {
    let transform = match &value {
        Some(Json::Object(parts)) if component == TRANSFORM => Transform::from_json(parts).ok(),
        _ => None,
    };
    match transform {
        Some(transform) if transform == Transform::IDENTITY => None,
        Some(transform) => Some(transform.to_json()),
        None => value,
    }
}

/// The entity itself first: its components need it to be there.
fn in_order(mut components: BTreeMap<String, Net>) -> impl Iterator<Item = (String, Net)> {
    let entity = components.remove(ENTITY).map(|net| (ENTITY.to_owned(), net));
    entity.into_iter().chain(components)
}

struct Merge {
    scene: SceneDoc,
    diagnostics: Vec<Diagnostic>,
}

impl Merge {
    fn new(file: &SceneDoc, changes: &[Change]) -> Merge {
        let mut scene = file.clone();
        // Also ids of entities that are gone again stay used.
        let used = changes.iter().map(|change| change.entity.number() + 1).max().unwrap_or(1);
        scene.next_id = scene.next_id.max(used);
        Merge { scene, diagnostics: Vec::new() }
    }

    fn finish(mut self) -> (SceneDoc, Vec<Diagnostic>) {
        let cut = cut_bad_links(&mut self.scene);
        self.diagnostics.extend(cut);
        (self.scene, self.diagnostics)
    }

    fn state(&self, entity: EntityId, component: &str) -> Option<Json> {
        said(component, self.scene.entities.get(&entity)?.state(component))
    }

    fn merge(&mut self, entity: EntityId, component: &str, net: Net) {
        let current = self.state(entity, component);
        if current == net.before {
            self.put(entity, component, net.after);
        } else if current != net.after {
            self.conflict(entity, format!("{component} of {entity} was edited here and in the file"), &net.after);
        }
    }

    fn put(&mut self, entity: EntityId, component: &str, value: Option<Json>) {
        let done = match component {
            ENTITY => self.put_entity(entity, value.as_ref()),
            _ => match (self.scene.entities.get_mut(&entity), value) {
                // What a removed entity had goes with it.
                (None, None) => true,
                (None, Some(_)) => false,
                (Some(record), value) => put_component(record, component, value),
            },
        };
        if !done {
            let message = format!("an unsaved change of {component} on {entity} makes no sense in the scene; left out");
            self.diagnostics.push(Diagnostic::warning("scene/bad_change", message));
        }
    }

    fn put_entity(&mut self, entity: EntityId, value: Option<&Json>) -> bool {
        let Some(value) = value else {
            self.scene.entities.remove(&entity);
            return true;
        };
        let Some(name) = value["name"].as_str() else { return false };
        let parent = match value["parent"].as_str().map(str::parse::<EntityId>) {
            Some(Ok(parent)) => Some(parent),
            Some(Err(_)) => return false,
            None => None,
        };
        let record = self.scene.entities.entry(entity).or_default();
        (record.name, record.parent) = (name.to_owned(), parent);
        record.extra = value["extra"].as_object().cloned().unwrap_or_default();
        true
    }

    /// Removes an entity that is in the file as it was when it was despawned here.
    fn remove_unless_edited(&mut self, entity: EntityId, before: &Json, components: &BTreeMap<String, Net>) -> bool {
        let Some(record) = self.scene.entities.get(&entity) else { return false };
        let known = |component: &str| match components.get(component) {
            Some(net) => said(component, record.state(component)) == net.before,
            None => false,
        };
        let unedited = record.state(ENTITY).as_ref() == Some(before)
            && record.states().filter(|component| *component != ENTITY).all(known)
            && components.keys().all(|component| known(component));
        if unedited {
            self.scene.entities.remove(&entity);
        } else {
            self.conflict(entity, format!("{entity} was despawned here and edited in the file; it stays"), &None);
        }
        unedited
    }

    /// Brings back removed entities that others of the file still hang below.
    fn keep_parents(&mut self, file: &SceneDoc, mut removed: Vec<EntityId>) {
        loop {
            let parents: Vec<EntityId> = self.scene.entities.values().filter_map(|record| record.parent).collect();
            let Some(at) = removed.iter().position(|entity| parents.contains(entity)) else { return };
            let entity = removed.remove(at);
            self.scene.entities.insert(entity, file.entities[&entity].clone());
            let what = format!("{entity} was despawned here and has children in the file; it stays");
            self.conflict(entity, what, &None);
        }
    }

    fn conflict(&mut self, entity: EntityId, what: String, lost: &Option<Json>) {
        const LONGEST: usize = 200;
        let lost = lost.as_ref().map(|value| {
            let text = value.to_string();
            let clipped: String = text.chars().take(LONGEST).collect();
            let more = if clipped.len() < text.len() { "…" } else { "" };
            format!("; not used: {clipped}{more}")
        });
        let message = format!("{what}; the file is followed{}", lost.unwrap_or_default());
        let mut diagnostic = Diagnostic::warning("scene/conflict", message);
        if !self.scene.positions.path.is_empty() {
            diagnostic = diagnostic.in_file(self.scene.positions.path.clone());
            diagnostic.span = self.scene.positions.of(entity, None, None);
        }
        self.diagnostics.push(diagnostic);
    }
}

fn put_component(record: &mut EntityRecord, component: &str, value: Option<Json>) -> bool {
    match (component, value) {
        (TRANSFORM, None) => record.transform = Transform::IDENTITY,
        (TRANSFORM, Some(Json::Object(parts))) => match Transform::from_json(&parts) {
            Ok(transform) => record.transform = transform,
            Err(_) => return false,
        },
        (_, None) => drop(record.components.remove(component)),
        (_, Some(Json::Object(fields))) => drop(record.components.insert(component.to_owned(), fields)),
        _ => return false,
    }
    true
}
