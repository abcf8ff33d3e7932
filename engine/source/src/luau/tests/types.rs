//! The grammar of types: what it reads, printed back, and what it refuses.

use crate::luau::{Type, parse};

fn alias(type_: &str) -> Result<Type, String> {
    let chunk = parse(&format!("type T = {type_}\nlocal after = 1"));
    match chunk.diagnostics.first() {
        Some(diagnostic) => Err(diagnostic.message.clone()),
        None => Ok(chunk.types[0].type_.clone()),
    }
}

#[test]
fn types_print_as_they_are_written() {
    let check = |type_: &str, expected: &str| {
        assert_eq!(alias(type_).map(|type_| type_.to_string()), Ok(expected.to_owned()), "{type_}");
    };
    let same = |type_: &str| check(type_, type_);
    same("number");
    same("nil");
    same("true");
    same("\"cube\" | \"sphere\"");
    same("{number}");
    same("{{string}?}");
    same("{}");
    same("{ x: number, y: number? }");
    same("{ name: string, [string]: any }");
    same("{ [\"odd key\"]: number, [\"end\"]: string }");
    same("Types.Box<number, {string}>");
    same("AssetRef<\"mesh\", \"demo.cube\">");
    same("AssetRef<terrainData>");
    same("(A | B)?");
    same("A & { x: number }");
    same("(A | B) & C");
    same("(A & B) | C");
    same("(number) -> ()");
    same("(x: number, ...string) -> (number, string)");
    same("<T, U...>(T, U...) -> U...");
    same("() -> () -> number");
    same("((number) -> string)?");
    same("Fn<(number, string), ...any>");
    same("typeof(require(\"./x\").y)");
    check("'a' | [[b]] | \"c\\65\"", "\"a\" | \"b\" | \"cA\"");
    check("| A | B", "A | B");
    check("A??", "A?");
    check("A | B?", "(A | B)?");
    check("(((A)))", "A");
    check("{ read x: number; write y: string, read [number]: read }", "{ x: number, y: string, [number]: read }");
    check("{ read: number, type: string }", "{ read: number, type: string }");
    check("{\n\ta: number,\n\tb: string,\n}", "{ a: number, b: string }");
    check("Box<>", "Box");
    check("X<(A)>", "X<(A)>");
    check("X<(A)?>", "X<A?>");
    check("() -> () | nil", "(() -> ()) | nil");
    check("(a: number) -> (string | nil)", "(a: number) -> string | nil");
    check("(number) -> (string)?", "(number) -> string?");
}

#[test]
fn what_luau_refuses_is_refused() {
    let check = |type_: &str, expected: &str| assert_eq!(alias(type_), Err(expected.to_owned()), "{type_}");
    check("A | B & C", "a union and an intersection are mixed; put parentheses around one");
    check("A? & B", "a union and an intersection are mixed; put parentheses around one");
    check("{ x: number", "expected '}', got 'local'");
    check("(number", "expected ')', got 'local'");
    check("(number, string)", "expected '->', got 'local'");
    check("{ [string]: number, [number]: string }", "a table type has at most one indexer");
    check("typeof(x", "expected ')', got the end of the file");
    check("`a`", "expected a type, got '`a`'");
    check("function", "expected a type, got 'function'");
    check("(x: number)", "expected '->', got 'local'");
    check("(number, ) -> ()", "expected a type, got ')'");
}

#[test]
fn nesting_has_an_end() {
    let deep = |levels: usize| format!("{}number{}", "{".repeat(levels), "}".repeat(levels));
    assert!(alias(&deep(99)).is_ok());
    let message = alias(&deep(100_000)).expect_err("too deep");
    assert_eq!(message, "types nest deeper than 100 levels; name the inner ones with `type`");
    assert!(alias(&"() -> ".repeat(100_000)).is_err());
    assert!(alias(&"(".repeat(100_000)).is_err());
    assert!(alias(&"A<".repeat(100_000)).is_err());
    assert!(alias(&"typeof(".repeat(100_000)).is_err());
    assert!(alias(&format!("A{}", "?".repeat(100_000))).is_ok());
    assert!(alias(&"A | ".repeat(100_000)).is_err());
}

#[test]
fn fields_take_the_comments_beside_them() {
    let source = "type T = {
        -- where it
        -- stands
        position: Vec3,
        count: number?, -- how many
        --!desc in metres
        size: number,
        a: string --[[first]], b: string,

        --- turned
        rotation: number -- radians
    }";
    let Type::Table(table) = &parse(source).types[0].type_ else { panic!("a table") };
    let described: Vec<_> =
        table.fields.iter().map(|field| (field.name.as_str(), field.description.as_str())).collect();
    let expected = [
        ("position", "where it\nstands"),
        ("count", "how many"),
        ("size", "in metres"),
        ("a", "first"),
        ("b", ""),
        ("rotation", "turned"),
    ];
    assert_eq!(described, expected);
}
