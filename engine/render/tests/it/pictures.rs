use crate::disk::renderer;
use crate::{floor, gallery};

#[test]
fn look() {
    let Some(mut renderer) = renderer() else { return };
    let assets = floor::assets();
    for (name, scene) in [("floor", floor::scene()), ("gallery", gallery::scene())] {
        let t = std::time::Instant::now();
        let drawn = renderer.draw(&scene, &assets, 640, 360).unwrap();
        println!("{:?} {:?}", t.elapsed(), drawn.stats);
        let t = std::time::Instant::now();
        let drawn = renderer.draw(&scene, &assets, 640, 360).unwrap();
        println!("{:?} {:?} {:?}", t.elapsed(), drawn.image.luma(), drawn.diagnostics);
        std::fs::write(format!("/tmp/{name}.png"), drawn.image.encode_png().unwrap()).unwrap();
    }
}

#[test]
fn perf() {
    let Some(mut renderer) = renderer() else { return };
    let assets = floor::assets();
    for (name, mut scene) in [("floor", floor::scene()), ("gallery", gallery::scene())] {
        for shadows in [true, false] {
            scene.lights[0].cast_shadows = shadows;
            for (w, h) in [(64, 36), (640, 360)] {
                let mut best = f64::MAX;
                for _ in 0..6 {
                    let t = std::time::Instant::now();
                    renderer.draw(&scene, &assets, w, h).unwrap();
                    best = best.min(t.elapsed().as_secs_f64() * 1e3);
                }
                println!("{name} shadows {shadows} {w}: best {best:.1} ms");
            }
        }
    }
}

#[test]
fn closeups() {
    use glam::Vec3;
    use zero_render::CameraView;
    let Some(mut renderer) = renderer() else { return };
    let mut assets = floor::assets();
    assets.write(
        "demo/plaster.material/mat.yaml",
        "shader: \"@builtin::shaders.standard\"\nvalues: { albedo: \"#b8b2a6\", roughness: 0.8 }\n",
    );
    let mut scene = floor::scene();
    let mut shot = |name: &str, scene: &zero_render::RenderScene| {
        let drawn = renderer.draw(scene, &assets, 640, 360).unwrap();
        std::fs::write(format!("/tmp/shot_{name}.png"), drawn.image.encode_png().unwrap()).unwrap();
    };
    scene.camera = Some(CameraView::looking_at(Vec3::new(-6.0, 1.2, 12.0), Vec3::new(-20.0, 12.0, -2.0)));
    shot(
        "sunward",
        &RenderScene {
            camera: Some(CameraView::looking_at(Vec3::new(6.0, 1.7, -6.0), Vec3::new(-14.0, 5.0, 2.0))),
            ..scene.clone()
        },
    );
    scene.instances[0].material = "demo.plaster".into();
    shot(
        "base",
        &RenderScene {
            camera: Some(CameraView::looking_at(Vec3::new(-1.5, 1.2, 2.5), Vec3::new(-4.0, 0.2, -1.5))),
            ..scene.clone()
        },
    );
    shot(
        "wide",
        &RenderScene {
            camera: Some(CameraView::looking_at(Vec3::new(14.0, 9.0, 18.0), Vec3::new(0.0, 1.0, -2.0))),
            ..scene.clone()
        },
    );
    shot("all", &RenderScene { camera: None, ..scene.clone() });
}
use zero_render::RenderScene;
