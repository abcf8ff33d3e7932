use serde_json::json;
use zero_base::{Caller, Transport};
use zero_runtime::{Execute, Op, WriteFile};

use crate::support::World;

fn hash(world: &World) -> String {
    world.call(Op::Hash).unwrap().value["world"].as_str().unwrap().to_owned()
}

#[test]
fn a_failed_call_leaves_nothing() {
    let world = World::new();
    let before = hash(&world);
    let (code, message) = world.fails(
        "vfs.write('/zero/source/note.txt', 'hello')
         local lamp = entity.spawn('lamp')
         lamp.component.add('Mesh')
         entity('floor').position = { 9, 9, 9 }
         entity('sky'):despawn()
         error('no')",
    );
    assert_eq!((code.as_str(), message.as_str()), ("script/error", "execute:6: no"));
    assert_eq!(hash(&world), before);
    assert_eq!(
        world.run("return { vfs.exists('/zero/source/note.txt'), entity.find('lamp') == nil, entity('sky').id }"),
        json!([false, true, "ent_2"])
    );
}

#[test]
fn a_call_is_one_transaction_and_a_wait_ends_it() {
    let world = World::new();
    let answer = world.execute("vfs.write('/zero/source/a.txt', '1') entity.spawn('x')");
    assert_eq!(answer.value["transactions"].as_array().unwrap().len(), 1);
    let answer = world.execute("entity.spawn('y') task.wait(0.01) entity.spawn('z')");
    assert_eq!(answer.value["transactions"].as_array().unwrap().len(), 2);
    let (code, _) = world.fails("entity.spawn('kept') task.wait() entity.spawn('undone') error('late')");
    assert_eq!(code, "script/error");
    assert_eq!(world.run("return { entity.find('kept') ~= nil, entity.find('undone') == nil }"), json!([true, true]));
}

#[test]
fn reads_see_a_write_before_it_is_durable() {
    let world = World::new();
    let value = world.run(
        "vfs.write('/zero/source/a.txt', 'one')
         return { vfs.read('/zero/source/a.txt'), string.find(vfs.stat('/zero/source/a.txt').layer, 'uncommitted') ~= nil }",
    );
    assert_eq!(value, json!(["one", true]));
    assert_eq!(std::fs::read_to_string(world.path().join("source/a.txt")).unwrap(), "one");
}

#[test]
fn unsaved_entities_survive_a_stop_and_a_crash() {
    let world = World::new();
    world.run("entity.spawn('lamp', { position = { 1, 2, 3 } }).component.add('Mesh', { castShadows = false })");
    let entities = world.call(Op::Hash).unwrap().value["entities"].clone();
    // Another engine over the same folder reads what a crash would have left.
    let copy = tempfile::TempDir::new().unwrap();
    copy_folder(world.path(), copy.path());
    let other = crate::support::open(copy.path());
    assert_eq!(other.call_blocking(crate::support::caller(), Op::Hash).unwrap().value["entities"], entities);
    let world = world.reopen();
    assert_eq!(world.call(Op::Hash).unwrap().value["entities"], entities);
    assert_eq!(world.run("return entity('lamp').position"), json!([1, 2, 3]));
    assert_eq!(world.run("return scene.current().dirty"), json!(false));
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_stale_base_is_refused_with_both_hashes() {
    let world = World::new();
    let first = world.write("/zero/source/a.txt", "one");
    world.write("/zero/source/a.txt", "two");
    let write = WriteFile {
        path: "/source/a.txt".to_owned(),
        content: Some("three".to_owned()),
        base: Some(first["hash"].as_str().unwrap().parse().unwrap()),
        ..WriteFile::default()
    };
    let fault = world.call(Op::WriteFile(write)).unwrap_err();
    assert_eq!(fault.code, "vfs/stale_base");
    assert_eq!(world.run("return vfs.read('/zero/source/a.txt')"), json!("two"));
}

#[test]
fn another_callers_key_is_waited_for() {
    let world = World::new();
    // Suspended in the middle of its transaction, the first call owns the file.
    let slow = "vfs.write('/zero/source/a.txt', 'slow') local t = os.clock() while os.clock() - t < 0.4 do end return vfs.read('/zero/source/a.txt')";
    let execute = |code: &str| Op::Execute(Execute { code: Some(code.to_owned()), ..Execute::default() });
    let first = world.engine.call(Caller::new("slow", Transport::Http), execute(slow));
    eventually(|| world.run("return vfs.exists('/zero/source/a.txt')") == json!(true));
    let second = world.engine.call(
        Caller::new("quick", Transport::Http),
        execute("vfs.write('/zero/source/a.txt', 'quick') return vfs.read('/zero/source/a.txt')"),
    );
    assert_eq!(first.recv().unwrap().unwrap().value["result"], "slow");
    let second = second.recv().unwrap().unwrap();
    assert_eq!(second.value["result"], "quick", "{:#}", second.value);
    assert_eq!(world.run("return vfs.read('/zero/source/a.txt')"), json!("quick"));
}

/// Runs until it is told to stop, with what it has written still open.
fn half_way(code: &str) -> Op {
    Op::Execute(Execute { code: Some(format!("{code} while true do end")), ..Execute::default() })
}

#[test]
fn an_assignment_waits_for_anothers_transaction_like_any_write() {
    let world = World::new();
    let slow = "entity('floor').position = { 1, 1, 1 } local t = os.clock() while os.clock() - t < 0.5 do end";
    let execute = |code: &str| Op::Execute(Execute { code: Some(code.to_owned()), ..Execute::default() });
    let first = world.engine.call(Caller::new("slow", Transport::Http), execute(slow));
    eventually(|| world.run("return entity('floor').position") == json!([1, 1, 1]));
    let code =
        "print('once') vfs.write('/zero/source/n.txt', 'x') entity('floor').position = { 2, 2, 2 } return 'done'";
    let op =
        Op::Execute(Execute { code: Some(code.to_owned()), logs: zero_runtime::LogLevel::Info, ..Execute::default() });
    let second = world.engine.call_blocking(Caller::new("quick", Transport::Http), op).unwrap().value;
    assert!(!first.recv().unwrap().unwrap().failed);
    assert_eq!(second["result"], "done", "{second:#}");
    assert_eq!(second["logs"].as_array().unwrap().len(), 1);
    assert_eq!(world.run("return entity('floor').position"), json!([2, 2, 2]));
    // A hook that meets it loses a frame, not its life.
    world.write(
        "/zero/source/Ed.component/init.luau",
        "public = {} local k = 0 function editorUpdate() k += 1 entity.find('floor').position = { 0, k, 0 } end",
    );
    world.run("entity.spawn('ed').component.add('Ed')");
    let code = "entity('floor').position = { 1, 1, 1 } local t = os.clock() while os.clock() - t < 0.3 do end return entity('floor').position";
    assert_eq!(world.run(code), json!([1, 1, 1]));
    eventually(|| world.run("return entity('floor').position.y > 3") == json!(true));
}

#[test]
fn a_scene_is_not_changed_under_a_call_that_is_half_way() {
    let world = World::new();
    world.run("asset.create('scene', 'other')");
    let first = Caller::new("first", Transport::Http);
    let cancel = first.cancel.clone();
    let hung = world.engine.call(first, half_way("entity('floor').position = { 7, 7, 7 }"));
    eventually(|| world.run("return entity('floor').position") == json!([7, 7, 7]));
    let second = world.engine.call(
        Caller::new("second", Transport::Http),
        Op::Execute(Execute { code: Some("return scene.load('other').identity".to_owned()), ..Execute::default() }),
    );
    let third =
        world.engine.call(Caller::new("third", Transport::Http), Op::LoadScene { identity: "other".to_owned() });
    assert_eq!(world.run("return scene.current().identity"), json!("main"));
    cancel.cancel();
    assert_eq!(hung.recv().unwrap().unwrap_err().code, "call/cancelled");
    assert_eq!(second.recv().unwrap().unwrap().value["result"], "other");
    assert!(third.recv().unwrap().is_ok());
    world.run("scene.load('main')");
    assert_eq!(world.run("return entity('floor').position"), json!([0, -0.25, 0]), "what was undone stays undone");
}

#[test]
fn a_scene_is_not_changed_under_a_call_that_has_saved_it_or_plays_with_it() {
    for (playing, code) in [
        (false, "vfs.write('/zero/source/mark.txt', '1') scene.save()"),
        (true, "vfs.write('/zero/source/mark.txt', '1') entity('sky'):despawn()"),
    ] {
        let world = World::new();
        world.run("asset.create('scene', 'other') entity.spawn('x')");
        if playing {
            world.play();
        }
        let first = Caller::new("first", Transport::Http);
        let cancel = first.cancel.clone();
        let hung = world.engine.call(first, half_way(code));
        eventually(|| world.run("return vfs.exists('/zero/source/mark.txt')") == json!(true));
        let other = Op::LoadScene { identity: "other".to_owned() };
        let second = world.engine.call(Caller::new("second", Transport::Http), other);
        assert_eq!(world.run("return scene.current().identity"), json!("main"));
        cancel.cancel();
        assert!(hung.recv().unwrap().is_err());
        assert!(second.recv().unwrap().is_ok());
        assert_eq!(world.run("return { scene.current().identity, #entity.findAll() }"), json!(["other", 0]));
    }
}

#[test]
fn two_calls_that_wait_for_each_other_are_told_apart() {
    let world = World::new();
    let code = |mine: &str, theirs: &str| {
        format!(
            "vfs.write('/zero/source/{mine}.txt', '1')
             local t = os.clock() while os.clock() - t < 0.3 do end
             vfs.write('/zero/source/{theirs}.txt', '2')"
        )
    };
    let start = |name: &str, code: String| {
        let execute = Execute { code: Some(code), ..Execute::default() };
        world.engine.call(Caller::new(name, Transport::Http), Op::Execute(execute))
    };
    let (one, two) = (start("one", code("a", "b")), start("two", code("b", "a")));
    let answers = [one.recv().unwrap().unwrap().value, two.recv().unwrap().unwrap().value];
    let codes: Vec<_> = answers.iter().filter_map(|answer| answer["error"]["code"].as_str()).collect();
    assert_eq!(codes, ["txn/deadlock"], "{answers:?}");
}

#[test]
fn in_play_a_failed_call_is_taken_back_too() {
    let world = World::new();
    world.play();
    let (code, _) =
        world.fails("entity.spawn('half') entity('floor').position = { 1, 1, 1 } entity('sky'):despawn() error('no')");
    assert_eq!(code, "script/error");
    assert_eq!(
        world.run("return { entity.find('half') == nil, entity('floor').position, entity.find('sky') ~= nil }"),
        json!([true, [0, -0.25, 0], true])
    );
    // What comes before a wait stands, as it does in edit mode.
    world.call(Op::Pause { paused: false }).unwrap();
    let execute =
        Execute { code: Some("entity.spawn('kept') task.wait() error('late')".to_owned()), ..Execute::default() };
    let answer = world.call(Op::Execute(execute)).unwrap().value;
    assert_eq!(answer["rolledBack"], json!(null), "{answer:#}");
    assert_eq!(world.run("return entity.find('kept') ~= nil"), json!(true));
}

#[test]
fn a_failed_call_takes_its_tasks_with_it() {
    let world = World::new();
    world.fails("task.delay(0.05, function() entity.spawn('late') end) error('no')");
    world.run("task.delay(0.05, function() entity.spawn('fine') end)");
    eventually(|| world.run("return entity.find('fine') ~= nil") == json!(true));
    assert_eq!(world.run("return entity.find('late') == nil"), json!(true));
}

#[test]
fn what_a_script_catches_has_left_nothing() {
    let world = World::new();
    world.run("tools.createToolbox({ name = 'halves', description = 'Leaves halves behind' })");
    world.write(
        "/zero/source/halves.toolbox/make.tool/init.luau",
        "local M = {} typed function M.make(): any entity.spawn('half') return { exitCode = 1, message = 'no' } end return M",
    );
    let before = hash(&world);
    world.run(
        "assert(not pcall(entity.instantiate, { { name = 'a' }, { name = 'b', components = { Nothing = {} } } }))
         assert(not pcall(scene.save, 'main.x.!'))
         assert(not pcall(tools.use, 'entityOps', 'spawn', 'lamp', { components = { Nothing = {} } }))
         assert(tools.use('halves', 'make').exitCode == 1)",
    );
    assert_eq!(hash(&world), before);
}

#[test]
fn hooks_that_write_survive_a_roll_back() {
    let world = World::new();
    world.write(
        "/zero/source/Tall.component/init.luau",
        "public = { height = Field.number(1) }
         function onPropertyChanged(name, value) self.entity.scale = { 1, value, 1 } end",
    );
    world.run("entity.spawn('e').component.add('Tall', { height = 2 }) entity('e').Tall.height = 3");
    world.fails("entity('e').Tall.height = 9 error('no')");
    assert_eq!(
        world.run("return { entity('e').Tall.height, entity('e').scale, entity('e').Tall.enabled }"),
        json!([3, [1, 3, 1], true])
    );
    world.run("entity('e').Tall.height = 4");
    assert_eq!(world.run("return entity('e').scale"), json!([1, 4, 1]));
}

#[test]
fn a_read_only_caller_changes_nothing() {
    let world = World::new();
    let before = hash(&world);
    let caller = Caller { read_only: true, ..Caller::new("guest", Transport::Http) };
    let execute = Op::Execute(Execute { code: Some("entity.spawn('x')".to_owned()), ..Execute::default() });
    assert_eq!(world.engine.call_blocking(caller.clone(), execute).unwrap_err().code, "call/read_only");
    assert!(world.engine.call_blocking(caller, Op::Status).is_ok());
    assert_eq!(hash(&world), before);
}

#[test]
fn outside_edits_are_taken_in() {
    let world = World::new();
    std::fs::create_dir_all(world.path().join("source/beats.module")).unwrap();
    std::fs::write(world.path().join("source/beats.module/init.luau"), "return { n = 1 }").unwrap();
    let ask = "local ok, m = pcall(require, 'beats') return ok and m.n";
    eventually(|| world.run(ask) == json!(1));
    std::fs::write(world.path().join("source/beats.module/init.luau"), "return { n = 2 }").unwrap();
    eventually(|| world.run(ask) == json!(2));
}

/// Waits for what a watcher brings; fails after ten seconds.
#[track_caller]
pub fn eventually(mut holds: impl FnMut() -> bool) {
    let started = std::time::Instant::now();
    while !holds() {
        assert!(started.elapsed().as_secs() < 10, "still not so after ten seconds");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
