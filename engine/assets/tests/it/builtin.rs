use zero_base::Severity;
use zero_vfs::Library;

use crate::stage::{Stage, checkout, world_with};

/// A world without files over everything that comes with the engine.
fn engine() -> Stage {
    let part = |prefix: &str, folder: &str| (prefix.to_owned(), checkout().join(folder));
    let library =
        Library::Disk(vec![part("", "builtin"), part("modules/api", "luau-api"), part("toolboxes", "toolboxes")]);
    world_with(&[], vec![("builtin".to_owned(), library)])
}

#[test]
fn what_comes_with_the_engine_is_without_errors() {
    let stage = engine();
    let mut errors: Vec<String> = Vec::new();
    let mut checked = 0;
    for asset in stage.assets.list(None) {
        checked += 1;
        errors
            .extend(stage.assets.validate(&stage.vfs, asset).iter().filter(|p| p.is_error()).map(ToString::to_string));
    }
    errors.extend(stage.assets.diagnostics().iter().filter(|problem| problem.is_error()).map(ToString::to_string));
    assert_eq!(errors, [""; 0]);
    assert!(checked > 13, "{checked}");
}

#[test]
fn the_types_themselves_are_without_warnings() {
    let stage = engine();
    let mut problems: Vec<String> = Vec::new();
    for asset in stage.assets.list(Some("assetType")) {
        problems.extend(stage.assets.validate(&stage.vfs, asset).iter().map(ToString::to_string));
        let info = stage.assets.type_info(&asset.name).unwrap();
        assert!(!info.description.is_empty() && !info.indexing.is_null() && info.inspector.is_some(), "{}", info.name);
        assert!(asset.identity == asset.name && asset.guid != zero_base::Guid::derived("")); // bare, wherever it lies
        assert!(stage.assets.metadata(asset).unwrap().get("guid").is_some(), "{}", asset.name);
    }
    assert_eq!(problems, [""; 0]);
    let written: Vec<&str> = vec![
        "assetType",
        "component",
        "data",
        "guide",
        "material",
        "mesh",
        "module",
        "package",
        "scene",
        "shader",
        "testSuite",
        "tool",
        "toolbox",
    ];
    for name in written {
        assert!(stage.assets.type_info(name).is_some(), "{name}");
    }
}

#[test]
fn the_type_of_types_describes_itself() {
    let stage = engine();
    let own = stage.assets.resolve("assetType", Some("assetType"), None).unwrap();
    assert_eq!(stage.assets.type_of(own).unwrap(), own);
    let gold = stage.assets.resolve("material", Some("assetType"), None).unwrap();
    assert_eq!(stage.assets.type_of(gold).unwrap(), own);
    let problems = stage.assets.validate(&stage.vfs, own);
    assert!(problems.iter().all(|problem| problem.severity == Severity::Info), "{problems:?}");
}

#[test]
fn parts_of_the_library_are_laid_over_one_another() {
    let stage = engine();
    let known = [
        ("@builtin::modules.api.asset", "module"),
        ("@builtin::toolboxes.scene", "toolbox"),
        ("@builtin::assetTypes.assetType.shared", "module"),
    ];
    for (identity, type_name) in known {
        let found = stage.assets.resolve(identity, Some(type_name), None);
        assert!(found.is_ok(), "{identity}: {}", found.unwrap_err());
    }
    // A tool of the built-in library is called without naming the library.
    assert_eq!(stage.assets.resolve("scene.load", Some("tool"), None).unwrap().identity, "@builtin::scene.load");
}
