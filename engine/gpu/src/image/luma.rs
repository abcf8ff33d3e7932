use crate::Image;

/// Brightness of a picture as people see it: Rec. 709 luma of the encoded values, 0 to 1.
///
/// Enough to tell an empty, black or blown-out picture from a good one without looking.
#[derive(Debug, Clone, PartialEq)]
pub struct Luma {
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    /// Standard deviation: near 0 is one flat tone.
    pub deviation: f64,
    /// Share of pixels below 1 % and above 99 %.
    pub black: f64,
    pub white: f64,
    /// Share of pixels in sixteen equal steps, dark to bright.
    pub histogram: [f64; 16],
}

impl Luma {
    pub(super) fn of(image: &Image) -> Luma {
        let mut luma =
            Luma { mean: 0.0, min: 1.0, max: 0.0, deviation: 0.0, black: 0.0, white: 0.0, histogram: [0.0; 16] };
        let pixels = image.rgba8.len() / 4;
        if pixels == 0 {
            luma.min = 0.0;
            return luma;
        }
        let mut squares = 0.0;
        for pixel in image.rgba8.chunks_exact(4) {
            let [r, g, b] = [pixel[0], pixel[1], pixel[2]].map(f64::from);
            let value = (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255.0;
            luma.mean += value;
            squares += value * value;
            luma.min = luma.min.min(value);
            luma.max = luma.max.max(value);
            luma.black += f64::from(value < 0.01);
            luma.white += f64::from(value > 0.99);
            luma.histogram[((value * 16.0) as usize).min(15)] += 1.0;
        }
        let count = pixels as f64;
        luma.mean /= count;
        luma.deviation = (squares / count - luma.mean * luma.mean).max(0.0).sqrt();
        luma.black /= count;
        luma.white /= count;
        luma.histogram.iter_mut().for_each(|share| *share /= count);
        luma
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_black_half_white() {
        let image = Image { width: 2, height: 1, rgba8: vec![0, 0, 0, 255, 255, 255, 255, 255] };
        let luma = image.luma();
        assert!((luma.mean - 0.5).abs() < 1e-9 && (luma.deviation - 0.5).abs() < 1e-9);
        assert_eq!((luma.min, luma.black, luma.white), (0.0, 0.5, 0.5));
        assert_eq!((luma.histogram[0], luma.histogram[15]), (0.5, 0.5));
    }
}
