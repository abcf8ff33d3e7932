//! From an [`Op`] to the work it means.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use serde_json::json;
use zero_base::{Caller, Diagnostic, Fault};
use zero_script::fault_of;
use zero_script::mlua::MultiValue;

use crate::calls::{Kind, LONGEST_WAIT, PATIENCE, ToolRuns};
use crate::capture;
use crate::check;
use crate::engine::Request;
use crate::files;
use crate::finish;
use crate::guides;
use crate::ops::{Answer, BatchMode, Execute, LogLevel, Op, Outcome, UseTool};
use crate::play;
use crate::scenes;
use crate::shared::Shared;
use crate::state::Mode;
use crate::tasks;
use crate::tools;

/// An operation that met another transaction's key and is tried again.
pub(crate) struct Postponed {
    request: Request,
    until: Instant,
}

/// Starts a request. What is over at once is answered at once; given back is what must wait
/// for another transaction.
pub(crate) fn begin(shared: &Rc<Shared>, request: Request) -> Option<Postponed> {
    let until = request.caller.deadline.unwrap_or_else(|| Instant::now() + PATIENCE);
    attempt(shared, Postponed { request, until })
}

pub(crate) fn retry(shared: &Rc<Shared>, postponed: Vec<Postponed>) -> Vec<Postponed> {
    postponed.into_iter().filter_map(|postponed| attempt(shared, postponed)).collect()
}

fn attempt(shared: &Rc<Shared>, postponed: Postponed) -> Option<Postponed> {
    let Request { caller, op, reply } = &postponed.request;
    if caller.read_only && op.writes() {
        let fault = Fault::new("call/read_only", "this caller may only read; nothing was changed");
        let _ = reply.send(Err(fault));
        return None;
    }
    shared.settle_editor(Duration::ZERO);
    scenes::follow_file(shared);
    let started = fenced(|| start(shared, caller, op, reply)).unwrap_or_else(|fault| {
        shared.abandon_immediate();
        Progress::Answered(Err(fault))
    });
    match started {
        Progress::Answered(Err(fault)) if fault.code == "txn/busy" && Instant::now() < postponed.until => {
            Some(postponed)
        }
        Progress::Answered(outcome) => {
            let _ = reply.send(outcome);
            None
        }
        Progress::Started => None,
    }
}

/// A bug of the engine ends what met it, and nothing else.
pub(crate) fn fenced<R>(work: impl FnOnce() -> R) -> Result<R, Fault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        tracing::error!(%text, "the engine met a bug of its own");
        Fault::new("engine/panic", format!("the engine met a bug of its own, and only this was ended: {text}"))
    })
}

enum Progress {
    Answered(Outcome),
    /// The answer comes when the work ends.
    Started,
}

fn start(shared: &Rc<Shared>, caller: &Caller, op: &Op, reply: &Sender<Outcome>) -> Progress {
    let now = |outcome: Outcome| Progress::Answered(outcome);
    let value = |value: serde_json::Value| Answer { value, ..Answer::default() };
    match op {
        Op::Execute(execute) => match start_execute(shared, caller, execute, reply) {
            Ok(()) => Progress::Started,
            Err(Refused(outcome)) => now(*outcome),
        },
        Op::UseTool(request) => match start_tools(shared, caller, request, reply) {
            Ok(()) => Progress::Started,
            Err(fault) => now(Err(fault)),
        },
        Op::ReadFile(request) => now(files::read(shared, request)),
        Op::WriteFile(request) => now(shared.on_behalf_of(caller.clone(), || files::write(shared, request))),
        Op::EditFile(request) => now(shared.on_behalf_of(caller.clone(), || files::edit(shared, request))),
        Op::Guides(request) => now(guides::answer(shared, request)),
        Op::SearchTools(request) => now(tools::search(shared, request).map(value)),
        Op::DescribeTool { tool, toolbox } => now(tools::describe(shared, toolbox.as_deref(), tool).map(value)),
        Op::Capture(request) => now(capture::capture(shared, request)),
        Op::Play => now(play::play(shared).map(value)),
        Op::Pause { paused } => now(Ok(value(play::pause(shared, *paused)))),
        Op::Edit => now(play::edit(shared).map(value)),
        Op::Step { frames } => match start_steps(shared, caller, *frames, reply) {
            Ok(()) => Progress::Started,
            Err(fault) => now(Err(fault)),
        },
        Op::Wait { task, timeout_secs, logs } => {
            let asked = timeout_secs.map(|secs| Duration::try_from_secs_f64(secs.max(0.0)).unwrap_or(LONGEST_WAIT));
            let timeout = asked.unwrap_or(LONGEST_WAIT);
            shared.calls.borrow_mut().wait(*task, timeout, *logs, reply.clone());
            Progress::Started
        }
        Op::Cancel { task } => {
            let known = shared.calls.borrow().running().contains(task);
            if known {
                finish::end_call(
                    shared,
                    *task,
                    Fault::new("call/cancelled", "the call was cancelled; what it had not finished is undone"),
                );
            }
            now(Ok(value(json!({ "cancelled": known }))))
        }
        Op::LoadScene { identity } => {
            now(shared.on_behalf_of(caller.clone(), || scenes::load(shared, identity).map(value)))
        }
        Op::Check { path } => now(check::tree(shared, path.as_deref()).map(value)),
        Op::Hash => now(crate::world_hash::of(shared).map(value)),
        Op::Status => now(Ok(value(status(shared)))),
        Op::Shutdown => now(Err(Fault::new("engine/shutdown", "shutdown is handled before dispatch"))),
    }
}

/// A refusal before anything ran, already in the form of an answer. Boxed: it is rare and large.
struct Refused(Box<Outcome>);

fn start_execute(
    shared: &Rc<Shared>,
    caller: &Caller,
    execute: &Execute,
    reply: &Sender<Outcome>,
) -> Result<(), Refused> {
    let refused = |fault: Fault| Refused(Box::new(Err(fault)));
    let (name, from, code) = match (&execute.code, &execute.file) {
        (Some(code), None) => ("execute".to_owned(), "/zero/source/execute.luau".to_owned(), code.clone()),
        (None, Some(file)) => {
            let path = zero_vfs::VfsPath::parse(file).map_err(|error| refused(error.into()))?;
            let text = shared.state.borrow().vfs.read_text(&path).map_err(|error| refused(error.into()))?;
            (crate::host::chunk_name(&shared.state.borrow(), &path), path.as_str().to_owned(), text)
        }
        _ => return Err(refused(Fault::new("execute/arguments", "give exactly one of code and file"))),
    };
    let strict = execute
        .strict
        .unwrap_or_else(|| shared.state.borrow().settings["lsp"]["strict_mode"].as_bool().unwrap_or(true));
    let diagnostics = gate(shared, &name, &from, &code);
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    if strict && !errors.is_empty() {
        let first = errors[0].to_string();
        let fault = Fault::new(
            "script/refused",
            format!(
                "lsp.strict: refusing to execute — {} error diagnostic(s) found; nothing ran. {first}",
                errors.len()
            ),
        )
        .with_diagnostics(diagnostics);
        return Err(refused(fault));
    }
    let machine = shared.machine();
    let main = machine
        .vm
        .load_code(&name, &from, &code)
        .and_then(|script| {
            let args = zero_script::from_json(machine.vm.lua(), &execute.args).map_err(|e| fault_of(&e))?;
            script.env.raw_set("SCRIPT_ARGS", args).map_err(|e| fault_of(&e))?;
            Ok(script.main)
        })
        .map_err(refused)?;
    let kind = Kind::Execute { diagnostics };
    let call = shared.calls.borrow_mut().begin(caller.clone(), kind, execute.logs, Some(reply.clone()));
    if let Err(fault) = tasks::start(shared, call, Some(0), &name, (main, MultiValue::new())) {
        finish::end_call(shared, call, fault);
    }
    Ok(())
}

/// What is wrong with a chunk before it runs.
fn gate(shared: &Shared, name: &str, from: &str, code: &str) -> Vec<Diagnostic> {
    let state = shared.state.borrow();
    let Ok(path) = zero_vfs::VfsPath::parse(from) else { return Vec::new() };
    let found = check::check_script(&state, &path, code);
    found
        .into_iter()
        .map(|diagnostic| if diagnostic.path.is_none() { diagnostic.in_file(name) } else { diagnostic })
        .collect()
}

fn start_tools(shared: &Rc<Shared>, caller: &Caller, request: &UseTool, reply: &Sender<Outcome>) -> Result<(), Fault> {
    if request.calls.is_empty() {
        return Err(Fault::new("tool/no_calls", "name a tool, or give at least one call"));
    }
    let mut pending: std::collections::VecDeque<_> = tools::prepare(request.calls.clone()).into();
    let total = pending.len();
    let at_once = match request.mode {
        BatchMode::Sequential => 1,
        BatchMode::Parallel => total,
    };
    let first: Vec<_> = pending.drain(..at_once.min(total)).collect();
    let runs = ToolRuns {
        single: total == 1 && !request.batch,
        mode: request.mode,
        pending,
        total,
        results: Default::default(),
        running: first.len(),
    };
    let call = shared.calls.borrow_mut().begin(caller.clone(), Kind::Tools(runs), LogLevel::Error, Some(reply.clone()));
    for prepared in first {
        tools::start(shared, call, prepared);
    }
    Ok(())
}

/// Whole frames of play, one after the other whatever the clock says.
fn start_steps(shared: &Rc<Shared>, caller: &Caller, frames: u32, reply: &Sender<Outcome>) -> Result<(), Fault> {
    const MOST: u32 = 36_000;
    if shared.state.borrow().mode != Mode::Play {
        return Err(Fault::new(
            "play/not_playing",
            "steps advance play, and the world is in edit mode: call play first",
        ));
    }
    if frames == 0 || frames > MOST {
        return Err(Fault::new("play/frames", format!("frames must be 1 to {MOST} (ten minutes), got {frames}")));
    }
    let kind = Kind::Steps { left: frames };
    shared.calls.borrow_mut().begin(caller.clone(), kind, LogLevel::Warn, Some(reply.clone()));
    Ok(())
}

fn status(shared: &Shared) -> serde_json::Value {
    let state = shared.state.borrow();
    let problems: usize = state.problems.values().map(Vec::len).sum();
    json!({
        "world": state.name,
        "folder": state.root,
        "mode": state.mode.name(),
        "paused": state.paused,
        "frame": state.frame,
        "time": state.time,
        "scene": state.scene.key(),
        "entities": state.world.len(),
        "dirty": state.scene_is_dirty(),
        "problems": problems,
        "unchecked": state.unchecked.len(),
        "scriptMemory": shared.vm().lua().used_memory(),
        "running": shared.calls.borrow().running(),
    })
}

/// Ends what runs, leaves play, and writes the checkpoint of a changed scene.
pub(crate) fn shut_down(shared: &Rc<Shared>) -> Result<(), Fault> {
    let calls = shared.calls.borrow().ids();
    for call in calls {
        finish::end_call(shared, call, crate::engine::gone());
    }
    shared.settle_editor(Duration::ZERO);
    play::edit(shared)?;
    scenes::follow_file(shared);
    shared.as_engine(|| scenes::save_if_dirty(shared))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_of_what_met_it() {
        assert_eq!(fenced(|| 1).unwrap(), 1);
        let fault = fenced(|| panic!("a bug in {}", "here")).unwrap_err();
        assert_eq!(fault.code, "engine/panic");
        assert!(fault.message.ends_with("a bug in here"), "{fault}");
    }
}
