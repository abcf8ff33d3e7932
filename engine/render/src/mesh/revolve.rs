use std::f64::consts::TAU;

use zero_base::maths;

use super::MeshData;

/// A smooth stretch of an outline that is turned around the Y axis. Points run from the bottom
/// outwards and up to the top, so that the surface faces away from the axis.
pub(super) struct Band {
    pub(super) points: Vec<OutlinePoint>,
    pub(super) mapping: Mapping,
}

#[derive(Clone, Copy)]
pub(super) struct OutlinePoint {
    pub(super) radius: f64,
    pub(super) y: f64,
    /// The normal, outwards and upwards; of length one.
    pub(super) normal: (f64, f64),
}

/// How texture coordinates lie on a band.
#[derive(Clone, Copy)]
pub(super) enum Mapping {
    /// Once around, top to bottom.
    Wrapped,
    /// As seen along the axis, the disc filling the texture.
    Flat,
}

pub(super) fn revolve(bands: &[Band], segments: u32) -> MeshData {
    let mut mesh = MeshData::default();
    for band in bands {
        add_band(&mut mesh, band, segments);
    }
    mesh
}

fn add_band(mesh: &mut MeshData, band: &Band, segments: u32) {
    let first = mesh.positions.len() as u32;
    let widest = band.points.iter().fold(0.0, |widest: f64, point| widest.max(point.radius));
    let last_row = band.points.len() - 1;
    for (row, point) in band.points.iter().enumerate() {
        for column in 0..=segments {
            let u = f64::from(column) / f64::from(segments);
            let (sin, cos) = (maths::sin(u * TAU), maths::cos(u * TAU));
            let position = [point.radius * sin, point.y, point.radius * cos];
            let normal = [point.normal.0 * sin, point.normal.1, point.normal.0 * cos];
            let uv = match band.mapping {
                Mapping::Wrapped => [u, 1.0 - row as f64 / last_row as f64],
                Mapping::Flat => [0.5 + position[0] / widest * 0.5, 0.5 + position[2] / widest * 0.5],
            };
            mesh.positions.push(position.map(|value| value as f32));
            mesh.normals.push(normal.map(|value| value as f32));
            mesh.uvs.push(uv.map(|value| value as f32));
        }
    }
    let stride = segments + 1;
    for row in 0..last_row as u32 {
        let (lower, upper) = (&band.points[row as usize], &band.points[row as usize + 1]);
        for column in 0..segments {
            let a = first + row * stride + column;
            let (b, c, d) = (a + 1, a + stride + 1, a + stride);
            // A ring of radius zero is a point: the triangles that end in it have no area.
            if lower.radius > 0.0 {
                mesh.indices.extend([a, b, c]);
            }
            if upper.radius > 0.0 {
                mesh.indices.extend([a, c, d]);
            }
        }
    }
}
