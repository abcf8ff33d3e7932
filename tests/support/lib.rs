//! What tests that cross crates share: throw-away worlds, engines over them, and the program.
//!
//! Never part of the engine. Start at [`World`].

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use zero_base::{Caller, Fault, Transport};
use zero_runtime::{Answer, Engine, EngineConfig, Execute, Op, create_world};

/// A world in a folder of its own and an engine that runs it, over the library in the checkout.
pub struct World {
    engine: Engine,
    folder: TempDir,
}

impl World {
    pub fn new() -> World {
        let folder = new_folder();
        World { engine: open(folder.path()), folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn call(&self, op: Op) -> Result<Answer, Fault> {
        self.engine.call_blocking(Caller::new("tests", Transport::Engine), op)
    }

    /// The result of a script that succeeds.
    #[track_caller]
    pub fn run(&self, code: &str) -> Value {
        let answer = self.call(Op::Execute(Execute { code: Some(code.to_owned()), ..Execute::default() }));
        let answer = answer.unwrap_or_else(|fault| panic!("{code}\n{fault}"));
        assert!(!answer.failed, "{code}\n{:#}", answer.value);
        answer.value["result"].clone()
    }

    /// Starts play and moves it by whole frames, whatever the clock says.
    pub fn play(&self, frames: u32) {
        self.call(Op::Pause { paused: true }).expect("pausing always works");
        self.call(Op::Play).expect("the world has no errors");
        self.call(Op::Step { frames }).expect("play has begun");
    }
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

/// A folder that is a new world; no engine has it.
pub fn new_folder() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder can be made");
    create_world(folder.path(), "test").expect("an empty folder becomes a world");
    folder
}

fn open(folder: &Path) -> Engine {
    let config = EngineConfig { world: folder.to_owned(), builtin: Some(repository()), pictures: true };
    Engine::open(config).expect("a new world opens")
}

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the tests lie in the checkout")
}

/// The program, built beside this test, over a world and the library in the checkout.
pub fn program(world: &Path) -> Command {
    let test = std::env::current_exe().expect("a test knows its own file");
    let built = test.ancestors().nth(2).expect("tests lie in target/<profile>/deps").join("zero");
    assert!(built.is_file(), "{} is not built; run cargo build --package zero first", built.display());
    let mut command = Command::new(built);
    command.arg("--builtin").arg(repository()).arg("--world").arg(world);
    command
}

/// What the program printed as JSON; its errors where it printed none.
#[track_caller]
pub fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    })
}
