//! The protocol by which a process uses a world that another process owns: `POST /call` with
//! a caller and an operation, answered by the outcome; `POST /cancel` gives a call up.

mod client;
mod silence;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use zero_base::{Caller, Transport};
use zero_runtime::Op;

use crate::ProgramError;

pub use client::{ConnectError, Remote};
pub use silence::{SILENCE_BORNE, Silence};

pub const MAX_NAME_BYTES: usize = 64;

/// A [`Caller`] as it travels. Its cancellation travels apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WireCaller {
    pub name: String,
    pub transport: Transport,
    /// Time left, not a point in time: clocks of two processes need not agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_millis: Option<u64>,
    #[serde(default)]
    pub read_only: bool,
}

/// Body of `POST /call`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRequest {
    /// Names the call for `POST /cancel`; chosen by whoever sends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub caller: WireCaller,
    pub op: Op,
}

/// Body of `POST /cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelRequest {
    pub id: String,
}

/// Answer of `GET /health`: who listens here, without a word about the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    pub program: String,
    pub version: String,
    pub pid: u32,
    pub started_at: u64,
}

impl WireCaller {
    pub fn of(caller: &Caller) -> WireCaller {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now()).as_millis() as u64;
        WireCaller {
            name: caller.name.clone(),
            transport: caller.transport,
            deadline_millis: caller.deadline.map(left),
            read_only: caller.read_only,
        }
    }

    /// The caller on whose behalf the owner acts. What only the engine says of itself is not
    /// taken from the wire.
    pub fn into_caller(self) -> Result<Caller, ProgramError> {
        let mut caller = Caller::new(
            check_name(&self.name)?,
            match self.transport {
                Transport::Engine | Transport::External => Transport::Http,
                transport => transport,
            },
        );
        caller.deadline = self.deadline_millis.map(|millis| Instant::now() + Duration::from_millis(millis));
        caller.read_only = self.read_only;
        Ok(caller)
    }
}

/// Answers `name` if it is one a caller may go by.
pub fn check_name(name: &str) -> Result<&str, ProgramError> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(plain) {
        return Ok(name);
    }
    Err(ProgramError::CallerName { name: name.chars().take(80).collect() })
}

/// The caller name nearest to what a client calls itself, or none when nothing is left of it.
pub fn name_from(label: &str) -> Option<String> {
    let mut name = String::new();
    for c in label.chars().take(MAX_NAME_BYTES) {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '_') => name.push(c),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_end_matches('-').to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_survives_the_wire_except_for_what_it_may_not_claim() {
        let mut caller = Caller::new("fern-2", Transport::Stdio).until(Instant::now() + Duration::from_secs(60));
        caller.read_only = true;
        let text = serde_json::to_string(&WireCaller::of(&caller)).unwrap();
        let arrived = serde_json::from_str::<WireCaller>(&text).unwrap().into_caller().unwrap();
        assert_eq!((arrived.name.as_str(), arrived.transport, arrived.read_only), ("fern-2", Transport::Stdio, true));
        assert!(arrived.deadline.is_some());
        let claimed = WireCaller::of(&Caller::engine()).into_caller().unwrap();
        assert_eq!(claimed.transport, Transport::Http);
        assert!(serde_json::from_str::<WireCaller>(r#"{"name":"a","transport":"shell","admin":true}"#).is_err());
    }

    #[test]
    fn names_keep_to_their_letters() {
        for good in ["a", "fern_2", "claude-code"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "Fern", "a b", "é", "a/b", &"x".repeat(65)] {
            assert_eq!(check_name(bad).unwrap_err().code(), "caller/name", "{bad}");
        }
        assert_eq!(name_from("Claude Code (CLI)").as_deref(), Some("claude-code-cli"));
        assert_eq!(name_from("???"), None);
    }
}
