//! What a type says about its assets, and the set of types a tree declares.

mod form;
mod parse;
mod registry;

use serde_json::Value as Json;
use zero_base::{Diagnostic, Severity, Span};
use zero_vfs::VfsPath;

use crate::pattern::PathPattern;
use crate::root::Root;

pub(crate) use parse::parse_type;
pub(crate) use registry::{Registry, TYPE_FILE, is_type_folder};

/// One asset type, read from its `type.yaml`. The file always gives a type, however much of it
/// is wrong: what could not be read is in `diagnostics`.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeInfo {
    pub name: String,
    /// The `<name>.assetType` folder; none for the bootstrap of `assetType` itself.
    pub path: Option<VfsPath>,
    pub root: Root,
    /// What ends the name of an asset's folder, without the dot.
    pub suffix: String,
    /// One line.
    pub description: String,
    pub identity: IdentityRule,
    /// Holds other assets.
    pub container: bool,
    /// A container whose contents are one working whole: what `~.` is relative to.
    pub system: bool,
    /// `require` finds assets of this type.
    pub requirable: bool,
    /// The types an asset of this one must lie directly in; empty: anywhere.
    pub within: Vec<String>,
    /// A file that makes a folder without a suffix an asset of this type.
    pub marker: Option<String>,
    /// Where an asset may state a name other than its folder's.
    pub name_from: Option<NameSource>,
    /// The files an asset is opened by; the first that exists is its body.
    pub primary: Vec<String>,
    pub files: FileRules,
    pub references: ReferenceRules,
    /// The settings every asset carries, as written.
    pub settings: Json,
    /// What search embeds, as written.
    pub indexing: Json,
    /// How descriptions are generated, as written.
    pub describe: Json,
    /// How assets are pictured, as written.
    pub preview: Json,
    /// The file of the type that makes its inspector sections.
    pub inspector: Option<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// How an asset's identity follows from where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdentityRule {
    /// The path from the root, `/` written `.`, type suffixes dropped.
    #[default]
    Path,
    /// The asset's own name, in every root.
    TypeName,
    /// The name of the enclosing asset, a dot, and the asset's own name.
    ToolboxTool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameSource {
    pub file: String,
    pub key: String,
}

/// The files an asset of the type must and may hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileRules {
    pub required: Vec<FileRule>,
    pub optional: Vec<FileRule>,
    /// Whether files and assets that no rule names are welcome.
    pub allow_unlisted: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FileRule {
    pub path: PathPattern,
    /// Other spellings that serve as well.
    pub alternatives: Vec<PathPattern>,
    pub kind: FileRuleKind,
    /// How bad it is when a required file is missing.
    pub severity: Severity,
    pub content: Vec<ContentCheck>,
    pub description: String,
}

impl FileRule {
    pub fn patterns(&self) -> impl Iterator<Item = &PathPattern> {
        std::iter::once(&self.path).chain(&self.alternatives)
    }

    pub fn matches(&self, path: &str) -> bool {
        self.patterns().any(|pattern| pattern.matches(path))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileRuleKind {
    File,
    Folder,
    /// A nested asset, of the named type if one is named.
    Asset(Option<String>),
}

/// One condition on a file's content, with the type's own words for when it is not met.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentCheck {
    pub check: Check,
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// Someone has written it: not empty, no line that still starts with `[[describe]]`.
    Described {
        keys: Vec<DescribedKey>,
        headings: Vec<String>,
        max_bytes: Option<u64>,
    },
    Parse(Format),
    Size {
        min_bytes: Option<u64>,
        max_bytes: Option<u64>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct DescribedKey {
    pub key: String,
    pub max_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Yaml,
    Json,
    Luau,
}

/// Where the type's format or API carries the names of other assets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReferenceRules {
    pub keys: Vec<ReferenceKey>,
    pub args: Vec<ReferenceArg>,
    pub fields: Vec<ReferenceField>,
}

/// A key of the type's own data files. A dotted key reaches inward, `*` standing for every item
/// of a list or every value of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceKey {
    pub key: String,
    pub type_name: String,
    pub span: Span,
}

/// The argument of a call, counted from 1, wherever the call is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceArg {
    pub call: String,
    pub position: usize,
    pub type_name: String,
    pub span: Span,
}

/// A field of the options table that a call takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceField {
    pub call: String,
    pub field: String,
    pub type_name: String,
    pub span: Span,
}
