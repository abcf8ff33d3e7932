use serde_json::{Value as Json, json};

use crate::yaml::{MAX_BYTES, MAX_DEPTH, parse, parse_file};

fn check(text: &str, expected: Json) {
    assert_eq!(parse(text).map(|node| node.to_json()), Ok(expected), "{text}");
}

/// Text that is refused: the code, the line, and words of the message.
fn refuse(text: &str, code: &str, line: u32, words: &str) {
    let problems = parse(text).expect_err(text);
    let first = &problems[0];
    let place = first.span.map_or(0, |span| span.line);
    assert_eq!((first.code.as_ref(), place), (code, line), "{first} in {text}");
    assert!(first.message.contains(words), "'{}' does not say '{words}'", first.message);
}

#[test]
fn plain_text_follows_the_core_schema() {
    let text =
        "[null, ~, true, FALSE, yes, 12, -7, +3, 0x1F, 0o17, 1.5, .5, 3., 1e3, -2.5E-1, 1_000, 2024-01-01, 1.2.3, v1]";
    let expected = json!([
        null,
        null,
        true,
        false,
        "yes",
        12,
        -7,
        3,
        31,
        15,
        1.5,
        0.5,
        3.0,
        1000.0,
        -0.25,
        "1_000",
        "2024-01-01",
        "1.2.3",
        "v1"
    ]);
    check(text, expected);
    check("[18446744073709551615, 18446744073709551616]", json!([u64::MAX, 18446744073709551616.0]));
    check("['1', \"true\", !!str 5, !!int 7, ! 8]", json!(["1", "true", "5", 7, "8"]));
    check("", Json::Null);
    check("# only a comment\n", Json::Null);
}

#[test]
fn json_is_valid_input() {
    let text = "{\n\t\"a\": [1, 2.5e3, {\"b\": null}],\n\t\"t\": \"\\u00e9\\ud83d\\ude00\\/\\n\",\"n\":{},\"<<\":1}";
    check(text, json!({ "a": [1, 2500.0, { "b": null }], "t": "é😀/\n", "n": {}, "<<": 1 }));
    let long = "k".repeat(5000);
    check(&format!("{{\"{long}\": 1}}"), json!({ long: 1 }));
}

#[test]
fn keys_and_values_know_their_place() {
    let node = parse("# head\nkit:\n  é: [1, two]\n").unwrap();
    let entry = node.get("kit").unwrap().entry("é").unwrap();
    let place = |span: zero_base::Span| (span.line, span.column, span.end_line, span.end_column);
    assert_eq!(place(entry.key_span), (3, 3, 3, 5));
    assert_eq!(place(entry.value.span()), (3, 7, 3, 15));
    assert_eq!(place(entry.value.items()[1].span()), (3, 11, 3, 14));
    assert_eq!(node.at(&["kit", "é"]).unwrap().items()[1].as_str(), Some("two"));
    assert_eq!(node.at(&["kit", "x"]), None);
}

#[test]
fn every_duplicate_key_names_both_places() {
    let problems = parse_file("a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n", "/zero/source/x.yaml").unwrap_err();
    assert_eq!(problems.len(), 2);
    assert_eq!(problems[0].code, "yaml/duplicate_key");
    assert_eq!(problems[0].message, "the key 'a' is written twice in one map, on lines 1 and 3");
    assert_eq!(problems[0].path.as_deref(), Some("/zero/source/x.yaml"));
    assert_eq!(problems[0].related[0].path, "/zero/source/x.yaml");
    assert_eq!(problems[0].related[0].span.map(|span| span.line), Some(1));
    assert_eq!(problems[1].span.map(|span| span.line), Some(4));
}

#[test]
fn what_has_no_meaning_is_refused_where_it_stands() {
    refuse("a: 1\nb: [1,\n", "yaml/syntax", 2, "unclosed bracket");
    refuse("a:\n\tb: 2\n", "yaml/syntax", 2, "tab");
    refuse("a: 1\n1: 2\n", "yaml/syntax", 2, "write \"1\" in quotes");
    refuse("true: 1\n", "yaml/syntax", 1, "keys are strings");
    refuse("? [a]\n: 1\n", "yaml/syntax", 1, "keys are strings");
    refuse("x: &k a\n*k : 1\n", "yaml/syntax", 2, "keys are strings");
    refuse("<<: {a: 1}\n", "yaml/syntax", 1, "merge keys");
    refuse("a: !color red\n", "yaml/syntax", 1, "!color");
    refuse("a: !!binary aGk=\n", "yaml/syntax", 1, "tag");
    refuse("a: !!set {x: null}\n", "yaml/syntax", 1, "tag");
    refuse("a: !!int x\n", "yaml/syntax", 1, "not what its tag");
    refuse("a: 1\n---\nb: 2\n", "yaml/syntax", 2, "one document");
    refuse("a: *b\n", "yaml/syntax", 1, "anchor");
    refuse("a: .nan\n", "yaml/syntax", 1, "finite");
    refuse("a: -.inf\n", "yaml/syntax", 1, "finite");
    refuse("a: 1e999\n", "yaml/syntax", 1, "too large");
    refuse("a: 0xfffffffffffffffff\n", "yaml/syntax", 1, "too large");
}

#[test]
fn nesting_is_bounded_for_what_is_written_and_what_is_repeated() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(MAX_DEPTH)).is_ok());
    refuse(&nested(MAX_DEPTH + 1), "yaml/too_deep", 1, "64 deep");
    refuse(&nested(100_000), "yaml/too_deep", 1, "64 deep");
    refuse(&format!("{}1", "- ".repeat(100_000)), "yaml/too_deep", 1, "64 deep");
    let deep_use = format!("a: &a {}\nb: {}*a{}\n", nested(40), "[".repeat(40), "]".repeat(40));
    refuse(&deep_use, "yaml/too_deep", 1, "64 deep");
}

#[test]
fn aliases_repeat_within_a_budget() {
    check(
        "a: &x {k: [1]}\nb: *x\nc: [*x, *x]\n",
        json!({ "a": {"k": [1]}, "b": {"k": [1]}, "c": [{"k": [1]}, {"k": [1]}] }),
    );
    refuse("a: &x [*x]\n", "yaml/syntax", 1, "inside what it repeats");
    let mut laughs = String::from("l0: &l0 ha\n");
    for level in 1..30 {
        let repeats = vec![format!("*l{}", level - 1); 10].join(", ");
        laughs.push_str(&format!("l{level}: &l{level} [{repeats}]\n"));
    }
    let problems = parse(&laughs).unwrap_err();
    assert_eq!(problems[0].code, "yaml/too_large");
    let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 1000].join(", "));
    assert_eq!(parse(&text).unwrap_err()[0].code, "yaml/too_large");
}

#[test]
fn size_is_bounded() {
    assert_eq!(parse(&" ".repeat(MAX_BYTES + 1)).unwrap_err()[0].code, "yaml/too_large");
    let many = format!("[{}]", "1,".repeat(1_000_000));
    refuse(&many, "yaml/too_large", 1, "more than 1000000 values");
}

#[test]
fn whole_numbers_are_whole_however_they_are_written() {
    let node = parse("[2, 2.0, 2.5, 1e300, x]").unwrap();
    let read: Vec<Option<i64>> = node.items().iter().map(|item| item.as_i64()).collect();
    assert_eq!(read, [Some(2), Some(2), None, None, None]);
}
