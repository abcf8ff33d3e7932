use serde_json::Value;
use zero_base::Fault;
use zero_runtime::{Execute, LogLevel, Op};

use super::{Effect, ToolSpec};
use crate::mcp::arguments::Arguments;
use crate::mcp::schema::{anything, boolean, integer, list, map, number, object, of_kind, one_of, reply, string};

pub const LOG_LEVELS: [&str; 4] = ["error", "warn", "info", "debug"];
const LOGS: &str = "Least severe log lines to answer with; error if absent. print() is info.";
/// Above this, whole numbers lose digits in JSON.
const MOST_TASKS: u64 = (1 << 53) - 1;

pub const EXECUTE: ToolSpec = ToolSpec {
    name: "execute",
    title: "Run Luau",
    description: "Run Luau in the engine and answer what it returns. Globals: entity, asset, scene, vfs, tools, task, \
                  engine, world, modules, require, print. Everything it changes is one transaction, undone if it \
                  fails. A run over 10 s goes on as a task: {status: \"running\", taskId}; then call wait.",
    effect: Effect::Runs,
    input: || {
        object(
            &[
                (
                    "code",
                    string(
                        "Luau source, such as `return entity.find(\"Crate\").position`. Exactly one of code and file.",
                    ),
                ),
                ("file", string("Path of a .luau file to run instead.")),
                ("args", anything("Any JSON value; the script sees it as SCRIPT_ARGS.")),
                ("logs", one_of(&LOG_LEVELS, LOGS)),
                ("strict", boolean("Whether error diagnostics stop the run; as the world says if absent.")),
            ],
            &[],
        )
    },
    output: Some(ran),
    op: execute,
};

fn execute(arguments: &Arguments) -> Result<Op, Fault> {
    arguments.exactly_one(&["code", "file"])?;
    Ok(Op::Execute(Execute {
        code: arguments.text("code"),
        file: arguments.text("file"),
        args: arguments.value("args"),
        logs: arguments.get::<LogLevel>("logs").unwrap_or_default(),
        strict: arguments.get("strict"),
    }))
}

pub const WAIT: ToolSpec = ToolSpec {
    name: "wait",
    title: "Wait for a task",
    description: "Wait for a call that went on as a task. Answers what the call would have answered, or \
                  {status: \"running\", taskId} again after timeout_secs.",
    effect: Effect::Reads,
    input: || {
        object(
            &[
                ("taskId", integer(0, MOST_TASKS, "The id from the running call.")),
                ("timeout_secs", number(0.0, 20.0, "How long to wait; 20 if absent.")),
                ("logs", one_of(&LOG_LEVELS, LOGS)),
            ],
            &["taskId"],
        )
    },
    output: Some(ran),
    op: wait,
};

fn wait(arguments: &Arguments) -> Result<Op, Fault> {
    Ok(Op::Wait {
        task: arguments.whole("taskId").expect("checked against the schema"),
        timeout_secs: arguments.get("timeout_secs"),
        logs: arguments.get::<LogLevel>("logs").unwrap_or_default(),
    })
}

pub const CANCEL: ToolSpec = ToolSpec {
    name: "cancel",
    title: "Cancel a task",
    description: "End a call that went on as a task. What it has not finished is undone; whoever waits for it is \
                  answered call/cancelled.",
    effect: Effect::Runs,
    input: || object(&[("taskId", integer(0, MOST_TASKS, "The id from the running call."))], &["taskId"]),
    output: Some(|| reply(&[("cancelled", of_kind("boolean", "False when no such task runs."))])),
    op: |arguments| Ok(Op::Cancel { task: arguments.whole("taskId").expect("checked against the schema") }),
};

fn ran() -> Value {
    reply(&[
        ("result", anything("What the script returned.")),
        ("logs", list(map("level, source, text."), "Log lines asked for, oldest first.")),
        ("diagnostics", list(map("code, severity, message, path, span."), "What is wrong with the script.")),
        ("state", map("mode, paused, activeScene, world.")),
        ("status", string("`running` when it goes on as a task.")),
        ("taskId", of_kind("integer", "For wait.")),
        ("hint", string("The next step.")),
    ])
}
