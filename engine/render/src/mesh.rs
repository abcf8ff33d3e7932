mod primitives;
mod revolve;

use glam::{Mat4, Vec3};

pub use primitives::Primitive;

/// Triangles with one normal and one texture coordinate a vertex; front faces counter-clockwise.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshData {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub uvs: Vec<[f32; 2]>,
    pub indices: Vec<u32>,
}

impl MeshData {
    pub fn bounds(&self) -> Bounds {
        self.positions.iter().fold(Bounds::EMPTY, |bounds, position| bounds.with(Vec3::from_array(*position)))
    }

    /// Smooth normals: at each vertex the mean of its triangles', weighted by their areas.
    pub fn computed_normals(positions: &[[f32; 3]], indices: &[u32]) -> Vec<[f32; 3]> {
        let mut sums = vec![Vec3::ZERO; positions.len()];
        for triangle in indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|corner| Vec3::from_array(positions[triangle[corner] as usize]));
            let doubled_area = (b - a).cross(c - a);
            triangle.iter().for_each(|&index| sums[index as usize] += doubled_area);
        }
        sums.into_iter().map(|sum| sum.normalize_or(Vec3::Y).to_array()).collect()
    }
}

/// An axis-aligned box. The empty one contains nothing and joins with anything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub min: Vec3,
    pub max: Vec3,
}

impl Bounds {
    pub const EMPTY: Bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    pub fn with(self, point: Vec3) -> Bounds {
        Bounds { min: self.min.min(point), max: self.max.max(point) }
    }

    pub fn join(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    pub fn half_extent(&self) -> Vec3 {
        (self.max - self.min) * 0.5
    }

    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|corner| {
            let pick = |axis: usize| if corner >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// The box around this one after `matrix` moved it.
    pub fn transformed(&self, matrix: &Mat4) -> Bounds {
        if self.is_empty() {
            return *self;
        }
        self.corners().into_iter().fold(Bounds::EMPTY, |bounds, corner| bounds.with(matrix.transform_point3(corner)))
    }
}

#[cfg(test)]
mod tests;
