//! Pictures of the world as it stands.

use std::rc::Rc;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use glam::Vec3;
use serde_json::json;
use zero_base::{Fault, Hash};
use zero_gpu::SourceFile;
use zero_render::{
    CameraView, MaterialSource, MeshBody, MeshSource, RenderAssets, Renderer, ShaderSource, TextureSource, extract,
};
use zero_vfs::VfsPath;

use crate::ops::{Answer, Capture, Outcome, Picture};
use crate::shared::Shared;
use crate::state::State;
use crate::view;

const DEFAULT_SIZE: (u32, u32) = (640, 360);
const LARGEST: u32 = 1920;
/// The device did not come back from a picture.
const STUCK: &str = "gpu/timeout";

pub(crate) fn capture(shared: &Rc<Shared>, request: &Capture) -> Outcome {
    let mut state = shared.state.borrow_mut();
    let state = &mut *state;
    let (width, height) = size(request)?;
    state.world.update_hierarchy();
    let mut scene = extract(&state.world);
    if let Some(camera) = camera(state, request, &scene)? {
        scene.camera = Some(camera);
    }
    let mut renderer = take_renderer(state)?;
    let drawn = renderer.draw(&scene, &Assets { state }, width, height).map_err(Fault::from);
    let drawn = match drawn {
        Err(fault) if fault.code == STUCK => {
            // Dropping it would wait for the device, which may never be done.
            std::mem::forget(renderer);
            state.renderer = Some(Err(fault.clone()));
            return Err(fault);
        }
        other => {
            state.renderer = Some(Ok(renderer));
            other?
        }
    };
    let png = drawn.image.encode_png()?;
    let mut value = json!({
        "width": width,
        "height": height,
        "luma": drawn.image.luma(),
        "scene": state.scene.key(),
        "mode": state.mode.name(),
        "frame": state.frame,
        "hash": Hash::of(&png),
    });
    state.put_errors(&mut value);
    if !drawn.diagnostics.is_empty() {
        value["diagnostics"] = json!(drawn.diagnostics);
    }
    let picture = Picture { png_base64: BASE64.encode(&png), width, height };
    Ok(Answer { value, images: vec![picture], ..Answer::default() })
}

fn size(request: &Capture) -> Result<(u32, u32), Fault> {
    let (width, height) = match (request.width, request.height) {
        (None, None) => DEFAULT_SIZE,
        (Some(width), Some(height)) => (width, height),
        (Some(width), None) => (width, (u64::from(width) * 9 / 16).max(1) as u32),
        (None, Some(height)) => ((u64::from(height) * 16 / 9).clamp(1, u64::from(u32::MAX)) as u32, height),
    };
    let allowed = 1..=LARGEST;
    if !allowed.contains(&width) || !allowed.contains(&height) {
        return Err(Fault::new(
            "capture/size",
            format!("width and height must be 1 to {LARGEST}, got {width} × {height}"),
        ));
    }
    Ok((width, height))
}

/// The camera a request asks for; none for the scene's own.
fn camera(state: &State, request: &Capture, scene: &zero_render::RenderScene) -> Result<Option<CameraView>, Fault> {
    let entity = |name: &Option<String>| -> Result<zero_world::EntityId, Fault> {
        let name = name
            .as_deref()
            .ok_or_else(|| Fault::new("capture/entity", "this source needs `entity`: an id or a name"))?;
        Ok(state.world.find_one(name)?)
    };
    let vector = |v: [f64; 3]| Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32);
    let fov = |mut view: CameraView| -> Result<CameraView, Fault> {
        if let Some(degrees) = request.fov_degrees {
            if !(1.0..=170.0).contains(&degrees) {
                return Err(Fault::new("capture/fov", format!("fov must be 1 to 170 degrees, got {degrees}")));
            }
            view.fov_y_radians = (degrees as f32).to_radians();
        }
        Ok(view)
    };
    let finite = |v: &Option<[f64; 3]>, name: &str| match v {
        Some(v) if v.iter().any(|c| !c.is_finite()) => {
            Err(Fault::new("capture/not_finite", format!("{name} must be three finite numbers")))
        }
        _ => Ok(()),
    };
    finite(&request.position, "position")?;
    finite(&request.look_at, "lookAt")?;
    match request.source.as_deref().unwrap_or("main") {
        "main" => match request.fov_degrees {
            Some(_) => Ok(Some(fov(scene.camera.unwrap_or_default())?)),
            None => Ok(None),
        },
        "camera" => {
            let id = entity(&request.entity)?;
            Ok(Some(fov(view::camera_of(&state.world, id)?)?))
        }
        "entity" => {
            let id = entity(&request.entity)?;
            Ok(Some(fov(view::frame_entity(&state.world, id, &Assets { state })?)?))
        }
        "position" => {
            let position = request.position.ok_or_else(|| {
                Fault::new("capture/position", "source position needs `position`: [x, y, z] in metres")
            })?;
            Ok(Some(fov(CameraView::looking_at(vector(position), vector(request.look_at.unwrap_or([0.0; 3]))))?))
        }
        other => {
            let known = ["main", "camera", "entity", "position"];
            Err(Fault::new(
                "capture/source",
                format!(
                    "no source '{other}'{}; it is one of {}",
                    zero_base::did_you_mean(other, &known),
                    known.join(", ")
                ),
            ))
        }
    }
}

/// Pictures are tried again on a new device once a shader or scene that kept one busy may have
/// been mended.
pub(crate) fn files_changed(state: &mut State) {
    if matches!(&state.renderer, Some(Err(fault)) if fault.code == STUCK) {
        state.renderer = None;
    }
}

/// The renderer, made at the first picture. A machine without a device is asked once.
fn take_renderer(state: &mut State) -> Result<Renderer, Fault> {
    if !state.pictures {
        return Err(Fault::new("gpu/off", "this engine was started without pictures"));
    }
    match state.renderer.take() {
        Some(Ok(renderer)) => Ok(renderer),
        Some(Err(fault)) => {
            state.renderer = Some(Err(fault.clone()));
            Err(fault)
        }
        None => match Renderer::open() {
            Ok(renderer) => Ok(renderer),
            Err(error) => {
                let fault = Fault::from(error);
                state.renderer = Some(Err(fault.clone()));
                Err(fault)
            }
        },
    }
}

/// Assets as the renderer asks for them.
pub(crate) struct Assets<'a> {
    pub state: &'a State,
}

impl Assets<'_> {
    fn folder(&self, name: &str, category: &str, from: Option<&str>) -> Result<VfsPath, Fault> {
        let from = from.and_then(|from| VfsPath::parse(from).ok());
        let from = from.as_ref().or(self.state.scene.file.as_ref());
        Ok(self.state.assets.resolve(name, Some(category), from)?.path.clone())
    }

    fn text(&self, path: &VfsPath) -> Result<Arc<str>, Fault> {
        Ok(self.state.vfs.read_text(path)?.into())
    }
}

impl RenderAssets for Assets<'_> {
    fn mesh(&self, identity: &str) -> Result<MeshSource, Fault> {
        let path = self.folder(identity, "mesh", None)?.join("mesh.yaml")?;
        let text = self.text(&path)?;
        Ok(MeshSource { path: path.as_str().to_owned(), hash: Hash::of(text.as_bytes()), body: MeshBody::Text(text) })
    }

    fn material(&self, identity: &str) -> Result<MaterialSource, Fault> {
        let path = self.folder(identity, "material", None)?.join("mat.yaml")?;
        let text = self.text(&path)?;
        Ok(MaterialSource { path: path.as_str().to_owned(), hash: Hash::of(text.as_bytes()), text })
    }

    fn shader(&self, name: &str, from: &str) -> Result<ShaderSource, Fault> {
        let folder = self.folder(name, "shader", Some(from))?;
        let (path, properties_path) = (folder.join("shader.wgsl")?, folder.join("properties.yaml")?);
        let wgsl = self.text(&path)?;
        // A shader without properties needs no file of them.
        let properties = match self.state.vfs.stat(&properties_path) {
            Some(_) => self.text(&properties_path)?,
            None => "".into(),
        };
        let hash = zero_base::Hasher::new().part(wgsl.as_bytes()).part(properties.as_bytes()).finish();
        Ok(ShaderSource {
            path: path.as_str().to_owned(),
            wgsl,
            properties_path: properties_path.as_str().to_owned(),
            properties,
            hash,
        })
    }

    fn texture(&self, name: &str, from: &str) -> Result<TextureSource, Fault> {
        let path = self.folder(name, "texture", Some(from))?.join("texture.png")?;
        let png: Arc<[u8]> = self.state.vfs.read(&path)?;
        Ok(TextureSource { path: path.as_str().to_owned(), hash: Hash::of(&png), png })
    }

    fn include(&self, name: &str, from: &str) -> Result<SourceFile, Fault> {
        let path = self.folder(name, "shader", Some(from))?.join("shader.wgsl")?;
        Ok(SourceFile { path: path.as_str().to_owned(), text: self.text(&path)? })
    }
}
