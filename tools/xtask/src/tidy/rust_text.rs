//! Tells code from comments and strings, so that a check for `dbg!` is not fooled by a sentence
//! about it. Knows no more of Rust's grammar than that.

/// One line of a source file: what the compiler runs, and what people read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line with comments and the insides of strings taken out.
    pub code: String,
    /// The text of the comments on it, without their marks.
    pub comment: String,
}

/// The lines of `source`, in order.
pub fn lines(source: &str) -> Vec<Line> {
    let mut scanner = Scanner { rest: source, lines: vec![Line::default()], strings: Vec::new() };
    while scanner.step() {}
    scanner.lines
}

/// The insides of its string literals as they are written, each with the line it begins on.
pub fn strings(source: &str) -> Vec<(usize, &str)> {
    let mut scanner = Scanner { rest: source, lines: vec![Line::default()], strings: Vec::new() };
    while scanner.step() {}
    scanner.strings
}

struct Scanner<'a> {
    rest: &'a str,
    lines: Vec<Line>,
    strings: Vec<(usize, &'a str)>,
}

/// Where a piece of the source goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Into {
    Code,
    Comment,
    Nowhere,
}

impl<'a> Scanner<'a> {
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if self.rest.starts_with("//") {
            self.take(2, Into::Nowhere);
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()), Into::Comment);
        } else if self.rest.starts_with("/*") {
            self.block_comment();
        } else if let Some(hashes) = self.raw_string() {
            let end = format!("\"{}", "#".repeat(hashes));
            self.take(hashes + 2, Into::Code);
            self.inside(self.rest.find(&end).unwrap_or(self.rest.len()));
            self.take(end.len().min(self.rest.len()), Into::Code);
        } else if first == '"' {
            self.string();
        } else if first == '\'' {
            let length = char_literal(self.rest).unwrap_or(1);
            self.take(length, Into::Code);
        } else {
            self.take(first.len_utf8(), Into::Code);
        }
        true
    }

    fn take(&mut self, length: usize, into: Into) {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        for c in taken.chars() {
            if c == '\n' {
                self.lines.push(Line::default());
                continue;
            }
            let line = self.lines.last_mut().expect("there is always a line to write to");
            match into {
                Into::Code => line.code.push(c),
                Into::Comment => line.comment.push(c),
                Into::Nowhere => {}
            }
        }
    }

    /// What a string literal holds.
    fn inside(&mut self, length: usize) {
        self.strings.push((self.lines.len(), &self.rest[..length]));
        self.take(length, Into::Nowhere);
    }

    fn block_comment(&mut self) {
        self.take(2, Into::Nowhere);
        let mut depth = 1;
        while depth > 0 && !self.rest.is_empty() {
            let next = self
                .rest
                .char_indices()
                .map(|(at, _)| at)
                .find(|at| self.rest[*at..].starts_with("/*") || self.rest[*at..].starts_with("*/"));
            self.take(next.unwrap_or(self.rest.len()), Into::Comment);
            depth = if self.rest.starts_with("/*") { depth + 1 } else { depth - 1 };
            self.take(2.min(self.rest.len()), Into::Nowhere);
        }
    }

    fn string(&mut self) {
        self.take(1, Into::Code);
        let mut escaped = false;
        let end = self.rest.char_indices().find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        self.inside(end.map_or(self.rest.len(), |(at, _)| at));
        self.take(1.min(self.rest.len()), Into::Code);
    }

    /// The number of `#` of a raw string that starts here: `r"`, `r#"`, also behind `b` or `c`,
    /// whose letter was taken as code before.
    fn raw_string(&self) -> Option<usize> {
        let behind = self.lines.last()?.code.chars().next_back();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        if behind.is_some_and(|c| word(c) && c != 'b' && c != 'c') {
            return None;
        }
        let rest = self.rest.strip_prefix('r')?;
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        rest[hashes..].starts_with('"').then_some(hashes)
    }
}

/// The length of the character literal that starts here; none for a lifetime.
fn char_literal(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    let (_, first) = chars.next()?;
    if first == '\\' {
        chars.next();
        return chars.find(|(_, c)| *c == '\'').map(|(at, _)| at + 1);
    }
    chars.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[(&str, &str)]) {
        let found = lines(source);
        let found: Vec<(&str, &str)> = found.iter().map(|line| (line.code.trim(), line.comment.trim())).collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn comments_are_told_from_code() {
        check("let a = 1; // one\n/// two\n", &[("let a = 1;", "one"), ("", "/ two"), ("", "")]);
        check("a /* x\n/* y */ z */ b", &[("a", "x"), ("b", "y  z")]);
        check("a /* open", &[("a", "open")]);
    }

    #[test]
    fn the_insides_of_strings_are_neither() {
        check(r#"f("// no \" \\", 'x')"#, &[(r#"f("", 'x')"#, "")]);
        check("r#\"a // \" b\"# + br\"\\\" + c", &[("r#\"\"# + br\"\" + c", "")]);
        check("\"a\nb\" c", &[("\"", ""), ("\" c", "")]);
    }

    #[test]
    fn strings_are_found_with_their_lines() {
        let source = "f(\"a\"); // \"b\"\ng(r#\"c\"d\"#, '\"', \"e\\\"\")";
        assert_eq!(strings(source), [(1, "a"), (2, "c\"d"), (2, "e\\\"")]);
    }

    #[test]
    fn quotes_as_characters_and_lifetimes_open_no_string() {
        check("'\"' // a", &[("'\"'", "a")]);
        check(r"'\'' '\u{1F600}' &'a str // b", &[(r"'\'' '\u{1F600}' &'a str", "b")]);
        check("for_r\"x\"", &[("for_r\"\"", "")]);
    }
}
