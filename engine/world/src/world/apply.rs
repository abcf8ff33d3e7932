use serde_json::{Map, Value as Json, json};

use super::World;
use crate::canonical::{canonical, canonical_record};
use crate::{Change, ENTITY, Edit, EntityId, Record, TRANSFORM, Transform, WorldError};

impl World {
    /// Checks an edit as a whole, writes it, and answers with what changed, in order; empty
    /// when everything already was so. A refused edit leaves the world as it was.
    ///
    /// Errors: `world/no_entity`, `world/parent_cycle`, `world/not_finite` and the other codes
    /// of [`WorldError`], naming the field.
    pub fn apply(&mut self, edit: Edit) -> Result<Vec<Change>, WorldError> {
        let mut changes = self.plan(edit)?;
        changes.retain(|change| change.before != change.after);
        self.redo(&changes)?;
        Ok(changes)
    }

    /// Applies edits in order; when one is refused, those before it are taken back.
    pub fn apply_all(&mut self, edits: impl IntoIterator<Item = Edit>) -> Result<Vec<Change>, WorldError> {
        let mut changes = Vec::new();
        for edit in edits {
            match self.apply(edit) {
                Ok(more) => changes.extend(more),
                Err(error) => {
                    self.revert(&changes)?;
                    return Err(error);
                }
            }
        }
        Ok(changes)
    }

    /// Moves an entity without a record of it: for play, whose movements are not authored.
    pub fn set_transform_live(&mut self, entity: EntityId, transform: Transform) -> Result<(), WorldError> {
        self.node(entity)?;
        self.place(entity, transform.checked()?);
        Ok(())
    }

    fn plan(&self, edit: Edit) -> Result<Vec<Change>, WorldError> {
        match edit {
            Edit::Spawn { name, parent, id } => self.plan_spawn(&name, parent, id),
            Edit::Despawn { entity } => self.plan_despawn(entity),
            Edit::Rename { entity, name } => {
                self.node(entity)?;
                check_name(&name)?;
                self.plan_entity(entity, "name", json!(name))
            }
            Edit::SetParent { entity, parent } => {
                self.node(entity)?;
                self.check_parent(entity, parent)?;
                self.plan_entity(entity, "parent", json!(parent))
            }
            Edit::SetTransform { entity, translation, rotation, scale } => {
                let before = self.transform(entity)?;
                let after = Transform {
                    translation: translation.unwrap_or(before.translation),
                    rotation: rotation.unwrap_or(before.rotation),
                    scale: scale.unwrap_or(before.scale),
                };
                self.plan_transform(entity, after)
            }
            Edit::AddComponent { entity, component, fields } => self.plan_add(entity, component, &fields),
            Edit::SetField { entity, component, field, value } => self.plan_set(entity, component, &field, &value),
            Edit::RemoveComponent { entity, component } => {
                check_removable(&component)?;
                let before = self.require_component(entity, &component)?.clone();
                Ok(vec![Change { entity, component, before: Some(Json::Object(before)), after: None }])
            }
        }
    }

    fn plan_spawn(
        &self,
        name: &str,
        parent: Option<EntityId>,
        id: Option<EntityId>,
    ) -> Result<Vec<Change>, WorldError> {
        check_name(name)?;
        if let Some(parent) = parent {
            self.node(parent)?;
        }
        let entity = match id {
            Some(entity) if self.contains(entity) => return Err(WorldError::IdTaken { entity }),
            Some(entity) => entity,
            None => EntityId::from_number(self.next_id).ok_or(WorldError::OutOfIds)?,
        };
        let after = Some(json!({ "name": name, "parent": parent }));
        Ok(vec![Change { entity, component: ENTITY.into(), before: None, after }])
    }

    /// Leaves first, so that the changes, taken back in reverse, make parents before children.
    fn plan_despawn(&self, entity: EntityId) -> Result<Vec<Change>, WorldError> {
        self.node(entity)?;
        let mut subtree = vec![entity];
        let mut next = 0;
        while let Some(entity) = subtree.get(next).copied() {
            subtree.extend_from_slice(&self.node(entity)?.children);
            next += 1;
        }
        let mut changes = Vec::new();
        for entity in subtree.into_iter().rev() {
            let record = self.record(entity)?;
            for component in record.states().rev() {
                let before = record.state(component);
                changes.push(Change { entity, component: component.to_owned(), before, after: None });
            }
        }
        Ok(changes)
    }

    fn plan_entity(&self, entity: EntityId, field: &str, value: Json) -> Result<Vec<Change>, WorldError> {
        let before = self.state(entity, ENTITY);
        let mut after = before.clone().unwrap_or_default();
        after[field] = value;
        Ok(vec![Change { entity, component: ENTITY.into(), before, after: Some(after) }])
    }

    fn plan_transform(&self, entity: EntityId, after: Transform) -> Result<Vec<Change>, WorldError> {
        let before = Some(self.transform(entity)?.to_json());
        let after = Some(after.checked()?.to_json());
        Ok(vec![Change { entity, component: TRANSFORM.into(), before, after }])
    }

    fn plan_add(&self, entity: EntityId, component: String, fields: &Record) -> Result<Vec<Change>, WorldError> {
        let node = self.node(entity)?;
        check_removable(&component)?;
        let schema = self.schemas.require(&component)?;
        if node.components.contains_key(&component) {
            return Err(WorldError::ComponentExists { entity, component });
        }
        let mut record = Map::new();
        for (field, value) in fields {
            record.insert(field.clone(), schema.normalise_field(field, value)?);
        }
        let record = canonical_record(&record, &component)?;
        Ok(vec![Change { entity, component, before: None, after: Some(Json::Object(record)) }])
    }

    fn plan_set(
        &self,
        entity: EntityId,
        component: String,
        field: &str,
        value: &Json,
    ) -> Result<Vec<Change>, WorldError> {
        match component.as_str() {
            TRANSFORM => return self.plan_transform(entity, self.transform(entity)?.with_part(field, value)?),
            ENTITY => return self.plan(self.entity_edit(entity, field, value)?),
            _ => {}
        }
        let before = self.require_component(entity, &component)?.clone();
        let path = || format!("{component}.{field}");
        let value = match self.schemas.get(&component) {
            Some(schema) => schema.normalise_field(field, value)?,
            None => canonical(value, &path())?,
        };
        let mut after = before.clone();
        after.insert(field.to_owned(), value);
        let after = canonical_record(&after, &path())?;
        Ok(vec![Change { entity, component, before: Some(Json::Object(before)), after: Some(Json::Object(after)) }])
    }

    fn entity_edit(&self, entity: EntityId, field: &str, value: &Json) -> Result<Edit, WorldError> {
        let wrong = |expected: &str| WorldError::WrongType {
            field: format!("{ENTITY}.{field}"),
            expected: expected.to_owned(),
            got: value.to_string(),
        };
        match (field, value) {
            ("name", Json::String(name)) => Ok(Edit::Rename { entity, name: name.clone() }),
            ("name", _) => Err(wrong("a string")),
            ("parent", Json::Null) => Ok(Edit::SetParent { entity, parent: None }),
            ("parent", Json::String(parent)) => Ok(Edit::SetParent { entity, parent: Some(parent.parse()?) }),
            ("parent", _) => Err(wrong("an entity's id such as ent_12, or null")),
            _ => Err(WorldError::UnknownField {
                owner: ENTITY.into(),
                field: field.to_owned(),
                known: vec!["name".into(), "parent".into()],
            }),
        }
    }

    pub(super) fn require_component(&self, entity: EntityId, component: &str) -> Result<&Record, WorldError> {
        let node = self.node(entity)?;
        node.components.get(component).ok_or_else(|| WorldError::NoComponent {
            entity,
            component: component.to_owned(),
            present: node.components.keys().cloned().collect(),
        })
    }

    fn check_parent(&self, entity: EntityId, parent: Option<EntityId>) -> Result<(), WorldError> {
        let Some(parent) = parent else { return Ok(()) };
        let mut above = Some(parent);
        while let Some(ancestor) = above {
            if ancestor == entity {
                return Err(WorldError::ParentCycle { entity, parent });
            }
            above = self.parent(ancestor)?;
        }
        Ok(())
    }
}

/// Every entity keeps its pseudo components.
fn check_removable(component: &str) -> Result<(), WorldError> {
    match component {
        ENTITY | TRANSFORM => Err(WorldError::Reserved { component: component.to_owned() }),
        _ => Ok(()),
    }
}

pub(crate) fn check_name(name: &str) -> Result<(), WorldError> {
    const LONGEST: usize = 256;
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST {
        "it is longer than 256 bytes"
    } else if name.chars().any(char::is_control) {
        "it has control characters"
    } else {
        return Ok(());
    };
    Err(WorldError::BadName { name: name.chars().take(40).collect(), reason })
}
