//! The part of a type that is code. This crate runs none: whoever can implements
//! [`TypeBehavior`], and what asks it lives here.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;
use zero_base::{Diagnostic, Fault, Guid};
use zero_vfs::{Vfs, VfsPath};

use crate::asset::Asset;
use crate::create::{CreatePlan, CreateRequest, Existing};
use crate::error::AssetError;
use crate::index::Assets;
use crate::types::TypeInfo;

/// The files of an asset by relative path.
pub type AssetFiles = BTreeMap<String, Vec<u8>>;

/// The hooks of a type's `behavior.luau`. A type without a hook answers as the defaults do.
pub trait TypeBehavior {
    /// `M.namePattern`, which must match `name`: none where the type has no pattern of its own.
    fn name_pattern(&mut self, info: &TypeInfo, name: &str) -> Result<Option<String>, Fault> {
        let _ = (info, name);
        Ok(None)
    }

    /// `M.onCreate(name, opts)`: files that take the place of the template's.
    fn on_create(&mut self, info: &TypeInfo, name: &str, opts: &Json) -> Result<AssetFiles, Fault> {
        let _ = (info, name, opts);
        Ok(AssetFiles::new())
    }

    /// `M.onReplace(dest, files)`: what is written over the asset at `dest`.
    fn on_replace(&mut self, info: &TypeInfo, dest: &VfsPath, files: AssetFiles) -> Result<AssetFiles, Fault> {
        let _ = (info, dest);
        Ok(files)
    }

    /// `M.validate(ref)`: what is wrong with the meaning of the asset.
    fn validate(&mut self, info: &TypeInfo, asset: &Asset) -> Result<Vec<Diagnostic>, Fault> {
        let _ = (info, asset);
        Ok(Vec::new())
    }

    /// `M.ref.inspect(self)`: what there is to say about an asset of this type.
    fn inspect(&mut self, info: &TypeInfo, asset: &Asset) -> Result<Option<Json>, Fault> {
        let _ = (info, asset);
        Ok(None)
    }
}

/// What `asset.inspect` answers for every type.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    pub identity: String,
    pub name: String,
    pub guid: Guid,
    /// The asset's folder.
    pub source: VfsPath,
    pub type_name: String,
    /// The folder of the type that describes it.
    pub type_definition_path: Option<VfsPath>,
    /// `source`, or `@` and the library.
    pub scope: String,
    /// `authored` for the world's own, `library` otherwise.
    pub origin: &'static str,
    pub description: String,
    pub tags: Vec<String>,
    /// What the type's own hook says; none where there is no hook, or it failed.
    pub detail: Option<Json>,
    /// Why `detail` is missing although there is a hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl Assets {
    /// Structure, meaning and references: everything that is wrong with an asset.
    pub fn validate_with(&self, vfs: &Vfs, asset: &Asset, behavior: &mut dyn TypeBehavior) -> Vec<Diagnostic> {
        let mut problems = self.validate(vfs, asset);
        let Some(info) = self.type_info(&asset.type_name) else { return problems };
        match behavior.validate(info, asset) {
            Ok(found) => problems.extend(found.into_iter().map(|problem| match problem.path {
                Some(_) => problem,
                None => problem.in_file(asset.path.as_str()),
            })),
            Err(fault) => {
                let message = format!("validate of the type {} failed: {fault}", info.name);
                problems.push(Diagnostic::error("validate.hook_failed", message).in_file(asset.path.as_str()));
            }
        }
        problems
    }

    /// The asset as its type shows it. Never fails for an asset that exists.
    pub fn inspect_with(&self, vfs: &Vfs, asset: &Asset, behavior: &mut dyn TypeBehavior) -> Inspection {
        let info = self.type_info(&asset.type_name);
        let (detail, warning) = match info.map(|info| behavior.inspect(info, asset)) {
            Some(Ok(detail)) => (detail, None),
            Some(Err(fault)) => (None, Some(fault.to_string())),
            None => (None, None),
        };
        Inspection {
            identity: asset.identity.clone(),
            name: asset.name.clone(),
            guid: asset.guid,
            source: asset.path.clone(),
            type_name: asset.type_name.clone(),
            type_definition_path: info.and_then(|info| info.path.clone()),
            scope: asset.root.to_string(),
            origin: if asset.root == crate::root::Root::Source { "authored" } else { "library" },
            description: self.description(vfs, asset),
            tags: asset.tags.clone(),
            detail,
            warning,
        }
    }

    /// [`Assets::plan_create`] with the type's own say: its name pattern, its files, and what it
    /// carries over from an asset that is replaced.
    pub fn plan_create_with(
        &self,
        vfs: &Vfs,
        mut request: CreateRequest,
        opts: &Json,
        behavior: &mut dyn TypeBehavior,
    ) -> Result<CreatePlan, AssetError> {
        let info = self.known_type(&request.type_name)?;
        let failed =
            |hook| move |fault| AssetError::Behavior { hook, type_name: info.name.clone(), fault: Box::new(fault) };
        request.name_pattern = behavior.name_pattern(info, &request.name).map_err(failed("namePattern"))?;
        // Refuse what must be refused before any code of the type runs.
        self.plan_create(vfs, request.clone())?;
        let made = behavior.on_create(info, &request.name, opts).map_err(failed("onCreate"))?;
        for (name, bytes) in made {
            // What the caller gave stands over what the type makes.
            request.files.entry(name).or_insert(bytes);
        }
        let replacing = request.existing == Existing::Replace;
        let plan = self.plan_create(vfs, request)?;
        if !replacing || self.at(&plan.path).is_none() {
            return Ok(plan);
        }
        let relative = |path: &VfsPath| path.relative_to(&plan.path).unwrap_or_default().to_owned();
        let files = plan.files.iter().map(|(path, bytes)| (relative(path), bytes.clone())).collect();
        let files = behavior.on_replace(info, &plan.path, files).map_err(failed("onReplace"))?;
        let files = files.into_iter().map(|(name, bytes)| Ok((plan.path.join(&name)?, bytes)));
        Ok(CreatePlan { files: files.collect::<Result<Vec<_>, AssetError>>()?, ..plan })
    }
}
