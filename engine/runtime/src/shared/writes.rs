//! What changes files and entities, on behalf of the current context.

use zero_base::{Diagnostic, Fault, Hash};
use zero_vfs::{EntityChange, VfsPath, WriteOptions, WriteReceipt};
use zero_world::{Change, Edit, EntityId};

use super::{IntoDiagnostic, Shared};
use crate::reload;
use crate::state::{Mode, State};

impl Shared {
    pub(crate) fn write_file(
        &self,
        path: &VfsPath,
        bytes: &[u8],
        options: WriteOptions,
    ) -> Result<(WriteReceipt, Vec<Diagnostic>), Fault> {
        let receipt = {
            let mut state = self.state.borrow_mut();
            let txn = self.transaction(&mut state)?;
            state.vfs.write(txn, path, bytes, options)?
        };
        Ok((receipt, reload::settle(self)))
    }

    pub(crate) fn remove_file(&self, path: &VfsPath) -> Result<(), Fault> {
        {
            let mut state = self.state.borrow_mut();
            let txn = self.transaction(&mut state)?;
            state.vfs.remove(txn, path)?;
        }
        reload::settle(self);
        Ok(())
    }

    pub(crate) fn rename_file(&self, from: &VfsPath, to: &VfsPath) -> Result<(), Fault> {
        {
            let mut state = self.state.borrow_mut();
            let txn = self.transaction(&mut state)?;
            state.vfs.rename(txn, from, to)?;
        }
        reload::settle(self);
        Ok(())
    }

    pub(crate) fn promote(&self, paths: Option<&[VfsPath]>) -> Result<Vec<VfsPath>, Fault> {
        let mut state = self.state.borrow_mut();
        let txn = self.transaction(&mut state)?;
        Ok(state.vfs.promote(txn, paths)?)
    }

    /// Ties a scene's checkpoint to the transaction that writes its file.
    pub(crate) fn checkpoint(&self, scene: &str, file_hash: Hash) -> Result<(), Fault> {
        let mut state = self.state.borrow_mut();
        let txn = self.transaction(&mut state)?;
        Ok(state.vfs.checkpoint_in(txn, scene, file_hash)?)
    }

    /// Applies one edit and answers the entity it is about first. In edit mode it is journaled;
    /// in play it is not authored, and kept for as long as the context may be taken back.
    pub(crate) fn edit(&self, edit: Edit) -> Result<Option<EntityId>, Fault> {
        let (changes, playing) = {
            let mut state = self.state.borrow_mut();
            let state = &mut *state;
            if self.caller().read_only {
                return Err(Fault::new("call/read_only", "this caller may only read"));
            }
            let changes = state.world.apply(edit)?;
            let playing = state.mode == Mode::Play;
            if !playing && let Err(fault) = self.journal(state, &changes) {
                state.world.revert(&changes)?;
                return Err(fault);
            }
            (changes, playing)
        };
        self.sync_components(&changes);
        let entity = changes.first().map(|change| change.entity);
        if playing
            && let Some(id) = self.current.get()
            && let Some(context) = self.calls.borrow_mut().context_mut(id)
        {
            context.played.extend(changes);
        }
        Ok(entity)
    }

    fn journal(&self, state: &mut State, changes: &[Change]) -> Result<(), Fault> {
        let txn = self.transaction(state)?;
        let scene = state.scene.key().to_owned();
        let before = state.vfs.savepoint(txn);
        for change in changes {
            let record: EntityChange = change.to_journal(&scene);
            if let Err(error) = state.vfs.record_entity(txn, record) {
                state.vfs.roll_back_to(txn, before);
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Tells script instances what has just changed in the world.
    pub(crate) fn sync_components(&self, changes: &[Change]) {
        if !self.has_machine() {
            return;
        }
        let machine = self.machine();
        let playing = self.state.borrow().mode == Mode::Play;
        // Inside a roll-back of what scripts wrote about a roll-back.
        let quiet = self.undoing.get() && self.current.get().is_none();
        for change in changes {
            if change.is_structural() || !self.is_scripted(&change.component) {
                continue;
            }
            if let Err(fault) = machine.tell(change, playing, quiet) {
                self.report(fault.into_diagnostic(), None);
            }
        }
    }

    pub(crate) fn is_scripted(&self, component: &str) -> bool {
        self.state.borrow().components.get(component).is_some_and(|info| info.scripted)
    }
}
