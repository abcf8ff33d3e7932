//! `cargo xtask lint`: what a change should pass before it is shown to anybody. Apart from the
//! tests because clippy checks every dependency once more.

use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::repo::Repo;
use crate::tidy;

/// The package outside the workspace, which none of cargo's workspace commands reach.
pub const OPPONENTS: &str = "tools/opponents/Cargo.toml";

pub fn run(repo: &Repo) -> Result<(), Failure> {
    formatting(repo)?;
    tidy::run(repo)?;
    have_component(repo, "clippy", "clippy")?;
    process::run(&mut repo.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    process::run(&mut repo.cargo(["clippy", "--manifest-path", OPPONENTS, "--all-targets", "--", "-D", "warnings"]))
}

pub fn formatting(repo: &Repo) -> Result<(), Failure> {
    have_component(repo, "fmt", "rustfmt")?;
    process::run(&mut repo.cargo(["fmt", "--all", "--check"]))?;
    process::run(&mut repo.cargo(["fmt", "--manifest-path", OPPONENTS, "--check"]))
}

/// Small installations of Rust come without the components that only developers need.
fn have_component(repo: &Repo, subcommand: &str, component: &str) -> Result<(), Failure> {
    if process::succeeds(&mut repo.cargo([subcommand, "--version"])) {
        return Ok(());
    }
    let added = process::run(Command::new("rustup").args(["component", "add", component]));
    added.map_err(|failure| failure.with_remedy(format!("install {component} for this Rust, then call this again")))
}
