use std::collections::BTreeSet;

use zero_base::Hash;

use super::record::{Carried, Record};
use super::segment::{self, SegmentKind, frame};
use super::{Entry, Journal, Segment};
use crate::change::push_merged;
use crate::error::io_error;
use crate::{EntityChange, VfsError};

impl Journal {
    /// Begins the next segment, so that older ones can age.
    pub fn rotate(&mut self) -> Result<(), VfsError> {
        // Marks in the old segment may not be synced yet, and a torn end is only dropped from
        // the last segment.
        self.repair()?;
        let path = self.current_path();
        self.io.sync_file(&path).map_err(io_error("sync the journal at", path.display()))?;
        self.begin_segment(self.current().number + 1)
    }

    /// Replaces segments that hold nothing of the history any more by one that holds what their
    /// records still mean. Answers the contents that nothing in the journal refers to any more.
    pub fn compact(&mut self) -> Result<Vec<Hash>, VfsError> {
        let boundary = self.oldest_needed_segment();
        let old = self.segments.iter().take_while(|segment| segment.number < boundary).count();
        if old == 0 || (old == 1 && self.segments[0].kind == SegmentKind::Base) {
            return Ok(Vec::new());
        }
        let base = self.segments[old - 1].number;
        let dropped = self.entries.iter().take_while(|entry| entry.place.segment <= base).count();
        let last_id = dropped.checked_sub(1).map_or(0, |last| self.entries[last].id);
        let length = self.write_base(base, last_id)?;
        for segment in self.segments.drain(..old).collect::<Vec<_>>() {
            // One that stays behind is removed when the journal is opened: the base stands for it.
            if segment.number != base
                && let Err(error) = self.io.remove_file(&self.path(segment.number))
            {
                tracing::debug!(segment.number, %error, "an old journal segment could not be removed");
            }
        }
        self.segments.insert(0, Segment { number: base, kind: SegmentKind::Base, length });
        let dropped: Vec<Entry> = self.entries.drain(..dropped).collect();
        let needed: BTreeSet<Hash> = self.entries.iter().flat_map(|entry| entry.stored.iter().copied()).collect();
        let unneeded: BTreeSet<Hash> = dropped.iter().flat_map(|entry| entry.stored.iter().copied()).collect();
        Ok(unneeded.difference(&needed).copied().collect())
    }

    fn oldest_needed_segment(&self) -> u64 {
        let mut bytes = 0;
        let kept = self.entries.iter().rev().take(self.limits.history_commits).take_while(|entry| {
            bytes += entry.bytes;
            bytes <= self.limits.history_bytes
        });
        let history = kept.last().map(|entry| entry.place.segment);
        let unsettled = self.unsettled.values().copied().min();
        [history, unsettled].into_iter().flatten().min().unwrap_or(u64::MAX).min(self.current().number)
    }

    /// Writes the segment that stands for all up to `number`, whose last commit is `last_id`.
    fn write_base(&self, number: u64, last_id: u64) -> Result<u64, VfsError> {
        let mut bytes = segment::header(SegmentKind::Base);
        for (scene, log) in &self.scenes {
            let mut changes = Vec::new();
            let old = log.changes.iter().filter(|(id, _)| *id <= last_id);
            old.for_each(|(_, change)| push_merged(&mut changes, change.clone()));
            changes.retain(EntityChange::changes_anything);
            if log.file.is_some() || !changes.is_empty() {
                let carried = Carried { scene: scene.clone(), file: log.file, changes };
                bytes.extend(frame(&Record::Carried(carried)));
            }
        }
        let (path, beside) = (self.path(number), self.path(number).with_extension("new"));
        self.io
            .write(&beside, &bytes)
            .and_then(|()| self.io.sync_file(&beside))
            .and_then(|()| self.io.rename(&beside, &path))
            .and_then(|()| self.io.sync_dir(&self.folder))
            .map_err(io_error("write a compacted journal to", path.display()))?;
        Ok(bytes.len() as u64)
    }
}
