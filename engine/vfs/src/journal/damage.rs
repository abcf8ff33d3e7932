//! What cannot be read of a journal: kept apart, reported, and closed off, so that what is
//! written from now on does not depend on it.

use std::collections::BTreeSet;

use zero_base::{Diagnostic, Hash, Severity};

use super::load::Loaded;
use super::record::{Carried, Record};

use super::{Durability, Journal};
use crate::VfsError;
use crate::error::io_error;

/// A stretch of a segment that cannot be read.
pub(crate) struct Damage {
    segment: u64,
    offset: usize,
    bytes: Vec<u8>,
    pub(super) lost: Lost,
    /// The segment is not there at all, nor is any up to this one.
    missing_before: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Marks only.
    NoCommit,
    Commits {
        first: u64,
        last: u64,
    },
    Unknown,
}

/// What became of a commit whose mark may have been lost, by the files on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Done,
    Undone,
}

impl Damage {
    pub(super) fn new(segment: u64, offset: usize, bytes: &[u8]) -> Damage {
        Damage { segment, offset, bytes: bytes.to_vec(), lost: Lost::Unknown, missing_before: None }
    }

    pub(super) fn missing(segment: u64, found: u64) -> Damage {
        Damage { missing_before: Some(found), ..Damage::new(segment, 0, &[]) }
    }

    pub fn loses_commits(&self) -> bool {
        self.lost != Lost::NoCommit
    }

    /// The name of the file its bytes are kept in, beside the journal.
    fn kept_as(&self) -> String {
        format!("{:012}-{}-{}.damaged", self.segment, self.offset, Hash::of(&self.bytes).short())
    }

    pub fn diagnostic(&self) -> Diagnostic {
        let what = match self.missing_before {
            Some(found) => format!(
                "this file of the journal is missing, and all up to {found:012}.journal; what they held is gone"
            ),
            None => format!(
                "{} bytes of the journal at offset {} cannot be read; they are kept in .zero/journal/{}",
                self.bytes.len(),
                self.offset,
                self.kept_as()
            ),
        };
        let lost = match self.lost {
            Lost::NoCommit => "No transaction was lost with them".to_owned(),
            Lost::Commits { first, last } if first == last => {
                format!("Transaction {first} was lost; those after it were read")
            }
            Lost::Commits { first, last } => {
                format!("Transactions {first} to {last} were lost; those after them were read")
            }
            Lost::Unknown => "It is not known which transactions were lost; what else can be read was read".to_owned(),
        };
        let files = match self.lost {
            Lost::NoCommit => "",
            _ => {
                ". Files stay as they are on disk, and what of it nothing explains is in the history as an edit from outside"
            }
        };
        // Marks are not synced one by one: a power cut may lose one and keep what follows it.
        let severity = if self.loses_commits() { Severity::Warning } else { Severity::Info };
        Diagnostic::new(severity, "journal/damaged", format!("{what}. {lost}{files}"))
            .in_file(format!(".zero/journal/{:012}.journal", self.segment))
    }
}

impl Journal {
    /// The journal as it is read now.
    pub fn reopen(&self) -> Result<(Journal, Loaded), VfsError> {
        Journal::open(self.io.clone(), self.folder.clone(), self.limits)
    }

    /// Keeps the damaged bytes in files of their own: the segment goes when its history does.
    pub fn set_aside(&self, damages: &[Damage]) -> Result<(), VfsError> {
        let mut added = false;
        for damage in damages.iter().filter(|damage| damage.missing_before.is_none()) {
            let path = self.folder.join(damage.kept_as());
            if self.io.read(&path).is_ok_and(|kept| kept == damage.bytes) {
                continue;
            }
            let beside = path.with_extension("new");
            self.io
                .write(&beside, &damage.bytes)
                .and_then(|()| self.io.sync_file(&beside))
                .and_then(|()| self.io.rename(&beside, &path))
                .map_err(io_error("keep damaged bytes of the journal in", path.display()))?;
            added = true;
        }
        match added {
            true => self.io.sync_dir(&self.folder).map_err(io_error("sync", self.folder.display())),
            false => Ok(()),
        }
    }

    /// Goes on in a new segment, with marks for commits that may have lost theirs.
    pub fn begin_after_damage(&mut self, verdicts: &[(u64, Verdict)]) -> Result<(), VfsError> {
        self.rotate()?;
        for (id, verdict) in verdicts {
            let mark = match verdict {
                Verdict::Done => Record::Done { id: *id },
                Verdict::Undone => Record::Undone { id: *id },
            };
            self.write(&mark, Durability::Now)?;
        }
        Ok(())
    }

    /// Writes down what holds of every scene, those in `held` included: from now on it no longer
    /// depends on what was lost.
    pub fn mend(&mut self, held: BTreeSet<String>) -> Result<(), VfsError> {
        let mut scenes = held;
        scenes.extend(self.scenes.keys().cloned());
        for scene in scenes {
            let log = self.scenes.entry(scene.clone()).or_default();
            let changes = log.changes.iter().map(|(_, change)| change.clone()).collect();
            let carried = Carried { scene, file: log.file, changes };
            self.write(&Record::Carried(carried), Durability::Now)?;
        }
        self.write(&Record::Mended {}, Durability::Now).map(drop)
    }
}
