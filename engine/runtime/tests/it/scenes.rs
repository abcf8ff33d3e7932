use serde_json::json;
use zero_runtime::Op;

use crate::support::World;

#[test]
fn a_scene_is_made_saved_left_and_loaded_again() {
    let world = World::new();
    let value = world.run(
        "local id = scene.new('hall', { folder = 'rooms' })
         entity.spawn('table', { position = { 1, 0, 0 } }).component.add('Mesh', { mesh = '@builtin::meshes.cube' })
         scene.save()
         return { id, scene.current().dirty, scene.list() }",
    );
    assert_eq!(value[0], "rooms.hall");
    assert_eq!(value[1], json!(false));
    assert!(value[2].as_array().unwrap().contains(&json!("rooms.hall")));
    let text = std::fs::read_to_string(world.path().join("source/rooms/hall.scene/scene.yaml")).unwrap();
    assert!(text.contains("name: table") && text.contains("position: [1, 0, 0]"), "{text}");
    assert_eq!(world.run("scene.load('main') return entity.find('table') == nil"), json!(true));
    assert_eq!(
        world.run("scene.load('rooms.hall') return entity('table').Mesh.mesh.identity"),
        json!("@builtin::meshes.cube")
    );
    let before = world.call(Op::Hash).unwrap().value;
    world.run("scene.load('main') scene.load('rooms.hall')");
    assert_eq!(world.call(Op::Hash).unwrap().value, before);
}

#[test]
fn a_librarys_scene_is_saved_under_a_name_of_ones_own() {
    let world = World::new();
    world
        .run("scene.load('@builtin::systems.reflections.demo.polished_floor') entity('floor').position = { 0, -2, 0 }");
    let (code, message) = world.fails("scene.save()");
    assert_eq!(code, "scene/read_only");
    assert!(message.contains("scene.save("), "{message}");
    assert_eq!(world.run("return scene.save('mine')"), json!("mine"));
    assert_eq!(world.run("scene.load('main') scene.load('mine') return entity('floor').position"), json!([0, -2, 0]));
}

#[test]
fn a_scene_that_names_what_is_not_there_loads_and_says_so() {
    let world = World::new();
    world.write("/zero/source/odd.scene/scene.yaml", "scene: 1\nnextId: 3\nentities:\n  - id: ent_1\n    name: a\n    components:\n      Mesh: { mesh: '@builtin::meshes.cubbe' }\n      Unknown: { x: 1 }\n  - id: ent_2\n    name: b\n    position: [1, 2]\n");
    world.run("scene.load('odd')");
    assert_eq!(world.run("return entity('a').id"), json!("ent_1"));
    assert_eq!(world.run("return entity('a').component.list()"), json!(["Mesh", "Unknown"]));
    let check = world.call(Op::Status).unwrap().value;
    assert!(check["problems"].as_u64().unwrap() >= 2, "{check}");
}

#[test]
fn malformed_yaml_is_refused_with_its_place_and_the_open_scene_stays() {
    let world = World::new();
    world.write("/zero/source/bad.scene/scene.yaml", "scene: 1\nentities: [\n");
    let (code, message) = world.fails("scene.load('bad')");
    assert_eq!(code, "scene/unreadable");
    assert!(message.contains("bad.scene/scene.yaml"), "{message}");
    world.write(
        "/zero/source/nan.scene/scene.yaml",
        "scene: 1\nentities:\n  - { id: ent_1, name: a, position: [0, .nan, 0] }\n",
    );
    let (_, message) = world.fails("scene.load('nan')");
    assert!(message.contains("nan.scene/scene.yaml:3:"), "{message}");
    assert_eq!(world.run("return scene.current().identity"), json!("main"));
    assert_eq!(world.run("return entity('floor').id"), json!("ent_4"));
}

#[test]
fn a_scene_edited_outside_is_taken_in_under_unsaved_changes() {
    let world = World::new();
    world.run("entity('floor').position = { 0, -1, 0 }");
    let path = world.path().join("source/main.scene/scene.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("name: sun", "name: sunshine")).unwrap();
    crate::transactions::eventually(|| world.run("return entity.find('sunshine') ~= nil") == json!(true));
    assert_eq!(world.run("return entity('floor').position"), json!([0, -1, 0]));
}

fn scene_file(world: &World) -> std::path::PathBuf {
    world.path().join("source/main.scene/scene.yaml")
}

#[test]
fn the_open_scenes_file_is_followed_when_the_engine_writes_it() {
    let world = World::new();
    world.run("entity('floor').position = { 0, -1, 0 }");
    let edit = zero_runtime::EditFile {
        path: "/zero/source/main.scene/scene.yaml".to_owned(),
        old: "name: sun".to_owned(),
        new: "name: sunshine".to_owned(),
        ..Default::default()
    };
    world.call(Op::EditFile(edit)).unwrap();
    assert_eq!(
        world.run("return { entity.find('sunshine') ~= nil, entity('floor').position }"),
        json!([true, [0, -1, 0]])
    );
    world.run("scene.save()");
    assert!(std::fs::read_to_string(scene_file(&world)).unwrap().contains("name: sunshine"));
    let (code, _) = world.fails(
        "vfs.write('/zero/source/main.scene/scene.yaml', 'scene: 1\\nentities: []\\n') entity.spawn('x') scene.save()",
    );
    assert_eq!(code, "scene/changed_on_disk");
    assert_eq!(world.run("return { entity.find('x') == nil, entity.find('sunshine') ~= nil }"), json!([true, true]));
}

#[test]
fn a_scene_edited_outside_during_play_is_taken_in_after_it() {
    let world = World::new();
    world.play();
    let text = std::fs::read_to_string(scene_file(&world)).unwrap();
    std::fs::write(scene_file(&world), text.replace("name: sun", "name: sunshine")).unwrap();
    world.steps(30);
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(world.run("return entity.find('sunshine') == nil"), json!(true), "play goes on undisturbed");
    world.edit();
    crate::transactions::eventually(|| world.run("return entity.find('sunshine') ~= nil") == json!(true));
    let world = world.reopen();
    assert_eq!(world.run("return entity.find('sunshine') ~= nil"), json!(true));
    assert!(std::fs::read_to_string(scene_file(&world)).unwrap().contains("name: sunshine"));
}

#[test]
fn a_save_that_fails_or_is_undone_leaves_what_was_open() {
    let world = World::new();
    world.run("entity.spawn('x')");
    let before = world.run("return scene.current()");
    assert_eq!(before["dirty"], json!(true));
    world.fails("scene.save() error('no')");
    world.fails("scene.save('ghost') error('no')");
    world.fails("scene.save('no/such name')");
    assert_eq!(world.run("return scene.current()"), before);
    assert_eq!(world.run("return asset.list('scene')[1].identity"), world.run("return scene.list()[1]"));
    assert_eq!(world.run("return vfs.exists('/zero/source/ghost.scene/scene.yaml')"), json!(false));
    world.run("scene.save()");
    assert_eq!(world.run("return scene.current().dirty"), json!(false));
}

#[test]
fn a_scene_whose_file_is_gone_is_saved_anew() {
    let world = World::new();
    std::fs::remove_file(scene_file(&world)).unwrap();
    crate::transactions::eventually(|| world.run("return scene.current().dirty") == json!(true));
    world.run("scene.save()");
    assert!(scene_file(&world).exists());
}
