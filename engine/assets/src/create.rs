//! Planning a new asset: every refusal comes before a file is written, and the files are handed
//! over, not written here.

use std::collections::{BTreeMap, BTreeSet};

use zero_base::Guid;
use zero_vfs::{Vfs, VfsPath};

use crate::asset::Asset;
use crate::error::AssetError;
use crate::index::Assets;
use crate::layout::{TEMPLATE, is_name};
use crate::metadata::{self, METADATA};
use crate::root::{Root, SOURCE, place};
use crate::types::TypeInfo;

/// What stands for the asset's name in a template's file names and text.
const NAME_SLOT: &str = "{{name}}";
/// All files of a template together.
const TEMPLATE_LIMIT_BYTES: u64 = 16 * 1024 * 1024;
const LONGEST_NAME: usize = 128;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateRequest {
    pub type_name: String,
    pub name: String,
    /// The container to make it in.
    pub into: Option<Guid>,
    /// A folder below the container, or below the world's source.
    pub folder: Option<String>,
    /// Files that take the place of the template's, by relative path.
    pub files: BTreeMap<String, Vec<u8>>,
    pub name_rule: NameRule,
    pub existing: Existing,
}

/// What the name has to look like, beyond what no name may.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NameRule {
    /// Letters, digits and `_`.
    #[default]
    Plain,
    /// The type has a pattern of its own, which whoever runs the type's code has matched already.
    OfType,
}

/// What to do about an asset that is already there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Existing {
    #[default]
    Refuse,
    /// Write over it; its guid stays, and so do files the plan does not name.
    Replace,
}

/// The files of a new asset, to be written in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct CreatePlan {
    pub identity: String,
    pub guid: Guid,
    pub path: VfsPath,
    pub files: Vec<(VfsPath, Vec<u8>)>,
}

impl Assets {
    /// The files that make the asset `request` asks for: the type's template with the name filled
    /// in, the request's own files over it, and a `.metadata` with a fresh guid.
    pub fn plan_create(&self, vfs: &Vfs, request: CreateRequest) -> Result<CreatePlan, AssetError> {
        let info = self.known_type(&request.type_name)?;
        check_name(&request, info)?;
        let folder = self.destination(&request, info)?;
        let path = folder.join(&format!("{}.{}", request.name, info.suffix))?;
        let existing = self.occupant(&path, &request, info)?;
        let (identity, _) = self.identity_at(&path, &request.name, info);
        self.check_identity(&path, &identity, info)?;

        let guid = existing.map_or_else(Guid::random, |asset| asset.guid);
        let mut files = self.template(vfs, info, &request.name)?;
        files.extend(request.files);
        for (sidecar, guid) in self.sidecars(&files, guid) {
            let text = files.remove(&sidecar).unwrap_or_else(|| b"tags: []\n".to_vec());
            let text = metadata::with_guid(&String::from_utf8_lossy(&text), guid);
            files.insert(sidecar, text.into_bytes());
        }
        let files = files.into_iter().map(|(name, bytes)| Ok((path.join(&name)?, bytes)));
        let files = files.collect::<Result<Vec<_>, AssetError>>()?;
        Ok(CreatePlan { identity, guid, path, files })
    }

    /// The `.metadata` of the asset and of every asset that comes with it, each with its guid.
    fn sidecars(&self, files: &BTreeMap<String, Vec<u8>>, guid: Guid) -> Vec<(String, Guid)> {
        let mut nested: BTreeSet<&str> = BTreeSet::new();
        for file in files.keys() {
            let mut above = file.as_str();
            while let Some((folder, _)) = above.rsplit_once('/') {
                above = folder;
                let name = folder.rsplit('/').next().unwrap_or(folder);
                if self.registry.split_name(name).is_some() {
                    nested.insert(folder);
                }
            }
        }
        let nested = nested.into_iter().filter(|folder| !is_template(folder));
        let nested = nested.map(|folder| (format!("{folder}/{METADATA}"), Guid::random()));
        std::iter::once((METADATA.to_owned(), guid)).chain(nested).collect()
    }

    /// The folder that will hold the asset's folder.
    fn destination(&self, request: &CreateRequest, info: &TypeInfo) -> Result<VfsPath, AssetError> {
        let base = match &request.into {
            None => VfsPath::parse(SOURCE)?,
            Some(guid) => self.container(guid)?.path.clone(),
        };
        let folder = match request.folder.as_deref().map(|folder| folder.trim_matches('/')) {
            None | Some("") => base,
            Some(below) => base.join(below)?,
        };
        let refuse = |reason: &str| {
            let folder = request.folder.clone().unwrap_or_default();
            AssetError::BadFolder { folder, reason: reason.to_owned() }
        };
        match place(&folder) {
            None if Root::of(folder.as_str()).is_some() => {
                return Err(refuse("folders that start with a dot are not indexed"));
            }
            None if folder.as_str() == crate::root::LIBRARIES => {
                return Err(AssetError::ReadOnly { path: folder.to_string() });
            }
            None => return Err(refuse("what lies there is scratch, never an asset")),
            Some((Root::Library(_), _)) => return Err(AssetError::ReadOnly { path: folder.to_string() }),
            Some((Root::Source, _)) => {}
        }
        let holder = self.containing(&folder);
        let directly_in = self.at(&folder);
        if !info.within.is_empty() && !directly_in.is_some_and(|asset| info.within.contains(&asset.type_name)) {
            return Err(AssetError::OutsideContainer { type_name: info.name.clone(), within: info.within.clone() });
        }
        match holder {
            Some(holder) if !self.holds_assets(holder) => Err(self.not_a_container(holder)),
            _ => Ok(folder),
        }
    }

    fn container(&self, guid: &Guid) -> Result<&Asset, AssetError> {
        let asset = self.get(guid).ok_or_else(|| AssetError::NotFound {
            what: "container".to_owned(),
            name: guid.to_string(),
            hint: String::new(),
            nearest: None,
        })?;
        if self.holds_assets(asset) { Ok(asset) } else { Err(self.not_a_container(asset)) }
    }

    fn holds_assets(&self, asset: &Asset) -> bool {
        self.type_info(&asset.type_name).is_some_and(|info| info.container)
    }

    fn not_a_container(&self, asset: &Asset) -> AssetError {
        AssetError::NotAContainer {
            identity: asset.identity.clone(),
            type_name: asset.type_name.clone(),
            containers: self.types().filter(|info| info.container).map(|info| info.name.clone()).collect(),
        }
    }

    /// The asset that is already at `path`, when the request may replace it.
    fn occupant(&self, path: &VfsPath, request: &CreateRequest, info: &TypeInfo) -> Result<Option<&Asset>, AssetError> {
        let occupant = self.at(path);
        let there = self.folder(path).is_some();
        if there && (occupant.is_none() || request.existing == Existing::Refuse) {
            return Err(AssetError::Exists {
                type_name: info.name.clone(),
                identity: occupant.map_or(request.name.clone(), |asset| asset.identity.clone()),
                path: path.to_string(),
            });
        }
        if !there && let Some(other) = self.case_twin(path) {
            return Err(AssetError::CaseClash { path: path.to_string(), other });
        }
        Ok(occupant)
    }

    /// A neighbour that differs from `path` only by case.
    fn case_twin(&self, path: &VfsPath) -> Option<String> {
        let folder = path.parent()?;
        let siblings = self.folder(&folder)?;
        let name = path.name().to_lowercase();
        let mut names = siblings.folders.keys().chain(&siblings.files);
        names.find(|other| other.to_lowercase() == name).map(|other| format!("{folder}/{other}"))
    }

    /// The identity and path identity an asset will have at `path`.
    fn identity_at(&self, path: &VfsPath, name: &str, info: &TypeInfo) -> (String, String) {
        let mut tree = crate::tree::Folder::default();
        tree.insert(METADATA);
        let (root, relative) = place(path).unwrap_or((Root::Source, name));
        let above = relative.rsplit_once('/').map_or("", |(above, _)| above);
        let names = (&self.registry, &self.given);
        // The folders above need not exist yet: those that do not are named as they are written.
        let mut spot = crate::layout::Spot::of_root(&root);
        let mut known = self.roots.get(&root);
        for segment in crate::tree::segments(above) {
            known = known.and_then(|folder| folder.folders.get(segment));
            if let Some(step) = spot.enter(&root, segment, known.unwrap_or(&tree), names) {
                spot = step.spot;
            }
        }
        let found = spot.enter(&root, path.name(), &tree, names).and_then(|step| step.found);
        let found = found.filter(|found| found.info.name == info.name);
        found.map_or_else(|| (name.to_owned(), name.to_owned()), |found| (found.identity, found.address))
    }

    fn check_identity(&self, path: &VfsPath, identity: &str, info: &TypeInfo) -> Result<(), AssetError> {
        let taken = self.entries.identified(identity).map(|entry| &entry.asset);
        let mut taken = taken.filter(|asset| asset.type_name == info.name && asset.path != *path);
        match taken.next() {
            None => Ok(()),
            Some(asset) => Err(AssetError::Exists {
                type_name: info.name.clone(),
                identity: identity.to_owned(),
                path: asset.path.to_string(),
            }),
        }
    }

    /// The type's template, with the name filled in.
    fn template(&self, vfs: &Vfs, info: &TypeInfo, name: &str) -> Result<BTreeMap<String, Vec<u8>>, AssetError> {
        let mut files = BTreeMap::new();
        let Some(folder) = info.path.as_ref().map(|path| path.join(TEMPLATE)).transpose()? else { return Ok(files) };
        let mut names = Vec::new();
        if let Some(tree) = self.folder(&folder) {
            tree.each_file(&mut |file| names.push(file.to_owned()));
        }
        let mut total = 0;
        for file in names {
            let bytes = vfs.read(&folder.join(&file)?)?;
            total += bytes.len() as u64;
            if total > TEMPLATE_LIMIT_BYTES {
                return Err(AssetError::TemplateTooLarge {
                    type_name: info.name.clone(),
                    limit_bytes: TEMPLATE_LIMIT_BYTES,
                });
            }
            let bytes = match std::str::from_utf8(&bytes) {
                Ok(text) => text.replace(NAME_SLOT, name).into_bytes(),
                Err(_) => bytes.to_vec(),
            };
            files.insert(file.replace(NAME_SLOT, name), bytes);
        }
        Ok(files)
    }
}

/// Whether the files of a folder are a new type's template, which are no assets.
fn is_template(folder: &str) -> bool {
    folder.split('/').next() == Some(TEMPLATE)
}

fn check_name(request: &CreateRequest, info: &TypeInfo) -> Result<(), AssetError> {
    let name = request.name.as_str();
    let refuse = |reason: &str| {
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        Err(AssetError::BadName { name: shown, type_name: info.name.clone(), reason: reason.to_owned() })
    };
    if name.is_empty() {
        return refuse("it is empty");
    }
    if name.len() > LONGEST_NAME {
        return refuse("it is longer than 128 bytes");
    }
    if name.starts_with('.') || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        return refuse("a name has no slash and no control character, and does not start with a dot");
    }
    if request.name_rule == NameRule::Plain && !is_name(name) {
        return refuse("names match ^[A-Za-z][A-Za-z0-9_]*$: letters, digits and _, starting with a letter");
    }
    Ok(())
}
