use std::collections::BTreeMap;
use std::sync::PoisonError;

use zero_base::{Hash, Hasher, Metadata};

use crate::disk::{Folder, LARGEST_FILE};
use crate::external::or_stand_in;
use crate::hashes::now_nanos;
use crate::mounts::Place;
use crate::scan::together;
use crate::view::Found;
use crate::{Vfs, VfsError, VfsPath};

impl Vfs {
    /// The hash of what shows at `path`: of a file its bytes', of a folder that of the sorted
    /// names, kinds and hashes in it. Folders without files do not count. `/zero/source` leaves
    /// out `libs` and `tmp`: it is the hash of what was authored.
    pub fn hash(&self, path: &VfsPath) -> Result<Hash, VfsError> {
        match self.find(path)? {
            Found::Nothing => Err(self.not_found(path)),
            Found::Folder(_) => self.tree_hash(path),
            found => self.file_hash(path, &found)?.ok_or_else(|| self.not_found(path)),
        }
    }

    /// None when there is no file at `path`.
    pub(crate) fn file_hash(&self, path: &VfsPath, found: &Found<'_>) -> Result<Option<Hash>, VfsError> {
        Ok(match found {
            Found::Nothing | Found::Folder(_) => None,
            Found::Written(content, _) => Some(content.hash),
            Found::OnDisk(folder, found, _) => Some(self.disk_hash(folder, path, found)?),
            Found::Embedded(_, hash) => Some(*hash),
        })
    }

    /// The hash of a file where it lies, from the cache if it has not changed.
    pub(crate) fn disk_hash(&self, folder: &Folder, path: &VfsPath, found: &Metadata) -> Result<Hash, VfsError> {
        let mut hashes = self.hashes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(hash) = hashes.get(path, found) {
            return Ok(hash);
        }
        let hash = Hash::of(&folder.read(path, found)?);
        hashes.learn(path, found, hash);
        Ok(hash)
    }

    /// The hash of the file that lies on disk, whatever shows in its place.
    pub(crate) fn hash_on_disk(&self, path: &VfsPath) -> Result<Option<Hash>, VfsError> {
        let source = &self.mounts.source;
        source.look_at_file(path)?.map(|found| self.disk_hash(source, path, &found)).transpose()
    }

    /// The hashes of the files of a scan, in its order, each read by one of several threads if
    /// it has to be.
    pub(crate) fn disk_hashes(
        &self,
        folder: &Folder,
        files: &[(VfsPath, Option<Metadata>)],
    ) -> Vec<Result<Hash, VfsError>> {
        let now_nanos = now_nanos();
        let cached = self.hashes.lock().unwrap_or_else(PoisonError::into_inner).get_sorted(files);
        let unread: Vec<&(VfsPath, Option<Metadata>)> =
            files.iter().zip(&cached).filter(|(_, hash)| hash.is_none()).map(|(file, _)| file).collect();
        let read = together(&unread, |(path, found)| match found {
            Some(found) => {
                let bytes = folder.read(path, found)?;
                let hash = Hash::of(&bytes);
                self.set_aside(path, hash, bytes);
                Ok(hash)
            }
            // What is wrong with it shows when it is looked at once more.
            None => match folder.look_at_file(path)? {
                Some(found) => Ok(Hash::of(&folder.read(path, &found)?)),
                None => gone(path),
            },
        });
        let learned = unread.iter().zip(&read).filter_map(|((path, found), hash)| {
            let (found, hash) = (found.as_ref()?, hash.as_ref().ok()?);
            Some((path.clone(), *found, *hash))
        });
        let learned = learned.collect();
        self.hashes.lock().unwrap_or_else(PoisonError::into_inner).learn_sorted(learned, now_nanos);
        let mut read = read.into_iter();
        let or_read = |hash: Option<Hash>| hash.map_or_else(|| read.next().expect("all others were read"), Ok);
        cached.into_iter().map(or_read).collect()
    }

    fn tree_hash(&self, path: &VfsPath) -> Result<Hash, VfsError> {
        let mut tree = Tree::default();
        let files = self.hashes_below(path)?;
        for (file, hash) in &files {
            tree.add(file.relative_to(path).expect("a walk stays below its folder"), *hash);
        }
        Ok(tree.hash())
    }

    /// What shows in the folder at `path`, without what is gone before it could be read.
    fn hashes_below(&self, path: &VfsPath) -> Result<Vec<(VfsPath, Hash)>, VfsError> {
        let source = match self.mounts.place(path) {
            Place::Source(source) => Some((source, path)),
            Place::Above(_) if self.mounts.source.at.starts_with(path) => {
                Some((&self.mounts.source, &self.mounts.source.at))
            }
            _ => None,
        };
        let mut below = Vec::new();
        let Some((source, top)) = source else {
            for file in self.walk(path) {
                let found = self.find(&file)?;
                let hash = or_stand_in(self.file_hash(&file, &found).transpose().unwrap_or_else(|| gone(&file)))?;
                below.extend(hash.map(|hash| (file, hash)));
            }
            return Ok(below);
        };
        let mut files = source.scan(top, &|child| self.mounts.is_mount_in_source(child)).files;
        files.retain(|(file, _)| !self.is_covered(file));
        let hashes = self.disk_hashes(source, &files);
        for ((file, _), hash) in files.into_iter().zip(hashes) {
            below.extend(or_stand_in(hash)?.map(|hash| (file, hash)));
        }
        self.each_written_below(top, &mut |file, content| below.push((file.clone(), content.hash)));
        Ok(below)
    }
}

fn gone(path: &VfsPath) -> Result<Hash, VfsError> {
    Err(VfsError::NotFound { path: path.clone(), hint: String::new() })
}

/// Counts for a file that is too large to be read: it lies in the tree, but nothing uses it.
pub(crate) fn stand_in_hash(size: u64) -> Hash {
    debug_assert!(size > LARGEST_FILE);
    Hasher::new().part(b"too large").part(&size.to_le_bytes()).finish()
}

#[derive(Default)]
struct Tree<'a>(BTreeMap<&'a str, Node<'a>>);

enum Node<'a> {
    File(Hash),
    Folder(Tree<'a>),
}

impl<'a> Tree<'a> {
    fn add(&mut self, path: &'a str, hash: Hash) {
        match path.split_once('/') {
            None => drop(self.0.insert(path, Node::File(hash))),
            Some((name, rest)) => {
                match self.0.entry(name).or_insert_with(|| Node::Folder(Tree::default())) {
                    Node::Folder(folder) => folder.add(rest, hash),
                    // A file took the folder's place during the walk.
                    Node::File(_) => {}
                }
            }
        }
    }

    fn hash(&self) -> Hash {
        let mut hasher = Hasher::new();
        for (name, node) in &self.0 {
            let (kind, hash) = match node {
                Node::File(hash) => (b"file".as_slice(), *hash),
                Node::Folder(folder) => (b"folder".as_slice(), folder.hash()),
            };
            hasher.part(kind).part(name.as_bytes()).part(hash.as_bytes());
        }
        hasher.finish()
    }
}
