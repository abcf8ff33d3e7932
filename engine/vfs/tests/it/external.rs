use std::fs;
use std::time::{Duration, Instant};

use zero_base::Hash;
use zero_vfs::{ChangeKind, FileEvent, Library, Origin, Vfs};

use crate::world::{World, config, path, put, source};

/// Polls until an event for `name` has come; answers all that came up to then.
fn wait_for(world: &mut World, name: &str, change: ChangeKind) -> Vec<FileEvent> {
    let wanted = source(name);
    wait_until(&mut world.vfs, |event| event.path == wanted && event.change == change)
}

fn wait_until(vfs: &mut Vfs, wanted: impl Fn(&FileEvent) -> bool) -> Vec<FileEvent> {
    let patience = Instant::now() + Duration::from_secs(20);
    let mut events = Vec::new();
    while !events.iter().any(&wanted) {
        assert!(Instant::now() < patience, "only {events:?} came");
        events.extend(vfs.poll_external().unwrap());
        std::thread::yield_now();
    }
    assert!(events.iter().all(|event| event.origin == Origin::External && event.txn.is_none()));
    events
}

/// The edits that came before a file that is written last.
fn settle(world: &mut World) -> Vec<(String, ChangeKind)> {
    put(&world.disk("zz_last.txt"), &format!("{:?}", Instant::now()));
    let mut events = wait_for(world, "zz_last.txt", ChangeKind::Written);
    events.retain(|event| event.path != source("zz_last.txt"));
    events.into_iter().map(|event| (event.path.name().to_owned(), event.change)).collect()
}

#[test]
fn an_edit_in_place_is_picked_up_and_recorded() {
    let mut world = World::watched(&[("a.txt", "one")]);
    put(&world.disk("a.txt"), "two");
    let events = wait_for(&mut world, "a.txt", ChangeKind::Written);
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(world.text("a.txt").as_deref(), Some("two"));
    let newest = &world.vfs.history(1)[0];
    assert_eq!(newest.caller, "external");
    assert_eq!(newest.files, [(source("a.txt"), Some(Hash::of(b"one")), Some(Hash::of(b"two")))]);
}

#[test]
fn editors_that_write_by_rename_or_link_are_followed() {
    let mut world = World::watched(&[("a.txt", "one"), ("b.txt", "one")]);
    // Write beside, rename over.
    put(&world.disk("a.txt.swp"), "two");
    fs::rename(world.disk("a.txt.swp"), world.disk("a.txt")).unwrap();
    wait_for(&mut world, "a.txt", ChangeKind::Written);
    assert_eq!(world.text("a.txt").as_deref(), Some("two"));

    // Move away as a backup, link a new file in, remove the backup.
    put(&world.folder.path().join("new"), "two");
    fs::rename(world.disk("b.txt"), world.disk("b.txt~")).unwrap();
    fs::hard_link(world.folder.path().join("new"), world.disk("b.txt")).unwrap();
    fs::remove_file(world.disk("b.txt~")).unwrap();
    wait_for(&mut world, "b.txt", ChangeKind::Written);
    assert_eq!(world.text("b.txt").as_deref(), Some("two"));

    // And again: the file that is followed now is another one.
    put(&world.disk("a.txt"), "three");
    wait_for(&mut world, "a.txt", ChangeKind::Written);
    assert_eq!(settle(&mut world), []);
    assert_eq!(world.files(), ["a.txt", "b.txt", "zz_last.txt"]);
}

#[test]
fn removing_and_making_again_is_followed() {
    let mut world = World::watched(&[("kit/a.txt", "one"), ("kit/b.txt", "b")]);
    fs::remove_file(world.disk("kit/a.txt")).unwrap();
    wait_for(&mut world, "kit/a.txt", ChangeKind::Removed);
    put(&world.disk("kit/a.txt"), "two");
    wait_for(&mut world, "kit/a.txt", ChangeKind::Written);

    fs::remove_dir_all(world.disk("kit")).unwrap();
    let events = wait_for(&mut world, "kit/b.txt", ChangeKind::Removed);
    assert!(events.iter().all(|event| event.change == ChangeKind::Removed), "{events:?}");
    put(&world.disk("kit/deep/er/c.txt"), "c");
    wait_for(&mut world, "kit/deep/er/c.txt", ChangeKind::Written);
    put(&world.disk("kit/deep/er/c.txt"), "C");
    wait_for(&mut world, "kit/deep/er/c.txt", ChangeKind::Written);
    fs::rename(world.disk("kit"), world.disk("box")).unwrap();
    let mut events = wait_for(&mut world, "box/deep/er/c.txt", ChangeKind::Written);
    if events.len() == 1 {
        events.extend(wait_for(&mut world, "kit/deep/er/c.txt", ChangeKind::Removed));
    }
    assert_eq!(world.files(), ["box/deep/er/c.txt"]);
}

#[test]
fn the_engines_own_writes_are_no_events() {
    let mut world = World::watched(&[("a.txt", "a"), ("kit/b.txt", "b")]);
    world.save("a.txt", "A");
    world.save("new/c.txt", "c");
    let txn = world.begin("ada");
    world.vfs.remove(txn, &source("kit")).unwrap();
    world.write(txn, "a.txt", "AA").unwrap();
    world.vfs.commit(txn).unwrap();
    put(&world.disk("tmp/scratch.txt"), "scratch");
    put(&world.disk("libs/@kit/x.txt"), "not mounted from here");
    assert_eq!(settle(&mut world), []);
    let callers: Vec<_> = world.vfs.history(9).into_iter().map(|entry| entry.caller).collect();
    assert_eq!(callers, ["external", "ada", "ada", "ada"]);

    // An edit that puts back what is there already is none either.
    put(&world.disk("a.txt"), "AA");
    assert_eq!(settle(&mut world), []);
}

#[test]
fn an_edit_under_an_open_transaction_is_recorded_but_does_not_show() {
    let mut world = World::watched(&[("a.txt", "a"), ("b.txt", "b")]);
    let txn = world.begin("ada");
    world.write(txn, "a.txt", "mine").unwrap();
    put(&world.disk("a.txt"), "theirs");
    assert_eq!(settle(&mut world), []);
    assert_eq!(world.text("a.txt").as_deref(), Some("mine"));
    assert!(world.vfs.history(9).iter().any(|entry| entry.files.iter().any(|(path, ..)| *path == source("a.txt"))));
    world.vfs.take_events();
    world.vfs.roll_back(txn);
    assert_eq!(world.vfs.take_events().len(), 1, "now it shows");
    assert_eq!(world.text("a.txt").as_deref(), Some("theirs"));
}

#[test]
fn a_file_put_into_a_removed_folder_shows_when_the_transaction_ends() {
    for commits in [true, false] {
        let mut world = World::watched(&[("kit/a.txt", "a")]);
        let txn = world.begin("ada");
        world.vfs.remove(txn, &source("kit")).unwrap();
        world.vfs.take_events();
        put(&world.disk("kit/theirs.txt"), "theirs");
        assert_eq!(settle(&mut world), []);
        assert_eq!(world.files(), ["zz_last.txt"]);
        if commits {
            world.vfs.commit(txn).unwrap();
        } else {
            world.vfs.roll_back(txn);
        }
        let events = world.vfs.take_events();
        assert!(events.iter().any(|event| event.path == source("kit/theirs.txt")), "{events:?}");
        assert_eq!(world.text("kit/theirs.txt").as_deref(), Some("theirs"));
        assert_eq!(world.text("kit/a.txt").is_some(), !commits);
    }
}

#[test]
fn a_library_on_disk_is_followed_and_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    put(&folder.path().join("builtin/a.luau"), "1");
    fs::create_dir(folder.path().join("world")).unwrap();
    let on_disk = vec![(String::new(), folder.path().join("builtin"))];
    let mut config = config(&folder.path().join("world"), true);
    config.libraries = vec![("builtin".to_owned(), Library::Disk(on_disk))];
    let (mut vfs, _) = Vfs::open(config).unwrap();
    put(&folder.path().join("builtin/a.luau"), "2");
    let at = path("/zero/source/libs/@builtin/a.luau");
    wait_until(&mut vfs, |event| event.path == at);
    assert_eq!(vfs.read_text(&at).unwrap(), "2");
    assert_eq!(vfs.history(9), []);
}
