//! The engine thread's whole: state, machine, and the contexts on whose behalf things happen.

mod machines;
mod report;
mod transactions;
mod writes;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

use zero_base::{Caller, Fault};
use zero_vfs::{Savepoint, TxnId};
use zero_world::Change;

pub(crate) use report::IntoDiagnostic;

use crate::calls::{Calls, Work};
use crate::machine::Machine;
use crate::state::{OpenScene, State};

/// One stretch of work on behalf of a caller: from where a coroutine was resumed to where it
/// returns or waits. Owns at most one transaction.
#[derive(Debug)]
pub(crate) struct Context {
    pub call: u64,
    pub caller: Caller,
    pub txn: Option<TxnId>,
    /// Waits for another's work to be over: its own transaction stays open meanwhile.
    pub queued: bool,
    /// The transaction it waits for, where that is one.
    pub waits_for: Option<TxnId>,
    /// What it has changed of entities during play, where nothing is journaled.
    played: Vec<Change>,
    /// What was open before each save it has made.
    scenes: Vec<OpenScene>,
}

impl Context {
    pub(crate) fn new(call: u64, caller: Caller) -> Context {
        Context { call, caller, txn: None, queued: false, waits_for: None, played: Vec::new(), scenes: Vec::new() }
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

    /// Takes back what was under way and will not end any more.
    pub(crate) fn abandon_immediate(&self) {
        self.current.set(None);
        self.undoing.set(false);
        let left = self.calls.borrow().immediate();
        for id in left.into_iter().filter(|id| self.editor.get().is_none_or(|(editor, _)| editor != *id)) {
            self.roll_back(id);
            self.calls.borrow_mut().end_work(id);
        }
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
}
