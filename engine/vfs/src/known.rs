use zero_base::Hash;

use crate::mounts::Place;
use crate::scan::together;
use crate::{Vfs, VfsError, VfsPath};

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

    /// Reads many files, several at a time, and gives each to `work` on the thread that read it.
    /// Answers in the order of `paths`.
    pub fn read_texts<R: Send>(
        &self,
        paths: &[VfsPath],
        work: impl Fn(&VfsPath, Result<String, VfsError>) -> R + Sync,
    ) -> Vec<R> {
        together(paths, |path| work(path, self.read_text(path)))
    }
}
