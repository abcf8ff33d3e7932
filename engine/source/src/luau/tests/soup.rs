//! Hostile text: nothing panics, bytes and lines stay, and time stays in proportion.

use proptest::prelude::*;

use crate::luau::{NoImports, Scope, blank, instrument, instrument_compact, json_schema, literal_calls, parse};

fn digest(source: &str) {
    let blanked = blank(source);
    assert_eq!(blanked.len(), source.len());
    assert_eq!(blank(&blanked), blanked, "blanking is done once");
    let chunk = parse(source);
    let scope = Scope::new(&chunk, &NoImports);
    for function in chunk.functions.iter().take(20) {
        json_schema(function, &scope);
        function.call_text();
    }
    literal_calls(source);
    for rewrite in [instrument, instrument_compact] {
        let Ok(instrumented) = rewrite(source, "m", &NoImports) else { continue };
        assert_eq!(instrumented.text.matches('\n').count(), source.matches('\n').count());
    }
}

const WORDS: &[&str] = &[
    "typed",
    "function",
    "local",
    "type",
    "export",
    "M",
    ".",
    ":",
    "f",
    "g",
    "x",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "=",
    ",",
    ";",
    "?",
    "|",
    "&",
    "->",
    "...",
    "number",
    "string",
    "any",
    "nil",
    "true",
    "EntityRef",
    "AssetRef",
    "Vec3",
    "\"a\"",
    "'b",
    "[[c]]",
    "[==[",
    "`d{",
    "}e`",
    "--!desc x\n",
    "--!arg x y\n",
    "--! z\n",
    "--[[",
    "]]",
    "--",
    "\n",
    "\r\n",
    " ",
    "end",
    "then",
    "if",
    "else",
    "elseif",
    "do",
    "repeat",
    "until",
    "return",
    "not",
    "and",
    "1",
    "2e+",
    "@native",
    "@[",
    "typeof",
    "require",
    "é",
    "\0",
    "::",
    "==",
    "\\",
    "T",
    "read",
    "write",
];

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![proptest::sample::select(WORDS).prop_map(str::to_owned), "\\PC{0,3}"];
    proptest::collection::vec(word, 0..80).prop_map(|words| words.join(" "))
}

/// Mostly well-formed: random types in the places where types go.
fn declarations() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec![
        "number",
        "string?",
        "A",
        "B<A>",
        "B<{T}>",
        "\"a\" | \"b\"",
        "EntityRef",
        "{}",
        "any",
        "Vec3",
        "C & A",
        "{ [string]: A }",
    ]);
    let type_ = leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| format!("{{{inner}}}")),
            inner.clone().prop_map(|inner| format!("({inner})?")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a}) | ({b}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a}) & ({b}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{ x: {a}, [\"odd key\"]: {b} }}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("(({a}) -> ({b}))")),
        ]
    });
    proptest::collection::vec(type_, 5).prop_map(|types| {
        format!(
            "type T = number\ntype A = {}\ntype B<T> = {}\ntype C = {}\ntyped function f(a: {}, b: A, ...: B<C>): C\nend\n\
             local typed function g(c: {}) end",
            types[0], types[1], types[2], types[3], types[4]
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tokens_in_any_order(source in words()) {
        digest(&source);
    }

    #[test]
    fn any_text(source in "\\PC{0,200}") {
        digest(&source);
    }

    #[test]
    fn types_of_every_shape(source in declarations()) {
        digest(&source);
        prop_assert!(instrument(&source, "m", &NoImports).is_ok());
    }
}

#[test]
fn long_and_deep_sources_are_read_in_one_go() {
    const MANY: usize = 5_000;
    let repeated = |unit: &str| unit.repeat(MANY);
    digest(&format!("local s = \"{}\"\ntyped function f(x: number) end", "x".repeat(20 << 20)));
    for unit in [
        "(",
        ")",
        "{",
        "}",
        "`{",
        "function f(x: typeof(",
        "typed function f(x: typeof(",
        "type a = {x: (",
        "f(\"a\", ",
        "{\"a\", ",
        "if a then ",
        "x = if a then ",
        "end ",
        "a.",
        "[=",
        "--!arg x y\n",
        "@[",
        "\"",
        "\\",
        "type A = B | ",
        "local x: ",
        "require(\"a\").",
        "typed ",
        "export ",
        "f(){",
        "a<",
        "x?",
        "...",
        "typed function f(a, ",
        "type X = { a: X }\n",
        "typed function f(x: { a: number }?) end\n",
        "typed function f(x: Unknown) end\n",
    ] {
        digest(&repeated(unit));
        digest(&format!("typed function f({}", repeated(unit)));
    }
    let chain: String = (0..MANY).map(|n| format!("type A{n} = {{ a: A{}, b: A{}? }}\n", n + 1, n + 1)).collect();
    digest(&format!("{chain}typed function f(x: A0) end"));
    let chain: String = (1..MANY).map(|n| format!("type A{n} = A{} | {{ a: A{n} }}\n", n - 1)).collect();
    digest(&format!("type A0 = number {chain}typed function f(x: A{}) end", MANY - 1));
    let params: Vec<String> = (0..MANY).map(|n| format!("p{n}: \"w{n}\" | \"a\"")).collect();
    digest(&format!("typed function f({}) end", params.join(", ")));
    let words: Vec<String> = (0..MANY).map(|n| format!("\"w{n}\"")).collect();
    digest(&format!("typed function f(x: {}) end", words.join(" | ")));
    let parts: Vec<String> = (0..MANY).map(|n| format!("{{ a{n}: number }}")).collect();
    digest(&format!("typed function f(x: {}) end", parts.join(" & ")));
    digest(&format!("typed function f(x: {}) end", parts.join(" | ")));
}

#[test]
fn loops_of_aliases_that_share_a_part_are_all_cut() {
    let shared = "type A = (any & (C & A))?\ntype B<T> = A & B<A>\ntype C = B<A>\n";
    digest(&format!("{shared}typed function g(c: {{ x: B<{{T}}> }}) end"));
    for loops in ["type A = A | A | number", "type A = A? | A?", "type A = B | C\ntype B = C | A\ntype C = B | A"] {
        digest(&format!("{loops}\ntyped function f(a: A) end"));
    }
}
