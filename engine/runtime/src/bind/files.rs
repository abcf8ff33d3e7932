use zero_base::Hash;
use zero_script::fault_of;
use zero_script::mlua::{Lua, LuaString, Result, Table};
use zero_vfs::{Kind, Layer, VfsPath, WriteOptions};

use crate::bind::Binder;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add("vfsRead", |lua, shared, path: String| {
        let path = VfsPath::parse(&path)?;
        let bytes = shared.state.borrow().vfs.read(&path)?;
        lua.create_string(&*bytes).map_err(|e| fault_of(&e))
    })?;
    binder.add_write("vfsWrite", |lua, shared, (path, bytes, options): (String, LuaString, Option<Table>)| {
        let path = VfsPath::parse(&path)?;
        let mut write = WriteOptions::default();
        if let Some(options) = options {
            let base: Option<String> = options.get("base").map_err(|e| fault_of(&e))?;
            write.base = base
                .map(|base| base.parse::<Hash>())
                .transpose()
                .map_err(|error| zero_base::Fault::new("vfs/base", error.to_string()))?;
            write.durable = options.get::<Option<bool>>("durable").map_err(|e| fault_of(&e))?.unwrap_or(false);
        }
        let (receipt, diagnostics) = shared.write_file(&path, &bytes.as_bytes(), write)?;
        for diagnostic in diagnostics {
            shared.report(diagnostic, Some(path.as_str()));
        }
        receipt_table(lua, &path, receipt.before, receipt.after, &receipt.layer).map_err(|e| fault_of(&e))
    })?;
    binder.add("vfsStat", |lua, shared, path: String| {
        let path = VfsPath::parse(&path)?;
        let state = shared.state.borrow();
        let Some(stat) = state.vfs.stat(&path) else { return Ok(None) };
        let hash = (stat.kind == Kind::File).then(|| state.vfs.hash(&path)).transpose()?;
        let table = lua.create_table().map_err(|e| fault_of(&e))?;
        let fill = || -> Result<()> {
            table.raw_set("kind", kind_name(stat.kind))?;
            table.raw_set("size", stat.size as f64)?;
            table.raw_set("layer", layer_name(&stat.layer))?;
            table.raw_set("hash", hash.map(|hash| hash.to_string()))
        };
        fill().map_err(|e| fault_of(&e))?;
        Ok(Some(table))
    })?;
    binder.add("vfsList", |lua, shared, path: String| {
        let entries = shared.state.borrow().vfs.list(&VfsPath::parse(&path)?)?;
        let fill = || -> Result<Table> {
            let list = lua.create_table_with_capacity(entries.len(), 0)?;
            for entry in &entries {
                let row = lua.create_table()?;
                row.raw_set("name", entry.name.as_str())?;
                row.raw_set("kind", kind_name(entry.kind))?;
                list.raw_push(row)?;
            }
            Ok(list)
        };
        fill().map_err(|e| fault_of(&e))
    })?;
    binder.add_write("vfsRemove", |_, shared, path: String| shared.remove_file(&VfsPath::parse(&path)?))?;
    binder.add_write("vfsRename", |_, shared, (from, to): (String, String)| {
        shared.rename_file(&VfsPath::parse(&from)?, &VfsPath::parse(&to)?)
    })?;
    binder.add_write("vfsPromote", |_, shared, paths: Option<Vec<String>>| {
        let paths = paths
            .map(|paths| paths.iter().map(|path| VfsPath::parse(path)).collect::<std::result::Result<Vec<_>, _>>())
            .transpose()?;
        let promoted = shared.promote(paths.as_deref())?;
        Ok(promoted.into_iter().map(|path| path.as_str().to_owned()).collect::<Vec<_>>())
    })
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Folder => "folder",
    }
}

fn layer_name(layer: &Layer) -> String {
    match layer {
        Layer::Disk => "disk".to_owned(),
        Layer::Library => "library".to_owned(),
        Layer::Shadow => "shadow".to_owned(),
        Layer::Uncommitted { owner } => format!("uncommitted by {owner}"),
    }
}

fn receipt_table(lua: &Lua, path: &VfsPath, before: Option<Hash>, after: Hash, layer: &Layer) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("path", path.as_str())?;
    table.raw_set("before", before.map(|hash| hash.to_string()))?;
    table.raw_set("after", after.to_string())?;
    table.raw_set("layer", layer_name(layer))?;
    Ok(table)
}
