use zero_base::Fault;

/// Why an array was refused. Whatever it was to write is untouched.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HierarchyError {
    #[error(
        "row {row} names the parent {value}, which is no row; use -1 for a root or a row index from 0 to {}",
        *.size as i64 - 1
    )]
    Parent { row: usize, value: i32, size: usize },

    #[error("rows {} form a cycle; remove the cyclic parent links first", listed(.rows, *.total))]
    Cycle { rows: Vec<usize>, total: usize },

    #[error(
        "parents differ from those the order was made from, first in row {row} ({actual} now, {compiled} then); \
         rebuild the order from these parents, then evaluate every row (without changed)"
    )]
    Order { row: usize, compiled: i32, actual: i32 },

    #[error("this is not a hierarchy order; make one from the parents first")]
    NotAnOrder,

    #[error(
        "{array} has {actual} entries and needs exactly {required}; pass the exact length, or a part of that length"
    )]
    Size { array: &'static str, actual: usize, required: usize },

    #[error("{output} and {other} share memory; give the outputs byte ranges of their own")]
    Alias { output: &'static str, other: &'static str },

    #[error("{field} is not finite; use finite numbers")]
    NotFinite { field: String },

    #[error("the rotation quaternion has no length; use [0, 0, 0, 1] for no rotation")]
    ZeroRotation,

    #[error("{matrix} is not affine: its last row is not 0, 0, 0, 1")]
    NotAffine { matrix: &'static str },

    #[error("{matrix} flattens space (an axis has no length), so it cannot be undone; give it a scale other than 0")]
    Singular { matrix: &'static str },

    #[error("{matrix} is sheared, so no position, rotation and scale give it; keep it as a matrix")]
    Sheared { matrix: &'static str },
}

impl HierarchyError {
    pub fn code(&self) -> &'static str {
        match self {
            HierarchyError::Parent { .. } => "VGPU-SPATIAL-PARENT",
            HierarchyError::Cycle { .. } => "VGPU-SPATIAL-CYCLE",
            HierarchyError::Order { .. } | HierarchyError::NotAnOrder => "VGPU-SPATIAL-ORDER",
            HierarchyError::Size { .. } => "VGPU-SPATIAL-SIZE",
            HierarchyError::Alias { .. } => "VGPU-SPATIAL-ALIAS",
            HierarchyError::NotFinite { .. } => "hierarchy/not_finite",
            HierarchyError::ZeroRotation => "hierarchy/zero_rotation",
            HierarchyError::NotAffine { .. } => "hierarchy/not_affine",
            HierarchyError::Singular { .. } => "hierarchy/singular",
            HierarchyError::Sheared { .. } => "hierarchy/sheared",
        }
    }
}

impl From<HierarchyError> for Fault {
    fn from(error: HierarchyError) -> Fault {
        Fault::new(error.code(), error.to_string())
    }
}

fn listed(rows: &[usize], total: usize) -> String {
    let mut text = rows.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if total > rows.len() {
        text.push_str(&format!(" and {} more", total - rows.len()));
    }
    text
}
