//! From the names a scene uses to what can be drawn, with a placeholder wherever there is nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use zero_base::{Diagnostic, Fault, Hash, Hasher};
use zero_gpu::{Gpu, GpuError, wgpu};

use crate::content::{MaterialFile, NamedText, PropertyKind, TextureFallback, parse_material, parse_mesh};
use crate::store::materials::GpuMaterial;
use crate::store::meshes::GpuMesh;
use crate::store::pipelines::Layouts;
use crate::store::stages::diagnostics_of;
use crate::store::surfaces::{self, SurfaceShader};
use crate::store::textures::GpuTexture;
use crate::store::{Found, Store};
use crate::{MeshBody, Primitive, RenderAssets, RenderError, builtin};

/// Everything the device holds of assets.
#[derive(Debug)]
pub(crate) struct Library {
    meshes: Store<GpuMesh>,
    files: Store<MaterialFile>,
    surfaces: Store<SurfaceShader>,
    /// Composing is the same for every material that wears a shader: once a draw will do.
    composed: BTreeMap<String, Found<SurfaceShader>>,
    textures: Store<GpuTexture>,
    materials: Store<GpuMaterial>,
    fallbacks: BTreeMap<TextureFallback, Arc<GpuTexture>>,
    placeholder_mesh: Arc<GpuMesh>,
    sampler: wgpu::Sampler,
}

/// A material ready to draw with.
#[derive(Debug, Clone)]
pub(crate) struct Wearable {
    pub(crate) shader: Arc<SurfaceShader>,
    pub(crate) material: Arc<GpuMaterial>,
    /// The shader's path, which draws are sorted by first: switching shaders costs most.
    pub(crate) shader_path: Arc<str>,
}

/// Why a name gives nothing to draw.
struct Absent(Vec<Diagnostic>);

impl Library {
    pub(crate) fn new(gpu: &Gpu) -> Result<Library, GpuError> {
        let mut fallbacks = BTreeMap::new();
        for fallback in [TextureFallback::White, TextureFallback::Black, TextureFallback::Normal] {
            fallbacks.insert(fallback, Arc::new(GpuTexture::fallback(gpu, fallback)?));
        }
        let cube = Primitive::Cube { size: [1.0; 3] }.mesh();
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("material"),
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            // In software every tap is paid for at every pixel: sharper slopes cost a picture thrice its time.
            anisotropy_clamp: if gpu.is_software() { 1 } else { 8 },
            ..Default::default()
        });
        Ok(Library {
            meshes: Store::new(),
            files: Store::new(),
            surfaces: Store::new(),
            composed: BTreeMap::new(),
            textures: Store::new(),
            materials: Store::new(),
            fallbacks,
            placeholder_mesh: Arc::new(GpuMesh::upload(gpu, "placeholder", &cube)?),
            sampler,
        })
    }

    pub(crate) fn next_draw(&mut self) {
        self.meshes.next_draw();
        self.files.next_draw();
        self.surfaces.next_draw();
        self.composed.clear();
        self.textures.next_draw();
        self.materials.next_draw();
    }

    /// The mesh called `identity`, or a cube of one metre.
    pub(crate) fn mesh(
        &mut self,
        gpu: &Gpu,
        assets: &dyn RenderAssets,
        identity: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Arc<GpuMesh> {
        let source = match assets.mesh(identity) {
            Ok(source) => source,
            Err(fault) => {
                self.meshes.forget(identity);
                let reason = format!("the mesh '{identity}' draws as a cube: {}", fault.message);
                problems.push(diagnostic(fault, reason));
                return self.placeholder_mesh.clone();
            }
        };
        let found = self.meshes.get(identity, source.hash, || {
            let parsed = match &source.body {
                MeshBody::Text(text) => Arc::new(parse_mesh(text, &source.path)?),
                MeshBody::Data(data) => data.clone(),
            };
            let mesh = GpuMesh::upload(gpu, identity, &parsed).map_err(diagnostics_of)?;
            Ok((mesh, Vec::new()))
        });
        problems.extend(found.problems);
        found.good.unwrap_or_else(|| self.placeholder_mesh.clone())
    }

    /// The material called `identity`, or the checker that marks a missing one.
    pub(crate) fn material(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        assets: &dyn RenderAssets,
        identity: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Result<Wearable, RenderError> {
        if let Some(wearable) = self.wearable(gpu, layouts, assets, identity, problems) {
            return Ok(wearable);
        }
        let mut reasons = Vec::new();
        self.wearable(gpu, layouts, assets, builtin::MISSING_MATERIAL, &mut reasons).ok_or_else(|| {
            RenderError::Builtin {
                identity: builtin::MISSING_MATERIAL.to_owned(),
                reason: reasons.first().map(Diagnostic::to_string).unwrap_or_default(),
                diagnostics: reasons,
            }
        })
    }

    fn wearable(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        assets: &dyn RenderAssets,
        identity: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Wearable> {
        match self.worn(gpu, layouts, assets, identity, problems) {
            Ok(wearable) => Some(wearable),
            Err(Absent(reasons)) => {
                problems.extend(reasons);
                None
            }
        }
    }

    fn worn(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        assets: &dyn RenderAssets,
        identity: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Result<Wearable, Absent> {
        let source = match assets.material(identity) {
            Ok(source) => source,
            Err(fault) => {
                self.files.forget(identity);
                let reason = format!("the material '{identity}' draws as a checker: {}", fault.message);
                return Err(Absent(vec![diagnostic(fault, reason)]));
            }
        };
        let file =
            self.files.get(identity, source.hash, || Ok((parse_material(&source.text, &source.path)?, Vec::new())));
        let file = settled(file, problems)?;
        let (shader, shader_path) = self.surface(gpu, layouts, assets, &file.shader, &source.path, problems)?;
        let values = file.values(&shader.properties);
        let mut content = Hasher::new();
        content.part(shader_path.as_bytes()).part(format!("{:?}", shader.properties).as_bytes());
        content.part(format!("{:?}", values.numbers).as_bytes());
        problems.extend(values.problems);
        let mut textures = Vec::new();
        for (property, name) in shader.properties.textures().zip(&values.textures) {
            let (texture, hash) = self.texture(gpu, assets, property.kind, name.as_ref(), &source.path, problems);
            content.part(hash.as_bytes());
            textures.push(texture);
        }
        let material = self.materials.get(identity, content.finish(), || {
            let bound = GpuMaterial::bind(gpu, identity, &shader, &values.numbers, &textures, &self.sampler);
            Ok((bound.map_err(diagnostics_of)?, Vec::new()))
        });
        let material = settled(material, problems)?;
        Ok(Wearable { shader, material, shader_path })
    }

    fn surface(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        assets: &dyn RenderAssets,
        name: &NamedText,
        from: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Result<(Arc<SurfaceShader>, Arc<str>), Absent> {
        let source = assets.shader(&name.text, from).map_err(|fault| {
            let reason = format!("the shader '{}' cannot be used: {}", name.text, fault.message);
            Absent(vec![diagnostic(fault, reason).in_file(from).at(name.span)])
        })?;
        if let Some(found) = self.composed.get(&source.path) {
            // Its problems have been reported already.
            let good = found.good.clone().ok_or(Absent(Vec::new()))?;
            return Ok((good, source.path.into()));
        }
        // The code around the author's may change as well, so the composed text is what counts.
        let found = match surfaces::compose(&source, assets) {
            Ok((shader, properties)) => {
                let mut content = Hasher::new();
                content.part(shader.hash().as_bytes()).part(source.properties.as_bytes());
                self.surfaces.get(&source.path, content.finish(), || {
                    surfaces::make(gpu, layouts, &source.path, &shader, properties)
                })
            }
            Err(reasons) => {
                let content = Hash::of(format!("{reasons:?}").as_bytes());
                self.surfaces.get(&source.path, content, || Err(reasons))
            }
        };
        self.composed.insert(source.path.clone(), found.clone());
        Ok((settled(found, problems)?, source.path.into()))
    }

    fn texture(
        &mut self,
        gpu: &Gpu,
        assets: &dyn RenderAssets,
        kind: PropertyKind,
        name: Option<&NamedText>,
        from: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> (Arc<GpuTexture>, String) {
        let PropertyKind::Texture { fallback, encoding } = kind else { unreachable!("only textures are asked for") };
        let plain = (self.fallbacks[&fallback].clone(), format!("{fallback:?}"));
        let Some(name) = name else { return plain };
        let source = match assets.texture(&name.text, from) {
            Ok(source) => source,
            Err(fault) => {
                let reason = format!("the texture '{}' is left out: {}", name.text, fault.message);
                problems.push(diagnostic(fault, reason).in_file(from).at(name.span));
                return plain;
            }
        };
        let mut content = Hasher::new();
        content.part(source.hash.as_bytes()).part(format!("{encoding:?}").as_bytes());
        let (slot, content) = (format!("{} {encoding:?}", source.path), content.finish());
        let found = self
            .textures
            .get(&slot, content, || GpuTexture::decode(gpu, &source, encoding).map(|texture| (texture, Vec::new())));
        problems.extend(found.problems);
        found.good.map_or(plain, |texture| (texture, content.to_string()))
    }
}

fn settled<T>(found: Found<T>, problems: &mut Vec<Diagnostic>) -> Result<Arc<T>, Absent> {
    match found.good {
        Some(good) => {
            problems.extend(found.problems);
            Ok(good)
        }
        None => Err(Absent(found.problems)),
    }
}

/// A refused look-up as a diagnostic that keeps its code.
fn diagnostic(fault: Fault, message: String) -> Diagnostic {
    Diagnostic::error(fault.code, message)
}
