use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use zero_base::{Caller, Io, Severity, SimIo};

use crate::journal::Limits;
use crate::{EntityChange, PendingEntities, Recovery, TxnId, Vfs, VfsConfig, VfsPath, WriteOptions};

/// Every journal of these tests is rewritten all the time.
const TINY: Limits = Limits { segment_bytes: 900, history_commits: 2, history_bytes: 1 << 20 };

/// All that a commit can change.
#[derive(Debug, Clone, PartialEq)]
struct State {
    files: BTreeMap<String, String>,
    entities: PendingEntities,
}

fn path(name: &str) -> VfsPath {
    VfsPath::parse(&format!("/zero/source/{name}")).unwrap()
}

fn open(io: &Arc<SimIo>, limits: Limits) -> (Vfs, Recovery) {
    let config = VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false };
    Vfs::open_with(config, limits).unwrap()
}

fn state(vfs: &Vfs) -> State {
    let shown = |bytes: &[u8]| match bytes {
        [first, ..] if bytes.len() > 100 => format!("{} times {first}", bytes.len()),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    let files = vfs.walk(&path("")).into_iter().map(|file| (file.to_string(), shown(&vfs.read(&file).unwrap())));
    State { files: files.collect(), entities: vfs.pending_entities("main") }
}

/// A disk, all of it durable, with a world that was opened and closed once.
fn world() -> Arc<SimIo> {
    let io = Arc::new(SimIo::new());
    io.create_dir_all(Path::new("/world/source/kit/sub")).unwrap();
    for (name, bytes) in [("a.txt", b"0".to_vec()), ("kit/b.txt", b"b".to_vec()), ("kit/sub/big.bin", vec![7; 9000])] {
        io.write(&Path::new("/world/source").join(name), &bytes).unwrap();
    }
    drop(open(&io, Limits::default()));
    Arc::new(io.after_cut(io.operations(), 0))
}

fn write(vfs: &mut Vfs, txn: TxnId, name: &str, bytes: &[u8]) {
    vfs.write(txn, &path(name), bytes, WriteOptions::default()).unwrap();
}

fn move_entity(vfs: &mut Vfs, txn: TxnId, from: i64) {
    let change = EntityChange {
        scene: "main".into(),
        entity: "ent_1".into(),
        component: "Transform".into(),
        before: Some(json!(from)),
        after: Some(json!(from + 1)),
    };
    vfs.record_entity(txn, change).unwrap();
}

/// Commits that use everything there is: new and removed folders, a folder that becomes a file,
/// inline and stored contents, entities, a checkpoint.
const SCRIPT: [fn(&mut Vfs, TxnId); 10] = [
    |vfs, txn| {
        write(vfs, txn, "a.txt", b"1");
        write(vfs, txn, "deep/x/y.txt", b"new folders");
        move_entity(vfs, txn, 0);
    },
    |vfs, txn| {
        vfs.remove(txn, &path("kit")).unwrap();
        write(vfs, txn, "kit", &[1; 6000]);
        write(vfs, txn, "a.txt", b"2");
    },
    |vfs, txn| {
        vfs.rename(txn, &path("deep"), &path("deeper")).unwrap();
        move_entity(vfs, txn, 1);
    },
    |vfs, txn| {
        let scene = b"main: { ent_1: 2 }";
        write(vfs, txn, "main.scene/scene.yaml", scene);
        vfs.checkpoint_in(txn, "main", zero_base::Hash::of(scene)).unwrap();
    },
    |vfs, txn| {
        vfs.remove(txn, &path("kit")).unwrap();
        write(vfs, txn, "kit/sub/big.bin", &[2; 5000]);
        write(vfs, txn, "a.txt", b"5");
    },
    |vfs, txn| move_entity(vfs, txn, 2),
    |vfs, txn| {
        write(vfs, txn, "a.txt", &[3; 5000]);
        vfs.remove(txn, &path("deeper/x/y.txt")).unwrap();
        move_entity(vfs, txn, 3);
    },
    // Enough small changes for unsaved ones to outlive their records.
    |vfs, txn| {
        write(vfs, txn, "a.txt", &[4; 900]);
        move_entity(vfs, txn, 4);
    },
    |vfs, txn| write(vfs, txn, "a.txt", &[5; 900]),
    |vfs, txn| write(vfs, txn, "a.txt", &[6; 900]),
];

/// What was acknowledged, and by which operation of the log.
struct Run {
    io: Arc<SimIo>,
    limits: Limits,
    states: Vec<(usize, State)>,
}

impl Run {
    fn new(limits: Limits) -> Run {
        let io = world();
        let (mut vfs, _) = open(&io, limits);
        let mut states = vec![(io.operations(), state(&vfs))];
        for (step, work) in SCRIPT.iter().enumerate() {
            let txn = vfs.begin(&Caller::engine(), step as u64);
            work(&mut vfs, txn);
            vfs.commit(txn).unwrap();
            states.push((io.operations(), state(&vfs)));
        }
        std::mem::forget(vfs); // Power is cut before the world is closed.
        Run { io, limits, states }
    }

    /// The state is that of the last acknowledged commit, or of the one in flight.
    fn check(&self, cut: &Arc<SimIo>, operations: usize, what: &str) {
        let (vfs, recovery) = open(cut, self.limits);
        let found = state(&vfs);
        let acknowledged = self.states.iter().rposition(|(end, _)| *end <= operations).unwrap_or(0);
        let mut allowed = self.states[acknowledged..].iter().take(2);
        let last = || if operations == 0 { String::new() } else { self.io.describe(operations - 1) };
        assert!(
            allowed.any(|(_, state)| *state == found),
            "{what}: after commit {acknowledged}, following {}: {found:#?}\n{recovery:#?}",
            last()
        );
        let lossless = recovery.damaged.iter().all(|damage| damage.severity == Severity::Info);
        let quiet = recovery.conflicts.is_empty() && recovery.unfinished.is_empty() && lossless;
        assert!(quiet && recovery.external.is_empty(), "{what}, following {}: {recovery:#?}", last());
        let history = vfs.history(1);
        assert!(acknowledged == 0 || history[0].id >= acknowledged as u64, "{what}: {history:?}");
        let mut left = cut.read_dir(Path::new("/world/source")).unwrap();
        left.retain(|entry| entry.name.starts_with(".zero"));
        assert_eq!(left, [], "{what}");
    }
}

#[test]
fn whatever_a_power_cut_loses_a_commit_is_there_whole_or_not_at_all() {
    for limits in [Limits::default(), TINY] {
        let run = Run::new(limits);
        for operations in 0..=run.io.operations() {
            for seed in 0..9u64 {
                let seed = if seed < 2 { seed } else { operations as u64 * 10 + seed };
                let cut = Arc::new(run.io.after_cut(operations, seed));
                run.check(&cut, operations, &format!("cut after {operations}, seed {seed}"));
            }
        }
    }
}

#[test]
fn a_power_cut_during_recovery_changes_nothing() {
    let run = Run::new(TINY);
    for operations in (0..=run.io.operations()).step_by(5) {
        for seed in [1, 100 + operations as u64] {
            let cut = Arc::new(run.io.after_cut(operations, seed));
            std::mem::forget(open(&cut, run.limits));
            for second in 0..=cut.operations() {
                let again = Arc::new(cut.after_cut(second, 1 + second as u64 % 3));
                run.check(&again, operations, &format!("cut after {operations}, seed {seed}, then after {second}"));
            }
        }
    }
}

#[test]
fn work_goes_on_after_recovery() {
    let run = Run::new(Limits::default());
    for operations in 0..=run.io.operations() {
        let cut = Arc::new(run.io.after_cut(operations, 1000 + operations as u64));
        let (mut vfs, _) = open(&cut, run.limits);
        let before = vfs.history(1).first().map_or(0, |entry| entry.id);
        let txn = vfs.begin(&Caller::engine(), 0);
        write(&mut vfs, txn, "after.txt", b"after");
        move_entity(&mut vfs, txn, 100);
        assert!(vfs.commit(txn).unwrap().id > before);
        let expected = state(&vfs);
        std::mem::forget(vfs);
        let lost = Arc::new(cut.after_cut(cut.operations(), 1));
        assert_eq!(state(&open(&lost, run.limits).0), expected, "cut after {operations}");
    }
}

#[test]
fn an_edit_made_before_recovery_is_kept_and_reported() {
    let io = world();
    let (mut vfs, _) = open(&io, Limits::default());
    let txn = vfs.begin(&Caller::engine(), 0);
    write(&mut vfs, txn, "a.txt", &[1; 5000]);
    write(&mut vfs, txn, "other.txt", b"other");
    let before = io.operations();
    vfs.commit(txn).unwrap();
    std::mem::forget(vfs);
    // Cut where the record is durable and no file is in place.
    let in_place = |io: &SimIo| io.metadata(Path::new("/world/source/other.txt")).is_ok();
    let cut = (before..io.operations())
        .map(|operations| io.after_cut(operations, 0))
        .take_while(|cut| !in_place(cut))
        .last()
        .unwrap();
    cut.write(Path::new("/world/source/a.txt"), b"theirs").unwrap();

    let (vfs, recovery) = open(&Arc::new(cut), Limits::default());
    assert_eq!(recovery.redone, [1]);
    let conflict = &recovery.conflicts[0];
    assert_eq!((conflict.path.name(), conflict.id), ("a.txt", 1));
    assert_eq!(vfs.read_text(&path("a.txt")).unwrap(), "theirs");
    assert_eq!(vfs.read_text(&path("other.txt")).unwrap(), "other");
    assert_eq!(vfs.store.get(conflict.committed.unwrap()).unwrap(), [1; 5000]);
    assert_eq!(recovery.external.len(), 1);
    let newest = &vfs.history(1)[0];
    assert_eq!(
        (newest.caller.as_str(), newest.files[0].1, newest.files[0].2),
        ("external", conflict.committed, conflict.found)
    );
}
