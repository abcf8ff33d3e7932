//! The journal: one record per commit, synced before any file is touched. It is the durability
//! of files and the only home of entity changes that no scene file holds yet.

mod compact;
mod damage;
mod load;
pub(crate) mod record;
mod segment;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use zero_base::{Hash, Io};

pub(crate) use self::damage::Verdict;
pub(crate) use self::load::{Loaded, TailCommit, Unsure};
use self::record::{Commit, Kept, Record};
use self::segment::{SegmentKind, frame, record_at};
use crate::change::push_merged;
use crate::error::io_error;
use crate::{EntityChange, FileChange, HistoryEntry, Origin, PendingEntities, VfsError, VfsPath};

/// When the journal begins a new segment, and how much history it keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub segment_bytes: u64,
    /// Commits that stay in the history, if they fit …
    pub history_commits: usize,
    /// … into this many bytes of records and of contents they alone refer to.
    pub history_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { segment_bytes: 4 << 20, history_commits: 1000, history_bytes: 1 << 30 }
    }
}

pub(crate) struct Journal {
    io: Arc<dyn Io>,
    folder: PathBuf,
    limits: Limits,
    /// By number; the last one is written to.
    segments: Vec<Segment>,
    /// By id.
    entries: VecDeque<Entry>,
    scenes: BTreeMap<String, SceneLog>,
    /// Commits whose files are not all in place, and the segment each lies in.
    unsettled: BTreeMap<u64, u64>,
    next_id: u64,
    /// There may be bytes of a failed write after the last record.
    dirty: bool,
}

struct Segment {
    number: u64,
    kind: SegmentKind,
    length: u64,
}

/// What the history knows of a commit without reading its record.
struct Entry {
    id: u64,
    group: u64,
    caller: String,
    files: Vec<FileChange>,
    entities: usize,
    place: Place,
    /// The record and the contents it refers to.
    bytes: u64,
    stored: Vec<Hash>,
}

/// Where a record lies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    segment: u64,
    offset: u64,
    length: u64,
}

/// What a scene's file does not hold yet.
#[derive(Default)]
struct SceneLog {
    file: Option<Hash>,
    /// With the commit each belongs to.
    changes: Vec<(u64, EntityChange)>,
}

/// Whether a record must have reached the disk before the next step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    Now,
    /// With the next record that must, or never: losing it costs work, not content.
    Later,
}

/// Whether the files of a commit are in place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    Yes,
    No,
}

impl Journal {
    /// The id the next commit gets.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// Appends a record. If that fails, the journal is as it was; if even that cannot be had,
    /// whether the record is there is unknown until the next write puts it right, or a restart.
    pub fn write(&mut self, record: &Record, durability: Durability) -> Result<Place, VfsError> {
        self.repair()?;
        let path = self.current_path();
        let bytes = frame(record);
        if bytes.len() > segment::LONGEST_RECORD {
            let source = io::Error::new(io::ErrorKind::FileTooLarge, "one transaction changes too much at once");
            return Err(io_error("write the journal at", path.display())(source));
        }
        let written = self.io.append(&path, &bytes).and_then(|()| match durability {
            Durability::Now => self.io.sync_file(&path),
            Durability::Later => Ok(()),
        });
        if let Err(source) = written {
            return Err(match self.drop_failed_write() {
                Ok(()) => io_error("write the journal at", path.display())(source),
                Err(_) => VfsError::OutcomeUnknown { id: self.next_id, source },
            });
        }
        let place = Place { segment: self.current().number, offset: self.current().length, length: bytes.len() as u64 };
        self.current_mut().length += place.length;
        Ok(place)
    }

    /// Drops what a failed write may have left.
    pub fn repair(&mut self) -> Result<(), VfsError> {
        match self.dirty {
            true => self.drop_failed_write().map_err(io_error("repair the journal at", self.current_path().display())),
            false => Ok(()),
        }
    }

    /// Takes a written commit into the history and the scenes' logs.
    pub fn note(&mut self, commit: &Commit, place: Place, placed: Placed) {
        self.note_unless(commit, place, placed, |_| false);
    }

    /// The same without entity changes of the scenes that are `held`.
    fn note_unless(&mut self, commit: &Commit, place: Place, placed: Placed, held: impl Fn(&str) -> bool) {
        self.next_id = self.next_id.max(commit.id + 1);
        if placed == Placed::No {
            self.unsettled.insert(commit.id, place.segment);
        }
        for change in commit.entities.iter().filter(|change| !held(&change.scene)) {
            let log = self.scenes.entry(change.scene.clone()).or_default();
            log.changes.push((commit.id, change.clone()));
        }
        for checkpoint in &commit.checkpoints {
            let log = SceneLog { file: Some(checkpoint.file), changes: Vec::new() };
            self.scenes.insert(checkpoint.scene.clone(), log);
        }
        let stored = || commit.versions().filter(|version| version.kept == Kept::Store);
        self.entries.push_back(Entry {
            id: commit.id,
            group: commit.group,
            caller: commit.caller.clone(),
            files: commit.file_changes(),
            entities: commit.entities.len(),
            place,
            bytes: place.length + stored().map(|version| version.size).sum::<u64>(),
            stored: stored().map(|version| version.hash).collect(),
        });
    }

    /// The commit's files are in place. If the mark is lost, recovery looks once more.
    pub fn mark_done(&mut self, id: u64) {
        self.unsettled.remove(&id);
        if let Err(error) = self.write(&Record::Done { id }, Durability::Later) {
            tracing::warn!(id, %error, "a commit could not be marked as done");
        }
    }

    /// The commit was taken back. Its id is not used again.
    pub fn mark_undone(&mut self, id: u64) -> Result<(), VfsError> {
        self.write(&Record::Undone { id }, Durability::Now)?;
        self.next_id = self.next_id.max(id + 1);
        self.unsettled.remove(&id);
        self.entries.retain(|entry| entry.id != id);
        Ok(())
    }

    /// Newest first.
    pub fn history(&self, limit: usize) -> Vec<HistoryEntry> {
        let entry = |entry: &Entry| HistoryEntry {
            id: entry.id,
            group: entry.group,
            caller: entry.caller.clone(),
            files: entry.files.clone(),
            entities: entry.entities,
        };
        self.entries.iter().rev().take(limit).map(entry).collect()
    }

    pub fn pending_entities(&self, scene: &str) -> PendingEntities {
        let mut pending = PendingEntities::default();
        if let Some(log) = self.scenes.get(scene) {
            pending.base = log.file;
            log.changes.iter().for_each(|(_, change)| push_merged(&mut pending.changes, change.clone()));
            pending.changes.retain(EntityChange::changes_anything);
        }
        pending
    }

    /// The whole record of a commit of the history.
    pub fn commit(&self, id: u64) -> Result<Commit, VfsError> {
        let index = self.entries.binary_search_by_key(&id, |entry| entry.id);
        let place = self.entries[index.map_err(|_| VfsError::UnknownCommit { id })?].place;
        let path = self.path(place.segment);
        let bytes = self.io.read(&path).map_err(io_error("read the journal at", path.display()))?;
        match record_at(&bytes, place.offset as usize) {
            Some((Record::Commit(commit), _)) if commit.id == id => Ok(commit),
            _ => Err(VfsError::Damaged { what: format!("commit {id} in the journal") }),
        }
    }

    /// Every change of a file after commit `id`, oldest first.
    pub fn file_changes_after(&self, id: u64) -> impl Iterator<Item = &FileChange> {
        self.entries.iter().filter(move |entry| entry.id > id).flat_map(|entry| &entry.files)
    }

    /// The commits that knew `path` with this content, before or after them. Newest first.
    pub fn commits_with(&self, path: &VfsPath, hash: Hash) -> impl Iterator<Item = u64> {
        let knows =
            move |(of, before, after): &FileChange| of == path && (*before == Some(hash) || *after == Some(hash));
        self.entries.iter().rev().filter(move |entry| entry.files.iter().any(knows)).map(|entry| entry.id)
    }

    /// The segment being written has reached its size.
    pub fn is_full(&self) -> bool {
        self.current().length >= self.limits.segment_bytes
    }

    fn drop_failed_write(&mut self) -> io::Result<()> {
        let path = self.current_path();
        self.dirty = true;
        self.io.truncate(&path, self.current().length)?;
        self.io.sync_file(&path)?;
        self.dirty = false;
        Ok(())
    }

    fn begin_segment(&mut self, number: u64) -> Result<(), VfsError> {
        let path = self.path(number);
        let header = segment::header(SegmentKind::Plain);
        self.io
            .write(&path, &header)
            .and_then(|()| self.io.sync_file(&path))
            .and_then(|()| self.io.sync_dir(&self.folder))
            .map_err(io_error("begin a journal segment at", path.display()))?;
        self.segments.push(Segment { number, kind: SegmentKind::Plain, length: header.len() as u64 });
        Ok(())
    }

    fn current(&self) -> &Segment {
        self.segments.last().expect("an open journal has a segment")
    }

    fn current_mut(&mut self) -> &mut Segment {
        self.segments.last_mut().expect("an open journal has a segment")
    }

    fn current_path(&self) -> PathBuf {
        self.path(self.current().number)
    }

    fn path(&self, segment: u64) -> PathBuf {
        self.folder.join(format!("{segment:012}.journal"))
    }
}

impl Commit {
    /// Whether there are files to put in place: an external edit is where it is.
    pub fn places_files(&self) -> bool {
        self.origin == Origin::Local && !self.files.is_empty()
    }
}

#[cfg(test)]
mod tests;
