use serde_json::json;
use zero_runtime::{Op, WriteFile};

use crate::support::World;

#[test]
fn leaving_play_restores_entities_files_and_scripts() {
    let world = World::new();
    world.write("/zero/source/memory.module/init.luau", "local s = modules.state() s.n = s.n or 1 return s");
    world.run("require('memory').n = 5");
    let before = world.call(Op::Hash).unwrap().value;
    world.play();
    assert_eq!(world.run("return require('memory').n"), json!(1));
    world.run("require('memory').n = 9 entity('floor'):despawn() entity.spawn('ghost') vfs.write('/zero/source/shadow.txt', 'gone')");
    assert_eq!(world.run("return vfs.read('/zero/source/shadow.txt')"), json!("gone"));
    world.edit();
    assert_eq!(world.call(Op::Hash).unwrap().value, before);
    assert_eq!(
        world.run("return { require('memory').n, entity.find('ghost') == nil, vfs.exists('/zero/source/shadow.txt') }"),
        json!([5, true, false])
    );
}

#[test]
fn durable_and_promoted_writes_outlive_play() {
    let world = World::new();
    world.play();
    world.run("vfs.write('/zero/source/a.txt', 'a', { durable = true }) vfs.write('/zero/source/b.txt', 'b') vfs.write('/zero/source/c.txt', 'c')");
    world.run("vfs.promotePlayShadow('/zero/source/b.txt')");
    world.edit();
    let value = world.run("return { vfs.exists('/zero/source/a.txt'), vfs.exists('/zero/source/b.txt'), vfs.exists('/zero/source/c.txt') }");
    assert_eq!(value, json!([true, true, false]));
}

#[test]
fn the_shadow_is_what_play_sees() {
    let world = World::new();
    world.write("/zero/source/rules.module/init.luau", "return { speed = 1 }");
    world.play();
    assert_eq!(world.run("return require('rules').speed"), json!(1));
    let written = world.write("/zero/source/rules.module/init.luau", "return { speed = 2 }");
    assert!(written["shadow"].is_string(), "{written}");
    assert_eq!(world.run("return require('rules').speed"), json!(2));
    world.edit();
    assert_eq!(world.run("return require('rules').speed"), json!(1));
}

#[test]
fn play_is_refused_while_content_is_broken() {
    let world = World::new();
    world.write("/zero/source/Broken.component/init.luau", "function update( end");
    let fault = world.call(Op::Play).unwrap_err();
    assert_eq!(fault.code, "play/diagnostics");
    assert!(fault.message.contains("/zero/source/Broken.component/init.luau:1"), "{fault}");
    world.write("/zero/source/Broken.component/init.luau", "function update() end");
    world.play();
}

#[test]
fn paused_play_moves_only_by_steps() {
    let world = World::new();
    world.play();
    let frame = || world.call(Op::Status).unwrap().value["frame"].as_u64().unwrap();
    let start = frame();
    // Suspended and resumed meanwhile: the engine has had many turns to play a frame in.
    world.run("local began = os.clock() while os.clock() - began < 0.1 do end");
    assert_eq!(frame(), start);
    world.steps(60);
    assert_eq!(frame(), start + 60);
    assert_eq!(world.run("return engine.time").as_f64(), Some((start + 60) as f64 / 60.0));
    assert_eq!(world.run("local f = engine.frame engine.step(2) return engine.frame - f"), json!(2));
    world.call(Op::Pause { paused: false }).unwrap();
    crate::transactions::eventually(|| frame() > start + 62);
}

#[test]
fn steps_need_play() {
    let world = World::new();
    assert_eq!(world.call(Op::Step { frames: 1 }).unwrap_err().code, "play/not_playing");
}

#[test]
fn twice_the_same_play_gives_the_same_entities() {
    let play = || {
        let world = World::new();
        world.write(
            "/zero/source/Walker.component/init.luau",
            "function update(dt) local e = self.entity e.position += vector.create(math.random() * dt, dt, 0) end",
        );
        world.run("for i = 1, 10 do entity.spawn('w' .. i).component.add('Walker') end");
        world.play();
        world.steps(120);
        world.call(Op::Hash).unwrap().value["entities"].clone()
    };
    assert_eq!(play(), play());
}

#[test]
fn the_entrypoint_runs_when_play_starts() {
    let world = World::new();
    let write = WriteFile {
        path: "/zero/source/main.scene/entrypoint.luau".to_owned(),
        content: Some("entity.spawn('made') task.wait(0.5) entity.spawn('later')".to_owned()),
        ..WriteFile::default()
    };
    world.call(Op::WriteFile(write)).unwrap();
    assert_eq!(world.run("return entity.find('made') == nil"), json!(true));
    world.play();
    world.steps(10);
    assert_eq!(world.run("return { entity.find('made') ~= nil, entity.find('later') == nil }"), json!([true, true]));
    world.steps(30);
    assert_eq!(world.run("return entity.find('later') ~= nil"), json!(true));
}
