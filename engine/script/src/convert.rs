//! Luau values to JSON and back.

use mlua::{Lua, Table, Value};
use serde_json::{Map, Number, Value as Json};
use zero_base::Fault;

/// Deeper values than this are refused: nothing a caller means is, and a cycle always is.
const DEEPEST: usize = 64;

/// The most values and bytes of text that one conversion handles: a script can name one long
/// string a thousand times over, and no reply may be without bound.
const MOST_VALUES: usize = 2_000_000;
const MOST_BYTES: usize = 64 << 20;

/// What a conversion may still make.
struct Budget {
    values: usize,
    bytes: usize,
}

impl Budget {
    fn value(&mut self) -> Result<(), Fault> {
        self.values = self.values.checked_sub(1).ok_or_else(|| {
            Fault::new("script/value_too_large", format!("the value holds more than {MOST_VALUES} parts"))
        })?;
        Ok(())
    }

    fn text(&mut self, text: &mlua::LuaString) -> Result<String, Fault> {
        self.bytes = self.bytes.checked_sub(text.as_bytes().len()).ok_or_else(|| {
            Fault::new("script/value_too_large", format!("the texts of the value have more than {MOST_BYTES} bytes"))
        })?;
        Ok(text.to_string_lossy())
    }
}

/// Turns a Luau value into JSON.
///
/// Vectors become `[x, y, z]`; a table with the keys 1..n becomes a list, any other an object
/// (an empty one a list); a reference of the engine becomes its name (`__name` of its
/// metatable gives it); functions, threads and buffers become a short description. NaN and
/// the infinities, which JSON lacks, become the strings `nan`, `inf` and `-inf`.
pub fn to_json(value: &Value) -> Result<Json, Fault> {
    let mut budget = Budget { values: MOST_VALUES, bytes: MOST_BYTES };
    value_to_json(value, 0, &mut budget)
}

fn value_to_json(value: &Value, depth: usize, budget: &mut Budget) -> Result<Json, Fault> {
    budget.value()?;
    Ok(match value {
        Value::Nil => Json::Null,
        Value::Boolean(flag) => Json::Bool(*flag),
        Value::Integer(number) => Json::from(*number),
        Value::Number(number) => number_to_json(*number),
        Value::Vector(vector) => {
            [vector.x(), vector.y(), vector.z()].into_iter().map(|c| number_to_json(shortest(c))).collect()
        }
        Value::String(text) => Json::String(budget.text(text)?),
        Value::Table(table) => table_to_json(table, depth, budget)?,
        Value::Error(error) => Json::String(error.to_string()),
        other => Json::String(format!("<{}>", other.type_name())),
    })
}

fn table_to_json(table: &Table, depth: usize, budget: &mut Budget) -> Result<Json, Fault> {
    if let Some(name) = reference_name(table) {
        return Ok(Json::String(name));
    }
    if depth >= DEEPEST {
        return Err(Fault::new(
            "script/value_too_deep",
            format!("the value nests deeper than {DEEPEST} levels; a table that holds itself has no end"),
        ));
    }
    let length = table.raw_len();
    let mut list = Vec::new();
    let mut object = Map::new();
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair.map_err(|error| Fault::new("script/value", error.to_string()))?;
        let next = match &key {
            Value::Integer(index) => Some(*index as f64),
            Value::Number(index) => Some(*index),
            _ => None,
        };
        let converted = value_to_json(&value, depth + 1, budget)?;
        if object.is_empty() && length > 0 && next == Some((list.len() + 1) as f64) {
            list.push(converted);
        } else {
            object.insert(key_text(&key, budget)?, converted);
        }
    }
    if object.is_empty() {
        return Ok(Json::Array(list));
    }
    for (index, value) in list.into_iter().enumerate() {
        object.insert((index + 1).to_string(), value);
    }
    object.sort_keys();
    Ok(Json::Object(object))
}

fn key_text(key: &Value, budget: &mut Budget) -> Result<String, Fault> {
    Ok(match key {
        Value::String(text) => budget.text(text)?,
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Table(table) => reference_name(table).unwrap_or_else(|| "<table>".to_owned()),
        other => format!("<{}>", other.type_name()),
    })
}

/// The name of an engine reference: an entity's id, an asset's identity. Its metatable has it
/// under `__identity`, or under `__name` the raw field that has it.
fn reference_name(table: &Table) -> Option<String> {
    let meta = table.metatable()?;
    if let Some(identity) = meta.raw_get::<Option<String>>("__identity").ok()? {
        return Some(identity);
    }
    table.raw_get::<Option<String>>(meta.raw_get::<Option<String>>("__name").ok()??).ok()?
}

fn number_to_json(number: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        return Json::from(number as i64);
    }
    Number::from_f64(number).map(Json::Number).unwrap_or_else(|| Json::String(number.to_string().to_lowercase()))
}

/// The f64 that prints as the f32 does: 0.1 stays 0.1.
fn shortest(component: f32) -> f64 {
    component.to_string().parse().unwrap_or(f64::from(component))
}

/// Turns JSON into a Luau value. Null becomes nil; lists and objects become tables.
pub fn from_json(lua: &Lua, value: &Json) -> mlua::Result<Value> {
    Ok(match value {
        Json::Null => Value::Nil,
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::String(lua.create_string(text)?),
        Json::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for (index, item) in items.iter().enumerate() {
                table.raw_set(index + 1, from_json(lua, item)?)?;
            }
            Value::Table(table)
        }
        Json::Object(fields) => {
            let table = lua.create_table_with_capacity(0, fields.len())?;
            for (key, field) in fields {
                table.raw_set(key.as_str(), from_json(lua, field)?)?;
            }
            Value::Table(table)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: &str) {
        let lua = Lua::new();
        let value: Value = lua.load(code).eval().unwrap();
        let json = match to_json(&value) {
            Ok(json) => json.to_string(),
            Err(fault) => fault.code.into_owned(),
        };
        assert_eq!(json, expected, "{code}");
    }

    #[test]
    fn converts_every_kind() {
        check("nil", "null");
        check("{1, 2.5, 'x'}", r#"[1,2.5,"x"]"#);
        check("{b = 1, a = {true}}", r#"{"a":[true],"b":1}"#);
        check("{1, 2, x = 3}", r#"{"1":1,"2":2,"x":3}"#);
        check("{[5] = 1}", r#"{"5":1}"#);
        check("{}", "[]");
        check("vector.create(0.1, 2, 3)", "[0.1,2,3]");
        check("0/0", r#""nan""#);
        check("-math.huge", r#""-inf""#);
        check("print", r#""<function>""#);
        check("setmetatable({ id = 'ent_1', other = 2 }, { __name = 'id' })", r#""ent_1""#);
        check("(function() local t = {} t.t = t return t end)()", "script/value_too_deep");
    }

    #[test]
    fn json_round_trips() {
        let lua = Lua::new();
        let json = serde_json::json!({ "a": [1, 2, { "b": "c" }], "d": 0.5, "e": true });
        assert_eq!(to_json(&from_json(&lua, &json).unwrap()).unwrap(), json);
    }
}
