use std::fs;

use zero_base::{Caller, Fault, Hash, Transport};
use zero_vfs::{ChangeKind, Key, Layer, Origin, WriteOptions};

use crate::world::{World, code, moved, path, put, source};

#[test]
fn a_write_shows_at_once_and_reaches_the_disk_with_the_commit() {
    let mut world = World::holding(&[("a.txt", "old")]);
    let txn = world.begin("ada");
    let receipt = world.vfs.write(txn, &source("a.txt"), b"new", WriteOptions::default()).unwrap();
    assert_eq!((receipt.before, receipt.after), (Some(Hash::of(b"old")), Hash::of(b"new")));
    world.write(txn, "kit.package/b.txt", "b").unwrap();

    assert_eq!(world.text("a.txt").as_deref(), Some("new"));
    assert_eq!(world.vfs.stat(&source("a.txt")).unwrap().layer, Layer::Uncommitted { owner: "ada".into() });
    assert_eq!(world.names("/zero/source/kit.package"), ["b.txt"]);
    assert_eq!(world.on_disk("a.txt").as_deref(), Some("old"));
    assert!(!world.disk("kit.package").exists());

    let receipt = world.vfs.commit(txn).unwrap();
    assert_eq!(
        receipt.files,
        [
            (source("a.txt"), Some(Hash::of(b"old")), Some(Hash::of(b"new"))),
            (source("kit.package/b.txt"), None, Some(Hash::of(b"b"))),
        ]
    );
    assert_eq!(world.on_disk("a.txt").as_deref(), Some("new"));
    assert_eq!(world.on_disk("kit.package/b.txt").as_deref(), Some("b"));
    assert_eq!(world.vfs.stat(&source("a.txt")).unwrap().layer, Layer::Disk);
    assert_eq!(code(world.vfs.commit(txn)), "txn/unknown");
    assert_eq!(code(world.write(txn, "a.txt", "x")), "txn/unknown");
}

#[test]
fn a_commit_records_what_is_left_of_the_changes() {
    let mut world = World::holding(&[("a.txt", "a")]);
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "b").unwrap();
    world.write(txn, "a.txt", "a").unwrap();
    world.write(txn, "new.txt", "n").unwrap();
    world.vfs.remove(txn, &source("new.txt")).unwrap();
    let receipt = world.vfs.commit(txn).unwrap();
    assert_eq!((receipt.id, receipt.files.len(), world.vfs.history(9).len()), (0, 0, 0));
}

#[test]
fn roll_back_restores_files_and_hands_back_entities_newest_first() {
    let mut world = World::holding(&[("a.txt", "a"), ("b/c.txt", "c")]);
    let hash = world.world_hash();
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "1").unwrap();
    world.vfs.record_entity(txn, moved("ent_1", Some(0), Some(1))).unwrap();
    world.vfs.remove(txn, &source("b")).unwrap();
    world.vfs.record_entity(txn, moved("ent_2", None, Some(5))).unwrap();
    world.vfs.record_entity(txn, moved("ent_1", Some(1), Some(2))).unwrap();
    assert_eq!(world.names("/zero/source"), ["a.txt", "libs", "tmp"]);

    let back = world.vfs.roll_back(txn);
    assert_eq!(back.files, [source("a.txt"), source("b/c.txt")]);
    assert_eq!(
        back.entities,
        [moved("ent_1", Some(1), Some(2)), moved("ent_2", None, Some(5)), moved("ent_1", Some(0), Some(1)),]
    );
    assert_eq!(world.world_hash(), hash);
    assert_eq!(world.vfs.pending_entities("main").changes, []);
}

#[test]
fn events_come_with_the_write_and_again_with_the_roll_back() {
    let mut world = World::holding(&[("a.txt", "a")]);
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "b").unwrap();
    world.write(txn, "n.txt", "n").unwrap();
    world.write(txn, "n.txt", "n").unwrap();
    let summary = |world: &mut World| {
        let events = world.vfs.take_events();
        assert!(events.iter().all(|event| event.origin == Origin::Local && event.txn == Some(txn)));
        events.into_iter().map(|event| (event.path.name().to_owned(), event.change)).collect::<Vec<_>>()
    };
    use ChangeKind::{Removed, Written};
    assert_eq!(summary(&mut world), [("a.txt".to_owned(), Written), ("n.txt".to_owned(), Written)]);
    world.vfs.roll_back(txn);
    assert_eq!(summary(&mut world), [("a.txt".to_owned(), Written), ("n.txt".to_owned(), Removed)]);
}

#[test]
fn a_savepoint_is_a_point_to_come_back_to() {
    let mut world = World::holding(&[("a.txt", "0")]);
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "1").unwrap();
    world.vfs.record_entity(txn, moved("ent_1", Some(0), Some(1))).unwrap();
    let first = world.vfs.savepoint(txn);
    world.write(txn, "a.txt", "2").unwrap();
    world.vfs.record_entity(txn, moved("ent_1", Some(1), Some(2))).unwrap();
    let second = world.vfs.savepoint(txn);
    world.write(txn, "a.txt", "3").unwrap();
    world.write(txn, "a.txt", "4").unwrap();
    world.write(txn, "b.txt", "b").unwrap();

    assert_eq!(world.vfs.roll_back_to(txn, second).files, [source("a.txt"), source("b.txt")]);
    assert_eq!((world.text("a.txt").as_deref(), world.text("b.txt")), (Some("2"), None));
    let other = world.begin("bob");
    world.write(other, "b.txt", "bob's").expect("the key was released");

    assert_eq!(world.vfs.roll_back_to(txn, first).entities, [moved("ent_1", Some(1), Some(2))]);
    assert_eq!(world.text("a.txt").as_deref(), Some("1"));
    assert_eq!(code(world.write(other, "a.txt", "x")), "txn/busy");
    world.vfs.roll_back_to(txn, first);
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.on_disk("a.txt").as_deref(), Some("1"));
    assert_eq!(world.vfs.pending_entities("main").changes, [moved("ent_1", Some(0), Some(1))]);
}

#[test]
fn a_second_writer_is_told_who_is_in_the_way() {
    let mut world = World::holding(&[("a.txt", "a"), ("kit/b.txt", "b"), ("kit/c.txt", "c")]);
    let (ada, bob) = (world.begin("ada"), world.begin("bob"));
    world.write(ada, "a.txt", "A").unwrap();
    world.vfs.record_entity(ada, moved("ent_1", Some(0), Some(1))).unwrap();

    let fault = Fault::from(world.write(bob, "a.txt", "B").unwrap_err());
    assert_eq!(fault.code, "txn/busy");
    let data = fault.data.unwrap();
    assert_eq!((data["caller"].as_str(), data["transaction"].as_u64()), (Some("ada"), Some(ada.0)));
    assert!(fault.message.contains("'ada'") && fault.message.contains("/zero/source/a.txt"), "{}", fault.message);
    assert_eq!(code(world.vfs.record_entity(bob, moved("ent_1", Some(1), Some(2)))), "txn/busy");
    assert_eq!(world.vfs.owner_of(&Key::File(source("a.txt"))), Some(ada));
    assert_eq!(world.vfs.owner_of(&moved("ent_1", None, None).key()), Some(ada));
    assert_eq!(world.text("a.txt").as_deref(), Some("A"), "everyone reads what is uncommitted");

    world.write(bob, "kit/b.txt", "B").unwrap();
    world.vfs.roll_back(ada);
    assert_eq!((world.text("a.txt").as_deref(), world.text("kit/b.txt").as_deref()), (Some("a"), Some("B")));
    world.write(bob, "a.txt", "B").unwrap();
    world.vfs.record_entity(bob, moved("ent_1", Some(0), Some(2))).unwrap();
    world.vfs.commit(bob).unwrap();
    assert_eq!(world.vfs.owner_of(&Key::File(source("a.txt"))), None);
}

#[test]
fn a_key_that_is_as_it_was_still_has_its_owner() {
    let mut world = World::holding(&[("a.txt", "a")]);
    let (ada, bob) = (world.begin("ada"), world.begin("bob"));
    world.vfs.record_entity(ada, moved("ent_1", Some(0), Some(1))).unwrap();
    world.vfs.record_entity(ada, moved("ent_1", Some(1), Some(0))).unwrap();
    // A refused call takes its own part back, and no more.
    assert_eq!(code(world.vfs.rename(ada, &source("a.txt"), &source("a.txt/b"))), "vfs/path");
    let savepoint = world.vfs.savepoint(ada);
    world.vfs.roll_back_to(ada, savepoint);
    assert_eq!(code(world.vfs.record_entity(bob, moved("ent_1", Some(0), Some(2)))), "txn/busy");
    assert_eq!(world.vfs.commit(ada).unwrap().entities, 0);
    world.vfs.record_entity(bob, moved("ent_1", Some(0), Some(2))).unwrap();
}

#[test]
fn a_removed_folder_belongs_to_who_removed_it_with_all_below() {
    let mut world = World::holding(&[("kit/a/b.txt", "b"), ("kit/c.txt", "c"), ("file", "f")]);
    let (ada, bob) = (world.begin("ada"), world.begin("bob"));
    world.vfs.remove(ada, &source("kit/a")).unwrap();
    assert_eq!(code(world.write(bob, "kit/a/new.txt", "x")), "txn/busy");
    assert_eq!(code(world.write(bob, "kit/a", "x")), "txn/busy");
    assert_eq!(code(world.vfs.remove(bob, &source("kit"))), "txn/busy");
    assert_eq!(code(world.vfs.rename(bob, &source("kit"), &source("box"))), "txn/busy");
    world.write(bob, "kit/c.txt", "C").unwrap();
    assert_eq!(code(world.vfs.remove(ada, &source("kit"))), "txn/busy");

    // A file removed by one cannot become a folder of the other.
    world.vfs.remove(ada, &source("file")).unwrap();
    assert_eq!(code(world.write(bob, "file/x.txt", "x")), "txn/busy");
    world.vfs.commit(ada).unwrap();
    world.write(bob, "file/x.txt", "x").unwrap();
    world.write(bob, "kit/a/new.txt", "x").unwrap();
    world.vfs.commit(bob).unwrap();
    assert_eq!(world.files(), ["file/x.txt", "kit/a/new.txt", "kit/c.txt"]);
}

#[test]
fn folders_are_there_for_their_files() {
    let mut world = World::holding(&[("kit/a/b.txt", "b")]);
    fs::create_dir_all(world.disk("empty/inner")).unwrap();
    assert_eq!(world.names("/zero/source"), ["empty", "kit", "libs", "tmp"]);
    let txn = world.begin("ada");
    world.vfs.remove(txn, &source("kit/a/b.txt")).unwrap();
    assert_eq!(world.vfs.stat(&source("kit")), None);
    assert_eq!(world.vfs.remove(txn, &source("empty")).unwrap(), []);
    assert_eq!(world.names("/zero/source"), ["libs", "tmp"]);
    let savepoint = world.vfs.savepoint(txn);
    world.write(txn, "kit/a/c.txt", "c").unwrap();
    assert_eq!(world.names("/zero/source/kit/a"), ["c.txt"]);
    world.vfs.roll_back_to(txn, savepoint);
    world.vfs.commit(txn).unwrap();
    assert!(!world.disk("kit").exists() && !world.disk("empty").exists());
}

#[test]
fn a_folder_is_renamed_with_all_below() {
    let mut world = World::holding(&[("kit/a.txt", "a"), ("kit/sub/b.txt", "b"), ("taken.txt", "t")]);
    let hash = world.world_hash();
    let txn = world.begin("ada");
    assert_eq!(code(world.vfs.rename(txn, &source("kit"), &source("taken.txt"))), "vfs/exists");
    assert_eq!(code(world.vfs.rename(txn, &source("kit"), &source("kit"))), "vfs/exists");
    assert_eq!(code(world.vfs.rename(txn, &source("kit"), &source("kit/inner"))), "vfs/path");
    assert_eq!(code(world.vfs.rename(txn, &source("none"), &source("x"))), "vfs/not_found");
    assert_eq!(code(world.vfs.rename(txn, &source("kit"), &path("/zero/source/libs/@kit/x"))), "vfs/read_only");
    assert_eq!(world.world_hash(), hash, "a refusal changes nothing");

    let moves = world.vfs.rename(txn, &source("kit"), &source("Kit")).unwrap();
    assert_eq!(moves[1], (source("kit/sub/b.txt"), source("Kit/sub/b.txt")));
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.files(), ["Kit/a.txt", "Kit/sub/b.txt", "taken.txt"]);
    assert!(!world.disk("kit").exists());
}

#[test]
fn names_that_differ_only_in_case_are_refused() {
    let mut world = World::holding(&[("Kit.package/A.txt", "a"), ("B.txt", "b")]);
    let txn = world.begin("ada");
    let fault = Fault::from(world.write(txn, "kit.package/new.txt", "x").unwrap_err());
    assert_eq!(
        (fault.code.as_ref(), &fault.data.unwrap()["existing"]),
        ("vfs/case_clash", &"/zero/source/Kit.package".into())
    );
    assert_eq!(code(world.write(txn, "Kit.package/a.TXT", "x")), "vfs/case_clash");
    world.write(txn, "Neu.txt", "x").unwrap();
    assert_eq!(code(world.write(txn, "neu.txt", "x")), "vfs/case_clash");
    world.vfs.remove(txn, &source("B.txt")).unwrap();
    let bob = world.begin("bob");
    assert_eq!(code(world.write(bob, "b.txt", "x")), "txn/busy", "the removal may be rolled back");
    world.write(txn, "b.txt", "x").unwrap();
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.files(), ["Kit.package/A.txt", "Neu.txt", "b.txt"]);
}

#[test]
fn a_stale_base_is_refused_with_what_happened_since() {
    let mut world = World::holding(&[("a.txt", "one\ntwo\nthree\n")]);
    let base = world.vfs.hash(&source("a.txt")).unwrap();
    world.save("a.txt", "one\n2\nthree\n");
    let txn = world.begin("bob");
    let options = WriteOptions { base: Some(base), durable: false };
    let fault = Fault::from(world.vfs.write(txn, &source("a.txt"), b"mine", options).unwrap_err());
    assert_eq!(fault.code, "vfs/stale_base");
    let data = fault.data.unwrap();
    assert_eq!(data["expected"], base.to_string());
    assert_eq!(data["found"], Hash::of(b"one\n2\nthree\n").to_string());
    assert_eq!(data["diff"], "changed since:\n@@ line 2 @@\n-two\n+2\n");
    assert_eq!(world.text("a.txt").as_deref(), Some("one\n2\nthree\n"));

    let current = WriteOptions { base: world.vfs.hash(&source("a.txt")).ok(), durable: false };
    world.vfs.write(txn, &source("a.txt"), b"mine", current).unwrap();
    let gone = WriteOptions { base: Some(base), durable: false };
    assert_eq!(code(world.vfs.write(txn, &source("none.txt"), b"x", gone)), "vfs/stale_base");
}

#[test]
fn a_file_changed_on_disk_under_an_open_transaction_is_not_overwritten() {
    let mut world = World::holding(&[("a.txt", "a"), ("b.txt", "b")]);
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "mine").unwrap();
    world.write(txn, "b.txt", "mine").unwrap();
    put(&world.disk("b.txt"), "theirs");
    assert_eq!(code(world.vfs.commit(txn)), "vfs/changed_on_disk");
    assert_eq!((world.on_disk("a.txt").as_deref(), world.on_disk("b.txt").as_deref()), (Some("a"), Some("theirs")));
    assert_eq!(world.text("b.txt").as_deref(), Some("mine"), "the transaction is still open");
    world.vfs.roll_back(txn);
    assert_eq!(world.text("b.txt").as_deref(), Some("theirs"));
}

#[test]
fn a_caller_who_may_only_read_cannot_write() {
    let mut world = World::holding(&[("a.txt", "a")]);
    let caller = Caller { read_only: true, ..Caller::new("eve", Transport::Http) };
    let txn = world.vfs.begin(&caller, 1);
    assert_eq!(code(world.write(txn, "a.txt", "x")), "vfs/read_only");
    assert_eq!(code(world.vfs.remove(txn, &source("a.txt"))), "vfs/read_only");
    assert_eq!(code(world.vfs.rename(txn, &source("a.txt"), &source("b.txt"))), "vfs/read_only");
    assert_eq!(code(world.vfs.write(txn, &path("/tmp/x"), b"x", WriteOptions::default())), "vfs/read_only");
    assert_eq!(code(world.vfs.record_entity(txn, moved("ent_1", None, Some(1)))), "vfs/read_only");
}
