//! The files of mesh, material and shader assets, read into data. Pure: text in, values or
//! diagnostics out.

mod color;
mod fields;
mod material_file;
mod mesh_file;
mod properties;

pub use material_file::{MaterialFile, MaterialValues, NamedText, parse_material};
pub use mesh_file::parse_mesh;
pub use properties::{Property, PropertyKind, ShaderProperties, TextureEncoding, TextureFallback, parse_properties};

#[cfg(test)]
mod tests;
