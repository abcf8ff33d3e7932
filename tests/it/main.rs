//! Tests that cross crates.

mod determinism;
mod golden;
mod kill;
