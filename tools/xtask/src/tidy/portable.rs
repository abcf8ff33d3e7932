use super::{Finding, Tree, rust_text};

/// What is saved, hashed or simulated is made here. Drawing and the program may use what they like.
const EXACT: &[&str] = &[
    "engine/assets/",
    "engine/base/",
    "engine/hierarchy/",
    "engine/runtime/",
    "engine/script/",
    "engine/source/",
    "engine/vfs/",
    "engine/world/",
];
/// Platforms differ in the last bits of these.
const MATHS: &[&str] = &["acos", "asin", "atan", "atan2", "cbrt", "cos", "exp", "ln", "log10", "powf", "sin", "tan"];
/// Crates whose answers depend on their input alone.
const TIMELESS: &[&str] = &["engine/assets/", "engine/base/", "engine/hierarchy/", "engine/source/", "engine/world/"];
const CLOCKS: &[&str] = &["Instant::now", "SystemTime::now"];
/// Where each is right, and why: the camera that frames a picture is presentation only.
const ALLOWED: &[&str] = &["engine/runtime/src/view.rs"];

/// Same input, same bytes: no maths of the platform's, and no clock where nothing waits.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let code = |path: &str| path.contains("/src/") && !path.ends_with("tests.rs") && !path.contains("/tests/");
    for (path, text) in tree.with_extension("rs").filter(|(path, _)| code(path) && !ALLOWED.contains(path)) {
        let within = |crates: &[&str]| crates.iter().any(|folder| path.starts_with(folder));
        for (index, line) in rust_text::lines(text).iter().enumerate() {
            if line.code.trim() == "#[cfg(test)]" {
                break;
            }
            let maths = MATHS.iter().find(|name| within(EXACT) && line.code.contains(&format!(".{name}(")));
            let clock = CLOCKS.iter().find(|name| within(TIMELESS) && line.code.contains(*name));
            if let Some(name) = maths {
                let what = format!("`{name}` differs from platform to platform");
                findings.push(Finding::new(
                    path,
                    index + 1,
                    what,
                    format!("use zero_base::maths::{name}, or add it there"),
                ));
            }
            if let Some(name) = clock {
                findings.push(Finding::new(path, index + 1, format!("`{name}`"), "take the time as an argument"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platform_maths_and_clocks_are_found_where_bits_count() {
        let text = "let a = b.sin(); // c.cos()\nlet d = Instant::now();\n#[cfg(test)]\nmod tests { e.tan() }\n";
        let tree = Tree::of([
            ("engine/world/src/a.rs", text),
            ("engine/render/src/a.rs", text),
            ("engine/vfs/src/a.rs", text),
            ("engine/world/tests/it/a.rs", text),
        ]);
        let found: Vec<String> =
            find(&tree).iter().map(|finding| format!("{}:{:?}", finding.path, finding.line)).collect();
        assert_eq!(
            found,
            ["engine/vfs/src/a.rs:Some(1)", "engine/world/src/a.rs:Some(1)", "engine/world/src/a.rs:Some(2)"]
        );
    }
}
