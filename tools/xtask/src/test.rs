//! `cargo xtask test`: everything continuous integration checks, in one run on one machine.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::lint;
use crate::machine::{Machine, Need};
use crate::process;
use crate::program::Program;
use crate::repo::Repo;
use crate::tidy;

/// One thing that is checked.
pub struct Step {
    pub name: &'static str,
    run: fn(&mut Context) -> Result<(), Failure>,
}

/// Run from the top; the first that fails ends the run. A new step is a row.
pub const STEPS: &[Step] = &[
    Step { name: "machine", run: machine },
    Step { name: "formatting", run: |context| lint::formatting(context.repo) },
    Step { name: "tidy", run: |context| tidy::run(context.repo) },
    Step { name: "build", run: |context| process::run(&mut context.cargo(["build", "--workspace", "--all-targets"])) },
    Step { name: "tests", run: |context| process::run(&mut context.cargo(["test", "--workspace"])) },
    Step { name: "Luau suites", run: luau_suites },
    Step { name: "MCP clients", run: clients },
];

struct Context<'a> {
    repo: &'a Repo,
    machine: Option<Machine>,
}

pub fn run(repo: &Repo) -> Result<(), Failure> {
    let mut context = Context { repo, machine: None };
    let mut rows = Vec::new();
    for step in STEPS {
        println!("\n==> {}", step.name);
        let started = Instant::now();
        let done = (step.run)(&mut context);
        let took = started.elapsed();
        match done {
            Ok(()) => rows.push(row(step.name, took, "passed")),
            Err(failure) => {
                rows.push(row(step.name, took, "FAILED"));
                println!("\n{}", rows.join("\n"));
                return Err(Failure { headline: format!("{}: {}", step.name, failure.headline), ..failure });
            }
        }
        println!("{}", rows.last().map(String::as_str).unwrap_or_default());
    }
    println!("\n{}\n\nall {} steps passed", rows.join("\n"), STEPS.len());
    Ok(())
}

fn row(name: &str, took: Duration, result: &str) -> String {
    format!("{name:<14}{:>8.1} s  {result}", took.as_secs_f64())
}

impl Context<'_> {
    fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = self.repo.cargo(arguments);
        if let Some(compiler) = self.machine.as_ref().and_then(|machine| machine.compiler.as_ref()) {
            compiler.apply(&mut command);
        }
        self.settings(command)
    }

    /// What every process under test is told about the machine.
    fn settings(&self, mut command: Command) -> Command {
        // Mesa's device chooser writes about the missing desktop otherwise.
        command.env("NODEVICE_SELECT", "1");
        if self.machine.as_ref().is_some_and(|machine| machine.vulkan.draws()) {
            // A test that needs pictures then fails without them, rather than pass unseen.
            command.env("ZERO_REQUIRE_GPU", "1");
        }
        command
    }

    /// An empty folder of its own below the build outputs.
    fn scratch(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.repo.target.join("xtask").join(name);
        let made = match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => std::fs::create_dir_all(&folder),
        };
        made.map_err(|error| Failure::new(format!("{} cannot be emptied: {error}", folder.display())))?;
        Ok(folder)
    }
}

fn machine(context: &mut Context) -> Result<(), Failure> {
    let needs = [Need::Compiler, Need::Vulkan, Need::Node];
    let machine = Machine::prepared(&needs);
    machine.require(&[Need::Compiler, Need::Node])?;
    if env::var_os("ZERO_REQUIRE_GPU").is_some() {
        machine.require(&[Need::Vulkan])?;
    }
    println!("{}", machine.describe());
    context.machine = Some(machine);
    Ok(())
}

fn luau_suites(context: &mut Context) -> Result<(), Failure> {
    let program = Program::of(context.repo);
    let world = context.scratch("suites")?.join("world");
    process::run(&mut context.settings(program.new_world(&world)))?;
    process::run(&mut context.settings(program.run_suites(&world)))
}

fn clients(context: &mut Context) -> Result<(), Failure> {
    let folder = context.repo.root.join("tests/clients");
    process::run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder))?;
    for transport in ["stdio", "http"] {
        let mut command = Command::new("node");
        command.args(["discover.mjs", transport]).current_dir(&folder);
        command.env("ZERO_PROGRAM", Program::of(context.repo).path);
        process::run(&mut context.settings(command))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_names_of_their_own() {
        let mut names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }

    #[test]
    fn a_row_lines_up() {
        assert_eq!(row("tidy", Duration::from_millis(1250), "passed"), "tidy               1.2 s  passed");
    }

    #[test]
    fn scratch_folders_are_empty_each_time() {
        let root = tempfile::tempdir().unwrap();
        let repo = Repo { root: root.path().into(), target: root.path().join("target"), packages: Vec::new() };
        let context = Context { repo: &repo, machine: None };
        let folder = context.scratch("a").unwrap();
        std::fs::write(folder.join("x"), "").unwrap();
        assert_eq!(context.scratch("a").unwrap(), folder);
        assert!(!folder.join("x").exists());
    }
}
