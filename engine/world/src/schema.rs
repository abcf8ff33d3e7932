use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{ENTITY, Record, TRANSFORM, WorldError};

mod normalise;
#[cfg(test)]
mod tests;

pub use normalise::normalise;

/// A component type as data: what its script declared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComponentSchema {
    /// The name records carry it under.
    pub name: String,
    /// The identity of the asset that declares it.
    pub identity: String,
    /// In declared order.
    pub fields: Vec<FieldSchema>,
    /// The engine system that reads its data, if any.
    pub system: Option<String>,
    pub methods: Vec<String>,
    pub events: Vec<EventSchema>,
}

/// An event and the types of what it carries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventSchema {
    pub name: String,
    pub payload: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSchema {
    pub name: String,
    pub kind: FieldKind,
    /// Null stands for the kind's own zero.
    pub default: Json,
    pub sync: SyncMode,
    pub description: String,
    pub min: Option<f64>,
    pub max: Option<f64>,
}

/// Whether a field is shared with other players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SyncMode {
    Sync,
    Local,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FieldKind {
    Number,
    /// Whole numbers a double holds exactly.
    Integer,
    Boolean,
    String,
    Enum(Vec<String>),
    Vec2,
    Vec3,
    Vec4,
    /// x, y, z, w of a unit quaternion.
    Quat,
    Color,
    List(Box<FieldKind>),
    /// Exactly these fields, none of them required.
    Record(Vec<FieldSchema>),
    /// Any fields.
    OpenRecord,
    /// An asset's identity, or null for none.
    AssetRef {
        category: String,
    },
    /// An entity's id, or null for none.
    EntityRef,
}

impl FieldSchema {
    /// A field without range, description or default of its own.
    pub fn new(name: impl Into<String>, kind: FieldKind) -> FieldSchema {
        FieldSchema {
            name: name.into(),
            kind,
            default: Json::Null,
            sync: SyncMode::Sync,
            description: String::new(),
            min: None,
            max: None,
        }
    }

    pub fn with_default(mut self, default: Json) -> FieldSchema {
        self.default = default;
        self
    }

    pub fn in_range(mut self, min: Option<f64>, max: Option<f64>) -> FieldSchema {
        (self.min, self.max) = (min, max);
        self
    }
}

impl ComponentSchema {
    pub fn new(name: impl Into<String>, identity: impl Into<String>, fields: Vec<FieldSchema>) -> ComponentSchema {
        let (name, identity) = (name.into(), identity.into());
        ComponentSchema { name, identity, fields, system: None, methods: Vec::new(), events: Vec::new() }
    }

    pub fn field(&self, name: &str) -> Option<&FieldSchema> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Checks one field's value and puts it in its canonical form.
    pub fn normalise_field(&self, field: &str, value: &Json) -> Result<Json, WorldError> {
        self.require_field(field)?.normalise(value, &format!("{}.{field}", self.name))
    }

    fn require_field(&self, field: &str) -> Result<&FieldSchema, WorldError> {
        self.field(field).ok_or_else(|| WorldError::UnknownField {
            owner: self.name.clone(),
            field: field.to_owned(),
            known: self.fields.iter().map(|field| field.name.clone()).collect(),
        })
    }

    /// What `record` says of a field where it says it validly, else the default.
    pub fn field_with_default(&self, record: &Record, field: &str) -> Result<Json, WorldError> {
        let schema = self.require_field(field)?;
        Ok(normalise::filled(std::slice::from_ref(schema), record).remove(field).unwrap_or_default())
    }

    /// Every declared field, in declared order: what `record` says where it says it validly,
    /// else the default.
    pub fn with_defaults(&self, record: &Record) -> Record {
        normalise::filled(&self.fields, record)
    }
}

/// The component types the world knows.
#[derive(Debug, Clone, Default)]
pub struct Schemas {
    by_name: BTreeMap<String, ComponentSchema>,
}

impl Schemas {
    /// Adds or replaces a type. Refuses a declaration that contradicts itself: a default that
    /// does not fit its kind, a name used twice, an enum without choices.
    pub fn register(&mut self, schema: ComponentSchema) -> Result<(), WorldError> {
        let bad = |reason: String| WorldError::BadSchema { component: schema.name.clone(), reason };
        if matches!(schema.name.as_str(), ENTITY | TRANSFORM) || schema.name.is_empty() {
            return Err(bad("the name is taken by the engine".into()));
        }
        let fields = normalise::checked_fields(&schema.fields).map_err(bad)?;
        self.by_name.insert(schema.name.clone(), ComponentSchema { fields, ..schema });
        Ok(())
    }

    /// Records of the type stay and count as unknown from here on.
    pub fn unregister(&mut self, name: &str) -> Option<ComponentSchema> {
        self.by_name.remove(name)
    }

    pub fn get(&self, name: &str) -> Option<&ComponentSchema> {
        self.by_name.get(name)
    }

    pub fn require(&self, name: &str) -> Result<&ComponentSchema, WorldError> {
        self.get(name).ok_or_else(|| WorldError::UnknownComponent {
            component: name.to_owned(),
            known: self.by_name.keys().cloned().collect(),
        })
    }

    /// Sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &ComponentSchema> {
        self.by_name.values()
    }
}
