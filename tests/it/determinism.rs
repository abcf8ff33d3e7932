//! Same input, same bytes.

use serde_json::json;
use zero_runtime::Op;
use zero_tests::World;

const FLOOR: &str = "@builtin::systems.reflections.demo.polished_floor";

fn hash(world: &World) -> serde_json::Value {
    world.call(Op::Hash).unwrap().value
}

#[test]
fn two_loads_have_the_same_hash() {
    // One folder's files, so that the guids made with a new world are the same.
    let world = World::new();
    world.call(Op::LoadScene { identity: FLOOR.to_owned() }).unwrap();
    let first = hash(&world);
    world.call(Op::LoadScene { identity: "main".to_owned() }).unwrap();
    assert_ne!(hash(&world)["entities"], first["entities"]);
    world.call(Op::LoadScene { identity: FLOOR.to_owned() }).unwrap();
    assert_eq!(hash(&world), first);
    assert_eq!(world.run("return world.hash().world"), first["world"]);

    let other = World::new();
    other.call(Op::LoadScene { identity: FLOOR.to_owned() }).unwrap();
    assert_eq!(hash(&other)["entities"], first["entities"]);
}

#[test]
fn a_seeded_crowd_moves_alike_each_time() {
    let crowd = || {
        let world = World::new();
        world.run(
            "vfs.write('/zero/source/Drift.component/init.luau', [[
public = { speed = Field.number(1) }
function update(dt)
    local e = self.entity
    local turn = math.random() * 2 - 1
    e.position += vector.create(turn, 0, public.speed) * dt
end
]])
             for i = 1, 200 do entity.spawn('d' .. i).component.add('Drift', { speed = i / 100 }) end",
        );
        world.play(120);
        let value = hash(&world);
        let size = world.run("return #entity.findAll()");
        (value["entities"].clone(), size)
    };
    let (first, size) = crowd();
    assert_eq!(size, json!(204));
    assert_eq!(crowd(), (first, size));
}
