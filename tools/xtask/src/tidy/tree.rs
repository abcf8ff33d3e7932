use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::repo::{Package, Repo};

/// The repository as text: what git tracks or would track, and the packages.
#[derive(Debug, Default)]
pub struct Tree {
    /// Path from the root, `/` between names, to its text; none for what is not UTF-8.
    pub files: BTreeMap<String, Option<String>>,
    pub packages: Vec<Package>,
}

/// Never part of the repository, and skipped where no git says so.
const OUTPUTS: &[&str] = &[".git", "target", "node_modules", "worlds"];

impl Tree {
    pub fn read(repo: &Repo) -> Result<Tree, Failure> {
        let paths = match listed_by_git(&repo.root) {
            Some(paths) => paths,
            None => walked(&repo.root),
        };
        let mut files = BTreeMap::new();
        for path in paths {
            // Listed and not there: removed and not yet staged.
            if let Ok(bytes) = fs::read(repo.root.join(&path)) {
                files.insert(path, String::from_utf8(bytes).ok());
            }
        }
        Ok(Tree { files, packages: repo.packages.clone() })
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// Text files whose name has this ending, `rs` without the dot.
    pub fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.texts().filter(move |(path, _)| Path::new(path).extension().is_some_and(|end| end == extension))
    }

    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// Every folder that holds a file, at any depth.
    pub fn folders(&self) -> BTreeSet<&str> {
        self.files.keys().flat_map(|path| path.match_indices('/').map(move |(at, _)| &path[..at])).collect()
    }

    /// Whether it is a file or a folder that holds one.
    pub fn exists(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        self.files.contains_key(path)
            || self.files.range(inside.clone()..).next().is_some_and(|(next, _)| next.starts_with(&inside))
    }
}

fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = process::output(Command::new("git").args(arguments).current_dir(root)).ok()?;
    let paths: Vec<String> = listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    // A copy without its history inside somebody else's repository lists nothing.
    (!paths.is_empty()).then_some(paths)
}

fn walked(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let skipped = OUTPUTS.iter().any(|name| entry.file_name() == *name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !skipped => folders.push(path),
                Ok(kind) if kind.is_file() => {
                    let relative = path.strip_prefix(root).unwrap_or(&path);
                    paths.push(relative.to_string_lossy().replace('\\', "/"));
                }
                _ => {}
            }
        }
    }
    paths
}

#[cfg(test)]
impl Tree {
    /// A tree of these files and no packages.
    pub fn of<const N: usize>(files: [(&str, &str); N]) -> Tree {
        let files = files.map(|(path, text)| (path.to_owned(), Some(text.to_owned())));
        Tree { files: files.into(), packages: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_those_that_hold_files() {
        let tree = Tree::of([("a/b/c.rs", ""), ("d.rs", ""), ("a-x/e.rs", "")]);
        assert_eq!(tree.folders().into_iter().collect::<Vec<_>>(), ["a", "a-x", "a/b"]);
        assert!(tree.exists("a/b") && tree.exists("a") && tree.exists("d.rs"));
        assert!(!tree.exists("a/bc") && !tree.exists("b"));
    }

    #[test]
    fn a_folder_without_git_is_walked_past_build_outputs() {
        let root = tempfile::tempdir().unwrap();
        for path in ["src/a.rs", "target/b.rs", "sub/node_modules/c.js", ".ci/run"] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut paths = walked(root.path());
        paths.sort();
        assert_eq!(paths, [".ci/run", "src/a.rs"]);
    }
}
