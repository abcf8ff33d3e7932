use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use zero_base::{Caller, Hash};

use crate::change::push_merged;
use crate::journal::record::Checkpoint;
use crate::overlay::Written;
use crate::{EntityChange, FileChange, Key, Layer, TxnId, VfsPath};

#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    /// The content the write is based on; when another one is there, `vfs/stale_base`.
    pub base: Option<Hash>,
    /// During play: write the authored file, not the play shadow.
    pub durable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteReceipt {
    pub before: Option<Hash>,
    pub after: Hash,
    /// Where the file shows from now on.
    pub layer: Layer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitReceipt {
    /// The number of the commit in the history; 0 when there was nothing to record.
    pub id: u64,
    pub group: u64,
    pub files: Vec<FileChange>,
    pub entities: usize,
}

/// What a roll-back took back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RolledBack {
    /// Newest first: the order in which the caller sets each back to its `before`.
    pub entities: Vec<EntityChange>,
    /// Already done; sorted.
    pub files: Vec<VfsPath>,
}

/// A point of an open transaction to roll back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Savepoint {
    pub(crate) steps: usize,
    pub(crate) entities: usize,
}

pub(crate) struct Transaction {
    pub caller: String,
    pub read_only: bool,
    pub group: u64,
    /// What lay on disk when the transaction first wrote a path. Its keys are what it owns.
    pub before: BTreeMap<VfsPath, Option<Hash>>,
    pub steps: Vec<Step>,
    pub entities: Vec<EntityChange>,
    /// Bytes written so far; what a roll-back to a savepoint takes away still counts.
    pub bytes: u64,
    pub entity_keys: BTreeSet<Key>,
    /// The step that last wrote a path.
    latest: BTreeMap<VfsPath, usize>,
    /// The lengths of `steps` and `entities` at the last savepoint: what lies before must stay
    /// as it is, what lies after may be merged.
    floor: (AtomicUsize, AtomicUsize),
}

/// How to take back one write.
pub(crate) enum Step {
    Pending {
        path: VfsPath,
        previous: Option<Written<TxnId>>,
    },
    Shadow {
        path: VfsPath,
        previous: Option<Written<String>>,
    },
    PendingFolder(VfsPath),
    ShadowFolder(VfsPath),
    /// A folder removed in the shadow, by `owner`, that the transaction has made its own.
    PromotedFolder {
        path: VfsPath,
        owner: String,
    },
    Checkpoint(Checkpoint),
    /// Of a shadow that has ended: nothing to take back.
    Settled,
}

impl Step {
    pub fn removed_folder(&self) -> Option<&VfsPath> {
        match self {
            Step::PendingFolder(path) | Step::ShadowFolder(path) => Some(path),
            _ => None,
        }
    }
}

impl Transaction {
    pub fn new(caller: &Caller, group: u64) -> Transaction {
        Transaction {
            caller: caller.name.clone(),
            read_only: caller.read_only,
            group,
            before: BTreeMap::new(),
            steps: Vec::new(),
            entities: Vec::new(),
            bytes: 0,
            entity_keys: BTreeSet::new(),
            latest: BTreeMap::new(),
            floor: Default::default(),
        }
    }

    pub fn savepoint(&self) -> Savepoint {
        let savepoint = Savepoint { steps: self.steps.len(), entities: self.entities.len() };
        self.set_floor(savepoint);
        savepoint
    }

    /// Remembers how to take back a write to `path`, unless a step since the last savepoint
    /// already does.
    pub fn push_pending(&mut self, path: &VfsPath, previous: Option<Written<TxnId>>) {
        let floor = self.floor.0.load(Ordering::Relaxed);
        if self.latest.get(path).is_none_or(|&step| step < floor) {
            self.latest.insert(path.clone(), self.steps.len());
            self.steps.push(Step::Pending { path: path.clone(), previous });
        }
    }

    pub fn push_entity(&mut self, change: EntityChange) {
        self.entity_keys.insert(change.key());
        if self.entities.len() > self.floor.1.load(Ordering::Relaxed) {
            push_merged(&mut self.entities, change);
        } else {
            self.entities.push(change);
        }
    }

    /// Takes out what came after `savepoint`, newest first.
    pub fn split_off(&mut self, savepoint: Savepoint) -> (Vec<Step>, Vec<EntityChange>) {
        self.set_floor(savepoint);
        let mut steps = self.steps.split_off(savepoint.steps.min(self.steps.len()));
        let mut entities = self.entities.split_off(savepoint.entities.min(self.entities.len()));
        self.latest.retain(|_, step| *step < savepoint.steps);
        self.entity_keys = self.entities.iter().map(EntityChange::key).collect();
        steps.reverse();
        entities.reverse();
        (steps, entities)
    }

    fn set_floor(&self, savepoint: Savepoint) {
        self.floor.0.store(savepoint.steps, Ordering::Relaxed);
        self.floor.1.store(savepoint.entities, Ordering::Relaxed);
    }
}
