use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use zero_base::{FileKind, Hash, Io, Metadata};

use crate::disk::Folder;
use crate::{Entry, Kind, Library, VfsError, VfsPath};

/// A library at its place in the tree. Nothing writes to it.
pub(crate) struct Mounted {
    pub at: VfsPath,
    content: Content,
}

enum Content {
    Embedded {
        files: &'static [(&'static str, &'static [u8])],
        hashes: OnceLock<Vec<Hash>>,
    },
    /// The longest prefix first.
    Disk(Vec<Folder>),
}

/// A file of a library.
pub(crate) enum LibraryFile<'a> {
    Embedded { bytes: &'static [u8], hash: Hash },
    OnDisk(&'a Folder, Metadata),
}

impl Mounted {
    pub fn new(io: &Arc<dyn Io>, at: VfsPath, library: Library) -> Result<Mounted, VfsError> {
        let content = match library {
            Library::Embedded(files) => Content::Embedded { files, hashes: OnceLock::new() },
            Library::Disk(folders) => {
                let mount = |(prefix, root): (String, _)| {
                    let at = if prefix.is_empty() { at.clone() } else { at.join(&prefix)? };
                    Ok(Folder::new(io.clone(), root, at))
                };
                let mut folders = folders.into_iter().map(mount).collect::<Result<Vec<_>, VfsError>>()?;
                folders.sort_by_key(|folder| std::cmp::Reverse(folder.at.as_str().len()));
                Content::Disk(folders)
            }
        };
        Ok(Mounted { at, content })
    }

    pub fn file(&self, path: &VfsPath) -> Result<Option<LibraryFile<'_>>, VfsError> {
        match &self.content {
            Content::Embedded { files, hashes } => {
                let relative = path.relative_to(&self.at).unwrap_or_default();
                let Ok(index) = files.binary_search_by_key(&relative, |(name, _)| name) else { return Ok(None) };
                let hashes = hashes.get_or_init(|| files.iter().map(|(_, bytes)| Hash::of(bytes)).collect());
                Ok(Some(LibraryFile::Embedded { bytes: files[index].1, hash: hashes[index] }))
            }
            Content::Disk(folders) => {
                for folder in folders.iter().filter(|folder| path.starts_with(&folder.at)) {
                    if let Some(found) = folder.look(path)?.filter(|found| found.kind == FileKind::File) {
                        return Ok(Some(LibraryFile::OnDisk(folder, found)));
                    }
                }
                Ok(None)
            }
        }
    }

    pub fn is_folder(&self, path: &VfsPath) -> bool {
        let holds_mount = |folder: &Folder| folder.at.starts_with(path);
        let on_disk = |folder: &Folder| {
            path.starts_with(&folder.at)
                && folder.look(path).ok().flatten().is_some_and(|found| found.kind == FileKind::Folder)
        };
        *path == self.at
            || match &self.content {
                Content::Embedded { .. } => self.embedded_below(path).next().is_some(),
                Content::Disk(folders) => folders.iter().any(|folder| holds_mount(folder) || on_disk(folder)),
            }
    }

    pub fn list(&self, path: &VfsPath) -> Result<Vec<Entry>, VfsError> {
        // A file hides a folder of the same name in a folder laid under it.
        let mut names: BTreeMap<String, Kind> = BTreeMap::new();
        let mut add = |name: &str, kind: Kind| {
            names.entry(name.to_owned()).or_insert(kind);
        };
        match &self.content {
            Content::Embedded { .. } => self.embedded_below(path).for_each(|below| match below.split_once('/') {
                Some((name, _)) => add(name, Kind::Folder),
                None => add(below, Kind::File),
            }),
            Content::Disk(folders) => {
                for folder in folders {
                    if path.starts_with(&folder.at) {
                        folder.list(path)?.iter().for_each(|entry| add(&entry.name, entry.kind));
                    } else if let Some((name, _)) = first_segment(&folder.at, path) {
                        add(name, Kind::Folder);
                    }
                }
            }
        }
        Ok(names.into_iter().map(|(name, kind)| Entry { name, kind }).collect())
    }

    /// The folders on disk whose changes show in this library.
    pub fn disk_folders(&self) -> &[Folder] {
        match &self.content {
            Content::Embedded { .. } => &[],
            Content::Disk(folders) => folders,
        }
    }

    pub fn each_file_below(&self, path: &VfsPath, each: &mut dyn FnMut(VfsPath)) {
        for entry in self.list(path).unwrap_or_default() {
            match path.join(&entry.name) {
                Ok(child) if entry.kind == Kind::Folder => self.each_file_below(&child, each),
                Ok(child) => each(child),
                Err(_) => {}
            }
        }
    }

    /// What follows `path/` in the names of embedded files.
    fn embedded_below(&self, path: &VfsPath) -> impl Iterator<Item = &'static str> {
        let files = match &self.content {
            Content::Embedded { files, .. } => *files,
            Content::Disk(_) => &[],
        };
        let prefix = match path.relative_to(&self.at) {
            Some("") | None => String::new(),
            Some(relative) => format!("{relative}/"),
        };
        let start = files.partition_point(|(name, _)| *name < prefix.as_str());
        files[start..].iter().map_while(move |(name, _)| name.strip_prefix(prefix.as_str()))
    }
}

fn first_segment<'a>(path: &'a VfsPath, folder: &VfsPath) -> Option<(&'a str, &'a str)> {
    let below = path.relative_to(folder)?;
    Some(below.split_once('/').unwrap_or((below, ""))).filter(|(name, _)| !name.is_empty())
}
