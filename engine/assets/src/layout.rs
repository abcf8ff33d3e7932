//! Which folders are assets and what they are called: from names alone, without reading a file
//! but those that state a name.

use std::collections::BTreeMap;
use std::sync::Arc;

use zero_base::Diagnostic;
use zero_vfs::{Vfs, VfsPath};

use crate::data;
use crate::root::{LIBRARIES, Root};
use crate::tree::{Folder, segments};
use crate::types::{IdentityRule, Registry, TypeInfo, is_type_folder};

/// The folder of a type whose files become new assets: content, never assets themselves.
pub(crate) const TEMPLATE: &str = "template";

/// A folder on the way down from a root.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spot {
    /// Absolute.
    pub path: String,
    /// The path identity of the folder, without its root.
    pub identity: String,
    /// The asset the folder is, or lies in.
    pub enclosing: Option<Enclosing>,
}

#[derive(Debug, Clone)]
pub(crate) struct Enclosing {
    pub path: String,
    pub name: String,
    pub is_type: bool,
}

/// A folder that is an asset.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub path: VfsPath,
    pub root: Root,
    pub name: String,
    pub info: Arc<TypeInfo>,
    /// By the type's rule, qualified.
    pub identity: String,
    /// By path, qualified.
    pub address: String,
}

/// What a folder below a [`Spot`] turned out to be.
pub(crate) struct Step {
    pub spot: Spot,
    pub found: Option<Found>,
}

/// Names that assets state themselves, by the path of their folder.
#[derive(Debug, Default)]
pub(crate) struct GivenNames {
    names: BTreeMap<String, GivenName>,
}

#[derive(Debug, Default)]
struct GivenName {
    name: Option<String>,
    problems: Vec<Diagnostic>,
}

impl Spot {
    pub fn of_root(root: &Root) -> Spot {
        Spot { path: root.folder(), ..Spot::default() }
    }

    /// The child folder `name`; none when nothing in it is ever indexed.
    pub fn enter(
        &self,
        root: &Root,
        name: &str,
        folder: &Folder,
        (registry, given): (&Registry, &GivenNames),
    ) -> Option<Step> {
        let path = format!("{}/{name}", self.path);
        if self.hides(name, &path) {
            return None;
        }
        let kind = kind_of(name, folder, registry);
        let (own_name, info) = match kind {
            Some((stem, info)) => (given.get(&path).unwrap_or(stem).to_owned(), Some(info.clone())),
            None => (name.to_owned(), None),
        };
        let identity = match self.identity.as_str() {
            "" => own_name.clone(),
            prefix => format!("{prefix}.{own_name}"),
        };
        let found = info.and_then(|info| self.found(root, (&path, &identity), &own_name, info));
        let enclosing = match &found {
            Some(found) => {
                Some(Enclosing { path: path.clone(), name: own_name, is_type: is_type_folder(found.path.name()) })
            }
            None => self.enclosing.clone(),
        };
        Some(Step { spot: Spot { path, identity, enclosing }, found })
    }

    fn found(&self, root: &Root, (path, address): (&str, &str), name: &str, info: Arc<TypeInfo>) -> Option<Found> {
        let identity = match (info.identity, &self.enclosing) {
            (IdentityRule::TypeName, _) => name.to_owned(),
            (IdentityRule::ToolboxTool, Some(toolbox)) => root.qualify(&format!("{}.{name}", toolbox.name)),
            (IdentityRule::ToolboxTool, None) => root.qualify(name),
            (IdentityRule::Path, _) => root.qualify(address),
        };
        Some(Found {
            path: VfsPath::parse(path).ok()?,
            root: root.clone(),
            name: name.to_owned(),
            info,
            identity,
            address: root.qualify(address),
        })
    }

    fn hides(&self, name: &str, path: &str) -> bool {
        let in_type = self.enclosing.as_ref().is_some_and(|asset| asset.is_type && asset.path == self.path);
        name.starts_with('.') || path == LIBRARIES || Root::of(path).is_none() || (in_type && name == TEMPLATE)
    }
}

/// Follows `relative` down from the root. None when it leads to no folder, or into one that is
/// never indexed.
pub(crate) fn follow(root: &Root, top: &Folder, relative: &str, names: (&Registry, &GivenNames)) -> Option<Step> {
    let mut step = Step { spot: Spot::of_root(root), found: None };
    let mut folder = top;
    for segment in segments(relative) {
        folder = folder.folders.get(segment)?;
        step = step.spot.enter(root, segment, folder, names)?;
    }
    Some(step)
}

/// The name and type of a folder, by its suffix or by a marker file in it.
pub(crate) fn kind_of<'a, 'r>(
    name: &'a str,
    folder: &Folder,
    registry: &'r Registry,
) -> Option<(&'a str, &'r Arc<TypeInfo>)> {
    registry.split_name(name).or_else(|| {
        let mut markers = registry.markers().filter(|_| !name.contains('.'));
        let (_, info) = markers.find(|(marker, _)| folder.files.contains(marker.as_str()))?;
        Some((name, info))
    })
}

impl GivenNames {
    pub fn get(&self, folder: &str) -> Option<&str> {
        self.names.get(folder)?.name.as_deref()
    }

    pub fn forget(&mut self, folder: &str) {
        self.names.remove(folder);
    }

    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.names.values().flat_map(|given| &given.problems)
    }

    /// Reads the name that the folder `name` below `parent` states, unless that was done before.
    pub fn load(&mut self, vfs: &Vfs, parent: &str, (name, folder): (&str, &Folder), registry: &Registry) {
        let Some(source) = kind_of(name, folder, registry).and_then(|(_, info)| info.name_from.as_ref()) else {
            return;
        };
        let path = format!("{parent}/{name}");
        if !folder.files.contains(source.file.as_str()) || self.names.contains_key(&path) {
            return;
        }
        let file = format!("{path}/{}", source.file);
        let given = match data::read(vfs, &file) {
            // A file that cannot be read is the structure check's to report, at the asset.
            Err(_) => GivenName::default(),
            Ok(document) => match document.get(&source.key).map(|value| (value.as_str(), value.span())) {
                None => GivenName::default(),
                Some((Some(text), _)) if is_name(text) => {
                    GivenName { name: Some(text.to_owned()), problems: Vec::new() }
                }
                Some((_, span)) => {
                    let message = format!(
                        "'{}' must be letters, digits and _, starting with a letter; the folder's name is used",
                        source.key
                    );
                    let problem = Diagnostic::error("asset/bad_name", message).in_file(&file).at(span);
                    GivenName { name: None, problems: vec![problem] }
                }
            },
        };
        self.names.insert(path, given);
    }
}

/// The default shape of an asset's name: `^[A-Za-z][A-Za-z0-9_]*$`.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
