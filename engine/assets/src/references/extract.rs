use zero_source::luau;
use zero_source::yaml::Node;
use zero_vfs::{Vfs, VfsPath};

use super::{Mention, ReferenceKind};
use crate::data;
use crate::types::{ReferenceRules, Registry};

/// Finds the names in one asset's files, as the types declare them.
pub(crate) struct Extractor<'a> {
    registry: &'a Registry,
    /// What the asset's own type says about its data files.
    own: Option<&'a ReferenceRules>,
}

impl<'a> Extractor<'a> {
    pub fn new(registry: &'a Registry, type_name: &str) -> Extractor<'a> {
        Extractor { registry, own: registry.get(type_name).map(|info| &info.references) }
    }

    /// The names in a file; none for one that cannot be read, which other checks report.
    pub fn read(&self, vfs: &Vfs, file: &VfsPath) -> Vec<Mention> {
        let Some((_, suffix)) = file.name().rsplit_once('.') else { return Vec::new() };
        match suffix {
            "luau" | "lua" => data::text(vfs, file.as_str()).map(|text| self.in_script(&text)).unwrap_or_default(),
            "yaml" | "yml" | "json" if self.own.is_some_and(|rules| !rules.keys.is_empty()) => {
                data::read(vfs, file.as_str()).map(|document| self.in_data(&document)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn in_script(&self, text: &str) -> Vec<Mention> {
        let chunk = luau::parse(text);
        let mut mentions: Vec<Mention> = Vec::new();
        for call in chunk.requires {
            let kind = ReferenceKind::Require;
            mentions.push(Mention { name: call.name, types: Vec::new(), kind, span: call.span });
        }
        for call in chunk.lookups {
            let types = call.type_.into_iter().collect();
            mentions.push(Mention { name: call.name, types, kind: ReferenceKind::Lookup, span: call.span });
        }
        for literal in luau::literal_calls(text) {
            let types = self.declared_types(&literal);
            if !types.is_empty() {
                let kind = ReferenceKind::Argument;
                mentions.push(Mention { name: literal.literal, types, kind, span: literal.span });
            }
        }
        mentions.retain(|mention| !mention.name.is_empty());
        mentions.sort_by_key(|mention| (mention.span, mention.kind));
        mentions
    }

    /// The categories that any type declares for an argument or a field of this call.
    fn declared_types(&self, literal: &luau::LiteralCall) -> Vec<String> {
        let mut types = Vec::new();
        for rules in self.registry.all().map(|info| &info.references) {
            match &literal.table_field {
                None => types.extend(
                    rules
                        .args
                        .iter()
                        .filter(|arg| arg.call == literal.callee && arg.position == literal.position)
                        .map(|arg| arg.type_name.clone()),
                ),
                Some(field) => types.extend(
                    rules
                        .fields
                        .iter()
                        .filter(|rule| rule.call == literal.callee && rule.field == *field)
                        .map(|rule| rule.type_name.clone()),
                ),
            }
        }
        types.dedup();
        types
    }

    fn in_data(&self, document: &Node) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for rule in self.own.iter().flat_map(|rules| &rules.keys) {
            let path: Vec<&str> = rule.key.split('.').collect();
            reach(document, &path, &mut |value| names_in(value, &rule.type_name, &mut mentions));
        }
        mentions.sort_by_key(|mention| mention.span);
        mentions
    }
}

/// Calls `visit` with every value at a path, where `*` is any key or item.
fn reach<'n>(node: &'n Node, path: &[&str], visit: &mut dyn FnMut(&'n Node)) {
    let Some((step, rest)) = path.split_first() else {
        visit(node);
        return;
    };
    if *step != "*" {
        if let Some(below) = node.get(step) {
            reach(below, rest, visit);
        }
        return;
    }
    node.items().iter().for_each(|item| reach(item, rest, visit));
    node.entries().iter().for_each(|entry| reach(&entry.value, rest, visit));
}

/// The value is a name, or a table of them.
fn names_in(value: &Node, type_name: &str, mentions: &mut Vec<Mention>) {
    let mut add = |node: &Node| {
        if let Some(name) = node.as_str().filter(|name| !name.is_empty()) {
            mentions.push(Mention {
                name: name.to_owned(),
                types: vec![type_name.to_owned()],
                kind: ReferenceKind::Key,
                span: node.span(),
            });
        }
    };
    add(value);
    value.items().iter().for_each(&mut add);
    value.entries().iter().for_each(|entry| add(&entry.value));
}
