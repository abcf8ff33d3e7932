//! The end of a call's work: its transaction, its result, its answer.

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use zero_base::Fault;
use zero_script::mlua::{MultiValue, Value};
use zero_script::to_json;

use crate::calls::{Call, Kind, put_logs};
use crate::ops::{Answer, BatchMode, LogLevel, Outcome};
use crate::shared::Shared;
use crate::state::LogLine;
use crate::tools;

/// The first value a coroutine returned, as JSON.
pub(crate) fn result_of(_: &Shared, _: u64, values: MultiValue) -> Result<Json, Fault> {
    to_json(values.front().unwrap_or(&Value::Nil))
}

/// A coroutine has returned or failed.
pub(crate) fn ended(shared: &Rc<Shared>, id: u64, result: Result<Json, Fault>) {
    let slot = shared.calls.borrow().work(id).and_then(|work| work.slot);
    let refused = matches!((&result, slot), (Ok(value), Some(_)) if tools::is_failure(shared, id, value));
    let result = match result {
        Ok(value) if refused => {
            note_roll_back(shared, id);
            Ok(value)
        }
        Ok(value) => shared.commit(id).map(|()| value),
        Err(fault) => {
            note_roll_back(shared, id);
            Err(fault)
        }
    };
    let Some(work) = shared.calls.borrow_mut().end_work(id) else { return };
    let Some(slot) = work.slot else {
        if let Err(fault) = result {
            let line = LogLine { level: LogLevel::Error, source: work.name, text: fault.to_string() };
            shared.calls.borrow_mut().log(work.context.call, &line);
            shared.state.borrow_mut().log(line);
        }
        return;
    };
    deliver(shared, work.context.call, slot, &work.name, work.started.elapsed(), result);
}

fn note_roll_back(shared: &Shared, id: u64) {
    if shared.roll_back(id) {
        let mut calls = shared.calls.borrow_mut();
        let call = calls.context(id).map(|context| context.call);
        if let Some(call) = call.and_then(|call| calls.call_mut(call)) {
            call.rolled_back = true;
        }
    }
}

fn deliver(shared: &Rc<Shared>, id: u64, slot: usize, name: &str, took: Duration, result: Result<Json, Fault>) {
    let next = {
        let mut calls = shared.calls.borrow_mut();
        let Some(call) = calls.call_mut(id) else { return };
        match &mut call.kind {
            Kind::Execute { .. } => None,
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

fn answer(shared: &Rc<Shared>, id: u64, result: Result<Json, Fault>) {
    let summary = shared.state.borrow().summary();
    let mut calls = shared.calls.borrow_mut();
    let Some(call) = calls.call(id) else { return };
    let outcome = match &call.kind {
        Kind::Execute { .. } => execute_answer(call, summary, result),
        Kind::Tools(_) => tools_answer(call, summary),
    };
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

fn finish_value(value: &mut Json, call: &Call, summary: Json) {
    put_logs(value, &call.logs, call.level);
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
    for id in works {
        shared.scheduler(|scheduler| scheduler.cancel_context(id));
        shared.roll_back(id);
        shared.calls.borrow_mut().end_work(id);
    }
    shared.calls.borrow_mut().finish(call, Err(fault));
}
