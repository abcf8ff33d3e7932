//! A throw-away world with an engine, for races of the whole thing.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use zero_base::{Caller, Transport};
use zero_runtime::{Engine, EngineConfig, Execute, Op, create_world};

pub struct World {
    engine: Engine,
    folder: TempDir,
}

impl World {
    /// Without pictures, over the library the program carries.
    pub fn new() -> World {
        World::over(None)
    }

    /// Over the library in a folder laid out as the checkout is.
    pub fn over(builtin: Option<PathBuf>) -> World {
        let folder = TempDir::new().expect("a temporary folder can be made");
        create_world(folder.path(), "race").expect("a world can be made in an empty folder");
        let config = EngineConfig { world: folder.path().to_owned(), builtin, pictures: false };
        World { engine: Engine::open(config).expect("a new world opens"), folder }
    }

    pub fn source(&self) -> PathBuf {
        self.folder.path().join("source")
    }

    pub fn call(&self, op: Op) -> Value {
        let answer =
            self.engine.call_blocking(Caller::new("race", Transport::Engine), op).expect("the call is carried out");
        assert!(!answer.failed, "{:#}", answer.value);
        answer.value
    }

    pub fn run(&self, code: &str) -> Value {
        self.call(Op::Execute(Execute { code: Some(code.to_owned()), ..Execute::default() }))["result"].clone()
    }
}

/// A folder with all it holds.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("folders can be made");
    for entry in std::fs::read_dir(from).expect("the folder can be read") {
        let entry = entry.expect("the folder can be read");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("the file can be copied");
        }
    }
}

pub fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
    std::fs::write(path, text).expect("the file can be written");
}
