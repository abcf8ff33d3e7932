//! Which values a type accepts.

use crate::machine::run;

/// Calls a function of one parameter of `type_` with each value, and expects it to be
/// accepted or refused.
fn check(types: &str, type_: &str, accepted: &[&str], refused: &[&str]) {
    let module = format!("local M = {{}} {types}\ntyped function M.f(x: {type_}) return 'ok' end\nreturn M");
    for value in accepted {
        assert_eq!(run(&module, &format!("return M.f({value})")), Ok("ok".to_owned()), "{type_} takes {value}");
    }
    for value in refused {
        let refusal = run(&module, &format!("return M.f({value})")).expect_err(&format!("{type_} refuses {value}"));
        assert!(refusal.starts_with("game/caller.luau:1: "), "{type_} {value}: {refusal}");
        assert!(!refusal.contains("invalid arguments to"), "{type_} {value} is explained: {refusal}");
    }
}

fn alone(type_: &str, accepted: &[&str], refused: &[&str]) {
    check("", type_, accepted, refused);
}

#[test]
fn plain_types() {
    alone("number", &["1", "0/0", "math.huge"], &["nil", "'1'", "", "{}"]);
    alone("string", &["''", "'a'"], &["1", "nil"]);
    alone("boolean", &["true", "false"], &["nil", "0"]);
    alone("nil", &["nil", ""], &["1", "false"]);
    alone("any", &["1", "nil"], &[]);
    alone("unknown", &["1", "nil"], &[]);
    alone("never", &[], &["1", "nil"]);
    alone("thread", &["coroutine.create(print)"], &["print"]);
    alone("buffer", &["buffer.create(1)"], &["''"]);
    alone("vector", &["vector.create(1, 2, 3)"], &["{1, 2, 3}", "1"]);
    alone("table", &["{}", "{1}", "{a = 1}"], &["1", "nil"]);
    alone("{}", &["{}", "{1}", "{a = 1}"], &["1", "nil"]);
    alone("true", &["true"], &["false", "nil", "1"]);
    alone(
        "Vec3",
        &["vector.create(1, 2, 3)", "{x = 1, y = 2, z = 0/0}", "{1, 2, 3}"],
        &["{1, 2}", "{1, 2, 3, 4}", "{x = 1, y = 2}", "{x = 1, y = 2, z = 3, w = 4}", "{1, 2, 'x'}", "1", "nil"],
    );
    alone("(number) -> ()", &["1", "print", "nil"], &[]);
    alone("typeof(print)", &["1", "nil"], &[]);
}

#[test]
fn words_and_unions() {
    alone("\"cube\" | \"sphere\"", &["'cube'", "'sphere'"], &["'Cube'", "nil", "1", "{}"]);
    alone("(\"cube\" | \"sphere\")?", &["'cube'", "nil"], &["'cone'"]);
    let many = "\"a\" | \"b\" | \"c\" | \"d\" | \"e\" | \"f\"";
    alone(many, &["'a'", "'f'"], &["'g'", "nil", "1", "{}", "0/0"]);
    alone("\"a\\n\\\"b\" | \"\\0\"", &["'a\\n\"b'", "'\\0'"], &["'a'"]);
    alone("string | number", &["'a'", "1"], &["nil", "true", "{}"]);
    alone("number?", &["1", "nil", ""], &["'1'", "false"]);
    alone("false | number", &["false", "1"], &["true", "nil"]);
    alone("true | false", &["true", "false"], &["nil"]);
    alone(
        "number | string | boolean | thread | buffer | { x: number }",
        &["1", "'a'", "{x = 1}"],
        &["nil", "{}", "print"],
    );
    check("type A = \"a\" | \"b\" type B = A | \"c\" | nil", "B", &["'a'", "'c'", "nil"], &["'d'"]);
}

#[test]
fn lists_and_maps() {
    alone(
        "{number}",
        &["{}", "{1, 2}", "{[1] = 1, [5] = 2}"],
        &["{'a'}", "{1, 'a'}", "{a = 1}", "nil", "1", "{[7] = 'x'}"],
    );
    alone("{{number}}", &["{{1}, {}}"], &["{{1}, {'a'}}", "{1}"]);
    alone("{number?}", &["{1, nil, 3}"], &["{1, 'a'}"]);
    alone("{any}", &["{1, 'a'}"], &["{a = 1}"]);
    alone("{[string]: number}", &["{}", "{a = 1}"], &["{1}", "{a = 'x'}", "{a = 1, [true] = 2}"]);
    alone("{[number]: string}", &["{[5] = 'a'}"], &["{a = 'a'}", "{[5] = 1}"]);
    alone("{[\"a\" | \"b\"]: number}", &["{a = 1}"], &["{c = 1}"]);
}

#[test]
fn records_are_closed_without_an_indexer() {
    alone(
        "{ x: number, y: string? }",
        &["{x = 1}", "{x = 1, y = 'a'}"],
        &["{}", "{x = 'a'}", "{x = 1, y = 2}", "{x = 1, z = 3}", "{x = 1, 5}", "nil", "'x'"],
    );
    alone(
        "{ x: number, [string]: string }",
        &["{x = 1}", "{x = 1, y = 'a'}"],
        &["{y = 'a'}", "{x = 1, y = 2}", "{x = 1, 'a'}"],
    );
    alone("{ x: number, [string]: any }", &["{x = 1, y = {}}"], &["{x = 1, 'a'}"]);
    alone("{ [\"odd key\"]: number, [\"end\"]: number }", &["{['odd key'] = 1, ['end'] = 2}"], &["{['odd key'] = 1}"]);
    alone("{ a: number?, b: number?, c: number?, d: number?, e: number? }", &["{}", "{e = 1}"], &["{f = 1}", "{1}"]);
    alone(
        "{ x: { y: { z: number } } }",
        &["{x = {y = {z = 1}}}"],
        &["{x = {y = {z = 'a'}}}", "{x = {y = {}}}", "{x = 1}"],
    );
    alone("{ x: any }", &["{}", "{x = 1}"], &["{y = 1}"]);
    let inherited = "setmetatable({}, {__index = {x = 1}})";
    alone("{ x: number }", &[inherited], &["setmetatable({y = 1}, {__index = {x = 1}})"]);
}

#[test]
fn unions_and_intersections_of_records() {
    let shape = "{ kind: \"circle\", radius: number } | { kind: \"box\", size: {number} }";
    alone(
        shape,
        &["{kind = 'circle', radius = 1}", "{kind = 'box', size = {1, 2}}"],
        &["{kind = 'circle', size = {1}}", "{kind = 'box', size = {'a'}}", "{kind = 'cone'}", "{}", "1"],
    );
    alone("{ a: number } & { b: string }", &["{a = 1, b = 'x'}"], &["{a = 1}", "{a = 1, b = 'x', c = 2}"]);
    check(
        "type A = { a: number } type B = A & ({ b: string } | { c: string })",
        "B",
        &["{a = 1, b = 'x'}", "{a = 1, c = 'x'}"],
        &["{a = 1}", "{a = 1, b = 'x', c = 'y'}", "{b = 'x'}"],
    );
    alone("{ a: number } & {}", &["{a = 1}"], &["{}", "{a = 1, b = 2}"]);
    alone("EntityRef & { name: string }", &["lamp"], &["object.name", "{name = 'lamp'}"]);
    alone("{ a: number, [string]: any } & { b: string }", &["{a = 1, b = 'x', c = 2}"], &["{a = 1, c = 2}"]);
}

#[test]
fn aliases_and_generics() {
    check(
        "type Box<T> = { v: T, more: {T}? }",
        "Box<number>",
        &["{v = 1, more = {2}}"],
        &["{v = 'a'}", "{v = 1, more = {'a'}}"],
    );
    check("type Pair<A, B = string> = { a: A, b: B }", "Pair<number>", &["{a = 1, b = 'x'}"], &["{a = 1, b = 2}"]);
    check("type Id = number", "{Id}", &["{1}"], &["{'a'}"]);
    let generic = "local M = {} typed function M.f<T>(x: T, y: number) return 'ok' end return M";
    assert_eq!(run(generic, "return M.f({}, 1)"), Ok("ok".to_owned()));
    assert!(run(generic, "return M.f({}, {})").is_err());
}

#[test]
fn recursive_types_follow_values() {
    let tree = "type Tree = { name: string, children: {Tree}? }";
    let leaf = "{name = 'a', children = {{name = 'b'}, {name = 'c', children = {}}}}";
    check(tree, "Tree", &[leaf], &["{name = 'a', children = {{name = 1}}}", "{name = 'a', children = {{}}}"]);
    check(
        "type L = { v: number, next: L? }?",
        "L",
        &["nil", "{v = 1, next = {v = 2}}"],
        &["{v = 1, next = {v = 'x'}}"],
    );
    check(
        "type J = number | string | boolean | {J} | {[string]: J}",
        "J",
        &["1", "{1, {2, {'a'}}}", "{a = {b = {1}}}"],
        &["{1, print}", "{a = {b = print}}", "nil"],
    );
    check("type A = {A}", "A", &["{}", "{{}, {{}}}"], &["{1}", "{{{1}}}"]);
    check("type A = { b: B? } type B = { a: A? }", "A", &["{b = {a = {b = {}}}}"], &["{b = {b = {}}}"]);
}

#[test]
fn cyclic_and_deep_values_end() {
    let module =
        "local M = {} type N = { v: number, l: N?, r: N? }\ntyped function M.f(x: N) return 'ok' end\nreturn M";
    let check = |caller: &str| assert_eq!(run(module, caller), Ok("ok".to_owned()), "{caller}");
    check("local n = {v = 1} n.l = n n.r = n return M.f(n)");
    check("local n = {v = 1} for i = 1, 200 do n = {v = i, l = n, r = n} end return M.f(n)");
    check("local n = {v = 1} for i = 1, 50000 do n = {v = i, l = n} end return M.f(n)");
    let wrong = "local n = {v = 'x'} for i = 1, 30 do n = {v = i, l = n, r = n} end return M.f(n)";
    let refusal = run(module, wrong).expect_err("a wrong leaf");
    assert!(refusal.ends_with(".l.l.l.v: expected number, got string \"x\")"), "{refusal}");
}

#[test]
fn references_of_the_engine() {
    alone("EntityRef", &["lamp", "object"], &["gold", "'lamp'", "{}", "nil"]);
    alone("AssetRef", &["gold"], &["lamp", "nil"]);
    alone("AssetRef<\"material\">", &["gold"], &["lamp", "'gold'"]);
    alone("AssetRef<material>", &["gold"], &["lamp"]);
    alone("AssetRef<mesh>", &[], &["gold"]);
    alone("AssetRef<\"material\", \"demo.gold\">", &["gold"], &["lamp"]);
    alone("AssetRef<\"material\", \"demo.silver\">", &[], &["gold"]);
    alone("{EntityRef}?", &["{lamp, object}", "nil"], &["{gold}", "{1}"]);
    // A reference has the fields it has, and reading another is no error of the check.
    alone("{ name: string }", &["lamp", "object", "{name = 'a'}"], &["{name = 'a', id = 1}"]);
    alone("{ name: string, size: number }", &[], &["lamp", "object"]);
    alone("{ name: string, size: number? }", &["lamp", "object"], &[]);
}

#[test]
fn arguments_in_every_position() {
    let module = "local M = {}
        typed function M.variadic(a: string, ...: number) return 'ok', select('#', ...) end
        typed function M.words(...: \"a\" | \"b\") return 'ok' end
        typed function M.open(a, ...) return 'ok' end
        typed function M:method(name: string, type: string?) return 'ok', self == M end
        typed function M.type(type: string, select: number, next: {x: number}) return 'ok', type, select end
        typed function M.twice(_: number, _: string) return 'ok', _ end
        typed function M.recursive(n: number): number if n == 0 then return 0 end return 1 + M.recursive(n - 1) end
        typed function M.none() return 'ok' end
        return M";
    let check = |caller: &str, expected: Result<&str, &str>| {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(run(module, caller), expected, "{caller}");
    };
    check("return M.variadic('x')", Ok("ok 0"));
    check("return M.variadic('x', 1, 2)", Ok("ok 2"));
    check(
        "return M.variadic('x', 1, nil, 2)",
        Err("game/caller.luau:1: invalid argument #3 '...' to 'mod.variadic' (expected number, got nil)"),
    );
    check("return M.words('a', 'b')", Ok("ok"));
    check(
        "return M.words('a', 'c')",
        Err(
            "game/caller.luau:1: invalid argument #2 '...' to 'mod.words' (expected \"a\" | \"b\", got string \"c\"; did you mean 'a'?)",
        ),
    );
    check("return M.open(1, {}, nil)", Ok("ok"));
    check("return M:method('x')", Ok("ok true"));
    check("return M:method('x', 'y')", Ok("ok true"));
    check(
        "return M:method(1)",
        Err("game/caller.luau:1: invalid argument #1 'name' to 'M:method' (expected string, got number 1)"),
    );
    check("return M.type('a', 2, {x = 1})", Ok("ok a 2"));
    check("return M.twice(nil, 'b')", Ok("ok b"));
    check(
        "return M.twice(1, 2)",
        Err("game/caller.luau:1: invalid argument #2 '_' to 'mod.twice' (expected string, got number 2)"),
    );
    check("return M.recursive(3)", Ok("3"));
    check("return M.none(1, 2)", Ok("ok"));
}
