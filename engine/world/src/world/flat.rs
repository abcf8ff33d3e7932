use zero_hierarchy::{Evaluation, HierarchyOrder, evaluate_hierarchy, hierarchy_order, multiply};

use super::World;
use crate::{EntityId, Transform};

/// The flat arrays of the hierarchy: one row per entity, in the order of ids.
#[derive(Default)]
pub(super) struct Flat {
    rows: Vec<EntityId>,
    parents: Vec<i32>,
    locals: Vec<f32>,
    worlds: Vec<f32>,
    changed: Vec<u8>,
    updated: Vec<u8>,
    /// None when entities have come, gone or been hung elsewhere.
    order: Option<HierarchyOrder>,
    /// Whether a row of `changed` is set.
    dirty: bool,
}

impl Flat {
    pub(super) fn forget_topology(&mut self) {
        self.order = None;
    }

    pub(super) fn moved(&mut self, row: u32) {
        if self.order.is_some() {
            self.changed[row as usize] = 1;
            self.dirty = true;
        }
    }

    /// The world matrix of a row, when nothing has changed since it was computed.
    pub(super) fn matrix(&self, row: u32) -> Option<[f32; 16]> {
        if self.order.is_none() || self.dirty {
            return None;
        }
        self.worlds.get(row as usize * 16..)?.first_chunk().copied()
    }
}

impl World {
    /// Brings typed views and world matrices up to date in one pass, parents before
    /// children. Returns how many world matrices were computed anew.
    pub fn update_hierarchy(&mut self) -> usize {
        self.refresh_views();
        if self.flat.order.is_none() {
            return self.rebuild_rows();
        }
        if !self.flat.dirty {
            self.flat.updated.fill(0);
            return 0;
        }
        for row in 0..self.flat.rows.len() {
            if self.flat.changed[row] != 0 {
                let transform = self.transform_of(&self.nodes[&self.flat.rows[row]]);
                self.flat.locals[row * 16..row * 16 + 16].copy_from_slice(&transform.matrix());
            }
        }
        let count = self.evaluate(Rows::Changed);
        self.flat.changed.fill(0);
        self.flat.dirty = false;
        count
    }

    /// The entity of each row of the flat arrays, as of the last update.
    pub fn rows(&self) -> &[EntityId] {
        &self.flat.rows
    }

    /// World matrices by row, column-major, 16 floats each, as of the last update.
    pub fn world_matrices(&self) -> &[f32] {
        &self.flat.worlds
    }

    /// 1 for each row whose world matrix the last update computed anew.
    pub fn updated_rows(&self) -> &[u8] {
        &self.flat.updated
    }

    /// The same product the flat pass computes, with the same bits, from the root down.
    pub(super) fn matrix_from_ancestors(&self, entity: EntityId) -> [f32; 16] {
        let mut chain: Vec<Transform> = Vec::new();
        let mut next = Some(entity);
        while let Some(node) = next.and_then(|entity| self.nodes.get(&entity)) {
            chain.push(self.transform_of(node));
            next = self.parent_of(node);
        }
        let locals = chain.iter().rev().map(Transform::matrix);
        locals.reduce(|world, local| multiply(&world, &local)).expect("the chain holds the entity itself")
    }

    fn rebuild_rows(&mut self) -> usize {
        let count = self.nodes.len();
        let mut rows = Vec::with_capacity(count);
        for (row, (entity, node)) in self.nodes.iter_mut().enumerate() {
            node.row = row as u32;
            rows.push(*entity);
        }
        let mut parents = Vec::with_capacity(count);
        let mut locals = Vec::with_capacity(count * 16);
        for node in self.nodes.values() {
            parents.push(self.parent_of(node).map_or(-1, |parent| self.nodes[&parent].row as i32));
            locals.extend_from_slice(&self.transform_of(node).matrix());
        }
        // Invariant: edits and loads refuse or cut cyclic links before they are written.
        let order = hierarchy_order(&parents).expect("the world holds no cycle");
        self.flat = Flat {
            rows,
            parents,
            locals,
            worlds: vec![0.0; count * 16],
            changed: vec![0; count],
            updated: vec![0; count],
            order: Some(order),
            dirty: false,
        };
        self.evaluate(Rows::All)
    }

    fn evaluate(&mut self, rows: Rows) -> usize {
        let Flat { parents, locals, worlds, changed, updated, order, .. } = &mut self.flat;
        let evaluation = Evaluation {
            order: order.as_ref().expect("the caller has made sure of the order"),
            parents,
            locals,
            worlds,
            changed: matches!(rows, Rows::Changed).then_some(changed),
            updated: Some(updated),
        };
        evaluate_hierarchy(evaluation).expect("the arrays are sized together")
    }
}

enum Rows {
    All,
    Changed,
}
