use std::ffi::OsString;

use serde_json::{Map, Value};

use super::value;
use crate::ProgramError;

/// `<toolbox> <tool> [args]`, before anything is known about the tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolWords {
    pub toolbox: String,
    pub tool: Option<String>,
    pub help: bool,
    pub json: bool,
    args: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq)]
enum Word {
    /// `--name`, with its value if written `--name=value`.
    Name(String, Option<String>),
    Value(String),
}

/// What the command line needs to know about a tool's parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    /// `--name` alone means true.
    pub boolean: bool,
    /// The names in it, where it is a record.
    pub fields: Vec<String>,
}

impl ToolWords {
    pub fn parse(words: Vec<OsString>) -> Result<ToolWords, ProgramError> {
        let mut words = words.into_iter().map(|word| {
            word.into_string()
                .map_err(|word| ProgramError::usage(format!("'{}' is not UTF-8 text", word.to_string_lossy())))
        });
        let first = words.next().transpose()?.unwrap_or_default();
        let (toolbox, tool) = match first.split_once('.') {
            Some((toolbox, tool)) => (toolbox.to_owned(), Some(tool.to_owned())),
            None => (first, None),
        };
        let mut parsed = ToolWords { toolbox, tool, help: false, json: false, args: Vec::new() };
        let mut only_values = false;
        for word in words {
            let word = word?;
            match word.as_str() {
                _ if only_values => parsed.args.push(Word::Value(word)),
                "--" => only_values = true,
                "--help" | "-h" => parsed.help = true,
                "--json" => parsed.json = true,
                _ if is_option(&word) => {
                    let option = option(&word)?;
                    if parsed.tool.is_none() {
                        return Err(parsed.stray_option(option.text(), &[]));
                    }
                    parsed.args.push(option);
                }
                _ if parsed.tool.is_none() => parsed.tool = Some(word),
                _ => parsed.args.push(Word::Value(word)),
            }
        }
        Ok(parsed)
    }

    /// Whether the tool's parameters must be known to read the arguments.
    pub fn has_names(&self) -> bool {
        self.args.iter().any(|word| matches!(word, Word::Name(..)))
    }

    /// The arguments: a list when all are in order, else an object by name.
    pub fn arguments(&self, parameters: &[Parameter]) -> Result<Value, ProgramError> {
        if !self.has_names() {
            return Ok(self.args.iter().map(|word| value(word.text())).collect());
        }
        let mut named = Map::new();
        let mut in_order = Vec::new();
        let mut words = self.args.iter().peekable();
        while let Some(word) = words.next() {
            let Word::Name(name, joined) = word else {
                in_order.push(word.text());
                continue;
            };
            let parameter = find(parameters, name).ok_or_else(|| self.stray_option(name, parameters))?;
            let given = match (joined, words.peek()) {
                (Some(text), _) => value(text),
                (None, Some(Word::Value(next))) if !parameter.boolean || matches!(next.as_str(), "true" | "false") => {
                    words.next();
                    value(next)
                }
                (None, _) if parameter.boolean => Value::Bool(true),
                (None, _) => return Err(ProgramError::usage(format!("--{name} needs a value"))),
            };
            if named.insert(parameter.name.clone(), given).is_some() {
                return Err(ProgramError::usage(format!("--{name} is given twice")));
            }
        }
        let free: Vec<&Parameter> =
            parameters.iter().filter(|parameter| !named.contains_key(&parameter.name)).collect();
        if in_order.len() > free.len() {
            let message = format!("'{}' is one argument too many; {}", in_order[free.len()], list(parameters));
            return Err(ProgramError::usage(message));
        }
        for (parameter, text) in free.into_iter().zip(in_order) {
            named.insert(parameter.name.clone(), value(text));
        }
        Ok(Value::Object(named))
    }

    fn stray_option(&self, name: &str, parameters: &[Parameter]) -> ProgramError {
        let toolbox = &self.toolbox;
        if matches!(name, "world" | "builtin" | "as") {
            return ProgramError::usage(format!(
                "options of zero itself go before the toolbox: zero --{name} … {toolbox} {}",
                self.tool.as_deref().unwrap_or_default()
            ));
        }
        let Some(tool) = &self.tool else {
            return ProgramError::usage(format!("--{name} before a tool is named: zero {toolbox} <tool> [args]"));
        };
        let holder = parameters.iter().find_map(|parameter| {
            let field = parameter.fields.iter().find(|field| fold(field) == fold(name))?;
            Some((&parameter.name, field))
        });
        if let Some((parameter, field)) = holder {
            return ProgramError::usage(format!(
                "{toolbox} {tool} takes no --{name}: it is a field of {parameter}; write --{parameter} '{{\"{field}\": …}}'"
            ));
        }
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let near = zero_base::did_you_mean(name, &names);
        let end = if near.is_empty() { ";" } else { "" };
        ProgramError::usage(format!("{toolbox} {tool} takes no --{name}{near}{end} {}", list(parameters)))
    }
}

impl Word {
    fn text(&self) -> &str {
        match self {
            Word::Name(text, _) | Word::Value(text) => text,
        }
    }
}

/// Negative numbers are values.
fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word.parse::<f64>().is_err()
}

fn option(word: &str) -> Result<Word, ProgramError> {
    let Some(name) = word.strip_prefix("--") else {
        return Err(ProgramError::usage(format!("arguments are named with two dashes: -{word}")));
    };
    Ok(match name.split_once('=') {
        Some((name, text)) => Word::Name(name.to_owned(), Some(text.to_owned())),
        None => Word::Name(name.to_owned(), None),
    })
}

fn fold(name: &str) -> String {
    name.replace(['-', '_'], "").to_ascii_lowercase()
}

/// `--max-count` and `--maxCount` name the same parameter.
fn find<'a>(parameters: &'a [Parameter], name: &str) -> Option<&'a Parameter> {
    parameters.iter().find(|parameter| parameter.name == name).or_else(|| {
        let mut alike = parameters.iter().filter(|parameter| fold(&parameter.name) == fold(name));
        alike.next().filter(|_| alike.next().is_none())
    })
}

fn list(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "it takes no arguments".to_owned();
    }
    let names: Vec<String> = parameters.iter().map(|parameter| format!("--{}", parameter.name)).collect();
    format!("it takes {}", names.join(", "))
}
