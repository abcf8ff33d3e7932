use serde_json::json;

use crate::support::World;

#[test]
fn tasks_run_in_the_order_they_promise() {
    let world = World::new();
    let value = world.run(
        "local order = {}
         local function note(name) table.insert(order, name) end
         task.defer(note, 'deferred')
         task.spawn(function() note('spawned') task.wait() note('after a frame') end)
         task.delay(0.2, note, 'late')
         note('here')
         task.wait(0.4)
         note('end')
         return order",
    );
    assert_eq!(value, json!(["spawned", "here", "deferred", "after a frame", "late", "end"]));
}

#[test]
fn a_cancelled_task_never_runs() {
    let world = World::new();
    let value = world.run(
        "local ran = false
         local late = task.delay(0.05, function() ran = true end)
         local cancelled = task.cancel(late)
         task.wait(0.15)
         return { cancelled, ran }",
    );
    assert_eq!(value, json!([true, false]));
}

#[test]
fn a_task_outlives_its_call_and_its_failure_is_logged() {
    let world = World::new();
    world.run("task.delay(0.05, function() entity.spawn('by the task') end) task.delay(0.05, function() entity.spawn('half') error('broke') end)");
    crate::transactions::eventually(|| world.run("return entity.find('by the task') ~= nil") == json!(true));
    // Later than the one that fails.
    world.run("task.delay(0.05, function() entity.spawn('after') end)");
    crate::transactions::eventually(|| world.run("return entity.find('after') ~= nil") == json!(true));
    assert_eq!(world.run("return entity.find('half') == nil"), json!(true));
}

#[test]
fn waiting_where_nothing_can_wait_is_an_error_that_says_so() {
    let world = World::new();
    world.write("/zero/source/Waits.component/init.luau", "function update(dt) task.wait(1) end");
    world.run("entity.spawn('w').component.add('Waits')");
    world.play();
    world.steps(2);
    assert_eq!(world.run("return entity('w').Waits.enabled"), json!(false));
    let (code, message) = world.fails("coroutine.yield()");
    assert_eq!(code, "task/stray_yield", "{message}");
}

#[test]
fn game_time_waits_for_frames() {
    let world = World::new();
    world.play();
    world.run("task.spawn(function() task.wait(0.5) entity.spawn('half a second') end)");
    world.steps(29);
    assert_eq!(world.run("return entity.find('half a second') == nil"), json!(true));
    world.steps(2);
    assert_eq!(world.run("return entity.find('half a second') ~= nil"), json!(true));
}
