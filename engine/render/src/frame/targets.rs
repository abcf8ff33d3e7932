use zero_gpu::{Gpu, GpuError, wgpu};

use crate::store::pipelines::{DEPTH_FORMAT, LIGHT_FORMAT, Layouts, PICTURE_FORMAT, SAMPLES};

/// The textures a picture of one size is drawn in.
#[derive(Debug)]
pub(crate) struct Targets {
    pub(crate) size: [u32; 2],
    pub(crate) light: wgpu::TextureView,
    pub(crate) depth: wgpu::TextureView,
    pub(crate) picture: wgpu::Texture,
    pub(crate) picture_group: wgpu::BindGroup,
}

impl Targets {
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts, size: [u32; 2]) -> Result<Targets, GpuError> {
        use wgpu::TextureUsages as Usage;
        gpu.checked(&format!("the textures of a {} × {} picture", size[0], size[1]), |device| {
            let texture = |label, format, sample_count, usage| {
                device.create_texture(&wgpu::TextureDescriptor {
                    label: Some(label),
                    size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                    mip_level_count: 1,
                    sample_count,
                    dimension: wgpu::TextureDimension::D2,
                    format,
                    usage,
                    view_formats: &[],
                })
            };
            let light = texture("light", LIGHT_FORMAT, SAMPLES, Usage::RENDER_ATTACHMENT | Usage::TEXTURE_BINDING);
            let light = light.create_view(&Default::default());
            let depth = texture("depth", DEPTH_FORMAT, SAMPLES, Usage::RENDER_ATTACHMENT);
            let picture_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("picture"),
                layout: &layouts.picture,
                entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&light) }],
            });
            Targets {
                size,
                light,
                depth: depth.create_view(&Default::default()),
                picture: texture("picture", PICTURE_FORMAT, 1, Usage::RENDER_ATTACHMENT | Usage::COPY_SRC),
                picture_group,
            }
        })
    }
}
