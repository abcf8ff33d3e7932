use std::fmt;

/// Why a command stops: one headline, then what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    pub headline: String,
    /// Empty where the headline, or what a program printed before it, says it all.
    pub remedy: String,
}

impl Failure {
    pub fn new(headline: impl Into<String>) -> Failure {
        Failure { headline: headline.into(), remedy: String::new() }
    }

    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Failure {
        self.remedy = remedy.into();
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FAILED: {}", self.headline)?;
        if !self.remedy.is_empty() {
            write!(f, "\n  {}", self.remedy.replace('\n', "\n  "))?;
        }
        Ok(())
    }
}
