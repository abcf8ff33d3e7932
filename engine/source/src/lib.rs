//! Text in, data and diagnostics out: what a Luau file declares and how `typed function`
//! becomes plain Luau that checks itself; YAML with the position of every value.
//!
//! Never touches a file, a VM or an asset: it is handed text and answers. Start at
//! [`luau::parse`] for scripts and at [`yaml`] for data.

pub mod luau;
pub mod yaml;
