use std::collections::BTreeMap;

use serde_json::json;
use zero_assets::{Asset, AssetFiles, CreatePlan, CreateRequest, Existing, TypeBehavior, TypeInfo};
use zero_base::{Diagnostic, Fault};
use zero_vfs::VfsPath;

use crate::stage::{Stage, brief, path, world};

fn request(type_name: &str, name: &str) -> CreateRequest {
    CreateRequest { type_name: type_name.to_owned(), name: name.to_owned(), ..CreateRequest::default() }
}

fn write(stage: &mut Stage, plan: &CreatePlan) {
    let files: Vec<(String, String)> = plan
        .files
        .iter()
        .map(|(path, bytes)| {
            let below = path.as_str().strip_prefix("/zero/source/").unwrap().to_owned();
            (below, String::from_utf8(bytes.clone()).unwrap())
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    stage.write(&files);
}

#[test]
fn every_builtin_type_makes_an_asset_that_is_valid() {
    let mut stage =
        world(&[("box.toolbox/README.md", "Words.\n"), ("box.toolbox/shared.module/init.luau", "return {}\n")]);
    let types = stage.assets.categories();
    assert!(types.len() >= 13, "{types:?}");
    for type_name in types {
        let mut request = request(&type_name, "fresh");
        if type_name == "tool" {
            request.into = Some(stage.asset("box").guid);
        }
        let plan = stage.assets.plan_create(&stage.vfs, request).unwrap();
        write(&mut stage, &plan);
        let asset = stage.assets.get(&plan.guid).unwrap_or_else(|| panic!("{type_name} has the planned guid")).clone();
        assert_eq!((asset.identity.as_str(), &asset.path), (plan.identity.as_str(), &plan.path), "{type_name}");
        let mut problems = brief(&stage.assets.validate(&stage.vfs, &asset));
        // The material's shader belongs to content that this test does not mount.
        problems.retain(|problem| !problem.starts_with("warning") && !problem.contains("mat.yaml"));
        assert_eq!(problems, [""; 0], "{type_name}");
        let text = plan.files.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect::<String>();
        assert!(!text.contains("{{"), "{type_name}: {text}");
    }
    assert_eq!(stage.tree_problems(), [""; 0]);
}

#[test]
fn a_new_type_can_be_used_at_once() {
    let mut stage = world(&[]);
    let plan = stage.assets.plan_create(&stage.vfs, request("assetType", "dialogue")).unwrap();
    write(&mut stage, &plan);
    let plan = stage.assets.plan_create(&stage.vfs, request("dialogue", "shopkeeper")).unwrap();
    write(&mut stage, &plan);
    assert_eq!(stage.asset("shopkeeper").type_name, "dialogue");
    assert_eq!(stage.tree_problems(), [""; 0]);
}

#[test]
fn places_lead_the_identity() {
    let stage = world(&[
        ("kit.package/package.yaml", "name: vehicles\n"),
        ("kit.package/box.toolbox/README.md", ""),
        ("demo/x.data/data.yaml", ""),
    ]);
    let kit = stage.asset("vehicles").guid;
    let toolbox = stage.asset("vehicles.box").guid;
    let check = |request: CreateRequest, identity: &str, folder: &str| {
        let plan = stage.assets.plan_create(&stage.vfs, request).unwrap();
        assert_eq!((plan.identity.as_str(), plan.path.as_str()), (identity, folder));
    };
    check(request("module", "beats"), "beats", "/zero/source/beats.module");
    check(
        CreateRequest { folder: Some("demo/new/".into()), ..request("module", "beats") },
        "demo.new.beats",
        "/zero/source/demo/new/beats.module",
    );
    check(
        CreateRequest { into: Some(kit), ..request("module", "beats") },
        "vehicles.beats",
        "/zero/source/kit.package/beats.module",
    );
    check(
        CreateRequest { into: Some(kit), folder: Some("parts".into()), ..request("data", "sizes") },
        "vehicles.parts.sizes",
        "/zero/source/kit.package/parts/sizes.data",
    );
    check(
        CreateRequest { into: Some(toolbox), ..request("tool", "lift") },
        "box.lift",
        "/zero/source/kit.package/box.toolbox/lift.tool",
    );
}

#[test]
fn what_cannot_be_made_is_refused_before_anything_is_written() {
    let stage = world(&[
        ("Beats.module/init.luau", ""),
        ("twin.package/package.yaml", ""),
        ("twin.package/a.module/init.luau", ""),
        ("gold.material/mat.yaml", ""),
        ("taken.module", "a file"),
    ]);
    let check = |request: CreateRequest, expected: &str| {
        let error = stage.assets.plan_create(&stage.vfs, request.clone()).unwrap_err();
        assert_eq!(error.code(), expected, "{request:?}: {error}");
        error.to_string()
    };
    let message = check(request("modul", "x"), "asset/unknown_type");
    assert!(message.contains("did you mean 'module'?") && message.contains("known types: assetType"), "{message}");
    for name in ["", "9lives", "two words", "a.b", "../up", "a/b", ".hidden", "nul\0", "é", &"x".repeat(200)] {
        check(request("module", name), "asset/bad_name");
    }
    check(request("module", "Beats"), "asset/exists");
    check(request("module", "beats"), "asset/case_clash");
    check(CreateRequest { folder: Some("twin".into()), ..request("module", "a") }, "asset/exists");
    check(request("tool", "lift"), "asset/outside_container");
    let gold = stage.asset("gold").guid;
    check(CreateRequest { into: Some(gold), ..request("data", "x") }, "asset/not_a_container");
    check(CreateRequest { folder: Some("gold.material".into()), ..request("data", "x") }, "asset/not_a_container");
    let types = stage.assets.resolve("module", Some("assetType"), None).unwrap().guid;
    check(CreateRequest { into: Some(types), ..request("module", "x") }, "asset/read_only");
    check(CreateRequest { folder: Some("libs/@builtin".into()), ..request("module", "x") }, "asset/read_only");
    check(CreateRequest { folder: Some("libs".into()), ..request("module", "x") }, "asset/read_only");
    check(CreateRequest { folder: Some("tmp".into()), ..request("module", "x") }, "asset/bad_folder");
    check(CreateRequest { folder: Some("../up".into()), ..request("module", "x") }, "vfs/path");
    check(CreateRequest { into: Some(zero_base::Guid::random()), ..request("module", "x") }, "asset/not_found");
    let escape = BTreeMap::from([("../../x".to_owned(), Vec::new())]);
    check(CreateRequest { files: escape, ..request("module", "x") }, "vfs/path");
    check(CreateRequest { name_pattern: Some("^.+$".into()), ..request("module", "a/b") }, "asset/bad_name");
    let own_pattern = CreateRequest { name_pattern: Some("^[%w-]+$".into()), ..request("module", "9-lives") };
    assert_eq!(stage.assets.plan_create(&stage.vfs, own_pattern).unwrap().identity, "9-lives");
}

#[test]
fn replacing_keeps_the_guid() {
    let mut stage = world(&[
        ("gold.material/mat.yaml", "shader: a\n"),
        ("gold.material/.metadata", "guid: ast_000000000000000000000000000000aa\n"),
    ]);
    let files = BTreeMap::from([
        ("mat.yaml".to_owned(), b"shader: b\n".to_vec()),
        (".metadata".to_owned(), b"{ \"tags\": [\"new\"] }".to_vec()),
    ]);
    let request = CreateRequest { files, existing: Existing::Replace, ..request("material", "gold") };
    let plan = stage.assets.plan_create(&stage.vfs, request).unwrap();
    write(&mut stage, &plan);
    let gold = stage.asset("gold");
    assert_eq!(
        (gold.guid.to_string().as_str(), gold.tags.as_slice()),
        ("ast_000000000000000000000000000000aa", &["new".to_owned()][..])
    );
    assert_eq!(&*stage.vfs.read_text(&path("/zero/source/gold.material/mat.yaml")).unwrap(), "shader: b\n");
}

/// A type's code, as a test would have it.
struct Scripted;

impl TypeBehavior for Scripted {
    fn name_pattern(&mut self, _: &TypeInfo, name: &str) -> Result<Option<String>, Fault> {
        match name {
            "refused" => Err(Fault::new("asset/name", "not that one")),
            _ => Ok(None),
        }
    }

    fn on_create(&mut self, info: &TypeInfo, name: &str, opts: &serde_json::Value) -> Result<AssetFiles, Fault> {
        let text = format!("-- {} {name} {}\nreturn {{}}\n", info.name, opts["mood"].as_str().unwrap_or("-"));
        Ok(AssetFiles::from([("init.luau".to_owned(), text.into_bytes()), ("README.md".to_owned(), b"made".to_vec())]))
    }

    fn on_replace(&mut self, _: &TypeInfo, dest: &VfsPath, mut files: AssetFiles) -> Result<AssetFiles, Fault> {
        files.insert("carried.luau".to_owned(), format!("-- {}\nreturn 1\n", dest.name()).into_bytes());
        Ok(files)
    }

    fn validate(&mut self, _: &TypeInfo, asset: &Asset) -> Result<Vec<Diagnostic>, Fault> {
        match asset.name.as_str() {
            "broken" => Err(Fault::new("script/error", "it raised")),
            _ => Ok(vec![Diagnostic::warning("test.mood", "it has no mood")]),
        }
    }

    fn inspect(&mut self, info: &TypeInfo, asset: &Asset) -> Result<Option<serde_json::Value>, Fault> {
        match asset.name.as_str() {
            "broken" => Err(Fault::new("script/error", "it raised")),
            _ => Ok(Some(json!({ "type": info.name }))),
        }
    }
}

#[test]
fn a_types_code_has_its_say() {
    let mut stage = world(&[
        ("broken.module/init.luau", "return {}"),
        ("broken.module/README.md", "x"),
        ("broken.module/.metadata", ""),
    ]);
    let given = BTreeMap::from([("README.md".to_owned(), b"given".to_vec())]);
    let mut request = CreateRequest { files: given, ..request("module", "beats") };
    let plan =
        stage.assets.plan_create_with(&stage.vfs, request.clone(), &json!({ "mood": "calm" }), &mut Scripted).unwrap();
    write(&mut stage, &plan);
    let text = |name: &str| stage.vfs.read_text(&path(&format!("/zero/source/beats.module/{name}"))).unwrap();
    assert!(text("init.luau").starts_with("-- module beats calm\n"));
    assert_eq!(&*text("README.md"), "given");

    request.existing = Existing::Replace;
    let plan = stage.assets.plan_create_with(&stage.vfs, request.clone(), &json!({}), &mut Scripted).unwrap();
    assert!(plan.files.iter().any(|(path, _)| path.name() == "carried.luau"));
    request.name = "refused".to_owned();
    let error = stage.assets.plan_create_with(&stage.vfs, request, &json!({}), &mut Scripted).unwrap_err();
    assert_eq!(error.code(), "asset/hook_failed");

    let beats = stage.asset("beats");
    assert_eq!(
        brief(&stage.assets.validate_with(&stage.vfs, beats, &mut Scripted)),
        ["warning test.mood beats.module"]
    );
    let inspection = stage.assets.inspect_with(&stage.vfs, beats, &mut Scripted);
    assert_eq!((inspection.detail, inspection.warning), (Some(json!({ "type": "module" })), None));
    assert_eq!((inspection.scope.as_str(), inspection.origin), ("source", "authored"));
    let broken = stage.asset("broken");
    assert_eq!(
        brief(&stage.assets.validate_with(&stage.vfs, broken, &mut Scripted)),
        ["error validate.hook_failed broken.module"]
    );
    let inspection = stage.assets.inspect_with(&stage.vfs, broken, &mut Scripted);
    assert_eq!(inspection.detail, None);
    assert!(inspection.warning.unwrap().contains("it raised"));
}
