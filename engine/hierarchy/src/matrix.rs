//! Column-major 4×4 matrices as 16 floats, with the same bits on every machine.

use zero_base::maths;

use crate::HierarchyError;

#[cfg(test)]
mod tests;

/// A rotation as people write it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rotation {
    /// x, y, z, w; any length but zero.
    Quaternion([f32; 4]),
    /// Radians about x, then the turned y, then the turned z: `Rx * Ry * Rz`.
    Euler([f32; 3]),
}

/// Scale first, then rotation, then position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    pub position: [f32; 3],
    pub rotation: Rotation,
    pub scale: [f32; 3],
}

impl Default for Pose {
    fn default() -> Pose {
        Pose { position: [0.0; 3], rotation: Rotation::Quaternion([0.0, 0.0, 0.0, 1.0]), scale: [1.0; 3] }
    }
}

/// The matrix of a pose. Errors: `hierarchy/not_finite` naming the field
/// (`rotation.y`), `hierarchy/zero_rotation`.
pub fn compose_matrix(pose: &Pose) -> Result<[f32; 16], HierarchyError> {
    check_finite("position", &pose.position)?;
    check_finite("scale", &pose.scale)?;
    let [x, y, z, w] = match pose.rotation {
        Rotation::Quaternion(quaternion) => {
            check_finite("rotation", &quaternion)?;
            normalised(quaternion.map(f64::from)).ok_or(HierarchyError::ZeroRotation)?
        }
        Rotation::Euler(angles) => {
            check_finite("rotation", &angles)?;
            quaternion_of_euler(angles.map(f64::from))
        }
    };
    let axes = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let mut matrix = [0.0; 16];
    for (column, axis) in axes.iter().enumerate() {
        for (row, value) in axis.iter().enumerate() {
            matrix[column * 4 + row] = (value * f64::from(pose.scale[column])) as f32;
        }
    }
    matrix[12..15].copy_from_slice(&pose.position);
    matrix[15] = 1.0;
    check_matrix("the matrix", &matrix)?;
    Ok(matrix)
}

/// The pose that gives `matrix`, its rotation as a unit quaternion with w ≥ 0. A mirroring
/// matrix gets a negative x scale.
///
/// Errors: `hierarchy/not_finite`, `hierarchy/not_affine`, `hierarchy/singular` for an axis
/// without length, `hierarchy/sheared` when no pose gives the matrix.
pub fn decompose_matrix(matrix: &[f32; 16]) -> Result<Pose, HierarchyError> {
    // How far axes may be from square: what a chain of f32 products gathers, not what a
    // person would call shear.
    const SQUARE_ENOUGH: f64 = 1e-3;
    const NAME: &str = "the matrix";
    check_matrix(NAME, matrix)?;
    let column = |at: usize| [0, 1, 2].map(|row| f64::from(matrix[at * 4 + row]));
    let mut axes = [column(0), column(1), column(2)];
    let mut scale = axes.map(|axis| dot(axis, axis).sqrt());
    if scale.contains(&0.0) {
        return Err(HierarchyError::Singular { matrix: NAME });
    }
    if dot(cross(axes[0], axes[1]), axes[2]) < 0.0 {
        scale[0] = -scale[0];
    }
    for (axis, length) in axes.iter_mut().zip(scale) {
        *axis = axis.map(|value| value / length);
    }
    let [x, y, z] = axes;
    if [dot(x, y), dot(y, z), dot(z, x)].iter().any(|cosine| cosine.abs() > SQUARE_ENOUGH) {
        return Err(HierarchyError::Sheared { matrix: NAME });
    }
    Ok(Pose {
        position: [matrix[12], matrix[13], matrix[14]],
        rotation: Rotation::Quaternion(quaternion_of_axes(x, y, z).map(|value| value as f32)),
        scale: scale.map(|value| value as f32),
    })
}

/// The local matrix that puts a child of `parent_world` at `world`: `parent_world⁻¹ * world`.
///
/// Errors: `hierarchy/not_finite`, `hierarchy/not_affine`, `hierarchy/singular` for a parent
/// that flattens space.
pub fn local_from_world(parent_world: &[f32; 16], world: &[f32; 16]) -> Result<[f32; 16], HierarchyError> {
    const PARENT: &str = "the parent's world matrix";
    check_matrix(PARENT, parent_world)?;
    check_matrix("the world matrix", world)?;
    let column = |matrix: &[f32; 16], at: usize| [0, 1, 2].map(|row| f64::from(matrix[at * 4 + row]));
    let [x, y, z] = [0, 1, 2].map(|at| column(parent_world, at));
    let determinant = dot(cross(x, y), z);
    let inverse_rows = [cross(y, z), cross(z, x), cross(x, y)].map(|row| row.map(|value| value / determinant));
    if inverse_rows.iter().flatten().any(|value| !value.is_finite()) {
        return Err(HierarchyError::Singular { matrix: PARENT });
    }
    let origin = column(parent_world, 3);
    let mut local = [0.0; 16];
    for at in 0..4 {
        let mut axis = column(world, at);
        if at == 3 {
            axis = [axis[0] - origin[0], axis[1] - origin[1], axis[2] - origin[2]];
        }
        for (row, inverse_row) in inverse_rows.iter().enumerate() {
            local[at * 4 + row] = dot(*inverse_row, axis) as f32;
        }
    }
    local[15] = 1.0;
    check_matrix("the local matrix", &local)?;
    Ok(local)
}

/// `a * b`.
pub fn multiply(a: &[f32; 16], b: &[f32; 16]) -> [f32; 16] {
    let mut out = [0.0; 16];
    multiply_into(a, b, &mut out);
    out
}

/// The sum is always taken in this order, so that every evaluation of a chain has the same bits.
pub(crate) fn multiply_into(a: &[f32; 16], b: &[f32; 16], out: &mut [f32; 16]) {
    for column in 0..4 {
        let [b0, b1, b2, b3] = [0, 1, 2, 3].map(|row| b[column * 4 + row]);
        for row in 0..4 {
            out[column * 4 + row] = a[row] * b0 + a[4 + row] * b1 + a[8 + row] * b2 + a[12 + row] * b3;
        }
    }
}

fn check_finite(name: &str, values: &[f32]) -> Result<(), HierarchyError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(HierarchyError::NotFinite { field: format!("{name}.{}", ["x", "y", "z", "w"][at]) }),
        None => Ok(()),
    }
}

fn check_matrix(name: &'static str, matrix: &[f32; 16]) -> Result<(), HierarchyError> {
    if let Some(at) = matrix.iter().position(|value| !value.is_finite()) {
        return Err(HierarchyError::NotFinite { field: format!("{name}, column {}, row {},", at / 4, at % 4) });
    }
    if [matrix[3], matrix[7], matrix[11], matrix[15]] != [0.0, 0.0, 0.0, 1.0] {
        return Err(HierarchyError::NotAffine { matrix: name });
    }
    Ok(())
}

fn normalised(quaternion: [f64; 4]) -> Option<[f64; 4]> {
    let length = quaternion.iter().map(|value| value * value).sum::<f64>().sqrt();
    (length > 0.0).then(|| quaternion.map(|value| value / length))
}

fn quaternion_of_euler(angles: [f64; 3]) -> [f64; 4] {
    let [sx, sy, sz] = angles.map(|angle| maths::sin(angle / 2.0));
    let [cx, cy, cz] = angles.map(|angle| maths::cos(angle / 2.0));
    [sx * cy * cz + cx * sy * sz, cx * sy * cz - sx * cy * sz, cx * cy * sz + sx * sy * cz, cx * cy * cz - sx * sy * sz]
}

/// Shepperd's method: divides by the largest of the four components, so none is lost.
fn quaternion_of_axes(x: [f64; 3], y: [f64; 3], z: [f64; 3]) -> [f64; 4] {
    let trace = x[0] + y[1] + z[2];
    let raw = if trace > 0.0 {
        [y[2] - z[1], z[0] - x[2], x[1] - y[0], 1.0 + trace]
    } else if x[0] >= y[1] && x[0] >= z[2] {
        [1.0 + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2], y[2] - z[1]]
    } else if y[1] >= z[2] {
        [x[1] + y[0], 1.0 - x[0] + y[1] - z[2], y[2] + z[1], z[0] - x[2]]
    } else {
        [z[0] + x[2], y[2] + z[1], 1.0 - x[0] - y[1] + z[2], x[1] - y[0]]
    };
    let unit = normalised(raw).expect("the largest component of a rotation is at least a half");
    if unit[3] < 0.0 { unit.map(|value| -value) } else { unit }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
