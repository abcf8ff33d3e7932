use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use zero_base::{Caller, Transport};
use zero_runtime::{Answer, Op, Outcome};

use super::tools::find_tool;
use super::*;

/// What some client or other refuses in a schema: see each message.
fn lint(at: &str, schema: &Value, findings: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        findings.push(format!("{at}: a schema that is not an object"));
        return;
    };
    if fields.is_empty() {
        findings.push(format!("{at}: an empty schema"));
    }
    for refused in ["oneOf", "allOf", "not", "$ref", "if", "patternProperties", "prefixItems", "const", "format"] {
        if fields.contains_key(refused) {
            findings.push(format!("{at}: {refused} is not known everywhere"));
        }
    }
    if fields.get("type").is_some_and(|kind| !kind.is_string()) {
        findings.push(format!("{at}: several types in one node"));
    }
    if fields.get("type") == Some(&json!("array")) && !fields.contains_key("items") {
        findings.push(format!("{at}: an array without items"));
    }
    if fields.get("additionalProperties").is_some_and(|more| more != &json!(false)) {
        findings.push(format!("{at}: additionalProperties is there to be false"));
    }
    for (name, property) in fields.get("properties").and_then(Value::as_object).into_iter().flatten() {
        lint(&format!("{at}.{name}"), property, findings);
    }
    if let Some(items) = fields.get("items") {
        lint(&format!("{at}[]"), items, findings);
    }
    for (index, choice) in fields.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
        lint(&format!("{at}|{index}"), choice, findings);
    }
    let properties = fields.get("properties").and_then(Value::as_object);
    for required in fields.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !properties.is_some_and(|properties| properties.contains_key(required.as_str().unwrap_or_default())) {
            findings.push(format!("{at}: requires {required}, which it does not have"));
        }
    }
}

#[test]
fn schemas_are_ones_that_strict_clients_take() {
    let mut findings = Vec::new();
    for tool in tool_list() {
        let input = Value::Object((*tool.input_schema).clone());
        lint(&tool.name, &input, &mut findings);
        assert_eq!(
            (&input["type"], &input["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{}",
            tool.name
        );
        assert!(input.get("anyOf").is_none(), "{}", tool.name);
        for (name, property) in input["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{}.{name} says what it is", tool.name);
        }
        assert!(input["properties"]["as"].is_object(), "{} takes a caller's name", tool.name);
        if let Some(output) = &tool.output_schema {
            let output = Value::Object((**output).clone());
            lint(&format!("{} (reply)", tool.name), &output, &mut findings);
            assert_eq!(output["type"], "object");
            assert!(output.get("required").is_none(), "{}: a refusal is a reply too", tool.name);
        }
    }
    assert_eq!(findings, Vec::<String>::new());
}

#[test]
fn the_lint_finds_what_it_looks_for() {
    let findings = |schema: Value| {
        let mut findings = Vec::new();
        lint("x", &schema, &mut findings);
        findings.len()
    };
    assert_eq!(findings(json!({ "type": "object", "properties": { "a": { "type": "string" } } })), 0);
    for bad in [
        json!(true),
        json!({}),
        json!({ "type": "array" }),
        json!({ "type": ["string", "null"] }),
        json!({ "type": "object", "additionalProperties": true }),
        json!({ "type": "object", "required": ["a"], "properties": {} }),
        json!({ "type": "array", "items": true }),
        json!({ "anyOf": [{ "oneOf": [] }] }),
    ] {
        assert_eq!(findings(bad.clone()), 1, "{bad}");
    }
}

#[test]
fn tools_are_sorted_titled_and_annotated() {
    let names: Vec<&str> = tool_list().iter().map(|tool| &*tool.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
    for tool in tool_list() {
        let annotations = tool.annotations.as_ref().unwrap();
        assert!(tool.title.is_some() && tool.description.is_some());
        let hints = [
            annotations.read_only_hint,
            annotations.destructive_hint,
            annotations.idempotent_hint,
            annotations.open_world_hint,
        ];
        assert!(hints.iter().all(Option::is_some), "{}", tool.name);
    }
}

/// The whole surface as text, sizes included: a change of a word shows up in review.
#[test]
fn the_surface_is_the_one_on_record() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/surface/mcp_tools.snap"));
    let compact = serde_json::to_string(tool_list()).unwrap();
    let mut text =
        format!("instructions: {} bytes\n{INSTRUCTIONS}\n\ntools: {} bytes\n", INSTRUCTIONS.len(), compact.len());
    for tool in tool_list() {
        let bytes = serde_json::to_string(tool).unwrap().len();
        text.push_str(&format!(
            "\n== {} ({bytes} bytes)\n{}\n",
            tool.name,
            serde_json::to_string_pretty(tool).unwrap()
        ));
    }
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(recorded == text, "the tool list differs from {}; look at it, then UPDATE_SNAPSHOTS=1", path.display());
    // Six thousand tokens at connect are the most a client should pay.
    assert!(compact.len() + INSTRUCTIONS.len() < 24_000, "{} bytes", compact.len());
}

fn read(tool: &str, arguments: Value) -> Result<(Option<String>, Op), String> {
    let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
    find_tool(tool).unwrap().read_call(arguments).map_err(|fault| fault.to_string())
}

#[test]
fn arguments_become_operations() {
    let op = |tool: &str, arguments: Value| serde_json::to_value(read(tool, arguments).unwrap().1).unwrap();
    assert_eq!(read("play", json!({ "as": "fern" })), Ok((Some("fern".into()), Op::Play)));
    assert_eq!(read("pause", json!({})).unwrap().1, Op::Pause { paused: true });
    assert_eq!(read("pause", json!({ "paused": false })).unwrap().1, Op::Pause { paused: false });
    let execute = op("execute", json!({ "code": "return 1", "logs": "info", "args": [1], "strict": null }));
    assert_eq!(
        (&execute["code"], &execute["logs"], &execute["args"]),
        (&json!("return 1"), &json!("info"), &json!([1]))
    );
    let edit = op("edit_file", json!({ "path": "/a", "old": "x", "new_string": "", "replace_all": true }));
    assert_eq!((&edit["old"], &edit["new"], &edit["replace_all"]), (&json!("x"), &json!(""), &json!(true)));
    let capture = op("capture", json!({ "position": [0, 1, 2], "lookAt": [0, 0, 0], "fov": 60, "width": 64.0 }));
    assert_eq!((&capture["look_at"], &capture["width"]), (&json!([0.0, 0.0, 0.0]), &json!(64)));
    let used = op("use_tool", json!({ "toolbox": "a", "tool": "b", "args": { "x": 1 } }));
    assert_eq!(used["batch"], false);
    assert_eq!(used["calls"], json!([{ "toolbox": "a", "tool": "b", "args": { "x": 1 } }]));
    let batch =
        op("use_tool", json!({ "calls": [{ "tool": "a.b", "args": [1] }, { "tool": "a.c" }], "mode": "parallel" }));
    assert_eq!((&batch["mode"], batch["calls"].as_array().unwrap().len()), (&json!("parallel"), 2));
    assert_eq!(op("use_tool", json!({ "calls": [{ "tool": "a.b" }] }))["batch"], true);
    let wait = op("wait", json!({ "taskId": 3, "timeout_secs": 1.5 }));
    assert_eq!((&wait["task"], &wait["timeout_secs"]), (&json!(3), &json!(1.5)));
}

#[test]
fn bad_arguments_name_the_good_ones() {
    let check = |tool: &str, arguments: Value, expected: &str| {
        let error = read(tool, arguments).unwrap_err();
        assert!(error.contains(expected), "{error}");
    };
    check(
        "execute",
        json!({ "cod": "x" }),
        "execute has no argument 'cod'; did you mean 'code'? Its arguments: code, file",
    );
    check("execute", json!({ "banana": "x" }), "execute has no argument 'banana'. Its arguments:");
    check("execute", json!({}), "execute: needs one of 'code', 'file'");
    check("execute", json!({ "code": "x", "file": "/y" }), "takes 'code' or 'file', not both");
    check("execute", json!({ "code": 3 }), "execute: 'code' must be a string, not an integer [mcp/bad_argument]");
    check("execute", json!({ "code": "x", "logs": "wran" }), "did you mean 'warn'?");
    check("read_file", json!({}), "read_file: needs 'path': Absolute path");
    check("read_file", json!({ "path": null }), "needs 'path'");
    check("read_file", json!({ "path": "/a", "offset": 0 }), "'offset' must lie in 1..");
    check("edit_file", json!({ "path": "/a", "old": "x" }), "needs 'new_string' (or 'new'");
    check("edit_file", json!({ "path": "/a", "old": "x", "old_string": "y", "new": "" }), "not both");
    check("write_file", json!({ "path": "/a", "content": "", "base": "zz" }), "is not a hash");
    check("capture", json!({ "position": [0, 1] }), "'position' must hold 3 items, not 2");
    check("use_tool", json!({ "tool": "a", "args": 3 }), "'args' must be array or object, not an integer");
    check("use_tool", json!({ "calls": [{ "tol": "a" }] }), "'calls'[0] has no field 'tol'; did you mean 'tool'?");
    check("use_tool", json!({ "calls": [] }), "must hold 1 to 64 calls, not 0");
    check("use_tool", json!({ "tool": "a", "calls": [] }), "not both");
    check("play", json!({ "as": "Fern" }), "'Fern' is not a caller name");
}

/// Talks to a server over a pipe, line by line, as a client on standard input does.
struct Conversation {
    write: tokio::io::WriteHalf<tokio::io::DuplexStream>,
    read: tokio::io::Lines<BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>>,
    next: u64,
}

impl Conversation {
    fn begin(answer: impl Fn(Caller, Op) -> Outcome + Send + Sync + 'static) -> Conversation {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let server = McpServer::new(Arc::new(answer), Transport::Stdio);
            if let Ok(session) = rmcp::ServiceExt::serve(server, theirs).await {
                let _ = session.waiting().await;
            }
        });
        let (read, write) = tokio::io::split(ours);
        Conversation { write, read: BufReader::new(read).lines(), next: 0 }
    }

    async fn say(&mut self, message: Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let line = self.read.next_line().await.unwrap().expect("an answer");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    async fn hello(&mut self) -> Value {
        let client = json!({ "name": "Claude Code", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let hello = self.ask("initialize", params).await;
        self.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        hello
    }

    async fn use_tool(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": name, "arguments": arguments })).await
    }
}

fn echo(caller: Caller, op: Op) -> Outcome {
    Ok(Answer { value: json!({ "caller": caller.name, "op": op }), ..Answer::default() })
}

#[tokio::test]
async fn the_era_with_a_handshake() {
    let mut talk = Conversation::begin(echo);
    let hello = talk.hello().await;
    assert_eq!(hello["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(hello["result"]["serverInfo"]["name"], "zero");
    assert!(hello["result"]["instructions"].as_str().unwrap().contains("getting-started"));
    let listed = talk.ask("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), tool_list().len());
    assert!(listed["result"].get("resultType").is_none());

    let played = talk.use_tool("play", json!({})).await;
    assert_eq!(played["result"]["structuredContent"]["caller"], "claude-code", "named after the client");
    let played = talk.use_tool("play", json!({ "as": "fern" })).await;
    assert_eq!(played["result"]["structuredContent"]["caller"], "fern");

    let wrong = talk.use_tool("play", json!({ "speed": 2 })).await;
    assert_eq!(wrong["result"]["isError"], true);
    assert_eq!(wrong["result"]["structuredContent"]["error"]["code"], "mcp/unknown_argument");
    let unknown = talk.use_tool("pley", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("did you mean 'play'?"));
}

#[tokio::test]
async fn params_of_another_shape_are_invalid_and_say_so() {
    let mut talk = Conversation::begin(echo);
    talk.hello().await;
    for (params, found) in [
        (json!({ "name": "play", "arguments": [1] }), "'arguments' is a list"),
        (json!({ "name": "play", "arguments": "x" }), "'arguments' is a text"),
        (json!({ "name": 3 }), "'name' is a number"),
        (json!({}), "params is empty"),
    ] {
        let error = talk.ask("tools/call", params.clone()).await["error"].clone();
        assert_eq!(error["code"], -32602, "{params}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("\"arguments\": an object") && message.contains(found), "{params}: {message}");
    }
    let error = talk.ask("tools/cll", json!({})).await["error"].clone();
    assert_eq!((&error["code"], error["message"].as_str().unwrap().contains("'tools/cll'")), (&json!(-32601), true));
    assert_eq!(talk.use_tool("play", json!({})).await["result"]["isError"], false, "the session goes on");
}

#[tokio::test]
async fn the_era_without_one() {
    let mut talk = Conversation::begin(echo);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "moss", "version": "1" },
    });
    let found = talk.ask("server/discover", json!({ "_meta": meta })).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")), "{found}");
    let listed = talk.ask("tools/list", json!({ "_meta": meta })).await;
    assert_eq!(listed["result"]["resultType"], "complete");
    assert!(listed["result"]["ttlMs"].is_u64() && listed["result"]["cacheScope"].is_string(), "{}", listed["result"]);
    let played = talk.ask("tools/call", json!({ "name": "play", "arguments": {}, "_meta": meta })).await;
    assert_eq!(played["result"]["structuredContent"]["caller"], "moss");
    assert_eq!(played["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_cancelled_request_stops_the_work() {
    let (entered, mut has_entered) = tokio::sync::mpsc::unbounded_channel();
    let (left, mut has_left) = tokio::sync::mpsc::unbounded_channel();
    let mut talk = Conversation::begin(move |caller, op| {
        if op == Op::Play {
            entered.send(()).unwrap();
            while !caller.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            left.send(()).unwrap();
        }
        Ok(Answer::default())
    });
    talk.hello().await;
    talk.say(
        json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": { "name": "play", "arguments": {} } }),
    )
    .await;
    has_entered.recv().await.unwrap();
    talk.say(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 99 } })).await;
    has_left.recv().await.unwrap();
    assert!(talk.use_tool("edit", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn a_call_that_has_answered_is_not_cancelled_after() {
    let flags = Arc::new(Mutex::new(Vec::new()));
    let kept = flags.clone();
    let mut talk = Conversation::begin(move |caller, _| {
        kept.lock().unwrap().push(caller.cancel);
        Ok(Answer::default())
    });
    talk.hello().await;
    talk.use_tool("execute", json!({ "code": "long" })).await;
    talk.use_tool("edit", json!({})).await;
    assert_eq!(flags.lock().unwrap().len(), 2);
    assert!(flags.lock().unwrap().iter().all(|flag| !flag.is_cancelled()), "what became a task goes on");
}

#[tokio::test]
async fn what_is_too_long_is_kept_where_it_can_be_read() {
    let written = Arc::new(Mutex::new(None));
    let kept = written.clone();
    let mut talk = Conversation::begin(move |_, op| {
        if let Op::WriteFile(write) = op {
            *kept.lock().unwrap() = Some(write);
            return Ok(Answer::default());
        }
        Ok(Answer { value: json!({ "result": (0..30_000).collect::<Vec<_>>() }), ..Answer::default() })
    });
    talk.hello().await;
    let reply = talk.use_tool("execute", json!({ "code": "x" })).await;
    let write = written.lock().unwrap().take().expect("kept");
    let note = reply["result"]["structuredContent"]["cut"].as_str().unwrap();
    assert!(note.contains(&write.path) && write.path.starts_with("/tmp/replies/"), "{note}");
    let whole: Value = serde_json::from_str(&write.content.unwrap()).unwrap();
    assert_eq!(whole["result"].as_array().unwrap().len(), 30_000);
    assert!(reply.to_string().len() < 60_000);
}
