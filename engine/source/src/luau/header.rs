//! The header of a named function: `typed function M.spawn<T>(kind: Kind, ...: any): T`.

use std::collections::HashMap;

use super::chunk::{Param, Signature};
use super::grammar::{Grammar, Parsed};
use super::script::Script;
use super::types::Type;
use super::words::{self, Argument, Words};

pub(super) struct Header {
    pub signature: Signature,
    /// `--!arg` lines that fit no parameter.
    pub unknown_words: Vec<Argument>,
    /// The token after the header: the first of the body.
    pub body: usize,
}

/// Reads the header whose `function` is the token at `function`.
pub(super) fn read(script: &Script<'_>, function: usize, nested: bool) -> Parsed<Header> {
    let typed = function > 0 && script.is_typed(function - 1);
    let mut first = function - usize::from(typed);
    let local = first > 0 && (script.is(first - 1, "local") || script.is_name(first - 1, "const"));
    first -= usize::from(local);

    let mut grammar = Grammar::new(script, function + 1);
    let (name, method) = name(&mut grammar)?;
    let generics = if grammar.is("<") { grammar.generic_names()? } else { Vec::new() };
    let (params, variadic) = parameters(&mut grammar)?;
    let returns = if grammar.take(":") { grammar.return_types()? } else { Vec::new() };

    let words = words::above(script, first_of_declaration(script, first));
    let mut signature = Signature {
        name,
        method,
        local,
        typed,
        nested,
        generics,
        params,
        variadic,
        returns,
        line: script.token_span(function).line,
        span: script.span(script.tokens[first].start, script.tokens[grammar.at - 1].end),
        ..Signature::default()
    };
    let unknown_words = describe(&mut signature, words);
    Ok(Header { signature, unknown_words, body: grammar.at })
}

/// Steps back over `export` and attributes, which stand between the words and the rest.
fn first_of_declaration(script: &Script<'_>, mut first: usize) -> usize {
    use super::lexer::Kind;
    // A parameterised attribute is short; a longer list is not looked for.
    const LONGEST_ATTRIBUTE: usize = 64;
    while let Some(previous) = first.checked_sub(1) {
        if script.kind(previous) == Some(Kind::Attribute) || script.is_name(previous, "export") {
            first = previous;
        } else if script.is(previous, "]") {
            let open = (previous.saturating_sub(LONGEST_ATTRIBUTE)..previous)
                .rev()
                .find(|&index| script.is(index, "@") && script.is(index + 1, "["));
            match open {
                Some(open) => first = open,
                None => break,
            }
        } else {
            break;
        }
    }
    first
}

fn name(grammar: &mut Grammar<'_>) -> Parsed<(String, bool)> {
    let mut name = grammar.name("the name of the function")?.to_owned();
    while grammar.take(".") {
        name.push('.');
        name.push_str(grammar.name("the name of a field")?);
    }
    let method = grammar.take(":");
    if method {
        name.push(':');
        name.push_str(grammar.name("the name of a method")?);
    }
    Ok((name, method))
}

fn parameters(grammar: &mut Grammar<'_>) -> Parsed<(Vec<Param>, Option<Type>)> {
    grammar.expect("(")?;
    let mut params = Vec::new();
    let mut variadic = None;
    while !grammar.is(")") {
        if grammar.take("...") {
            variadic = Some(if grammar.take(":") { grammar.type_or_pack()? } else { Type::named("any") });
            break;
        }
        let name = grammar.name("the name of a parameter")?.to_owned();
        let span = grammar.script.token_span(grammar.at - 1);
        let type_ = if grammar.take(":") { Some(grammar.type_()?) } else { None };
        params.push(Param { name, type_, description: String::new(), span });
        if !grammar.take(",") {
            break;
        }
        if grammar.is(")") {
            return Err(grammar.expected("the name of a parameter"));
        }
    }
    grammar.expect(")")?;
    Ok((params, variadic))
}

/// Puts the words on what they are about, and gives back those that fit nothing.
fn describe(signature: &mut Signature, words: Words) -> Vec<Argument> {
    // So many slips are one mistake: the words of another function.
    const MOST_UNKNOWN: usize = 16;
    signature.description = words.description;
    signature.return_description = words.returns;
    signature.examples = words.examples;
    let mut places: HashMap<String, usize> = HashMap::new();
    for (index, param) in signature.params.iter().enumerate() {
        places.insert(param.name.clone(), index);
    }
    let mut unknown = Vec::new();
    for argument in words.arguments {
        match places.get(&argument.name) {
            Some(&index) => signature.params[index].description = argument.text,
            None if argument.name == "..." && signature.variadic.is_some() => {
                signature.variadic_description = argument.text;
            }
            None if unknown.len() < MOST_UNKNOWN => unknown.push(argument),
            None => {}
        }
    }
    unknown
}
