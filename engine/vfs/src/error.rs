use std::io;

use serde_json::json;
use zero_base::{Fault, Hash};

use crate::{Key, TxnId, VfsPath};

/// Why the file system refused. Nothing was changed unless the message says so.
#[derive(Debug, thiserror::Error)]
pub enum VfsError {
    #[error("'{text}' is not a path: {reason}")]
    Path { text: String, reason: String },
    #[error("{path} is outside of what is stored; files live below /zero/source and /tmp")]
    Outside { path: VfsPath },
    #[error("{path} does not exist{hint}")]
    NotFound { path: VfsPath, hint: String },
    #[error("{path} already exists; remove it first or choose another name")]
    Exists { path: VfsPath },
    #[error("{path} cannot be written: {reason}")]
    ReadOnly { path: VfsPath, reason: &'static str },
    #[error("'{caller}' may only read")]
    ReadOnlyCaller { caller: String },
    #[error("{path} is a folder; name a file in it")]
    NotAFile { path: VfsPath },
    #[error("{path} is a file, not a folder")]
    NotAFolder { path: VfsPath },
    #[error("{path} is a link; links are not followed. Put the file itself there")]
    Link { path: VfsPath },
    #[error("{path} differs only in case from {existing}; write {existing} or choose another name")]
    CaseClash { path: VfsPath, existing: VfsPath },
    #[error("{path} has {size} bytes; a file has at most {limit}")]
    TooLarge { path: VfsPath, size: u64, limit: u64 },
    #[error("{path} cannot be written: {what} would hold more than {} MiB; {remedy}", limit >> 20)]
    TooMuch { path: VfsPath, what: &'static str, limit: u64, remedy: &'static str },
    #[error("{path} is not UTF-8 text: byte {offset} is invalid; read it as bytes")]
    NotUtf8 { path: VfsPath, offset: usize },
    #[error("{path} is not what the write was based on: expected {}, found {}; read it again\n{diff}", short(Some(*expected)), short(*found))]
    StaleBase { path: VfsPath, expected: Hash, found: Option<Hash>, diff: String },
    #[error("{path} was changed on disk while the transaction was open: expected {}, found {}; roll back and read it again\n{diff}", short(*expected), short(*found))]
    ChangedOnDisk { path: VfsPath, expected: Option<Hash>, found: Option<Hash>, diff: String },
    #[error("{key} is being changed by '{caller}' (transaction {owner}); try again when it has ended")]
    Busy { key: Key, owner: TxnId, caller: String },
    #[error("transaction {txn} has ended; begin another")]
    UnknownTransaction { txn: TxnId },
    #[error(
        "{path} was written during this play by '{caller}'; write it under another name, or ask '{caller}' to promote it"
    )]
    Shadowed { path: VfsPath, caller: String },
    #[error("{path} is not in the play shadow; nothing was promoted")]
    NotShadowed { path: VfsPath },
    #[error(
        "commit {id} is in the journal but not all of its files are in place ({source}); it is finished when the world is opened again"
    )]
    Unfinished { id: u64, source: io::Error },
    #[error(
        "the journal of this world has format {found}; this engine reads format {known}. Open it with the engine that wrote it"
    )]
    JournalFormat { found: u32, known: u32 },
    #[error(
        "it is not known whether commit {id} reached the disk ({source}); it is still open: commit it again, or roll it back, when the disk can be written"
    )]
    OutcomeUnknown { id: u64, source: io::Error },
    #[error("history has no commit {id}; see the list of the last ones")]
    UnknownCommit { id: u64 },
    #[error("{what} is damaged; the rest of the world is usable")]
    Damaged { what: String },
    #[error("cannot {action} {place}: {source}")]
    Io { action: &'static str, place: String, source: io::Error },
}

impl VfsError {
    pub fn code(&self) -> &'static str {
        match self {
            VfsError::Path { .. } => "vfs/path",
            VfsError::Outside { .. } => "vfs/outside",
            VfsError::NotFound { .. } => "vfs/not_found",
            VfsError::Exists { .. } => "vfs/exists",
            VfsError::ReadOnly { .. } | VfsError::ReadOnlyCaller { .. } => "vfs/read_only",
            VfsError::NotAFile { .. } => "vfs/not_a_file",
            VfsError::NotAFolder { .. } => "vfs/not_a_folder",
            VfsError::Link { .. } => "vfs/link",
            VfsError::CaseClash { .. } => "vfs/case_clash",
            VfsError::TooLarge { .. } => "vfs/too_large",
            VfsError::TooMuch { .. } => "vfs/too_much",
            VfsError::NotUtf8 { .. } => "vfs/not_utf8",
            VfsError::StaleBase { .. } => "vfs/stale_base",
            VfsError::ChangedOnDisk { .. } => "vfs/changed_on_disk",
            VfsError::Busy { .. } => "txn/busy",
            VfsError::UnknownTransaction { .. } => "txn/unknown",
            VfsError::Shadowed { .. } => "vfs/shadowed",
            VfsError::NotShadowed { .. } => "vfs/not_shadowed",
            VfsError::Unfinished { .. } => "txn/unfinished",
            VfsError::JournalFormat { .. } => "vfs/journal_format",
            VfsError::OutcomeUnknown { .. } => "txn/outcome_unknown",
            VfsError::UnknownCommit { .. } => "vfs/unknown_commit",
            VfsError::Damaged { .. } => "vfs/damaged",
            VfsError::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "vfs/disk_full",
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "vfs/permission",
                _ => "vfs/io",
            },
        }
    }

    /// What a program needs to act on the refusal.
    fn data(&self) -> Option<serde_json::Value> {
        match self {
            VfsError::StaleBase { path, expected, found, diff } => {
                Some(json!({ "path": path, "expected": expected, "found": found, "diff": diff }))
            }
            VfsError::ChangedOnDisk { path, expected, found, diff } => {
                Some(json!({ "path": path, "expected": expected, "found": found, "diff": diff }))
            }
            VfsError::Busy { key, owner, caller } => {
                Some(json!({ "key": key.to_string(), "transaction": owner, "caller": caller }))
            }
            VfsError::Shadowed { path, caller } => Some(json!({ "path": path, "caller": caller })),
            VfsError::CaseClash { path, existing } => Some(json!({ "path": path, "existing": existing })),
            VfsError::TooLarge { path, size, limit } => Some(json!({ "path": path, "size": size, "limit": limit })),
            VfsError::NotUtf8 { path, offset } => Some(json!({ "path": path, "offset": offset })),
            VfsError::Unfinished { id, .. } | VfsError::OutcomeUnknown { id, .. } => Some(json!({ "commit": id })),
            _ => None,
        }
    }
}

impl From<VfsError> for Fault {
    fn from(error: VfsError) -> Fault {
        let fault = Fault::new(error.code(), error.to_string());
        match error.data() {
            Some(data) => fault.with_data(data),
            None => fault,
        }
    }
}

fn short(hash: Option<Hash>) -> String {
    hash.map_or_else(|| "no file".to_owned(), |hash| hash.short())
}

/// For `map_err`: what was being done, and to what.
pub(crate) fn io_error(action: &'static str, place: impl std::fmt::Display) -> impl FnOnce(io::Error) -> VfsError {
    move |source| VfsError::Io { action, place: place.to_string(), source }
}
