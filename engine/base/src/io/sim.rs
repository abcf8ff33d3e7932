//! A disk in memory that can be cut from power after any of its operations.

mod disk;
#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::disk::{Disk, NodeId, Operation, Unsynced};
use super::{DirEntry, Io, Metadata};
use crate::Random;

/// A simulated disk. It logs every operation, keeps what is durable apart from what is merely
/// written, and builds the disk as it could look after a power cut at any point of the log.
///
/// Harsher than a real one: every operation that was not synced may be lost, kept or, if it
/// wrote bytes, torn, each on its own. What it does promise is what `Io` promises.
pub struct SimIo(Mutex<State>);

struct State {
    /// As it was before the first operation of the log; all of it durable.
    start: Disk,
    /// As a running program sees it.
    live: Disk,
    log: Vec<Operation>,
    failure: Option<Failure>,
    denied: Vec<PathBuf>,
}

struct Failure {
    after: usize,
    kind: ErrorKind,
}

impl Default for SimIo {
    fn default() -> SimIo {
        SimIo::new()
    }
}

impl SimIo {
    /// An empty disk.
    pub fn new() -> SimIo {
        SimIo::holding(Disk::empty())
    }

    /// How many operations the log holds.
    pub fn operations(&self) -> usize {
        self.state().log.len()
    }

    /// Operation `index` in words, for the message of a failing test.
    pub fn describe(&self, index: usize) -> String {
        self.state().log.get(index).map_or_else(|| "no operation".to_owned(), |operation| format!("{operation:?}"))
    }

    /// The disk after a power cut that follows the first `operations` of the log. Seed 0 keeps
    /// all that was written (the program died, the machine did not), seed 1 loses all that was
    /// not synced, every other seed draws for each unsynced operation.
    pub fn after_cut(&self, operations: usize, seed: u64) -> SimIo {
        let state = self.state();
        let mut unsynced = Unsynced::new(state.start.clone());
        for (at, operation) in (state.start.clock + 1..).zip(&state.log[..operations.min(state.log.len())]) {
            unsynced.record(at, operation);
        }
        SimIo::holding(match seed {
            0 => unsynced.keep_all(),
            1 => unsynced.keep_none(),
            _ => unsynced.keep_some(&mut Random::seeded(seed)),
        })
    }

    /// Lets `operations` more operations pass and fails every later one, until [`SimIo::heal`].
    /// A failing write of `StorageFull` leaves half of its bytes.
    pub fn fail_after(&self, operations: usize, kind: ErrorKind) {
        let mut state = self.state();
        state.failure = Some(Failure { after: state.log.len() + operations, kind });
    }

    /// Refuses every change of the names in `folder`, until [`SimIo::heal`].
    pub fn deny(&self, folder: impl Into<PathBuf>) {
        self.state().denied.push(folder.into());
    }

    pub fn heal(&self) {
        let mut state = self.state();
        state.failure = None;
        state.denied.clear();
    }

    fn holding(disk: Disk) -> SimIo {
        SimIo(Mutex::new(State { start: disk.clone(), live: disk, log: Vec::new(), failure: None, denied: Vec::new() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn run(&mut self, operation: Operation) -> io::Result<()> {
        if let Some(failure) = &self.failure
            && self.log.len() >= failure.after
        {
            let kind = failure.kind;
            if kind == ErrorKind::StorageFull
                && let Some(half) = operation.halved()
            {
                self.log_and_apply(half);
            }
            return Err(io::Error::new(kind, "the simulated disk was told to fail"));
        }
        self.log_and_apply(operation);
        Ok(())
    }

    fn log_and_apply(&mut self, operation: Operation) {
        self.live.apply(self.live.clock + 1, &operation);
        self.log.push(operation);
    }

    fn check_allowed(&self, path: &Path) -> io::Result<()> {
        match path.parent() {
            Some(folder) if self.denied.iter().any(|denied| denied == folder) => {
                Err(io::Error::new(ErrorKind::PermissionDenied, "the simulated folder was denied"))
            }
            _ => Ok(()),
        }
    }

    /// The file at `path`, made empty if there is none.
    fn file_to_write(&mut self, path: &Path) -> io::Result<NodeId> {
        let (folder, name) = self.live.place(path)?;
        match self.live.entry(folder, &name) {
            Some(node) => self.live.file(node).map(|_| node),
            None => {
                self.check_allowed(path)?;
                let node = self.live.next_node();
                self.run(Operation::MakeFile { folder, name, node })?;
                Ok(node)
            }
        }
    }
}

impl Io for SimIo {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.state();
        Ok(state.live.file(state.live.find(path)?)?.to_vec())
    }

    fn read_at_most(&self, path: &Path, limit: u64, _: u64) -> io::Result<Vec<u8>> {
        let bytes = self.read(path)?;
        if bytes.len() as u64 > limit {
            return Err(io::Error::new(ErrorKind::InvalidData, format!("larger than {limit} bytes")));
        }
        Ok(bytes)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let node = state.file_to_write(path)?;
        state.run(Operation::Replace { node, bytes: bytes.into() })
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let node = state.file_to_write(path)?;
        let offset = state.live.file(node)?.len();
        state.run(Operation::Write { node, offset, bytes: bytes.into() })
    }

    fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        let mut state = self.state();
        let node = state.live.find(path)?;
        state.live.file(node)?;
        state.run(Operation::Truncate { node, size: size as usize })
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let node = state.live.find(path)?;
        state.live.file(node)?;
        state.run(Operation::SyncFile { node })
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let folder = state.live.find(path)?;
        state.live.folder(folder)?;
        state.run(Operation::SyncFolder { folder })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let ((from_folder, from_name), (to_folder, to_name)) = (state.live.place(from)?, state.live.place(to)?);
        let node = state.live.find(from)?;
        if let Some(old) = state.live.entry(to_folder, &to_name) {
            state.live.check_replaceable(old, node)?;
        }
        state.check_allowed(from)?;
        state.check_allowed(to)?;
        state.run(Operation::Rename { node, from: (from_folder, from_name), to: (to_folder, to_name) })
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let (folder, name) = state.live.place(path)?;
        state.live.file(state.live.find(path)?)?;
        state.check_allowed(path)?;
        state.run(Operation::Unlink { folder, name })
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let (folder, name) = state.live.place(path)?;
        if !state.live.folder(state.live.find(path)?)?.is_empty() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        state.check_allowed(path)?;
        state.run(Operation::Unlink { folder, name })
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let mut reached = PathBuf::new();
        for part in path.components() {
            reached.push(part);
            match state.live.find(&reached) {
                Ok(node) => state.live.folder(node).map(|_| ())?,
                Err(_) => {
                    state.check_allowed(&reached)?;
                    let (folder, name) = state.live.place(&reached)?;
                    let node = state.live.next_node();
                    state.run(Operation::MakeFolder { folder, name, node })?;
                }
            }
        }
        Ok(())
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let state = self.state();
        let entries = state.live.folder(state.live.find(path)?)?;
        Ok(entries.iter().map(|(name, node)| DirEntry { name: name.clone(), kind: state.live.kind(*node) }).collect())
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let state = self.state();
        let node = state.live.find(path)?;
        Ok(state.live.metadata(node))
    }
}
