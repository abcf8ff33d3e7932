use zero_base::Diagnostic;
use zero_gpu::{Gpu, GpuError, Image, wgpu};

use crate::TextureSource;
use crate::content::{TextureEncoding, TextureFallback};

/// What drawing would report of a texture's file, found without a device. Empty when it is a picture.
pub fn check_texture(png: &[u8], path: &str) -> Vec<Diagnostic> {
    Image::decode_png(png).err().map(|error| problem(&error, path)).into_iter().collect()
}

fn problem(error: &GpuError, path: &str) -> Diagnostic {
    Diagnostic::error("render/texture", error.to_string()).in_file(path)
}

/// A texture on the device with all its smaller versions.
#[derive(Debug)]
pub(crate) struct GpuTexture {
    pub(crate) view: wgpu::TextureView,
}

impl GpuTexture {
    pub(crate) fn decode(
        gpu: &Gpu,
        source: &TextureSource,
        encoding: TextureEncoding,
    ) -> Result<GpuTexture, Vec<Diagnostic>> {
        let image = Image::decode_png(&source.png);
        let made = image.and_then(|image| GpuTexture::upload(gpu, &source.path, image, encoding));
        made.map_err(|error| vec![problem(&error, &source.path)])
    }

    pub(crate) fn fallback(gpu: &Gpu, fallback: TextureFallback) -> Result<GpuTexture, GpuError> {
        let texel = match fallback {
            TextureFallback::White => [255, 255, 255, 255],
            TextureFallback::Black => [0, 0, 0, 255],
            TextureFallback::Normal => [128, 128, 255, 255],
        };
        let image = Image { width: 1, height: 1, rgba8: texel.to_vec() };
        GpuTexture::upload(gpu, "fallback", image, TextureEncoding::Linear)
    }

    fn upload(gpu: &Gpu, label: &str, image: Image, encoding: TextureEncoding) -> Result<GpuTexture, GpuError> {
        let size = wgpu::Extent3d { width: image.width, height: image.height, depth_or_array_layers: 1 };
        let levels = size.max_mips(wgpu::TextureDimension::D2);
        let texture = gpu.checked(&format!("the texture '{label}'"), |device| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size,
                mip_level_count: levels,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: match encoding {
                    TextureEncoding::Srgb => wgpu::TextureFormat::Rgba8UnormSrgb,
                    TextureEncoding::Linear => wgpu::TextureFormat::Rgba8Unorm,
                },
                usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
                view_formats: &[],
            })
        })?;
        let mut level = image;
        for mip_level in 0..levels {
            if mip_level > 0 {
                level = halved(&level, encoding);
            }
            gpu.queue.write_texture(
                wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
                &level.rgba8,
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(level.width * 4), rows_per_image: None },
                wgpu::Extent3d { width: level.width, height: level.height, depth_or_array_layers: 1 },
            );
        }
        Ok(GpuTexture { view: texture.create_view(&Default::default()) })
    }
}

/// The picture at half its size, each texel the mean of four; colours are averaged as light.
fn halved(image: &Image, encoding: TextureEncoding) -> Image {
    let (width, height) = ((image.width / 2).max(1), (image.height / 2).max(1));
    let mut rgba8 = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            let taps = [(0, 0), (1, 0), (0, 1), (1, 1)]
                .map(|(dx, dy)| image.pixel((x * 2 + dx).min(image.width - 1), (y * 2 + dy).min(image.height - 1)));
            for channel in 0..4 {
                let bytes = taps.map(|tap| tap[channel]);
                rgba8.push(if encoding == TextureEncoding::Srgb && channel < 3 {
                    mean_of_light(bytes)
                } else {
                    ((bytes.map(u32::from).iter().sum::<u32>() + 2) / 4) as u8
                });
            }
        }
    }
    Image { width, height, rgba8 }
}

fn mean_of_light(bytes: [u8; 4]) -> u8 {
    // A gamma of 2 is within a level of the sRGB curve here, and needs no table.
    let squares: f32 = bytes.iter().map(|&byte| f32::from(byte) * f32::from(byte)).sum();
    (squares / 4.0).sqrt().round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_averages_and_ends_at_one_texel() {
        let image = Image { width: 2, height: 1, rgba8: vec![0, 0, 0, 255, 255, 255, 255, 255] };
        assert_eq!(halved(&image, TextureEncoding::Linear).rgba8, [128, 128, 128, 255]);
        assert_eq!(halved(&image, TextureEncoding::Srgb).rgba8, [180, 180, 180, 255]);
    }
}
