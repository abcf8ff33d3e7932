use zero_base::maths;

/// Linear RGBA of an sRGB hex colour: `#rgb`, `#rrggbb` or `#rrggbbaa`. Alpha is linear as it is.
pub(super) fn linear_from_hex(text: &str) -> Option<[f32; 4]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let nibble = |index: usize| u8::from_str_radix(&digits[index..=index], 16).ok();
    let bytes: Vec<u8> = match digits.len() {
        3 => (0..3).map(|index| nibble(index).map(|value| value * 17)).collect::<Option<_>>()?,
        6 | 8 => (0..digits.len() / 2)
            .map(|index| Some(nibble(index * 2)? * 16 + nibble(index * 2 + 1)?))
            .collect::<Option<_>>()?,
        _ => return None,
    };
    let channel = |index: usize| f64::from(bytes.get(index).copied().unwrap_or(255)) / 255.0;
    let [r, g, b] = [0, 1, 2].map(|index| linear_from_srgb(channel(index)) as f32);
    Some([r, g, b, channel(3) as f32])
}

/// The sRGB transfer function, IEC 61966-2-1.
pub(crate) fn linear_from_srgb(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { maths::pow((encoded + 0.055) / 1.055, 2.4) }
}
