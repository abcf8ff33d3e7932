use crate::edit::Target;
use crate::overlay::{Overlay, Written};
use crate::transaction::Step;
use crate::{TxnId, Vfs, VfsError, VfsPath};

impl Vfs {
    /// From now on writes below `/zero/source` go to the play shadow, unless they are durable.
    /// A shadow that is already there stays as it is.
    pub fn begin_shadow(&mut self) {
        self.shadow.get_or_insert_with(Overlay::new);
    }

    /// Drops the shadow. Answers the files that show something else now.
    pub fn end_shadow(&mut self) -> Vec<VfsPath> {
        let Some(shadow) = self.shadow.take() else { return Vec::new() };
        let is_of_shadow = |step: &&mut Step| {
            matches!(step, Step::Shadow { .. } | Step::ShadowFolder(_) | Step::PromotedFolder { .. })
        };
        let steps = self.transactions.values_mut().flat_map(|transaction| &mut transaction.steps);
        steps.filter(is_of_shadow).for_each(|step| *step = Step::Settled);
        let mut files: Vec<VfsPath> = shadow.files().map(|(path, _)| path.clone()).collect();
        files.extend(shadow.removed_folders().flat_map(|folder| self.walk(folder)));
        files.sort();
        files.dedup();
        files.iter().for_each(|path| self.announce(path, None));
        files
    }

    pub fn shadowing(&self) -> bool {
        self.shadow.is_some()
    }

    /// Makes shadow writes authored ones, as part of the transaction: those at or below `paths`,
    /// or all of them. Answers the files.
    pub fn promote(&mut self, txn: TxnId, paths: Option<&[VfsPath]>) -> Result<Vec<VfsPath>, VfsError> {
        self.check_writer(txn)?;
        let Some(shadow) = &self.shadow else {
            return match paths.and_then(<[VfsPath]>::first) {
                Some(path) => Err(VfsError::NotShadowed { path: path.clone() }),
                None => Ok(Vec::new()),
            };
        };
        let chosen = |path: &VfsPath| paths.is_none_or(|paths| paths.iter().any(|chosen| path.starts_with(chosen)));
        let files: Vec<VfsPath> = shadow.files().map(|(path, _)| path.clone()).filter(chosen).collect();
        let folders: Vec<VfsPath> = shadow.removed_folders().filter(|path| chosen(path)).cloned().collect();
        let named = |path: &&VfsPath| !files.iter().chain(&folders).any(|file| file.starts_with(path));
        if let Some(path) = paths.unwrap_or_default().iter().find(named) {
            return Err(VfsError::NotShadowed { path: path.clone() });
        }
        self.all_or_nothing(txn, |vfs| {
            for path in files.iter().chain(&folders) {
                vfs.check_uncommitted(txn, path)?;
            }
            for path in &files {
                vfs.promote_file(txn, path)?;
            }
            folders.iter().for_each(|path| vfs.promote_removed_folder(txn, path));
            Ok(())
        })?;
        Ok(files)
    }

    /// Puts something into the shadow, or takes it out, so that it can be taken back.
    pub(crate) fn set_shadow(
        &mut self,
        txn: TxnId,
        path: &VfsPath,
        written: Option<Written<String>>,
    ) -> Result<(), VfsError> {
        let Some(shadow) = &mut self.shadow else { return Ok(()) };
        let sets = written.is_some();
        let previous = shadow.set(path.clone(), written);
        if sets || previous.is_some() {
            self.transaction(txn)?.steps.push(Step::Shadow { path: path.clone(), previous });
        }
        Ok(())
    }

    fn promote_file(&mut self, txn: TxnId, path: &VfsPath) -> Result<(), VfsError> {
        let written = self.shadow.as_ref().and_then(|shadow| shadow.get(path));
        let content = written.ok_or_else(|| VfsError::NotShadowed { path: path.clone() })?.content.clone();
        self.set(txn, path, content, Target::Pending)
    }

    fn promote_removed_folder(&mut self, txn: TxnId, path: &VfsPath) {
        let (Some(shadow), Some(transaction)) = (&mut self.shadow, self.transactions.get_mut(&txn)) else { return };
        if let Some(owner) = shadow.restore_folder(path) {
            transaction.steps.push(Step::PromotedFolder { path: path.clone(), owner });
        }
        if self.pending.remove_folder(path.clone(), txn) {
            transaction.steps.push(Step::PendingFolder(path.clone()));
        }
    }
}
