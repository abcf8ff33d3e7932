use serde_json::json;
use zero_runtime::{Answer, Capture, Op};

use crate::support::World;

const FLOOR: &str = "@builtin::systems.reflections.demo.polished_floor";

/// The picture, or none on a machine without a device, which CI does not accept.
fn capture(world: &World, request: Capture) -> Option<Answer> {
    match world.call(Op::Capture(request)) {
        Ok(answer) => Some(answer),
        Err(fault) if fault.code == "gpu/no_adapter" && std::env::var_os("ZERO_REQUIRE_GPU").is_none() => {
            println!("no picture: {fault}");
            None
        }
        Err(fault) => panic!("{fault}"),
    }
}

fn small() -> Capture {
    Capture { width: Some(256), height: Some(144), ..Capture::default() }
}

#[test]
fn polished_floor_loads_plays_and_is_drawn() {
    let world = World::new();
    world.call(Op::LoadScene { identity: FLOOR.to_owned() }).unwrap();
    let names = world.run("local n = {} for _, e in entity.findAll() do table.insert(n, e.name) end return n");
    for name in [
        "floor",
        "pillar_1",
        "pillar_2",
        "pillar_3",
        "sun",
        "ambient",
        "sky",
        "render_features",
        "PlayerSetups",
        "Spawns",
    ] {
        assert!(names.as_array().unwrap().contains(&json!(name)), "{name} in {names}");
    }
    assert_eq!(world.run("return scene.current().playerIntent"), json!("spawns"));
    world.play();
    world.steps(60);
    let Some(first) = capture(&world, small()) else { return };
    assert!(first.value["diagnostics"].is_null(), "{:#}", first.value);
    let second = capture(&world, small()).unwrap();
    assert_eq!(first.images[0].png_base64, second.images[0].png_base64);
    let luma = &first.value["luma"];
    assert!(luma["spread"].as_u64().unwrap() > 40 && luma["clipped"].as_f64().unwrap() < 0.2, "{luma}");
}

#[test]
fn a_change_acknowledged_before_is_in_the_picture() {
    let world = World::new();
    let Some(before) = capture(&world, small()) else { return };
    world.run(
        "entity.spawn('ball', { position = { 0, 1, 0 } }).component.add('Mesh', { mesh = '@builtin::meshes.sphere' })",
    );
    let with_ball = capture(&world, small()).unwrap();
    assert_ne!(before.images[0].png_base64, with_ball.images[0].png_base64);
    world.run("entity('ball').component.add('Material', { material = '@builtin::materials.gold' })");
    assert_ne!(with_ball.images[0].png_base64, capture(&world, small()).unwrap().images[0].png_base64);
    world.run("entity('ball'):despawn()");
    assert_eq!(before.images[0].png_base64, capture(&world, small()).unwrap().images[0].png_base64);
}

#[test]
fn a_missing_asset_is_drawn_as_a_placeholder_and_named() {
    let world = World::new();
    world.run("asset.create('mesh', 'nothing')");
    world.run("entity.spawn('odd', { position = { 0, 1, 0 } }).component.add('Mesh', { mesh = 'nothing' })");
    world.run("asset.resolve('nothing', 'mesh'):delete()");
    let Some(answer) = capture(&world, small()) else { return };
    let found = answer.value["diagnostics"].to_string();
    assert!(found.contains("nothing"), "{found}");
}

#[test]
fn views_frame_entities_and_refuse_nonsense() {
    let world = World::new();
    let view = |request: Capture| world.call(Op::Capture(request));
    let framed = Capture { source: Some("entity".to_owned()), entity: Some("floor".to_owned()), ..small() };
    match view(framed) {
        Ok(_) => {}
        Err(fault) if fault.code == "gpu/no_adapter" => return,
        Err(fault) => panic!("{fault}"),
    }
    let code = |request: Capture| view(request).unwrap_err().code.into_owned();
    assert_eq!(code(Capture { width: Some(100_000), ..Capture::default() }), "capture/size");
    assert_eq!(code(Capture { source: Some("mian".to_owned()), ..Capture::default() }), "capture/source");
    assert_eq!(
        code(Capture { source: Some("camera".to_owned()), entity: Some("floor".to_owned()), ..Capture::default() }),
        "capture/no_camera"
    );
    assert_eq!(code(Capture { source: Some("entity".to_owned()), ..Capture::default() }), "capture/entity");
}

#[test]
fn a_shader_that_does_not_compile_is_drawn_as_a_placeholder_and_named() {
    let world = World::new();
    world.run(
        "asset.create('shader', 'broken')
         vfs.write('/zero/source/broken.shader/shader.wgsl', 'fn surface(input: SurfaceInput) -> Surface { return 1; }')
         asset.create('material', 'odd')
         vfs.write('/zero/source/odd.material/mat.yaml', 'shader: broken\\n')
         entity('floor').Material.material = 'odd'",
    );
    let Some(answer) = capture(&world, small()) else { return };
    let found = answer.value["diagnostics"].to_string();
    assert!(found.contains("shader/parse") && found.contains("broken.shader/shader.wgsl"), "{found}");
}

#[test]
fn a_texture_shows_on_what_wears_its_material() {
    let world = World::new();
    let hash = |answer: &Answer| answer.value["hash"].clone();
    world.run(
        "asset.create('texture', 'checker')
         asset.create('material', 'tiled', { values = { albedo = '#ffffff' } })
         asset.resolve('@builtin::meshes.cube', 'mesh'):instantiate(nil, { name = 'box', position = { 0, 1, 0 }, material = 'tiled' })",
    );
    let Some(plain) = capture(&world, small()) else { return };
    assert_eq!(plain.value["diagnostics"], json!(null), "{:#}", plain.value);
    world.write(
        "/zero/source/tiled.material/mat.yaml",
        "shader: \"@builtin::shaders.standard\"\nvalues: { albedo: \"#ffffff\" }\ntextures: { albedoTexture: checker }\n",
    );
    let tiled = capture(&world, small()).unwrap();
    assert_eq!(tiled.value["diagnostics"], json!(null), "{:#}", tiled.value);
    assert_ne!(hash(&plain), hash(&tiled));
}
