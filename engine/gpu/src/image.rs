mod luma;

use std::io::Cursor;

use crate::GpuError;

pub use luma::Luma;

/// A picture: sRGB-encoded colour with alpha, four bytes a pixel, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    pub rgba8: Vec<u8>,
}

impl Image {
    /// The four bytes at `x`, `y`; both must be inside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let start = (y as usize * self.width as usize + x as usize) * 4;
        [self.rgba8[start], self.rgba8[start + 1], self.rgba8[start + 2], self.rgba8[start + 3]]
    }

    /// How bright the picture is, and how that is spread.
    pub fn luma(&self) -> Luma {
        Luma::of(self)
    }

    /// The picture as a PNG file. Alpha is left out where every pixel is opaque: such files are
    /// smaller, and viewers show them alike.
    pub fn encode_png(&self) -> Result<Vec<u8>, GpuError> {
        let failed = |error: png::EncodingError| GpuError::Png { action: "encoded", reason: error.to_string() };
        let opaque = self.rgba8.chunks_exact(4).all(|pixel| pixel[3] == 255);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header().map_err(failed)?;
        if opaque {
            let rgb: Vec<u8> = self.rgba8.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
            writer.write_image_data(&rgb).map_err(failed)?;
        } else {
            writer.write_image_data(&self.rgba8).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }

    /// Reads any PNG into four 8-bit channels; grey, palette and 16-bit files are converted.
    pub fn decode_png(bytes: &[u8]) -> Result<Image, GpuError> {
        let failed = |reason: String| GpuError::Png { action: "decoded", reason };
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|error| failed(error.to_string()))?;
        let size = reader
            .output_buffer_size()
            .filter(|size| *size <= MOST_DECODED_BYTES)
            .ok_or_else(|| failed(format!("it unpacks to more than {} MiB", MOST_DECODED_BYTES >> 20)))?;
        let mut unpacked = vec![0; size];
        let frame = reader.next_frame(&mut unpacked).map_err(|error| failed(error.to_string()))?;
        unpacked.truncate(frame.buffer_size());
        let rgba8 = match frame.color_type {
            png::ColorType::Rgba => unpacked,
            png::ColorType::GrayscaleAlpha => {
                unpacked.chunks_exact(2).flat_map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]]).collect()
            }
            other => return Err(failed(format!("{other:?} did not become RGBA"))),
        };
        Ok(Image { width: frame.width, height: frame.height, rgba8 })
    }
}

/// A few compressed kilobytes can claim any size; this is an 8192 × 8192 picture.
const MOST_DECODED_BYTES: usize = 256 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn png_round_trips_with_and_without_alpha() {
        for alpha in [255, 40] {
            let rgba8 = (0..8 * 4u32).flat_map(|i| [i as u8 * 7, 255 - i as u8, 3, alpha]).collect();
            let image = Image { width: 8, height: 4, rgba8 };
            assert_eq!(Image::decode_png(&image.encode_png().unwrap()).unwrap(), image);
        }
    }

    #[test]
    fn what_is_no_png_is_refused() {
        let refused = Image::decode_png(b"not a picture").unwrap_err();
        assert_eq!(refused.code(), "gpu/png");
        let image = Image { width: 2, height: 2, rgba8: vec![9; 16] };
        let bytes = image.encode_png().unwrap();
        assert!(Image::decode_png(&bytes[..bytes.len() / 2]).is_err());
    }
}
