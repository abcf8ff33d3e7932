use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Fault;

/// The lasting name of an asset: survives rename, move and edit. Written `ast_` and 32 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(u128);

impl Guid {
    /// A new guid from the operating system's generator.
    pub fn random() -> Guid {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the operating system's random generator answers");
        Guid(u128::from_le_bytes(bytes))
    }

    /// The guid that `name` always gives: for things that must have one before anyone wrote it down.
    pub fn derived(name: &str) -> Guid {
        let hash = crate::Hash::of(name.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.as_bytes()[..16]);
        Guid(u128::from_le_bytes(bytes))
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ast_{:032x}", self.0)
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Guid {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Guid, Fault> {
        text.strip_prefix("ast_")
            .filter(|digits| digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u128::from_str_radix(digits, 16).ok())
            .map(Guid)
            .ok_or_else(|| Fault::new("base/guid", format!("'{text}' is not a guid: expected ast_ and 32 hex digits")))
    }
}

impl Serialize for Guid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Guid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Guid, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips() {
        let guid = Guid::random();
        assert_eq!(guid.to_string().parse::<Guid>().unwrap(), guid);
        assert_eq!(Guid::derived("a"), Guid::derived("a"));
        assert_ne!(Guid::derived("a"), Guid::derived("b"));
        assert!("ast_+0000000000000000000000000000001".parse::<Guid>().is_err());
    }
}
