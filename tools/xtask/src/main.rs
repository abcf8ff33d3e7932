//! The automation of this repository: `cargo xtask run`, `test`, `lint`, `tidy`, `bench` and
//! `soak`. Never part of the engine, and links nothing of it, so that the first command of a
//! newcomer compiles in seconds. Start at [`test::STEPS`] for what the tests are, at
//! [`tidy::CHECKS`] for what the repository promises about itself.

mod bench;
mod failure;
mod lint;
mod machine;
mod process;
mod program;
mod repo;
mod run;
mod soak;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;
use crate::repo::Repo;

/// Builds, runs and checks Zero.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sets the machine up, builds `zero`, draws a first picture and serves a world to agents.
    Run(run::Options),
    /// Everything that continuous integration checks, machine set-up included.
    Test,
    /// Formatting, the repository's own checks, and clippy with warnings as errors.
    Lint,
    /// The repository's own checks: layers, names, sizes, markers, the architecture page.
    Tidy,
    /// Races the engine against its opponents, in release; without a name, lists the races.
    Bench(bench::Options),
    /// Runs the engine for long and watches what grows; without a name, lists the soaks.
    Soak(soak::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match Repo::open().and_then(|repo| dispatch(&repo, arguments.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(repo: &Repo, command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(options) => run::run(repo, &options),
        Command::Test => test::run(repo),
        Command::Lint => lint::run(repo),
        Command::Tidy => tidy::run(repo),
        Command::Bench(options) => bench::run(repo, &options),
        Command::Soak(options) => soak::run(repo, &options),
    }
}
