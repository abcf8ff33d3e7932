use serde::{Deserialize, Serialize};

/// What a path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    File,
    Folder,
}

/// Where the visible content of a path comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The world's own folder, or scratch.
    Disk,
    /// A mounted library.
    Library,
    /// The play shadow: gone when play ends, unless promoted.
    Shadow,
    /// Written by a transaction that is still open.
    Uncommitted {
        /// The caller whose transaction it is.
        owner: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    pub kind: Kind,
    /// Bytes of a file; 0 for a folder.
    pub size: u64,
    pub layer: Layer,
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub kind: Kind,
}
