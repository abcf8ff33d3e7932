use serde::Serialize;

use crate::Image;

/// Brightness of a picture as people see it: Rec. 709 luma of the encoded values, in code
/// values from 0 to 255.
///
/// Enough to tell an empty, black or blown-out picture from a good one without looking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Luma {
    pub min: u8,
    pub max: u8,
    pub mean: f64,
    /// Percentiles: this share of the pixels is no brighter.
    pub p1: u8,
    pub p5: u8,
    pub p50: u8,
    pub p95: u8,
    pub p99: u8,
    /// `max − min`.
    pub span: u8,
    /// `p95 − p5`: near 0 is one flat tone.
    pub spread: u8,
    /// Share of pixels at 0.
    pub crushed: f64,
    /// Share of pixels at 255.
    pub clipped: f64,
}

impl Luma {
    pub(super) fn of(image: &Image) -> Luma {
        let mut counts = [0u64; 256];
        for pixel in image.rgba8.chunks_exact(4) {
            let [r, g, b] = [pixel[0], pixel[1], pixel[2]].map(f64::from);
            counts[(0.2126 * r + 0.7152 * g + 0.0722 * b).round() as usize] += 1;
        }
        let total: u64 = counts.iter().sum();
        let share = |count: u64| if total == 0 { 0.0 } else { rounded(count as f64 / total as f64) };
        let weighted: u64 = counts.iter().zip(0..).map(|(count, value)| count * value).sum();
        let (min, max) = (percentile(&counts, total, 0.0), percentile(&counts, total, 1.0));
        let (p5, p95) = (percentile(&counts, total, 0.05), percentile(&counts, total, 0.95));
        Luma {
            min,
            max,
            mean: if total == 0 { 0.0 } else { rounded(weighted as f64 / total as f64) },
            p1: percentile(&counts, total, 0.01),
            p5,
            p50: percentile(&counts, total, 0.5),
            p95,
            p99: percentile(&counts, total, 0.99),
            span: max - min,
            spread: p95 - p5,
            crushed: share(counts[0]),
            clipped: share(counts[255]),
        }
    }
}

/// Four decimals: what a reader can use.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The least value that at least `share` of the pixels do not exceed.
fn percentile(counts: &[u64; 256], total: u64, share: f64) -> u8 {
    let wanted = ((total as f64 * share).ceil() as u64).max(1);
    let mut seen = 0;
    for (value, count) in counts.iter().enumerate() {
        seen += count;
        if seen >= wanted {
            return value as u8;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_black_half_white() {
        let image = Image { width: 2, height: 1, rgba8: vec![0, 0, 0, 255, 255, 255, 255, 255] };
        let luma = image.luma();
        assert_eq!((luma.min, luma.max, luma.mean), (0, 255, 127.5));
        assert_eq!((luma.p1, luma.p50, luma.p95, luma.span, luma.spread), (0, 0, 255, 255, 255));
        assert_eq!((luma.crushed, luma.clipped), (0.5, 0.5));
    }

    #[test]
    fn no_pixels_is_no_brightness() {
        let luma = Image { width: 0, height: 0, rgba8: Vec::new() }.luma();
        assert_eq!((luma.min, luma.max, luma.mean, luma.span), (0, 0, 0.0, 0));
    }
}
