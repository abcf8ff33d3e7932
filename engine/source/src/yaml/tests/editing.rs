use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::yaml::edit::{remove, set};
use crate::yaml::{emit, parse};

const FILE: &str = "\
# Kept by hand.
name: \"Kit\"   # quoted on purpose
version: 1

settings:  # what it does
  speed: 2.50
  # the colours
  colors: [red, green]   # two
  note: |
    Long
    text

# End of settings.
tags:
- a
- b
last: {x: 1, \"y\": 2}
";

/// Sets a value in [`FILE`]; `changed` are the lines that differ, before and after.
fn check_set(path: &[&str], value: Json, changed: (&str, &str)) {
    let edited = set(FILE, path, &value).unwrap();
    assert!(FILE.contains(changed.0), "{}", changed.0);
    assert_eq!(edited, FILE.replacen(changed.0, changed.1, 1), "{path:?}");
    assert_eq!(parse(&edited).unwrap().at(path).map(|node| node.to_json()), Some(value));
}

fn check_remove(path: &[&str], changed: (&str, &str)) {
    let edited = remove(FILE, path).unwrap();
    assert_eq!(edited, FILE.replacen(changed.0, changed.1, 1), "{path:?}");
}

#[test]
fn a_value_changes_and_nothing_else_does() {
    check_set(&["name"], json!("Kit"), ("", ""));
    check_set(&["name"], json!("My kit"), ("name: \"Kit\"   # quoted", "name: My kit   # quoted"));
    check_set(&["version"], json!("2"), ("version: 1", "version: \"2\""));
    check_set(&["settings", "speed"], json!(2.5), ("", ""));
    check_set(&["settings", "speed"], json!(3), ("speed: 2.50", "speed: 3"));
    check_set(&["settings", "colors"], json!([1, 2]), ("[red, green]   # two", "[1, 2]   # two"));
    check_set(&["settings", "colors"], json!(["blue"]), ("[red, green]   # two", "  # two\n    - blue"));
    check_set(&["settings", "note"], json!("short"), ("|\n    Long\n    text\n", "short\n"));
    check_set(&["settings", "note"], json!("a\nb\n"), ("    Long\n    text\n", "    a\n    b\n"));
    check_set(&["tags"], json!(["c"]), ("tags:\n- a\n- b\n", "tags:\n  - c\n"));
    check_set(&["last", "y"], json!([1]), ("\"y\": 2", "\"y\": [1]"));
}

#[test]
fn a_map_is_changed_key_by_key() {
    let value = json!({ "speed": 4, "colors": ["red", "green"], "extra": { "deep": true } });
    let before = "  speed: 2.50\n  # the colours\n  colors: [red, green]   # two\n  note: |\n    Long\n    text\n";
    let after = "  speed: 4\n  # the colours\n  colors: [red, green]   # two\n  extra:\n    deep: true\n";
    check_set(&["settings"], value, (before, after));
    check_set(
        &["settings"],
        json!(null),
        (&format!("settings:  # what it does\n{before}"), "settings: null  # what it does\n"),
    );
    check_set(&["last"], json!({ "x": 2, "z": 3 }), ("{x: 1, \"y\": 2}", "{x: 2, z: 3}"));
}

#[test]
fn missing_keys_are_added_where_they_belong() {
    check_set(&["new"], json!("x"), ("\"y\": 2}\n", "\"y\": 2}\nnew: x\n"));
    check_set(&["settings", "new"], json!([{ "a": 1 }]), ("    text\n", "    text\n  new:\n    - a: 1\n"));
    check_set(&["a", "b"], json!(1), ("\"y\": 2}\n", "\"y\": 2}\na:\n  b: 1\n"));
    check_set(&["last", "z"], json!("q, r"), ("\"y\": 2", "\"y\": 2, z: \"q, r\""));
    check_set(&["last", "z", "w"], json!(1), ("\"y\": 2", "\"y\": 2, z: {w: 1}"));
}

#[test]
fn entries_are_removed_with_their_lines() {
    check_remove(&["version"], ("version: 1\n", ""));
    check_remove(&["settings", "colors"], ("  colors: [red, green]   # two\n", ""));
    check_remove(&["settings", "note"], ("  note: |\n    Long\n    text\n", ""));
    check_remove(&["tags"], ("tags:\n- a\n- b\n", ""));
    check_remove(&["last", "x"], ("{x: 1, \"y\"", "{\"y\""));
    check_remove(&["last", "y"], ("{x: 1, \"y\": 2}", "{x: 1}"));
    assert_eq!(remove("a: 1 # one\n", &["a"]).unwrap(), "{}\n");
    assert_eq!(remove("m: # c\n  # d\n  a: 1\nn: 2\n", &["m", "a"]).unwrap(), "m: {} # c\n  # d\nn: 2\n");
}

#[test]
fn odd_layouts_are_edited_or_refused_but_never_damaged() {
    let check = |text: &str, path: &[&str], value: Json, expected: &str| {
        assert_eq!(set(text, path, &value).as_deref(), Ok(expected), "{text}");
    };
    check("", &["a"], json!(1), "a: 1\n");
    check("# head\n\n", &["a", "b"], json!(1), "# head\na:\n  b: 1\n");
    check("{}", &["a"], json!(1), "a: 1");
    check("a:\n", &["a", "b"], json!(1), "a:\n  b: 1\n");
    check("a: # c\n", &["a", "b"], json!(1), "a: # c\n  b: 1\n");
    check("a: {} # c\nb: 1", &["a", "x"], json!(1), "a: # c\n  x: 1\nb: 1");
    check("a: 1", &["b"], json!(2), "a: 1\nb: 2\n");
    check("a: 1\r\nb:\r\n  c: 2\r\n", &["b", "d"], json!({ "e": 1 }), "a: 1\r\nb:\r\n  c: 2\r\n  d:\r\n    e: 1\r\n");
    check("a:\n    b: 1\n", &["a", "c"], json!(2), "a:\n    b: 1\n    c: 2\n");
    check("{\n  \"a\": 1\n}\n", &["b"], json!("x"), "{\n  \"a\": 1, b: x\n}\n");
    check("{a, b: }", &["a"], json!(1), "{a: 1, b: }");
    check("a : 1\n", &["a"], json!(2), "a : 2\n");
    check("a: one\n  two # c\nb: 1\n", &["a"], json!("x"), "a: x # c\nb: 1\n");

    let refuse = |text: &str, path: &[&str], words: &str| {
        let problems = set(text, path, &json!(5)).expect_err(text);
        assert_eq!(problems[0].code, "yaml/edit", "{}", problems[0]);
        assert!(problems[0].message.contains(words), "{}", problems[0]);
    };
    refuse("a: 1\n", &["a", "b"], "leads through a number");
    refuse("a: [1]\n", &["a", "b"], "leads through a list");
    refuse("a: &x {k: 1}\nb: *x\n", &["b", "k"], "cannot be changed");
    refuse("a: &x {k: 1}\nb: *x\n", &["a"], "cannot be changed");
    refuse("a: 1\n", &[], "cannot be changed");
    assert_eq!(set("a: [\n", &["a"], &json!(1)).unwrap_err()[0].code, "yaml/syntax");
    let missing = remove("speed: 1\n", &["sped"]).unwrap_err();
    assert_eq!(missing[0].message, "there is no 'sped' to remove; did you mean 'speed'?");
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d e", "1", "é"]).prop_map(str::to_owned)
}

fn tree() -> impl Strategy<Value = Json> {
    let leaf = prop::sample::select(vec![
        json!(null),
        json!(1),
        json!(2.5),
        json!("x"),
        json!("two\nlines\n"),
        json!([1, 2]),
        json!([]),
        json!({}),
        json!(["p", {"q": 1}]),
    ]);
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop::collection::vec((key(), inner), 1..5)
            .prop_map(|pairs| Json::Object(pairs.into_iter().collect::<Map<_, _>>()))
    })
}

/// Canonical text with a comment above each line outside literal blocks, and some beside.
fn commented(tree: &Json) -> (String, usize) {
    let mut text = String::new();
    let mut count = 0;
    let mut literal = None;
    for line in emit(tree).lines() {
        let indent = line.len() - line.trim_start().len();
        if literal.is_some_and(|outer| indent > outer) {
            text.push_str(&format!("{line}\n"));
            continue;
        }
        literal = line.ends_with('|').then_some(indent);
        text.push_str(&format!("{}# c{count}\n{line}\n", " ".repeat(indent)));
        count += 1;
    }
    (text, count)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_mean_what_they_say(tree in tree(), path in prop::collection::vec(key(), 1..4), value in tree()) {
        let tree = if tree.is_object() { tree } else { json!({ "a": tree }) };
        let (text, _) = commented(&tree);
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Ok(edited) = set(&text, &path, &value) {
            let node = parse(&edited).unwrap();
            prop_assert_eq!(node.at(&path).map(|node| node.to_json()), Some(value.clone()));
            // Comments outside the value that was replaced are all still there.
            let inside = parse(&text).unwrap().at(&path).map_or(0, |node| {
                let lines: Vec<&str> = text.lines().collect();
                let span = node.span();
                lines[span.line as usize - 1..span.end_line as usize - 1].iter().filter(|line| line.contains("# c")).count() + 1
            });
            let count = |text: &str| text.matches("# c").count();
            prop_assert!(count(&edited) + inside >= count(&text), "{}\n---\n{}", text, edited);
        } else {
            let through_other = (0..path.len()).any(|length| {
                path[..length].iter().try_fold(&tree, |json, key| json.get(key)).is_some_and(|json| !json.is_object() && !json.is_null())
            });
            prop_assert!(through_other, "set {:?} to {} in\n{}", path, value, text);
        }
        if let Ok(edited) = remove(&text, &path) {
            prop_assert!(parse(&edited).unwrap().at(&path).is_none());
        } else {
            prop_assert!(path.iter().try_fold(&tree, |json, key| json.get(key)).is_none(), "remove {:?} in\n{}", path, text);
        }
    }

    #[test]
    fn odd_text_is_edited_as_asked_or_refused(
        lines in prop::collection::vec(prop::sample::select(vec![
            "a: 1", "b:", "  a: &x {a: 1, b}", "  b: *x", "c: &y", "  a: |+", "    text", "", "# c", "  ? b", "  : 2", "d: [1,", "  2]",
            "b: *y", "  - a: 1", "  -", "a: >-", "\"a\": 'q'  # é", "---", "...", "c: {a: {b: 1}, }", "  a : x", "b: ! 1", "\t", "c: {}",
        ]), 0..9),
        ending in prop::sample::select(vec!["\n", "\r\n"]),
        path in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 0..4),
        value in tree(),
    ) {
        let text = lines.join(ending);
        if let Ok(edited) = set(&text, &path, &value) {
            prop_assert_eq!(parse(&edited).unwrap().at(&path).map(|node| node.to_json()), Some(value));
        }
        if let Ok(edited) = remove(&text, &path) {
            prop_assert!(parse(&edited).unwrap().at(&path).is_none());
        }
    }
}
