use std::ops::RangeInclusive;

use zero_base::{Diagnostic, did_you_mean};
use zero_source::yaml::{self, Node};

use super::fields::Fields;
use crate::{MeshData, Primitive};

const CODE: &str = "render/mesh";
const PRIMITIVES: &[&str] = &["capsule", "cone", "cube", "cylinder", "plane", "sphere", "torus"];
const LENGTHS: RangeInclusive<f64> = 0.0001..=1_000_000.0;
const SEGMENTS: RangeInclusive<u32> = 3..=1024;

/// Reads a `mesh.yaml`: a `primitive` and its numbers, or `positions` and what goes with them.
///
/// Primitives (metres, defaults one metre across): `cube` and `plane` take `size`; `sphere`,
/// `cylinder`, `cone`, `capsule` and `torus` take `radius`, and `height` or `tubeRadius` where they
/// have one; round ones take `segments`, and `rings` or `tubeSegments`.
///
/// Explicit meshes take `positions`, and may take `normals`, `uvs` and `indices`, each a list of
/// short lists or one flat list. Left-out normals are computed, left-out indices count up.
pub fn parse_mesh(text: &str, path: &str) -> Result<MeshData, Vec<Diagnostic>> {
    let node = yaml::parse_file(text, path)?;
    let mut fields = Fields::new(&node, path, CODE);
    let mesh = match fields.text("primitive") {
        Some(name) => primitive(name, &mut fields).map(|primitive| primitive.mesh()),
        None => explicit(&mut fields),
    };
    let problems = fields.finish();
    match mesh {
        Some(mesh) if problems.is_empty() => Ok(mesh),
        _ => Err(problems),
    }
}

fn primitive(name: &str, fields: &mut Fields) -> Option<Primitive> {
    Some(match name {
        "cube" => Primitive::Cube { size: fields.numbers("size", [1.0; 3], LENGTHS) },
        "plane" => {
            let size = fields.numbers("size", [1.0; 2], LENGTHS);
            let segments = fields.numbers("segments", [1.0; 2], 1.0..=1024.0).map(|count| count as u32);
            Primitive::Plane { size, segments }
        }
        "sphere" => Primitive::Sphere {
            radius: fields.number("radius", 0.5, LENGTHS),
            segments: fields.whole("segments", 32, SEGMENTS),
            rings: fields.whole("rings", 16, 2..=1024),
        },
        "cylinder" => Primitive::Cylinder {
            radius: fields.number("radius", 0.5, LENGTHS),
            height: fields.number("height", 1.0, LENGTHS),
            segments: fields.whole("segments", 32, SEGMENTS),
        },
        "cone" => Primitive::Cone {
            radius: fields.number("radius", 0.5, LENGTHS),
            height: fields.number("height", 1.0, LENGTHS),
            segments: fields.whole("segments", 32, SEGMENTS),
        },
        "capsule" => {
            let radius = fields.number("radius", 0.25, LENGTHS);
            let height = fields.number("height", radius.max(0.25) * 4.0, LENGTHS);
            let (segments, rings) = (fields.whole("segments", 32, SEGMENTS), fields.whole("rings", 16, 2..=1024));
            if let Some(node) = fields.get("height").filter(|_| height < radius * 2.0) {
                fields.complain(node.span(), format!("'height' is at least twice the radius: {}", radius * 2.0));
            }
            Primitive::Capsule { radius, height, segments, rings }
        }
        "torus" => {
            let radius = fields.number("radius", 0.375, LENGTHS);
            let tube_radius = fields.number("tubeRadius", radius / 3.0, LENGTHS);
            if let Some(node) = fields.get("tubeRadius").filter(|_| tube_radius > radius) {
                fields.complain(node.span(), format!("'tubeRadius' is at most the radius: {radius}"));
            }
            Primitive::Torus {
                radius,
                tube_radius,
                segments: fields.whole("segments", 48, SEGMENTS),
                tube_segments: fields.whole("tubeSegments", 16, SEGMENTS),
            }
        }
        other => {
            let near = did_you_mean(other, PRIMITIVES);
            let message = format!("'{other}' is no primitive{near}; there are {}", PRIMITIVES.join(", "));
            let span = fields.get("primitive").map(Node::span)?;
            fields.complain(span, message);
            return None;
        }
    })
}

fn explicit(fields: &mut Fields) -> Option<MeshData> {
    let Some(node) = fields.get("positions") else {
        let problems = &mut fields.problems;
        if problems.is_empty() {
            let message = format!("a mesh has a 'primitive' ({}) or 'positions'", PRIMITIVES.join(", "));
            problems.push(Diagnostic::error(CODE, message));
        }
        return None;
    };
    let positions = vectors::<3>(node, "positions", fields)?;
    let indices = match fields.get("indices") {
        Some(node) => indices(node, positions.len(), fields)?,
        None => (0..positions.len() as u32).collect(),
    };
    if indices.len() % 3 != 0 || indices.is_empty() {
        fields.complain(node.span(), format!("{} corners do not make whole triangles", indices.len()));
        return None;
    }
    let normals = match fields.get("normals") {
        Some(node) => same_length(vectors::<3>(node, "normals", fields)?, positions.len(), node, "normals", fields)?,
        None => MeshData::computed_normals(&positions, &indices),
    };
    let uvs = match fields.get("uvs") {
        Some(node) => same_length(vectors::<2>(node, "uvs", fields)?, positions.len(), node, "uvs", fields)?,
        None => vec![[0.0; 2]; positions.len()],
    };
    Some(MeshData { positions, normals, uvs, indices })
}

/// A list of lists of `N` numbers, or one flat list of a multiple of `N`.
fn vectors<const N: usize>(node: &Node, key: &str, fields: &mut Fields) -> Option<Vec<[f32; N]>> {
    let mut numbers = Vec::with_capacity(node.items().len());
    let nested = node.items().first().is_some_and(Node::is_list);
    for item in node.items() {
        let parts = if nested { item.items() } else { std::slice::from_ref(item) };
        if nested && parts.len() != N {
            fields.complain(item.span(), format!("each of '{key}' is a list of {N} numbers"));
            return None;
        }
        for part in parts {
            let number = part.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
            let Some(number) = number else {
                fields.complain(part.span(), format!("'{key}' holds finite numbers, not a {}", part.type_name()));
                return None;
            };
            numbers.push(number);
        }
    }
    if numbers.is_empty() || numbers.len() % N != 0 {
        let given = numbers.len();
        fields.complain(node.span(), format!("'{key}' holds {given} numbers, which is no multiple of {N}"));
        return None;
    }
    Some(numbers.chunks_exact(N).map(|chunk| std::array::from_fn(|index| chunk[index])).collect())
}

fn indices(node: &Node, vertices: usize, fields: &mut Fields) -> Option<Vec<u32>> {
    let flat: Vec<&Node> = node
        .items()
        .iter()
        .flat_map(|item| if item.is_list() { item.items() } else { std::slice::from_ref(item) })
        .collect();
    let mut indices = Vec::with_capacity(flat.len());
    for item in flat {
        match item.as_i64().filter(|index| (0..vertices as i64).contains(index)) {
            Some(index) => indices.push(index as u32),
            None => {
                fields.complain(item.span(), format!("an index is a whole number below the {vertices} positions"));
                return None;
            }
        }
    }
    Some(indices)
}

fn same_length<const N: usize>(
    values: Vec<[f32; N]>,
    expected: usize,
    node: &Node,
    key: &str,
    fields: &mut Fields,
) -> Option<Vec<[f32; N]>> {
    if values.len() != expected {
        fields.complain(node.span(), format!("there are {expected} positions and {} {key}", values.len()));
        return None;
    }
    Some(values)
}
