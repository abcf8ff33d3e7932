use serde_json::json;
use zero_runtime::Op;

use crate::support::World;

const COUNTER: &str = "
public = { step = Field.number(1, Sync, 'Added each frame.', { min = 0 }), label = Field.string('x'), at = Field.vec3() }
events = { passed = { 'number' } }
local seen = {}
count = 0
function awake() count = 100 end
function start() count += 1000 end
function update(dt) count += public.step if count > 1105 then self.events.passed:fire(count) end end
function onPropertyChanged(name, value) table.insert(seen, name) end
function value() return count end
function heard() return seen end
";

fn counter(world: &World) {
    world.write("/zero/source/Counter.component/init.luau", COUNTER);
}

#[test]
fn fields_have_defaults_ranges_and_did_you_mean() {
    let world = World::new();
    counter(&world);
    let value = world.run(
        "local c = entity.spawn('c').component.add('Counter', { step = 2 })
         c.at = { 1, 2, 3 }
         return { c.step, c.label, c.at, c.entity.name, entity('c').Counter.step }",
    );
    assert_eq!(value, json!([2, "x", [1, 2, 3], "c", 2]));
    let refused = |code: &str, parts: &[&str]| {
        let (_, message) = world.fails(code);
        parts.iter().for_each(|part| assert!(message.contains(part), "{part} in {message}"));
    };
    refused("entity('c').Counter.stpe = 1", &["stpe", "step"]);
    refused("entity('c').Counter.step = 'much'", &["step"]);
    refused("entity('c').Counter.step = -1", &["step"]);
    refused("entity('c').Counter.at = { 0/0, 0, 0 }", &["at"]);
    refused("entity('c').position = { 0, 0/0, 0 }", &["position"]);
    refused("return entity('c').Coutner", &["Coutner", "Counter"]);
    refused("entity('c').component.add('Conuter')", &["Conuter", "Counter"]);
    refused("return entity('c').Counter.nothing", &["nothing"]);
    assert_eq!(world.run("return entity('c').Counter.step"), json!(2));
}

#[test]
fn lifecycle_runs_in_play_only() {
    let world = World::new();
    counter(&world);
    world.run("entity.spawn('c').component.add('Counter')");
    assert_eq!(world.run("return entity('c').Counter:value()"), json!(0));
    world.play();
    world.steps(3);
    assert_eq!(world.run("return entity('c').Counter:value()"), json!(1103));
    world.run("entity('c').Counter.step = 5");
    assert_eq!(world.run("return entity('c').Counter:heard()"), json!(["step"]));
    world.steps(1);
    assert_eq!(world.run("return entity('c').Counter:value()"), json!(1108));
    world.edit();
    assert_eq!(world.run("return { entity('c').Counter:value(), entity('c').Counter.step }"), json!([0, 1]));
}

#[test]
fn events_reach_listeners() {
    let world = World::new();
    counter(&world);
    world.run("entity.spawn('c').component.add('Counter', { step = 10 })");
    world.play();
    let value = world.run(
        "local got = {}
         entity('c').Counter.events.passed:connect(function(n) table.insert(got, n) end)
         engine.step(2)
         return got",
    );
    assert_eq!(value, json!([1110, 1120]));
}

#[test]
fn one_instance_that_fails_does_not_stop_the_others() {
    let world = World::new();
    world.write(
        "/zero/source/Fragile.component/init.luau",
        "public = { breaks = Field.boolean(false) }
         n = 0
         function update(dt) n += 1 if public.breaks and n == 2 then error('snap') end end
         function value() return n end",
    );
    world.run("for i = 1, 3 do entity.spawn('f' .. i).component.add('Fragile', { breaks = i == 2 }) end");
    world.play();
    world.steps(4);
    let value = world.run("local v = {} for i = 1, 3 do v[i] = entity('f' .. i).Fragile:value() end return v");
    assert_eq!(value, json!([4, 2, 4]));
    assert_eq!(world.run("return entity('f2').Fragile.enabled"), json!(false));
}

#[test]
fn an_instance_that_hangs_is_ended_and_the_step_goes_on() {
    let world = World::new();
    world.write(
        "/zero/source/Hangs.component/init.luau",
        "public = { hangs = Field.boolean(false) } n = 0
         function update(dt) n += 1 if public.hangs then while true do end end end
         function value() return n end",
    );
    world.run("for i = 1, 3 do entity.spawn('h' .. i).component.add('Hangs', { hangs = i == 1 }) end");
    world.play();
    world.steps(2);
    assert_eq!(
        world.run("local v = {} for i = 1, 3 do v[i] = entity('h' .. i).Hangs:value() end return v"),
        json!([1, 2, 2])
    );
}

#[test]
fn an_edit_of_the_script_keeps_instances_and_fields() {
    let world = World::new();
    counter(&world);
    world.run("entity.spawn('c').component.add('Counter', { step = 7 })");
    world.write(
        "/zero/source/Counter.component/init.luau",
        &COUNTER.replace("return count end", "return 'new' .. public.step end"),
    );
    assert_eq!(world.run("return entity('c').Counter:value()"), json!("new7"));
    let written = world.write("/zero/source/Counter.component/init.luau", "public = { step = ");
    assert_eq!(written["diagnostics"][0]["code"], "script/syntax");
    assert_eq!(written["diagnostics"][0]["path"], "/zero/source/Counter.component/init.luau");
    assert_eq!(world.run("return entity('c').Counter:value()"), json!("new7"));
    world.write("/zero/source/Counter.component/init.luau", COUNTER);
    assert_eq!(world.run("return entity('c').Counter:value()"), json!(0));
}

#[test]
fn ids_survive_an_undone_despawn() {
    let world = World::new();
    counter(&world);
    world.run("local p = entity.spawn('p') entity.spawn('c', { parent = p }).component.add('Counter', { step = 3 })");
    let before = world.run("return { entity('p').id, entity('c').id }");
    world.fails("entity('p'):despawn() assert(entity.find('c') == nil) error('undo')");
    assert_eq!(world.run("return { entity('p').id, entity('c').id }"), before);
    assert_eq!(world.run("return { entity('c').Counter.step, entity('c').parent.name }"), json!([3, "p"]));
}

#[test]
fn the_editor_hook_runs_in_edit_and_the_end_is_heard() {
    let world = World::new();
    world.write(
        "/zero/source/Edits.component/init.luau",
        "frames = 0 function editorUpdate(dt) frames += 1 end function seen() return frames end
         function onDestroy() entity.spawn('gone') end",
    );
    world.run("entity.spawn('e').component.add('Edits')");
    crate::transactions::eventually(|| world.run("return entity('e').Edits:seen() > 2") == json!(true));
    world.play();
    assert_eq!(world.run("return entity('e').Edits:seen()"), json!(0));
    world.run("entity('e').component.remove('Edits')");
    assert_eq!(
        world.run("return { entity.find('gone') ~= nil, entity('e').component.has('Edits') }"),
        json!([true, false])
    );
}

#[test]
fn records_become_entities_with_components_and_children() {
    let world = World::new();
    let value = world.run(
        "local made = entity.instantiate({
             { name = 'house', components = { Mesh = { castShadows = false } }, children = {
                 { name = 'roof', position = { 0, 3, 0 } },
             } },
         })
         return { #made, made[2].parent == made[1], made[2].worldPosition, made[1].Mesh.castShadows }",
    );
    assert_eq!(value, json!([2, true, [0, 3, 0], false]));
    let (_, message) = world.fails("entity.instantiate({ { name = 'x', positon = { 0, 0, 0 } } })");
    assert!(message.contains("positon"), "{message}");
}

#[test]
fn a_reload_that_fails_half_way_inside_a_step_leaves_the_step_and_the_old_code() {
    let world = World::new();
    let good = "public = { a = Field.number(1) } function update() self.a = self.a + 1 end";
    world.write("/zero/source/D.component/init.luau", good);
    world.write(
        "/zero/source/Z.component/init.luau",
        "public = { n = Field.number(0) } function update() self.n = self.n + 1 end",
    );
    world.write(
        "/zero/source/W.component/init.luau",
        "public = {}
         local code = [[
            if self then public = setmetatable({}, { __newindex = function() error('no') end }) error('half way')
            else public = { a = Field.number(1) } end
            function update() end]]
         function update() pcall(vfs.write, '/zero/source/D.component/init.luau', code) error('w failed') end",
    );
    world.run(
        "for i = 1, 5 do entity.spawn('d').component.add('D') end
         entity.spawn('w').component.add('W') entity.spawn('z').component.add('Z')",
    );
    world.play();
    world.steps(5);
    assert_eq!(world.run("return { entity('w').W.enabled, entity('z').Z.n }"), json!([false, 5]));
}

#[test]
fn a_component_reloads_as_often_as_one_likes() {
    let world = World::new();
    let memory = || world.call(Op::Status).unwrap().value["scriptMemory"].as_u64().unwrap();
    let write = |n: u32| {
        let code = format!(
            "-- {n}\nlocal t = {{}} for i = 1, 20000 do t[i] = {{ i }} end public = {{}} function update() return #t end"
        );
        world.write("/zero/source/Heavy.component/init.luau", &code);
    };
    write(0);
    world.run("entity.spawn('e').component.add('Heavy')");
    (1..20).for_each(write);
    let before = memory();
    (20..80).for_each(write);
    let grown = memory().saturating_sub(before);
    assert!(grown < 60 << 20, "{grown} bytes more after 60 reloads of 2 MB each");
}

#[test]
fn a_component_that_cannot_load_is_known_before_anybody_uses_it() {
    let world = World::new();
    world.write("/zero/source/Bad.component/init.luau", "public = { a = 5 }");
    crate::transactions::eventually(|| world.call(Op::Status).unwrap().value["problems"] == json!(1));
    assert_eq!(world.call(Op::Play).unwrap_err().code, "play/diagnostics");
    world.write("/zero/source/Bad.component/init.luau", "public = { a = Field.number(5) }");
    crate::transactions::eventually(|| world.call(Op::Status).unwrap().value["problems"] == json!(0));
}

#[test]
fn what_an_editor_update_changes_every_frame_is_kept_without_a_record_of_every_frame() {
    let world = World::new();
    world.write(
        "/zero/source/Turning.component/init.luau",
        "public = {} function editorUpdate() self.entity.position = self.entity.position + vector.create(1, 0, 0) end",
    );
    world.run("entity.spawn('t').component.add('Turning')");
    let journal = || {
        let files = std::fs::read_dir(world.path().join(".zero/journal")).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum::<u64>()
    };
    let x = || world.run("return entity('t').position.x").as_f64().unwrap();
    let (size, from) = (journal(), x());
    // Looking ends a transaction: not too often.
    let mut looks = 0;
    let moved = loop {
        std::thread::sleep(std::time::Duration::from_millis(700));
        looks += 1;
        let moved = x() - from;
        if moved > 10.0 {
            break moved;
        }
        assert!(looks < 20, "{moved}");
    };
    let grown = journal() - size;
    assert!(grown < 3000 * looks, "{grown} bytes for {moved} frames, {looks} looks");
    world.run("entity('t').component.remove('Turning')");
    let last = x();
    let world = world.reopen();
    assert_eq!(world.run("return entity('t').position.x").as_f64().unwrap(), last);
}
