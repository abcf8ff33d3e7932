//! One spelling per value: keys sorted, whole numbers without a fraction, single-precision
//! numbers in the fewest digits. Equal data is then equal text and an equal hash.

use serde_json::{Map, Number, Value as Json};

use crate::WorldError;

/// The authored fields of a component, sorted by name.
pub type Record = Map<String, Json>;

/// Deepest nesting of a component's fields: what still fits in a scene's text.
pub const MAX_DEPTH: usize = 48;

/// A number on its way into the world; `field` names it in the refusal of NaN and infinity.
pub fn json_number(field: &str, value: f64) -> Result<Json, WorldError> {
    match canonical_f64(value) {
        Some(number) => Ok(Json::Number(number)),
        None => Err(WorldError::NotFinite { field: field.to_owned() }),
    }
}

/// `value` in its one spelling.
pub(crate) fn canonical(value: &Json, field: &str) -> Result<Json, WorldError> {
    canonical_at(value, 0).ok_or_else(|| WorldError::TooDeep { field: field.to_owned(), limit: MAX_DEPTH })
}

pub(crate) fn canonical_record(record: &Record, field: &str) -> Result<Record, WorldError> {
    match canonical(&Json::Object(record.clone()), field)? {
        Json::Object(record) => Ok(record),
        _ => unreachable!("an object stays an object"),
    }
}

fn canonical_at(value: &Json, depth: usize) -> Option<Json> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match value {
        Json::Number(number) if number.is_f64() => {
            Json::Number(number.as_f64().and_then(canonical_f64).unwrap_or_else(|| number.clone()))
        }
        Json::Array(items) => {
            Json::Array(items.iter().map(|item| canonical_at(item, depth + 1)).collect::<Option<_>>()?)
        }
        Json::Object(map) => {
            let mut sorted = Map::new();
            for (key, item) in map {
                sorted.insert(key.clone(), canonical_at(item, depth + 1)?);
            }
            sorted.sort_keys();
            Json::Object(sorted)
        }
        other => other.clone(),
    })
}

/// None when the value is not finite.
pub(crate) fn canonical_f64(value: f64) -> Option<Number> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= LARGEST_EXACT {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

/// A finite single-precision number in the fewest digits that read back as the same.
pub(crate) fn canonical_f32(value: f32) -> Json {
    let shortest: f64 = value.to_string().parse().expect("a float prints as a number");
    // Rounding the shortest decimal twice could land next door; the exact value cannot.
    let exact = if shortest as f32 == value { shortest } else { f64::from(value) };
    canonical_f64(exact).map_or(Json::Null, Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_data_is_spelt_the_same() {
        let value =
            canonical(&json!({ "b": 1.0, "a": [-0.0, 0.5, 1e300], "c": { "z": null, "y": "t" } }), "f").unwrap();
        assert_eq!(value.to_string(), r#"{"a":[0,0.5,1e+300],"b":1,"c":{"y":"t","z":null}}"#);
        assert_eq!(canonical_f32(0.1).to_string(), "0.1");
        assert_eq!(canonical_f32(-0.0).to_string(), "0");
        assert_eq!(canonical_f32(f32::MAX).as_f64().unwrap() as f32, f32::MAX);
    }

    #[test]
    fn what_is_not_finite_or_too_deep_is_refused() {
        assert_eq!(json_number("speed", f64::NAN).unwrap_err().to_string(), "speed is not finite; use a finite number");
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(canonical(&deep, "f").unwrap_err().code(), "world/too_deep");
    }
}
