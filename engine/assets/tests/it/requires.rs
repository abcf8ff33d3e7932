use crate::stage::{Stage, path, world, world_and_library};

fn check(stage: &Stage, from: &str, name: &str, expected: &str) {
    let from = path(&format!("/zero/source/{from}"));
    match stage.assets.resolve_require(&stage.vfs, &from, name) {
        Ok(file) => {
            let file = file.as_str().strip_prefix("/zero/source/").unwrap();
            assert_eq!(file, expected, "require(\"{name}\") in {from}");
        }
        Err(error) => assert_eq!(error.code(), expected, "require(\"{name}\") in {from}: {error}"),
    }
}

fn village() -> Stage {
    world(&[
        ("kit.package/package.yaml", ""),
        ("kit.package/init.luau", ""),
        ("kit.package/wheel.module/init.luau", ""),
        ("kit.package/wheel.module/spokes.luau", ""),
        ("kit.package/wheel.module/math/round.luau", ""),
        ("kit.package/sub/init.luau", ""),
        ("kit.package/Spin.component/init.luau", ""),
        ("kit.package/garage.toolbox/README.md", ""),
        ("kit.package/garage.toolbox/shared.module/init.luau", ""),
        ("kit.package/garage.toolbox/lift.tool/init.luau", ""),
        ("kit.package/garage.toolbox/lift.tool/helper.luau", ""),
        ("demo/beats.module/init.luau", ""),
        ("demo/beats.module/init.lua", ""),
        ("demo/old.module/init.lua", ""),
        ("demo/tables.luau", ""),
        ("demo/script.lua", ""),
        ("level.scene/entrypoint.luau", ""),
        ("level.scene/helper.luau", ""),
        ("twice/a.luau", ""),
        ("twice.package/package.yaml", ""),
        ("twice.package/a.luau", ""),
    ])
}

#[test]
fn identities_are_relative_to_the_callers_root() {
    let stage = village();
    let from = "level.scene/entrypoint.luau";
    check(&stage, from, "demo.beats", "demo/beats.module/init.luau");
    check(&stage, from, "@root::demo.beats", "demo/beats.module/init.luau");
    check(&stage, from, "demo.old", "demo/old.module/init.lua");
    check(&stage, from, "kit.wheel", "kit.package/wheel.module/init.luau");
    check(&stage, from, "kit.garage.shared", "kit.package/garage.toolbox/shared.module/init.luau");
    check(&stage, from, "beats", "asset/not_found");
    check(&stage, from, "kit.Spin", "asset/not_requirable");
    check(&stage, from, "kit", "asset/not_requirable");
    check(
        &stage,
        from,
        "@builtin::assetTypes.assetType.shared",
        "libs/@builtin/assetTypes/assetType.assetType/shared.module/init.luau",
    );
    check(&stage, from, "@gone::x", "asset/unknown_library");
}

#[test]
fn any_other_file_stands_for_itself() {
    let stage = village();
    let from = "level.scene/entrypoint.luau";
    check(&stage, from, "kit.wheel.spokes", "kit.package/wheel.module/spokes.luau");
    check(&stage, from, "kit.wheel.math.round", "kit.package/wheel.module/math/round.luau");
    check(&stage, from, "demo.tables", "demo/tables.luau");
    check(&stage, from, "demo.script", "demo/script.lua");
    check(&stage, from, "kit.sub", "kit.package/sub/init.luau");
    check(&stage, from, "level.helper", "level.scene/helper.luau");
    check(
        &stage,
        from,
        "@builtin::assetTypes.assetType.shared.sections",
        "libs/@builtin/assetTypes/assetType.assetType/shared.module/sections.luau",
    );
    check(&stage, from, "twice.a", "asset/ambiguous");
    check(&stage, from, "demo.missing", "asset/not_found");
}

#[test]
fn dots_count_folders_and_an_init_file_stands_for_its_folder() {
    let stage = village();
    check(
        &stage,
        "kit.package/garage.toolbox/lift.tool/init.luau",
        ".shared",
        "kit.package/garage.toolbox/shared.module/init.luau",
    );
    check(
        &stage,
        "kit.package/garage.toolbox/lift.tool/helper.luau",
        "..shared",
        "kit.package/garage.toolbox/shared.module/init.luau",
    );
    check(&stage, "kit.package/garage.toolbox/lift.tool/helper.luau", ".shared", "asset/not_found");
    check(
        &stage,
        "kit.package/garage.toolbox/lift.tool/init.luau",
        ".helper",
        "kit.package/garage.toolbox/lift.tool/helper.luau",
    );
    check(&stage, "kit.package/garage.toolbox/lift.tool/init.luau", "..wheel", "kit.package/wheel.module/init.luau");
    check(&stage, "kit.package/garage.toolbox/lift.tool/init.luau", "...demo.beats", "demo/beats.module/init.luau");
    check(&stage, "kit.package/garage.toolbox/lift.tool/init.luau", "....demo.beats", "asset/above_root");
    check(&stage, "kit.package/wheel.module/init.luau", ".spokes", "kit.package/wheel.module/spokes.luau");
    check(&stage, "kit.package/wheel.module/init.luau", ".math.round", "kit.package/wheel.module/math/round.luau");
    check(&stage, "kit.package/wheel.module/spokes.luau", ".math.round", "kit.package/wheel.module/math/round.luau");
    check(&stage, "kit.package/wheel.module/spokes.luau", "..wheel", "kit.package/wheel.module/init.luau");
    check(&stage, "demo/tables.luau", ".beats", "demo/beats.module/init.luau");
    check(&stage, "demo/tables.luau", ".demo", "asset/not_found");
    check(&stage, "level.scene/entrypoint.luau", ".helper", "level.scene/helper.luau");
    check(&stage, "level.scene/entrypoint.luau", "..demo.beats", "demo/beats.module/init.luau");
    check(&stage, "level.scene/entrypoint.luau", ".", "asset/malformed_name");
    check(&stage, "level.scene/entrypoint.luau", "...", "asset/malformed_name");
}

#[test]
fn a_tilde_is_the_package_around_the_file() {
    let stage = village();
    let inside = "kit.package/garage.toolbox/lift.tool/init.luau";
    check(&stage, inside, "~.wheel", "kit.package/wheel.module/init.luau");
    check(&stage, inside, "~.wheel.spokes", "kit.package/wheel.module/spokes.luau");
    check(&stage, inside, "~kit.wheel", "kit.package/wheel.module/init.luau");
    check(&stage, inside, "~twice.a", "asset/no_package");
    check(&stage, "demo/tables.luau", "~.wheel", "asset/no_package");
    check(&stage, inside, "~wheel", "asset/malformed_name");
}

#[test]
fn in_a_library_the_root_is_the_library() {
    let stage = world_and_library(
        &[("parts.module/init.luau", ""), ("own.module/init.luau", "")],
        "props",
        &[
            ("parts.module/init.luau", ""),
            ("crates.package/package.yaml", ""),
            ("crates.package/barrel.module/init.luau", ""),
            ("crates.package/lid.module/init.luau", ""),
        ],
    );
    let from = "libs/@props/crates.package/barrel.module/init.luau";
    check(&stage, from, "parts", "libs/@props/parts.module/init.luau");
    check(&stage, from, "@root::parts", "libs/@props/parts.module/init.luau");
    check(&stage, from, "@props::parts", "libs/@props/parts.module/init.luau");
    check(&stage, from, "~.lid", "libs/@props/crates.package/lid.module/init.luau");
    check(&stage, from, ".lid", "libs/@props/crates.package/lid.module/init.luau");
    check(&stage, from, "own", "asset/not_found");
    check(&stage, from, "...parts", "asset/above_root");
    check(&stage, "own.module/init.luau", "@props::crates.lid", "libs/@props/crates.package/lid.module/init.luau");
    check(&stage, "own.module/init.luau", "parts", "parts.module/init.luau");
}

#[test]
fn a_failed_require_names_the_nearest_module() {
    let stage = village();
    let from = path("/zero/source/level.scene/entrypoint.luau");
    let message = |name: &str| stage.assets.resolve_require(&stage.vfs, &from, name).unwrap_err().to_string();
    assert!(message("demo.baets").contains("did you mean 'demo.beats'?"), "{}", message("demo.baets"));
    assert!(message("wheel").contains("did you mean 'kit.wheel'?"), "{}", message("wheel"));
    assert!(message("kit.Spin").contains("'kit.Spin' is a component"), "{}", message("kit.Spin"));
}

#[test]
fn scripts_are_named_for_logs_by_their_identity() {
    let stage = village();
    let name = |file: &str| stage.assets.module_name(&path(file));
    assert_eq!(name("/zero/source/demo/beats.module/init.luau").as_deref(), Some("@local.source.demo.beats"));
    assert_eq!(
        name("/zero/source/kit.package/wheel.module/spokes.luau").as_deref(),
        Some("@local.source.kit.wheel.spokes")
    );
    assert_eq!(name("/zero/source/loose.luau").as_deref(), Some("@local.source.loose"));
    assert_eq!(
        name("/zero/source/libs/@builtin/assetTypes/scene.assetType/behavior.luau").as_deref(),
        Some("@builtin::assetTypes.scene.behavior")
    );
    assert_eq!(name("/tmp/x.luau"), None);
}
