//! One pass over the tokens of a file that collects what it declares.

use std::collections::HashMap;

use zero_base::{Diagnostic, Related, did_you_mean};

use super::chunk::{Chunk, Generic, Signature, TypeAlias};
use super::grammar::{Grammar, Parsed, Refusal};
use super::header::{self, Header};
use super::lexer::{Kind, LONGEST_SOURCE};
use super::nesting::{Nesting, wants_expression};
use super::script::Script;
use super::{calls, words};

/// A chunk with what only the rewriting needs.
pub(super) struct Outline {
    pub chunk: Chunk,
    /// For every function of the chunk: the token after its header.
    pub bodies: Vec<usize>,
}

/// Reads what a file declares. Text that is not Luau gives what can be read of it, with
/// diagnostics for `typed` declarations and type aliases that cannot.
pub fn parse(source: &str) -> Chunk {
    read(&Script::new(source)).chunk
}

pub(super) fn read(script: &Script<'_>) -> Outline {
    let mut outline = Outline { chunk: Chunk::default(), bodies: Vec::new() };
    if script.text.len() > LONGEST_SOURCE {
        let message = "the file is longer than 4 GiB and is not read";
        outline.chunk.diagnostics.push(Diagnostic::error("luau/too_large", message));
        return outline;
    }
    let mut nesting = Nesting::default();
    let mut index = 0;
    while index < script.tokens.len() {
        let nested = nesting.in_function();
        nesting.step(script, index);
        if !nested && script.is(index, "return") {
            outline.chunk.returned = returned(script, index + 1).or(outline.chunk.returned);
        }
        index = if script.is(index, "function") {
            outline.function(script, index, nested)
        } else if is_alias(script, index) {
            outline.alias(script, index, nested)
        } else {
            index + 1
        };
    }
    let calls = calls::read(script);
    outline.chunk.requires = calls.requires;
    outline.chunk.lookups = calls.lookups;
    outline.chunk.members = words::members(script);
    outline.repeated();
    outline.chunk.diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.line, span.column)));
    outline
}

/// The first word of the value that a `return` in front of `index` gives back.
fn returned(script: &Script<'_>, index: usize) -> Option<String> {
    const NOTHING: &[&str] = &["else", "elseif", "end", "until", ";"];
    let value = index < script.tokens.len() && !NOTHING.iter().any(|word| script.is(index, word));
    value.then(|| script.word(index).to_owned())
}

/// `type Name =` or `type Name<` where a statement can start; `type` alone is a function.
fn is_alias(script: &Script<'_>, index: usize) -> bool {
    script.is_name(index, "type")
        && script.kind(index + 1) == Some(Kind::Name)
        && (script.is(index + 2, "=") || script.is(index + 2, "<"))
        && !wants_expression(script, index)
        && !(index > 0 && (script.is(index - 1, "local") || script.is(index - 1, "function")))
}

impl Outline {
    /// Reads the declaration whose `function` is at `index`, and answers where to go on.
    fn function(&mut self, script: &Script<'_>, index: usize, nested: bool) -> usize {
        let typed = index > 0 && script.is_typed(index - 1);
        if typed && wants_expression(script, index - 1) {
            let message = "`typed` must start a function declaration: write `typed function M.name(…)` or \
                           `local typed function name(…)` as a statement of its own";
            let diagnostic = Diagnostic::error("luau/typed_misplaced", message).at(script.token_span(index - 1));
            self.chunk.diagnostics.push(diagnostic);
            return index + 1;
        }
        let named = script.kind(index + 1) == Some(Kind::Name);
        let of_types = index > 0 && script.is_name(index - 1, "type") && script.same_line(index - 1, index);
        if of_types || !(named || typed) {
            return index + 1;
        }
        match header::read(script, index, nested) {
            Ok(header) => {
                let body = header.body;
                self.declare(header);
                body
            }
            // What Luau itself refuses is reported by Luau; only `typed` is ours alone.
            Err(refusal) => {
                if typed {
                    self.refuse("luau/bad_signature", refusal);
                }
                index + 1
            }
        }
    }

    fn declare(&mut self, header: Header) {
        let Header { signature, unknown_words, body } = header;
        let known: Vec<&str> = signature.params.iter().map(|param| param.name.as_str()).collect();
        let known: Vec<&str> = known.into_iter().chain(signature.variadic.is_some().then_some("...")).collect();
        for argument in unknown_words {
            let function = &signature.name;
            let message = match argument.name.as_str() {
                "" => format!("`--!arg` of '{function}' names no argument; write `--!arg <name> <text>`"),
                name if known.is_empty() => format!("`--!arg {name}`: '{function}' takes no arguments"),
                name => {
                    let near = did_you_mean(name, known.iter().copied());
                    format!("`--!arg {name}`: '{function}' has no argument of that name{near}")
                }
            };
            let diagnostic = Diagnostic::warning("luau/unknown_argument", message).choices(&argument.name, &known);
            self.chunk.diagnostics.push(diagnostic.at(argument.span));
        }
        self.chunk.functions.push(signature);
        self.bodies.push(body);
    }

    fn alias(&mut self, script: &Script<'_>, index: usize, nested: bool) -> usize {
        match alias(script, index, nested) {
            Ok((alias, next)) => {
                self.chunk.types.push(alias);
                next
            }
            Err(refusal) => {
                self.refuse("luau/bad_type", refusal);
                index + 2
            }
        }
    }

    fn refuse(&mut self, code: &'static str, refusal: Refusal) {
        self.chunk.diagnostics.push(Diagnostic::error(code, refusal.message).at(refusal.span));
    }

    /// Two typed functions of one name: the second takes the place of the first.
    fn repeated(&mut self) {
        let mut first: HashMap<&str, &Signature> = HashMap::new();
        let mut repeated = Vec::new();
        for signature in self.chunk.functions.iter().filter(|signature| signature.typed && !signature.nested) {
            let Some(earlier) = first.insert(&signature.name, signature) else { continue };
            let message = format!(
                "'{}' is declared twice as a typed function (first on line {}); the later one replaces the earlier",
                signature.name, earlier.line
            );
            let mut diagnostic = Diagnostic::warning("luau/typed_twice", message).at(signature.span);
            let related =
                Related { message: "first declared here".to_owned(), path: String::new(), span: Some(earlier.span) };
            diagnostic.related.push(related);
            repeated.push(diagnostic);
        }
        self.chunk.diagnostics.extend(repeated);
    }
}

/// Reads the alias whose `type` is at `index`, and answers where to go on.
fn alias(script: &Script<'_>, index: usize, nested: bool) -> Parsed<(TypeAlias, usize)> {
    let exported = index > 0 && script.is_name(index - 1, "export");
    let mut grammar = Grammar::new(script, index + 1);
    let name = grammar.name("the name of the type")?.to_owned();
    let generics = if grammar.take("<") { generics(&mut grammar)? } else { Vec::new() };
    grammar.expect("=")?;
    let type_ = grammar.type_()?;
    let first = index - usize::from(exported);
    let description = words::above(script, first).description;
    let line = script.token_span(index).line;
    Ok((TypeAlias { name, exported, nested, generics, type_, description, line }, grammar.at))
}

/// `<T, U = string, V... = ...number>` after the name of an alias.
fn generics(grammar: &mut Grammar<'_>) -> Parsed<Vec<Generic>> {
    let mut generics = Vec::new();
    loop {
        let name = grammar.name("the name of a type parameter")?.to_owned();
        let pack = grammar.take("...");
        let default = if grammar.take("=") { Some(grammar.type_or_pack()?) } else { None };
        generics.push(Generic { name, pack, default });
        if !grammar.take(",") {
            break;
        }
    }
    grammar.expect(">")?;
    Ok(generics)
}
