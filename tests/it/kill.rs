//! `kill -9` in the middle of a burst of writes: what a call wrote is there whole or not at all.
//!
//! `ZERO_KILL_RUNS` sets the number of runs; `cargo xtask soak kill` takes 200.

use std::process::Stdio;
use std::time::Duration;

use zero_base::Random;
use zero_tests::{json_of, new_folder, program};

const RUNS: u64 = 20;

/// Every turn of the loop is one transaction over two files and an entity.
const BURST: &str = "
local mark = entity.find('mark') or entity.spawn('mark')
local n = tonumber(vfs.exists('/zero/source/a.txt') and vfs.read('/zero/source/a.txt') or '0')
while true do
    n += 1
    vfs.write('/zero/source/a.txt', tostring(n))
    mark.position = vector.create(n, 0, 0)
    vfs.write('/zero/source/deep/b.txt', tostring(n) .. string.rep(' ', n % 7 * 1500))
    task.wait(0.001)
end
";

const LOOK: &str = "
local read = function(path) return vfs.exists(path) and tonumber((string.gsub(vfs.read(path), '%s', ''))) or 0 end
local mark = entity.find('mark')
return { read('/zero/source/a.txt'), read('/zero/source/deep/b.txt'), mark and mark.position.x or 0 }
";

#[test]
fn a_killed_engine_leaves_whole_transactions() {
    let runs = std::env::var("ZERO_KILL_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let folder = new_folder();
    let (mut last, mut moved) = (0, 0);
    for seed in 0..runs {
        let mut child = program(folder.path())
            .args(["exec", "-e", BURST])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(150 + Random::seeded(seed).below(350)));
        child.kill().unwrap();
        child.wait().unwrap();
        let output = program(folder.path()).args(["--json", "exec", "-e", LOOK]).stdin(Stdio::null()).output().unwrap();
        let answer = json_of(&output);
        let numbers: Vec<i64> = answer["result"]
            .as_array()
            .unwrap_or_else(|| panic!("seed {seed}: {answer:#}"))
            .iter()
            .map(|n| n.as_i64().unwrap())
            .collect();
        assert!(numbers.iter().all(|n| *n == numbers[0]), "seed {seed}: half a transaction: {numbers:?}");
        assert!(numbers[0] >= last, "seed {seed}: {} was durable and is {} now", last, numbers[0]);
        moved += i32::from(numbers[0] > last);
        last = numbers[0];
    }
    assert!(moved as u64 * 2 >= runs, "the burst wrote in {moved} of {runs} runs only");
}
