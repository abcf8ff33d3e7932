//! `type.yaml` into [`TypeInfo`]: as much of it as can be read, and what is wrong with the rest.

use serde_json::Value as Json;
use zero_base::{Diagnostic, Severity};
use zero_source::yaml::Node;

use super::form::Form;
use super::{
    Check, ContentCheck, DescribedKey, FileRule, FileRuleKind, FileRules, Format, IdentityRule, NameSource,
    ReferenceArg, ReferenceField, ReferenceKey, ReferenceRules, TypeInfo,
};
use crate::layout::is_name;
use crate::pattern::PathPattern;

const IDENTITY_RULES: &[(&str, IdentityRule)] =
    &[("path", IdentityRule::Path), ("typeName", IdentityRule::TypeName), ("toolboxTool", IdentityRule::ToolboxTool)];
const FORMATS: &[(&str, Format)] = &[("json", Format::Json), ("luau", Format::Luau), ("yaml", Format::Yaml)];
const PREVIEW_KINDS: &[(&str, ())] = &[("custom", ()), ("image", ()), ("instantiate", ()), ("surface", ())];

/// Fills `info` from its declaration.
pub(crate) fn parse_type(document: &Node, mut info: TypeInfo) -> TypeInfo {
    let file = info.file();
    let mut found = Vec::new();
    let problems = &mut found;
    let mut form = Form::new(document, &file, "a type", problems);

    if let Some(suffix) = form.text("suffix", problems) {
        let suffix = suffix.strip_prefix('.').unwrap_or(suffix);
        if is_name(suffix) {
            info.suffix = suffix.to_owned();
        } else {
            let message = format!("'{suffix}' is no suffix: letters, digits and _, starting with a letter");
            problems.push(Diagnostic::error("asset/bad_type", message).in_file(&file));
        }
    }
    info.description = form.text("description", problems).unwrap_or_default().trim().to_owned();
    info.identity = form.word("identity", IDENTITY_RULES, problems).unwrap_or_default();
    info.container = form.flag("container", problems);
    info.system = form.flag("system", problems);
    info.requirable = form.flag("requirable", problems);
    info.within = form.texts("within", problems);
    info.marker = form.text("marker", problems).map(str::to_owned);
    info.name_from = form.value("name_from").and_then(|node| name_source(node, &file, problems));
    info.primary = form.texts("primary", problems);
    if let Some(node) = form.value("files") {
        info.files = file_rules(node, &file, problems);
    }
    if let Some(node) = form.value("references") {
        info.references = references(node, &file, problems);
    }
    info.settings = json_map(&mut form, "settings", problems);
    info.describe = json_map(&mut form, "describe", problems);
    info.preview = preview(&mut form, &file, problems);
    info.indexing = indexing(&mut form, &file, problems);
    if let Some(node) = form.value("inspector") {
        let mut inspector = Form::new(node, &file, "an inspector block", problems);
        info.inspector = inspector.text("type", problems).map(str::to_owned);
        inspector.finish(problems);
    }
    form.finish(problems);

    // A toolbox's tool is called by the name of the asset it lies in, so it must lie in one.
    if info.identity == IdentityRule::ToolboxTool && info.within.is_empty() {
        let message = "identity toolboxTool needs 'within': the types such an asset lies in";
        problems.push(Diagnostic::error("asset/bad_type", message).in_file(&file));
    }
    info.diagnostics = found;
    info
}

fn name_source(node: &Node, file: &str, problems: &mut Vec<Diagnostic>) -> Option<NameSource> {
    let mut form = Form::new(node, file, "name_from", problems);
    let source = (form.text("file", problems), form.text("key", problems));
    let (Some(from), Some(key)) = source else {
        form.require("file and key", problems);
        return None;
    };
    form.finish(problems);
    Some(NameSource { file: from.to_owned(), key: key.to_owned() })
}

fn file_rules(node: &Node, file: &str, problems: &mut Vec<Diagnostic>) -> FileRules {
    let mut form = Form::new(node, file, "files", problems);
    let mut rules = |form: &mut Form, key| -> Vec<FileRule> {
        form.list(key).into_iter().filter_map(|node| file_rule(node, file, problems)).collect()
    };
    let required = rules(&mut form, "required");
    let optional = rules(&mut form, "optional");
    let allow_unlisted = form.flag("allow_unlisted", problems);
    form.finish(problems);
    FileRules { required, optional, allow_unlisted }
}

/// A rule is a map, or just the path.
fn file_rule(node: &Node, file: &str, problems: &mut Vec<Diagnostic>) -> Option<FileRule> {
    let bare = |path| FileRule {
        path,
        alternatives: Vec::new(),
        kind: FileRuleKind::File,
        severity: Severity::Error,
        content: Vec::new(),
        description: String::new(),
    };
    if let Some(text) = node.as_str() {
        return pattern(text, node, file, problems).map(bare);
    }
    let mut form = Form::new(node, file, "a file rule", problems);
    let Some(path) = form.value("path") else {
        form.require("path", problems);
        return None;
    };
    let mut rule = bare(pattern(path.as_str().unwrap_or_default(), path, file, problems)?);
    for other in form.list("or") {
        rule.alternatives.extend(pattern(other.as_str().unwrap_or_default(), other, file, problems));
    }
    let kinds = [("asset", 'a'), ("file", 'f'), ("folder", 'd')];
    let of_type = form.text("type", problems);
    rule.kind = match form.word("kind", &kinds, problems) {
        Some('a') => FileRuleKind::Asset(of_type.map(str::to_owned)),
        Some('d') => FileRuleKind::Folder,
        _ => FileRuleKind::File,
    };
    let severities = [("error", Severity::Error), ("warning", Severity::Warning)];
    rule.severity = form.word("severity", &severities, problems).unwrap_or(Severity::Error);
    rule.description = form.text("description", problems).unwrap_or_default().to_owned();
    rule.content = form.list("content").into_iter().filter_map(|node| content_check(node, file, problems)).collect();
    form.finish(problems);
    Some(rule)
}

fn pattern(text: &str, node: &Node, file: &str, problems: &mut Vec<Diagnostic>) -> Option<PathPattern> {
    let pattern = PathPattern::parse(text);
    if pattern.is_none() {
        let message = format!("'{text}' is no path inside an asset");
        problems.push(Diagnostic::error("asset/bad_type", message).in_file(file).at(node.span()));
    }
    pattern
}

fn content_check(node: &Node, file: &str, problems: &mut Vec<Diagnostic>) -> Option<ContentCheck> {
    let mut form = Form::new(node, file, "a content check", problems);
    let kinds = [("described", 'd'), ("parse", 'p'), ("size", 's')];
    let kind = form.word("check", &kinds, problems);
    let message = form.text("message", problems).map(str::to_owned);
    let check = match kind {
        Some('d') => Check::Described {
            keys: form.list("keys").into_iter().filter_map(|node| described_key(node, file, problems)).collect(),
            headings: form.texts("headings", problems),
            max_bytes: form.count("max_bytes", problems),
        },
        Some('p') => match form.word("format", FORMATS, problems) {
            Some(format) => Check::Parse(format),
            None => {
                form.require("format", problems);
                return None;
            }
        },
        Some(_) => {
            Check::Size { min_bytes: form.count("min_bytes", problems), max_bytes: form.count("max_bytes", problems) }
        }
        None => {
            form.require("check", problems);
            return None;
        }
    };
    form.finish(problems);
    Some(ContentCheck { check, message })
}

fn described_key(node: &Node, file: &str, problems: &mut Vec<Diagnostic>) -> Option<DescribedKey> {
    if let Some(key) = node.as_str() {
        return Some(DescribedKey { key: key.to_owned(), max_bytes: None });
    }
    let mut form = Form::new(node, file, "a described key", problems);
    let Some(key) = form.text("key", problems) else {
        form.require("key", problems);
        return None;
    };
    let max_bytes = form.count("max_bytes", problems);
    form.finish(problems);
    Some(DescribedKey { key: key.to_owned(), max_bytes })
}

fn references(node: &Node, file: &str, problems: &mut Vec<Diagnostic>) -> ReferenceRules {
    let mut rules = ReferenceRules::default();
    let mut form = Form::new(node, file, "references", problems);
    for node in form.list("keys") {
        let mut item = Form::new(node, file, "a reference key", problems);
        if let Some([key, type_name]) = named(&mut item, ["key", "type"], problems) {
            // A key declared again holds the later category.
            rules.keys.retain(|earlier: &ReferenceKey| earlier.key != key);
            rules.keys.push(ReferenceKey { key, type_name, span: node.span() });
        }
        item.finish(problems);
    }
    for node in form.list("args") {
        let mut item = Form::new(node, file, "a reference argument", problems);
        let position = item.count("position", problems).filter(|position| (1..=64).contains(position));
        if let Some([call, type_name]) = named(&mut item, ["call", "type"], problems) {
            match position {
                Some(position) => {
                    let position = position as usize;
                    rules.args.push(ReferenceArg { call, position, type_name, span: node.span() });
                }
                None => item.require("position, counted from 1,", problems),
            }
        }
        item.finish(problems);
    }
    for node in form.list("fields") {
        let mut item = Form::new(node, file, "a reference field", problems);
        if let Some([call, field, type_name]) = named(&mut item, ["call", "field", "type"], problems) {
            rules.fields.retain(|earlier: &ReferenceField| earlier.call != call || earlier.field != field);
            rules.fields.push(ReferenceField { call, field, type_name, span: node.span() });
        }
        item.finish(problems);
    }
    form.finish(problems);
    rules
}

/// The texts of keys that must all be there.
fn named<const N: usize>(
    form: &mut Form,
    keys: [&'static str; N],
    problems: &mut Vec<Diagnostic>,
) -> Option<[String; N]> {
    let texts = keys.map(|key| form.text(key, problems).map(str::to_owned));
    if texts.iter().any(Option::is_none) {
        form.require(&keys.join(" and "), problems);
        return None;
    }
    Some(texts.map(Option::unwrap_or_default))
}

fn json_map(form: &mut Form, key: &'static str, problems: &mut Vec<Diagnostic>) -> Json {
    let Some(node) = form.value(key) else { return Json::Null };
    let map = node.is_map().then(|| node.to_json());
    form.or_report(map, node, key, "a map of keys", problems).unwrap_or(Json::Null)
}

fn preview(form: &mut Form, file: &str, problems: &mut Vec<Diagnostic>) -> Json {
    let Some(node) = form.value("preview") else { return Json::Null };
    // Recipes carry keys of their own; only the choice of recipe is the same for all.
    if Form::new(node, file, "preview", problems).word("kind", PREVIEW_KINDS, problems).is_none() {
        return Json::Null;
    }
    node.to_json()
}

/// `none`, or the recipe.
fn indexing(form: &mut Form, file: &str, problems: &mut Vec<Diagnostic>) -> Json {
    let Some(node) = form.value("indexing") else { return Json::Null };
    if node.as_str() == Some("none") {
        return node.to_json();
    }
    let mut recipe = Form::new(node, file, "indexing", problems);
    for part in ["content", "facets"] {
        recipe.list(part);
    }
    recipe.finish(problems);
    if node.is_map() { node.to_json() } else { Json::Null }
}
