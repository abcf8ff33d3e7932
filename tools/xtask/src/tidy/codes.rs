use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Finding, Tree, rust_text};

const PAGE: &str = "docs/errors/codes.md";
/// Of the shape of a code, and something else.
const NOT_CODES: &[&str] = &["application/json", "image/png", "modules/api", "source/tmp", "tools/call", "tools/list"];
/// What codes of another kind begin with, spelt as the format that names them spells them.
const FOREIGN: &str = "VGPU-SPATIAL-";
/// Areas whose codes are spelt `area.reason`, because another format names them so.
const DOTTED: &[&str] = &["assetType", "validate"];

/// Every code that the sources name has a row on the page, and every row a code in the sources of
/// the crate that it names. Tests may invent codes.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let used = used(tree);
    let Some(text) = tree.text(PAGE) else {
        return vec![Finding::new(PAGE, None, "the page is missing", "write it: one row a code")];
    };
    let rows = rows(text);
    let mut findings = Vec::new();
    for (code, places) in &used {
        if !rows.iter().any(|row| row.code == *code) {
            let (path, line) = &places[0];
            let what = format!("`{code}` is not in {PAGE}");
            findings.push(Finding::new(path, *line, what, "add its row: code, crate, one sentence"));
        }
    }
    let mut seen = BTreeSet::new();
    for row in &rows {
        let finding = |what: String, remedy: &str| Finding::new(PAGE, row.line, what, remedy);
        let crates: BTreeSet<&str> = used.get(row.code).into_iter().flatten().map(|(path, _)| owner(path)).collect();
        if !seen.insert(row.code) {
            findings.push(finding(format!("`{}` has two rows", row.code), "keep one"));
        } else if crates.is_empty() {
            findings.push(finding(format!("nothing names `{}`", row.code), "remove the row"));
        } else if !crates.contains(row.owner) {
            let what = format!("`{}` is not of {}", row.code, row.owner);
            let crates: Vec<&str> = crates.into_iter().collect();
            findings.push(finding(what, &format!("it is of {}", crates.join(", "))));
        } else if row.sentence.is_empty() {
            findings.push(finding(format!("`{}` says nothing", row.code), "say in one sentence when it is met"));
        }
    }
    findings.extend(stray_pages(tree, text));
    findings
}

/// Codes, and where each is named.
fn used(tree: &Tree) -> BTreeMap<&str, Vec<(&str, usize)>> {
    let mut used: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    let rust = tree.with_extension("rs").filter(|(path, _)| is_engine_code(path));
    for (path, text) in rust {
        for (line, string) in rust_text::strings(outside_tests(text)) {
            for code in codes_of(string) {
                used.entry(code).or_default().push((path, line));
            }
        }
    }
    let scripts = tree.with_extension("luau").filter(|(path, _)| is_library_code(path));
    for (path, text) in scripts {
        for (index, line) in text.lines().enumerate() {
            for code in codes_of_luau(line) {
                used.entry(code).or_default().push((path, index + 1));
            }
        }
    }
    used
}

fn is_engine_code(path: &str) -> bool {
    let tests = path.contains("/tests/") || path.ends_with("tests.rs");
    (path.starts_with("engine/") || path.starts_with("zero/")) && path.contains("/src/") && !tests
}

fn is_library_code(path: &str) -> bool {
    let root = ["builtin/", "luau-api/", "toolboxes/"].iter().any(|root| path.starts_with(root));
    root && !path.contains(".testSuite/") && !path.contains("/template/")
}

/// The folder that a row names: `engine/vfs`, `zero`, `luau-api`.
fn owner(path: &str) -> &str {
    let depth = if path.starts_with("engine/") { 2 } else { 1 };
    let end = path.match_indices('/').nth(depth - 1).map_or(path.len(), |(at, _)| at);
    &path[..end]
}

/// A file up to its module of tests, which stands last.
fn outside_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

/// The string itself, or what it has in brackets: `… [script/overrun]`.
fn codes_of(string: &str) -> Vec<&str> {
    if is_code(string) {
        return vec![string];
    }
    let bracketed = string.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    bracketed.filter(|word| is_code(word)).collect()
}

fn codes_of_luau(line: &str) -> Vec<&str> {
    let mut codes = Vec::new();
    for (at, string) in line.split('"').enumerate().filter(|(at, _)| at % 2 == 1) {
        let before: usize = line.split('"').take(at).map(|part| part.len() + 1).sum();
        let named = line[..before - 1].trim_end().ends_with("code =");
        if line[..before].contains("--") {
            break;
        }
        if is_code(string) || (named && string.split('.').filter(|word| is_word(word)).count() == 2) {
            codes.push(string);
        }
    }
    codes
}

fn is_code(text: &str) -> bool {
    if text.starts_with(FOREIGN) {
        return true;
    }
    if let Some((area, reason)) = text.split_once('.') {
        return DOTTED.contains(&area) && is_word(reason);
    }
    let Some((area, reason)) = text.split_once('/') else { return false };
    let lower = text.chars().all(|c| !c.is_uppercase());
    lower && is_word(area) && is_word(reason) && !NOT_CODES.contains(&text)
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

struct Row<'a> {
    line: usize,
    code: &'a str,
    owner: &'a str,
    sentence: &'a str,
}

/// The rows of the page's tables whose first cell is a code.
fn rows(page: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (index, line) in page.lines().enumerate() {
        let cells: Vec<&str> = line.trim().trim_matches('|').splitn(3, '|').map(str::trim).collect();
        let [code, owner, sentence] = cells[..] else { continue };
        // A code that has a page is a link to it.
        let code = code.trim_start_matches('[').split(']').next().unwrap_or_default();
        let Some(code) = code.strip_prefix('`').and_then(|code| code.strip_suffix('`')) else { continue };
        rows.push(Row { line: index + 1, code, owner, sentence });
    }
    rows
}

/// Pages about codes that no row links to.
fn stray_pages(tree: &Tree, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in tree.files.keys().filter(|path| path.starts_with("docs/errors/")) {
        let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
        let own = matches!(&*name, "README.md" | "codes.md");
        if !own && !text.contains(&format!("]({name})")) {
            findings.push(Finding::new(
                path,
                None,
                "no row of codes.md links to it",
                "link the code's row to the page",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "| Code | From | Met when |\n|---|---|---|\n";

    fn check(rows: &str, expected: &[&str]) {
        let tree = Tree::of([
            (PAGE, &*format!("{ROWS}{rows}")),
            ("engine/vfs/src/error.rs", "f(\"vfs/io\"); // \"vfs/no\"\n#[cfg(test)]\nmod tests {\n g(\"a/b\");\n}\n"),
            ("engine/vfs/src/a/tests.rs", "\"a/b\""),
            ("luau-api/fault.module/init.luau", "raise(\"api/odd\", \"x\") -- \"a/b\"\n"),
            ("toolboxes/x.testSuite/init.luau", "\"a/b\""),
            ("builtin/x.assetType/behavior.luau", "code = \"mesh.no_shape\", file = \"mesh.yaml\"\n"),
        ]);
        let found: Vec<String> = find(&tree).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn the_page_and_the_sources_name_the_same_codes() {
        let api = "| `api/odd` | luau-api | It is odd. |\n| `mesh.no_shape` | builtin | None. |\n";
        check(&format!("{api}| [`vfs/io`](vfs-io.md) | engine/vfs | The disk refuses. |\n"), &[]);
        check(api, &["engine/vfs/src/error.rs:1: `vfs/io` is not in"]);
        check(&format!("{api}| `vfs/io` | engine/vfs | A. |\n| `vfs/io` | engine/vfs | B. |\n"), &["has two rows"]);
        check(&format!("{api}| `vfs/io` | zero | A. |\n"), &["`vfs/io` is not of zero; it is of engine/vfs"]);
        check(&format!("{api}| `vfs/io` | engine/vfs | |\n"), &["says nothing"]);
        check(&format!("{api}| `vfs/io` | engine/vfs | A. |\n| `a/b` | zero | B. |\n"), &["nothing names `a/b`"]);
    }

    #[test]
    fn codes_stand_alone_or_in_brackets() {
        assert_eq!(codes_of("txn/busy"), ["txn/busy"]);
        assert_eq!(codes_of("VGPU-SPATIAL-SIZE"), ["VGPU-SPATIAL-SIZE"]);
        assert_eq!(codes_of("too long [script/overrun]; x [A/b] [c]"), ["script/overrun"]);
        for text in ["image/png", "a/b/c", "a/{}", "Mesh/x", "mesh.yaml", "http://x"] {
            assert!(codes_of(text).is_empty(), "{text}");
        }
        assert_eq!(codes_of("validate.hook_failed"), ["validate.hook_failed"]);
    }

    #[test]
    fn a_page_is_linked_to() {
        let tree = Tree::of([("docs/errors/a-b.md", ""), ("docs/errors/c-d.md", ""), ("docs/errors/README.md", "")]);
        let found = stray_pages(&tree, "[`a/b`](a-b.md)");
        assert_eq!(found.iter().map(|finding| &*finding.path).collect::<Vec<_>>(), ["docs/errors/c-d.md"]);
    }
}
