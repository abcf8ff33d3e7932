//! One number for a whole world.

use serde_json::{Value as Json, json};
use zero_base::{Fault, Hasher};
use zero_vfs::VfsPath;

use crate::shared::Shared;

/// Hashes of the authored files, of the entities, and of both together.
pub(crate) fn of(shared: &Shared) -> Result<Json, Fault> {
    let state = shared.state.borrow();
    let files = state.vfs.hash(&VfsPath::parse("/zero/source")?)?;
    let entities = state.world.hash();
    let world = Hasher::new().part(files.as_bytes()).part(entities.as_bytes()).finish();
    Ok(json!({ "files": files, "entities": entities, "world": world }))
}
