use zero_base::Span;

use super::lexer::{self, Comment, Kind, Token};

/// A source with its tokens, comments and line starts: what every reader of Luau works on.
pub(super) struct Script<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
    /// Offset of the first byte of each line.
    line_starts: Vec<u32>,
    /// For every `typeof(`: the token of the parenthesis and of the one that closes it.
    typeof_ends: Vec<(u32, u32)>,
}

impl<'a> Script<'a> {
    pub fn new(text: &'a str) -> Script<'a> {
        let lexed = lexer::lex(text);
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        let line_starts =
            if text.len() <= lexer::LONGEST_SOURCE { std::iter::once(0).chain(breaks).collect() } else { vec![0] };
        let mut script =
            Script { text, tokens: lexed.tokens, comments: lexed.comments, line_starts, typeof_ends: Vec::new() };
        script.typeof_ends = script.find_typeof_ends();
        script
    }

    /// Found once for the whole file: looking for each end on its own would read nested ones
    /// over and over.
    fn find_typeof_ends(&self) -> Vec<(u32, u32)> {
        let mut open = Vec::new();
        let mut ends = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if token.kind != Kind::Symbol || token.end - token.start != 1 {
                continue;
            }
            match self.text.as_bytes()[token.start as usize] {
                b'(' => open.push(index),
                b')' => {
                    let matching = open.pop().filter(|&start| start > 0 && self.is_name(start - 1, "typeof"));
                    ends.extend(matching.map(|start| (start as u32, index as u32)));
                }
                _ => {}
            }
        }
        ends.sort_unstable();
        ends
    }

    /// The token that closes the parenthesis of a `typeof(`.
    pub fn typeof_end(&self, open: usize) -> Option<usize> {
        let found = self.typeof_ends.binary_search_by_key(&(open as u32), |&(start, _)| start).ok()?;
        Some(self.typeof_ends[found].1 as usize)
    }

    /// The text of a token; empty past the end.
    pub fn word(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |token| self.slice(token.start, token.end))
    }

    pub fn slice(&self, start: u32, end: u32) -> &'a str {
        &self.text[start as usize..end as usize]
    }

    /// Whether the token is this keyword or symbol.
    pub fn is(&self, index: usize, word: &str) -> bool {
        matches!(self.kind(index), Some(Kind::Keyword | Kind::Symbol)) && self.word(index) == word
    }

    /// Whether the token is this name: a word that is special only where it stands.
    pub fn is_name(&self, index: usize, name: &str) -> bool {
        self.kind(index) == Some(Kind::Name) && self.word(index) == name
    }

    pub fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The line that holds a byte, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }

    /// The span of the bytes `start..end`.
    pub fn span(&self, start: u32, end: u32) -> Span {
        let (line, end_line) = (self.line(start), self.line(end));
        let column = |offset: u32, line: u32| offset - self.line_starts[line as usize - 1] + 1;
        Span { line, column: column(start, line), end_line, end_column: column(end, end_line) }
    }

    /// The span of one token; of the end of the text past the last one.
    pub fn token_span(&self, index: usize) -> Span {
        match self.tokens.get(index) {
            Some(token) => self.span(token.start, token.end),
            None => {
                let end = self.tokens.last().map_or(0, |token| token.end);
                self.span(end, end)
            }
        }
    }

    /// Whether no line break lies between two tokens that follow each other.
    pub fn same_line(&self, first: usize, second: usize) -> bool {
        match (self.tokens.get(first), self.tokens.get(second)) {
            (Some(first), Some(second)) => self.line(first.end) == self.line(second.start),
            _ => false,
        }
    }

    /// Whether the word `typed` at this place belongs to a declaration: what follows it on
    /// its line is `function`.
    pub fn is_typed(&self, index: usize) -> bool {
        self.is_name(index, "typed") && self.is(index + 1, "function") && self.same_line(index, index + 1)
    }

    /// The comments between two offsets.
    pub fn comments_between(&self, start: u32, end: u32) -> &[Comment] {
        let first = self.comments.partition_point(|comment| comment.start < start);
        let last = self.comments.partition_point(|comment| comment.start < end);
        &self.comments[first..last.max(first)]
    }
}
