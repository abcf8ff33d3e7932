use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::WorldError;

/// An entity's lasting name, written `ent_12`: counted per scene, never used twice in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(u64);

impl EntityId {
    /// The largest number: what a JSON reader still holds exactly.
    pub const LAST: EntityId = EntityId(1 << 53);

    /// None for 0 and for numbers past [`EntityId::LAST`].
    pub const fn from_number(number: u64) -> Option<EntityId> {
        if number == 0 || number > EntityId::LAST.0 { None } else { Some(EntityId(number)) }
    }

    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ent_{}", self.0)
    }
}

impl fmt::Debug for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for EntityId {
    type Err = WorldError;

    fn from_str(text: &str) -> Result<EntityId, WorldError> {
        let digits = text.strip_prefix("ent_").unwrap_or_default();
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
        let number = if plain { digits.parse().ok() } else { None };
        number
            .and_then(EntityId::from_number)
            .ok_or_else(|| WorldError::BadId { text: text.chars().take(80).collect() })
    }
}

impl Serialize for EntityId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EntityId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EntityId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_id_has_one_spelling() {
        assert_eq!("ent_12".parse::<EntityId>().unwrap().to_string(), "ent_12");
        for text in ["", "ent_", "ent_0", "ent_01", "ent_+1", "ent_-1", "12", "Ent_1", "ent_99999999999999999999"] {
            assert_eq!(text.parse::<EntityId>().unwrap_err().code(), "world/bad_id", "{text}");
        }
    }
}
