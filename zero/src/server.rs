//! What the owner of a world listens with: `/mcp` for agents, `/call` for other processes of
//! this machine, `/health` for whoever asks whether it is alive. Loopback only.

mod calls;
mod guard;
mod messages;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zero_base::Transport;

use crate::attach::Health;
use crate::{Dispatch, McpServer, ProgramError, Token};
use calls::Calls;
use guard::Guard;

/// The largest request taken. Files above it go into the world's folder by other ways.
pub const MAX_BODY_BYTES: usize = 32 << 20;

/// The largest answer given to an attached process. A reply to an agent is far smaller.
pub const MAX_ANSWER_BYTES: usize = 64 << 20;

/// How long a session lasts in which nothing is said: an agent may think, and its person sleep.
const SESSION_KEPT: Duration = Duration::from_hours(24);

/// What a [`Server`] is made of.
pub struct ServerSettings {
    pub listener: TcpListener,
    pub token: Token,
    pub dispatch: Arc<dyn Dispatch>,
    pub started_at: u64,
}

/// A running HTTP server. Dropping it ends it at once.
pub struct Server {
    port: u16,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
    runtime: Handle,
}

/// Opens a loopback port; 0 takes a free one.
pub fn listen(port: u16) -> Result<TcpListener, ProgramError> {
    let failed = |source| ProgramError::Listen { port, source };
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

impl Server {
    pub fn start(runtime: &Handle, settings: ServerSettings) -> Result<Server, ProgramError> {
        let failed = |source| ProgramError::Listen { port: 0, source };
        let port = settings.listener.local_addr().map_err(failed)?.port();
        let stop = CancellationToken::new();
        let router = router(&settings, port, &stop);
        let listener = {
            let _context = runtime.enter();
            tokio::net::TcpListener::from_std(settings.listener).map_err(failed)?
        };
        let stopped = stop.clone();
        let task = runtime.spawn(async move {
            let served = axum::serve(listener, router).with_graceful_shutdown(stopped.cancelled_owned()).await;
            if let Err(error) = served {
                tracing::error!(%error, "the HTTP server ended");
            }
        });
        Ok(Server { port, stop, task: Some(task), runtime: runtime.clone() })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Takes no new connections and lets answers that are ready reach their callers, for
    /// `grace` at most. Not to be called on a thread of the runtime.
    pub fn stop(mut self, grace: Duration) {
        self.stop.cancel();
        if let Some(mut task) = self.task.take() {
            let ended = async { tokio::time::timeout(grace, &mut task).await };
            if self.runtime.block_on(ended).is_err() {
                task.abort();
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

fn router(settings: &ServerSettings, port: u16, stop: &CancellationToken) -> Router {
    let health = Health {
        program: "zero".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        pid: std::process::id(),
        started_at: settings.started_at,
    };
    let guarded = Router::new()
        .route("/call", post(calls::call))
        .route("/cancel", post(calls::cancel))
        .with_state(Arc::new(Calls::new(settings.dispatch.clone())))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .merge(
            Router::new()
                .route_service("/mcp", mcp_service(settings.dispatch.clone(), port, stop))
                .layer(middleware::from_fn(messages::check)),
        );
    let open = Router::new().route("/health", get(|State(health): State<Health>| async { Json(health) }));
    let guard = Guard::new(settings.token.clone(), port);
    guarded.merge(open.with_state(health)).layer(middleware::from_fn_with_state(Arc::new(guard), guard::check))
}

fn mcp_service(
    dispatch: Arc<dyn Dispatch>,
    port: u16,
    stop: &CancellationToken,
) -> StreamableHttpService<McpServer, LocalSessionManager> {
    // The guard has checked both headers; the library checks them again in its own way.
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(guard::HOSTS)
        .with_allowed_origins(guard::own_origins(port))
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(stop.child_token());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_KEPT);
    let serve = move || Ok(McpServer::new(dispatch.clone(), Transport::Http));
    StreamableHttpService::new(serve, Arc::new(sessions), config)
}

#[cfg(test)]
mod tests;
