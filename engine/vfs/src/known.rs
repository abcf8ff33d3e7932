use std::collections::HashMap;
use std::sync::PoisonError;

use zero_base::Hash;

use crate::mounts::Place;
use crate::scan::together;
use crate::{Vfs, VfsError, VfsPath};

/// Small files whose names begin with a dot, by content: when a world is seen for the first
/// time they are read to be hashed, and then again by whoever makes an index of it. None once
/// that was done.
pub(crate) type SetAside = Option<HashMap<Hash, Vec<u8>>>;

/// The largest file that is set aside.
const SMALL_FILE: usize = 4096;
/// How many are set aside at most.
const MOST_SET_ASIDE: usize = 100_000;

impl Vfs {
    /// Every file that shows at or below the folder `path`, in path order, without looking at the
    /// disk where it is known what lies there: since the last look, edits from outside are still
    /// to be reported. With the hash of its content, if that is known too. A file that could
    /// never be read is left out; libraries and scratch are listed as [`Vfs::walk`] does.
    pub fn known_files(&self, path: &VfsPath) -> Vec<(VfsPath, Option<Hash>)> {
        let top = match self.mounts.place(path) {
            Place::Source(_) => path,
            Place::Above(_) if self.mounts.source.at.starts_with(path) => &self.mounts.source.at,
            _ => return self.walk(path).into_iter().map(|file| (file, None)).collect(),
        };
        let below = self.known.range(top.clone()..).take_while(|(file, _)| file.as_str().starts_with(top.as_str()));
        let authored = below.filter(|(file, _)| {
            file.starts_with(top) && matches!(self.mounts.place(file), Place::Source(_)) && !self.is_covered(file)
        });
        let mut files: Vec<_> = authored.map(|(file, hash)| (file.clone(), Some(*hash))).collect();
        let on_disk = files.len();
        self.each_written_below(top, &mut |file, content| files.push((file.clone(), Some(content.hash))));
        if files.len() > on_disk {
            files.sort();
        }
        files
    }

    /// Reads many files as [`Vfs::known_files`] gave them, several at a time, and gives each to
    /// `work` on the thread that read it. Answers in the order of `files`.
    pub fn read_texts<R: Send>(
        &self,
        files: &[(VfsPath, Option<Hash>)],
        work: impl Fn(&VfsPath, Result<String, VfsError>) -> R + Sync,
    ) -> Vec<R> {
        let set_aside = self.sidecars.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        together(files, |(path, hash)| {
            let bytes = hash.and_then(|hash| set_aside.get(&hash));
            let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
            work(path, text.map_or_else(|| self.read_text(path), |text| Ok(text.to_owned())))
        })
    }

    /// Keeps what was read to be hashed, if it is likely to be asked for next.
    pub(crate) fn set_aside(&self, path: &VfsPath, hash: Hash, bytes: Vec<u8>) {
        if bytes.len() > SMALL_FILE || !path.name().starts_with('.') {
            return;
        }
        if let Some(set_aside) = &mut *self.sidecars.lock().unwrap_or_else(PoisonError::into_inner)
            && set_aside.len() < MOST_SET_ASIDE
        {
            set_aside.insert(hash, bytes);
        }
    }
}
