//! Natives of `luau-api/yaml.module`.

use serde_json::json;
use zero_base::{Diagnostic, Fault};
use zero_script::mlua::{Result, Value};
use zero_script::{fault_of, from_json, to_json};
use zero_source::yaml;

use crate::bind::Binder;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add("yamlEncode", |_, _, value: Value| Ok(yaml::emit(&to_json(&value)?)))?;
    binder.add("yamlDecode", |lua, _, text: String| {
        let node = yaml::parse(&text).map_err(refusal)?;
        from_json(lua, &node.to_json()).map_err(|e| fault_of(&e))
    })
}

/// The first problem is what the text says; a text of no file has a place in it all the same.
fn refusal(problems: Vec<Diagnostic>) -> Fault {
    let Some(first) = problems.first() else { return Fault::new("yaml/syntax", "the text is not YAML") };
    match first.span {
        Some(span) => Fault::new(
            first.code.clone(),
            format!("not YAML at line {}, column {}: {}", span.line, span.column, first.message),
        )
        .with_data(json!({ "line": span.line, "column": span.column })),
        None => Fault::new(first.code.clone(), format!("not YAML: {}", first.message)),
    }
}
