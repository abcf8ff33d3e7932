//! Luau as text: what a file declares, and the rewriting that makes `typed function` check.
//!
//! Never runs a script, and never parses the body of a function: half-typed files give what
//! can be read of them. Start at [`parse`].

// Words of the language.
mod lexer;
mod literal;
mod script;
mod text;

// What a file declares.
mod blank;
mod calls;
mod chunk;
mod grammar;
mod header;
mod nesting;
mod outline;
mod types;
mod words;

// What its types mean.
mod builtin;
mod loops;
mod modules;
mod normal;
mod raw;
mod resolve;
mod schema;
mod scope;
mod shape;

// How arguments are checked, and what a failed check says.
mod checks;
mod explain;
mod guard;
mod instrument;
mod probe;
mod search;

#[cfg(test)]
mod tests;

pub use blank::blank;
pub use calls::literal_calls;
pub use checks::{Check, CheckedParam, Checks};
pub use chunk::{Chunk, Generic, LiteralCall, LookupCall, Members, Param, RequireCall, Signature, TypeAlias};
pub use explain::is_argument_error;
pub use instrument::{Instrumented, instrument, instrument_compact};
pub use outline::parse;
pub use probe::Probe;
pub use resolve::{Resolved, SignatureShapes, resolve};
pub use schema::json_schema;
pub use scope::{Imports, ModuleImports, NoImports, Scope};
pub use shape::{Record, RecordField, Shape, ShapeId, Shapes};
pub use types::{FunctionType, Indexer, TableField, TableType, Type};
