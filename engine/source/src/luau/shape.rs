use super::literal::{is_identifier, quote};

/// Names a shape within its [`Shapes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub(super) u32);

/// What a value must be: a type with every name looked up, unions flat, intersections of
/// tables merged. Recursive types are loops of ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Shape {
    Any,
    /// A type that cannot be tested on a value (functions, `typeof`, generics, unknown
    /// names); the text says which.
    Unchecked(String),
    Never,
    Nil,
    Boolean,
    Number,
    String,
    Thread,
    Buffer,
    Vector,
    /// Any table: `{}`, or `table`.
    Table,
    /// A vector, `{x, y, z}` by name, or three numbers in a list.
    Vec3,
    EntityRef,
    AssetRef {
        kind: Option<String>,
        identity: Option<String>,
    },
    /// One of these words.
    Words(Vec<String>),
    /// `true` or `false` alone.
    Just(bool),
    Optional(ShapeId),
    /// At least two members, none of them nil or optional.
    Union(Vec<ShapeId>),
    /// Parts that do not merge into one record; records among them are open.
    Intersection(Vec<ShapeId>),
    Array(ShapeId),
    Record(Record),
}

/// A table with named fields. Without an indexer it is closed: other fields are refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Record {
    pub fields: Vec<RecordField>,
    /// Key and value of every field that is not named.
    pub indexer: Option<(ShapeId, ShapeId)>,
    /// Refuses fields that are not named.
    pub closed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordField {
    pub name: String,
    pub shape: ShapeId,
    pub description: String,
}

/// The shapes of a file's types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shapes {
    pub(super) nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub shape: Shape,
    /// The alias that stands for it.
    pub name: Option<String>,
    /// Part of a loop: a value of it can hold another value of it.
    pub recursive: bool,
}

impl Shapes {
    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.nodes[id.0 as usize].shape
    }

    /// The name of the alias the shape was declared by.
    pub fn name(&self, id: ShapeId) -> Option<&str> {
        self.nodes[id.0 as usize].name.as_deref()
    }

    /// Whether values of this shape can hold values of this shape.
    pub fn is_recursive(&self, id: ShapeId) -> bool {
        self.nodes[id.0 as usize].recursive
    }

    pub fn ids(&self) -> impl Iterator<Item = ShapeId> + use<> {
        (0..self.nodes.len() as u32).map(ShapeId)
    }

    /// Whether nil is a value of it.
    pub fn accepts_nil(&self, id: ShapeId) -> bool {
        match self.get(id) {
            Shape::Any | Shape::Unchecked(_) | Shape::Nil | Shape::Optional(_) => true,
            Shape::Intersection(parts) => parts.iter().all(|&part| self.accepts_nil(part)),
            _ => false,
        }
    }

    /// The shape as a reader of a message sees it: records by their name, unions of words
    /// written out, long ones shortened.
    pub fn text(&self, id: ShapeId) -> String {
        let mut text = String::new();
        self.write(&mut text, id, Place::Alone);
        text
    }

    /// The shapes this one is made of.
    pub(super) fn parts(&self, id: ShapeId) -> Vec<ShapeId> {
        match self.get(id) {
            Shape::Optional(inner) | Shape::Array(inner) => vec![*inner],
            Shape::Union(parts) | Shape::Intersection(parts) => parts.clone(),
            Shape::Record(record) => {
                let indexer = record.indexer.iter().flat_map(|&(key, value)| [key, value]);
                record.fields.iter().map(|field| field.shape).chain(indexer).collect()
            }
            _ => Vec::new(),
        }
    }

    fn write(&self, out: &mut String, id: ShapeId, place: Place) {
        // A message is read, not parsed: what does not fit is left out.
        const LONGEST: usize = 200;
        if out.len() > LONGEST {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        let shape = self.get(id);
        if let Some(name) = self.name(id)
            && (place != Place::Alone || matches!(shape, Shape::Record(_)))
            && !matches!(shape, Shape::Words(_))
        {
            out.push_str(name);
            return;
        }
        match shape {
            Shape::Any => out.push_str("any"),
            Shape::Unchecked(text) => out.push_str(text),
            Shape::Never => out.push_str("never"),
            Shape::Nil => out.push_str("nil"),
            Shape::Boolean => out.push_str("boolean"),
            Shape::Number => out.push_str("number"),
            Shape::String => out.push_str("string"),
            Shape::Thread => out.push_str("thread"),
            Shape::Buffer => out.push_str("buffer"),
            Shape::Vector => out.push_str("vector"),
            Shape::Table => out.push_str("table"),
            Shape::Vec3 => out.push_str("Vec3"),
            Shape::EntityRef => out.push_str("EntityRef"),
            Shape::AssetRef { kind, identity } => {
                out.push_str(&asset_ref_text(kind.as_deref(), identity.as_deref()));
            }
            Shape::Just(value) => out.push_str(if *value { "true" } else { "false" }),
            Shape::Words(words) => {
                grouped(out, words.len() > 1 && place == Place::Inner, |out| write_words(out, words))
            }
            Shape::Optional(inner) => {
                self.write(out, *inner, Place::Inner);
                out.push('?');
            }
            Shape::Union(parts) => grouped(out, place == Place::Inner, |out| self.write_joined(out, parts, " | ")),
            Shape::Intersection(parts) => {
                grouped(out, place == Place::Inner, |out| self.write_joined(out, parts, " & "));
            }
            Shape::Array(item) => {
                out.push('{');
                self.write(out, *item, Place::Enclosed);
                out.push('}');
            }
            Shape::Record(record) => self.write_record(out, record),
        }
    }

    fn write_joined(&self, out: &mut String, parts: &[ShapeId], operator: &str) {
        const MOST: usize = 12;
        for (index, &part) in parts.iter().take(MOST).enumerate() {
            if index > 0 {
                out.push_str(operator);
            }
            // Words need no parentheses among other members of a union.
            let words = matches!(self.get(part), Shape::Words(_)) && operator == " | ";
            self.write(out, part, if words { Place::Enclosed } else { Place::Inner });
        }
        write_rest(out, parts.len(), MOST, operator);
    }

    fn write_record(&self, out: &mut String, record: &Record) {
        const MOST: usize = 8;
        out.push_str("{ ");
        for (index, field) in record.fields.iter().take(MOST).enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            if is_identifier(&field.name) {
                out.push_str(&field.name);
            } else {
                out.push_str(&format!("[{}]", quote(&field.name)));
            }
            out.push_str(": ");
            self.write(out, field.shape, Place::Enclosed);
        }
        write_rest(out, record.fields.len(), MOST, ", ");
        if let Some((key, value)) = record.indexer {
            out.push_str(if record.fields.is_empty() { "[" } else { ", [" });
            self.write(out, key, Place::Enclosed);
            out.push_str("]: ");
            self.write(out, value, Place::Enclosed);
        }
        out.push_str(" }");
    }
}

/// Where a shape's text stands: it decides about names and parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Alone,
    /// Between brackets of its own.
    Enclosed,
    /// Beside an operator.
    Inner,
}

fn grouped(out: &mut String, parentheses: bool, write: impl FnOnce(&mut String)) {
    if parentheses {
        out.push('(');
    }
    write(out);
    if parentheses {
        out.push(')');
    }
}

fn write_words(out: &mut String, words: &[String]) {
    const MOST: usize = 12;
    const LONGEST_WORD: usize = 40;
    for (index, word) in words.iter().take(MOST).enumerate() {
        if index > 0 {
            out.push_str(" | ");
        }
        out.push_str(&quote(&super::text::clip(word, LONGEST_WORD)));
    }
    write_rest(out, words.len(), MOST, " | ");
}

/// Words as a union, long ones shortened.
pub(super) fn words_text(words: &[String]) -> String {
    let mut text = String::new();
    write_words(&mut text, words);
    text
}

fn write_rest(out: &mut String, all: usize, shown: usize, separator: &str) {
    if all > shown {
        out.push_str(&format!("{separator}… {} more", all - shown));
    }
}

/// `AssetRef<"material", "demo.gold">` as far as it is known.
pub(super) fn asset_ref_text(kind: Option<&str>, identity: Option<&str>) -> String {
    match (kind, identity) {
        (None, _) => "AssetRef".to_owned(),
        (Some(kind), None) => format!("AssetRef<{}>", quote(kind)),
        (Some(kind), Some(identity)) => format!("AssetRef<{}, {}>", quote(kind), quote(identity)),
    }
}
