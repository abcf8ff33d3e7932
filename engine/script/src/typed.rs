//! The run-time side of `typed function`: what a guard calls when a check failed, and how it
//! looks at the values that arrived.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, Table, Value, Variadic};
use zero_source::luau::{Checks, Probe};

use crate::fault::is_engine_frame;

#[derive(Clone)]
pub(crate) struct TypedRuntime {
    checks: Rc<RefCell<HashMap<String, Arc<Checks>>>>,
    host_tests: Table,
}

impl TypedRuntime {
    pub(crate) fn new(lua: &Lua) -> mlua::Result<TypedRuntime> {
        let runtime = TypedRuntime { checks: Rc::default(), host_tests: lua.create_table()? };
        // A machine without an engine has no references; the engine replaces these.
        let never = lua.create_function(|_, _: Variadic<Value>| Ok(false))?;
        for name in ["EntityRef", "AssetRef"] {
            runtime.host_tests.raw_set(name, &never)?;
        }
        // The failure is raised from Luau, so that it is a plain string for whoever catches it.
        let raiser: Function =
            lua.load("local explain = ... return function(...) error(explain(...), 0) end").into_function()?;
        let (checks, host_tests) = (Rc::clone(&runtime.checks), runtime.host_tests.clone());
        let entry = lua.create_function(move |lua, module: String| {
            let checks = Rc::clone(&checks);
            let explain = lua.create_function(move |lua, (index, values): (usize, Variadic<Value>)| {
                let known = checks.borrow().get(&module).cloned();
                let probes: Vec<LuaProbe> = values.iter().map(|value| LuaProbe(value.clone())).collect();
                let text = match known {
                    Some(checks) => checks.explain(index, &probes, &caller_place(lua)),
                    None => format!("invalid argument to a function of {module} [script/argument]"),
                };
                Ok(text)
            })?;
            let fail: Function = raiser.call(explain)?;
            Ok((fail, host_tests.clone()))
        })?;
        lua.globals().set("__typed_rt", entry)?;
        Ok(runtime)
    }

    pub(crate) fn register(&self, module: &str, checks: Arc<Checks>) {
        self.checks.borrow_mut().insert(module.to_owned(), checks);
    }

    pub(crate) fn host_tests(&self) -> Table {
        self.host_tests.clone()
    }
}

/// `name:line` of the first Luau frame above the typed function whose guard failed.
fn caller_place(lua: &Lua) -> String {
    // 0 is the explanation itself, 1 the raiser, 2 the typed function.
    (3..64)
        .map_while(|level| {
            lua.inspect_stack(level, |frame| {
                let source = frame.source();
                let name = source.short_src.map(|name| name.into_owned());
                let by_a_script = source.what != "C" && name.as_deref().is_some_and(|name| !is_engine_frame(name));
                by_a_script.then_some(name).flatten().zip(frame.current_line())
            })
        })
        .flatten()
        .next()
        .map(|(name, line)| format!("{name}:{line}"))
        .unwrap_or_default()
}

/// A value looked at without running any of the author's code.
pub(crate) struct LuaProbe(Value);

impl Probe for LuaProbe {
    fn type_name(&self) -> &str {
        match &self.0 {
            Value::Integer(_) => "number",
            other => other.type_name(),
        }
    }

    fn as_str(&self) -> Option<String> {
        self.0.as_string().map(|text| text.to_string_lossy())
    }

    fn as_f64(&self) -> Option<f64> {
        match &self.0 {
            Value::Integer(number) => Some(*number as f64),
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn as_bool(&self) -> Option<bool> {
        self.0.as_boolean()
    }

    fn field(&self, name: &str) -> Option<LuaProbe> {
        match &self.0 {
            Value::Table(table) => present(table.raw_get(name).ok()?),
            Value::Vector(vector) => {
                let component = match name {
                    "x" => vector.x(),
                    "y" => vector.y(),
                    "z" => vector.z(),
                    _ => return None,
                };
                Some(LuaProbe(Value::Number(f64::from(component))))
            }
            _ => None,
        }
    }

    fn item(&self, index: usize) -> Option<LuaProbe> {
        present(self.0.as_table()?.raw_get(index).ok()?)
    }

    fn len(&self) -> usize {
        self.0.as_table().map_or(0, Table::raw_len)
    }

    fn keys(&self, limit: usize) -> Vec<LuaProbe> {
        let Some(table) = self.0.as_table() else { return Vec::new() };
        table.pairs::<Value, Value>().filter_map(Result::ok).take(limit).map(|(key, _)| LuaProbe(key)).collect()
    }

    fn host_kind(&self) -> Option<String> {
        self.0.as_table()?.metatable()?.raw_get::<Option<String>>("__kind").ok()?
    }
}

fn present(value: Value) -> Option<LuaProbe> {
    (!value.is_nil()).then_some(LuaProbe(value))
}
