use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use zero_base::{FileKind, Metadata};

use crate::disk::{Folder, is_absence};
use crate::error::io_error;
use crate::path::{TEMPORARY_PREFIX, expressible};
use crate::{VfsError, VfsPath};

/// Fewer folders, or files, than this are looked at where they are asked for: threads would cost
/// more than they save.
const FEW: usize = 32;

/// Everything below a folder, from one look at each file and folder. No link is followed: none
/// is entered or listed.
#[derive(Default)]
pub(crate) struct Scan {
    /// In path order. Without metadata, the file could not be looked at.
    pub files: Vec<(VfsPath, Option<Metadata>)>,
    /// What writing left behind when it was interrupted.
    pub temporaries: Vec<PathBuf>,
    /// Folders that could not be looked into, in path order: what lies in them is not known.
    pub unread: Vec<(VfsPath, VfsError)>,
}

/// A folder to look into; `number` is its place among the results.
struct Job {
    path: VfsPath,
    place: PathBuf,
    number: usize,
}

enum Item {
    File(VfsPath, Option<Metadata>),
    Folder(usize),
}

#[derive(Default)]
struct Listed {
    /// In path order.
    items: Vec<Item>,
    temporaries: Vec<PathBuf>,
    unread: Option<(VfsPath, VfsError)>,
}

/// Shared by the threads of a scan.
struct Work {
    waiting: Vec<Job>,
    next_number: usize,
    /// Threads that may still find folders.
    busy: usize,
}

type Skip<'a> = &'a (dyn Fn(&VfsPath) -> bool + Sync);

impl Folder {
    /// Looks at everything below the folder at `path`, without going into what `skip` names. The
    /// result does not depend on the number of threads.
    pub fn scan(&self, path: &VfsPath, skip: Skip) -> Scan {
        let top = Job { path: path.clone(), place: self.disk_path(path), number: 0 };
        let mut work = Work { waiting: vec![top], next_number: 1, busy: 0 };
        let mut results = Vec::new();
        while let Some(job) = work.waiting.pop() {
            results.push((job.number, self.look_into(&job, skip, |found| work.add(found))));
            if work.waiting.len() >= FEW {
                break;
            }
        }
        if !work.waiting.is_empty() {
            results.append(&mut self.scan_together(work, skip));
        }
        results.sort_unstable_by_key(|(number, _)| *number);
        let mut scan = Scan::default();
        let mut listed: Vec<Listed> = results.into_iter().map(|(_, listed)| listed).collect();
        gather(&mut listed, 0, &mut scan);
        scan
    }

    fn scan_together(&self, work: Work, skip: Skip) -> Vec<(usize, Listed)> {
        let work = Mutex::new(work);
        let more = Condvar::new();
        thread::scope(|scope| {
            let work = || self.scan_some((&work, &more), skip);
            let others: Vec<_> = (1..threads()).map(|_| scope.spawn(work)).collect();
            let mut results = work();
            for other in others {
                results.append(&mut other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            results
        })
    }

    fn scan_some(&self, (work, more): (&Mutex<Work>, &Condvar), skip: Skip) -> Vec<(usize, Listed)> {
        let mut results = Vec::new();
        let mut state = lock(work);
        loop {
            if let Some(job) = state.waiting.pop() {
                state.busy += 1;
                drop(state);
                // Counts as done even if it panics: nobody waits for it then.
                let done = Done { work, more };
                let listed = self.look_into(&job, skip, |found| {
                    let numbered = lock(work).add(found);
                    more.notify_all();
                    numbered
                });
                drop(done);
                results.push((job.number, listed));
                state = lock(work);
            } else if state.busy == 0 {
                return results;
            } else {
                state = more.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// `add` takes the folders in it, in the order of `items`, and answers the number of the first.
    fn look_into(&self, job: &Job, skip: Skip, add: impl FnOnce(Vec<(VfsPath, PathBuf)>) -> usize) -> Listed {
        let mut listed = Listed::default();
        let mut entries = match self.io.read_dir(&job.place) {
            Ok(entries) => entries,
            Err(error) if is_absence(error.kind()) => return listed,
            Err(error) => {
                let error = io_error("list", &job.path)(error);
                tracing::warn!(path = %job.path, %error, "a folder is left out");
                listed.unread = Some((job.path.clone(), error));
                return listed;
            }
        };
        entries.retain(|entry| {
            let temporary = entry.kind == FileKind::File && entry.name.starts_with(TEMPORARY_PREFIX);
            if temporary {
                listed.temporaries.push(job.place.join(&entry.name));
            }
            matches!(entry.kind, FileKind::File | FileKind::Folder) && expressible(&entry.name)
        });
        // Paths sort by what lies in folders, so a folder sorts as if its name ended in a slash.
        entries.sort_by(|a, b| sort_key(&a.name, a.kind).cmp(sort_key(&b.name, b.kind)));
        let mut folders = Vec::new();
        for entry in entries {
            // None: too deep or too long to be named.
            let Some(path) = job.path.child(&entry.name) else { continue };
            let place = job.place.join(&entry.name);
            if entry.kind == FileKind::Folder {
                if !skip(&path) {
                    // Numbered below.
                    listed.items.push(Item::Folder(folders.len()));
                    folders.push((path, place));
                }
                continue;
            }
            match self.io.metadata(&place) {
                Ok(found) if found.kind == FileKind::File => listed.items.push(Item::File(path, Some(found))),
                Ok(_) => {}
                Err(error) if is_absence(error.kind()) => {}
                Err(error) => {
                    tracing::warn!(%path, %error, "a file cannot be looked at");
                    listed.items.push(Item::File(path, None));
                }
            }
        }
        if !folders.is_empty() {
            let first = add(folders);
            for item in &mut listed.items {
                if let Item::Folder(number) = item {
                    *number += first;
                }
            }
        }
        listed
    }
}

impl Work {
    fn add(&mut self, folders: Vec<(VfsPath, PathBuf)>) -> usize {
        let first = self.next_number;
        self.next_number += folders.len();
        let numbered = folders.into_iter().zip(first..);
        self.waiting.extend(numbered.map(|((path, place), number)| Job { path, place, number }));
        first
    }
}

struct Done<'a> {
    work: &'a Mutex<Work>,
    more: &'a Condvar,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let mut work = lock(self.work);
        work.busy -= 1;
        if work.busy == 0 {
            self.more.notify_all();
        }
    }
}

fn sort_key(name: &str, kind: FileKind) -> impl Iterator<Item = u8> {
    name.bytes().chain((kind == FileKind::Folder).then_some(b'/'))
}

fn gather(listed: &mut [Listed], number: usize, scan: &mut Scan) {
    let Listed { items, mut temporaries, unread } = std::mem::take(&mut listed[number]);
    scan.temporaries.append(&mut temporaries);
    scan.unread.extend(unread);
    for item in items {
        match item {
            Item::File(path, found) => scan.files.push((path, found)),
            Item::Folder(number) => gather(listed, number, scan),
        }
    }
}

fn lock(work: &Mutex<Work>) -> MutexGuard<'_, Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `work` on every item, by several threads; the results in the order of the items.
pub(crate) fn together<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if items.len() < FEW {
        return items.iter().map(work).collect();
    }
    // Small enough that no thread is left with much more to do than the others.
    const CHUNK: usize = 16;
    let next = AtomicUsize::new(0);
    let some = || {
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = items.chunks(CHUNK).nth(number) else { return results };
            results.push((number, chunk.iter().map(&work).collect::<Vec<R>>()));
        }
    };
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads()).map(|_| scope.spawn(some)).collect();
        let mut results = some();
        for other in others {
            results.append(&mut other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().flat_map(|(_, results)| results).collect()
}

/// How many threads look at a disk together.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use zero_base::RealIo;

    use super::*;

    #[test]
    fn a_scan_by_many_threads_is_a_walk_in_path_order() {
        let disk = tempfile::tempdir().unwrap();
        for number in 0..200 {
            let folder = disk.path().join(format!("g{}/p{number}.module/deep", number % 3));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("a"), "a").unwrap();
            fs::write(folder.with_file_name("deep-er"), "b").unwrap();
        }
        fs::write(disk.path().join(format!("g1/{TEMPORARY_PREFIX}1")), "").unwrap();
        fs::create_dir_all(disk.path().join("skipped")).unwrap();
        fs::write(disk.path().join("skipped/a"), "").unwrap();
        let at = VfsPath::parse("/zero/source").unwrap();
        let folder = Folder::new(Arc::new(RealIo), disk.path().to_owned(), at.clone());
        let skip = |path: &VfsPath| path.name() == "skipped";

        let scan = folder.scan(&at, &skip);
        let mut walked = Vec::new();
        folder.each_file_below(&at, &skip, &mut |file| walked.push(file));
        walked.sort();
        let scanned: Vec<VfsPath> = scan.files.iter().map(|(file, _)| file.clone()).collect();
        assert_eq!((scanned.len(), &scanned), (400, &walked));
        assert!(scan.files.iter().all(|(file, found)| *found == folder.look_at_file(file).unwrap()));
        assert_eq!(scan.temporaries, [disk.path().join(format!("g1/{TEMPORARY_PREFIX}1"))]);
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        assert_eq!(together(&items, |item| item * 2), (0..2000).step_by(2).collect::<Vec<_>>());
    }
}
