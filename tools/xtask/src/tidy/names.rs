use std::path::Path;

use super::{Finding, Tree};

/// Names that say nothing about what is in the file.
const EMPTY: &[&str] = &["common", "helper", "helpers", "misc", "util", "utils"];

/// No `mod.rs`, and no file whose name could be any file's.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in tree.files.keys() {
        let file = Path::new(path);
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        if file.file_name().is_some_and(|name| name == "mod.rs") {
            let remedy = "move it beside its folder, under the folder's name";
            findings.push(Finding::new(path, None, "a mod.rs", remedy));
        } else if EMPTY.contains(&stem.as_str()) {
            let remedy = "name it for what it holds, or move each part to what uses it";
            findings.push(Finding::new(path, None, format!("`{stem}` names nothing"), remedy));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_for_what_they_hold() {
        let tree = Tree::of([
            ("engine/a/src/b/mod.rs", ""),
            ("engine/a/src/utils.rs", ""),
            ("toolboxes/x.toolbox/Helpers.luau", ""),
            ("engine/a/src/common_edges.rs", ""),
            ("engine/a/src/b.rs", ""),
        ]);
        let found: Vec<String> = find(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["engine/a/src/b/mod.rs", "engine/a/src/utils.rs", "toolboxes/x.toolbox/Helpers.luau"]);
    }
}
