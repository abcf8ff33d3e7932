//! What is worth saying about a scene that no file can be blamed for.

use std::collections::BTreeMap;

use glam::Vec3;
use zero_base::{Diagnostic, Severity};

use crate::{DirectionalLight, ProceduralSky, RenderScene};

/// Content that no file can be blamed for.
pub(super) fn remark_on(scene: &RenderScene, diagnostics: &mut Vec<Diagnostic>) {
    let (given, most) = (scene.lights.len(), RenderScene::MOST_LIGHTS);
    if given > most {
        let message = format!("the scene has {given} directional lights, and only the first {most} are drawn");
        diagnostics.push(Diagnostic::warning("render/too_many_lights", message));
    }
}

/// The scene with a light to see it by, when it has none of its own.
pub(super) fn lit(scene: &RenderScene, diagnostics: &mut Vec<Diagnostic>) -> Option<RenderScene> {
    if !scene.lights.is_empty() || scene.sky.is_some() || scene.ambient != Vec3::ZERO {
        return None;
    }
    diagnostics.push(Diagnostic::new(
        Severity::Info,
        "render/no_light",
        "the scene has no light and no sky, so the picture is lit by a neutral one; add a DirectionalLight, an \
         AmbientLight or a ProceduralSky to an entity",
    ));
    Some(RenderScene { lights: vec![neutral_light()], sky: Some(neutral_sky()), ..scene.clone() })
}

/// Which entities use a mesh or a material.
#[derive(Default)]
pub(super) struct Users<'a> {
    pub(super) meshes: BTreeMap<&'a str, Vec<u64>>,
    pub(super) materials: BTreeMap<&'a str, Vec<u64>>,
}

impl Users<'_> {
    pub(super) fn of(scene: &RenderScene) -> Users<'_> {
        let mut users = Users::default();
        for instance in &scene.instances {
            users.meshes.entry(&instance.mesh).or_default().push(instance.entity);
            users.materials.entry(&instance.material).or_default().push(instance.entity);
        }
        users
    }
}

/// Adds who is concerned to diagnostics that no file can be blamed for.
pub(super) fn name_users(diagnostics: &mut [Diagnostic], entities: &[u64]) {
    const NAMED: usize = 3;
    let mut named: Vec<String> = entities.iter().take(NAMED).map(|entity| format!("ent_{entity}")).collect();
    if entities.len() > NAMED {
        named.push(format!("{} more", entities.len() - NAMED));
    }
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.path.is_none()) {
        diagnostic.message.push_str(&format!(" (on {})", named.join(", ")));
    }
}

/// A slip in code that many shaders include is said once.
pub(super) fn without_repeats(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut said: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        if !said.contains(&diagnostic) {
            said.push(diagnostic);
        }
    }
    said
}

fn neutral_light() -> DirectionalLight {
    let direction = Vec3::new(-0.5, -0.9, -0.6);
    DirectionalLight { direction, color: Vec3::ONE, intensity: 2.6, cast_shadows: true }
}

fn neutral_sky() -> ProceduralSky {
    ProceduralSky {
        zenith: Vec3::splat(0.32),
        horizon: Vec3::splat(0.42),
        ground: Vec3::splat(0.16),
        sun_size_radians: 0.0,
        intensity: 1.0,
    }
}
