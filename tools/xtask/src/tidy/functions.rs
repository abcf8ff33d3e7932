use super::{Finding, Tree, rust_text};

const MOST_LINES: usize = 60;
const MOST_PARAMETERS: usize = 4;

/// Functions that were longer, or took more, when the rule came. The list only shrinks: who mends
/// one removes its row, and a row for nothing is a finding.
const OLD: &[(&str, &str)] = &[
    ("engine/assets/src/structure/content.rs", "described_keys"),
    ("engine/assets/src/structure/content.rs", "described_text"),
    ("engine/assets/src/types/form.rs", "or_report"),
    ("engine/assets/src/types/registry.rs", "clash"),
    ("engine/gpu/src/shader/preprocess.rs", "add_at_depth"),
    ("engine/render/src/content/mesh_file.rs", "same_length"),
    ("engine/render/src/frame/environment.rs", "group"),
    ("engine/render/src/frame/passes.rs", "draw_light"),
    ("engine/render/src/library.rs", "material"),
    ("engine/render/src/library.rs", "surface"),
    ("engine/render/src/library.rs", "texture"),
    ("engine/render/src/library.rs", "wearable"),
    ("engine/render/src/library.rs", "worn"),
    ("engine/render/src/mesh/primitives.rs", "arc"),
    ("engine/render/src/renderer.rs", "draw"),
    ("engine/render/src/store/materials.rs", "bind"),
    ("engine/render/src/store/stages.rs", "made"),
    ("engine/render/src/store/surfaces.rs", "make"),
    ("engine/runtime/src/bind/assets.rs", "bind_lookups"),
    ("engine/runtime/src/bind/entities.rs", "bind"),
    ("engine/runtime/src/bind/files.rs", "bind"),
    ("engine/runtime/src/bind/files.rs", "receipt_table"),
    ("engine/runtime/src/bind/tasks.rs", "bind"),
    ("engine/runtime/src/finish.rs", "deliver"),
    ("engine/runtime/src/scenes.rs", "replace"),
    ("engine/runtime/src/startup.rs", "open"),
    ("engine/runtime/src/tasks.rs", "add_work"),
    ("engine/runtime/src/tasks.rs", "start"),
    ("engine/runtime/src/tools.rs", "arguments"),
    ("engine/runtime/src/tools.rs", "find"),
    ("engine/script/src/modules.rs", "load_text"),
    ("engine/source/src/luau/instrument.rs", "guard"),
    ("engine/source/src/yaml/read.rs", "key"),
];

/// Functions a reader can hold in the head: at most 60 lines of code and four parameters.
pub fn find(tree: &Tree) -> Vec<Finding> {
    check(tree, OLD)
}

fn check(tree: &Tree, old: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = vec![false; old.len()];
    for (path, text) in tree.with_extension("rs").filter(|(path, _)| !is_test(path)) {
        for function in functions(text) {
            let mut problems = Vec::new();
            if function.lines > MOST_LINES {
                problems.push((format!("{} lines", function.lines), "give a part of it a name of its own"));
            }
            if function.parameters > MOST_PARAMETERS {
                problems
                    .push((format!("{} parameters", function.parameters), "put what belongs together into a struct"));
            }
            if problems.is_empty() {
                continue;
            }
            if let Some(row) = old.iter().position(|row| *row == (path, &*function.name)) {
                seen[row] = true;
                continue;
            }
            for (what, remedy) in problems {
                findings.push(Finding::new(path, function.line, format!("{} has {what}", function.name), remedy));
            }
        }
    }
    let stale = old.iter().zip(seen).filter(|(_, seen)| !seen).map(|((path, name), _)| {
        Finding::new(path, None, format!("{name} is short enough now"), "remove its row from tidy/functions.rs")
    });
    findings.extend(stale);
    findings
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs") || path.starts_with("tests/")
}

struct Function {
    name: String,
    /// Where it begins, from 1.
    line: usize,
    /// Of code, from its first to its last.
    lines: usize,
    /// Apart from `self`.
    parameters: usize,
}

/// The functions of a file that have a body, up to its module of tests.
fn functions(text: &str) -> Vec<Function> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = rust_text::lines(text);
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = declared(&line.code) else { continue };
        let rest: Vec<&str> = lines[index..].iter().map(|line| line.code.as_str()).collect();
        let Some(length) = length(&rest) else { continue };
        let code = rest[..length].iter().filter(|code| !code.trim().is_empty()).count();
        let parameters = parameters(&rest[..length].join("\n"));
        found.push(Function { name: name.to_owned(), line: index + 1, lines: code, parameters });
    }
    found
}

/// The name of the function that a line declares.
fn declared(code: &str) -> Option<&str> {
    let words = ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern", "\"\""];
    let mut rest = code.trim_start();
    while let Some((_, after)) = rest.split_once(' ').filter(|(word, _)| words.contains(word)) {
        rest = after.trim_start();
    }
    let name = rest.strip_prefix("fn ")?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Lines until the body's last brace; none for a declaration without a body.
fn length(lines: &[&str]) -> Option<usize> {
    let (mut depth, mut brackets) = (0, 0);
    for (index, line) in lines.iter().enumerate() {
        for c in line.replace("'{'", "").replace("'}'", "").chars() {
            match c {
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets -= 1,
                ';' if depth == 0 && brackets == 0 => return None,
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
    }
    None
}

/// How many there are between the parentheses behind the name.
fn parameters(function: &str) -> usize {
    let declaration = function.split_once("fn ").map_or(function, |(_, rest)| rest);
    let (mut depth, mut count, mut text, mut angles) = (0, 0, String::new(), 0);
    let mut before = ' ';
    for c in declaration.chars() {
        match c {
            '<' => angles += 1,
            '>' if before != '-' => angles -= 1,
            _ => {}
        }
        before = c;
        // The list of generic parameters comes first, and may hold parentheses.
        let opens = c == '(' && (depth > 0 || angles == 0);
        if opens || (depth > 0 && "[{".contains(c)) {
            depth += 1;
            if depth == 1 {
                angles = 0;
                continue;
            }
        } else if depth > 0 && ")]}".contains(c) {
            depth -= 1;
            if depth == 0 {
                break;
            }
        }
        if depth == 1 && c == ',' && angles == 0 {
            count += usize::from(is_parameter(&text));
            text.clear();
        } else if depth > 0 {
            text.push(c);
        }
    }
    count + usize::from(is_parameter(&text))
}

fn is_parameter(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.rsplit([' ', '&']).next() != Some("self") && !text.starts_with("self:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Vec<(String, usize, usize)> {
        functions(text).into_iter().map(|function| (function.name, function.lines, function.parameters)).collect()
    }

    #[test]
    fn functions_are_measured() {
        let text = "pub(crate) fn a(&mut self, b: u8, c: HashMap<u8, (u8, u8)>) -> u8 {\n\n    // why\n    b\n}\n\
                    fn d<F: Fn(u8, u8)>(\n    f: F,\n) {\n    let x = '{';\n}\ntrait T {\n    fn e(&self);\n}\n\
                    const fn g() {}\nlet fn_h = 1;\nfn i(x: impl Fn(u8) -> u8, y: [u8; 2]) {}\n";
        let expected = [("a", 3, 2), ("d", 5, 1), ("g", 1, 0), ("i", 1, 2)];
        assert_eq!(shape(text), expected.map(|(name, lines, parameters)| (name.to_owned(), lines, parameters)));
    }

    #[test]
    fn long_functions_and_long_lists_are_found_unless_they_are_old() {
        let long =
            format!("fn long() {{\n{}}}\nfn wide(a: u8, b: u8, c: u8, d: u8, e: u8) {{}}\n", "    f();\n".repeat(60));
        let tree = Tree::of([("engine/a/src/lib.rs", &*long), ("engine/a/src/tests.rs", &*long)]);
        let found: Vec<String> = check(&tree, &[]).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found[0].contains("long has 62 lines") && found[1].contains("wide has 5 parameters"), "{found:#?}");
        let old = [("engine/a/src/lib.rs", "long"), ("engine/a/src/lib.rs", "wide"), ("b.rs", "gone")];
        let found: Vec<String> = check(&tree, &old).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("gone is short enough now"), "{found:#?}");
    }
}
