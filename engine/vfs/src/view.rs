use std::collections::BTreeMap;
use std::sync::Arc;

use zero_base::{FileKind, Hash, Metadata, did_you_mean};

use crate::disk::Folder;
use crate::library::LibraryFile;
use crate::mounts::Place;
use crate::overlay::Content;
use crate::{Entry, Kind, Layer, Stat, Vfs, VfsError, VfsPath};

/// What is seen at a path.
pub(crate) enum Found<'a> {
    Nothing,
    Folder(Layer),
    Written(&'a Content, Layer),
    OnDisk(&'a Folder, Metadata, Layer),
    Embedded(&'static [u8], Hash),
}

impl Vfs {
    /// The bytes of a file, as every caller sees them: uncommitted writes over the play shadow
    /// over the disk.
    pub fn read(&self, path: &VfsPath) -> Result<Arc<[u8]>, VfsError> {
        match self.find(path)? {
            Found::Written(content, _) => Ok(content.bytes.clone()),
            Found::OnDisk(folder, found, _) => Ok(folder.read(path, &found)?.into()),
            Found::Embedded(bytes, _) => Ok(bytes.into()),
            Found::Folder(_) => Err(VfsError::NotAFile { path: path.clone() }),
            Found::Nothing => Err(self.not_found(path)),
        }
    }

    pub fn read_text(&self, path: &VfsPath) -> Result<String, VfsError> {
        String::from_utf8(self.read(path)?.to_vec())
            .map_err(|error| VfsError::NotUtf8 { path: path.clone(), offset: error.utf8_error().valid_up_to() })
    }

    /// None for what is not there, a link included.
    pub fn stat(&self, path: &VfsPath) -> Option<Stat> {
        let file = |size, layer| Stat { kind: Kind::File, size, layer };
        Some(match self.find(path).ok()? {
            Found::Nothing => return None,
            Found::Folder(layer) => Stat { kind: Kind::Folder, size: 0, layer },
            Found::Written(content, layer) => file(content.bytes.len() as u64, layer),
            Found::OnDisk(_, found, layer) => file(found.size, layer),
            Found::Embedded(bytes, _) => file(bytes.len() as u64, Layer::Library),
        })
    }

    /// The names in a folder, sorted. Links and names that cannot be part of a path are left out.
    pub fn list(&self, path: &VfsPath) -> Result<Vec<Entry>, VfsError> {
        match self.find(path)? {
            Found::Folder(_) => {}
            Found::Nothing => return Err(self.not_found(path)),
            _ => return Err(VfsError::NotAFolder { path: path.clone() }),
        }
        match self.mounts.place(path) {
            Place::Source(source) => self.list_source(source, path),
            Place::Scratch(scratch) => scratch.list(path),
            Place::Library(library) => library.list(path),
            Place::Above(names) => {
                Ok(names.into_iter().map(|name| Entry { name: name.to_owned(), kind: Kind::Folder }).collect())
            }
            Place::Generated | Place::Outside => Err(VfsError::Outside { path: path.clone() }),
        }
    }

    /// Every file at or below `path`, sorted. Libraries and scratch are walked when `path` lies
    /// in them, not when it lies above.
    pub fn walk(&self, path: &VfsPath) -> Vec<VfsPath> {
        let mut files = Vec::new();
        match self.find(path) {
            Ok(Found::Folder(_)) => self.walk_folder(path, &mut files),
            Ok(Found::Nothing) | Err(_) => {}
            Ok(_) => files.push(path.clone()),
        }
        files.sort();
        files
    }

    pub(crate) fn find(&self, path: &VfsPath) -> Result<Found<'_>, VfsError> {
        match self.mounts.place(path) {
            Place::Source(source) => self.find_in_source(source, path),
            Place::Scratch(scratch) if *path == scratch.at => Ok(Found::Folder(Layer::Disk)),
            Place::Scratch(scratch) => Ok(on_disk(scratch, scratch.look(path)?)),
            Place::Library(library) => Ok(match library.file(path)? {
                Some(LibraryFile::Embedded { bytes, hash }) => Found::Embedded(bytes, hash),
                Some(LibraryFile::OnDisk(folder, found)) => Found::OnDisk(folder, found, Layer::Library),
                None if library.is_folder(path) => Found::Folder(Layer::Library),
                None => Found::Nothing,
            }),
            Place::Above(_) => Ok(Found::Folder(Layer::Disk)),
            Place::Generated | Place::Outside => Ok(Found::Nothing),
        }
    }

    /// A refusal that names what is there instead.
    pub(crate) fn not_found(&self, path: &VfsPath) -> VfsError {
        if matches!(self.mounts.place(path), Place::Generated)
            || matches!(self.mounts.place(path), Place::Outside) && !path.as_str().starts_with("/zero/source/")
        {
            return VfsError::Outside { path: path.clone() };
        }
        let folder = path.ancestors().find(|folder| matches!(self.find(folder), Ok(Found::Folder(_))));
        let hint = folder.map_or_else(String::new, |folder| {
            let missing = path.relative_to(&folder).and_then(|rest| rest.split('/').next()).unwrap_or_default();
            let names: Vec<String> = self.list(&folder).unwrap_or_default().into_iter().map(|e| e.name).collect();
            let near = did_you_mean(missing, &names);
            if near.is_empty() { format!("; the nearest folder is {folder}") } else { near }
        });
        VfsError::NotFound { path: path.clone(), hint }
    }

    fn find_in_source<'a>(&'a self, source: &'a Folder, path: &VfsPath) -> Result<Found<'a>, VfsError> {
        if *path == source.at {
            return Ok(Found::Folder(Layer::Disk));
        }
        let written = self.written(path);
        if let Some((Some(content), layer)) = written {
            return Ok(Found::Written(content, layer));
        }
        let removed = written.is_some() || self.folder_is_removed(path);
        if let Some((_, layer)) = self.first_written_below(path) {
            return Ok(Found::Folder(layer));
        }
        Ok(match source.look(path)? {
            Some(found) if found.kind == FileKind::File && !removed => Found::OnDisk(source, found, Layer::Disk),
            Some(found) if found.kind == FileKind::Folder && self.disk_folder_shows(source, path) => {
                Found::Folder(Layer::Disk)
            }
            _ => Found::Nothing,
        })
    }

    /// What an open transaction or the play shadow has put at `path`; content none if removed.
    fn written(&self, path: &VfsPath) -> Option<(Option<&Content>, Layer)> {
        if let Some(written) = self.pending.get(path) {
            return Some((written.content.as_ref(), self.uncommitted(written.owner)));
        }
        let written = self.shadow.as_ref()?.get(path)?;
        Some((written.content.as_ref(), Layer::Shadow))
    }

    fn uncommitted(&self, txn: crate::TxnId) -> Layer {
        Layer::Uncommitted { owner: self.transactions.get(&txn).map_or_else(String::new, |txn| txn.caller.clone()) }
    }

    /// A file that shows below `folder` because a transaction or the shadow put it there.
    fn first_written_below(&self, folder: &VfsPath) -> Option<(&VfsPath, Layer)> {
        let pending = self.pending.below(folder).find(|(_, written)| written.content.is_some());
        if let Some((path, written)) = pending {
            return Some((path, self.uncommitted(written.owner)));
        }
        let shadow = self.shadow.as_ref()?;
        let shows = |path| self.pending.get(path).is_none();
        let (path, _) = shadow.below(folder).find(|(path, written)| written.content.is_some() && shows(path))?;
        Some((path, Layer::Shadow))
    }

    /// Whether an open transaction or the shadow decides what shows at `path`, not the disk.
    pub(crate) fn is_covered(&self, path: &VfsPath) -> bool {
        self.written(path).is_some() || self.folder_is_removed(path)
    }

    fn folder_is_removed(&self, path: &VfsPath) -> bool {
        self.pending.hides(path) || self.shadow.as_ref().is_some_and(|shadow| shadow.hides(path))
    }

    /// Whether what shows below `path` may differ from what lies on disk.
    fn is_overlaid(&self, path: &VfsPath) -> bool {
        self.folder_is_removed(path)
            || self.pending.touches_below(path)
            || self.shadow.as_ref().is_some_and(|shadow| shadow.touches_below(path))
    }

    /// A folder on disk shows unless it was removed, or every file in it was: folders are there
    /// for their files. One that was empty to begin with shows.
    fn disk_folder_shows(&self, source: &Folder, path: &VfsPath) -> bool {
        if self.folder_is_removed(path) {
            return false;
        }
        let overlaid = self.is_overlaid(path);
        let mut shows = !overlaid;
        if overlaid {
            source.each_file_below(path, &|_| false, &mut |file| shows |= self.written(&file).is_none());
        }
        shows
    }

    fn list_source(&self, source: &Folder, path: &VfsPath) -> Result<Vec<Entry>, VfsError> {
        let mut names = BTreeMap::new();
        let removed = self.folder_is_removed(path);
        for entry in source.list(path)? {
            let child = path.join(&entry.name)?;
            let shows = !self.mounts.is_mount_in_source(&child)
                && match entry.kind {
                    Kind::File => !removed && self.written(&child).is_none(),
                    Kind::Folder => self.disk_folder_shows(source, &child),
                };
            if shows {
                names.insert(entry.name, entry.kind);
            }
        }
        let shadowed = self.shadow.iter().flat_map(|shadow| shadow.below(path).map(|(path, _)| path));
        for below in self.pending.below(path).map(|(path, _)| path).chain(shadowed) {
            let (name, kind) = match below.relative_to(path).and_then(|rest| rest.split_once('/')) {
                Some((name, _)) => (name, Kind::Folder),
                None => (below.name(), Kind::File),
            };
            if self.written(below).is_some_and(|(content, _)| content.is_some()) {
                names.insert(name.to_owned(), kind);
            }
        }
        if *path == source.at {
            names.extend(["libs", "tmp"].map(|name| (name.to_owned(), Kind::Folder)));
        }
        Ok(names.into_iter().map(|(name, kind)| Entry { name, kind }).collect())
    }

    fn walk_folder(&self, path: &VfsPath, files: &mut Vec<VfsPath>) {
        match self.mounts.place(path) {
            Place::Source(source) => self.walk_source(source, path, files),
            Place::Scratch(scratch) => scratch.each_file_below(path, &|_| false, &mut |file| files.push(file)),
            Place::Library(library) => library.each_file_below(path, &mut |file| files.push(file)),
            Place::Above(_) if self.mounts.source.at.starts_with(path) => {
                self.walk_source(&self.mounts.source, &self.mounts.source.at, files);
            }
            Place::Above(_) | Place::Generated | Place::Outside => {}
        }
    }

    fn walk_source(&self, source: &Folder, path: &VfsPath, files: &mut Vec<VfsPath>) {
        let skip = |child: &VfsPath| self.mounts.is_mount_in_source(child);
        source.each_file_below(path, &skip, &mut |file| {
            if !self.is_covered(&file) {
                files.push(file);
            }
        });
        self.each_written_below(path, &mut |file, _| files.push(file.clone()));
    }

    /// The files below `path` that show because a transaction or the shadow put them there.
    pub(crate) fn each_written_below(&self, path: &VfsPath, each: &mut dyn FnMut(&VfsPath, &Content)) {
        for (path, written) in self.pending.below(path) {
            written.content.iter().for_each(|content| each(path, content));
        }
        for (path, written) in self.shadow.iter().flat_map(|shadow| shadow.below(path)) {
            let shows = self.pending.get(path).is_none();
            written.content.iter().filter(|_| shows).for_each(|content| each(path, content));
        }
    }
}

fn on_disk(folder: &Folder, found: Option<Metadata>) -> Found<'_> {
    match found {
        None => Found::Nothing,
        Some(found) if found.kind == FileKind::File => Found::OnDisk(folder, found, Layer::Disk),
        Some(_) => Found::Folder(Layer::Disk),
    }
}
