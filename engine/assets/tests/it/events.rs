use std::fs;

use zero_base::Guid;

use crate::stage::{path, told, world};

#[test]
fn one_file_concerns_one_asset() {
    let mut stage = world(&[("kit.package/package.yaml", ""), ("kit.package/beats.module/init.luau", "return {}")]);
    assert_eq!(told(&stage.write(&[("kit.package/beats.module/init.luau", "return 1")])), ["~ kit.beats init.luau"]);
    assert_eq!(told(&stage.write(&[("kit.package/notes.txt", "x")])), ["~ kit notes.txt"]);
    assert_eq!(told(&stage.write(&[("loose.luau", "x")])), [""; 0]);
    assert_eq!(told(&stage.write(&[("kit.package/swing.module/init.luau", "return {}")])), ["+ kit.swing"]);
    assert_eq!(told(&stage.write(&[("solo.module/init.luau", "a"), ("solo.module/README.md", "b")])), ["+ solo"]);
    assert_eq!(told(&stage.remove("solo.module/README.md")), ["~ solo README.md"]);
    assert_eq!(told(&stage.remove("solo.module/init.luau")), ["- solo"]);
    assert_eq!(told(&stage.remove("kit.package")), ["- kit", "- kit.beats", "- kit.swing"]);
    assert_eq!(stage.own(), [""; 0]);
}

#[test]
fn a_guid_survives_rename_and_move() {
    let mut stage = world(&[
        ("a.module/init.luau", ""),
        ("a.module/.metadata", "guid: ast_00000000000000000000000000000001\ntags: [x, y]\nmood: calm\n"),
        ("b/keep.data/data.yaml", ""),
    ]);
    let guid: Guid = "ast_00000000000000000000000000000001".parse().unwrap();
    assert_eq!(stage.asset("a").guid, guid);
    assert_eq!(stage.asset("a").tags, ["x", "y"]);
    assert_eq!(stage.assets.metadata(stage.asset("a")).unwrap()["mood"], "calm");
    assert_eq!(told(&stage.rename("a.module", "b/renamed.module")), ["- a", "+ b.renamed"]);
    assert_eq!(stage.assets.get(&guid).unwrap().identity, "b.renamed");
}

#[test]
fn a_missing_guid_is_derived_until_it_is_written() {
    let mut stage = world(&[("a.module/init.luau", ""), ("b.module/init.luau", "")]);
    let derived = stage.asset("a").guid;
    assert_eq!(derived, Guid::derived("source\na\nmodule"));
    let written = Guid::random();
    let events = stage.write(&[("a.module/.metadata", &format!("guid: {written}\n"))]);
    assert_eq!(told(&events), ["~ a .metadata"]);
    assert_eq!(stage.asset("a").guid, written);
    assert!(stage.assets.get(&derived).is_none());
    stage.write(&[("a.module/.metadata", "{ \"tags\": [\"json\"], \"tier\": \"core\" }")]);
    assert_eq!((stage.asset("a").guid, stage.asset("a").tags.clone()), (derived, vec!["json".to_owned()]));
}

#[test]
fn the_first_of_two_equal_guids_keeps_it() {
    let metadata = "guid: ast_000000000000000000000000000000aa\n";
    let guid: Guid = "ast_000000000000000000000000000000aa".parse().unwrap();
    let mut stage = world(&[
        ("b.data/data.yaml", ""),
        ("b.data/.metadata", metadata),
        ("c.data/data.yaml", ""),
        ("c.data/.metadata", metadata),
    ]);
    assert_eq!(stage.assets.get(&guid).unwrap().identity, "b");
    assert_eq!(stage.asset("c").guid, Guid::derived("source\nc\ndata"));
    assert_eq!(stage.tree_problems(), ["error asset/duplicate_guid c.data/.metadata"]);

    let events = stage.write(&[("a.data/data.yaml", ""), ("a.data/.metadata", metadata)]);
    assert_eq!(told(&events), ["+ a", "~ b .metadata"]);
    assert_eq!(stage.assets.get(&guid).unwrap().identity, "a");
    stage.remove("a.data");
    stage.remove("b.data");
    assert_eq!(stage.assets.get(&guid).unwrap().identity, "c");
    assert_eq!(stage.tree_problems(), [""; 0]);
}

#[test]
fn a_copy_of_library_content_does_not_take_its_guid() {
    let metadata =
        fs::read_to_string(crate::stage::checkout().join("builtin/assetTypes/module.assetType/.metadata")).unwrap();
    let stage = world(&[("aaa.data/data.yaml", ""), ("aaa.data/.metadata", &metadata)]);
    let original = stage.assets.resolve("module", Some("assetType"), None).unwrap();
    assert!(metadata.contains(&original.guid.to_string()));
    assert_ne!(stage.asset("aaa").guid, original.guid);
}

#[test]
fn a_type_counts_from_the_moment_it_is_written() {
    let mut stage = world(&[("hero.dialogue/lines.yaml", "a: b\n"), ("hero.dialogue/part.module/init.luau", "")]);
    assert_eq!(stage.tree_problems(), ["error asset/unknown_type hero.dialogue"]);
    assert_eq!(stage.own(), ["hero.dialogue.part (module)"]);

    let events = stage.write(&[("types/dialogue.assetType/type.yaml", "container: true\n")]);
    assert_eq!(told(&events), ["- hero.dialogue.part", "+ hero", "+ hero.part", "+ dialogue"]);
    assert!(stage.assets.categories().contains(&"dialogue".to_owned()));
    assert_eq!(stage.tree_problems(), [""; 0]);

    let events = stage.write(&[("types/dialogue.assetType/type.yaml", "identity: typeName\ncontainer: true\n")]);
    assert_eq!(told(&events), ["~ dialogue type.yaml"]);
    let events = stage.write(&[("types/dialogue.assetType/type.yaml", "suffix: .talk\n")]);
    assert_eq!(told(&events), ["- hero", "- hero.part", "+ hero.dialogue.part", "~ dialogue type.yaml"]);
    stage.write(&[("hero.talk/lines.yaml", "")]);
    assert_eq!(stage.asset("hero").type_name, "dialogue");

    let events = stage.remove("types");
    assert_eq!(told(&events), ["- hero", "- dialogue"]);
    assert!(!stage.assets.categories().contains(&"dialogue".to_owned()));
}

#[test]
fn edits_from_outside_are_taken_in_by_looking() {
    let mut stage = world(&[("a.module/init.luau", "")]);
    let source = stage.folder.path().join("source");
    fs::create_dir_all(source.join("deep/b.module")).unwrap();
    fs::write(source.join("deep/b.module/init.luau"), "return {}").unwrap();
    fs::remove_dir_all(source.join("a.module")).unwrap();
    // Folders may be named as well as files, and a path that did not change does no harm.
    let paths = ["/zero/source/deep", "/zero/source/a.module", "/zero/source/none", "/zero/source/tmp/x"].map(path);
    let events = stage.assets.refresh(&stage.vfs, &paths);
    assert_eq!(told(&events), ["- a", "+ deep.b"]);
    assert_eq!(told(&stage.assets.refresh(&stage.vfs, &paths[1..])), [""; 0]);
}

#[test]
fn scratch_and_hidden_folders_are_not_indexed() {
    let mut stage = world(&[(".git/x.module/init.luau", ""), ("a/.cache/y.module/init.luau", "")]);
    stage.write(&[("tmp/z.module/init.luau", "")]);
    assert_eq!(stage.own(), [""; 0]);
    assert_eq!(stage.tree_problems(), [""; 0]);
}

#[test]
fn a_file_in_the_place_of_a_folder_ends_the_asset() {
    let mut stage = world(&[("a.module/init.luau", "")]);
    stage.remove("a.module");
    let events = stage.write(&[("a.module", "not a folder")]);
    assert_eq!(told(&events), [""; 0]);
    assert_eq!(stage.own(), [""; 0]);
    stage.remove("a.module");
    assert_eq!(told(&stage.write(&[("a.module/init.luau", "")])), ["+ a"]);
}
