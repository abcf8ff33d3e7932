use serde_json::{Value, json};
use zero_runtime::{Answer, BatchMode, Op, SearchTools, ToolCall, UseTool};

use super::exec::failure_text;
use super::{Context, World};
use crate::cli::{self, ToolWords, command_names};
use crate::help::{found_page, parameters, tool_page, toolbox_page, toolboxes_page, usage_line};
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

/// Without a world there are no toolboxes: a slip of a command's name is as likely.
fn no_command(words: &ToolWords, failure: Failure) -> Failure {
    let commands = command_names();
    let name = &words.toolbox;
    let near = zero_base::did_you_mean(name, &commands);
    let listed = if near.is_empty() { format!("; the commands: {}.", commands.join(", ")) } else { near };
    let mut fault = failure.fault;
    fault.message = format!("'{name}' is no command{listed} Nor can it be a toolbox: {}", fault.message);
    Failure { fault, exit_code: WRONG_USAGE }
}

/// What was typed names neither a command nor a toolbox.
fn unknown_word(name: &str, toolboxes: &Value) -> String {
    let commands = command_names();
    let toolboxes: Vec<String> =
        toolboxes.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let near = zero_base::did_you_mean(name, &[commands.clone(), toolboxes.clone()].concat());
    let end = if near.is_empty() { ";" } else { "" };
    format!(
        "'{name}' is neither a command nor a toolbox of this world{near}{end} commands: {}; toolboxes: {}",
        commands.join(", "),
        toolboxes.join(", ")
    )
}

fn toolbox(world: &World, words: &ToolWords) -> Result<Report, Failure> {
    let search = SearchTools { toolbox: Some(words.toolbox.clone()), schema: words.help, ..SearchTools::default() };
    let value = world.call(Op::SearchTools(search)).map_err(|failure| unknown_is_usage(words, failure))?.value;
    Ok(Report::new(toolbox_page(&words.toolbox, &value), value))
}

fn describe(world: &World, words: &ToolWords, tool: &str) -> Result<Value, Failure> {
    let op = Op::DescribeTool { tool: tool.to_owned(), toolbox: Some(words.toolbox.clone()) };
    Ok(world.call(op).map_err(|failure| unknown_is_usage(words, failure))?.value)
}

fn use_tool(world: &World, words: &ToolWords, tool: &str) -> Result<Report, Failure> {
    let known = if words.has_names() { parameters(&describe(world, words, tool)?) } else { Vec::new() };
    let call = ToolCall { toolbox: Some(words.toolbox.clone()), tool: tool.to_owned(), args: words.arguments(&known)? };
    let op = Op::UseTool(UseTool { calls: vec![call], batch: false, mode: BatchMode::Sequential });
    let mut answer = world.call(op).map_err(|failure| unknown_is_usage(words, failure))?;
    let error = &mut answer.value["error"];
    if error["code"] == UNKNOWN_TOOLBOX {
        error["message"] = unknown_word(&words.toolbox, &error["data"]["toolboxes"]).into();
    }
    let refused = is_about_arguments(error, &format!("{}.{tool}", words.toolbox));
    let mut report = report(answer);
    if refused {
        report.notes.push(usage_line(&describe(world, words, tool)?));
        report.exit_code = WRONG_USAGE;
    }
    Ok(report)
}

/// Whether the tool's own signature refused the words, and not that of a function it calls.
fn is_about_arguments(error: &Value, tool: &str) -> bool {
    let message = error["message"].as_str().unwrap_or_default();
    error["code"] == "script/argument" && message.contains(&format!("to '{tool}'"))
}

const UNKNOWN_TOOLBOX: &str = "tool/unknown_toolbox";

/// Refusals of the command line's words rather than of the work.
const WRONG_WORDS: [&str; 4] = ["tool/unknown", UNKNOWN_TOOLBOX, "tool/unknown_argument", "tool/too_many_arguments"];

fn unknown_is_usage(words: &ToolWords, mut failure: Failure) -> Failure {
    if failure.fault.code == UNKNOWN_TOOLBOX {
        let toolboxes = failure.fault.data.as_ref().map_or(&Value::Null, |data| &data["toolboxes"]);
        failure.fault.message = unknown_word(&words.toolbox, toolboxes);
    }
    if WRONG_WORDS.contains(&&*failure.fault.code) {
        return Failure { exit_code: WRONG_USAGE, ..failure };
    }
    failure
}

/// What the tool says, then what it answers; its own exit code.
fn report(answer: Answer) -> Report {
    let value = answer.value;
    let data = match &value["error"]["code"] {
        Value::String(code) if WRONG_WORDS.contains(&&**code) => &Value::Null,
        _ if answer.failed => &value["error"]["data"],
        _ => &value["value"],
    };
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
