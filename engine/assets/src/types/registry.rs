use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value as Json;
use zero_base::{Diagnostic, Related};
use zero_vfs::VfsPath;

use super::{FileRules, IdentityRule, NameSource, ReferenceRules, TypeInfo};
use crate::root::Root;

/// The one type that must be known before any is read: the type of types.
const BOOTSTRAP: &str = "assetType";
/// The file of a type folder that declares the type.
pub(crate) const TYPE_FILE: &str = "type.yaml";

/// Whether a folder's name says that it declares a type.
pub(crate) fn is_type_folder(name: &str) -> bool {
    type_name_of(name).is_some()
}

fn type_name_of(folder_name: &str) -> Option<&str> {
    let stem = folder_name.strip_suffix(BOOTSTRAP)?.strip_suffix('.')?;
    (!stem.is_empty()).then_some(stem)
}

/// The types a tree declares. When a name or suffix is declared twice, the declaration of the
/// lowest root (the built-in library first), then of the first path, holds.
#[derive(Debug)]
pub(crate) struct Registry {
    declared: BTreeMap<(u8, VfsPath), Arc<TypeInfo>>,
    types: BTreeMap<String, Arc<TypeInfo>>,
    by_suffix: HashMap<String, Arc<TypeInfo>>,
    by_marker: BTreeMap<String, Arc<TypeInfo>>,
    problems: Vec<Diagnostic>,
}

impl Registry {
    pub fn new() -> Registry {
        let mut registry = Registry {
            declared: BTreeMap::new(),
            types: BTreeMap::new(),
            by_suffix: HashMap::new(),
            by_marker: BTreeMap::new(),
            problems: Vec::new(),
        };
        registry.settle();
        registry
    }

    /// Adds or replaces the declaration of `info.path`; `settle` makes it count.
    pub fn declare(&mut self, folder: VfsPath, info: TypeInfo) {
        self.declared.insert((info.root.rank(), folder), Arc::new(info));
    }

    pub fn withdraw(&mut self, folder: &VfsPath) {
        self.declared.retain(|(_, declared), _| declared != folder);
    }

    /// Works out which declarations hold. Answers whether assets may now lie, or be called,
    /// differently than before.
    pub fn settle(&mut self) -> bool {
        let before = self.layout();
        self.problems.clear();
        self.types.clear();
        self.by_suffix.clear();
        self.by_marker.clear();
        for info in self.declared.values() {
            if let Some(holder) = self.types.get(&info.name) {
                self.problems.push(clash("asset/duplicate_type", "type name", &info.name, info, holder));
                continue;
            }
            self.types.insert(info.name.clone(), info.clone());
        }
        self.types.entry(BOOTSTRAP.to_owned()).or_insert_with(|| Arc::new(bootstrap()));
        for info in self.declared.values().filter(|info| Arc::ptr_eq(info, &self.types[&info.name])) {
            if let Some(holder) = self.by_suffix.get(&info.suffix) {
                self.problems.push(clash("asset/duplicate_suffix", "suffix", &info.suffix, info, holder));
                continue;
            }
            self.by_suffix.insert(info.suffix.clone(), info.clone());
            if let Some(marker) = &info.marker {
                self.by_marker.entry(marker.clone()).or_insert_with(|| info.clone());
            }
        }
        // Whatever its own declaration says, a type folder stays a type folder.
        self.by_suffix.insert(BOOTSTRAP.to_owned(), self.types[BOOTSTRAP].clone());
        before != self.layout()
    }

    pub fn get(&self, name: &str) -> Option<&Arc<TypeInfo>> {
        self.types.get(name)
    }

    pub fn all(&self) -> impl Iterator<Item = &Arc<TypeInfo>> {
        self.types.values()
    }

    pub fn names(&self) -> Vec<String> {
        self.types.keys().cloned().collect()
    }

    pub fn by_suffix(&self, suffix: &str) -> Option<&Arc<TypeInfo>> {
        self.by_suffix.get(suffix)
    }

    /// The stem and type of a folder's name.
    pub fn split_name<'a>(&self, folder_name: &'a str) -> Option<(&'a str, &Arc<TypeInfo>)> {
        let (stem, suffix) = folder_name.rsplit_once('.')?;
        let info = self.by_suffix(suffix)?;
        (!stem.is_empty()).then_some((stem, info))
    }

    /// The types whose marker makes a folder without a suffix theirs, by marker.
    pub fn markers(&self) -> impl Iterator<Item = (&String, &Arc<TypeInfo>)> {
        self.by_marker.iter()
    }

    /// Whether a file of this name decides what its folder is or is called.
    pub fn shapes_folders(&self, file_name: &str) -> bool {
        self.by_marker.contains_key(file_name)
            || self.all().filter_map(|info| info.name_from.as_ref()).any(|source| source.file == file_name)
    }

    /// Everything wrong with the declarations themselves.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.problems.iter().chain(self.declared.values().flat_map(|info| &info.diagnostics))
    }

    fn layout(&self) -> Vec<Layout> {
        self.types.values().map(|info| Layout::of(info)).collect()
    }
}

/// What a type says that decides which folders are assets and what they are called.
#[derive(PartialEq)]
struct Layout {
    name: String,
    suffix: String,
    identity: IdentityRule,
    marker: Option<String>,
    name_from: Option<NameSource>,
}

impl Layout {
    fn of(info: &TypeInfo) -> Layout {
        Layout {
            name: info.name.clone(),
            suffix: info.suffix.clone(),
            identity: info.identity,
            marker: info.marker.clone(),
            name_from: info.name_from.clone(),
        }
    }
}

/// What is known of `assetType` until its own folder is read.
fn bootstrap() -> TypeInfo {
    TypeInfo {
        identity: IdentityRule::TypeName,
        container: true,
        primary: vec![TYPE_FILE.to_owned()],
        files: FileRules { allow_unlisted: true, ..FileRules::default() },
        ..TypeInfo::named(BOOTSTRAP, None, Root::Source)
    }
}

impl TypeInfo {
    /// A type that says nothing about its assets yet.
    pub(crate) fn named(name: &str, path: Option<VfsPath>, root: Root) -> TypeInfo {
        TypeInfo {
            name: name.to_owned(),
            path,
            root,
            suffix: name.to_owned(),
            description: String::new(),
            identity: IdentityRule::Path,
            container: false,
            system: false,
            requirable: false,
            within: Vec::new(),
            marker: None,
            name_from: None,
            primary: Vec::new(),
            files: FileRules::default(),
            references: ReferenceRules::default(),
            settings: Json::Null,
            indexing: Json::Null,
            describe: Json::Null,
            preview: Json::Null,
            inspector: None,
            diagnostics: Vec::new(),
        }
    }

    /// The type that the folder at `path` would declare; none when it is no type folder.
    pub(crate) fn of_folder(path: &VfsPath, root: Root) -> Option<TypeInfo> {
        Some(TypeInfo::named(type_name_of(path.name())?, Some(path.clone()), root))
    }

    /// The `type.yaml`, for diagnostics.
    pub(crate) fn file(&self) -> String {
        self.path.as_ref().map(|path| format!("{path}/{TYPE_FILE}")).unwrap_or_else(|| TYPE_FILE.to_owned())
    }
}

fn clash(code: &'static str, what: &str, name: &str, loser: &TypeInfo, holder: &TypeInfo) -> Diagnostic {
    let message =
        format!("the {what} '{name}' is already taken by the type '{}'; this declaration does not count", holder.name);
    let mut diagnostic = Diagnostic::error(code, message).in_file(loser.file());
    diagnostic.related.push(Related { message: "declared here".to_owned(), path: holder.file(), span: None });
    diagnostic
}
