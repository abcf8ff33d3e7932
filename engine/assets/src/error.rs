use serde_json::json;
use zero_base::Fault;
use zero_vfs::VfsError;

/// Why a name found no asset, or an asset cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    #[error("no {what} is called '{name}'{hint}")]
    NotFound {
        /// `asset`, `module`, or the type that was asked for.
        what: String,
        name: String,
        /// How to go on: the nearest name, or the library that has it.
        hint: String,
        nearest: Option<String>,
    },
    #[error("'{name}' fits several assets: {}; name the type, or use the guid", candidates.join(", "))]
    Ambiguous { name: String, candidates: Vec<String> },
    #[error("'{identity}' is a {type_name}, and require loads only {}{hint}", requirable.join(", "))]
    NotRequirable { identity: String, type_name: String, requirable: Vec<String>, hint: String },
    #[error("no library '@{library}' is mounted{hint}")]
    UnknownLibrary { library: String, hint: String },
    #[error("'{name}' is relative to a package, and {from} lies in {found}")]
    NoPackage { name: String, from: String, found: String },
    #[error("'{name}' climbs above the root {root} from {from}")]
    AboveRoot { name: String, root: String, from: String },
    #[error("'{name}' is relative, and nothing says to which file: use the full identity")]
    NoCaller { name: String },
    #[error("'{name}' is no asset name: {reason}")]
    Malformed { name: String, reason: &'static str },
    #[error(
        "no type '{name}' is registered{hint}; known types: {}; a new type is declared by {name}.assetType/type.yaml",
        known.join(", ")
    )]
    UnknownType { name: String, hint: String, known: Vec<String> },
    #[error("'{name}' cannot name a {type_name}: {reason}")]
    BadName { name: String, type_name: String, reason: String },
    #[error("a {type_name} '{identity}' already exists at {path}; use another name, or ask to replace it")]
    Exists { type_name: String, identity: String, path: String },
    #[error("{path} differs only by case from {other}, and the two cannot be told apart on every disk")]
    CaseClash { path: String, other: String },
    #[error("'{identity}' is a {type_name}, which holds no other assets; containers: {}", containers.join(", "))]
    NotAContainer { identity: String, type_name: String, containers: Vec<String> },
    #[error("a {type_name} lies inside a {}: pass one as 'into'", within.join(" or a "))]
    OutsideContainer { type_name: String, within: Vec<String> },
    #[error("'{folder}' is no folder for assets: {reason}")]
    BadFolder { folder: String, reason: String },
    #[error("libraries are read-only: nothing can be made in {path}")]
    ReadOnly { path: String },
    #[error("the template of {type_name} is larger than {limit_bytes} bytes")]
    TemplateTooLarge { type_name: String, limit_bytes: u64 },
    #[error(transparent)]
    Vfs(#[from] VfsError),
}

impl AssetError {
    pub fn code(&self) -> &'static str {
        match self {
            AssetError::NotFound { .. } => "asset/not_found",
            AssetError::Ambiguous { .. } => "asset/ambiguous",
            AssetError::NotRequirable { .. } => "asset/not_requirable",
            AssetError::UnknownLibrary { .. } => "asset/unknown_library",
            AssetError::NoPackage { .. } => "asset/no_package",
            AssetError::AboveRoot { .. } => "asset/above_root",
            AssetError::NoCaller { .. } => "asset/no_caller",
            AssetError::Malformed { .. } => "asset/malformed_name",
            AssetError::UnknownType { .. } => "asset/unknown_type",
            AssetError::BadName { .. } => "asset/bad_name",
            AssetError::Exists { .. } => "asset/exists",
            AssetError::CaseClash { .. } => "asset/case_clash",
            AssetError::NotAContainer { .. } => "asset/not_a_container",
            AssetError::OutsideContainer { .. } => "asset/outside_container",
            AssetError::BadFolder { .. } => "asset/bad_folder",
            AssetError::ReadOnly { .. } => "asset/read_only",
            AssetError::TemplateTooLarge { .. } => "asset/template_too_large",
            AssetError::Vfs(error) => error.code(),
        }
    }
}

impl From<AssetError> for Fault {
    fn from(error: AssetError) -> Fault {
        let fault = Fault::new(error.code(), error.to_string());
        match error {
            AssetError::NotFound { nearest: Some(nearest), .. } => fault.with_data(json!({ "nearest": nearest })),
            AssetError::Ambiguous { candidates, .. } => fault.with_data(json!({ "candidates": candidates })),
            AssetError::UnknownType { known, .. } => fault.with_data(json!({ "known": known })),
            AssetError::Vfs(inner) => inner.into(),
            _ => fault,
        }
    }
}
