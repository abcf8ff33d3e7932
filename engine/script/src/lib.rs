//! The Luau machine: sandbox, typed guards, `require` with reload in place, tasks and time
//! slices.
//!
//! Never knows the world or a device: what scripts reach of them is what `engine/runtime`
//! registers. Start at [`Vm`].

mod convert;
mod fault;
mod checker;
mod host;
mod watchdog;
mod typed;
mod modules;
mod vm;
mod scheduler;

pub use checker::{Checked, Checker, NoChecker};
pub use convert::{from_json, to_json};
pub use fault::{fault_of, fault_of_value};
pub use host::{Host, PrintLevel, Source};
pub use mlua;
pub use modules::{check_length, is_private, private_module};
pub use scheduler::{Due, Scheduler, WaitFor};
pub use vm::{OVERRUN, Prototype, Ran, Script, Vm, VmOptions, compiler};
