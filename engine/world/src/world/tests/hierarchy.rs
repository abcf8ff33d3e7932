use super::*;

#[test]
fn children_move_with_their_parents() {
    let mut world = world();
    let arm = spawn(&mut world, "Arm", None);
    let hand = spawn(&mut world, "Hand", Some(arm));
    let other = spawn(&mut world, "Other", None);
    let rotation = Some(turned(std::f32::consts::FRAC_PI_2));
    let edit = Edit::SetTransform { entity: arm, translation: Some(Vec3::Y), rotation, scale: Some(Vec3::splat(2.0)) };
    world.apply(edit).unwrap();
    world.apply(move_to(hand, Vec3::X)).unwrap();
    // A quarter turn about +Y takes +X to −Z.
    let at = |world: &World, entity| world.world_matrix(entity).unwrap().w_axis.truncate();
    assert!(at(&world, hand).distance(Vec3::new(0.0, 1.0, -2.0)) < 1e-6);
    assert_eq!(world.update_hierarchy(), 3);
    assert_eq!(world.update_hierarchy(), 0);
    assert!(at(&world, hand).distance(Vec3::new(0.0, 1.0, -2.0)) < 1e-6);

    world.apply(move_to(arm, Vec3::ZERO)).unwrap();
    let ahead = world.world_matrix(hand).unwrap();
    assert_eq!(world.update_hierarchy(), 2);
    assert_eq!(world.updated_rows(), [1, 1, 0]);
    assert_eq!(world.world_matrix(hand).unwrap(), ahead);
    assert_eq!(world.rows(), [arm, hand, other]);
    assert_eq!(world.world_matrices()[16..32], ahead.to_cols_array());

    world.apply(Edit::SetParent { entity: hand, parent: None }).unwrap();
    assert_eq!(at(&world, hand), Vec3::X);
    assert_eq!(world.update_hierarchy(), 3);
}

#[test]
fn play_moves_entities_without_a_record() {
    let mut world = world();
    let entity = spawn(&mut world, "Ball", None);
    world.update_hierarchy();
    let transform = Transform { translation: Vec3::Z, ..Transform::IDENTITY };
    world.set_transform_live(entity, transform).unwrap();
    assert_eq!(world.update_hierarchy(), 1);
    assert_eq!(world.transform(entity), Ok(transform));
    let broken = Transform { scale: Vec3::splat(f32::NAN), ..transform };
    assert_eq!(
        world.set_transform_live(entity, broken).unwrap_err().to_string(),
        "scale.x is not finite; use a finite number"
    );
}

#[test]
fn a_very_deep_chain_needs_no_stack() {
    let mut world = world();
    let mut parent = None;
    for _ in 0..3000 {
        parent = Some(spawn(&mut world, "Link", parent));
        world.apply(move_to(parent.unwrap(), Vec3::X)).unwrap();
    }
    let leaf = parent.unwrap();
    assert_eq!(world.world_matrix(leaf).unwrap().w_axis.x, 3000.0);
    assert_eq!(world.update_hierarchy(), 3000);
    let hash = world.hash();
    let changes = world.apply(Edit::Despawn { entity: id("ent_1") }).unwrap();
    assert!(world.is_empty());
    world.revert(&changes).unwrap();
    assert_eq!(world.hash(), hash);
}
