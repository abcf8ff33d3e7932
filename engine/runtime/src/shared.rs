//! The engine thread's whole: state, machine, contexts; and the writes that tie them together.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

use zero_base::{Caller, Diagnostic, Fault, Hash, Severity};
use zero_script::{Due, Scheduler, Vm, WaitFor};
use zero_vfs::{EntityChange, RolledBack, Savepoint, TxnId, VfsPath, WriteOptions, WriteReceipt};
use zero_world::{Change, Edit, EntityId, World};

use crate::calls::{Calls, Work};
use crate::machine::Machine;
use crate::ops::LogLevel;
use crate::reload;
use crate::state::{LogLine, Mode, OpenScene, State};

/// One stretch of work on behalf of a caller: from where a coroutine was resumed to where it
/// returns or waits. Owns at most one transaction.
#[derive(Debug)]
pub(crate) struct Context {
    pub call: u64,
    pub caller: Caller,
    pub txn: Option<TxnId>,
    /// The transaction whose key it waits for: its own stays open meanwhile.
    pub waits_for: Option<TxnId>,
    /// What it has changed of entities during play, where nothing is journaled.
    played: Vec<Change>,
    /// What was open before each save it has made.
    scenes: Vec<OpenScene>,
}

impl Context {
    pub(crate) fn new(call: u64, caller: Caller) -> Context {
        Context { call, caller, txn: None, waits_for: None, played: Vec::new(), scenes: Vec::new() }
    }
}

/// A point of a context's work to come back to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    txn: Option<(TxnId, Savepoint)>,
    played: usize,
    scenes: usize,
}

/// Where a context's work begins: after its last commit.
const BEGINNING: Mark = Mark { txn: None, played: 0, scenes: 0 };

pub(crate) struct Shared {
    this: Weak<Shared>,
    pub state: RefCell<State>,
    pub calls: RefCell<Calls>,
    machine: RefCell<Option<Rc<Machine>>>,
    /// The edit machine, while play's own runs.
    parked: RefCell<Option<Rc<Machine>>>,
    current: Cell<Option<u64>>,
    /// The context of editor updates, and since when it is open.
    editor: Cell<Option<(u64, Instant)>>,
    /// Scripts are being told of something taken back.
    undoing: Cell<bool>,
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
            editor: Cell::new(None),
            undoing: Cell::new(false),
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

    /// Runs `work` on behalf of what editor updates change frame by frame: one transaction for
    /// many of them, until [`Shared::settle_editor`].
    pub(crate) fn as_editor(&self, work: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
        let (id, _) = self.editor.get().unwrap_or_else(|| {
            let mut calls = self.calls.borrow_mut();
            let call = calls.next_group();
            (calls.add_work(Work::immediate(Context::new(call, Caller::engine()))), Instant::now())
        });
        let since = self.editor.get().map_or_else(Instant::now, |(_, since)| since);
        self.editor.set(Some((id, since)));
        let result = self.in_context(id, work);
        if result.is_err() {
            self.roll_back(id);
        }
        result
    }

    /// Makes what editor updates have changed durable, if they have changed anything for `age`.
    pub(crate) fn settle_editor(&self, age: Duration) {
        let Some((id, _)) = self.editor.get().filter(|(_, since)| since.elapsed() >= age) else { return };
        self.editor.set(None);
        if let Err(fault) = self.commit(id) {
            self.report(fault.into_diagnostic(), None);
        }
        self.calls.borrow_mut().end_work(id);
    }

    /// Runs `work` for a caller as one transaction: committed when it succeeds, undone when not.
    pub(crate) fn on_behalf_of<R>(&self, caller: Caller, work: impl FnOnce() -> Result<R, Fault>) -> Result<R, Fault> {
        let id = {
            let mut calls = self.calls.borrow_mut();
            let call = calls.next_group();
            calls.add_work(Work::immediate(Context::new(call, caller)))
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

    /// Refuses, with `txn/busy`, while another's transaction has changed entities of the open
    /// scene: they could not be taken back in another one.
    pub(crate) fn check_scene_free(&self) -> Result<(), Fault> {
        let calls = self.calls.borrow();
        let state = self.state.borrow();
        let current = self.current.get();
        let holder = calls.open_transactions().find(|(id, txn)| Some(*id) != current && state.vfs.holds_entities(*txn));
        let Some((id, txn)) = holder else { return Ok(()) };
        let caller = calls.context(id).map_or_else(String::new, |context| context.caller.name.clone());
        Err(Fault::new(
            "txn/busy",
            format!("{caller} is half way through changing the open scene; try again when it is done, or cancel it"),
        )
        .with_data(serde_json::json!({ "transaction": txn, "caller": caller })))
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

    // ---- saying things --------------------------------------------------------------------------

    pub(crate) fn log(&self, level: LogLevel, source: impl Into<String>, text: impl Into<String>) {
        let call = self.current_call();
        let line = LogLine::new(level, source.into(), text.into());
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
        if file.is_none() && level == LogLevel::Error {
            let line = LogLine::new(level, String::new(), diagnostic.to_string());
            self.state.borrow_mut().note_error(line.text);
        }
        if let Some(file) = file {
            let mut state = self.state.borrow_mut();
            let kept = state.problems.entry(file.to_owned()).or_default();
            if !kept.contains(&diagnostic) && kept.len() < 100 {
                kept.push(diagnostic);
            }
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
