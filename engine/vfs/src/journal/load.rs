use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use zero_base::{FileKind, Io};

use super::damage::{Damage, Lost};
use super::record::{Commit, Record};
use super::segment::{FORMAT, HEADER_BYTES, SegmentKind, read_header, record_at, resume_after};
use super::{Journal, Limits, Place, Placed, SceneLog, Segment};
use crate::VfsError;
use crate::error::io_error;

/// A name beyond it is nobody's: no world writes so many segments.
const LAST_SEGMENT: u64 = 1_000_000_000_000;

/// What reading the journal found.
#[derive(Default)]
pub(crate) struct Loaded {
    pub torn_bytes: u64,
    pub damages: Vec<Damage>,
    /// A damage has not been dealt with yet.
    pub unmended: bool,
    /// Commits whose files may or may not be in place: the mark may have been lost.
    pub unsure: Vec<Unsure>,
    /// Entity changes that do not take effect, because they may build on what was lost: the
    /// commits and the scenes.
    pub held: BTreeMap<u64, BTreeSet<String>>,
    /// The oldest commit that is not marked, and every commit after it; none from before a
    /// commit was lost.
    pub tail: Vec<TailCommit>,
}

pub(crate) struct TailCommit {
    pub commit: Commit,
    pub placed: Placed,
}

pub(crate) struct Unsure {
    pub commit: Commit,
    /// It is in the tail too: every commit after it is known.
    pub can_be_redone: bool,
}

/// The records of all segments, each with its place, and what of them cannot be read.
#[derive(Default)]
struct Records {
    whole: Vec<(Place, Record)>,
    /// Each with the number of records before it.
    damages: Vec<(usize, Damage)>,
}

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
        let last = numbers.last().copied();
        for number in numbers {
            let path = self.path(number);
            let bytes = self.io.read(&path).map_err(io_error("read the journal at", path.display()))?;
            // The last segment is written to and never a base, whatever a damaged header says.
            if Some(number) != last && is_base(&bytes) {
                self.drop_segments(&mut files)?;
            }
            files.push((number, bytes));
        }
        let mut records = Records::default();
        let mut expected = 1;
        for (number, bytes) in &files {
            let (kind, begin) = match read_header(bytes) {
                Some(Ok(kind)) => (kind, HEADER_BYTES),
                Some(Err(found)) => return Err(VfsError::JournalFormat { found, known: FORMAT }),
                None => (SegmentKind::Plain, 0),
            };
            // A base stands for all before it; without one the first segment is number 1.
            if kind == SegmentKind::Plain && expected < *number {
                records.add_damage(Damage::missing(expected, *number));
            }
            expected = number + 1;
            let end = records.read(*number, bytes, begin);
            let is_torn = end < bytes.len() && Some(*number) == last;
            // A segment is begun before anything is written to it: this one was never whole.
            if end == 0 && is_torn {
                loaded.torn_bytes += bytes.len() as u64;
                continue;
            }
            self.segments.push(Segment { number: *number, kind, length: end as u64 });
            if is_torn {
                self.drop_torn_end(end as u64)?;
                loaded.torn_bytes += (bytes.len() - end) as u64;
            } else if end < bytes.len() {
                records.add_damage(Damage::new(*number, end, &bytes[end..]));
            }
        }
        if self.segments.last().map(|segment| segment.number) != last || last.is_none() {
            self.begin_segment(last.unwrap_or(1))?;
        }
        Ok(records)
    }

    fn note_all(&mut self, mut records: Records, loaded: &mut Loaded) {
        records.judge_what_is_lost();
        let Records { whole, damages } = records;
        let settled = |wanted: fn(&Record) -> Option<u64>| -> BTreeSet<u64> {
            whole.iter().filter_map(|(_, record)| wanted(record)).collect()
        };
        let undone = settled(|record| if let Record::Undone { id } = record { Some(*id) } else { None });
        let done = settled(|record| if let Record::Done { id } = record { Some(*id) } else { None });
        // A lost commit may have left its mark: its id is not used again.
        self.next_id = undone.iter().chain(&done).max().map_or(1, |id| id + 1);
        let mended = whole.iter().rposition(|(_, record)| matches!(record, Record::Mended {}));
        let complete_from = damages.iter().rfind(|(_, damage)| damage.loses_commits()).map_or(0, |(at, _)| *at);
        let marked_from = damages.last().map_or(0, |(at, _)| *at);
        let is_new = |at: usize| mended.is_none_or(|mended| at > mended);
        let mut doubts = damages.iter().filter(|(at, damage)| is_new(*at) && damage.loses_commits()).peekable();
        let mut doubt = Doubt::default();
        for (index, (place, record)) in whole.into_iter().enumerate() {
            while doubts.next_if(|(at, _)| *at <= index).is_some() {
                doubt.begin();
            }
            match record {
                Record::Commit(commit) if !undone.contains(&commit.id) => {
                    let placed = match done.contains(&commit.id) || !commit.places_files() {
                        true => Placed::Yes,
                        false => Placed::No,
                    };
                    self.note_unless(&commit, place, placed, |scene| doubt.is_of(scene));
                    let scenes = commit.entities.iter().map(|change| &change.scene);
                    doubt.hold(commit.id, scenes);
                    for checkpoint in &commit.checkpoints {
                        doubt.clear(&checkpoint.scene);
                    }
                    let can_be_redone = index >= complete_from;
                    if placed == Placed::No && index < marked_from {
                        loaded.unsure.push(Unsure { commit: commit.clone(), can_be_redone });
                    }
                    if can_be_redone && (placed == Placed::No || !loaded.tail.is_empty()) {
                        loaded.tail.push(TailCommit { commit, placed });
                    }
                }
                Record::Carried(carried) => {
                    doubt.clear(&carried.scene);
                    let changes = carried.changes.into_iter().map(|change| (0, change)).collect();
                    self.scenes.insert(carried.scene, SceneLog { file: carried.file, changes });
                }
                Record::Mended {} => doubt = Doubt::default(),
                Record::Commit(_) | Record::Done { .. } | Record::Undone { .. } => {}
            }
        }
        loaded.held = doubt.held;
        loaded.unmended = damages.iter().any(|(at, _)| is_new(*at));
        loaded.damages = damages.into_iter().map(|(_, damage)| damage).collect();
    }

    /// The numbers of the segments in order. What a compaction left half-written is removed.
    fn sweep(&self) -> Result<Vec<u64>, VfsError> {
        let entries = self.io.read_dir(&self.folder).map_err(io_error("list the journal in", self.folder.display()))?;
        let mut numbers = Vec::new();
        for entry in entries {
            let path = self.folder.join(&entry.name);
            let number = entry.name.strip_suffix(".journal").and_then(|number| number.parse().ok());
            // Only what the journal itself would have written: a file, and a name of its own.
            let own = number.filter(|&number: &u64| entry.kind == FileKind::File && path == self.path(number));
            match own {
                Some(number) if number < LAST_SEGMENT => numbers.push(number),
                Some(_) => {}
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
    /// Reads what is whole in a segment, from `begin` on, and answers where the last of it ends.
    /// With 0 for `begin` there is no header, and what stands for it is damage.
    fn read(&mut self, segment: u64, bytes: &[u8], begin: usize) -> usize {
        let mut offset = begin;
        if begin == 0 {
            let Some(first) = first_record(bytes) else { return 0 };
            self.add_damage(Damage::new(segment, 0, &bytes[..first]));
            offset = first;
        }
        loop {
            while let Some((record, next)) = record_at(bytes, offset) {
                let place = Place { segment, offset: offset as u64, length: (next - offset) as u64 };
                self.whole.push((place, record));
                offset = next;
            }
            let Some(next) = resume_after(bytes, offset) else { return offset };
            self.add_damage(Damage::new(segment, offset, &bytes[offset..next]));
            offset = next;
        }
    }

    fn add_damage(&mut self, damage: Damage) {
        self.damages.push((self.whole.len(), damage));
    }

    /// Commits are numbered without a gap: what is missing was lost.
    fn judge_what_is_lost(&mut self) {
        let id = |record: &Record| if let Record::Commit(commit) = record { Some(commit.id) } else { None };
        let marked = |record: &Record| match record {
            Record::Done { id } | Record::Undone { id } => Some(*id),
            _ => None,
        };
        for (at, damage) in &mut self.damages {
            let later = &self.whole[*at..];
            let before = self.whole[..*at].iter().rev().find_map(|(_, record)| id(record));
            let next = later.iter().find_map(|(_, record)| id(record));
            // Of lost commits at the end there may be marks.
            let next = next.or_else(|| later.iter().filter_map(|(_, record)| marked(record)).max().map(|id| id + 1));
            damage.lost = match (before, next) {
                (None, Some(1)) => Lost::NoCommit,
                (Some(before), Some(next)) if before + 1 == next && later.iter().any(|(_, r)| id(r).is_some()) => {
                    Lost::NoCommit
                }
                (Some(before), Some(next)) if before + 1 < next => Lost::Commits { first: before + 1, last: next - 1 },
                _ => Lost::Unknown,
            };
        }
    }
}

/// Whether the segment says that it stands for those before it, and holds what such a one does.
fn is_base(bytes: &[u8]) -> bool {
    let of_base = |record: &Record| matches!(record, Record::Carried(_));
    read_header(bytes) == Some(Ok(SegmentKind::Base))
        && record_at(bytes, HEADER_BYTES).is_none_or(|(first, _)| of_base(&first))
}

/// The first record of a segment whose header cannot be read.
fn first_record(bytes: &[u8]) -> Option<usize> {
    if record_at(bytes, HEADER_BYTES).is_some() {
        return Some(HEADER_BYTES);
    }
    resume_after(bytes, HEADER_BYTES)
}

/// Of which scenes it is not known what they were before the next change.
#[derive(Default)]
struct Doubt {
    /// None while nothing was lost; else of which scenes it is known again.
    sure: Option<BTreeSet<String>>,
    held: BTreeMap<u64, BTreeSet<String>>,
}

impl Doubt {
    fn begin(&mut self) {
        self.sure = Some(BTreeSet::new());
    }

    fn is_of(&self, scene: &str) -> bool {
        self.sure.as_ref().is_some_and(|sure| !sure.contains(scene))
    }

    fn hold<'a>(&mut self, id: u64, scenes: impl Iterator<Item = &'a String>) {
        let held: BTreeSet<String> = scenes.filter(|scene| self.is_of(scene)).cloned().collect();
        if !held.is_empty() {
            self.held.insert(id, held);
        }
    }

    /// The scene's file, or a record, holds all up to here, what was held back included.
    fn clear(&mut self, scene: &str) {
        let Some(sure) = &mut self.sure else { return };
        sure.insert(scene.to_owned());
        self.held.retain(|_, scenes| {
            scenes.remove(scene);
            !scenes.is_empty()
        });
    }
}
