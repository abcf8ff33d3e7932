//! What the engine thread holds, apart from the Luau machine.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use serde_json::Value as Json;
use zero_assets::Assets;
use zero_base::{Diagnostic, Fault, Hash};
use zero_render::Renderer;
use zero_vfs::{Vfs, VfsPath};
use zero_world::{SceneDoc, World};

use crate::ops::LogLevel;

/// Characters of one log line that are kept.
const LOG_LINE_CHARS: usize = 4096;
/// Failures that replies carry until the mode changes.
const RECENT_ERRORS: usize = 5;
/// Log lines kept for whoever asks later.
const LOG_LINES_KEPT: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Edit,
    Play,
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::Edit => "edit",
            Mode::Play => "play",
        }
    }
}

/// The scene that is open.
#[derive(Debug, Clone)]
pub(crate) struct OpenScene {
    /// None for a world without any scene: its entities have no file yet.
    pub identity: Option<String>,
    /// `scene.yaml`.
    pub file: Option<VfsPath>,
    pub file_hash: Option<Hash>,
    /// Hash of the entities as the file has them.
    pub saved: Option<Hash>,
    /// A library's: changes stay in the journal until saved under another name.
    pub read_only: bool,
}

impl OpenScene {
    /// The name entity changes are journaled under.
    pub(crate) fn key(&self) -> &str {
        self.identity.as_deref().unwrap_or("untitled")
    }
}

#[derive(Debug, Clone)]
pub(crate) struct LogLine {
    pub level: LogLevel,
    pub source: String,
    pub text: String,
}

impl LogLine {
    /// A line as it is kept: what is too long to be read is cut, and says so.
    pub(crate) fn new(level: LogLevel, source: String, text: String) -> LogLine {
        let Some((end, _)) = text.char_indices().nth(LOG_LINE_CHARS) else { return LogLine { level, source, text } };
        let text = format!("{}… {} more bytes", &text[..end], text.len() - end);
        LogLine { level, source, text }
    }

    pub(crate) fn to_json(&self) -> Json {
        serde_json::json!({ "level": self.level, "source": self.source, "text": self.text })
    }
}

/// A component script that has been loaded.
#[derive(Debug, Clone)]
pub(crate) struct ComponentInfo {
    /// Its `init.luau`.
    pub path: VfsPath,
    /// Has lifecycle functions, methods or events: each component gets an instance.
    pub scripted: bool,
}

/// How the world stood when play began.
pub(crate) struct BeforePlay {
    pub scene: OpenScene,
    pub dirty: bool,
    pub doc: SceneDoc,
}

pub(crate) struct State {
    pub root: PathBuf,
    pub name: String,
    pub settings: Json,
    pub vfs: Vfs,
    pub assets: Assets,
    pub world: World,
    pub scene: OpenScene,
    /// The open scene's file may not be what was opened.
    pub scene_file_changed: bool,
    pub mode: Mode,
    pub paused: bool,
    /// Frames since play began.
    pub frame: u64,
    /// Seconds of game time since play began; of the clock since the start otherwise.
    pub time: f64,
    /// Frames that a caller asked for while play is paused.
    pub frames_requested: u64,
    /// When the next frame is due, in seconds of the clock.
    pub next_frame_at: f64,
    pub before_play: Option<BeforePlay>,
    pub components: BTreeMap<String, ComponentInfo>,
    /// What is wrong with scripts and scenes, by the file that says so.
    pub problems: BTreeMap<String, Vec<Diagnostic>>,
    /// Files of this world that are still to be looked at for what is wrong with them.
    pub unchecked: BTreeSet<VfsPath>,
    /// Engine systems that components name and this build lacks, once reported.
    pub missing_systems: BTreeSet<String>,
    /// Changed while the edit machine was parked: it hears of them after play.
    pub missed_by_edit: BTreeSet<VfsPath>,
    /// The last things that failed at run time since the mode began, oldest first.
    pub recent_errors: VecDeque<String>,
    pub logs: VecDeque<LogLine>,
    pub renderer: Option<Result<Renderer, Fault>>,
    pub pictures: bool,
}

impl State {
    pub(crate) fn log(&mut self, line: LogLine) {
        match line.level {
            LogLevel::Error => tracing::error!(source = %line.source, "{}", line.text),
            LogLevel::Warn => tracing::warn!(source = %line.source, "{}", line.text),
            LogLevel::Info => tracing::info!(source = %line.source, "{}", line.text),
            LogLevel::Debug => tracing::debug!(source = %line.source, "{}", line.text),
        }
        if self.logs.len() == LOG_LINES_KEPT {
            self.logs.pop_front();
        }
        self.logs.push_back(line);
    }

    /// Mode, scene and world, as every reply of `execute` carries them, and what is wrong.
    pub(crate) fn summary(&self) -> Json {
        let mut summary = serde_json::json!({
            "mode": self.mode.name(),
            "paused": self.paused,
            "timeScale": 1,
            "activeScene": self.scene.key(),
            "world": self.name,
        });
        self.put_errors(&mut summary);
        summary
    }

    /// `errors`: what failed at run time; left out where nothing did.
    pub(crate) fn put_errors(&self, value: &mut Json) {
        if !self.recent_errors.is_empty() {
            value["errors"] = serde_json::json!(self.recent_errors);
        }
    }

    pub(crate) fn note_error(&mut self, text: String) {
        if self.recent_errors.contains(&text) {
            return;
        }
        if self.recent_errors.len() == RECENT_ERRORS {
            self.recent_errors.pop_front();
        }
        self.recent_errors.push_back(text);
    }

    /// Whether the entities differ from what the scene's file says. In play: whether they did
    /// when play began.
    pub(crate) fn scene_is_dirty(&self) -> bool {
        match &self.before_play {
            Some(before) => before.dirty,
            None => self.scene.saved != Some(self.world.hash()),
        }
    }
}
