//! The tools of the world and its libraries: finding, describing and calling them.

mod search;

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use zero_assets::{Asset, Root};
use zero_base::{Fault, Guid, did_you_mean};
use zero_script::fault_of;
use zero_script::mlua::{Function, MultiValue, Value};
use zero_source::luau::{self, Chunk, Scope, Signature};

use crate::calls::PreparedTool;
use crate::coerce;
use crate::finish::error_json;
use crate::imports::FileImports;
use crate::ops::ToolCall;
use crate::outline;
use crate::shared::Shared;
use crate::state::State;
use crate::tasks;
use crate::type_rules;

pub(crate) use search::{first_sentence, search, words};

/// One registered tool, read from its file without running it.
pub(crate) struct Tool {
    pub toolbox: String,
    pub name: String,
    pub guid: Guid,
    pub path: zero_vfs::VfsPath,
    pub tags: Vec<String>,
    pub chunk: Chunk,
    pub function: Option<Signature>,
}

impl Tool {
    pub(crate) fn full_name(&self) -> String {
        format!("{}.{}", self.toolbox, self.name)
    }

    fn purpose(&self) -> String {
        self.function.as_ref().map(|function| first_sentence(&function.description)).unwrap_or_default()
    }

    fn row(&self) -> Json {
        json!({
            "name": self.full_name(),
            "toolbox": self.toolbox,
            "tool": self.name,
            "purpose": self.purpose(),
            "signature": self.function.as_ref().map(Signature::call_text),
        })
    }
}

/// `@lib::box` for a library's toolbox other than the built-in one, the bare name otherwise.
fn toolbox_name(asset: &Asset) -> String {
    match &asset.root {
        Root::Library(library) if library != "builtin" => format!("@{library}::{}", asset.name),
        _ => asset.name.clone(),
    }
}

fn toolboxes(state: &State) -> Vec<&Asset> {
    state.assets.list(Some("toolbox"))
}

fn tools_in<'a>(state: &'a State, toolbox: &'a Asset) -> Vec<&'a Asset> {
    state.assets.children(toolbox).into_iter().filter(|asset| asset.type_name == "tool").collect()
}

fn read(state: &State, toolbox: &Asset, asset: &Asset) -> Option<Tool> {
    let path = state.assets.body(asset)?;
    let chunk = luau::parse(&state.vfs.read_text(&path).ok()?);
    let function = exported(&chunk, &asset.name).cloned();
    Some(Tool {
        toolbox: toolbox_name(toolbox),
        name: asset.name.clone(),
        guid: asset.guid,
        path,
        tags: asset.tags.clone(),
        chunk,
        function,
    })
}

/// The function that a tool of that name exports: `M.<name>`, or the only one there is.
fn exported<'a>(chunk: &'a Chunk, name: &str) -> Option<&'a Signature> {
    let offered = chunk.offered();
    offered.iter().find(|function| function.short_name() == name).copied().or(match offered.as_slice() {
        [one] => Some(*one),
        _ => None,
    })
}

/// The tool a call means: `toolbox` and `tool`, or `toolbox.tool` in one.
pub(crate) fn find(shared: &Shared, toolbox: Option<&str>, tool: &str) -> Result<Tool, Fault> {
    let state = shared.state.borrow();
    let (toolbox, tool) = match toolbox {
        Some(toolbox) => (Some(toolbox), tool),
        None => match tool.rsplit_once('.') {
            Some((toolbox, tool)) => (Some(toolbox), tool),
            None => (None, tool),
        },
    };
    let boxes = toolboxes(&state);
    let wanted: Vec<&Asset> = match toolbox {
        Some(name) => {
            let found: Vec<&Asset> =
                boxes.iter().filter(|asset| toolbox_name(asset) == name || asset.identity == name).copied().collect();
            if found.is_empty() {
                let known: Vec<String> = boxes.iter().map(|asset| toolbox_name(asset)).collect();
                return Err(Fault::new(
                    "tool/unknown_toolbox",
                    format!("no toolbox '{name}'{}", did_you_mean(name, &known)),
                )
                .with_data(json!({ "toolboxes": known })));
            }
            found
        }
        None => boxes,
    };
    let mut found: Vec<(&Asset, &Asset)> = Vec::new();
    for toolbox in &wanted {
        found.extend(
            tools_in(&state, toolbox).into_iter().filter(|asset| asset.name == tool).map(|asset| (*toolbox, asset)),
        );
    }
    // A world's own toolbox stands before the built-in one of the same name.
    if found.len() > 1 {
        let own: Vec<_> = found.iter().filter(|(_, asset)| !asset.root.is_library()).copied().collect();
        if own.len() == 1 {
            found = own;
        }
    }
    match found.as_slice() {
        [(toolbox, asset)] => read(&state, toolbox, asset).ok_or_else(|| {
            Fault::new(
                "tool/no_script",
                format!("{}.{tool} has no init.luau that reads as text", toolbox_name(toolbox)),
            )
        }),
        [] => {
            let known: Vec<String> = wanted
                .iter()
                .flat_map(|toolbox| {
                    tools_in(&state, toolbox)
                        .into_iter()
                        .map(|asset| format!("{}.{}", toolbox_name(toolbox), asset.name))
                })
                .collect();
            let full = toolbox.map_or_else(|| tool.to_owned(), |toolbox| format!("{toolbox}.{tool}"));
            let short: Vec<&str> = known.iter().filter_map(|name| name.rsplit('.').next()).collect();
            let near = zero_base::nearest(tool, &short)
                .and_then(|near| known.iter().find(|name| name.ends_with(&format!(".{near}"))));
            let hint = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
            Err(Fault::new("tool/unknown", format!("no tool '{full}'{hint}")).with_data(json!({ "tools": known })))
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|(toolbox, _)| format!("{}.{tool}", toolbox_name(toolbox))).collect();
            Err(Fault::new(
                "tool/ambiguous",
                format!("'{tool}' is several tools: {}; name the toolbox", names.join(", ")),
            ))
        }
    }
}

pub(crate) fn all(shared: &Shared, toolbox: Option<&str>) -> Vec<Json> {
    let state = shared.state.borrow();
    let mut rows = Vec::new();
    for toolbox_asset in toolboxes(&state) {
        if toolbox.is_some_and(|name| name != toolbox_name(toolbox_asset) && name != toolbox_asset.identity) {
            continue;
        }
        for asset in tools_in(&state, toolbox_asset) {
            rows.extend(read(&state, toolbox_asset, asset).map(|tool| tool.row()));
        }
    }
    rows
}

/// `M.<name>` of the tool's module.
pub(crate) fn function(shared: &Shared, tool: &Tool) -> Result<Function, Fault> {
    let module = shared.vm().module(tool.path.as_str())?;
    let Value::Table(module) = module else {
        return Err(Fault::new("tool/no_table", format!("{} must return a table with its function", tool.path)));
    };
    let wanted = tool.function.as_ref().map_or(tool.name.as_str(), Signature::short_name);
    module.get::<Option<Function>>(wanted).map_err(|e| fault_of(&e))?.ok_or_else(|| {
        Fault::new(
            "tool/no_function",
            format!("{} exports no function {}; write `typed function M.{}(…)`", tool.path, tool.name, tool.name),
        )
    })
}

/// Coroutine of a prepared call, made due.
pub(crate) fn start(shared: &Rc<Shared>, call: u64, prepared: PreparedTool) {
    let slot = prepared.slot;
    let name = prepared.name.clone();
    // A refusal before the start is delivered like one after it: by a function that throws it.
    let ready = function_for(shared, &prepared).or_else(|fault| refusal(shared, fault));
    let started = ready.and_then(|ready| tasks::start(shared, call, Some(slot), &name, ready));
    if let Err(fault) = started {
        crate::finish::end_call(shared, call, fault);
    }
}

fn function_for(shared: &Rc<Shared>, prepared: &PreparedTool) -> Result<(Function, MultiValue), Fault> {
    let toolbox = (!prepared.toolbox.is_empty()).then_some(prepared.toolbox.as_str());
    let tool = find(shared, toolbox, &prepared.tool)?;
    let args = arguments(shared, &tool, &prepared.args)?;
    Ok((function(shared, &tool)?, args))
}

fn refusal(shared: &Shared, fault: Fault) -> Result<(Function, MultiValue), Fault> {
    let thrower = shared
        .vm()
        .lua()
        .create_function(move |_, ()| -> zero_script::mlua::Result<()> {
            Err(zero_script::mlua::Error::external(fault.clone()))
        })
        .map_err(|e| fault_of(&e))?;
    Ok((thrower, MultiValue::new()))
}

/// JSON arguments as the tool's own: by position or by name, references resolved.
fn arguments(shared: &Rc<Shared>, tool: &Tool, args: &Json) -> Result<MultiValue, Fault> {
    let Some(signature) = &tool.function else {
        return Err(Fault::new("tool/no_function", format!("{} exports no function", tool.full_name())));
    };
    let names: Vec<&str> = signature.params.iter().map(|param| param.name.as_str()).collect();
    let mut positional: Vec<Json> = match args {
        Json::Null => Vec::new(),
        Json::Array(items) => items.clone(),
        Json::Object(fields) => {
            let mut placed = vec![Json::Null; names.len()];
            for (name, value) in fields {
                let Some(index) = names.iter().position(|known| known == name) else {
                    return Err(Fault::new(
                        "tool/unknown_argument",
                        format!(
                            "{} has no argument '{name}'{}; it is {}",
                            tool.full_name(),
                            did_you_mean(name, &names),
                            signature.call_text()
                        ),
                    )
                    .with_data(json!({ "arguments": names })));
                };
                placed[index] = value.clone();
            }
            placed
        }
        other => {
            return Err(Fault::new(
                "tool/arguments",
                format!(
                    "args must be a list (by position) or an object (by name), not {other}; the tool is {}",
                    signature.call_text()
                ),
            ));
        }
    };
    if positional.len() > names.len() && signature.variadic.is_none() {
        return Err(Fault::new(
            "tool/too_many_arguments",
            format!(
                "{} takes {} argument(s), got {}; it is {}",
                tool.full_name(),
                names.len(),
                positional.len(),
                signature.call_text()
            ),
        ));
    }
    while positional.last().is_some_and(Json::is_null) {
        positional.pop();
    }
    let imports = FileImports::new(shared, tool.path.as_str());
    let scope = Scope::new(&tool.chunk, &imports);
    let mut values = MultiValue::new();
    for (index, value) in positional.iter().enumerate() {
        let type_ = signature.params.get(index).and_then(|param| param.type_.as_ref()).or(signature.variadic.as_ref());
        values.push_back(coerce::argument(shared, &scope, type_, value)?);
    }
    Ok(values)
}

pub(crate) fn prepare(calls: Vec<ToolCall>) -> Vec<PreparedTool> {
    calls
        .into_iter()
        .enumerate()
        .map(|(slot, call)| PreparedTool {
            slot,
            name: call.toolbox.as_ref().map_or_else(|| call.tool.clone(), |toolbox| format!("{toolbox}.{}", call.tool)),
            toolbox: call.toolbox.unwrap_or_default(),
            tool: call.tool,
            args: call.args,
        })
        .collect()
}

/// Whether the value a tool returned says that it failed: then nothing of it is kept.
pub(crate) fn is_failure(shared: &Shared, work: u64, value: &Json) -> bool {
    use crate::calls::Kind;
    let calls = shared.calls.borrow();
    let of_tools = calls
        .context(work)
        .and_then(|context| calls.call(context.call))
        .is_some_and(|call| matches!(call.kind, Kind::Tools(_)));
    of_tools && value["exitCode"].as_i64().is_some_and(|code| code != 0)
}

/// One result of `use_tool`.
pub(crate) fn record(name: &str, took: Duration, result: Result<Json, Fault>) -> Json {
    let duration = (took.as_secs_f64() * 10_000.0).round() / 10.0;
    let mut record = match result {
        Err(fault) => json!({ "ok": false, "error": error_json(&fault) }),
        Ok(envelope) => match envelope["exitCode"].as_i64() {
            Some(0) => json!({ "ok": true, "value": envelope["data"] }),
            Some(code) => {
                let message = envelope["message"].as_str().unwrap_or("the tool failed without saying why");
                let code_name = envelope["code"].as_str().unwrap_or("tool/failed");
                json!({ "ok": false, "exitCode": code, "error": { "code": code_name, "message": message, "data": envelope["data"] } })
            }
            None => json!({
                "ok": true,
                "value": envelope,
                "warnings": ["the tool returned a raw value; it should return { exitCode = 0, data = … } [tool/raw_return]"],
            }),
        }
        .with_stdout(&envelope),
    };
    record["durationMs"] = json!(duration);
    record["tool"] = json!(name);
    record
}

trait WithStdout {
    fn with_stdout(self, envelope: &Json) -> Json;
}

impl WithStdout for Json {
    fn with_stdout(mut self, envelope: &Json) -> Json {
        if let Some(text) = envelope["stdout"].as_str().filter(|text| !text.is_empty()) {
            self["stdout"] = json!(text);
        }
        self
    }
}

/// Everything about one tool, as `describe_tool` and `--help` give it.
pub(crate) fn describe(shared: &Rc<Shared>, toolbox: Option<&str>, name: &str) -> Result<Json, Fault> {
    let tool = find(shared, toolbox, name)?;
    let imports = FileImports::new(shared, tool.path.as_str());
    let scope = Scope::new(&tool.chunk, &imports);
    let findings = type_rules::findings(shared, &tool.guid);
    let mut described = tool.row();
    described["tags"] = json!(tool.tags);
    described["path"] = json!(tool.path);
    if let Some(function) = &tool.function {
        described["description"] = json!(function.description);
        described["parameters"] = luau::json_schema(function, &scope);
        described["arguments"] = outline::params(function);
        described["returns"] = outline::returns(function);
        described["examples"] = json!(function.examples);
        described["types"] = outline::types(&tool.chunk.types);
    }
    if !findings.is_empty() {
        described["findings"] = json!(findings);
    }
    Ok(described)
}
