use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zero_base::{DirEntry, Io, Metadata, RealIo, Severity};
use zero_vfs::{Recovery, Vfs, VfsConfig};

use crate::world::{put, source};

/// A disk on which some names cannot be read.
struct Forbidden(Vec<PathBuf>);

impl Forbidden {
    fn check(&self, path: &Path) -> io::Result<()> {
        if self.0.iter().any(|forbidden| forbidden == path) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(())
    }
}

impl Io for Forbidden {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.check(path).and_then(|()| RealIo.read(path))
    }
    fn read_at_most(&self, path: &Path, limit: u64, expected: u64) -> io::Result<Vec<u8>> {
        self.check(path).and_then(|()| RealIo.read_at_most(path, limit, expected))
    }
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.check(path).and_then(|()| RealIo.read_dir(path))
    }
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealIo.write(path, bytes)
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealIo.append(path, bytes)
    }
    fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        RealIo.truncate(path, size)
    }
    fn sync_file(&self, path: &Path) -> io::Result<()> {
        RealIo.sync_file(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        RealIo.sync_dir(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealIo.rename(from, to)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        RealIo.remove_file(path)
    }
    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        RealIo.remove_dir(path)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        RealIo.create_dir_all(path)
    }
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        RealIo.metadata(path)
    }
}

fn open(world: &Path, forbidden: &[&str]) -> (Vfs, Recovery) {
    let forbidden = forbidden.iter().map(|name| world.join("source").join(name)).collect();
    let io = Arc::new(Forbidden(forbidden));
    Vfs::open(VfsConfig { io, world: world.to_owned(), libraries: Vec::new(), watch: false }).unwrap()
}

#[test]
fn what_cannot_be_read_at_opening_is_told() {
    let world = tempfile::tempdir().unwrap();
    for name in ["a.txt", "kit/b.txt", "secret/c.txt"] {
        put(&world.path().join("source").join(name), name);
    }
    let (_, recovery) = open(world.path(), &["kit/b.txt", "secret"]);
    let told: Vec<_> = recovery.unread.iter().map(|found| (found.path.as_deref().unwrap(), &*found.code)).collect();
    assert_eq!(told, [("/zero/source/kit/b.txt", "vfs/permission"), ("/zero/source/secret", "vfs/permission")]);
    assert!(recovery.unread.iter().all(|found| found.severity == Severity::Warning));
    assert!(recovery.unread[0].message.contains("missing from the world"), "{}", recovery.unread[0]);

    // It counts as new once it can be read, and as there when it cannot be read again.
    let (vfs, recovery) = open(world.path(), &[]);
    assert!(recovery.unread.is_empty());
    assert_eq!(vfs.read_text(&source("secret/c.txt")).unwrap(), "secret/c.txt");
    drop(vfs);
    let (vfs, recovery) = open(world.path(), &["a.txt"]);
    assert_eq!((recovery.unread.len(), recovery.external.len()), (1, 0));
    assert!(vfs.stat(&source("a.txt")).is_some());
}

#[test]
fn many_files_that_cannot_be_read_are_told_in_short() {
    let world = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..500).map(|number| format!("f{number:03}")).collect();
    names.iter().for_each(|name| put(&world.path().join("source").join(name), "x"));
    let (_, recovery) = open(world.path(), &names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(recovery.unread.len(), 91);
    assert!(recovery.unread[90].message.starts_with("410 more"), "{}", recovery.unread[90]);
}

#[test]
fn a_file_is_read_up_to_its_limit_whatever_size_it_was_expected_to_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, [7; 100]).unwrap();
    for expected in [0, 1, 99, 100, 101, u64::MAX] {
        assert_eq!(RealIo.read_at_most(&path, 100, expected).unwrap(), [7; 100], "expected {expected}");
        let error = RealIo.read_at_most(&path, 99, expected).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "expected {expected}");
    }
}
