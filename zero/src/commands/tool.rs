use serde_json::{Value, json};
use zero_runtime::{Answer, BatchMode, Op, SearchTools, ToolCall, UseTool};

use super::exec::failure_text;
use super::{Context, World};
use crate::ProgramError;
use crate::cli::{self, ToolWords, command_names};
use crate::help::{found_page, parameters, tool_page, toolbox_page, toolboxes_page};
use crate::print::{FAILED, Failure, Report, WRONG_USAGE, err, error_text, readable};

/// `zero --help`: the program's own, then the toolboxes of the world, if there is one.
pub fn program_help(context: &Context) -> Report {
    let mut text = cli::program_help();
    let mut toolboxes = Value::Null;
    match context.in_world(|world| world.call(Op::SearchTools(SearchTools::default()))) {
        Ok(answer) => {
            text.push_str(&format!("\n{}", toolboxes_page(&answer.value)));
            toolboxes = answer.value["toolboxes"].clone();
        }
        Err(failure) if failure.fault.code == NO_WORLD => {
            text.push_str("\nIn a world, its toolboxes are listed here.\n");
        }
        // Help is given all the same.
        Err(failure) => err(&error_text(&failure.fault)),
    }
    Report::new(text, json!({ "commands": command_names(), "toolboxes": toolboxes }))
}

const NO_WORLD: &str = "world/none_here";

pub fn search(context: &Context) -> Result<Report, Failure> {
    let words = context.cli.search.as_deref().unwrap_or_default().join(" ");
    let search = SearchTools { query: Some(words.clone()), ..SearchTools::default() };
    let value = context.in_world(|world| world.call(Op::SearchTools(search)))?.value;
    Ok(Report::new(found_page(&words, &value), value))
}

pub fn tool(context: &Context, words: &ToolWords) -> Result<Report, Failure> {
    context
        .in_world(|world| match &words.tool {
            None => toolbox(world, words),
            Some(tool) if words.help => {
                let value = describe(world, words, tool)?;
                Ok(Report::new(tool_page(&value), value))
            }
            Some(tool) => use_tool(world, words, tool),
        })
        .map_err(|failure| if failure.fault.code == NO_WORLD { no_command(words, failure) } else { failure })
}

/// Without a world there are no toolboxes: a slip of a command's name is the likelier cause.
fn no_command(words: &ToolWords, failure: Failure) -> Failure {
    let name = &words.toolbox;
    match zero_base::nearest(name, &command_names()) {
        Some(near) => ProgramError::usage(format!(
            "there is no command '{name}'; did you mean '{near}'? (and no world here that could have a toolbox of that name)"
        ))
        .into(),
        None => failure,
    }
}

fn toolbox(world: &World, words: &ToolWords) -> Result<Report, Failure> {
    let search = SearchTools { toolbox: Some(words.toolbox.clone()), schema: words.help, ..SearchTools::default() };
    let value = world.call(Op::SearchTools(search)).map_err(unknown_is_usage)?.value;
    Ok(Report::new(toolbox_page(&words.toolbox, &value), value))
}

fn describe(world: &World, words: &ToolWords, tool: &str) -> Result<Value, Failure> {
    let op = Op::DescribeTool { tool: tool.to_owned(), toolbox: Some(words.toolbox.clone()) };
    Ok(world.call(op).map_err(unknown_is_usage)?.value)
}

fn use_tool(world: &World, words: &ToolWords, tool: &str) -> Result<Report, Failure> {
    let known = if words.has_names() { parameters(&describe(world, words, tool)?) } else { Vec::new() };
    let call = ToolCall { toolbox: Some(words.toolbox.clone()), tool: tool.to_owned(), args: words.arguments(&known)? };
    let op = Op::UseTool(UseTool { calls: vec![call], batch: false, mode: BatchMode::Sequential });
    let answer = world.call(op).map_err(unknown_is_usage)?;
    Ok(report(answer))
}

/// Refusals of the command line's words rather than of the work.
const WRONG_WORDS: [&str; 4] =
    ["tool/unknown", "tool/unknown_toolbox", "tool/unknown_argument", "tool/too_many_arguments"];

fn unknown_is_usage(failure: Failure) -> Failure {
    if WRONG_WORDS.contains(&&*failure.fault.code) {
        return Failure { exit_code: WRONG_USAGE, ..failure };
    }
    failure
}

/// What the tool says, then what it answers; its own exit code.
fn report(answer: Answer) -> Report {
    let value = answer.value;
    let data = if answer.failed { &value["error"]["data"] } else { &value["value"] };
    let parts = [value["stdout"].as_str().unwrap_or_default().to_owned(), readable(data)];
    let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    if !answer.failed {
        return Report::new(text, value);
    }
    let notes = vec![format!("error: {}", failure_text(&value["error"]))];
    Report { text, notes, exit_code: exit_code(&value), value }
}

/// The tool's own, where the system has room for it.
fn exit_code(value: &Value) -> i32 {
    if value["error"]["code"].as_str().is_some_and(|code| WRONG_WORDS.contains(&code)) {
        return WRONG_USAGE;
    }
    let own = value["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok());
    own.filter(|code| (1..=125).contains(code)).unwrap_or(FAILED)
}
