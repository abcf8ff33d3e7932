use zero_base::{Fault, Hash};
use zero_vfs::{ChangeKind, Layer, WriteOptions};

use crate::world::{World, code, path, source};

const DURABLE: WriteOptions = WriteOptions { base: None, durable: true };

#[test]
fn what_play_writes_is_gone_when_it_ends() {
    let mut world = World::holding(&[("a.txt", "a"), ("kit/b.txt", "b")]);
    let hash = world.world_hash();
    world.vfs.begin_shadow();
    assert!(world.vfs.shadowing());
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "played").unwrap();
    world.write(txn, "new.txt", "n").unwrap();
    world.vfs.remove(txn, &source("kit")).unwrap();
    assert_eq!(world.vfs.commit(txn).unwrap().files, []);
    assert_eq!(world.text("a.txt").as_deref(), Some("played"));
    assert_eq!(world.vfs.stat(&source("a.txt")).unwrap().layer, Layer::Shadow);
    assert_eq!(world.files(), ["a.txt", "new.txt"]);
    assert_eq!(world.vfs.stat(&source("kit")), None);
    assert_eq!(world.on_disk("a.txt").as_deref(), Some("a"));

    world.vfs.take_events();
    assert_eq!(world.vfs.end_shadow(), [source("a.txt"), source("kit/b.txt"), source("new.txt")]);
    let events: Vec<_> = world.vfs.take_events().into_iter().map(|event| event.change).collect();
    assert_eq!(events, [ChangeKind::Written, ChangeKind::Written, ChangeKind::Removed]);
    assert_eq!((world.world_hash(), world.vfs.history(9).len(), world.vfs.shadowing()), (hash, 0, false));
    assert_eq!(world.vfs.end_shadow(), []);
}

#[test]
fn a_shadowed_file_has_one_writer() {
    let mut world = World::holding(&[("kit/a.txt", "a"), ("kit/b.txt", "b")]);
    world.vfs.begin_shadow();
    let (ada, bob) = (world.begin("ada"), world.begin("bob"));
    world.write(ada, "kit/a.txt", "ada").unwrap();
    world.vfs.commit(ada).unwrap();

    let fault = Fault::from(world.write(bob, "kit/a.txt", "bob").unwrap_err());
    assert_eq!((fault.code.as_ref(), fault.data.unwrap()["caller"].as_str()), ("vfs/shadowed", Some("ada")));
    assert_eq!(code(world.vfs.write(bob, &source("kit/a.txt"), b"x", DURABLE)), "vfs/shadowed");
    assert_eq!(code(world.vfs.remove(bob, &source("kit"))), "vfs/shadowed");
    world.write(bob, "kit/b.txt", "bob").unwrap();
    world.vfs.remove(bob, &source("kit/b.txt")).unwrap();
    let ada = world.begin("ada");
    world.write(ada, "kit/a.txt", "ada again").unwrap();
    assert_eq!(code(world.write(ada, "kit/b.txt", "ada")), "vfs/shadowed");
}

#[test]
fn a_failed_call_takes_its_shadow_writes_back() {
    let mut world = World::holding(&[("a.txt", "a"), ("kit/b.txt", "b")]);
    world.vfs.begin_shadow();
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "1").unwrap();
    world.vfs.commit(txn).unwrap();
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "2").unwrap();
    world.vfs.remove(txn, &source("kit")).unwrap();
    assert_eq!(world.vfs.roll_back(txn).files, [source("a.txt"), source("kit/b.txt")]);
    assert_eq!(world.text("a.txt").as_deref(), Some("1"));
    assert_eq!(world.names("/zero/source/kit"), ["b.txt"]);
    let bob = world.begin("bob");
    world.write(bob, "kit/b.txt", "B").unwrap();

    // A shadow that ended in the meantime is not brought back.
    world.vfs.end_shadow();
    world.vfs.begin_shadow();
    world.vfs.roll_back(bob);
    assert_eq!(world.text("kit/b.txt").as_deref(), Some("b"));
    assert_eq!(world.vfs.end_shadow(), []);
}

#[test]
fn a_durable_write_is_the_authored_file_and_shows_over_the_shadow() {
    let mut world = World::holding(&[("a.txt", "a")]);
    world.vfs.begin_shadow();
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "shadow").unwrap();
    let receipt = world.vfs.write(txn, &source("a.txt"), b"durable", DURABLE).unwrap();
    assert_eq!(receipt.before, Some(Hash::of(b"shadow")));
    assert_eq!(receipt.layer, Layer::Uncommitted { owner: "ada".into() });
    world.write(txn, "a.txt", "durable too").unwrap();
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.text("a.txt").as_deref(), Some("durable too"));
    assert_eq!(world.on_disk("a.txt").as_deref(), Some("durable too"));
    assert_eq!(world.vfs.end_shadow(), []);

    // What the shadow already shows can be made durable as it is.
    world.vfs.begin_shadow();
    let txn = world.begin("ada");
    world.write(txn, "b.txt", "same").unwrap();
    world.vfs.write(txn, &source("b.txt"), b"same", DURABLE).unwrap();
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.on_disk("b.txt").as_deref(), Some("same"));
}

#[test]
fn promoting_makes_shadow_writes_authored() {
    let mut world = World::holding(&[("a.txt", "a"), ("kit/b.txt", "b"), ("old/c.txt", "c")]);
    world.vfs.begin_shadow();
    let txn = world.begin("ada");
    for (name, text) in [("a.txt", "A"), ("kit/b.txt", "B"), ("kit/n.txt", "N")] {
        world.write(txn, name, text).unwrap();
    }
    world.vfs.remove(txn, &source("old")).unwrap();
    world.vfs.commit(txn).unwrap();

    let txn = world.begin("bob");
    assert_eq!(code(world.vfs.promote(txn, Some(&[source("a.txt"), source("none")]))), "vfs/not_shadowed");
    let promoted = world.vfs.promote(txn, Some(&[source("kit"), source("old")])).unwrap();
    assert_eq!(promoted, [source("kit/b.txt"), source("kit/n.txt"), source("old/c.txt")]);
    world.vfs.roll_back(txn);
    assert_eq!((world.text("kit/n.txt").as_deref(), world.text("old/c.txt")), (Some("N"), None));
    assert_eq!(world.vfs.stat(&source("kit/n.txt")).unwrap().layer, Layer::Shadow);

    let txn = world.begin("bob");
    world.vfs.promote(txn, Some(&[source("kit"), source("old")])).unwrap();
    assert_eq!(world.vfs.commit(txn).unwrap().files.len(), 3);
    assert_eq!((world.on_disk("kit/b.txt").as_deref(), world.disk("old").exists()), (Some("B"), false));
    let txn = world.begin("ada");
    assert_eq!(world.vfs.promote(txn, None).unwrap(), [source("a.txt")]);
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.vfs.end_shadow(), []);
    assert_eq!(world.on_disk("a.txt").as_deref(), Some("A"));
    let txn = world.begin("ada");
    assert_eq!(world.vfs.promote(txn, None).unwrap(), []);
    assert_eq!(code(world.vfs.promote(txn, Some(&[source("a.txt")]))), "vfs/not_shadowed");
}

#[test]
fn scratch_is_scratch_during_play() {
    let mut world = World::new();
    world.vfs.begin_shadow();
    let txn = world.begin("ada");
    let report = path("/zero/source/tmp/report.txt");
    assert_eq!(world.vfs.write(txn, &report, b"x", WriteOptions::default()).unwrap().layer, Layer::Disk);
    assert_eq!(world.on_disk("tmp/report.txt").as_deref(), Some("x"));
}
