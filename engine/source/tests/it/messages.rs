//! What a failed check says.

use crate::machine::run;

const MODULE: &str = "local M = {}
export type Mode = \"edit\" | \"play\"
export type Position = { x: number, y: number, z: number }
export type SpawnOpts = {
    position: Position?,
    count: number?,
    mode: Mode?,
    tags: { string }?,
    children: { SpawnOpts }?,
    parent: EntityRef?,
    material: AssetRef<\"material\">?,
}
typed function M.spawn(kind: (\"cube\" | \"sphere\" | \"plane\"), opts: SpawnOpts?): { EntityRef }
    return {}
end
typed function M.pick(a: any, b: any, c: any, ...: string) end
typed function M.draw(shape: { kind: \"circle\", radius: number } | { kind: \"box\", size: { w: number } } | string) end
typed function M.at(at: Vec3) end
typed function M.sort(by: \"a1\" | \"a2\" | \"a3\" | \"a4\" | \"a5\" | \"a6\" | \"a7\" | \"a8\" | \"a9\" | \"b1\" | \"b2\" | \"b3\" | \"b4\" | \"b5\") end
typed function M.map(m: { [string]: { number } }) end
typed function M.sized(x: { name: string, size: number }) end
typed function M.both(x: { name: string }, n: number) end
return M";

fn check(call: &str, expected: &str) {
    let refusal = run(MODULE, &format!("\n\n\nM.{call}")).expect_err(call);
    assert_eq!(refusal, format!("game/caller.luau:4: {expected}"), "{call}");
}

#[test]
fn the_argument_and_the_place_in_it_are_named() {
    check("spawn()", "missing argument #1 'kind' to 'mod.spawn' (expected \"cube\" | \"sphere\" | \"plane\")");
    check("spawn('cube', 1)", "invalid argument #2 'opts' to 'mod.spawn' (expected SpawnOpts?, got number 1)");
    check(
        "spawn('cube', { position = { x = 1, y = 2 } })",
        "invalid argument #2 'opts' to 'mod.spawn' (at opts.position.z: expected number, got nil)",
    );
    check(
        "spawn('cube', { children = { { children = { { tags = 5 } } } } })",
        "invalid argument #2 'opts' to 'mod.spawn' (at opts.children[1].children[1].tags: expected {string}?, got number 5)",
    );
    check(
        "spawn('cube', { tags = { 'a', true } })",
        "invalid argument #2 'opts' to 'mod.spawn' (at opts.tags[2]: expected string, got boolean true)",
    );
    check(
        "spawn('cube', { tags = { first = 'a' } })",
        "invalid argument #2 'opts' to 'mod.spawn' (at opts.tags: expected keys of type number, got the key string \"first\")",
    );
    check("pick(1, 2, 3, 3)", "invalid argument #4 '...' to 'mod.pick' (expected string, got number 3)");
    check(
        "at({ x = 1, y = 'a', z = 3 })",
        "invalid argument #1 'at' to 'mod.at' (at at.y: expected number, got string \"a\")",
    );
    check("at({ 1, 2 })", "invalid argument #1 'at' to 'mod.at' (at at[3]: expected number, got nil)");
    check(
        "at({ 1, 2, 3, 4 })",
        "invalid argument #1 'at' to 'mod.at' (at has no field '[4]'; a Vec3 has three numbers)",
    );
    check(
        "map({ a = { 1 }, [2] = {} })",
        "invalid argument #1 'm' to 'mod.map' (expected keys of type string, got the key number 2)",
    );
    check(
        "map({ ['odd key'] = { 1, {} } })",
        "invalid argument #1 'm' to 'mod.map' (at m[\"odd key\"][2]: expected number, got table)",
    );
}

#[test]
fn words_list_what_is_accepted_and_the_nearest() {
    check(
        "spawn('cone')",
        "invalid argument #1 'kind' to 'mod.spawn' (expected \"cube\" | \"sphere\" | \"plane\", got string \"cone\")",
    );
    check(
        "spawn('Cube')",
        "invalid argument #1 'kind' to 'mod.spawn' (expected \"cube\" | \"sphere\" | \"plane\", got string \"Cube\"; \
         did you mean 'cube'?)",
    );
    check(
        "spawn('cube', { mode = 'pley' })",
        "invalid argument #2 'opts' to 'mod.spawn' (at opts.mode: expected (\"edit\" | \"play\")?, got string \"pley\"; \
         did you mean 'play'?)",
    );
    check(
        "sort(('x'):rep(99))",
        "invalid argument #1 'by' to 'mod.sort' (expected \"a1\" | \"a2\" | \"a3\" | \"a4\" | \"a5\" | \"a6\" | \"a7\" | \"a8\" | \
         \"a9\" | \"b1\" | \"b2\" | \"b3\" | … 2 more, got string \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\")",
    );
}

#[test]
fn unknown_fields_are_named_with_the_nearest() {
    check(
        "spawn('cube', { cuont = 1 })",
        "invalid argument #2 'opts' to 'mod.spawn' (opts has no field 'cuont'; did you mean 'count'?)",
    );
    check(
        "spawn('cube', { position = { x = 1, y = 2, z = 3, w = 4 } })",
        "invalid argument #2 'opts' to 'mod.spawn' (opts.position has no field 'w'; it takes x, y, z)",
    );
    check(
        "spawn('cube', { banana = 1 })",
        "invalid argument #2 'opts' to 'mod.spawn' (opts has no field 'banana'; it takes position, count, mode, tags, children, \
         parent, material)",
    );
    check(
        "spawn('cube', { 'x' })",
        "invalid argument #2 'opts' to 'mod.spawn' (opts has no field '[1]'; it takes position, count, mode, tags, children, \
         parent, material)",
    );
}

#[test]
fn references_say_how_to_get_one() {
    check(
        "spawn('cube', { parent = 'lamp' })",
        "invalid argument #2 'opts' to 'mod.spawn' (at opts.parent: expected EntityRef?, got string \"lamp\"; \
         entity(\"lamp\") finds one by name)",
    );
    check(
        "spawn('cube', { material = 'demo.gold' })",
        "invalid argument #2 'opts' to 'mod.spawn' (at opts.material: expected AssetRef<\"material\">?, got string \"demo.gold\"; \
         asset.resolve(\"demo.gold\", \"material\") finds one by name)",
    );
    check(
        "spawn('cube', { parent = gold })",
        "invalid argument #2 'opts' to 'mod.spawn' (at opts.parent: expected EntityRef?, got AssetRef<\"material\", \"demo.gold\">)",
    );
    check("both(lamp, 'x')", "invalid argument #2 'n' to 'mod.both' (expected number, got string \"x\")");
    check(
        "sized(lamp)",
        "invalid argument #1 'x' to 'mod.sized' (expected { name: string, size: number }, got EntityRef)",
    );
}

#[test]
fn unions_explain_the_member_that_was_meant() {
    check(
        "draw({ kind = 'circle', radius = 'x' })",
        "invalid argument #1 'shape' to 'mod.draw' (at shape.radius: expected number, got string \"x\")",
    );
    check(
        "draw({ kind = 'box', size = { w = 'x' } })",
        "invalid argument #1 'shape' to 'mod.draw' (at shape.size.w: expected number, got string \"x\")",
    );
    check(
        "draw({ kind = 'circel', radius = 1 })",
        "invalid argument #1 'shape' to 'mod.draw' (at shape.kind: expected \"circle\" | \"box\", got string \"circel\"; \
         did you mean 'circle'?)",
    );
    check(
        "draw(5)",
        "invalid argument #1 'shape' to 'mod.draw' (expected { kind: \"circle\", radius: number } | { kind: \"box\", size: \
         { w: number } } | string, got number 5)",
    );
}

#[test]
fn the_place_is_that_of_the_caller() {
    let module = "local M = {}\ntyped function M.f(x: number) end\nreturn M";
    let check = |caller: &str, expected: &str| {
        let refusal = run(module, caller).unwrap_or_else(|refusal| refusal);
        let expected = format!("{expected} invalid argument #1 'x' to 'mod.f' (expected number, got string \"a\")");
        assert_eq!(refusal, expected, "{caller}");
    };
    check("local ok, why = pcall(function()\nM.f('a') end) return why", "game/caller.luau:2:");
    check("local ok, why = pcall(M.f, 'a') return why", "game/caller.luau:1:");
    check(
        "\nlocal co = coroutine.create(function() M.f('a') end)\nlocal _, why = coroutine.resume(co) return why",
        "game/caller.luau:2:",
    );
}
