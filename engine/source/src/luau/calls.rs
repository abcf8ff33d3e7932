//! Calls with string literals among their arguments: requires, look-ups of assets, and
//! whatever an asset type declares.

use std::collections::HashMap;

use super::chunk::{LiteralCall, LookupCall, RequireCall};
use super::lexer::Kind;
use super::literal::{is_identifier, unquote};
use super::nesting::Nesting;
use super::script::Script;

/// A callee longer than this is not something anybody declares.
const LONGEST_CALLEE: usize = 256;

/// A call that finds an asset by name.
struct Lookup {
    call: &'static str,
    /// Position of the name, from 1.
    name: usize,
    type_: LookupType,
}

enum LookupType {
    /// The argument at this position names the type.
    Argument(usize),
    Always(&'static str),
}

const LOOKUPS: &[Lookup] = &[
    Lookup { call: "Field.assetRef", name: 2, type_: LookupType::Argument(1) },
    Lookup { call: "asset.resolve", name: 1, type_: LookupType::Argument(2) },
    Lookup { call: "scene.load", name: 1, type_: LookupType::Always("scene") },
];

/// The string literals a source gives to calls, in the order they are written: on their own,
/// or as fields of a table written in place.
pub fn literal_calls(source: &str) -> Vec<LiteralCall> {
    literals(&Script::new(source)).into_iter().map(|found| found.call).collect()
}

#[derive(Default)]
pub(super) struct Calls {
    pub requires: Vec<RequireCall>,
    pub lookups: Vec<LookupCall>,
}

pub(super) fn read(script: &Script<'_>) -> Calls {
    let literals = literals(script);
    let mut calls = Calls::default();
    let mut types: HashMap<(usize, usize), &str> = HashMap::new();
    for Found { call, .. } in &literals {
        if call.table_field.is_none() {
            types.insert((call.call, call.position), &call.literal);
        }
    }
    for Found { call, callee, literal } in &literals {
        if call.table_field.is_some() {
            continue;
        }
        if call.callee == "require" && call.position == 1 {
            let local = holder(script, *callee, *literal);
            calls.requires.push(RequireCall { name: call.literal.clone(), span: call.span, local });
        }
        for lookup in LOOKUPS.iter().filter(|lookup| lookup.call == call.callee && lookup.name == call.position) {
            let type_ = match lookup.type_ {
                LookupType::Always(type_) => Some(type_.to_owned()),
                LookupType::Argument(position) => types.get(&(call.call, position)).map(|type_| (*type_).to_owned()),
            };
            calls.lookups.push(LookupCall {
                call: lookup.call,
                argument: lookup.name,
                name: call.literal.clone(),
                type_,
                span: call.span,
            });
        }
    }
    calls
}

struct Found {
    call: LiteralCall,
    /// First token of the callee.
    callee: usize,
    /// Token of the literal.
    literal: usize,
}

/// A bracket of the script and the call it belongs to.
#[derive(Clone, Copy, Default)]
struct Bracket {
    call: Option<Call>,
    /// A table given as an argument: its fields are options.
    table: bool,
}

#[derive(Clone, Copy)]
struct Call {
    number: usize,
    /// Tokens of the callee.
    start: usize,
    end: usize,
    /// Position of the argument being read.
    position: usize,
}

fn literals(script: &Script<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let mut nesting = Nesting::default();
    let mut brackets: Vec<Bracket> = Vec::new();
    let mut calls = 0;
    for index in 0..script.tokens.len() {
        let before = nesting.depth();
        nesting.step(script, index);
        brackets.truncate(nesting.depth());
        if nesting.depth() > before {
            let bracket = opened(script, index, brackets.last(), &mut calls);
            brackets.push(bracket);
            continue;
        }
        if script.kind(index) == Some(Kind::Text) {
            let given = match brackets.last() {
                Some(Bracket { call: Some(call), table }) if given(script, index, *table) => {
                    Some((*call, if *table { field_name(script, index) } else { None }))
                }
                _ => alone(script, index, &mut calls).map(|call| (call, None)),
            };
            found.extend(given.and_then(|(call, field)| literal_call(script, index, call, field)));
        } else if script.is(index, ",")
            && let Some(Bracket { call: Some(call), table: false }) = brackets.last_mut()
        {
            call.position += 1;
        }
    }
    found
}

/// What the bracket, or the block, that opens at `index` belongs to.
fn opened(script: &Script<'_>, index: usize, outer: Option<&Bracket>, calls: &mut usize) -> Bracket {
    let table = script.is(index, "{");
    if !table && !script.is(index, "(") {
        return Bracket::default();
    }
    if let Some(start) = callee(script, index) {
        return Bracket { call: Some(new_call(calls, start, index)), table };
    }
    let argument = index > 0 && (script.is(index - 1, "(") || script.is(index - 1, ","));
    match outer {
        Some(Bracket { call: Some(call), table: false }) if table && argument => Bracket { call: Some(*call), table },
        _ => Bracket::default(),
    }
}

fn new_call(calls: &mut usize, start: usize, end: usize) -> Call {
    *calls += 1;
    Call { number: *calls - 1, start, end, position: 1 }
}

/// The first token of the callee that ends before `index`, if what stands there is called.
fn callee(script: &Script<'_>, index: usize) -> Option<usize> {
    let last = index.checked_sub(1)?;
    if script.kind(last) != Some(Kind::Name) {
        // The result of a call or an index is called; its own name is not known.
        let called = script.is(last, ")") || script.is(last, "]");
        return (called && script.same_line(last, index)).then_some(index);
    }
    let mut start = last;
    // Longer chains are nobody's; the bound keeps the whole pass linear.
    for _ in 0..LONGEST_CALLEE {
        if start == 0 || !(script.is(start - 1, ".") || script.is(start - 1, ":")) {
            break;
        }
        start -= 1;
        if start > 0 && script.kind(start - 1) == Some(Kind::Name) {
            start -= 1;
        } else {
            break;
        }
    }
    let declared = start > 0 && script.is(start - 1, "function");
    (!declared).then_some(start)
}

/// `require "name"`: a literal right after the callee is the only argument.
fn alone(script: &Script<'_>, index: usize, calls: &mut usize) -> Option<Call> {
    callee(script, index).map(|start| new_call(calls, start, index))
}

/// Whether the literal at `index` is a whole argument, or the whole value of a field.
fn given(script: &Script<'_>, index: usize, table: bool) -> bool {
    let Some(previous) = index.checked_sub(1) else { return false };
    if table {
        let ends = script.is(index + 1, ",") || script.is(index + 1, ";") || script.is(index + 1, "}");
        return ends && field_name(script, index).is_some();
    }
    let starts = script.is(previous, "(") || script.is(previous, ",");
    starts && (script.is(index + 1, ",") || script.is(index + 1, ")"))
}

/// The name before `=` of the field whose value is at `value`: `name =` or `["name"] =`.
fn field_name(script: &Script<'_>, value: usize) -> Option<String> {
    let name = value.checked_sub(2)?;
    if !script.is(value - 1, "=") {
        return None;
    }
    if script.kind(name) == Some(Kind::Name) {
        return Some(script.word(name).to_owned());
    }
    let bracketed =
        name >= 2 && script.is(name, "]") && script.kind(name - 1) == Some(Kind::Text) && script.is(name - 2, "[");
    bracketed.then(|| unquote(script.word(name - 1)))
}

fn literal_call(script: &Script<'_>, index: usize, call: Call, table_field: Option<String>) -> Option<Found> {
    let mut callee = String::new();
    for token in call.start..call.end {
        callee.push_str(script.word(token));
        if callee.len() > LONGEST_CALLEE {
            return None;
        }
    }
    let call_ = LiteralCall {
        callee,
        call: call.number,
        position: call.position,
        literal: unquote(script.word(index)),
        table_field,
        span: script.token_span(index),
    };
    Some(Found { call: call_, callee: call.start, literal: index })
}

/// The local that holds what the call itself returns: `local name = require("…")`.
fn holder(script: &Script<'_>, callee: usize, literal: usize) -> Option<String> {
    // An annotation longer than this does not stand before a require.
    const LONGEST_ANNOTATION: usize = 64;
    let after = literal + 1 + usize::from(script.is(literal + 1, ")"));
    let goes_on = [".", ":", "[", "(", "{"].iter().any(|symbol| script.is(after, symbol));
    let equals = callee.checked_sub(1)?;
    if goes_on || !script.is(equals, "=") {
        return None;
    }
    let declares = |index: usize| script.is(index, "local") || script.is_name(index, "const");
    let first = (equals.saturating_sub(LONGEST_ANNOTATION)..equals)
        .rev()
        .take_while(|&index| !script.is(index, "="))
        .find(|&index| declares(index))?;
    let named = is_identifier(script.word(first + 1));
    let single = first + 2 == equals || script.is(first + 2, ":");
    (named && single).then(|| script.word(first + 1).to_owned())
}
