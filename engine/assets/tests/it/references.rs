use zero_assets::{ReferenceKind, ReferenceState};

use crate::stage::{Stage, world};

fn stage() -> Stage {
    world(&[
        ("gold.material/mat.yaml", "shader: shine\ntextures:\n  albedo: planks\n"),
        ("planks.texture/texture.png", "x"),
        ("gold.material/.metadata", "tags: []\n"),
        ("shine.shader/shader.wgsl", "x"),
        (
            "use.module/init.luau",
            "local g = asset.resolve(\"gold\", \"material\")\nlocal o = require(\".other\")\nlocal n = require(\"nowhere\")\nreturn {}\n",
        ),
        ("use.module/README.md", "x"),
        ("use.module/.metadata", "tags: []\n"),
        (
            "other.module/init.luau",
            "local t = require(\"tables\")\nreturn fx.beam(\"a\", { material = \"gold\" }, g:node(\"n\", \"gold\"))\n",
        ),
        ("tables.luau", "return {}"),
        (
            "effect.assetType/type.yaml",
            "references:\n  args:\n    - { call: \"g:node\", position: 2, type: data }\n    - { call: \"g:node\", position: 2, type: material }\n  fields:\n    - { call: fx.beam, field: material, type: material }\n",
        ),
        (
            "level.scene/scene.yaml",
            "scene: 1\nentities:\n  - id: ent_1\n    name: a\n    components:\n      Material: { material: gold }\n      Mesh: { mesh: gone }\n",
        ),
    ])
}

#[test]
fn names_are_found_where_they_are_declared() {
    let stage = stage();
    let list = |name: &str| -> Vec<String> {
        let references = stage.assets.references(&stage.vfs, stage.asset(name)).into_iter();
        let told = references.map(|reference| {
            let state = match &reference.state {
                ReferenceState::Resolved(guid) => stage.assets.get(guid).unwrap().identity.clone(),
                ReferenceState::File(path) => path.to_string(),
                other => format!("{other:?}"),
            };
            let type_ = reference.type_.unwrap_or_default();
            format!("{}: {:?} {} [{type_}] -> {state}", reference.span.line, reference.kind, reference.name)
        });
        told.collect()
    };
    assert_eq!(list("gold"), ["1: Key shine [shader] -> shine", "3: Key planks [texture] -> planks"]);
    assert_eq!(
        list("use"),
        ["1: Lookup gold [material] -> gold", "2: Require .other [] -> other", "3: Require nowhere [] -> Unresolved",]
    );
    assert_eq!(
        list("other"),
        [
            "1: Require tables [] -> /zero/source/tables.luau",
            "2: Argument gold [material] -> gold",
            "2: Argument gold [data|material] -> gold",
        ]
    );
    assert_eq!(list("level"), ["6: Key gold [material] -> gold", "7: Key gone [mesh] -> Unresolved"]);
}

#[test]
fn what_leads_nowhere_is_told_at_its_line() {
    let stage = stage();
    assert_eq!(stage.problems("use"), ["error asset/unresolved_reference use.module/init.luau:3"]);
    assert!(stage.problems("level").contains(&"error asset/unresolved_reference level.scene/scene.yaml:7".to_owned()));
    assert_eq!(stage.problems("gold"), [""; 0]);
}

#[test]
fn use_is_known_both_ways_and_follows_edits() {
    let mut stage = stage();
    let used_by = |stage: &Stage, name: &str| -> Vec<String> {
        let guid = stage.asset(name).guid;
        stage.assets.used_by(&stage.vfs, &guid).into_iter().map(|asset| asset.identity.clone()).collect()
    };
    assert_eq!(used_by(&stage, "gold"), ["level", "other", "use"]);
    assert_eq!(used_by(&stage, "shine"), ["gold"]);
    let needs: Vec<String> = stage
        .assets
        .dependencies(&stage.vfs, stage.asset("use"))
        .into_iter()
        .map(|dependency| format!("{} via {}", dependency.identity, dependency.via))
        .collect();
    assert_eq!(needs, ["module via asset_type", "gold via lookup", "other via require"]);

    stage.write(&[("use.module/init.luau", "return {}\n")]);
    assert_eq!(used_by(&stage, "gold"), ["level", "other"]);
    stage.remove("effect.assetType");
    assert_eq!(used_by(&stage, "gold"), ["level"]);
    stage.write(&[("nowhere.module/init.luau", "return require('use')")]);
    assert_eq!(used_by(&stage, "use"), ["nowhere"]);
}

#[test]
fn a_template_refers_to_nothing() {
    let stage = world(&[
        ("talk.assetType/type.yaml", ""),
        ("talk.assetType/template/init.luau", "require('not.there.yet')"),
        ("talk.assetType/behavior.luau", "require('not.there.either')"),
    ]);
    let references = stage.assets.references(&stage.vfs, stage.asset("talk"));
    let names: Vec<(&str, ReferenceKind)> =
        references.iter().map(|reference| (reference.name.as_str(), reference.kind)).collect();
    assert_eq!(names, [("not.there.either", ReferenceKind::Require)]);
}
