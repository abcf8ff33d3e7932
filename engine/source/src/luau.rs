//! Luau as text: what a file declares, and the rewriting that makes `typed function` check.
//!
//! Never runs a script, and never parses the body of a function: half-typed files give what
//! can be read of them. Start at [`parse`].

mod blank;
mod calls;
mod checks;
mod chunk;
mod explain;
mod grammar;
mod guard;
mod header;
mod instrument;
mod lexer;
mod literal;
mod nesting;
mod normal;
mod outline;
mod probe;
mod modules;
mod raw;
mod resolve;
mod schema;
mod scope;
mod script;
mod search;
mod shape;
mod text;
mod types;
mod words;

#[cfg(test)]
mod tests;

pub use blank::blank;
pub use calls::literal_calls;
pub use checks::{Check, CheckedParam, Checks};
pub use chunk::{Chunk, Generic, LiteralCall, LookupCall, Members, Param, RequireCall, Signature, TypeAlias};
pub use instrument::{Instrumented, instrument, instrument_compact};
pub use outline::parse;
pub use probe::Probe;
pub use resolve::{Resolved, SignatureShapes, resolve};
pub use schema::json_schema;
pub use scope::{Imports, ModuleImports, NoImports, Scope};
pub use shape::{Record, RecordField, Shape, ShapeId, Shapes};
pub use types::{FunctionType, Indexer, TableField, TableType, Type};
