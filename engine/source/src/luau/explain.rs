//! Why a guard failed: the first place in the arguments that is not what its type says.

use super::checks::{Check, Checks};
use super::literal::{is_identifier, quote};
use super::probe::Probe;
use super::search::{References, Search};
use super::text::clip;

/// Characters of a value that are shown.
pub(super) const SHOWN: usize = 40;

impl Checks {
    /// The message for the guard `index`, which was given `args`. `caller` is the place of the
    /// call (`game/caller.luau:4`), or empty.
    pub fn explain<V: Probe>(&self, index: usize, args: &[V], caller: &str) -> String {
        let place = if caller.is_empty() { String::new() } else { format!("{caller}: ") };
        let Some(check) = self.functions.get(index) else {
            return format!("{place}invalid arguments to a typed function of '{}'", self.module);
        };
        // The fields of a reference cannot be seen from here, so it is blamed last.
        for references in [References::Pass, References::Fail] {
            let mut search = Search::new(&self.shapes, references);
            if let Some(reason) = self.first_mismatch(check, args, &mut search) {
                return format!("{place}{reason}");
            }
        }
        format!("{place}invalid arguments to '{}' (expected {})", self.shown_name(check), check.call)
    }

    /// The function as its callers know it: `entity.spawn` for the `M.spawn` of a module
    /// `….entity`, and `garden.greet` for that of a tool `….garden.greet`.
    fn shown_name(&self, check: &Check) -> String {
        let Some(function) = check.name.strip_prefix("M.") else { return check.name.clone() };
        let mut parts = self.module.rsplit(['.', ':', '/', '@']).filter(|part| !part.is_empty());
        match (parts.next(), parts.next()) {
            (Some(own), Some(holder)) if own == function => format!("{holder}.{function}"),
            (Some(own), _) => format!("{own}.{function}"),
            _ => check.name.clone(),
        }
    }

    fn first_mismatch<V: Probe>(&self, check: &Check, args: &[V], search: &mut Search<'_>) -> Option<String> {
        let name = self.shown_name(check);
        for (position, param) in check.params.iter().enumerate() {
            let Some(shape) = param.shape else { continue };
            let value = args.get(position);
            let Some(mismatch) = search.mismatch(shape, value, 0) else { continue };
            let number = position + 1;
            if is_nil(value) {
                let expected = self.shapes.text(shape);
                return Some(format!("missing argument #{number} '{}' to '{name}' (expected {expected})", param.name));
            }
            let reason = mismatch.reason(&param.name);
            return Some(format!("invalid argument #{number} '{}' to '{name}' ({reason})", param.name));
        }
        let shape = check.variadic?;
        args.iter().enumerate().skip(check.params.len()).find_map(|(position, value)| {
            let reason = search.mismatch(shape, Some(value), 0)?.reason("argument");
            Some(format!("invalid argument #{} '...' to '{name}' ({reason})", position + 1))
        })
    }
}

/// Whether a message is one of [`Checks::explain`]'s, given without the place before it.
pub fn is_argument_error(message: &str) -> bool {
    ["invalid argument #", "missing argument #", "invalid arguments to "].iter().any(|start| message.starts_with(start))
}

/// One place that is not what it should be.
pub(super) struct Mismatch {
    /// From the argument to the place: `.position.z`, `[2]`.
    pub path: String,
    pub depth: usize,
    /// How much of the value fitted before: decides between the members of a union.
    pub fitting: Fitting,
    pub problem: Problem,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fitting {
    /// The value has the words that tell this member from the others.
    pub tagged: bool,
    pub depth: usize,
    pub fields: usize,
}

pub(super) enum Problem {
    Type { expected: String, got: String, hint: String },
    Key { expected: String, got: String },
    UnknownField { name: String, hint: String },
}

impl Mismatch {
    pub fn new(problem: Problem) -> Mismatch {
        Mismatch { path: String::new(), depth: 0, fitting: Fitting::default(), problem }
    }

    /// The same place seen from the table that holds it.
    pub fn inside(mut self, step: &str) -> Mismatch {
        self.path.insert_str(0, step);
        self.depth += 1;
        self
    }

    fn reason(&self, argument: &str) -> String {
        let path = &self.path;
        let at = if path.is_empty() { String::new() } else { format!("at {argument}{path}: ") };
        match &self.problem {
            Problem::Type { expected, got, hint } => format!("{at}expected {expected}, got {got}{hint}"),
            Problem::Key { expected, got } => format!("{at}expected keys of type {expected}, got the key {got}"),
            Problem::UnknownField { name, hint } => {
                format!("{argument}{path} has no field '{}'{hint}", clip(name, SHOWN))
            }
        }
    }
}

pub(super) fn is_nil<V: Probe>(value: Option<&V>) -> bool {
    value.is_none_or(|value| value.type_name() == "nil")
}

/// A value as a message shows it.
pub(super) fn shown<V: Probe>(value: Option<&V>) -> String {
    let Some(value) = value else { return "nil".to_owned() };
    if let Some(kind) = value.host_kind() {
        return kind;
    }
    match value.type_name() {
        "boolean" => value.as_bool().map_or("boolean".to_owned(), |value| format!("boolean {value}")),
        "number" => {
            value.as_f64().map_or("number".to_owned(), |value| clip(&format!("number {value}"), SHOWN).into_owned())
        }
        "string" => match value.as_str() {
            Some(text) => format!("string {}", quote(&clip(&text, SHOWN))),
            None => "string".to_owned(),
        },
        other => other.to_owned(),
    }
}

pub(super) fn step_of<V: Probe>(key: &V) -> String {
    match (key.type_name(), key.as_str(), key.as_f64()) {
        ("string", Some(name), _) => field_step(&name),
        ("number", _, Some(number)) => format!("[{number}]"),
        (type_name, _, _) => format!("[{type_name}]"),
    }
}

pub(super) fn field_step(name: &str) -> String {
    if is_identifier(name) { format!(".{name}") } else { format!("[{}]", quote(&clip(name, SHOWN))) }
}
