use super::{Finding, Tree, rust_text};

/// Folders of a package whose files are roots of their own.
const ROOTS: &[&str] = &["/src/bin/", "/benches/", "/examples/"];

/// A Rust file that no other declares is compiled by nobody and tested by nobody.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let files = tree.with_extension("rs").map(|(path, _)| path);
    let orphans = files.filter(|path| parents(path).is_some_and(|(parents, name)| !declared(tree, &parents, name)));
    let remedy = "declare it with `mod` in the file above it, or delete it";
    orphans.map(|path| Finding::new(path, None, "no module declares this file", remedy)).collect()
}

/// The files that may declare this one, and the name they would use; none for a root.
fn parents(path: &str) -> Option<(Vec<String>, &str)> {
    let (folder, file) = path.rsplit_once('/')?;
    let name = file.strip_suffix(".rs")?;
    let is_root = matches!(name, "lib" | "main" | "build")
        || ROOTS.iter().any(|root| path.contains(root))
        || folder.ends_with("/tests");
    if is_root {
        return None;
    }
    Some((vec![format!("{folder}.rs"), format!("{folder}/lib.rs"), format!("{folder}/main.rs")], name))
}

fn declared(tree: &Tree, parents: &[String], name: &str) -> bool {
    let declaration = format!("mod {name};");
    let texts = parents.iter().filter_map(|parent| tree.text(parent));
    let mut lines = texts.flat_map(rust_text::lines);
    lines.any(|line| line.code.split_whitespace().collect::<Vec<_>>().join(" ").ends_with(&declaration))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_nobody_declares_is_found() {
        let tree = Tree::of([
            ("engine/a/src/lib.rs", "pub mod b;\n#[cfg(test)] mod tests;\n// mod lost;\n"),
            ("engine/a/src/b.rs", "mod c;\n"),
            ("engine/a/src/b/c.rs", ""),
            ("engine/a/src/b/d.rs", ""),
            ("engine/a/src/lost.rs", ""),
            ("engine/a/src/tests.rs", ""),
            ("engine/a/src/bin/tool.rs", ""),
            ("engine/a/tests/it/main.rs", "mod e;\n"),
            ("engine/a/tests/it/e.rs", ""),
            ("engine/a/build.rs", ""),
        ]);
        let found: Vec<String> = find(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["engine/a/src/b/d.rs", "engine/a/src/lost.rs"]);
    }
}
