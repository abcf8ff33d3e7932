use std::sync::Arc;

use zero_base::{Caller, Hash};

use crate::*;

#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    /// The content the write is based on; another one is refused as `vfs/stale_base`.
    pub base: Option<Hash>,
    /// During play: write the authored file, not the play shadow.
    pub durable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteReceipt {
    pub before: Option<Hash>,
    pub after: Hash,
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

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RolledBack {
    /// Newest first, for the caller to undo in this order.
    pub entities: Vec<EntityChange>,
    pub files: Vec<VfsPath>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Savepoint {
    pub(crate) steps: usize,
    pub(crate) entities: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct PendingEntities {
    pub base: Option<Hash>,
    pub changes: Vec<EntityChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    pub id: u64,
    pub group: u64,
    pub caller: String,
    pub files: Vec<FileChange>,
    pub entities: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    pub files: Vec<FileRevision>,
    pub entities: Vec<EntityChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRevision {
    pub path: VfsPath,
    pub before: Option<Arc<[u8]>>,
    pub after: Option<Arc<[u8]>>,
}

pub struct Vfs {}

#[allow(unused_variables, clippy::todo)]
impl Vfs {
    pub fn open(config: VfsConfig) -> Result<(Vfs, Recovery), VfsError> {
        todo!()
    }
    pub fn read(&self, path: &VfsPath) -> Result<Arc<[u8]>, VfsError> {
        todo!()
    }
    pub fn read_text(&self, path: &VfsPath) -> Result<String, VfsError> {
        todo!()
    }
    pub fn stat(&self, path: &VfsPath) -> Option<Stat> {
        todo!()
    }
    pub fn list(&self, path: &VfsPath) -> Result<Vec<Entry>, VfsError> {
        todo!()
    }
    pub fn walk(&self, path: &VfsPath) -> Vec<VfsPath> {
        todo!()
    }
    pub fn hash(&self, path: &VfsPath) -> Result<Hash, VfsError> {
        todo!()
    }
    pub fn begin(&mut self, caller: &Caller, group: u64) -> TxnId {
        todo!()
    }
    pub fn write(
        &mut self,
        txn: TxnId,
        path: &VfsPath,
        bytes: &[u8],
        options: WriteOptions,
    ) -> Result<WriteReceipt, VfsError> {
        todo!()
    }
    pub fn remove(&mut self, txn: TxnId, path: &VfsPath) -> Result<Vec<VfsPath>, VfsError> {
        todo!()
    }
    pub fn rename(
        &mut self,
        txn: TxnId,
        from: &VfsPath,
        to: &VfsPath,
    ) -> Result<Vec<(VfsPath, VfsPath)>, VfsError> {
        todo!()
    }
    pub fn record_entity(&mut self, txn: TxnId, change: EntityChange) -> Result<(), VfsError> {
        todo!()
    }
    pub fn savepoint(&self, txn: TxnId) -> Savepoint {
        todo!()
    }
    pub fn roll_back_to(&mut self, txn: TxnId, savepoint: Savepoint) -> RolledBack {
        todo!()
    }
    pub fn roll_back(&mut self, txn: TxnId) -> RolledBack {
        todo!()
    }
    pub fn commit(&mut self, txn: TxnId) -> Result<CommitReceipt, VfsError> {
        todo!()
    }
    pub fn owner_of(&self, key: &Key) -> Option<TxnId> {
        todo!()
    }
    pub fn take_events(&mut self) -> Vec<FileEvent> {
        todo!()
    }
    pub fn poll_external(&mut self) -> Result<Vec<FileEvent>, VfsError> {
        todo!()
    }
    pub fn rescan(&mut self) -> Result<Vec<FileEvent>, VfsError> {
        todo!()
    }
    pub fn begin_shadow(&mut self) {
        todo!()
    }
    pub fn end_shadow(&mut self) -> Vec<VfsPath> {
        todo!()
    }
    pub fn shadowing(&self) -> bool {
        todo!()
    }
    pub fn promote(&mut self, txn: TxnId, paths: Option<&[VfsPath]>) -> Result<Vec<VfsPath>, VfsError> {
        todo!()
    }
    pub fn pending_entities(&self, scene: &str) -> PendingEntities {
        todo!()
    }
    pub fn checkpoint_entities(&mut self, scene: &str, file_hash: Hash) -> Result<(), VfsError> {
        todo!()
    }
    pub fn checkpoint_in(&mut self, txn: TxnId, scene: &str, file_hash: Hash) -> Result<(), VfsError> {
        todo!()
    }
    pub fn history(&self, limit: usize) -> Vec<HistoryEntry> {
        todo!()
    }
    pub fn revision(&self, id: u64) -> Result<Revision, VfsError> {
        todo!()
    }
}
