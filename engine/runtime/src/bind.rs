//! Native functions of the Luau API: one file per area, all registered by [`install`].

mod assets;
mod components;
mod engine;
mod entities;
mod files;
mod outline;
mod scene;
mod scripts;
mod tasks;
mod tools;
mod yaml;

use std::rc::Rc;

use zero_base::Fault;
use zero_script::mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua, MultiValue, Result, Table};
use zero_script::{Vm, from_json};

use crate::shared::Shared;

/// Registers every binding in the table that only the API's own modules see. The one entry:
/// what scripts can reach natively is what this registers.
pub(crate) fn install(vm: &Rc<Vm>, shared: &Rc<Shared>, fault: &Table) -> Result<()> {
    let binder = Binder {
        lua: vm.lua(),
        shared,
        table: vm.native(),
        wrap: fault.get("wrap")?,
        wrap_write: fault.get("wrapWrite")?,
    };
    assets::bind(&binder)?;
    components::bind(&binder)?;
    engine::bind(&binder)?;
    entities::bind(&binder)?;
    files::bind(&binder)?;
    outline::bind(&binder)?;
    scene::bind(&binder)?;
    scripts::bind(&binder)?;
    tasks::bind(&binder)?;
    tools::bind(&binder)?;
    yaml::bind(&binder)
}

pub(crate) struct Binder<'a> {
    lua: &'a Lua,
    shared: &'a Rc<Shared>,
    table: &'a Table,
    wrap: Function,
    wrap_write: Function,
}

impl Binder<'_> {
    /// Registers a function. Its refusals are thrown as tables with a code, at the script's place.
    pub(crate) fn add<A, R, F>(&self, name: &str, function: F) -> Result<()>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
        F: Fn(&Lua, &Rc<Shared>, A) -> std::result::Result<R, Fault> + 'static,
    {
        self.register(name, &self.wrap, function)
    }

    /// Registers a function that waits for another call's transaction.
    pub(crate) fn add_waiting<A, R, F>(&self, name: &str, function: F) -> Result<()>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
        F: Fn(&Lua, &Rc<Shared>, A) -> std::result::Result<R, Fault> + 'static,
    {
        self.register(name, &self.wrap_write, function)
    }

    /// Registers a function that writes: it happens whole or not at all, also where the script
    /// catches its refusal, and waits for another call's transaction.
    pub(crate) fn add_write<A, R, F>(&self, name: &str, function: F) -> Result<()>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
        F: Fn(&Lua, &Rc<Shared>, A) -> std::result::Result<R, Fault> + 'static,
    {
        self.register(name, &self.wrap_write, move |lua, shared, args| {
            shared.atomically(|| function(lua, shared, args))
        })
    }

    fn register<A, R, F>(&self, name: &str, wrap: &Function, function: F) -> Result<()>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
        F: Fn(&Lua, &Rc<Shared>, A) -> std::result::Result<R, Fault> + 'static,
    {
        // Weak: the machine holds its functions, and the engine holds the machine.
        let shared = Rc::downgrade(self.shared);
        let native = self.lua.create_function(move |lua, args: A| {
            let outcome = match shared.upgrade() {
                Some(shared) => function(lua, &shared, args),
                None => Err(crate::engine::gone()),
            };
            answer(lua, outcome)
        })?;
        let wrapped: Function = wrap.call(native)?;
        self.table.raw_set(name, wrapped)
    }
}

/// `true, …` or `false, code, message, data, diagnostics`.
fn answer<R: IntoLuaMulti>(lua: &Lua, outcome: std::result::Result<R, Fault>) -> Result<MultiValue> {
    match outcome {
        Ok(result) => {
            let mut values = result.into_lua_multi(lua)?;
            values.push_front(zero_script::mlua::Value::Boolean(true));
            Ok(values)
        }
        Err(fault) => {
            let data = match &fault.data {
                Some(data) => from_json(lua, data)?,
                None => zero_script::mlua::Value::Nil,
            };
            let kept =
                (!fault.diagnostics.is_empty()).then(|| serde_json::to_string(&fault.diagnostics).unwrap_or_default());
            (false, fault.code.as_ref(), fault.message.as_str(), data, kept).into_lua_multi(lua)
        }
    }
}
