//! Rewritten files are still the author's: same lines, same results, legal Luau.

use zero_source::luau::{NoImports, blank, parse};

use crate::machine::{STYLES, Style, rewrite, run, run_as};

#[test]
fn errors_in_a_body_keep_their_line() {
    let module = "--!strict\nlocal M = {}\ntyped function M.f(\n\ta: number, -- one\n\tb: string? -- two\n): number -- three\n\terror('here')\nend\nreturn M";
    assert_eq!(run(module, "return M.f(1)"), Err("game/mod.luau:7: here".to_owned()));
}

#[test]
fn yielding_and_varargs_go_through() {
    let module = "local M = {}
        typed function M.f(x: number, ...: number) return x + coroutine.yield(...) end
        return M";
    let caller = "local co = coroutine.wrap(function() return M.f(1, 2, 3) end)
        local a, b = co() return a, b, co(10)";
    assert_eq!(run(module, caller), Ok("2 3 11".to_owned()));
}

#[test]
fn a_file_may_start_with_anything() {
    let check = |source: &str| {
        for style in STYLES {
            assert_eq!(run_as(source, "return M", style, &NoImports), Ok("3".to_owned()), "{source}");
        }
    };
    let function = "typed function f(x: {a: number, b: {string}}): number return x.a end";
    check(&format!("{function} return f({{a = 3, b = {{}}}})"));
    check(&format!("--!native\n--[[ x ]] {function}\nreturn f{{a = 3, b = {{}}}}"));
    check(&format!("(print or type)('') {function} return f({{a = 3, b = {{}}}})"));
    check(&format!("local typed = 3\n{function} return typed"));
    check("@native typed function f(x: number) (function() end)() return x end return f(3)");
    check("local t = { a = function() local typed function g(x: number) return x end return g(3) end } return t.a()");
}

#[test]
fn components_declare_globals() {
    let module = "typed function update(dt: number) return dt end return 0";
    assert_eq!(run(module, "return update(2)"), Ok("2".to_owned()));
    assert!(run(module, "return update('x')").is_err());
}

/// Every `luau` construct that could confuse the readers, in one file that must compile.
#[test]
fn a_file_with_everything_compiles_in_every_form() {
    let source = r#"--!strict
--!desc not for a function

local M = {}
type Fn<T, U...> = (T, U...) -> (U...)
export type Tree = { name: string, children: {Tree}?, [string]: any }
local typed, type_ = 1, `a{ ({ b = `c{typed}` }).b }d`
local long = [==[ typed function no() ]] end ]==]
--!desc Everything.
--!arg a first
--! of all
@native
typed function M.all<T, U...>(a: "x" | 'y', b: { [string]: { T } }?, c: Fn<number, U...>, d: Tree, ...: any): (T?, ...number)
	local x = if a == "x" then 1 elseif a == "y" then 2 else 3
	local f: (number) -> Tree? = function(n) return d end
	for i, v in b or {} do if i == "q" then continue end end
	repeat local y = x :: any until y
	typed += 1
	return nil
end
local typed function inner(a: number, b: { read x: number, write y: string }): typeof(M) return M end
typed function M:method(p: (number | string)?, q: ((A: number) -> ())?): () end
function M.plain(a: number): number return a end
return M
"#;
    for style in STYLES {
        assert_eq!(run_as(source, "return type(M)", style, &NoImports), Ok("table".to_owned()));
    }
    assert_eq!(parse(source).functions.iter().filter(|function| function.typed).count(), 3);
    assert!(mlua::Lua::new().load(blank(source)).into_function().is_ok());
}

#[test]
fn many_checks_stay_within_the_limits_of_luau() {
    // More shapes than a function has locals, records wider than it has registers.
    let types: String =
        (0..300).map(|n| format!("type T{n} = {{ a: number, b: {{T{}}}?, w: W }}\n", (n + 1) % 300)).collect();
    let fields: Vec<String> =
        (0..300).map(|n| format!("f{n}: \"a{n}\" | \"b\" | \"c\" | \"d\" | \"e\" | nil")).collect();
    let functions: String =
        (0..300).map(|n| format!("typed function M.f{n}(x: T{n}, y: {{T{n}}}?) return x.a end\n")).collect();
    let module = format!("local M = {{}}\ntype W = {{ {} }}\n{types}{functions}return M", fields.join(", "));
    let check = |caller: &str, expected: Result<&str, &str>| {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(run(&module, caller), expected, "{caller}");
    };
    check("return M.f299({a = 1, w = {f7 = 'a7'}, b = {{a = 2, w = {}}}})", Ok("1"));
    check(
        "return M.f0({a = 1, w = {f7 = 'a8'}})",
        Err(
            "game/caller.luau:1: invalid argument #1 'x' to 'mod.f0' (at x.w.f7: expected (\"a7\" | \"b\" | \"c\" | \"d\" | \
             \"e\")?, got string \"a8\"; did you mean 'a7'?)",
        ),
    );
}

#[test]
fn the_compact_form_fits_a_full_file() {
    let locals: String = (0..199).map(|n| format!("local l{n} = {{}}\n")).collect();
    let source = format!("{locals}function F(x) end typed function G(x: {{number}}) return 3 end return G({{1}})");
    let refusal = run_as(&source, "return M", Style::Inline, &NoImports).expect_err("too many locals");
    assert!(refusal.contains("exceeded limit 200"), "{refusal}");
    assert_eq!(run_as(&source, "return M", Style::Compact, &NoImports), Ok("3".to_owned()));
}

#[test]
fn line_counts_stay() {
    let source = "--!native\r\n\r\ntyped function f(\r\n\tx: number\r\n)\r\nend\n\n";
    for style in STYLES {
        let text = rewrite(source, style, &NoImports).text;
        assert_eq!(text.lines().count(), source.lines().count());
    }
}
