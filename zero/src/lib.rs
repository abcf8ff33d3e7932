//! The program: command line, MCP over stdio and HTTP, and the protocol by which one process
//! shares the world it owns with others. The only crate that knows argv or a wire format.
//!
//! Never touches a world itself: every request becomes an [`zero_runtime::Op`] that a
//! [`Dispatch`] carries out, here or in the process that owns the world. Start reading at
//! [`run`], then [`Backend`].

mod attach;
mod backend;
mod cli;
mod commands;
mod dispatch;
mod error;
mod gate;
mod help;
mod interrupt;
mod lock;
mod logs;
mod mcp;
mod print;
mod server;
mod token;
mod world_dir;

pub use attach::{CallRequest, Remote, WireCaller};
pub use backend::{Backend, BackendSettings, Role};
pub use commands::run;
pub use dispatch::{Dispatch, OpenRequest, Opener};
pub use error::ProgramError;
pub use gate::Gate;
pub use lock::{LockRecord, WorldLock};
pub use mcp::{McpServer, tool_list};
pub use server::{MAX_BODY_BYTES, Server, ServerSettings};
pub use token::Token;
