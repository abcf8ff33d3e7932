use super::{Finding, Tree};
use crate::repo::{DependencyKind, Package};

const HERE: &str = "tools/xtask/src/tidy/layers.rs";

/// A package and the packages of this repository that it may name. Whatever stands above a
/// package is missing from its row: that is the direction of dependency.
struct Layer {
    package: &'static str,
    below: &'static [&'static str],
}

/// Sorted by package.
const LAYERS: &[Layer] = &[
    Layer { package: "xtask", below: &[] },
    Layer { package: "zero", below: &["zero-base", "zero-runtime"] },
    Layer { package: "zero-algebra", below: &["zero-base"] },
    Layer { package: "zero-anim", below: &["zero-assets", "zero-base", "zero-hierarchy", "zero-source", "zero-world"] },
    Layer { package: "zero-assets", below: &["zero-base", "zero-source", "zero-vfs"] },
    Layer {
        package: "zero-audio",
        below: &["zero-assets", "zero-base", "zero-hierarchy", "zero-source", "zero-world"],
    },
    Layer { package: "zero-base", below: &[] },
    Layer { package: "zero-gpu", below: &["zero-base", "zero-source"] },
    Layer { package: "zero-hierarchy", below: &["zero-base"] },
    Layer { package: "zero-input", below: &["zero-base"] },
    Layer { package: "zero-library", below: &[] },
    Layer {
        package: "zero-physics",
        below: &["zero-assets", "zero-base", "zero-hierarchy", "zero-source", "zero-world"],
    },
    Layer {
        package: "zero-procgen",
        below: &["zero-algebra", "zero-base", "zero-gpu", "zero-hierarchy", "zero-shape", "zero-source", "zero-vfs"],
    },
    Layer {
        package: "zero-render",
        below: &["zero-assets", "zero-base", "zero-gpu", "zero-hierarchy", "zero-source", "zero-vfs", "zero-world"],
    },
    Layer {
        package: "zero-runtime",
        below: &[
            "zero-algebra",
            "zero-anim",
            "zero-assets",
            "zero-audio",
            "zero-base",
            "zero-gpu",
            "zero-hierarchy",
            "zero-input",
            "zero-library",
            "zero-physics",
            "zero-procgen",
            "zero-render",
            "zero-script",
            "zero-shape",
            "zero-source",
            "zero-vcs",
            "zero-vfs",
            "zero-world",
        ],
    },
    Layer { package: "zero-script", below: &["zero-base", "zero-source"] },
    Layer { package: "zero-shape", below: &["zero-base"] },
    Layer { package: "zero-source", below: &["zero-base"] },
    Layer { package: "zero-tests", below: &["zero-base", "zero-gpu", "zero-runtime"] },
    Layer { package: "zero-vcs", below: &["zero-base", "zero-source", "zero-vfs"] },
    Layer { package: "zero-vfs", below: &["zero-base"] },
    Layer { package: "zero-world", below: &["zero-assets", "zero-base", "zero-hierarchy", "zero-source", "zero-vfs"] },
];

/// An outside dependency that stays behind the packages that need it, and why.
struct Kept {
    dependency: &'static str,
    by: &'static [&'static str],
    why: &'static str,
}

/// Sorted by dependency.
const KEPT: &[Kept] = &[
    Kept { dependency: "axum", by: &["zero"], why: "only the program knows a wire format" },
    Kept { dependency: "hecs", by: &["zero-world"], why: "the world is the only owner of entities" },
    Kept { dependency: "mlua", by: &["zero-runtime", "zero-script"], why: "nothing else sees a Luau value" },
    Kept { dependency: "naga", by: &["zero-gpu"], why: "shaders are read in one place" },
    Kept { dependency: "notify", by: &["zero-vfs"], why: "the disk is watched in one place" },
    Kept { dependency: "rmcp", by: &["zero"], why: "only the program knows a wire format" },
    Kept { dependency: "serde-saphyr", by: &["zero-source"], why: "YAML is known in one place" },
    Kept { dependency: "tokio", by: &["zero"], why: "the engine has its own thread and no async" },
    Kept { dependency: "wgpu", by: &["zero-gpu"], why: "zero-gpu hands on the one version of it" },
];

/// Dependencies point down, along the table; heavy ones stay where they are needed.
pub fn find(tree: &Tree) -> Vec<Finding> {
    tree.packages.iter().flat_map(|package| of_package(tree, package)).collect()
}

fn of_package(tree: &Tree, package: &Package) -> Vec<Finding> {
    let Some(layer) = LAYERS.iter().find(|layer| layer.package == package.name) else {
        let what = format!("package `{}` is in no layer", package.name);
        return vec![Finding::new(&package.manifest, None, what, format!("give it a row in {HERE}"))];
    };
    let mut findings = Vec::new();
    // What only tests use does not reach the program; it may look anywhere.
    for dependency in package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Dev) {
        let name = dependency.name.as_str();
        let inside = tree.packages.iter().any(|other| other.name == name);
        let line = tree.text(&package.manifest).and_then(|text| line_of(text, name));
        if inside && !layer.below.contains(&name) {
            let what = format!("`{}` may not depend on `{name}`", package.name);
            let remedy = format!("move the shared part down, or argue for a new arrow in {HERE}");
            findings.push(Finding::new(&package.manifest, line, what, remedy));
        }
        let kept = KEPT.iter().find(|kept| kept.dependency == name);
        if let Some(kept) = kept.filter(|kept| !kept.by.contains(&package.name.as_str())) {
            let what = format!("`{}` may not depend on `{name}`: {}", package.name, kept.why);
            findings.push(Finding::new(&package.manifest, line, what, format!("go through {}", kept.by.join(" or "))));
        }
    }
    findings
}

fn line_of(manifest: &str, dependency: &str) -> Option<usize> {
    let names = |line: &str| line.split(['.', '=', ' ']).next() == Some(dependency);
    manifest.lines().position(names).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Dependency;

    fn package(name: &str, dependencies: &[(&str, DependencyKind)]) -> Package {
        let dependency = |(name, kind): &(&str, DependencyKind)| Dependency { name: (*name).to_owned(), kind: *kind };
        let manifest = format!("{name}/Cargo.toml");
        Package { name: name.to_owned(), manifest, dependencies: dependencies.iter().map(dependency).collect() }
    }

    fn check(packages: Vec<Package>, expected: &[&str]) {
        let mut tree = Tree::of([("zero-vfs/Cargo.toml", "[dependencies]\nzero-assets.workspace = true\n")]);
        tree.packages = packages;
        let found: Vec<String> = find(&tree).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn arrows_point_down() {
        let assets = package("zero-assets", &[("zero-vfs", DependencyKind::Normal)]);
        check(vec![assets.clone(), package("zero-vfs", &[])], &[]);
        let vfs = package("zero-vfs", &[("zero-assets", DependencyKind::Build)]);
        check(vec![assets.clone(), vfs], &["zero-vfs/Cargo.toml:2: `zero-vfs` may not depend on `zero-assets`"]);
        let vfs = package("zero-vfs", &[("zero-assets", DependencyKind::Dev)]);
        check(vec![assets, vfs], &[]);
    }

    #[test]
    fn heavy_dependencies_stay_where_they_are_needed() {
        check(
            vec![package("zero-world", &[("hecs", DependencyKind::Normal), ("mlua", DependencyKind::Normal)])],
            &["mlua"],
        );
        check(vec![package("zero-new", &[])], &["is in no layer"]);
    }

    #[test]
    fn tables_are_sorted_and_no_two_packages_see_each_other() {
        assert!(LAYERS.is_sorted_by(|a, b| a.package < b.package));
        assert!(KEPT.is_sorted_by(|a, b| a.dependency < b.dependency));
        for layer in LAYERS {
            assert!(layer.below.is_sorted(), "{}", layer.package);
            for below in layer.below {
                let row = LAYERS.iter().find(|other| other.package == *below);
                let row = row.unwrap_or_else(|| panic!("{below} has no row"));
                assert!(!row.below.contains(&layer.package), "{} and {below} see each other", layer.package);
            }
        }
    }
}
