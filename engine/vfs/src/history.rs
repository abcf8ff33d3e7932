use std::sync::Arc;

use zero_base::Hash;

use crate::journal::record::{Kept, Version};
use crate::{EntityChange, FileChange, Vfs, VfsError, VfsPath};

/// Entity changes that the scene's file does not hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PendingEntities {
    /// The hash of the file they were made upon; none if the scene was never checkpointed.
    pub base: Option<Hash>,
    /// In the order they were committed.
    pub changes: Vec<EntityChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    pub id: u64,
    pub group: u64,
    pub caller: String,
    pub files: Vec<FileChange>,
    /// How many entity changes there are.
    pub entities: usize,
}

/// A commit with its contents: what it takes to undo or redo it.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    pub files: Vec<FileRevision>,
    pub entities: Vec<EntityChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRevision {
    pub path: VfsPath,
    pub before: Contents,
    pub after: Contents,
}

/// What a file held before or after a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents {
    /// There was no such file.
    Absent,
    Bytes(Arc<[u8]>),
    /// An external edit: the engine saw the hash, and kept no copy.
    NotKept(Hash),
}

impl Vfs {
    /// The last commits, newest first.
    pub fn history(&self, limit: usize) -> Vec<HistoryEntry> {
        self.journal.history(limit)
    }

    /// A commit of the history, with contents.
    pub fn revision(&self, id: u64) -> Result<Revision, VfsError> {
        let commit = self.journal.commit(id)?;
        let files = commit.files.into_iter().map(|file| {
            let (before, after) = (self.contents(file.before)?, self.contents(file.after)?);
            Ok(FileRevision { path: file.path, before, after })
        });
        Ok(Revision { files: files.collect::<Result<_, VfsError>>()?, entities: commit.entities })
    }

    /// What the journal holds of `scene` beyond its file.
    pub fn pending_entities(&self, scene: &str) -> PendingEntities {
        self.journal.pending_entities(scene)
    }

    /// A content of `path` that the history still knows.
    pub(crate) fn content_from_history(&self, path: &VfsPath, hash: Hash) -> Option<Vec<u8>> {
        let commit = self.journal.commit(self.journal.commit_with(path, hash)?).ok()?;
        let version = commit.versions().find(|version| version.hash == hash)?.clone();
        match self.contents(Some(version)).ok()? {
            Contents::Bytes(bytes) => Some(bytes.to_vec()),
            Contents::Absent | Contents::NotKept(_) => None,
        }
    }

    pub(crate) fn contents(&self, version: Option<Version>) -> Result<Contents, VfsError> {
        let Some(version) = version else { return Ok(Contents::Absent) };
        match (version.kept, version.bytes) {
            (Kept::Inline, Some(bytes)) => Ok(Contents::Bytes(bytes)),
            (Kept::Store, _) => Ok(Contents::Bytes(self.store.get(version.hash)?.into())),
            (Kept::Nowhere, _) | (Kept::Inline, None) => Ok(Contents::NotKept(version.hash)),
        }
    }
}
