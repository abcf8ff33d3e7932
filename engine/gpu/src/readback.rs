use std::sync::mpsc;
use std::time::Duration;

use crate::{Gpu, GpuError};

/// How long a picture may take, also without a graphics card.
const PATIENCE: Duration = Duration::from_secs(20);

impl Gpu {
    /// The texels of mip level 0 of a 2D texture, rows without padding. Waits for the device.
    /// After [`GpuError::TimedOut`] the device may still be at work, and is of no more use.
    /// The texture needs `COPY_SRC` and a format of whole bytes per texel.
    pub fn read_texture(&self, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
        let failed = |reason: String| GpuError::Readback { what: "the texture".to_owned(), reason };
        let texel_bytes = texture
            .format()
            .block_copy_size(None)
            .ok_or_else(|| failed(format!("{:?} has no copyable texels", texture.format())))?;
        let (width, height) = (texture.width(), texture.height());
        let row_bytes = width * texel_bytes;
        let padded_row_bytes = row_bytes.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let staging = self.checked("the readback buffer", |device| {
            let staging = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("readback"),
                size: u64::from(padded_row_bytes) * u64::from(height),
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_texture_to_buffer(
                texture.as_image_copy(),
                wgpu::TexelCopyBufferInfo {
                    buffer: &staging,
                    layout: wgpu::TexelCopyBufferLayout {
                        offset: 0,
                        bytes_per_row: Some(padded_row_bytes),
                        rows_per_image: None,
                    },
                },
                texture.size(),
            );
            self.queue.submit([encoder.finish()]);
            staging
        })?;
        let (sender, receiver) = mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
            let _ = sender.send(outcome);
        });
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(PATIENCE) };
        self.device.poll(wait).map_err(|error| match error {
            wgpu::PollError::Timeout => GpuError::TimedOut { what: "the picture".to_owned(), secs: PATIENCE.as_secs() },
            other => failed(other.to_string()),
        })?;
        receiver.recv().map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
        let mapped = staging.get_mapped_range(..).map_err(|error| failed(error.to_string()))?;
        Ok(mapped.chunks(padded_row_bytes as usize).flat_map(|row| &row[..row_bytes as usize]).copied().collect())
    }
}
