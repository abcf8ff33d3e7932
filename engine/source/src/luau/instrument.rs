//! The rewriting that makes `typed function` check its arguments: a guard after each header,
//! one preamble in front of the first token. Every line keeps its number.

use std::collections::HashSet;
use std::sync::Arc;

use zero_base::Diagnostic;

use super::blank::blank_script;
use super::checks::{Check, CheckedParam, Checks};
use super::chunk::Signature;
use super::guard::Declarations;
use super::lexer::Kind;
use super::literal::quote;
use super::outline::{self, Outline};
use super::resolve::{Resolved, SignatureShapes, resolve};
use super::scope::{Imports, Scope};
use super::script::Script;
use super::shape::ShapeId;

/// A file ready to be compiled.
#[derive(Debug, Clone)]
pub struct Instrumented {
    /// Plain Luau with as many lines as the source.
    pub text: String,
    pub checks: Arc<Checks>,
    /// Warnings: what is not checked, and words that fit nothing.
    pub diagnostics: Vec<Diagnostic>,
}

/// Rewrites `source` so that its typed functions check their arguments. `module` is handed to
/// `__typed_rt`, which the preamble asks for the function that reports a failure and the
/// tests for references of the engine.
///
/// # Errors
/// The diagnostics of `typed` declarations that cannot be read, or that name types nobody
/// declares: an argument nothing checks is what they are there to prevent.
pub fn instrument(source: &str, module: &str, imports: &dyn Imports) -> Result<Instrumented, Vec<Diagnostic>> {
    rewrite(source, module, imports, Style::Inline)
}

/// The same with a single local for the whole file, for files that are out of local
/// registers otherwise. The checks are the same and cost more.
///
/// # Errors
/// As [`instrument`].
pub fn instrument_compact(source: &str, module: &str, imports: &dyn Imports) -> Result<Instrumented, Vec<Diagnostic>> {
    rewrite(source, module, imports, Style::Compact)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Tests stand in the functions themselves.
    Inline,
    /// Tests stand in one table of functions.
    Compact,
}

/// A guard before it is put into words.
struct Guard {
    /// Where in the source it goes.
    at: u32,
    parameters: Vec<String>,
    /// What is handed on when the test fails.
    arguments: Vec<String>,
    test: String,
}

fn rewrite(source: &str, module: &str, imports: &dyn Imports, style: Style) -> Result<Instrumented, Vec<Diagnostic>> {
    let script = Script::new(source);
    let Outline { chunk, bodies } = outline::read(&script);
    let typed: Vec<(&Signature, u32)> = std::iter::zip(&chunk.functions, &bodies)
        .filter(|(signature, _)| signature.typed)
        .map(|(signature, body)| (signature, script.tokens[body - 1].end))
        .collect();
    let mut diagnostics = chunk.diagnostics.clone();
    if !typed.is_empty() {
        diagnostics.extend(reserved_names(&script));
    }
    // A type that only Luau can refuse is left to Luau.
    let fatal = |diagnostic: &Diagnostic| diagnostic.is_error() && diagnostic.code != "luau/bad_type";
    if diagnostics.iter().any(fatal) {
        diagnostics.retain(fatal);
        return Err(diagnostics);
    }

    let resolved = resolve(typed.iter().map(|(signature, _)| *signature), &Scope::new(&chunk, imports));
    let Resolved { shapes, signatures, diagnostics: found } = resolved;
    // What an alias that cannot be read would have named is not known to be missing.
    let complete = !diagnostics.iter().any(|diagnostic| diagnostic.code == "luau/bad_type");
    if complete && found.iter().any(Diagnostic::is_error) {
        return Err(found.into_iter().filter(Diagnostic::is_error).collect());
    }
    diagnostics.extend(found);
    let mut declarations = Declarations::new(&shapes);
    let (mut guards, mut functions) = (Vec::new(), Vec::new());
    for (&(signature, at), shapes) in std::iter::zip(&typed, &signatures) {
        let params = checked_params(signature, shapes);
        let Some(guard) = guard(signature, at, &params, shapes.variadic, &mut declarations) else { continue };
        guards.push(guard);
        functions.push(Check {
            name: signature.name.clone(),
            call: call_without_results(signature),
            params,
            variadic: shapes.variadic,
            line: signature.line,
        });
    }
    let mut text = blank_script(&script);
    if !guards.is_empty() {
        let first = script.tokens.first().map_or(0, |token| token.start);
        text = splice(&text, first, &guards, &Code::new(style, module, declarations.finish(), &guards));
    }
    let checks = Arc::new(Checks { module: module.to_owned(), functions, shapes });
    Ok(Instrumented { text, checks, diagnostics })
}

/// The guard of one function; none if it accepts anything.
fn guard(
    signature: &Signature,
    at: u32,
    checks: &[CheckedParam],
    rest: Option<ShapeId>,
    declarations: &mut Declarations<'_>,
) -> Option<Guard> {
    let mut guard = Guard { at, parameters: Vec::new(), arguments: Vec::new(), test: String::new() };
    let mut tests = Vec::new();
    for (param, checked) in std::iter::zip(&signature.params, checks) {
        guard.parameters.push(param.name.clone());
        match checked.shape {
            Some(shape) => {
                guard.arguments.push(param.name.clone());
                tests.extend(declarations.test(shape, &param.name));
            }
            None => guard.arguments.push("nil".to_owned()),
        }
    }
    if let Some(rest) = rest {
        guard.parameters.push("...".to_owned());
        guard.arguments.push("...".to_owned());
        tests.extend(declarations.test_rest(rest));
    }
    guard.test = tests.join(" and ");
    (!tests.is_empty()).then_some(guard)
}

/// What each parameter must be. Of two with one name only the later can be reached.
fn checked_params(signature: &Signature, shapes: &SignatureShapes) -> Vec<CheckedParam> {
    let mut later = HashSet::new();
    let mut checked: Vec<CheckedParam> = std::iter::zip(&signature.params, &shapes.params)
        .rev()
        .map(|(param, &shape)| {
            let shape = later.insert(param.name.as_str()).then_some(shape);
            CheckedParam { name: param.name.clone(), shape }
        })
        .collect();
    checked.reverse();
    checked
}

fn call_without_results(signature: &Signature) -> String {
    Signature { returns: Vec::new(), ..signature.clone() }.call_text()
}

/// The text to insert.
struct Code {
    style: Style,
    preamble: String,
}

impl Code {
    fn new(style: Style, module: &str, declarations: String, guards: &[Guard]) -> Code {
        let tests: Vec<String> = match style {
            Style::Inline => guards.iter().map(|guard| guard.test.clone()).collect(),
            Style::Compact => guards
                .iter()
                .map(|guard| format!("function({}) return {} end", guard.parameters.join(","), guard.test))
                .collect(),
        };
        let used = |name: &str| declarations.contains(name) || tests.iter().any(|test| test.contains(name));
        let mut names = Vec::new();
        let mut values = Vec::new();
        for (name, value) in [("__ty", "type"), ("__sel", "select"), ("__nx", "next"), ("__gm", "getmetatable")] {
            if used(name) {
                names.push(name);
                values.push(value.to_owned());
            }
        }
        names.push("__typed_fail");
        values.push(format!("__typed_rt({})", quote(module)));
        if used("__host") {
            names.push("__host");
        }
        let locals = format!("local {}={} {declarations}", names.join(","), values.join(","));
        let preamble = match style {
            // The semicolon keeps a parenthesis that follows from being a call.
            Style::Inline => format!("{}; ", locals.trim_end()),
            Style::Compact => {
                format!("local __typed=(function() {locals}return {{__typed_fail,{}}} end)(); ", tests.join(","))
            }
        };
        Code { style, preamble }
    }

    fn guard(&self, index: usize, guard: &Guard) -> String {
        // A function with a test has a parameter.
        let arguments = guard.arguments.join(",");
        match self.style {
            Style::Inline => format!(" if not ({}) then __typed_fail({index},{arguments}) end", guard.test),
            Style::Compact => {
                format!(" if not __typed[{}]({arguments}) then __typed[1]({index},{arguments}) end", index + 2)
            }
        }
    }
}

fn splice(blanked: &str, first: u32, guards: &[Guard], code: &Code) -> String {
    let mut text = String::with_capacity(blanked.len() + code.preamble.len() + guards.len() * 128);
    text.push_str(&blanked[..first as usize]);
    text.push_str(&code.preamble);
    let mut copied = first as usize;
    for (index, guard) in guards.iter().enumerate() {
        text.push_str(&blanked[copied..guard.at as usize]);
        text.push_str(&code.guard(index, guard));
        copied = guard.at as usize;
    }
    text.push_str(&blanked[copied..]);
    text
}

/// Names of the file that would hide those of the guards.
fn reserved_names(script: &Script<'_>) -> Vec<Diagnostic> {
    const RESERVED: &[&str] =
        &["__gm", "__host", "__nx", "__raw", "__ref", "__sel", "__t", "__ty", "__typed", "__typed_fail"];
    let reserved = |name: &str| {
        RESERVED.contains(&name)
            || name.strip_prefix("__t").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (index, token) in script.tokens.iter().enumerate() {
        let name = script.word(index);
        if token.kind == Kind::Name && reserved(name) && seen.insert(name) {
            let message = format!("the name '{name}' is kept for the checks of typed functions; use another one");
            found.push(Diagnostic::error("luau/reserved_name", message).at(script.token_span(index)));
        }
    }
    found
}
