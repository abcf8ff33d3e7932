//! The composition: the only crate that sees the Luau machine, the world and the device
//! together. One engine is one world on one thread; everybody else asks it.
//!
//! Never knows a wire format, and keeps no Luau value past its machine. Start at [`Engine`]
//! and [`Op`]; then `run.rs` for the loop, `shared.rs` for how a write becomes a transaction.

mod ops;
mod engine;
mod startup;
mod dispatch;
mod run;
mod frame;
mod play;
mod finish;
mod calls;
mod tasks;
mod shared;
mod state;
mod machine;
mod host;
mod bind;
mod reload;
mod check;
mod outline;
mod type_rules;
mod components;
mod scenes;
mod create;
mod tools;
mod coerce;
mod imports;
mod files;
mod guides;
mod capture;
mod content;
mod references;
mod view;
mod world_hash;

pub use engine::{Engine, EngineConfig};
pub use ops::{
    Answer, BatchMode, Capture, EditFile, Execute, Guides, LogLevel, Op, Outcome, Picture, ReadFile, SearchTools,
    ToolCall, UseTool, WriteFile,
};
pub use startup::create_world;
