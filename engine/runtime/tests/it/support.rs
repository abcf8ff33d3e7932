use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use zero_base::{Caller, Fault, Transport};
use zero_runtime::{Answer, Engine, EngineConfig, Execute, LogLevel, Op, ToolCall, UseTool, create_world};

/// A world in a folder of its own, and the engine that runs it.
pub struct World {
    pub engine: Engine,
    folder: TempDir,
}

impl World {
    pub fn new() -> World {
        let folder = TempDir::new().unwrap();
        create_world(folder.path(), "test").unwrap();
        World { engine: open(folder.path()), folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Ends the engine as a clean stop does, and opens the folder again.
    pub fn reopen(self) -> World {
        let World { engine, folder } = self;
        engine.call_blocking(caller(), Op::Shutdown).unwrap();
        drop(engine);
        World { engine: open(folder.path()), folder }
    }

    pub fn call(&self, op: Op) -> Result<Answer, Fault> {
        self.engine.call_blocking(caller(), op)
    }

    /// The result of a chunk that succeeds.
    #[track_caller]
    pub fn run(&self, code: &str) -> Value {
        let answer = self.execute(code);
        assert!(!answer.failed, "{code}\n{:#}", answer.value);
        answer.value["result"].clone()
    }

    /// The error of a chunk that fails, code and message.
    #[track_caller]
    pub fn fails(&self, code: &str) -> (String, String) {
        match self.call(Op::Execute(Execute { code: Some(code.to_owned()), ..Execute::default() })) {
            Ok(answer) => {
                assert!(answer.failed, "{code}\n{:#}", answer.value);
                let error = &answer.value["error"];
                (error["code"].as_str().unwrap().to_owned(), error["message"].as_str().unwrap().to_owned())
            }
            Err(fault) => (fault.code.into_owned(), fault.message),
        }
    }

    #[track_caller]
    pub fn execute(&self, code: &str) -> Answer {
        let execute = Execute { code: Some(code.to_owned()), logs: LogLevel::Info, ..Execute::default() };
        self.call(Op::Execute(execute)).unwrap_or_else(|fault| panic!("{code}\n{fault}"))
    }

    /// Starts play, paused: it moves by [`World::steps`] only.
    pub fn play(&self) {
        self.call(Op::Pause { paused: true }).unwrap();
        self.call(Op::Play).unwrap();
    }

    pub fn steps(&self, frames: u32) {
        self.call(Op::Step { frames }).unwrap();
    }

    pub fn edit(&self) {
        self.call(Op::Edit).unwrap();
    }

    pub fn tool(&self, name: &str, args: Value) -> Value {
        let calls = vec![ToolCall { toolbox: None, tool: name.to_owned(), args }];
        self.call(Op::UseTool(UseTool { calls, ..UseTool::default() }))
            .map_or_else(|fault| json!({ "ok": false, "error": fault }), |answer| answer.value)
    }

    pub fn write(&self, path: &str, content: &str) -> Value {
        use zero_runtime::WriteFile;
        let write = WriteFile { path: path.to_owned(), content: Some(content.to_owned()), ..WriteFile::default() };
        self.call(Op::WriteFile(write)).unwrap().value
    }
}

pub fn caller() -> Caller {
    Caller::new("tester", Transport::Engine)
}

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

pub fn open(folder: &Path) -> Engine {
    let config = EngineConfig { world: folder.to_owned(), builtin: Some(repository()), pictures: true };
    Engine::open(config).unwrap()
}

/// A fenced block of a page.
#[derive(Debug, Default)]
pub struct Block {
    pub language: String,
    /// What follows the language: for Luau the file it belongs into, or nothing where it is run.
    pub what: String,
    pub code: String,
}

pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        let fence = line.trim_end().strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(info)) => {
                let (language, what) = info.split_once(' ').unwrap_or((info, ""));
                open = Some(Block { language: language.to_owned(), what: what.to_owned(), ..Block::default() });
            }
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => block.code.push_str(&format!("{line}\n")),
            (None, None) => {}
        }
    }
    blocks
}
