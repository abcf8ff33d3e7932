use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A blake3 content hash. Written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Hashes `bytes` in one go.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(*blake3::hash(bytes).as_bytes())
    }

    pub const fn from_bytes(bytes: [u8; 32]) -> Hash {
        Hash(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 12 hex digits: enough for a person to compare, never for a look-up.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// The text is not 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a hash: expected 64 hex digits")]
pub struct HashParseError {
    pub text: String,
}

impl FromStr for Hash {
    type Err = HashParseError;

    fn from_str(text: &str) -> Result<Hash, HashParseError> {
        let error = || HashParseError { text: text.chars().take(80).collect() };
        if text.len() != 64 || !text.is_ascii() {
            return Err(error());
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[index * 2..index * 2 + 2], 16).map_err(|_| error())?;
        }
        Ok(Hash(bytes))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Hashes many parts into one [`Hash`]. Every part is length-prefixed, so that
/// `["ab", "c"]` and `["a", "bc"]` differ.
#[derive(Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    pub fn new() -> Hasher {
        Hasher::default()
    }

    pub fn part(&mut self, bytes: &[u8]) -> &mut Hasher {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub fn finish(&self) -> Hash {
        Hash(*self.0.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips_and_rejects_other_text() {
        let hash = Hash::of(b"zero");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert!("abc".parse::<Hash>().is_err());
        assert!("é".repeat(32).parse::<Hash>().is_err());
        assert!(format!("{}g", &hash.to_string()[..63]).parse::<Hash>().is_err());
    }

    #[test]
    fn parts_are_length_prefixed() {
        let joined = |parts: &[&str]| {
            let mut hasher = Hasher::new();
            parts.iter().for_each(|part| {
                hasher.part(part.as_bytes());
            });
            hasher.finish()
        };
        assert_ne!(joined(&["ab", "c"]), joined(&["a", "bc"]));
    }
}
