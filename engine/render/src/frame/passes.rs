use zero_gpu::{Gpu, GpuError, wgpu};

use super::batches::Batch;
use super::cascades::{ATLAS_SIZE, CASCADES, Cascade, TILE_SIZE};
use super::environment::Environment;
use super::targets::Targets;
use super::uniforms::{FrameUniform, InstanceRecord};
use crate::store::meshes::buffer;
use crate::store::pipelines::{DEPTH_FORMAT, Layouts};
use crate::store::stages::Stages;

/// What every picture is drawn with, whatever its size.
#[derive(Debug)]
pub(crate) struct Shared {
    frame: wgpu::Buffer,
    tiles: wgpu::Buffer,
    instances: wgpu::Buffer,
    atlas: wgpu::TextureView,
    atlas_sampler: wgpu::Sampler,
    environment_sampler: wgpu::Sampler,
}

/// The bindings of one picture.
pub(crate) struct Groups {
    view: wgpu::BindGroup,
    shadow: wgpu::BindGroup,
}

/// Uniforms of several draws in one buffer lie this far apart.
const TILE_STRIDE: usize = 256;

impl Shared {
    pub(crate) fn new(gpu: &Gpu) -> Result<Shared, GpuError> {
        let atlas = gpu.checked("the shadow atlas", |device| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some("shadow atlas"),
                size: wgpu::Extent3d { width: ATLAS_SIZE, height: ATLAS_SIZE, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: DEPTH_FORMAT,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            })
        })?;
        let smooth = wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..Default::default()
        };
        let compare = Some(wgpu::CompareFunction::LessEqual);
        let uniform = wgpu::BufferUsages::UNIFORM;
        Ok(Shared {
            frame: buffer(gpu, "frame", &[0; size_of::<FrameUniform>()], uniform)?,
            tiles: buffer(gpu, "shadow tiles", &[0; TILE_STRIDE * CASCADES], uniform)?,
            instances: instance_buffer(gpu, 256)?,
            atlas: atlas.create_view(&Default::default()),
            atlas_sampler: gpu.device.create_sampler(&wgpu::SamplerDescriptor { compare, ..smooth.clone() }),
            environment_sampler: gpu.device.create_sampler(&smooth),
        })
    }

    pub(crate) fn upload(
        &mut self,
        gpu: &Gpu,
        frame: &FrameUniform,
        cascades: &[Cascade],
        records: &[InstanceRecord],
    ) -> Result<(), GpuError> {
        let bytes = bytemuck::cast_slice(records);
        if bytes.len() as u64 > self.instances.size() {
            self.instances = instance_buffer(gpu, records.len().next_power_of_two())?;
        }
        gpu.queue.write_buffer(&self.instances, 0, bytes);
        gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(frame));
        for (index, cascade) in cascades.iter().enumerate() {
            let matrix = cascade.clip_from_world.to_cols_array();
            gpu.queue.write_buffer(&self.tiles, (index * TILE_STRIDE) as u64, bytemuck::cast_slice(&matrix));
        }
        Ok(())
    }

    pub(crate) fn groups(&self, device: &wgpu::Device, layouts: &Layouts, environment: &Environment) -> Groups {
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let view = |view| wgpu::BindingResource::TextureView(view);
        let group = |layout, entries: &[wgpu::BindGroupEntry]| {
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
        };
        let tile = wgpu::BufferBinding { buffer: &self.tiles, offset: 0, size: wgpu::BufferSize::new(64) };
        Groups {
            view: group(
                &layouts.view,
                &[
                    entry(0, self.frame.as_entire_binding()),
                    entry(1, self.instances.as_entire_binding()),
                    entry(2, environment.sky.as_entire_binding()),
                    entry(3, view(&self.atlas)),
                    entry(4, wgpu::BindingResource::Sampler(&self.atlas_sampler)),
                    entry(5, view(&environment.mirrored)),
                    entry(6, view(&environment.matt)),
                    entry(7, wgpu::BindingResource::Sampler(&self.environment_sampler)),
                ],
            ),
            shadow: group(
                &layouts.shadow,
                &[entry(0, wgpu::BindingResource::Buffer(tile)), entry(1, self.instances.as_entire_binding())],
            ),
        }
    }

    /// Draws what each cascade sees into its tile of the atlas.
    pub(crate) fn draw_shadows(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        stages: &Stages,
        groups: &Groups,
        cascades: &[(Cascade, Vec<Batch>)],
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            depth_stencil_attachment: Some(depth_attachment(&self.atlas, 1.0, wgpu::StoreOp::Store)),
            ..Default::default()
        });
        pass.set_pipeline(&stages.shadow);
        for (index, (cascade, batches)) in cascades.iter().enumerate() {
            let [x, y] = cascade.origin;
            pass.set_viewport(x as f32, y as f32, TILE_SIZE as f32, TILE_SIZE as f32, 0.0, 1.0);
            pass.set_scissor_rect(x, y, TILE_SIZE, TILE_SIZE);
            pass.set_bind_group(0, &groups.shadow, &[(index * TILE_STRIDE) as u32]);
            batches.iter().for_each(|batch| draw(&mut pass, batch));
        }
    }
}

/// Draws surfaces, and the sky where there are none, as light.
pub(crate) fn draw_light(
    encoder: &mut wgpu::CommandEncoder,
    targets: &Targets,
    stages: &Stages,
    groups: &Groups,
    batches: &[Batch],
) {
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("light"),
        color_attachments: &[Some(color_attachment(&targets.light))],
        depth_stencil_attachment: Some(depth_attachment(&targets.depth, 0.0, wgpu::StoreOp::Discard)),
        ..Default::default()
    });
    pass.set_bind_group(0, &groups.view, &[]);
    for batch in batches {
        let shader = &batch.wearable.shader;
        pass.set_pipeline(if batch.mirrored { &shader.mirrored_pipeline } else { &shader.pipeline });
        pass.set_bind_group(1, &batch.wearable.material.group, &[]);
        draw(&mut pass, batch);
    }
    pass.set_pipeline(&stages.sky);
    pass.draw(0..3, 0..1);
}

/// Develops the light into the picture.
pub(crate) fn draw_picture(encoder: &mut wgpu::CommandEncoder, targets: &Targets, stages: &Stages) {
    let view = targets.picture.create_view(&Default::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("picture"),
        color_attachments: &[Some(color_attachment(&view))],
        ..Default::default()
    });
    pass.set_pipeline(&stages.picture);
    pass.set_bind_group(0, &targets.picture_group, &[]);
    pass.draw(0..3, 0..1);
}

fn draw(pass: &mut wgpu::RenderPass, batch: &Batch) {
    pass.set_vertex_buffer(0, batch.mesh.vertices.slice(..));
    pass.set_index_buffer(batch.mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
    pass.draw_indexed(0..batch.mesh.index_count, 0, batch.instances.clone());
}

fn color_attachment(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
    }
}

fn depth_attachment(
    view: &wgpu::TextureView,
    farthest: f32,
    store: wgpu::StoreOp,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(farthest), store }),
        stencil_ops: None,
    }
}

fn instance_buffer(gpu: &Gpu, records: usize) -> Result<wgpu::Buffer, GpuError> {
    buffer(gpu, "instances", &vec![0; records * size_of::<InstanceRecord>()], wgpu::BufferUsages::STORAGE)
}
