use zero_script::mlua::Result;
use zero_script::{fault_of, from_json};

use crate::bind::Binder;
use crate::tools;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add("toolsList", |lua, shared, toolbox: Option<String>| {
        from_json(lua, &tools::all(shared, toolbox.as_deref()).into()).map_err(|e| fault_of(&e))
    })?;
    binder.add("toolFunction", |_, shared, (toolbox, tool): (String, String)| {
        let tool = tools::find(shared, Some(&toolbox), &tool)?;
        tools::function(shared, &tool)
    })
}
