use std::ops::Range;

use serde_json::{Map, Number, Value as Json};
use zero_base::Span;

/// A value read from text, and where it stands. What an alias stands for keeps the position
/// of its definition; the alias itself, as a whole, has its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub(super) value: Value,
    pub(super) span: Span,
    pub(super) source: Source,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    List(Vec<Node>),
    /// In the order written; keys are unique.
    Map(Vec<Entry>),
}

/// A key of a map with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
    pub(super) key_bytes: Range<usize>,
}

/// What the editor needs to know about the text of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Source {
    pub bytes: Range<usize>,
    pub layout: Layout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// A list or map told by indentation.
    Block,
    /// A list or map in brackets.
    Flow,
    /// A scalar that ends on the line it says it does.
    Scalar,
    /// A literal or folded scalar, which runs to the end of a line.
    BlockScalar,
    Alias,
}

impl Node {
    pub fn value(&self) -> &Value {
        &self.value
    }

    pub fn span(&self) -> Span {
        self.span
    }

    /// The value under `key`; none when this is not a map or has no such key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The value under a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entries of a map; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    pub fn is_list(&self) -> bool {
        matches!(self.value, Value::List(_))
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_f64(&self) -> Option<f64> {
        match &self.value {
            Value::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// A whole number, also when it was written as `2.0`.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.value {
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            _ => None,
        }
    }

    /// What the value is, in the words of a message.
    pub fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::List(_) => "list",
            Value::Map(_) => "map",
        }
    }

    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(number.clone()),
            Value::String(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            Value::Map(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json()));
                Json::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

fn whole(number: f64) -> Option<i64> {
    // Past 2^53 a float no longer says which integer was meant.
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= LARGEST_EXACT).then_some(number as i64)
}
