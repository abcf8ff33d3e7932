use std::time::Duration;

use serde_json::json;

use super::Context;
use crate::Role;
use crate::lock::state_dir;
use crate::print::{Failure, Report, out};

/// Serves until Ctrl-C or SIGTERM.
pub fn serve(context: &Context, port: u16) -> Result<Report, Failure> {
    const GRACE: Duration = Duration::from_secs(2);
    let backend = context.backend(Role::Server, port, GRACE)?;
    backend.connect().map_err(Failure::no_engine)?;
    let port = backend.port().expect("a server owns its world");
    let url = format!("http://127.0.0.1:{port}/mcp");
    let token_path = state_dir(backend.world()).join("token");
    if context.cli.json {
        let pid = std::process::id();
        out(&json!({ "url": url, "port": port, "pid": pid, "world": backend.world(), "tokenPath": token_path })
            .to_string());
    } else {
        out(&format!(
            "serving {} at {url}\nclients show the token: Authorization: Bearer $(cat {})",
            backend.world().display(),
            token_path.display()
        ));
    }
    context.runtime.block_on(context.interrupt.stop.cancelled());
    backend.close().map_err(Failure::no_engine)?;
    Ok(Report::default())
}
