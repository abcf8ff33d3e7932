use zero_base::Random;

use super::*;

fn assert_near(a: &[f32], b: &[f32]) {
    let near = a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5 * a.abs().max(1.0));
    assert!(near, "{a:?} is not {b:?}");
}

fn random_pose(random: &mut Random) -> Pose {
    let mut number = || (random.unit() * 4.0 - 2.0) as f32;
    let rotation = Rotation::Quaternion([number(), number(), number(), number()]);
    let position = [number(), number(), number()];
    let mut size = || (random.unit() + 0.1) as f32;
    Pose { position, rotation, scale: [size(), size(), size()] }
}

#[test]
fn a_pose_turns_scales_and_moves_in_that_order() {
    let quarter_turn = Rotation::Euler([0.0, std::f32::consts::FRAC_PI_2, 0.0]);
    let pose = Pose { position: [1.0, 2.0, 3.0], rotation: quarter_turn, scale: [2.0, 1.0, 1.0] };
    let matrix = compose_matrix(&pose).unwrap();
    // About +Y, +X turns to −Z.
    assert_near(&matrix, &[0.0, 0.0, -2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 1.0]);
}

#[test]
fn euler_angles_are_the_product_of_single_turns() {
    let turn =
        |angles: [f32; 3]| compose_matrix(&Pose { rotation: Rotation::Euler(angles), ..Pose::default() }).unwrap();
    let product = multiply(&multiply(&turn([0.3, 0.0, 0.0]), &turn([0.0, -0.7, 0.0])), &turn([0.0, 0.0, 1.1]));
    assert_near(&turn([0.3, -0.7, 1.1]), &product);
}

#[test]
fn decomposing_gives_the_pose_back() {
    let mut random = Random::seeded(11);
    for _ in 0..500 {
        let matrix = compose_matrix(&random_pose(&mut random)).unwrap();
        let pose = decompose_matrix(&matrix).unwrap();
        assert_near(&compose_matrix(&pose).unwrap(), &matrix);
    }
    let mirrored = Pose { scale: [-1.0, 2.0, 3.0], ..Pose::default() };
    assert_eq!(decompose_matrix(&compose_matrix(&mirrored).unwrap()).unwrap(), mirrored);
}

#[test]
fn a_local_puts_the_child_where_it_was() {
    let mut random = Random::seeded(12);
    for _ in 0..500 {
        let [parent, world] = [(); 2].map(|()| compose_matrix(&random_pose(&mut random)).unwrap());
        let local = local_from_world(&parent, &world).unwrap();
        let back = multiply(&parent, &local);
        assert!(back.iter().zip(world).all(|(a, b)| (a - b).abs() < 1e-3), "{back:?} is not {world:?}");
    }
}

#[test]
fn what_cannot_be_used_is_refused_by_name() {
    let check = |error: HierarchyError, code: &str, text: &str| {
        assert_eq!(error.code(), code);
        assert!(error.to_string().starts_with(text), "{error}");
    };
    let pose = Pose::default();
    let compose = |pose: Pose| compose_matrix(&pose).unwrap_err();
    check(compose(Pose { position: [0.0, f32::NAN, 0.0], ..pose }), "hierarchy/not_finite", "position.y is not finite");
    check(compose(Pose { scale: [0.0, 0.0, f32::INFINITY], ..pose }), "hierarchy/not_finite", "scale.z");
    let rotation = Rotation::Quaternion([0.0, 0.0, 0.0, f32::NAN]);
    check(compose(Pose { rotation, ..pose }), "hierarchy/not_finite", "rotation.w");
    let rotation = Rotation::Quaternion([0.0; 4]);
    check(compose(Pose { rotation, ..pose }), "hierarchy/zero_rotation", "the rotation quaternion has no length");

    let identity = compose_matrix(&pose).unwrap();
    let flat = compose_matrix(&Pose { scale: [1.0, 0.0, 1.0], ..pose }).unwrap();
    check(decompose_matrix(&flat).unwrap_err(), "hierarchy/singular", "the matrix flattens space");
    check(local_from_world(&flat, &identity).unwrap_err(), "hierarchy/singular", "the parent's world matrix flattens");
    let mut sheared = identity;
    sheared[4] = 0.5;
    check(decompose_matrix(&sheared).unwrap_err(), "hierarchy/sheared", "the matrix is sheared");
    let mut projective = identity;
    projective[11] = -1.0;
    check(decompose_matrix(&projective).unwrap_err(), "hierarchy/not_affine", "the matrix is not affine");
    let mut broken = identity;
    broken[5] = f32::NAN;
    check(
        local_from_world(&identity, &broken).unwrap_err(),
        "hierarchy/not_finite",
        "the world matrix, column 1, row 1",
    );
}
