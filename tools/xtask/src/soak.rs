//! `cargo xtask soak`: keeps the engine at one thing for long, for what a test of seconds cannot
//! show: memory that keeps growing, a crash in two hundred that loses something.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use crate::failure::Failure;
use crate::process;
use crate::program::{FIRST_SCENE, Program};
use crate::repo::Repo;

#[derive(Args)]
pub struct Options {
    /// The soak to run.
    name: Option<String>,
    /// How many minutes of game time it plays.
    #[arg(long, value_name = "N", default_value_t = 10)]
    minutes: u32,
}

struct Soak {
    name: &'static str,
    about: &'static str,
    kind: Kind,
}

enum Kind {
    /// A long run of the program, whose memory is watched.
    Watched(fn(&Program, &Path, u32) -> Command),
    /// A test of the suite, many more times than the suite runs it.
    Repeated { package: &'static str, test: &'static str, variable: &'static str, times: u32 },
}

/// Sorted by name.
const SOAKS: &[Soak] = &[
    Soak {
        name: "kill",
        about: "kills the engine 200 times in a burst of writes and looks at what is left",
        kind: Kind::Repeated { package: "zero-tests", test: "kill", variable: "ZERO_KILL_RUNS", times: 200 },
    },
    Soak {
        name: "play",
        about: "plays the first scene without a window",
        kind: Kind::Watched(|program, world, minutes| {
            program.play(world, FIRST_SCENE, minutes * FRAMES_PER_MINUTE, None)
        }),
    },
];

const FRAMES_PER_MINUTE: u32 = 60 * 60;
/// Between two looks at the memory.
const INTERVAL: Duration = Duration::from_secs(1);
/// Looks needed before growth can be told from a start.
const FEWEST_LOOKS: usize = 20;
/// What the last quarter may use over the second one: caches fill, allocators keep pages.
const TOLERANCE_KIB: u64 = 16 * 1024;

pub fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let Some(name) = &options.name else {
        for soak in SOAKS {
            println!("{:<12}{}", soak.name, soak.about);
        }
        return Ok(());
    };
    let Some(soak) = SOAKS.iter().find(|soak| soak.name == name) else {
        let names: Vec<&str> = SOAKS.iter().map(|soak| soak.name).collect();
        return Err(
            Failure::new(format!("there is no soak '{name}'")).with_remedy(format!("choose of: {}", names.join(", ")))
        );
    };
    match soak.kind {
        Kind::Watched(command) => watched(repo, name, command, options.minutes),
        Kind::Repeated { package, test, variable, times } => {
            process::run(&mut repo.cargo(["build", "--package", "zero"]))?;
            let mut command = repo.cargo(["test", "--package", package, "--", test, "--nocapture"]);
            process::run(command.env(variable, times.to_string()))
        }
    }
}

fn watched(repo: &Repo, name: &str, command: fn(&Program, &Path, u32) -> Command, minutes: u32) -> Result<(), Failure> {
    process::run(&mut repo.cargo(["build", "--release", "--package", "zero"]))?;
    let mut program = Program::of(repo);
    program.path = repo.target.join("release").join(program.path.file_name().unwrap_or_default());
    let world = repo.target.join("soak").join(name);
    if !world.join("world.yaml").is_file() {
        fs::create_dir_all(repo.target.join("soak"))
            .map_err(|error| Failure::new(format!("{} cannot be made: {error}", world.display())))?;
        process::run(&mut program.new_world(&world))?;
    }
    let looks = watch(&mut command(&program, &world, minutes))?;
    match growth(&looks) {
        None => println!("soak {name}: passed; too short or no /proc to judge its memory ({} looks)", looks.len()),
        Some((early, late)) if late > early + TOLERANCE_KIB => {
            let remedy = format!("second quarter: {early} KiB at most; last quarter: {late} KiB at least");
            return Err(Failure::new(format!("soak {name}: its memory keeps growing")).with_remedy(remedy));
        }
        Some((early, late)) => println!("soak {name}: passed; memory {early} KiB early, {late} KiB late"),
    }
    Ok(())
}

/// Runs to the end and gives the resident memory in KiB, look by look.
fn watch(command: &mut Command) -> Result<Vec<u64>, Failure> {
    let line = process::shown(command);
    eprintln!("$ {line}");
    let mut child = command.spawn().map_err(|error| process::cannot_start(&line, &error))?;
    let started = Instant::now();
    let mut looks = Vec::new();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(looks),
            Ok(Some(status)) => {
                let after = started.elapsed().as_secs();
                return Err(Failure::new(format!("`{line}` ended with {status} after {after} s")));
            }
            Ok(None) => looks.extend(resident_kib(child.id())),
            Err(error) => return Err(Failure::new(format!("`{line}` was lost: {error}"))),
        }
        thread::sleep(INTERVAL);
    }
}

fn resident_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

/// The most of the second quarter and the least of the last: noise makes the first larger and
/// the second smaller, so only steady growth shows.
fn growth(looks: &[u64]) -> Option<(u64, u64)> {
    if looks.len() < FEWEST_LOOKS {
        return None;
    }
    let quarter = looks.len() / 4;
    let early = looks[quarter..2 * quarter].iter().max()?;
    let late = looks[looks.len() - quarter..].iter().min()?;
    Some((*early, *late))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soaks_are_sorted_and_described() {
        assert!(SOAKS.is_sorted_by(|a, b| a.name < b.name));
        assert!(SOAKS.iter().all(|soak| !soak.about.is_empty()));
    }

    #[test]
    fn steady_growth_shows_and_a_start_does_not() {
        let start: Vec<u64> = (0..40).map(|look| 100_000 + look.min(5) * 20_000).collect();
        let (early, late) = growth(&start).unwrap();
        assert!(late <= early + TOLERANCE_KIB);
        let leak: Vec<u64> = (0..40).map(|look| 100_000 + look * 2_000).collect();
        let (early, late) = growth(&leak).unwrap();
        assert!(late > early + TOLERANCE_KIB, "{early} {late}");
        assert_eq!(growth(&[1; 5]), None);
    }

    #[test]
    fn memory_of_a_process_is_read_where_the_system_tells() {
        assert_eq!(resident_kib(std::process::id()).is_some(), Path::new("/proc/self/status").exists());
    }
}
