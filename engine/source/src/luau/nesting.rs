use super::lexer::Kind;
use super::script::Script;

/// What is open at a place of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Function,
    /// Up to `end` or `until`.
    Block,
    /// `if … then … else`, an expression: it has no `end`.
    Choice,
    Parenthesis,
    Brace,
    Bracket,
    Interpolated,
}

const FRAMES: usize = Frame::Interpolated as usize + 1;

/// Follows brackets and blocks from token to token. On broken code it is a good guess.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    frames: Vec<Frame>,
    /// How many of each kind are open: a closing word without its opening is ignored without
    /// looking through the whole stack.
    open: [usize; FRAMES],
    /// The last token ended the condition or the first branch of a [`Frame::Choice`], so that
    /// an expression follows.
    in_choice: bool,
}

impl Nesting {
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    pub fn top(&self) -> Option<Frame> {
        self.frames.last().copied()
    }

    pub fn in_function(&self) -> bool {
        self.open[Frame::Function as usize] > 0
    }

    /// Takes account of the token at `index`, which follows the one given before.
    pub fn step(&mut self, script: &Script<'_>, index: usize) {
        let after_choice = std::mem::take(&mut self.in_choice);
        match script.kind(index) {
            Some(Kind::Symbol) => match script.word(index) {
                "(" => self.push(Frame::Parenthesis),
                "{" => self.push(Frame::Brace),
                "[" => self.push(Frame::Bracket),
                ")" => self.close(&[Frame::Parenthesis]),
                "}" => self.close(&[Frame::Brace]),
                "]" => self.close(&[Frame::Bracket]),
                _ => {}
            },
            Some(Kind::InterpolatedBegin) => self.push(Frame::Interpolated),
            Some(Kind::InterpolatedEnd) => self.close(&[Frame::Interpolated]),
            Some(Kind::Keyword) => match script.word(index) {
                "function" => self.push(Frame::Function),
                "do" | "repeat" => self.push(Frame::Block),
                "if" => {
                    let in_table = index > 0 && script.is(index - 1, ";") && self.top() == Some(Frame::Brace);
                    let choice = after_choice || in_table || wants_expression(script, index);
                    self.push(if choice { Frame::Choice } else { Frame::Block });
                }
                "then" | "elseif" => self.in_choice = self.top() == Some(Frame::Choice),
                "else" if self.top() == Some(Frame::Choice) => {
                    self.close(&[Frame::Choice]);
                    self.in_choice = true;
                }
                "end" | "until" => self.close(&[Frame::Function, Frame::Block]),
                _ => {}
            },
            _ => {}
        }
    }

    fn push(&mut self, frame: Frame) {
        self.open[frame as usize] += 1;
        self.frames.push(frame);
    }

    /// Closes the innermost frame of one of these kinds with everything left open inside it.
    fn close(&mut self, kinds: &[Frame]) {
        if kinds.iter().all(|kind| self.open[*kind as usize] == 0) {
            return;
        }
        while let Some(frame) = self.frames.pop() {
            self.open[frame as usize] -= 1;
            if kinds.contains(&frame) {
                return;
            }
        }
    }
}

/// Whether the token before `index` leaves an expression unfinished, so that no statement can
/// start here.
pub(super) fn wants_expression(script: &Script<'_>, index: usize) -> bool {
    let Some(previous) = index.checked_sub(1) else { return false };
    let word = script.word(previous);
    match script.kind(previous) {
        Some(Kind::Symbol) => match word {
            ")" | "]" | "}" | "..." | "?" | ";" => false,
            // Closes the arguments of a type, unless the comparison goes on.
            ">" => script.same_line(previous, index),
            _ => true,
        },
        Some(Kind::Keyword) => {
            matches!(word, "and" | "or" | "not" | "return" | "in" | "while" | "until" | "if" | "elseif")
        }
        Some(Kind::InterpolatedBegin | Kind::InterpolatedMiddle) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is open where the source says `HERE`.
    fn check(source: &str, expected: &[Frame]) {
        let script = Script::new(source);
        let mut nesting = Nesting::default();
        let mut seen = None;
        for index in 0..script.tokens.len() {
            if script.is_name(index, "HERE") {
                seen = Some(nesting.frames.clone());
            }
            nesting.step(&script, index);
        }
        assert_eq!(seen.as_deref(), Some(expected), "{source}");
    }

    #[test]
    fn follows_blocks_and_expressions() {
        use Frame::{Block, Brace, Choice, Function, Parenthesis};
        check("if a then b() end HERE", &[]);
        check("if a then HERE", &[Block]);
        check("x = if a then b else c HERE", &[]);
        check("x = if a then if b then c else d else e f() HERE", &[]);
        check("if a then if b then c() end HERE end", &[Block]);
        check("x = if a then HERE else c", &[Choice]);
        check("f(if a then b else c, HERE)", &[Parenthesis]);
        check("t = { if a then b else c; if d then e else g, HERE }", &[Brace]);
        check("while if a then b else c do HERE end", &[Block]);
        check("local x: Box<number>\nif a then HERE end", &[Block]);
        check("f(function() if a then return 1 end HERE end)", &[Parenthesis, Function]);
        check("repeat local x = 1 until x HERE", &[]);
        check("s = `a{if a then `{b}` else c}d` HERE", &[]);
        check("))) end end ] HERE", &[]);
        check("f( { HERE ) ", &[Parenthesis, Brace]);
        check("f( { ) HERE", &[]);
    }
}
