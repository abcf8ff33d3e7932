//! Colours have one spelling each: `#rrggbb` or `#rrggbbaa` in sRGB when that says the colour
//! exactly, else linear `[r, g, b, a]`. What people type stays what they read, brightness past
//! 1 is possible, and equal colours are equal text.

use std::sync::LazyLock;

use serde_json::Value as Json;
use zero_base::maths;

use crate::canonical::canonical_f32;

/// Linear red, green, blue and alpha of a colour as it is kept or written; none when it is
/// not a colour. Takes hex text and lists of 3 or 4 numbers.
pub fn linear_color(value: &Json) -> Option<[f32; 4]> {
    match value {
        Json::String(text) => parse_hex(text),
        Json::Array(parts) if matches!(parts.len(), 3 | 4) => {
            let mut color = [0.0, 0.0, 0.0, 1.0];
            for (channel, part) in color.iter_mut().zip(parts) {
                *channel = part.as_f64()? as f32;
            }
            color.iter().all(|channel| channel.is_finite()).then_some(color)
        }
        _ => None,
    }
}

/// The spelling of a linear colour, whose channels are finite.
pub fn color_from_linear(color: [f32; 4]) -> Json {
    match hex_of(color) {
        Some(hex) => Json::String(hex),
        None => Json::Array(color.iter().map(|channel| canonical_f32(*channel)).collect()),
    }
}

/// sRGB bytes as linear light (IEC 61966-2-1).
static LINEAR_OF_BYTE: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let encoded = byte as f64 / 255.0;
        let linear = if encoded <= 0.04045 { encoded / 12.92 } else { maths::pow((encoded + 0.055) / 1.055, 2.4) };
        linear as f32
    })
});

fn parse_hex(text: &str) -> Option<[f32; 4]> {
    let digits = text.strip_prefix('#')?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |at: usize| match digits.len() {
        3 | 4 => u8::from_str_radix(&digits[at..at + 1], 16).ok().map(|nibble| nibble * 17),
        6 | 8 => u8::from_str_radix(&digits[at * 2..at * 2 + 2], 16).ok(),
        _ => None,
    };
    let linear = |at: usize| byte(at).map(|byte| LINEAR_OF_BYTE[usize::from(byte)]);
    let alpha = if matches!(digits.len(), 4 | 8) { byte(3)? } else { 255 };
    Some([linear(0)?, linear(1)?, linear(2)?, alpha_of(alpha)])
}

fn hex_of(color: [f32; 4]) -> Option<String> {
    let byte_of = |linear: f32| LINEAR_OF_BYTE.binary_search_by(|entry| entry.total_cmp(&(linear + 0.0))).ok();
    let [red, green, blue] = [byte_of(color[0])?, byte_of(color[1])?, byte_of(color[2])?];
    let alpha = (0..=255).find(|byte| alpha_of(*byte) == color[3])?;
    let hex = format!("#{red:02x}{green:02x}{blue:02x}");
    Some(if alpha == 255 { hex } else { format!("{hex}{alpha:02x}") })
}

fn alpha_of(byte: u8) -> f32 {
    (f64::from(byte) / 255.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_colour_has_one_spelling() {
        let check = |written: Json, expected: Json| {
            assert_eq!(linear_color(&written).map(color_from_linear), Some(expected.clone()), "{written}");
            assert_eq!(linear_color(&expected).map(color_from_linear), Some(expected), "again");
        };
        check(json!("#FFCC88"), json!("#ffcc88"));
        check(json!("#fc8"), json!("#ffcc88"));
        check(json!("#11223344"), json!("#11223344"));
        check(json!("#112233ff"), json!("#112233"));
        check(json!([1, 0, 0]), json!("#ff0000"));
        check(json!([-0.0, 0, 0, 0]), json!("#00000000"));
        check(json!([0.5, 0.5, 0.5]), json!([0.5, 0.5, 0.5, 1]));
        check(json!([12, 1, 1, 1]), json!([12, 1, 1, 1]));
        for byte in 0..=255u8 {
            let hex = json!(format!("#{byte:02x}{byte:02x}{byte:02x}"));
            check(hex.clone(), hex);
        }
    }

    #[test]
    fn other_values_are_no_colours() {
        for value in [
            json!("red"),
            json!("#12345"),
            json!("#ééé"),
            json!([1, 2]),
            json!([1, 2, "x"]),
            json!(null),
            json!([1e300, 0, 0]),
        ] {
            assert_eq!(linear_color(&value), None, "{value}");
        }
    }
}
