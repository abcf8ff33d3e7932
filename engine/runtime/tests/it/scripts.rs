use serde_json::json;

use crate::support::World;

#[test]
fn execute_returns_values_and_state() {
    let world = World::new();
    assert_eq!(world.run("return 1 + 1"), json!(2));
    let answer = world.execute("print('hello') return nil");
    assert_eq!(answer.value["state"]["mode"], "edit");
    assert_eq!(answer.value["logs"][0]["text"], "hello");
}

#[test]
fn entities_spawn_move_and_are_found() {
    let world = World::new();
    let value = world.run(
        "local lamp = entity.spawn('lamp', { position = { 1, 2, 3 } })
         lamp.position += vector.create(0, 1, 0)
         local child = entity.spawn('shade', { parent = lamp })
         return { lamp, lamp.position, child.worldPosition, entity('lamp') == lamp, lamp.children, entity.find('nobody') == nil }",
    );
    assert_eq!(value[1], json!([1, 3, 3]));
    assert_eq!(value[2], json!([1, 3, 3]));
    assert_eq!(value[3], json!(true));
    assert_eq!(value[4].as_array().unwrap().len(), 1);
}
