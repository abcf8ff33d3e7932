//! Content that is missing or broken: the picture goes on, and diagnostics say why.

use glam::{Mat4, Vec3};
use zero_base::Diagnostic;
use zero_render::{CameraView, Image, RenderScene};

use crate::disk::{DiskAssets, renderer};
use crate::floor::{CUBE, instance, sky, sun};

/// One cube that fills the middle of the picture.
fn cube(mesh: &str, material: &str) -> RenderScene {
    RenderScene {
        camera: Some(CameraView::looking_at(Vec3::new(0.0, 0.0, 1.6), Vec3::ZERO)),
        instances: vec![instance(7, mesh, material, Mat4::IDENTITY)],
        lights: vec![sun()],
        sky: Some(sky()),
        ..RenderScene::default()
    }
}

fn is_magenta(image: &Image) -> bool {
    image.rgba8.chunks_exact(4).filter(|pixel| pixel[0] > 150 && pixel[2] > 150 && pixel[1] < 80).count() > 50
}

/// `file:line:column code` of each.
fn places(diagnostics: &[Diagnostic]) -> Vec<String> {
    let place = |one: &Diagnostic| {
        let span = one.span.map_or(String::new(), |span| format!(":{}:{}", span.line, span.column));
        format!("{}{span} {}", one.path.as_deref().unwrap_or("-"), one.code)
    };
    diagnostics.iter().map(place).collect()
}

const SHADER: &str = "fn surface(input: SurfaceInput) -> Surface {
    var s = default_surface(input);
    s.albedo = material.tint.rgb;
    return s;
}
";

fn tinted() -> DiskAssets {
    let mut assets = DiskAssets::new();
    assets.write("kit/tint.shader/shader.wgsl", SHADER);
    assets.write("kit/tint.shader/properties.yaml", "- { name: tint, type: color, default: \"#208040\" }\n");
    assets.write("kit/leaf.material/mat.yaml", "shader: kit.tint\n");
    assets
}

#[test]
fn missing_assets_show_a_placeholder_and_say_who_asked() {
    let Some(mut renderer) = renderer() else { return };
    let assets = DiskAssets::new();
    let mut scene = cube("kit.nothing", "kit.nobody");
    scene.instances.push(instance(9, "kit.nothing", "kit.nobody", Mat4::from_translation(Vec3::X * 9.0)));
    let drawn = renderer.draw(&scene, &assets, 96, 64).unwrap();
    assert!(is_magenta(&drawn.image));
    assert_eq!(places(&drawn.diagnostics), ["- asset/not_found", "- asset/not_found"]);
    let [mesh, material] = [0, 1].map(|index| drawn.diagnostics[index].message.as_str());
    assert!(
        mesh.starts_with("the mesh 'kit.nothing' draws as a cube") && mesh.ends_with("(on ent_7, ent_9)"),
        "{mesh}"
    );
    assert!(material.starts_with("the material 'kit.nobody' draws as a checker"), "{material}");
    // Once it is there it draws, and once it is gone again it does not.
    let mut assets = tinted();
    let present = renderer.draw(&cube(CUBE, "kit.leaf"), &assets, 96, 64).unwrap();
    assert_eq!((is_magenta(&present.image), present.diagnostics), (false, vec![]));
    assets.written.remove("kit/leaf.material/mat.yaml");
    assert!(is_magenta(&renderer.draw(&cube(CUBE, "kit.leaf"), &assets, 96, 64).unwrap().image));
}

#[test]
fn a_broken_shader_keeps_the_old_picture_until_it_is_mended() {
    let Some(mut renderer) = renderer() else { return };
    let mut assets = tinted();
    let scene = cube(CUBE, "kit.leaf");
    let before = renderer.draw(&scene, &assets, 96, 64).unwrap();
    assert_eq!(before.diagnostics, []);

    let mut check = |file: &str, text: &str, expected: &str| {
        let whole = assets.written[file].clone();
        assets.write(file, text);
        for _ in 0..2 {
            let broken = renderer.draw(&scene, &assets, 96, 64).unwrap();
            assert_eq!(places(&broken.diagnostics), [expected], "{:?}", broken.diagnostics);
            assert!(broken.image == before.image, "{expected}: the old picture stays");
        }
        assets.written.insert(file.to_owned(), whole);
        let mended = renderer.draw(&scene, &assets, 96, 64).unwrap();
        assert_eq!(mended.diagnostics, []);
        assert!(mended.image == before.image);
    };
    let (wgsl, yaml) = ("kit/tint.shader/shader.wgsl", "kit/tint.shader/properties.yaml");
    check(wgsl, &SHADER.replace("material.tint", "material.tnit"), &format!("{wgsl}:3:25 shader/parse"));
    check(wgsl, &SHADER.replace("return s;", "return 1.0;"), &format!("{wgsl}:4:12 shader/parse"));
    check(wgsl, &SHADER.replace("return s;", "input.uv.x = 1.0; return s;"), &format!("{wgsl}:4:5 shader/parse"));
    check(wgsl, &SHADER.replace("surface(input: SurfaceInput)", "surface()"), &format!("{wgsl}:1:1 shader/surface"));
    check(wgsl, &format!("#include \"kit.gone\"\n{SHADER}"), &format!("{wgsl}:1:1 shader/include"));
    check(yaml, "- { name: loop, type: color }\n", &format!("{yaml}:1:1 shader/parse"));
    check(yaml, "- { name: tint, type: colour }\n", &format!("{yaml}:1:23 render/properties"));
    check("kit/leaf.material/mat.yaml", "shader: [", "kit/leaf.material/mat.yaml:1:9 yaml/syntax");
}

#[test]
fn a_shader_that_never_worked_draws_as_a_checker() {
    let Some(mut renderer) = renderer() else { return };
    let mut assets = tinted();
    assets.write("kit/tint.shader/shader.wgsl", "fn surface(input: SurfaceInput) -> Surface { return nothing; }");
    let drawn = renderer.draw(&cube(CUBE, "kit.leaf"), &assets, 96, 64).unwrap();
    assert!(is_magenta(&drawn.image));
    assert_eq!(places(&drawn.diagnostics), ["kit/tint.shader/shader.wgsl:1:53 shader/parse"]);
    assets.write("kit/leaf.material/mat.yaml", "shader: kit.gone\n");
    let drawn = renderer.draw(&cube(CUBE, "kit.leaf"), &assets, 96, 64).unwrap();
    assert!(is_magenta(&drawn.image));
    assert_eq!(places(&drawn.diagnostics), ["kit/leaf.material/mat.yaml:1:9 asset/not_found"]);
}

#[test]
fn broken_meshes_values_and_textures_fall_back_and_say_where() {
    let Some(mut renderer) = renderer() else { return };
    let mut assets = tinted();
    let plain = renderer.draw(&cube(CUBE, "kit.leaf"), &assets, 96, 64).unwrap().image;
    assets.write("kit/box.mesh/mesh.yaml", "primitive: cube\nsize: wide\n");
    let drawn = renderer.draw(&cube("kit.box", "kit.leaf"), &assets, 96, 64).unwrap();
    assert_eq!(places(&drawn.diagnostics), ["kit/box.mesh/mesh.yaml:2:7 render/mesh"]);
    assert!(drawn.image == plain, "a mesh that never worked draws as a cube");

    assets.write("kit/leaf.material/mat.yaml", "shader: kit.tint\nvalues: { tin: 1, tint: green }\n");
    let drawn = renderer.draw(&cube(CUBE, "kit.leaf"), &assets, 96, 64).unwrap();
    let file = "kit/leaf.material/mat.yaml";
    assert_eq!(
        places(&drawn.diagnostics),
        [format!("{file}:2:25 render/material"), format!("{file}:2:11 render/material")]
    );
    assert!(drawn.image == plain, "values that do not fit keep the default");

    assets.write(
        "kit/leaf.material/mat.yaml",
        "shader: \"@builtin::shaders.standard\"\ntextures: { albedoTexture: kit.gone, emissiveTexture: kit.noise }\n",
    );
    assets.written.insert("kit/noise.texture/texture.png".to_owned(), b"no picture".to_vec());
    let drawn = renderer.draw(&cube(CUBE, "kit.leaf"), &assets, 96, 64).unwrap();
    assert_eq!(
        places(&drawn.diagnostics),
        [format!("{file}:2:28 asset/not_found"), "kit/noise.texture/texture.png render/texture".to_owned()]
    );
}

#[test]
fn textures_are_shown_and_reloaded() {
    let Some(mut renderer) = renderer() else { return };
    let mut assets = DiskAssets::new();
    let text = "shader: \"@builtin::shaders.standard\"\nvalues: { albedo: \"#ffffff\" }\ntextures: { albedoTexture: kit.paint }\n";
    assets.write("kit/painted.material/mat.yaml", text);
    let mut check = |texel: [u8; 4], strongest: usize| {
        let rgba8 = texel.repeat(16 * 8);
        let png = Image { width: 16, height: 8, rgba8 }.encode_png().unwrap();
        assets.written.insert("kit/paint.texture/texture.png".to_owned(), png);
        let drawn = renderer.draw(&cube(CUBE, "kit.painted"), &assets, 96, 64).unwrap();
        assert_eq!(drawn.diagnostics, []);
        let pixel = drawn.image.pixel(48, 32);
        let others = (0..3).filter(|&channel| channel != strongest).map(|channel| pixel[channel]).max().unwrap();
        assert!(pixel[strongest] > others + 40, "{pixel:?}");
    };
    check([220, 30, 30, 255], 0);
    check([30, 200, 30, 255], 1);
}

#[test]
fn built_in_code_reloads_too_and_survives_a_slip() {
    let Some(mut renderer) = renderer() else { return };
    let mut assets = tinted();
    let scene = cube(CUBE, "kit.leaf");
    let before = renderer.draw(&scene, &assets, 96, 64).unwrap().image;
    let file = "shaders/frame/tone_curve.shader/shader.wgsl";
    assets.write(file, "fn tone_mapped(light: vec3<f32>) -> vec3<f32> { return light.bgr; }");
    assert!(before != renderer.draw(&scene, &assets, 96, 64).unwrap().image);
    assets.written.remove(file);
    let files = ["tone_curve", "sky", "brdf", "environment_stage"]
        .map(|name| format!("shaders/frame/{name}.shader/shader.wgsl"));
    for file in &files {
        for slip in ["fn slip() -> f32 { return; }", "#include \"@builtin::gone\""] {
            let whole = assets.include_text(file);
            assets.write(file, &format!("{whole}\n{slip}\n"));
            let broken = renderer.draw(&scene, &assets, 96, 64).unwrap();
            assert_eq!(broken.diagnostics.len(), 1, "{:?}", broken.diagnostics);
            assert_eq!(broken.diagnostics[0].path.as_ref(), Some(file));
            assets.written.remove(file);
            assert!(before == renderer.draw(&scene, &assets, 96, 64).unwrap().image);
        }
    }
}
