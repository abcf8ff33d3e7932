use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;
use zero_base::Hash;

use crate::VfsPath;

/// An open transaction. Numbers are not reused while the file system is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TxnId(pub u64);

impl fmt::Display for TxnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// What a transaction owns while it is open.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    File(VfsPath),
    Entity { scene: String, entity: String, component: String },
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::File(path) => write!(f, "{path}"),
            Key::Entity { scene, entity, component } => write!(f, "{component} of {entity} in {scene}"),
        }
    }
}

/// The component that makes an entity and says where it hangs.
pub const ENTITY: &str = "Entity";

/// One component of one entity before and after; `None` is "has no such component".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityChange {
    pub scene: String,
    pub entity: String,
    pub component: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub before: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub after: Option<Json>,
}

impl EntityChange {
    pub fn key(&self) -> Key {
        Key::Entity { scene: self.scene.clone(), entity: self.entity.clone(), component: self.component.clone() }
    }

    /// Whether anything is different after it.
    pub(crate) fn changes_anything(&self) -> bool {
        self.before != self.after
    }

    fn same_key(&self, other: &EntityChange) -> bool {
        self.entity == other.entity && self.component == other.component && self.scene == other.scene
    }
}

/// A field that is there holds a value, `null` included; only an absent one is `None`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// Adds `change` to `changes`; one that follows a change of the same key extends it. Changes of
/// other keys in between keep the two apart, because their order may matter.
pub(crate) fn push_merged(changes: &mut Vec<EntityChange>, change: EntityChange) {
    match changes.last_mut() {
        Some(last) if last.same_key(&change) => last.after = change.after,
        _ => changes.push(change),
    }
}

/// The changes with the same outcome in fewer records: new values of what is there before and
/// after stand for those they replace, and what is as it was is left out. Changes of [`ENTITY`]
/// stay as they are, and nothing is moved across them.
pub(crate) fn merged(changes: &[EntityChange]) -> Vec<EntityChange> {
    let mut merged: Vec<EntityChange> = Vec::with_capacity(changes.len());
    let mut latest: HashMap<Key, usize> = HashMap::new();
    for change in changes {
        let key = change.key();
        if change.component == ENTITY {
            latest.clear();
            merged.push(change.clone());
            continue;
        }
        let is_new_value = change.before.is_some() && change.after.is_some();
        match latest.get(&key) {
            Some(&at) if is_new_value => merged[at].after = change.after.clone(),
            _ => {
                latest.remove(&key);
                if change.after.is_some() {
                    latest.insert(key, merged.len());
                }
                merged.push(change.clone());
            }
        }
    }
    merged.retain(EntityChange::changes_anything);
    merged
}

/// A path with its content hash before and after; `None` is "no such file".
pub type FileChange = (VfsPath, Option<Hash>, Option<Hash>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Written,
    Removed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A caller of the engine.
    Local,
    /// Another program that changed files of the world.
    External,
}

/// The visible content of a file became another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEvent {
    pub path: VfsPath,
    pub change: ChangeKind,
    pub origin: Origin,
    /// The open transaction that did it; none for the play shadow and for external edits.
    pub txn: Option<TxnId>,
}
