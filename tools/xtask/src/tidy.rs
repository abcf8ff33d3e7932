//! What the repository promises about itself, as checks over its text. A check never reads the
//! disk: it gets a [`Tree`] and gives [`Finding`]s, so that its tests are a few lines of input.

mod anchors;
mod architecture;
mod assets;
mod codes;
mod exports;
mod functions;
mod headers;
mod layers;
mod locks;
mod manifests;
mod markers;
mod names;
mod orphans;
mod paths;
mod portable;
mod rust_text;
mod sizes;
mod tree;

use std::fmt;

pub use tree::Tree;

use crate::failure::Failure;
use crate::repo::Repo;

/// One rule and the function that looks for what breaks it.
pub struct Check {
    pub id: &'static str,
    pub about: &'static str,
    pub find: fn(&Tree) -> Vec<Finding>,
}

/// Sorted by id. A new rule is a new file under `tidy/` and a row here.
pub const CHECKS: &[Check] = &[
    Check { id: "architecture", about: "the architecture page is short and true", find: architecture::find },
    Check { id: "assets", about: "every built-in asset has a README.md and a guid of its own", find: assets::find },
    Check { id: "codes", about: "every error code is listed, and every listed one exists", find: codes::find },
    Check { id: "exports", about: "no glob re-exports", find: exports::find },
    Check { id: "functions", about: "functions are short and take few parameters", find: functions::find },
    Check { id: "headers", about: "every engine crate says what it is", find: headers::find },
    Check { id: "layers", about: "dependencies point down", find: layers::find },
    Check { id: "locks", about: "npm lock files name no registry", find: locks::find },
    Check {
        id: "manifests",
        about: "every dependency has a reason, and one place for its version",
        find: manifests::find,
    },
    Check { id: "markers", about: "no unfinished code", find: markers::find },
    Check { id: "names", about: "files are named for what they hold", find: names::find },
    Check { id: "orphans", about: "every Rust file is part of its crate", find: orphans::find },
    Check { id: "paths", about: "no paths of one machine", find: paths::find },
    Check { id: "portable", about: "same input, same bytes", find: portable::find },
    Check { id: "sizes", about: "files stay readable", find: sizes::find },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Printed, and nothing else.
    Warning,
    Error,
}

/// A place where a rule is broken: what is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub path: String,
    /// From 1; none where the whole file or folder is meant.
    pub line: Option<usize>,
    pub what: String,
    pub remedy: String,
    pub severity: Severity,
}

impl Finding {
    pub fn new(
        path: &str,
        line: impl Into<Option<usize>>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Finding {
        Finding {
            path: path.to_owned(),
            line: line.into(),
            what: what.into(),
            remedy: remedy.into(),
            severity: Severity::Error,
        }
    }

    pub fn warning(self) -> Finding {
        Finding { severity: Severity::Warning, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let warning = if self.severity == Severity::Warning { "warning: " } else { "" };
        write!(f, "{}{line}: {warning}{}; {}", self.path, self.what, self.remedy)
    }
}

pub fn run(repo: &Repo) -> Result<(), Failure> {
    let tree = Tree::read(repo)?;
    let mut errors = 0;
    for check in CHECKS {
        let findings = (check.find)(&tree);
        if !findings.is_empty() {
            println!("{}: {}", check.id, check.about);
        }
        for finding in findings {
            errors += usize::from(finding.severity == Severity::Error);
            println!("  {finding}");
        }
    }
    if errors > 0 {
        return Err(Failure::new(format!("tidy: {errors} to mend, listed above")));
    }
    println!("tidy: {} checks over {} files", CHECKS.len(), tree.files.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_sorted_and_unique() {
        assert!(CHECKS.is_sorted_by(|a, b| a.id < b.id));
        assert!(CHECKS.iter().all(|check| !check.about.is_empty()));
    }

    #[test]
    fn a_finding_reads_place_what_remedy() {
        let finding = Finding::new("a/b.rs", 7, "it is odd", "make it even");
        assert_eq!(finding.to_string(), "a/b.rs:7: it is odd; make it even");
        assert_eq!(Finding::new("a", None, "x", "y").to_string(), "a: x; y");
    }
}
