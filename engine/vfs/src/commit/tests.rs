use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use zero_base::{Caller, Hash, Io, SimIo};

use crate::{EntityChange, TxnId, Vfs, VfsConfig, VfsPath, WriteOptions};

fn path(name: &str) -> VfsPath {
    VfsPath::parse(&format!("/zero/source/{name}")).unwrap()
}

fn open(io: &Arc<SimIo>) -> Vfs {
    let config = VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false };
    Vfs::open(config).unwrap().0
}

fn world() -> (Arc<SimIo>, Vfs) {
    let io = Arc::new(SimIo::new());
    io.create_dir_all(Path::new("/world/source/locked")).unwrap();
    for name in ["a.txt", "locked/b.txt"] {
        io.write(&Path::new("/world/source").join(name), b"old").unwrap();
    }
    let vfs = open(&io);
    (io, vfs)
}

/// Writes a small and a large file, removes one, changes an entity.
fn work(vfs: &mut Vfs) -> TxnId {
    let txn = vfs.begin(&Caller::engine(), 0);
    vfs.write(txn, &path("a.txt"), b"new", WriteOptions::default()).unwrap();
    vfs.write(txn, &path("new/large.bin"), &[1; 10_000], WriteOptions::default()).unwrap();
    vfs.remove(txn, &path("locked/b.txt")).unwrap();
    let (scene, entity, component) = ("main".into(), "ent_1".into(), "Transform".into());
    vfs.record_entity(txn, EntityChange { scene, entity, component, before: None, after: Some(1.into()) }).unwrap();
    txn
}

/// The files on disk, without what is about to be renamed into place.
fn disk(io: &SimIo) -> Vec<(String, Hash)> {
    let mut files = Vec::new();
    let mut folders = vec!["/world/source".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in io.read_dir(Path::new(&folder)).unwrap() {
            let place = format!("{folder}/{}", entry.name);
            match io.read(Path::new(&place)) {
                Ok(bytes) => files.push((place, bytes)),
                Err(_) => folders.push(place),
            }
        }
    }
    files.retain(|(place, _)| !place.contains("/.zero-new-"));
    files.sort();
    files.into_iter().map(|(place, bytes)| (place, Hash::of(&bytes))).collect()
}

#[test]
fn a_disk_that_fails_at_any_step_leaves_before_or_after() {
    let reference = {
        let (io, mut vfs) = world();
        let start = io.operations();
        let txn = work(&mut vfs);
        vfs.commit(txn).unwrap();
        (io.operations() - start, disk(&io))
    };
    for kind in [ErrorKind::StorageFull, ErrorKind::Other] {
        for step in 0..reference.0 {
            let (io, mut vfs) = world();
            let before = disk(&io);
            let txn = work(&mut vfs);
            io.fail_after(step, kind);
            let committed = vfs.commit(txn);
            io.heal();
            match committed {
                // Only the mark failed.
                Ok(_) => assert_eq!(disk(&io), reference.1, "step {step}"),
                Err(error) if error.code() == "txn/unfinished" => {}
                // The disk is well again: the next try knows.
                Err(error) if error.code() == "txn/outcome_unknown" => {
                    vfs.commit(txn).unwrap_or_else(|error| panic!("step {step}: {error}"));
                    assert_eq!(disk(&io), reference.1, "step {step}");
                }
                Err(error) => {
                    let expected = if kind == ErrorKind::StorageFull { "vfs/disk_full" } else { "vfs/io" };
                    assert_eq!(error.code(), expected, "step {step}: {error}");
                    vfs.commit(txn).unwrap_or_else(|error| panic!("step {step}: the transaction is open: {error}"));
                    assert_eq!(disk(&io), reference.1, "step {step}");
                }
            }
            drop(vfs);
            let vfs = open(&io);
            let left = io.read_dir(Path::new("/world/source")).unwrap();
            assert!(left.iter().all(|entry| !entry.name.starts_with(".zero-new-")), "step {step}: {left:?}");
            let after = disk(&io);
            assert!(after == before || after == reference.1, "step {step}: {after:?}");
            assert_eq!(vfs.pending_entities("main").changes.len(), usize::from(after != before), "step {step}");
        }
    }
}

#[test]
fn what_cannot_be_put_in_place_is_taken_back() {
    let (io, mut vfs) = world();
    let before = disk(&io);
    io.deny("/world/source/locked");
    let txn = work(&mut vfs);
    let error = vfs.commit(txn).unwrap_err();
    assert_eq!(error.code(), "vfs/permission");
    assert!(error.to_string().contains("/zero/source/locked/b.txt"), "{error}");
    assert_eq!(disk(&io), before);
    assert_eq!(vfs.history(9), []);
    assert_eq!(vfs.read_text(&path("a.txt")).unwrap(), "new", "the transaction is open and shows");

    // Neither another commit nor a restart brings the failed one back.
    vfs.roll_back(txn);
    let txn = vfs.begin(&Caller::engine(), 0);
    vfs.write(txn, &path("other.txt"), b"other", WriteOptions::default()).unwrap();
    vfs.commit(txn).unwrap();
    let after = disk(&io);
    drop(vfs);
    let vfs = open(&io);
    assert_eq!((disk(&io), vfs.history(9).len(), vfs.pending_entities("main").changes.len()), (after, 1, 0));
}

#[test]
fn a_commit_that_stays_unfinished_does_not_get_in_the_way() {
    let (io, mut vfs) = world();
    let txn = work(&mut vfs);
    // The record is durable, then the folder is denied for good: as a crash would leave it.
    let start = io.operations();
    vfs.commit(txn).unwrap();
    std::mem::forget(vfs);
    let placed = |io: &SimIo| io.metadata(Path::new("/world/source/locked/b.txt")).is_err();
    let cut = (start..io.operations()).map(|at| io.after_cut(at, 0)).take_while(|cut| !placed(cut)).last().unwrap();
    let io = Arc::new(cut);
    io.deny("/world/source/locked");
    let config = VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false };
    let (mut vfs, recovery) = Vfs::open(config).unwrap();
    assert_eq!((recovery.unfinished[0].0, recovery.redone.as_slice(), recovery.external.len()), (1, [].as_slice(), 0));
    assert_eq!(vfs.read_text(&path("a.txt")).unwrap(), "new", "what could be done was");

    let txn = vfs.begin(&Caller::engine(), 0);
    vfs.write(txn, &path("a.txt"), b"newer", WriteOptions::default()).unwrap();
    vfs.commit(txn).unwrap();
    drop(vfs);
    io.heal();
    let config = VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false };
    let (vfs, recovery) = Vfs::open(config).unwrap();
    assert_eq!((recovery.redone.as_slice(), recovery.conflicts.len()), ([1].as_slice(), 0));
    assert_eq!(vfs.read_text(&path("a.txt")).unwrap(), "newer", "finishing it does not undo what came later");
    assert!(vfs.stat(&path("locked/b.txt")).is_none(), "the rest of it is done now");
}

#[test]
fn a_commit_whose_outcome_is_unknown_can_be_rolled_back() {
    let (io, mut vfs) = world();
    let before = disk(&io);
    let txn = work(&mut vfs);
    let in_journal = |io: &SimIo| io.read(Path::new("/world/.zero/journal/000000000001.journal")).unwrap().len();
    let empty = in_journal(&io);
    // The first step at which the record is written, whole, but neither synced nor taken back.
    let unknown = (0..100).find(|step| {
        io.fail_after(*step, ErrorKind::Other);
        let code = vfs.commit(txn).unwrap_err().code();
        io.heal();
        code == "txn/outcome_unknown" && in_journal(&io) > empty
    });
    assert!(unknown.is_some());
    vfs.roll_back(txn);
    drop(vfs);
    let vfs = open(&io);
    assert_eq!((disk(&io), vfs.history(9).len()), (before, 0));
}

#[test]
fn what_is_held_in_memory_is_bounded() {
    let (_, mut vfs) = world();
    vfs.most_uncommitted = 100;
    let write = |vfs: &mut Vfs, txn, name: &str| vfs.write(txn, &path(name), &[7; 40], WriteOptions::default());
    let txn = vfs.begin(&Caller::engine(), 0);
    // The same file again: what it was before is kept for a roll-back.
    write(&mut vfs, txn, "a.txt").unwrap();
    write(&mut vfs, txn, "a.txt").unwrap();
    assert_eq!(write(&mut vfs, txn, "c.txt").unwrap_err().code(), "vfs/too_much");
    vfs.commit(txn).unwrap();
    vfs.begin_shadow();
    for name in ["d.txt", "e.txt"] {
        let txn = vfs.begin(&Caller::engine(), 0);
        write(&mut vfs, txn, name).unwrap();
        vfs.commit(txn).unwrap();
    }
    let txn = vfs.begin(&Caller::engine(), 0);
    assert_eq!(write(&mut vfs, txn, "f.txt").unwrap_err().code(), "vfs/too_much");
    write(&mut vfs, txn, "d.txt").unwrap_err();
    vfs.roll_back(txn);
    vfs.end_shadow();
}

#[test]
fn many_values_of_a_component_are_one_record_and_structure_keeps_its_place() {
    let (_, mut vfs) = world();
    let change = |component: &str, before: Option<i32>, after: Option<i32>| EntityChange {
        scene: "main".into(),
        entity: "ent_1".into(),
        component: component.into(),
        before: before.map(Into::into),
        after: after.map(Into::into),
    };
    let txn = vfs.begin(&Caller::engine(), 0);
    for (component, before, after) in [
        ("Transform", Some(0), Some(1)),
        ("Light", None, Some(5)),
        ("Transform", Some(1), Some(2)),
        ("Light", Some(5), Some(6)),
        ("Transform", Some(2), Some(3)),
        ("Entity", Some(1), Some(2)),
        ("Transform", Some(3), Some(4)),
    ] {
        vfs.savepoint(txn);
        vfs.record_entity(txn, change(component, before, after)).unwrap();
    }
    vfs.commit(txn).unwrap();
    let kept = vfs.pending_entities("main").changes;
    let expected = [
        change("Transform", Some(0), Some(3)),
        change("Light", None, Some(6)),
        change("Entity", Some(1), Some(2)),
        change("Transform", Some(3), Some(4)),
    ];
    assert_eq!(kept, expected);
}
