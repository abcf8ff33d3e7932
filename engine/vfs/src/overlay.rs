use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use zero_base::Hash;

use crate::VfsPath;

#[derive(Clone)]
pub(crate) struct Content {
    pub bytes: Arc<[u8]>,
    pub hash: Hash,
}

impl Content {
    pub fn new(bytes: &[u8]) -> Content {
        Content { bytes: bytes.into(), hash: Hash::of(bytes) }
    }
}

/// What lies over a path, and who put it there.
#[derive(Clone)]
pub(crate) struct Written<O> {
    /// None: the file is removed.
    pub content: Option<Content>,
    pub owner: O,
}

impl<O> Written<O> {
    fn bytes(&self) -> u64 {
        self.content.as_ref().map_or(0, |content| content.bytes.len() as u64)
    }
}

/// Files written or removed without touching what lies below: the uncommitted writes of open
/// transactions, and the play shadow.
pub(crate) struct Overlay<O> {
    files: BTreeMap<VfsPath, Written<O>>,
    /// Bytes of all contents together.
    bytes: u64,
    /// Folders removed with all that was in them.
    removed_folders: BTreeMap<VfsPath, O>,
}

impl<O> Overlay<O> {
    pub fn new() -> Overlay<O> {
        Overlay { files: BTreeMap::new(), bytes: 0, removed_folders: BTreeMap::new() }
    }

    pub fn get(&self, path: &VfsPath) -> Option<&Written<O>> {
        self.files.get(path)
    }

    pub fn set(&mut self, path: VfsPath, written: Option<Written<O>>) -> Option<Written<O>> {
        self.bytes += written.as_ref().map_or(0, Written::bytes);
        let previous = match written {
            Some(written) => self.files.insert(path, written),
            None => self.files.remove(&path),
        };
        self.bytes -= previous.as_ref().map_or(0, Written::bytes);
        previous
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Answers whether the folder was not removed before.
    pub fn remove_folder(&mut self, path: VfsPath, owner: O) -> bool {
        self.removed_folders.insert(path, owner).is_none()
    }

    /// Answers who had removed it.
    pub fn restore_folder(&mut self, path: &VfsPath) -> Option<O> {
        self.removed_folders.remove(path)
    }

    pub fn removed_folders(&self) -> impl Iterator<Item = &VfsPath> {
        self.removed_folders.keys()
    }

    /// Whether `path` lies in a removed folder. Files written there since show all the same.
    pub fn hides(&self, path: &VfsPath) -> bool {
        !self.removed_folders.is_empty()
            && (self.removed_folders.contains_key(path)
                || path.ancestors().any(|ancestor| self.removed_folders.contains_key(&ancestor)))
    }

    /// What lies strictly below `folder`, in order.
    pub fn below(&self, folder: &VfsPath) -> impl Iterator<Item = (&VfsPath, &Written<O>)> {
        below(&self.files, folder)
    }

    pub fn touches_below(&self, folder: &VfsPath) -> bool {
        self.below(folder).next().is_some() || below(&self.removed_folders, folder).next().is_some()
    }

    pub fn files(&self) -> impl Iterator<Item = (&VfsPath, &Written<O>)> {
        self.files.iter()
    }

    /// Who first, other than those `mine` names, has put something at `path`, above it or below it.
    pub fn owner_in_the_way(&self, path: &VfsPath, mine: impl Fn(&O) -> bool) -> Option<(&VfsPath, &O)> {
        let at_or_above = |place: VfsPath| {
            let file = self.files.get_key_value(&place).map(|(path, written)| (path, &written.owner));
            file.into_iter().chain(self.removed_folders.get_key_value(&place))
        };
        std::iter::once(path.clone())
            .chain(path.ancestors())
            .flat_map(at_or_above)
            .chain(self.below(path).map(|(path, written)| (path, &written.owner)))
            .chain(below(&self.removed_folders, path))
            .find(|(_, owner)| !mine(owner))
    }
}

/// The entries strictly below `folder`: their keys lie between `folder/` and `folder0`, because
/// `0` follows `/`.
fn below<'a, T>(map: &'a BTreeMap<VfsPath, T>, folder: &VfsPath) -> impl Iterator<Item = (&'a VfsPath, &'a T)> {
    let stem = folder.as_str().trim_end_matches('/');
    let (start, end) = (format!("{stem}/"), format!("{stem}0"));
    map.range::<str, _>((Bound::Excluded(start.as_str()), Bound::Excluded(end.as_str())))
}
