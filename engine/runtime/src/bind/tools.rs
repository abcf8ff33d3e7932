use std::collections::BTreeMap;

use zero_assets::CreateRequest;
use zero_base::Fault;
use zero_script::mlua::{Result, Table};
use zero_script::{fault_of, from_json};
use zero_vfs::WriteOptions;

use crate::bind::Binder;
use crate::create;
use crate::shared::Shared;
use crate::tools;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add("toolsList", |lua, shared, toolbox: Option<String>| {
        from_json(lua, &tools::all(shared, toolbox.as_deref()).into()).map_err(|e| fault_of(&e))
    })?;
    binder.add("toolFunction", |_, shared, (toolbox, tool): (String, String)| {
        let tool = tools::find(shared, Some(&toolbox), &tool)?;
        tools::function(shared, &tool)
    })?;
    binder.add("toolCreate", |_, shared, options: Table| {
        let text = |key: &str| options.get::<Option<String>>(key).map(Option::unwrap_or_default).map_err(|e| fault_of(&e));
        let (name, toolbox, description, code) = (text("name")?, text("toolbox")?, text("description")?, text("code")?);
        let signature = text("signature")?;
        let into = {
            let state = shared.state.borrow();
            state.assets.resolve(&toolbox, Some("toolbox"), None)?.guid
        };
        let body = tool_body(&name, &description, &code, &signature);
        let files = BTreeMap::from([
            ("init.luau".to_owned(), body.into_bytes()),
            ("README.md".to_owned(), format!("# {name}\n\n{description}\n").into_bytes()),
        ]);
        let request = CreateRequest { type_name: "tool".to_owned(), name: name.clone(), into: Some(into), files, ..CreateRequest::default() };
        create::create(shared, request)?;
        Ok(format!("{toolbox}.{name}"))
    })?;
    binder.add("toolboxCreate", |_, shared, options: Table| {
        let text = |key: &str| options.get::<Option<String>>(key).map(Option::unwrap_or_default).map_err(|e| fault_of(&e));
        let (name, description) = (text("name")?, text("description")?);
        let files = BTreeMap::from([("README.md".to_owned(), format!("# {name}\n\n{description}\n").into_bytes())]);
        let identity = create::create(shared, CreateRequest { type_name: "toolbox".to_owned(), name, files, ..CreateRequest::default() })?;
        ensure_shared(shared, &identity)?;
        Ok(identity)
    })
}

/// The text of a new tool: its annotations, one typed function, its body.
fn tool_body(name: &str, description: &str, code: &str, signature: &str) -> String {
    let signature = if signature.trim().is_empty() { "()" } else { signature.trim() };
    let indented: Vec<String> = code.lines().map(|line| if line.is_empty() { String::new() } else { format!("\t{line}") }).collect();
    let description = description.lines().collect::<Vec<_>>().join("\n--! ");
    format!(
        "--!strict\nlocal shared = require(\".shared\")\n\nlocal M = {{}}\n\n--!desc {description}\ntyped function M.{name}{signature}\n{}\nend\n\nreturn M\n",
        indented.join("\n"),
    )
}

/// A toolbox whose template brought no `shared.module` borrows the shape of the built-in ones.
fn ensure_shared(shared: &std::rc::Rc<Shared>, identity: &str) -> std::result::Result<(), Fault> {
    let folder = {
        let state = shared.state.borrow();
        state.assets.resolve(identity, Some("toolbox"), None)?.path.clone()
    };
    let path = folder.join("shared.module/init.luau")?;
    if shared.state.borrow().vfs.stat(&path).is_some() {
        return Ok(());
    }
    let request = {
        let state = shared.state.borrow();
        CreateRequest {
            type_name: "module".to_owned(),
            name: "shared".to_owned(),
            into: Some(state.assets.resolve(identity, Some("toolbox"), None)?.guid),
            ..CreateRequest::default()
        }
    };
    create::create(shared, request)?;
    let own = zero_vfs::VfsPath::parse("/zero/source/libs/@builtin/toolboxes/entityOps.toolbox/shared.module/init.luau")?;
    let text = shared.state.borrow().vfs.read_text(&own)?;
    shared.write_file(&path, text.as_bytes(), WriteOptions::default())?;
    Ok(())
}
