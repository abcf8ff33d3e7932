use zero_base::Diagnostic;

/// What a look at a script found before it ran.
#[derive(Debug, Clone, PartialEq)]
pub enum Checked {
    /// The check ran to its end.
    Done(Vec<Diagnostic>),
    /// It did not; the reason goes to the caller as "not checked". Never a pass.
    NotChecked(String),
}

/// A static check of one script, behind which the type checker's process will sit.
pub trait Checker {
    /// `path` is the script's place in the virtual file system, `source` its text as authored.
    fn check(&self, path: &str, source: &str) -> Checked;
}

/// The check of an installation without the type checker.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoChecker;

impl Checker for NoChecker {
    fn check(&self, _: &str, _: &str) -> Checked {
        Checked::NotChecked("the type checker is not installed beside this program".to_owned())
    }
}
