use zero_gpu::{Gpu, GpuError, wgpu};

use super::meshes::VERTEX_LAYOUT;

/// Light is kept as half floats: bright enough for the sun, fine enough for dusk.
pub(crate) const LIGHT_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Encoded by the picture stage itself, so that the bytes are the same on every driver.
pub(crate) const PICTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
pub(crate) const SAMPLES: u32 = 4;

/// The shapes of what passes bind. Group 0 is the engine's, group 1 the material's.
#[derive(Debug)]
pub(crate) struct Layouts {
    pub(crate) view: wgpu::BindGroupLayout,
    pub(crate) shadow: wgpu::BindGroupLayout,
    pub(crate) picture: wgpu::BindGroupLayout,
    pub(crate) environment: wgpu::BindGroupLayout,
}

impl Layouts {
    pub(crate) fn new(gpu: &Gpu) -> Layouts {
        use wgpu::ShaderStages as Stage;
        let cube = |binding| texture(binding, wgpu::TextureViewDimension::Cube, Stage::FRAGMENT);
        let view = [
            uniform(0, Stage::VERTEX_FRAGMENT, Offset::Fixed),
            instances(1),
            uniform(2, Stage::FRAGMENT, Offset::Fixed),
            entry(
                3,
                Stage::FRAGMENT,
                wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Depth,
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
            ),
            sampler(4, wgpu::SamplerBindingType::Comparison),
            cube(5),
            cube(6),
            sampler(7, wgpu::SamplerBindingType::Filtering),
        ];
        let shadow = [uniform(0, Stage::VERTEX, Offset::Dynamic), instances(1)];
        let picture = [entry(
            0,
            Stage::FRAGMENT,
            wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: true,
            },
        )];
        let environment = [
            uniform(0, Stage::COMPUTE, Offset::Fixed),
            uniform(1, Stage::COMPUTE, Offset::Fixed),
            entry(
                2,
                Stage::COMPUTE,
                wgpu::BindingType::StorageTexture {
                    access: wgpu::StorageTextureAccess::WriteOnly,
                    format: LIGHT_FORMAT,
                    view_dimension: wgpu::TextureViewDimension::D2Array,
                },
            ),
        ];
        Layouts {
            view: group_layout(gpu, "view", &view),
            shadow: group_layout(gpu, "shadow", &shadow),
            picture: group_layout(gpu, "picture", &picture),
            environment: group_layout(gpu, "environment", &environment),
        }
    }

    /// A material's group: its values, then each texture with its sampler.
    pub(crate) fn material(gpu: &Gpu, textures: usize) -> wgpu::BindGroupLayout {
        let mut entries = vec![uniform(0, wgpu::ShaderStages::FRAGMENT, Offset::Fixed)];
        for index in 0..textures as u32 {
            entries.push(texture(1 + index * 2, wgpu::TextureViewDimension::D2, wgpu::ShaderStages::FRAGMENT));
            entries.push(sampler(2 + index * 2, wgpu::SamplerBindingType::Filtering));
        }
        group_layout(gpu, "material", &entries)
    }
}

/// What differs between the pipelines that draw triangles.
pub(crate) struct Drawing<'a> {
    pub(crate) label: &'a str,
    pub(crate) groups: &'a [&'a wgpu::BindGroupLayout],
    pub(crate) meshes: bool,
    pub(crate) front: wgpu::FrontFace,
    pub(crate) cull: Option<wgpu::Face>,
    pub(crate) depth: Option<wgpu::DepthStencilState>,
    pub(crate) samples: u32,
    pub(crate) target: Option<wgpu::TextureFormat>,
}

pub(crate) fn render_pipeline(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    drawing: &Drawing,
) -> Result<wgpu::RenderPipeline, GpuError> {
    let groups: Vec<Option<&wgpu::BindGroupLayout>> = drawing.groups.iter().copied().map(Some).collect();
    let targets = drawing
        .target
        .map(|format| [Some(wgpu::ColorTargetState { format, blend: None, write_mask: wgpu::ColorWrites::ALL })]);
    gpu.checked(&format!("the pipeline of '{}'", drawing.label), |device| {
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(drawing.label),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(drawing.label),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some("vertex_main"),
                compilation_options: Default::default(),
                buffers: if drawing.meshes { &[Some(VERTEX_LAYOUT)] } else { &[] },
            },
            primitive: wgpu::PrimitiveState {
                front_face: drawing.front,
                cull_mode: drawing.cull,
                ..Default::default()
            },
            depth_stencil: drawing.depth.clone(),
            multisample: wgpu::MultisampleState { count: drawing.samples, ..Default::default() },
            fragment: targets.as_ref().map(|targets| wgpu::FragmentState {
                module,
                entry_point: Some("fragment_main"),
                compilation_options: Default::default(),
                targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    })
}

enum Offset {
    Fixed,
    Dynamic,
}

fn group_layout(gpu: &Gpu, label: &str, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
}

fn entry(binding: u32, visibility: wgpu::ShaderStages, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn uniform(binding: u32, visibility: wgpu::ShaderStages, offset: Offset) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: matches!(offset, Offset::Dynamic),
        min_binding_size: None,
    };
    entry(binding, visibility, ty)
}

fn instances(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Storage { read_only: true },
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    entry(binding, wgpu::ShaderStages::VERTEX, ty)
}

fn texture(
    binding: u32,
    view_dimension: wgpu::TextureViewDimension,
    visibility: wgpu::ShaderStages,
) -> wgpu::BindGroupLayoutEntry {
    let sample_type = wgpu::TextureSampleType::Float { filterable: true };
    entry(binding, visibility, wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false })
}

fn sampler(binding: u32, ty: wgpu::SamplerBindingType) -> wgpu::BindGroupLayoutEntry {
    entry(binding, wgpu::ShaderStages::FRAGMENT, wgpu::BindingType::Sampler(ty))
}
