use proptest::prelude::*;
use serde_json::{Map, Number, Value as Json, json};

use crate::yaml::emit::emit_flow;
use crate::yaml::{emit, parse};

#[test]
fn canonical_text_is_what_a_person_would_write() {
    let value = json!({
        "scene": 1,
        "name": "Old oak",
        "mesh": "@builtin::meshes.cube",
        "position": [0, 1.5, -2e-7],
        "matrix": [[1, 0], [0, 1]],
        "empty": [],
        "none": null,
        "sure": true,
        "entities": [{ "id": "ent_1", "components": { "Mesh": {} } }, [1, "a"], [], "text"],
        "about": "First line.\n\n  Indented: #1\nLast line.\n",
        "open": "a\nb",
    });
    let expected = "\
scene: 1
name: Old oak
mesh: \"@builtin::meshes.cube\"
position: [0, 1.5, -2e-7]
matrix:
  - [1, 0]
  - [0, 1]
empty: []
none: null
sure: true
entities:
  - id: ent_1
    components:
      Mesh: {}
  -
    - 1
    - a
  - []
  - text
about: |
  First line.

    Indented: #1
  Last line.
open: |-
  a
  b
";
    assert_eq!(emit(&value), expected);
    assert_eq!(parse(expected).unwrap().to_json(), value);
}

#[test]
fn strings_are_quoted_only_where_they_could_be_misread() {
    let plain = [
        "a",
        "a b",
        "kit.beats",
        "/zero/source/a",
        "a:b",
        "a#b",
        "it's",
        "é",
        "3d",
        "v1.0",
        "a, b",
        "a [b]",
        "(x)",
        "yes",
        "on",
        "y",
        "2024-01-01",
        "1_000",
    ];
    for text in plain {
        assert_eq!(emit(&json!(text)), format!("{text}\n"));
    }
    let quoted = [
        "",
        " a",
        "a ",
        "true",
        "Null",
        "~",
        "12",
        "1.5",
        "0x1f",
        "1e3",
        ".inf",
        "- a",
        "-",
        "a: b",
        "a:",
        "a #b",
        "#a",
        "@a",
        "*a",
        "&a",
        "!a",
        "%a",
        "[a",
        "{a",
        "'a",
        "\"a",
        "|",
        ">",
        "?",
        ":a",
        "<<",
        "=",
        "`a",
        "---",
        "...",
        "a\tb",
        "a\r\nb",
        "\u{7f}",
        "\u{feff}a",
        "a\u{2028}b",
        "\u{85}",
        "\u{0}",
    ];
    for text in quoted {
        let written = emit(&json!(text));
        assert!(written.starts_with('"'), "{written}");
        assert_eq!(parse(&written).unwrap().to_json(), json!(text));
    }
}

#[test]
fn long_keys_and_long_lists_survive() {
    let value = json!({ "k".repeat(3000): { "l".repeat(600): [1, 2] }, "n": (0..200).collect::<Vec<_>>() });
    assert_eq!(parse(&emit(&value)).unwrap().to_json(), value);
}

fn text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\t",
        "\r",
        ":",
        ": ",
        "#",
        " #",
        "-",
        "- ",
        "a",
        "b c",
        "é",
        "😀",
        "\"",
        "'",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        "&",
        "*",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "?",
        "true",
        "null",
        "1",
        "0.5",
        "1e5",
        "---",
        "...",
        "~",
        "<<",
        "\u{0}",
        "\u{1b}",
        "\u{7f}",
        "\u{85}",
        "\u{a0}",
        "\u{2028}",
        "\u{feff}",
        "\u{fffd}",
        "\u{10ffff}",
        "=",
        ".nan",
        "_",
    ]);
    prop_oneof![prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat()), any::<String>()]
}

fn number() -> impl Strategy<Value = Json> {
    let float = any::<f64>().prop_filter_map("finite", |value| Number::from_f64(value).map(Json::Number));
    prop_oneof![any::<i64>().prop_map(Json::from), any::<u64>().prop_map(Json::from), float]
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number(),
        text().prop_map(Json::String),
        prop::collection::vec(number(), 0..20).prop_map(Json::Array),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
            prop::collection::vec((text(), inner), 0..6)
                .prop_map(|pairs| Json::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_emitted_reads_back(value in value()) {
        let written = emit(&value);
        let read = parse(&written).map(|node| node.to_json());
        prop_assert_eq!(read.as_ref(), Ok(&value), "{}", written);
        prop_assert_eq!(emit(&read.unwrap()), written);
        let flow = emit_flow(&value);
        let read = parse(&flow).map(|node| node.to_json());
        prop_assert_eq!(read, Ok(value), "{}", flow);
    }

    #[test]
    fn no_text_panics(text in text()) {
        let _ = parse(&text);
    }
}
