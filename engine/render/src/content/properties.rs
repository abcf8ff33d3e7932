use zero_base::{Diagnostic, did_you_mean};
use zero_source::yaml::{self, Node};

use super::color::linear_from_hex;
use super::fields::Fields;

const CODE: &str = "render/properties";

/// What a shader lets materials set: the fields of its `material` struct and its textures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShaderProperties {
    pub properties: Vec<Property>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    pub name: String,
    pub kind: PropertyKind,
    /// The value of materials that set none; as many numbers as the kind has.
    pub default: Vec<f32>,
    pub min: Option<f32>,
    pub max: Option<f32>,
    pub description: String,
    /// Line of `properties.yaml` that declares it.
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    Float,
    Float2,
    Float3,
    Float4,
    Color,
    Int,
    Bool,
    Texture { fallback: TextureFallback, encoding: TextureEncoding },
}

/// What a texture property shows where a material sets none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextureFallback {
    White,
    Black,
    /// A normal map without bumps.
    Normal,
}

/// What the bytes of a texture mean: `srgb` for colours, `linear` for everything measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextureEncoding {
    Srgb,
    Linear,
}

/// The spellings of `type`, with the kind each means.
const TYPES: &[(&str, PropertyKind)] = &[
    ("bool", PropertyKind::Bool),
    ("color", PropertyKind::Color),
    ("float", PropertyKind::Float),
    ("float2", PropertyKind::Float2),
    ("float3", PropertyKind::Float3),
    ("float4", PropertyKind::Float4),
    ("int", PropertyKind::Int),
    ("range", PropertyKind::Float),
    ("texture", PropertyKind::Texture { fallback: TextureFallback::White, encoding: TextureEncoding::Srgb }),
];

/// WGSL gives a shader stage sixteen textures; the frame needs the others.
const MOST_TEXTURES: usize = 8;

impl ShaderProperties {
    pub fn get(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// The properties that live in the `material` struct, in order.
    pub fn values(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(|property| !property.kind.is_texture())
    }

    pub fn textures(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(|property| property.kind.is_texture())
    }
}

impl PropertyKind {
    pub fn is_texture(self) -> bool {
        matches!(self, PropertyKind::Texture { .. })
    }

    /// How many numbers a value has.
    pub fn width(self) -> usize {
        match self {
            PropertyKind::Float | PropertyKind::Int | PropertyKind::Bool => 1,
            PropertyKind::Float2 => 2,
            PropertyKind::Float3 => 3,
            PropertyKind::Float4 | PropertyKind::Color => 4,
            PropertyKind::Texture { .. } => 0,
        }
    }

    fn expects(self) -> &'static str {
        match self {
            PropertyKind::Float => "a number",
            PropertyKind::Float2 => "a list of 2 numbers",
            PropertyKind::Float3 => "a list of 3 numbers",
            PropertyKind::Float4 => "a list of 4 numbers",
            PropertyKind::Color => "\"#rrggbb\" or a list of 3 or 4 linear numbers",
            PropertyKind::Int => "a whole number",
            PropertyKind::Bool => "true or false",
            PropertyKind::Texture { .. } => "the name of a texture asset",
        }
    }
}

impl Property {
    /// The numbers `node` writes for this property, or what is wrong with them.
    pub(super) fn read(&self, node: &Node) -> Result<Vec<f32>, String> {
        let expects = || {
            Err(format!("'{}' is {}, not {}", self.name, self.kind.expects(), yaml::emit(&node.to_json()).trim_end()))
        };
        let Some(numbers) = numbers_of(node, self.kind) else { return expects() };
        let beyond = |value: &f32| self.min.is_some_and(|min| *value < min) || self.max.is_some_and(|max| *value > max);
        if let Some(value) = numbers.iter().find(|value| beyond(value)) {
            let bound = |bound: Option<f32>| bound.map_or("any".to_owned(), |bound| bound.to_string());
            return Err(format!("'{}' is {value}, outside {} to {}", self.name, bound(self.min), bound(self.max)));
        }
        Ok(numbers)
    }
}

fn numbers_of(node: &Node, kind: PropertyKind) -> Option<Vec<f32>> {
    let number = |node: &Node| node.as_f64().map(|value| value as f32).filter(|value| value.is_finite());
    match kind {
        PropertyKind::Float => Some(vec![number(node)?]),
        PropertyKind::Int => Some(vec![node.as_i64().filter(|value| value.abs() < 1 << 24)? as f32]),
        PropertyKind::Bool => Some(vec![f32::from(u8::from(node.as_bool()?))]),
        PropertyKind::Color if node.as_str().is_some() => Some(linear_from_hex(node.as_str()?)?.to_vec()),
        PropertyKind::Color | PropertyKind::Float2 | PropertyKind::Float3 | PropertyKind::Float4 => {
            let mut numbers = node.items().iter().map(number).collect::<Option<Vec<f32>>>()?;
            if kind == PropertyKind::Color && numbers.len() == 3 {
                numbers.push(1.0);
            }
            (numbers.len() == kind.width()).then_some(numbers)
        }
        PropertyKind::Texture { .. } => None,
    }
}

/// Reads a `properties.yaml`: a list of `{ name, type, default, min, max, description }`. Textures
/// take `default: white | black | normal` and `encoding: srgb | linear`. Empty text declares nothing.
pub fn parse_properties(text: &str, path: &str) -> Result<ShaderProperties, Vec<Diagnostic>> {
    let node = yaml::parse_file(text, path)?;
    let mut problems = Vec::new();
    let mut properties: Vec<Property> = Vec::new();
    if !node.is_list() && !node.is_null() {
        let message = format!("properties are a list of {{ name, type, … }}, not a {}", node.type_name());
        problems.push(Diagnostic::error(CODE, message).in_file(path).at(node.span()));
    }
    for item in node.items() {
        let mut fields = Fields::new(item, path, CODE);
        let property = property(item, &mut fields);
        if let Some(property) = &property
            && properties.iter().any(|other| other.name == property.name)
        {
            fields.complain(item.span(), format!("'{}' is declared twice", property.name));
        }
        problems.extend(fields.finish());
        properties.extend(property);
    }
    let textures = properties.iter().filter(|property| property.kind.is_texture()).count();
    if textures > MOST_TEXTURES {
        let message = format!("a shader has at most {MOST_TEXTURES} textures, and these are {textures}");
        problems.push(Diagnostic::error(CODE, message).in_file(path).at(node.span()));
    }
    if problems.is_empty() { Ok(ShaderProperties { properties }) } else { Err(problems) }
}

fn property(item: &Node, fields: &mut Fields) -> Option<Property> {
    let name = required(item, "name", fields)?;
    if !is_identifier(name) {
        fields
            .complain(item.span(), format!("'{name}' cannot name a field: letters, digits and _ only, a letter first"));
    }
    let type_name = required(item, "type", fields)?;
    let Some((_, kind)) = TYPES.iter().find(|(spelling, _)| *spelling == type_name) else {
        let known: Vec<&str> = TYPES.iter().map(|(spelling, _)| *spelling).collect();
        let near = did_you_mean(type_name, &known);
        let message = format!("'{type_name}' is no property type{near}; there are {}", known.join(", "));
        fields.complain(item.get("type").map_or(item.span(), Node::span), message);
        return None;
    };
    let description = fields.text("description").unwrap_or_default().to_owned();
    let line = item.span().line;
    let mut property =
        Property { name: name.to_owned(), kind: *kind, default: Vec::new(), min: None, max: None, description, line };
    if kind.is_texture() {
        property.kind = texture_kind(fields);
        return Some(property);
    }
    let bound = |fields: &mut Fields, key| fields.get(key).and_then(Node::as_f64).map(|bound| bound as f32);
    property.min = bound(fields, "min");
    property.max = bound(fields, "max");
    if type_name == "range" && (property.min.is_none() || property.max.is_none()) {
        fields.complain(item.span(), format!("'{name}' is a range and needs 'min' and 'max'"));
    }
    property.default = match fields.get("default") {
        Some(node) => property.read(node).unwrap_or_else(|message| {
            fields.complain(node.span(), message);
            vec![0.0; kind.width()]
        }),
        None if *kind == PropertyKind::Color => vec![1.0; 4],
        None => vec![property.min.unwrap_or(0.0).max(0.0); kind.width()],
    };
    Some(property)
}

fn required<'a>(item: &Node, key: &'static str, fields: &mut Fields<'a>) -> Option<&'a str> {
    let text = fields.text(key);
    if text.is_none() && item.get(key).is_none() {
        fields.complain(item.span(), format!("a property needs '{key}'"));
    }
    text
}

fn texture_kind(fields: &mut Fields) -> PropertyKind {
    let fallback = choice(
        fields,
        "default",
        &[("white", TextureFallback::White), ("black", TextureFallback::Black), ("normal", TextureFallback::Normal)],
    );
    let encoding = choice(fields, "encoding", &[("srgb", TextureEncoding::Srgb), ("linear", TextureEncoding::Linear)]);
    PropertyKind::Texture { fallback, encoding }
}

/// One of a few words; the first is the default.
fn choice<T: Copy>(fields: &mut Fields, key: &'static str, choices: &[(&str, T)]) -> T {
    let Some(node) = fields.get(key) else { return choices[0].1 };
    let found = choices.iter().find(|(word, _)| node.as_str() == Some(word));
    if found.is_none() {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        fields.complain(node.span(), format!("'{key}' is one of {}", words.join(", ")));
    }
    found.unwrap_or(&choices[0]).1
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
