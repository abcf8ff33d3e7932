//! Assets: typed folders, what they are called, what they hold and what they refer to.
//!
//! Never runs a script (what a type does in code is run by whoever has a machine), never writes a
//! file, and knows no type but the type of types: every other is read from a `type.yaml` in the
//! tree. Start at [`Assets`], then `layout.rs` for how a folder becomes an asset.

mod asset;
mod create;
mod data;
mod error;
mod index;
mod layout;
mod metadata;
mod names;
mod pattern;
mod references;
mod require;
mod resolve;
mod root;
mod structure;
mod tree;
mod types;

pub use asset::{Asset, AssetEvent, AssetEventKind};
pub use create::{CreatePlan, CreateRequest, Existing, NameRule};
pub use error::AssetError;
pub use index::Assets;
pub use pattern::PathPattern;
pub use references::{Dependency, Reference, ReferenceKind, ReferenceState};
pub use root::Root;
pub use types::{
    Check, ContentCheck, DescribedKey, FileRule, FileRuleKind, FileRules, Format, IdentityRule, NameSource,
    ReferenceArg, ReferenceField, ReferenceKey, ReferenceRules, TypeInfo,
};
