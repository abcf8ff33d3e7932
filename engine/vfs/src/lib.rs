//! The virtual file system: confined paths, mounted libraries, the play shadow, transactions
//! over files and entities, the journal that makes them durable, and edits from outside.
//!
//! Never knows what an asset, a scene or a script is: a scene is a name here, a component a
//! JSON value. Never follows a link, never writes a world's file except through the journal.
//! Start reading at [`Vfs`], then `commit.rs` for what durability rests on.

mod error;
mod path;
mod entry;
mod change;
mod config;
mod vfs;

pub use change::{ChangeKind, EntityChange, FileChange, FileEvent, Key, Origin, TxnId};
pub use config::{Conflict, Library, Recovery, VfsConfig};
pub use entry::{Entry, Kind, Layer, Stat};
pub use error::VfsError;
pub use path::VfsPath;
pub use vfs::{
    CommitReceipt, FileRevision, HistoryEntry, PendingEntities, Revision, RolledBack, Savepoint, Vfs, WriteOptions,
    WriteReceipt,
};
