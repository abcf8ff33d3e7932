//! What the Luau machine sees of the world's files.

use std::rc::{Rc, Weak};

use zero_assets::Root;
use zero_base::Fault;
use zero_script::{Host, PrintLevel, Source};
use zero_vfs::VfsPath;

use crate::ops::LogLevel;
use crate::shared::Shared;
use crate::state::State;

pub(crate) struct EngineHost {
    shared: Weak<Shared>,
}

impl EngineHost {
    pub(crate) fn new(shared: &Rc<Shared>) -> EngineHost {
        EngineHost { shared: Rc::downgrade(shared) }
    }

    fn shared(&self) -> Result<Rc<Shared>, Fault> {
        self.shared.upgrade().ok_or_else(|| Fault::new("engine/gone", "the engine is shutting down"))
    }
}

impl Host for EngineHost {
    fn resolve(&self, from: &str, name: &str) -> Result<String, Fault> {
        let shared = self.shared()?;
        let state = shared.state.borrow();
        let from = VfsPath::parse(from)?;
        Ok(state.assets.resolve_require(&state.vfs, &from, name)?.as_str().to_owned())
    }

    fn source(&self, path: &str) -> Result<Source, Fault> {
        let shared = self.shared()?;
        let state = shared.state.borrow();
        let path = VfsPath::parse(path)?;
        Ok(Source { text: state.vfs.read_text(&path)?, name: chunk_name(&state, &path) })
    }

    fn print(&self, level: PrintLevel, text: &str, path: Option<&str>) {
        let Ok(shared) = self.shared() else { return };
        let level = match level {
            PrintLevel::Info => LogLevel::Info,
            PrintLevel::Warn => LogLevel::Warn,
        };
        let source = path
            .and_then(|path| VfsPath::parse(path).ok())
            .map(|path| chunk_name(&shared.state.borrow(), &path))
            .unwrap_or_else(|| "script".to_owned());
        shared.log(level, source, text);
    }
}

/// What traces call a file: `@local.source.<identity>` or `@<lib>::<identity>`, and the rest
/// of the path for a file that is not its asset's `init`.
pub(crate) fn chunk_name(state: &State, path: &VfsPath) -> String {
    let Some(asset) = state.assets.containing(path) else {
        // A chunk that is no file only stands somewhere for its requires.
        let file = state.vfs.stat(path).is_some();
        let name = if file { path.as_str() } else { path.name().trim_end_matches(".luau") };
        return name.to_owned();
    };
    let identity = match &asset.root {
        Root::Source => format!("@local.source.{}", asset.identity),
        Root::Library(_) => asset.identity.clone(),
    };
    match path.relative_to(&asset.path) {
        None | Some("init.luau" | "init.lua") => identity,
        Some(rest) => format!("{identity}/{rest}"),
    }
}
