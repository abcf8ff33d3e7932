use std::fs;

use zero_base::{Hash, Transport};
use zero_vfs::{Contents, EntityChange, WriteOptions};

use crate::world::{World, code, moved, put, source};

#[test]
fn commits_are_listed_newest_first_and_survive_a_restart() {
    let mut world = World::holding(&[("a.txt", "0")]);
    world.save("a.txt", "1");
    let txn = world.vfs.begin(&zero_base::Caller::new("bob", Transport::Http), 7);
    world.write(txn, "b.txt", "b").unwrap();
    world.vfs.record_entity(txn, moved("ent_1", None, Some(1))).unwrap();
    let receipt = world.vfs.commit(txn).unwrap();
    let check = |world: &World| {
        let history = world.vfs.history(10);
        assert_eq!(history.iter().map(|entry| entry.id).collect::<Vec<_>>(), [2, 1]);
        let newest = &history[0];
        assert_eq!((newest.group, newest.caller.as_str(), newest.entities), (7, "bob", 1));
        assert_eq!(newest.files, receipt.files);
        assert_eq!(world.vfs.history(1).len(), 1);
    };
    check(&world);
    let (world, recovery) = world.reopen();
    assert!(recovery.redone.is_empty() && recovery.external.is_empty(), "{recovery:?}");
    check(&world);
}

#[test]
fn a_revision_has_what_it_takes_to_undo_and_redo() {
    let large = "large ".repeat(2000);
    let mut world = World::holding(&[("small.txt", "before"), ("large.txt", &large), ("gone.txt", "gone")]);
    let before = world.world_hash();
    let txn = world.begin("ada");
    world.write(txn, "small.txt", "after").unwrap();
    world.write(txn, "large.txt", &large.to_uppercase()).unwrap();
    world.vfs.remove(txn, &source("gone.txt")).unwrap();
    world.write(txn, "new/a.txt", "new").unwrap();
    world.vfs.record_entity(txn, moved("ent_1", Some(1), Some(2))).unwrap();
    let receipt = world.vfs.commit(txn).unwrap();
    let after = world.world_hash();

    let (mut world, _) = world.reopen();
    let revision = world.vfs.revision(receipt.id).unwrap();
    assert_eq!(revision.entities, [moved("ent_1", Some(1), Some(2))]);
    for (undo, expected) in [(true, before), (false, after)] {
        let txn = world.begin("ada");
        for file in &revision.files {
            match if undo { &file.before } else { &file.after } {
                Contents::Bytes(bytes) => {
                    world.vfs.write(txn, &file.path, bytes, WriteOptions::default()).map(drop).unwrap();
                }
                Contents::Absent => world.vfs.remove(txn, &file.path).map(drop).unwrap(),
                Contents::NotKept(hash) => panic!("{} has lost {hash}", file.path),
            }
        }
        world.vfs.commit(txn).unwrap();
        assert_eq!(world.world_hash(), expected);
    }
    assert_eq!(code(world.vfs.revision(99)), "vfs/unknown_commit");
}

#[test]
fn entity_values_come_back_bit_for_bit() {
    let mut world = World::new();
    let values = serde_json::json!({ "z": [0.1, 1e-300, 5e-324, 1.7976931348623157e308], "a": u64::MAX, "n": null });
    let change = EntityChange { after: Some(values), ..moved("ent_1", None, None) };
    let txn = world.begin("ada");
    world.vfs.record_entity(txn, change.clone()).unwrap();
    world.vfs.commit(txn).unwrap();
    let (world, _) = world.reopen();
    assert_eq!(world.vfs.pending_entities("main").changes, [change]);
}

#[test]
fn a_checkpoint_clears_what_the_scene_file_holds() {
    let mut world = World::new();
    let save = |world: &mut World, change| {
        let txn = world.begin("ada");
        world.vfs.record_entity(txn, change).unwrap();
        world.vfs.commit(txn).unwrap();
    };
    save(&mut world, moved("ent_1", None, Some(1)));
    save(&mut world, moved("ent_1", Some(1), Some(2)));
    save(&mut world, EntityChange { scene: "cave".into(), ..moved("ent_9", None, Some(9)) });
    let pending = world.vfs.pending_entities("main");
    assert_eq!((pending.base, pending.changes), (None, vec![moved("ent_1", None, Some(2))]));

    // The scene's file and its checkpoint in one commit.
    let txn = world.begin("ada");
    let text = "ent_1: 2";
    world.write(txn, "main.scene/scene.yaml", text).unwrap();
    world.vfs.checkpoint_in(txn, "main", Hash::of(text.as_bytes())).unwrap();
    let bob = world.begin("bob");
    let refused = world.vfs.record_entity(bob, moved("ent_2", None, Some(1)));
    assert_eq!(code(refused), "txn/busy", "it would count as held by the file");
    world.vfs.commit(txn).unwrap();
    save(&mut world, moved("ent_1", Some(2), Some(3)));

    let (mut world, _) = world.reopen();
    let pending = world.vfs.pending_entities("main");
    assert_eq!(pending.base, world.vfs.hash(&source("main.scene/scene.yaml")).ok());
    assert_eq!(pending.changes, [moved("ent_1", Some(2), Some(3))]);
    assert_eq!(world.vfs.pending_entities("cave").changes.len(), 1);

    let txn = world.begin("ada");
    world.vfs.record_entity(txn, moved("ent_1", Some(3), Some(4))).unwrap();
    let refused = world.vfs.checkpoint_entities("main", Hash::of(b"x"));
    assert_eq!(code(refused), "txn/busy", "the file would hold what may be rolled back");
    world.vfs.roll_back(txn);
    world.vfs.checkpoint_entities("main", Hash::of(b"x")).unwrap();
    assert_eq!(world.vfs.pending_entities("main").changes, []);
}

#[test]
fn edits_made_while_the_world_was_closed_are_found() {
    let mut world = World::holding(&[("a.txt", "a"), ("b.txt", "b"), ("c/d.txt", "d")]);
    world.save("own.txt", "own");
    let World { vfs, folder } = world;
    drop(vfs);
    let disk = |name: &str| folder.path().join("source").join(name);
    put(&disk("a.txt"), "A");
    put(&disk("new/e.txt"), "e");
    fs::remove_dir_all(disk("c")).unwrap();
    put(&disk("own.txt"), "theirs");
    put(&disk("tmp/scratch.txt"), "is nobody's business");

    let (vfs, recovery) = crate::world::open(folder.path(), false);
    let mut world = World { vfs, folder };
    let found: Vec<_> = recovery.external.iter().map(|event| event.path.name()).collect();
    assert_eq!(found, ["a.txt", "d.txt", "e.txt", "own.txt"]);
    let newest = &world.vfs.history(1)[0];
    assert_eq!((newest.caller.as_str(), newest.files.len()), ("external", 4));
    let revision = world.vfs.revision(newest.id).unwrap();
    let own = revision.files.iter().find(|file| file.path == source("own.txt")).unwrap();
    assert_eq!(own.before, Contents::Bytes(b"own".as_slice().into()), "an earlier commit kept it");
    assert_eq!(own.after, Contents::Bytes(b"theirs".as_slice().into()));
    assert!(matches!(revision.files[0].before, Contents::NotKept(_)));
    assert!(world.vfs.rescan().unwrap().is_empty());
    let (_, recovery) = world.reopen();
    assert!(recovery.external.is_empty());
}

#[test]
fn without_its_cache_a_world_still_knows_what_it_committed() {
    let mut world = World::holding(&[("a.txt", "a")]);
    world.save("own.txt", "own");
    let World { vfs, folder } = world;
    drop(vfs);
    fs::remove_file(folder.path().join(".zero/cache/hashes")).unwrap();
    put(&folder.path().join("source/own.txt"), "theirs");
    put(&folder.path().join("source/a.txt"), "nobody knows what it was");
    let (_, recovery) = crate::world::open(folder.path(), false);
    assert_eq!(recovery.external.iter().map(|event| event.path.name()).collect::<Vec<_>>(), ["own.txt"]);
}
