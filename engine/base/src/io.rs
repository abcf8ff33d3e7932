mod sim;

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::UNIX_EPOCH;

pub use sim::SimIo;

/// What a directory entry is. Links are reported as links and never followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    File,
    Folder,
    Link,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    pub name: String,
    pub kind: FileKind,
}

/// What tells an unchanged file from a changed one without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    pub kind: FileKind,
    pub size: u64,
    /// Nanoseconds since the Unix epoch.
    pub modified_nanos: i128,
    pub inode: u64,
}

/// All file access of the engine. A write is durable only after `sync_file`, a new or renamed
/// name only after `sync_dir` of its folder: a simulated disk takes both at their word.
pub trait Io: Send + Sync + 'static {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Reads at most `limit` bytes; `InvalidData` when the file is larger. `expected` is the size
    /// the file had when it was looked at: it may have grown or shrunk since.
    fn read_at_most(&self, path: &Path, limit: u64, expected: u64) -> io::Result<Vec<u8>>;
    /// Creates or replaces the file.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Creates the file if need be and adds to its end.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    fn truncate(&self, path: &Path, size: u64) -> io::Result<()>;
    fn sync_file(&self, path: &Path) -> io::Result<()>;
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Replaces `to` if it exists.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Sorted by name. Names that are not UTF-8 are left out.
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>>;
    /// Of the entry itself: a link is not followed.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealIo;

impl Io for RealIo {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn read_at_most(&self, path: &Path, limit: u64, expected: u64) -> io::Result<Vec<u8>> {
        // One more than expected: the read that finds the end needs no more room.
        let room = usize::try_from(expected.min(limit)).unwrap_or(usize::MAX).saturating_add(1);
        let mut bytes = Vec::with_capacity(room);
        fs::File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("larger than {limit} bytes")));
        }
        Ok(bytes)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::write(path, bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes)
    }

    fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        fs::OpenOptions::new().write(true).open(path)?.set_len(size)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        fs::File::open(path)?.sync_all()
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        fs::File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string() {
                entries.push(DirEntry { name, kind: kind_of(entry.file_type()?) });
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let metadata = fs::symlink_metadata(path)?;
        let modified_nanos = match metadata.modified()?.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_nanos() as i128,
            Err(before) => -(before.duration().as_nanos() as i128),
        };
        Ok(Metadata {
            kind: kind_of(metadata.file_type()),
            size: metadata.len(),
            modified_nanos,
            inode: inode(&metadata),
        })
    }
}

fn kind_of(file_type: fs::FileType) -> FileKind {
    if file_type.is_file() {
        FileKind::File
    } else if file_type.is_dir() {
        FileKind::Folder
    } else if file_type.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Other
    }
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}
