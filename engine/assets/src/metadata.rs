//! The `.metadata` sidecar: guid, tags, tier, a description, and whatever else its author keeps
//! there. YAML; the JSON spelling reads the same.

use serde_json::{Map, Value as Json};
use zero_base::{Diagnostic, Guid};
use zero_source::yaml;
use zero_vfs::Vfs;

use crate::data;

/// The sidecar's file name.
pub(crate) const METADATA: &str = ".metadata";
/// The generated dependency list beside it.
pub(crate) const REFERENCES: &str = ".refs";

#[derive(Debug, Clone, Default, PartialEq)]
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
    match data::text(vfs, file) {
        Ok(text) => parse(&text, file),
        Err(problem) => Metadata { problems: vec![problem], ..Metadata::default() },
    }
}

/// The sidecar's text, as [`load`] takes it.
pub(crate) fn parse(text: &str, file: &str) -> Metadata {
    let document = match yaml::parse_file(text, file) {
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

/// What [`parse`] made of a sidecar without problems, from its document.
pub(crate) fn of_document(document: Json) -> Metadata {
    let text = |key: &str| document.get(key).and_then(Json::as_str);
    Metadata {
        guid: text("guid").and_then(|guid| guid.parse().ok()),
        tags: document.get("tags").and_then(strings).unwrap_or_default(),
        description: text("description").unwrap_or_default().trim().to_owned(),
        problems: Vec::new(),
        document,
    }
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
