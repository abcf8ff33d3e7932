//! The first scene's picture, against one that somebody has looked at.
//!
//! `UPDATE_GOLDEN=1` writes the new picture: look at it before it is committed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use zero_gpu::Image;
use zero_runtime::{Capture, Op};
use zero_tests::{World, repository};

const FLOOR: &str = "@builtin::systems.reflections.demo.polished_floor";

/// The same rasteriser on another kind of processor differs by less; another device's pictures
/// differ more, at edges, and are held to the second bound only.
const DIFFERENT_PIXELS_SHARE: f64 = 0.002;
const DIFFERENT_BY: u8 = 2;
const LEAST_PSNR_DB: f64 = 40.0;

#[test]
fn polished_floor_looks_as_it_did() {
    let world = World::new();
    world.call(Op::LoadScene { identity: FLOOR.to_owned() }).unwrap();
    world.play(60);
    let capture = Capture { width: Some(256), height: Some(144), ..Capture::default() };
    let answer = match world.call(Op::Capture(capture)) {
        Ok(answer) => answer,
        Err(fault) if fault.code == "gpu/no_adapter" && std::env::var_os("ZERO_REQUIRE_GPU").is_none() => {
            println!("no picture: {fault}");
            return;
        }
        Err(fault) => panic!("{fault}"),
    };
    let png = BASE64.decode(&answer.images[0].png_base64).unwrap();
    let path = repository().join("tests/golden/polished_floor.png");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &png).unwrap();
    }
    let golden = Image::decode_png(&std::fs::read(&path).unwrap()).unwrap();
    let drawn = Image::decode_png(&png).unwrap();
    assert_eq!((drawn.width, drawn.height), (golden.width, golden.height));
    let (share, psnr) = compare(&drawn, &golden);
    let fits = share <= DIFFERENT_PIXELS_SHARE || psnr >= LEAST_PSNR_DB;
    assert!(fits, "{:.2} % of the pixels differ, PSNR {psnr:.1} dB", share * 100.0);
}

/// Share of the pixels that differ visibly, and the peak signal-to-noise ratio.
fn compare(a: &Image, b: &Image) -> (f64, f64) {
    let pairs = || a.rgba8.iter().zip(&b.rgba8);
    let different = a
        .rgba8
        .chunks_exact(4)
        .zip(b.rgba8.chunks_exact(4))
        .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > DIFFERENT_BY))
        .count();
    let squares: f64 = pairs().map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2)).sum();
    let mean = squares / a.rgba8.len() as f64;
    let psnr = if mean == 0.0 { f64::INFINITY } else { 10.0 * (255.0 * 255.0 / mean).log10() };
    (different as f64 / (a.rgba8.len() / 4) as f64, psnr)
}
