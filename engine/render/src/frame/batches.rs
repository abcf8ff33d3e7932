use std::ops::Range;
use std::sync::Arc;

use super::uniforms::InstanceRecord;
use crate::library::Wearable;
use crate::store::meshes::GpuMesh;
use crate::{Bounds, Instance};

/// One instance with all that its names stand for.
#[derive(Debug, Clone)]
pub(crate) struct Item<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) mesh: Arc<GpuMesh>,
    pub(crate) wearable: Wearable,
    pub(crate) bounds: Bounds,
    mirrored: bool,
}

/// Neighbouring items that one call draws.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) mesh: Arc<GpuMesh>,
    pub(crate) wearable: Wearable,
    pub(crate) mirrored: bool,
    /// Which records of the instance buffer.
    pub(crate) instances: Range<u32>,
}

impl<'a> Item<'a> {
    pub(crate) fn new(instance: &'a Instance, mesh: Arc<GpuMesh>, wearable: Wearable) -> Item<'a> {
        let bounds = mesh.bounds.transformed(&instance.world);
        Item { instance, mesh, wearable, bounds, mirrored: instance.world.determinant() < 0.0 }
    }

    /// Draw order: by shader, material, mesh, then entity, so that it never depends on the order
    /// the scene was listed in.
    pub(crate) fn key(&self) -> (&str, &str, &str, bool, u64) {
        let Instance { material, mesh, entity, .. } = self.instance;
        (&self.wearable.shader_path, material, mesh, self.mirrored, *entity)
    }

    fn draws_with(&self, other: &Item) -> bool {
        Arc::ptr_eq(&self.mesh, &other.mesh)
            && Arc::ptr_eq(&self.wearable.material, &other.wearable.material)
            && Arc::ptr_eq(&self.wearable.shader, &other.wearable.shader)
            && self.mirrored == other.mirrored
    }
}

/// Groups the `visible` of sorted items, and appends their records to `records`.
pub(crate) fn batch(items: &[Item], records: &mut Vec<InstanceRecord>, visible: impl Fn(&Item) -> bool) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    let mut last: Option<&Item> = None;
    for item in items.iter().filter(|item| visible(item)) {
        let index = records.len() as u32;
        records.push(InstanceRecord::new(&item.instance.world));
        match batches.last_mut() {
            Some(batch) if last.is_some_and(|last| last.draws_with(item)) => batch.instances.end = index + 1,
            _ => batches.push(Batch {
                mesh: item.mesh.clone(),
                wearable: item.wearable.clone(),
                mirrored: item.mirrored,
                instances: index..index + 1,
            }),
        }
        last = Some(item);
    }
    batches
}
