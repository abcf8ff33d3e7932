use zero_base::Hash;

use crate::diff::short_diff;
use crate::mounts::Place;
use crate::overlay::Content;
use crate::view::Found;
use crate::{Key, TxnId, Vfs, VfsError, VfsPath};

/// Who owns what, and what a write must meet before it changes anything.
impl Vfs {
    /// The open transaction that keeps others from writing `key`.
    pub fn owner_of(&self, key: &Key) -> Option<TxnId> {
        match key {
            Key::File(path) => self.pending.owner_in_the_way(path, |_| false).map(|(_, owner)| *owner),
            Key::Entity { .. } => {
                self.transactions.iter().find(|(_, txn)| txn.entity_keys.contains(key)).map(|(owner, _)| *owner)
            }
        }
    }

    /// Whether an open transaction has changed entities.
    pub fn holds_entities(&self, txn: TxnId) -> bool {
        self.transactions.get(&txn).is_some_and(|transaction| !transaction.entities.is_empty())
    }

    pub(crate) fn check_writer(&mut self, txn: TxnId) -> Result<(), VfsError> {
        match self.transaction(txn)? {
            transaction if transaction.read_only => {
                Err(VfsError::ReadOnlyCaller { caller: transaction.caller.clone() })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn check_writable(&self, path: &VfsPath) -> Result<(), VfsError> {
        let refuse = |reason| Err(VfsError::ReadOnly { path: path.clone(), reason });
        match self.mounts.place(path) {
            Place::Source(folder) | Place::Scratch(folder) if *path != folder.at => Ok(()),
            Place::Source(_) | Place::Scratch(_) | Place::Above(_) => refuse("it is a fixed folder; write below it"),
            Place::Library(_) => refuse("libraries are read-only; write to /zero/source"),
            Place::Generated => refuse("the engine makes it; write to /zero/source"),
            Place::Outside => Err(VfsError::Outside { path: path.clone() }),
        }
    }

    /// Refuses what another transaction, or another caller's play shadow, is in the way of.
    pub(crate) fn check_free(&self, txn: TxnId, path: &VfsPath) -> Result<(), VfsError> {
        self.check_uncommitted(txn, path)?;
        let caller = self.transactions.get(&txn).map_or("", |transaction| &transaction.caller);
        let shadow = self.shadow.as_ref().and_then(|s| s.owner_in_the_way(path, |owner| owner == caller));
        match shadow {
            Some((of, owner)) => Err(VfsError::Shadowed { path: of.clone(), caller: owner.clone() }),
            None => Ok(()),
        }
    }

    /// Refuses what another transaction is in the way of: it owns the path, a folder around it
    /// that it removed, or something in it.
    pub(crate) fn check_uncommitted(&self, txn: TxnId, path: &VfsPath) -> Result<(), VfsError> {
        match self.pending.owner_in_the_way(path, |owner| *owner == txn) {
            Some((of, owner)) => Err(self.busy(Key::File(of.clone()), *owner)),
            None => Ok(()),
        }
    }

    /// Whether a file can be at `path` and is what the caller believes it is. Answers its hash.
    pub(crate) fn check_write(
        &self,
        path: &VfsPath,
        new: &Content,
        base: Option<Hash>,
    ) -> Result<Option<Hash>, VfsError> {
        let found = self.find(path)?;
        match found {
            Found::Folder(_) => return Err(VfsError::NotAFile { path: path.clone() }),
            Found::Nothing => {
                for ancestor in path.ancestors() {
                    match self.find(&ancestor)? {
                        Found::Nothing => {}
                        Found::Folder(_) => break,
                        _ => return Err(VfsError::NotAFolder { path: ancestor }),
                    }
                }
            }
            _ => {}
        }
        let before = self.file_hash(path, &found)?;
        match base {
            Some(expected) if before != Some(expected) => {
                let diff = self.stale_diff(path, expected, &new.bytes);
                Err(VfsError::StaleBase { path: path.clone(), expected, found: before, diff })
            }
            _ => Ok(before),
        }
    }

    /// What happened to the file since it was `expected`, or, if nobody kept that, how the file
    /// differs from what was to be written.
    pub(crate) fn stale_diff(&self, path: &VfsPath, expected: Hash, new: &[u8]) -> String {
        let now = self.read(path).unwrap_or_default();
        match self.content_from_history(path, expected) {
            Some(old) => format!("changed since:\n{}", short_diff(&old, &now)),
            None => format!("from what is there to what was to be written:\n{}", short_diff(&now, new)),
        }
    }

    /// Two names that differ only in case are one name on some disks.
    pub(crate) fn check_case(&self, txn: TxnId, path: &VfsPath) -> Result<(), VfsError> {
        let folder = path.ancestors().find(|folder| matches!(self.find(folder), Ok(Found::Folder(_))));
        let folder = folder.expect("the root is a folder");
        let first = |path: &VfsPath| {
            path.relative_to(&folder).and_then(|rest| rest.split('/').next()).unwrap_or_default().to_owned()
        };
        let name = first(path);
        let clashes = |other: &str| other != name && other.to_lowercase() == name.to_lowercase();
        if let Some(entry) = self.list(&folder)?.into_iter().find(|entry| clashes(&entry.name)) {
            return Err(VfsError::CaseClash { path: path.clone(), existing: folder.join(&entry.name)? });
        }
        // What another transaction has removed may come back.
        let others = self.pending.below(&folder).filter(|(_, written)| written.owner != txn);
        match others.into_iter().find(|(path, _)| clashes(&first(path))) {
            Some((of, written)) => Err(self.busy(Key::File(of.clone()), written.owner)),
            None => Ok(()),
        }
    }

    pub(crate) fn busy(&self, key: Key, owner: TxnId) -> VfsError {
        let caller = self.transactions.get(&owner).map_or_else(String::new, |txn| txn.caller.clone());
        VfsError::Busy { key, owner, caller }
    }
}
