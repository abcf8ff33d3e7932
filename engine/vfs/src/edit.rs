use zero_base::{Caller, Hash};

use crate::disk::{Folder, LARGEST_FILE};
use crate::error::io_error;
use crate::journal::record::Checkpoint;
use crate::mounts::Place;
use crate::overlay::{Content, Written};
use crate::placing::Placing;
use crate::transaction::{Step, Transaction};
use crate::view::Found;
use crate::{EntityChange, Key, Layer, TxnId, Vfs, VfsError, VfsPath, WriteOptions, WriteReceipt};

/// Which layer a write goes to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Pending,
    Shadow,
}

impl Vfs {
    /// Begins a transaction. Transactions of one `group` are one step of the history to a person.
    pub fn begin(&mut self, caller: &Caller, group: u64) -> TxnId {
        self.last_txn += 1;
        let txn = TxnId(self.last_txn);
        self.transactions.insert(txn, Transaction::new(caller, group));
        txn
    }

    /// Writes a whole file. Everyone sees it at once; it reaches the disk with [`Vfs::commit`].
    /// While play runs, a write below `/zero/source` goes to the play shadow unless it is
    /// `durable`; one to scratch goes straight to the disk and is not rolled back.
    pub fn write(
        &mut self,
        txn: TxnId,
        path: &VfsPath,
        bytes: &[u8],
        options: WriteOptions,
    ) -> Result<WriteReceipt, VfsError> {
        self.check_writer(txn)?;
        self.check_writable(path)?;
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(VfsError::TooLarge { path: path.clone(), size: bytes.len() as u64, limit: LARGEST_FILE });
        }
        self.check_free(txn, path)?;
        let content = Content::new(bytes);
        let before = self.check_write(path, &content, options.base)?;
        let after = content.hash;
        if let Place::Scratch(scratch) = self.mounts.place(path) {
            scratch.write_unsynced(path, bytes).map_err(io_error("write", path))?;
            return Ok(WriteReceipt { before, after, layer: Layer::Disk });
        }
        if before.is_none() {
            self.check_case(txn, path)?;
        }
        let target = self.target(txn, path, options.durable);
        self.check_amount(txn, path, bytes.len() as u64, target)?;
        let uncovers = target == Target::Pending && self.shadow.as_ref().is_some_and(|s| s.get(path).is_some());
        if before != Some(after) || uncovers {
            self.set(txn, path, Some(content), target)?;
        }
        let layer = self.stat(path).map_or(Layer::Disk, |stat| stat.layer);
        Ok(WriteReceipt { before, after, layer })
    }

    /// Refuses more uncommitted or shadowed content than memory should hold.
    fn check_amount(&mut self, txn: TxnId, path: &VfsPath, bytes: u64, target: Target) -> Result<(), VfsError> {
        let limit = self.most_uncommitted;
        let too_much = |what, remedy| Err(VfsError::TooMuch { path: path.clone(), what, limit, remedy });
        if target == Target::Shadow && self.shadow.as_ref().is_some_and(|shadow| shadow.bytes() + bytes > limit) {
            return too_much("the play shadow", "write it durable, or promote what is to be kept");
        }
        let transaction = self.transaction(txn)?;
        if transaction.bytes + bytes > limit {
            return too_much("one transaction", "wait between the writes, so that what is done so far is kept");
        }
        transaction.bytes += bytes;
        Ok(())
    }

    /// Removes a file, or a folder with all that is in it. Answers the files removed.
    pub fn remove(&mut self, txn: TxnId, path: &VfsPath) -> Result<Vec<VfsPath>, VfsError> {
        self.check_writer(txn)?;
        self.check_writable(path)?;
        self.check_free(txn, path)?;
        let is_folder = match self.find(path)? {
            Found::Nothing => return Err(self.not_found(path)),
            found => matches!(found, Found::Folder(_)),
        };
        let files = self.walk(path);
        if let Place::Scratch(scratch) = self.mounts.place(path) {
            remove_scratch(scratch, path, &files)?;
            return Ok(files);
        }
        self.all_or_nothing(txn, |vfs| {
            for file in &files {
                vfs.set(txn, file, None, vfs.target(txn, file, false))?;
            }
            if is_folder {
                vfs.set_folder_removed(txn, path);
            }
            Ok(())
        })?;
        Ok(files)
    }

    /// Moves a file, or a folder with all that is in it, to a name that is free. Answers each
    /// file's old and new path.
    pub fn rename(&mut self, txn: TxnId, from: &VfsPath, to: &VfsPath) -> Result<Vec<(VfsPath, VfsPath)>, VfsError> {
        self.check_writer(txn)?;
        for path in [from, to] {
            self.check_writable(path)?;
            self.check_free(txn, path)?;
        }
        if matches!(self.find(from)?, Found::Nothing) {
            return Err(self.not_found(from));
        }
        if from != to && to.starts_with(from) {
            return Err(VfsError::Path {
                text: to.to_string(),
                reason: format!("it lies in {from}, which is to move"),
            });
        }
        if !matches!(self.find(to)?, Found::Nothing) {
            return Err(VfsError::Exists { path: to.clone() });
        }
        let mut moves = Vec::new();
        let mut contents = Vec::new();
        for file in self.walk(from) {
            contents.push(self.read(&file)?);
            let target = match file.relative_to(from) {
                Some("") | None => to.clone(),
                Some(relative) => to.join(relative)?,
            };
            moves.push((file, target));
        }
        let from_scratch = matches!(self.mounts.place(from), Place::Scratch(_));
        self.all_or_nothing(txn, |vfs| {
            if !from_scratch {
                vfs.remove(txn, from)?;
            }
            for ((_, target), bytes) in moves.iter().zip(&contents) {
                vfs.write(txn, target, bytes, WriteOptions::default())?;
            }
            // Scratch cannot be rolled back: it goes when everything else has worked.
            if from_scratch { vfs.remove(txn, from).map(drop) } else { Ok(()) }
        })?;
        Ok(moves)
    }

    /// Records a change the caller has made to an entity, or is about to.
    pub fn record_entity(&mut self, txn: TxnId, change: EntityChange) -> Result<(), VfsError> {
        self.check_writer(txn)?;
        let key = change.key();
        let owner = self.owner_of(&key).or_else(|| self.checkpointing(&change.scene));
        if let Some(owner) = owner.filter(|owner| *owner != txn) {
            return Err(self.busy(key, owner));
        }
        self.transaction(txn)?.push_entity(change);
        Ok(())
    }

    /// Says that the file of `scene`, with this hash, will hold every entity change up to the
    /// end of this transaction, which should also write that file. Refused while another
    /// transaction has changes of the scene: the file holds them, and they may be rolled back.
    pub fn checkpoint_in(&mut self, txn: TxnId, scene: &str, file_hash: Hash) -> Result<(), VfsError> {
        self.check_writer(txn)?;
        for (other, transaction) in self.transactions.iter().filter(|(other, _)| **other != txn) {
            let of_scene = |key: &&Key| matches!(key, Key::Entity { scene: of, .. } if of == scene);
            if let Some(key) = transaction.entity_keys.iter().find(of_scene) {
                return Err(self.busy(key.clone(), *other));
            }
        }
        let checkpoint = Checkpoint { scene: scene.to_owned(), file: file_hash };
        self.transaction(txn)?.steps.push(Step::Checkpoint(checkpoint));
        Ok(())
    }

    /// The open transaction that has a checkpoint of `scene`: whatever is committed before it
    /// would count as held by its file.
    fn checkpointing(&self, scene: &str) -> Option<TxnId> {
        let is_of_scene = |step: &Step| matches!(step, Step::Checkpoint(checkpoint) if checkpoint.scene == scene);
        self.transactions.iter().find(|(_, txn)| txn.steps.iter().any(is_of_scene)).map(|(owner, _)| *owner)
    }

    pub(crate) fn transaction(&mut self, txn: TxnId) -> Result<&mut Transaction, VfsError> {
        self.transactions.get_mut(&txn).ok_or(VfsError::UnknownTransaction { txn })
    }

    fn target(&self, txn: TxnId, path: &VfsPath, durable: bool) -> Target {
        let mine = self.pending.get(path).is_some_and(|written| written.owner == txn);
        if self.shadow.is_some() && !durable && !mine { Target::Shadow } else { Target::Pending }
    }

    pub(crate) fn set(
        &mut self,
        txn: TxnId,
        path: &VfsPath,
        content: Option<Content>,
        target: Target,
    ) -> Result<(), VfsError> {
        match target {
            Target::Shadow => {
                let owner = self.transaction(txn)?.caller.clone();
                self.set_shadow(txn, path, Some(Written { content, owner }))?;
            }
            Target::Pending => {
                if !self.transaction(txn)?.before.contains_key(path) {
                    let before = self.hash_on_disk(path)?;
                    self.transaction(txn)?.before.insert(path.clone(), before);
                }
                self.set_shadow(txn, path, None)?;
                let previous = self.pending.set(path.clone(), Some(Written { content, owner: txn }));
                self.transaction(txn)?.push_pending(path, previous);
            }
        }
        self.announce(path, Some(txn));
        Ok(())
    }

    fn set_folder_removed(&mut self, txn: TxnId, path: &VfsPath) {
        let Some(transaction) = self.transactions.get_mut(&txn) else { return };
        match &mut self.shadow {
            Some(shadow) => {
                if shadow.remove_folder(path.clone(), transaction.caller.clone()) {
                    transaction.steps.push(Step::ShadowFolder(path.clone()));
                }
            }
            None => {
                if self.pending.remove_folder(path.clone(), txn) {
                    transaction.steps.push(Step::PendingFolder(path.clone()));
                }
            }
        }
    }
}

fn remove_scratch(scratch: &Folder, path: &VfsPath, files: &[VfsPath]) -> Result<(), VfsError> {
    for file in files {
        scratch.io.remove_file(&scratch.disk_path(file)).map_err(io_error("remove", file))?;
    }
    Placing::new(scratch).take_away_empty(path);
    Ok(())
}
