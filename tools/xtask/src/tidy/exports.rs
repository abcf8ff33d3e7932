use super::{Finding, Tree, rust_text};

/// The `pub use` list of a `lib.rs` is the index of its crate: nothing in it is implied.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let libraries = tree.with_extension("rs").filter(|(path, _)| path.ends_with("/lib.rs"));
    libraries.flat_map(|(path, text)| globs(path, text)).collect()
}

fn globs(path: &str, text: &str) -> Vec<Finding> {
    let lines = rust_text::lines(text);
    let mut findings = Vec::new();
    let mut exporting = false;
    for (index, line) in lines.iter().enumerate() {
        let code = line.code.trim();
        let visible = code.strip_prefix("pub").map(|rest| rest.trim_start_matches(|c| c != ' ').trim_start());
        exporting |= visible.is_some_and(|rest| rest.starts_with("use "));
        if exporting && (code.contains("::*") || code == "*," || code == "*") {
            findings.push(Finding::new(path, index + 1, "a glob re-export", "name what is re-exported"));
        }
        exporting &= !code.ends_with(';');
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_found(text: &str) -> Vec<usize> {
        find(&Tree::of([("engine/a/src/lib.rs", text)])).iter().filter_map(|finding| finding.line).collect()
    }

    #[test]
    fn globs_are_found_in_any_layout() {
        assert_eq!(lines_found("mod a;\npub use a::*;\npub use b::C;\n"), [2]);
        assert_eq!(lines_found("pub use a::{\n    b::*,\n    C,\n};\nuse d::*;\n"), [2]);
        assert_eq!(lines_found("pub(crate) use a::*;\n"), [1]);
    }

    #[test]
    fn imports_comments_and_other_files_may_say_so() {
        assert!(lines_found("use a::*;\n// pub use a::*;\n").is_empty());
        assert!(find(&Tree::of([("engine/a/src/prelude.rs", "pub use a::*;")])).is_empty());
    }
}
