use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use zero_base::Fault;

use super::schema::mismatch;
use crate::attach::check_name;

/// The arguments of one call, checked against the tool's schema. Null counts as absent: some
/// clients send every optional argument.
pub struct Arguments<'a> {
    tool: &'a str,
    values: Map<String, Value>,
}

impl<'a> Arguments<'a> {
    pub fn check(tool: &'a str, schema: &Value, mut values: Map<String, Value>) -> Result<Arguments<'a>, Fault> {
        values.retain(|_, value| !value.is_null());
        let known = schema["properties"].as_object().expect("every tool takes an object");
        if let Some(stray) = values.keys().find(|name| !known.contains_key(*name)) {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            let near = zero_base::did_you_mean(stray, &names);
            let end = if near.is_empty() { "." } else { "" };
            let message = format!("{tool} has no argument '{stray}'{near}{end} Its arguments: {}", names.join(", "));
            return Err(Fault::new("mcp/unknown_argument", message));
        }
        let arguments = Arguments { tool, values };
        for (name, value) in &arguments.values {
            if let Some(what) = mismatch(&known[name], value) {
                let gap = if what.starts_with(['[', '.']) { "" } else { " " };
                return Err(arguments.fault("mcp/bad_argument", format!("'{name}'{gap}{what}")));
            }
        }
        let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        for name in required.iter().filter_map(Value::as_str) {
            if !arguments.has(name) {
                let what = known[name]["description"].as_str().unwrap_or_default();
                return Err(arguments.fault("mcp/missing_argument", format!("needs '{name}': {what}")));
            }
        }
        Ok(arguments)
    }

    /// The name the caller goes by, if it gives one.
    pub fn caller_name(&self) -> Result<Option<String>, Fault> {
        Ok(self.text("as").map(|name| check_name(&name).map(str::to_owned)).transpose()?)
    }

    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name)
    }

    /// A required text.
    pub fn required_text(&self, name: &str) -> String {
        self.text(name).expect("checked against the schema")
    }

    pub fn flag(&self, name: &str) -> bool {
        self.get(name).unwrap_or(false)
    }

    pub fn whole(&self, name: &str) -> Option<u64> {
        self.get::<f64>(name).map(|number| number as u64)
    }

    pub fn value(&self, name: &str) -> Value {
        self.values.get(name).cloned().unwrap_or_default()
    }

    /// What the schema has checked, as the type it says.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let value = self.values.get(name)?.clone();
        Some(serde_json::from_value(value).expect("checked against the schema"))
    }

    /// The one text of two spellings of an argument.
    pub fn one_text_of(&self, name: &str, alias: &str) -> Result<String, Fault> {
        self.at_most_one(&[name, alias])?;
        self.text(name).or_else(|| self.text(alias)).ok_or_else(|| {
            self.fault("mcp/missing_argument", format!("needs '{name}' (or '{alias}', which is the same)"))
        })
    }

    pub fn at_most_one(&self, names: &[&str]) -> Result<(), Fault> {
        let given: Vec<&str> = names.iter().copied().filter(|name| self.has(name)).collect();
        match given.as_slice() {
            [one, other, ..] => {
                Err(self.fault("mcp/conflicting_arguments", format!("takes '{one}' or '{other}', not both")))
            }
            _ => Ok(()),
        }
    }

    pub fn exactly_one(&self, names: &[&str]) -> Result<(), Fault> {
        self.at_most_one(names)?;
        if names.iter().any(|name| self.has(name)) {
            return Ok(());
        }
        let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        Err(self.fault("mcp/missing_argument", format!("needs one of {}", names.join(", "))))
    }

    pub fn fault(&self, code: &'static str, what: String) -> Fault {
        Fault::new(code, format!("{}: {what}", self.tool))
    }
}
