//! The text of guards. What they do is tested in a VM, in `tests/it`.

use std::sync::Arc;

use crate::luau::{Imports, ModuleImports, NoImports, RequireCall, TypeAlias, instrument, instrument_compact, parse};

fn text(source: &str) -> String {
    instrument(source, "m", &NoImports).expect("well-formed").text
}

#[test]
fn guards_follow_the_header_and_the_preamble_goes_first() {
    let check = |source: &str, expected: &str| assert_eq!(text(source), expected, "{source}");
    check(
        "--!strict\ntyped function f(x: number, y: string?) -- why\nend",
        "--!strict\nlocal __ty,__typed_fail=type,__typed_rt(\"m\");       function f(x: number, y: string?) if not \
         (__ty(x)==\"number\" and (y==nil or __ty(y)==\"string\")) then __typed_fail(0,x,y) end -- why\nend",
    );
    check(
        "local M = {} typed function M.f(e: EntityRef, m: AssetRef<\"mesh\">): () return end",
        "local __typed_fail,__host=__typed_rt(\"m\"); local M = {}       function M.f(e: EntityRef, m: \
         AssetRef<\"mesh\">): () if not (__host.EntityRef(e) and __host.AssetRef(m,\"mesh\")) then \
         __typed_fail(0,e,m) end return end",
    );
    check("typed function f(x, y: any, z: (number) -> ()) end", "      function f(x, y: any, z: (number) -> ()) end");
    check("local x = 1", "local x = 1");
}

#[test]
fn the_compact_form_uses_one_local() {
    let source = "typed function f(x: number) end\ntyped function g(_: any, y: {number}) end";
    let expected = "local __typed=(function() local __ty,__nx,__gm,__typed_fail=type,next,getmetatable,__typed_rt(\"m\") \
        local function __raw(t) local c={} for k,v in __nx,t do c[k]=v end return c end local __t1 \
        __t1=function(x) if __ty(x)~=\"table\" then return false end for k,v in __gm(x)~=nil and __raw(x) or x do if __ty(k)~=\"number\" or not \
        (__ty(v)==\"number\") then return false end end return true end return {__typed_fail,function(x) return \
        __ty(x)==\"number\" end,function(_,y) return __t1(y) end} end)();       function f(x: number) if not \
        __typed[2](x) then __typed[1](0,x) end end\n      function g(_: any, y: {number}) if not __typed[3](_,y) \
        then __typed[1](1,_,y) end end";
    assert_eq!(instrument_compact(source, "m", &NoImports).expect("well-formed").text, expected);
}

#[test]
fn mistakes_of_typed_are_errors_and_others_are_left_to_luau() {
    let codes = |source: &str| {
        let errors = instrument(source, "m", &NoImports).expect_err("a mistake");
        errors.iter().map(|error| error.code.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(codes("x = typed function() end"), ["luau/typed_misplaced"]);
    assert_eq!(codes("typed function f(a: number end"), ["luau/bad_signature"]);
    assert_eq!(codes("typed function f(__ty: number) end"), ["luau/reserved_name"]);
    assert_eq!(codes("local __t12, __t12 typed function f(a: number) end"), ["luau/reserved_name"]);
    assert_eq!(codes("typed function f(x: numbr): nothing end"), ["luau/unknown_type"; 2]);
    assert!(instrument("local __ty = 1 local __title = 2", "m", &NoImports).is_ok());
    assert!(instrument("type A = { x: } typed function f(a: A) end", "m", &NoImports).is_ok());
}

#[test]
fn what_is_not_checked_is_said() {
    let check = |source: &str, expected: &[&str]| {
        let found = instrument(source, "m", &NoImports).expect("well-formed").diagnostics;
        let found: Vec<&str> = found.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        assert_eq!(found, expected, "{source}");
    };
    check("type A = A | nil typed function f(x: A) end", &["type 'A' is defined as itself, so it accepts any value"]);
    check(
        "type A = B? type B = { a: A } | A typed function f(x: A) end",
        &["type 'A' is defined as itself, so it accepts any value"],
    );
    check(
        "type G<T> = { inner: G<{T}>? } typed function f(x: G<number>) end",
        &["too many different types to check; 'G' is left out"],
    );
    check("typed function f<T>(x: T, y: keyof<T>, z: typeof(x)): keyof<T> end", &[]);
    check("function f(x: Unknown) end", &[]);
}

#[test]
fn types_that_do_not_exist_are_refused_with_the_nearest() {
    let check = |source: &str, expected: &str| {
        let errors = instrument(source, "m", &Two).expect_err("a mistake");
        let found: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(found, [expected], "{source}");
    };
    check("typed function f(x: numbr) end", "'f' names a type 'numbr' that does not exist; did you mean 'number'?");
    check("typed function f(): { Colour } end", "'f' names a type 'Colour' that does not exist; did you mean 'Color'?");
    check(
        "type Opts = { by: { EntityReff } } typed function f(x: Opts?) end",
        "'f' names a type 'EntityReff' that does not exist; did you mean 'EntityRef'?",
    );
    check("typed function f(x: T.X) end", "'f' names the type 'T.X', and no module is required as 'T' here");
    check(
        "local A = require('./a') typed function f(x: A.Hidden) end",
        "'f' names the type 'A.Hidden', which 'A' does not export",
    );
    check(
        "local A = require('./a') typed function f(x: A.B) end",
        "'f' names the type 'A.B', which 'A' does not export; did you mean 'A'?",
    );
    // What another module left open is said where that module is loaded.
    let found = instrument("local C = require('./c') typed function f(x: C.C) end", "m", &Two).expect("well-formed");
    assert_eq!(found.diagnostics.len(), 1, "{:?}", found.diagnostics);
}

/// Modules `a` and `b`; `a` writes its types in terms of `b`.
struct Two;

fn aliases(source: &str) -> Arc<Vec<TypeAlias>> {
    Arc::new(parse(source).types)
}

impl Imports for Two {
    fn types_of(&self, require_name: &str) -> Option<Arc<Vec<TypeAlias>>> {
        match require_name {
            "./a" => Some(aliases("type Hidden = number export type A = { h: Hidden, b: B.B<string> }")),
            "./c" => Some(aliases("export type C = { unknown: Elsewhere }")),
            "./b" => Some(aliases("export type B<T> = { t: T, u: T? }")),
            _ => None,
        }
    }

    fn imports_of(&self, require_name: &str) -> Option<ModuleImports> {
        let requires: Vec<RequireCall> = parse("local B = require('./b')").requires;
        (require_name == "./a").then(|| ModuleImports { requires: Arc::new(requires), imports: Arc::new(Two) })
    }

    fn ambient(&self) -> Option<Arc<Vec<TypeAlias>>> {
        Some(aliases("type Color = { r: number }"))
    }
}

#[test]
fn types_come_from_other_modules() {
    let check = |param: &str, test: &str| {
        let source = format!("local A = require('./a')\ntyped function f(x: {param}) end");
        let instrumented = instrument(&source, "m", &Two).expect("well-formed");
        assert!(instrumented.text.contains(test), "{param}: {}", instrumented.text);
        assert_eq!(instrumented.diagnostics, [], "{param}");
    };
    check("A.A", "local v=x.t if not (__ty(v)==\"string\")");
    check("A.A", "local v=x.h if not (__ty(v)==\"number\")");
    check("Color", "local v=x.r if not (__ty(v)==\"number\")");
}
