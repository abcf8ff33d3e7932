use std::fmt;

use serde::{Serialize, Serializer};
use zero_vfs::VfsPath;

/// The world's own content.
pub(crate) const SOURCE: &str = "/zero/source";
/// Mounted libraries: one folder each, `@<name>`.
pub(crate) const LIBRARIES: &str = "/zero/source/libs";
/// Scratch and reports: never indexed.
const SCRATCH: &str = "/zero/source/tmp";
/// The library every engine carries. Its content wins where a name or guid is given twice.
const BUILTIN: &str = "builtin";

/// The scope that identities are relative to: the world's source tree or a mounted library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    Source,
    /// By name, without the `@`.
    Library(String),
}

impl Root {
    /// The root that `path` lies under; none outside the indexed tree (scratch, runtime state).
    pub fn of(path: &str) -> Option<Root> {
        let inside = strip_folder(path, SOURCE)?;
        if strip_folder(path, SCRATCH).is_some() {
            return None;
        }
        let Some(in_libraries) = strip_folder(path, LIBRARIES) else {
            return Some(Root::Source);
        };
        debug_assert!(inside.starts_with("libs"));
        let name = in_libraries.split('/').next()?.strip_prefix('@')?;
        (!name.is_empty()).then(|| Root::Library(name.to_owned()))
    }

    pub fn is_library(&self) -> bool {
        matches!(self, Root::Library(_))
    }

    /// The folder of the root.
    pub fn folder(&self) -> String {
        match self {
            Root::Source => SOURCE.to_owned(),
            Root::Library(name) => format!("{LIBRARIES}/@{name}"),
        }
    }

    /// `path` relative to the root's folder: empty for the folder itself.
    pub(crate) fn relative<'a>(&self, path: &'a str) -> Option<&'a str> {
        strip_folder(path, &self.folder())
    }

    /// `identity` as it is written from any other root: `@lib::identity`, or bare for the world's own.
    pub fn qualify(&self, identity: &str) -> String {
        match self {
            Root::Source => identity.to_owned(),
            Root::Library(name) => format!("@{name}::{identity}"),
        }
    }

    /// Who keeps a name or guid that is given twice: lower ranks do. A copy of library content in
    /// a world must never take the original's place.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Root::Library(name) if name == BUILTIN => 0,
            Root::Library(_) => 1,
            Root::Source => 2,
        }
    }
}

/// `source`, or `@` and the library's name.
impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Root::Source => f.write_str("source"),
            Root::Library(name) => write!(f, "@{name}"),
        }
    }
}

impl Serialize for Root {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The root and root-relative path of an indexed file or folder; none for what is never indexed:
/// scratch, and all that lies in a folder whose name starts with a dot.
pub(crate) fn place(path: &VfsPath) -> Option<(Root, &str)> {
    let root = Root::of(path.as_str())?;
    let relative = root.relative(path.as_str())?;
    (!is_hidden(relative)).then_some((root, relative))
}

/// Whether a file lies in a folder whose name starts with a dot.
pub(crate) fn is_hidden(relative: &str) -> bool {
    (relative.starts_with('.') || relative.contains("/."))
        && relative.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(|name| name.starts_with('.')))
}

/// What follows `folder/` in `path`; empty when `path` is `folder`.
fn strip_folder<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    match path.strip_prefix(folder)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_belongs_to_the_world_a_library_or_nothing() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(Root::of(path).map(|root| root.to_string()).as_deref(), expected, "{path}");
        };
        check("/zero/source", Some("source"));
        check("/zero/source/kit.package/a.module", Some("source"));
        check("/zero/source/libs/@builtin/modules", Some("@builtin"));
        check("/zero/source/libs/@builtin", Some("@builtin"));
        check("/zero/source/library/x", Some("source"));
        check("/zero/source/tmp/report.json", None);
        check("/zero/source/template/x", Some("source"));
        check("/zero/source/libs", None);
        check("/zero/source/libs/stray/x", None);
        check("/zero/runtime/STATE", None);
        check("/tmp/x", None);
    }
}
