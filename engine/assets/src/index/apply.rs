use std::collections::{BTreeMap, BTreeSet, HashMap};

use zero_vfs::{FileEvent, Kind, Vfs, VfsPath};

use super::Assets;
use crate::asset::{Asset, AssetEvent, AssetEventKind};
use crate::layout::Found;
use crate::metadata::{self, METADATA, Metadata};
use crate::root::{Root, place};
use crate::types::{TYPE_FILE, is_type_folder};

/// What changed in the index.
#[derive(Default)]
pub(super) struct Settled {
    removed: Vec<Asset>,
    added: BTreeSet<VfsPath>,
    /// Assets that stayed and were given another guid.
    shifted: BTreeSet<VfsPath>,
}

impl Assets {
    /// Takes in what happened to files. One file costs a look at the folders it lies in; only a
    /// change of what types or stated names say about places looks at every name again, and
    /// reads nothing it has read before.
    pub fn apply(&mut self, vfs: &Vfs, events: &[FileEvent]) -> Vec<AssetEvent> {
        self.refresh(vfs, events.iter().map(|event| &event.path))
    }

    /// Takes in that files or folders may have changed: how each is now is looked up, so a path
    /// may be given twice, or for nothing.
    pub fn refresh<'a>(&mut self, vfs: &Vfs, paths: impl IntoIterator<Item = &'a VfsPath>) -> Vec<AssetEvent> {
        let mut touched = BTreeSet::new();
        for path in paths {
            self.take_in(vfs, path, &mut touched);
        }
        if touched.is_empty() {
            return Vec::new();
        }
        self.references.get_mut().unwrap_or_else(|broken| broken.into_inner()).forget(&touched);
        let candidates = if self.reshapes(vfs, &touched) {
            self.survey(vfs)
        } else {
            let folders = touched.iter().flat_map(folders_above).collect::<BTreeSet<_>>();
            folders.into_iter().map(|folder| (folder.clone(), self.look_at(&folder))).collect()
        };
        let stale = touched.iter().filter(|file| file.name() == METADATA).filter_map(VfsPath::parent).collect();
        let settled = self.settle(vfs, candidates, &stale, HashMap::new());
        self.events(settled, touched)
    }

    /// Brings the tree up to date at one path; adds the files that changed to `touched`.
    fn take_in(&mut self, vfs: &Vfs, path: &VfsPath, touched: &mut BTreeSet<VfsPath>) {
        let now = vfs.stat(path).map(|stat| stat.kind);
        let below = if now == Some(Kind::Folder) { vfs.walk(path) } else { Vec::new() };
        let mut gone = Vec::new();
        if let Some((root, relative)) = place(path) {
            let folder = root.folder();
            match self.roots.get_mut(&root) {
                Some(top) if relative.is_empty() => top.each_file(&mut |file| gone.push(file.to_owned())),
                Some(top) => top.remove(relative, &mut gone),
                None => {}
            }
            if relative.is_empty() {
                self.roots.remove(&root);
            }
            touched.extend(gone.iter().filter_map(|file| VfsPath::parse(&format!("{folder}/{file}")).ok()));
        }
        if now == Some(Kind::File) && self.note(path) {
            touched.insert(path.clone());
        }
        for file in below {
            if self.note(&file) {
                touched.insert(file);
            }
        }
    }

    /// Re-reads the type declarations and stated names among the touched files. Answers whether
    /// folders may now be other assets, or be called otherwise, than before.
    fn reshapes(&mut self, vfs: &Vfs, touched: &BTreeSet<VfsPath>) -> bool {
        let mut declarations = false;
        let mut names = false;
        for file in touched {
            let Some(folder) = file.parent() else { continue };
            if file.name() == TYPE_FILE && is_type_folder(folder.name()) && self.is_type_asset(&folder) {
                self.declare_type(vfs, &folder);
                declarations = true;
            }
            if self.registry.shapes_folders(file.name()) {
                self.given.forget(folder.as_str());
                names = true;
            }
        }
        (declarations && self.registry.settle()) || names
    }

    /// Whether the folder is an asset, and not part of some type's template.
    fn is_type_asset(&self, folder: &VfsPath) -> bool {
        let in_template = folder.parent().is_some_and(|parent| {
            folders_above(&parent).iter().chain([&parent]).any(|above| {
                above.name() == crate::layout::TEMPLATE
                    && above.parent().is_some_and(|owner| is_type_folder(owner.name()))
            })
        });
        !in_template
    }

    /// Makes the entries agree with `candidates`. Metadata is read anew for new assets that are
    /// not in `loaded`, and for the folders in `stale`.
    pub(super) fn settle(
        &mut self,
        vfs: &Vfs,
        mut candidates: BTreeMap<VfsPath, Option<Found>>,
        stale: &BTreeSet<VfsPath>,
        loaded: HashMap<VfsPath, Metadata>,
    ) -> Settled {
        candidates.retain(|path, found| match found {
            Some(found) => stale.contains(path) || !self.entries.agrees(found),
            None => self.entries.at(path).is_some(),
        });
        let mut settled = Settled::default();
        let mut same: BTreeSet<VfsPath> = BTreeSet::new();
        let mut kept = loaded;
        for (path, found) in &candidates {
            let agrees = found.as_ref().is_some_and(|found| self.entries.agrees(found));
            let Some((entry, shifted)) = self.entries.remove(path) else { continue };
            settled.shifted.extend(shifted);
            if !stale.contains(path) {
                kept.insert(path.clone(), entry.metadata);
            }
            if agrees {
                same.insert(path.clone());
            } else {
                settled.removed.push(entry.asset);
            }
        }
        let mut found: Vec<Found> = candidates.into_values().flatten().collect();
        found.sort_by(|a, b| (a.root.rank(), &a.path).cmp(&(b.root.rank(), &b.path)));
        for found in found {
            let path = found.path.clone();
            let metadata = kept.remove(&path).unwrap_or_else(|| self.load_metadata(vfs, &path));
            settled.shifted.extend(self.entries.add(found, metadata));
            if !same.contains(&path) {
                settled.added.insert(path);
            }
        }
        settled
    }

    fn load_metadata(&self, vfs: &Vfs, folder: &VfsPath) -> Metadata {
        if self.has_file(folder, METADATA) {
            metadata::load(vfs, &format!("{folder}/{METADATA}"))
        } else {
            Metadata::default()
        }
    }

    fn events(&self, settled: Settled, touched: BTreeSet<VfsPath>) -> Vec<AssetEvent> {
        let Settled { removed, added, shifted } = settled;
        let mut events: Vec<AssetEvent> =
            removed.into_iter().map(|asset| AssetEvent { kind: AssetEventKind::Removed, asset }).collect();
        let now = |path: &VfsPath| self.entries.at(path).map(|entry| entry.asset.clone());
        events.extend(added.iter().filter_map(now).map(|asset| AssetEvent { kind: AssetEventKind::Added, asset }));
        let moved = shifted.iter().filter_map(|path| path.join(METADATA).ok());
        for path in touched.into_iter().chain(moved).collect::<BTreeSet<_>>() {
            let Some(asset) = self.containing(&path) else { continue };
            if !added.contains(&asset.path) {
                events.push(AssetEvent { kind: AssetEventKind::Changed { path }, asset: asset.clone() });
            }
        }
        events
    }
}

/// The folders of a root that a file lies in, outermost first; the root's own left out.
fn folders_above(file: &VfsPath) -> Vec<VfsPath> {
    let root = Root::of(file.as_str()).map(|root| root.folder());
    let mut folders = Vec::new();
    let mut above = file.parent();
    while let Some(folder) =
        above.filter(|folder| root.as_deref().is_some_and(|root| folder.as_str().len() > root.len()))
    {
        above = folder.parent();
        folders.push(folder);
    }
    folders.reverse();
    folders
}
