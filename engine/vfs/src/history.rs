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
    /// An external edit: the engine saw its hash, and kept no copy.
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
        let mut files = Vec::new();
        for file in commit.files {
            let path = file.path;
            let (before, after) = (self.contents_of(&path, file.before)?, self.contents_of(&path, file.after)?);
            files.push(FileRevision { path, before, after });
        }
        Ok(Revision { files, entities: commit.entities })
    }

    /// What the journal holds of `scene` beyond its file.
    pub fn pending_entities(&self, scene: &str) -> PendingEntities {
        self.journal.pending_entities(scene)
    }

    /// A content of `path` that some commit of the history kept.
    pub(crate) fn content_from_history(&self, path: &VfsPath, hash: Hash) -> Option<Arc<[u8]>> {
        self.journal.commits_with(path, hash).find_map(|id| {
            let commit = self.journal.commit(id).ok()?;
            let version = commit.versions().find(|version| version.hash == hash)?.clone();
            match self.contents(Some(version)).ok()? {
                Contents::Bytes(bytes) => Some(bytes),
                Contents::Absent | Contents::NotKept(_) => None,
            }
        })
    }

    pub(crate) fn contents(&self, version: Option<Version>) -> Result<Contents, VfsError> {
        let Some(version) = version else { return Ok(Contents::Absent) };
        match (version.kept, version.bytes) {
            (Kept::Inline, Some(bytes)) => Ok(Contents::Bytes(bytes)),
            (Kept::Store, _) => Ok(Contents::Bytes(self.store.get(version.hash)?.into())),
            (Kept::Nowhere, _) | (Kept::Inline, None) => Ok(Contents::NotKept(version.hash)),
        }
    }

    /// The content of a version, or of another commit's version that is the same.
    fn contents_of(&self, path: &VfsPath, version: Option<Version>) -> Result<Contents, VfsError> {
        let contents = self.contents(version)?;
        let Contents::NotKept(hash) = contents else { return Ok(contents) };
        Ok(self.content_from_history(path, hash).map_or(contents, Contents::Bytes))
    }
}
