//! Splits a source into tokens the way Luau's own lexer does. Works on anything: what the
//! language refuses becomes [`Kind::Broken`] and the rest of the file is still read.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Keyword,
    Number,
    /// A quoted or a long string.
    Text,
    /// `` `…` `` without an expression in it.
    InterpolatedWhole,
    /// `` `…{ ``
    InterpolatedBegin,
    /// `}…{`
    InterpolatedMiddle,
    /// `` }…` ``
    InterpolatedEnd,
    /// `@name`
    Attribute,
    Symbol,
    /// An unfinished string, or a character the language does not know.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// Tokens and comments of a source, each in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    pub tokens: Vec<Token>,
    /// Comments have their own list, since most readers want to see past them.
    pub comments: Vec<Comment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comment {
    pub start: u32,
    pub end: u32,
    /// `--[[ … ]]`
    pub long: bool,
}

/// The longest source whose offsets fit a token.
pub(super) const LONGEST_SOURCE: usize = u32::MAX as usize;

pub(super) fn lex(source: &str) -> Lexed {
    let mut lexer = Lexer { bytes: source.as_bytes(), at: 0, braces: Vec::new(), lexed: Lexed::default() };
    if source.len() <= LONGEST_SOURCE {
        lexer.run();
    }
    lexer.lexed
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// For every open brace inside an interpolated string: whether it closes an expression.
    braces: Vec<bool>,
    lexed: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self) {
        loop {
            while matches!(self.peek(0), b' ' | b'\t' | b'\r' | b'\n' | 11 | 12) {
                self.at += 1;
            }
            // Luau ends at the first zero byte, and so does this.
            if self.peek(0) == 0 {
                return;
            }
            let start = self.at;
            if let Some(kind) = self.next(start) {
                self.lexed.tokens.push(Token { kind, start: start as u32, end: self.at as u32 });
            }
        }
    }

    /// Zero past the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Reads one token; none for a comment.
    fn next(&mut self, start: usize) -> Option<Kind> {
        let kind = match self.peek(0) {
            b'-' if self.peek(1) == b'-' => {
                self.comment(start);
                return None;
            }
            b'"' | b'\'' => self.quoted(),
            b'`' => {
                self.at += 1;
                self.interpolated(Kind::InterpolatedBegin, Kind::InterpolatedWhole)
            }
            b'[' if matches!(self.peek(1), b'[' | b'=') => self.bracket(),
            b'}' if self.braces.pop() == Some(true) => {
                self.at += 1;
                self.interpolated(Kind::InterpolatedMiddle, Kind::InterpolatedEnd)
            }
            b'{' if !self.braces.is_empty() => {
                self.braces.push(false);
                self.at += 1;
                Kind::Symbol
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => {
                self.at += 1;
                self.number()
            }
            b'@' if self.peek(1).is_ascii_alphabetic() || self.peek(1) == b'_' => {
                self.at += 1;
                self.word();
                Kind::Attribute
            }
            first if first.is_ascii_alphabetic() || first == b'_' => self.word(),
            _ => self.symbol(),
        };
        Some(kind)
    }

    fn comment(&mut self, start: usize) {
        self.at += 2;
        let level = if self.peek(0) == b'[' { self.long_level() } else { None };
        match level {
            // An unfinished one takes the rest of the source with it.
            Some(level) => {
                self.long_text(level);
            }
            None => {
                while !matches!(self.peek(0), 0 | b'\r' | b'\n') {
                    self.at += 1;
                }
            }
        }
        let long = level.is_some();
        self.lexed.comments.push(Comment { start: start as u32, end: self.at as u32, long });
    }

    /// The number of `=` of the long opening at this place.
    fn long_level(&self) -> Option<usize> {
        let level = self.bytes[self.at + 1..].iter().take_while(|&&byte| byte == b'=').count();
        (self.peek(level + 1) == b'[').then_some(level)
    }

    /// Skips a long string, whose opening is here, with its closing. False when it has none:
    /// the rest of the source then belongs to it.
    fn long_text(&mut self, level: usize) -> bool {
        self.at += level + 2;
        while self.peek(0) != 0 {
            if self.peek(0) != b']' {
                self.at += 1;
                continue;
            }
            self.at += 1;
            let equals = self.bytes[self.at..].iter().take_while(|&&byte| byte == b'=').count();
            self.at += equals;
            if equals == level && self.peek(0) == b']' {
                self.at += 1;
                return true;
            }
        }
        false
    }

    fn bracket(&mut self) -> Kind {
        match self.long_level() {
            Some(level) if self.long_text(level) => Kind::Text,
            Some(_) => Kind::Broken,
            None => {
                self.at += 1;
                let equals = self.bytes[self.at..].iter().take_while(|&&byte| byte == b'=').count();
                self.at += equals;
                if equals == 0 { Kind::Symbol } else { Kind::Broken }
            }
        }
    }

    fn quoted(&mut self) -> Kind {
        let delimiter = self.peek(0);
        self.at += 1;
        loop {
            match self.peek(0) {
                0 | b'\r' | b'\n' => return Kind::Broken,
                b'\\' => self.backslash(),
                byte => {
                    self.at += 1;
                    if byte == delimiter {
                        return Kind::Text;
                    }
                }
            }
        }
    }

    fn interpolated(&mut self, opened: Kind, closed: Kind) -> Kind {
        loop {
            match self.peek(0) {
                0 | b'\r' | b'\n' => return Kind::Broken,
                b'\\' if self.peek(1) == b'u' && self.peek(2) == b'{' => self.at += 3,
                b'\\' => self.backslash(),
                b'{' => {
                    self.braces.push(true);
                    self.at += 1;
                    return opened;
                }
                byte => {
                    self.at += 1;
                    if byte == b'`' {
                        return closed;
                    }
                }
            }
        }
    }

    fn backslash(&mut self) {
        self.at += 1;
        match self.peek(0) {
            0 => {}
            b'z' => {
                self.at += 1;
                while matches!(self.peek(0), b' ' | b'\t' | b'\r' | b'\n' | 11 | 12) {
                    self.at += 1;
                }
            }
            b'\r' if self.peek(1) == b'\n' => self.at += 2,
            _ => self.at += 1,
        }
    }

    fn number(&mut self) -> Kind {
        while self.peek(0).is_ascii_digit() || matches!(self.peek(0), b'.' | b'_') {
            self.at += 1;
        }
        if matches!(self.peek(0), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(0), b'+' | b'-') {
                self.at += 1;
            }
        }
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'_' {
            self.at += 1;
        }
        Kind::Number
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'_' {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        if super::literal::is_keyword(word) { Kind::Keyword } else { Kind::Name }
    }

    fn symbol(&mut self) -> Kind {
        const LONG: &[&[u8]] = &[
            b"...", b"..=", b"//=", b"..", b"->", b"-=", b"==", b"<=", b">=", b"~=", b"+=", b"*=", b"/=", b"//", b"%=",
            b"^=", b"::",
        ];
        let rest = &self.bytes[self.at..];
        if let Some(long) = LONG.iter().find(|long| rest.starts_with(long)) {
            self.at += long.len();
            return Kind::Symbol;
        }
        let known = b"+-*/%^#<>=~(){}[];:,.?&|@".contains(&rest[0]);
        // A character of several bytes is one broken token, so that tokens keep to characters.
        self.at += 1;
        while !known && self.peek(0) & 0xC0 == 0x80 {
            self.at += 1;
        }
        if known { Kind::Symbol } else { Kind::Broken }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let lexed = lex(source);
        let words: Vec<&str> =
            lexed.tokens.iter().map(|token| &source[token.start as usize..token.end as usize]).collect();
        assert_eq!(words, expected, "{source}");
    }

    #[test]
    fn splits_like_the_language() {
        check("local typed=3 -- no\nx+=1", &["local", "typed", "=", "3", "x", "+=", "1"]);
        check("a..b...c..=d//=e//f", &["a", "..", "b", "...", "c", "..=", "d", "//=", "e", "//", "f"]);
        check("f(): T->(U)?", &["f", "(", ")", ":", "T", "->", "(", "U", ")", "?"]);
        check("0x_ff 1e-9 1_000.5 .5", &["0x_ff", "1e-9", "1_000.5", ".5"]);
        check("--[==[ ]] ]=] x ]==]y", &["y"]);
        check("[=[ ]] ]=]z [[a]]", &["[=[ ]] ]=]", "z", "[[a]]"]);
        check("'a\\'b' \"x\\\ny\" '\\z \n q'", &["'a\\'b'", "\"x\\\ny\"", "'\\z \n q'"]);
        check("`a{ {1} }b{c}d`..`e`", &["`a{", "{", "1", "}", "}b{", "c", "}d`", "..", "`e`"]);
        check("`\\u{41}`", &["`\\u{41}`"]);
        check("@native function f() end", &["@native", "function", "f", "(", ")", "end"]);
        check("a\0b", &["a"]);
    }

    #[test]
    fn what_is_broken_stays_where_it_is() {
        check("x = 'abc\ny", &["x", "=", "'abc", "y"]);
        check("é!", &["é", "!"]);
        check("[==x", &["[==", "x"]);
        check("[[never closed\n", &["[[never closed\n"]);
        check("--[[never closed\n", &[]);
        check("`a{", &["`a{"]);
        check("}}`", &["}", "}", "`"]);
    }
}
