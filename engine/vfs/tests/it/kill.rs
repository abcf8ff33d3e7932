use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use zero_base::Random;
use zero_vfs::Vfs;

use crate::world::{World, moved, open, source};

/// Tells the test binary, run once more, to be the program that is killed; its world's folder.
const CHILD: &str = "ZERO_VFS_KILLED_IN";

#[test]
fn a_killed_program_leaves_whole_commits() {
    for seed in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let acknowledged = run_and_kill(folder.path(), &mut Random::seeded(seed));
        let (vfs, recovery) = open(folder.path(), false);
        let harmed = (recovery.conflicts.len(), recovery.unfinished.len(), recovery.damaged.len());
        assert_eq!(harmed, (0, 0, 0), "seed {seed}: {recovery:?}");
        assert!(recovery.external.is_empty(), "seed {seed}: {recovery:?}");
        let reached = check_whole(&vfs, seed);
        assert!(reached >= acknowledged, "seed {seed}: commit {acknowledged} was acknowledged, {reached} is there");
        let root = fs::read_dir(folder.path().join("source")).unwrap();
        let temporary = |name: &str| name.starts_with(".zero-new-");
        assert!(root.flatten().all(|entry| !temporary(&entry.file_name().to_string_lossy())), "seed {seed}");
    }
}

/// Answers the number of the last commit that was acknowledged before the kill.
fn run_and_kill(folder: &Path, random: &mut Random) -> u64 {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["kill::child", "--exact", "--nocapture"])
        .env(CHILD, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stop_after = 1 + random.below(8);
    // Some are killed at once, others somewhere in the next commits.
    let wait = Duration::from_micros(random.below(2) * random.below(100_000));
    let mut last = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        if let Some(number) = line.unwrap().strip_prefix("committed ") {
            last = number.parse().unwrap();
            if last >= stop_after {
                std::thread::sleep(wait);
                child.kill().unwrap();
            }
        }
    }
    child.wait().unwrap();
    last
}

/// Every file and the entity of a commit carry its number: all must agree.
fn check_whole(vfs: &Vfs, seed: u64) -> u64 {
    let number = |name: &str| -> u64 {
        let text = vfs.read_text(&source(name)).unwrap();
        assert!(name != "big.txt" || text.len() > 20_000, "seed {seed}: {name} is torn");
        text.split_whitespace().next().unwrap().parse().unwrap()
    };
    let numbers = ["a.txt", "kit/b.txt", "big.txt"].map(number);
    let pending = vfs.pending_entities("main").changes;
    let entity = pending.last().unwrap().after.as_ref().unwrap()["x"].as_u64().unwrap();
    assert!(numbers.iter().all(|number| *number == entity), "seed {seed}: {numbers:?}, entity {entity}");
    let turn = format!("turn-{}/file.txt", entity % 3);
    assert!(vfs.stat(&source(&turn)).is_some(), "seed {seed}: {turn}");
    let turns = vfs.walk(&source("")).into_iter().filter(|path| path.name() == "file.txt").count();
    assert_eq!(turns, 1, "seed {seed}");
    entity
}

/// Commits as fast as it can, and says so; does nothing unless it is told to be the child.
#[test]
fn child() {
    let Some(folder) = env::var_os(CHILD) else { return };
    let folder = PathBuf::from(folder);
    let (vfs, _) = open(&folder, false);
    let mut world = World { vfs, folder: tempfile::tempdir().unwrap() };
    for number in 1..10_000 {
        let txn = world.begin("child");
        for name in ["a.txt", "kit/b.txt"] {
            world.write(txn, name, &number.to_string()).unwrap();
        }
        world.write(txn, "big.txt", &format!("{number} {}", "x".repeat(20_000))).unwrap();
        if number > 1 {
            world.vfs.remove(txn, &source(&format!("turn-{}", (number - 1) % 3))).unwrap();
        }
        world.write(txn, &format!("turn-{}/file.txt", number % 3), "turn").unwrap();
        let before = (number > 1).then_some(number - 1);
        world.vfs.record_entity(txn, moved("ent_1", before, Some(number))).unwrap();
        world.vfs.commit(txn).unwrap();
        println!("committed {number}");
    }
}
