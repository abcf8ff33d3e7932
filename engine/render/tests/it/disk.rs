//! Assets read straight from the repository's `builtin/`, with texts laid over them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use zero_base::{Fault, Hash, Hasher};
use zero_gpu::{Gpu, SourceFile};
use zero_render::{MaterialSource, MeshBody, MeshSource, RenderAssets, Renderer, ShaderSource, TextureSource};

pub struct DiskAssets {
    builtin: PathBuf,
    /// By path, as in `demo/floor.material/mat.yaml`.
    pub written: BTreeMap<String, Vec<u8>>,
}

impl DiskAssets {
    pub fn new() -> DiskAssets {
        let builtin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../builtin");
        DiskAssets { builtin, written: BTreeMap::new() }
    }

    pub fn write(&mut self, path: &str, text: &str) {
        self.written.insert(path.to_owned(), text.as_bytes().to_vec());
    }

    /// Every asset folder of a type in the library.
    pub fn all(&self, type_name: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(self.builtin.join(&folder)).expect("the library is there") {
                let name = entry.expect("it can be listed").file_name().into_string().expect("names are text");
                let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                if let Some(stem) = path.strip_suffix(&format!(".{type_name}")) {
                    found.push(format!("@builtin::{}", stem.replace('/', ".")));
                } else if !name.contains('.') && self.builtin.join(&path).is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// The path of an asset's file: `@builtin::a.b` is `a/b.<type>/`, anything else is written.
    fn path(&self, identity: &str, type_name: &str, file: &str) -> String {
        let name = identity.strip_prefix("@builtin::").unwrap_or(identity).replace('.', "/");
        format!("{name}.{type_name}/{file}")
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, Fault> {
        match self.written.get(path) {
            Some(bytes) => Ok(bytes.clone()),
            None => std::fs::read(self.builtin.join(path))
                .map_err(|_| Fault::new("asset/not_found", format!("there is no '{path}'"))),
        }
    }

    /// The text of a file of the library.
    pub fn include_text(&self, path: &str) -> String {
        self.text(path).expect("the library has it").0
    }

    fn text(&self, path: &str) -> Result<(String, Hash), Fault> {
        let bytes = self.read(path)?;
        Ok((String::from_utf8(bytes.clone()).expect("assets are text"), Hash::of(&bytes)))
    }
}

impl RenderAssets for DiskAssets {
    fn mesh(&self, identity: &str) -> Result<MeshSource, Fault> {
        let path = self.path(identity, "mesh", "mesh.yaml");
        let (text, hash) = self.text(&path)?;
        Ok(MeshSource { path, hash, body: MeshBody::Text(text.into()) })
    }

    fn material(&self, identity: &str) -> Result<MaterialSource, Fault> {
        let path = self.path(identity, "material", "mat.yaml");
        let (text, hash) = self.text(&path)?;
        Ok(MaterialSource { path, hash, text: text.into() })
    }

    fn shader(&self, name: &str, _from: &str) -> Result<ShaderSource, Fault> {
        let (path, properties_path) =
            (self.path(name, "shader", "shader.wgsl"), self.path(name, "shader", "properties.yaml"));
        let (wgsl, _) = self.text(&path)?;
        let properties = self.text(&properties_path).map(|(text, _)| text).unwrap_or_default();
        let hash = Hasher::new().part(wgsl.as_bytes()).part(properties.as_bytes()).finish();
        Ok(ShaderSource { path, wgsl: wgsl.into(), properties_path, properties: properties.into(), hash })
    }

    fn texture(&self, name: &str, _from: &str) -> Result<TextureSource, Fault> {
        let path = self.path(name, "texture", "texture.png");
        let bytes = self.read(&path)?;
        Ok(TextureSource { path, hash: Hash::of(&bytes), png: bytes.into() })
    }

    fn include(&self, name: &str, _from: &str) -> Result<SourceFile, Fault> {
        let path = self.path(name, "shader", "shader.wgsl");
        let (text, _) = self.text(&path)?;
        Ok(SourceFile { path, text: text.into() })
    }
}

pub fn renderer() -> Option<Renderer> {
    match Gpu::open() {
        Ok(gpu) => Some(Renderer::new(gpu).expect("the device takes what the renderer needs")),
        Err(error) if std::env::var_os("ZERO_REQUIRE_GPU").is_some() => panic!("{error}"),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}
