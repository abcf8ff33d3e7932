//! The `.metadata` sidecar: guid, tags, tier, a description, and whatever else its author keeps
//! there. YAML; the JSON spelling reads the same.

use serde_json::{Map, Value as Json};
use zero_base::{Diagnostic, Guid};
use zero_vfs::Vfs;

use crate::data;

/// The sidecar's file name.
pub(crate) const METADATA: &str = ".metadata";
/// The generated dependency list beside it.
pub(crate) const REFERENCES: &str = ".refs";

#[derive(Debug, Clone, Default)]
pub(crate) struct Metadata {
    pub guid: Option<Guid>,
    pub tags: Vec<String>,
    pub description: String,
    /// Everything, unknown keys included.
    pub document: Json,
    pub problems: Vec<Diagnostic>,
}

/// Reads the sidecar at `file`; what is wrong with it becomes a diagnostic, never a refusal.
pub(crate) fn load(vfs: &Vfs, file: &str) -> Metadata {
    let document = match data::read(vfs, file) {
        Ok(document) => document,
        Err(problems) => return Metadata { problems, ..Metadata::default() },
    };
    let mut metadata = Metadata { document: document.to_json(), ..Metadata::default() };
    if metadata.document.is_null() {
        metadata.document = Json::Object(Map::new());
    }
    if !metadata.document.is_object() {
        let message = "metadata is a map of keys, such as guid and tags";
        metadata.problems.push(problem(file, message).at(document.span()));
        return metadata;
    }
    if let Some(node) = document.get("guid") {
        match node.as_str().map(str::parse) {
            Some(Ok(guid)) => metadata.guid = Some(guid),
            _ => metadata
                .problems
                .push(problem(file, "'guid' is ast_ and 32 hex digits; leave it out to be given one").at(node.span())),
        }
    }
    if let Some(node) = document.get("tags") {
        match strings(&node.to_json()) {
            Some(tags) => metadata.tags = tags,
            None => metadata.problems.push(problem(file, "'tags' is a list of words").at(node.span())),
        }
    }
    if let Some(text) = document.get("description").and_then(|node| node.as_str()) {
        metadata.description = text.trim().to_owned();
    }
    metadata
}

/// `text` with `guid` in it: written at the top when it has none, otherwise as it was.
pub(crate) fn with_guid(text: &str, guid: Guid) -> String {
    let has_guid = zero_source::yaml::parse(text).is_ok_and(|document| document.get("guid").is_some());
    if has_guid {
        return text.to_owned();
    }
    match text.trim_start().strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with('}') => format!("{{ \"guid\": \"{guid}\"{rest}"),
        Some(rest) => format!("{{ \"guid\": \"{guid}\",{rest}"),
        None => format!("guid: {guid}\n{text}"),
    }
}

fn strings(value: &Json) -> Option<Vec<String>> {
    let list = match value {
        Json::Null => return Some(Vec::new()),
        Json::Array(list) => list,
        _ => return None,
    };
    list.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn problem(file: &str, message: &str) -> Diagnostic {
    Diagnostic::error("asset/bad_metadata", message).in_file(file)
}
