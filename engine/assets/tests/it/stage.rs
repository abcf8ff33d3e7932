//! A world on disk with its index, for one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use zero_assets::{Asset, AssetEvent, AssetEventKind, Assets};
use zero_base::{Caller, Diagnostic, RealIo};
use zero_vfs::{Library, Vfs, VfsConfig, VfsPath, WriteOptions};

pub struct Stage {
    pub vfs: Vfs,
    pub assets: Assets,
    pub folder: TempDir,
}

/// The root of the checkout.
pub fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn path(text: &str) -> VfsPath {
    VfsPath::parse(text).unwrap()
}

/// A world with the built-in types and these files below its source folder.
pub fn world(files: &[(&str, &str)]) -> Stage {
    let types = Library::Disk(vec![("assetTypes".to_owned(), checkout().join("builtin/assetTypes"))]);
    world_with(files, vec![("builtin".to_owned(), types)])
}

/// A world with the built-in types and one more library, made of these files.
pub fn world_and_library(files: &[(&str, &str)], library: &str, content: &[(&str, &str)]) -> Stage {
    let folder = TempDir::new().unwrap();
    lay_out(folder.path(), content);
    // Kept for as long as the process runs: the library reads from it.
    let folder = folder.keep();
    let types = Library::Disk(vec![("assetTypes".to_owned(), checkout().join("builtin/assetTypes"))]);
    let other = Library::Disk(vec![(String::new(), folder)]);
    world_with(files, vec![("builtin".to_owned(), types), (library.to_owned(), other)])
}

pub fn world_with(files: &[(&str, &str)], libraries: Vec<(String, Library)>) -> Stage {
    let folder = TempDir::new().unwrap();
    lay_out(&folder.path().join("source"), files);
    let config = VfsConfig { io: Arc::new(RealIo), world: folder.path().to_owned(), libraries, watch: false };
    let (vfs, _) = Vfs::open(config).unwrap();
    let assets = Assets::open(&vfs);
    Stage { vfs, assets, folder }
}

fn lay_out(folder: &Path, files: &[(&str, &str)]) {
    fs::create_dir_all(folder).unwrap();
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

impl Stage {
    /// Writes files below the source folder in one transaction and takes their events in.
    pub fn write(&mut self, files: &[(&str, &str)]) -> Vec<AssetEvent> {
        let txn = self.vfs.begin(&Caller::engine(), 1);
        for (name, text) in files {
            let file = path(&format!("/zero/source/{name}"));
            self.vfs.write(txn, &file, text.as_bytes(), WriteOptions::default()).unwrap();
        }
        self.settle(txn)
    }

    pub fn remove(&mut self, name: &str) -> Vec<AssetEvent> {
        let txn = self.vfs.begin(&Caller::engine(), 1);
        self.vfs.remove(txn, &path(&format!("/zero/source/{name}"))).unwrap();
        self.settle(txn)
    }

    pub fn rename(&mut self, from: &str, to: &str) -> Vec<AssetEvent> {
        let txn = self.vfs.begin(&Caller::engine(), 1);
        let below = |name: &str| path(&format!("/zero/source/{name}"));
        self.vfs.rename(txn, &below(from), &below(to)).unwrap();
        self.settle(txn)
    }

    fn settle(&mut self, txn: zero_vfs::TxnId) -> Vec<AssetEvent> {
        let events = self.vfs.take_events();
        let changes = self.assets.apply(&self.vfs, &events);
        self.vfs.commit(txn).unwrap();
        self.agrees_with_a_cold_scan();
        changes
    }

    /// What the events led to is what reading everything anew gives.
    pub fn agrees_with_a_cold_scan(&self) {
        let cold = Assets::open(&self.vfs);
        let all = |assets: &Assets| assets.list(None).into_iter().cloned().collect::<Vec<Asset>>();
        assert_eq!(all(&self.assets), all(&cold));
        assert_eq!(self.assets.diagnostics(), cold.diagnostics());
        assert_eq!(self.assets.categories(), cold.categories());
    }

    /// The world's own assets as `identity (type)`.
    pub fn own(&self) -> Vec<String> {
        let own = self.assets.list(None).into_iter().filter(|asset| asset.root == zero_assets::Root::Source);
        own.map(|asset| format!("{} ({})", asset.identity, asset.type_name)).collect()
    }

    pub fn asset(&self, name: &str) -> &Asset {
        self.assets.resolve(name, None, None).unwrap()
    }

    /// `code path:line` of what is wrong with an asset.
    pub fn problems(&self, name: &str) -> Vec<String> {
        brief(&self.assets.validate(&self.vfs, self.asset(name)))
    }

    /// The same of the tree as a whole.
    pub fn tree_problems(&self) -> Vec<String> {
        brief(&self.assets.diagnostics())
    }
}

pub fn brief(problems: &[Diagnostic]) -> Vec<String> {
    problems
        .iter()
        .map(|problem| {
            let path = problem.path.as_deref().unwrap_or("?");
            let path = path.strip_prefix("/zero/source/").unwrap_or(path);
            match problem.span {
                Some(span) => format!("{} {} {path}:{}", problem.severity, problem.code, span.line),
                None => format!("{} {} {path}", problem.severity, problem.code),
            }
        })
        .collect()
}

/// Events as `+ identity`, `- identity`, `~ identity file`.
pub fn told(events: &[AssetEvent]) -> Vec<String> {
    events
        .iter()
        .map(|event| match &event.kind {
            AssetEventKind::Added => format!("+ {}", event.asset.identity),
            AssetEventKind::Removed => format!("- {}", event.asset.identity),
            AssetEventKind::Changed { path } => format!("~ {} {}", event.asset.identity, path.name()),
        })
        .collect()
}
