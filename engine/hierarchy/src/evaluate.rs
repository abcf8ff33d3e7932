use crate::matrix::multiply_into;
use crate::{HierarchyError, HierarchyOrder};

#[cfg(test)]
mod tests;

/// What [`evaluate_hierarchy`] reads and writes. Matrices are column-major, 16 floats a row.
pub struct Evaluation<'a> {
    pub order: &'a HierarchyOrder,
    /// Exactly those the order was made from.
    pub parents: &'a [i32],
    /// Taken as finite and affine; not checked.
    pub locals: &'a [f32],
    /// Rows that are not recomputed are read as parents and left as they are.
    pub worlds: &'a mut [f32],
    /// Nonzero marks a row whose local changed; none recomputes every row.
    pub changed: Option<&'a [u8]>,
    /// Overwritten: 1 for rows this call recomputed, 0 for all others.
    pub updated: Option<&'a mut [u8]>,
}

/// Computes `worlds[row] = worlds[parent] * locals[row]` (or `locals[row]` for a root) for
/// every row, or for those marked in `changed` and all rows below them. Returns how many
/// rows it recomputed.
///
/// Leave `changed` out after a new order, and for a `worlds` that has not been filled by a
/// full evaluation: what is not marked keeps what `worlds` holds. O(n) to compare and scan,
/// one multiplication per recomputed row.
///
/// Errors: `VGPU-SPATIAL-SIZE` and `VGPU-SPATIAL-ORDER`; nothing is written then.
pub fn evaluate_hierarchy(evaluation: Evaluation<'_>) -> Result<usize, HierarchyError> {
    check(&evaluation)?;
    let Evaluation { order, parents, locals, worlds, changed, updated } = evaluation;
    let Some(changed) = changed else {
        if let Some(updated) = updated {
            updated.fill(1);
        }
        order.rows().iter().for_each(|row| recompute(*row as usize, parents, locals, worlds));
        return Ok(order.size());
    };
    // Whether a row was recomputed decides its children, so the flags are needed even when
    // nobody asked for them.
    let mut scratch = Vec::new();
    let recomputed = match updated {
        Some(updated) => updated,
        None => {
            scratch.resize(order.size(), 0);
            &mut scratch
        }
    };
    let mut count = 0;
    for row in order.rows().iter().map(|row| *row as usize) {
        let parent = parents[row];
        let below_change = parent >= 0 && recomputed[parent as usize] != 0;
        let stale = changed[row] != 0 || below_change;
        recomputed[row] = u8::from(stale);
        if stale {
            recompute(row, parents, locals, worlds);
            count += 1;
        }
    }
    Ok(count)
}

fn check(evaluation: &Evaluation<'_>) -> Result<(), HierarchyError> {
    let rows = evaluation.order.size();
    let matrices = rows * 16;
    let sizes = [
        ("parents", Some(evaluation.parents.len()), rows),
        ("locals", Some(evaluation.locals.len()), matrices),
        ("worlds", Some(evaluation.worlds.len()), matrices),
        ("changed", evaluation.changed.map(<[u8]>::len), rows),
        ("updated", evaluation.updated.as_deref().map(<[u8]>::len), rows),
    ];
    for (array, actual, required) in sizes {
        if let Some(actual) = actual.filter(|actual| *actual != required) {
            return Err(HierarchyError::Size { array, actual, required });
        }
    }
    let compiled = evaluation.order.parents();
    if compiled != evaluation.parents {
        let pairs = compiled.iter().zip(evaluation.parents).enumerate();
        let differing =
            pairs.filter(|(_, (then, now))| then != now).map(|(row, (then, now))| (row, *then, *now)).next();
        let (row, compiled, actual) = differing.expect("arrays of one length that differ do so in a row");
        return Err(HierarchyError::Order { row, compiled, actual });
    }
    Ok(())
}

fn recompute(row: usize, parents: &[i32], locals: &[f32], worlds: &mut [f32]) {
    let range = row * 16..row * 16 + 16;
    let local: &[f32; 16] = locals[range.clone()].try_into().expect("a row is 16 floats");
    let parent = parents[row];
    if parent < 0 {
        worlds[range].copy_from_slice(local);
        return;
    }
    let parent = parent as usize * 16;
    let parent: [f32; 16] = worlds[parent..parent + 16].try_into().expect("a row is 16 floats");
    multiply_into(&parent, local, (&mut worlds[range]).try_into().expect("a row is 16 floats"));
}
