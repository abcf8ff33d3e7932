use std::f64::consts::{FRAC_PI_2, PI};

use zero_base::maths;

use super::MeshData;
use super::revolve::{Band, Mapping, OutlinePoint, revolve};

/// A shape that is written as a few numbers. All stand with their middle at the origin; round ones
/// turn around the Y axis. Lengths are metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Primitive {
    Cube {
        size: [f64; 3],
    },
    /// Level, facing +Y.
    Plane {
        size: [f64; 2],
        segments: [u32; 2],
    },
    Sphere {
        radius: f64,
        segments: u32,
        rings: u32,
    },
    Cylinder {
        radius: f64,
        height: f64,
        segments: u32,
    },
    Cone {
        radius: f64,
        height: f64,
        segments: u32,
    },
    /// `height` is the whole height, both caps included.
    Capsule {
        radius: f64,
        height: f64,
        segments: u32,
        rings: u32,
    },
    /// `radius` reaches to the middle of the tube.
    Torus {
        radius: f64,
        tube_radius: f64,
        segments: u32,
        tube_segments: u32,
    },
}

impl Primitive {
    pub fn mesh(&self) -> MeshData {
        match *self {
            Primitive::Cube { size } => cube(size),
            Primitive::Plane { size, segments } => plane(size, segments),
            Primitive::Sphere { radius, segments, rings } => {
                revolve(&[wrapped(arc(radius, 0.0, -FRAC_PI_2, FRAC_PI_2, rings))], segments)
            }
            Primitive::Cylinder { radius, height, segments } => {
                let (low, high) = (-height / 2.0, height / 2.0);
                let side = wrapped(vec![point(radius, low, (1.0, 0.0)), point(radius, high, (1.0, 0.0))]);
                revolve(&[bottom_cap(radius, low), side, top_cap(radius, high)], segments)
            }
            Primitive::Cone { radius, height, segments } => {
                let (low, high) = (-height / 2.0, height / 2.0);
                let slope = (radius * radius + height * height).sqrt();
                let normal = (height / slope, radius / slope);
                let side = wrapped(vec![point(radius, low, normal), point(0.0, high, normal)]);
                revolve(&[bottom_cap(radius, low), side], segments)
            }
            Primitive::Capsule { radius, height, segments, rings } => {
                let straight = (height / 2.0 - radius).max(0.0);
                let mut outline = arc(radius, -straight, -FRAC_PI_2, 0.0, rings.div_ceil(2));
                outline.extend(arc(radius, straight, 0.0, FRAC_PI_2, rings.div_ceil(2)));
                revolve(&[wrapped(outline)], segments)
            }
            Primitive::Torus { radius, tube_radius, segments, tube_segments } => {
                let mut outline = arc(tube_radius, 0.0, -PI, PI, tube_segments);
                outline.iter_mut().for_each(|point| point.radius += radius);
                revolve(&[wrapped(outline)], segments)
            }
        }
    }
}

fn cube(size: [f64; 3]) -> MeshData {
    // Each face: its normal, then the directions of its texture's right and down.
    const FACES: [[[f64; 3]; 3]; 6] = [
        [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]],
        [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
        [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
    ];
    let mut mesh = MeshData::default();
    for [normal, right, down] in FACES {
        let first = mesh.positions.len() as u32;
        for [u, v] in [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]] {
            let at = |axis: usize| {
                let unit = normal[axis] + right[axis] * (u * 2.0 - 1.0) + down[axis] * (v * 2.0 - 1.0);
                (unit * size[axis] / 2.0) as f32
            };
            mesh.positions.push([at(0), at(1), at(2)]);
            mesh.normals.push(normal.map(|value| value as f32));
            mesh.uvs.push([u as f32, v as f32]);
        }
        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
    }
    mesh
}

fn plane(size: [f64; 2], segments: [u32; 2]) -> MeshData {
    let mut mesh = MeshData::default();
    let [columns, rows] = segments;
    for row in 0..=rows {
        for column in 0..=columns {
            let (u, v) = (f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows));
            mesh.positions.push([((u - 0.5) * size[0]) as f32, 0.0, ((v - 0.5) * size[1]) as f32]);
            mesh.normals.push([0.0, 1.0, 0.0]);
            mesh.uvs.push([u as f32, v as f32]);
        }
    }
    let stride = columns + 1;
    for row in 0..rows {
        for column in 0..columns {
            let a = row * stride + column;
            let (b, c, d) = (a + 1, a + stride + 1, a + stride);
            mesh.indices.extend([a, d, c, a, c, b]);
        }
    }
    mesh
}

/// Points on a circle around `(0, middle_y)`, from one elevation to another.
fn arc(radius: f64, middle_y: f64, from: f64, to: f64, steps: u32) -> Vec<OutlinePoint> {
    (0..=steps)
        .map(|step| {
            let angle = from + (to - from) * f64::from(step) / f64::from(steps);
            let (sin, cos) = (maths::sin(angle), maths::cos(angle));
            // At the poles the cosine is a rounding error; zero makes them points.
            let out = if cos.abs() < 1e-12 { 0.0 } else { cos };
            point(radius * out, middle_y + radius * sin, (out, sin))
        })
        .collect()
}

fn wrapped(points: Vec<OutlinePoint>) -> Band {
    Band { points, mapping: Mapping::Wrapped }
}

fn bottom_cap(radius: f64, y: f64) -> Band {
    Band { points: vec![point(0.0, y, (0.0, -1.0)), point(radius, y, (0.0, -1.0))], mapping: Mapping::Flat }
}

fn top_cap(radius: f64, y: f64) -> Band {
    Band { points: vec![point(radius, y, (0.0, 1.0)), point(0.0, y, (0.0, 1.0))], mapping: Mapping::Flat }
}

fn point(radius: f64, y: f64, normal: (f64, f64)) -> OutlinePoint {
    OutlinePoint { radius, y, normal }
}
