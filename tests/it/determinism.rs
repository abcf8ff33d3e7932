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
        world.run("scene.new('crowd')");
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
        (hash(&world)["entities"].clone(), world.run("return #entity.findAll()"))
    };
    // Of any version and machine: a change here changes what everybody's worlds do.
    let recorded = json!("4e74a9944eac7fe7df5cbc2132d06a36e95c3de69c88194efad2cec9811e5873");
    assert_eq!(crowd(), (recorded.clone(), json!(200)));
    assert_eq!(crowd(), (recorded, json!(200)));
}
