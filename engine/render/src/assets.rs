use std::sync::Arc;

use zero_base::{Fault, Hash};
use zero_gpu::SourceFile;

use crate::MeshData;

/// Where the renderer gets content from. It asks again at every draw and compares hashes, so a
/// changed asset shows in the next picture; implementors answer from an index and keep what they
/// have read.
///
/// `from` is the path of the file that wrote the name, for names that are relative to it; it is
/// empty when the engine itself asks.
pub trait RenderAssets {
    fn mesh(&self, identity: &str) -> Result<MeshSource, Fault>;
    fn material(&self, identity: &str) -> Result<MaterialSource, Fault>;
    fn shader(&self, name: &str, from: &str) -> Result<ShaderSource, Fault>;
    fn texture(&self, name: &str, from: &str) -> Result<TextureSource, Fault>;
    /// The shader text that `#include "name"` stands for.
    fn include(&self, name: &str, from: &str) -> Result<SourceFile, Fault>;
}

/// A mesh asset: the text of its `mesh.yaml`, or geometry that exists already.
#[derive(Debug, Clone)]
pub struct MeshSource {
    pub path: String,
    pub hash: Hash,
    pub body: MeshBody,
}

#[derive(Debug, Clone)]
pub enum MeshBody {
    Text(Arc<str>),
    Data(Arc<MeshData>),
}

/// The `mat.yaml` of a material asset.
#[derive(Debug, Clone)]
pub struct MaterialSource {
    pub path: String,
    pub hash: Hash,
    pub text: Arc<str>,
}

/// The `shader.wgsl` and `properties.yaml` of a shader asset; empty properties declare none.
#[derive(Debug, Clone)]
pub struct ShaderSource {
    pub path: String,
    pub wgsl: Arc<str>,
    pub properties_path: String,
    pub properties: Arc<str>,
    pub hash: Hash,
}

/// The picture of a texture asset, as a PNG file.
#[derive(Debug, Clone)]
pub struct TextureSource {
    pub path: String,
    pub hash: Hash,
    pub png: Arc<[u8]>,
}
