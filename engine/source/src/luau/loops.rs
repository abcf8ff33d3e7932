use std::collections::HashSet;

use super::raw::{Lookup, Raw, RawId};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// Orders all types so that each comes after those it consists of directly, without a table
/// in between. Aliases that make a loop of such are cut, with a warning.
pub(super) fn order(lookup: &mut Lookup<'_>) -> Vec<RawId> {
    // A cut leaves other ways round that share a part of the loop: looks again until none is left.
    loop {
        let (order, loops) = walk(&lookup.nodes);
        let mut cut = HashSet::new();
        for aliases in &loops {
            if let Some(&alias) = aliases.first()
                && aliases.iter().all(|alias| !cut.contains(alias))
            {
                lookup.cut(alias);
                cut.insert(alias);
            }
        }
        if cut.is_empty() {
            return order;
        }
    }
}

/// The order, and the aliases on each loop that was met on the way.
fn walk(nodes: &[Raw]) -> (Vec<RawId>, Vec<Vec<RawId>>) {
    let mut visits = vec![Visit::New; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    let mut loops = Vec::new();
    for root in 0..nodes.len() as u32 {
        if visits[root as usize] != Visit::New {
            continue;
        }
        let mut path = vec![(RawId(root), 0)];
        while let Some((id, part)) = path.pop() {
            visits[id.0 as usize] = Visit::Open;
            let Some(next) = direct_part(&nodes[id.0 as usize], part) else {
                visits[id.0 as usize] = Visit::Done;
                order.push(id);
                continue;
            };
            path.push((id, part + 1));
            match visits[next.0 as usize] {
                Visit::New => path.push((next, 0)),
                Visit::Open => {
                    let start = path.iter().rposition(|&(open, _)| open == next).unwrap_or(0);
                    let looped = path[start..].iter().map(|&(open, _)| open);
                    loops.push(looped.filter(|open| matches!(nodes[open.0 as usize], Raw::Alias { .. })).collect());
                }
                Visit::Done => {}
            }
        }
    }
    (order, loops)
}

/// The types a type consists of directly: what is inside a table is not among them.
fn direct_part(raw: &Raw, index: usize) -> Option<RawId> {
    match raw {
        Raw::Alias { target, .. } => target.filter(|_| index == 0),
        Raw::Optional(inner) => (index == 0).then_some(*inner),
        Raw::Union(parts) | Raw::Intersection(parts) => parts.get(index).copied(),
        Raw::Leaf(_) | Raw::Array(_) | Raw::Record { .. } => None,
    }
}
