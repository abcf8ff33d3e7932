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
        match fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ProgramError::File { path, source }),
        }
    }
}

/// The right to open a world, held by at most one process at a time.
#[derive(Debug)]
pub struct WorldLock {
    file: File,
    path: PathBuf,
    record: LockRecord,
}

impl WorldLock {
    /// Takes the lock, or answers none when another process holds it.
    pub fn try_acquire(world: &Path) -> Result<Option<WorldLock>, ProgramError> {
        let path = lock_path(world);
        let failed = |source| ProgramError::File { path: path.clone(), source };
        fs::create_dir_all(state_dir(world)).map_err(failed)?;
        let file = open_private(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let record = LockRecord {
            pid: std::process::id(),
            started_at: now_millis(),
            port: None,
            token_path: state_dir(world).join("token"),
        };
        let mut lock = WorldLock { file, path: path.clone(), record };
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

    fn write_record(&mut self) -> Result<(), ProgramError> {
        let mut text = serde_json::to_vec(&self.record).expect("a record of plain fields has a JSON form");
        text.push(b'\n');
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
    fn half_a_record_reads_as_none() {
        let world = tempfile::tempdir().unwrap();
        fs::create_dir_all(state_dir(world.path())).unwrap();
        fs::write(state_dir(world.path()).join("lock"), r#"{"pid":1,"#).unwrap();
        assert_eq!(LockRecord::read(world.path()).unwrap(), None);
    }
}
