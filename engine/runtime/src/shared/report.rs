//! Saying what happened: log lines, diagnostics, and what is wrong with which file.

use zero_base::{Diagnostic, Fault, Severity};

use super::Shared;
use crate::ops::LogLevel;
use crate::state::LogLine;

impl Shared {
    pub(crate) fn log(&self, level: LogLevel, source: impl Into<String>, text: impl Into<String>) {
        let call = self.current_call();
        let line = LogLine::new(level, source.into(), text.into());
        self.calls.borrow_mut().log(call, &line);
        self.state.borrow_mut().log(line);
    }

    /// Keeps a diagnostic under the file that causes it and logs it.
    pub(crate) fn report(&self, diagnostic: Diagnostic, file: Option<&str>) {
        let level = match diagnostic.severity {
            Severity::Error => LogLevel::Error,
            Severity::Warning => LogLevel::Warn,
            Severity::Info => LogLevel::Info,
        };
        let source = file.map(str::to_owned).or_else(|| diagnostic.path.clone()).unwrap_or_default();
        self.log(level, source.clone(), diagnostic.to_string());
        if file.is_none() && level == LogLevel::Error {
            let line = LogLine::new(level, String::new(), diagnostic.to_string());
            self.state.borrow_mut().note_error(line.text);
        }
        if let Some(file) = file {
            let mut state = self.state.borrow_mut();
            let kept = state.problems.entry(file.to_owned()).or_default();
            if !kept.contains(&diagnostic) && kept.len() < 100 {
                kept.push(diagnostic);
            }
        }
    }
}

/// A fault as a diagnostic: the first it carries, or one made of its code and message.
pub(crate) trait IntoDiagnostic {
    fn into_diagnostic(self) -> Diagnostic;
}

impl IntoDiagnostic for Fault {
    fn into_diagnostic(mut self) -> Diagnostic {
        if self.diagnostics.is_empty() {
            return Diagnostic::error(self.code, self.message);
        }
        self.diagnostics.swap_remove(0)
    }
}
