//! What a file declares: functions, aliases, requires, calls, words, diagnostics.

use crate::luau::{blank, literal_calls, parse};

/// Every function as `flags name call`, and every diagnostic as `line:column code message`.
fn check(source: &str, functions: &[&str], diagnostics: &[&str]) {
    let chunk = parse(source);
    let found: Vec<String> = chunk
        .functions
        .iter()
        .map(|function| {
            let flags = [
                (function.typed, "typed "),
                (function.local, "local "),
                (function.nested, "nested "),
                (function.method, "method "),
            ];
            let flags: String = flags.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect();
            format!("{flags}{} = {}", function.name, function.call_text())
        })
        .collect();
    assert_eq!(found, functions, "{source}");
    let found: Vec<String> = chunk
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let span = diagnostic.span.expect("a place");
            format!("{}:{} {} {}", span.line, span.column, diagnostic.code, diagnostic.message)
        })
        .collect();
    assert_eq!(found, diagnostics, "{source}");
}

#[test]
fn every_form_of_a_declaration_is_read() {
    let functions = |source: &str, expected: &[&str]| check(source, expected, &[]);
    functions(
        "typed function M.spawn(kind: (\"cube\" | \"sphere\"), opts: SpawnOpts?): { EntityRef }\nend",
        &["typed M.spawn = spawn(kind: \"cube\" | \"sphere\", opts: SpawnOpts?): {EntityRef}"],
    );
    functions("typed function M:rename(name: string) end", &["typed method M:rename = rename(name: string)"]);
    functions("typed function a.b.c:d() end", &["typed method a.b.c:d = d()"]);
    functions("local typed function f(x) end", &["typed local f = f(x)"]);
    functions("typed function update(dt: number): () end", &["typed update = update(dt: number)"]);
    functions("local function g(...) end function h() end", &["local g = g(...: any)", "h = h()"]);
    functions("@native typed function f() end", &["typed f = f()"]);
    functions("@[deprecated { use = 'x' }] @native typed function f() end", &["typed f = f()"]);
    functions("export typed function f() end", &["typed f = f()"]);
    functions("const typed function f() end", &["typed local f = f()"]);
    functions(
        "typed function map<T, U...>(xs: {T}, f: (T, U...) -> T, ...: U...): (T, ...number) end",
        &["typed map = map<T, U...>(xs: {T}, f: (T, U...) -> T, ...: U...): (T, ...number)"],
    );
    functions(
        "return { f = function()\n local typed function g(a: number) end\n end }",
        &["typed local nested g = g(a: number)"],
    );
    functions(
        "typed function f(\n  a: number, -- first\n  b: string -- second\n) -- done\n  return a\nend",
        &["typed f = f(a: number, b: string)"],
    );
    functions("typed function f(): (number) -> string end", &["typed f = f(): (number) -> string"]);
    functions("typed function f(): (number | string)? end", &["typed f = f(): (number | string)?"]);
    functions(
        "typed function f(x: typeof(function(a: b) end), y) end",
        &["typed f = f(x: typeof(function(a: b) end), y)"],
    );
}

#[test]
fn typed_stays_a_name_elsewhere() {
    let functions = |source: &str, expected: &[&str]| {
        check(source, expected, &[]);
        assert_eq!(blank(source), source);
    };
    functions("local typed = 3 print(typed)", &[]);
    functions("local typed\nfunction f() end", &["f = f()"]);
    functions("typed\nfunction f() end", &["f = f()"]);
    functions("-- typed function f() end", &[]);
    functions("s = 'typed function f() end' t = [[typed function]] u = `typed function {x}`", &[]);
    functions("t = { typed = function() end, function() end }", &[]);
    functions("type function f() end x = type\nfunction g() end", &["g = g()"]);
}

#[test]
fn typed_out_of_place_is_an_error() {
    let misplaced = "`typed` must start a function declaration: write `typed function M.name(…)` or \
                     `local typed function name(…)` as a statement of its own";
    let check = |source: &str, column: usize| {
        super::reading::check(source, &[], &[&format!("1:{column} luau/typed_misplaced {misplaced}")]);
    };
    check("local f = typed function(x: number) end", 11);
    check("return typed function(x: number) end", 8);
    check("call(typed function() end)", 6);
    check("call(1, typed function() end)", 9);
    check("x.typed function f() end", 3);
    check("local t = { typed function f() end }", 13);
    check("x = not typed function() end", 9);
}

#[test]
fn broken_headers_say_what_was_expected() {
    let check = |source: &str, expected: &str| super::reading::check(source, &[], &[expected]);
    check("typed function M.f(a: number end", "1:30 luau/bad_signature expected ')', got 'end'");
    check("typed function (a) end", "1:16 luau/bad_signature expected the name of the function, got '('");
    check("typed function f(a: ) end", "1:21 luau/bad_signature expected a type, got ')'");
    check("typed function f(a,", "1:20 luau/bad_signature expected the name of a parameter, got the end of the file");
    check("typed function f(1) end", "1:18 luau/bad_signature expected the name of a parameter, got '1'");
    check("typed function f", "1:17 luau/bad_signature expected '(', got the end of the file");
    check("typed function M. (a) end", "1:19 luau/bad_signature expected the name of a field, got '('");
    // Luau reports those that are not typed.
    super::reading::check("function f(a: end", &[], &[]);
}

#[test]
fn half_typed_files_keep_the_rest() {
    check(
        "typed function a(x: number) if x then\ntyped function b(y: ) end\ntype T = { a: number }\ntyped function c(z: T) end",
        &["typed a = a(x: number)", "typed nested c = c(z: T)"],
        &["2:21 luau/bad_signature expected a type, got ')'"],
    );
}

#[test]
fn words_above_a_function_belong_to_it() {
    let source = "--!strict
--!desc Something else.
local M = {}

--!desc Spawns one thing
--! in the world.
-- A note to whoever works on it.
--!arg kind What to spawn
--!arg opts: where
--!   and how
--!arg ... more of them
--!return the new entities
--!example local e = M.spawn(\"cube\")
--! M.spawn(\"sphere\", {
--!   tags = { \"a\" },
--! })
--!example M.spawn(\"cube\", nil, 1)
@native
typed function M.spawn(kind: string, opts: {number}?, ...: number): {EntityRef}
end
--!descr nothing
function M.other() end --!desc not this
function M.last() end";
    let chunk = parse(source);
    let spawn = chunk.function("M.spawn").expect("M.spawn");
    assert_eq!(spawn.description, "Spawns one thing\nin the world.");
    assert_eq!(spawn.params[0].description, "What to spawn");
    assert_eq!(spawn.params[1].description, "where\n  and how");
    assert_eq!(spawn.variadic_description, "more of them");
    assert_eq!(spawn.return_description, "the new entities");
    let first = "local e = M.spawn(\"cube\")\nM.spawn(\"sphere\", {\n  tags = { \"a\" },\n})";
    assert_eq!(spawn.examples, [first, "M.spawn(\"cube\", nil, 1)"]);
    assert_eq!((spawn.line, spawn.span.line, spawn.span.column), (19, 19, 1));
    for name in ["M.other", "M.last"] {
        assert_eq!(chunk.function(name).map(|function| function.description.as_str()), Some(""), "{name}");
    }
    assert_eq!(chunk.diagnostics, []);
}

#[test]
fn words_that_fit_nothing_are_warned_about() {
    check(
        "--!arg knd what\ntyped function f(kind: string) end",
        &["typed f = f(kind: string)"],
        &["1:1 luau/unknown_argument `--!arg knd`: 'f' has no argument of that name; did you mean 'kind'?"],
    );
    check(
        "--!arg x what\n--!arg\ntyped function f() end",
        &["typed f = f()"],
        &[
            "1:1 luau/unknown_argument `--!arg x`: 'f' takes no arguments",
            "2:1 luau/unknown_argument `--!arg` of 'f' names no argument; write `--!arg <name> <text>`",
        ],
    );
    check(
        "typed function M.f() end\nlocal x\ntyped function M.f(a) end",
        &["typed M.f = f()", "typed M.f = f(a)"],
        &[
            "3:1 luau/typed_twice 'M.f' is declared twice as a typed function (first on line 1); the later one replaces \
         the earlier",
        ],
    );
}

#[test]
fn aliases_are_read_where_a_statement_can_start() {
    let source = "type A = number export type B<T, U... = ...number> = { v: T }
        local type = type
        local x = type\n(y) = 3
        print(type)
        --!desc Named.
        export type C = Box<A>\ntype D = A
        local function f() type E = string end
        t.type = 3 t = { type = 1, type } ";
    let chunk = parse(source);
    let found: Vec<String> = chunk
        .types
        .iter()
        .map(|alias| {
            let flags = if alias.exported { "export " } else { "" };
            let nested = if alias.nested { "nested " } else { "" };
            format!("{flags}{nested}{}:{} {} {}", alias.name, alias.line, alias.type_, alias.description)
        })
        .collect();
    let expected = ["A:1 number ", "export B:1 { v: T } ", "export C:7 Box<A> Named.", "D:8 A ", "nested E:9 string "];
    assert_eq!(found, expected);
    assert_eq!(chunk.types[1].generics.len(), 2);
    assert!(chunk.types[1].generics[1].pack && chunk.types[1].generics[1].default.is_some());
    assert_eq!(chunk.diagnostics, []);
}

#[test]
fn requires_and_lookups_are_found() {
    let source = "local Types = require(\"./types\")
        local kit: typeof(x) = require 'kit.beats'
        local field = require(\"a\").field
        local cast = require([[b]]) :: any
        require(name) x.require(\"no\") function require(x) end
        foo(require(\"c\"), asset.resolve(\"demo.gold\", \"material\"))
        local m = asset.resolve(\"demo.gold\") scene.load 'demo.level'
        public = { map = Field.assetRef(\"inputMap\", \"@builtin::inputMaps.default\", Sync) }
        asset.resolve(\"x\" .. y, \"mesh\")";
    let chunk = parse(source);
    let requires: Vec<_> = chunk
        .requires
        .iter()
        .map(|require| (require.name.as_str(), require.local.as_deref(), require.span.line, require.span.column))
        .collect();
    let expected = [
        ("./types", Some("Types"), 1, 23),
        ("kit.beats", Some("kit"), 2, 40),
        ("a", None, 3, 31),
        ("b", Some("cast"), 4, 30),
        ("c", None, 6, 21),
    ];
    assert_eq!(requires, expected);
    let lookups: Vec<_> = chunk
        .lookups
        .iter()
        .map(|lookup| (lookup.call, lookup.argument, lookup.name.as_str(), lookup.type_.as_deref()))
        .collect();
    let expected = [
        ("asset.resolve", 1, "demo.gold", Some("material")),
        ("asset.resolve", 1, "demo.gold", None),
        ("scene.load", 1, "demo.level", Some("scene")),
        ("Field.assetRef", 2, "@builtin::inputMaps.default", Some("inputMap")),
    ];
    assert_eq!(lookups, expected);
}

#[test]
fn literals_given_to_calls_are_found() {
    let check = |source: &str, expected: &[&str]| {
        let found: Vec<String> = literal_calls(source)
            .into_iter()
            .map(|call| {
                let field = call.table_field.map_or(String::new(), |field| format!(".{field}"));
                format!("{} #{}{field} {}", call.callee, call.position, call.literal)
            })
            .collect();
        assert_eq!(found, expected, "{source}");
    };
    check("g:node('a', \"noise\")", &["g:node #1 a", "g:node #2 noise"]);
    check(
        "fx.beam({ material = 'gold', ['odd key'] = \"x\", y = { material = 'no' } }, 'z')",
        &["fx.beam #1.material gold", "fx.beam #1.odd key x", "fx.beam #2 z"],
    );
    check("fx.beam{ material = 'gold' }", &["fx.beam #1.material gold"]);
    check("f(a, function() local x, y = 1, 2 g('in') end, 'out')", &["g #1 in", "f #3 out"]);
    check("f(if a then b else c, 'x', { 1, 2 }, (1), 'y')", &["f #2 x", "f #5 y"]);
    check("g:node('a'):node('b') t[1].x('c') f'd'", &["g:node #1 a", ":node #1 b", ".x #1 c", "f #1 d"]);
    check("f('a' .. 'b', ('c'), { 'd' }, -'e')", &[]);
    check("function f(x: 'a') end local y: 'b' = ('c')", &[]);
    check("f('a', ", &["f #1 a"]);
    check(")))f('a')", &["f #1 a"]);
    check("f(`a{g('b')}c`, 'd')", &["g #1 b", "f #2 d"]);
}

#[test]
fn member_tables_are_noted() {
    let chunk =
        parse("--!members Members\nlocal M = setmetatable({}, meta)\n--!members Other -- because\nM.x = 1\n--!members");
    let found: Vec<_> = chunk
        .members
        .iter()
        .map(|members| (members.type_name.as_str(), members.local.as_deref(), members.span.line))
        .collect();
    assert_eq!(found, [("Members", Some("M"), 1), ("Other", None, 3)]);
}

#[test]
fn blanking_leaves_every_byte_in_place() {
    let check = |source: &str, expected: &str| {
        assert_eq!(blank(source), expected);
        assert_eq!(source.len(), expected.len());
    };
    check("local typed function f() end", "local       function f() end");
    check("é typed  function f()", "é        function f()");
    check("--!strict\n--!desc a\n--!arg\n--! b\n--!\nx()", "--!strict\n-- desc a\n-- arg\n--  b\n-- \nx()");
    check(
        "--!description\n--!native\n--[[!desc]]\ns = '--!desc'",
        "--!description\n--!native\n--[[!desc]]\ns = '--!desc'",
    );
    check("--!example\r\ntyped function f() end\r\n--!return x", "-- example\r\n      function f() end\r\n-- return x");
    check("x = typed function() end", "x =       function() end");
}

#[test]
fn what_a_script_offers_are_the_functions_of_what_it_returns() {
    let check = |source: &str, offered: &[&str], returned: Option<&str>| {
        let chunk = parse(source);
        let names: Vec<&str> = chunk.offered().into_iter().map(|function| function.short_name()).collect();
        assert_eq!((names.as_slice(), chunk.returned.as_deref()), (offered, returned), "{source}");
    };
    let two = "local M = {} local Other = {} function M.a() return 1 end function Other.b() end local function c() end";
    check(&format!("{two} return M"), &["a"], Some("M"));
    check(&format!("{two} return setmetatable(M, Other)"), &["a", "b"], Some("setmetatable"));
    check(&format!("{two} return"), &["a", "b"], None);
    check(two, &["a", "b"], None);
    check("function update(dt) return dt end function open() end", &["update", "open"], None);
    check("if x then return end return { a = 1 }", &[], Some("{"));
    check("-- return M\nlocal s = 'return M' f(function() return M end)", &[], None);
}
