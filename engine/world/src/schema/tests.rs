use serde_json::{Value as Json, json};

use super::*;

fn check(kind: &FieldKind, written: Json, expected: Json) {
    let kept = normalise(&written, kind, "f").unwrap();
    assert_eq!(kept.to_string(), expected.to_string(), "{written}");
    assert_eq!(normalise(&kept, kind, "f").unwrap().to_string(), kept.to_string(), "a second time");
}

fn refuse(kind: &FieldKind, written: Json, code: &str, words: &str) {
    let error = normalise(&written, kind, "Door.f").expect_err(&written.to_string());
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().starts_with(words), "{error}");
}

#[test]
fn values_have_one_form_per_kind() {
    check(&FieldKind::Number, json!(2.0), json!(2));
    check(&FieldKind::Number, json!(-0.0), json!(0));
    check(&FieldKind::Number, json!(0.1), json!(0.1));
    check(&FieldKind::Integer, json!(7.0), json!(7));
    check(&FieldKind::Vec3, json!([1, 2.5, 0.1f32]), json!([1, 2.5, 0.1]));
    check(&FieldKind::Vec3, json!({ "z": 3, "x": 1, "y": 2 }), json!([1, 2, 3]));
    check(&FieldKind::Vec2, json!({ "x": 1, "y": 2 }), json!([1, 2]));
    check(&FieldKind::Quat, json!([0, 0, 0, 2]), json!([0, 0, 0, 1]));
    check(&FieldKind::Quat, json!({ "x": 1, "y": 1, "z": 0, "w": 0 }), json!([0.70710677, 0.70710677, 0, 0]));
    check(&FieldKind::Color, json!("#FFCC88"), json!("#ffcc88"));
    check(&FieldKind::Color, json!({ "r": 1, "g": 1, "b": 1 }), json!("#ffffff"));
    check(&FieldKind::Color, json!([0.5, 0.25, 4]), json!([0.5, 0.25, 4, 1]));
    check(&FieldKind::List(Box::new(FieldKind::Integer)), json!([1.0, 2]), json!([1, 2]));
    check(&FieldKind::List(Box::new(FieldKind::Integer)), json!({}), json!([]));
    check(&FieldKind::OpenRecord, json!({ "b": 1.0, "a": [] }), json!({ "a": [], "b": 1 }));
    check(&FieldKind::OpenRecord, json!([]), json!({}));
    check(
        &FieldKind::AssetRef { category: "mesh".into() },
        json!("@builtin::meshes.cube"),
        json!("@builtin::meshes.cube"),
    );
    check(&FieldKind::EntityRef, json!("ent_12"), json!("ent_12"));
    check(&FieldKind::EntityRef, json!(null), json!(null));
    let record =
        FieldKind::Record(vec![FieldSchema::new("b", FieldKind::Vec2), FieldSchema::new("a", FieldKind::Number)]);
    check(&record, json!({ "b": { "x": 1, "y": 2 }, "a": 1.0 }), json!({ "a": 1, "b": [1, 2] }));
}

#[test]
fn refusals_name_the_part_at_fault() {
    let color = FieldKind::Color;
    refuse(&FieldKind::Number, json!("3"), "world/wrong_type", "Door.f expects a number, got the string '3'");
    refuse(&FieldKind::Number, json!(null), "world/wrong_type", "Door.f expects a number, got null");
    refuse(&FieldKind::Integer, json!(1.5), "world/wrong_type", "Door.f expects a whole number, got 1.5");
    refuse(&FieldKind::Integer, json!(1e20), "world/out_of_range", "Door.f is 100000000000000000000, outside what");
    refuse(&FieldKind::Boolean, json!(1), "world/wrong_type", "Door.f expects true or false, got 1");
    refuse(
        &FieldKind::Vec3,
        json!([1, 2]),
        "world/wrong_type",
        "Door.f expects 3 numbers: [x, y, z] or { x, y, z }, got a list of 2",
    );
    refuse(&FieldKind::Vec3, json!([1, 1e300, 2]), "world/not_finite", "Door.f.y is not finite");
    refuse(&FieldKind::Vec3, json!([1, "a", 2]), "world/wrong_type", "Door.f.y expects a number");
    refuse(&FieldKind::Quat, json!([0, 0, 0, 0]), "world/zero_rotation", "Door.f has no length");
    refuse(&color, json!("red"), "world/wrong_type", "Door.f expects a colour");
    refuse(&color, json!({ "r": 1, "g": 1, "a": 1 }), "world/wrong_type", "Door.f expects a colour");
    refuse(&color, json!([1, 1e300, 1]), "world/not_finite", "Door.f.g is not finite");
    let shape = FieldKind::Enum(vec!["box".into(), "sphere".into()]);
    let words = "Door.f cannot be 'shpere'; choose one of: box, sphere; did you mean 'sphere'?";
    refuse(&shape, json!("shpere"), "world/not_a_choice", words);
    let list = FieldKind::List(Box::new(FieldKind::Vec2));
    refuse(&list, json!([[1, 2], [1, true]]), "world/wrong_type", "Door.f[2].y expects a number, got true");
    let record = FieldKind::Record(vec![FieldSchema::new("hinge", FieldKind::Number)]);
    let words = "Door.f has no field 'hing'; did you mean 'hinge'?; it has: hinge";
    refuse(&record, json!({ "hing": 1 }), "world/unknown_field", words);
    refuse(&FieldKind::EntityRef, json!("door"), "world/bad_id", "'door' is not an entity id");
    refuse(
        &FieldKind::AssetRef { category: "mesh".into() },
        json!(3),
        "world/wrong_type",
        "Door.f expects the identity of a mesh",
    );
    let ranged = FieldSchema::new("f", FieldKind::Number).in_range(Some(0.0), Some(1.0));
    let error = ranged.normalise(&json!(2), "Door.f").unwrap_err();
    assert_eq!(
        (error.code(), error.to_string()),
        ("world/out_of_range", "Door.f is 2, outside its range: 0 to 1".into())
    );
}

#[test]
fn defaults_fill_what_is_absent_or_invalid() {
    let inner =
        vec![FieldSchema::new("x", FieldKind::Number).with_default(json!(4)), FieldSchema::new("y", FieldKind::Number)];
    let fields = vec![
        FieldSchema::new("speed", FieldKind::Number).in_range(Some(1.0), None),
        FieldSchema::new("tint", FieldKind::Color).with_default(json!([1, 0, 0])),
        FieldSchema::new("slots", FieldKind::List(Box::new(FieldKind::Record(inner)))),
    ];
    let mut schemas = Schemas::default();
    schemas.register(ComponentSchema::new("Door", "kit.door", fields)).unwrap();
    let door = schemas.get("Door").unwrap();
    let filled = |record: Json| Json::Object(door.with_defaults(record.as_object().unwrap())).to_string();
    assert_eq!(filled(json!({})), r##"{"speed":1,"tint":"#ff0000","slots":[]}"##);
    let record = json!({ "speed": "fast", "slots": [{ "y": 2 }], "gone": 1 });
    assert_eq!(filled(record), r##"{"speed":1,"tint":"#ff0000","slots":[{"x":4,"y":2}]}"##);
}

#[test]
fn declarations_that_contradict_themselves_are_refused() {
    let check = |fields: Vec<FieldSchema>, words: &str| {
        let error = Schemas::default().register(ComponentSchema::new("Door", "kit.door", fields)).unwrap_err();
        assert_eq!(error.code(), "world/bad_schema");
        assert!(error.to_string().contains(words), "{error}");
    };
    let number = || FieldSchema::new("a", FieldKind::Number);
    check(vec![number(), number()], "the field 'a' is declared twice");
    check(vec![number().with_default(json!("x"))], "the default does not fit its field: a expects a number");
    check(vec![number().with_default(json!(5)).in_range(None, Some(1.0))], "outside its range: at most 1");
    check(vec![number().in_range(Some(2.0), Some(1.0))], "the range of 'a' is empty");
    check(vec![FieldSchema::new("e", FieldKind::Enum(Vec::new()))], "the enum 'e' has no choices");
    let reserved = ComponentSchema::new("Transform", "x", Vec::new());
    assert_eq!(Schemas::default().register(reserved).unwrap_err().code(), "world/bad_schema");
    let schemas = Schemas::default();
    assert_eq!(schemas.require("Mesh").unwrap_err().code(), "world/unknown_component");
}
