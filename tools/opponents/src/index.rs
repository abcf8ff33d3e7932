//! Opening a world of 10,000 assets in 60,000 files: cold, against reading and hashing the same
//! files; warm, against asking the disk for every file's size and time.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use zero_assets::Assets;
use zero_base::RealIo;
use zero_vfs::{Library, Vfs, VfsConfig};

use crate::race::{Case, Row, race, time};

const ASSETS: usize = 10_000;
const PACKAGES: usize = 100;
/// As many as the engine hashes with.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

pub fn run() -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let world = folder.path();
    let files = write_world(world);
    let cold = Case { name: "cold", opponent: "reading and hashing the same files", budget: 2.5, rounds: 5 };
    let warm =
        Case { name: "warm", opponent: "asking for the size and time of the same files", budget: 1.5, rounds: 5 };
    let forget = || match fs::remove_dir_all(world.join(".zero")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("the cache cannot be removed: {error}"),
        _ => {}
    };
    vec![
        race(
            &cold,
            || {
                forget();
                time(|| open(world))
            },
            || time(|| hash_files(&files)),
        ),
        race(&warm, || time(|| open(world)), || time(|| stat_tree(&world.join("source")))),
    ]
}

/// Every file accounted for and every asset indexed. Answers what is open, so that closing it is
/// not timed: the opponents close nothing.
fn open(world: &Path) -> (Vfs, Assets) {
    let config = VfsConfig {
        io: Arc::new(RealIo),
        world: world.to_owned(),
        libraries: vec![("builtin".to_owned(), Library::Embedded(zero_library::FILES))],
        watch: false,
    };
    let (vfs, _recovery) = Vfs::open(config).expect("the world opens");
    let assets = Assets::open(&vfs);
    let count = assets.list(Some("module")).len();
    assert!(count >= ASSETS, "{count} modules of {ASSETS} were found");
    (vfs, assets)
}

/// Six files an asset, of the sizes that scripts and their papers have.
fn write_world(world: &Path) -> Vec<PathBuf> {
    fs::write(world.join("world.yaml"), "name: race\n").expect("the disk takes it");
    let mut files = Vec::with_capacity(ASSETS * 6);
    for index in 0..ASSETS {
        let folder = world.join(format!("source/group{:03}/part{index:05}.module", index % PACKAGES));
        fs::create_dir_all(&folder).expect("the disk takes it");
        for (name, text) in asset(index) {
            let path = folder.join(name);
            fs::write(&path, text).expect("the disk takes it");
            files.push(path);
        }
    }
    files
}

fn asset(index: usize) -> [(&'static str, String); 6] {
    let body = |lines: usize| {
        let mut text = format!("-- Part {index}.\nlocal M = {{}}\n");
        for line in 0..lines {
            text.push_str(&format!("function M.step{line}(x)\n    return x * {index} + {line}\nend\n"));
        }
        text + "return M\n"
    };
    [
        ("init.luau", body(20)),
        ("edges.luau", body(8)),
        ("faces.luau", body(12)),
        ("table.yaml", (0..30).map(|row| format!("- name: row{row}\n  value: {}\n", index * row)).collect()),
        ("README.md", format!("# Part {index}\n\nTurns one number into another, and says so.\n")),
        (".metadata", format!("guid: ast_{:032x}\ntags: [part, group{}]\n", index + 1, index % PACKAGES)),
    ]
}

fn hash_files(files: &[PathBuf]) -> usize {
    let next = AtomicUsize::new(0);
    let hashed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let hash = blake3::hash(&fs::read(path).expect("the file is there"));
                    hashed.fetch_add(usize::from(hash.as_bytes()[0]), Ordering::Relaxed);
                }
            });
        }
    });
    hashed.into_inner()
}

fn stat_tree(folder: &Path) -> (usize, Duration) {
    let mut folders = vec![folder.to_owned()];
    let mut files = 0;
    let mut newest = Duration::ZERO;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let entry = entry.expect("the folder can be read");
            let metadata = entry.metadata().expect("the file is there");
            if metadata.is_dir() {
                folders.push(entry.path());
                continue;
            }
            files += 1;
            let modified = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            newest = newest.max(modified.unwrap_or_default());
        }
    }
    (files, newest)
}
