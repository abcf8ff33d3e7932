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
    std::thread::sleep(std::time::Duration::from_millis(120));
    let second = world.engine.call(
        Caller::new("quick", Transport::Http),
        execute("vfs.write('/zero/source/a.txt', 'quick') return vfs.read('/zero/source/a.txt')"),
    );
    assert_eq!(first.recv().unwrap().unwrap().value["result"], "slow");
    let second = second.recv().unwrap().unwrap();
    assert_eq!(second.value["result"], "quick", "{:#}", second.value);
    assert_eq!(world.run("return vfs.read('/zero/source/a.txt')"), json!("quick"));
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
