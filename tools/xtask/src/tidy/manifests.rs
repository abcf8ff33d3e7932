use super::{Finding, Tree};

const ROOT: &str = "Cargo.toml";

/// In the root manifest every outside dependency has a comment above it that says why it is
/// there; the members' manifests name dependencies and no versions.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let mut findings = tree.text(ROOT).map(unexplained).unwrap_or_default();
    for package in &tree.packages {
        findings
            .extend(tree.text(&package.manifest).map(|text| versioned(&package.manifest, text)).unwrap_or_default());
    }
    findings
}

fn unexplained(manifest: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut previous = "";
    for (index, section, line) in entries(manifest) {
        let starts_entry = line.contains('=') && !line.starts_with(['#', ' ', '\t']);
        if section == "[workspace.dependencies]"
            && starts_entry
            && !line.contains("path = ")
            && !previous.starts_with('#')
        {
            let name = line.split('=').next().unwrap_or_default().trim();
            let remedy = "write one comment line above it: what it is here for";
            findings.push(Finding::new(ROOT, index + 1, format!("dependency `{name}` has no reason"), remedy));
        }
        previous = line;
    }
    findings
}

fn versioned(path: &str, manifest: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, section, line) in entries(manifest) {
        let dependencies = section.trim_end_matches(']').ends_with("dependencies");
        let Some((name, value)) = line.split_once('=') else { continue };
        let inherited = name.trim().ends_with(".workspace") || value.contains("workspace = true");
        if dependencies && !line.starts_with('#') && !inherited {
            let what = format!("dependency `{}` is not the workspace's", name.trim());
            let remedy =
                "put it under [workspace.dependencies] in the root manifest and write `.workspace = true` here";
            findings.push(Finding::new(path, index + 1, what, remedy));
        }
    }
    findings
}

/// Index, section and text of every line.
fn entries(manifest: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let mut section = "";
    manifest.lines().enumerate().map(move |(index, line)| {
        if line.starts_with('[') {
            section = line.trim();
            return (index, "", line);
        }
        (index, section, line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Package;

    #[test]
    fn every_outside_dependency_has_a_reason() {
        let manifest = "[workspace.dependencies]\nzero-a = { path = \"engine/a\" }\n\n# Why.\nb = \"1\"\nc = \"2\"\n[profile.dev]\nd = 1\n";
        let found: Vec<String> = find(&Tree::of([(ROOT, manifest)])).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("Cargo.toml:6: dependency `c`"), "{found:?}");
    }

    #[test]
    fn members_name_no_versions() {
        let manifest = "[package]\nversion = \"1\"\n[dependencies]\na.workspace = true\nb = { workspace = true, optional = true }\nc = \"1\"\n[dev-dependencies]\nd = { path = \"x\" }\n";
        let mut tree = Tree::of([("m/Cargo.toml", manifest)]);
        tree.packages = vec![Package { name: "m".into(), manifest: "m/Cargo.toml".into(), dependencies: Vec::new() }];
        let lines: Vec<_> = find(&tree).iter().filter_map(|finding| finding.line).collect();
        assert_eq!(lines, [6, 8]);
    }
}
