use std::io;
use std::path::Path;

use zero_base::{Hash, Io};

use crate::Vfs;

/// A file that may be lost: what it holds was worked out from others. It is read back as it was
/// saved, or not at all.
pub(crate) fn load(io: &dyn Io, path: &Path, title: &str) -> Option<Vec<u8>> {
    let mut bytes = io.read(path).ok()?;
    let (hash, body) = bytes.strip_prefix(title.as_bytes())?.strip_prefix(b"\n")?.split_first_chunk::<32>()?;
    if Hash::of(body).as_bytes() != hash {
        return None;
    }
    let start = bytes.len() - body.len();
    bytes.drain(..start);
    Some(bytes)
}

/// Whether what is saved must be there after a power cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    Now,
    /// What a power cut makes of it is found damaged by its hash, and is worked out again.
    Never,
}

/// Writes what [`load`] reads: beside, then renamed into place. `title` names the format and its
/// version.
pub(crate) fn save(io: &dyn Io, path: &Path, (title, body): (&str, &[u8]), durability: Durability) -> io::Result<()> {
    let bytes = [title.as_bytes(), b"\n", Hash::of(body).as_bytes(), body].concat();
    let beside = path.with_extension("new");
    io.write(&beside, &bytes)?;
    if durability == Durability::Never {
        return io.rename(&beside, path);
    }
    io.sync_file(&beside)?;
    io.rename(&beside, path)?;
    io.sync_dir(path.parent().expect("the cache lies in a folder"))
}

impl Vfs {
    /// What was kept as `.zero/cache/<name>` with the same title; none when there is no such
    /// file, or it is damaged or of another version. For what can be worked out again.
    pub fn load_cache(&self, name: &'static str, title: &str) -> Option<Vec<u8>> {
        load(&*self.io, &self.cache.join(name), title)
    }

    /// Keeps `body` for the next opening of the world. `title` names its format and version.
    /// Losing it costs time, not content: it is not synced.
    pub fn keep_cache(&self, name: &'static str, title: &str, body: &[u8]) {
        if let Err(error) = save(&*self.io, &self.cache.join(name), (title, body), Durability::Never) {
            tracing::warn!(name, %error, "a cache could not be saved");
        }
    }

    /// Saves what every file was found to be, if the world was seen for the first time: for
    /// whoever indexes it to do meanwhile, else it is done when the world is closed. Not synced:
    /// if it is lost, the next look is the first again.
    pub fn keep_first_look(&self) {
        if self.is_first_look {
            self.save_changed_cache(Durability::Never);
        }
    }
}
