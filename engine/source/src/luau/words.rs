//! The words above a declaration: `--!desc`, `--!arg`, `--!return`, `--!example`, lines that
//! continue one (`--! text`), and `--!members`.

use zero_base::Span;

use super::lexer::Comment;
use super::script::Script;

/// What follows `--` in a comment that is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive<'a> {
    Description(&'a str),
    Argument(&'a str),
    Return(&'a str),
    Example(&'a str),
    Members(&'a str),
    Continued(&'a str),
}

/// The directive in a comment, `--` included. Luau's own (`--!strict`) are none of ours.
pub(super) fn directive(comment: &str) -> Option<Directive<'_>> {
    let text = comment.strip_prefix("--!")?;
    let end = text.find(|character: char| !character.is_ascii_alphanumeric() && character != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let rest = rest.strip_prefix(' ').unwrap_or(rest).trim_end();
    Some(match word {
        "" => Directive::Continued(rest),
        "desc" => Directive::Description(rest.trim_start()),
        "arg" => Directive::Argument(rest.trim_start()),
        "return" => Directive::Return(rest.trim_start()),
        "example" => Directive::Example(rest.trim_start()),
        "members" => Directive::Members(rest.trim_start()),
        _ => return None,
    })
}

/// The words that belong to one declaration.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Words {
    pub description: String,
    pub arguments: Vec<Argument>,
    pub returns: String,
    pub examples: Vec<String>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Argument {
    pub name: String,
    pub text: String,
    pub span: Span,
}

/// Reads the block of comment lines above the declaration that starts at token `first`.
pub(super) fn above(script: &Script<'_>, first: usize) -> Words {
    let mut words = Words::default();
    // A continuation belongs to whatever word came last.
    let mut last: Option<Directive<'_>> = None;
    for comment in block_above(script, first) {
        let Some(directive) = directive(script.slice(comment.start, comment.end)) else { continue };
        match directive {
            Directive::Description(text) => append_line(&mut words.description, text),
            Directive::Return(text) => append_line(&mut words.returns, text),
            Directive::Example(text) => words.examples.push(text.to_owned()),
            Directive::Argument(text) => {
                let (name, text) = text.split_once([' ', '\t']).unwrap_or((text, ""));
                let name = name.trim_end_matches(':').to_owned();
                let span = script.span(comment.start, comment.end);
                words.arguments.push(Argument { name, text: text.trim().to_owned(), span });
            }
            Directive::Members(_) => {}
            Directive::Continued(text) => match last {
                Some(Directive::Description(_)) => append_line(&mut words.description, text),
                Some(Directive::Return(_)) => append_line(&mut words.returns, text),
                Some(Directive::Argument(_)) => {
                    words.arguments.last_mut().into_iter().for_each(|argument| append_line(&mut argument.text, text));
                }
                Some(Directive::Example(_)) => {
                    words.examples.last_mut().into_iter().for_each(|example| append_line(example, text));
                }
                _ => {}
            },
        }
        if !matches!(directive, Directive::Continued(_)) {
            last = Some(directive);
        }
    }
    words
}

fn append_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// The comments directly above a token, without a blank line between them. One blank gap
/// between the block and the token is allowed.
fn block_above<'a>(script: &'a Script<'_>, first: usize) -> &'a [Comment] {
    let Some(token) = script.tokens.get(first) else { return &[] };
    let previous_end = first.checked_sub(1).map_or(0, |previous| script.tokens[previous].end);
    let comments = script.comments_between(previous_end, token.start);
    // What shares a line with the code before it belongs to that code.
    let taken = match first {
        0 => 0,
        _ => comments.partition_point(|comment| script.line(comment.start) == script.line(previous_end)),
    };
    let comments = &comments[taken..];
    let broken = comments.windows(2).rposition(|pair| script.line(pair[1].start) > script.line(pair[0].end) + 1);
    &comments[broken.map_or(0, |index| index + 1)..]
}

/// The words of a field of a table type that spans the tokens `start..end`: the comment
/// lines above it, else the comment that ends its line.
pub(super) fn of_field(script: &Script<'_>, start: usize, end: usize) -> String {
    let mut description = String::new();
    for comment in block_above(script, start) {
        append_line(&mut description, plain(script, *comment));
    }
    if !description.is_empty() {
        return description;
    }
    let Some(last) = end.checked_sub(1).and_then(|last| script.tokens.get(last)) else { return description };
    let separated = script.is(end, ",") || script.is(end, ";");
    let limit = |index: usize| script.tokens.get(index).map_or(script.text.len() as u32, |token| token.start);
    let line = script.line(last.end);
    for comment in script.comments_between(last.end, limit(end + usize::from(separated))) {
        // After the separator a comment is ours only if nothing else follows on the line.
        let before_separator = comment.start < limit(end);
        let ends_line = limit(end + usize::from(separated)) > comment.end
            && script.line(limit(end + usize::from(separated))) > script.line(comment.end);
        if script.line(comment.start) == line && (before_separator || ends_line) {
            append_line(&mut description, plain(script, *comment));
        }
    }
    description
}

/// The text of a comment without its dashes and brackets. Directives of the language say
/// nothing to a reader.
fn plain<'a>(script: &Script<'a>, comment: Comment) -> &'a str {
    let text = script.slice(comment.start, comment.end);
    match directive(text) {
        Some(Directive::Description(text) | Directive::Continued(text)) => return text,
        Some(_) => return "",
        None if text.starts_with("--!") => return "",
        None => {}
    }
    let body = text.trim_start_matches('-');
    if !comment.long {
        return body.trim();
    }
    body.trim_matches(['[', ']', '=']).trim()
}

/// `--!members <Type>` lines of a whole file.
pub(super) fn members(script: &Script<'_>) -> Vec<super::Members> {
    let mut found = Vec::new();
    for comment in script.comments.iter().filter(|comment| !comment.long) {
        let Some(Directive::Members(text)) = directive(script.slice(comment.start, comment.end)) else { continue };
        let Some(type_name) = text.split_whitespace().next() else { continue };
        let next = script.tokens.partition_point(|token| token.start < comment.start);
        let local = script.is(next, "local").then(|| script.word(next + 1).to_owned());
        let span = script.span(comment.start, comment.end);
        found.push(super::Members { type_name: type_name.to_owned(), local, span });
    }
    found
}
