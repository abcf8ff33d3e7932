use super::{Finding, Tree, rust_text};

const MOST: usize = 800;
const MANY: usize = 400;

/// Lines of code per Rust file: comments and empty lines are not counted.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.with_extension("rs") {
        let lines = rust_text::lines(text).iter().filter(|line| !line.code.trim().is_empty()).count();
        let what = format!("{lines} lines of code");
        if lines > MOST {
            findings.push(Finding::new(path, None, what, format!("split it: at most {MOST}, better {MANY}")));
        } else if lines > MANY {
            findings.push(Finding::new(path, None, what, format!("ask what could move out: over {MANY}")).warning());
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::Severity;

    #[test]
    fn long_files_warn_and_longer_ones_fail() {
        let code = |lines: usize| "f();\n\n// why\n".repeat(lines);
        let tree = Tree::of([("a.rs", &*code(MANY)), ("b.rs", &*code(MANY + 1)), ("c.rs", &*code(MOST + 1))]);
        let found: Vec<_> = find(&tree).into_iter().map(|finding| (finding.path, finding.severity)).collect();
        assert_eq!(found, [("b.rs".to_owned(), Severity::Warning), ("c.rs".to_owned(), Severity::Error)]);
    }
}
