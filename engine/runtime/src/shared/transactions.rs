//! The end of what a context has written: made durable, or taken back.

use zero_base::Fault;
use zero_vfs::{RolledBack, TxnId};
use zero_world::{Change, World};

use super::{BEGINNING, Context, IntoDiagnostic, Mark, Shared};
use crate::reload;
use crate::state::OpenScene;

impl Shared {
    /// Makes what the context has written durable. A failure takes it back.
    pub(crate) fn commit(&self, id: u64) -> Result<(), Fault> {
        let txn = self.calls.borrow().context(id).and_then(|context| context.txn);
        let committed = match txn {
            Some(txn) => self.state.borrow_mut().vfs.commit(txn).map(Some),
            None => Ok(None),
        };
        match committed {
            Ok(receipt) => {
                let mut calls = self.calls.borrow_mut();
                if let Some(context) = calls.context_mut(id) {
                    context.txn = None;
                    context.played.clear();
                    context.scenes.clear();
                }
                if let Some(receipt) = receipt.filter(|receipt| !receipt.files.is_empty() || receipt.entities > 0) {
                    calls.note_transaction(id, receipt.id);
                }
                Ok(())
            }
            Err(error) => {
                self.roll_back(id);
                Err(error.into())
            }
        }
    }

    /// Takes back what the context has written since its transaction began; its call says so.
    pub(crate) fn roll_back(&self, id: u64) {
        if self.undo_to(id, BEGINNING) {
            let mut calls = self.calls.borrow_mut();
            let call = calls.context(id).map(|context| context.call);
            if let Some(call) = call.and_then(|call| calls.call_mut(call)) {
                call.rolled_back = true;
            }
        }
    }

    /// The point the current context has come to.
    pub(crate) fn mark(&self) -> Mark {
        let calls = self.calls.borrow();
        let Some(context) = self.current.get().and_then(|id| calls.context(id)) else { return BEGINNING };
        let txn = context.txn.map(|txn| (txn, self.state.borrow().vfs.savepoint(txn)));
        Mark { txn, played: context.played.len(), scenes: context.scenes.len() }
    }

    /// Takes back what the current context has written since the mark, or since its last commit
    /// where that came later.
    pub(crate) fn roll_back_to(&self, mark: Mark) {
        if let Some(id) = self.current.get() {
            self.undo_to(id, mark);
        }
    }

    /// Runs `work` so that a refusal leaves what it had written undone, and nothing else.
    pub(crate) fn atomically<R>(&self, work: impl FnOnce() -> Result<R, Fault>) -> Result<R, Fault> {
        let mark = self.mark();
        let result = work();
        if result.is_err() {
            self.roll_back_to(mark);
        }
        result
    }

    /// Whether there was anything to take back.
    fn undo_to(&self, id: u64, mark: Mark) -> bool {
        let (txn, savepoint, played) = {
            let mut calls = self.calls.borrow_mut();
            let Some(context) = calls.context_mut(id) else { return false };
            let savepoint = mark.txn.filter(|(txn, _)| context.txn == Some(*txn)).map(|(_, savepoint)| savepoint);
            let txn = if savepoint.is_some() { context.txn } else { context.txn.take() };
            if let Some(scene) = context.scenes.drain(mark.scenes.min(context.scenes.len())..).next() {
                self.state.borrow_mut().scene = scene;
            }
            (txn, savepoint, context.played.split_off(mark.played.min(context.played.len())))
        };
        if txn.is_none() && played.is_empty() {
            return false;
        }
        let undone = {
            let mut state = self.state.borrow_mut();
            let state = &mut *state;
            let mut undone = revert_played(&mut state.world, played);
            let rolled_back = match (txn, savepoint) {
                (Some(txn), Some(savepoint)) => state.vfs.roll_back_to(txn, savepoint),
                (Some(txn), None) => state.vfs.roll_back(txn),
                (None, _) => RolledBack::default(),
            };
            let of_scene = rolled_back.entities.iter().filter(|change| change.scene == state.scene.key());
            let newest_first: Vec<Change> = of_scene.filter_map(Change::from_journal).collect();
            let oldest_first: Vec<Change> = newest_first.iter().rev().cloned().collect();
            if let Err(error) = state.world.revert(&oldest_first) {
                tracing::error!(%error, "entities could not be put back as they were; this is a bug of the engine");
            }
            undone.extend(newest_first.iter().map(Change::reversed));
            undone
        };
        self.tell_undone(&undone);
        reload::settle(self);
        true
    }

    /// Scripts hear of what was taken back, and what they write about it is the engine's. What
    /// they hear of a roll-back inside that, they only hear.
    fn tell_undone(&self, undone: &[Change]) {
        if undone.is_empty() {
            return;
        }
        let inside = self.undoing.replace(true);
        let told = self.as_engine(|| {
            self.sync_components(undone);
            Ok(())
        });
        self.undoing.set(inside);
        if let Err(fault) = told {
            self.report(fault.into_diagnostic(), None);
        }
    }

    /// Refuses, with `txn/busy`, while another's work could be taken back that has changed
    /// entities of the open scene or saved it: that could not be done in another one.
    pub(crate) fn check_scene_free(&self) -> Result<(), Fault> {
        let calls = self.calls.borrow();
        let state = self.state.borrow();
        let current = self.current.get();
        let touches = |context: &Context| {
            let journaled = context.txn.is_some_and(|txn| state.vfs.holds_entities(txn));
            journaled || !context.played.is_empty() || !context.scenes.is_empty()
        };
        let mut others = calls.contexts().filter(|(id, _)| Some(*id) != current);
        let Some((_, holder)) = others.find(|(_, context)| touches(context)) else { return Ok(()) };
        let caller = &holder.caller.name;
        Err(Fault::new(
            "txn/busy",
            format!(
                "{caller} is half way through changing the open scene (task {}); try again when it is done, or cancel it",
                holder.call
            ),
        )
        .with_data(serde_json::json!({ "transaction": holder.txn, "caller": caller, "task": holder.call })))
    }

    /// Whether waiting for a transaction would wait for what waits for this context.
    pub(crate) fn would_deadlock(&self, context: u64, owner: TxnId) -> bool {
        let calls = self.calls.borrow();
        let Some(own) = calls.context(context).and_then(|context| context.txn) else { return false };
        let mut next = Some(owner);
        let mut left = calls.open_transactions().count();
        while let Some(txn) = next.filter(|_| left > 0) {
            if txn == own {
                return true;
            }
            left -= 1;
            let holder = calls.open_transactions().find(|(_, open)| *open == txn).map(|(id, _)| id);
            next = holder.and_then(|id| calls.context(id)).and_then(|context| context.waits_for);
        }
        false
    }

    /// What is open from now on, because the current context saved it; a roll-back opens what
    /// was open before.
    pub(crate) fn scene_saved(&self, scene: OpenScene) {
        let before = std::mem::replace(&mut self.state.borrow_mut().scene, scene);
        if let Some(id) = self.current.get()
            && let Some(context) = self.calls.borrow_mut().context_mut(id)
        {
            context.scenes.push(before);
        }
    }
}

/// Puts entities back as they were before the changes, as far as others have left them to be
/// put back; what was done to them, in that order.
fn revert_played(world: &mut World, played: Vec<Change>) -> Vec<Change> {
    if world.revert(&played).is_ok() {
        return played.iter().rev().map(Change::reversed).collect();
    }
    let newest_first = played.into_iter().rev();
    newest_first
        .filter(|change| world.revert(std::slice::from_ref(change)).is_ok())
        .map(|change| change.reversed())
        .collect()
}
