use serde_json::{Value, json};
use zero_runtime::{Answer, BatchMode, Op, SearchTools, ToolCall, UseTool};

use super::exec::failure_text;
use super::{Context, World};
use crate::cli::{self, ToolWords, command_names};
use crate::help::{found_page, parameters, tool_page, toolbox_page, toolboxes_page};
use crate::print::{FAILED, Failure, Report, err, error_text, readable};
use crate::{ProgramError, print};

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

/// A tool or toolbox that does not exist is a slip of the command line, not a failure.
fn unknown_is_usage(failure: Failure) -> Failure {
    match &*failure.fault.code {
        "tool/unknown" | "tool/unknown_toolbox" => Failure { exit_code: print::WRONG_USAGE, ..failure },
        _ => failure,
    }
}

/// What the tool prints for people, or else what it answers; its own exit code.
fn report(answer: Answer) -> Report {
    let value = answer.value;
    if !answer.failed {
        let text = match value["stdout"].as_str() {
            Some(stdout) => stdout.to_owned(),
            None => readable(&value["value"]),
        };
        return Report::new(text, value);
    }
    let text = value["stdout"].as_str().unwrap_or_default().to_owned();
    let notes = vec![format!("error: {}", failure_text(&value["error"]))];
    Report { text, notes, exit_code: exit_code(&value), value }
}

/// The tool's own, where the system has room for it.
fn exit_code(value: &Value) -> i32 {
    let own = value["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok());
    own.filter(|code| (1..=125).contains(code)).unwrap_or(FAILED)
}
