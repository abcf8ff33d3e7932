use serde_json::{Value, json};
use zero_base::Fault;
use zero_runtime::{BatchMode, Guides, Op, SearchTools, ToolCall, UseTool};

use super::{Effect, ToolSpec};
use crate::mcp::arguments::Arguments;
use crate::mcp::schema::{anything, boolean, integer, list, map, object, of_kind, one_of, reply, string};

const MOST_CALLS: u64 = 64;

pub const GUIDES: ToolSpec = ToolSpec {
    name: "guides",
    title: "Read guides",
    description: "How the engine works, as text. No arguments: the index. path: one guide, such as core/getting-started. \
                  query: guides about some words. list: every path.",
    effect: Effect::Reads,
    input: || {
        object(
            &[
                ("path", string("A guide's path, from the index.")),
                ("query", string("Plain words.")),
                ("list", boolean("Name every guide; path and query are then ignored.")),
                ("limit", integer(1, 100, "Most results of a query.")),
            ],
            &[],
        )
    },
    output: None,
    op: guides,
};

fn guides(arguments: &Arguments) -> Result<Op, Fault> {
    Ok(Op::Guides(Guides {
        path: arguments.text("path"),
        query: arguments.text("query"),
        list: arguments.flag("list"),
        limit: arguments.whole("limit").map(|most| most as u32),
    }))
}

pub const SEARCH_TOOLS: ToolSpec = ToolSpec {
    name: "search_tools",
    title: "Find tools",
    description: "Find tools of this world, by purpose. No arguments: the toolboxes. toolbox: its tools. query: tools \
                  whose name or purpose fits, best first. Then describe_tool, use_tool.",
    effect: Effect::Reads,
    input: || {
        object(
            &[
                ("query", string("What you want to do, in plain words.")),
                ("toolbox", string("Look in this toolbox only.")),
                ("schema", boolean("Answer signatures, arguments and examples too.")),
                ("limit", integer(1, 100, "Most rows; 25 if absent.")),
            ],
            &[],
        )
    },
    output: Some(found),
    op: search_tools,
};

fn search_tools(arguments: &Arguments) -> Result<Op, Fault> {
    Ok(Op::SearchTools(SearchTools {
        query: arguments.text("query"),
        toolbox: arguments.text("toolbox"),
        schema: arguments.flag("schema"),
        limit: arguments.whole("limit").map(|most| most as u32),
    }))
}

pub const DESCRIBE_TOOL: ToolSpec = ToolSpec {
    name: "describe_tool",
    title: "Describe a tool",
    description: "Everything about one tool: signature, arguments with types, result, examples.",
    effect: Effect::Reads,
    input: || {
        object(
            &[
                ("tool", string("Its name, or toolbox.tool.")),
                ("toolbox", string("Its toolbox, when the name alone fits several.")),
            ],
            &["tool"],
        )
    },
    output: Some(described),
    op: |arguments| Ok(Op::DescribeTool { tool: arguments.required_text("tool"), toolbox: arguments.text("toolbox") }),
};

pub const USE_TOOL: ToolSpec = ToolSpec {
    name: "use_tool",
    title: "Use a tool",
    description: "Call a tool of this world. One call: tool, toolbox, args. Several: calls, in order unless mode is \
                  parallel; in order, the first that fails ends the batch. Everything one tool changes is one \
                  transaction, undone if it fails.",
    effect: Effect::Runs,
    input: || {
        object(
            &[
                ("toolbox", string("The toolbox, unless `tool` is toolbox.tool.")),
                ("tool", string("The tool's name, or toolbox.tool. Exactly one of tool and calls.")),
                ("args", tool_arguments()),
                (
                    "calls",
                    list(
                        object(
                            &[
                                ("toolbox", string("As above.")),
                                ("tool", string("As above.")),
                                ("args", tool_arguments()),
                            ],
                            &["tool"],
                        ),
                        "Calls to make; the reply is a batch.",
                    ),
                ),
                ("mode", one_of(&["sequential", "parallel"], "How to run `calls`; sequential if absent.")),
            ],
            &[],
        )
    },
    output: Some(used),
    op: use_tool,
};

fn use_tool(arguments: &Arguments) -> Result<Op, Fault> {
    arguments.exactly_one(&["tool", "calls"])?;
    if arguments.has("calls") {
        arguments.at_most_one(&["calls", "toolbox"])?;
        arguments.at_most_one(&["calls", "args"])?;
        let calls: Vec<ToolCall> = arguments.get("calls").expect("just looked");
        if calls.is_empty() || calls.len() as u64 > MOST_CALLS {
            let what = format!("'calls' must hold 1 to {MOST_CALLS} calls, not {}", calls.len());
            return Err(arguments.fault("mcp/bad_argument", what));
        }
        let mode = arguments.get::<BatchMode>("mode").unwrap_or_default();
        return Ok(Op::UseTool(UseTool { calls, batch: true, mode }));
    }
    arguments.at_most_one(&["tool", "mode"])?;
    let call = ToolCall {
        toolbox: arguments.text("toolbox"),
        tool: arguments.required_text("tool"),
        args: arguments.value("args"),
    };
    Ok(Op::UseTool(UseTool { calls: vec![call], batch: false, mode: BatchMode::Sequential }))
}

fn tool_arguments() -> Value {
    json!({
        "anyOf": [
            list(anything("One argument, any JSON value."), "In the order of the signature."),
            map("By parameter name."),
        ],
        "description": "The tool's arguments: an array in order, or an object by name.",
    })
}

fn found() -> Value {
    reply(&[
        ("toolboxes", list(map("toolbox, purpose, tools (how many)."), "Without arguments.")),
        ("tools", list(map("name, toolbox, tool, purpose, signature."), "With a toolbox or a query.")),
        ("total", of_kind("integer", "How many there are, shown or not.")),
    ])
}

fn described() -> Value {
    reply(&[
        ("name", string("The tool, as toolbox.tool.")),
        ("signature", string("As in Luau.")),
        ("description", string("What it does, and when to use another.")),
        ("arguments", list(map("name, type, optional, description."), "In order.")),
        ("parameters", map("JSON Schema of the arguments by name.")),
        ("returns", map("type, description.")),
        ("examples", list(string("Arguments, in Luau."), "Calls that work.")),
        ("types", list(map("name, type, description."), "Types the signature names.")),
    ])
}

fn used() -> Value {
    reply(&[
        ("ok", boolean("Whether it worked, all of it.")),
        ("tool", string("The tool that ran, as toolbox.tool.")),
        ("value", anything("What it answered.")),
        ("durationMs", of_kind("number", "How long it took.")),
        ("ran", of_kind("integer", "Batch: calls carried out.")),
        ("total", of_kind("integer", "Batch: calls asked for.")),
        ("results", list(map("One reply as of a single call."), "Batch: in the order of `calls`.")),
    ])
}
