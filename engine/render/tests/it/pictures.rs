//! What pictures show. Each is also written below the target folder, to be looked at.

use glam::{Mat4, Vec3};
use zero_render::{CameraView, Drawn, Image, RenderScene, Renderer};

use crate::disk::{DiskAssets, renderer};
use crate::floor::{self, CUBE, instance};
use crate::gallery;

const WIDTH: u32 = 256;
const HEIGHT: u32 = 144;

fn draw(renderer: &mut Renderer, scene: &RenderScene, assets: &DiskAssets) -> Drawn {
    renderer.draw(scene, assets, WIDTH, HEIGHT).expect("the picture can be drawn")
}

fn keep(name: &str, image: &Image) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
    std::fs::write(&path, image.encode_png().unwrap()).expect("the target folder can be written");
    println!("{}", path.display());
}

/// Mean brightness of a pixel's three colours, 0 to 255.
fn brightness(image: &Image, x: u32, y: u32) -> u32 {
    image.pixel(x, y)[..3].iter().map(|&byte| u32::from(byte)).sum::<u32>() / 3
}

#[test]
fn a_polished_floor_under_an_afternoon_sky() {
    let Some(mut renderer) = renderer() else { return };
    let assets = floor::assets();
    let drawn = draw(&mut renderer, &floor::scene(), &assets);
    keep("floor", &drawn.image);
    let large = renderer.draw(&floor::scene(), &assets, 640, 360).unwrap();
    keep("floor-640", &large.image);
    assert_eq!(drawn.diagnostics, []);
    assert_eq!((drawn.stats.instances, drawn.stats.visible), (4, 4));

    let luma = drawn.image.luma();
    assert!((80.0..180.0).contains(&luma.mean) && luma.spread > 80, "{luma:?}");
    assert!(luma.crushed < 0.01 && luma.clipped < 0.01, "{luma:?}");
    // The sky is brightest at the horizon, and so is the floor, which mirrors it the more the
    // flatter one looks.
    let column = 20;
    let horizon = (0..HEIGHT).rev().max_by_key(|&y| brightness(&drawn.image, column, y)).unwrap();
    assert!((44..68).contains(&horizon), "the brightest row is {horizon}");
    assert!(brightness(&drawn.image, column, 80) > brightness(&drawn.image, column, 140) + 60);
    let blueness = |y: u32| i32::from(drawn.image.pixel(column, y)[2]) - i32::from(drawn.image.pixel(column, y)[0]);
    assert!(blueness(2) > blueness(horizon) + 40, "the sky is blue above and warm at the horizon");
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let (Some(mut first), Some(mut second)) = (renderer(), renderer()) else { return };
    let assets = floor::assets();
    let mut scene = floor::scene();
    let image = draw(&mut first, &scene, &assets).image;
    assert!(image == draw(&mut first, &scene, &assets).image, "drawn again");
    scene.instances.reverse();
    assert!(image == draw(&mut first, &scene, &assets).image, "listed the other way round");
    draw(&mut second, &gallery::scene(), &assets);
    assert!(image == draw(&mut second, &scene, &assets).image, "drawn by a renderer that has drawn other things");
}

#[test]
fn materials_change_pictures_and_change_them_back() {
    let Some(mut renderer) = renderer() else { return };
    let mut assets = floor::assets();
    let before = draw(&mut renderer, &floor::scene(), &assets).image;
    let red = String::from_utf8(assets.written["demo/red.material/mat.yaml"].clone()).unwrap();
    assets.write("demo/red.material/mat.yaml", &red.replace("#b3261e", "#20c0c0"));
    let after = draw(&mut renderer, &floor::scene(), &assets).image;
    let (x, y) = (72, 60);
    let ([r, g, ..], [new_r, new_g, ..]) = (before.pixel(x, y), after.pixel(x, y));
    assert!(r > g + 40 && new_g > new_r + 40, "{:?} {:?}", before.pixel(x, y), after.pixel(x, y));
    assets.write("demo/red.material/mat.yaml", &red);
    assert!(before == draw(&mut renderer, &floor::scene(), &assets).image);
}

#[test]
fn shadows_fall_where_light_is_blocked() {
    let Some(mut renderer) = renderer() else { return };
    let mut assets = floor::assets();
    let plaster = "shader: \"@builtin::shaders.standard\"\nvalues: { albedo: \"#b8b2a6\", roughness: 0.9 }\n";
    assets.write("demo/stone.material/mat.yaml", plaster);
    let mut scene = floor::scene();
    scene.camera = Some(CameraView::looking_at(Vec3::new(-1.0, 12.0, 9.0), Vec3::new(-1.0, 0.0, -1.0)));
    let shadowed = draw(&mut renderer, &scene, &assets).image;
    keep("shadows", &shadowed);
    scene.lights[0].cast_shadows = false;
    let lit = draw(&mut renderer, &scene, &assets).image;
    let darker = |x: u32, y: u32| brightness(&lit, x, y) > brightness(&shadowed, x, y) + 30;
    let count = (0..WIDTH * HEIGHT).filter(|pixel| darker(pixel % WIDTH, pixel / WIDTH)).count() as u32;
    assert!((WIDTH * HEIGHT / 40..WIDTH * HEIGHT / 4).contains(&count), "{count} pixels lie in shadow");
    // Shadows are whole areas; a surface that shadows itself would be speckled.
    let changed = |x: u32, y: u32| brightness(&lit, x, y).abs_diff(brightness(&shadowed, x, y)) > 2;
    let neighbours = |x: u32, y: u32| {
        let around = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| (x, y)));
        around.filter(|&(x, y)| changed(x, y)).count()
    };
    let inside = (1..HEIGHT - 1).flat_map(|y| (1..WIDTH - 1).map(move |x| (x, y)));
    let speckles = inside.filter(|&(x, y)| changed(x, y) && neighbours(x, y) < 3).count();
    assert!(speckles < 8, "{speckles} pixels are shadowed by themselves");
    scene.lights[0].cast_shadows = true;
    scene.instances.iter_mut().for_each(|instance| instance.cast_shadows = false);
    assert!(lit == draw(&mut renderer, &scene, &assets).image);
}

#[test]
fn every_built_in_shape_and_material_draws() {
    let Some(mut renderer) = renderer() else { return };
    let drawn = renderer.draw(&gallery::scene(), &DiskAssets::new(), 640, 360).unwrap();
    keep("gallery", &drawn.image);
    assert_eq!(drawn.diagnostics, []);
    assert_eq!(drawn.stats.visible, drawn.stats.instances);
    assert!(drawn.stats.draw_calls < 120, "{:?}", drawn.stats);
}

#[test]
fn a_scene_without_a_camera_is_framed_and_without_light_is_lit() {
    let Some(mut renderer) = renderer() else { return };
    let world = Mat4::from_translation(Vec3::new(100.0, 5.0, -40.0));
    let mut scene = RenderScene { instances: vec![instance(1, CUBE, "", world)], ..RenderScene::default() };
    let assets = DiskAssets::new();
    let drawn = draw(&mut renderer, &scene, &assets);
    keep("framed", &drawn.image);
    assert_eq!(drawn.stats.visible, 1);
    assert!(drawn.image.luma().clipped < 0.01, "{:?}", drawn.image.luma());
    assert_eq!(drawn.diagnostics.iter().map(|one| &*one.code).collect::<Vec<_>>(), ["render/no_light"]);
    let empty = draw(&mut renderer, &RenderScene::default(), &assets).image;
    assert!(drawn.image.pixel(WIDTH / 2, HEIGHT / 2) != empty.pixel(WIDTH / 2, HEIGHT / 2));
    assert!(drawn.image.pixel(2, HEIGHT / 2) != drawn.image.pixel(WIDTH / 2, HEIGHT / 2), "with a margin around it");

    scene.camera = Some(CameraView { position: Vec3::NAN, ..CameraView::default() });
    scene.instances.push(instance(9, CUBE, "", Mat4::from_scale(Vec3::NAN)));
    let remarks = draw(&mut renderer, &scene, &assets);
    let codes: Vec<&str> = remarks.diagnostics.iter().map(|one| &*one.code).collect();
    assert_eq!(codes, ["render/no_light", "render/transform", "render/camera"]);
    assert!(drawn.image == remarks.image);
}

#[test]
fn mirrored_and_flattened_meshes_draw_like_others() {
    let Some(mut renderer) = renderer() else { return };
    let assets = floor::assets();
    let mut scene = floor::scene();
    let plain = draw(&mut renderer, &scene, &assets).image;
    scene.instances[1].world *= Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let mirrored = draw(&mut renderer, &scene, &assets).image;
    let most = plain.rgba8.iter().zip(&mirrored.rgba8).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
    assert!(most <= 8, "a mirrored cube is the same cube; the largest difference is {most}");
    scene.instances[1].world *= Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0));
    assert_eq!(draw(&mut renderer, &scene, &assets).diagnostics, []);
}

#[test]
fn the_sun_has_a_disc_in_the_sky_unless_its_size_is_zero() {
    let Some(mut renderer) = renderer() else { return };
    let assets = floor::assets();
    let towards_sun = CameraView::looking_at(Vec3::Y, Vec3::Y - floor::sun().direction);
    let mut scene = RenderScene { camera: Some(towards_sun), instances: Vec::new(), ..floor::scene() };
    let mut check = |degrees: f32, share: std::ops::Range<f64>| {
        scene.sky.as_mut().unwrap().sun_size_radians = degrees.to_radians();
        let image = draw(&mut renderer, &scene, &assets).image;
        let white = image.rgba8.chunks_exact(4).filter(|pixel| pixel[..3].iter().all(|&byte| byte > 225)).count();
        let white = white as f64 / f64::from(WIDTH * HEIGHT);
        assert!(share.contains(&white), "a sun of {degrees}° covers {white} of the picture");
    };
    check(0.0, 0.0..0.001);
    check(10.0, 0.008..0.03);
    check(20.0, 0.035..0.09);
}

#[test]
fn pictures_have_a_size() {
    let Some(mut renderer) = renderer() else { return };
    for (width, height) in [(0, 10), (10, 0), (100_000, 10)] {
        let refused = renderer.draw(&floor::scene(), &floor::assets(), width, height).unwrap_err();
        assert_eq!(refused.code(), "render/size");
    }
    let tall = renderer.draw(&floor::scene(), &floor::assets(), 9, 33).unwrap().image;
    assert_eq!(tall.rgba8.len(), 9 * 33 * 4);
}
