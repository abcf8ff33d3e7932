use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use zero_base::{Caller, Hash, Io, Severity, SimIo};

use crate::{EntityChange, PendingEntities, Recovery, TxnId, Vfs, VfsConfig, VfsPath, WriteOptions};

const SEGMENT: &str = "/world/.zero/journal/000000000001.journal";

fn path(name: &str) -> VfsPath {
    VfsPath::parse(&format!("/zero/source/{name}")).unwrap()
}

fn new_world() -> Arc<SimIo> {
    let io = Arc::new(SimIo::new());
    io.create_dir_all(Path::new("/world/source")).unwrap();
    io
}

fn open(io: &Arc<SimIo>) -> (Vfs, Recovery) {
    Vfs::open(VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false }).unwrap()
}

fn write(vfs: &mut Vfs, txn: TxnId, name: &str, text: &str) {
    vfs.write(txn, &path(name), text.as_bytes(), WriteOptions::default()).unwrap();
}

fn step(vfs: &mut Vfs, txn: TxnId, scene: &str, to: u64) {
    let change = EntityChange {
        scene: scene.into(),
        entity: "ent_1".into(),
        component: "Transform".into(),
        before: Some(json!(to - 1)),
        after: Some(json!(to)),
    };
    vfs.record_entity(txn, change).unwrap();
}

fn commit(vfs: &mut Vfs, work: impl FnOnce(&mut Vfs, TxnId)) -> u64 {
    let txn = vfs.begin(&Caller::engine(), 0);
    work(vfs, txn);
    vfs.commit(txn).unwrap().id
}

fn files(vfs: &Vfs) -> BTreeMap<String, String> {
    vfs.walk(&path("")).into_iter().map(|file| (file.to_string(), vfs.read_text(&file).unwrap())).collect()
}

/// The value the scene's entity was moved to, as far as the journal holds it.
fn moved_to(pending: &PendingEntities) -> Option<u64> {
    pending.changes.last().and_then(|change| change.after.as_ref()?.as_u64())
}

fn flip(io: &SimIo, offset: usize) -> Vec<u8> {
    let mut bytes = io.read(Path::new(SEGMENT)).unwrap();
    bytes[offset] ^= 0x10;
    io.write(Path::new(SEGMENT), &bytes).unwrap();
    bytes
}

fn set_aside(io: &SimIo) -> Vec<Vec<u8>> {
    let folder = Path::new("/world/.zero/journal");
    let names = io.read_dir(folder).unwrap().into_iter().map(|entry| entry.name);
    names.filter(|name| name.ends_with(".damaged")).map(|name| io.read(&folder.join(name)).unwrap()).collect()
}

/// Ten commits of files and entities, with where the record of each begins, and the end.
fn ten_commits(io: &Arc<SimIo>) -> Vec<usize> {
    let (mut vfs, _) = open(io);
    let length = || io.metadata(Path::new(SEGMENT)).unwrap().size as usize;
    let mut begins = Vec::new();
    for n in 1..=10 {
        begins.push(length());
        commit(&mut vfs, |vfs, txn| {
            if n % 3 != 0 {
                write(vfs, txn, "a.txt", &format!("a {n}"));
                write(vfs, txn, &format!("b{n}.txt"), "b");
            }
            step(vfs, txn, "main", n);
            if n == 7 {
                write(vfs, txn, "cave.yaml", "cave");
                vfs.checkpoint_in(txn, "cave", Hash::of(b"cave")).unwrap();
            }
            if n >= 6 {
                step(vfs, txn, "cave", n);
            }
        });
    }
    begins.push(length());
    begins
}

#[test]
fn one_damaged_byte_costs_its_record_alone() {
    let io = new_world();
    let begins = ten_commits(&io);
    let damaged = flip(&io, begins[4] + 30);
    let (vfs, recovery) = open(&io);

    let ids: Vec<u64> = vfs.history(100).iter().map(|entry| entry.id).collect();
    assert_eq!(ids, [10, 9, 8, 7, 6, 4, 3, 2, 1], "{recovery:?}");
    assert!(vfs.revision(10).is_ok() && vfs.revision(4).is_ok());
    assert_eq!(io.read(Path::new(SEGMENT)).unwrap(), damaged, "the journal keeps all its bytes");
    let kept = set_aside(&io);
    assert_eq!(kept.len(), 1);
    assert!(damaged[begins[4]..].starts_with(&kept[0]), "and the damaged ones are kept apart");

    let first = &recovery.damaged[0];
    assert_eq!((&*first.code, first.severity), ("journal/damaged", Severity::Warning));
    assert_eq!(first.path.as_deref(), Some(".zero/journal/000000000001.journal"));
    assert!(first.message.contains(&format!("{} bytes of the journal at offset {}", kept[0].len(), begins[4])));
    assert!(first.message.contains("Transaction 5 was lost; those after it were read"), "{}", first.message);
    let held = &recovery.damaged[1].message;
    assert!(held.contains("scene 'main' by transactions 6, 7, 8, 9, 10 are not applied"), "{held}");

    // Scene by scene, what is there is what was there at one time.
    assert_eq!(moved_to(&vfs.pending_entities("main")), Some(4));
    let cave = vfs.pending_entities("cave");
    assert_eq!((cave.base, moved_to(&cave)), (Some(Hash::of(b"cave")), Some(10)), "it was saved after the damage");
    assert_eq!(vfs.read_text(&path("a.txt")).unwrap(), "a 10");
}

#[test]
fn whichever_byte_is_damaged_the_rest_is_kept_and_work_goes_on() {
    let whole = new_world();
    let begins = ten_commits(&whole);
    let expected = files(&open(&whole).0);
    let length = *begins.last().unwrap();
    for offset in 0..length {
        // The version of the format: a world of another one is refused.
        if (8..12).contains(&offset) {
            continue;
        }
        let io = Arc::new(whole.after_cut(whole.operations(), 0));
        flip(&io, offset);
        let (vfs, recovery) = open(&io);
        let what = format!("byte {offset}: {recovery:#?}");
        assert_eq!(files(&vfs), expected, "{what}");
        let hit = begins.iter().rposition(|begin| *begin <= offset).map(|index| index as u64 + 1);
        let mut ids: Vec<u64> = vfs.history(100).iter().map(|entry| entry.id).collect();
        ids.retain(|id| *id <= 10);
        ids.reverse();
        let all_but_one: Vec<u64> = (1..=10).filter(|id| Some(*id) != hit || ids.contains(id)).collect();
        assert_eq!(ids, all_but_one, "{what}");
        let moved = moved_to(&vfs.pending_entities("main")).unwrap_or(0);
        let lost = (1..=10).find(|id| !ids.contains(id));
        assert_eq!(moved, lost.map_or(10, |lost| lost - 1), "{what}");
        let alarmed = recovery.damaged.iter().any(|damage| damage.severity == Severity::Warning);
        assert_eq!(alarmed, lost.is_some(), "{what}");

        // What is done from here on holds, and is not judged again.
        let mut vfs = vfs;
        let id = commit(&mut vfs, |vfs, txn| {
            write(vfs, txn, "a.txt", "after");
            step(vfs, txn, "main", moved + 1);
        });
        assert!(id >= 10, "{what}");
        let after = (files(&vfs), vfs.pending_entities("main"), vfs.pending_entities("cave"), vfs.history(100));
        drop(vfs);
        let (vfs, again) = open(&io);
        assert_eq!(
            (files(&vfs), vfs.pending_entities("main"), vfs.pending_entities("cave"), vfs.history(100)),
            after,
            "{what}"
        );
        assert_eq!(moved_to(&vfs.pending_entities("main")), Some(moved + 1), "{what}");
        assert!(again.external.is_empty() && again.redone.is_empty(), "{what}");
    }
}

#[test]
fn records_within_a_damaged_content_are_not_taken_for_records() {
    let other = new_world();
    let (mut vfs, _) = open(&other);
    for n in 1..=3 {
        commit(&mut vfs, |vfs, txn| step(vfs, txn, "main", n));
    }
    drop(vfs);
    let journal = other.read(Path::new(SEGMENT)).unwrap();
    for end in [journal.len(), journal.len() - 7] {
        let io = new_world();
        let (mut vfs, _) = open(&io);
        let begin = io.metadata(Path::new(SEGMENT)).unwrap().size as usize;
        commit(&mut vfs, |vfs, txn| {
            vfs.write(txn, &path("copy.journal"), &journal[..end], WriteOptions::default()).unwrap();
        });
        let next = io.metadata(Path::new(SEGMENT)).unwrap().size as usize;
        commit(&mut vfs, |vfs, txn| write(vfs, txn, "b.txt", "b"));
        drop(vfs);
        for offset in (begin..begin + 120).chain(next - 60..next) {
            let io = Arc::new(io.after_cut(io.operations(), 0));
            flip(&io, offset);
            let (vfs, recovery) = open(&io);
            let callers: Vec<_> = vfs.history(9).into_iter().map(|entry| (entry.id, entry.files.len())).collect();
            assert!(callers == [(2, 1)] || callers == [(2, 1), (1, 1)], "byte {offset}: {callers:?}, {recovery:#?}");
            assert_eq!(vfs.pending_entities("main"), PendingEntities::default());
        }
    }
}

#[test]
fn a_missing_segment_is_told() {
    let io = new_world();
    let (mut vfs, _) = open(&io);
    commit(&mut vfs, |vfs, txn| write(vfs, txn, "a.txt", "1"));
    drop(vfs);
    let place = |number: u64| format!("/world/.zero/journal/{number:012}.journal");
    let bytes = io.read(Path::new(SEGMENT)).unwrap();
    io.write(Path::new(&place(3)), &bytes).unwrap();
    io.remove_file(Path::new(SEGMENT)).unwrap();
    let (vfs, recovery) = open(&io);
    let found = &recovery.damaged[0];
    assert_eq!(found.path.as_deref(), Some(".zero/journal/000000000001.journal"));
    assert!(found.message.contains("missing, and all up to 000000000003.journal"), "{found}");
    assert_eq!(vfs.read_text(&path("a.txt")).unwrap(), "1");
}

#[test]
fn a_commit_that_was_taken_back_stays_so_when_the_mark_of_it_is_damaged() {
    let io = new_world();
    let (mut vfs, _) = open(&io);
    commit(&mut vfs, |vfs, txn| {
        write(vfs, txn, "a.txt", "1");
        step(vfs, txn, "main", 1);
    });
    io.deny("/world/source/locked");
    let txn = vfs.begin(&Caller::engine(), 0);
    write(&mut vfs, txn, "a.txt", "2");
    write(&mut vfs, txn, "locked/b.txt", "2");
    step(&mut vfs, txn, "main", 2);
    assert_eq!(vfs.commit(txn).unwrap_err().code(), "vfs/permission");
    vfs.roll_back(txn);
    io.heal();
    commit(&mut vfs, |vfs, txn| step(vfs, txn, "main", 2));
    let before = (files(&vfs), vfs.pending_entities("main"));
    drop(vfs);
    let bytes = io.read(Path::new(SEGMENT)).unwrap();
    let mark = b"{\"undone\"";
    flip(&io, bytes.windows(mark.len()).position(|window| window == mark).unwrap());

    for _ in 0..2 {
        let (vfs, recovery) = open(&io);
        assert_eq!((files(&vfs), vfs.pending_entities("main")), before, "{recovery:#?}");
        assert_eq!(vfs.history(9).iter().map(|entry| entry.id).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(recovery.damaged[0].severity, Severity::Info);
        assert!(recovery.external.is_empty() && recovery.redone.is_empty(), "{recovery:#?}");
    }
}

#[test]
fn a_commit_under_way_that_may_build_on_what_was_lost_is_taken_back_whole() {
    let io = new_world();
    let (mut vfs, _) = open(&io);
    commit(&mut vfs, |vfs, txn| {
        write(vfs, txn, "a.txt", "1");
        step(vfs, txn, "main", 1);
    });
    let lost_at = io.metadata(Path::new(SEGMENT)).unwrap().size as usize;
    commit(&mut vfs, |vfs, txn| step(vfs, txn, "main", 2));
    let before = io.operations();
    commit(&mut vfs, |vfs, txn| {
        write(vfs, txn, "a.txt", "3");
        write(vfs, txn, "b.txt", "3");
        step(vfs, txn, "main", 3);
    });
    let after = io.operations();
    let mut taken_back = 0;
    for cut in before..=after {
        let io = Arc::new(io.after_cut(cut, 0));
        flip(&io, lost_at + 40);
        let (vfs, recovery) = open(&io);
        let moved = moved_to(&vfs.pending_entities("main"));
        let files = files(&vfs);
        let a = files["/zero/source/a.txt"].as_str();
        let says = |text: &str| recovery.damaged.iter().any(|found| found.message.contains(text));
        assert_eq!(moved, Some(1), "cut after {cut}: {recovery:#?}");
        match (a, files.len()) {
            ("1", 1) => taken_back += usize::from(says("transaction 3 of 'engine' was under way")),
            ("3", 2) => assert!(says("by transaction 3 are not applied"), "cut after {cut}: {recovery:#?}"),
            mixed => panic!("cut after {cut}: {mixed:?}, {recovery:#?}"),
        }
    }
    assert!(taken_back > 1, "{taken_back}");
}
