use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use zero_base::{Hash, Io, Metadata};

use crate::VfsPath;
use crate::cache::{self, Durability};

/// Hashes of files on disk, so that an unchanged one is not read again.
///
/// A file counts as unchanged when size, time and inode are what they were when it was hashed,
/// and it had been left alone for a while by then: a change within the same tick of the disk's
/// clock does not show.
#[derive(Default)]
pub(crate) struct Hashes {
    files: BTreeMap<VfsPath, Hashed>,
    /// Something is not as it was when it was saved.
    pub changed: bool,
    /// The file it was saved to.
    pub saved: Option<Metadata>,
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

const TITLE: &str = "zero-hashes 2";

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

    /// The same for many files, which must be in path order.
    pub fn get_sorted(&self, files: &[(VfsPath, Option<Metadata>)]) -> Vec<Option<Hash>> {
        let Some((first, _)) = files.first() else { return Vec::new() };
        let mut hashed = self.files.range(first.clone()..).peekable();
        let of_file = |(path, found): &(VfsPath, Option<Metadata>)| {
            while hashed.next_if(|(other, _)| *other < path).is_some() {}
            let (_, hashed) = hashed.next_if(|(other, _)| *other == path)?;
            found.as_ref().filter(|found| hashed.is_of(found)).map(|_| hashed.hash)
        };
        files.iter().map(of_file).collect()
    }

    /// `found` is what the file looked like before it was read.
    pub fn learn(&mut self, path: &VfsPath, found: &Metadata, hash: Hash) {
        self.learn_at(path, found, hash, now_nanos());
    }

    /// The same for many files, in path order, of which none was read before `now_nanos`.
    pub fn learn_sorted(&mut self, files: Vec<(VfsPath, Metadata, Hash)>, now_nanos: i128) {
        if !self.files.is_empty() {
            files.iter().for_each(|(path, found, hash)| self.learn_at(path, found, *hash, now_nanos));
            return;
        }
        let settled = files.into_iter().filter(|(_, found, _)| is_settled(found, now_nanos));
        self.files = settled.map(|(path, found, hash)| (path, Hashed::new(&found, hash))).collect();
        self.changed |= !self.files.is_empty();
    }

    fn learn_at(&mut self, path: &VfsPath, found: &Metadata, hash: Hash, now_nanos: i128) {
        if is_settled(found, now_nanos) {
            self.files.insert(path.clone(), Hashed::new(found, hash));
            self.changed = true;
        } else {
            self.changed |= self.files.remove(path).is_some();
        }
    }
}

fn is_settled(found: &Metadata, now_nanos: i128) -> bool {
    found.modified_nanos + TICK_NANOS < now_nanos
}

impl Hashed {
    fn new(found: &Metadata, hash: Hash) -> Hashed {
        let Metadata { size, modified_nanos, inode, .. } = *found;
        Hashed { hash, size, modified_nanos, inode }
    }

    fn is_of(&self, found: &Metadata) -> bool {
        self.size == found.size && self.modified_nanos == found.modified_nanos && self.inode == found.inode
    }
}

// The file holds the number of the last commit, then for each path, in order: the length of
// what it shares with the path before, the length of the rest, the rest, the hash of the
// content, and one byte. Where that is 1, size, time and inode follow; where it is 0, the file
// must be read again. Numbers are little-endian.

impl Remembered {
    /// None when there is no such file, or it is not whole.
    pub fn load(io: &dyn Io, path: &Path) -> Option<Remembered> {
        let saved = io.metadata(path).ok()?;
        let body = cache::load(io, path, TITLE)?;
        let mut rest = Reader(&body);
        let as_of = u64::from_le_bytes(rest.array()?);
        let (mut known, mut files) = (Vec::new(), Vec::new());
        let mut path = String::new();
        while !rest.0.is_empty() {
            let shared = usize::from(u16::from_le_bytes(rest.array()?));
            let length = usize::from(u16::from_le_bytes(rest.array()?));
            if !path.is_char_boundary(shared) {
                return None;
            }
            path.truncate(shared);
            path.push_str(std::str::from_utf8(rest.take(length)?).ok()?);
            let path = VfsPath::parse(&path).ok()?;
            let hash = Hash::from_bytes(rest.array()?);
            if rest.array()? == [1] {
                let size = u64::from_le_bytes(rest.array()?);
                let modified_nanos = i128::from_le_bytes(rest.array()?);
                let inode = u64::from_le_bytes(rest.array()?);
                if modified_nanos < saved.modified_nanos {
                    files.push((path.clone(), Hashed { hash, size, modified_nanos, inode }));
                }
            }
            known.push((path, hash));
        }
        let hashes = Hashes { files: files.into_iter().collect(), changed: false, saved: Some(saved) };
        Some(Remembered { as_of, known: known.into_iter().collect(), hashes })
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }
}

/// Writes what [`Remembered::load`] reads.
pub(crate) fn save(
    (io, path): (&dyn Io, &Path),
    as_of: u64,
    (known, hashes): (&BTreeMap<VfsPath, Hash>, &Hashes),
    durability: Durability,
) -> io::Result<()> {
    let mut body = Vec::with_capacity(known.len() * 128);
    body.extend(as_of.to_le_bytes());
    let mut hashed = hashes.files.iter().peekable();
    let mut before = "";
    for (path, hash) in known {
        let text = path.as_str();
        let mut shared = text.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
        while !text.is_char_boundary(shared) {
            shared -= 1;
        }
        // A path is at most 4096 bytes long.
        body.extend((shared as u16).to_le_bytes());
        body.extend(((text.len() - shared) as u16).to_le_bytes());
        body.extend_from_slice(&text.as_bytes()[shared..]);
        body.extend_from_slice(hash.as_bytes());
        while hashed.next_if(|(other, _)| *other < path).is_some() {}
        match hashed.next_if(|(other, _)| *other == path).filter(|(_, hashed)| hashed.hash == *hash) {
            None => body.push(0),
            Some((_, Hashed { size, modified_nanos, inode, .. })) => {
                body.push(1);
                body.extend(size.to_le_bytes());
                body.extend(modified_nanos.to_le_bytes());
                body.extend(inode.to_le_bytes());
            }
        }
        before = text;
    }
    cache::save(io, path, (TITLE, &body), durability)
}

pub(crate) fn now_nanos() -> i128 {
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
        save((&io, cache), 42, (&known, &hashes), Durability::Now).unwrap();

        let loaded = Remembered::load(&io, cache).unwrap();
        assert_eq!((loaded.as_of, &loaded.known), (42, &known));
        assert_eq!(loaded.hashes.get(&path("old"), &old), Some(Hash::of(b"old")));
        assert_eq!(loaded.hashes.get(&path("young"), &young), None, "its time is not before the cache's");

        io.append(cache, b"x").unwrap();
        assert!(Remembered::load(&io, cache).is_none());
    }
}
