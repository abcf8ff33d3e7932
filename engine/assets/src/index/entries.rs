use std::collections::{BTreeMap, BTreeSet, HashMap};

use zero_base::Guid;
use zero_vfs::VfsPath;

use crate::asset::Asset;
use crate::layout::Found;
use crate::metadata::Metadata;
use crate::types::IdentityRule;

/// One indexed asset.
#[derive(Debug)]
pub(crate) struct Entry {
    pub asset: Asset,
    /// The qualified path identity; differs from the identity where the type has its own rule.
    pub address: String,
    /// The name by the type's own rule, free of any root; none under the path rule.
    pub loose: Option<String>,
    pub metadata: Metadata,
}

/// A place in the order in which declarations of the same thing win: root rank, then path.
type Ranked = (u8, VfsPath);

/// The assets and every way of looking one up.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    by_path: BTreeMap<VfsPath, Entry>,
    by_type: HashMap<String, BTreeSet<VfsPath>>,
    by_name: HashMap<String, Few<VfsPath>>,
    /// Qualified identities and addresses.
    by_identity: HashMap<String, Few<Ranked>>,
    by_loose: HashMap<String, Few<Ranked>>,
    /// Guids as written; the first of each keeps it.
    written: HashMap<Guid, Few<Ranked>>,
    /// Guids in force: written or derived, one asset each.
    by_guid: HashMap<Guid, VfsPath>,
}

/// Values in order, each once. Nearly always there is one.
#[derive(Debug)]
struct Few<T>(Vec<T>);

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few(Vec::new())
    }
}

impl<T: Ord> Few<T> {
    fn insert(&mut self, value: T) {
        if let Err(place) = self.0.binary_search(&value) {
            if self.0.is_empty() {
                self.0.reserve_exact(1);
            }
            self.0.insert(place, value);
        }
    }

    fn remove(&mut self, value: &T) {
        if let Ok(place) = self.0.binary_search(value) {
            self.0.remove(place);
        }
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Entries {
    pub fn all(&self) -> impl Iterator<Item = &Entry> {
        self.by_path.values()
    }

    pub fn at(&self, path: &VfsPath) -> Option<&Entry> {
        self.by_path.get(path)
    }

    /// The assets inside a folder, itself left out.
    pub fn below(&self, folder: &VfsPath) -> impl Iterator<Item = &Entry> + use<'_> {
        use std::ops::Bound::{Excluded, Unbounded};
        // Names that continue the folder's own (`a-b` after `a`) sort among its content.
        let folder = folder.clone();
        let prefix = folder.as_str().to_owned();
        let from_here = self.by_path.range((Excluded(folder.clone()), Unbounded));
        from_here
            .take_while(move |(path, _)| path.as_str().starts_with(&prefix))
            .filter(move |(path, _)| path.starts_with(&folder))
            .map(|(_, entry)| entry)
    }

    pub fn of_type(&self, type_name: &str) -> impl Iterator<Item = &Entry> {
        self.by_type.get(type_name).into_iter().flatten().map(|path| &self.by_path[path])
    }

    pub fn named(&self, name: &str) -> impl Iterator<Item = &Entry> {
        self.by_name.get(name).into_iter().flatten().map(|path| &self.by_path[path])
    }

    pub fn by_guid(&self, guid: &Guid) -> Option<&Entry> {
        self.by_guid.get(guid).map(|path| &self.by_path[path])
    }

    /// The assets of a qualified identity or address, those that keep the name first.
    pub fn identified(&self, qualified: &str) -> impl Iterator<Item = &Entry> {
        self.by_identity.get(qualified).into_iter().flatten().map(|(_, path)| &self.by_path[path])
    }

    /// The assets that their type's own rule gives this name, in any root.
    pub fn loosely_named(&self, name: &str) -> impl Iterator<Item = &Entry> {
        self.by_loose.get(name).into_iter().flatten().map(|(_, path)| &self.by_path[path])
    }

    /// Every identity that more than one asset answers to.
    pub fn shared_identities(&self) -> impl Iterator<Item = (&String, Vec<&Entry>)> {
        let shared = self.by_identity.iter().chain(&self.by_loose).filter(|(_, paths)| paths.0.len() > 1);
        shared.map(|(identity, paths)| (identity, paths.into_iter().map(|(_, path)| &self.by_path[path]).collect()))
    }

    /// Every guid that is written in more than one asset.
    pub fn shared_guids(&self) -> impl Iterator<Item = (&Guid, Vec<&Entry>)> {
        let shared = self.written.iter().filter(|(_, paths)| paths.0.len() > 1);
        shared.map(|(guid, paths)| (guid, paths.into_iter().map(|(_, path)| &self.by_path[path]).collect()))
    }

    /// Adds an asset. Answers the assets whose guid changed because of it.
    pub fn add(&mut self, found: Found, metadata: Metadata) -> Vec<VfsPath> {
        let Found { path, root, name, info, identity, address } = found;
        let ranked = (root.rank(), path.clone());
        if identity != address {
            self.by_identity.entry(address.clone()).or_default().insert(ranked.clone());
        }
        self.by_identity.entry(identity.clone()).or_default().insert(ranked.clone());
        let loose = match info.identity {
            IdentityRule::Path => None,
            _ => Some(identity.split_once("::").map_or(identity.as_str(), |(_, bare)| bare).to_owned()),
        };
        if let Some(loose) = &loose {
            self.by_loose.entry(loose.clone()).or_default().insert(ranked.clone());
        }
        self.by_type.entry(info.name.clone()).or_default().insert(path.clone());
        self.by_name.entry(name.clone()).or_default().insert(path.clone());
        let asset = Asset {
            identity,
            name,
            type_name: info.name.clone(),
            // The guid in force depends on who else claims it; set below.
            guid: Guid::derived(path.as_str()),
            path: path.clone(),
            root,
            tags: metadata.tags.clone(),
            description: metadata.description.clone(),
        };
        let written = metadata.guid;
        self.by_path.insert(path.clone(), Entry { asset, address, loose, metadata });
        match written {
            None => {
                self.take_derived_guid(&path);
                Vec::new()
            }
            Some(guid) => {
                self.written.entry(guid).or_default().insert(ranked);
                self.settle_guid(&guid).into_iter().filter(|shifted| shifted != &path).collect()
            }
        }
    }

    /// Removes an asset. Answers it, and the assets whose guid changed because of it.
    pub fn remove(&mut self, path: &VfsPath) -> Option<(Entry, Vec<VfsPath>)> {
        let entry = self.by_path.remove(path)?;
        let ranked = (entry.asset.root.rank(), path.clone());
        drop_from(&mut self.by_identity, &entry.asset.identity, &ranked);
        drop_from(&mut self.by_identity, &entry.address, &ranked);
        if let Some(loose) = &entry.loose {
            drop_from(&mut self.by_loose, loose, &ranked);
        }
        if let Some(paths) = self.by_type.get_mut(&entry.asset.type_name) {
            paths.remove(path);
            if paths.is_empty() {
                self.by_type.remove(&entry.asset.type_name);
            }
        }
        drop_from(&mut self.by_name, &entry.asset.name, path);
        if self.by_guid.get(&entry.asset.guid) == Some(path) {
            self.by_guid.remove(&entry.asset.guid);
        }
        let mut shifted = Vec::new();
        if let Some(guid) = entry.metadata.guid {
            drop_from(&mut self.written, &guid, &ranked);
            shifted = self.settle_guid(&guid);
        }
        Some((entry, shifted))
    }

    /// Gives a written guid to the first that claims it and derived ones to the rest. Answers
    /// those whose guid changed.
    fn settle_guid(&mut self, guid: &Guid) -> Vec<VfsPath> {
        let claims: Vec<VfsPath> = self.written.get(guid).into_iter().flatten().map(|(_, path)| path.clone()).collect();
        let mut shifted = Vec::new();
        for (index, path) in claims.iter().enumerate() {
            let before = self.by_path[path].asset.guid;
            if index == 0 {
                // An asset that was derived this very guid moves on to another.
                let displaced = self.by_guid.get(guid).filter(|owner| *owner != path).cloned();
                self.set_guid(path, *guid);
                if let Some(displaced) = displaced.filter(|owner| !claims.contains(owner)) {
                    self.take_derived_guid(&displaced);
                    shifted.push(displaced);
                }
            } else {
                self.take_derived_guid(path);
            }
            if self.by_path[path].asset.guid != before {
                shifted.push(path.clone());
            }
        }
        shifted
    }

    fn take_derived_guid(&mut self, path: &VfsPath) {
        let asset = &self.by_path[path].asset;
        let by_name = Guid::derived(&format!("{}\n{}\n{}", asset.root, asset.identity, asset.type_name));
        let free = self.by_guid.get(&by_name).is_none_or(|owner| owner == path);
        let guid = if free { by_name } else { Guid::derived(path.as_str()) };
        self.set_guid(path, guid);
    }

    fn set_guid(&mut self, path: &VfsPath, guid: Guid) {
        let Some(entry) = self.by_path.get_mut(path) else { return };
        let before = std::mem::replace(&mut entry.asset.guid, guid);
        if self.by_guid.get(&before) == Some(path) {
            self.by_guid.remove(&before);
        }
        self.by_guid.insert(guid, path.clone());
    }

    /// Whether the asset at `found.path` is exactly what was found there.
    pub fn agrees(&self, found: &Found) -> bool {
        self.by_path.get(&found.path).is_some_and(|entry| {
            entry.asset.identity == found.identity
                && entry.address == found.address
                && entry.asset.type_name == found.info.name
                && entry.asset.root == found.root
        })
    }
}

fn drop_from<K, V>(map: &mut HashMap<K, Few<V>>, key: &K, value: &V)
where
    K: std::hash::Hash + Eq,
    V: Ord,
{
    if let Some(values) = map.get_mut(key) {
        values.remove(value);
        if values.0.is_empty() {
            map.remove(key);
        }
    }
}
