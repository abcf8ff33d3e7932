//! A commit in four steps: keep what it takes to redo and undo it, stage the new files under
//! temporary names, sync one record to the journal, put the files in place. Before the record is
//! durable nothing has changed; from then on recovery can finish what a crash interrupts.

use std::io;

use zero_base::{Caller, Hash};

use crate::change::merged;
use crate::disk::Folder;
use crate::error::io_error;
use crate::history::Contents;
use crate::journal::record::{Commit, FileRecord, INLINE_BYTES, Kept, Record, Version};
use crate::journal::{Durability, Placed};
use crate::overlay::Content;
use crate::placing::{Placing, Staged};
use crate::transaction::Step;
use crate::{CommitReceipt, Origin, TxnId, Vfs, VfsError, VfsPath};

impl Vfs {
    /// Makes the transaction durable and ends it. If this fails the transaction is still open
    /// and nothing has changed, except as `txn/unfinished` and `txn/outcome_unknown` say.
    pub fn commit(&mut self, txn: TxnId) -> Result<CommitReceipt, VfsError> {
        let commit = self.prepare(txn)?;
        let receipt = CommitReceipt {
            id: if commit.is_empty() { 0 } else { commit.id },
            group: commit.group,
            files: commit.file_changes(),
            entities: commit.entities.len(),
        };
        if !commit.is_empty() {
            self.carry_out(txn, &commit)?;
        }
        self.remove_emptied_folders(txn);
        self.end(txn);
        self.keep_house();
        Ok(receipt)
    }

    /// Says that the file of `scene`, with this hash, holds every committed entity change.
    /// Where the same step writes that file, [`Vfs::checkpoint_in`] makes the two one commit.
    pub fn checkpoint_entities(&mut self, scene: &str, file_hash: Hash) -> Result<(), VfsError> {
        let txn = self.begin(&Caller::engine(), 0);
        let done = self.checkpoint_in(txn, scene, file_hash).and_then(|()| self.commit(txn));
        if done.is_err() {
            self.roll_back(txn);
        }
        done.map(drop)
    }

    /// The record of the commit. Every content it takes to redo or undo it is kept by now.
    fn prepare(&mut self, txn: TxnId) -> Result<Commit, VfsError> {
        let transaction = self.transaction(txn)?;
        let checkpoint = |step: &Step| match step {
            Step::Checkpoint(checkpoint) => Some(checkpoint.clone()),
            _ => None,
        };
        let (caller, group) = (transaction.caller.clone(), transaction.group);
        let entities = merged(&transaction.entities);
        let checkpoints = transaction.steps.iter().filter_map(checkpoint).collect();
        let owned = transaction.before.clone();
        let mut files = Vec::new();
        for (path, before) in owned {
            let old = self.content_on_disk(&path)?;
            let new = self.pending.get(&path).and_then(|written| written.content.clone());
            let hash = |content: &Option<Content>| content.as_ref().map(|content| content.hash);
            if hash(&old) != before {
                let diff = before.map_or_else(String::new, |expected| {
                    self.stale_diff(&path, expected, new.as_ref().map_or(&[], |content| &content.bytes))
                });
                return Err(VfsError::ChangedOnDisk { path, expected: before, found: hash(&old), diff });
            }
            if hash(&new) != before {
                files.push(FileRecord { path, before: self.keep(old)?, after: self.keep(new)? });
            }
        }
        let id = self.journal.next_id();
        Ok(Commit { id, group, caller, origin: Origin::Local, files, entities, checkpoints })
    }

    fn carry_out(&mut self, txn: TxnId, commit: &Commit) -> Result<(), VfsError> {
        self.mounts.source.tidy();
        let staged = self.stage(commit)?;
        let place = match self.journal.write(&Record::Commit(commit.clone()), Durability::Now) {
            Ok(place) => place,
            Err(error) => {
                staged.into_iter().for_each(|staged| self.mounts.source.unstage(staged));
                return Err(error);
            }
        };
        if let Err((path, source)) = put_in_place(&self.mounts.source, commit, staged) {
            if self.take_back_commit(commit).is_ok() {
                return Err(io_error("put in place", path)(source));
            }
            self.journal.note(commit, place, Placed::No);
            self.look_again(commit.files.iter().map(|file| &file.path));
            self.end(txn);
            return Err(VfsError::Unfinished { id: commit.id, source });
        }
        self.journal.note(commit, place, Placed::Yes);
        if commit.places_files() {
            self.journal.mark_done(commit.id);
        }
        for (path, _, after) in commit.file_changes() {
            self.account_for(&path, after);
        }
        Ok(())
    }

    fn stage(&self, commit: &Commit) -> Result<Vec<Staged>, VfsError> {
        let source = &self.mounts.source;
        let mut staged = Vec::new();
        for path in commit.files.iter().filter(|file| file.after.is_some()).map(|file| &file.path) {
            let content = self.pending.get(path).and_then(|written| written.content.as_ref());
            let content = content.expect("a commit writes what its transaction holds");
            match source.stage(path, &content.bytes) {
                Ok(one) => staged.push(one),
                Err(error) => {
                    staged.into_iter().for_each(|staged| source.unstage(staged));
                    return Err(io_error("write", path)(error));
                }
            }
        }
        Ok(staged)
    }

    /// Puts back what was there before a commit that could not be put in place, then says so in
    /// the journal.
    fn take_back_commit(&mut self, commit: &Commit) -> Result<(), VfsError> {
        let source = &self.mounts.source;
        let mut placing = Placing::new(source);
        for file in &commit.files {
            let before = file.before.as_ref().map(|version| version.hash);
            if self.accountable_hash(&file.path)? == before {
                continue;
            }
            let restored = match self.contents(file.before.clone())? {
                Contents::Bytes(bytes) => source.stage(&file.path, &bytes).and_then(|staged| placing.put(staged)),
                Contents::Absent | Contents::NotKept(_) => placing.take_away(&file.path),
            };
            restored.map_err(io_error("restore", &file.path))?;
        }
        placing.sync().map_err(io_error("restore", &source.at))?;
        self.journal.mark_undone(commit.id)
    }

    /// Keeps a content where the journal can refer to it.
    fn keep(&mut self, content: Option<Content>) -> Result<Option<Version>, VfsError> {
        let Some(Content { bytes, hash }) = content else { return Ok(None) };
        let size = bytes.len() as u64;
        Ok(Some(if bytes.len() <= INLINE_BYTES {
            Version { hash, size, kept: Kept::Inline, bytes: Some(bytes) }
        } else {
            self.store.put(hash, &bytes)?;
            Version { hash, size, kept: Kept::Store, bytes: None }
        }))
    }

    fn content_on_disk(&self, path: &VfsPath) -> Result<Option<Content>, VfsError> {
        let source = &self.mounts.source;
        match source.look_at_file(path)? {
            Some(found) => Ok(Some(Content::new(&source.read(path, &found)?))),
            None => Ok(None),
        }
    }

    /// Folders that held no file are not in the record: removing them again costs nothing.
    fn remove_emptied_folders(&mut self, txn: TxnId) {
        let Some(transaction) = self.transactions.get(&txn) else { return };
        let mut placing = Placing::new(&self.mounts.source);
        for step in &transaction.steps {
            if let Step::PendingFolder(path) = step {
                placing.take_away_empty(path);
            }
        }
    }

    /// Releases what the transaction owns.
    fn end(&mut self, txn: TxnId) {
        let Some(transaction) = self.transactions.remove(&txn) else { return };
        for path in transaction.before.keys() {
            self.pending.set(path.clone(), None);
        }
        for step in transaction.steps {
            let Step::PendingFolder(folder) = step else { continue };
            self.pending.restore_folder(&folder);
            // Other programs may have put files there while it counted as removed.
            for file in self.walk(&folder).iter().filter(|file| !transaction.before.contains_key(*file)) {
                self.announce(file, None);
            }
        }
    }
}

impl Commit {
    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.entities.is_empty() && self.checkpoints.is_empty()
    }
}

/// Removes first, so that a name can change from file to folder or in its case.
fn put_in_place(source: &Folder, commit: &Commit, staged: Vec<Staged>) -> Result<(), (VfsPath, io::Error)> {
    let mut placing = Placing::new(source);
    let mut staged = staged.into_iter();
    let mut place = || {
        for file in commit.files.iter().filter(|file| file.after.is_none()) {
            placing.take_away(&file.path).map_err(|error| (file.path.clone(), error))?;
        }
        for file in commit.files.iter().filter(|file| file.after.is_some()) {
            let staged = staged.next().expect("every new file was staged");
            placing.put(staged).map_err(|error| (file.path.clone(), error))?;
        }
        Ok(())
    };
    let placed = place();
    staged.for_each(|staged| source.unstage(staged));
    placed?;
    placing.sync().map_err(|error| (source.at.clone(), error))
}

#[cfg(test)]
mod tests;
