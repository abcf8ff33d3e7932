//! Parent and child transforms in flat arrays that somebody else owns: one row per node, a
//! parent index, a local matrix and a world matrix each, evaluated in one pass.
//!
//! Never keeps a matrix, knows an entity, or marks a row as changed on its own. Start at
//! [`hierarchy_order`], then [`evaluate_hierarchy`].

mod error;
mod evaluate;
mod matrix;
mod order;
mod ranges;

pub use error::HierarchyError;
pub use evaluate::{Evaluation, evaluate_hierarchy};
pub use matrix::{Pose, Rotation, compose_matrix, decompose_matrix, local_from_world, multiply};
pub use order::{HierarchyOrder, hierarchy_order};
pub use ranges::{Ranges, check_ranges};
