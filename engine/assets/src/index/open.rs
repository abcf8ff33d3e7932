use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

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
        let mut loaded = sidecars::load(vfs, &sidecars);
        let metadata = std::mem::take(&mut loaded.metadata);
        let folders = sidecars.iter().filter_map(|(file, _)| file.parent());
        let by_folder = folders.zip(metadata).collect();
        thread::scope(|scope| {
            // The caches are written while the index is made.
            scope.spawn(|| {
                loaded.keep(vfs, &sidecars);
                vfs.keep_first_look();
            });
            assets.settle(vfs, candidates, &Default::default(), by_folder);
        });
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
            if let Some(found) = step.found.take() {
                candidates.insert(found.path.clone(), Some(found));
            }
        });
        candidates
    }

    /// What one folder is now.
    pub(super) fn look_at(&self, folder: &VfsPath) -> Option<Found> {
        let (root, relative) = place(folder)?;
        follow(&root, self.roots.get(&root)?, relative, (&self.registry, &self.given))?.found
    }

    /// Calls `visit` with name, content and meaning of every indexed folder, parents first. What
    /// was found there may be taken.
    pub(super) fn each_folder(&self, visit: &mut dyn FnMut(&str, &Folder, &mut Step)) {
        for (root, top) in &self.roots {
            self.each_folder_below(root, &Spot::of_root(root), top, visit);
        }
    }

    fn each_folder_below(
        &self,
        root: &Root,
        spot: &Spot,
        folder: &Folder,
        visit: &mut dyn FnMut(&str, &Folder, &mut Step),
    ) {
        for (name, below) in &folder.folders {
            if let Some(mut step) = spot.enter(root, name, below, (&self.registry, &self.given)) {
                visit(name, below, &mut step);
                self.each_folder_below(root, &step.spot, below, visit);
            }
        }
    }

    fn type_folders(&self) -> Vec<VfsPath> {
        let is_type =
            |name: &str, below: &Folder| crate::types::is_type_folder(name) && below.files.contains(TYPE_FILE);
        let named = self.folders_where(&is_type).into_iter();
        named.filter(|folder| self.look_at(folder).is_some_and(|found| found.path == *folder)).collect()
    }

    /// The folders of which `wanted` is true, by name and content, parents first. Most are passed
    /// by without a look at what they mean.
    fn folders_where(&self, wanted: &dyn Fn(&str, &Folder) -> bool) -> Vec<VfsPath> {
        let mut found = Vec::new();
        for (root, top) in &self.roots {
            gather_where(&mut root.folder(), top, wanted, &mut found);
        }
        found
    }

    fn load_given_names(&mut self, vfs: &Vfs) {
        if !self.registry.all().any(|info| info.name_from.is_some()) {
            return;
        }
        let may_state_a_name = |name: &str, below: &Folder| {
            kind_of(name, below, &self.registry).is_some_and(|(_, info)| info.name_from.is_some())
        };
        for path in self.folders_where(&may_state_a_name) {
            let Some((root, relative)) = place(&path) else { continue };
            let (Some(parent), Some(top)) = (path.parent(), self.roots.get(&root)) else { continue };
            let is_indexed = follow(&root, top, relative, (&self.registry, &self.given)).is_some();
            if let Some(below) = top.folder(relative).filter(|_| is_indexed) {
                self.given.load(vfs, parent.as_str(), (path.name(), below), &self.registry);
            }
        }
    }
}

fn gather_where(path: &mut String, folder: &Folder, wanted: &dyn Fn(&str, &Folder) -> bool, found: &mut Vec<VfsPath>) {
    let length = path.len();
    for (name, below) in &folder.folders {
        path.push('/');
        path.push_str(name);
        if wanted(name, below) {
            found.extend(VfsPath::parse(path));
        }
        gather_where(path, below, wanted, found);
        path.truncate(length);
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
