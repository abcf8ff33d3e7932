use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use zero_base::{Caller, CancelFlag, Fault, Transport};
use zero_runtime::{Op, WriteFile};

use super::INSTRUCTIONS;
use super::reply::{Spill, refused, reply};
use super::tools::{find_tool, nearest_tool, tool_list};
use crate::attach::name_from;
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
        let dispatch = self.dispatch.clone();
        let mut work = tokio::task::spawn_blocking(move || carry_out(&*dispatch, caller, op));
        let done = tokio::select! {
            done = &mut work => done,
            () = context.ct.cancelled() => {
                given_up.cancel();
                work.await
            }
        };
        given_up.0 = None;
        Ok(done.unwrap_or_else(|_| refused(ProgramError::Panicked.into())).into())
    }
}

fn carry_out(dispatch: &dyn Dispatch, caller: Caller, op: Op) -> CallToolResult {
    let outcome = dispatch.dispatch(caller.clone(), op.clone());
    if let Err(fault) = &outcome {
        tracing::debug!(caller = %caller.name, code = %fault.code, "call refused");
    }
    reply(&op, outcome, &Scratch { dispatch, caller })
}

/// The caller's scratch folder in the engine.
struct Scratch<'a> {
    dispatch: &'a dyn Dispatch,
    caller: Caller,
}

impl Spill for Scratch<'_> {
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
