//! The composition: the only crate that sees the virtual machine, the world and the device
//! together. Never knows a wire format. Start at [`Engine`].

mod ops;

pub use ops::{
    Answer, BatchMode, Capture, EditFile, Execute, Guides, LogLevel, Op, Outcome, Picture, ReadFile, SearchTools,
    ToolCall, UseTool, WriteFile,
};
