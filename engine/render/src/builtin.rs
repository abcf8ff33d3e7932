//! The one table of built-in assets the renderer stands on. Everything else it draws is named by
//! the scene.

/// Worn by instances that name no material.
pub(crate) const DEFAULT_MATERIAL: &str = "@builtin::materials.default";
/// Drawn where a material, its shader or its values cannot be had.
pub(crate) const MISSING_MATERIAL: &str = "@builtin::materials.missing";

/// Vertex and fragment stage that a surface shader is composed with.
pub(crate) const SURFACE_STAGE: &str = "@builtin::shaders.frame.surface_stage";
/// Vertex stage of the shadow map.
pub(crate) const SHADOW_STAGE: &str = "@builtin::shaders.frame.shadow_stage";
/// The sky behind everything.
pub(crate) const SKY_STAGE: &str = "@builtin::shaders.frame.sky_stage";
/// Filters the sky into the maps that light and reflections read.
pub(crate) const ENVIRONMENT_STAGE: &str = "@builtin::shaders.frame.environment_stage";
/// From the light that reached the camera to the bytes of the picture.
pub(crate) const PICTURE_STAGE: &str = "@builtin::shaders.frame.picture_stage";
