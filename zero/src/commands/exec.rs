use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use zero_runtime::{Answer, Execute, LogLevel, Op};

use super::check::diagnostic_line;
use super::{Context, World};
use crate::cli::{ExecArgs, value};
use crate::print::{FAILED, Failure, Report, readable};
use crate::{ProgramError, logs, world_dir};

/// What the script prints is asked for; what the engine says below that is not.
const LOGS: LogLevel = LogLevel::Info;

pub fn exec(context: &Context, args: &ExecArgs) -> Result<Report, Failure> {
    context.in_world(|world| {
        let request = request(world, args)?;
        let answer = logs::answered(|| finish(world, world.call(Op::Execute(request))?))?;
        Ok(report(&answer))
    })
}

fn request(world: &World, args: &ExecArgs) -> Result<Execute, Failure> {
    let mut execute = Execute { args: script_args(&args.args), logs: LOGS, ..Execute::default() };
    match (&args.code, &args.file) {
        (Some(code), _) => execute.code = Some(code.clone()),
        (None, Some(file)) => match world_dir::engine_path(world.backend.world(), file) {
            Some(path) => execute.file = Some(path),
            // Not of this world: its text is run, and errors name it as a chunk of code.
            None => {
                let failed = |source| ProgramError::File { path: PathBuf::from(file), source };
                execute.code = Some(fs::read_to_string(file).map_err(failed)?);
            }
        },
        (None, None) => unreachable!("one of the two is required"),
    }
    Ok(execute)
}

/// One object or array is what the script sees; anything else is a list.
fn script_args(words: &[String]) -> Value {
    let mut values: Vec<Value> = words.iter().map(|word| value(word)).collect();
    match values.as_slice() {
        [] => Value::Null,
        [Value::Object(_) | Value::Array(_)] => values.remove(0),
        _ => Value::Array(values),
    }
}

/// Waits for a run that went on as a task, or cancels it when the command is interrupted.
fn finish(world: &World, mut answer: Answer) -> Result<Answer, Failure> {
    while answer.value["status"] == "running" {
        let Some(task) = answer.value["taskId"].as_u64() else { break };
        if world.context.interrupt.cancel.is_cancelled() {
            let _ = world.call_at_the_end(Op::Cancel { task });
            return Err(ProgramError::Cancelled.into());
        }
        answer = world.call(Op::Wait { task, timeout_secs: Some(1.0), logs: LOGS })?;
    }
    Ok(answer)
}

fn report(answer: &Answer) -> Report {
    let value = &answer.value;
    let (mut text, mut notes) = (Vec::new(), Vec::new());
    for line in value["logs"].as_array().into_iter().flatten() {
        let message = readable(&line["text"]);
        match line["level"].as_str() {
            Some(level @ ("error" | "warn")) => notes.push(format!("{level}: {message}")),
            _ => text.push(message),
        }
    }
    if answer.failed {
        notes.push(format!("error: {}", failure_text(&value["error"])));
    }
    // The error itself is among the diagnostics, with its place apart.
    let said = value["error"]["message"].as_str().unwrap_or_default();
    let more = value["diagnostics"].as_array().into_iter().flatten();
    let more = more
        .filter(|found| found["message"].as_str().is_none_or(|message| said.is_empty() || !said.ends_with(message)));
    notes.extend(more.map(diagnostic_line));
    // Of components and tasks, whose lines are nobody's answer.
    notes.extend(value["state"]["errors"].as_array().into_iter().flatten().map(readable));
    let result = readable(&value["result"]);
    if !result.is_empty() {
        text.push(result);
    }
    let exit_code = if answer.failed { FAILED } else { 0 };
    Report { text: text.join("\n"), notes, value: value.clone(), exit_code }
}

/// `message [code]`.
pub fn failure_text(error: &Value) -> String {
    match (error["message"].as_str(), error["code"].as_str()) {
        (Some(message), Some(code)) => format!("{message} [{code}]"),
        (Some(message), None) => message.to_owned(),
        _ => readable(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn script_args_are_one_value_or_a_list() {
        let args = |words: &[&str]| script_args(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(args(&[]), Value::Null);
        assert_eq!(args(&[r#"{"count":3}"#]), json!({ "count": 3 }));
        assert_eq!(args(&["[1,2]"]), json!([1, 2]));
        assert_eq!(args(&["5"]), json!([5]));
        assert_eq!(args(&["crate", r#"{"a":1}"#]), json!(["crate", { "a": 1 }]));
    }

    #[test]
    fn printed_lines_come_before_the_result() {
        let answer = Answer {
            value: json!({ "result": 7, "logs": [{ "level": "info", "source": "a", "text": "hello" }] }),
            ..Answer::default()
        };
        let report = report(&answer);
        assert_eq!((report.text.as_str(), report.exit_code), ("hello\n7", 0));
        let value =
            json!({ "error": { "message": "no", "code": "a/b" }, "logs": [{ "level": "warn", "text": "odd" }] });
        let failed = super::report(&Answer { value, failed: true, ..answer });
        assert_eq!((failed.exit_code, failed.text.as_str()), (FAILED, ""));
        assert_eq!(failed.notes, ["warn: odd", "error: no [a/b]"]);
    }
}
