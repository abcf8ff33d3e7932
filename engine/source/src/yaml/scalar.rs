//! The core schema of YAML 1.2: which plain text is null, a boolean or a number.

use serde_json::Number;

use super::Value;

/// What a plain scalar means. `Err` holds the reason for a number JSON cannot hold.
pub fn resolve(text: &str) -> Result<Value, &'static str> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    match number(text) {
        Some(number) => number.map(Value::Number),
        None => Ok(Value::String(text.to_owned())),
    }
}

/// The number `text` spells; none when it does not look like one.
pub fn number(text: &str) -> Option<Result<Number, &'static str>> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Err("numbers must be finite"));
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|c| c.is_digit(radix))
        {
            return Some(u64::from_str_radix(digits, radix).map(Number::from).map_err(|_| "the number is too large"));
        }
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit()) {
        // "-0" stays an integer, as JSON readers have it.
        let digits = text.strip_prefix('+').unwrap_or(text);
        let integer = digits.parse::<i64>().map(Number::from).or_else(|_| digits.parse::<u64>().map(Number::from));
        return Some(integer.or_else(|_| float(text)));
    }
    is_float(unsigned).then(|| float(text))
}

fn float(text: &str) -> Result<Number, &'static str> {
    text.parse().ok().and_then(Number::from_f64).ok_or("the number is too large")
}

/// `[-+]? ( . digits | digits ( . digits? )? ) ( [eE] [-+]? digits )?`, the sign taken off.
fn is_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    has_digits && digits(whole) && digits(fraction) && exponent.is_none_or(|part| !part.is_empty() && digits(part))
}
