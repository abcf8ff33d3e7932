//! The engine thread's whole: state, machine, contexts; and the writes that tie them together.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Instant;

use zero_base::{Caller, Diagnostic, Fault, Hash, Severity};
use zero_script::{Due, Scheduler, Vm, WaitFor};
use zero_vfs::{EntityChange, RolledBack, TxnId, Vfs, VfsPath, WriteOptions, WriteReceipt};
use zero_world::{Change, Edit};

use crate::calls::{Calls, Work};
use crate::machine::Machine;
use crate::ops::LogLevel;
use crate::reload;
use crate::state::{LogLine, Mode, State};

/// One stretch of work on behalf of a caller: from where a coroutine was resumed to where it
/// returns or waits. Owns at most one transaction.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub call: u64,
    pub caller: Caller,
    pub txn: Option<TxnId>,
    /// Waits for another transaction's key: its own stays open meanwhile.
    pub queued: bool,
}

pub(crate) struct Shared {
    this: Weak<Shared>,
    pub state: RefCell<State>,
    pub calls: RefCell<Calls>,
    machine: RefCell<Option<Rc<Machine>>>,
    /// The edit machine, while play's own runs.
    parked: RefCell<Option<Rc<Machine>>>,
    current: Cell<Option<u64>>,
    started: Instant,
}

impl Shared {
    pub(crate) fn new(state: State) -> Rc<Shared> {
        Rc::new_cyclic(|this| Shared {
            this: this.clone(),
            state: RefCell::new(state),
            calls: RefCell::default(),
            machine: RefCell::default(),
            parked: RefCell::default(),
            current: Cell::new(None),
            started: Instant::now(),
        })
    }

    pub(crate) fn rc(&self) -> Rc<Shared> {
        self.this.upgrade().expect("a shared reference is only handed out while the engine lives")
    }

    // ---- machines -------------------------------------------------------------------------

    pub(crate) fn machine(&self) -> Rc<Machine> {
        Rc::clone(self.machine.borrow().as_ref().expect("a machine runs from start to end"))
    }

    pub(crate) fn vm(&self) -> Rc<Vm> {
        Rc::clone(&self.machine().vm)
    }

    pub(crate) fn set_machine(&self, machine: Rc<Machine>) {
        *self.machine.borrow_mut() = Some(machine);
    }

    pub(crate) fn has_machine(&self) -> bool {
        self.machine.borrow().is_some()
    }

    /// Puts the edit machine aside for play's.
    pub(crate) fn park_machine(&self) {
        *self.parked.borrow_mut() = self.machine.borrow_mut().take();
    }

    /// Drops play's machine and goes on with the edit machine.
    pub(crate) fn unpark_machine(&self) {
        if let Some(parked) = self.parked.borrow_mut().take() {
            *self.machine.borrow_mut() = Some(parked);
        }
    }

    pub(crate) fn drop_machines(&self) {
        self.machine.borrow_mut().take();
        self.parked.borrow_mut().take();
    }

    /// Seconds of the clock since the engine started.
    pub(crate) fn wall(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// The clock that tasks wait by: game time in play, the wall's otherwise.
    pub(crate) fn now(&self) -> f64 {
        let state = self.state.borrow();
        match state.mode {
            Mode::Play => state.time,
            Mode::Edit => self.wall(),
        }
    }

    pub(crate) fn scheduler(&self, work: impl FnOnce(&mut Scheduler)) {
        work(&mut self.machine().scheduler.borrow_mut());
    }

    pub(crate) fn sleep(&self, due: Due, secs: f64) {
        let wait_for = if secs > 0.0 { WaitFor::Until(self.now() + secs) } else { WaitFor::Frame };
        self.scheduler(|scheduler| scheduler.wait(due, wait_for));
    }

    // ---- contexts and transactions ----------------------------------------------------------

    /// Runs `work` as the context's: what it writes is the context's transaction.
    pub(crate) fn in_context<R>(&self, context: u64, work: impl FnOnce() -> R) -> R {
        let outer = self.current.replace(Some(context));
        let result = work();
        self.current.set(outer);
        result
    }

    /// Runs `work` on the engine's own behalf: in edit mode what it writes is one transaction.
    pub(crate) fn as_engine<R>(&self, work: impl FnOnce() -> Result<R, Fault>) -> Result<R, Fault> {
        self.on_behalf_of(Caller::engine(), work)
    }

    /// Runs `work` for a caller as one transaction: committed when it succeeds, undone when not.
    pub(crate) fn on_behalf_of<R>(&self, caller: Caller, work: impl FnOnce() -> Result<R, Fault>) -> Result<R, Fault> {
        let id = {
            let mut calls = self.calls.borrow_mut();
            let call = calls.next_group();
            calls.add_work(Work::immediate(Context { call, caller, txn: None, queued: false }))
        };
        let result = self.in_context(id, work);
        let result = match result {
            Ok(value) => self.commit(id).map(|()| value),
            Err(fault) => {
                self.roll_back(id);
                Err(fault)
            }
        };
        self.calls.borrow_mut().end_work(id);
        result
    }

    pub(crate) fn current_context(&self) -> Option<u64> {
        self.current.get()
    }

    /// The call on whose behalf something happens right now; 0 for the engine itself.
    pub(crate) fn current_call(&self) -> u64 {
        self.current.get().and_then(|id| self.calls.borrow().context(id).map(|context| context.call)).unwrap_or(0)
    }

    pub(crate) fn caller(&self) -> Caller {
        self.current
            .get()
            .and_then(|id| self.calls.borrow().context(id).map(|context| context.caller.clone()))
            .unwrap_or_else(Caller::engine)
    }

    /// The open transaction of the current context, begun by its first write.
    fn transaction(&self, state: &mut State) -> Result<TxnId, Fault> {
        let id = self.current.get().ok_or_else(|| {
            Fault::new("txn/no_context", "nothing may be written here: no call is running on anybody's behalf")
        })?;
        let mut calls = self.calls.borrow_mut();
        let context = calls.context_mut(id).expect("the current context exists while it runs");
        if context.caller.read_only {
            return Err(Fault::new(
                "call/read_only",
                "this caller may only read; ask the owner of the world for a token that writes",
            ));
        }
        if let Some(txn) = context.txn {
            return Ok(txn);
        }
        let txn = state.vfs.begin(&context.caller, context.call);
        context.txn = Some(txn);
        Ok(txn)
    }

    /// Makes what the context has written durable. A failure takes it back.
    pub(crate) fn commit(&self, context: u64) -> Result<(), Fault> {
        let txn = self.calls.borrow_mut().context_mut(context).and_then(|context| context.txn.take());
        let Some(txn) = txn else { return Ok(()) };
        let committed = self.state.borrow_mut().vfs.commit(txn);
        match committed {
            Ok(receipt) => {
                if !receipt.files.is_empty() || receipt.entities > 0 {
                    self.calls.borrow_mut().note_transaction(context, receipt.id);
                }
                Ok(())
            }
            Err(error) => {
                self.undo(txn);
                Err(error.into())
            }
        }
    }

    /// Takes back what the context has written since its transaction began.
    pub(crate) fn roll_back(&self, context: u64) -> bool {
        let txn = self.calls.borrow_mut().context_mut(context).and_then(|context| context.txn.take());
        match txn {
            Some(txn) => {
                self.undo(txn);
                true
            }
            None => false,
        }
    }

    /// Runs `work` so that a refusal leaves what it had written undone, and nothing else.
    pub(crate) fn atomically<R>(&self, work: impl FnOnce() -> Result<R, Fault>) -> Result<R, Fault> {
        let open = |shared: &Shared| {
            shared.current.get().and_then(|id| shared.calls.borrow().context(id).and_then(|context| context.txn))
        };
        let before = open(self).map(|txn| self.state.borrow().vfs.savepoint(txn));
        let result = work();
        if result.is_err()
            && let Some(txn) = open(self)
        {
            self.undo_with(|vfs| match before {
                Some(savepoint) => vfs.roll_back_to(txn, savepoint),
                None => vfs.roll_back(txn),
            });
            if before.is_none()
                && let Some(context) = self.current.get()
                && let Some(context) = self.calls.borrow_mut().context_mut(context)
            {
                context.txn = None;
            }
        }
        result
    }

    fn undo(&self, txn: TxnId) {
        self.undo_with(|vfs| vfs.roll_back(txn));
    }

    fn undo_with(&self, roll_back: impl FnOnce(&mut Vfs) -> RolledBack) {
        let changes: Vec<Change> = {
            let mut state = self.state.borrow_mut();
            let rolled_back = roll_back(&mut state.vfs);
            let mut changes: Vec<Change> =
                rolled_back.entities.into_iter().filter_map(|change| Change::from_journal(&change)).collect();
            changes.reverse();
            if let Err(error) = state.world.revert(&changes) {
                tracing::error!(%error, "entities could not be put back as they were; this is a bug of the engine");
            }
            changes
        };
        let undone: Vec<Change> = changes.iter().rev().map(Change::reversed).collect();
        self.sync_components(&undone);
        reload::settle(self);
    }

    // ---- files --------------------------------------------------------------------------------

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

    // ---- entities -----------------------------------------------------------------------------

    /// Applies one edit. In edit mode it is journaled; in play it is not authored.
    pub(crate) fn edit(&self, edit: Edit) -> Result<Vec<Change>, Fault> {
        let changes = {
            let mut state = self.state.borrow_mut();
            let state = &mut *state;
            if self.caller().read_only {
                return Err(Fault::new("call/read_only", "this caller may only read"));
            }
            let changes = state.world.apply(edit)?;
            if state.mode == Mode::Edit
                && let Err(fault) = self.journal(state, &changes)
            {
                state.world.revert(&changes)?;
                return Err(fault);
            }
            changes
        };
        self.sync_components(&changes);
        Ok(changes)
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
        for change in changes {
            if change.is_structural() || !self.is_scripted(&change.component) {
                continue;
            }
            if let Err(fault) = machine.tell(change, playing) {
                self.report(fault.into_diagnostic(), None);
            }
        }
    }

    pub(crate) fn is_scripted(&self, component: &str) -> bool {
        self.state.borrow().components.get(component).is_some_and(|info| info.scripted)
    }

    // ---- saying things --------------------------------------------------------------------------

    pub(crate) fn log(&self, level: LogLevel, source: impl Into<String>, text: impl Into<String>) {
        let call = self.current_call();
        let line = LogLine { level, source: source.into(), text: text.into() };
        self.calls.borrow_mut().log(call, &line);
        self.state.borrow_mut().log(line);
    }

    /// Keeps a diagnostic under the file that causes it and logs it.
    pub(crate) fn report(&self, diagnostic: Diagnostic, file: Option<&str>) {
        let level = match diagnostic.severity {
            Severity::Error => LogLevel::Error,
            Severity::Warning => LogLevel::Warn,
            Severity::Info => LogLevel::Info,
        };
        let source = file.map(str::to_owned).or_else(|| diagnostic.path.clone()).unwrap_or_default();
        self.log(level, source.clone(), diagnostic.to_string());
        if let Some(file) = file {
            let mut state = self.state.borrow_mut();
            let kept = state.problems.entry(file.to_owned()).or_default();
            if !kept.contains(&diagnostic) && kept.len() < 100 {
                kept.push(diagnostic);
            }
        }
    }
}

/// A fault as a diagnostic: the first it carries, or one made of its code and message.
pub(crate) trait IntoDiagnostic {
    fn into_diagnostic(self) -> Diagnostic;
}

impl IntoDiagnostic for Fault {
    fn into_diagnostic(mut self) -> Diagnostic {
        if self.diagnostics.is_empty() {
            return Diagnostic::error(self.code, self.message);
        }
        self.diagnostics.swap_remove(0)
    }
}
