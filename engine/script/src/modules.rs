//! Files as modules: loading, `require`, state that survives, reload in place.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Error, Lua, Table, Value};
use zero_base::{Diagnostic, Fault};
use zero_source::luau;

use crate::fault::fault_of;
use crate::host::Host;
use crate::typed::TypedRuntime;
use crate::vm::{ChunkPaths, Script, compiler, module_body_limit, shared_env_metatable};
use crate::watchdog::{Stretch, Watchdog};

pub(crate) struct Modules {
    host: Rc<dyn Host>,
    typed: TypedRuntime,
    watchdog: Rc<Watchdog>,
    /// Metatable of every script's environment.
    env_meta: Table,
    /// Chunk name as traces show it → path.
    chunks: ChunkPaths,
    entries: RefCell<HashMap<String, Entry>>,
    /// `modules.state()` by path: outlives every reload.
    states: RefCell<HashMap<String, Table>>,
    /// Paths whose body is running, outermost first.
    loading: RefCell<Vec<String>>,
    /// Declared types of files, for guards that use another module's types.
    types: RefCell<HashMap<String, Arc<luau::Chunk>>>,
    ambient: RefCell<Option<Arc<Vec<luau::TypeAlias>>>>,
    /// What the engine gives its own API modules, and nobody else.
    native: Table,
}

struct Entry {
    value: Value,
    /// Keys the last run of the body returned: a later run removes those it drops.
    declared: Vec<Value>,
    state: EntryState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryState {
    /// The body runs; `value` is the table handed to whoever asks meanwhile.
    Loading,
    Ready,
}

/// Whether a script becomes machine code when it loads: worth it for what runs every frame,
/// four times the loading for everything else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// If the script says `--!native`.
    AsWritten,
    Native,
}

/// Where the engine's own API lives: the only scripts that see `__native`.
const API_PREFIX: &str = "/zero/source/libs/@builtin/modules/api/";
/// What ships with the engine, for every script alike: none may change it for the others.
const BUILTIN_PREFIX: &str = "/zero/source/libs/@builtin/";
/// Longer scripts would hold everybody up while they are compiled.
const LONGEST_SCRIPT: usize = 1 << 20;

/// Whether a script may not have the module: the parts of the engine's API are for each other.
pub fn is_private(from: &str, module: &str) -> bool {
    module.starts_with(API_PREFIX) && !from.starts_with(API_PREFIX)
}

/// Why [`is_private`] modules are refused.
pub fn private_module(name: &str) -> Fault {
    Fault::new(
        "script/private_module",
        format!("'{name}' is a part of the engine's API, which scripts reach as globals: asset, entity, task, vfs …"),
    )
}

/// Refuses a script too long to be compiled between two frames.
pub fn check_length(name: &str, text: &str) -> Result<(), Fault> {
    if text.len() <= LONGEST_SCRIPT {
        return Ok(());
    }
    Err(Fault::new(
        "script/too_long",
        format!(
            "{name} has {} bytes, and a script may have {LONGEST_SCRIPT}; keep data in a data asset or split the script",
            text.len()
        ),
    ))
}

impl Modules {
    pub(crate) fn new(
        lua: &Lua,
        host: Rc<dyn Host>,
        typed: TypedRuntime,
        watchdog: Rc<Watchdog>,
    ) -> mlua::Result<Modules> {
        Ok(Modules {
            host,
            typed,
            watchdog,
            env_meta: shared_env_metatable(lua)?,
            chunks: RefCell::default(),
            entries: RefCell::default(),
            states: RefCell::default(),
            loading: RefCell::default(),
            types: RefCell::default(),
            ambient: RefCell::default(),
            native: lua.create_table()?,
        })
    }

    pub(crate) fn host(&self) -> &dyn Host {
        &*self.host
    }

    pub(crate) fn typed(&self) -> &TypedRuntime {
        &self.typed
    }

    pub(crate) fn native(&self) -> &Table {
        &self.native
    }

    pub(crate) fn set_ambient_types(&self, path: &str) {
        *self.ambient.borrow_mut() = self.chunk(path).map(|chunk| Arc::new(chunk.types.clone()));
    }

    pub(crate) fn is_loaded(&self, path: &str) -> bool {
        self.entries.borrow().contains_key(path)
    }

    pub(crate) fn forget(&self, path: &str) {
        self.entries.borrow_mut().remove(path);
        self.types.borrow_mut().remove(path);
    }

    pub(crate) fn path_of(&self, name: &str) -> Option<String> {
        self.chunks.borrow().get(name).cloned()
    }

    /// The path of the nearest script frame that is not the engine's API, from `level` up.
    pub(crate) fn calling_file(&self, lua: &Lua, level: usize) -> Option<String> {
        let chunks = self.chunks.borrow();
        (level..level + 64)
            .map_while(|level| lua.inspect_stack(level, |frame| frame.source().short_src.map(|name| name.into_owned())))
            .flatten()
            .find_map(|name| chunks.get(&name).filter(|path| !path.starts_with(API_PREFIX)).cloned())
    }

    pub(crate) fn require(self: &Rc<Self>, lua: &Lua, from: &str, name: &str) -> mlua::Result<Value> {
        let path = self.host.resolve(from, name).map_err(Error::external)?;
        if is_private(from, &path) {
            return Err(Error::external(private_module(name)));
        }
        self.load(lua, &path)
    }

    /// The module's value; runs its body the first time. Inside a cycle: the table that the
    /// body's result will be folded into.
    pub(crate) fn load(self: &Rc<Self>, lua: &Lua, path: &str) -> mlua::Result<Value> {
        if let Some(entry) = self.entries.borrow_mut().get_mut(path) {
            if entry.value.is_nil() && entry.state == EntryState::Loading {
                entry.value = Value::Table(lua.create_table()?);
            }
            return Ok(entry.value.clone());
        }
        let started = Entry { value: Value::Nil, declared: Vec::new(), state: EntryState::Loading };
        self.entries.borrow_mut().insert(path.to_owned(), started);
        match self.run_body(lua, path) {
            Ok(result) => self.settle(path, result),
            Err(error) => {
                self.entries.borrow_mut().remove(path);
                Err(error)
            }
        }
    }

    fn settle(&self, path: &str, result: Value) -> mlua::Result<Value> {
        let mut entries = self.entries.borrow_mut();
        let entry = entries.get_mut(path).expect("the entry was made before the body ran");
        entry.state = EntryState::Ready;
        match (&entry.value, &result) {
            // A cycle was handed a table: it stays the module's.
            (Value::Table(partial), Value::Table(table)) => entry.declared = fold(partial, table, &[])?,
            (_, Value::Table(table)) => {
                entry.declared = keys_of(table)?;
                entry.value = result;
            }
            _ => entry.value = result,
        }
        // The API's own modules are tied together first, and sealed with the globals.
        let shared = path.starts_with(BUILTIN_PREFIX) && !path.starts_with(API_PREFIX);
        if let (Value::Table(table), true) = (&entry.value, shared) {
            table.set_readonly(true);
        }
        Ok(entry.value.clone())
    }

    pub(crate) fn reload(self: &Rc<Self>, lua: &Lua, path: &str) -> Result<bool, Fault> {
        self.types.borrow_mut().remove(path);
        if !self.is_loaded(path) || self.loading.borrow().iter().any(|loading| loading == path) {
            return Ok(false);
        }
        let result = self.run_body(lua, path).map_err(|e| fault_of(&e))?;
        let mut entries = self.entries.borrow_mut();
        let Some(entry) = entries.get_mut(path) else { return Ok(false) };
        match (&entry.value, &result) {
            (Value::Table(held), Value::Table(fresh)) => {
                entry.declared = fold(held, fresh, &entry.declared).map_err(|e| fault_of(&e))?;
            }
            _ => entry.value = result,
        }
        Ok(true)
    }

    fn run_body(self: &Rc<Self>, lua: &Lua, path: &str) -> mlua::Result<Value> {
        let script = self.load_file(lua, path, Code::AsWritten).map_err(Error::external)?;
        self.loading.borrow_mut().push(path.to_owned());
        let (result, _) = self.watchdog.run(Stretch::Call, module_body_limit(), || script.main.call::<Value>(()));
        self.loading.borrow_mut().pop();
        result
    }

    pub(crate) fn load_file(self: &Rc<Self>, lua: &Lua, path: &str, code: Code) -> Result<Script, Fault> {
        let source = self.host.source(path)?;
        self.load_text(lua, &source.name, path, &source.text, code)
    }

    pub(crate) fn load_code(self: &Rc<Self>, lua: &Lua, name: &str, from: &str, code: &str) -> Result<Script, Fault> {
        self.load_text(lua, name, from, code, Code::AsWritten)
    }

    fn load_text(self: &Rc<Self>, lua: &Lua, name: &str, path: &str, text: &str, code: Code) -> Result<Script, Fault> {
        check_length(name, text)?;
        let imports = FileImports { modules: self, path };
        let instrumented = luau::instrument(text, name, &imports).map_err(|found| syntax_fault(name, found))?;
        self.typed.register(name, Arc::clone(&instrumented.checks));
        self.chunks.borrow_mut().insert(name.to_owned(), path.to_owned());
        let env = self.environment(lua, path).map_err(|e| fault_of(&e))?;
        let load = |text: &str| {
            let native = code == Code::Native || path.starts_with(API_PREFIX) || has_native_directive(text);
            lua.enable_jit(native);
            let main = lua
                .load(text)
                .set_name(format!("={name}"))
                .set_compiler(compiler())
                .set_environment(env.clone())
                .into_function();
            lua.enable_jit(false);
            main
        };
        let main = match load(&instrumented.text) {
            Err(error) if is_out_of_locals(&error) => {
                let compact =
                    luau::instrument_compact(text, name, &imports).map_err(|found| syntax_fault(name, found))?;
                self.typed.register(name, Arc::clone(&compact.checks));
                load(&compact.text)
            }
            other => other,
        };
        Ok(Script { main: main.map_err(|e| fault_of(&e))?, env })
    }

    /// The globals of one file: its own, then everybody's.
    fn environment(self: &Rc<Self>, lua: &Lua, path: &str) -> mlua::Result<Table> {
        let env = lua.create_table()?;
        env.raw_set("__FILE__", path)?;
        let (modules, from) = (Rc::downgrade(self), path.to_owned());
        let require = lua.create_function(move |lua, name: String| match modules.upgrade() {
            Some(modules) => modules.require(lua, &from, &name),
            None => Err(Error::runtime("the machine is shutting down")),
        })?;
        env.raw_set("require", require)?;
        let (modules, from) = (Rc::downgrade(self), path.to_owned());
        let state = lua.create_function(move |lua, ()| match modules.upgrade() {
            Some(modules) => modules.state(lua, &from),
            None => Err(Error::runtime("the machine is shutting down")),
        })?;
        let own = lua.create_table()?;
        own.raw_set("state", state)?;
        own.set_readonly(true);
        env.raw_set("modules", own)?;
        if path.starts_with(API_PREFIX) {
            env.raw_set("__native", &self.native)?;
        }
        env.set_metatable(Some(self.env_meta.clone()))?;
        env.set_safeenv(true);
        Ok(env)
    }

    fn state(&self, lua: &Lua, path: &str) -> mlua::Result<Table> {
        if let Some(state) = self.states.borrow().get(path) {
            return Ok(state.clone());
        }
        let state = lua.create_table()?;
        self.states.borrow_mut().insert(path.to_owned(), state.clone());
        Ok(state)
    }

    /// What the file at `path` declares, parsed once per content.
    fn chunk(&self, path: &str) -> Option<Arc<luau::Chunk>> {
        if let Some(chunk) = self.types.borrow().get(path) {
            return Some(Arc::clone(chunk));
        }
        let chunk = Arc::new(luau::parse(&self.host.source(path).ok()?.text));
        self.types.borrow_mut().insert(path.to_owned(), Arc::clone(&chunk));
        Some(chunk)
    }
}

/// The types a file sees in the modules it requires.
struct FileImports<'a> {
    modules: &'a Rc<Modules>,
    path: &'a str,
}

impl luau::Imports for FileImports<'_> {
    fn types_of(&self, require_name: &str) -> Option<Arc<Vec<luau::TypeAlias>>> {
        let path = self.modules.host.resolve(self.path, require_name).ok()?;
        Some(Arc::new(self.modules.chunk(&path)?.types.clone()))
    }

    fn ambient(&self) -> Option<Arc<Vec<luau::TypeAlias>>> {
        self.modules.ambient.borrow().clone()
    }
}

/// Copies `fresh` into `held`, removes what the previous run declared and this one does not,
/// and leaves what was set at run time. Returns the keys declared now.
fn fold(held: &Table, fresh: &Table, previous: &[Value]) -> mlua::Result<Vec<Value>> {
    if held.to_pointer() == fresh.to_pointer() {
        return keys_of(fresh);
    }
    let readonly = held.is_readonly();
    held.set_readonly(false);
    for key in previous {
        if fresh.raw_get::<Value>(key)?.is_nil() {
            held.raw_set(key, Value::Nil)?;
        }
    }
    let mut declared = Vec::new();
    for pair in fresh.pairs::<Value, Value>() {
        let (key, value) = pair?;
        held.raw_set(&key, value)?;
        declared.push(key);
    }
    held.set_metatable(fresh.metatable())?;
    held.set_readonly(readonly);
    Ok(declared)
}

fn keys_of(table: &Table) -> mlua::Result<Vec<Value>> {
    table.pairs::<Value, Value>().map(|pair| pair.map(|(key, _)| key)).collect()
}

fn syntax_fault(name: &str, found: Vec<Diagnostic>) -> Fault {
    let found: Vec<Diagnostic> = found
        .into_iter()
        .map(|diagnostic| if diagnostic.path.is_none() { diagnostic.in_file(name) } else { diagnostic })
        .collect();
    match found.first() {
        Some(first) => Fault::from(first.clone()).with_diagnostics(found),
        None => Fault::new("script/syntax", format!("{name}: the script cannot be read")),
    }
}

fn is_out_of_locals(error: &Error) -> bool {
    matches!(error, Error::SyntaxError { message, .. } if message.contains("exceeded limit 200"))
}

fn has_native_directive(text: &str) -> bool {
    text.lines().take_while(|line| line.trim_start().starts_with("--")).any(|line| line.trim() == "--!native")
}
