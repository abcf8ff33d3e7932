//! Luau as text: what a file declares, and the rewriting that makes `typed function` check.
//!
//! Never runs a script, and never parses the body of a function: half-typed files give what
//! can be read of them. Start at [`parse`].

mod lexer;
mod literal;
mod text;
mod script;
mod types;
mod grammar;
mod words;
mod chunk;
mod header;
mod nesting;
mod outline;
mod calls;
mod blank;
mod scope;
mod shape;
mod raw;
mod normal;
mod resolve;
mod guard;
mod checks;
mod instrument;
mod probe;

pub use blank::blank;
pub use calls::literal_calls;
pub use chunk::{Chunk, Generic, LiteralCall, LookupCall, Members, Param, RequireCall, Signature, TypeAlias};
pub use checks::{Check, CheckedParam, Checks};
pub use instrument::{Instrumented, instrument, instrument_compact};
pub use outline::parse;
pub use probe::Probe;
pub use resolve::{Resolved, SignatureShapes, resolve};
pub use scope::{Imports, ModuleImports, NoImports, Scope};
pub use shape::{Record, RecordField, Shape, ShapeId, Shapes};
pub use types::{FunctionType, Indexer, TableField, TableType, Type};
