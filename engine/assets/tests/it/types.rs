use zero_assets::{Check, FileRuleKind, Format, IdentityRule};
use zero_base::Severity;

use crate::stage::{brief, world};

#[test]
fn a_declaration_is_read_whole() {
    let declaration = r#"
description: Lines that people say.
suffix: .talk
identity: typeName
container: true
system: true
requirable: true
within: [package, toolbox]
marker: talk.yaml
name_from: { file: talk.yaml, key: title }
primary: [talk.yaml, talk.json]
files:
  required:
    - path: talk.yaml
      or: [talk.json]
      description: the lines
      content:
        - { check: parse, format: yaml }
        - { check: size, max_bytes: 100 }
        - check: described
          keys: [summary, { key: mood, max_bytes: 20 }]
          message: Say what is talked about.
    - { path: voice.data, kind: asset, type: data, severity: warning }
    - { path: takes, kind: folder }
  optional:
    - "*.png"
  allow_unlisted: true
references:
  keys:
    - { key: speaker, type: component }
    - { key: speaker, type: data }
  args:
    - { call: "g:say", position: 2, type: talk }
  fields:
    - { call: fx.say, field: voice, type: data }
settings: { pace: { kind: number, default: 1 } }
describe: { guidance: Say who talks. }
indexing: none
preview: { kind: surface, mesh: sphere }
inspector: { type: inspector.luau }
"#;
    let stage = world(&[("talk.assetType/type.yaml", declaration)]);
    let info = stage.assets.type_info("talk").unwrap();
    assert_eq!(brief(&info.diagnostics), [""; 0]);
    assert_eq!((info.suffix.as_str(), info.identity), ("talk", IdentityRule::TypeName));
    assert_eq!((info.container, info.system, info.requirable), (true, true, true));
    assert_eq!(info.within, ["package", "toolbox"]);
    assert_eq!(info.marker.as_deref(), Some("talk.yaml"));
    assert_eq!(info.name_from.as_ref().map(|from| from.key.as_str()), Some("title"));
    assert_eq!(info.primary, ["talk.yaml", "talk.json"]);
    let [lines, voice, takes] = info.files.required.as_slice() else { panic!("three rules") };
    assert_eq!((lines.path.as_str(), lines.alternatives[0].as_str()), ("talk.yaml", "talk.json"));
    assert_eq!(lines.content[0].check, Check::Parse(Format::Yaml));
    assert_eq!(lines.content[1].check, Check::Size { min_bytes: None, max_bytes: Some(100) });
    let Check::Described { keys, .. } = &lines.content[2].check else { panic!("a described check") };
    assert_eq!((keys[0].max_bytes, keys[1].key.as_str(), keys[1].max_bytes), (None, "mood", Some(20)));
    assert_eq!(lines.content[2].message.as_deref(), Some("Say what is talked about."));
    assert_eq!(voice.kind, FileRuleKind::Asset(Some("data".to_owned())));
    assert_eq!((voice.severity, takes.severity), (Severity::Warning, Severity::Error));
    assert_eq!(takes.kind, FileRuleKind::Folder);
    assert!(info.files.allow_unlisted && info.files.optional[0].matches("a.png"));
    // A key declared again holds the later category.
    assert_eq!(info.references.keys.len(), 1);
    assert_eq!(info.references.keys[0].type_name, "data");
    assert_eq!((info.references.args[0].position, info.references.fields[0].field.as_str()), (2, "voice"));
    assert_eq!(info.settings["pace"]["default"], 1);
    assert_eq!((info.indexing.as_str(), info.preview["mesh"].as_str()), (Some("none"), Some("sphere")));
    assert_eq!(info.inspector.as_deref(), Some("inspector.luau"));
}

#[test]
fn what_cannot_be_read_is_told_and_the_type_still_counts() {
    let check = |declaration: &str, expected: &[&str]| {
        let stage = world(&[("odd.assetType/type.yaml", declaration), ("x.odd/a", "")]);
        let info = stage.assets.type_info("odd").unwrap();
        let problems: Vec<String> =
            info.diagnostics.iter().map(|problem| format!("{}: {}", problem.code, problem.message)).collect();
        for words in expected {
            assert!(problems.iter().any(|problem| problem.contains(words)), "{declaration}: {problems:?}");
        }
        assert_eq!(problems.len(), expected.len(), "{declaration}: {problems:?}");
        assert_eq!(stage.asset("x").type_name, "odd");
    };
    check("", &["a type is a map of keys, not nothing"]);
    check("[1, 2]", &["a type is a map of keys, not a list"]);
    check("container: [", &["yaml/syntax"]);
    check("conteiner: true", &["asset/unknown_key: a type has no key 'conteiner'; did you mean 'container'?"]);
    check("container: maybe", &["'container' is true or false, not a string"]);
    check("identity: typename", &["'identity' is one of path, typeName, toolboxTool; did you mean 'typeName'?"]);
    check("identity: toolboxTool", &["needs 'within'"]);
    check("suffix: 'two words'", &["'two words' is no suffix"]);
    check("files: { required: [{ kind: file }] }", &["a file rule needs 'path'"]);
    check("files: { required: [{ path: ../up }] }", &["'../up' is no path inside an asset"]);
    check(
        "files: { required: [{ path: a, content: [{ check: parsed }] }] }",
        &["did you mean 'parse'?", "needs 'check'"],
    );
    check("files: { required: [{ path: a, content: [{ check: parse }] }] }", &["needs 'format'"]);
    check("references: { args: [{ call: f, position: 0, type: data }] }", &["needs 'position"]);
    check("references: { keys: [{ key: a }] }", &["needs 'key and type'"]);
    check("preview: { kind: photo }", &["'kind' is one of custom, image, instantiate, surface"]);
    check("name_from: { file: a.yaml }", &["needs 'file and key'"]);
    check("settings: 3", &["'settings' is a map of keys, not a number"]);
}

#[test]
fn a_name_or_suffix_is_declared_once_and_the_library_goes_first() {
    let stage = world(&[
        ("module.assetType/type.yaml", "description: Mine.\n"),
        ("a/talk.assetType/type.yaml", "description: First.\n"),
        ("b/talk.assetType/type.yaml", "description: Second.\n"),
        ("chat.assetType/type.yaml", "suffix: .talk\n"),
    ]);
    assert_eq!(
        stage.assets.type_info("module").unwrap().path.as_ref().unwrap().as_str(),
        "/zero/source/libs/@builtin/assetTypes/module.assetType"
    );
    assert_eq!(stage.assets.type_info("talk").unwrap().description, "First.");
    assert_eq!(
        stage.tree_problems(),
        [
            "error asset/duplicate_identity b/talk.assetType",
            "error asset/duplicate_type b/talk.assetType/type.yaml",
            "error asset/duplicate_suffix chat.assetType/type.yaml",
            "error asset/duplicate_identity module.assetType",
            "error asset/duplicate_type module.assetType/type.yaml",
        ]
    );
}

#[test]
fn without_a_library_only_the_type_of_types_is_known() {
    let stage = crate::stage::world_with(
        &[("talk.assetType/type.yaml", "container: true\n"), ("x.talk/a", ""), ("y.module/init.luau", "")],
        Vec::new(),
    );
    assert_eq!(stage.assets.categories(), ["assetType", "talk"]);
    assert_eq!(stage.own(), ["talk (assetType)", "x (talk)"]);
    assert_eq!(stage.tree_problems(), ["error asset/unknown_type y.module"]);
}

#[test]
fn a_types_template_holds_no_assets() {
    let stage = world(&[
        ("talk.assetType/type.yaml", "container: true\n"),
        ("talk.assetType/template/shared.module/init.luau", ""),
        ("talk.assetType/template/inner.assetType/type.yaml", ""),
        ("talk.assetType/shared.module/init.luau", ""),
    ]);
    assert_eq!(stage.own(), ["talk (assetType)", "talk.shared (module)"]);
    assert!(stage.assets.type_info("inner").is_none());
}
