use zero_script::mlua::Result;
use zero_script::{fault_of, from_json};

use crate::bind::Binder;
use crate::scenes;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add_waiting("sceneLoad", |lua, shared, identity: String| {
        end_transaction(shared)?;
        from_json(lua, &scenes::load(shared, &identity)?).map_err(|e| fault_of(&e))
    })?;
    binder.add_write("sceneSave", |_, shared, identity: Option<String>| scenes::save(shared, identity.as_deref()))?;
    binder.add("sceneList", |_, shared, ()| Ok(scenes::list(shared)))?;
    binder.add("sceneCurrent", |lua, shared, ()| from_json(lua, &scenes::current(shared)).map_err(|e| fault_of(&e)))
}

/// What the call has done to the scene it leaves is kept: another scene's entities cannot be
/// undone together with it.
fn end_transaction(shared: &crate::shared::Shared) -> std::result::Result<(), zero_base::Fault> {
    match shared.current_context() {
        Some(context) => shared.commit(context),
        None => Ok(()),
    }
}
