use serde::Serialize;
use zero_base::Guid;
use zero_vfs::VfsPath;

use crate::root::Root;

/// One asset: a folder `<name>.<type>` and what is known of it without reading its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asset {
    /// How the asset is called from any root: `demo.beats`, `@builtin::materials.default`.
    pub identity: String,
    /// The last segment of the path identity.
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
    /// As `.metadata` has it; until that is written, derived from root, identity and type.
    pub guid: Guid,
    pub path: VfsPath,
    pub root: Root,
    pub tags: Vec<String>,
    /// As `.metadata` has it; [`Assets::description`](crate::Assets::description) also looks in the README.
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetEvent {
    pub kind: AssetEventKind,
    /// As it is now; as it was, for a removed one.
    pub asset: Asset,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssetEventKind {
    Added,
    /// A file that belongs to the asset itself, not to an asset in it, was written or removed.
    Changed {
        path: VfsPath,
    },
    /// Also sent, before `Added`, when an asset's identity or type changed.
    Removed,
}
