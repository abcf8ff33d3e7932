//! The machine through its public face, over files held in a map.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use zero_base::Fault;
use zero_script::mlua::{MultiValue, Table, Thread, Value};
use zero_script::{Host, OVERRUN, PrintLevel, Ran, Source, Vm, VmOptions, to_json};

/// Scripts by path; `require("x")` is `/x.luau`.
#[derive(Default)]
struct Files {
    texts: RefCell<BTreeMap<String, String>>,
    printed: RefCell<Vec<String>>,
}

impl Files {
    fn set(&self, path: &str, text: &str) {
        self.texts.borrow_mut().insert(path.to_owned(), text.to_owned());
    }
}

impl Host for Files {
    fn resolve(&self, _: &str, name: &str) -> Result<String, Fault> {
        let path = format!("/{name}.luau");
        match self.texts.borrow().contains_key(&path) {
            true => Ok(path),
            false => Err(Fault::new("test/missing", format!("no module {name}"))),
        }
    }

    fn source(&self, path: &str) -> Result<Source, Fault> {
        let text = self.texts.borrow()[path].clone();
        Ok(Source { text, name: path.trim_matches('/').trim_end_matches(".luau").to_owned() })
    }

    fn print(&self, _: PrintLevel, text: &str, path: Option<&str>) {
        self.printed.borrow_mut().push(format!("{}: {text}", path.unwrap_or("?")));
    }
}

fn machine(files: &Rc<Files>) -> Vm {
    let vm = Vm::new(files.clone(), VmOptions { memory_limit: 64 << 20, ..VmOptions::default() }).unwrap();
    vm.seal().unwrap();
    vm
}

fn thread(vm: &Vm, code: &str) -> Thread {
    let script = vm.load_code("test", "/test.luau", code).unwrap();
    vm.lua().create_thread(script.main).unwrap()
}

/// Runs code to its end; its first value as JSON, or the fault as `code: message`.
fn run(vm: &Vm, code: &str) -> String {
    let script = match vm.load_code("test", "/test.luau", code) {
        Ok(script) => script,
        Err(fault) => return format!("{}: {}", fault.code, fault.message),
    };
    let (thread, mut args) = vm.task(script.main, MultiValue::new()).unwrap();
    loop {
        match vm.resume(&thread, std::mem::take(&mut args)) {
            Ran::Returned(values) => return to_json(values.front().unwrap_or(&Value::Nil)).unwrap().to_string(),
            Ran::Failed(fault) => return format!("{}: {}", fault.code, fault.message),
            Ran::Preempted => {}
            Ran::Yielded(_) => return "yielded".to_owned(),
        }
    }
}

fn check(code: &str, expected: &str) {
    let files = Rc::new(Files::default());
    files.set("/lib.luau", "export type Pair = { a: number, b: string? }\nreturn { two = 2 }");
    files.set("/a.luau", "local M = {} local b = require('b') M.name = 'a' M.b = b return M");
    files.set("/b.luau", "local M = {} M.a = require('a') function M.ask() return M.a.name end return M");
    let vm = machine(&files);
    assert_eq!(run(&vm, code), expected, "{code}");
}

#[test]
fn require_gives_one_table_and_survives_cycles() {
    check("return require('lib') == require('lib')", "true");
    check("return require('a').b.ask()", r#""a""#);
    check("return require('b').a == require('a')", "true");
    check("return require('nope')", "test/missing: test:1: no module nope");
}

#[test]
fn typed_functions_refuse_with_the_callers_place() {
    let spawn = "local lib = require('lib')\ntyped function spawn(kind: \"cube\" | \"sphere\", pair: lib.Pair?)\n\treturn kind\nend\n";
    let checked = |call: &str, expected: &str| check(&format!("{spawn}{call}"), expected);
    checked("return spawn('cube')", r#""cube""#);
    checked("return spawn('cube', { a = 1 })", r#""cube""#);
    let said = |call: &str, parts: &[&str]| {
        let files = Rc::new(Files::default());
        files.set("/lib.luau", "export type Pair = { a: number, b: string? }\nreturn {}");
        let text = run(&machine(&files), &format!("{spawn}{call}"));
        for part in parts {
            assert!(text.contains(part), "{part:?} in {text}");
        }
    };
    said("return spawn('cone')", &["test:5: invalid argument #1 'kind' to 'spawn'", "cube", "cone"]);
    said("return spawn('cube', { a = 'x' })", &["test:5:", "pair.a", "expected number"]);
    said("return spawn('cube', { a = 1, c = 2 })", &["test:5:", "'c'"]);
    said("return spawn()", &["missing argument #1 'kind'"]);
}

#[test]
fn the_sandbox_holds() {
    check(
        "return { getfenv == nil, setfenv == nil, loadstring == nil, newproxy == nil, io == nil, collectgarbage == nil }",
        "[true,true,true,true,true,true]",
    );
    check("return (pcall(function() string.rep = nil end))", "false");
    check("return (pcall(function() _G.x = 1 end))", "false");
    check("x = 1 return x", "1");
    check("return (pcall(function() getmetatable('').__index = nil end))", "false");
}

#[test]
fn scripts_do_not_share_globals() {
    let files = Rc::new(Files::default());
    let vm = machine(&files);
    assert_eq!(run(&vm, "leak = 1 return leak"), "1");
    assert_eq!(run(&vm, "return leak == nil"), "true");
}

#[test]
fn an_endless_loop_is_suspended_and_others_go_on() {
    let files = Rc::new(Files::default());
    let vm = machine(&files);
    let endless = thread(&vm, "while true do end");
    for _ in 0..3 {
        assert!(matches!(vm.resume(&endless, ()), Ran::Preempted));
        assert_eq!(run(&vm, "return 1"), "1");
    }
    // Inside pcall as well: the suspension is not an error that could be caught.
    let caught = thread(&vm, "while true do pcall(function() while true do end end) end");
    assert!(matches!(vm.resume(&caught, ()), Ran::Preempted));
    assert!(matches!(vm.resume(&caught, ()), Ran::Preempted));
}

#[test]
fn a_suspended_task_goes_on_where_it_was() {
    let files = Rc::new(Files::default());
    let vm = machine(&files);
    let code = "local n = 0 for i = 1, 3e7 do n += i % 3 end return n";
    assert_eq!(run(&vm, code), "30000000");
}

#[test]
fn what_cannot_be_suspended_is_ended() {
    let files = Rc::new(Files::default());
    let vm = machine(&files);
    let text = run(&vm, "table.sort({3, 2, 1}, function() while true do end end)");
    assert!(text.starts_with("script/overrun: test:1:"), "{text}");
    let text = run(&vm, "return #setmetatable({}, { __len = function() while true do end end })");
    assert!(text.starts_with("script/overrun:"), "{text}");
    let call = vm.load_code("call", "/call.luau", "while true do end").unwrap();
    assert_eq!(vm.call(&call.main, (), OVERRUN).unwrap_err().code, "script/overrun");
    assert_eq!(run(&vm, "return 1"), "1");
}

#[test]
fn a_step_is_ended_only_without_progress() {
    let files = Rc::new(Files::default());
    let vm = machine(&files);
    let buffer = vm.lua().create_buffer([0; 8]).unwrap();
    let load = |code: &str| {
        vm.load_code("step", "/step.luau", code).unwrap().main.call::<zero_script::mlua::Function>(()).unwrap()
    };
    let advancing = load(
        "return function(b) local t = os.clock() local n = 0 while os.clock() - t < 0.35 do n += 1 buffer.writeu32(b, 0, n) end return n end",
    );
    assert!(vm.run_step(&advancing, buffer.clone(), &buffer, OVERRUN).is_ok());
    let stuck = load("return function() while true do end end");
    assert_eq!(vm.run_step(&stuck, (), &buffer, OVERRUN).unwrap_err().code, "script/overrun");
}

#[test]
fn memory_is_bounded_and_the_machine_lives_on() {
    let files = Rc::new(Files::default());
    let vm = machine(&files);
    for hog in ["local t = {} while true do t[#t + 1] = string.rep('x', 1e6) .. #t end", "return buffer.create(1e9)"] {
        let text = run(&vm, hog);
        assert!(text.starts_with("script/memory:"), "{text}");
        assert_eq!(run(&vm, "return 1"), "1");
    }
}

#[test]
fn reload_folds_into_the_table_everybody_holds() {
    let files = Rc::new(Files::default());
    files.set(
        "/m.luau",
        "local M = {} function M.f() return 1 end function M.gone() end modules.state().n = 5 return M",
    );
    let vm = machine(&files);
    let Value::Table(module) = vm.module("/m.luau").unwrap() else { panic!("a table") };
    module.set("runtime", true).unwrap();
    files.set("/m.luau", "local M = {} function M.f() return modules.state().n end return M");
    assert!(vm.reload("/m.luau").unwrap());
    assert_eq!(module.get::<zero_script::mlua::Function>("f").unwrap().call::<i64>(()).unwrap(), 5);
    assert!(module.get::<Value>("gone").unwrap().is_nil());
    assert!(module.get::<bool>("runtime").unwrap());
    files.set("/m.luau", "this is not Luau");
    let fault = vm.reload("/m.luau").unwrap_err();
    assert_eq!(fault.code, "script/syntax");
    assert_eq!(fault.diagnostics[0].span.unwrap().line, 1);
    assert_eq!(module.get::<zero_script::mlua::Function>("f").unwrap().call::<i64>(()).unwrap(), 5);
    assert!(!vm.reload("/never_loaded.luau").unwrap());
}

#[test]
fn instances_of_a_script_have_globals_of_their_own() {
    let files = Rc::new(Files::default());
    files.set(
        "/c.luau",
        "public = { speed = 1 } function update(dt) public.speed += dt return self .. public.speed end",
    );
    let vm = machine(&files);
    let prototype = vm.load_prototype("/c.luau").unwrap();
    let make = |name: &str| {
        let instance = prototype.instantiate(vm.lua(), 4).unwrap();
        instance.env.raw_set("self", name).unwrap();
        instance.main.call::<()>(()).unwrap();
        instance.env
    };
    let update = |env: &Table| env.get::<zero_script::mlua::Function>("update").unwrap().call::<String>(2).unwrap();
    let (a, b) = (make("a"), make("b"));
    assert_eq!(update(&a), "a3");
    assert_eq!(update(&a), "a5");
    assert_eq!(update(&b), "b3");
}

#[test]
fn errors_carry_code_place_and_trace() {
    check("error('plain')", "script/error: test:1: plain");
    check("error({ code = 'my/code', message = 'no' })", "my/code: test:1: no");
    check("local t = nil\nreturn t.x", "script/error: test:2: attempt to index nil with 'x'");
    check("return 1 +", "script/syntax: test:1: Expected identifier when parsing expression, got <eof>");
}

#[test]
fn print_goes_to_the_host_with_its_file() {
    let files = Rc::new(Files::default());
    files.set("/p.luau", "print('hello', 1, nil, true) return {}");
    let vm = machine(&files);
    vm.module("/p.luau").unwrap();
    assert_eq!(*files.printed.borrow(), ["/p.luau: hello 1 nil true"]);
}

#[test]
fn random_numbers_repeat() {
    let draw = || run(&machine(&Rc::new(Files::default())), "return { math.random(), math.random(1, 100) }");
    assert_eq!(draw(), draw());
}

#[test]
fn hostile_sources_are_refused_without_harm() {
    let deep = format!("return {}1{}", "(".repeat(100_000), ")".repeat(100_000));
    let files = Rc::new(Files::default());
    let vm = machine(&files);
    assert!(run(&vm, &deep).starts_with("script/syntax"));
    let long = format!("return #\"{}\"", "x".repeat(20 << 20));
    assert!(run(&vm, &long).starts_with("script/too_long"));
    assert!(run(&vm, "local function f() return f() + 1 end return f()").contains("stack overflow"));
}
