//! `cargo xtask run`: from a fresh checkout to a picture and a server for agents.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use crate::failure::Failure;
use crate::machine::{Machine, Need};
use crate::process;
use crate::program::{FIRST_SCENE, Program, Server};
use crate::repo::Repo;

#[derive(Args)]
pub struct Options {
    /// Ends after the picture.
    #[arg(long)]
    once: bool,
    /// The world to play in and to serve; made when it is not there. The one made without this
    /// lies in worlds/sample.
    #[arg(long, value_name = "DIR")]
    world: Option<PathBuf>,
    /// The port to serve on; a free one without this.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

const SAMPLE_WORLD: &str = "worlds/sample";
/// One second of play.
const FRAMES: u32 = 60;
/// How long a server may take to open its world before nothing more is said about it.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let machine = Machine::prepared(&[Need::Compiler, Need::Vulkan]);
    machine.require(&[Need::Compiler])?;
    build(repo, &machine)?;
    let program = Program::of(repo);
    let world = make_world(repo, options, &program)?;
    play(&machine, &program, &world)?;
    if options.once {
        return Ok(());
    }
    serve(&program, &world, options.port)
}

fn build(repo: &Repo, machine: &Machine) -> Result<(), Failure> {
    let mut command = repo.cargo(["build", "--package", "zero"]);
    if let Some(compiler) = &machine.compiler {
        compiler.apply(&mut command);
    }
    process::run(&mut command)
}

/// The world's folder, absolute.
fn make_world(repo: &Repo, options: &Options, program: &Program) -> Result<PathBuf, Failure> {
    let world = match &options.world {
        Some(world) => world.clone(),
        None => repo.root.join(SAMPLE_WORLD),
    };
    if !world.join("world.yaml").is_file() {
        if let Some(parent) = world.parent() {
            fs::create_dir_all(parent).map_err(|error| cannot_use(&world, &error))?;
        }
        process::run(&mut program.new_world(&world))?;
    }
    world.canonicalize().map_err(|error| cannot_use(&world, &error))
}

fn cannot_use(world: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot hold a world: {error}", world.display()))
        .with_remedy("name another folder with --world")
}

fn play(machine: &Machine, program: &Program, world: &Path) -> Result<(), Failure> {
    if !machine.vulkan.draws() {
        eprintln!("no picture: {}", machine.vulkan.describe());
        return process::run(&mut program.play(world, FIRST_SCENE, FRAMES, None));
    }
    let name = FIRST_SCENE.rsplit('.').next().unwrap_or(FIRST_SCENE);
    let picture = world.join(format!("{name}.png"));
    process::run(&mut program.play(world, FIRST_SCENE, FRAMES, Some(&picture)))?;
    println!("\nThe picture after one second of play:\n  {}", picture.display());
    Ok(())
}

fn serve(program: &Program, world: &Path, port: Option<u16>) -> Result<(), Failure> {
    let mut command = program.serve(world, port);
    let line = process::shown(&command);
    eprintln!("$ {line}");
    let mut child = command.spawn().map_err(|error| process::cannot_start(&line, &error))?;
    if let Some(server) = wait_for(world, &mut child) {
        print!("{}", welcome(&program.stdio_client(world), &server));
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("`{line}` ended with {status}"))),
        Err(error) => Err(Failure::new(format!("`{line}` was lost: {error}"))),
    }
}

/// None when it ended, or said nothing for too long.
fn wait_for(world: &Path, child: &mut Child) -> Option<Server> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
        if let Some(server) = Server::find(world, child.id()) {
            return Some(server);
        }
        thread::sleep(Duration::from_millis(50));
    }
    None
}

fn welcome(stdio: &Value, server: &Server) -> String {
    format!(
        "\nServing MCP at {}\nToken: {}\n\n\
         To connect a client to this server:\n{}\n\n\
         Or let the client start Zero itself (it attaches to this server while it runs):\n{}\n\n\
         Ctrl-C ends it.\n",
        server.address(),
        server.token,
        pretty(&server.http_client()),
        pretty(stdio),
    )
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_welcome_holds_what_a_client_needs() {
        let server = Server { port: 4100, token: "abc".into() };
        let program = Program { path: "/repo/target/debug/zero".into(), library: "/repo".into() };
        let text = welcome(&program.stdio_client(Path::new("/w")), &server);
        for part in
            ["http://127.0.0.1:4100/mcp", "Bearer abc", "\"command\": \"/repo/target/debug/zero\"", "\"mcpServers\""]
        {
            assert!(text.contains(part), "{part}:\n{text}");
        }
    }
}
