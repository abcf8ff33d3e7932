use zero_base::{Diagnostic, Span, did_you_mean};
use zero_source::yaml::{self, Node};

use super::fields::Fields;
use super::properties::{Property, ShaderProperties};

const CODE: &str = "render/material";

/// A `mat.yaml` as written: which shader, and what it is given.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialFile {
    pub shader: NamedText,
    path: String,
    values: Node,
    textures: Node,
}

/// A name that a file wrote, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedText {
    pub text: String,
    pub span: Span,
}

/// A material's values put to the properties of its shader: every property has one.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialValues {
    /// In the order of [`ShaderProperties::values`].
    pub numbers: Vec<Vec<f32>>,
    /// In the order of [`ShaderProperties::textures`]; none where the fallback shows.
    pub textures: Vec<Option<NamedText>>,
    /// Values the shader does not have, or not of that kind; their properties keep the default.
    pub problems: Vec<Diagnostic>,
}

/// Reads a `mat.yaml`: `shader` is required, `values` and `textures` map property names to values
/// and to texture assets. Whether the shader has such properties is for [`MaterialFile::values`].
pub fn parse_material(text: &str, path: &str) -> Result<MaterialFile, Vec<Diagnostic>> {
    let node = yaml::parse_file(text, path)?;
    let mut fields = Fields::new(&node, path, CODE);
    let shader = fields
        .get("shader")
        .and_then(|shader| Some(NamedText { text: shader.as_str()?.to_owned(), span: shader.span() }));
    if shader.is_none() {
        fields.complain(node.span(), "a material names its 'shader'".to_owned());
    }
    let mut part = |key| {
        let part = fields.get(key);
        if let Some(part) = part.filter(|part| !part.is_map()) {
            fields.complain(part.span(), format!("'{key}' maps property names to values"));
        }
        part.cloned()
    };
    let nothing = yaml::parse("").expect("empty text is null");
    let values = part("values").unwrap_or_else(|| nothing.clone());
    let textures = part("textures").unwrap_or(nothing);
    let problems = fields.finish();
    match shader {
        Some(shader) if problems.is_empty() => Ok(MaterialFile { shader, path: path.to_owned(), values, textures }),
        _ => Err(problems),
    }
}

impl MaterialFile {
    /// Puts the file's values to a shader's properties.
    pub fn values(&self, properties: &ShaderProperties) -> MaterialValues {
        let mut problems = Vec::new();
        let numbers = properties
            .values()
            .map(|property| match self.values.get(&property.name).map(|node| (node, property.read(node))) {
                None => property.default.clone(),
                Some((_, Ok(numbers))) => numbers,
                Some((node, Err(message))) => {
                    problems.push(Diagnostic::error(CODE, message).in_file(&self.path).at(node.span()));
                    property.default.clone()
                }
            })
            .collect();
        let textures = properties
            .textures()
            .map(|property| {
                let node = self.textures.get(&property.name).filter(|node| !node.is_null())?;
                let text = node.as_str().map(str::to_owned);
                if text.is_none() {
                    let message = format!("'{}' is the name of a texture asset", property.name);
                    problems.push(Diagnostic::error(CODE, message).in_file(&self.path).at(node.span()));
                }
                Some(NamedText { text: text?, span: node.span() })
            })
            .collect();
        let values: Vec<&Property> = properties.values().collect();
        let texture_properties: Vec<&Property> = properties.textures().collect();
        self.report_unknown("value", &self.values, &values, &mut problems);
        self.report_unknown("texture", &self.textures, &texture_properties, &mut problems);
        MaterialValues { numbers, textures, problems }
    }

    fn report_unknown(&self, what: &str, node: &Node, known: &[&Property], problems: &mut Vec<Diagnostic>) {
        let known: Vec<&str> = known.iter().map(|property| property.name.as_str()).collect();
        for entry in node.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let near = did_you_mean(&entry.key, &known);
            let message = format!("the shader '{}' has no {what} '{}'{near}", self.shader.text, entry.key);
            problems.push(
                Diagnostic::warning(CODE, message).in_file(&self.path).at(entry.key_span).choices(&entry.key, &known),
            );
        }
    }
}
