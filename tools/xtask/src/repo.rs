use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;
use crate::process;

/// The checkout this program was started in, as cargo describes it.
pub struct Repo {
    pub root: PathBuf,
    pub target: PathBuf,
    pub packages: Vec<Package>,
}

/// A member of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    /// From the repository's root: `engine/base/Cargo.toml`.
    pub manifest: String,
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    pub kind: DependencyKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencyKind {
    Normal,
    Build,
    Dev,
}

impl Repo {
    pub fn open() -> Result<Repo, Failure> {
        let root = find_root()?;
        let metadata = process::output(
            Command::new("cargo").args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(&root),
        )?;
        let metadata: Value = serde_json::from_str(&metadata)
            .map_err(|error| Failure::new(format!("`cargo metadata` printed something else than JSON: {error}")))?;
        let target = PathBuf::from(text(&metadata["target_directory"]));
        let packages = packages(&metadata, &root);
        Ok(Repo { root, target, packages })
    }

    /// Cargo, in the root, without incremental files where they would never be read again.
    pub fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(&self.root);
        if in_ci() {
            command.env("CARGO_INCREMENTAL", "0");
        }
        command
    }
}

/// Continuous integration systems agree on one thing: they set `CI`.
pub fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// `cargo run` says where this package lies; started by hand, the working folder decides.
fn find_root() -> Result<PathBuf, Failure> {
    let from = match env::var_os("CARGO_MANIFEST_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => env::current_dir().map_err(|error| Failure::new(format!("the working folder is gone: {error}")))?,
    };
    let found = from.ancestors().find(|folder| folder.join("engine").is_dir() && folder.join("Cargo.toml").is_file());
    found.map(Path::to_path_buf).ok_or_else(|| {
        Failure::new(format!("no checkout of Zero at or above {}", from.display()))
            .with_remedy("call `cargo xtask` inside the repository")
    })
}

fn packages(metadata: &Value, root: &Path) -> Vec<Package> {
    let listed = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut packages: Vec<Package> = listed.iter().map(|package| package_from(package, root)).collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    packages
}

fn package_from(package: &Value, root: &Path) -> Package {
    let manifest = Path::new(text(&package["manifest_path"]));
    let manifest = manifest.strip_prefix(root).unwrap_or(manifest).to_string_lossy().replace('\\', "/");
    let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    Package {
        name: text(&package["name"]).to_owned(),
        manifest,
        dependencies: dependencies
            .iter()
            .map(|dependency| Dependency {
                name: text(&dependency["name"]).to_owned(),
                kind: match dependency["kind"].as_str() {
                    Some("dev") => DependencyKind::Dev,
                    Some("build") => DependencyKind::Build,
                    _ => DependencyKind::Normal,
                },
            })
            .collect(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_from_what_cargo_prints() {
        let metadata = serde_json::json!({ "packages": [{
            "name": "zero-vfs",
            "manifest_path": "/repo/engine/vfs/Cargo.toml",
            "dependencies": [{ "name": "zero-base", "kind": null }, { "name": "tempfile", "kind": "dev" }],
        }]});
        let expected = Package {
            name: "zero-vfs".into(),
            manifest: "engine/vfs/Cargo.toml".into(),
            dependencies: vec![
                Dependency { name: "zero-base".into(), kind: DependencyKind::Normal },
                Dependency { name: "tempfile".into(), kind: DependencyKind::Dev },
            ],
        };
        assert_eq!(packages(&metadata, Path::new("/repo")), [expected]);
    }

    #[test]
    fn this_checkout_opens_and_knows_this_package() {
        let repo = Repo::open().unwrap();
        assert!(repo.packages.iter().any(|package| package.manifest == "tools/xtask/Cargo.toml"));
    }
}
