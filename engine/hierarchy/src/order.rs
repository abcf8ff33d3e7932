use crate::HierarchyError;

/// The most rows a cycle's message lists.
const LISTED_ROWS: usize = 16;

/// A compiled topology: a copy of the parents and an order in which every parent comes before
/// its children. Opaque but for its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyOrder {
    parents: Box<[i32]>,
    rows: Box<[u32]>,
}

impl HierarchyOrder {
    /// The number of rows.
    pub fn size(&self) -> usize {
        self.parents.len()
    }

    pub(crate) fn parents(&self) -> &[i32] {
        &self.parents
    }

    /// Every row once, parents first.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }
}

/// Checks `parents` and compiles it: `-1` is a root, anything else the row of the parent, in
/// any order. O(n). Build it once per topology, and again when a parent link changes; the
/// next evaluation must then be a full one.
///
/// Errors: `VGPU-SPATIAL-PARENT` for an entry that is no row, `VGPU-SPATIAL-CYCLE` with the
/// rows in question (at most 16 of them).
pub fn hierarchy_order(parents: &[i32]) -> Result<HierarchyOrder, HierarchyError> {
    let size = parents.len();
    let out_of_range = |value: i32| value < -1 || value >= 0 && value as usize >= size;
    if let Some(row) = parents.iter().position(|value| out_of_range(*value)) {
        return Err(HierarchyError::Parent { row, value: parents[row], size });
    }
    let rows = parents_first(parents);
    if rows.len() < size {
        return Err(cycle(parents));
    }
    Ok(HierarchyOrder { parents: parents.into(), rows: rows.into() })
}

/// Rows reachable from a root, breadth first. The list grows while it is walked.
fn parents_first(parents: &[i32]) -> Vec<u32> {
    let (starts, children) = children_of(parents);
    let mut rows: Vec<u32> = (0..parents.len() as u32).filter(|row| parents[*row as usize] < 0).collect();
    rows.reserve_exact(parents.len() - rows.len());
    let mut next = 0;
    while next < rows.len() {
        let row = rows[next] as usize;
        rows.extend_from_slice(&children[starts[row] as usize..starts[row + 1] as usize]);
        next += 1;
    }
    rows
}

/// The children of row r are `children[starts[r]..starts[r + 1]]`, in ascending order.
fn children_of(parents: &[i32]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; parents.len() + 1];
    for parent in parents.iter().filter(|parent| **parent >= 0) {
        starts[*parent as usize + 1] += 1;
    }
    for row in 0..parents.len() {
        starts[row + 1] += starts[row];
    }
    let mut children = vec![0u32; starts[parents.len()] as usize];
    let mut next = starts.clone();
    for (row, parent) in parents.iter().enumerate().filter(|(_, parent)| **parent >= 0) {
        let slot = &mut next[*parent as usize];
        children[*slot as usize] = row as u32;
        *slot += 1;
    }
    (starts, children)
}

/// The rows that lie on a cycle; rows that merely hang below one are not at fault.
fn cycle(parents: &[i32]) -> HierarchyError {
    // 0 is unseen; a walk marks its rows with its own number, so meeting that number again
    // closes a cycle, while meeting an older one ends in something already known.
    let mut walk_of = vec![0u32; parents.len()];
    let mut rows = Vec::new();
    for start in 0..parents.len() {
        let walk = start as u32 + 1;
        let mut row = start as i32;
        while row >= 0 && walk_of[row as usize] == 0 {
            walk_of[row as usize] = walk;
            row = parents[row as usize];
        }
        if row >= 0 && walk_of[row as usize] == walk {
            let first = row;
            loop {
                rows.push(row as usize);
                row = parents[row as usize];
                if row == first {
                    break;
                }
            }
        }
    }
    rows.sort_unstable();
    let total = rows.len();
    rows.truncate(LISTED_ROWS);
    HierarchyError::Cycle { rows, total }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_any_forest_parents_first() {
        let order = hierarchy_order(&[2, -1, 1, 2, -1]).unwrap();
        assert_eq!(order.size(), 5);
        assert_eq!(order.rows(), &[1, 4, 2, 0, 3]);
        assert_eq!(hierarchy_order(&[]).unwrap().size(), 0);
    }

    #[test]
    fn refuses_entries_that_are_no_row() {
        let check = |parents: &[i32], row, value| {
            let error = hierarchy_order(parents).unwrap_err();
            assert_eq!(error, HierarchyError::Parent { row, value, size: parents.len() });
            assert_eq!(error.code(), "VGPU-SPATIAL-PARENT");
        };
        check(&[-1, 2], 1, 2);
        check(&[-2], 0, -2);
        check(&[0, i32::MAX], 1, i32::MAX);
        check(&[i32::MIN], 0, i32::MIN);
    }

    #[test]
    fn names_the_rows_of_a_cycle_and_not_those_below_it() {
        let check = |parents: &[i32], expected: &[usize], message: &str| {
            let error = hierarchy_order(parents).unwrap_err();
            assert_eq!(error.code(), "VGPU-SPATIAL-CYCLE");
            assert!(error.to_string().starts_with(message), "{error}");
            let HierarchyError::Cycle { rows, .. } = error else { panic!("{error}") };
            assert_eq!(rows, expected);
        };
        check(&[-1, 1], &[1], "rows 1 form a cycle");
        check(&[1, 2, 0, 0, 3], &[0, 1, 2], "rows 0, 1, 2 form");
        check(&[1, 0, 3, 2, -1], &[0, 1, 2, 3], "rows 0, 1, 2, 3 form");
        let ring: Vec<i32> = (0..100).map(|row| (row + 1) % 100).collect();
        let listed: Vec<usize> = (0..16).collect();
        check(&ring, &listed, "rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 84 more form");
    }
}
