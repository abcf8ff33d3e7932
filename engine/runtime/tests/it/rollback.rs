//! Random work over files and entities that fails at a random step leaves the world as it was.

use zero_base::Random;
use zero_runtime::Op;

use crate::support::World;

const BATCHES: u64 = 60;
const MOST_STEPS: u64 = 14;

/// One random step, in Luau. Whatever it does may be refused: the batch goes on.
fn step(random: &mut Random) -> String {
    let name = |random: &mut Random| format!("n{}", random.below(4));
    let file = |random: &mut Random| format!("/zero/source/f{}/g{}.txt", random.below(3), random.below(3));
    let number = random.below(1000);
    let (a, b) = (name(random), name(random));
    match random.below(16) {
        0 | 1 => format!("entity.spawn('{a}', {{ position = {{ {number}, 0, 0 }} }})"),
        2 => format!("entity.spawn('{a}', {{ parent = entity.find('{b}') }})"),
        3 => format!("entity.find('{a}'):despawn()"),
        4 => format!("entity.find('{a}'):setParent(entity.find('{b}'))"),
        5 => format!("entity.find('{a}'):rename('{b}')"),
        6 => format!("entity.find('{a}').scale = {{ 1, {number}, 1 }}"),
        7 => format!("entity.find('{a}').component.add('Spinner', {{ degreesPerSecond = {number} }})"),
        8 => format!("entity.find('{a}').Spinner.degreesPerSecond = {number}"),
        9 => format!("entity.find('{a}').component.remove('Spinner')"),
        10 => format!("vfs.write('{}', '{number}')", file(random)),
        11 => format!("vfs.remove('{}')", file(random)),
        12 => format!("vfs.remove('/zero/source/f{}')", random.below(3)),
        13 => format!("vfs.rename('{}', '{}')", file(random), file(random)),
        14 => format!("asset.create('module', 'm{}')", random.below(3)),
        _ => format!("asset.resolve('m{}', 'module'):delete()", random.below(3)),
    }
}

fn batch(random: &mut Random, end: &str) -> String {
    let steps = 1 + random.below(MOST_STEPS);
    let mut code = String::new();
    for _ in 0..steps {
        code.push_str(&format!("pcall(function() {} end)\n", step(random)));
    }
    code + end
}

#[test]
fn a_batch_that_fails_anywhere_changes_nothing() {
    let world = World::new();
    let hash = || world.call(Op::Hash).unwrap().value;
    let mut random = Random::seeded(7);
    let mut changed = 0;
    for number in 0..BATCHES {
        // What stays of earlier batches is what later ones work on.
        let before = hash();
        world.run(&batch(&mut random, ""));
        changed += u64::from(hash() != before);
        let before = hash();
        let code = batch(&mut random, "error('here')");
        let (code_of, message) = world.fails(&code);
        assert_eq!(code_of, "script/error", "{message}");
        assert_eq!(hash(), before, "batch {number}:\n{code}");
    }
    assert!(changed * 2 > BATCHES, "{changed} of {BATCHES} batches did anything");
    let before = hash();
    let world = world.reopen();
    let after = world.call(Op::Hash).unwrap().value;
    assert_eq!(after["entities"], before["entities"]);
}
