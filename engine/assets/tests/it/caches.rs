use std::fs;
use std::path::Path;
use std::sync::Arc;

use zero_assets::Assets;
use zero_base::RealIo;
use zero_vfs::{Library, Vfs, VfsConfig};

use crate::stage::{Stage, checkout, world};

fn files() -> Vec<(String, String)> {
    let one = |index: usize| {
        let folder = format!("group{}/part{index}.module", index % 3);
        let sidecar = format!("guid: ast_{:032x}\ntags: [part, t{index}]\n", index + 1);
        [(format!("{folder}/init.luau"), "return {}\n".to_owned()), (format!("{folder}/.metadata"), sidecar)]
    };
    (0..60).flat_map(one).chain([("bad.module/.metadata".to_owned(), "guid: [\n".to_owned())]).collect()
}

fn reopen(folder: &Path) -> (Vfs, Assets, usize) {
    let types = Library::Disk(vec![("assetTypes".to_owned(), checkout().join("builtin/assetTypes"))]);
    let libraries = vec![("builtin".to_owned(), types)];
    let config = VfsConfig { io: Arc::new(RealIo), world: folder.to_owned(), libraries, watch: false };
    let (vfs, recovery) = Vfs::open(config).unwrap();
    let assets = Assets::open(&vfs);
    (vfs, assets, recovery.external.len())
}

fn index(assets: &Assets) -> String {
    let document = |asset| assets.metadata(asset);
    let assets: Vec<_> = assets.list(None).into_iter().map(|asset| (asset, document(asset))).collect();
    format!("{assets:?}")
}

type Damage = fn(&mut Vec<u8>);

#[test]
fn a_damaged_cache_is_worked_out_again() {
    let files = files();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let Stage { vfs, assets, folder } = world(&files);
    let (expected, problems) = (index(&assets), assets.diagnostics());
    drop((vfs, assets));
    let place = |name: &str| folder.path().join(".zero/cache").join(name);
    let whole = |name: &str| fs::read(place(name)).unwrap();
    let kept = whole("index");
    assert!(kept.len() > 60 * 32, "the sidecars are kept");

    let damages: [(&str, Damage); 6] = [
        ("a byte in the middle", |bytes| bytes[2000] ^= 1),
        ("a byte of the title", |bytes| bytes[3] ^= 1),
        ("its end lost", |bytes| bytes.truncate(1500)),
        ("its end zero", |bytes| bytes[1500..].fill(0)),
        ("empty", Vec::clear),
        ("something else", |bytes| *bytes = vec![b'x'; 5000]),
    ];
    for names in [&["index"][..], &["hashes"], &["index", "hashes"]] {
        for (what, damage) in &damages {
            for name in names {
                let mut bytes = whole(name);
                damage(&mut bytes);
                fs::write(place(name), bytes).unwrap();
            }
            let (vfs, assets, external) = reopen(folder.path());
            assert_eq!(index(&assets), expected, "{names:?}, {what}");
            assert_eq!(assets.diagnostics(), problems, "{names:?}, {what}");
            assert_eq!(external, 0, "{names:?}, {what}");
            drop((vfs, assets));
            assert_eq!(whole("index"), kept, "{names:?}, {what}: it is whole again");
        }
    }
}
