use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use zero_base::{Caller, Hash, RealIo, Transport};
use zero_vfs::{EntityChange, Library, Recovery, TxnId, Vfs, VfsConfig, VfsError, VfsPath, WriteOptions};

/// A world in a folder that is thrown away.
pub struct World {
    pub vfs: Vfs,
    pub folder: tempfile::TempDir,
}

pub const LIBRARY: &[(&str, &[u8])] = &[("kit/a.luau", b"return 1"), ("readme.md", b"# kit")];

impl World {
    pub fn new() -> World {
        World::holding(&[])
    }

    /// A world whose `source` folder holds these files before it is opened.
    pub fn holding(files: &[(&str, &str)]) -> World {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            put(&folder.path().join("source").join(name), text);
        }
        let (vfs, _) = open(folder.path(), false);
        World { vfs, folder }
    }

    pub fn watched(files: &[(&str, &str)]) -> World {
        let World { vfs, folder } = World::holding(files);
        drop(vfs);
        World { vfs: open(folder.path(), true).0, folder }
    }

    pub fn reopen(self) -> (World, Recovery) {
        let World { vfs, folder } = self;
        drop(vfs);
        let (vfs, recovery) = open(folder.path(), false);
        (World { vfs, folder }, recovery)
    }

    pub fn disk(&self, name: &str) -> PathBuf {
        self.folder.path().join("source").join(name)
    }

    pub fn on_disk(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.disk(name)).ok()
    }

    pub fn begin(&mut self, caller: &str) -> TxnId {
        self.vfs.begin(&Caller::new(caller, Transport::Engine), 1)
    }

    pub fn write(&mut self, txn: TxnId, name: &str, text: &str) -> Result<(), VfsError> {
        self.vfs.write(txn, &source(name), text.as_bytes(), WriteOptions::default()).map(drop)
    }

    /// Writes and commits.
    pub fn save(&mut self, name: &str, text: &str) {
        let txn = self.begin("ada");
        self.write(txn, name, text).unwrap();
        self.vfs.commit(txn).unwrap();
    }

    pub fn text(&self, name: &str) -> Option<String> {
        self.vfs.read_text(&source(name)).ok()
    }

    pub fn world_hash(&self) -> Hash {
        self.vfs.hash(&path("/zero/source")).unwrap()
    }

    pub fn names(&self, folder: &str) -> Vec<String> {
        self.vfs.list(&path(folder)).unwrap().into_iter().map(|entry| entry.name).collect()
    }

    pub fn files(&self) -> Vec<String> {
        let root = path("/zero/source");
        self.vfs.walk(&root).iter().map(|file| file.relative_to(&root).unwrap().to_owned()).collect()
    }
}

pub fn open(folder: &Path, watch: bool) -> (Vfs, Recovery) {
    Vfs::open(config(folder, watch)).unwrap()
}

pub fn config(folder: &Path, watch: bool) -> VfsConfig {
    let libraries = vec![("kit".to_owned(), Library::Embedded(LIBRARY))];
    VfsConfig { io: Arc::new(RealIo), world: folder.to_owned(), libraries, watch }
}

pub fn path(text: &str) -> VfsPath {
    VfsPath::parse(text).unwrap()
}

pub fn source(name: &str) -> VfsPath {
    path(&format!("/zero/source/{name}"))
}

pub fn put(place: &Path, text: &str) {
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, text).unwrap();
}

/// The position of an entity in scene `main` went from one value to another.
pub fn moved(entity: &str, before: Option<i64>, after: Option<i64>) -> EntityChange {
    EntityChange {
        scene: "main".into(),
        entity: entity.into(),
        component: "Transform".into(),
        before: before.map(|x| json!({ "x": x })),
        after: after.map(|x| json!({ "x": x })),
    }
}

pub fn code<T>(result: Result<T, VfsError>) -> &'static str {
    result.err().expect("a refusal").code()
}
