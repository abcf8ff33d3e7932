//! What a caller can ask of the engine, as data: the same operations for MCP, the command
//! line and an attached process.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use zero_base::{Fault, Hash};

/// One request. Every variant is one MCP tool or one command of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    Execute(Execute),
    ReadFile(ReadFile),
    WriteFile(WriteFile),
    EditFile(EditFile),
    Guides(Guides),
    SearchTools(SearchTools),
    DescribeTool {
        tool: String,
        toolbox: Option<String>,
    },
    UseTool(UseTool),
    Capture(Capture),
    Play,
    Pause {
        paused: bool,
    },
    Edit,
    /// Advances play by whole frames of 1/60 s, whatever the clock says.
    Step {
        frames: u32,
    },
    Wait {
        task: u64,
        timeout_secs: Option<f64>,
        logs: LogLevel,
    },
    Cancel {
        task: u64,
    },
    LoadScene {
        identity: String,
    },
    Check {
        path: Option<String>,
    },
    Hash,
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

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadFile {
    pub path: String,
    /// First line, from 1.
    pub offset: Option<u64>,
    pub limit: Option<u64>,
}

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

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EditFile {
    pub path: String,
    pub old: String,
    pub new: String,
    pub replace_all: bool,
    pub base: Option<Hash>,
    pub durable: bool,
}

/// Without a path or query: the index, README first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guides {
    pub path: Option<String>,
    pub query: Option<String>,
    pub list: bool,
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchTools {
    pub query: Option<String>,
    pub toolbox: Option<String>,
    pub schema: bool,
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UseTool {
    pub calls: Vec<ToolCall>,
    /// Answer in the form of a batch even when there is one call.
    pub batch: bool,
    pub mode: BatchMode,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    pub toolbox: Option<String>,
    /// The tool's name, or `toolbox.tool`.
    pub tool: String,
    /// An array: positional. An object: by parameter name.
    pub args: Value,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchMode {
    /// Stops at the first call that fails.
    #[default]
    Sequential,
    Parallel,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capture {
    /// `main` (the scene's camera), `camera` (of `entity`), `entity` (framed whole) or `position`.
    pub source: Option<String>,
    /// An entity's id or name.
    pub entity: Option<String>,
    pub position: Option<[f64; 3]>,
    pub look_at: Option<[f64; 3]>,
    pub fov_degrees: Option<f64>,
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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    pub png_base64: String,
    pub width: u32,
    pub height: u32,
}

pub type Outcome = Result<Answer, Fault>;
