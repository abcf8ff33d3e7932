use std::ops::Range;

use zero_base::{Diagnostic, Span};

/// Composed shader text that remembers where every line came from.
#[derive(Debug, Clone, Default)]
pub struct ShaderText {
    text: String,
    files: Vec<String>,
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
struct Line {
    /// Offset of the line's first byte in the composed text.
    start: usize,
    file: usize,
    line: u32,
    edits: Vec<Edit>,
}

/// A stretch of a line that a `#{NAME}` was replaced by; offsets count from the line's start.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) composed: Range<usize>,
    pub(super) authored: Range<usize>,
}

impl ShaderText {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files the text was composed of, in the order they were met.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The author's file, line and column of an offset into [`text`](ShaderText::text).
    pub fn place(&self, offset: usize) -> Option<(&str, u32, u32)> {
        let index = self.lines.partition_point(|line| line.start <= offset).checked_sub(1)?;
        let line = &self.lines[index];
        Some((&self.files[line.file], line.line, line.authored_column(offset - line.start)))
    }

    /// A diagnostic about a range of the composed text, placed in the author's file.
    pub(super) fn diagnostic(&self, code: &'static str, range: Range<usize>, message: String) -> Diagnostic {
        let diagnostic = Diagnostic::error(code, message);
        let Some((path, line, column)) = self.place(range.start) else { return diagnostic };
        let (end_line, end_column) = match self.place(range.end) {
            Some((end_path, end_line, end_column)) if end_path == path && end_line >= line => (end_line, end_column),
            _ => (line, column),
        };
        diagnostic.in_file(path).at(Span { line, column, end_line, end_column })
    }

    /// The composed line that holds `offset`, without its surrounding blanks.
    pub(super) fn excerpt(&self, offset: usize) -> &str {
        let start = self.text[..offset.min(self.text.len())].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[start..].lines().next().unwrap_or_default().trim()
    }

    pub(super) fn add_file(&mut self, path: &str) -> usize {
        self.files.push(path.to_owned());
        self.files.len() - 1
    }

    pub(super) fn add_line(&mut self, file: usize, line: u32, text: &str, edits: Vec<Edit>) {
        self.lines.push(Line { start: self.text.len(), file, line, edits });
        self.text.push_str(text);
        self.text.push('\n');
    }
}

impl Line {
    fn authored_column(&self, composed: usize) -> u32 {
        let mut authored = composed as i64;
        for edit in &self.edits {
            if composed < edit.composed.start {
                break;
            }
            authored = if composed < edit.composed.end {
                edit.authored.start as i64
            } else {
                composed as i64 + edit.authored.end as i64 - edit.composed.end as i64
            };
        }
        authored as u32 + 1
    }
}
