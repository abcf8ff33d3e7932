use super::*;

#[test]
fn an_edit_answers_with_what_changed() {
    let mut world = world();
    let crate_ = spawn(&mut world, "Crate", None);
    assert_eq!(crate_.to_string(), "ent_1");
    let changes = world.apply(add(crate_, "Health", json!({ "amount": 5.0, "tint": [1, 0, 0] }))).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].before, None);
    assert_eq!(changes[0].after, Some(json!({ "amount": 5, "tint": "#ff0000" })));
    let changes = world.apply(set(crate_, "Health", "amount", json!(7))).unwrap();
    assert_eq!(changes[0].after, Some(json!({ "amount": 7, "tint": "#ff0000" })));
    assert_eq!(world.apply(set(crate_, "Health", "amount", json!(7.0))).unwrap(), []);
    let changes = world.apply(move_to(crate_, Vec3::new(1.0, 0.1, -0.0))).unwrap();
    assert_eq!(changes[0].component, "Transform");
    assert_eq!(
        changes[0].after,
        Some(json!({ "position": [1, 0.1, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1] }))
    );
    let changes = world.apply(set(crate_, "Entity", "name", json!("Box"))).unwrap();
    assert_eq!(changes[0].before, Some(json!({ "name": "Crate", "parent": null })));
    assert_eq!((world.find("Box"), world.find("Crate")), (Some(crate_), None));
    world.apply(set(crate_, "Transform", "scale", json!({ "x": 2, "y": 2, "z": 2 }))).unwrap();
    assert_eq!(world.transform(crate_).unwrap().scale, Vec3::splat(2.0));
}

#[test]
fn records_keep_what_was_authored_and_read_with_defaults() {
    let mut world = world();
    let entity = spawn(&mut world, "Crate", None);
    world.apply(add(entity, "Mesh", json!({}))).unwrap();
    assert_eq!(world.component(entity, "Mesh"), Some(&Record::new()));
    let filled = world.component_with_defaults(entity, "Mesh").unwrap();
    assert_eq!(Json::Object(filled), json!({ "mesh": "@builtin::meshes.cube", "castShadows": true }));
    assert_eq!(world.component_with_defaults(entity, "Health"), None);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let mut world = world();
    let root = spawn(&mut world, "Root", None);
    let leaf = spawn(&mut world, "Leaf", Some(root));
    world.apply(add(leaf, "Health", json!({ "amount": 5 }))).unwrap();
    let world = &mut world;
    let nan = Vec3::new(0.0, f32::NAN, 0.0);
    refuse(world, move_to(leaf, nan), "world/not_finite", "position.y is not finite");
    let rotation = Some(Quat::from_xyzw(0.0, 0.0, f32::INFINITY, 0.0));
    let edit = Edit::SetTransform { entity: leaf, translation: None, rotation, scale: None };
    refuse(world, edit, "world/not_finite", "rotation.z");
    let rotation = Some(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    let edit = Edit::SetTransform { entity: leaf, translation: None, rotation, scale: None };
    refuse(world, edit, "world/zero_rotation", "rotation has no length");
    refuse(world, move_to(id("ent_9"), Vec3::ONE), "world/no_entity", "no entity ent_9");
    let under = |entity, parent| Edit::SetParent { entity, parent: Some(parent) };
    refuse(world, under(root, leaf), "world/parent_cycle", "ent_1 cannot hang below ent_2");
    refuse(world, under(root, root), "world/parent_cycle", "ent_1 itself");
    refuse(world, under(root, id("ent_9")), "world/no_entity", "ent_9");
    refuse(world, add(leaf, "Health", json!({})), "world/component_exists", "already has a Health");
    refuse(world, add(leaf, "Helth", json!({})), "world/unknown_component", "did you mean 'Health'?");
    refuse(world, add(root, "Health", json!({ "amuont": 1 })), "world/unknown_field", "did you mean 'amount'?");
    refuse(world, set(leaf, "Health", "amount", json!(-1)), "world/out_of_range", "Health.amount is -1");
    refuse(world, set(leaf, "Health", "spots", json!([[0, 1e99, 0]])), "world/not_finite", "Health.spots[1].y");
    refuse(world, set(root, "Health", "amount", json!(1)), "world/no_component", "it has: none");
    refuse(
        world,
        set(leaf, "Transform", "positon", json!([0, 0, 0])),
        "world/unknown_field",
        "did you mean 'position'?",
    );
    refuse(world, set(leaf, "Entity", "parent", json!(4)), "world/wrong_type", "Entity.parent");
    refuse(world, add(leaf, "Transform", json!({})), "world/reserved_component", "every entity has Transform");
    let remove = Edit::RemoveComponent { entity: leaf, component: "Entity".into() };
    refuse(world, remove, "world/reserved_component", "every entity has Entity");
    let again = Edit::Spawn { name: "x".into(), parent: None, id: Some(leaf) };
    refuse(world, again, "world/id_taken", "ent_2 is taken");
    refuse(world, Edit::Rename { entity: leaf, name: "a\nb".into() }, "world/bad_name", "control characters");
    refuse(world, Edit::Rename { entity: leaf, name: String::new() }, "world/bad_name", "it is empty");
}

#[test]
fn names_may_repeat_and_then_want_an_id() {
    let mut world = world();
    let [a, b] = [(); 2].map(|()| spawn(&mut world, "Lamp", None));
    assert_eq!(world.find("Lamp"), Some(a));
    assert_eq!(world.find_all("Lamp"), [a, b]);
    assert_eq!(world.find_one("ent_2"), Ok(b));
    let error = world.find_one("Lamp").unwrap_err();
    assert_eq!(error.code(), "world/ambiguous_entity");
    assert_eq!(error.to_string(), "2 entities are named 'Lamp': ent_1, ent_2; use an id");
    assert_eq!(world.find_one("Lmap").unwrap_err().to_string(), "no entity is named 'Lmap'; did you mean 'Lamp'?");
    assert_eq!(world.find_one("ent_7").unwrap_err().code(), "world/no_entity");
}

#[test]
fn a_despawned_subtree_comes_back_as_it_was() {
    let mut world = world();
    let root = spawn(&mut world, "Root", None);
    let [a, b] = ["A", "B"].map(|name| spawn(&mut world, name, Some(root)));
    let deep = spawn(&mut world, "Deep", Some(a));
    world.apply(move_to(deep, Vec3::X)).unwrap();
    world.apply(add(deep, "Health", json!({ "owner": "ent_3" }))).unwrap();
    let (before, hash) = (world.to_scene(), world.hash());
    let changes = world.apply(Edit::Despawn { entity: root }).unwrap();
    assert!(world.is_empty());
    assert_eq!(world.find("Deep"), None);
    world.revert(&changes).unwrap();
    assert_eq!((world.to_scene(), world.hash()), (before, hash));
    assert_eq!(world.children(root).unwrap(), [a, b]);
    assert_eq!(spawn(&mut world, "New", None).to_string(), "ent_5");
    world.redo(&changes).unwrap();
    assert_eq!(world.entities(), [id("ent_5")]);
}

#[test]
fn ids_are_never_used_twice() {
    let mut world = world();
    let changes = world.apply(Edit::Spawn { name: "A".into(), parent: None, id: None }).unwrap();
    world.revert(&changes).unwrap();
    assert_eq!(spawn(&mut world, "B", None).to_string(), "ent_2");
    let far = Edit::Spawn { name: "C".into(), parent: None, id: Some(id("ent_40")) };
    world.apply(far).unwrap();
    assert_eq!(spawn(&mut world, "D", None).to_string(), "ent_41");
    let last = Edit::Spawn { name: "E".into(), parent: None, id: Some(EntityId::LAST) };
    world.apply(last).unwrap();
    let edit = Edit::Spawn { name: "F".into(), parent: None, id: None };
    refuse(&mut world, edit, "world/out_of_ids", "used up");
}

#[test]
fn an_undo_that_would_break_later_edits_is_refused() {
    let mut world = world();
    let spawned = world.apply(Edit::Spawn { name: "A".into(), parent: None, id: None }).unwrap();
    let parent = spawned[0].entity;
    let child = spawn(&mut world, "B", Some(parent));
    let hash = world.hash();
    let error = world.revert(&spawned).unwrap_err();
    assert_eq!(error.code(), "world/conflict");
    assert!(error.to_string().contains("ent_2 hangs below it"), "{error}");
    assert_eq!(world.hash(), hash);

    let moved = world.apply(Edit::SetParent { entity: child, parent: None }).unwrap();
    world.apply(Edit::SetParent { entity: parent, parent: Some(child) }).unwrap();
    let error = world.revert(&moved).unwrap_err();
    assert!(error.to_string().contains("hang below itself"), "{error}");

    let changed = world.apply(move_to(child, Vec3::ONE)).unwrap();
    world.apply(Edit::Despawn { entity: child }).unwrap();
    assert_eq!(world.revert(&changed).unwrap_err().code(), "world/conflict");
}

#[test]
fn edits_in_a_row_all_hold_or_none() {
    let mut world = world();
    let root = spawn(&mut world, "Root", None);
    let hash = world.hash();
    let edits = [move_to(root, Vec3::ONE), add(root, "Mesh", json!({})), add(root, "Mesh", json!({}))];
    assert_eq!(world.apply_all(edits.clone()).unwrap_err().code(), "world/component_exists");
    assert_eq!(world.hash(), hash);
    assert_eq!(world.apply_all(edits[..2].to_vec()).unwrap().len(), 2);
}

#[test]
fn typed_views_follow_records_and_types() {
    let mut world = World::new();
    let entity = spawn(&mut world, "Crate", None);
    let mut doc = world.to_scene();
    let record = doc.entities.get_mut(&entity).unwrap();
    record.components.insert("Mesh".into(), json!({ "castShadows": false }).as_object().unwrap().clone());
    world.load_scene(&doc);
    assert_eq!(world.sorted::<Mesh>(), []);
    register(&mut world);
    world.update_hierarchy();
    assert_eq!(world.sorted::<Mesh>(), [(entity, Mesh { mesh: "@builtin::meshes.cube".into(), cast_shadows: false })]);
    let changes = world.apply(set(entity, "Mesh", "mesh", json!("kit.tree"))).unwrap();
    assert_eq!(world.sorted::<Mesh>()[0].1.mesh, "kit.tree");
    world.revert(&changes).unwrap();
    assert_eq!(world.sorted::<Mesh>()[0].1.mesh, "@builtin::meshes.cube");
    world.apply(Edit::RemoveComponent { entity, component: "Mesh".into() }).unwrap();
    assert_eq!(world.sorted::<Mesh>(), []);
}

#[test]
fn a_field_reads_as_authored_or_as_its_default() {
    let mut world = world();
    let entity = spawn(&mut world, "Crate", None);
    world.apply(add(entity, "Health", json!({ "tint": "#102030" }))).unwrap();
    assert_eq!(world.field(entity, "Health", "tint"), Ok(json!("#102030")));
    assert_eq!(world.field(entity, "Health", "amount"), Ok(json!(100)));
    assert_eq!(world.field(entity, "Health", "amuont").unwrap_err().code(), "world/unknown_field");
    assert_eq!(world.field(entity, "Mesh", "mesh").unwrap_err().code(), "world/no_component");
}
