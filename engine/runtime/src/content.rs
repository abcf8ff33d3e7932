//! What the renderer's own readers say of the files of meshes, materials, textures and shaders,
//! without a device: the same that a picture would report.

use zero_base::Diagnostic;
use zero_render::{
    RenderAssets, check_shader, check_texture, declares_surface, parse_material, parse_mesh, parse_properties,
};
use zero_source::yaml;
use zero_vfs::VfsPath;

use crate::capture::Assets;
use crate::state::State;

/// Nothing for a file that no such reader reads, and for one whose text is not even YAML.
pub(crate) fn findings(state: &State, path: &VfsPath) -> Vec<Diagnostic> {
    let Some(asset) = state.assets.containing(path) else { return Vec::new() };
    let name = path.as_str();
    if (asset.type_name.as_str(), path.relative_to(&asset.path)) == ("texture", Some("texture.png")) {
        return state.vfs.read(path).map(|png| check_texture(&png, name)).unwrap_or_default();
    }
    let Ok(text) = state.vfs.read_text(path) else { return Vec::new() };
    if name.ends_with(".yaml") && yaml::parse(&text).is_err() {
        return Vec::new();
    }
    let mut found = match (asset.type_name.as_str(), path.relative_to(&asset.path)) {
        ("mesh", Some("mesh.yaml")) => parse_mesh(&text, name).err().unwrap_or_default(),
        ("material", Some("mat.yaml")) => material(state, &text, name),
        ("shader", Some("properties.yaml")) => parse_properties(&text, name).err().unwrap_or_default(),
        ("shader", Some("shader.wgsl")) => surface(state, &asset.identity, name),
        _ => Vec::new(),
    };
    found.iter_mut().filter(|problem| problem.path.is_none()).for_each(|problem| problem.path = Some(name.to_owned()));
    found
}

/// The values are put to the shader's properties. Of a shader that is not there, or is itself
/// wrong, nothing is said here: the reference and the shader are.
fn material(state: &State, text: &str, path: &str) -> Vec<Diagnostic> {
    let file = match parse_material(text, path) {
        Ok(file) => file,
        Err(found) => return found,
    };
    let assets = Assets { state };
    let Ok(shader) = assets.shader(&file.shader.text, path) else { return Vec::new() };
    let Ok(properties) = parse_properties(&shader.properties, &shader.properties_path) else { return Vec::new() };
    file.values(&properties).problems
}

/// Text that only other shaders include is checked in what includes it.
fn surface(state: &State, identity: &str, path: &str) -> Vec<Diagnostic> {
    let assets = Assets { state };
    let Ok(source) = assets.shader(identity, path) else { return Vec::new() };
    if source.properties.is_empty() && !declares_surface(&source.wgsl) {
        return Vec::new();
    }
    check_shader(&source, &assets)
}
