use super::{Finding, Tree};

/// Top folders of a machine that no file of the repository has a reason to name.
const FOLDERS: &[&str] = &["home", "root", "work"];

/// What works only where it was written must not be committed.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let marks: Vec<String> = FOLDERS.iter().map(|folder| format!("/{folder}/")).collect();
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        for (index, line) in text.lines().enumerate() {
            for mark in marks.iter().filter(|mark| is_absolute(line, mark)) {
                let what = format!("`{mark}` is a folder of one machine");
                findings.push(Finding::new(
                    path,
                    index + 1,
                    what,
                    "make the path relative, or take it from an argument",
                ));
            }
        }
    }
    findings
}

/// Whether `mark` starts a path in the line, rather than standing inside one.
fn is_absolute(line: &str, mark: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "_-.~@)}>]".contains(c);
    line.match_indices(mark).any(|(at, _)| !line[..at].ends_with(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_found(text: &str) -> Vec<usize> {
        find(&Tree::of([("a.md", text)])).iter().filter_map(|finding| finding.line).collect()
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in FOLDERS {
            assert_eq!(lines_found(&format!("x\nsee /{folder}/me\n")), [2]);
        }
    }

    #[test]
    fn the_same_names_inside_a_path_are_fine() {
        let [home, root, work] = [FOLDERS[0], FOLDERS[1], FOLDERS[2]];
        assert!(lines_found(&format!("https://example.org/{home}/x ./{work}/y @/{root}/z")).is_empty());
    }
}
