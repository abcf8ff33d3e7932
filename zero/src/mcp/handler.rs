use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use zero_base::{Caller, CancelFlag, Fault, Transport};
use zero_runtime::{Op, WriteFile};

use super::INSTRUCTIONS;
use super::reply::{Spill, refused, reply};
use super::tools::{find_tool, nearest_tool, tool_list};
use crate::attach::name_from;
use crate::dispatch::ask;
use crate::{Dispatch, ProgramError};

/// How long a call may take: longer than any wait of the engine's own, and than a first
/// picture on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// The list is compiled in: it changes with the program, not while it runs.
const TOOLS_FRESH_MILLIS: u64 = 3_600_000;

/// One conversation of the protocol.
#[derive(Clone)]
pub struct McpServer {
    dispatch: Arc<dyn Dispatch>,
    transport: Transport,
}

impl McpServer {
    pub fn new(dispatch: Arc<dyn Dispatch>, transport: Transport) -> McpServer {
        McpServer { dispatch, transport }
    }

    fn caller(&self, given: Option<String>, op: &Op, context: &RequestContext<RoleServer>) -> Caller {
        // The library's own name stands in for clients that give none.
        let named = |client: &Implementation| client.name != Implementation::default().name;
        let client = || context.client_info().filter(named).and_then(|client| name_from(&client.name));
        let name = given.or_else(client).unwrap_or_else(|| "agent".to_owned());
        let caller = Caller::new(name, self.transport);
        // What may go on as a task must not end with the call that began it.
        if matches!(op, Op::Execute(_) | Op::UseTool(_)) { caller } else { caller.until(Instant::now() + PATIENCE) }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("zero", env!("CARGO_PKG_VERSION")).with_title("Zero"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tool_list().to_vec()).with_ttl_ms(TOOLS_FRESH_MILLIS))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool_list().iter().find(|tool| tool.name == name).cloned()
    }

    /// What the library could not read as the method it names, or does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        Err(match expected_params(&method) {
            Some(expected) => {
                let found = what_is_wrong(&params.unwrap_or_default());
                ErrorData::invalid_params(format!("{method} takes {expected}; {found}"), None)
            }
            None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method '{method}' here"), None),
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = find_tool(&request.name) else {
            let message = format!("there is no tool '{}'{}", request.name, nearest_tool(&request.name));
            return Err(ErrorData::invalid_params(message, None));
        };
        let (name, op) = match tool.read_call(request.arguments.unwrap_or_default()) {
            Ok(call) => call,
            Err(fault) => return Ok(refused(fault).into()),
        };
        let caller = self.caller(name, &op, &context);
        let mut given_up = CancelOnDrop(Some(caller.cancel.clone()));
        let mut work = std::pin::pin!(ask(self.dispatch.clone(), caller.clone(), op.clone()));
        let outcome = tokio::select! {
            outcome = &mut work => outcome,
            () = context.ct.cancelled() => {
                given_up.cancel();
                work.await
            }
        };
        given_up.0 = None;
        if let Err(fault) = &outcome {
            tracing::debug!(caller = %caller.name, code = %fault.code, "call refused");
        }
        // What does not fit into the reply is written to a file, which is another call.
        let dispatch = self.dispatch.clone();
        let replied = tokio::task::spawn_blocking(move || reply(&op, outcome, &Scratch { dispatch, caller })).await;
        Ok(replied.unwrap_or_else(|_| refused(ProgramError::Panicked.into())).into())
    }
}

/// What the methods take that are served here.
fn expected_params(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/call" => "params {\"name\": a tool's name, \"arguments\": an object of its arguments}",
        "tools/list" => "params {\"cursor\": a text}, or none",
        "initialize" => {
            "params {\"protocolVersion\": a text, \"capabilities\": an object, \"clientInfo\": {\"name\", \"version\"}}"
        }
        "ping" => "no params",
        _ => return None,
    })
}

fn what_is_wrong(params: &Value) -> String {
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    match params.as_object() {
        None => format!("params is {}", kind(params)),
        Some(params) if params.is_empty() => "params is empty".to_owned(),
        Some(params) => {
            let given: Vec<String> =
                params.iter().map(|(name, value)| format!("'{name}' is {}", kind(value))).collect();
            format!("here {}", given.join(", "))
        }
    }
}

/// The caller's scratch folder in the engine.
struct Scratch {
    dispatch: Arc<dyn Dispatch>,
    caller: Caller,
}

impl Spill for Scratch {
    fn spill(&self, extension: &str, text: &str) -> Option<String> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = format!("/tmp/replies/{}-{number}.{extension}", std::process::id());
        let write = WriteFile { path: path.clone(), content: Some(text.to_owned()), ..WriteFile::default() };
        let written: Result<_, Fault> = self.dispatch.dispatch(self.caller.clone(), Op::WriteFile(write));
        written.is_ok().then_some(path)
    }
}

/// Gives up a call when nobody waits for it any more.
struct CancelOnDrop(Option<CancelFlag>);

impl CancelOnDrop {
    fn cancel(&mut self) {
        if let Some(flag) = self.0.take() {
            flag.cancel();
        }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.cancel();
    }
}
