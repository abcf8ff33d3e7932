use super::{Finding, Tree};

/// Whoever opens a crate first reads what it is, what it never does and where to start.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let libraries = tree.with_extension("rs").filter(|(path, _)| is_library(path));
    let silent = libraries.filter(|(_, text)| !text.starts_with("//!"));
    let remedy = "begin with `//!`: what it is, what it never does, where to start reading";
    silent.map(|(path, _)| Finding::new(path, 1, "the crate has no header", remedy)).collect()
}

fn is_library(path: &str) -> bool {
    path.starts_with("engine/") && path.ends_with("/src/lib.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_crate_begins_with_its_header() {
        let tree = Tree::of([
            ("engine/a/src/lib.rs", "//! A.\n"),
            ("engine/b/src/lib.rs", "mod c;\n"),
            ("engine/b/src/c.rs", ""),
            ("tests/src/lib.rs", ""),
        ]);
        let found: Vec<String> = find(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["engine/b/src/lib.rs"]);
    }
}
