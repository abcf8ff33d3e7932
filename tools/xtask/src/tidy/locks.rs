use super::{Finding, Tree};

/// A lock file made behind one registry's mirror must install behind any other.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let locks = tree.texts().filter(|(path, _)| path.ends_with("package-lock.json"));
    let mut findings = Vec::new();
    for (path, text) in locks {
        let line = text.lines().position(|line| line.contains("\"resolved\""));
        if let Some(index) = line {
            let remedy =
                "remove every `resolved` line, and set `omit-lockfile-registry-resolved=true` in an .npmrc beside it";
            findings.push(Finding::new(path, index + 1, "the lock file names a registry", remedy));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_keeps_hashes_and_no_addresses() {
        let tree = Tree::of([
            ("tests/clients/package-lock.json", "{\n \"resolved\": \"https://x\"\n}"),
            ("tests/other/package-lock.json", "{ \"integrity\": \"sha512-x\" }"),
        ]);
        let found: Vec<_> = find(&tree).into_iter().map(|finding| (finding.path, finding.line)).collect();
        assert_eq!(found, [("tests/clients/package-lock.json".to_owned(), Some(2))]);
    }
}
