use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use zero_base::Fault;
use zero_script::mlua::{Result, Value};
use zero_script::{OVERRUN, Prototype, fault_of};

use crate::bind::Binder;

/// Loaded component scripts, by the handle the component module holds until it drops it.
#[derive(Default)]
struct Prototypes {
    last: u64,
    loaded: HashMap<u64, Prototype>,
}

/// Globals of a file that its instances do not have again: `__FILE__`, `require`, `modules`.
const FILE_GLOBALS: usize = 3;
/// Globals an instance gets besides those its script sets: `self`, and `Field` while it is made.
const OWN_GLOBALS: usize = 2;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    let prototypes = Rc::new(RefCell::new(Prototypes::default()));
    let kept = Rc::clone(&prototypes);
    binder.add("scriptLoad", move |_, shared, path: String| {
        let vm = shared.vm();
        let prototype = vm.load_prototype(&path)?;
        vm.call(&prototype.script.main, (), OVERRUN)?;
        let env = prototype.script.env.clone();
        let mut prototypes = kept.borrow_mut();
        prototypes.last += 1;
        let handle = prototypes.last;
        prototypes.loaded.insert(handle, prototype);
        Ok((handle as f64, env))
    })?;
    let kept = Rc::clone(&prototypes);
    binder.add("scriptDrop", move |_, _, handle: f64| {
        kept.borrow_mut().loaded.remove(&(handle as u64));
        Ok(())
    })?;
    binder.add("scriptInstance", move |lua, _, handle: f64| {
        let prototypes = prototypes.borrow();
        let prototype = prototypes.loaded.get(&(handle as u64)).ok_or_else(|| {
            Fault::new("engine/script", "a component's script was never loaded; this is a bug of the engine")
        })?;
        let of_file = prototype.script.env.pairs::<Value, Value>().count();
        let globals = of_file.saturating_sub(FILE_GLOBALS) + OWN_GLOBALS;
        let instance = prototype.instantiate(lua, globals).map_err(|e| fault_of(&e))?;
        Ok((Value::Table(instance.env), Value::Function(instance.main)))
    })
}
