use crate::transaction::{Step, Transaction};
use crate::view::Found;
use crate::{ChangeKind, FileEvent, Origin, RolledBack, Savepoint, TxnId, Vfs, VfsError, VfsPath};

impl Vfs {
    /// A point to come back to; of an ended transaction it is one nothing comes back to.
    pub fn savepoint(&self, txn: TxnId) -> Savepoint {
        self.transactions.get(&txn).map_or(Savepoint { steps: 0, entities: 0 }, Transaction::savepoint)
    }

    /// Takes back what the transaction did after the savepoint; it stays open.
    pub fn roll_back_to(&mut self, txn: TxnId, savepoint: Savepoint) -> RolledBack {
        let Some(transaction) = self.transactions.get_mut(&txn) else { return RolledBack::default() };
        let (steps, entities) = transaction.split_off(savepoint);
        let folders: Vec<VfsPath> = steps.iter().filter_map(Step::removed_folder).cloned().collect();
        let mut files: Vec<VfsPath> = steps.into_iter().filter_map(|step| self.take_back(txn, step)).collect();
        // Other programs may have put files into what was a removed folder.
        files.extend(folders.iter().flat_map(|folder| self.walk(folder)));
        files.sort();
        files.dedup();
        files.iter().for_each(|path| self.announce(path, Some(txn)));
        RolledBack { entities, files }
    }

    /// Takes back all the transaction did, and ends it.
    pub fn roll_back(&mut self, txn: TxnId) -> RolledBack {
        let rolled_back = self.roll_back_to(txn, Savepoint { steps: 0, entities: 0 });
        self.transactions.remove(&txn);
        // A commit of it whose outcome is unknown must not come back with a restart.
        if let Err(error) = self.journal.repair() {
            tracing::warn!(%txn, %error, "a failed commit may still be in the journal");
        }
        rolled_back
    }

    /// What became visible or went away since the last call, by writes and by roll-backs.
    pub fn take_events(&mut self) -> Vec<FileEvent> {
        std::mem::take(&mut self.events)
    }

    pub(crate) fn all_or_nothing<T>(
        &mut self,
        txn: TxnId,
        work: impl FnOnce(&mut Vfs) -> Result<T, VfsError>,
    ) -> Result<T, VfsError> {
        let savepoint = self.savepoint(txn);
        let worked = work(self);
        if worked.is_err() {
            self.roll_back_to(txn, savepoint);
        }
        worked
    }

    /// Says what now shows at `path`.
    pub(crate) fn announce(&mut self, path: &VfsPath, txn: Option<TxnId>) {
        let shows = matches!(self.find(path), Ok(found) if !matches!(found, Found::Nothing | Found::Folder(_)));
        let change = if shows { ChangeKind::Written } else { ChangeKind::Removed };
        self.events.push(FileEvent { path: path.clone(), change, origin: Origin::Local, txn });
    }

    /// Answers the file whose visible content may have changed.
    fn take_back(&mut self, txn: TxnId, step: Step) -> Option<VfsPath> {
        match step {
            Step::Pending { path, previous } => {
                if previous.is_none()
                    && let Some(transaction) = self.transactions.get_mut(&txn)
                {
                    transaction.before.remove(&path);
                }
                self.pending.set(path.clone(), previous);
                Some(path)
            }
            Step::Shadow { path, previous } => {
                self.shadow.as_mut()?.set(path.clone(), previous);
                Some(path)
            }
            Step::PendingFolder(path) => {
                self.pending.restore_folder(&path);
                None
            }
            Step::ShadowFolder(path) => {
                self.shadow.as_mut()?.restore_folder(&path);
                None
            }
            Step::PromotedFolder { path, owner } => {
                self.shadow.as_mut()?.remove_folder(path, owner);
                None
            }
            Step::Checkpoint(_) | Step::Settled => None,
        }
    }
}
