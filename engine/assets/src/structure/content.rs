use zero_base::{Diagnostic, Span};
use zero_source::{luau, yaml};
use zero_vfs::{Vfs, VfsPath};

use crate::data;
use crate::types::{Check, ContentCheck, DescribedKey, Format};

/// What starts a line, or a value, that nobody has written yet.
const UNWRITTEN: &str = "[[describe]]";

/// Checks one file against one condition of its type.
pub(super) fn check(vfs: &Vfs, file: &str, rule: &ContentCheck, problems: &mut Vec<Diagnostic>) {
    if let Check::Size { min_bytes, max_bytes } = rule.check {
        problems.extend(size(vfs, file, (min_bytes, max_bytes), rule));
        return;
    }
    let text = match data::text(vfs, file) {
        Ok(text) => text,
        Err(problem) => {
            problems.push(problem);
            return;
        }
    };
    match &rule.check {
        Check::Parse(format) => problems.extend(parse(&text, file, *format)),
        Check::Described { keys, headings, max_bytes } if keys.is_empty() => {
            described_text(&text, file, (headings, *max_bytes), rule, problems);
        }
        Check::Described { keys, .. } => described_keys(&text, file, keys, rule, problems),
        Check::Size { .. } => {}
    }
}

fn size(vfs: &Vfs, file: &str, limits: (Option<u64>, Option<u64>), rule: &ContentCheck) -> Option<Diagnostic> {
    let path = VfsPath::parse(file).ok()?;
    let size = vfs.stat(&path)?.size;
    let message = match limits {
        (Some(least), _) if size < least => format!("it has {size} bytes; at least {least} are needed"),
        (_, Some(most)) if size > most => format!("it has {size} bytes; at most {most} are allowed"),
        _ => return None,
    };
    Some(Diagnostic::error("asset/file_size", with_words(message, rule)).in_file(file))
}

fn parse(text: &str, file: &str, format: Format) -> Vec<Diagnostic> {
    match format {
        Format::Yaml => yaml::parse_file(text, file).err().unwrap_or_default(),
        Format::Luau => luau::parse(text).diagnostics.into_iter().map(|problem| problem.in_file(file)).collect(),
        Format::Json => match serde_json::from_str::<serde::de::IgnoredAny>(text) {
            Ok(_) => Vec::new(),
            Err(error) => {
                let place = Span::at(error.line().max(1) as u32, error.column().max(1) as u32);
                vec![Diagnostic::error("asset/bad_json", error.to_string()).in_file(file).at(place)]
            }
        },
    }
}

/// The whole file is the description.
fn described_text(
    text: &str,
    file: &str,
    (headings, max_bytes): (&[String], Option<u64>),
    rule: &ContentCheck,
    problems: &mut Vec<Diagnostic>,
) {
    if text.lines().all(|line| line.trim().is_empty() || line.starts_with('#')) {
        problems.push(unwritten("it has no text yet", rule).in_file(file));
        return;
    }
    if let Some(index) = text.lines().position(|line| line.trim_start().starts_with(UNWRITTEN)) {
        let line = index as u32 + 1;
        problems.push(
            unwritten("it still has a line that starts with [[describe]]", rule).in_file(file).at(Span::at(line, 1)),
        );
    }
    for heading in headings {
        let there = |line: &str| line.starts_with('#') && line.trim_start_matches('#').trim() == heading;
        if !text.lines().any(there) {
            problems.push(unwritten(&format!("it has no section '{heading}'"), rule).in_file(file));
        }
    }
    problems.extend(too_long("it", text.len(), max_bytes, rule).map(|problem| problem.in_file(file)));
}

/// Each of the keys holds a description.
fn described_keys(text: &str, file: &str, keys: &[DescribedKey], rule: &ContentCheck, problems: &mut Vec<Diagnostic>) {
    let document = match yaml::parse_file(text, file) {
        Ok(document) => document,
        Err(found) => {
            problems.extend(found);
            return;
        }
    };
    for DescribedKey { key, max_bytes } in keys {
        let Some(node) = document.get(key) else {
            problems.push(unwritten(&format!("it has no '{key}'"), rule).in_file(file).at(document.span()));
            continue;
        };
        let problem = match node.as_str().map(str::trim) {
            None => Some(unwritten(&format!("'{key}' is not a text"), rule)),
            Some("") => Some(unwritten(&format!("'{key}' has no text yet"), rule)),
            Some(text) if text.starts_with(UNWRITTEN) => {
                Some(unwritten(&format!("'{key}' still starts with [[describe]]"), rule))
            }
            Some(text) => too_long(&format!("'{key}'"), text.len(), *max_bytes, rule),
        };
        problems.extend(problem.map(|problem| problem.in_file(file).at(node.span())));
    }
}

/// Not written yet is a warning: the asset works, and sharing it is where the text is demanded.
fn unwritten(what: &str, rule: &ContentCheck) -> Diagnostic {
    Diagnostic::warning("asset/undescribed", with_words(what.to_owned(), rule))
}

fn too_long(what: &str, bytes: usize, max_bytes: Option<u64>, rule: &ContentCheck) -> Option<Diagnostic> {
    let most = max_bytes.filter(|most| bytes as u64 > *most)?;
    let message = format!("{what} has {bytes} bytes; at most {most} are allowed");
    Some(Diagnostic::error("asset/description_too_long", with_words(message, rule)))
}

/// The finding, and the type's own words for what to do.
fn with_words(finding: String, rule: &ContentCheck) -> String {
    match &rule.message {
        Some(words) => format!("{finding}. {words}"),
        None => finding,
    }
}
