use zero_assets::Root;

use crate::stage::{path, world, world_and_library};

#[test]
fn an_identity_is_the_path_with_dots_and_without_suffixes() {
    let check = |folder: &str, file: &str, expected: &str| {
        let stage = world(&[(&format!("{folder}/{file}"), "")]);
        assert_eq!(stage.own(), [expected], "{folder}");
    };
    check("beats.module", "init.luau", "beats (module)");
    check("demo/beats.module", "init.luau", "demo.beats (module)");
    check("demo/deep/er/beats.module", "init.luau", "demo.deep.er.beats (module)");
    check("Hero.component", "init.luau", "Hero (component)");
    check("plain.folder.with.dots.data", "data.yaml", "plain.folder.with.dots (data)");
    check("dialogue.assetType", "type.yaml", "dialogue (assetType)");
    check("deep/down/dialogue.assetType", "type.yaml", "dialogue (assetType)");
}

#[test]
fn containers_give_their_name_and_not_their_suffix() {
    let stage = world(&[
        ("kit.package/package.yaml", ""),
        ("kit.package/beats.module/init.luau", ""),
        ("kit.package/parts/wheel.component/init.luau", ""),
        ("kit.package/garage.toolbox/README.md", ""),
        ("kit.package/garage.toolbox/lift.tool/init.luau", ""),
        ("kit.package/garage.toolbox/shared.module/init.luau", ""),
    ]);
    assert_eq!(
        stage.own(),
        [
            "kit (package)",
            "kit.beats (module)",
            "kit.garage (toolbox)",
            "garage.lift (tool)",
            "kit.garage.shared (module)",
            "kit.parts.wheel (component)",
        ]
    );
}

#[test]
fn a_package_is_called_what_its_file_says() {
    let mut stage = world(&[
        ("kit.package/package.yaml", "name: vehicles\n"),
        ("kit.package/wheel.module/init.luau", ""),
        ("old/package.yaml", "name: legacy\n"),
        ("old/thing.module/init.luau", ""),
        ("plain/package.yaml", "version: 1.0.0\n"),
        ("bad.package/package.yaml", "name: 'not a name'\n"),
    ]);
    assert_eq!(
        stage.own(),
        [
            "bad (package)",
            "vehicles (package)",
            "vehicles.wheel (module)",
            "legacy (package)",
            "legacy.thing (module)",
            "plain (package)",
        ]
    );
    assert_eq!(stage.tree_problems(), ["error asset/bad_name bad.package/package.yaml:1"]);

    stage.write(&[("kit.package/package.yaml", "name: cars\n")]);
    assert!(stage.own().contains(&"cars.wheel (module)".to_owned()));
    stage.remove("old/package.yaml");
    assert!(stage.own().contains(&"old.thing (module)".to_owned()));
    assert!(!stage.own().iter().any(|own| own.contains("legacy")));
}

#[test]
fn names_resolve_in_every_spelling() {
    let stage = world_and_library(
        &[
            ("kit.package/package.yaml", ""),
            ("kit.package/materials/gold.material/mat.yaml", "shader: x\n"),
            ("kit.package/inner.package/package.yaml", ""),
            ("kit.package/inner.package/use.module/init.luau", ""),
            ("gold.data/data.yaml", ""),
            ("box.toolbox/README.md", ""),
            ("box.toolbox/open.tool/init.luau", ""),
        ],
        "props",
        &[
            ("crates/barrel.mesh/mesh.yaml", "primitive: cube\n"),
            ("crates/use.module/init.luau", ""),
            ("tools/props.toolbox/README.md", ""),
            ("tools/props.toolbox/scatter.tool/init.luau", ""),
        ],
    );
    let within = path("/zero/source/kit.package/inner.package/use.module/init.luau");
    let in_library = path("/zero/source/libs/@props/crates/use.module/init.luau");
    let check =
        |name: &str, from: Option<&zero_vfs::VfsPath>, expected: &str| match stage.assets.resolve(name, None, from) {
            Ok(asset) => assert_eq!(format!("{} ({})", asset.identity, asset.type_name), expected, "{name}"),
            Err(error) => assert_eq!(error.code(), expected, "{name}: {error}"),
        };
    check("kit.materials.gold", None, "kit.materials.gold (material)");
    check("@root::kit.materials.gold", None, "kit.materials.gold (material)");
    check("@props::crates.barrel", None, "@props::crates.barrel (mesh)");
    check("crates.barrel", Some(&in_library), "@props::crates.barrel (mesh)");
    check("@root::crates.barrel", Some(&in_library), "@props::crates.barrel (mesh)");
    check("crates.barrel", None, "asset/not_found");
    check("~.use", Some(&within), "kit.inner.use (module)");
    check("~kit.materials.gold", Some(&within), "kit.materials.gold (material)");
    check("~inner.use", Some(&within), "kit.inner.use (module)");
    check("~other.use", Some(&within), "asset/no_package");
    check("~.use", Some(&in_library), "asset/no_package");
    check("~.use", None, "asset/no_caller");
    check("..materials.gold", Some(&within), "kit.materials.gold (material)");
    check(".use", Some(&within), "kit.inner.use (module)");
    check("kit.package", None, "kit (package)");
    check("kit.inner.package", None, "kit.inner (package)");
    check("kit", None, "kit (package)");
    check("module", None, "module (assetType)");
    check("@builtin::assetTypes.module", None, "module (assetType)");
    check("module.assetType", None, "module (assetType)");
    check("box.open", None, "box.open (tool)");
    check("box.open.tool", None, "box.open (tool)");
    check("props.scatter", None, "@props::props.scatter (tool)");
    check("@props::tools.props.scatter", None, "@props::props.scatter (tool)");
    check("/zero/source/gold.data", None, "gold (data)");
    check("@nolib::x", None, "asset/unknown_library");
    check("@builtin", None, "asset/malformed_name");
    check("", None, "asset/malformed_name");
    check("a..b", None, "asset/malformed_name");
    check("demo/beats", None, "asset/malformed_name");
    check(&"x".repeat(5000), None, "asset/malformed_name");
    check("....a", Some(&path("/zero/source/kit.package/x.luau")), "asset/above_root");

    let gold = stage.asset("kit.materials.gold");
    assert_eq!(stage.assets.resolve(&gold.guid.to_string(), None, None).unwrap(), gold);
    assert_eq!(stage.assets.resolve(&gold.guid.to_string(), Some("mesh"), None).unwrap_err().code(), "asset/not_found");
    assert_eq!(gold.root, Root::Source);
}

#[test]
fn an_identity_of_several_types_needs_the_type() {
    let stage = world(&[("ssr.module/init.luau", ""), ("ssr.data/data.yaml", ""), ("ssr.guide/guide.md", "")]);
    let error = stage.assets.resolve("ssr", None, None).unwrap_err();
    assert_eq!(error.code(), "asset/ambiguous");
    assert!(error.to_string().contains("ssr (guide, /zero/source/ssr.guide)"), "{error}");
    assert_eq!(stage.assets.resolve("ssr", Some("data"), None).unwrap().type_name, "data");
    assert_eq!(stage.assets.resolve("ssr", Some("dta"), None).unwrap_err().code(), "asset/unknown_type");
    assert_eq!(stage.assets.find_by_name("ssr", None).len(), 3);
}

#[test]
fn what_finds_nothing_says_what_was_meant() {
    let stage =
        world(&[("demo/beats.module/init.luau", ""), ("gold.material/mat.yaml", ""), ("kit.package/package.yaml", "")]);
    let check = |name: &str, type_: Option<&str>, expected: &str| {
        let error = stage.assets.resolve(name, type_, None).unwrap_err().to_string();
        assert!(error.contains(expected), "{name}: {error}");
    };
    check("beats", None, "did you mean 'demo.beats'?");
    check("demo.baets", None, "did you mean 'demo.beats'?");
    check("gold", Some("module"), "'gold' is a material");
    check("@builtin::assetTypes.modul", Some("assetType"), "no assetType is called");
    check("assetTypes.assetType.shared", None, "did you mean '@builtin::assetTypes.assetType.shared'?");
    check("nothing.like.it", None, "no asset is called 'nothing.like.it'");
}

#[test]
fn the_deepest_asset_contains_a_file() {
    let stage = world(&[
        ("kit.package/package.yaml", ""),
        ("kit.package/suite.testSuite/init.luau", ""),
        ("kit.package/suite.testSuite/data/a.yaml", ""),
        ("loose.luau", ""),
    ]);
    let check = |file: &str, expected: Option<&str>| {
        let asset = stage.assets.containing(&path(&format!("/zero/source/{file}")));
        assert_eq!(asset.map(|asset| asset.identity.as_str()), expected, "{file}");
    };
    check("kit.package/suite.testSuite/init.luau", Some("kit.suite"));
    check("kit.package/suite.testSuite/data/a.yaml", Some("kit.suite"));
    check("kit.package/suite.testSuite", Some("kit.suite"));
    check("kit.package/README.md", Some("kit"));
    check("loose.luau", None);
}
