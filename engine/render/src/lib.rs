//! Draws a world: a [`RenderScene`] of plain data in, a picture and diagnostics out.
//!
//! Never runs a script, never touches a file and never looks an asset up itself: meshes,
//! materials and shaders come through [`RenderAssets`], the built-in lighting code included.
//! What fails to load draws as it last did, or as a placeholder, and says why. Start reading at
//! [`Renderer::draw`], then at `frame.rs` for the order of passes.

mod assets;
mod builtin;
mod content;
mod error;
mod extract;
mod frame;
mod library;
mod mesh;
mod renderer;
mod scene;
mod store;

pub use assets::{MaterialSource, MeshBody, MeshSource, RenderAssets, ShaderSource, TextureSource};
pub use content::{
    MaterialFile, MaterialValues, NamedText, Property, PropertyKind, ShaderProperties, TextureEncoding,
    TextureFallback, parse_material, parse_mesh, parse_properties,
};
pub use error::RenderError;
pub use extract::extract;
pub use mesh::{Bounds, MeshData, Primitive};
pub use renderer::{DrawStats, Drawn, Renderer};
pub use scene::{CameraView, DirectionalLight, Instance, ProceduralSky, RenderScene};
pub use store::surfaces::{check_shader, declares_surface};
pub use store::textures::check_texture;
pub use zero_gpu::{Image, Luma};
