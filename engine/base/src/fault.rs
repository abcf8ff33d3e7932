use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Diagnostic;

/// A refusal on its way to a caller: one stable code, a message that says what failed, why,
/// and the valid choices or the next call. Crates keep their own error enums; a `Fault` is
/// what they turn into where they leave Rust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} [{code}]")]
pub struct Fault {
    pub code: Cow<'static, str>,
    pub message: String,
    /// What a program needs to act on the refusal: hashes, owners, choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

impl Fault {
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Fault {
        Fault { code: code.into(), message: message.into(), data: None, diagnostics: Vec::new() }
    }

    pub fn with_data(mut self, data: serde_json::Value) -> Fault {
        self.data = Some(data);
        self
    }

    pub fn with_diagnostics(mut self, diagnostics: Vec<Diagnostic>) -> Fault {
        self.diagnostics = diagnostics;
        self
    }
}

impl From<Diagnostic> for Fault {
    fn from(diagnostic: Diagnostic) -> Fault {
        let place = match (&diagnostic.path, diagnostic.span) {
            (Some(path), Some(span)) => format!("{path}:{}:{}: ", span.line, span.column),
            (Some(path), None) => format!("{path}: "),
            _ => String::new(),
        };
        Fault {
            code: diagnostic.code.clone(),
            message: format!("{place}{}", diagnostic.message),
            data: None,
            diagnostics: vec![diagnostic],
        }
    }
}
