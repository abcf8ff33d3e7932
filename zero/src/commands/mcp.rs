use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use zero_base::Transport;

use super::Context;
use crate::mcp::checked;
use crate::print::{Failure, Report};
use crate::{McpServer, ProgramError, Role};

/// Serves one client until its end of the pipe closes. Whether this process owns the world or
/// uses it through its owner is settled while the client says hello.
pub fn mcp(context: &Context) -> Result<Report, Failure> {
    // Clients that close the pipe expect the process to be gone within a second or two.
    const GRACE: Duration = Duration::from_millis(500);
    let backend = Arc::new(context.backend(Role::Session, 0, GRACE)?);
    let opening = {
        let backend = backend.clone();
        move || backend.connect()
    };
    context.runtime.spawn_blocking(move || {
        if let Err(fault) = opening() {
            // Said again, to the client, in answer to each call.
            tracing::error!(code = %fault.code, "{}", fault.message);
        }
    });
    let server = McpServer::new(backend.clone(), Transport::Stdio);
    let stop = context.interrupt.stop.clone();
    let session = context.runtime.block_on(async {
        tokio::select! {
            ended = converse(server) => ended,
            () = stop.cancelled() => Ok(()),
        }
    });
    let closed = backend.close().map_err(Failure::no_engine);
    session.map_err(Failure::from)?;
    closed?;
    // Standard output is the protocol's: nothing is reported.
    Ok(Report::default())
}

async fn converse(server: McpServer) -> Result<(), ProgramError> {
    let failed = |message: String| ProgramError::Session { message };
    let (stdin, stdout) = rmcp::transport::stdio();
    let (ends, written) = checked(stdin, stdout);
    let ended = match server.serve(ends).await {
        Ok(session) => session.waiting().await.map(|_| ()).map_err(|error| failed(error.to_string())),
        // A client that goes before it said hello has ended in good order too.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(error.to_string())),
    };
    // The last answers are out before the process ends; a client that reads no more waits for none.
    let _ = tokio::time::timeout(Duration::from_secs(1), written).await;
    ended
}
