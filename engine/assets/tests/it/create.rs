use std::collections::BTreeMap;

use zero_assets::{CreatePlan, CreateRequest, Existing, NameRule};

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
            // A picture is not looked into here.
            (below, String::from_utf8_lossy(bytes).into_owned())
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
    check(CreateRequest { name_rule: NameRule::OfType, ..request("module", "a/b") }, "asset/bad_name");
    let own_pattern = CreateRequest { name_rule: NameRule::OfType, ..request("module", "9-lives") };
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
