//! The built-in assets are sound; no device needed.

use zero_render::{MeshBody, RenderAssets, check_shader, parse_material, parse_mesh, parse_properties};

use crate::disk::DiskAssets;

#[test]
fn every_built_in_mesh_reads() {
    let assets = DiskAssets::new();
    let meshes = assets.all("mesh");
    assert!(meshes.len() >= 7, "{meshes:?}");
    for identity in meshes {
        let source = assets.mesh(&identity).unwrap();
        let MeshBody::Text(text) = &source.body else { unreachable!("read from disk") };
        let mesh = parse_mesh(text, &source.path).unwrap();
        let half = mesh.bounds().half_extent();
        assert!((half.max_element() - 0.5).abs() < 1e-6, "{identity} is one metre across");
    }
}

#[test]
fn every_built_in_material_fits_its_shader() {
    let assets = DiskAssets::new();
    let materials = assets.all("material");
    assert!(materials.contains(&"@builtin::materials.default".to_owned()), "{materials:?}");
    for identity in materials {
        let source = assets.material(&identity).unwrap();
        let file = parse_material(&source.text, &source.path).unwrap();
        let shader = assets.shader(&file.shader.text, &source.path).unwrap();
        assert_eq!(check_shader(&shader, &assets), [], "{}", file.shader.text);
        let properties = parse_properties(&shader.properties, &shader.properties_path).unwrap();
        assert_eq!(file.values(&properties).problems, [], "{identity}");
    }
}
