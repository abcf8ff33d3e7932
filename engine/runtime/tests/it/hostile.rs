use std::time::{Duration, Instant};

use serde_json::json;
use zero_base::{Caller, Transport};
use zero_runtime::{EditFile, Execute, LogLevel, Op, ReadFile, WriteFile};

use crate::support::{World, caller};

fn execute(code: &str) -> Op {
    Op::Execute(Execute { code: Some(code.to_owned()), ..Execute::default() })
}

#[test]
fn an_endless_loop_leaves_every_other_call_answering() {
    let world = World::new();
    let endless = Caller::new("endless", Transport::Http).until(Instant::now() + Duration::from_millis(1500));
    let hung = world.engine.call(endless, execute("entity.spawn('half') while true do end"));
    let mut answered = 0;
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(800) {
        assert_eq!(world.run("return 1"), json!(1));
        assert!(world.call(Op::Status).is_ok());
        answered += 1;
    }
    assert!(answered >= 5, "{answered}");
    assert_eq!(hung.recv().unwrap().unwrap_err().code, "call/deadline");
    assert_eq!(world.run("return entity.find('half') == nil"), json!(true));
}

#[test]
fn a_cancelled_call_stops() {
    let world = World::new();
    let caller = Caller::new("impatient", Transport::Http);
    let flag = caller.cancel.clone();
    let hung = world.engine.call(caller, execute("while true do end"));
    flag.cancel();
    assert_eq!(hung.recv().unwrap().unwrap_err().code, "call/cancelled");
}

#[test]
fn a_long_call_becomes_a_task() {
    let world = World::new();
    let answer = world.engine.call_blocking(caller(), execute("task.wait(10.4) return 'done'")).unwrap();
    assert_eq!(answer.value["status"], "running", "{}", answer.value);
    let task = answer.value["taskId"].as_u64().unwrap();
    let done = world.call(Op::Wait { task, timeout_secs: Some(5.0), logs: LogLevel::Error }).unwrap();
    assert_eq!(done.value["result"], "done");
    let unknown = world.call(Op::Wait { task: 999_999, timeout_secs: None, logs: LogLevel::Error }).unwrap_err();
    assert_eq!(unknown.code, "task/unknown");
}

#[test]
fn paths_cannot_escape() {
    let world = World::new();
    for path in [
        "/etc/passwd",
        "../../etc/passwd",
        "/zero/source/../../x",
        "/zero/source/%2e%2e/x",
        "C:\\x",
        "//host/share",
        "/zero/source/a\0b",
        "/zero/source/./x",
        "",
        "/",
        "/zero",
        "/zero/source/libs/@builtin/x.txt",
        "/zero/docs/x",
    ] {
        let write = WriteFile { path: path.to_owned(), content: Some("x".to_owned()), ..WriteFile::default() };
        let fault = world.call(Op::WriteFile(write)).expect_err(path);
        assert!(fault.code.contains('/'), "{path}: {fault}");
        let edit = EditFile { path: path.to_owned(), old: "a".to_owned(), new: "b".to_owned(), ..EditFile::default() };
        assert!(world.call(Op::EditFile(edit)).is_err(), "{path}");
        let execute = Execute {
            code: Some("return (pcall(vfs.write, SCRIPT_ARGS, 'x'))".to_owned()),
            args: json!(path),
            ..Execute::default()
        };
        assert_eq!(world.call(Op::Execute(execute)).unwrap().value["result"], json!(false), "{path}");
    }
    std::os::unix::fs::symlink("/etc", world.path().join("source/out")).unwrap();
    let read = ReadFile { path: "/zero/source/out/passwd".to_owned(), ..ReadFile::default() };
    assert!(world.call(Op::ReadFile(read)).is_err());
    let write =
        WriteFile { path: "/zero/source/out/x".to_owned(), content: Some("x".to_owned()), ..WriteFile::default() };
    assert!(world.call(Op::WriteFile(write)).is_err());
}

#[test]
fn huge_deep_and_odd_values_are_refused_or_carried() {
    let world = World::new();
    assert_eq!(world.run("local s = string.rep('x', 20e6) vfs.write('/zero/source/big.txt', s) return #vfs.read('/zero/source/big.txt')"), json!(20_000_000));
    let (code, _) = world.fails("local t = {} t.t = t return t");
    assert_eq!(code, "script/value_too_deep");
    let (code, _) = world.fails("return vfs.read('/zero/source/none.txt')");
    assert_eq!(code, "vfs/not_found");
    std::fs::write(world.path().join("source/raw.bin"), [0xff, 0xfe, 0x00]).unwrap();
    let read = ReadFile { path: "/zero/source/raw.bin".to_owned(), ..ReadFile::default() };
    crate::transactions::eventually(|| {
        world.call(Op::ReadFile(read.clone())).is_err_and(|fault| fault.code == "vfs/not_utf8")
    });
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    world.write("/zero/source/deep.data/data.yaml", &deep);
    let check = world.call(Op::Check { path: None }).unwrap().value;
    assert!(check["errors"].as_u64().unwrap() >= 1);
}

#[test]
fn a_reply_is_bounded_in_bytes() {
    let world = World::new();
    for code in [
        "return table.create(20000, string.rep('x', 1e6))",
        "return #json.encode(table.create(20000, string.rep('x', 1e6)))",
        "error({ code = 'a/b', message = 'm', data = table.create(20000, string.rep('x', 1e6)) })",
    ] {
        let (name, message) = world.fails(code);
        assert!(name == "script/value_too_large" || name == "a/b", "{name}: {message}");
    }
    let logs = world.execute("print(table.unpack(table.create(7000, string.rep('x', 1e6))))").value;
    assert!(logs["logs"][0]["text"].as_str().unwrap().len() < 10_000);
}

#[test]
fn references_are_carried_by_their_names() {
    let world = World::new();
    assert_eq!(
        world.run("return { entity('floor'), asset.resolve('@builtin::meshes.cube', 'mesh') }"),
        json!(["ent_4", "@builtin::meshes.cube"])
    );
    world.run("entity('floor').Mesh.mesh = asset.resolve('@builtin::meshes.sphere', 'mesh')");
    assert_eq!(world.run("return entity('floor').Mesh.mesh.name"), json!("sphere"));
}

#[test]
fn a_refused_script_never_runs() {
    let world = World::new();
    let fault = world.call(execute("entity.spawn('x') require('nowhere')")).unwrap_err();
    assert_eq!(fault.code, "script/refused");
    assert_eq!(fault.diagnostics[0].span.unwrap().line, 1);
    assert_eq!(world.run("return entity.find('x') == nil"), json!(true));
    let loose = Execute {
        code: Some("return pcall(require, 'nowhere')".to_owned()),
        strict: Some(false),
        ..Execute::default()
    };
    assert!(world.call(Op::Execute(loose)).is_ok());
}

#[test]
fn native_functions_are_out_of_reach() {
    let world = World::new();
    assert_eq!(world.run("return { __native == nil, getfenv == nil, loadstring == nil }"), json!([true, true, true]));
    assert_eq!(world.run("return (pcall(function() entity.spawn = nil end))"), json!(false));
    assert_eq!(world.run("return (pcall(setmetatable, entity('floor'), {}))"), json!(false));
    let (code, message) = world.fails("return require('@builtin::modules.api.prelude')");
    assert_eq!(code, "script/refused");
    assert!(message.contains("script/private_module"), "{message}");
    let code = "local name = '@builtin::modules.api.component' return { pcall(require, name) }";
    assert_eq!(world.run(code)[0], json!(false), "a name made at run time is refused as well");
}

#[test]
fn what_all_scripts_share_cannot_be_changed() {
    let world = World::new();
    for code in [
        "rawset(entity('floor'), 'id', 'ent_1')",
        "rawset(asset.resolve('main', 'scene'), 'guid', 'x')",
        "rawset(entity('floor').Mesh, '__id', 'ent_1')",
        "require('@builtin::toolboxes.result').ok = nil",
        "table.insert(getmetatable(entity('floor')), 1)",
    ] {
        let (code, message) = world.fails(code);
        assert!(["script/error", "script/argument", "script/refused"].contains(&code.as_str()), "{code}: {message}");
    }
    assert_eq!(world.run("return entity('floor').name"), json!("floor"));
}

#[test]
fn a_misspelt_member_is_refused_with_the_nearest() {
    let world = World::new();
    for (code, nearest) in [
        ("entity.spwan('a')", "'spawn'"),
        ("scene.lod('main')", "'load'"),
        ("tools.uze('a', 'b')", "'use'"),
        ("task.wiat()", "'wait'"),
        ("asset.reslve('main')", "'resolve'"),
        ("vfs.raed('/zero/source')", "'read'"),
        ("json.enocde({})", "'encode'"),
        ("return math.sine(1)", "'sin'"),
        ("return ('x'):uper()", "'upper'"),
        ("return Field.nmber(1)", "'number'"),
        ("return engine.mod", "'mode'"),
    ] {
        let (name, message) = world.fails(code);
        assert_eq!(name, "script/unknown_member", "{code}: {message}");
        assert!(message.starts_with("execute:1: ") && message.contains(nearest), "{code}: {message}");
    }
}

#[test]
fn a_wrong_argument_says_who_was_called_how_and_by_whom() {
    let world = World::new();
    let (code, message) = world.fails("local _ = 1\nentity.spawn(7)");
    assert_eq!(code, "script/argument");
    assert_eq!(message, "execute:2: invalid argument #1 'name' to 'entity.spawn' (expected string, got number 7)");
    let (_, message) = world.fails("entity.spawn('a', { position = { 0, 0 } })");
    assert!(message.ends_with("position: expected 3 numbers, got a list of 2"), "{message}");
    world.write(
        "/zero/source/Turner.component/init.luau",
        "public = {}\npublic.mode = Field.enum('both', { 'turn', 'both' })",
    );
    let (code, message) = world.fails("entity.spawn('a').component.add('Turner')");
    assert_eq!(code, "script/argument");
    assert!(message.starts_with("@local.source.Turner:2: invalid argument #1 'choices' to 'Field.enum'"), "{message}");
}

#[test]
fn a_field_cannot_be_set_to_an_asset_that_is_not_there() {
    let world = World::new();
    for code in [
        "entity('floor').Mesh.mesh = '@builtin::meshes.cub'",
        "entity.spawn('a').component.add('Mesh', { mesh = '@builtin::meshes.cub' })",
        "return asset.resolve('@builtin::meshes.cub', 'mesh')",
    ] {
        let (name, message) = world.fails(code);
        assert_eq!(name, "asset/not_found", "{code}: {message}");
        assert!(message.ends_with("did you mean '@builtin::meshes.cube'?"), "{message}");
    }
}

#[test]
fn whatever_is_thrown_is_shown_without_running_it() {
    let world = World::new();
    world.write(
        "/zero/source/Thrower.component/init.luau",
        "public = {}
         function update() error(setmetatable({}, { __tostring = function() while true do end end })) end",
    );
    world.run("entity.spawn('e').component.add('Thrower')");
    world.play();
    world.steps(1);
    assert_eq!(world.run("return entity('e').Thrower.enabled"), json!(false));
}

#[test]
fn logs_are_bounded_in_lines_and_in_length() {
    let world = World::new();
    let answer = world.execute("for _ = 1, 600 do print(string.rep('x', 1e5)) end").value;
    let logs = answer["logs"].as_array().unwrap();
    assert_eq!((logs.len(), answer["logsLeftOut"].as_u64().unwrap()), (500, 100));
    assert!(logs[0]["text"].as_str().unwrap().ends_with("95904 more bytes"), "{}", logs[0]);
}

#[test]
fn a_check_looks_at_what_would_fail_later() {
    let world = World::new();
    world.write("/zero/source/Turner.component/init.luau", "public = { n = Field.nmber(1) }");
    world.write(
        "/zero/source/odd.scene/scene.yaml",
        "scene: 1\nnextId: 2\nentities:\n  - id: ent_1\n    name: a\n    components:\n      Turnr: { x: 1 }\n      Spinner: { degreesPerSeconds: 1 }\n",
    );
    std::fs::write(world.path().join("world.yaml"), "name: w\nentrypint: main\nentrypoint: man\n").unwrap();
    let world = world.reopen();
    let check = world.call(Op::Check { path: None }).unwrap().value;
    let found: Vec<(&str, &str)> = check["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["code"].as_str().unwrap(), d["path"].as_str().unwrap()))
        .collect();
    for expected in [
        ("script/unknown_member", "/zero/source/Turner.component/init.luau"),
        ("scene/unknown_component", "/zero/source/odd.scene/scene.yaml"),
        ("world/unknown_setting", "world.yaml"),
        ("asset/not_found", "world.yaml"),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    assert!(check["diagnostics"].to_string().contains("degreesPerSecond"), "{check:#}");
    assert_eq!(world.call(Op::Play).unwrap_err().code, "play/diagnostics");
}

#[test]
fn problems_are_known_soon_after_the_start_and_when_what_they_need_comes_or_goes() {
    let world = World::new();
    world.write("/zero/source/user.module/init.luau", "return require('used')");
    let world = world.reopen();
    let problems = || {
        let status = world.call(Op::Status).unwrap().value;
        (status["unchecked"] == 0).then(|| status["problems"].as_u64().unwrap())
    };
    crate::transactions::eventually(|| problems() == Some(1));
    world.write("/zero/source/used.module/init.luau", "return {}");
    crate::transactions::eventually(|| problems() == Some(0));
    world.run("asset.resolve('used', 'module'):delete()");
    crate::transactions::eventually(|| problems() == Some(1));
}

#[test]
fn frames_say_what_went_wrong_in_them() {
    let world = World::new();
    world.write("/zero/source/Broken.component/init.luau", "public = {} function update() error('no') end");
    world.run("entity.spawn('e').component.add('Broken')");
    world.play();
    let answer = world.call(Op::Step { frames: 2 }).unwrap().value;
    assert_eq!(answer["logs"].as_array().unwrap().len(), 1, "{answer:#}");
    assert!(answer["logs"][0]["text"].as_str().unwrap().contains("Broken on ent_"), "{answer:#}");
    let later = world.execute("return 1").value;
    assert!(later["state"]["errors"][0].as_str().unwrap().contains("Broken on ent_"), "{later:#}");
    world.edit();
    assert_eq!(world.execute("return 1").value["state"]["errors"], json!(null));
}
