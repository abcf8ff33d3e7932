use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::ProgramError;

/// What the lock file says about the process that owns the world. Whether it is owned at all
/// is said by the operating system's lock on the file, never by its contents: a process that
/// died leaves contents, but no lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LockRecord {
    pub pid: u32,
    /// Milliseconds since the Unix epoch; with `pid`, tells one process from its successor.
    pub started_at: u64,
    /// Absent until the owner listens.
    pub port: Option<u16>,
    pub token_path: PathBuf,
}

impl LockRecord {
    /// The record of the present owner; none while it is being written, or when the last
    /// owner ended in good order.
    pub fn read(world: &Path) -> Result<Option<LockRecord>, ProgramError> {
        let path = lock_path(world);
        check_kind(&path)?;
        match fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ProgramError::File { path, source }),
        }
    }
}

/// The right to open a world, held by at most one process at a time.
///
/// Two locks make it: one on the world's folder, which cannot be taken away from under its
/// owner, and one on the lock file, which says where to attach. Where a folder cannot be locked
/// the file is all there is; [`WorldLock::look_after`] finds out if that was taken away.
#[derive(Debug)]
pub struct WorldLock {
    file: File,
    /// Held, not used.
    _folder: Option<File>,
    world: PathBuf,
    path: PathBuf,
    record: LockRecord,
}

impl WorldLock {
    /// Takes the lock, or answers none when another process holds it.
    pub fn try_acquire(world: &Path) -> Result<Option<WorldLock>, ProgramError> {
        match lock_folder(world) {
            FolderLock::Taken => Ok(None),
            FolderLock::Mine(folder) => WorldLock::try_acquire_file(world, Some(folder)),
            FolderLock::CannotBeLocked => WorldLock::try_acquire_file(world, None),
        }
    }

    fn try_acquire_file(world: &Path, folder: Option<File>) -> Result<Option<WorldLock>, ProgramError> {
        let path = lock_path(world);
        let Some(file) = lock_file(world, &path)? else { return Ok(None) };
        let record = LockRecord {
            pid: std::process::id(),
            started_at: now_millis(),
            port: None,
            token_path: state_dir(world).join("token"),
        };
        let mut lock = WorldLock { file, _folder: folder, world: world.to_owned(), path, record };
        lock.write_record()?;
        Ok(Some(lock))
    }

    pub fn record(&self) -> &LockRecord {
        &self.record
    }

    /// Tells the processes that wait where to attach.
    pub fn publish_port(&mut self, port: u16) -> Result<(), ProgramError> {
        self.record.port = Some(port);
        self.write_record()
    }

    /// To be called now and then: puts back a lock file that was taken away or written over. Refused with
    /// `world/lock_lost` when another process holds the one that is there now: the world is no
    /// longer ours to write.
    pub fn look_after(&mut self) -> Result<(), ProgramError> {
        if is_at(&self.file, &self.path) {
            let says = fs::read(&self.path).unwrap_or_default();
            return if says == self.record_text() { Ok(()) } else { self.write_record() };
        }
        match lock_file(&self.world, &self.path) {
            Ok(Some(file)) => {
                tracing::warn!(file = %self.path.display(), "the lock file was taken away and is put back");
                self.file = file;
                self.write_record()
            }
            Ok(None) => Err(ProgramError::LockLost { pid: self.record.pid, path: self.path.clone() }),
            // Nobody can own the world by what is there.
            Err(error) => {
                tracing::warn!(%error, "the lock file was taken away and cannot be put back");
                Ok(())
            }
        }
    }

    fn record_text(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(&self.record).expect("a record of plain fields has a JSON form");
        text.push(b'\n');
        text
    }

    fn write_record(&mut self) -> Result<(), ProgramError> {
        let text = self.record_text();
        // In place: the lock belongs to this file, a replacement would be unlocked.
        (|| {
            self.file.set_len(0)?;
            self.file.rewind()?;
            self.file.write_all(&text)?;
            self.file.flush()
        })()
        .map_err(|source| ProgramError::File { path: self.path.clone(), source })
    }
}

impl Drop for WorldLock {
    fn drop(&mut self) {
        // Emptied first, so that nobody reads a port nobody listens on. Failing is harmless:
        // closing the file gives up the lock, and readers check who answers.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Opens the file at `path` and locks it; none when another process holds it. What is locked is
/// what lies there: a file that was replaced between the two is tried anew.
fn lock_file(world: &Path, path: &Path) -> Result<Option<File>, ProgramError> {
    const TRIES: usize = 16;
    let failed = |source| ProgramError::File { path: path.to_owned(), source };
    for _ in 0..TRIES {
        make_state_dir(world)?;
        check_kind(path)?;
        let file = open_private(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) if is_at(&file, path) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
    }
    Err(failed(io::Error::other("it is replaced all the time")))
}

enum FolderLock {
    Mine(File),
    Taken,
    /// By this system, or on this disk.
    CannotBeLocked,
}

fn lock_folder(world: &Path) -> FolderLock {
    if cfg!(not(unix)) {
        return FolderLock::CannotBeLocked;
    }
    let Ok(folder) = File::open(world) else { return FolderLock::CannotBeLocked };
    match folder.try_lock() {
        Ok(()) => FolderLock::Mine(folder),
        Err(TryLockError::WouldBlock) => FolderLock::Taken,
        Err(TryLockError::Error(_)) => FolderLock::CannotBeLocked,
    }
}

/// Whether `file` is what lies at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(file), Ok(there)) => identity(file) == identity(there),
        _ => false,
    }
}

/// An open file cannot be taken away here.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

fn make_state_dir(world: &Path) -> Result<(), ProgramError> {
    let path = state_dir(world);
    match fs::metadata(&path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(ProgramError::LockPath { path, found: "not a folder", expected: "a folder" }),
        Err(_) => fs::create_dir_all(&path).map_err(|source| ProgramError::File { path, source }),
    }
}

fn check_kind(path: &Path) -> Result<(), ProgramError> {
    let refuse = |found| Err(ProgramError::LockPath { path: path.to_owned(), found, expected: "a file" });
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => refuse("a folder"),
        Ok(found) if !found.is_file() => refuse("neither a file nor a folder"),
        _ => Ok(()),
    }
}

/// The world's folder for what is not authored.
pub fn state_dir(world: &Path) -> PathBuf {
    world.join(".zero")
}

fn lock_path(world: &Path) -> PathBuf {
    state_dir(world).join("lock")
}

/// Opens or creates a file that only its owner can read, keeping its contents.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn now_millis() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Reads a small private file whole.
pub fn read_text(path: &Path) -> io::Result<String> {
    const LIMIT_BYTES: u64 = 4096;
    let mut text = String::new();
    File::open(path)?.take(LIMIT_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_the_record_follows_it() {
        let world = tempfile::tempdir().unwrap();
        assert_eq!(LockRecord::read(world.path()).unwrap(), None);
        let mut lock = WorldLock::try_acquire(world.path()).unwrap().expect("free");
        assert!(WorldLock::try_acquire(world.path()).unwrap().is_none());
        assert_eq!(LockRecord::read(world.path()).unwrap().unwrap().port, None);
        lock.publish_port(4321).unwrap();
        let record = LockRecord::read(world.path()).unwrap().unwrap();
        assert_eq!((record.port, record.pid), (Some(4321), std::process::id()));
        assert_eq!(&record, lock.record());
        drop(lock);
        assert_eq!(LockRecord::read(world.path()).unwrap(), None);
        assert!(WorldLock::try_acquire(world.path()).unwrap().is_some());
    }

    #[test]
    fn a_dead_owners_record_does_not_hold_the_world() {
        let world = tempfile::tempdir().unwrap();
        fs::create_dir_all(state_dir(world.path())).unwrap();
        fs::write(state_dir(world.path()).join("lock"), r#"{"pid":1,"startedAt":5,"port":9,"tokenPath":"/nowhere"}"#)
            .unwrap();
        assert_eq!(LockRecord::read(world.path()).unwrap().unwrap().port, Some(9));
        let lock = WorldLock::try_acquire(world.path()).unwrap().expect("no process holds it");
        assert_eq!(LockRecord::read(world.path()).unwrap().as_ref(), Some(lock.record()));
    }

    #[test]
    fn a_lock_file_that_is_taken_away_lets_nobody_in_and_is_put_back() {
        let world = tempfile::tempdir().unwrap();
        let mut lock = WorldLock::try_acquire(world.path()).unwrap().expect("free");
        lock.publish_port(4321).unwrap();
        let file = state_dir(world.path()).join("lock");
        for take_away in [
            (|file: &Path| fs::remove_file(file).unwrap()) as fn(&Path),
            |file| fs::rename(file, file.with_extension("old")).unwrap(),
            |file| fs::remove_dir_all(file.parent().unwrap()).unwrap(),
            |file| {
                fs::write(file.with_extension("other"), "{}").unwrap();
                fs::rename(file.with_extension("other"), file).unwrap();
            },
            |file| fs::write(file, "junk").unwrap(),
        ] {
            take_away(&file);
            assert!(WorldLock::try_acquire(world.path()).unwrap().is_none(), "it has one owner");
            lock.look_after().unwrap();
            assert_eq!(LockRecord::read(world.path()).unwrap().as_ref(), Some(lock.record()));
            assert!(lock_file(world.path(), &file).unwrap().is_none(), "what was put back is locked");
        }
        drop(lock);
        assert!(WorldLock::try_acquire(world.path()).unwrap().is_some());
    }

    #[test]
    fn where_folders_cannot_be_locked_the_first_owner_finds_that_there_is_a_second() {
        let world = tempfile::tempdir().unwrap();
        let claim = || WorldLock::try_acquire_file(world.path(), None).unwrap();
        let mut first = claim().expect("free");
        assert!(claim().is_none());
        fs::remove_file(state_dir(world.path()).join("lock")).unwrap();
        let mut second = claim().expect("there is no lock any more");
        let error = first.look_after().unwrap_err();
        assert_eq!(error.code(), "world/lock_lost");
        assert!(error.to_string().contains("no longer owns"), "{error}");
        second.look_after().unwrap();
        drop(first);
        assert_eq!(LockRecord::read(world.path()).unwrap().as_ref(), Some(second.record()));
    }

    #[test]
    fn what_cannot_be_the_lock_is_named() {
        let world = tempfile::tempdir().unwrap();
        fs::create_dir_all(state_dir(world.path()).join("lock")).unwrap();
        let refused = |error: ProgramError| (error.code(), error.to_string());
        for (code, text) in [
            refused(WorldLock::try_acquire(world.path()).unwrap_err()),
            refused(LockRecord::read(world.path()).unwrap_err()),
        ] {
            assert_eq!(code, "world/lock_path");
            assert!(text.contains(".zero/lock is a folder, and must be a file of the engine's own"), "{text}");
        }
        fs::remove_dir_all(state_dir(world.path())).unwrap();
        fs::write(state_dir(world.path()), "").unwrap();
        let (code, text) = refused(WorldLock::try_acquire(world.path()).unwrap_err());
        assert_eq!(code, "world/lock_path");
        assert!(text.contains(".zero is not a folder"), "{text}");
    }

    #[test]
    fn half_a_record_reads_as_none() {
        let world = tempfile::tempdir().unwrap();
        fs::create_dir_all(state_dir(world.path())).unwrap();
        fs::write(state_dir(world.path()).join("lock"), r#"{"pid":1,"#).unwrap();
        assert_eq!(LockRecord::read(world.path()).unwrap(), None);
    }
}
