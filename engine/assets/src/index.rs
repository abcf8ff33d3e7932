mod apply;
mod diagnostics;
mod entries;
mod open;
mod sidecars;

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::Value as Json;
use zero_base::Guid;
use zero_vfs::{Vfs, VfsPath};

use crate::asset::Asset;
use crate::data;
use crate::layout::GivenNames;
use crate::references::ReferenceCache;
use crate::root::{Root, place};
use crate::tree::Folder;
use crate::types::{Registry, TypeInfo};

use entries::Entries;

/// The longest part of a README that is looked at for a description.
const DESCRIPTION_LIMIT_CHARS: usize = 600;

/// The index of every asset of the world and its libraries. Opened with one walk that reads no
/// content but sidecars, type declarations and stated names; kept current by [`Assets::apply`].
pub struct Assets {
    pub(crate) roots: BTreeMap<Root, Folder>,
    pub(crate) registry: Registry,
    pub(crate) given: GivenNames,
    pub(crate) entries: Entries,
    pub(crate) references: Mutex<ReferenceCache>,
}

impl Assets {
    /// The asset with this guid.
    pub fn get(&self, guid: &Guid) -> Option<&Asset> {
        self.entries.by_guid(guid).map(|entry| &entry.asset)
    }

    /// The asset whose folder this is.
    pub fn at(&self, folder: &VfsPath) -> Option<&Asset> {
        self.entries.at(folder).map(|entry| &entry.asset)
    }

    /// The deepest asset that the file or folder is or lies in.
    pub fn containing(&self, path: &VfsPath) -> Option<&Asset> {
        let mut folder = Some(path.clone());
        while let Some(path) = folder {
            if let Some(entry) = self.entries.at(&path) {
                return Some(&entry.asset);
            }
            folder = path.parent();
        }
        None
    }

    /// Every asset, or every asset of one type, in path order.
    pub fn list(&self, type_: Option<&str>) -> Vec<&Asset> {
        match type_ {
            None => self.entries.all().map(|entry| &entry.asset).collect(),
            Some(type_name) => self.entries.of_type(type_name).map(|entry| &entry.asset).collect(),
        }
    }

    /// The assets whose own name, the last segment of the identity, is `name`; in path order.
    pub fn find_by_name(&self, name: &str, type_: Option<&str>) -> Vec<&Asset> {
        let named = self.entries.named(name).map(|entry| &entry.asset);
        named.filter(|asset| type_.is_none_or(|type_name| asset.type_name == type_name)).collect()
    }

    /// The assets that carry a tag, in path order.
    pub fn tagged(&self, tag: &str) -> Vec<&Asset> {
        self.entries.all().map(|entry| &entry.asset).filter(|asset| asset.tags.iter().any(|own| own == tag)).collect()
    }

    /// The assets directly in another asset's folder or a plain folder of it, in path order.
    pub fn children(&self, asset: &Asset) -> Vec<&Asset> {
        let holder = |child: &Asset| child.path.parent().and_then(|parent| self.containing(&parent));
        let mut children = Vec::new();
        for entry in self.entries.below(&asset.path) {
            if holder(&entry.asset).is_some_and(|own| own.path == asset.path) {
                children.push(&entry.asset);
            }
        }
        children
    }

    /// The asset's `.metadata`, unknown keys included; an empty map without one.
    pub fn metadata(&self, asset: &Asset) -> Option<&Json> {
        self.entries.at(&asset.path).map(|entry| &entry.metadata.document)
    }

    /// One paragraph on what the asset is: its `.metadata`'s `description`, else the first
    /// paragraph of its README that someone wrote. Reads the README when it has to.
    pub fn description(&self, vfs: &Vfs, asset: &Asset) -> String {
        if !asset.description.is_empty() {
            return asset.description.clone();
        }
        if !self.has_file(&asset.path, "README.md") {
            return String::new();
        }
        data::text(vfs, &format!("{}/README.md", asset.path)).map(|text| first_paragraph(&text)).unwrap_or_default()
    }

    /// The file the asset is opened by: the first of its type's primary files that it holds.
    pub fn body(&self, asset: &Asset) -> Option<VfsPath> {
        let info = self.registry.get(&asset.type_name)?;
        let name = info.primary.iter().find(|name| self.has_file(&asset.path, name))?;
        asset.path.join(name).ok()
    }

    /// The asset's own files, relative to its folder and sorted; those of assets in it left out.
    pub fn files(&self, asset: &Asset) -> Vec<String> {
        let mut own = Vec::new();
        if let Some(folder) = self.folder(&asset.path) {
            self.gather_files((&asset.path, folder), "", &mut own);
        }
        own.sort();
        own
    }

    fn gather_files(&self, (path, folder): (&VfsPath, &Folder), prefix: &str, own: &mut Vec<String>) {
        own.extend(folder.files.iter().map(|file| format!("{prefix}{file}")));
        for (name, below) in &folder.folders {
            if let Ok(path) = path.join(name)
                && self.entries.at(&path).is_none()
            {
                self.gather_files((&path, below), &format!("{prefix}{name}/"), own);
            }
        }
    }

    /// The type of this name.
    pub fn type_info(&self, name: &str) -> Option<&TypeInfo> {
        self.registry.get(name).map(|info| &**info)
    }

    /// Every registered type, by name.
    pub fn types(&self) -> impl Iterator<Item = &TypeInfo> {
        self.registry.all().map(|info| &**info)
    }

    /// The names of the registered types, sorted.
    pub fn categories(&self) -> Vec<String> {
        self.registry.names()
    }

    /// The asset that declares an asset's type.
    pub fn type_of(&self, asset: &Asset) -> Option<&Asset> {
        self.at(self.registry.get(&asset.type_name)?.path.as_ref()?)
    }

    pub(crate) fn folder(&self, path: &VfsPath) -> Option<&Folder> {
        let (root, relative) = place(path)?;
        self.roots.get(&root)?.folder(relative)
    }

    pub(crate) fn has_file(&self, folder: &VfsPath, relative: &str) -> bool {
        self.folder(folder).is_some_and(|folder| folder.has_file(relative))
    }
}

fn first_paragraph(markdown: &str) -> String {
    let mut paragraph = String::new();
    for line in markdown.lines().map(str::trim) {
        let skipped = line.is_empty() || line.starts_with('#') || line.starts_with("[[describe]]");
        if skipped && !paragraph.is_empty() {
            break;
        }
        if !skipped {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line);
        }
    }
    match paragraph.char_indices().nth(DESCRIPTION_LIMIT_CHARS) {
        Some((end, _)) => format!("{}…", &paragraph[..end]),
        None => paragraph,
    }
}
