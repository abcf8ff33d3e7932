//! The names of other assets that an asset's files hold: found where the language or a type
//! declares them, never guessed.

mod extract;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use zero_base::{Diagnostic, Guid, Severity, Span};
use zero_vfs::{Vfs, VfsPath};

use crate::asset::Asset;
use crate::error::AssetError;
use crate::index::Assets;
use crate::metadata::REFERENCES;

pub(crate) use extract::Extractor;

/// One name in one file, and what it stands for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reference {
    pub name: String,
    /// The types the name was looked up among, joined by `|`; none: any.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    pub kind: ReferenceKind,
    pub state: ReferenceState,
    pub path: VfsPath,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceKind {
    /// `require("name")`.
    Require,
    /// `asset.resolve("name")` and its like.
    Lookup,
    /// A key of a data file.
    Key,
    /// An argument, or a field of an options table, that a type declared.
    Argument,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceState {
    Resolved(Guid),
    /// A script that lies in no asset.
    File(VfsPath),
    Unresolved,
    Ambiguous,
}

/// What an asset needs, as its `.refs` sidecar lists it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Dependency {
    pub guid: Guid,
    pub identity: String,
    /// `asset_type` for the type's own asset; otherwise the kind of reference.
    pub via: &'static str,
}

/// A name as it stands in a file, before anything is looked up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mention {
    pub name: String,
    /// The types it may be of; empty: any.
    pub types: Vec<String>,
    pub kind: ReferenceKind,
    pub span: Span,
}

/// The mentions of every file that was looked at, until it changes.
#[derive(Debug, Default)]
pub(crate) struct ReferenceCache {
    files: BTreeMap<VfsPath, Arc<Vec<Mention>>>,
}

impl ReferenceCache {
    pub fn forget(&mut self, touched: &BTreeSet<VfsPath>) {
        // What a type declares decides what counts as a mention in every file.
        if touched.iter().any(|file| file.name() == crate::types::TYPE_FILE) {
            self.files.clear();
        }
        for file in touched {
            self.files.remove(file);
        }
    }
}

impl Assets {
    /// Every reference in the asset's own files, in file and text order.
    pub fn references(&self, vfs: &Vfs, asset: &Asset) -> Vec<Reference> {
        self.resolved(vfs, asset).into_iter().map(|(reference, _)| reference).collect()
    }

    /// The assets whose files refer to the one with this guid. The first call reads every script
    /// and data file; later ones only what changed.
    pub fn used_by(&self, vfs: &Vfs, guid: &Guid) -> Vec<&Asset> {
        let refers = |asset: &&Asset| {
            let mut references = self.resolved(vfs, asset).into_iter();
            references.any(|(reference, _)| reference.state == ReferenceState::Resolved(*guid))
        };
        self.list(None).into_iter().filter(refers).filter(|asset| asset.guid != *guid).collect()
    }

    /// What the asset depends on, its type first, each once.
    pub fn dependencies(&self, vfs: &Vfs, asset: &Asset) -> Vec<Dependency> {
        let mut all: Vec<Dependency> = Vec::new();
        if let Some(own_type) = self.type_of(asset) {
            all.push(Dependency { guid: own_type.guid, identity: own_type.identity.clone(), via: "asset_type" });
        }
        for reference in self.references(vfs, asset) {
            let ReferenceState::Resolved(guid) = reference.state else { continue };
            let known = guid == asset.guid || all.iter().any(|dependency| dependency.guid == guid);
            let Some(target) = self.get(&guid).filter(|_| !known) else { continue };
            let via = match reference.kind {
                ReferenceKind::Require => "require",
                ReferenceKind::Lookup => "lookup",
                ReferenceKind::Key => "key",
                ReferenceKind::Argument => "argument",
            };
            all.push(Dependency { guid, identity: target.identity.clone(), via });
        }
        all
    }

    /// A diagnostic for every reference that finds nothing, or too much.
    pub fn reference_problems(&self, vfs: &Vfs, asset: &Asset) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for (reference, error) in self.resolved(vfs, asset) {
            let Some(error) = error else { continue };
            // A script may make the asset before it looks it up; data and requires cannot.
            let severity = match reference.kind {
                ReferenceKind::Require | ReferenceKind::Key => Severity::Error,
                ReferenceKind::Lookup | ReferenceKind::Argument => Severity::Warning,
            };
            let code = match reference.state {
                ReferenceState::Ambiguous => "asset/ambiguous_reference",
                _ => "asset/unresolved_reference",
            };
            let mut problem =
                Diagnostic::new(severity, code, error.to_string()).in_file(reference.path.as_str()).at(reference.span);
            match error {
                AssetError::NotFound { nearest, .. } => problem.nearest = nearest,
                AssetError::Ambiguous { candidates, .. } => problem.expected = candidates,
                _ => {}
            }
            problems.push(problem);
        }
        problems
    }

    fn resolved(&self, vfs: &Vfs, asset: &Asset) -> Vec<(Reference, Option<AssetError>)> {
        let mut all = Vec::new();
        for file in self.scanned_files(asset) {
            for mention in self.mentions(vfs, asset, &file).iter() {
                let (state, error) = match self.look_up(mention, &file) {
                    Ok(state) => (state, None),
                    Err(error @ AssetError::Ambiguous { .. }) => (ReferenceState::Ambiguous, Some(error)),
                    Err(error) => (ReferenceState::Unresolved, Some(error)),
                };
                let type_ = (!mention.types.is_empty()).then(|| mention.types.join("|"));
                let Mention { name, kind, span, .. } = mention.clone();
                all.push((Reference { name, type_, kind, state, path: file.clone(), span }, error));
            }
        }
        all
    }

    fn look_up(&self, mention: &Mention, file: &VfsPath) -> Result<ReferenceState, AssetError> {
        if mention.kind == ReferenceKind::Require {
            let target = self.required_file(file, &mention.name)?;
            return Ok(match self.containing(&target) {
                Some(asset) => ReferenceState::Resolved(asset.guid),
                None => ReferenceState::File(target),
            });
        }
        let found = |type_: Option<&str>| self.resolve(&mention.name, type_, Some(file));
        let mut first_error = None;
        for type_name in &mention.types {
            match found(Some(type_name)) {
                Ok(asset) => return Ok(ReferenceState::Resolved(asset.guid)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        match first_error {
            Some(error) => Err(error),
            None => Ok(ReferenceState::Resolved(found(None)?.guid)),
        }
    }

    /// The asset's own files that can hold names. A type's template belongs to assets to come.
    fn scanned_files(&self, asset: &Asset) -> Vec<VfsPath> {
        let template = format!("{}/", crate::layout::TEMPLATE);
        let declares_type = crate::types::is_type_folder(asset.path.name());
        let own = self.files(asset).into_iter();
        own.filter(|file| !declares_type || !file.starts_with(&template))
            .filter(|file| file != REFERENCES)
            .filter_map(|file| asset.path.join(&file).ok())
            .collect()
    }

    fn mentions(&self, vfs: &Vfs, asset: &Asset, file: &VfsPath) -> Arc<Vec<Mention>> {
        let cache = || self.references.lock().unwrap_or_else(|broken| broken.into_inner());
        if let Some(known) = cache().files.get(file) {
            return known.clone();
        }
        let extractor = Extractor::new(&self.registry, &asset.type_name);
        let mentions = Arc::new(extractor.read(vfs, file));
        cache().files.insert(file.clone(), mentions.clone());
        mentions
    }
}
