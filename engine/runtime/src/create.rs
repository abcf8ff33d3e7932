//! Making an asset: planned by the index, written in the caller's transaction.

use std::rc::Rc;

use zero_assets::CreateRequest;
use zero_base::Fault;
use zero_vfs::WriteOptions;

use crate::shared::Shared;

/// Writes the files of a new asset; its identity.
pub(crate) fn create(shared: &Rc<Shared>, request: CreateRequest) -> Result<String, Fault> {
    let plan = {
        let state = shared.state.borrow();
        state.assets.plan_create(&state.vfs, request)?
    };
    for (path, bytes) in &plan.files {
        shared.write_file(path, bytes, WriteOptions::default())?;
    }
    Ok(plan.identity)
}
