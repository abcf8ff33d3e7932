use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use zero_base::FileKind;

use crate::VfsPath;
use crate::disk::{Folder, is_absence};
use crate::path::TEMPORARY_PREFIX;

/// A file written and synced under a temporary name, to be renamed into place.
pub(crate) struct Staged {
    temporary: PathBuf,
    target: PathBuf,
}

/// Puts files in place and takes them away, and remembers which folders must be synced for that
/// to be durable.
pub(crate) struct Placing<'a> {
    folder: &'a Folder,
    touched: BTreeSet<PathBuf>,
}

impl Folder {
    /// Writes `bytes` into the nearest folder that exists, so that a full disk or a forbidden
    /// folder shows before anything has changed.
    pub fn stage(&self, path: &VfsPath, bytes: &[u8]) -> io::Result<Staged> {
        let staged = self.write_beside(path, bytes)?;
        match self.io.sync_file(&staged.temporary) {
            Ok(()) => Ok(staged),
            Err(error) => {
                self.unstage(staged);
                Err(error)
            }
        }
    }

    pub fn unstage(&self, staged: Staged) {
        self.remove_temporary(&staged.temporary);
    }

    /// Removes temporary files that could not be removed when they should have been.
    pub fn tidy(&self) {
        if self.untidy.swap(false, Ordering::Relaxed) {
            self.remove_temporaries();
        }
    }

    /// Writes a file at once, whole but not synced: for scratch.
    pub fn write_unsynced(&self, path: &VfsPath, bytes: &[u8]) -> io::Result<()> {
        self.io.create_dir_all(&self.root)?;
        Placing::new(self).put(self.write_beside(path, bytes)?)
    }

    /// Removes what an engine that died left under temporary names.
    pub fn remove_temporaries(&self) {
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in self.io.read_dir(&folder).unwrap_or_default() {
                let place = folder.join(&entry.name);
                match entry.kind {
                    FileKind::Folder => folders.push(place),
                    FileKind::File if entry.name.starts_with(TEMPORARY_PREFIX) => self.remove_temporary(&place),
                    _ => {}
                }
            }
        }
    }

    pub fn remove_temporary(&self, place: &Path) {
        match self.io.remove_file(place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                self.untidy.store(true, Ordering::Relaxed);
                tracing::warn!(file = %place.display(), %error, "a temporary file stays behind");
            }
            _ => {}
        }
    }

    fn write_beside(&self, path: &VfsPath, bytes: &[u8]) -> io::Result<Staged> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let target = self.disk_path(path);
        let is_folder = |place: &&Path| self.io.metadata(place).is_ok_and(|found| found.kind == FileKind::Folder);
        let folder = target.ancestors().skip(1).find(is_folder).unwrap_or(&self.root);
        let temporary = loop {
            let name = format!("{TEMPORARY_PREFIX}{}", NEXT.fetch_add(1, Ordering::Relaxed));
            let place = folder.join(name);
            // Something may lie there already, a link even: never write through it.
            if self.io.metadata(&place).is_err() {
                break place;
            }
        };
        let staged = Staged { temporary, target };
        match self.io.write(&staged.temporary, bytes) {
            Ok(()) => Ok(staged),
            Err(error) => {
                self.unstage(staged);
                Err(error)
            }
        }
    }
}

impl<'a> Placing<'a> {
    pub fn new(folder: &'a Folder) -> Placing<'a> {
        Placing { folder, touched: BTreeSet::new() }
    }

    /// Renames a staged file into place, over a file or folders that hold none.
    pub fn put(&mut self, staged: Staged) -> io::Result<()> {
        let placed = self.try_put(&staged);
        if placed.is_err() {
            self.folder.unstage(staged);
        }
        placed
    }

    /// Removes the file, if it is there, and the folders it leaves empty. A folder that has come
    /// to be at its path stays.
    pub fn take_away(&mut self, path: &VfsPath) -> io::Result<()> {
        let place = self.folder.disk_path(path);
        if self.folder.io.metadata(&place).is_ok_and(|found| found.kind == FileKind::File) {
            self.folder.io.remove_file(&place)?;
        }
        self.touch_folder_of(&place);
        for ancestor in path.ancestors().take_while(|ancestor| *ancestor != self.folder.at) {
            if !self.remove_empty(&self.folder.disk_path(&ancestor)) {
                break;
            }
        }
        Ok(())
    }

    /// Removes the folders at and below `path` that hold no file.
    pub fn take_away_empty(&mut self, path: &VfsPath) {
        if matches!(self.folder.look(path), Ok(Some(found)) if found.kind == FileKind::Folder) {
            self.remove_empty_below(&self.folder.disk_path(path));
        }
    }

    /// Makes all of it durable.
    pub fn sync(self) -> io::Result<()> {
        self.touched.iter().try_for_each(|folder| match self.folder.io.sync_dir(folder) {
            // Gone since, with all that was in it.
            Err(error) if is_absence(error.kind()) => Ok(()),
            synced => synced,
        })
    }

    fn try_put(&mut self, staged: &Staged) -> io::Result<()> {
        let io = &self.folder.io;
        let parent = staged.target.parent().expect("a file lies in a folder");
        let missing: Vec<&Path> = parent.ancestors().take_while(|place| io.metadata(place).is_err()).collect();
        if !missing.is_empty() {
            io.create_dir_all(parent)?;
            missing.iter().for_each(|place| self.touch_folder_of(place));
        }
        if io.metadata(&staged.target).is_ok_and(|found| found.kind == FileKind::Folder) {
            self.remove_empty_below(&staged.target);
        }
        io.rename(&staged.temporary, &staged.target)?;
        self.touched.insert(parent.to_owned());
        self.touch_folder_of(&staged.temporary);
        Ok(())
    }

    fn remove_empty_below(&mut self, folder: &Path) {
        for entry in self.folder.io.read_dir(folder).unwrap_or_default() {
            if entry.kind == FileKind::Folder {
                self.remove_empty_below(&folder.join(&entry.name));
            }
        }
        self.remove_empty(folder);
    }

    /// Answers whether the folder is gone.
    fn remove_empty(&mut self, folder: &Path) -> bool {
        let gone = match self.folder.io.remove_dir(folder) {
            Ok(()) => true,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if gone {
            self.touched.remove(folder);
            self.touch_folder_of(folder);
        }
        gone
    }

    fn touch_folder_of(&mut self, place: &Path) {
        if let Some(folder) = place.parent() {
            self.touched.insert(folder.to_owned());
        }
    }
}
