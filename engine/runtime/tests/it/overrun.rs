//! Code that never ends where it cannot be suspended is ended, however it holds on, and what is
//! beside it goes on.

use serde_json::json;
use zero_runtime::Op;

use crate::support::World;

/// Loops for ever and swallows whatever ends it.
const STUBBORN: &str = "while true do pcall(function() while true do end end) end";

#[test]
fn in_a_hook_it_disables_one_instance_and_no_other() {
    for hook in ["update", "fixedUpdate", "start", "awake"] {
        let world = World::new();
        world.write(
            "/zero/source/Stuck.component/init.luau",
            &format!(
                "public = {{ stuck = Field.boolean(false), ran = Field.number(0) }}
                 function {hook}() if public.stuck then {STUBBORN} end self.ran = public.ran + 1 end"
            ),
        );
        world.run(
            "for i = 1, 3 do entity.spawn('e' .. i).component.add('Stuck', { stuck = i == 2 }) end
             entity.spawn('other').component.add('Spinner')",
        );
        world.play();
        world.steps(2);
        let ran = world.run("local out = {} for i = 1, 3 do out[i] = entity('e' .. i).Stuck.ran > 0 end return out");
        assert_eq!(ran, json!([true, false, true]), "{hook}");
    }
}

#[test]
fn in_a_listener_and_in_an_event_that_fires_itself() {
    let world = World::new();
    world.write(
        "/zero/source/Loud.component/init.luau",
        "public = {} events = { heard = true } function update() events.heard:fire() end",
    );
    world.run("entity.spawn('e').component.add('Loud')");
    world.play();
    world.run(
        "local heard = entity('e').Loud.events.heard
         heard:connect(function() heard:fire() heard:fire() end)",
    );
    world.steps(1);
    world.run(&format!("entity('e').Loud.events.heard:connect(function() {STUBBORN} end)"));
    assert_eq!(world.run("return 1"), json!(1));
}

#[test]
fn in_the_body_of_a_module_or_component() {
    let world = World::new();
    world.write("/zero/source/stuck.module/init.luau", STUBBORN);
    let (code, _) = world.fails("return require('stuck')");
    assert_eq!(code, "script/overrun");
    world.write("/zero/source/Stuck.component/init.luau", &format!("public = {{}} {STUBBORN}"));
    let (code, _) = world.fails("entity.spawn('e').component.add('Stuck')");
    assert_eq!(code, "script/overrun");
    // Saved while it is in use: the code that ran before goes on.
    world.write(
        "/zero/source/Fine.component/init.luau",
        "public = { n = Field.number(1) } function twice() return public.n * 2 end",
    );
    world.run("entity.spawn('f').component.add('Fine')");
    let written = world.write("/zero/source/Fine.component/init.luau", STUBBORN);
    assert_eq!(written["diagnostics"][0]["code"], "script/overrun", "{written:#}");
    assert_eq!(world.run("return entity('f').Fine:twice()"), json!(2));
}

#[test]
fn in_a_coroutine_of_the_scripts_own() {
    let world = World::new();
    let ended = world.run(&format!(
        "local made = coroutine.create(function() {STUBBORN} end)
         local ok, problem = coroutine.resume(made)
         return {{ ok, string.find(problem, 'overrun') ~= nil, coroutine.status(made) }}"
    ));
    assert_eq!(ended, json!([false, true, "dead"]));
}

#[test]
fn in_a_table_that_the_engines_own_code_goes_through() {
    let world = World::new();
    let endless = "local endless = setmetatable({}, { __iter = function() return type, 1 end })";
    world.write(
        "/zero/source/Odd.component/init.luau",
        &format!(
            "{endless} public = {{}} if self then events = endless else events = {{ a = 1 }} end
             function update() asset.create('module', 'x', endless) end"
        ),
    );
    world.run("entity.spawn('e').component.add('Odd')");
    let code = format!(
        "{endless} return {{ pcall(entity.instantiate, endless), pcall(asset.create, 'module', 'm', endless) }}"
    );
    assert_eq!(world.run(&code)[0], json!(true), "the fields it has are none");
    world.play();
    world.steps(2);
    assert_eq!(world.run("return 1"), json!(1));
}

#[test]
fn a_component_that_hangs_everywhere_is_given_up_as_a_whole() {
    let world = World::new();
    world.write("/zero/source/Stuck.component/init.luau", "public = {} function update() while true do end end");
    world.run("for i = 1, 100 do entity.spawn('e').component.add('Stuck') end");
    world.play();
    let logs = world.call(Op::Step { frames: 3 }).unwrap().value["logs"].clone();
    let said = |what: &str| {
        logs.as_array().unwrap().iter().filter(|line| line["text"].as_str().unwrap().contains(what)).count()
    };
    // Three of the hundred are tried, and none in the frames after.
    assert_eq!((said("failed in update"), said("component/stopped")), (3, 1), "{logs:#}");
    world.edit();
    let code = "if self then while true do end end public = {}";
    let written = world.write("/zero/source/Stuck.component/init.luau", code);
    assert_eq!(written["diagnostics"][0]["code"], "script/overrun", "{written:#}");
    world.write(
        "/zero/source/Stuck.component/init.luau",
        "public = { n = Field.number(0) } function update() self.n = 1 end",
    );
    world.play();
    world.steps(1);
    assert_eq!(world.run("return entity.findAll('e')[100].Stuck.n"), json!(1));
}

#[test]
fn hooks_inside_hooks_do_not_make_time() {
    let world = World::new();
    world.write(
        "/zero/source/Heard.component/init.luau",
        "public = { n = Field.number(0) } function onPropertyChanged() for _ = 1, 1e5 do end end",
    );
    world.write(
        "/zero/source/Asking.component/init.luau",
        "public = {} function update() local h = entity('h').Heard while true do h.n = h.n + 1 end end",
    );
    world.run("entity.spawn('h').component.add('Heard') entity.spawn('a').component.add('Asking')");
    world.play();
    world.steps(2);
    assert_eq!(world.run("return entity('a').Asking.enabled"), json!(false));
}

#[test]
fn frames_asked_for_stop_with_their_caller() {
    let world = World::new();
    world.play();
    world.run("entity.spawn('slow').component.add('Spinner')");
    let caller = zero_base::Caller::new("impatient", zero_base::Transport::Http);
    let cancel = caller.cancel.clone();
    let answer = world.engine.call(caller, Op::Step { frames: 36_000 });
    assert_eq!(world.run("return 1"), json!(1), "others are answered meanwhile");
    cancel.cancel();
    assert_eq!(answer.recv().unwrap().unwrap_err().code, "call/cancelled");
    let answer = world.engine.call(crate::support::caller(), Op::Step { frames: 36_000 });
    world.edit();
    assert_eq!(answer.recv().unwrap().unwrap_err().code, "call/mode_changed");
}

#[test]
fn scripts_that_take_long_to_compile_are_refused() {
    let world = World::new();
    let (code, message) = world.fails(&format!("return #'{}'", "x".repeat(2 << 20)));
    assert_eq!(code, "script/refused");
    assert!(message.contains("script/too_long"), "{message}");
    let written = world.write("/zero/source/long.module/init.luau", &format!("return '{}'", "x".repeat(2 << 20)));
    assert_eq!(written["diagnostics"][0]["code"], "script/too_long");
}

#[test]
fn a_type_that_names_itself_is_no_end() {
    let world = World::new();
    for types in ["type A = A | A | number", "type A = A? | A?", "type A = B | C\ntype B = C | A\ntype C = B | A"] {
        world.write(
            "/zero/source/Odd.component/init.luau",
            &format!("{types}\npublic = {{}}\ntyped function f(a: A) end"),
        );
        world.run("entity.spawn('e').component.add('Odd')");
    }
    assert!(world.call(Op::Check { path: None }).is_ok());
}
