use crate::disk::renderer;
use crate::floor;

#[test]
fn look() {
    let Some(mut renderer) = renderer() else { return };
    let assets = floor::assets();
    for (w, h) in [(256, 144), (640, 360)] {
        let t = std::time::Instant::now();
        let drawn = renderer.draw(&floor::scene(), &assets, w, h).unwrap();
        println!("{:?} {:?}", t.elapsed(), drawn.stats);
        let t = std::time::Instant::now();
        let drawn = renderer.draw(&floor::scene(), &assets, w, h).unwrap();
        println!("{:?} {:?} {:?}", t.elapsed(), drawn.image.luma(), drawn.diagnostics);
        std::fs::write(format!("/tmp/floor_{w}.png"), drawn.image.encode_png().unwrap()).unwrap();
    }
}
