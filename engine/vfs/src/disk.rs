use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use zero_base::{FileKind, Io, Metadata};

use crate::error::io_error;
use crate::path::expressible;
use crate::{Entry, Kind, VfsError, VfsPath};

/// A file the engine reads or writes has at most this many bytes.
pub(crate) const LARGEST_FILE: u64 = 64 << 20;

/// A folder of the disk and the path it is seen at. Everything below goes through here, so that
/// no link is followed: a link is refused when it is named, and not listed.
pub(crate) struct Folder {
    pub io: Arc<dyn Io>,
    pub root: PathBuf,
    pub at: VfsPath,
    /// A temporary file could not be removed and lies about.
    pub untidy: AtomicBool,
}

impl Folder {
    pub fn new(io: Arc<dyn Io>, root: PathBuf, at: VfsPath) -> Folder {
        Folder { io, root, at, untidy: AtomicBool::new(false) }
    }

    pub fn disk_path(&self, path: &VfsPath) -> PathBuf {
        match path.relative_to(&self.at) {
            Some("") | None => self.root.clone(),
            Some(relative) => self.root.join(relative),
        }
    }

    /// The path that is seen for a place on this disk, if it lies in this folder.
    pub fn seen_at(&self, disk_path: &Path) -> Option<VfsPath> {
        match disk_path.strip_prefix(&self.root).ok()?.to_str()? {
            "" => Some(self.at.clone()),
            relative => self.at.join(relative).ok(),
        }
    }

    /// What lies at `path`: a file, a folder or nothing that can be used.
    pub fn look(&self, path: &VfsPath) -> Result<Option<Metadata>, VfsError> {
        let mut place = self.root.clone();
        let mut found = match self.io.metadata(&place) {
            Ok(metadata) => metadata,
            Err(_) => return Ok(None),
        };
        let relative = path.relative_to(&self.at).unwrap_or_default();
        for segment in relative.split('/').filter(|segment| !segment.is_empty()) {
            place.push(segment);
            found = match self.io.metadata(&place) {
                Ok(metadata) if metadata.kind == FileKind::Link => return Err(VfsError::Link { path: path.clone() }),
                Ok(metadata) => metadata,
                Err(error) if is_absence(error.kind()) => return Ok(None),
                Err(error) => return Err(io_error("look at", path)(error)),
            };
        }
        Ok(Some(found).filter(|found| matches!(found.kind, FileKind::File | FileKind::Folder)))
    }

    pub fn look_at_file(&self, path: &VfsPath) -> Result<Option<Metadata>, VfsError> {
        Ok(self.look(path)?.filter(|found| found.kind == FileKind::File))
    }

    /// The bytes of a file that [`Folder::look`] found.
    pub fn read(&self, path: &VfsPath, found: &Metadata) -> Result<Vec<u8>, VfsError> {
        let too_large = |size| VfsError::TooLarge { path: path.clone(), size, limit: LARGEST_FILE };
        if found.size > LARGEST_FILE {
            return Err(too_large(found.size));
        }
        let place = self.disk_path(path);
        // It may have grown since it was looked at.
        self.io.read_at_most(&place, LARGEST_FILE, found.size).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => too_large(found.size.max(LARGEST_FILE + 1)),
            ErrorKind::NotFound => VfsError::NotFound { path: path.clone(), hint: String::new() },
            _ => io_error("read", path)(error),
        })
    }

    /// Files and folders in the folder at `path`, sorted by name; nothing if there is no such folder.
    pub fn list(&self, path: &VfsPath) -> Result<Vec<Entry>, VfsError> {
        match self.io.read_dir(&self.disk_path(path)) {
            Ok(entries) => Ok(entries.into_iter().filter_map(|entry| usable(entry.name, entry.kind)).collect()),
            Err(error) if is_absence(error.kind()) => Ok(Vec::new()),
            Err(error) => Err(io_error("list", path)(error)),
        }
    }

    /// Calls `each` for every file below the folder at `path`, without going into what `skip` names.
    pub fn each_file_below(&self, path: &VfsPath, skip: &dyn Fn(&VfsPath) -> bool, each: &mut dyn FnMut(VfsPath)) {
        let entries = match self.list(path) {
            Ok(entries) => entries,
            Err(error) => return tracing::warn!(%path, %error, "a folder is left out"),
        };
        for entry in entries {
            match path.join(&entry.name) {
                Ok(child) if skip(&child) => {}
                Ok(child) if entry.kind == Kind::Folder => self.each_file_below(&child, skip, each),
                Ok(child) => each(child),
                // Too deep or too long to be named.
                Err(_) => {}
            }
        }
    }
}

fn usable(name: String, kind: FileKind) -> Option<Entry> {
    let kind = match kind {
        FileKind::File => Kind::File,
        FileKind::Folder => Kind::Folder,
        FileKind::Link | FileKind::Other => return None,
    };
    expressible(&name).then_some(Entry { name, kind })
}

/// There is nothing at that place.
pub(crate) fn is_absence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}
