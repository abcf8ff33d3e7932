//! Changes one value of a person's file and leaves every other byte as it was: comments,
//! order, quoting, keys nobody knows.
//!
//! Every result is read back and compared with what was asked for; a file laid out in a way
//! that cannot be changed safely (a map shared by aliases, `? ` keys) is refused with
//! `yaml/edit` and never damaged.

use std::ops::Range;

use serde_json::{Map, Value as Json};
use zero_base::Diagnostic;

use super::emit::{emit_after, emit_flow, emit_key};
use super::node::Layout;
use super::{Entry, Node, Value, emit, parse};

/// The text with the value under a path of keys, which are made where they are missing. A map
/// that takes the place of a map is changed key by key. Errors: those of [`parse`], and
/// `yaml/edit`.
pub fn set(text: &str, path: &[&str], value: &Json) -> Result<String, Vec<Diagnostic>> {
    let root = parse(text)?;
    let before = root.to_json();
    if value_at(&before, path) == Some(value) {
        return Ok(text.to_owned());
    }
    let expected = with_value(before, path, value.clone()).ok_or_else(|| not_a_map(&root, path))?;
    let edited = match (root.at(path), value) {
        (Some(node), Json::Object(map)) if !node.entries().is_empty() && !map.is_empty() => {
            set_each(text, path, node, map)?
        }
        _ => set_at(text, &root, path, value).ok_or_else(|| unsafe_edit(&root, path))?,
    };
    verified(edited, &expected, &root, path)
}

/// The text without the entry under a path of keys. Errors: those of [`parse`], and
/// `yaml/edit` for an entry that is not there.
pub fn remove(text: &str, path: &[&str]) -> Result<String, Vec<Diagnostic>> {
    let root = parse(text)?;
    let Some((last, parents)) = path.split_last() else { return Err(unsafe_edit(&root, path)) };
    let parent = root.at(parents).filter(|parent| parent.is_map()).ok_or_else(|| not_a_map(&root, path))?;
    let Some(at) = parent.entries().iter().position(|entry| entry.key == *last) else {
        let keys: Vec<&str> = parent.entries().iter().map(|entry| entry.key.as_str()).collect();
        let message = format!("there is no '{}' to remove{}", path.join("."), zero_base::did_you_mean(last, &keys));
        return Err(vec![Diagnostic::error("yaml/edit", message).at(parent.span).choices(last, &keys)]);
    };
    let edited = match parent.source.layout {
        Layout::Block => remove_from_block(text, &root, parents, at),
        Layout::Flow => Some(remove_from_flow(text, parent.entries(), at)),
        _ => None,
    };
    let edited = edited.ok_or_else(|| unsafe_edit(&root, path))?;
    let expected = without(root.to_json(), path);
    verified(edited, &expected, &root, path)
}

fn set_each(text: &str, path: &[&str], node: &Node, map: &Map<String, Json>) -> Result<String, Vec<Diagnostic>> {
    let mut edited = text.to_owned();
    // Set before removing, so that the map never becomes empty on the way.
    for (key, value) in map {
        edited = set(&edited, &[path, &[key]].concat(), value)?;
    }
    for entry in node.entries().iter().filter(|entry| !map.contains_key(&entry.key)) {
        edited = remove(&edited, &[path, &[&entry.key]].concat())?;
    }
    Ok(edited)
}

fn set_at(text: &str, root: &Node, path: &[&str], value: &Json) -> Option<String> {
    let Some((last, parents)) = path.split_last() else {
        return matches!(root.value, Value::Null).then(|| append_document(text, value)).flatten();
    };
    match root.at(parents) {
        Some(parent) if !parent.entries().is_empty() => match parent.entry(last) {
            Some(entry) => Some(replace(text, parent, entry, value)),
            None => add(text, parent, last, value),
        },
        // Null, an empty map or nothing: it becomes a map with this one entry.
        _ => {
            let wrapped = Json::Object(Map::from_iter([((*last).to_owned(), value.clone())]));
            match (parents.is_empty(), root.source.layout) {
                (true, Layout::Flow) => Some(splice(text, root.source.bytes.clone(), emit(&wrapped).trim_end())),
                _ => set_at(text, root, parents, &wrapped),
            }
        }
    }
}

fn append_document(text: &str, value: &Json) -> Option<String> {
    let kept = text.trim_end();
    let gap = if kept.is_empty() { "" } else { newline(text) };
    let end = kept.len();
    Some(splice(text, end..text.len(), &format!("{gap}{}", emit(value))))
}

fn replace(text: &str, parent: &Node, entry: &Entry, value: &Json) -> String {
    let after_key = entry.key_bytes.end;
    let colon = text[after_key..].find(|c: char| !c.is_whitespace()).map(|at| after_key + at);
    let colon = colon.filter(|at| text[*at..].starts_with(':'));
    let end = content_end(text, &entry.value).max(colon.map_or(after_key, |colon| colon + 1));
    if parent.source.layout == Layout::Flow {
        // A key in brackets may stand alone, and then has no colon.
        let (start, gap) = colon.map_or((after_key, ": "), |colon| (colon + 1, " "));
        return splice(text, start..end, &format!("{gap}{}", emit_flow(value)));
    }
    let start = colon.map_or(after_key, |colon| colon + 1);
    let written = emit_after(value, indent_of(text, entry.key_bytes.start) + 2);
    // The comment beside the key stays beside it, whether the old value began on that line or
    // the new one does.
    let first_line = line_end(text, start);
    let comment = match first_line < end {
        true => comment_in(&text[start..first_line], entry.value.source.layout),
        false => "",
    };
    let (head, tail) = written.split_at(written.find('\n').unwrap_or(written.len()));
    let rest = match first_line < end {
        true => String::new(),
        false => text[end..first_line].to_owned(),
    };
    let end = if first_line < end { end } else { first_line };
    splice(text, start..end, &format!("{head}{comment}{rest}{tail}"))
}

/// The comment on the line of a key whose value goes on below it.
fn comment_in(line: &str, layout: Layout) -> &str {
    let line = line.trim_end();
    match (layout, line.find(" #")) {
        (Layout::Block | Layout::BlockScalar, Some(at)) => &line[line[..at].trim_end().len()..],
        _ => "",
    }
}

fn add(text: &str, parent: &Node, key: &str, value: &Json) -> Option<String> {
    let (first, last) = (parent.entries().first()?, parent.entries().last()?);
    let end = content_end(text, &last.value).max(last.key_bytes.end);
    if parent.source.layout == Layout::Flow {
        let entry = emit_flow(&Json::Object(Map::from_iter([(key.to_owned(), value.clone())])));
        return Some(splice(text, end..end, &format!(", {}", &entry[1..entry.len() - 1])));
    }
    let indent = indent_of(text, first.key_bytes.start);
    let end = line_end(text, end);
    let written = format!("\n{}{}:{}", " ".repeat(indent), emit_key(key), emit_after(value, indent + 2));
    let last_break = if end == text.len() { "\n" } else { "" };
    Some(splice(text, end..end, &format!("{written}{last_break}")))
}

fn remove_from_block(text: &str, root: &Node, parents: &[&str], at: usize) -> Option<String> {
    let entries = root.at(parents)?.entries();
    let entry = &entries[at];
    let start = line_start(text, entry.key_bytes.start);
    if !text[start..entry.key_bytes.start].bytes().all(|byte| byte == b' ') {
        return None;
    }
    let end = line_end(text, content_end(text, &entry.value).max(entry.key_bytes.end));
    let end = if text[end..].starts_with("\r\n") { end + 2 } else { (end + 1).min(text.len()) };
    if entries.len() > 1 {
        return Some(splice(text, start..end, ""));
    }
    // A map that loses its last entry is an empty map, not null.
    let Some((name, above)) = parents.split_last() else {
        return Some(splice(text, start..end, "{}\n"));
    };
    let key = root.at(above)?.entry(name)?.key_bytes.end;
    // What an alias repeats stands elsewhere, perhaps before the key.
    let colon = key + text.get(key..start)?.find(':')? + 1;
    Some(format!("{} {{}}{}{}", &text[..colon], &text[colon..start], &text[end..]))
}

fn remove_from_flow(text: &str, entries: &[Entry], at: usize) -> String {
    let end_of = |entry: &Entry| content_end(text, &entry.value).max(entry.key_bytes.end);
    let range = match (entries.get(at + 1), at) {
        (Some(next), _) => entries[at].key_bytes.start..next.key_bytes.start,
        (None, 0) => entries[at].key_bytes.start..end_of(&entries[at]),
        (None, _) => end_of(&entries[at - 1])..end_of(&entries[at]),
    };
    splice(text, range, "")
}

/// Where the text of a value ends, without the blank lines and comments the parser counts in.
fn content_end(text: &str, node: &Node) -> usize {
    let bytes = &node.source.bytes;
    match (node.source.layout, &node.value) {
        (Layout::BlockScalar, _) => bytes.start + text[bytes.clone()].trim_end().len(),
        (Layout::Block, Value::List(items)) => items.last().map_or(bytes.end, |item| content_end(text, item)),
        (Layout::Block, Value::Map(entries)) => {
            entries.last().map_or(bytes.end, |entry| content_end(text, &entry.value).max(entry.key_bytes.end))
        }
        _ => bytes.end,
    }
}

fn splice(text: &str, range: Range<usize>, with: &str) -> String {
    let with = if newline(text) == "\r\n" { with.replace('\n', "\r\n") } else { with.to_owned() };
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Before the line break.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

fn indent_of(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].chars().count()
}

fn value_at<'a>(json: &'a Json, path: &[&str]) -> Option<&'a Json> {
    path.iter().try_fold(json, |json, key| json.get(key))
}

/// None when the path leads through something that is no map.
fn with_value(json: Json, path: &[&str], value: Json) -> Option<Json> {
    let Some((first, rest)) = path.split_first() else { return Some(value) };
    let mut map = match json {
        Json::Object(map) => map,
        Json::Null => Map::new(),
        _ => return None,
    };
    let inner = map.get(*first).cloned().unwrap_or(Json::Null);
    map.insert((*first).to_owned(), with_value(inner, rest, value)?);
    Some(Json::Object(map))
}

fn without(mut json: Json, path: &[&str]) -> Json {
    if let Some((last, parents)) = path.split_last()
        && let Some(map) =
            parents.iter().try_fold(&mut json, |json, key| json.get_mut(key)).and_then(Json::as_object_mut)
    {
        map.remove(*last);
    }
    json
}

fn verified(edited: String, expected: &Json, root: &Node, path: &[&str]) -> Result<String, Vec<Diagnostic>> {
    match parse(&edited) {
        Ok(node) if node.to_json() == *expected => Ok(edited),
        _ => Err(unsafe_edit(root, path)),
    }
}

fn unsafe_edit(root: &Node, path: &[&str]) -> Vec<Diagnostic> {
    let message = format!(
        "'{}' is written in a way that cannot be changed without touching the rest (aliases, '? ' keys or the whole \
         document); edit the text itself",
        path.join(".")
    );
    vec![Diagnostic::error("yaml/edit", message).at(deepest(root, path).span)]
}

fn not_a_map(root: &Node, path: &[&str]) -> Vec<Diagnostic> {
    let node = deepest(root, path);
    let message = format!("'{}' leads through a {}, which has no keys", path.join("."), node.type_name());
    vec![Diagnostic::error("yaml/edit", message).at(node.span)]
}

/// The last node of the path that is there.
fn deepest<'a>(root: &'a Node, path: &[&str]) -> &'a Node {
    let mut node = root;
    for key in path {
        match node.get(key) {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}
