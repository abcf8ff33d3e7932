use std::ops::Range;

use crate::HierarchyError;

/// Where the arrays of an evaluation lie in memory, as byte addresses. For callers whose
/// arrays are views of shared buffers; slices of Rust cannot overlap in the first place.
#[derive(Debug, Clone, Default)]
pub struct Ranges {
    pub parents: Range<usize>,
    pub locals: Range<usize>,
    pub worlds: Range<usize>,
    pub changed: Option<Range<usize>>,
    pub updated: Option<Range<usize>>,
}

/// Refuses outputs that share a byte with each other or with an input
/// (`VGPU-SPATIAL-ALIAS`). Inputs may share memory, and empty ranges share none.
pub fn check_ranges(ranges: &Ranges) -> Result<(), HierarchyError> {
    let inputs =
        [("parents", Some(&ranges.parents)), ("locals", Some(&ranges.locals)), ("changed", ranges.changed.as_ref())];
    for (output, range) in [("worlds", Some(&ranges.worlds)), ("updated", ranges.updated.as_ref())] {
        let Some(range) = range else { continue };
        for (other, input) in inputs {
            if input.is_some_and(|input| overlap(range, input)) {
                return Err(HierarchyError::Alias { output, other });
            }
        }
    }
    match &ranges.updated {
        Some(updated) if overlap(&ranges.worlds, updated) => {
            Err(HierarchyError::Alias { output: "worlds", other: "updated" })
        }
        _ => Ok(()),
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    !a.is_empty() && !b.is_empty() && a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_outputs_must_lie_apart() {
        let apart = Ranges {
            parents: 0..8,
            locals: 8..136,
            worlds: 136..264,
            changed: Some(264..266),
            updated: Some(266..268),
        };
        let check = |ranges: Ranges, expected: Option<(&'static str, &'static str)>| {
            let found = check_ranges(&ranges).err().map(|error| {
                assert_eq!(error.code(), "VGPU-SPATIAL-ALIAS");
                match error {
                    HierarchyError::Alias { output, other } => (output, other),
                    other => panic!("{other}"),
                }
            });
            assert_eq!(found, expected);
        };
        check(apart.clone(), None);
        check(Ranges { worlds: 135..263, ..apart.clone() }, Some(("worlds", "locals")));
        check(Ranges { worlds: 0..128, ..apart.clone() }, Some(("worlds", "parents")));
        check(Ranges { updated: Some(264..266), ..apart.clone() }, Some(("updated", "changed")));
        check(Ranges { updated: Some(136..137), ..apart.clone() }, Some(("worlds", "updated")));
        check(Ranges { changed: Some(0..2), locals: 0..128, ..apart }, None);
        check(Ranges::default(), None);
    }
}
