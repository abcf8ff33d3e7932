use std::fmt::Write;

use serde_json::{Map, Number, Value as Json};

use super::{Value, scalar};

/// Canonical text: block maps and lists, short lists of numbers on one line, strings plain
/// where they cannot be misread. Keys keep the order given. The same data gives the same bytes,
/// and `parse(&emit(x))?.to_json() == x` for data within the reader's budgets.
pub fn emit(value: &Json) -> String {
    let mut out = String::new();
    match value {
        Json::Object(map) if !map.is_empty() => map_entries(&mut out, map, 0),
        Json::Array(items) if !items.is_empty() && inline_numbers(items).is_none() => list_items(&mut out, items, 0),
        _ => {
            leaf(&mut out, value, 0);
            end_line(&mut out);
        }
    }
    out
}

/// One line, as it stands inside brackets: `{a: 1, b: [x, y]}`.
pub fn emit_flow(value: &Json) -> String {
    let mut out = String::new();
    flow(&mut out, value);
    out
}

/// The text after `key:` or `-`, starting with a space or a line break, without a last line
/// break. Nested lines are indented by `indent` spaces.
pub fn emit_after(value: &Json, indent: usize) -> String {
    let mut out = String::new();
    after_key(&mut out, value, indent);
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// A key as it is written before its colon.
pub fn emit_key(key: &str) -> String {
    let mut out = String::new();
    string(&mut out, key, Place::Key);
    out
}

fn map_entries(out: &mut String, map: &Map<String, Json>, indent: usize) {
    for (key, value) in map {
        start_line(out, indent);
        // A reader may stop looking for the colon after 1024 characters.
        if key.len() > 512 {
            out.push_str("? ");
            string(out, key, Place::Key);
            out.push('\n');
            start_line(out, indent);
        } else {
            string(out, key, Place::Key);
        }
        out.push(':');
        after_key(out, value, indent + 2);
    }
}

fn after_key(out: &mut String, value: &Json, indent: usize) {
    match value {
        Json::Object(map) if !map.is_empty() => {
            out.push('\n');
            map_entries(out, map, indent);
        }
        Json::Array(items) if !items.is_empty() && inline_numbers(items).is_none() => {
            out.push('\n');
            list_items(out, items, indent);
        }
        _ => {
            out.push(' ');
            leaf(out, value, indent);
            end_line(out);
        }
    }
}

fn list_items(out: &mut String, items: &[Json], indent: usize) {
    for item in items {
        start_line(out, indent);
        out.push('-');
        match item {
            // The first entry shares the line of the dash.
            Json::Object(map) if !map.is_empty() => {
                out.push(' ');
                let start = out.len();
                map_entries(out, map, indent + 2);
                out.replace_range(start..start + indent + 2, "");
            }
            _ => after_key(out, item, indent + 2),
        }
    }
}

fn leaf(out: &mut String, value: &Json, indent: usize) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(value) => number(out, value),
        Json::String(text) if literal_is_safe(text) => literal(out, text, indent),
        Json::String(text) => string(out, text, Place::Block),
        Json::Array(items) => out.push_str(&inline_numbers(items).unwrap_or_else(|| "[]".into())),
        Json::Object(_) => out.push_str("{}"),
    }
}

fn flow(out: &mut String, value: &Json) {
    match value {
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                flow(out, item);
            }
            out.push(']');
        }
        Json::Object(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                string(out, key, Place::Flow);
                out.push_str(": ");
                flow(out, item);
            }
            out.push('}');
        }
        Json::String(text) => string(out, text, Place::Flow),
        _ => leaf(out, value, 0),
    }
}

/// The one-line form of a list that has only numbers and fits on a line.
fn inline_numbers(items: &[Json]) -> Option<String> {
    const WIDEST: usize = 100;
    let mut out = String::from("[");
    for (index, item) in items.iter().enumerate() {
        let Json::Number(value) = item else { return None };
        out.push_str(if index == 0 { "" } else { ", " });
        number(&mut out, value);
        if out.len() > WIDEST {
            return None;
        }
    }
    out.push(']');
    Some(out)
}

fn number(out: &mut String, value: &Number) {
    // Debug is the shortest text that reads back as the same float, and always marks it as one.
    let written = match value.as_f64() {
        Some(float) if value.is_f64() => write!(out, "{float:?}"),
        _ => write!(out, "{value}"),
    };
    written.expect("a string takes all text");
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Block,
    Key,
    Flow,
}

fn string(out: &mut String, text: &str, place: Place) {
    if plain_is_safe(text, place) {
        out.push_str(text);
    } else {
        quoted(out, text);
    }
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_printable(c) => out.push(c),
            c => {
                let code = u32::from(c);
                let written = match code {
                    0..=0xff => write!(out, "\\x{code:02x}"),
                    0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
                written.expect("a string takes all text");
            }
        }
    }
    out.push('"');
}

/// Written without quotes, the text reads back as the same string.
fn plain_is_safe(text: &str, place: Place) -> bool {
    const LONGEST_KEY: usize = 512;
    let Some(first) = text.chars().next() else { return false };
    let starts_well = first.is_alphanumeric() || matches!(first, '_' | '/' | '$' | '(' | '+' | '.' | '<' | '^' | ';');
    let chars_fit = text.chars().all(|c| {
        let reserved = match place {
            Place::Flow => matches!(c, ',' | '[' | ']' | '{' | '}' | ':' | '?' | '#'),
            Place::Block | Place::Key => false,
        };
        is_printable(c) && !reserved
    });
    starts_well
        && chars_fit
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.starts_with("...")
        && !(place == Place::Key && text.len() > LONGEST_KEY)
        // As a key, this would ask for a merge.
        && text != "<<"
        && matches!(scalar::resolve(text), Ok(Value::String(_)))
}

/// Several lines that a literal block shows as they are: no blank or indented start, no
/// invisible spaces at line ends, at most one line break at the end.
fn literal_is_safe(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n', '\t'])
        && body.split('\n').all(|line| !line.ends_with([' ', '\t']) && !line.starts_with('\t'))
        && body.chars().all(|c| c == '\n' || c == '\t' || is_printable(c))
}

fn literal(out: &mut String, text: &str, indent: usize) {
    // At the root, content may not start at the margin.
    let indent = indent.max(2);
    let body = text.strip_suffix('\n').unwrap_or(text);
    out.push_str(if body.len() < text.len() { "|" } else { "|-" });
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            start_line(out, indent);
            out.push_str(line);
        }
    }
}

fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}'
        | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}

fn start_line(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn end_line(out: &mut String) {
    out.push('\n');
}
