use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use zero_base::{FileKind, Io};

use crate::disk::Folder;
use crate::error::io_error;
use crate::library::Mounted;
use crate::{Library, VfsError, VfsPath};

/// Which part of the tree a path lies in.
pub(crate) enum Place<'a> {
    /// The authored tree.
    Source(&'a Folder),
    /// `/tmp` and `/zero/source/tmp`: written straight through.
    Scratch(&'a Folder),
    Library(&'a Mounted),
    /// A folder that only holds other parts; the names of these.
    Above(Vec<&'a str>),
    /// Made by the engine while it runs; not stored here.
    Generated,
    Outside,
}

pub(crate) struct Mounts {
    pub source: Folder,
    pub source_scratch: Folder,
    scratch: Folder,
    /// By name, with the `@`.
    libraries: BTreeMap<String, Mounted>,
    libraries_at: VfsPath,
    generated: [VfsPath; 2],
}

impl Mounts {
    pub fn new(io: &Arc<dyn Io>, world: &Path, libraries: Vec<(String, Library)>) -> Result<Mounts, VfsError> {
        let fixed = |path: &str| VfsPath::parse(path).expect("a fixed path is normal");
        let folder = |relative: &str, at: &str| Folder::new(io.clone(), world.join(relative), fixed(at));
        let libraries_at = fixed("/zero/source/libs");
        let mut mounted = BTreeMap::new();
        for (name, library) in libraries {
            let name = format!("@{name}");
            let at = libraries_at.join(&name)?;
            mounted.insert(name, Mounted::new(io, at, library)?);
        }
        let mounts = Mounts {
            source: folder("source", "/zero/source"),
            source_scratch: folder("source/tmp", "/zero/source/tmp"),
            scratch: folder(".zero/scratch", "/tmp"),
            libraries: mounted,
            libraries_at,
            generated: [fixed("/zero/runtime"), fixed("/zero/docs")],
        };
        mounts.make_source_folder()?;
        Ok(mounts)
    }

    pub fn place(&self, path: &VfsPath) -> Place<'_> {
        if path.starts_with(&self.libraries_at) {
            return match path.relative_to(&self.libraries_at).and_then(|rest| rest.split('/').next()) {
                None | Some("") => Place::Above(self.libraries.keys().map(String::as_str).collect()),
                Some(name) => self.libraries.get(name).map_or(Place::Outside, Place::Library),
            };
        }
        for scratch in [&self.source_scratch, &self.scratch] {
            if path.starts_with(&scratch.at) {
                return Place::Scratch(scratch);
            }
        }
        if path.starts_with(&self.source.at) {
            return Place::Source(&self.source);
        }
        match path.as_str() {
            "/" => Place::Above(vec!["tmp", "zero"]),
            "/zero" => Place::Above(vec!["source"]),
            _ if self.generated.iter().any(|folder| path.starts_with(folder)) => Place::Generated,
            _ => Place::Outside,
        }
    }

    /// `/zero/source/libs` and `/zero/source/tmp`: they lie in the authored tree and are no part of it.
    pub fn is_mount_in_source(&self, path: &VfsPath) -> bool {
        *path == self.libraries_at || *path == self.source_scratch.at
    }

    pub fn libraries(&self) -> impl Iterator<Item = &Mounted> {
        self.libraries.values()
    }

    /// Every folder of the disk whose changes can be seen.
    pub fn disk_folders(&self) -> impl Iterator<Item = &Folder> {
        std::iter::once(&self.source).chain(self.libraries().flat_map(Mounted::disk_folders))
    }

    fn make_source_folder(&self) -> Result<(), VfsError> {
        let Folder { io, root, at, .. } = &self.source;
        let world = root.parent().expect("the source folder lies in the world's");
        if io.metadata(root).is_ok_and(|found| found.kind == FileKind::Link) {
            return Err(VfsError::Link { path: at.clone() });
        }
        io.create_dir_all(root).and_then(|()| io.sync_dir(world)).map_err(io_error("make the folder", root.display()))
    }
}
