use serde_json::json;
use zero_runtime::Op;

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

#[test]
fn a_wait_at_the_end_of_a_slice_is_a_wait() {
    let world = World::new();
    let value = world.run(
        "local done = 0
         for i = 1, 3 do
             task.defer(function()
                 local ends = os.clock() + 2
                 repeat
                     local t = os.clock() + 0.004 + 0.006 * ((os.clock() * 1000) % 1)
                     while os.clock() < t do end
                     task.wait()
                 until os.clock() > ends
                 done += 1
             end)
         end
         for _ = 1, 90 do
             if done == 3 then break end
             task.wait(0.1)
         end
         return done",
    );
    assert_eq!(value, json!(3));
}

#[test]
fn a_cancelled_task_leaves_nothing_half_done() {
    let world = World::new();
    let value = world.run(
        "local t = task.defer(function() vfs.write('/zero/source/q.txt', '1') while true do end end)
         task.wait(0.2)
         return task.cancel(t)",
    );
    assert_eq!(value, json!(true));
    assert_eq!(world.run("vfs.write('/zero/source/q.txt', '2') return vfs.read('/zero/source/q.txt')"), json!("2"));
    let (code, _) =
        world.fails("local me = coroutine.running() task.delay(0.1, function() task.cancel(me) end) task.wait(5)");
    assert_eq!(code, "call/cancelled");
    let (code, _) = world.fails("task.cancel(coroutine.running())");
    assert_eq!(code, "task/running");
}

#[test]
fn tasks_that_outlive_their_call_are_listed_and_can_be_ended() {
    let world = World::new();
    let answer =
        world.execute("task.defer(function() vfs.write('/zero/source/q.txt', '1') while true do end end) return 1");
    let task = answer.value["tasks"]["taskId"].as_u64().unwrap();
    assert_eq!(answer.value["tasks"]["running"], json!(1));
    assert_eq!(world.call(Op::Status).unwrap().value["running"], json!([task]));
    assert_eq!(world.call(Op::Cancel { task }).unwrap().value["cancelled"], json!(true));
    assert_eq!(world.call(Op::Status).unwrap().value["running"], json!([]));
    assert_eq!(world.run("return vfs.exists('/zero/source/q.txt')"), json!(false));
    let answer = world.execute("local function f() task.defer(f) task.defer(f) end f() return 11");
    let task = answer.value["tasks"]["taskId"].as_u64().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(world.run("return 1"), json!(1));
    assert_eq!(world.call(Op::Cancel { task }).unwrap().value["cancelled"], json!(true));
}
