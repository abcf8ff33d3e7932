//! One Luau machine: sandbox, chunks, calls and slices.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Once;
use std::time::Duration;

use mlua::chunk::Compiler;
use mlua::thread::ThreadStatus;
use mlua::{Function, IntoLuaMulti, Lua, LuaOptions, MultiValue, StdLib, Table, Thread, Value, Variadic};
use zero_base::Fault;

use crate::fault::{fault_of, fault_of_caught};
use crate::host::{Host, PrintLevel};
use crate::modules::{Code, Modules};
use crate::typed::TypedRuntime;
use crate::watchdog::{Stretch, Watchdog};

/// The longest that code which cannot be suspended may run.
pub const OVERRUN: Duration = Duration::from_millis(100);
/// The longest that a module's body, which cannot be suspended either, may run.
const MODULE_BODY: Duration = Duration::from_millis(500);

/// Bytes after which a printed line takes in no more values.
const LONGEST_PRINT: usize = 64 << 10;

#[derive(Debug, Clone, Copy)]
pub struct VmOptions {
    /// Bytes the machine may hold; an allocation past it fails in the script that asks.
    pub memory_limit: usize,
    /// Seed of `math.random`.
    pub random_seed: u32,
}

impl Default for VmOptions {
    fn default() -> VmOptions {
        VmOptions { memory_limit: 1 << 30, random_seed: 0 }
    }
}

/// What became of a slice.
#[derive(Debug)]
pub enum Ran {
    Returned(MultiValue),
    /// The coroutine yielded of its own accord.
    Yielded(MultiValue),
    /// The slice was over; resume without arguments to go on.
    Preempted,
    Failed(Fault),
}

/// A Luau machine with its modules. Lives on one thread.
pub struct Vm {
    // Invariant: dropped before `lua`, whose callback table it points to.
    watchdog: Rc<Watchdog>,
    pub(crate) modules: Rc<Modules>,
    guarded: Guarded,
    lua: Lua,
}

/// Runs a function so that what it throws keeps its value and its trace.
struct Guarded {
    /// `run(f, …)` gives the mark, whether it went well, and the results or the failure.
    run: Function,
    /// No script can hold it: tells a guarded result from any other.
    mark: Table,
}

impl Guarded {
    fn new(lua: &Lua) -> mlua::Result<Guarded> {
        let mark = lua.create_table()?;
        let run = lua
            .load(
                "local mark = ...
                local function caught(problem) return { problem = problem, trace = debug.traceback(nil, 2) } end
                return function(f, ...) return mark, xpcall(f, caught, ...) end",
            )
            .set_name("=[engine]")
            .call(&mark)?;
        Ok(Guarded { run, mark })
    }

    fn unwrap(&self, mut values: MultiValue) -> Result<MultiValue, Fault> {
        let marked = matches!(values.front(), Some(Value::Table(table)) if *table == self.mark);
        if !marked {
            return Ok(values);
        }
        values.pop_front();
        match values.pop_front() {
            Some(Value::Boolean(true)) => Ok(values),
            _ => Err(fault_of_caught(&values.pop_front().unwrap_or(Value::Nil))),
        }
    }
}

impl Vm {
    /// A machine with the sandboxed standard libraries and `require`, and nothing of the engine.
    pub fn new(host: Rc<dyn Host>, options: VmOptions) -> Result<Vm, Fault> {
        let lua =
            Lua::new_with(StdLib::ALL_SAFE, LuaOptions::new().catch_rust_panics(true)).map_err(|e| fault_of(&e))?;
        lua.enable_jit(false);
        let watchdog = Rc::new(Watchdog::new(&lua));
        let typed = TypedRuntime::new(&lua).map_err(|e| fault_of(&e))?;
        let modules = Rc::new(Modules::new(&lua, host, typed, Rc::clone(&watchdog)).map_err(|e| fault_of(&e))?);
        let guarded = Guarded::new(&lua).map_err(|e| fault_of(&e))?;
        let vm = Vm { watchdog, modules, guarded, lua };
        vm.prepare_globals(options).map_err(|e| fault_of(&e))?;
        vm.lua.set_memory_limit(options.memory_limit).map_err(|e| fault_of(&e))?;
        Ok(vm)
    }

    fn prepare_globals(&self, options: VmOptions) -> mlua::Result<()> {
        let globals = self.lua.globals();
        let seed: Function = globals.get::<Table>("math")?.get("randomseed")?;
        seed.call::<()>(options.random_seed)?;
        // `require` is each script's own. An import that the globals answer at load time would
        // stand before the script's.
        for name in ["getfenv", "setfenv", "loadstring", "newproxy", "collectgarbage", "require"] {
            globals.set(name, Value::Nil)?;
        }
        for (name, level) in [("print", PrintLevel::Info), ("warn", PrintLevel::Warn)] {
            let modules = Rc::downgrade(&self.modules);
            let printer = self.lua.create_function(move |lua, values: Variadic<Value>| {
                let Some(modules) = modules.upgrade() else { return Ok(()) };
                let mut text = String::new();
                for (index, value) in values.iter().enumerate() {
                    if text.len() > LONGEST_PRINT {
                        text.push_str(&format!(" … {} more values", values.len() - index));
                        break;
                    }
                    if index > 0 {
                        text.push(' ');
                    }
                    text.push_str(&value.to_string()?);
                }
                modules.host().print(level, &text, modules.calling_file(lua, 1).as_deref());
                Ok(())
            })?;
            globals.set(name, printer)?;
        }
        globals.set_safeenv(true);
        Ok(())
    }

    pub fn lua(&self) -> &Lua {
        &self.lua
    }

    /// What only the engine's own API modules see, as `__native`.
    pub fn native(&self) -> &Table {
        self.modules.native()
    }

    /// Makes the types that the file declares known in every script. Read from its text.
    pub fn set_ambient_types(&self, path: &str) {
        self.modules.set_ambient_types(path);
    }

    /// Closes the sandbox: globals and libraries become read-only. Called once, after the
    /// engine's own globals are in place.
    pub fn seal(&self) -> Result<(), Fault> {
        self.lua.sandbox(true).map_err(|e| fault_of(&e))
    }

    /// The tests that guards call for the engine's own reference types; the engine fills it.
    pub fn host_tests(&self) -> Table {
        self.modules.typed().host_tests()
    }

    /// The file whose code runs `level` frames up, skipping native frames and the engine's API.
    pub fn calling_file(&self) -> Option<String> {
        self.modules.calling_file(&self.lua, 1)
    }

    /// The path of a script that has been loaded, by the name traces give it.
    pub fn path_of(&self, name: &str) -> Option<String> {
        self.modules.path_of(name)
    }

    /// Loads a file without running it: its main function, in an environment of its own.
    pub fn load_file(&self, path: &str) -> Result<Script, Fault> {
        self.modules.load_file(&self.lua, path, Code::AsWritten)
    }

    /// Loads a file that many instances are made of: its code is compiled to machine code once,
    /// and every instance shares it.
    pub fn load_prototype(&self, path: &str) -> Result<Prototype, Fault> {
        let script = self.modules.load_file(&self.lua, path, Code::Native)?;
        Prototype::new(&self.lua, script).map_err(|e| fault_of(&e))
    }

    /// Loads code that is no file, under a name for messages. `from` is where its `require`s
    /// count from.
    pub fn load_code(&self, name: &str, from: &str, code: &str) -> Result<Script, Fault> {
        self.modules.load_code(&self.lua, name, from, code)
    }

    pub fn require(&self, from: &str, name: &str) -> Result<Value, Fault> {
        self.modules.require(&self.lua, from, name).map_err(|e| fault_of(&e))
    }

    /// The module at `path`, run if it has not been.
    pub fn module(&self, path: &str) -> Result<Value, Fault> {
        self.modules.load(&self.lua, path).map_err(|e| fault_of(&e))
    }

    /// Re-runs the module at `path` and folds what it returns into the table everybody holds.
    /// False when it was never loaded; a failure keeps the old code.
    pub fn reload(&self, path: &str) -> Result<bool, Fault> {
        self.modules.reload(&self.lua, path)
    }

    /// Forgets a module whose file is gone; who holds its table keeps it.
    pub fn forget(&self, path: &str) {
        self.modules.forget(path);
    }

    /// Calls a function that is not suspended: it is ended when it runs longer than `limit`.
    pub fn call(&self, function: &Function, args: impl IntoLuaMulti, limit: Duration) -> Result<MultiValue, Fault> {
        let (result, _) = self.watchdog.run(Stretch::Call, limit, || self.guarded_call(function, args));
        result
    }

    fn guarded_call(&self, function: &Function, args: impl IntoLuaMulti) -> Result<MultiValue, Fault> {
        let call = || {
            let mut args = args.into_lua_multi(&self.lua)?;
            args.push_front(Value::Function(function.clone()));
            self.guarded.run.call::<MultiValue>(args)
        };
        self.guarded.unwrap(call().map_err(|e| fault_of(&e))?)
    }

    /// A coroutine that runs the function, and the arguments to resume it with first. What the
    /// function throws reaches [`Ran::Failed`] with its code, data and trace.
    pub fn task(&self, function: Function, mut args: MultiValue) -> Result<(Thread, MultiValue), Fault> {
        let thread = self.lua.create_thread(self.guarded.run.clone()).map_err(|e| fault_of(&e))?;
        args.push_front(Value::Function(function));
        Ok((thread, args))
    }

    /// Calls a function that works through a list and writes its position to `progress`, a
    /// buffer's first word: ended only when one position takes longer than `limit`.
    pub fn run_step(
        &self,
        function: &Function,
        args: impl IntoLuaMulti,
        progress: &mlua::Buffer,
        limit: Duration,
    ) -> Result<MultiValue, Fault> {
        // The buffer is kept alive by the caller's reference for the length of the call, and
        // Luau never moves a buffer's bytes.
        let counter = buffer_data(&self.lua, progress);
        let stretch = if counter.is_null() { Stretch::Call } else { Stretch::Step { progress: counter } };
        let (result, _) = self.watchdog.run(stretch, limit, || self.guarded_call(function, args));
        result
    }

    /// Runs a coroutine until it returns, yields, fails, or its slice is over.
    pub fn resume(&self, thread: &Thread, args: impl IntoLuaMulti) -> Ran {
        let stretch = Stretch::Task { thread: thread.state() };
        let (result, preempted) = self.watchdog.run(stretch, OVERRUN, || thread.resume::<MultiValue>(args));
        match result {
            Err(error) => Ran::Failed(fault_of(&error)),
            Ok(_) if preempted && thread.status() == ThreadStatus::Resumable => Ran::Preempted,
            Ok(values) if thread.status() == ThreadStatus::Resumable => Ran::Yielded(values),
            Ok(values) => match self.guarded.unwrap(values) {
                Ok(values) => Ran::Returned(values),
                Err(fault) => Ran::Failed(fault),
            },
        }
    }
}

/// The address of a buffer's first byte.
fn buffer_data(lua: &Lua, buffer: &mlua::Buffer) -> *const u32 {
    lua.exec_raw_lua(|raw| {
        use mlua::ffi;
        let state = raw.state();
        // SAFETY: pushes one value, reads its address, pops it: the stack is as it was.
        unsafe {
            ffi::lua_rawcheckstack(state, 1);
            raw.push_value(&Value::Buffer(buffer.clone())).ok();
            let mut length = 0;
            let data = ffi::lua_tobuffer(state, -1, &mut length);
            ffi::lua_pop(state, 1);
            if length < size_of::<u32>() { std::ptr::null() } else { data.cast::<u32>().cast_const() }
        }
    })
}

/// A loaded chunk.
#[derive(Debug, Clone)]
pub struct Script {
    pub main: Function,
    /// The globals the script sees and sets.
    pub env: Table,
}

/// A script that many instances are made of: each with globals of its own over the script's.
#[derive(Debug, Clone)]
pub struct Prototype {
    pub script: Script,
    /// One metatable for all instances: their globals fall back on the script's.
    instance_meta: Table,
}

impl Prototype {
    fn new(lua: &Lua, script: Script) -> mlua::Result<Prototype> {
        let instance_meta = lua.create_table()?;
        instance_meta.raw_set("__index", &script.env)?;
        Ok(Prototype { script, instance_meta })
    }

    /// A clone of the main function in globals of its own, with room for `globals` of them.
    /// Room matters: instances whose tables grew one by one lie scattered in memory.
    pub fn instantiate(&self, lua: &Lua, globals: usize) -> mlua::Result<Script> {
        let env = lua.create_table_with_capacity(0, globals)?;
        env.set_metatable(Some(self.instance_meta.clone()))?;
        env.set_safeenv(true);
        let main = self.script.main.deep_clone()?;
        main.set_environment(env.clone())?;
        Ok(Script { main, env })
    }
}

/// Compiles for the sandbox: full optimisation, line numbers kept. The members of `engine`
/// change from read to read, and a component's instances have a `Field` of their own: neither
/// must be looked up once, when the script loads.
pub fn compiler() -> Compiler {
    static ONCE: Once = Once::new();
    // Without it a type alias that is a union of itself sends the compiler down without end.
    ONCE.call_once(|| {
        Lua::set_fflag("LuauCompileRecursiveAliases", true).expect("this Luau follows aliases that name themselves")
    });
    Compiler::new().set_optimization_level(2).set_debug_level(1).set_mutable_globals(["engine", "Field"])
}

/// The limit within which a module's body must end.
pub(crate) fn module_body_limit() -> Duration {
    MODULE_BODY
}

pub(crate) fn shared_env_metatable(lua: &Lua) -> mlua::Result<Table> {
    let meta = lua.create_table()?;
    meta.raw_set("__index", lua.globals())?;
    meta.raw_set("__metatable", "locked")?;
    Ok(meta)
}

pub(crate) type ChunkPaths = RefCell<HashMap<String, String>>;
