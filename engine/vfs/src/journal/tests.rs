use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use zero_base::{Caller, Hash, Io, SimIo};

use super::Limits;
use crate::{EntityChange, Vfs, VfsConfig, VfsPath, WriteOptions};

const TINY: Limits = Limits { segment_bytes: 2000, history_commits: 10, history_bytes: 1 << 20 };

fn open(io: &Arc<SimIo>, limits: Limits) -> Vfs {
    io.create_dir_all(Path::new("/world")).unwrap();
    let config = VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false };
    let (vfs, recovery) = Vfs::open_with(config, limits).unwrap();
    assert!(recovery.external.is_empty() && recovery.damaged.is_empty(), "{recovery:?}");
    vfs
}

fn save(vfs: &mut Vfs, bytes: &[u8]) {
    let path = VfsPath::parse("/zero/source/a.bin").unwrap();
    let txn = vfs.begin(&Caller::engine(), 0);
    vfs.write(txn, &path, bytes, WriteOptions::default()).unwrap();
    vfs.commit(txn).unwrap();
}

fn step(scene: &str, component: &str, to: u64) -> EntityChange {
    EntityChange {
        scene: scene.into(),
        entity: "ent_1".into(),
        component: component.into(),
        before: Some(json!(to - 1)),
        after: Some(json!(to)),
    }
}

fn record(vfs: &mut Vfs, change: EntityChange) {
    let txn = vfs.begin(&Caller::engine(), 0);
    vfs.record_entity(txn, change).unwrap();
    vfs.commit(txn).unwrap();
}

fn bytes_below(io: &SimIo, folder: &str) -> u64 {
    let size = |name: &str| {
        let place = format!("{folder}/{name}");
        match io.read(Path::new(&place)) {
            Ok(bytes) => bytes.len() as u64,
            Err(_) => bytes_below(io, &place),
        }
    };
    io.read_dir(Path::new(folder)).unwrap().iter().map(|entry| size(&entry.name)).sum()
}

#[test]
fn the_journal_and_the_store_do_not_grow_without_end() {
    let io = Arc::new(SimIo::new());
    let mut vfs = open(&io, TINY);
    for n in 0..300u32 {
        save(&mut vfs, &n.to_le_bytes().repeat(2000));
        record(&mut vfs, step("main", "Transform", 1 + u64::from(n)));
        if n % 7 == 0 {
            vfs.checkpoint_entities("main", Hash::of(&n.to_le_bytes())).unwrap();
        }
    }
    assert!(bytes_below(&io, "/world/.zero/journal") < 4 * TINY.segment_bytes);
    assert!(bytes_below(&io, "/world/.zero/store") < 40 * 8000, "contents go with their commits");
    let history = vfs.history(100);
    assert!(history.len() >= TINY.history_commits && history.len() < 100, "{}", history.len());
    let oldest = history.last().unwrap().id;
    assert!(history.iter().all(|entry| vfs.revision(entry.id).is_ok()), "what is listed can be undone");
    assert_eq!(vfs.revision(oldest - 1).unwrap_err().code(), "vfs/unknown_commit");

    let pending = vfs.pending_entities("main");
    drop(vfs);
    let vfs = open(&io, TINY);
    assert_eq!((vfs.history(100), vfs.pending_entities("main")), (history, pending));
}

#[test]
fn unsaved_entity_changes_outlive_their_records() {
    let io = Arc::new(SimIo::new());
    let mut vfs = open(&io, TINY);
    let saved = Hash::of(b"scene");
    record(&mut vfs, step("main", "Transform", 1));
    vfs.checkpoint_entities("main", saved).unwrap();
    record(&mut vfs, step("main", "Transform", 2));
    record(&mut vfs, step("main", "Light", 1));
    record(&mut vfs, step("main", "Transform", 3));
    record(&mut vfs, step("cave", "Transform", 1));
    let expected = (vfs.pending_entities("main"), vfs.pending_entities("cave"));
    assert_eq!((expected.0.base, expected.0.changes.len(), expected.1.base), (Some(saved), 3, None));

    // Dropped, compacted and compacted again, with a restart in between.
    for round in 0..3u8 {
        (0..200u8).for_each(|n| save(&mut vfs, &[round, n]));
        assert!(vfs.history(1000).last().unwrap().id > 6, "the records themselves are gone");
        assert_eq!((vfs.pending_entities("main"), vfs.pending_entities("cave")), expected, "round {round}");
        drop(vfs);
        vfs = open(&io, TINY);
        assert_eq!((vfs.pending_entities("main"), vfs.pending_entities("cave")), expected, "round {round}");
    }
    record(&mut vfs, step("main", "Transform", 4));
    assert_eq!(vfs.pending_entities("main").changes.len(), 3, "it goes on where the carried change ended");
    vfs.checkpoint_entities("cave", saved).unwrap();
    (0..200u8).for_each(|n| save(&mut vfs, &[9, n]));
    drop(vfs);
    let cave = open(&io, TINY).pending_entities("cave");
    assert_eq!((cave.base, cave.changes.len()), (Some(saved), 0));
}

#[test]
fn history_is_bounded_by_its_bytes_too() {
    let io = Arc::new(SimIo::new());
    let limits = Limits { segment_bytes: 200, history_commits: 1000, history_bytes: 50_000 };
    let mut vfs = open(&io, limits);
    (0..50u8).for_each(|n| save(&mut vfs, &[n; 10_000]));
    let kept = vfs.history(1000).len();
    assert!((1..8).contains(&kept), "{kept}");
}

#[test]
fn damage_in_an_old_segment_is_reported_and_the_rest_is_read() {
    let io = Arc::new(SimIo::new());
    let roomy = Limits { history_commits: 1000, ..TINY };
    let mut vfs = open(&io, roomy);
    (0..60u8).for_each(|n| save(&mut vfs, &[n]));
    drop(vfs);
    let first = Path::new("/world/.zero/journal/000000000001.journal");
    let mut bytes = io.read(first).unwrap();
    bytes[500] ^= 1;
    io.write(first, &bytes).unwrap();
    let config = VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false };
    let (vfs, recovery) = Vfs::open_with(config, roomy).unwrap();
    assert_eq!(recovery.damaged.len(), 1, "{recovery:?}");
    assert_eq!(vfs.history(1)[0].id, 60);
    assert_eq!(io.read(first).unwrap(), bytes, "only the end of the last segment is ever cut");
}

#[test]
fn a_journal_of_another_format_is_left_alone() {
    let io = Arc::new(SimIo::new());
    save(&mut open(&io, TINY), b"1");
    let segment = Path::new("/world/.zero/journal/000000000001.journal");
    let mut bytes = io.read(segment).unwrap();
    bytes[8] = 3;
    io.write(segment, &bytes).unwrap();
    let config = VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false };
    assert_eq!(Vfs::open(config).err().unwrap().code(), "vfs/journal_format");
    assert_eq!(io.read(segment).unwrap(), bytes);
}
