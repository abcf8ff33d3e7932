use std::cell::RefCell;
use std::collections::HashMap;

use zero_base::Fault;
use zero_script::mlua::{Result, Value};
use zero_script::{OVERRUN, Script, fault_of};

use crate::bind::Binder;

/// Loaded component scripts, by the handle their prototype holds.
type Scripts = std::rc::Rc<RefCell<HashMap<u64, Script>>>;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    let scripts: Scripts = Scripts::default();
    let kept = scripts.clone();
    binder.add("scriptLoad", move |_, shared, path: String| {
        let vm = shared.vm();
        let script = vm.load_prototype(&path)?;
        vm.call(&script.main, (), OVERRUN)?;
        let env = script.env.clone();
        let mut scripts = kept.borrow_mut();
        let handle = scripts.len() as u64 + 1;
        scripts.insert(handle, script);
        Ok((handle as f64, env))
    })?;
    binder.add("scriptInstance", move |lua, _, handle: f64| {
        let script = scripts
            .borrow()
            .get(&(handle as u64))
            .cloned()
            .ok_or_else(|| Fault::new("engine/script", "a component's script was never loaded; this is a bug of the engine"))?;
        let instance = script.instantiate(lua).map_err(|e| fault_of(&e))?;
        Ok((Value::Table(instance.env), Value::Function(instance.main)))
    })
}
