use serde_json::{Map, Value, json};

/// JSON Schemas in the subset every client accepts: one type per node, closed objects, arrays
/// with items, no schema that is a bare `true`.
pub fn object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["additionalProperties"] = json!(false);
    schema
}

pub fn string(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub fn one_of(choices: &[&str], description: &str) -> Value {
    json!({ "type": "string", "enum": choices, "description": description })
}

pub fn boolean(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

pub fn integer(least: u64, most: u64, description: &str) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most, "description": description })
}

pub fn number(least: f64, most: f64, description: &str) -> Value {
    json!({ "type": "number", "minimum": least, "maximum": most, "description": description })
}

/// A field of a reply, of which only the kind is promised.
pub fn of_kind(kind: &str, description: &str) -> Value {
    json!({ "type": kind, "description": description })
}

pub fn point(description: &str) -> Value {
    json!({
        "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3, "description": description,
    })
}

/// A value of any kind. An empty schema would do, but some clients take one for a mistake.
pub fn anything(description: &str) -> Value {
    json!({ "description": description })
}

pub fn map(description: &str) -> Value {
    json!({ "type": "object", "description": description })
}

pub fn list(item: Value, description: &str) -> Value {
    json!({ "type": "array", "items": item, "description": description })
}

/// An object of a reply: what is named is there when it applies, and more may come.
pub fn reply(properties: &[(&str, Value)]) -> Value {
    let mut schema = object(properties, &[]);
    schema["properties"]["error"] = map("Only when it failed: code, message, data, diagnostics.");
    schema["properties"]["cut"] = string("Only when this is not all: how to get the rest.");
    schema.as_object_mut().expect("built above").shift_remove("additionalProperties");
    schema
}

/// The first way in which `value` is not what `schema` asks for, as words that follow the
/// argument's name. Knows the subset this module builds.
pub fn mismatch(schema: &Value, value: &Value) -> Option<String> {
    if let Some(choices) = schema["anyOf"].as_array() {
        let fits = choices.iter().any(|choice| mismatch(choice, value).is_none());
        let kinds: Vec<&str> = choices.iter().filter_map(|choice| choice["type"].as_str()).collect();
        return (!fits).then(|| format!("must be {}, not {}", kinds.join(" or "), kind_of(value)));
    }
    let kind = schema["type"].as_str()?;
    if !is_kind(kind, value) {
        return Some(format!("must be {}, not {}", with_article(kind), kind_of(value)));
    }
    match value {
        Value::String(text) => schema["enum"].as_array().and_then(|choices| not_a_choice(choices, text)),
        Value::Number(number) => out_of_range(schema, number.as_f64().unwrap_or(f64::NAN)),
        Value::Array(items) => wrong_count(schema, items.len()).or_else(|| {
            items
                .iter()
                .enumerate()
                .find_map(|(at, item)| Some(format!("[{at}] {}", mismatch(&schema["items"], item)?)))
        }),
        Value::Object(fields) => wrong_field(schema, fields),
        _ => None,
    }
}

fn not_a_choice(choices: &[Value], text: &str) -> Option<String> {
    let names: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
    (!names.contains(&text))
        .then(|| format!("must be one of {}, not '{text}'{}", names.join(", "), zero_base::did_you_mean(text, &names)))
}

fn out_of_range(schema: &Value, number: f64) -> Option<String> {
    let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    let fits =
        number.is_finite() && least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most);
    (!fits).then(|| match (least, most) {
        (Some(least), Some(most)) => format!("must lie in {least}..{most}, not {number}"),
        _ => format!("is out of range: {number}"),
    })
}

fn wrong_count(schema: &Value, count: usize) -> Option<String> {
    let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
    let count = count as u64;
    let fits = least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most);
    (!fits).then(|| match (least, most) {
        (Some(least), Some(most)) if least == most => format!("must hold {least} items, not {count}"),
        (_, Some(most)) => format!("must hold at most {most} items, not {count}"),
        _ => format!("must hold at least {} items, not {count}", least.unwrap_or(0)),
    })
}

fn wrong_field(schema: &Value, fields: &Map<String, Value>) -> Option<String> {
    let known = schema["properties"].as_object();
    if schema["additionalProperties"] == Value::Bool(false)
        && let Some(known) = known
        && let Some(stray) = fields.keys().find(|name| !known.contains_key(*name))
    {
        return Some(format!("has no field '{stray}'{}", zero_base::did_you_mean(stray, known.keys())));
    }
    if let Some(required) = schema["required"].as_array()
        && let Some(missing) = required.iter().filter_map(Value::as_str).find(|name| !fields.contains_key(*name))
    {
        return Some(format!("lacks the field '{missing}'"));
    }
    let known = known?;
    fields.iter().find_map(|(name, value)| Some(format!(".{name} {}", mismatch(known.get(name)?, value)?)))
}

fn is_kind(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        // 3.0 is an integer to JSON Schema, and what some clients send.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: Value, value: Value, expected: Option<&str>) {
        assert_eq!(mismatch(&schema, &value).as_deref(), expected, "{value} against {schema}");
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        check(string("x"), json!("a"), None);
        check(string("x"), json!(3), Some("must be a string, not an integer"));
        check(integer(1, 9, "x"), json!(3.0), None);
        check(integer(1, 9, "x"), json!(3.5), Some("must be an integer, not a number"));
        check(integer(1, 9, "x"), json!(0), Some("must lie in 1..9, not 0"));
        check(point("x"), json!([0, 1.5, 2]), None);
        check(point("x"), json!([0, 1]), Some("must hold 3 items, not 2"));
        check(point("x"), json!([0, "1", 2]), Some("[1] must be a number, not a string"));
        check(
            one_of(&["warn", "info"], "x"),
            json!("wran"),
            Some("must be one of warn, info, not 'wran'; did you mean 'warn'?"),
        );
        check(anything("x"), json!(null), None);
        let either = json!({ "anyOf": [list(anything("x"), "x"), map("x")] });
        check(either.clone(), json!({ "a": 1 }), None);
        check(either, json!("a"), Some("must be array or object, not a string"));
        let call = list(object(&[("tool", string("x"))], &["tool"]), "x");
        check(call.clone(), json!([{ "tool": "a.b" }]), None);
        check(call.clone(), json!([{}]), Some("[0] lacks the field 'tool'"));
        check(call.clone(), json!([{ "tool": 1 }]), Some("[0] .tool must be a string, not an integer"));
        check(call, json!([{ "tol": "a" }]), Some("[0] has no field 'tol'; did you mean 'tool'?"));
    }
}
