use proptest::prelude::*;

use super::*;

/// An edit that may or may not make sense; entities are picked by number.
fn edit() -> impl Strategy<Value = Edit> {
    let entity = || (1u64..12).prop_map(|number| EntityId::from_number(number).unwrap());
    let part = || prop::sample::select(vec![0.0f32, 1.0, -2.5, 0.1, 1e-8, 3e20, f32::NAN]);
    let vector = move || (part(), part(), part()).prop_map(|(x, y, z)| Vec3::new(x, y, z));
    let quaternion = (part(), part(), part(), part()).prop_map(|(x, y, z, w)| Quat::from_xyzw(x, y, z, w));
    let component = || prop::sample::select(vec!["Mesh", "Health", "Unknown"]).prop_map(str::to_owned);
    let field = prop::sample::select(vec!["amount", "tint", "owner", "mesh", "spots", "castShadows"]);
    let value = prop::sample::select(vec![
        json!(1),
        json!(2.5),
        json!(-1),
        json!("#abcdef"),
        json!([0.2, 0.3, 0.4]),
        json!("ent_3"),
        json!("kit.tree"),
        json!([[1, 2, 3]]),
        json!(true),
        json!(null),
    ]);
    let name = prop::sample::select(vec!["A", "B", "C"]).prop_map(str::to_owned);
    prop_oneof![
        4 => (name.clone(), prop::option::of(entity()), prop::option::weighted(0.2, entity()))
            .prop_map(|(name, parent, id)| Edit::Spawn { name, parent, id }),
        1 => entity().prop_map(|entity| Edit::Despawn { entity }),
        1 => (entity(), name).prop_map(|(entity, name)| Edit::Rename { entity, name }),
        2 => (entity(), prop::option::of(entity())).prop_map(|(entity, parent)| Edit::SetParent { entity, parent }),
        2 => (entity(), prop::option::of(vector()), prop::option::of(quaternion), prop::option::of(vector()))
            .prop_map(|(entity, translation, rotation, scale)| Edit::SetTransform { entity, translation, rotation, scale }),
        2 => (entity(), component(), Just(Record::new()))
            .prop_map(|(entity, component, fields)| Edit::AddComponent { entity, component, fields }),
        3 => (entity(), component(), field, value)
            .prop_map(|(entity, component, field, value)| Edit::SetField { entity, component, field: field.into(), value }),
        1 => (entity(), component()).prop_map(|(entity, component)| Edit::RemoveComponent { entity, component }),
    ]
}

/// What must hold of any world: links agree both ways, and the flat pass with the walk up.
fn check_world(world: &mut World) {
    let ahead: Vec<_> =
        world.entities().into_iter().map(|entity| world.world_matrix(entity).unwrap().to_cols_array()).collect();
    world.update_hierarchy();
    for (entity, matrix) in world.entities().into_iter().zip(&ahead) {
        let settled = world.world_matrix(entity).unwrap().to_cols_array();
        // Bits, because chains of large scales overflow, and then there is no equality.
        assert_eq!(settled.map(f32::to_bits), matrix.map(f32::to_bits));
        for child in world.children(entity).unwrap() {
            assert_eq!(world.parent(child), Ok(Some(entity)));
        }
        if let Some(parent) = world.parent(entity).unwrap() {
            assert!(world.children(parent).unwrap().contains(&entity));
        }
        assert!(world.find_all(&world.name(entity).unwrap()).contains(&entity));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_suffix_of_edits_can_be_taken_back_and_made_again(
        edits in prop::collection::vec(edit(), 1..40),
        keep in 0usize..40,
    ) {
        let mut world = world();
        let mut done = Vec::new();
        let mut hashes = vec![world.hash()];
        for edit in edits {
            match world.apply(edit) {
                Ok(changes) => {
                    prop_assert!(changes.iter().all(|change| change.before != change.after));
                    done.push(changes);
                    hashes.push(world.hash());
                }
                Err(_) => prop_assert_eq!(Some(&world.hash()), hashes.last()),
            }
        }
        let keep = keep.min(done.len());
        let scene = world.to_scene();
        let suffix = done[keep..].concat();
        world.revert(&suffix).unwrap();
        prop_assert_eq!(world.hash(), hashes[keep]);
        check_world(&mut world);
        world.redo(&suffix).unwrap();
        prop_assert_eq!(world.to_scene(), scene.clone());
        check_world(&mut world);
        for changes in done[keep..].iter().rev() {
            world.revert(changes).unwrap();
        }
        prop_assert_eq!(world.hash(), hashes[keep]);

        // Text and back gives the same world, in the same words.
        let text = scene.emit();
        let (read, diagnostics) = SceneDoc::parse(&text, "/zero/source/a.scene/scene.yaml").unwrap();
        prop_assert_eq!(&diagnostics, &vec![]);
        prop_assert_eq!(&read, &scene);
        prop_assert_eq!(read.emit(), text);
        let mut loaded = super::world();
        prop_assert_eq!(loaded.load_scene(&read), vec![]);
        prop_assert_eq!(loaded.to_scene(), scene);
        prop_assert_eq!(loaded.hash(), *hashes.last().unwrap());

        // What the journal holds, on the file it was written against, is the same again.
        let mut base = super::world();
        let journal: Vec<Change> = done.concat().iter()
            .map(|change| Change::from_journal(&change.to_journal("demo")).unwrap())
            .collect();
        let (replayed, diagnostics) = replay_scene(&base.to_scene(), &journal);
        prop_assert_eq!(&diagnostics, &vec![]);
        let (merged, diagnostics) = merge_scene(&base.to_scene(), &journal);
        prop_assert_eq!(&diagnostics, &vec![]);
        prop_assert_eq!(&merged, &replayed);
        base.load_scene(&replayed);
        prop_assert_eq!(base.hash(), *hashes.last().unwrap());
    }
}
