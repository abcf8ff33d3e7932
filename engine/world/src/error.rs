use zero_base::{Fault, did_you_mean};

use crate::EntityId;

/// Why an edit or a value was refused. The world is as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorldError {
    #[error("there is no entity {entity}; it was despawned or never was")]
    NoEntity { entity: EntityId },

    #[error("no entity is named '{name}'{}", did_you_mean(.name, .names))]
    NoEntityNamed { name: String, names: Vec<String> },

    #[error("{} entities are named '{name}': {}; use an id", .ids.len(), listed(.ids))]
    AmbiguousName { name: String, ids: Vec<EntityId> },

    #[error("'{text}' is not an entity id: expected ent_ and a number, such as ent_12")]
    BadId { text: String },

    #[error("the id {entity} is taken; spawn without an id to get a free one")]
    IdTaken { entity: EntityId },

    #[error("the scene has used up its ids; the last one is {}", EntityId::LAST)]
    OutOfIds,

    #[error("'{name}' cannot name an entity: {reason}")]
    BadName { name: String, reason: &'static str },

    #[error("{entity} cannot hang below {parent}, which is {entity} itself or one of its descendants")]
    ParentCycle { entity: EntityId, parent: EntityId },

    #[error("{field} is not finite; use a finite number")]
    NotFinite { field: String },

    #[error("{field} expects {expected}, got {got}")]
    WrongType { field: String, expected: String, got: String },

    #[error("{field} is {got}, outside {range}")]
    OutOfRange { field: String, got: String, range: String },

    #[error("{field} has no length and is no rotation; use [0, 0, 0, 1] for none")]
    ZeroRotation { field: String },

    #[error("{field} cannot be '{got}'; choose one of: {}{}", .choices.join(", "), did_you_mean(.got, .choices))]
    NotAChoice { field: String, got: String, choices: Vec<String> },

    #[error("{field} is nested more than {limit} deep")]
    TooDeep { field: String, limit: usize },

    #[error("{owner} has no field '{field}'{}; it has: {}", did_you_mean(.field, .known), or_none(.known))]
    UnknownField { owner: String, field: String, known: Vec<String> },

    #[error("there is no component type '{component}'{}", did_you_mean(.component, .known))]
    UnknownComponent { component: String, known: Vec<String> },

    #[error("{entity} has no component '{component}'{}; it has: {}", did_you_mean(.component, .present), or_none(.present))]
    NoComponent { entity: EntityId, component: String, present: Vec<String> },

    #[error("{entity} already has a {component}; set its fields, or remove it first")]
    ComponentExists { entity: EntityId, component: String },

    #[error("every entity has {component} and keeps it; set its fields instead")]
    Reserved { component: String },

    #[error("the component type '{component}' is wrongly declared: {reason}")]
    BadSchema { component: String, reason: String },

    #[error("the change of {component} on {entity} cannot be put back: {reason}")]
    Conflict { entity: EntityId, component: String, reason: String },
}

impl WorldError {
    pub fn code(&self) -> &'static str {
        match self {
            WorldError::NoEntity { .. } | WorldError::NoEntityNamed { .. } => "world/no_entity",
            WorldError::AmbiguousName { .. } => "world/ambiguous_entity",
            WorldError::BadId { .. } => "world/bad_id",
            WorldError::IdTaken { .. } => "world/id_taken",
            WorldError::OutOfIds => "world/out_of_ids",
            WorldError::BadName { .. } => "world/bad_name",
            WorldError::ParentCycle { .. } => "world/parent_cycle",
            WorldError::NotFinite { .. } => "world/not_finite",
            WorldError::WrongType { .. } => "world/wrong_type",
            WorldError::OutOfRange { .. } => "world/out_of_range",
            WorldError::ZeroRotation { .. } => "world/zero_rotation",
            WorldError::NotAChoice { .. } => "world/not_a_choice",
            WorldError::TooDeep { .. } => "world/too_deep",
            WorldError::UnknownField { .. } => "world/unknown_field",
            WorldError::UnknownComponent { .. } => "world/unknown_component",
            WorldError::NoComponent { .. } => "world/no_component",
            WorldError::ComponentExists { .. } => "world/component_exists",
            WorldError::Reserved { .. } => "world/reserved_component",
            WorldError::BadSchema { .. } => "world/bad_schema",
            WorldError::Conflict { .. } => "world/conflict",
        }
    }
}

impl From<WorldError> for Fault {
    fn from(error: WorldError) -> Fault {
        let fault = Fault::new(error.code(), error.to_string());
        match &error {
            WorldError::AmbiguousName { ids, .. } => fault.with_data(serde_json::json!({ "ids": ids })),
            WorldError::NotAChoice { choices, .. } => fault.with_data(serde_json::json!({ "choices": choices })),
            _ => fault,
        }
    }
}

fn listed(ids: &[EntityId]) -> String {
    const LISTED: usize = 16;
    let mut text = ids.iter().take(LISTED).map(EntityId::to_string).collect::<Vec<_>>().join(", ");
    if ids.len() > LISTED {
        text.push_str(&format!(" and {} more", ids.len() - LISTED));
    }
    text
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
