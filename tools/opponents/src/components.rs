//! What a frame of script components costs, against the same work over plain tables in one loop.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use zero_runtime::Op;

use crate::race::{Case, Row, race};
use crate::world::{World, copy, write};

const INSTANCES: u32 = 10_000;
/// Frames of one measurement: fewer than a time slice holds.
const FRAMES: u32 = 4;

/// Four reads, two writes, one sine, nothing of the world.
const COMPONENT: &str = "
public = { a = Field.number(1), b = Field.number(2), c = Field.number(3), d = Field.number(4) }
function update(dt)
    local p = public
    p.a = p.a + p.b * dt
    p.c = math.sin(p.c + p.d)
end
";

/// Both sides in one module of machine code, in one machine; each gives its seconds.
const SIDES: &str = "
--!native
local M = {}
local list = {}
for i = 1, INSTANCES do
    list[i] = { a = 1, b = 2, c = 3, d = 4 }
end

function M.ours()
    local started = os.clock()
    for _ = 1, FRAMES do
        component.step(\"update\", 1 / 60)
    end
    return os.clock() - started
end

function M.theirs()
    local started = os.clock()
    for _ = 1, FRAMES do
        local dt = 1 / 60
        for i = 1, #list do
            local p = list[i]
            p.a = p.a + p.b * dt
            p.c = math.sin(p.c + p.d)
        end
    end
    return os.clock() - started
end

return M
";

/// Where the prelude makes its globals, and one more: the driver, which scripts do not reach.
const GLOBALS: [&str; 2] = ["globals.entity = entity\n", "globals.entity = entity\nglobals.component = component\n"];

pub fn run() -> Vec<Row> {
    let library = TempDir::new().expect("a temporary folder can be made");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for part in ["builtin", "luau-api", "toolboxes"] {
        copy(&checkout.join(part), &library.path().join(part));
    }
    let prelude = library.path().join("luau-api/prelude.module/init.luau");
    let text = std::fs::read_to_string(&prelude).expect("the API has a prelude");
    assert!(text.contains(GLOBALS[0]), "the prelude makes its globals otherwise now");
    write(&prelude, &text.replace(GLOBALS[0], GLOBALS[1]));
    let world = World::over(Some(library.path().to_owned()));
    write(&world.source().join("Bench.component/init.luau"), COMPONENT);
    let sides = SIDES.trim_start().replace("INSTANCES", &INSTANCES.to_string()).replace("FRAMES", &FRAMES.to_string());
    write(&world.source().join("sides.module/init.luau"), &sides);
    // The watcher brings the files in.
    while world.run("return (pcall(asset.resolve, 'Bench', 'component')) and (pcall(asset.resolve, 'sides', 'module'))")
        != true
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    world.run(&format!("for i = 1, {INSTANCES} do entity.spawn('e').component.add('Bench') end"));
    world.call(Op::Pause { paused: true });
    world.call(Op::Play);
    let side = |name: &str| {
        let secs = world.run(&format!("return require('sides').{name}()"));
        Duration::from_secs_f64(secs.as_f64().expect("a side gives its seconds"))
    };
    let case = Case { name: "update", opponent: "loop", budget: 2.5, rounds: 25 };
    vec![race(&case, || side("ours"), || side("theirs"))]
}
