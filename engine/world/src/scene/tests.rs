use serde_json::json;
use zero_base::Diagnostic;

use crate::*;

const PATH: &str = "/zero/source/yard.scene/scene.yaml";

const YARD: &str = "\
scene: 1
playerIntent: spawns
nextId: 9
weather: rainy
entities:
  - id: ent_1
    name: Yard
    layer: 3
    components:
      Future:
        deep:
          a: [1, 2.5]
          b: text
  - id: ent_2
    name: Lamp post
    parent: ent_1
    position: [0, 1.5, 0.1]
    rotation: [0, 0.70710677, 0, 0.70710677]
    components:
      Light:
        color: \"#ffcc88\"
      Mesh: {}
";

fn parse(text: &str) -> (SceneDoc, Vec<Diagnostic>) {
    SceneDoc::parse(text, PATH).unwrap()
}

/// Codes and lines of what is reported.
fn reported(diagnostics: &[Diagnostic]) -> Vec<(String, u32)> {
    diagnostics.iter().map(|found| (found.code.to_string(), found.span.map_or(0, |span| span.line))).collect()
}

fn check(text: &str, expected: &[(&str, u32)]) -> (SceneDoc, Vec<Diagnostic>) {
    let (scene, diagnostics) = parse(text);
    let expected: Vec<(String, u32)> = expected.iter().map(|(code, line)| ((*code).to_owned(), *line)).collect();
    assert_eq!(reported(&diagnostics), expected, "{diagnostics:?}");
    let (again, _) = parse(&scene.emit());
    assert_eq!(again, scene);
    assert_eq!(again.emit(), scene.emit());
    (scene, diagnostics)
}

#[test]
fn canonical_text_is_read_and_written_unchanged() {
    let (scene, diagnostics) = check(YARD, &[("scene/unknown_key", 4), ("scene/unknown_key", 8)]);
    assert_eq!(scene.emit(), YARD);
    assert_eq!(scene.extra["weather"], json!("rainy"));
    assert_eq!(diagnostics[1].path.as_deref(), Some(PATH));
    let mut world = World::new();
    world.load_scene(&scene);
    assert_eq!(world.to_scene().emit(), YARD);
    assert_eq!(world.player_intent(), Some("spawns"));
}

#[test]
fn free_spelling_becomes_canonical() {
    let text = "entities:\n- {name: B, id: ent_2, scale: {x: 1.0, y: 1, z: 1}, position: {z: 3, x: 1.0, y: 0}}\n- {id: ent_1, name: A}";
    let (scene, _) = check(text, &[]);
    let expected = "scene: 1\nnextId: 3\nentities:\n  - id: ent_1\n    name: A\n  - id: ent_2\n    name: B\n    position: [1, 0, 3]\n";
    assert_eq!(scene.emit(), expected);
    assert_eq!(check("", &[]).0, SceneDoc::default());
}

#[test]
fn bad_records_are_set_aside_and_kept() {
    let text = "\
scene: 1
entities:
  - id: ent_1
    name: Good
  - name: No id
  - id: ent_x
    name: Bad id
  - id: ent_3
    name: Bad place
    position: [0, wide, 0]
  - id: ent_1
    name: Again
  - just text
  - id: ent_4
    name: Bad parts
    components: [1]
";
    let expected = [
        ("scene/bad_entity", 5),
        ("scene/bad_entity", 6),
        ("scene/bad_entity", 10),
        ("scene/duplicate_id", 11),
        ("scene/bad_entity", 13),
        ("scene/bad_entity", 16),
    ];
    let (scene, diagnostics) = check(text, &expected);
    assert_eq!(scene.entities.len(), 1);
    assert_eq!(scene.unread.len(), 6);
    assert!(
        diagnostics[2].message.contains("position.y expects a number, got the string 'wide'"),
        "{}",
        diagnostics[2]
    );
    assert_eq!(diagnostics[3].related[0].span.map(|span| span.line), Some(3));
    let mut world = World::new();
    world.load_scene(&scene);
    assert_eq!(world.to_scene(), scene);
}

#[test]
fn links_that_cannot_hold_are_cut() {
    let text = "\
entities:
  - {id: ent_1, name: A, parent: ent_3}
  - {id: ent_2, name: B, parent: ent_1}
  - {id: ent_3, name: C, parent: ent_2}
  - {id: ent_4, name: D, parent: ent_2}
  - {id: ent_5, name: E, parent: ent_5}
  - {id: ent_6, name: F, parent: ent_99}
";
    let (scene, diagnostics) = parse(text);
    let expected = [("scene/missing_parent", 7), ("scene/parent_cycle", 2), ("scene/parent_cycle", 6)];
    assert_eq!(reported(&diagnostics), expected.map(|(code, line)| (code.to_owned(), line)));
    assert_eq!(diagnostics[1].message, "ent_1, ent_3, ent_2 hang below one another; ent_1 is a root now");
    let parents: Vec<Option<u64>> = scene.entities.values().map(|record| record.parent.map(EntityId::number)).collect();
    assert_eq!(parents, [None, Some(1), Some(2), Some(2), None, None]);
    World::new().load_scene(&scene);
}

#[test]
fn text_that_is_no_scene_is_not_taken_for_an_empty_one() {
    let refuse = |text: &str, code: &str| assert_eq!(SceneDoc::parse(text, PATH).unwrap_err()[0].code, code);
    refuse("entities: [", "yaml/syntax");
    refuse("- id: ent_1", "scene/not_a_scene");
    refuse("entities: {}", "scene/not_a_scene");
    refuse("scene: 2\nentities: []", "scene/version");
}

#[test]
fn loading_reports_what_types_do_not_accept_and_keeps_it() {
    let mut world = World::new();
    let fields = vec![
        FieldSchema::new("mesh", FieldKind::AssetRef { category: "mesh".into() }),
        FieldSchema::new("size", FieldKind::Vec3),
    ];
    world.schemas_mut().register(ComponentSchema::new("Mesh", "@builtin::components.Mesh", fields)).unwrap();
    let text = "\
entities:
  - id: ent_1
    name: A
    components:
      Mesh:
        mesh: 5
        sise: [1, 2, 3]
        size: {x: 1, y: 2, z: 3}
      Lamp: {}
  - id: ent_2
    name: B
    components: {Lamp: {on: true}}
";
    let (scene, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    let diagnostics = world.load_scene(&scene);
    let expected = [("world/wrong_type", 6), ("world/unknown_field", 7), ("scene/unknown_component", 9)];
    assert_eq!(reported(&diagnostics), expected.map(|(code, line)| (code.to_owned(), line)));
    assert!(diagnostics[1].message.contains("did you mean 'size'?"), "{}", diagnostics[1]);
    assert!(diagnostics[2].message.contains("kept on ent_1 (2 in all)"), "{}", diagnostics[2]);
    let kept = world.component("ent_1".parse().unwrap(), "Mesh").unwrap();
    assert_eq!(json!(kept), json!({ "mesh": 5, "sise": [1, 2, 3], "size": [1, 2, 3] }));
    assert_eq!(world.load_scene(&world.to_scene()).len(), 3);
}

fn change(
    entity: &str,
    component: &str,
    before: Option<serde_json::Value>,
    after: Option<serde_json::Value>,
) -> Change {
    Change { entity: entity.parse().unwrap(), component: component.into(), before, after }
}

const PAIR: &str = "\
nextId: 3
entities:
  - {id: ent_1, name: A, components: {Lamp: {on: true}}}
  - {id: ent_2, name: B, parent: ent_1}
";

/// Merges into the file and gives its text and the messages.
fn merged(file: &str, changes: &[Change]) -> (String, Vec<String>) {
    let (scene, diagnostics) = merge_scene(&parse(file).0, changes);
    assert!(
        diagnostics.iter().all(|found| !found.is_error() || found.code == "scene/missing_parent"),
        "{diagnostics:?}"
    );
    (scene.emit(), diagnostics.into_iter().map(|found| found.message).collect())
}

#[test]
fn a_merge_takes_what_the_file_does_not_contradict() {
    let lamp = |on: bool| Some(json!({ "on": on }));
    let entity = |name: &str| Some(json!({ "name": name, "parent": null }));
    let changes = [
        change("ent_1", "Lamp", lamp(true), lamp(false)),
        change("ent_1", "Mesh", None, Some(json!({}))),
        change("ent_3", "Entity", None, entity("C")),
        change("ent_3", "Transform", Some(Transform::IDENTITY.to_json()), Some(json!({ "position": [1, 0, 0] }))),
    ];
    let (text, messages) = merged(&PAIR.replace("name: B", "name: Renamed by hand"), &changes);
    assert_eq!(messages, [""; 0]);
    let expected = "\
scene: 1
nextId: 4
entities:
  - id: ent_1
    name: A
    components:
      Lamp:
        on: false
      Mesh: {}
  - id: ent_2
    name: Renamed by hand
    parent: ent_1
  - id: ent_3
    name: C
    position: [1, 0, 0]
";
    assert_eq!(text, expected);
    // Once merged and saved, the same changes are all there already.
    assert_eq!(merged(expected, &changes), (expected.to_owned(), Vec::new()));
}

#[test]
fn the_file_wins_and_the_loss_is_told() {
    let canonical = |file: &str| parse(file).0.emit();
    let check = |file: &str, changes: &[Change], expected: &str, words: &[&str]| {
        let (text, messages) = merged(file, changes);
        assert_eq!(text, canonical(expected));
        assert_eq!(messages.len(), words.len(), "{messages:?}");
        for (message, words) in messages.iter().zip(words) {
            assert!(message.contains(words), "{message}");
        }
    };
    let lamp = |on: i32| Some(json!({ "on": on }));
    let entity = |name: &str, parent: Option<&str>| Some(json!({ "name": name, "parent": parent }));
    let file = PAIR.replace("on: true", "on: 7");
    let set = change("ent_1", "Lamp", Some(json!({ "on": true })), lamp(3));
    check(
        &file,
        &[set],
        &file,
        &["Lamp of ent_1 was edited here and in the file; the file is followed; not used: {\"on\":3}"],
    );
    let gone = change("ent_9", "Lamp", lamp(1), lamp(2));
    check(
        PAIR,
        &[gone],
        &PAIR.replace("nextId: 3", "nextId: 10"),
        &["ent_9 was edited here and is gone from the file"],
    );
    let spawned = change("ent_2", "Entity", None, entity("Mine", None));
    check(PAIR, &[spawned], PAIR, &["ent_2 was spawned here and is another entity in the file"]);

    let despawn = [
        change("ent_2", "Entity", entity("B", Some("ent_1")), None),
        change("ent_1", "Lamp", Some(json!({ "on": true })), None),
        change("ent_1", "Entity", entity("A", None), None),
    ];
    check(PAIR, &despawn, "nextId: 3", &[]);
    check(
        &file,
        &despawn,
        &file.lines().take(3).collect::<Vec<_>>().join("\n"),
        &["ent_1 was despawned here and edited in the file"],
    );
    let moved = PAIR.replace("name: B", "name: Other");
    let stays =
        ["ent_2 was despawned here and edited in the file", "ent_1 was despawned here and has children in the file"];
    check(&moved, &despawn, &moved, &stays);

    let hung = change("ent_3", "Entity", None, entity("C", Some("ent_8")));
    let expected = format!("{PAIR}  - {{id: ent_3, name: C}}\n");
    check(
        PAIR,
        &[hung],
        &expected.replace("nextId: 3", "nextId: 4"),
        &["the parent ent_8 of ent_3 is not in the scene"],
    );
}
