mod remarks;

use std::collections::BTreeMap;
use std::sync::Arc;

use zero_base::Diagnostic;
use zero_gpu::{Gpu, Image, wgpu};

use self::remarks::{Users, name_users, without_repeats};
use crate::frame::batches::{Batch, Item, batch};
use crate::frame::cascades::{self, Cascade};
use crate::frame::culling::Frustum;
use crate::frame::environment::Environment;
use crate::frame::passes::{Shared, draw_light, draw_picture};
use crate::frame::targets::Targets;
use crate::frame::uniforms::{FrameUniform, SkyUniform, to_light};
use crate::frame::view::View;
use crate::library::Library;
use crate::store::pipelines::Layouts;
use crate::store::stages::StageStore;
use crate::{Bounds, RenderAssets, RenderError, RenderScene, builtin};

/// Draws scenes, and keeps on the device what they are made of from one picture to the next.
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    layouts: Layouts,
    library: Library,
    stages: StageStore,
    environment: Environment,
    shared: Shared,
    targets: Option<Targets>,
}

/// A picture, and what was wrong or worth saying about what it shows.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub image: Image,
    /// Everything that is wrong now, not only what is new since the last picture.
    pub diagnostics: Vec<Diagnostic>,
    pub stats: DrawStats,
}

/// What a picture took to draw, shadows included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DrawStats {
    pub instances: usize,
    /// Instances that are in the picture, as far as their bounds tell.
    pub visible: usize,
    pub draw_calls: usize,
    pub triangles: u64,
}

impl Renderer {
    /// Opens the machine's best device.
    pub fn open() -> Result<Renderer, RenderError> {
        Renderer::new(Gpu::open()?)
    }

    pub fn new(gpu: Gpu) -> Result<Renderer, RenderError> {
        let layouts = Layouts::new(&gpu);
        Ok(Renderer {
            library: Library::new(&gpu)?,
            environment: Environment::new(&gpu, &layouts)?,
            shared: Shared::new(&gpu)?,
            stages: StageStore::new(),
            targets: None,
            layouts,
            gpu,
        })
    }

    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Draws `scene` and waits for the picture. The same scene over the same assets gives the same
    /// bytes on one machine and driver. Content that fails draws as it last did, or as a
    /// placeholder; errors are for pictures that cannot be made at all.
    pub fn draw(
        &mut self,
        scene: &RenderScene,
        assets: &dyn RenderAssets,
        width: u32,
        height: u32,
    ) -> Result<Drawn, RenderError> {
        let most = self.gpu.device.limits().max_texture_dimension_2d;
        if width == 0 || height == 0 || width > most || height > most {
            return Err(RenderError::Size { width, height, most });
        }
        self.library.next_draw();
        self.stages.next_draw();
        let mut diagnostics = Vec::new();
        remarks::remark_on(scene, &mut diagnostics);
        let lit = remarks::lit(scene, &mut diagnostics);
        let scene = lit.as_ref().unwrap_or(scene);
        let stages = self.stages.get(&self.gpu, &self.layouts, assets, &mut diagnostics)?;
        let items = self.items(scene, assets, &mut diagnostics)?;
        let view = view_of(scene, &items, width as f32 / height as f32, &mut diagnostics);

        let frustum = Frustum::of(&view.clip_from_world);
        let mut records = Vec::new();
        let batches = batch(&items, &mut records, |item| frustum.touches(&item.bounds));
        let visible = records.len();
        let shadows: Vec<(Cascade, Vec<Batch>)> = shadow_cascades(scene, &items, &view, &frustum)
            .into_iter()
            .map(|cascade| {
                let sees = Frustum::of(&cascade.clip_from_world);
                let thrown = |item: &Item| item.instance.cast_shadows && sees.touches(&item.bounds);
                (cascade, batch(&items, &mut records, thrown))
            })
            .collect();
        let cascades: Vec<Cascade> = shadows.iter().map(|(cascade, _)| *cascade).collect();
        let uniform = FrameUniform::new(scene, &view, [width, height], &cascades);
        self.shared.upload(&self.gpu, &uniform, &cascades, &records)?;

        if self.targets.as_ref().is_none_or(|targets| targets.size != [width, height]) {
            self.targets = Some(Targets::new(&self.gpu, &self.layouts, [width, height])?);
        }
        let targets = self.targets.as_ref().expect("made just above");
        let groups = self
            .gpu
            .checked("the picture's bindings", |device| self.shared.groups(device, &self.layouts, &self.environment))?;
        let sky = SkyUniform::new(scene.sky.as_ref(), scene.lights.first());
        self.gpu.checked("the picture's commands", |device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") });
            self.environment.update(&self.gpu, &mut encoder, sky, &stages.environment);
            self.shared.draw_shadows(&mut encoder, &stages, &groups, &shadows);
            draw_light(&mut encoder, targets, &stages, &groups, &batches);
            draw_picture(&mut encoder, targets, &stages);
            self.gpu.queue.submit([encoder.finish()]);
        })?;
        let rgba8 = self.gpu.read_texture(&targets.picture)?;
        let calls = || batches.iter().chain(shadows.iter().flat_map(|(_, batches)| batches));
        let triangles = |batch: &Batch| u64::from(batch.mesh.index_count / 3) * batch.instances.len() as u64;
        let stats = DrawStats {
            instances: items.len(),
            visible,
            draw_calls: calls().count(),
            triangles: calls().map(triangles).sum(),
        };
        Ok(Drawn { image: Image { width, height, rgba8 }, diagnostics: without_repeats(diagnostics), stats })
    }

    fn items<'a>(
        &mut self,
        scene: &'a RenderScene,
        assets: &dyn RenderAssets,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Item<'a>>, RenderError> {
        let (mut meshes, mut materials) = (BTreeMap::new(), BTreeMap::new());
        let users = Users::of(scene);
        let mut items = Vec::with_capacity(scene.instances.len());
        let mut misplaced = Vec::new();
        for instance in &scene.instances {
            if !instance.world.is_finite() {
                misplaced.push(instance.entity);
                continue;
            }
            let mesh = meshes.entry(&*instance.mesh).or_insert_with(|| {
                let first = diagnostics.len();
                let mesh = self.library.mesh(&self.gpu, assets, &instance.mesh, diagnostics);
                name_users(&mut diagnostics[first..], &users.meshes[&*instance.mesh]);
                mesh
            });
            let named = if instance.material.is_empty() { builtin::DEFAULT_MATERIAL } else { &*instance.material };
            if !materials.contains_key(named) {
                let first = diagnostics.len();
                let wearable = self.library.material(&self.gpu, &self.layouts, assets, named, diagnostics)?;
                name_users(&mut diagnostics[first..], &users.materials[&*instance.material]);
                materials.insert(named, wearable);
            }
            items.push(Item::new(instance, Arc::clone(mesh), materials[named].clone()));
        }
        let first_remark = diagnostics.len();
        if !misplaced.is_empty() {
            let message = "not drawn, because the place or size is not finite";
            diagnostics.push(Diagnostic::warning("render/transform", message));
            name_users(&mut diagnostics[first_remark..], &misplaced);
        }
        items.sort_by(|a, b| a.key().cmp(&b.key()));
        Ok(items)
    }
}

fn view_of(scene: &RenderScene, items: &[Item], aspect: f32, diagnostics: &mut Vec<Diagnostic>) -> View {
    match &scene.camera {
        Some(camera) if camera.is_finite() => return View::new(camera, aspect),
        Some(_) => diagnostics.push(Diagnostic::warning(
            "render/camera",
            "the camera's place or lens is not finite, so the picture frames everything instead",
        )),
        None => {}
    }
    let bounds = items.iter().fold(Bounds::EMPTY, |bounds, item| bounds.join(item.bounds));
    View::framing(bounds, aspect)
}

fn shadow_cascades(scene: &RenderScene, items: &[Item], view: &View, frustum: &Frustum) -> Vec<Cascade> {
    let Some(light) = scene.shadowing_light().map(|index| &scene.lights[index]) else { return Vec::new() };
    let joined = |wanted: &dyn Fn(&Item) -> bool| {
        items.iter().filter(|item| wanted(item)).fold(Bounds::EMPTY, |bounds, item| bounds.join(item.bounds))
    };
    let receivers = joined(&|item| frustum.touches(&item.bounds));
    let casters = joined(&|item| item.instance.cast_shadows);
    cascades::fit(view, to_light(light), receivers, casters)
}
