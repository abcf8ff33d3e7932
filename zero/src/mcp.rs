//! The Model Context Protocol over the operations: a small fixed list of tools. Nothing in a
//! world adds to it; a world's own tools are reached through `use_tool`.

mod arguments;
mod handler;
mod lines;
mod reply;
mod schema;
mod tools;

pub use handler::McpServer;
pub(crate) use lines::checked;
pub use tools::tool_list;

/// What a client tells its model about the server, before any tool is looked at.
const INSTRUCTIONS: &str = "\
Zero is a 3D engine whose worlds you build with files, Luau and tools. Start with guides {\"path\": \"core/getting-started\"}. \
Prefer a tool for a job: search_tools, describe_tool, use_tool; else write Luau: execute. \
Content lives under /zero/source and is durable at once; play runs the world, edit goes back. \
Look at what you made with capture. When several agents share this connection, pass your own name as `as` in every call.";

#[cfg(test)]
mod tests;
