use zero_base::Random;

use super::*;
use crate::{Pose, Rotation, compose_matrix, hierarchy_order, multiply};

struct Forest {
    parents: Vec<i32>,
    locals: Vec<f32>,
}

fn pose(random: &mut Random) -> [f32; 16] {
    let mut number = || (random.unit() * 4.0 - 2.0) as f32;
    let rotation = Rotation::Quaternion([number(), number(), number(), number() + 3.0]);
    let pose = Pose { position: [number(), number(), number()], rotation, scale: [number(), 1.0, number()] };
    compose_matrix(&pose).unwrap()
}

/// A random forest whose rows are shuffled, so that children often come before their parents.
fn forest(random: &mut Random, size: usize) -> Forest {
    let mut rows: Vec<usize> = (0..size).collect();
    for at in (1..size).rev() {
        rows.swap(at, random.below(at as u64 + 1) as usize);
    }
    let mut parents = vec![-1; size];
    for at in 1..size {
        if random.below(8) != 0 {
            parents[rows[at]] = rows[random.below(at as u64) as usize] as i32;
        }
    }
    Forest { parents, locals: (0..size).flat_map(|_| pose(random)).collect() }
}

fn row(matrices: &[f32], at: usize) -> [f32; 16] {
    matrices[at * 16..at * 16 + 16].try_into().unwrap()
}

/// Walks up from the row for every row anew.
fn naive_world(forest: &Forest, at: usize) -> [f32; 16] {
    match forest.parents[at] {
        -1 => row(&forest.locals, at),
        parent => multiply(&naive_world(forest, parent as usize), &row(&forest.locals, at)),
    }
}

fn naive_is_below(forest: &Forest, changed: &[u8], at: usize) -> bool {
    changed[at] != 0 || forest.parents[at] >= 0 && naive_is_below(forest, changed, forest.parents[at] as usize)
}

#[test]
fn agrees_with_a_naive_evaluator_over_random_forests() {
    let mut random = Random::seeded(7);
    for size in (0..40).chain([200]) {
        let mut forest = forest(&mut random, size);
        let order = hierarchy_order(&forest.parents).unwrap();
        let mut worlds = vec![f32::NAN; size * 16];
        let mut updated = vec![9; size];
        let evaluation = Evaluation {
            order: &order,
            parents: &forest.parents,
            locals: &forest.locals,
            worlds: &mut worlds,
            changed: None,
            updated: Some(&mut updated),
        };
        assert_eq!(evaluate_hierarchy(evaluation), Ok(size));
        assert!(updated.iter().all(|flag| *flag == 1));
        assert!((0..size).all(|at| row(&worlds, at) == naive_world(&forest, at)));

        for report in [true, false] {
            let changed: Vec<u8> = (0..size).map(|_| u8::from(random.below(10) == 0) * 200).collect();
            for at in (0..size).filter(|at| changed[*at] != 0) {
                forest.locals[at * 16..at * 16 + 16].copy_from_slice(&pose(&mut random));
            }
            let evaluation = Evaluation {
                order: &order,
                parents: &forest.parents,
                locals: &forest.locals,
                worlds: &mut worlds,
                changed: Some(&changed),
                updated: report.then_some(&mut updated[..]),
            };
            let count = evaluate_hierarchy(evaluation).unwrap();
            let expected: Vec<u8> = (0..size).map(|at| u8::from(naive_is_below(&forest, &changed, at))).collect();
            assert_eq!(count, expected.iter().filter(|flag| **flag == 1).count());
            assert!(!report || updated == expected);
            assert!((0..size).all(|at| row(&worlds, at) == naive_world(&forest, at)));
        }
    }
}

#[test]
fn rows_that_are_not_marked_keep_what_worlds_holds() {
    let order = hierarchy_order(&[-1, 0]).unwrap();
    let locals: Vec<f32> = [Pose::default(); 2].iter().flat_map(|pose| compose_matrix(pose).unwrap()).collect();
    let mut worlds = vec![0.0; 32];
    let evaluation = Evaluation {
        order: &order,
        parents: &[-1, 0],
        locals: &locals,
        worlds: &mut worlds,
        changed: Some(&[0, 0]),
        updated: None,
    };
    assert_eq!(evaluate_hierarchy(evaluation), Ok(0));
    assert_eq!(worlds, vec![0.0; 32]);
}

#[test]
fn a_chain_of_a_million_rows_needs_no_stack() {
    let size = 1_000_000;
    let parents: Vec<i32> = (0..size).map(|at| at - 1).collect();
    let order = hierarchy_order(&parents).unwrap();
    let local = compose_matrix(&Pose { position: [1.0, 0.0, 0.0], ..Pose::default() }).unwrap();
    let locals: Vec<f32> = local.iter().copied().cycle().take(16 * size as usize).collect();
    let mut worlds = vec![0.0; locals.len()];
    let (order, parents, locals) = (&order, &parents[..], &locals[..]);
    evaluate_hierarchy(Evaluation { order, parents, locals, worlds: &mut worlds, changed: None, updated: None })
        .unwrap();
    assert_eq!(worlds[worlds.len() - 4], 1_000_000.0);
}

#[test]
fn a_failed_check_writes_nothing() {
    let order = hierarchy_order(&[-1, 0]).unwrap();
    let check =
        |parents: &[i32], locals: usize, worlds: usize, changed: usize, updated: usize, code: &str, text: &str| {
            let (locals, changed) = (vec![1.0; locals], vec![1; changed]);
            let (mut worlds, mut updated) = (vec![5.0; worlds], vec![7; updated]);
            let evaluation = Evaluation {
                order: &order,
                parents,
                locals: &locals,
                worlds: &mut worlds,
                changed: Some(&changed),
                updated: Some(&mut updated),
            };
            let error = evaluate_hierarchy(evaluation).unwrap_err();
            assert_eq!(error.code(), code);
            assert!(error.to_string().starts_with(text), "{error}");
            assert!(worlds.iter().all(|value| *value == 5.0) && updated.iter().all(|flag| *flag == 7));
        };
    check(&[-1], 32, 32, 2, 2, "VGPU-SPATIAL-SIZE", "parents has 1 entries and needs exactly 2");
    check(&[-1, 0], 16, 32, 2, 2, "VGPU-SPATIAL-SIZE", "locals has 16 entries and needs exactly 32");
    check(&[-1, 0], 32, 48, 2, 2, "VGPU-SPATIAL-SIZE", "worlds has 48");
    check(&[-1, 0], 32, 32, 3, 2, "VGPU-SPATIAL-SIZE", "changed has 3");
    check(&[-1, 0], 32, 32, 2, 0, "VGPU-SPATIAL-SIZE", "updated has 0");
    check(
        &[-1, -1],
        32,
        32,
        2,
        2,
        "VGPU-SPATIAL-ORDER",
        "parents differ from those the order was made from, first in row 1",
    );
}
