//! JSON Schema (2020-12) of the arguments of a function, in the subset strict clients take:
//! one object at the top, closed objects, every array with `items`, references only within
//! the schema.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value as Json, json};

use super::chunk::Signature;
use super::resolve::{Resolved, SignatureShapes, resolve};
use super::scope::Scope;
use super::shape::{Record, Shape, ShapeId, Shapes};

/// Named types nested deeper than this are moved to `$defs`.
const DEEPEST_INLINE: usize = 6;
/// What nests deeper than this without a name is not described.
const DEEPEST: usize = 32;

/// The schema of an object that holds the arguments of `signature` by name. `x-order` lists
/// the names in the order of the parameters; what `...` takes is a list under the name `...`.
/// Parameters that accept nil are not required.
pub fn json_schema(signature: &Signature, scope: &Scope<'_>) -> Json {
    let Resolved { shapes, signatures, .. } = resolve([signature], scope);
    let own = signatures.into_iter().next().unwrap_or_default();
    let mut schemas = Schemas::new(&shapes, &own);
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (param, &id) in std::iter::zip(&signature.params, &own.params) {
        properties.insert(param.name.clone(), schemas.property(id, &param.description, 0));
        if !shapes.accepts_nil(id) && !required.contains(&param.name) {
            required.push(param.name.clone());
        }
    }
    if let Some(rest) = own.variadic {
        let mut list = json!({ "type": "array", "items": schemas.schema(rest, 1) });
        describe(&mut list, &signature.variadic_description);
        properties.insert("...".to_owned(), list);
    }
    let order: Vec<&String> = properties.keys().collect();
    let mut schema = json!({ "type": "object", "x-order": order });
    schema["properties"] = Json::Object(properties);
    schema["required"] = json!(required);
    schema["additionalProperties"] = json!(false);
    let definitions = schemas.finish();
    if !definitions.is_empty() {
        schema["$defs"] = Json::Object(definitions);
    }
    schema
}

struct Schemas<'a> {
    shapes: &'a Shapes,
    /// Shapes that have to be, or are better, written once.
    shared: HashSet<ShapeId>,
    names: HashMap<ShapeId, String>,
    taken: HashSet<String>,
    queue: Vec<ShapeId>,
}

impl<'a> Schemas<'a> {
    fn new(shapes: &'a Shapes, signature: &SignatureShapes) -> Schemas<'a> {
        let mut uses: BTreeMap<ShapeId, usize> = BTreeMap::new();
        let mut queue: Vec<ShapeId> = signature.params.iter().copied().chain(signature.variadic).collect();
        while let Some(id) = queue.pop() {
            let count = uses.entry(id).or_default();
            *count += 1;
            // These two are written out wherever they are used, with what they hold.
            let written_out = matches!(shapes.get(id), Shape::Optional(_) | Shape::Union(_));
            if *count == 1 || (written_out && shapes.name(id).is_none()) {
                queue.extend(shapes.parts(id));
            }
        }
        let compound = |id| {
            matches!(shapes.get(id), Shape::Record(_) | Shape::Union(_) | Shape::Intersection(_) | Shape::Array(_))
        };
        // Every loop of shapes passes through one of these, so that following references ends.
        let looped = |id| match shapes.get(id) {
            Shape::Record(_) => true,
            Shape::Array(item) => shapes.name(*item).is_none(),
            _ => shapes.name(id).is_some(),
        };
        let shared = uses.into_iter().filter(|&(id, count)| {
            (shapes.is_recursive(id) && looped(id)) || (count > 1 && compound(id) && shapes.name(id).is_some())
        });
        Schemas {
            shapes,
            shared: shared.map(|(id, _)| id).collect(),
            names: HashMap::new(),
            taken: HashSet::new(),
            queue: Vec::new(),
        }
    }

    /// The definitions that references point to.
    fn finish(mut self) -> Map<String, Json> {
        let mut definitions = BTreeMap::new();
        while let Some(id) = self.queue.pop() {
            let schema = self.expanded(id, 0);
            definitions.insert(self.names[&id].clone(), schema);
        }
        definitions.into_iter().collect()
    }

    /// The schema of a value that may be left out instead of being nil.
    fn property(&mut self, id: ShapeId, description: &str, depth: usize) -> Json {
        let shown = if let Shape::Optional(inner) = self.shapes.get(id) { *inner } else { id };
        let mut schema = self.schema(shown, depth + 1);
        describe(&mut schema, description);
        schema
    }

    fn schema(&mut self, id: ShapeId, depth: usize) -> Json {
        let named = self.shapes.name(id).is_some();
        if self.shared.contains(&id) || (named && depth > DEEPEST_INLINE) {
            return json!({ "$ref": format!("#/$defs/{}", self.definition(id)) });
        }
        self.expanded(id, depth)
    }

    fn definition(&mut self, id: ShapeId) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let written = self.shapes.name(id).unwrap_or("Type");
        let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
        let base: String = written.chars().map(plain).collect();
        let base = base.trim_end_matches('_');
        let mut name = base.to_owned();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}{number}");
            number += 1;
        }
        self.names.insert(id, name.clone());
        self.queue.push(id);
        name
    }

    fn expanded(&mut self, id: ShapeId, depth: usize) -> Json {
        if depth > DEEPEST {
            return json!({ "description": "a deeply nested value" });
        }
        match self.shapes.get(id) {
            Shape::Any => json!({ "description": "any value" }),
            Shape::Unchecked(text) => json!({ "description": format!("a value of type {text}") }),
            Shape::Never => json!({ "not": {}, "description": "no value is accepted" }),
            Shape::Nil => json!({ "type": "null" }),
            Shape::Boolean => json!({ "type": "boolean" }),
            Shape::Number => json!({ "type": "number" }),
            Shape::String => json!({ "type": "string" }),
            Shape::Thread => json!({ "description": "a thread of Luau; it has no JSON form" }),
            Shape::Buffer => json!({ "description": "a buffer of Luau; it has no JSON form" }),
            Shape::Table => json!({ "description": "any list or object" }),
            Shape::Vector => three_numbers("a vector: [x, y, z]"),
            Shape::Vec3 => json!({ "anyOf": [three_numbers("[x, y, z]"), {
                "type": "object",
                "properties": { "x": { "type": "number" }, "y": { "type": "number" }, "z": { "type": "number" } },
                "required": ["x", "y", "z"],
                "additionalProperties": false,
            }] }),
            Shape::EntityRef => json!({ "type": "string", "description": "entity id (ent_…) or unique name" }),
            Shape::AssetRef { kind, identity } => asset_ref(kind.as_deref(), identity.as_deref()),
            Shape::Words(words) => json!({ "type": "string", "enum": words }),
            Shape::Just(value) => json!({ "type": "boolean", "enum": [value] }),
            Shape::Optional(inner) => {
                let inner = self.schema(*inner, depth + 1);
                json!({ "anyOf": [inner, { "type": "null" }] })
            }
            Shape::Union(parts) => {
                let parts: Vec<Json> = parts.iter().map(|&part| self.schema(part, depth + 1)).collect();
                json!({ "anyOf": parts })
            }
            Shape::Intersection(_) => json!({ "description": format!("a value of type {}", self.shapes.text(id)) }),
            Shape::Array(item) => json!({ "type": "array", "items": self.schema(*item, depth + 1) }),
            Shape::Record(record) => self.record(record, depth),
        }
    }

    fn record(&mut self, record: &Record, depth: usize) -> Json {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in &record.fields {
            properties.insert(field.name.clone(), self.property(field.shape, &field.description, depth));
            if !self.shapes.accepts_nil(field.shape) {
                required.push(&field.name);
            }
        }
        let mut rest = if record.closed { json!(false) } else { json!({ "description": "any value" }) };
        if let Some((key, value)) = record.indexer {
            let key = self.shapes.get(key);
            if matches!(key, Shape::Number) && record.fields.is_empty() {
                return json!({ "type": "array", "items": self.schema(value, depth + 1) });
            }
            if let Shape::Words(words) = key {
                for word in words {
                    let value = self.property(value, "", depth);
                    properties.entry(word.clone()).or_insert(value);
                }
                rest = json!(false);
            } else {
                rest = self.property(value, "", depth);
            }
        }
        let mut schema = json!({ "type": "object" });
        if !properties.is_empty() {
            schema["properties"] = Json::Object(properties);
            schema["required"] = json!(required);
        }
        schema["additionalProperties"] = rest;
        schema
    }
}

/// Puts the author's words on a schema; words of its own go after them.
fn describe(schema: &mut Json, description: &str) {
    if description.is_empty() {
        return;
    }
    let text = match schema.get("description").and_then(Json::as_str) {
        Some("any value") | None => description.to_owned(),
        Some(own) => format!("{description} ({own})"),
    };
    schema["description"] = Json::String(text);
}

fn three_numbers(description: &str) -> Json {
    json!({
        "type": "array",
        "items": { "type": "number" },
        "minItems": 3,
        "maxItems": 3,
        "description": description,
    })
}

fn asset_ref(kind: Option<&str>, identity: Option<&str>) -> Json {
    let mut description = "identity or guid of an asset".to_owned();
    if let Some(kind) = kind {
        description.push_str(&format!(" of type {kind}"));
    }
    if let Some(identity) = identity {
        description.push_str(&format!(": {identity}"));
    }
    json!({ "type": "string", "description": description })
}
