//! A Luau machine with what the engine provides for typed functions: `__typed_rt`, and
//! references in both forms, tables with a locked metatable and userdata.

use std::sync::Arc;

use mlua::{Function, Lua, MultiValue, Table, UserData, UserDataMethods, Value, Variadic};
use zero_source::luau::{Checks, Imports, Instrumented, NoImports, Probe, instrument, instrument_compact};

/// How a source is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Inline,
    Compact,
}

pub const STYLES: [Style; 2] = [Style::Inline, Style::Compact];

pub fn rewrite(source: &str, style: Style, imports: &dyn Imports) -> Instrumented {
    let rewritten = match style {
        Style::Inline => instrument(source, "game/mod", imports),
        Style::Compact => instrument_compact(source, "game/mod", imports),
    };
    rewritten.unwrap_or_else(|diagnostics| panic!("{source}: {diagnostics:?}"))
}

/// Runs a module, which returns a table, and then a caller that sees it as `M`. Answers what
/// the caller returns, as text, or the error.
pub fn run(module: &str, caller: &str) -> Result<String, String> {
    let results = STYLES.map(|style| run_as(module, caller, style, &NoImports));
    let [inline, compact] = results;
    assert_eq!(inline, compact, "both forms of the guards answer alike: {caller}");
    inline
}

pub fn run_as(module: &str, caller: &str, style: Style, imports: &dyn Imports) -> Result<String, String> {
    let lua = machine();
    let instrumented = rewrite(module, style, imports);
    install(&lua, instrumented.checks.clone()).expect("the runtime side");
    lua.sandbox(true).expect("a sandbox");
    let env = lua.create_table().expect("a table");
    let meta = lua.create_table().expect("a table");
    meta.set("__index", lua.globals()).expect("globals");
    env.set_metatable(Some(meta)).expect("a metatable");
    let text = |error: mlua::Error| match error {
        mlua::Error::RuntimeError(message) | mlua::Error::SyntaxError { message, .. } => {
            message.lines().next().unwrap_or_default().to_owned()
        }
        other => other.to_string(),
    };
    let module: Value =
        lua.load(&instrumented.text).set_name("@game/mod.luau").set_environment(env.clone()).eval().map_err(text)?;
    env.set("M", module).expect("the module");
    let results: MultiValue =
        lua.load(caller).set_name("@game/caller.luau").set_environment(env).eval().map_err(text)?;
    Ok(results.iter().map(|value| value.to_string().expect("a text")).collect::<Vec<_>>().join(" "))
}

struct Reference;

impl UserData for Reference {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(mlua::MetaMethod::Index, |_, _, name: String| match name.as_str() {
            "name" => Ok("lamp"),
            _ => Err(mlua::Error::runtime(format!("no field '{name}'"))),
        });
    }
}

fn machine() -> Lua {
    let lua = Lua::new();
    let globals = lua.globals();
    globals.set("object", lua.create_userdata(Reference).expect("userdata")).expect("a global");
    lua.load(
        "local function reference(kind)
            return setmetatable({ __guid = 1 }, { __kind = kind, __metatable = 'locked', __index = function(_, name)
                if name == 'name' then return 'lamp' end
                error('no field ' .. name)
            end })
        end
        lamp = reference('EntityRef')
        gold = reference('AssetRef<\"material\", \"demo.gold\">')",
    )
    .exec()
    .expect("references");
    lua
}

fn kind_of(value: &Value) -> Option<String> {
    match value {
        Value::UserData(object) if object.is::<Reference>() => Some("EntityRef".to_owned()),
        Value::Table(table) => table.metatable()?.raw_get::<Option<String>>("__kind").ok()?,
        _ => None,
    }
}

fn install(lua: &Lua, checks: Arc<Checks>) -> mlua::Result<()> {
    let host = lua.create_table()?;
    let is_entity = |_: &Lua, value: Value| Ok(kind_of(&value).as_deref() == Some("EntityRef"));
    host.set("EntityRef", lua.create_function(is_entity)?)?;
    let is_asset = |_: &Lua, (value, kind, identity): (Value, Option<String>, Option<String>)| {
        let Some(found) = kind_of(&value) else { return Ok(false) };
        let wanted = match (kind, identity) {
            (None, _) => "AssetRef".to_owned(),
            (Some(kind), None) => format!("AssetRef<\"{kind}\""),
            (Some(kind), Some(identity)) => format!("AssetRef<\"{kind}\", \"{identity}\""),
        };
        Ok(found.starts_with(&wanted))
    };
    host.set("AssetRef", lua.create_function(is_asset)?)?;
    let explain = lua.create_function(move |lua, (index, values): (usize, Variadic<Value>)| {
        let probes: Vec<Seen> = values.iter().cloned().map(Seen).collect();
        Ok(checks.explain(index, &probes, &caller(lua)))
    })?;
    let raise: Function = lua
        .load("local explain = ... return function(...) error(explain(...), 0) end")
        .set_name("=raise")
        .call(explain)?;
    let entry = lua.create_function(move |_, module: String| {
        assert_eq!(module, "game/mod");
        Ok((raise.clone(), host.clone()))
    })?;
    lua.globals().set("__typed_rt", entry)
}

/// The first frame of Luau above the typed function: 0 is the explanation, 1 what raises it.
fn caller(lua: &Lua) -> String {
    let place = |level| {
        lua.inspect_stack(level, |frame| {
            let source = frame.source();
            let name = source.short_src.map(|name| name.into_owned());
            let name = if source.what == "C" { None } else { name };
            name.zip(frame.current_line())
        })
    };
    let found = (3..32).map_while(place).flatten().next();
    found.map(|(name, line)| format!("{name}:{line}")).unwrap_or_default()
}

/// A value as the explanation sees it.
struct Seen(Value);

fn present(value: Value) -> Option<Seen> {
    (!value.is_nil()).then_some(Seen(value))
}

impl Probe for Seen {
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

    fn field(&self, name: &str) -> Option<Seen> {
        present(self.0.as_table()?.raw_get(name).ok()?)
    }

    fn item(&self, index: usize) -> Option<Seen> {
        present(self.0.as_table()?.raw_get(index).ok()?)
    }

    fn len(&self) -> usize {
        self.0.as_table().map_or(0, Table::raw_len)
    }

    fn keys(&self, limit: usize) -> Vec<Seen> {
        let Some(table) = self.0.as_table() else { return Vec::new() };
        table.pairs::<Value, Value>().filter_map(Result::ok).take(limit).map(|(key, _)| Seen(key)).collect()
    }

    fn host_kind(&self) -> Option<String> {
        kind_of(&self.0)
    }
}
