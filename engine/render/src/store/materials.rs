use std::sync::Arc;

use zero_gpu::{Gpu, GpuError, wgpu};

use super::meshes::buffer;
use super::surfaces::SurfaceShader;
use super::textures::GpuTexture;
use crate::PropertyKind;
use crate::content::ShaderProperties;

/// A material's values on the device, bound for its shader.
#[derive(Debug)]
pub(crate) struct GpuMaterial {
    pub(crate) group: wgpu::BindGroup,
}

impl GpuMaterial {
    pub(crate) fn bind(
        gpu: &Gpu,
        label: &str,
        shader: &SurfaceShader,
        numbers: &[Vec<f32>],
        textures: &[Arc<GpuTexture>],
        sampler: &wgpu::Sampler,
    ) -> Result<GpuMaterial, GpuError> {
        let bytes = uniform_bytes(&shader.properties, numbers);
        let values = buffer(gpu, label, &bytes, wgpu::BufferUsages::UNIFORM)?;
        let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: values.as_entire_binding() }];
        for (binding, texture) in (1..).step_by(2).zip(textures) {
            let resource = wgpu::BindingResource::TextureView(&texture.view);
            entries.push(wgpu::BindGroupEntry { binding, resource });
            let resource = wgpu::BindingResource::Sampler(sampler);
            entries.push(wgpu::BindGroupEntry { binding: binding + 1, resource });
        }
        let group = gpu.checked(&format!("the material '{label}'"), |device| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(label),
                layout: &shader.material_layout,
                entries: &entries,
            })
        })?;
        Ok(GpuMaterial { group })
    }
}

/// The bytes of the `material` struct: each field aligned as WGSL's uniform layout wants it.
fn uniform_bytes(properties: &ShaderProperties, numbers: &[Vec<f32>]) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for (property, numbers) in properties.values().zip(numbers) {
        let alignment = match property.kind.width() {
            1 => 4,
            2 => 8,
            _ => 16,
        };
        bytes.resize(bytes.len().next_multiple_of(alignment), 0);
        for number in numbers {
            bytes.extend(match property.kind {
                PropertyKind::Int => (*number as i32).to_le_bytes(),
                PropertyKind::Bool => u32::from(*number != 0.0).to_le_bytes(),
                _ => number.to_le_bytes(),
            });
        }
    }
    bytes.resize(bytes.len().next_multiple_of(16).max(16), 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_properties;

    #[test]
    fn fields_lie_where_wgsl_expects_them() {
        let text = "
- { name: a, type: float }
- { name: b, type: float3 }
- { name: c, type: int }
- { name: d, type: float2 }
- { name: e, type: bool }
- { name: f, type: color }
";
        let properties = parse_properties(text, "properties.yaml").unwrap();
        let numbers = [vec![1.0], vec![2.0; 3], vec![-3.0], vec![4.0; 2], vec![1.0], vec![5.0; 4]];
        let bytes = uniform_bytes(&properties, &numbers);
        let word = |index: usize| <[u8; 4]>::try_from(&bytes[index * 4..index * 4 + 4]).unwrap();
        assert_eq!(bytes.len(), 64);
        assert_eq!([0, 4, 6, 8, 12, 15].map(|index| f32::from_le_bytes(word(index))), [1.0, 2.0, 2.0, 4.0, 5.0, 5.0]);
        assert_eq!((i32::from_le_bytes(word(7)), u32::from_le_bytes(word(10))), (-3, 1));
        assert_eq!(uniform_bytes(&ShaderProperties::default(), &[]).len(), 16);
    }
}
