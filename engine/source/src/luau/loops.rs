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
    let count = lookup.nodes.len();
    let mut visits = vec![Visit::New; count];
    let mut order = Vec::with_capacity(count);
    for root in 0..count as u32 {
        if visits[root as usize] != Visit::New {
            continue;
        }
        let mut path = vec![(RawId(root), 0)];
        while let Some((id, part)) = path.pop() {
            visits[id.0 as usize] = Visit::Open;
            let Some(next) = direct_part(&lookup.nodes[id.0 as usize], part) else {
                visits[id.0 as usize] = Visit::Done;
                order.push(id);
                continue;
            };
            path.push((id, part + 1));
            match visits.get(next.0 as usize) {
                Some(Visit::New) => path.push((next, 0)),
                Some(Visit::Open) => {
                    let start = path.iter().rposition(|&(open, _)| open == next).unwrap_or(0);
                    let mut looped = path[start..].iter().map(|&(open, _)| open);
                    let alias = looped.find(|open| matches!(lookup.nodes[open.0 as usize], Raw::Alias { .. }));
                    alias.into_iter().for_each(|alias| lookup.cut(alias));
                }
                // Leaves made by cutting consist of nothing.
                Some(Visit::Done) | None => {}
            }
        }
    }
    order
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
