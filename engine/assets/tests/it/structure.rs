use crate::stage::{path, world};

const METADATA: &str = "tags: []\n";

#[test]
fn missing_and_unlisted_files_are_told_with_the_nearest_name() {
    let stage = world(&[("beats.module/inti.luau", "return {}"), ("beats.module/picture.png", "")]);
    let problems = stage.assets.validate(&stage.vfs, stage.asset("beats"));
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "a module needs the file 'init.luau' or 'init.lua' (returns the table of what the module exports); is it 'inti.luau'?",
            "a module needs the file 'README.md' (what the module is for)",
            "a module needs the file '.metadata' (guid and tags)",
            "a module holds no file 'picture.png'",
        ]
    );
    assert_eq!(
        stage.problems("beats"),
        [
            "error asset/missing_file beats.module",
            "warning asset/missing_file beats.module",
            "warning asset/missing_file beats.module",
            "warning asset/unlisted_file beats.module/picture.png",
        ]
    );
}

#[test]
fn content_checks_point_at_the_line() {
    let stage = world(&[
        ("broken.module/init.luau", "return {}\n"),
        ("broken.module/README.md", "# broken\n\n[[describe]] What it is.\n"),
        ("broken.module/.metadata", METADATA),
        ("empty.module/init.luau", "return {}\n"),
        ("empty.module/README.md", "# empty\n"),
        ("empty.module/.metadata", METADATA),
        ("bad.data/data.yaml", "a: 1\na: 2\n"),
        ("bad.data/.metadata", METADATA),
        ("talk.assetType/type.yaml", "inspector: { type: inspector.luau }\n"),
        ("talk.assetType/README.md", "Words.\n"),
        ("talk.assetType/.metadata", METADATA),
        ("talk.assetType/about.yaml", &format!("intent: \"{}\"\nfunction: \"[[describe]] x\"\n", "x".repeat(801))),
        ("talk.assetType/inspector.luau", "return {}\n"),
        ("blank.shader/shader.wgsl", ""),
    ]);
    assert_eq!(stage.problems("broken"), ["warning asset/undescribed broken.module/README.md:3"]);
    assert_eq!(stage.problems("empty"), ["warning asset/undescribed empty.module/README.md"]);
    assert_eq!(stage.problems("bad"), ["error yaml/duplicate_key bad.data/data.yaml:2"]);
    assert_eq!(
        stage.problems("talk"),
        [
            "error asset/description_too_long talk.assetType/about.yaml:1",
            "warning asset/undescribed talk.assetType/about.yaml:2",
            "warning asset/undescribed talk.assetType/about.yaml:1",
        ]
    );
    assert_eq!(stage.problems("blank"), ["error asset/file_size blank.shader/shader.wgsl"]);
}

#[test]
fn assets_lie_only_where_they_may() {
    let stage = world(&[
        ("alone.tool/init.luau", ""),
        ("alone.tool/README.md", "x"),
        ("alone.tool/.metadata", METADATA),
        ("gold.material/mat.yaml", "shader: shine\n"),
        ("gold.material/.metadata", METADATA),
        ("gold.material/inner.data/data.yaml", ""),
        ("shine.shader/shader.wgsl", "x"),
    ]);
    assert_eq!(stage.problems("alone"), ["error asset/outside_container alone.tool"]);
    assert_eq!(stage.problems("gold"), ["error asset/not_a_container gold.material/inner.data"]);
}

#[test]
fn two_spellings_of_one_file_are_told() {
    let stage = world(&[
        ("beats.module/init.luau", "return {}"),
        ("beats.module/init.lua", "return {}"),
        ("beats.module/README.md", "x"),
        ("beats.module/.metadata", METADATA),
    ]);
    assert_eq!(stage.problems("beats"), ["warning asset/two_spellings beats.module/init.lua"]);
    assert_eq!(stage.assets.body(stage.asset("beats")).unwrap(), path("/zero/source/beats.module/init.luau"));
}

#[test]
fn a_types_own_declaration_is_part_of_its_check() {
    let stage = world(&[(
        "talk.assetType/type.yaml",
        "conteiner: true\nwithin: [nowhere]\nreferences:\n  keys:\n    - { key: a, type: dta }\n",
    )]);
    assert_eq!(
        stage.problems("talk"),
        [
            "warning asset/missing_file talk.assetType",
            "warning asset/missing_file talk.assetType",
            "warning asset/missing_file talk.assetType",
            "warning asset/unknown_key talk.assetType/type.yaml:1",
            "warning asset/unknown_type talk.assetType/type.yaml:5",
            "warning asset/unknown_type talk.assetType/type.yaml",
            "warning assetType.inspector_required talk.assetType/type.yaml",
        ]
    );
}

#[test]
fn names_that_clash_are_told_for_the_tree() {
    let stage = world(&[
        ("Kit.package/package.yaml", ""),
        ("kit.package/package.yaml", ""),
        ("twin/a.module/init.luau", ""),
        ("twin.package/package.yaml", ""),
        ("twin.package/a.module/init.luau", ""),
        ("things.wdget/x", ""),
        ("version1.2/x", ""),
        ("gold.materal/mat.yaml", ""),
    ]);
    assert_eq!(
        stage.tree_problems(),
        [
            "error asset/unknown_type gold.materal",
            "error asset/case_clash kit.package",
            "error asset/unknown_type things.wdget",
            "error asset/duplicate_identity twin/a.module",
        ]
    );
    let unknown = stage
        .assets
        .diagnostics()
        .into_iter()
        .find(|problem| problem.path.as_deref() == Some("/zero/source/gold.materal"));
    assert_eq!(unknown.unwrap().nearest.as_deref(), Some("material"));
    assert_eq!(stage.assets.resolve("twin.a", None, None).unwrap().path.as_str(), "/zero/source/twin.package/a.module");
}

#[test]
fn a_broken_sidecar_is_told_and_the_asset_stays() {
    let stage = world(&[
        ("a.data/data.yaml", ""),
        ("a.data/.metadata", "guid: nonsense\ntags: 3\n"),
        ("b.data/data.yaml", ""),
        ("b.data/.metadata", "- a list"),
        ("c.data/data.yaml", ""),
        ("c.data/.metadata", "{ [ broken"),
    ]);
    assert_eq!(stage.own(), ["a (data)", "b (data)", "c (data)"]);
    assert_eq!(
        stage.problems("a"),
        ["error asset/bad_metadata a.data/.metadata:1", "error asset/bad_metadata a.data/.metadata:2"]
    );
    assert_eq!(stage.problems("b"), ["error asset/bad_metadata b.data/.metadata:1"]);
    assert!(stage.problems("c")[0].starts_with("error yaml/syntax c.data/.metadata"));
    assert_eq!(stage.tree_problems().len(), 4);
}
