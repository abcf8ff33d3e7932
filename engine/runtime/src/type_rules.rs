//! What the code of an asset's type says is wrong with the asset. The rules themselves stand in
//! `builtin/assetTypes`, and nowhere else.

use std::rc::Rc;

use serde_json::Value as Json;
use zero_base::{Diagnostic, Guid, Severity, Span};

use crate::shared::Shared;

/// Empty for an asset that is gone, and for one whose type has no code that looks.
pub(crate) fn findings(shared: &Rc<Shared>, guid: &Guid) -> Vec<Diagnostic> {
    let main = {
        let state = shared.state.borrow();
        let Some(asset) = state.assets.get(guid) else { return Vec::new() };
        state.assets.body(asset).unwrap_or_else(|| asset.path.clone())
    };
    match shared.machine().type_problems(&guid.to_string()) {
        Ok(rows) => rows.as_array().into_iter().flatten().map(|row| diagnostic(row, main.as_str())).collect(),
        Err(fault) => vec![Diagnostic::error("validate.hook_failed", fault.message).in_file(main.as_str())],
    }
}

fn diagnostic(row: &Json, main: &str) -> Diagnostic {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let severity = match row["severity"].as_str() {
        Some("warning") => Severity::Warning,
        Some("info") => Severity::Info,
        _ => Severity::Error,
    };
    let number = |key: &str| row[key].as_u64().and_then(|number| u32::try_from(number).ok());
    let found = Diagnostic::new(severity, text("code"), text("message")).in_file(row["path"].as_str().unwrap_or(main));
    match number("line") {
        Some(line) => found.at(Span::at(line, number("column").unwrap_or(1))),
        None => found,
    }
}
