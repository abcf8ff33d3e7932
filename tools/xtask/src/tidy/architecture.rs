use std::collections::BTreeSet;

use super::{Finding, Tree};

const PAGE: &str = "docs/ARCHITECTURE.md";
const MOST_LINES: usize = 200;

/// The page is at most 200 lines, names every crate and top-level folder, and names no other.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(PAGE) else {
        return vec![Finding::new(
            PAGE,
            None,
            "the page is missing",
            "write it: the crates, the folders and what each never does",
        )];
    };
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES {
        let what = format!("{lines} lines, of at most {MOST_LINES}");
        findings.push(Finding::new(PAGE, MOST_LINES + 1, what, "move detail to the crate's own header"));
    }
    let mentions = mentions(text);
    for path in required(tree) {
        if !mentions.iter().any(|mention| mention.path == path) {
            findings.push(Finding::new(
                PAGE,
                None,
                format!("`{path}` is not on it"),
                "add a line that says what it holds",
            ));
        }
    }
    let tops = top_folders(tree);
    for mention in &mentions {
        let top = mention.path.split('/').next().unwrap_or_default();
        if (mention.is_folder || tops.contains(top)) && !tree.exists(&mention.path) {
            let what = format!("`{}` does not exist", mention.path);
            findings.push(Finding::new(PAGE, mention.line, what, "remove the name, or write what it is called now"));
        }
    }
    findings
}

/// Top-level folders without a leading dot, and every folder that holds a package.
fn required(tree: &Tree) -> BTreeSet<&str> {
    let packages = tree.files.keys().filter_map(|path| path.strip_suffix("/Cargo.toml"));
    top_folders(tree).into_iter().filter(|folder| !folder.starts_with('.')).chain(packages).collect()
}

fn top_folders(tree: &Tree) -> BTreeSet<&str> {
    tree.folders().into_iter().filter(|folder| !folder.contains('/')).collect()
}

struct Mention {
    /// Without its last `/`.
    path: String,
    line: usize,
    /// Written with a `/` at its end and none before: meant as a top-level folder.
    is_folder: bool,
}

/// Words that look like paths from the root. Absolute ones are of the virtual file system.
fn mentions(text: &str) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let separators = |c: char| c.is_whitespace() || "`()[]{},;:|\"'".contains(c);
    for (index, line) in text.lines().enumerate() {
        for word in line.split(separators) {
            let path = word.trim_end_matches(['.', '/']);
            let pattern = path.contains(['<', '>', '*', '@', '=']);
            if path.is_empty() || path.starts_with(['/', '.', '~']) || pattern || !word.contains('/') {
                continue;
            }
            mentions.push(Mention {
                path: path.to_owned(),
                line: index + 1,
                is_folder: word.ends_with('/') && !path.contains('/'),
            });
        }
    }
    mentions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, expected: &[&str]) {
        let tree = Tree::of([(PAGE, page), ("engine/base/Cargo.toml", ""), ("zero/Cargo.toml", ""), (".ci/run", "")]);
        let found: Vec<String> = find(&tree).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn every_crate_and_folder_is_named() {
        check("`docs/`, engine/, (`engine/base`) and `zero/`.", &[]);
        check("docs/ engine/ zero/", &["`engine/base` is not on it"]);
    }

    #[test]
    fn every_name_exists() {
        let all = "docs/ engine/ zero/ engine/base ";
        check(&format!("{all}\n`engine/vcs`"), &["ARCHITECTURE.md:2: `engine/vcs` does not exist"]);
        check(&format!("{all} oldtop/"), &["`oldtop` does not exist"]);
        check(&format!("{all} `/zero/source` vfs/not_found either/or engine/<name>"), &[]);
    }

    #[test]
    fn the_page_is_short() {
        let page = format!("docs/ engine/ zero/ engine/base\n{}", "x\n".repeat(MOST_LINES));
        check(&page, &["ARCHITECTURE.md:201: 201 lines"]);
        assert_eq!(find(&Tree::default()).len(), 1);
    }
}
