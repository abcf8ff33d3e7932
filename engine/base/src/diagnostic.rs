use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How bad a [`Diagnostic`] is. Errors stop what depends on the content; warnings do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Info,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        })
    }
}

/// A place in the author's text. Lines and columns count from 1, columns in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Span {
    /// A span without extent.
    pub const fn at(line: u32, column: u32) -> Span {
        Span { line, column, end_line: line, end_column: column }
    }

    /// The span of the bytes `start..end` of `text`; offsets past the end are clamped.
    pub fn of_bytes(text: &str, start: usize, end: usize) -> Span {
        let place = |offset: usize| {
            let before = &text.as_bytes()[..offset.min(text.len())];
            let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
            let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() as u32 + 1;
            (line, column)
        };
        let ((line, column), (end_line, end_column)) = (place(start), place(end.max(start)));
        Span { line, column, end_line, end_column }
    }
}

/// Another place that explains a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    pub message: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// Something wrong, or worth saying, about content. Content never panics the engine: it
/// loads as far as it can and answers with these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Stable: `area/reason`, or a seed's own code letter for letter.
    pub code: Cow<'static, str>,
    pub severity: Severity,
    /// What is wrong, why, and the remedy; the place is in `path` and `span`.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The choices that would have been accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// The accepted choice that looks most like what was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code: code.into(),
            severity,
            message: message.into(),
            path: None,
            span: None,
            expected: Vec::new(),
            nearest: None,
            related: Vec::new(),
        }
    }

    pub fn error(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    pub fn warning(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    pub fn in_file(mut self, path: impl Into<String>) -> Diagnostic {
        self.path = Some(path.into());
        self
    }

    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    /// Records the accepted choices and the one nearest to `written`.
    pub fn choices<S: AsRef<str>>(mut self, written: &str, choices: impl IntoIterator<Item = S>) -> Diagnostic {
        self.expected = choices.into_iter().map(|choice| choice.as_ref().to_owned()).collect();
        self.nearest = crate::nearest(written, &self.expected).map(str::to_owned);
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}:")?;
            if let Some(span) = self.span {
                write!(f, "{}:{}:", span.line, span.column)?;
            }
            f.write_str(" ")?;
        }
        write!(f, "{}: {} [{}]", self.severity, self.message, self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_lines_and_byte_columns_from_one() {
        let text = "a\nbé c";
        assert_eq!(Span::of_bytes(text, 0, 1), Span { line: 1, column: 1, end_line: 1, end_column: 2 });
        assert_eq!(Span::of_bytes(text, 6, 99), Span { line: 2, column: 5, end_line: 2, end_column: 6 });
    }

    #[test]
    fn reads_as_one_line_a_terminal_can_link() {
        let diagnostic = Diagnostic::error("asset/unknown_type", "no type 'sene'")
            .in_file("/zero/source/a.sene")
            .at(Span::at(3, 7))
            .choices("sene", ["scene", "mesh"]);
        assert_eq!(diagnostic.nearest.as_deref(), Some("scene"));
        assert_eq!(diagnostic.to_string(), "/zero/source/a.sene:3:7: error: no type 'sene' [asset/unknown_type]");
    }
}
