//! One Luau machine with the engine's API in it, and the ways the engine calls into it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value as Json;
use zero_base::{Fault, Hash};
use zero_script::mlua::{Buffer, Function, Lua, Table, Value};
use zero_script::{OVERRUN, Scheduler, Vm, VmOptions, fault_of, from_json, to_json};
use zero_world::Change;

use crate::bind;
use crate::host::EngineHost;
use crate::shared::Shared;

/// `fault.module` is loaded before natives can be wrapped, the prelude after.
const FAULT_MODULE: &str = "/zero/source/libs/@builtin/modules/api/fault.module/init.luau";
const PRELUDE: &str = "/zero/source/libs/@builtin/modules/api/prelude.module/init.luau";
pub(crate) const TYPES: &str = "/zero/source/libs/@builtin/modules/api/types.module/init.luau";

/// The longest that one asset is checked: a shader is compiled for it.
const CHECKING: Duration = Duration::from_secs(10);

pub(crate) struct Machine {
    pub vm: Rc<Vm>,
    pub scheduler: RefCell<Scheduler>,
    /// Distinguishes this machine from those before and after it.
    pub epoch: u64,
    component: Table,
    type_problems: Function,
    progress: Buffer,
}

impl Machine {
    pub(crate) fn new(shared: &Rc<Shared>) -> Result<Rc<Machine>, Fault> {
        static EPOCH: AtomicU64 = AtomicU64::new(0);
        let seed = Hash::of(shared.state.borrow().name.as_bytes());
        let random_seed = u32::from_le_bytes(seed.as_bytes()[..4].try_into().expect("four bytes of thirty-two"));
        let host = Rc::new(EngineHost::new(shared));
        let vm = Rc::new(Vm::new(host, VmOptions { random_seed, ..VmOptions::default() })?);
        vm.set_ambient_types(TYPES);
        let lua = vm.lua();
        let fault_module = table(vm.module(FAULT_MODULE)?, "fault.module")?;
        bind::install(&vm, shared, &fault_module).map_err(|e| fault_of(&e))?;
        let prelude = table(vm.module(PRELUDE)?, "prelude.module")?;
        let (component, progress) = install_prelude(&vm, lua, &prelude).map_err(|e| fault_of(&e))?;
        let type_problems = prelude.get("typeProblems").map_err(|e| fault_of(&e))?;
        vm.seal()?;
        let epoch = EPOCH.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Rc::new(Machine { vm, scheduler: RefCell::default(), epoch, component, type_problems, progress }))
    }

    fn component(&self, name: &str) -> Result<Function, Fault> {
        self.component.get(name).map_err(|e| fault_of(&e))
    }

    /// Loads a component script; its description, as `component.module` gives it.
    pub(crate) fn define(&self, key: &str, path: &str) -> Result<Json, Fault> {
        let values = self.vm.run_step(&self.component("define")?, (key, path), &self.progress, OVERRUN)?;
        to_json(values.front().unwrap_or(&Value::Nil))
    }

    pub(crate) fn undefine(&self, key: &str) -> Result<(), Fault> {
        self.vm.call(&self.component("undefine")?, key, OVERRUN).map(drop)
    }

    /// Tells the instance of a script component what has become of it.
    /// Nothing of it is run when `quiet` and only a field changed.
    pub(crate) fn tell(&self, change: &Change, playing: bool, quiet: bool) -> Result<(), Fault> {
        let lua = self.vm.lua();
        let id = change.entity.to_string();
        let key = change.component.as_str();
        match (&change.before, &change.after) {
            (None, Some(after)) => self.attach(change, after, playing),
            (Some(_), None) => self.vm.call(&self.component("detach")?, (id, key), OVERRUN).map(drop),
            (Some(before), Some(after)) => {
                let changed = self.component("changed")?;
                for field in changed_fields(before, after) {
                    let value = from_json(lua, after.get(&field).unwrap_or(&Json::Null)).map_err(|e| fault_of(&e))?;
                    self.vm.call(&changed, (id.as_str(), key, field, value, quiet), OVERRUN)?;
                }
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    fn attach(&self, change: &Change, record: &Json, playing: bool) -> Result<(), Fault> {
        let stored = from_json(self.vm.lua(), record).map_err(|e| fault_of(&e))?;
        let args = (change.entity.to_string(), change.entity.number(), change.component.as_str(), stored, playing);
        self.vm.call(&self.component("attach")?, args, OVERRUN).map(drop)
    }

    /// What the code of an asset's type finds wrong with it, as `asset.typeProblems` gives it.
    pub(crate) fn type_problems(&self, guid: &str) -> Result<Json, Fault> {
        let values = self.vm.call(&self.type_problems, guid, CHECKING)?;
        to_json(values.front().unwrap_or(&Value::Nil))
    }

    /// Runs one part of a frame over every component instance.
    pub(crate) fn step(&self, hook: &str, dt: f64) -> Result<(), Fault> {
        self.vm.run_step(&self.component("step")?, (hook, dt), &self.progress, OVERRUN).map(drop)
    }

    pub(crate) fn any_component_has(&self, hook: &str) -> bool {
        let ask = || -> Result<bool, Fault> {
            let values = self.vm.call(&self.component("any")?, hook, OVERRUN)?;
            Ok(values.front().and_then(Value::as_boolean).unwrap_or(false))
        };
        ask().unwrap_or(false)
    }
}

fn install_prelude(vm: &Vm, lua: &Lua, prelude: &Table) -> zero_script::mlua::Result<(Table, Buffer)> {
    let globals = lua.globals();
    for pair in prelude.get::<Table>("globals")?.pairs::<String, Value>() {
        let (name, value) = pair?;
        globals.set(name, value)?;
    }
    let tests = vm.host_tests();
    for pair in prelude.get::<Table>("tests")?.pairs::<String, Function>() {
        let (name, test) = pair?;
        tests.set(name, test)?;
    }
    let component: Table = prelude.get("component")?;
    let progress: Buffer = component.get("progress")?;
    Ok((component, progress))
}

fn table(value: Value, what: &str) -> Result<Table, Fault> {
    match value {
        Value::Table(table) => Ok(table),
        other => Err(Fault::new(
            "engine/library",
            format!("the built-in {what} must return a table, not {}; the library is damaged", other.type_name()),
        )),
    }
}

fn changed_fields(before: &Json, after: &Json) -> Vec<String> {
    let empty = serde_json::Map::new();
    let (before, after) = (before.as_object().unwrap_or(&empty), after.as_object().unwrap_or(&empty));
    let mut fields: Vec<String> =
        before.keys().chain(after.keys()).filter(|field| before.get(*field) != after.get(*field)).cloned().collect();
    fields.sort();
    fields.dedup();
    fields
}
