//! The end of a call's work: its transaction, its result, its answer.

use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use zero_base::Fault;
use zero_script::mlua::{MultiValue, Value};
use zero_script::to_json;
use zero_vfs::{TxnId, VfsPath};

use crate::calls::{Call, Kind, PATIENCE, Retry, Work, put_logs};
use crate::ops::{Answer, BatchMode, LogLevel, Outcome};
use crate::shared::Shared;
use crate::state::LogLine;
use crate::tasks;
use crate::tools;

/// The first value a coroutine returned, as JSON.
pub(crate) fn result_of(values: MultiValue) -> Result<Json, Fault> {
    to_json(values.front().unwrap_or(&Value::Nil))
}

/// A coroutine has returned or failed.
pub(crate) fn ended(shared: &Rc<Shared>, id: u64, result: Result<Json, Fault>) {
    let slot = shared.calls.borrow().work(id).and_then(|work| work.slot);
    let result = result.map_err(|fault| with_paths(shared, fault));
    let refused = matches!((&result, slot), (Ok(value), Some(_)) if tools::is_failure(shared, id, value));
    let result = match result {
        Ok(value) if !refused => shared.commit(id).map(|()| value),
        failed => {
            shared.roll_back(id);
            failed
        }
    };
    if (refused || result.is_err()) && slot.is_some() {
        end_tasks(shared, id);
    }
    let Some(mut work) = shared.calls.borrow_mut().end_work(id) else { return };
    if let Err(fault) = &result
        && begin_anew(shared, &mut work, fault)
    {
        return;
    }
    let Some(slot) = work.slot else {
        if let Err(fault) = result {
            let line = LogLine::new(LogLevel::Error, work.name, fault.to_string());
            shared.calls.borrow_mut().log(work.context.call, &line);
            shared.state.borrow_mut().log(line);
        }
        return;
    };
    deliver(shared, work.context.call, slot, &work.name, work.started.elapsed(), result);
}

/// A call that met another's transaction in an assignment, where nothing can wait, is undone
/// by now and has not waited before: as if it had never run. It runs again when the other's is
/// over, within the same patience as other writes.
fn begin_anew(shared: &Shared, work: &mut Work, fault: &Fault) -> bool {
    let owner = fault.data.as_ref().and_then(|data| data["transaction"].as_u64());
    let mut calls = shared.calls.borrow_mut();
    let call = calls.call_mut(work.context.call);
    let (Some(waits_for), Some(slot), Some(call)) = (owner, work.slot, call) else { return false };
    let patient = call.caller.deadline.map_or(call.started.elapsed() < PATIENCE, |deadline| Instant::now() < deadline);
    if fault.code != "txn/busy" || !call.transactions.is_empty() || !patient {
        return false;
    }
    let Some(run) = work.again.take() else { return false };
    call.rolled_back = false;
    call.logs.clear();
    let name = std::mem::take(&mut work.name);
    calls.retry(Retry { call: work.context.call, slot, name, run, epoch: work.epoch, waits_for: TxnId(waits_for) });
    true
}

/// Starts again what has waited for another's transaction to be over.
pub(crate) fn retry(shared: &Rc<Shared>) {
    let due = shared.calls.borrow_mut().due_retries();
    for retry in due {
        let started = if retry.epoch == shared.machine().epoch {
            tasks::start(shared, retry.call, Some(retry.slot), &retry.name, retry.run)
        } else {
            Err(Fault::new("call/mode_changed", "the mode changed while the call waited for another's transaction"))
        };
        if let Err(fault) = started {
            end_call(shared, retry.call, fault);
        }
    }
}

/// Diagnostics name a script as traces do; whoever mends it needs the file's path.
fn with_paths(shared: &Shared, mut fault: Fault) -> Fault {
    let vm = shared.vm();
    for diagnostic in &mut fault.diagnostics {
        let path = diagnostic.path.as_deref().and_then(|name| vm.path_of(name));
        let file = path.filter(|path| {
            let path = VfsPath::parse(path).ok();
            path.is_some_and(|path| shared.state.borrow().vfs.stat(&path).is_some())
        });
        if file.is_some() {
            diagnostic.path = file;
        }
    }
    fault
}

/// Of a call that failed, what it has started ends too.
fn end_tasks(shared: &Rc<Shared>, failed: u64) {
    let tasks = {
        let calls = shared.calls.borrow();
        let Some(work) = calls.work(failed) else { return };
        let (call, slot) = (work.context.call, work.slot);
        let started = |id: &u64| calls.work(*id).is_some_and(|work| work.slot.is_none() && work.started_by == slot);
        calls.works_of_call(call).into_iter().filter(started).collect::<Vec<_>>()
    };
    tasks.into_iter().for_each(|id| end_work(shared, id));
}

pub(crate) fn end_work(shared: &Shared, id: u64) {
    shared.scheduler(|scheduler| scheduler.cancel_context(id));
    shared.roll_back(id);
    shared.calls.borrow_mut().end_work(id);
}

fn deliver(shared: &Rc<Shared>, id: u64, slot: usize, name: &str, took: Duration, result: Result<Json, Fault>) {
    let next = {
        let mut calls = shared.calls.borrow_mut();
        let Some(call) = calls.call_mut(id) else { return };
        match &mut call.kind {
            Kind::Execute { .. } | Kind::Steps { .. } => None,
            Kind::Tools(runs) => {
                let record = tools::record(name, took, result.clone());
                let failed = record["ok"] == json!(false);
                runs.results.insert(slot, record);
                runs.running -= 1;
                if failed && runs.mode == BatchMode::Sequential {
                    runs.pending.clear();
                }
                match runs.pending.pop_front() {
                    Some(next) => {
                        runs.running += 1;
                        Some(next)
                    }
                    None if runs.running > 0 => return,
                    None => None,
                }
            }
        }
    };
    match next {
        Some(next) => tools::start(shared, id, next),
        None => answer(shared, id, result),
    }
}

pub(crate) fn answer(shared: &Rc<Shared>, id: u64, result: Result<Json, Fault>) {
    let summary = shared.state.borrow().summary();
    let mut calls = shared.calls.borrow_mut();
    let tasks = calls.works_of_call(id).len();
    let Some(call) = calls.call(id) else { return };
    let mut outcome = match &call.kind {
        Kind::Execute { .. } => execute_answer(call, summary, result),
        Kind::Tools(_) => tools_answer(call, summary),
        Kind::Steps { .. } => result.map(|mut value| {
            put_call_logs(&mut value, call);
            Answer { value, ..Answer::default() }
        }),
    };
    if let Ok(answer) = &mut outcome
        && tasks > 0
    {
        answer.value["tasks"] = json!({ "running": tasks, "taskId": id });
    }
    calls.finish(id, outcome);
}

fn execute_answer(call: &Call, summary: Json, result: Result<Json, Fault>) -> Outcome {
    let mut value = json!({});
    let mut failed = false;
    let Kind::Execute { diagnostics } = &call.kind else { return Ok(Answer::default()) };
    let mut diagnostics = diagnostics.clone();
    match result {
        Ok(result) => value["result"] = result,
        Err(fault) => {
            failed = true;
            value["error"] = error_json(&fault);
            diagnostics.extend(fault.diagnostics);
        }
    }
    finish_value(&mut value, call, summary);
    if !diagnostics.is_empty() {
        value["diagnostics"] = json!(diagnostics);
    }
    Ok(Answer { value, failed, ..Answer::default() })
}

fn tools_answer(call: &Call, summary: Json) -> Outcome {
    let Kind::Tools(runs) = &call.kind else { return Ok(Answer::default()) };
    if runs.single {
        let mut value = runs.results.get(&0).cloned().unwrap_or_else(|| json!({ "ok": false }));
        let failed = value["ok"] == json!(false);
        finish_value(&mut value, call, summary);
        return Ok(Answer { value, failed, ..Answer::default() });
    }
    let results: Vec<&Json> = runs.results.values().collect();
    let ok = results.len() == runs.total && results.iter().all(|result| result["ok"] == json!(true));
    let mut value = json!({
        "batch": true,
        "mode": runs.mode,
        "ok": ok,
        "ran": results.len(),
        "total": runs.total,
        "results": results,
    });
    finish_value(&mut value, call, summary);
    Ok(Answer { value, failed: !ok, ..Answer::default() })
}

fn put_call_logs(value: &mut Json, call: &Call) {
    put_logs(value, &call.logs, call.level);
    if call.logs_left_out > 0 {
        value["logsLeftOut"] = json!(call.logs_left_out);
    }
}

fn finish_value(value: &mut Json, call: &Call, summary: Json) {
    put_call_logs(value, call);
    if !call.transactions.is_empty() {
        value["transactions"] = json!(call.transactions);
    }
    if call.rolled_back {
        value["rolledBack"] = json!(true);
    }
    value["state"] = summary;
}

pub(crate) fn error_json(fault: &Fault) -> Json {
    let mut error = json!({ "code": fault.code, "message": fault.message });
    if let Some(data) = &fault.data {
        error["data"] = data.clone();
    }
    error
}

/// Ends a call whose caller has given up: its coroutines stop, what is not committed is undone.
pub(crate) fn abandon(shared: &Rc<Shared>, call: u64) {
    let cancelled = shared.calls.borrow().call(call).is_some_and(|call| call.caller.cancel.is_cancelled());
    let fault = if cancelled {
        Fault::new("call/cancelled", "the call was cancelled; what it had not finished is undone")
    } else {
        Fault::new("call/deadline", "the call was not done by its deadline; what it had not finished is undone")
    };
    end_call(shared, call, fault);
}

pub(crate) fn end_call(shared: &Rc<Shared>, call: u64, fault: Fault) {
    let works = shared.calls.borrow().works_of_call(call);
    works.into_iter().for_each(|id| end_work(shared, id));
    shared.calls.borrow_mut().finish(call, Err(fault));
}
