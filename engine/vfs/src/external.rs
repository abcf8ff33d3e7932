use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::PoisonError;

use zero_base::{Caller, FileKind, Hash, Metadata};

use crate::disk::Folder;
use crate::journal::record::{Commit, FileRecord, INLINE_BYTES, Kept, Record, Version};
use crate::journal::{Durability, Placed};
use crate::library::LibraryFile;
use crate::mounts::Place;
use crate::tree::stand_in_hash;
use crate::watch::Due;
use crate::{ChangeKind, FileEvent, Origin, Vfs, VfsError, VfsPath};

/// What could not be looked at, and why.
type Unread = Vec<(VfsPath, VfsError)>;

/// What to do about files nobody has accounted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strangers {
    /// Somebody made them: record it.
    Record,
    /// The world is seen for the first time: they are what it is.
    Adopt,
}

impl Vfs {
    /// Edits made by other programs since the last call, once they have been quiet for a moment.
    /// They are in the history as commits of `external`; edits of a file that an open
    /// transaction or the play shadow covers are recorded, but do not show and are not answered.
    pub fn poll_external(&mut self) -> Result<Vec<FileEvent>, VfsError> {
        self.unread.clear();
        let due = match self.watch.as_mut().map(|watch| watch.due()) {
            None | Some(Due::Nothing) => return Ok(Vec::new()),
            Some(due) => due,
        };
        let reconciled = match &due {
            Due::Places(places) => self.reconcile(&self.authored_paths(places), Strangers::Record),
            Due::Everything | Due::Nothing => self.rescan(),
        };
        if reconciled.is_err()
            && let Some(watch) = &self.watch
        {
            watch.again(due);
        }
        reconciled
    }

    /// The same for the whole world, whether or not anything was reported: compares every file
    /// with what is known of it.
    pub fn rescan(&mut self) -> Result<Vec<FileEvent>, VfsError> {
        self.reconcile(&self.roots(), Strangers::Record)
    }

    /// The authored tree, and libraries that lie on a disk that is watched.
    pub(crate) fn roots(&self) -> Vec<VfsPath> {
        let libraries = self.mounts.libraries().filter(|_| self.watch.is_some());
        let on_disk = libraries.filter(|library| !library.disk_folders().is_empty()).map(|library| library.at.clone());
        std::iter::once(self.mounts.source.at.clone()).chain(on_disk).collect()
    }

    /// Compares what lies at or below `paths` with what is known, records the difference and
    /// answers what of it shows.
    pub(crate) fn reconcile(&mut self, paths: &[VfsPath], strangers: Strangers) -> Result<Vec<FileEvent>, VfsError> {
        let mut changes: BTreeMap<VfsPath, Option<Hash>> = BTreeMap::new();
        for path in paths {
            let (on_disk, unread) = self.hashes_on_disk(path);
            self.unread.extend(unread);
            let strange = self.compare(path, on_disk, &mut changes);
            match strangers {
                Strangers::Record => changes.extend(strange.into_iter().map(|(path, hash)| (path, Some(hash)))),
                Strangers::Adopt => self.adopt(strange),
            }
        }
        self.record_external(&mut changes)?;
        let shows = |path: &&VfsPath| !self.is_covered(path);
        let event = |path: &VfsPath| FileEvent {
            path: path.clone(),
            change: if changes[path].is_some() { ChangeKind::Written } else { ChangeKind::Removed },
            origin: Origin::External,
            txn: None,
        };
        let events = changes.keys().filter(shows).map(event).collect();
        for (path, after) in &changes {
            self.account_for(path, *after);
        }
        self.keep_house();
        Ok(events)
    }

    /// Adds to `changes` in what the files at or below `path` differ from what is known of them;
    /// answers those of which nothing is known. `on_disk` is in path order.
    fn compare(
        &self,
        path: &VfsPath,
        on_disk: Vec<(VfsPath, Hash)>,
        changes: &mut BTreeMap<VfsPath, Option<Hash>>,
    ) -> Vec<(VfsPath, Hash)> {
        let known = self.known.range(path.clone()..).take_while(|(below, _)| below.as_str().starts_with(path.as_str()));
        let mut known = known.filter(|(below, _)| below.starts_with(path)).peekable();
        let mut strange = Vec::new();
        let mut missing = |path: &VfsPath| {
            if self.is_gone(path) {
                changes.insert(path.clone(), None);
            }
        };
        let mut changed = Vec::new();
        for (file, hash) in on_disk {
            while let Some((before, _)) = known.next_if(|(known, _)| **known < file) {
                missing(before);
            }
            match known.next_if(|(known, _)| **known == file) {
                None => strange.push((file, hash)),
                Some((_, known)) if *known != hash => changed.push((file, Some(hash))),
                Some(_) => {}
            }
        }
        known.for_each(|(path, _)| missing(path));
        changes.extend(changed);
        strange
    }

    fn adopt(&mut self, files: Vec<(VfsPath, Hash)>) {
        if files.is_empty() {
            return;
        }
        self.hashes.get_mut().unwrap_or_else(PoisonError::into_inner).changed = true;
        if self.known.is_empty() {
            self.known = files.into_iter().collect();
        } else {
            self.known.extend(files);
        }
    }

    /// What is seen at these places of the disk, without scratch and what no path names.
    fn authored_paths(&self, places: &BTreeSet<PathBuf>) -> Vec<VfsPath> {
        let seen = |place: &PathBuf| self.mounts.disk_folders().find_map(|folder| folder.seen_at(place));
        let authored = |path: &VfsPath| !matches!(self.mounts.place(path), Place::Scratch(_));
        places.iter().filter_map(seen).filter(authored).collect()
    }

    /// Takes note of what a file is now, so that it does not count as an external edit.
    pub(crate) fn account_for(&mut self, path: &VfsPath, hash: Option<Hash>) {
        let before = match hash {
            Some(hash) => self.known.insert(path.clone(), hash),
            None => self.known.remove(path),
        };
        self.hashes.get_mut().unwrap_or_else(PoisonError::into_inner).changed |= before != hash;
    }

    /// Takes note of what lies on disk, whatever it is.
    pub(crate) fn look_again<'a>(&mut self, paths: impl Iterator<Item = &'a VfsPath>) {
        for path in paths {
            if let Ok(hash) = self.accountable_hash(path) {
                self.account_for(path, hash);
            }
        }
    }

    /// The hash of the file on disk, or what stands for it if it is too large to be read.
    pub(crate) fn accountable_hash(&self, path: &VfsPath) -> Result<Option<Hash>, VfsError> {
        let source = &self.mounts.source;
        self.found_hash(source, path, source.look(path)?)
    }

    fn found_hash(&self, folder: &Folder, path: &VfsPath, found: Option<Metadata>) -> Result<Option<Hash>, VfsError> {
        match found.filter(|found| found.kind == FileKind::File) {
            Some(found) => or_stand_in(self.disk_hash(folder, path, &found)),
            None => Ok(None),
        }
    }

    /// Every file on disk at or below `path`, in path order, and what there cannot be read: it
    /// counts as unchanged. Of what an interrupted write left there, nothing stays.
    fn hashes_on_disk(&self, path: &VfsPath) -> (Vec<(VfsPath, Hash)>, Unread) {
        let mut hashes = Vec::new();
        let mut unread = Vec::new();
        let mut add = |path: VfsPath, hash: Result<Option<Hash>, VfsError>| match hash {
            Ok(hash) => hashes.extend(hash.map(|hash| (path, hash))),
            Err(VfsError::Link { .. }) => {}
            Err(error) => {
                tracing::warn!(%path, %error, "a file cannot be looked at");
                let known = self.known.get(&path).copied();
                hashes.extend(known.map(|hash| (path.clone(), hash)));
                unread.push((path, error));
            }
        };
        let mut unread_folders = Vec::new();
        match self.mounts.place(path) {
            Place::Source(source) => match source.look(path) {
                Ok(Some(found)) if found.kind == FileKind::Folder => {
                    let scan = source.scan(path, &|child| self.mounts.is_mount_in_source(child));
                    scan.temporaries.iter().for_each(|place| source.remove_temporary(place));
                    let hashed = self.disk_hashes(source, &scan.files);
                    unread_folders = scan.unread;
                    for ((path, _), hash) in scan.files.into_iter().zip(hashed) {
                        add(path, or_stand_in(hash));
                    }
                }
                found => add(path.clone(), found.and_then(|found| self.found_hash(source, path, found))),
            },
            Place::Library(library) => {
                let mut files = Vec::new();
                library.each_file_below(path, &mut |file| files.push(file));
                files.push(path.clone());
                files.sort();
                for path in files {
                    let hash = match library.file(&path) {
                        Ok(Some(LibraryFile::OnDisk(folder, found))) => self.found_hash(folder, &path, Some(found)),
                        Ok(Some(LibraryFile::Embedded { .. }) | None) => Ok(None),
                        Err(error) => Err(error),
                    };
                    add(path, hash);
                }
            }
            Place::Scratch(_) | Place::Above(_) | Place::Generated | Place::Outside => {}
        }
        unread.append(&mut unread_folders);
        (hashes, unread)
    }

    /// Not merely out of reach, because its folder cannot be read.
    fn is_gone(&self, path: &VfsPath) -> bool {
        match self.mounts.place(path) {
            Place::Source(source) => matches!(source.look_at_file(path), Ok(None) | Err(VfsError::Link { .. })),
            Place::Library(library) => matches!(library.file(path), Ok(None) | Err(VfsError::Link { .. })),
            Place::Scratch(_) | Place::Above(_) | Place::Generated | Place::Outside => true,
        }
    }

    /// Puts edits of authored files into the history. Where a file is read for that, its hash is
    /// brought up to date.
    fn record_external(&mut self, changes: &mut BTreeMap<VfsPath, Option<Hash>>) -> Result<(), VfsError> {
        let mut files = Vec::new();
        for (path, after) in changes.iter_mut() {
            if !matches!(self.mounts.place(path), Place::Source(_)) {
                continue;
            }
            let before = self.known.get(path).map(|hash| self.version_nobody_copied(*hash));
            let version =
                after.map(|hash| self.small_version_on_disk(path).unwrap_or_else(|| self.version_nobody_copied(hash)));
            *after = version.as_ref().map(|version| version.hash);
            files.push(FileRecord { path: path.clone(), before, after: version });
        }
        if files.is_empty() {
            return Ok(());
        }
        let commit = Commit {
            id: self.journal.next_id(),
            group: 0,
            caller: Caller::external().name,
            origin: Origin::External,
            files,
            entities: Vec::new(),
            checkpoints: Vec::new(),
        };
        let record = Record::Commit(commit);
        let place = self.journal.write(&record, Durability::Later)?;
        if let Record::Commit(commit) = record {
            self.journal.note(&commit, place, Placed::Yes);
        }
        Ok(())
    }

    fn small_version_on_disk(&self, path: &VfsPath) -> Option<Version> {
        let source = &self.mounts.source;
        let found = source.look_at_file(path).ok()?.filter(|found| found.size <= INLINE_BYTES as u64)?;
        let bytes = source.read(path, &found).ok().filter(|bytes| bytes.len() <= INLINE_BYTES)?;
        let size = bytes.len() as u64;
        Some(Version { hash: Hash::of(&bytes), size, kept: Kept::Inline, bytes: Some(bytes.into()) })
    }

    fn version_nobody_copied(&self, hash: Hash) -> Version {
        let kept = if self.store.contains(hash) { Kept::Store } else { Kept::Nowhere };
        Version { hash, size: 0, kept, bytes: None }
    }
}

/// None for a file that has gone meanwhile.
pub(crate) fn or_stand_in(hash: Result<Hash, VfsError>) -> Result<Option<Hash>, VfsError> {
    match hash {
        Ok(hash) => Ok(Some(hash)),
        Err(VfsError::TooLarge { size, .. }) => Ok(Some(stand_in_hash(size))),
        Err(VfsError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
