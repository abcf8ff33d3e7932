use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use zero_gpu::{Gpu, GpuError, wgpu};

use super::uniforms::SkyUniform;
use crate::store::meshes::buffer;
use crate::store::pipelines::{LIGHT_FORMAT, Layouts};

/// The sky as surfaces see it: a cube map filtered for mirrors of rising roughness, and one of the
/// light on matt surfaces. Both are made again only when the sky changes.
#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) sky: wgpu::Buffer,
    pub(crate) mirrored: wgpu::TextureView,
    pub(crate) matt: wgpu::TextureView,
    levels: Vec<(Level, wgpu::BindGroup)>,
    made_from: Option<(SkyUniform, Arc<wgpu::ComputePipeline>)>,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Level {
    size: u32,
    samples: u32,
    matt: u32,
    roughness: f32,
}

const MIRRORED_SIZE: u32 = 64;
const MIRRORED_LEVELS: u32 = 5;
const MATT_SIZE: u32 = 8;
const SAMPLES: u32 = 64;
const MATT_SAMPLES: u32 = 256;

impl Environment {
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts) -> Result<Environment, GpuError> {
        let sky = buffer(gpu, "sky", bytemuck::bytes_of(&SkyUniform::zeroed()), wgpu::BufferUsages::UNIFORM)?;
        let mirrored = cube(gpu, "mirrored sky", MIRRORED_SIZE, MIRRORED_LEVELS)?;
        let matt = cube(gpu, "matt sky", MATT_SIZE, 1)?;
        let mut levels = Vec::new();
        for index in 0..MIRRORED_LEVELS {
            let level = Level {
                size: MIRRORED_SIZE >> index,
                samples: if index == 0 { 1 } else { SAMPLES },
                matt: 0,
                roughness: index as f32 / (MIRRORED_LEVELS - 1) as f32,
            };
            levels.push((level, group(gpu, layouts, &sky, &level, &faces(&mirrored, index))?));
        }
        let level = Level { size: MATT_SIZE, samples: MATT_SAMPLES, matt: 1, roughness: 1.0 };
        levels.push((level, group(gpu, layouts, &sky, &level, &faces(&matt, 0))?));
        let as_cube = |texture: &wgpu::Texture| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::Cube),
                usage: Some(wgpu::TextureUsages::TEXTURE_BINDING),
                ..Default::default()
            })
        };
        Ok(Environment { sky, mirrored: as_cube(&mirrored), matt: as_cube(&matt), levels, made_from: None })
    }

    /// Brings the maps up to date with the sky and the shader that filters it.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        sky: SkyUniform,
        pipeline: &Arc<wgpu::ComputePipeline>,
    ) {
        let current = self
            .made_from
            .as_ref()
            .is_some_and(|(made_sky, made_pipeline)| *made_sky == sky && Arc::ptr_eq(made_pipeline, pipeline));
        if current {
            return;
        }
        gpu.queue.write_buffer(&self.sky, 0, bytemuck::bytes_of(&sky));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        for (level, group) in &self.levels {
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(level.size.div_ceil(8), level.size.div_ceil(8), 6);
        }
        drop(pass);
        self.made_from = Some((sky, pipeline.clone()));
    }
}

fn cube(gpu: &Gpu, label: &str, size: u32, levels: u32) -> Result<wgpu::Texture, GpuError> {
    gpu.checked(&format!("the texture '{label}'"), |device| {
        device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 6 },
            mip_level_count: levels,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: LIGHT_FORMAT,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::STORAGE_BINDING,
            view_formats: &[],
        })
    })
}

fn faces(texture: &wgpu::Texture, level: u32) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        base_mip_level: level,
        mip_level_count: Some(1),
        ..Default::default()
    })
}

fn group(
    gpu: &Gpu,
    layouts: &Layouts,
    sky: &wgpu::Buffer,
    level: &Level,
    faces: &wgpu::TextureView,
) -> Result<wgpu::BindGroup, GpuError> {
    let level = buffer(gpu, "environment level", bytemuck::bytes_of(level), wgpu::BufferUsages::UNIFORM)?;
    gpu.checked("the environment's bindings", |device| {
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("environment"),
            layout: &layouts.environment,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: sky.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: level.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::TextureView(faces) },
            ],
        })
    })
}
