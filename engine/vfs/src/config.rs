use std::path::PathBuf;
use std::sync::Arc;

use zero_base::{Diagnostic, Hash, Io};

use crate::{FileEvent, VfsPath};

/// The content of a library, mounted read-only at `/zero/source/libs/@<name>`.
pub enum Library {
    /// Paths below the library's root and their bytes, sorted by path.
    Embedded(&'static [(&'static str, &'static [u8])]),
    /// Folders laid over one another. Each shows its files below its prefix (`""` is the root,
    /// `"modules/api"` two folders down); where several hold the same file, the longest prefix wins.
    Disk(Vec<(String, PathBuf)>),
}

pub struct VfsConfig {
    pub io: Arc<dyn Io>,
    /// The world's folder: `source/` and `.zero/` are made in it if they are missing.
    pub world: PathBuf,
    /// Name without `@`, and content.
    pub libraries: Vec<(String, Library)>,
    /// Pick up edits made by other programs while the world is open.
    pub watch: bool,
}

/// What opening a world found and repaired.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Commits whose files were put in place now, because the engine stopped while it did.
    pub redone: Vec<u64>,
    /// Bytes of an unfinished record dropped from the end of the journal.
    pub torn_bytes: u64,
    /// Files that another program changed after a commit that was still to be put in place: the
    /// file was kept.
    pub conflicts: Vec<Conflict>,
    /// Commits that could not be put in place now either, and why.
    pub unfinished: Vec<(u64, String)>,
    /// What of the journal cannot be read, what is lost with it and what was kept: for people.
    pub damaged: Vec<Diagnostic>,
    /// Files and folders that cannot be read, and why: what is in them is missing until they can.
    pub unread: Vec<Diagnostic>,
    /// Edits made by other programs while the world was closed; already in the history.
    pub external: Vec<FileEvent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub path: VfsPath,
    /// The commit that lost.
    pub id: u64,
    /// What lies on disk.
    pub found: Option<Hash>,
    /// What the commit would have put there; [`crate::Vfs::revision`] still gives it.
    pub committed: Option<Hash>,
}
