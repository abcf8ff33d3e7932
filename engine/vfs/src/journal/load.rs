use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use zero_base::Io;

use super::record::{Commit, Record};
use super::segment::{FORMAT, HEADER_BYTES, SegmentKind, read_header, record_at};
use super::{Journal, Limits, Place, Placed, SceneLog, Segment};
use crate::VfsError;
use crate::error::io_error;

/// What reading the journal found.
#[derive(Default)]
pub(crate) struct Loaded {
    pub torn_bytes: u64,
    pub damaged: Vec<String>,
    /// The oldest commit that is not marked, and every commit after it.
    pub tail: Vec<TailCommit>,
}

pub(crate) struct TailCommit {
    pub commit: Commit,
    pub placed: Placed,
}

/// The records of all segments, each with its place.
#[derive(Default)]
struct Records(Vec<(Place, Record)>);

impl Journal {
    /// Reads the journal in `folder`, which exists, and drops an unfinished record at its end.
    pub fn open(io: Arc<dyn Io>, folder: PathBuf, limits: Limits) -> Result<(Journal, Loaded), VfsError> {
        let mut journal = Journal {
            io,
            folder,
            limits,
            segments: Vec::new(),
            entries: VecDeque::new(),
            scenes: BTreeMap::new(),
            unsettled: BTreeMap::new(),
            next_id: 1,
            dirty: false,
        };
        let mut loaded = Loaded::default();
        let records = journal.read_segments(&mut loaded)?;
        journal.note_all(records, &mut loaded);
        Ok((journal, loaded))
    }

    fn read_segments(&mut self, loaded: &mut Loaded) -> Result<Records, VfsError> {
        let numbers = self.sweep()?;
        let mut files = Vec::new();
        for number in numbers {
            let path = self.path(number);
            let bytes = self.io.read(&path).map_err(io_error("read the journal at", path.display()))?;
            if read_header(&bytes) == Some(Ok(SegmentKind::Base)) {
                self.drop_segments(&mut files)?;
            }
            files.push((number, bytes));
        }
        let mut records = Records::default();
        let last = files.last().map(|(number, _)| *number);
        for (number, bytes) in &files {
            match read_header(bytes) {
                Some(Ok(kind)) => {
                    let end = records.read(*number, bytes);
                    self.segments.push(Segment { number: *number, kind, length: end as u64 });
                    if end < bytes.len() && Some(*number) == last {
                        self.drop_torn_end(end as u64)?;
                        loaded.torn_bytes += (bytes.len() - end) as u64;
                    } else if end < bytes.len() {
                        loaded.damaged.push(format!("journal segment {number} can only be read up to byte {end}"));
                    }
                }
                Some(Err(found)) => return Err(VfsError::JournalFormat { found, known: FORMAT }),
                // A segment is begun before anything is written to it: this one was never whole.
                None if Some(*number) == last => loaded.torn_bytes += bytes.len() as u64,
                None => loaded.damaged.push(format!("journal segment {number} has no header")),
            }
        }
        if self.segments.last().map(|segment| segment.number) != last || last.is_none() {
            self.begin_segment(last.unwrap_or(1))?;
        }
        Ok(records)
    }

    fn note_all(&mut self, records: Records, loaded: &mut Loaded) {
        let settled = |wanted: fn(&Record) -> Option<u64>| -> BTreeSet<u64> {
            records.0.iter().filter_map(|(_, record)| wanted(record)).collect()
        };
        let undone = settled(|record| if let Record::Undone { id } = record { Some(*id) } else { None });
        let done = settled(|record| if let Record::Done { id } = record { Some(*id) } else { None });
        self.next_id = undone.last().map_or(1, |id| id + 1);
        for (place, record) in records.0 {
            match record {
                Record::Commit(commit) if !undone.contains(&commit.id) => {
                    let placed = match done.contains(&commit.id) || !commit.places_files() {
                        true => Placed::Yes,
                        false => Placed::No,
                    };
                    self.note(&commit, place, placed);
                    if placed == Placed::No || !loaded.tail.is_empty() {
                        loaded.tail.push(TailCommit { commit, placed });
                    }
                }
                Record::Carried(carried) => {
                    let changes = carried.changes.into_iter().map(|change| (0, change)).collect();
                    self.scenes.insert(carried.scene, SceneLog { file: carried.file, changes });
                }
                Record::Commit(_) | Record::Done { .. } | Record::Undone { .. } => {}
            }
        }
    }

    /// The numbers of the segments in order. What a compaction left half-written is removed.
    fn sweep(&self) -> Result<Vec<u64>, VfsError> {
        let entries = self.io.read_dir(&self.folder).map_err(io_error("list the journal in", self.folder.display()))?;
        let mut numbers = Vec::new();
        for entry in entries {
            let path = self.folder.join(&entry.name);
            match entry.name.strip_suffix(".journal").and_then(|number| number.parse().ok()) {
                Some(number) => numbers.push(number),
                None if entry.name.ends_with(".new") => {
                    self.io.remove_file(&path).map_err(io_error("remove", path.display()))?;
                }
                None => {}
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Removes segments that a base stands for.
    fn drop_segments(&self, files: &mut Vec<(u64, Vec<u8>)>) -> Result<(), VfsError> {
        for (number, _) in files.drain(..) {
            let path = self.path(number);
            self.io.remove_file(&path).map_err(io_error("remove the journal segment", path.display()))?;
        }
        self.io.sync_dir(&self.folder).map_err(io_error("sync", self.folder.display()))
    }

    fn drop_torn_end(&self, end: u64) -> Result<(), VfsError> {
        let path = self.current_path();
        self.io
            .truncate(&path, end)
            .and_then(|()| self.io.sync_file(&path))
            .map_err(io_error("drop the torn end of", path.display()))
    }
}

impl Records {
    /// Reads what is whole in a segment and answers where that ends.
    fn read(&mut self, segment: u64, bytes: &[u8]) -> usize {
        let mut offset = HEADER_BYTES;
        while let Some((record, next)) = record_at(bytes, offset) {
            let place = Place { segment, offset: offset as u64, length: (next - offset) as u64 };
            self.0.push((place, record));
            offset = next;
        }
        offset
    }
}
