//! The virtual file system: confined paths, mounted libraries, the play shadow, transactions
//! over files and entities, the journal that makes them durable, and edits from outside.
//!
//! Never knows what an asset, a scene or a script is: a scene is a name here, a component a
//! JSON value. Never follows a link, never changes an authored file except through the journal.
//! Start reading at [`Vfs`], then `commit.rs` and `recovery.rs` for what durability rests on.

mod vfs;
mod config;
mod path;
mod entry;
mod view;
mod tree;
mod known;
mod change;
mod transaction;
mod edit;
mod claims;
mod rollback;
mod shadow;
mod commit;
mod recovery;
mod mending;
mod history;
mod external;
mod watch;
mod overlay;
mod mounts;
mod library;
mod disk;
mod scan;
mod placing;
mod hashes;
mod cache;
mod store;
mod journal;
mod diff;
mod error;

pub use change::{ChangeKind, ENTITY, EntityChange, FileChange, FileEvent, Key, Origin, TxnId};
pub use config::{Conflict, Library, Recovery, VfsConfig};
pub use entry::{Entry, Kind, Layer, Stat};
pub use error::VfsError;
pub use history::{Contents, FileRevision, HistoryEntry, PendingEntities, Revision};
pub use path::VfsPath;
pub use transaction::{CommitReceipt, RolledBack, Savepoint, WriteOptions, WriteReceipt};
pub use vfs::Vfs;
