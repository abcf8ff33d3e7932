//! The tools, one table. A tool's schema is its check: what reaches `op` fits it.

mod files;
mod look;
mod play;
mod scripts;
mod toolboxes;

use std::sync::{Arc, LazyLock};

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};
use zero_base::Fault;
use zero_runtime::Op;

use super::arguments::Arguments;
use super::schema::string;

/// One tool of the protocol.
pub struct ToolSpec {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
    input: fn() -> Value,
    /// Absent where the reply is a text or a picture: several clients show their model only
    /// the structured half of a reply that has one.
    output: Option<fn() -> Value>,
    op: fn(&Arguments) -> Result<Op, Fault>,
}

/// What a call does to the world, for the protocol's annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// Puts the engine into a state; nothing is lost, twice is once.
    Switches,
    /// Replaces what was there; twice is once.
    Replaces,
    /// Does whatever it is told to.
    Runs,
}

/// Sorted by name: the order clients see, and cache.
const TOOLS: [ToolSpec; 14] = [
    scripts::CANCEL,
    look::CAPTURE,
    toolboxes::DESCRIBE_TOOL,
    play::EDIT,
    files::EDIT_FILE,
    scripts::EXECUTE,
    toolboxes::GUIDES,
    play::PAUSE,
    play::PLAY,
    files::READ_FILE,
    toolboxes::SEARCH_TOOLS,
    toolboxes::USE_TOOL,
    scripts::WAIT,
    files::WRITE_FILE,
];

/// The tools as clients see them.
pub fn tool_list() -> &'static [Tool] {
    static LIST: LazyLock<Vec<Tool>> = LazyLock::new(|| TOOLS.iter().map(describe).collect());
    &LIST
}

/// The name of the tool nearest to one that does not exist, as words to append.
pub fn nearest_tool(name: &str) -> String {
    let names = TOOLS.map(|tool| tool.name);
    let near = zero_base::did_you_mean(name, &names);
    if near.is_empty() { format!("; the tools: {}", names.join(", ")) } else { near }
}

pub fn find_tool(name: &str) -> Option<&'static ToolSpec> {
    static TABLE: [ToolSpec; TOOLS.len()] = TOOLS;
    TABLE.iter().find(|tool| tool.name == name)
}

impl ToolSpec {
    /// The operation that a call with `values` asks for, and the name its caller gives.
    pub fn read_call(&self, values: Map<String, Value>) -> Result<(Option<String>, Op), Fault> {
        let arguments = Arguments::check(self.name, &input_schema(self), values)?;
        Ok((arguments.caller_name()?, (self.op)(&arguments)?))
    }
}

fn describe(spec: &ToolSpec) -> Tool {
    let mut tool = Tool::new(spec.name, spec.description, Arc::new(into_object(input_schema(spec))))
        .with_title(spec.title)
        .with_annotations(annotations(spec.effect));
    if let Some(output) = spec.output {
        tool = tool.with_raw_output_schema(Arc::new(into_object(output())));
    }
    tool
}

fn input_schema(spec: &ToolSpec) -> Value {
    let mut schema = (spec.input)();
    let name = string("Your own name, when several agents share this connection: lower-case letters, digits, - and _.");
    schema["properties"].as_object_mut().expect("every tool takes an object").insert("as".into(), name);
    schema
}

fn annotations(effect: Effect) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(effect == Effect::Reads)
        .destructive(matches!(effect, Effect::Replaces | Effect::Runs))
        .idempotent(effect != Effect::Runs)
        .open_world(false)
}

fn into_object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => unreachable!("every schema is built as an object"),
    }
}
