//! Calls: who waits for what, what they have logged, and how their answer is made.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use zero_base::{Caller, Diagnostic, Fault};
use zero_script::mlua::{Function, MultiValue};
use zero_vfs::TxnId;

use crate::ops::{Answer, BatchMode, LogLevel, Outcome};
use crate::shared::Context;
use crate::state::LogLine;

/// A call that has not returned by then answers with a task id.
pub(crate) const PROMOTE_AFTER: Duration = Duration::from_secs(10);
/// How long what has no deadline of its own waits for another's transaction.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// The longest `wait` blocks.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// Finished tasks whose results are kept.
const RESULTS_KEPT: usize = 256;
/// Log lines one call keeps.
const LOG_LINES_PER_CALL: usize = 500;

/// What a call runs, and with it how its answer is put together.
#[derive(Debug)]
pub(crate) enum Kind {
    Execute {
        diagnostics: Vec<Diagnostic>,
    },
    Tools(ToolRuns),
    /// Frames of play that are still to be run, whatever the clock says.
    Steps {
        left: u32,
    },
}

#[derive(Debug)]
pub(crate) struct ToolRuns {
    pub single: bool,
    pub mode: BatchMode,
    pub pending: VecDeque<PreparedTool>,
    pub total: usize,
    pub results: BTreeMap<usize, Json>,
    pub running: usize,
}

#[derive(Debug)]
pub(crate) struct PreparedTool {
    pub slot: usize,
    pub name: String,
    pub toolbox: String,
    pub tool: String,
    pub args: Json,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub caller: Caller,
    pub started: Instant,
    pub reply: Option<Sender<Outcome>>,
    pub kind: Kind,
    pub level: LogLevel,
    pub logs: Vec<LogLine>,
    /// Lines beyond those that are kept.
    pub logs_left_out: usize,
    pub transactions: Vec<u64>,
    /// Undone because it failed.
    pub rolled_back: bool,
    promoted: bool,
}

impl Call {
    /// Frames are played to their end, and whoever asked for them waits.
    fn may_be_promoted(&self) -> bool {
        !matches!(self.kind, Kind::Steps { .. })
    }
}

/// One coroutine's work for a call.
#[derive(Debug)]
pub(crate) struct Work {
    pub context: Context,
    /// Which machine it runs in.
    pub epoch: u64,
    pub thread: usize,
    /// The slot of the call's result it makes; none for a task the call started.
    pub slot: Option<usize>,
    /// The slot of the work that started this one, or that started what did.
    pub started_by: Option<usize>,
    pub name: String,
    pub started: Instant,
    /// Has asked to be resumed later.
    pub parked: bool,
    /// What it runs, for as long as it may be begun anew.
    pub again: Option<(Function, MultiValue)>,
}

/// Work of a call that met another's transaction where it could not wait, and was taken back:
/// it is begun anew when that is over.
#[derive(Debug)]
pub(crate) struct Retry {
    pub call: u64,
    pub slot: usize,
    pub name: String,
    pub run: (Function, MultiValue),
    pub epoch: u64,
    pub waits_for: TxnId,
}

impl Work {
    /// Work that is over before the loop turns again.
    pub(crate) fn immediate(context: Context) -> Work {
        Work {
            context,
            epoch: 0,
            thread: 0,
            slot: None,
            started_by: None,
            name: String::new(),
            started: Instant::now(),
            parked: false,
            again: None,
        }
    }
}

struct Waiter {
    call: u64,
    level: LogLevel,
    until: Instant,
    reply: Sender<Outcome>,
}

/// A result that nobody has taken yet, or that was promised to a task's owner.
struct Finished {
    call: u64,
    outcome: Outcome,
    logs: Vec<LogLine>,
}

impl Finished {
    /// The answer with the log lines that whoever waits wants to see.
    fn with_logs(&self, level: LogLevel) -> Outcome {
        let mut outcome = self.outcome.clone();
        if let Ok(answer) = &mut outcome {
            put_logs(&mut answer.value, &self.logs, level);
        }
        outcome
    }
}

/// Sets `logs` to the lines at or above a level; leaves it out when there are none.
pub(crate) fn put_logs(value: &mut Json, logs: &[LogLine], level: LogLevel) {
    let shown: Vec<Json> = logs.iter().filter(|line| line.level <= level).map(LogLine::to_json).collect();
    match value.as_object_mut() {
        Some(fields) if shown.is_empty() => drop(fields.remove("logs")),
        Some(fields) => drop(fields.insert("logs".to_owned(), Json::Array(shown))),
        None => {}
    }
}

#[derive(Default)]
pub(crate) struct Calls {
    last: u64,
    calls: BTreeMap<u64, Call>,
    works: BTreeMap<u64, Work>,
    finished: VecDeque<Finished>,
    waiters: Vec<Waiter>,
    retries: Vec<Retry>,
}

impl Calls {
    pub(crate) fn begin(&mut self, caller: Caller, kind: Kind, level: LogLevel, reply: Option<Sender<Outcome>>) -> u64 {
        self.last += 1;
        let call = Call {
            caller,
            started: Instant::now(),
            reply,
            kind,
            level,
            logs: Vec::new(),
            logs_left_out: 0,
            transactions: Vec::new(),
            rolled_back: false,
            promoted: false,
        };
        self.calls.insert(self.last, call);
        self.last
    }

    /// A history group of its own for something that is over within one step.
    pub(crate) fn next_group(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(crate) fn call(&self, id: u64) -> Option<&Call> {
        self.calls.get(&id)
    }

    pub(crate) fn call_mut(&mut self, id: u64) -> Option<&mut Call> {
        self.calls.get_mut(&id)
    }

    pub(crate) fn add_work(&mut self, work: Work) -> u64 {
        self.last += 1;
        self.works.insert(self.last, work);
        self.last
    }

    pub(crate) fn work(&self, id: u64) -> Option<&Work> {
        self.works.get(&id)
    }

    pub(crate) fn work_mut(&mut self, id: u64) -> Option<&mut Work> {
        self.works.get_mut(&id)
    }

    pub(crate) fn end_work(&mut self, id: u64) -> Option<Work> {
        self.works.remove(&id)
    }

    pub(crate) fn works_of_call(&self, call: u64) -> Vec<u64> {
        self.works.iter().filter(|(_, work)| work.context.call == call).map(|(id, _)| *id).collect()
    }

    /// The work of a coroutine, its call, and whether the call is answered when it ends.
    pub(crate) fn work_of_thread(&self, epoch: u64, thread: usize) -> Option<(u64, u64, bool)> {
        let (id, work) = self.works.iter().find(|(_, work)| work.epoch == epoch && work.thread == thread)?;
        Some((*id, work.context.call, work.slot.is_some()))
    }

    /// Calls that run, and those that have left tasks behind. The world's own tasks are nobody's.
    pub(crate) fn running(&self) -> BTreeSet<u64> {
        let tasks = self.works.values().filter(|work| work.epoch > 0).map(|work| work.context.call);
        self.calls.keys().copied().chain(tasks).filter(|call| *call != 0).collect()
    }

    pub(crate) fn retry(&mut self, retry: Retry) {
        self.retries.push(retry);
    }

    /// Those whose wait is over, of calls that still run.
    pub(crate) fn due_retries(&mut self) -> Vec<Retry> {
        let open: BTreeSet<TxnId> = self.open_transactions().map(|(_, txn)| txn).collect();
        let calls = &self.calls;
        self.retries.retain(|retry| calls.contains_key(&retry.call));
        self.retries.extract_if(.., |retry| !open.contains(&retry.waits_for)).collect()
    }

    /// Works of the engine's own, which are over before the loop turns again.
    pub(crate) fn immediate(&self) -> Vec<u64> {
        self.works.iter().filter(|(_, work)| work.epoch == 0).map(|(id, _)| *id).collect()
    }

    pub(crate) fn works_of_epoch(&self, epoch: u64) -> Vec<u64> {
        self.works.iter().filter(|(_, work)| work.epoch == epoch).map(|(id, _)| *id).collect()
    }

    pub(crate) fn context(&self, id: u64) -> Option<&Context> {
        self.works.get(&id).map(|work| &work.context)
    }

    pub(crate) fn context_mut(&mut self, id: u64) -> Option<&mut Context> {
        self.works.get_mut(&id).map(|work| &mut work.context)
    }

    /// What runs or waits on somebody's behalf.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = (u64, &Context)> {
        self.works.iter().map(|(id, work)| (*id, &work.context))
    }

    /// The contexts that have a transaction open.
    pub(crate) fn open_transactions(&self) -> impl Iterator<Item = (u64, TxnId)> {
        self.contexts().filter_map(|(id, context)| Some((id, context.txn?)))
    }

    pub(crate) fn note_transaction(&mut self, context: u64, txn: u64) {
        if let Some(call) = self.works.get(&context).map(|work| work.context.call)
            && let Some(call) = self.calls.get_mut(&call)
        {
            call.transactions.push(txn);
        }
    }

    /// What no call says is said to the one that asked for the frame that runs.
    pub(crate) fn log(&mut self, call: u64, line: &LogLine) {
        let call = if self.calls.contains_key(&call) { Some(call) } else { self.stepping() };
        if let Some(call) = call.and_then(|call| self.calls.get_mut(&call)) {
            if call.logs.len() < LOG_LINES_PER_CALL {
                call.logs.push(line.clone());
            } else {
                call.logs_left_out += 1;
            }
        }
    }

    /// Ends a call with its answer: to whoever waits, and kept for a promoted one.
    pub(crate) fn finish(&mut self, id: u64, outcome: Outcome) {
        let Some(mut call) = self.calls.remove(&id) else { return };
        let mut delivered = false;
        if let Some(reply) = call.reply.take() {
            // A caller that is gone loses nothing: what was written is in the history.
            delivered = reply.send(outcome.clone()).is_ok();
        }
        let finished = Finished { call: id, outcome, logs: call.logs };
        for waiter in self.waiters.extract_if(.., |waiter| waiter.call == id) {
            delivered |= waiter.reply.send(finished.with_logs(waiter.level)).is_ok();
        }
        if call.promoted || !delivered {
            if self.finished.len() == RESULTS_KEPT {
                self.finished.pop_front();
            }
            self.finished.push_back(finished);
        }
    }

    /// Answers calls that have run too long with their task id.
    pub(crate) fn promote(&mut self, now: Instant, state: &Json) {
        for (id, call) in &mut self.calls {
            if call.may_be_promoted()
                && now.duration_since(call.started) >= PROMOTE_AFTER
                && let Some(reply) = call.reply.take()
            {
                call.promoted = true;
                let _ = reply.send(Ok(running(*id, state)));
            }
        }
        for waiter in self.waiters.extract_if(.., |waiter| waiter.until <= now) {
            let _ = waiter.reply.send(Ok(running(waiter.call, state)));
        }
    }

    pub(crate) fn wait(&mut self, call: u64, timeout: Duration, level: LogLevel, reply: Sender<Outcome>) {
        if let Some(finished) = self.finished.iter().find(|finished| finished.call == call) {
            let _ = reply.send(finished.with_logs(level));
        } else if self.calls.contains_key(&call) {
            self.waiters.push(Waiter { call, level, until: Instant::now() + timeout.min(LONGEST_WAIT), reply });
        } else {
            let known: Vec<u64> = self.calls.keys().copied().collect();
            let _ = reply.send(Err(Fault::new(
                "task/unknown",
                format!("no task {call} runs or has a result kept; running: {known:?}"),
            )));
        }
    }

    /// Calls whose caller has given up.
    pub(crate) fn gone(&self, now: Instant) -> Vec<u64> {
        self.calls.iter().filter(|(_, call)| call.caller.is_gone(now)).map(|(id, _)| *id).collect()
    }

    /// When the loop must look again for promotions, waits and deadlines.
    pub(crate) fn next_moment(&self) -> Option<Instant> {
        let calls = self.calls.values().flat_map(|call| {
            let promotion = (call.may_be_promoted() && call.reply.is_some()).then(|| call.started + PROMOTE_AFTER);
            promotion.into_iter().chain(call.caller.deadline)
        });
        calls.chain(self.waiters.iter().map(|waiter| waiter.until)).min()
    }

    /// The first call that has frames to run.
    pub(crate) fn stepping(&self) -> Option<u64> {
        self.calls.iter().find(|(_, call)| matches!(call.kind, Kind::Steps { .. })).map(|(id, _)| *id)
    }

    pub(crate) fn ids(&self) -> Vec<u64> {
        self.calls.keys().copied().collect()
    }
}

fn running(id: u64, state: &Json) -> Answer {
    Answer {
        value: json!({
            "status": "running",
            "taskId": id,
            "hint": format!("still working: call wait with taskId {id} to get the result"),
            "state": state,
        }),
        ..Answer::default()
    }
}
