//! What a `typed function` costs to call: its checks, against the same function without them.

use std::rc::Rc;
use std::time::Duration;

use zero_base::Fault;
use zero_script::mlua::{Function, Table, Value};
use zero_script::{Host, PrintLevel, Source, Vm, VmOptions};

use crate::race::{Case, Row, race, time};

const CALLS: u32 = 200_000;
/// The loop is one call of the machine; nothing here takes as long.
const LIMIT: Duration = Duration::from_secs(60);

const MODULE: &str = r#"
local M = {}

export type Vec3 = { x: number, y: number, z: number }
export type SpawnOpts = { position: Vec3, tags: { string }, scale: number? }

typed function M.scalarsChecked(count: number, name: string): number
    return count + #name
end

function M.scalarsPlain(count, name)
    return count + #name
end

typed function M.recordChecked(kind: "cube" | "sphere", opts: SpawnOpts): number
    return opts.position.x + #opts.tags
end

function M.recordPlain(kind, opts)
    return opts.position.x + #opts.tags
end

function M.scalars(call, times)
    local sum = 0
    for index = 1, times do
        sum += call(index, "name")
    end
    return sum
end

function M.record(call, times)
    local sum = 0
    local opts = { position = { x = 1, y = 2, z = 3 }, tags = { "a", "b" }, scale = 2 }
    for _ = 1, times do
        sum += call("sphere", opts)
    end
    return sum
end

return M
"#;

struct OneModule;

impl Host for OneModule {
    fn resolve(&self, _from: &str, name: &str) -> Result<String, Fault> {
        Ok(name.to_owned())
    }

    fn source(&self, path: &str) -> Result<Source, Fault> {
        Ok(Source { text: MODULE.to_owned(), name: path.to_owned() })
    }

    fn print(&self, _level: PrintLevel, text: &str, _path: Option<&str>) {
        eprintln!("{text}");
    }
}

pub fn run() -> Vec<Row> {
    let vm = Vm::new(Rc::new(OneModule), VmOptions::default()).expect("the machine starts");
    vm.seal().expect("the sandbox closes");
    let Value::Table(module) = vm.module("/typed.luau").expect("the module loads") else {
        panic!("the module gives a table");
    };
    let case = |name, budget| Case { name, opponent: "the same function, unchecked", budget, rounds: 15 };
    vec![calls(&vm, &module, &case("scalars", 2.5)), calls(&vm, &module, &case("record", 15.0))]
}

fn calls(vm: &Vm, module: &Table, case: &Case) -> Row {
    let function = |name: String| module.get::<Function>(name).expect("the module has its functions");
    let driver = function(case.name.to_owned());
    let run = |called: Function| {
        let driver = driver.clone();
        move || time(|| vm.call(&driver, (called.clone(), CALLS), LIMIT).expect("the loop runs"))
    };
    race(case, run(function(format!("{}Checked", case.name))), run(function(format!("{}Plain", case.name))))
}
