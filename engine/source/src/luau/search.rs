//! The search for the first mismatch between a value and its shape.

use std::collections::HashSet;

use zero_base::did_you_mean;

use super::explain::{Fitting, Mismatch, Problem, SHOWN, field_step, is_nil, shown, step_of};
use super::guard::DEPTH_LIMIT;
use super::literal::{quote, unquote};
use super::probe::Probe;
use super::shape::{Record, Shape, ShapeId, Shapes, words_text};
use super::text::clip;

/// Values looked at before the search gives up: a failed check must not cost more than the
/// call that failed.
const STEP_LIMIT: usize = 200_000;
/// Keys of one table that are looked at.
const KEY_LIMIT: usize = 10_000;

/// What to make of a reference of the engine where a record is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum References {
    Pass,
    Fail,
}

pub(super) struct Search<'a> {
    shapes: &'a Shapes,
    references: References,
    steps: usize,
}

impl<'a> Search<'a> {
    pub fn new(shapes: &'a Shapes, references: References) -> Search<'a> {
        Search { shapes, references, steps: 0 }
    }

    /// The first place of `value` that is not as the shape says; none if all of it is.
    pub fn mismatch<V: Probe>(&mut self, id: ShapeId, value: Option<&V>, depth: usize) -> Option<Mismatch> {
        self.steps += 1;
        if self.steps > STEP_LIMIT || depth > DEPTH_LIMIT + 1 {
            return None;
        }
        let shapes = self.shapes;
        let type_name = value.map_or("nil", Probe::type_name);
        let fits = match shapes.get(id) {
            Shape::Any | Shape::Unchecked(_) => true,
            Shape::Never => false,
            Shape::Nil => type_name == "nil",
            Shape::Boolean => type_name == "boolean",
            Shape::Number => type_name == "number",
            Shape::String => type_name == "string",
            Shape::Thread => type_name == "thread",
            Shape::Buffer => type_name == "buffer",
            Shape::Vector => type_name == "vector",
            Shape::Table => type_name == "table",
            shape @ (Shape::EntityRef | Shape::AssetRef { .. }) => value.is_some_and(|value| is_host(value, shape)),
            Shape::Just(expected) => value.and_then(Probe::as_bool) == Some(*expected),
            Shape::Words(words) => value.and_then(Probe::as_str).is_some_and(|text| words.contains(&text)),
            Shape::Vec3 if type_name == "table" => return value.and_then(|value| self.vec3(value)),
            Shape::Vec3 => type_name == "vector",
            Shape::Optional(inner) => {
                if type_name == "nil" {
                    return None;
                }
                let mismatch = self.mismatch(*inner, value, depth)?;
                return if mismatch.path.is_empty() && matches!(mismatch.problem, Problem::Type { .. }) {
                    self.wrong(id, value)
                } else {
                    Some(mismatch)
                };
            }
            Shape::Union(parts) => return self.union(id, parts, value, depth),
            Shape::Intersection(parts) => {
                return parts.iter().find_map(|&part| self.mismatch(part, value, depth));
            }
            Shape::Record(_) if value.is_some_and(is_reference) => self.references == References::Pass,
            Shape::Array(_) | Shape::Record(_) if type_name != "table" => false,
            Shape::Array(item) => return value.and_then(|value| self.array(*item, value, depth)),
            Shape::Record(record) => return value.and_then(|value| self.record(record, value, depth)),
        };
        if fits { None } else { self.wrong(id, value) }
    }

    fn wrong<V: Probe>(&self, id: ShapeId, value: Option<&V>) -> Option<Mismatch> {
        let expected = self.shapes.text(id);
        Some(Mismatch::new(Problem::Type { expected, got: shown(value), hint: self.hint(id, value) }))
    }

    /// What to try instead.
    fn hint<V: Probe>(&self, id: ShapeId, value: Option<&V>) -> String {
        let Some(text) = value.and_then(Probe::as_str) else { return String::new() };
        let mut words = Vec::new();
        self.words_of(id, &mut words);
        let near = did_you_mean(&text, &words);
        if !near.is_empty() {
            return near;
        }
        let literal = quote(&clip(&text, SHOWN));
        match self.reference_of(id) {
            Some(Shape::EntityRef) => format!("; entity({literal}) finds one by name"),
            Some(Shape::AssetRef { kind: Some(kind), .. }) => {
                format!("; asset.resolve({literal}, {}) finds one by name", quote(kind))
            }
            Some(Shape::AssetRef { .. }) => format!("; asset.resolve({literal}) finds one by name"),
            _ => String::new(),
        }
    }

    fn words_of<'s>(&'s self, id: ShapeId, words: &mut Vec<&'s str>) {
        match self.shapes.get(id) {
            Shape::Words(own) => words.extend(own.iter().map(String::as_str)),
            Shape::Optional(inner) => self.words_of(*inner, words),
            Shape::Union(parts) => parts.iter().for_each(|&part| {
                if let Shape::Words(own) = self.shapes.get(part) {
                    words.extend(own.iter().map(String::as_str));
                }
            }),
            _ => {}
        }
    }

    fn reference_of(&self, id: ShapeId) -> Option<&Shape> {
        match self.shapes.get(id) {
            shape @ (Shape::EntityRef | Shape::AssetRef { .. }) => Some(shape),
            Shape::Optional(inner) => self.reference_of(*inner),
            _ => None,
        }
    }

    fn vec3<V: Probe>(&mut self, value: &V) -> Option<Mismatch> {
        let number = |part: &Option<V>| part.as_ref().is_some_and(|part| part.type_name() == "number");
        let wrong = |part: Option<V>| Problem::Type {
            expected: "number".to_owned(),
            got: shown(part.as_ref()),
            hint: String::new(),
        };
        let named = ["x", "y", "z"].map(|name| (field_step(name), value.field(name)));
        let listed = [1, 2, 3].map(|index| (format!("[{index}]"), value.item(index)));
        let by_name = named.iter().any(|(_, part)| !is_nil(part.as_ref()));
        let parts = if by_name { named } else { listed };
        if let Some((step, part)) = parts.into_iter().find(|(_, part)| !number(part)) {
            return Some(Mismatch::new(wrong(part)).inside(&step));
        }
        let known = |key: &V| match by_name {
            true => key.as_str().is_some_and(|name| ["x", "y", "z"].contains(&name.as_str())),
            false => key.as_f64().is_some_and(|index| [1.0, 2.0, 3.0].contains(&index)),
        };
        let other = value.keys(KEY_LIMIT).into_iter().find(|key| !known(key))?;
        let hint = format!("; a Vec3 has {}", if by_name { "x, y and z" } else { "three numbers" });
        let name = other.as_str().unwrap_or_else(|| step_of(&other));
        Some(Mismatch::new(Problem::UnknownField { name, hint }))
    }

    fn array<V: Probe>(&mut self, item: ShapeId, value: &V, depth: usize) -> Option<Mismatch> {
        let length = value.len();
        for index in 1..=length {
            if self.steps > STEP_LIMIT {
                return None;
            }
            if let Some(mismatch) = self.mismatch(item, value.item(index).as_ref(), depth + 1) {
                return Some(mismatch.inside(&format!("[{index}]")));
            }
        }
        for key in value.keys(KEY_LIMIT) {
            let Some(number) = (if key.type_name() == "number" { key.as_f64() } else { None }) else {
                let problem = Problem::Key { expected: "number".to_owned(), got: shown(Some(&key)) };
                return Some(Mismatch::new(problem));
            };
            if number.fract() == 0.0 && number >= 1.0 && number > length as f64 {
                let element = value.item(number as usize);
                if let Some(mismatch) = self.mismatch(item, element.as_ref(), depth + 1) {
                    return Some(mismatch.inside(&format!("[{number}]")));
                }
            }
        }
        None
    }

    fn record<V: Probe>(&mut self, record: &Record, value: &V, depth: usize) -> Option<Mismatch> {
        let keys = if record.closed || record.indexer.is_some() { value.keys(KEY_LIMIT) } else { Vec::new() };
        let names: HashSet<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
        let named =
            |key: &V| key.type_name() == "string" && key.as_str().is_some_and(|name| names.contains(name.as_str()));
        let unnamed: Vec<V> = keys.into_iter().filter(|key| !named(key)).collect();
        let fitting = self.fitting(record, value);
        let ranked = |mut mismatch: Mismatch| {
            mismatch.fitting = Fitting { depth: mismatch.depth, ..fitting };
            mismatch
        };
        // A slip of a name explains the missing field as well, so it comes first.
        if record.closed
            && let Some(mismatch) = unnamed.iter().find_map(|key| unknown_field(record, value, key, Near::Only))
        {
            return Some(ranked(mismatch));
        }
        for field in &record.fields {
            let held = value.field(&field.name);
            if let Some(mismatch) = self.mismatch(field.shape, held.as_ref(), depth + 1) {
                return Some(ranked(mismatch.inside(&field_step(&field.name))));
            }
        }
        let Some((key_shape, value_shape)) = record.indexer else {
            let first = if record.closed { unnamed.first() } else { None };
            return first.and_then(|key| unknown_field(record, value, key, Near::OrNone)).map(ranked);
        };
        for key in &unnamed {
            if self.mismatch(key_shape, Some(key), depth + 1).is_some() {
                let problem = Problem::Key { expected: self.shapes.text(key_shape), got: shown(Some(key)) };
                return Some(ranked(Mismatch::new(problem)));
            }
            let held = match (key.as_str(), key.as_f64()) {
                (Some(name), _) if key.type_name() == "string" => value.field(&name),
                (_, Some(index)) if index.fract() == 0.0 && index >= 1.0 => value.item(index as usize),
                // What other keys hold cannot be looked at from here.
                _ => continue,
            };
            if let Some(mismatch) = self.mismatch(value_shape, held.as_ref(), depth + 1) {
                return Some(ranked(mismatch.inside(&step_of(key))));
            }
        }
        None
    }

    /// How well a table fits a record, whatever its first mismatch is.
    fn fitting<V: Probe>(&self, record: &Record, value: &V) -> Fitting {
        let mut fitting = Fitting { tagged: true, ..Fitting::default() };
        for field in &record.fields {
            let held = value.field(&field.name);
            fitting.fields += usize::from(!is_nil(held.as_ref()));
            let held = held.as_ref();
            fitting.tagged &= match self.shapes.get(field.shape) {
                Shape::Words(words) => held.and_then(Probe::as_str).is_some_and(|text| words.contains(&text)),
                Shape::Just(expected) => held.and_then(Probe::as_bool) == Some(*expected),
                _ => true,
            };
        }
        fitting
    }

    fn union<V: Probe>(&mut self, id: ShapeId, parts: &[ShapeId], value: Option<&V>, depth: usize) -> Option<Mismatch> {
        let mut best: Option<Mismatch> = None;
        for &part in parts {
            let mismatch = self.mismatch(part, value, depth)?;
            let inner = mismatch.depth > 0 || !matches!(mismatch.problem, Problem::Type { .. });
            let better = best.as_ref().is_none_or(|best| mismatch.fitting > best.fitting);
            if inner && better {
                best = Some(mismatch);
            }
        }
        match (best, value) {
            (Some(best), Some(value)) if !best.fitting.tagged => self.untagged(parts, value).or(Some(best)),
            (Some(best), _) => Some(best),
            (None, _) => self.wrong(id, value),
        }
    }

    /// The field whose word tells the records of a union apart, when it has none of theirs.
    fn untagged<V: Probe>(&self, parts: &[ShapeId], value: &V) -> Option<Mismatch> {
        let records = parts
            .iter()
            .filter_map(|&part| if let Shape::Record(record) = self.shapes.get(part) { Some(record) } else { None });
        let records: Vec<&Record> = records.collect();
        let words = |record: &'_ Record, name: &str| {
            let field = record.fields.iter().find(|field| field.name == name)?;
            if let Shape::Words(words) = self.shapes.get(field.shape) { Some(words.clone()) } else { None }
        };
        for field in &records.first()?.fields {
            let all: Option<Vec<Vec<String>>> = records.iter().map(|record| words(record, &field.name)).collect();
            let Some(all) = all.map(|all| all.concat()) else { continue };
            let held = value.field(&field.name);
            let text = held.as_ref().and_then(Probe::as_str);
            if text.as_ref().is_some_and(|text| all.contains(text)) {
                continue;
            }
            let hint = text.map_or(String::new(), |text| did_you_mean(&text, &all));
            let expected = words_text(&all);
            let problem = Problem::Type { expected, got: shown(held.as_ref()), hint };
            return Some(Mismatch::new(problem).inside(&field_step(&field.name)));
        }
        None
    }
}

/// Whether an unknown field is worth a message when no known one looks like it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Near {
    Only,
    OrNone,
}

fn unknown_field<V: Probe>(record: &Record, value: &V, key: &V, near: Near) -> Option<Mismatch> {
    const MOST: usize = 12;
    let named = key.type_name() == "string";
    let name = if named { key.as_str()? } else { step_of(key) };
    let known: Vec<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
    let mut hint = String::new();
    if named {
        // A field that is there already is not the one that was meant, and of two letters
        // every two look alike.
        let short = name.chars().count() < 3;
        let meant = known.iter().copied().filter(|field| is_nil(value.field(field).as_ref()));
        let meant = meant.filter(|field| !short || field.eq_ignore_ascii_case(&name));
        hint = did_you_mean(&name, meant.collect::<Vec<_>>());
    }
    if hint.is_empty() {
        if near == Near::Only {
            return None;
        }
        let rest = if known.len() > MOST { ", …" } else { "" };
        hint = format!("; it takes {}{rest}", known[..known.len().min(MOST)].join(", "));
    }
    Some(Mismatch::new(Problem::UnknownField { name, hint }))
}

fn is_reference<V: Probe>(value: &V) -> bool {
    value.host_kind().is_some_and(|kind| kind == "EntityRef" || kind.starts_with("AssetRef"))
}

fn is_host<V: Probe>(value: &V, shape: &Shape) -> bool {
    let Some(found) = value.host_kind() else { return false };
    match shape {
        Shape::EntityRef => found == "EntityRef",
        Shape::AssetRef { kind, identity } => {
            let Some(rest) = found.strip_prefix("AssetRef") else { return false };
            let arguments = rest.trim_start_matches('<').trim_end_matches('>').splitn(2, ',');
            let mut arguments = arguments.map(|argument| unquote(argument.trim()));
            let mut fits = |expected: &Option<String>| {
                let found = arguments.next();
                expected.as_ref().is_none_or(|expected| found.as_ref() == Some(expected))
            };
            fits(kind) && fits(identity)
        }
        _ => false,
    }
}
