//! Random interleavings of two callers' transactions against a model that is a plain map.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use zero_base::{Caller, Hash, Io, SimIo, Transport};
use zero_vfs::{EntityChange, Savepoint, TxnId, Vfs, VfsConfig, VfsError, WriteOptions};

use crate::world::{moved, path, source};

type Files = BTreeMap<String, String>;
type Entities = BTreeMap<String, i64>;

#[derive(Debug, Clone)]
enum Action {
    Write {
        file: String,
        text: String,
    },
    Remove {
        path: String,
    },
    Rename {
        from: String,
        to: String,
    },
    MoveEntity {
        entity: String,
        to: i64,
    },
    Savepoint,
    BackToSavepoint,
    RollBack,
    Commit,
    /// A commit during which the disk fails after some operations.
    FailingCommit {
        operations: usize,
    },
}

fn a_path() -> impl Strategy<Value = String> {
    // Few names, so that files, folders, cases and callers get into each other's way.
    let name = prop::sample::select(vec!["a", "b", "c", "A"]);
    prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"))
}

fn an_action() -> impl Strategy<Value = Action> {
    let text = prop_oneof!["[xyz]{0,2}", Just("L".repeat(5000))];
    prop_oneof![
        8 => (a_path(), text).prop_map(|(file, text)| Action::Write { file, text }),
        3 => a_path().prop_map(|path| Action::Remove { path }),
        3 => (a_path(), a_path()).prop_map(|(from, to)| Action::Rename { from, to }),
        4 => ("ent_[12]", 0..9i64).prop_map(|(entity, to)| Action::MoveEntity { entity, to }),
        1 => Just(Action::Savepoint),
        1 => Just(Action::BackToSavepoint),
        2 => Just(Action::RollBack),
        2 => Just(Action::Commit),
        2 => (0..30usize).prop_map(|operations| Action::FailingCommit { operations }),
    ]
}

/// What the model knows of an open transaction.
#[derive(Default, Clone)]
struct Open {
    /// What was there before the transaction first wrote a path.
    originals: BTreeMap<String, Option<String>>,
    removed_folders: BTreeSet<String>,
    entities: BTreeMap<String, Option<i64>>,
}

struct Pair {
    io: Arc<SimIo>,
    vfs: Vfs,
    transactions: [TxnId; 2],
    open: [Open; 2],
    savepoints: [Option<(Savepoint, Open, Files, Entities)>; 2],
    visible: Files,
    committed: Files,
    entities: Entities,
    committed_entities: Entities,
    /// Every world that was seen, and its hash.
    hashes: BTreeMap<Files, Hash>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn transactions_do_what_a_map_does(steps in prop::collection::vec((0..2usize, an_action()), 1..50)) {
        let mut pair = Pair::new();
        for (who, action) in &steps {
            if !pair.act(*who, action) {
                break;
            }
            pair.check();
        }
        pair.close();
    }
}

impl Pair {
    fn new() -> Pair {
        let io = Arc::new(SimIo::new());
        io.create_dir_all(Path::new("/world/source/c")).unwrap();
        io.write(Path::new("/world/source/a"), b"0").unwrap();
        io.write(Path::new("/world/source/c/b"), b"0").unwrap();
        let mut vfs = open(&io);
        let visible = Files::from([("a".into(), "0".into()), ("c/b".into(), "0".into())]);
        Pair {
            transactions: [0, 1].map(|who| begin(&mut vfs, who)),
            io,
            vfs,
            open: Default::default(),
            savepoints: [None, None],
            committed: visible.clone(),
            visible,
            entities: Entities::new(),
            committed_entities: Entities::new(),
            hashes: BTreeMap::new(),
        }
    }

    /// Answers whether the world can go on.
    fn act(&mut self, who: usize, action: &Action) -> bool {
        let txn = self.transactions[who];
        match action {
            Action::Write { file, text } => {
                let expected = self.may_write(who, file);
                let written = self.vfs.write(txn, &source(file), text.as_bytes(), WriteOptions::default());
                assert_eq!(written.is_ok(), expected, "{action:?} by {who}: {written:?}");
                if expected {
                    self.set(who, file, Some(text.clone()));
                }
            }
            Action::Remove { path } => {
                let is_folder = self.visible.keys().any(|file| is_below(file, path));
                let expected = (is_folder || self.visible.contains_key(path)) && !self.is_claimed(1 - who, path);
                let removed = self.vfs.remove(txn, &source(path));
                assert_eq!(removed.is_ok(), expected, "{action:?} by {who}: {removed:?}");
                removed.into_iter().flatten().for_each(|file| self.set(who, &name(&file), None));
                if expected && is_folder {
                    self.open[who].removed_folders.insert(path.clone());
                }
            }
            Action::Rename { from, to } => {
                let is_folder = self.visible.keys().any(|file| is_below(file, from));
                if let Ok(moves) = self.vfs.rename(txn, &source(from), &source(to)) {
                    assert!(!self.is_claimed(1 - who, from) && !self.is_claimed(1 - who, to));
                    let texts: Vec<_> = moves.iter().map(|(from, _)| self.visible[&name(from)].clone()).collect();
                    moves.iter().for_each(|(from, _)| self.set(who, &name(from), None));
                    if is_folder {
                        self.open[who].removed_folders.insert(from.clone());
                    }
                    moves.iter().zip(texts).for_each(|((_, to), text)| self.set(who, &name(to), Some(text)));
                }
            }
            Action::MoveEntity { entity, to } => self.move_entity(who, entity, *to),
            Action::Savepoint => {
                let savepoint = self.vfs.savepoint(txn);
                self.savepoints[who] =
                    Some((savepoint, self.open[who].clone(), self.visible.clone(), self.entities.clone()));
            }
            Action::BackToSavepoint => {
                let Some((savepoint, then, files, entities)) = self.savepoints[who].clone() else { return true };
                let back = self.vfs.roll_back_to(txn, savepoint);
                self.undo_entities(back.entities);
                let now = std::mem::replace(&mut self.open[who], then);
                for (file, original) in now.originals {
                    let kept = self.open[who].originals.contains_key(&file);
                    restore(&mut self.visible, &file, if kept { files.get(&file).cloned() } else { original });
                }
                for (entity, original) in now.entities {
                    let kept = self.open[who].entities.contains_key(&entity);
                    let expected = if kept { entities.get(&entity).copied() } else { original };
                    assert_eq!(self.entities.get(&entity).copied(), expected, "{entity}");
                }
            }
            Action::RollBack => self.roll_back(who),
            Action::Commit => {
                self.vfs.commit(txn).unwrap();
                self.committed(who);
            }
            Action::FailingCommit { operations } => {
                self.io.fail_after(*operations, ErrorKind::StorageFull);
                let result = self.vfs.commit(txn);
                self.io.heal();
                match result {
                    Ok(_) => self.committed(who),
                    Err(VfsError::Unfinished { .. }) => {
                        self.reopen_after(who, |_| true);
                        return false;
                    }
                    Err(VfsError::OutcomeUnknown { id, .. }) => {
                        self.reopen_after(who, |vfs| vfs.history(1).first().is_some_and(|entry| entry.id == id));
                        return false;
                    }
                    Err(error) => {
                        assert_eq!(error.code(), "vfs/disk_full");
                        self.roll_back(who);
                    }
                }
            }
        }
        true
    }

    fn may_write(&self, who: usize, file: &str) -> bool {
        let is_folder = self.visible.keys().any(|other| is_below(other, file));
        let in_a_file = self.visible.keys().any(|other| is_below(file, other));
        let is_new = !self.visible.contains_key(file);
        // Clashes count in the deepest folder that is there, with names others have touched too.
        let parts: Vec<&str> = file.split('/').collect();
        let there = |folder: &str| folder.is_empty() || self.visible.keys().any(|other| is_below(other, folder));
        let depth = (0..parts.len()).rev().find(|depth| there(&parts[..*depth].join("/"))).unwrap();
        let (folder, wanted) = (parts[..depth].join("/"), parts[depth]);
        let others = self.open[1 - who].originals.keys().chain(self.visible.keys());
        let clashes = others
            .filter(|other| folder.is_empty() || is_below(other, &folder))
            .map(|other| other.split('/').nth(depth).unwrap())
            .any(|other| other != wanted && other.eq_ignore_ascii_case(wanted));
        !(self.is_claimed(1 - who, file) || is_folder || in_a_file || is_new && clashes)
    }

    fn is_claimed(&self, who: usize, path: &str) -> bool {
        let claims = self.open[who].originals.keys().chain(&self.open[who].removed_folders);
        claims.into_iter().any(|claim| claim == path || is_below(claim, path) || is_below(path, claim))
    }

    fn set(&mut self, who: usize, file: &str, text: Option<String>) {
        let before = self.visible.get(file).cloned();
        if before != text {
            self.open[who].originals.entry(file.to_owned()).or_insert(before);
            restore(&mut self.visible, file, text);
        }
    }

    fn move_entity(&mut self, who: usize, entity: &str, to: i64) {
        let before = self.entities.get(entity).copied();
        let recorded = self.vfs.record_entity(self.transactions[who], moved(entity, before, Some(to)));
        assert_eq!(recorded.is_ok(), !self.open[1 - who].entities.contains_key(entity));
        if recorded.is_ok() {
            self.open[who].entities.entry(entity.to_owned()).or_insert(before);
            self.entities.insert(entity.to_owned(), to);
        }
    }

    fn roll_back(&mut self, who: usize) {
        let back = self.vfs.roll_back(self.transactions[who]);
        self.undo_entities(back.entities);
        let Open { originals, entities, .. } = self.end(who);
        originals.into_iter().for_each(|(file, original)| restore(&mut self.visible, &file, original));
        for (entity, original) in entities {
            assert_eq!(self.entities.get(&entity), original.as_ref(), "{entity} is as it was");
        }
    }

    fn committed(&mut self, who: usize) {
        let Open { originals, entities, .. } = self.end(who);
        for file in originals.keys() {
            restore(&mut self.committed, file, self.visible.get(file).cloned());
        }
        for entity in entities.keys() {
            self.committed_entities.insert(entity.clone(), self.entities[entity]);
        }
    }

    fn end(&mut self, who: usize) -> Open {
        self.savepoints[who] = None;
        self.transactions[who] = begin(&mut self.vfs, who);
        std::mem::take(&mut self.open[who])
    }

    /// The caller does as it is told: sets each back, in the order given.
    fn undo_entities(&mut self, changes: Vec<EntityChange>) {
        for change in changes {
            match change.before {
                Some(value) => drop(self.entities.insert(change.entity, value["x"].as_i64().unwrap())),
                None => drop(self.entities.remove(&change.entity)),
            }
        }
    }

    /// The disk failed twice. The commit is there whole after the next opening, or not at all.
    fn reopen_after(&mut self, who: usize, is_there: impl FnOnce(&Vfs) -> bool) {
        self.vfs = open(&self.io);
        if is_there(&self.vfs) {
            self.committed(who);
        }
        self.open = Default::default();
        self.visible = self.committed.clone();
        self.entities = self.committed_entities.clone();
    }

    fn check(&mut self) {
        assert_eq!(read_all(&self.vfs), self.visible);
        let root = path("/zero/source");
        let hash = self.vfs.hash(&root).unwrap();
        assert_eq!(*self.hashes.entry(self.visible.clone()).or_insert(hash), hash, "one world, one hash");
        let others = self.hashes.iter().filter(|(files, _)| **files != self.visible);
        assert!(others.into_iter().all(|(_, other)| *other != hash), "two worlds, two hashes");
        let folders: BTreeSet<&str> = self.visible.keys().flat_map(|file| folders_of(file)).collect();
        for folder in folders {
            let below = self.visible.keys().filter(|file| is_below(file, folder));
            let names: BTreeSet<&str> = below.map(|file| file[folder.len() + 1..].split('/').next().unwrap()).collect();
            let listed = self.vfs.list(&source(folder)).unwrap();
            assert!(listed.iter().map(|entry| entry.name.as_str()).eq(names), "{folder}: {listed:?}");
        }
    }

    fn close(mut self) {
        (0..2).for_each(|who| self.roll_back(who));
        assert_eq!((&self.visible, &self.entities), (&self.committed, &self.committed_entities));
        self.check();
        let hash = self.vfs.hash(&path("/zero/source")).unwrap();
        drop(self.vfs);
        let vfs = open(&self.io);
        assert_eq!((read_all(&vfs), vfs.hash(&path("/zero/source")).unwrap()), (self.committed, hash));
        let mut entities = Entities::new();
        for change in vfs.pending_entities("main").changes {
            entities.insert(change.entity, change.after.unwrap()["x"].as_i64().unwrap());
        }
        assert_eq!(entities, self.committed_entities);
    }
}

fn open(io: &Arc<SimIo>) -> Vfs {
    let config = VfsConfig { io: io.clone(), world: "/world".into(), libraries: Vec::new(), watch: false };
    let (vfs, recovery) = Vfs::open(config).unwrap();
    assert!(recovery.external.is_empty() && recovery.conflicts.is_empty(), "{recovery:?}");
    vfs
}

fn begin(vfs: &mut Vfs, who: usize) -> TxnId {
    vfs.begin(&Caller::new(["ada", "bob"][who], Transport::Engine), who as u64)
}

fn read_all(vfs: &Vfs) -> Files {
    let files = vfs.walk(&path("/zero/source")).into_iter();
    files.map(|file| (name(&file), vfs.read_text(&file).unwrap())).collect()
}

fn name(file: &zero_vfs::VfsPath) -> String {
    file.relative_to(&path("/zero/source")).unwrap().to_owned()
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn folders_of(file: &str) -> impl Iterator<Item = &str> {
    file.match_indices('/').map(|(at, _)| &file[..at])
}

fn restore(files: &mut Files, file: &str, text: Option<String>) {
    match text {
        Some(text) => drop(files.insert(file.to_owned(), text)),
        None => drop(files.remove(file)),
    }
}
