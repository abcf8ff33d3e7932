use serde_json::{Map, Value as Json, json};

use super::{FieldKind, FieldSchema};
use crate::canonical::{Record, canonical, canonical_f32, canonical_f64};
use crate::{EntityId, WorldError, color_from_linear, linear_color};

/// Checks `value` against `kind` and gives its canonical form; `path` names the field in
/// refusals and grows towards the part at fault (`Door.hinge.position.y`).
///
/// Vectors come as `[x, y, z]` or `{ x, y, z }` and are kept as lists in single precision;
/// quaternions are made unit length; colours come as hex text, lists of 3 or 4 linear numbers
/// or `{ r, g, b, a? }`; an empty list and an empty record stand for each other, as scripts
/// cannot tell them apart.
pub fn normalise(value: &Json, kind: &FieldKind, path: &str) -> Result<Json, WorldError> {
    match kind {
        FieldKind::Number => finite(value, path).map(|number| canonical_f64(number).map_or(Json::Null, Json::Number)),
        FieldKind::Integer => integer(value, path),
        FieldKind::Boolean if value.is_boolean() => Ok(value.clone()),
        FieldKind::Boolean => Err(wrong(path, "true or false", value)),
        FieldKind::String if value.is_string() => Ok(value.clone()),
        FieldKind::String => Err(wrong(path, "a string", value)),
        FieldKind::Enum(choices) => choice(value, choices, path),
        FieldKind::Vec2 => vector(value, &["x", "y"], path),
        FieldKind::Vec3 => vector(value, &["x", "y", "z"], path),
        FieldKind::Vec4 => vector(value, &["x", "y", "z", "w"], path),
        FieldKind::Quat => quaternion(value, path),
        FieldKind::Color => color(value, path),
        FieldKind::List(element) => list(value, element, path),
        FieldKind::Record(fields) => record(value, fields, path),
        FieldKind::OpenRecord => match value {
            Json::Array(items) if items.is_empty() => Ok(Json::Object(Map::new())),
            Json::Object(_) => canonical(value, path),
            _ => Err(wrong(path, "a record", value)),
        },
        FieldKind::AssetRef { category } => match value {
            Json::Null | Json::String(_) => Ok(value.clone()),
            _ => Err(wrong(path, &format!("the identity of a {category}, or null"), value)),
        },
        FieldKind::EntityRef => match value {
            Json::Null => Ok(Json::Null),
            Json::String(text) => text.parse::<EntityId>().map(|_| value.clone()),
            _ => Err(wrong(path, "an entity's id such as ent_12, or null", value)),
        },
    }
}

impl FieldSchema {
    /// [`normalise`], and the field's range.
    pub fn normalise(&self, value: &Json, path: &str) -> Result<Json, WorldError> {
        let value = normalise(value, &self.kind, path)?;
        let Some(number) = value.as_f64() else { return Ok(value) };
        if self.min.is_some_and(|min| number < min) || self.max.is_some_and(|max| number > max) {
            let bound = |bound: Option<f64>, open: &str| bound.map_or(open.to_owned(), |bound| bound.to_string());
            let range = match (self.min, self.max) {
                (Some(min), None) => format!("its range: at least {min}"),
                (None, Some(max)) => format!("its range: at most {max}"),
                (min, max) => format!("its range: {} to {}", bound(min, "any"), bound(max, "any")),
            };
            return Err(WorldError::OutOfRange { field: path.to_owned(), got: number.to_string(), range });
        }
        Ok(value)
    }
}

/// The fields with their defaults in canonical form, or what is wrong with them.
pub fn checked_fields(fields: &[FieldSchema]) -> Result<Vec<FieldSchema>, String> {
    let mut checked: Vec<FieldSchema> = Vec::with_capacity(fields.len());
    for field in fields {
        if checked.iter().any(|earlier| earlier.name == field.name) {
            return Err(format!("the field '{}' is declared twice", field.name));
        }
        if let (Some(min), Some(max)) = (field.min, field.max)
            && (min > max || min.is_nan() || max.is_nan())
        {
            return Err(format!("the range of '{}' is empty: {min} to {max}", field.name));
        }
        let kind = checked_kind(&field.kind, &field.name)?;
        let mut field = FieldSchema { kind, ..field.clone() };
        let written = if field.default.is_null() { zero(&field) } else { field.default.clone() };
        field.default = field
            .normalise(&written, &field.name)
            .map_err(|error| format!("the default does not fit its field: {error}"))?;
        checked.push(field);
    }
    Ok(checked)
}

/// Every field in declared order: valid authored values, else defaults.
pub fn filled(fields: &[FieldSchema], record: &Record) -> Record {
    let value = |field: &FieldSchema| {
        let authored = record.get(&field.name).and_then(|value| field.normalise(value, &field.name).ok());
        let value = authored.unwrap_or_else(|| field.default.clone());
        (field.name.clone(), filled_value(&field.kind, value))
    };
    fields.iter().map(value).collect()
}

fn filled_value(kind: &FieldKind, value: Json) -> Json {
    match (kind, value) {
        (FieldKind::Record(fields), Json::Object(record)) => Json::Object(filled(fields, &record)),
        (FieldKind::List(element), Json::Array(items)) => {
            Json::Array(items.into_iter().map(|item| filled_value(element, item)).collect())
        }
        (_, value) => value,
    }
}

fn checked_kind(kind: &FieldKind, name: &str) -> Result<FieldKind, String> {
    Ok(match kind {
        FieldKind::Enum(choices) if choices.is_empty() => return Err(format!("the enum '{name}' has no choices")),
        FieldKind::List(element) => FieldKind::List(Box::new(checked_kind(element, name)?)),
        FieldKind::Record(fields) => FieldKind::Record(checked_fields(fields)?),
        other => other.clone(),
    })
}

fn zero(field: &FieldSchema) -> Json {
    match &field.kind {
        FieldKind::Number | FieldKind::Integer => {
            let nearest_zero = 0f64.max(field.min.unwrap_or(0.0)).min(field.max.unwrap_or(f64::MAX));
            json!(nearest_zero)
        }
        FieldKind::Boolean => json!(false),
        FieldKind::String => json!(""),
        FieldKind::Enum(choices) => json!(choices[0]),
        FieldKind::Vec2 => json!([0, 0]),
        FieldKind::Vec3 => json!([0, 0, 0]),
        FieldKind::Vec4 => json!([0, 0, 0, 0]),
        FieldKind::Quat => json!([0, 0, 0, 1]),
        FieldKind::Color => json!("#ffffff"),
        FieldKind::List(_) => json!([]),
        FieldKind::Record(_) | FieldKind::OpenRecord => json!({}),
        FieldKind::AssetRef { .. } | FieldKind::EntityRef => Json::Null,
    }
}

fn finite(value: &Json, path: &str) -> Result<f64, WorldError> {
    match value.as_f64() {
        Some(number) if number.is_finite() => Ok(number),
        Some(_) => Err(WorldError::NotFinite { field: path.to_owned() }),
        None => Err(wrong(path, "a number", value)),
    }
}

fn integer(value: &Json, path: &str) -> Result<Json, WorldError> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    let number = finite(value, path).map_err(|_| wrong(path, "a whole number", value))?;
    if number.fract() != 0.0 {
        return Err(wrong(path, "a whole number", value));
    }
    if number.abs() > LARGEST_EXACT {
        let range = "what a number holds exactly: -2^53 to 2^53".to_owned();
        return Err(WorldError::OutOfRange { field: path.to_owned(), got: number.to_string(), range });
    }
    Ok(json!(number as i64))
}

fn choice(value: &Json, choices: &[String], path: &str) -> Result<Json, WorldError> {
    let Json::String(text) = value else { return Err(wrong(path, &format!("one of {}", choices.join(", ")), value)) };
    if choices.contains(text) {
        return Ok(value.clone());
    }
    Err(WorldError::NotAChoice { field: path.to_owned(), got: clipped(text), choices: choices.to_vec() })
}

fn single(value: &Json, path: &str) -> Result<f32, WorldError> {
    let number = finite(value, path)? as f32;
    if number.is_finite() { Ok(number) } else { Err(WorldError::NotFinite { field: path.to_owned() }) }
}

/// The components of a vector, whichever way it is written.
fn components(value: &Json, axes: &[&str], path: &str) -> Result<Vec<f32>, WorldError> {
    let expected = || format!("{} numbers: [{}] or {{ {} }}", axes.len(), axes.join(", "), axes.join(", "));
    let parts: Vec<&Json> = match value {
        Json::Array(items) if items.len() == axes.len() => items.iter().collect(),
        Json::Object(map) if map.len() == axes.len() && axes.iter().all(|axis| map.contains_key(*axis)) => {
            axes.iter().filter_map(|axis| map.get(*axis)).collect()
        }
        _ => return Err(wrong(path, &expected(), value)),
    };
    parts.iter().zip(axes).map(|(part, axis)| single(part, &format!("{path}.{axis}"))).collect()
}

fn vector(value: &Json, axes: &[&str], path: &str) -> Result<Json, WorldError> {
    Ok(singles(&components(value, axes, path)?))
}

fn quaternion(value: &Json, path: &str) -> Result<Json, WorldError> {
    // Rounding to single precision leaves a unit quaternion this close to 1; normalising it
    // again would move its last digits, and text would not survive a round trip.
    const UNIT: f64 = 1e-6;
    let parts = components(value, &["x", "y", "z", "w"], path)?;
    let square: f64 = parts.iter().map(|part| f64::from(*part) * f64::from(*part)).sum();
    if square == 0.0 {
        return Err(WorldError::ZeroRotation { field: path.to_owned() });
    }
    if (square - 1.0).abs() <= UNIT {
        return Ok(singles(&parts));
    }
    let length = square.sqrt();
    let unit: Vec<f32> = parts.iter().map(|part| (f64::from(*part) / length) as f32).collect();
    Ok(singles(&unit))
}

fn singles(parts: &[f32]) -> Json {
    Json::Array(parts.iter().map(|part| canonical_f32(*part)).collect())
}

fn color(value: &Json, path: &str) -> Result<Json, WorldError> {
    const EXPECTED: &str = "a colour: \"#rrggbb\", \"#rrggbbaa\" or linear [r, g, b, a]";
    let listed = match value {
        Json::Object(map) => {
            let named = ["r", "g", "b", "a"].map(|channel| map.get(channel).cloned());
            let known = named.iter().flatten().count();
            let parts: Vec<Json> = named.into_iter().flatten().collect();
            if known != map.len() || known == 3 && map.contains_key("a") {
                return Err(wrong(path, EXPECTED, value));
            }
            Json::Array(parts)
        }
        other => other.clone(),
    };
    if let Json::Array(parts) = &listed
        && matches!(parts.len(), 3 | 4)
    {
        for (part, channel) in parts.iter().zip(["r", "g", "b", "a"]) {
            single(part, &format!("{path}.{channel}"))?;
        }
    }
    linear_color(&listed).map(color_from_linear).ok_or_else(|| wrong(path, EXPECTED, value))
}

fn list(value: &Json, element: &FieldKind, path: &str) -> Result<Json, WorldError> {
    match value {
        Json::Array(items) => {
            let items = items.iter().enumerate();
            let items = items.map(|(at, item)| normalise(item, element, &format!("{path}[{}]", at + 1)));
            Ok(Json::Array(items.collect::<Result<_, _>>()?))
        }
        Json::Object(map) if map.is_empty() => Ok(json!([])),
        _ => Err(wrong(path, "a list", value)),
    }
}

fn record(value: &Json, fields: &[FieldSchema], path: &str) -> Result<Json, WorldError> {
    let empty = Map::new();
    let map = match value {
        Json::Object(map) => map,
        Json::Array(items) if items.is_empty() => &empty,
        _ => return Err(wrong(path, "a record", value)),
    };
    let mut normalised = Map::new();
    for (name, value) in map {
        let Some(field) = fields.iter().find(|field| field.name == *name) else {
            let known = fields.iter().map(|field| field.name.clone()).collect();
            return Err(WorldError::UnknownField { owner: path.to_owned(), field: name.clone(), known });
        };
        normalised.insert(name.clone(), field.normalise(value, &format!("{path}.{name}"))?);
    }
    normalised.sort_keys();
    Ok(Json::Object(normalised))
}

fn wrong(path: &str, expected: &str, value: &Json) -> WorldError {
    let got = match value {
        Json::Null => "null (which a number that is not finite turns into)".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(value) => value.to_string(),
        Json::String(text) => format!("the string '{}'", clipped(text)),
        Json::Array(items) => format!("a list of {}", items.len()),
        Json::Object(map) => format!("a record of {}", map.len()),
    };
    WorldError::WrongType { field: path.to_owned(), expected: expected.to_owned(), got }
}

fn clipped(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST { text.to_owned() } else { text.chars().take(LONGEST).chain(['…']).collect() }
}
