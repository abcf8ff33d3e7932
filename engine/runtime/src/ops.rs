//! What a caller can ask of the engine, as data: the same operations for MCP, the command
//! line and an attached process.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use zero_base::{Fault, Hash};

/// One request. Every variant is one MCP tool or one command of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// Runs Luau and answers what it returns. One transaction up to its first wait.
    Execute(Execute),
    /// A file's text, a picture's bytes, or what a folder holds.
    ReadFile(ReadFile),
    /// Puts a whole file in place.
    WriteFile(WriteFile),
    /// Replaces text in a file.
    EditFile(EditFile),
    /// Pages on how things are done.
    Guides(Guides),
    /// Tools by what they are for.
    SearchTools(SearchTools),
    /// A tool's arguments, result, examples and findings.
    DescribeTool {
        /// Its name, or `toolbox.tool`.
        tool: String,
        toolbox: Option<String>,
    },
    /// Calls tools, one after the other or together; each is a transaction of its own.
    UseTool(UseTool),
    /// A picture of the world as it stands: every change acknowledged before it is in it.
    Capture(Capture),
    /// Starts play; answers the mode where play runs already.
    Play,
    /// Holds the clock of play and of editor updates, or lets it go on.
    Pause { paused: bool },
    /// Ends play: its changes to entities, and files it wrote without `durable`, go.
    Edit,
    /// Advances play by whole frames of 1/60 s, whatever the clock says.
    Step { frames: u32 },
    /// Waits for a call that goes on as a task.
    Wait {
        task: u64,
        /// 0 to 20; absent: 20.
        timeout_secs: Option<f64>,
        logs: LogLevel,
    },
    /// Ends a running call; what it has not finished is undone.
    Cancel { task: u64 },
    /// Opens a scene in place of the current one.
    LoadScene { identity: String },
    /// Everything that is wrong with a file, a folder, or the whole world.
    Check {
        /// Absent: the world without its libraries.
        path: Option<String>,
    },
    /// Hashes of the authored files, of the entities, and of both.
    Hash,
    /// Mode, scene, problems and running calls.
    Status,
    /// Writes the checkpoint of a changed scene and ends the engine.
    Shutdown,
}

impl Op {
    /// Whether the operation can change anything; a read-only caller is refused those.
    pub fn writes(&self) -> bool {
        !matches!(
            self,
            Op::ReadFile(_)
                | Op::Guides(_)
                | Op::SearchTools(_)
                | Op::DescribeTool { .. }
                | Op::Capture(_)
                | Op::Wait { .. }
                | Op::Check { .. }
                | Op::Hash
                | Op::Status
        )
    }
}

/// How much a log line matters, the most first. What a script prints is `Info`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    #[default]
    Error,
    Warn,
    Info,
    Debug,
}

/// Runs a chunk of Luau: exactly one of `code` and `file`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Execute {
    pub code: Option<String>,
    /// A `.luau` file of the virtual file system.
    pub file: Option<String>,
    /// Seen by the script as `SCRIPT_ARGS`.
    pub args: Value,
    /// The least severe log lines the answer carries.
    pub logs: LogLevel,
    /// Whether error diagnostics stop the run; absent: as the world says.
    pub strict: Option<bool>,
}

/// Lines of a text file; whole pictures and folders.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadFile {
    pub path: String,
    /// First line, from 1.
    pub offset: Option<u64>,
    /// Lines; absent: all, or 2000 from `offset`.
    pub limit: Option<u64>,
}

/// A whole file, with the folders it needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WriteFile {
    pub path: String,
    /// Exactly one of the two.
    pub content: Option<String>,
    pub content_b64: Option<String>,
    /// The hash the file is expected to have; a stale one is refused.
    pub base: Option<Hash>,
    /// During play: write the authored file, not the play's shadow.
    pub durable: bool,
}

/// An exact text in place of another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EditFile {
    pub path: String,
    /// Must occur exactly once, unless `replace_all`.
    pub old: String,
    pub new: String,
    pub replace_all: bool,
    /// The hash the file is expected to have; absent: the one it has now.
    pub base: Option<Hash>,
    /// During play: write the authored file, not the play's shadow.
    pub durable: bool,
}

/// Without a path or query: the index, README first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guides {
    /// `core/entities`, `types/material`.
    pub path: Option<String>,
    /// Words to look for in every guide.
    pub query: Option<String>,
    /// Every guide's path and title.
    pub list: bool,
    /// Hits of a query, 1 to 50; absent: 10.
    pub limit: Option<u32>,
}

/// Without a query: every tool, by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchTools {
    /// What the tool is to do, in words.
    pub query: Option<String>,
    pub toolbox: Option<String>,
    /// Whether each hit carries the schema of its arguments.
    pub schema: bool,
    /// Hits at most.
    pub limit: Option<u32>,
}

/// Tool calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UseTool {
    pub calls: Vec<ToolCall>,
    /// Answer in the form of a batch even when there is one call.
    pub batch: bool,
    pub mode: BatchMode,
}

/// One call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    /// Needed where several toolboxes have a tool of the name.
    pub toolbox: Option<String>,
    /// The tool's name, or `toolbox.tool`.
    pub tool: String,
    /// An array: positional. An object: by parameter name.
    pub args: Value,
}

/// How the calls of a batch follow each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchMode {
    /// One after the other. Stops at the first that fails; what ran before it stands.
    #[default]
    Sequential,
    /// All at once; each fails or succeeds by itself.
    Parallel,
}

/// From where a picture is taken, and how large it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capture {
    /// `main` (the scene's camera), `camera` (of `entity`), `entity` (framed whole) or `position`.
    pub source: Option<String>,
    /// An entity's id or name.
    pub entity: Option<String>,
    /// In metres, for the source `position`.
    pub position: Option<[f64; 3]>,
    /// In metres; absent: the origin.
    pub look_at: Option<[f64; 3]>,
    /// Vertical field of view, 1 to 170; absent: the camera's own.
    pub fov_degrees: Option<f64>,
    /// Pixels, 1 to 1920; absent: 640 × 360, or 16:9 of the other side.
    pub width: Option<u32>,
    pub height: Option<u32>,
}

/// What came of a request that was carried out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Always an object.
    pub value: Value,
    /// Text meant to be read as it is (a file, a guide); `value` then describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Picture>,
    /// The operation ran, and what it ran says that it failed (a script error, a tool's
    /// non-zero exit code).
    #[serde(default)]
    pub failed: bool,
}

/// A PNG with alpha, and its size in pixels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    pub png_base64: String,
    pub width: u32,
    pub height: u32,
}

/// What a request is answered with.
pub type Outcome = Result<Answer, Fault>;
