//! YAML 1.2 with the position of every key and value. JSON is valid input.
//!
//! Never resolves a name, touches a file or knows a schema: text becomes a [`Node`] or
//! diagnostics, data becomes canonical text, and [`edit`] changes one value of a person's
//! file and leaves the rest of its bytes alone. Start at [`parse`].

pub mod edit;
mod emit;
mod node;
mod read;
mod scalar;
#[cfg(test)]
mod tests;

pub use emit::emit;
pub use node::{Entry, Node, Value};
pub use read::{parse, parse_file};

/// Deepest nesting of lists and maps that is read.
pub const MAX_DEPTH: usize = 64;
/// Most values in one text, each use of an alias counted as what it stands for.
pub const MAX_NODES: usize = 1_000_000;
/// Longest text, and the most text that aliases may repeat.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
