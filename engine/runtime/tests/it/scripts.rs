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

#[test]
fn yaml_is_read_by_the_engines_own_reader() {
    let world = World::new();
    let value = world.run(
        r#"local read = yaml.decode([[
look: &base { roughness: 0.8, tags: [a, b] } # a remark
? "two words"
: *base
note: >-
  one
  line
]])
return { read.look, read["two words"], read.note, yaml.decode("") == nil, yaml.decode('{"a": 1}').a }"#,
    );
    let look = json!({ "roughness": 0.8, "tags": ["a", "b"] });
    assert_eq!(value, json!([look, look, "one line", true, 1]));
    assert_eq!(world.run("return yaml.encode({ size = { 1, 2 }, name = '1' })"), json!("name: \"1\"\nsize: [1, 2]\n"));
    let (code, message) = world.fails(r"yaml.decode('a: 1\nb: [1, 2')");
    assert_eq!(code, "yaml/syntax");
    assert!(message.contains("line 2, column 4"), "{message}");
    assert_eq!(world.fails(r"yaml.decode('a: 1\na: 2')").0, "yaml/duplicate_key");
}

#[test]
fn what_types_read_of_yaml_does_not_hang_on_how_it_is_written() {
    let world = World::new();
    let make = |name: &str, file: &str, text: &str| world.write(&format!("/zero/source/{name}/{file}"), text);
    make("list.data", "data.yaml", "# prices\nprices: { apple: 2 }\n? lantern\n: [1, {deep: true}]\n");
    make("grass.material", "mat.yaml", "{ \"shader\": '@builtin::shaders.standard' }\n");
    make("tiled.shader", "properties.yaml", "- type: float\n  name: size\n- {type: color, \"name\": tint}\n");
    make("tiled.shader", "shader.wgsl", "fn surface(input: SurfaceInput) -> Surface { return Surface(); }\n");
    make("far.scene", "scene.yaml", "scene: 1\nnextId: 3\nentities: [{name: a, id: ent_1}, {id: ent_2, name: b}]\n");
    assert_eq!(
        world.run(
            "local list = asset.resolve('list', 'data')
             return { list:value().prices.apple, list:value().lantern[2].deep, asset.inspect(list).detail.keys,
                 asset.resolve('grass', 'material'):shader(), asset.resolve('tiled', 'shader'):properties(),
                 asset.inspect('far', 'scene').detail.savedEntities }"
        ),
        json!([2, true, ["lantern", "prices"], "@builtin::shaders.standard", ["size", "tint"], 2])
    );
}

#[test]
fn a_refusal_lists_only_members_that_are_there() {
    let world = World::new();
    let (code, message) = world.fails("return asset.resolve('@builtin::materials.gold', 'material').instantiat");
    assert_eq!(code, "script/unknown_member");
    let (_, members) = message.split_once("it has ").unwrap();
    assert!(!members.contains("instantiate,") && members.contains("shader"), "{message}");
    for member in members.split(", ").filter(|member| member.bytes().all(|byte| byte.is_ascii_alphanumeric())) {
        world.run(&format!("return type(asset.resolve('@builtin::materials.gold', 'material').{member})"));
    }
    let (_, message) = world.fails("return engine.framee");
    assert!(message.contains("did you mean 'frame'?; it has frame, mode, paused, step, time"), "{message}");
}
