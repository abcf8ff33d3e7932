use super::lexer::LONGEST_SOURCE;
use super::script::Script;
use super::words;

/// The same text as plain Luau: `typed` becomes spaces, and so does the `!` of our comment
/// words, which Luau's linter would take for directives of its own. Every byte stays where it
/// was, so positions in the result are positions in the source.
pub fn blank(source: &str) -> String {
    if source.len() > LONGEST_SOURCE {
        return source.to_owned();
    }
    blank_script(&Script::new(source))
}

pub(super) fn blank_script(script: &Script<'_>) -> String {
    let mut blanked = String::with_capacity(script.text.len());
    let mut copied = 0;
    let mut erase = |start: usize, length: usize| {
        blanked.push_str(&script.text[copied..start]);
        blanked.extend(std::iter::repeat_n(' ', length));
        copied = start + length;
    };
    let mut comments = script.comments.iter().peekable();
    let typed = (0..script.tokens.len()).filter(|&index| script.is_typed(index));
    for token in typed.map(|index| script.tokens[index]) {
        while let Some(comment) = comments.next_if(|comment| comment.start < token.start) {
            erase_mark(script, comment.start, comment.end, &mut erase);
        }
        erase(token.start as usize, "typed".len());
    }
    for comment in comments {
        erase_mark(script, comment.start, comment.end, &mut erase);
    }
    blanked.push_str(&script.text[copied..]);
    blanked
}

fn erase_mark(script: &Script<'_>, start: u32, end: u32, erase: &mut impl FnMut(usize, usize)) {
    if words::directive(script.slice(start, end)).is_some() {
        erase(start as usize + "--".len(), "!".len());
    }
}
