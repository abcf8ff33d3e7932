use std::collections::BTreeSet;

use super::anchors::anchors;
use super::{Finding, Tree, rust_text};

const GAPS: &str = "docs/known-gaps.md";
/// Code that says it is not finished, and what to do instead.
const UNFINISHED: &[(&str, &str)] = &[
    ("todo!", "write it, or leave it out and list it in docs/known-gaps.md"),
    ("unimplemented!", "write it, or refuse with an error that says so"),
    ("dbg!", "remove it, or log with tracing"),
    ("#[ignore", "mend the test or the code; nothing is ignored"),
];
/// Words in comments that announce work.
const ANNOUNCED: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];
/// Ending of a file to the mark of its line comments. Rust is read more closely.
const COMMENTS: &[(&str, &str)] =
    &[("js", "//"), ("luau", "--"), ("mjs", "//"), ("toml", "#"), ("wgsl", "//"), ("yaml", "#")];

/// No unfinished code; work to come is announced only with a link to the gap it closes.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let known = tree.text(GAPS).map(anchors).unwrap_or_default();
    let mut findings = Vec::new();
    for (path, text) in tree.with_extension("rs") {
        for (index, line) in rust_text::lines(text).iter().enumerate() {
            findings.extend(unfinished(path, index + 1, &line.code));
            findings.extend(announced(path, index + 1, &line.comment, &known));
        }
    }
    for (extension, mark) in COMMENTS {
        for (path, text) in tree.with_extension(extension) {
            for (index, line) in text.lines().enumerate() {
                let comment = line.split_once(mark).map(|(_, comment)| comment).unwrap_or_default();
                findings.extend(announced(path, index + 1, comment, &known));
            }
        }
    }
    findings
}

fn unfinished(path: &str, line: usize, code: &str) -> Vec<Finding> {
    let found = UNFINISHED.iter().filter(|(mark, _)| words(code, mark).next().is_some());
    found.map(|(mark, remedy)| Finding::new(path, line, format!("`{mark}`"), *remedy)).collect()
}

fn announced(path: &str, line: usize, comment: &str, known: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for word in ANNOUNCED {
        for rest in words(comment, word).filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
            let anchor = rest.strip_prefix("(docs/known-gaps.md#").and_then(|rest| rest.split(')').next());
            let what = match anchor.filter(|_| *word == "TODO") {
                Some(anchor) if known.contains(anchor) => continue,
                Some(anchor) => format!("{GAPS} has no heading `{anchor}`"),
                None => format!("a {word} that leads nowhere"),
            };
            findings.push(Finding::new(
                path,
                line,
                what,
                format!("do it, or write TODO({GAPS}#heading) and the gap there"),
            ));
        }
    }
    findings
}

/// What follows each place where `word` stands and no longer word ends with it.
fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let starts_word = word.starts_with(|c: char| c.is_alphanumeric());
    text.match_indices(word).filter_map(move |(at, _)| {
        let inside = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        (!starts_word || !inside).then_some(&text[at + word.len()..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let tree = Tree::of([(path, text), (GAPS, "# Known gaps\n## No sound\n")]);
        let found: Vec<String> = find(&tree).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn unfinished_code_is_found_and_talk_of_it_is_not() {
        check("a.rs", "fn f() {\n    todo!()\n}\n", &["a.rs:2: `todo!`"]);
        check("a.rs", "    #[ignore = \"slow\"]\n    let a = dbg!(b);", &["`#[ignore`", "`dbg!`"]);
        check("a.rs", "// dbg! is for you\nlet a = \"todo!\"; my_todo!();", &[]);
    }

    #[test]
    fn announced_work_links_to_a_known_gap() {
        check("a.rs", "// TODO(docs/known-gaps.md#no-sound): mix", &[]);
        check("a.rs", "// TODO(docs/known-gaps.md#no-smell)", &["no heading `no-smell`"]);
        check("a.luau", "local a = 1 -- TODO later", &["a TODO that leads nowhere"]);
        check("a.wgsl", "// FIXME(docs/known-gaps.md#no-sound)", &["a FIXME"]);
        check("a.luau", "local TODO = 1 -- METHODOLOGY, TODOS", &[]);
    }
}
