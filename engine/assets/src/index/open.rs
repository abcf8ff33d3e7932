use std::collections::BTreeMap;
use std::sync::Mutex;

use zero_base::Hash;
use zero_vfs::{Vfs, VfsPath};

use super::entries::Entries;
use super::{Assets, sidecars};
use crate::data;
use crate::layout::{Found, GivenNames, Spot, Step, follow, kind_of};
use crate::metadata::METADATA;
use crate::references::ReferenceCache;
use crate::root::{LIBRARIES, Root, SOURCE, is_hidden, place};
use crate::tree::Folder;
use crate::types::{Registry, TYPE_FILE, TypeInfo, parse_type};

impl Assets {
    /// Indexes the world and its libraries.
    pub fn open(vfs: &Vfs) -> Assets {
        let mut assets = Assets {
            roots: BTreeMap::new(),
            registry: Registry::new(),
            given: GivenNames::default(),
            entries: Entries::default(),
            references: Mutex::new(ReferenceCache::default()),
        };
        let mut sidecars = Vec::new();
        for root in roots(vfs) {
            let files = vfs.known_files(&root);
            assets.note_root(&root, &files);
            sidecars.extend(files.into_iter().filter(|(file, _)| file.name() == METADATA));
        }
        for folder in assets.type_folders() {
            assets.declare_type(vfs, &folder);
        }
        assets.registry.settle();
        let candidates = assets.survey(vfs);
        sidecars.retain(|(file, _)| file.parent().is_some_and(|folder| candidates.contains_key(&folder)));
        let loaded = sidecars::load(vfs, &sidecars);
        let folders = sidecars.iter().filter_map(|(file, _)| file.parent());
        assets.settle(vfs, candidates, &Default::default(), folders.zip(loaded).collect());
        assets
    }

    /// Adds the names of the files of the root at `top`, in path order, to the tree.
    fn note_root(&mut self, top: &VfsPath, files: &[(VfsPath, Option<Hash>)]) {
        let Some((root, _)) = place(top) else { return };
        let relative = files.iter().filter_map(|(file, _)| file.relative_to(top));
        let indexed: Vec<&str> = relative.filter(|file| !file.is_empty() && !is_hidden(file)).collect();
        if !indexed.is_empty() {
            self.roots.insert(root, Folder::of_sorted(&indexed));
        }
    }

    /// Adds a file's name to the tree. Answers whether it is one that is indexed.
    pub(super) fn note(&mut self, path: &VfsPath) -> bool {
        let Some((root, relative)) = place(path) else { return false };
        if relative.is_empty() {
            return false;
        }
        self.roots.entry(root).or_default().insert(relative);
        true
    }

    /// Reads the declaration in a type folder, or forgets it when the file is gone.
    pub(super) fn declare_type(&mut self, vfs: &Vfs, folder: &VfsPath) {
        let root = Root::of(folder.as_str()).unwrap_or(Root::Source);
        let declared = TypeInfo::of_folder(folder, root).filter(|_| self.has_file(folder, TYPE_FILE));
        match declared {
            None => self.registry.withdraw(folder),
            Some(mut info) => {
                match data::read(vfs, &info.file()) {
                    Ok(document) => info = parse_type(&document, info),
                    Err(problems) => info.diagnostics = problems,
                }
                self.registry.declare(folder.clone(), info);
            }
        }
    }

    /// Every asset that the names in the tree make, and every entry that they no longer do.
    pub(super) fn survey(&mut self, vfs: &Vfs) -> BTreeMap<VfsPath, Option<Found>> {
        self.load_given_names(vfs);
        let mut candidates: BTreeMap<VfsPath, Option<Found>> =
            self.entries.all().map(|entry| (entry.asset.path.clone(), None)).collect();
        self.each_folder(&mut |_, _, step| {
            if let Some(found) = &step.found {
                candidates.insert(found.path.clone(), Some(found.clone()));
            }
        });
        candidates
    }

    /// What one folder is now.
    pub(super) fn look_at(&self, folder: &VfsPath) -> Option<Found> {
        let (root, relative) = place(folder)?;
        follow(&root, self.roots.get(&root)?, relative, (&self.registry, &self.given))?.found
    }

    /// Calls `visit` with name, content and meaning of every indexed folder, parents first.
    pub(super) fn each_folder(&self, visit: &mut dyn FnMut(&str, &Folder, &Step)) {
        for (root, top) in &self.roots {
            self.each_folder_below(root, &Spot::of_root(root), top, visit);
        }
    }

    fn each_folder_below(
        &self,
        root: &Root,
        spot: &Spot,
        folder: &Folder,
        visit: &mut dyn FnMut(&str, &Folder, &Step),
    ) {
        for (name, below) in &folder.folders {
            if let Some(step) = spot.enter(root, name, below, (&self.registry, &self.given)) {
                visit(name, below, &step);
                self.each_folder_below(root, &step.spot, below, visit);
            }
        }
    }

    fn type_folders(&self) -> Vec<VfsPath> {
        let mut folders = Vec::new();
        self.each_folder(&mut |name, below, step| {
            if crate::types::is_type_folder(name) && below.files.contains(TYPE_FILE) {
                folders.extend(step.found.as_ref().map(|found| found.path.clone()));
            }
        });
        folders
    }

    fn load_given_names(&mut self, vfs: &Vfs) {
        let mut naming = Vec::new();
        self.each_folder(&mut |name, below, step| {
            let named = kind_of(name, below, &self.registry).is_some_and(|(_, info)| info.name_from.is_some());
            if named && let Ok(path) = VfsPath::parse(&step.spot.path) {
                naming.push(path);
            }
        });
        for path in naming {
            let Some((root, relative)) = place(&path) else { continue };
            let (Some(parent), Some(top)) = (path.parent(), self.roots.get(&root)) else { continue };
            if let Some(below) = top.folder(relative) {
                self.given.load(vfs, parent.as_str(), (path.name(), below), &self.registry);
            }
        }
    }
}

/// The folders to walk: the world's source, and each mounted library.
fn roots(vfs: &Vfs) -> Vec<VfsPath> {
    let known = |path| VfsPath::parse(path).expect("the paths of the roots are normal");
    let libraries = known(LIBRARIES);
    let mounted = vfs.list(&libraries).unwrap_or_default();
    let mounted = mounted.into_iter().filter_map(|library| libraries.join(&library.name).ok());
    std::iter::once(known(SOURCE)).chain(mounted).collect()
}
