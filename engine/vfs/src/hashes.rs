use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use zero_base::{Hash, Io, Metadata};

use crate::VfsPath;

/// Hashes of files on disk, so that an unchanged one is not read again.
///
/// A file counts as unchanged when size, time and inode are what they were when it was hashed,
/// and it had been left alone for a while by then: a change within the same tick of the disk's
/// clock does not show.
#[derive(Default)]
pub(crate) struct Hashes {
    files: BTreeMap<VfsPath, Hashed>,
}

#[derive(Clone, Copy)]
struct Hashed {
    hash: Hash,
    size: u64,
    modified_nanos: i128,
    inode: u64,
}

/// The coarsest clock of a file system in use (FAT) ticks every two seconds.
const TICK_NANOS: i128 = 2_000_000_000;

const TITLE: &str = "zero-hashes 1";

/// What is remembered from one opening of the world to the next.
#[derive(Default)]
pub(crate) struct Remembered {
    /// The last commit that `known` accounts for.
    pub as_of: u64,
    /// The content every file had when it was last looked at.
    pub known: BTreeMap<VfsPath, Hash>,
    pub hashes: Hashes,
}

impl Hashes {
    pub fn get(&self, path: &VfsPath, found: &Metadata) -> Option<Hash> {
        self.files.get(path).filter(|hashed| hashed.is_of(found)).map(|hashed| hashed.hash)
    }

    /// `found` is what the file looked like before it was read.
    pub fn learn(&mut self, path: &VfsPath, found: &Metadata, hash: Hash) {
        self.learn_at(path, found, hash, now_nanos());
    }

    fn learn_at(&mut self, path: &VfsPath, found: &Metadata, hash: Hash, now_nanos: i128) {
        if found.modified_nanos + TICK_NANOS < now_nanos {
            let Metadata { size, modified_nanos, inode, .. } = *found;
            self.files.insert(path.clone(), Hashed { hash, size, modified_nanos, inode });
        } else {
            self.files.remove(path);
        }
    }
}

impl Hashed {
    fn is_of(&self, found: &Metadata) -> bool {
        self.size == found.size && self.modified_nanos == found.modified_nanos && self.inode == found.inode
    }
}

impl Remembered {
    /// None when there is no such file, or it is not whole.
    pub fn load(io: &dyn Io, path: &Path) -> Option<Remembered> {
        let saved_nanos = io.metadata(path).ok()?.modified_nanos;
        let text = String::from_utf8(io.read(path).ok()?).ok()?;
        let (title, body) = text.split_once('\n')?;
        let mut title = title.strip_prefix(TITLE)?.split_whitespace();
        let mut remembered = Remembered { as_of: title.next()?.parse().ok()?, ..Remembered::default() };
        if title.next()? != Hash::of(body.as_bytes()).to_string() {
            return None;
        }
        body.lines().try_for_each(|line| remembered.read_line(line, saved_nanos))?;
        Some(remembered)
    }

    /// `<hash> <size> <time> <inode> <path>`, or dashes where the file must be read again.
    fn read_line(&mut self, line: &str, saved_nanos: i128) -> Option<()> {
        let mut fields = line.splitn(5, ' ');
        let mut field = || fields.next();
        let hash = field()?.parse().ok()?;
        let (size, modified, inode) = (field()?, field()?, field()?);
        let path = VfsPath::parse(field()?).ok()?;
        if let (Ok(size), Ok(modified_nanos), Ok(inode)) = (size.parse(), modified.parse(), inode.parse())
            && modified_nanos < saved_nanos
        {
            self.hashes.files.insert(path.clone(), Hashed { hash, size, modified_nanos, inode });
        }
        self.known.insert(path, hash);
        Some(())
    }
}

/// Writes what [`Remembered::load`] reads: beside, then renamed into place, and synced.
pub(crate) fn save(
    io: &dyn Io,
    path: &Path,
    as_of: u64,
    known: &BTreeMap<VfsPath, Hash>,
    hashes: &Hashes,
) -> io::Result<()> {
    let mut body = String::new();
    for (path, hash) in known {
        let line = match hashes.files.get(path).filter(|hashed| hashed.hash == *hash) {
            Some(hashed) => writeln!(body, "{hash} {} {} {} {path}", hashed.size, hashed.modified_nanos, hashed.inode),
            None => writeln!(body, "{hash} - - - {path}"),
        };
        line.expect("writing to a string cannot fail");
    }
    let text = format!("{TITLE} {as_of} {}\n{body}", Hash::of(body.as_bytes()));
    let beside = path.with_extension("new");
    io.write(&beside, text.as_bytes())?;
    io.sync_file(&beside)?;
    io.rename(&beside, path)?;
    io.sync_dir(path.parent().expect("the cache lies in a folder"))
}

fn now_nanos() -> i128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i128)
}

#[cfg(test)]
mod tests {
    use zero_base::{FileKind, SimIo};

    use super::*;

    const MODIFIED: i128 = 50_000_000_000;

    fn found(size: u64, modified_nanos: i128, inode: u64) -> Metadata {
        Metadata { kind: FileKind::File, size, modified_nanos, inode }
    }

    fn path(name: &str) -> VfsPath {
        VfsPath::parse(&format!("/zero/source/{name}")).unwrap()
    }

    #[test]
    fn a_change_of_size_time_or_inode_is_a_change() {
        let mut hashes = Hashes::default();
        let (file, hash) = (path("a"), Hash::of(b"1"));
        hashes.learn(&file, &found(1, MODIFIED, 7), hash);
        assert_eq!(hashes.get(&file, &found(1, MODIFIED, 7)), Some(hash));
        for other in [found(2, MODIFIED, 7), found(1, MODIFIED + 1, 7), found(1, MODIFIED, 8)] {
            assert_eq!(hashes.get(&file, &other), None);
        }
    }

    #[test]
    fn a_file_hashed_right_after_its_change_is_not_trusted() {
        let mut hashes = Hashes::default();
        let file = path("a");
        hashes.learn_at(&file, &found(1, MODIFIED, 7), Hash::of(b"1"), MODIFIED + TICK_NANOS);
        assert_eq!(hashes.get(&file, &found(1, MODIFIED, 7)), None);
        hashes.learn_at(&file, &found(1, MODIFIED, 7), Hash::of(b"1"), MODIFIED + TICK_NANOS + 1);
        assert!(hashes.get(&file, &found(1, MODIFIED, 7)).is_some());
    }

    #[test]
    fn what_is_saved_comes_back_unless_it_is_damaged_or_too_young() {
        let io = SimIo::new();
        let cache = Path::new("/hashes");
        let mut hashes = Hashes::default();
        let old = found(1, 0, 7);
        hashes.learn(&path("old"), &old, Hash::of(b"old"));
        // The simulated clock counts from zero: nothing it saves is as late as this.
        let young = found(1, MODIFIED, 8);
        hashes.learn(&path("young"), &young, Hash::of(b"young"));
        let known = ["old", "young", "unhashed"].map(|name| (path(name), Hash::of(name.as_bytes())));
        let known = BTreeMap::from(known);
        save(&io, cache, 42, &known, &hashes).unwrap();

        let loaded = Remembered::load(&io, cache).unwrap();
        assert_eq!((loaded.as_of, &loaded.known), (42, &known));
        assert_eq!(loaded.hashes.get(&path("old"), &old), Some(Hash::of(b"old")));
        assert_eq!(loaded.hashes.get(&path("young"), &young), None, "its time is not before the cache's");

        io.append(cache, b"x").unwrap();
        assert!(Remembered::load(&io, cache).is_none());
    }
}
