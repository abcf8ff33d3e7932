//! What a scene's records must agree on: links among entities, and fields with their types.

use std::collections::{BTreeMap, BTreeSet};

use zero_base::Diagnostic;

use super::SceneDoc;
use crate::{EntityId, Record, Schemas};

/// Makes roots of entities whose parent is missing, and of the lowest one in each cycle.
pub(super) fn cut_bad_links(scene: &mut SceneDoc) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let links: Vec<(EntityId, EntityId)> =
        scene.entities.iter().filter_map(|(entity, record)| Some((*entity, record.parent?))).collect();
    for (entity, parent) in &links {
        if !scene.entities.contains_key(parent) {
            let message = format!("the parent {parent} of {entity} is not in the scene; {entity} is a root now");
            diagnostics.push(about(scene, "scene/missing_parent", message, *entity));
            cut(scene, *entity);
        }
    }
    for (lowest, cycle) in cycles(scene) {
        let members = cycle.iter().take(16).map(EntityId::to_string).collect::<Vec<_>>().join(", ");
        let message = format!("{members} hang below one another; {lowest} is a root now");
        diagnostics.push(about(scene, "scene/parent_cycle", message, lowest));
        cut(scene, lowest);
    }
    diagnostics
}

/// Each cycle of parent links, with its lowest id.
fn cycles(scene: &SceneDoc) -> Vec<(EntityId, Vec<EntityId>)> {
    let mut walk_of: BTreeMap<EntityId, EntityId> = BTreeMap::new();
    let mut found = Vec::new();
    let parent_of = |entity: EntityId| scene.entities.get(&entity).and_then(|record| record.parent);
    for start in scene.entities.keys().copied() {
        let mut next = Some(start);
        while let Some(entity) = next.filter(|entity| !walk_of.contains_key(entity)) {
            walk_of.insert(entity, start);
            next = parent_of(entity);
        }
        // Only a walk that meets its own steps has closed a cycle.
        let Some(first) = next.filter(|entity| walk_of[entity] == start) else { continue };
        let around = std::iter::successors(Some(first), |entity| parent_of(*entity).filter(|next| *next != first));
        let members: Vec<EntityId> = around.collect();
        found.push((*members.iter().min().expect("a cycle has members"), members));
    }
    found
}

fn cut(scene: &mut SceneDoc, entity: EntityId) {
    if let Some(record) = scene.entities.get_mut(&entity) {
        record.parent = None;
    }
}

fn about(scene: &SceneDoc, code: &'static str, message: String, entity: EntityId) -> Diagnostic {
    place(Diagnostic::error(code, message), scene, (entity, None, None))
}

fn place(
    mut diagnostic: Diagnostic,
    scene: &SceneDoc,
    (entity, component, field): (EntityId, Option<&str>, Option<&str>),
) -> Diagnostic {
    if !scene.positions.path.is_empty() {
        diagnostic = diagnostic.in_file(scene.positions.path.clone());
        diagnostic.span = scene.positions.of(entity, component, field);
    }
    diagnostic
}

impl Schemas {
    /// The scene with every field in the form its type keeps it in. Values a type refuses stay
    /// as they are and are reported where they stand, as are unknown fields, and unknown
    /// types once each. Doing it twice changes nothing more.
    pub fn normalise_scene(&self, scene: &SceneDoc) -> (SceneDoc, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let mut unknown: BTreeMap<String, BTreeSet<EntityId>> = BTreeMap::new();
        let mut normalised = scene.clone();
        for (entity, record) in &mut normalised.entities {
            for (component, fields) in &mut record.components {
                if self.get(component).is_none() {
                    unknown.entry(component.clone()).or_default().insert(*entity);
                    continue;
                }
                for (field, problem) in self.normalise_record(component, fields) {
                    let at = (*entity, Some(component.as_str()), Some(field.as_str()));
                    let message = format!("{entity}: {problem}; the default is used");
                    diagnostics.push(place(Diagnostic::error(problem.code(), message), scene, at));
                }
            }
        }
        for (component, entities) in unknown {
            let first = *entities.first().expect("an unknown type was met on an entity");
            let known: Vec<&str> = self.iter().map(|schema| schema.name.as_str()).collect();
            let message = format!(
                "there is no component type '{component}'{}; its data is kept on {} ({} in all)",
                zero_base::did_you_mean(&component, &known),
                first,
                entities.len(),
            );
            let diagnostic = Diagnostic::warning("scene/unknown_component", message);
            diagnostics.push(place(diagnostic, scene, (first, Some(&component), None)));
        }
        (normalised, diagnostics)
    }

    /// Normalises the fields a type accepts; names the others.
    fn normalise_record(&self, component: &str, fields: &mut Record) -> Vec<(String, crate::WorldError)> {
        let Some(schema) = self.get(component) else { return Vec::new() };
        let mut problems = Vec::new();
        for (field, value) in fields.iter_mut() {
            match schema.normalise_field(field, value) {
                Ok(normalised) => *value = normalised,
                Err(problem) => problems.push((field.clone(), problem)),
            }
        }
        problems
    }
}
