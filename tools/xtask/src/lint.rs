//! `cargo xtask lint`: what a change should pass before it is shown to anybody. Apart from the
//! tests because clippy checks every dependency once more.

use crate::failure::Failure;
use crate::process;
use crate::repo::Repo;
use crate::tidy;

/// The package outside the workspace, which none of cargo's workspace commands reach.
pub const OPPONENTS: &str = "tools/opponents/Cargo.toml";

pub fn run(repo: &Repo) -> Result<(), Failure> {
    formatting(repo)?;
    tidy::run(repo)?;
    process::run(&mut repo.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    process::run(&mut repo.cargo(["clippy", "--manifest-path", OPPONENTS, "--all-targets", "--", "-D", "warnings"]))
}

pub fn formatting(repo: &Repo) -> Result<(), Failure> {
    process::run(&mut repo.cargo(["fmt", "--all", "--check"]))?;
    process::run(&mut repo.cargo(["fmt", "--manifest-path", OPPONENTS, "--check"]))
}
