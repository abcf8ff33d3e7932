use bytemuck::{Pod, Zeroable};
use zero_gpu::{Gpu, GpuError, wgpu};

use crate::{Bounds, MeshData};

/// A mesh on the device.
#[derive(Debug)]
pub(crate) struct GpuMesh {
    pub(crate) vertices: wgpu::Buffer,
    pub(crate) indices: wgpu::Buffer,
    pub(crate) index_count: u32,
    pub(crate) bounds: Bounds,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Vertex {
    position: [f32; 3],
    normal: [f32; 3],
    uv: [f32; 2],
}

pub(crate) const VERTEX_LAYOUT: wgpu::VertexBufferLayout = wgpu::VertexBufferLayout {
    array_stride: size_of::<Vertex>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2],
};

impl GpuMesh {
    pub(crate) fn upload(gpu: &Gpu, label: &str, mesh: &MeshData) -> Result<GpuMesh, GpuError> {
        let corners = mesh.positions.iter().zip(&mesh.normals).zip(&mesh.uvs);
        let vertices: Vec<Vertex> =
            corners.map(|((position, normal), uv)| Vertex { position: *position, normal: *normal, uv: *uv }).collect();
        Ok(GpuMesh {
            vertices: buffer(gpu, label, bytemuck::cast_slice(&vertices), wgpu::BufferUsages::VERTEX)?,
            indices: buffer(gpu, label, bytemuck::cast_slice(&mesh.indices), wgpu::BufferUsages::INDEX)?,
            index_count: mesh.indices.len() as u32,
            bounds: mesh.bounds(),
        })
    }
}

/// A buffer that holds `bytes` and can be written again.
pub(crate) fn buffer(
    gpu: &Gpu,
    label: &str,
    bytes: &[u8],
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, GpuError> {
    let buffer = gpu.checked(&format!("a buffer for '{label}'"), |device| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            // Empty buffers cannot be bound.
            size: bytes.len().max(16) as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    })?;
    gpu.queue.write_buffer(&buffer, 0, bytes);
    Ok(buffer)
}
