// What the passes that look through the camera can read. The renderer fills these; their layout is
// mirrored in `engine/render/src/frame/uniforms.rs`.

struct Light {
    // xyz: the direction the light comes from; w: 1 where it throws shadows.
    toLight: vec4<f32>,
    // Irradiance of a surface that faces it.
    irradiance: vec4<f32>,
}

struct Cascade {
    // To texture coordinates of the shadow atlas, and the depth to compare with.
    atlasFromWorld: mat4x4<f32>,
    // The part of the atlas that belongs to this cascade: lowest and highest coordinates.
    tile: vec4<f32>,
    // x: width of a texel in metres; y: width of a texel in atlas coordinates.
    texel: vec4<f32>,
}

struct Frame {
    clipFromWorld: mat4x4<f32>,
    worldFromClip: mat4x4<f32>,
    cameraPosition: vec4<f32>,
    // Irradiance from everywhere.
    ambient: vec4<f32>,
    // Width and height in pixels, then their inverses.
    pictureSize: vec4<f32>,
    // x: lights in use; y: shadow cascades in use.
    counts: vec4<u32>,
    lights: array<Light, 4>,
    cascades: array<Cascade, 4>,
}

struct InstanceRecord {
    // The first three rows of the matrix from the mesh to the world.
    worldRows: array<vec4<f32>, 3>,
    // The rows that turn normals: the cofactors of that matrix.
    normalRows: array<vec4<f32>, 3>,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<InstanceRecord>;
@group(0) @binding(2) var<uniform> sky: Sky;
@group(0) @binding(3) var shadowAtlas: texture_depth_2d;
@group(0) @binding(4) var shadowSampler: sampler_comparison;
@group(0) @binding(5) var environmentMap: texture_cube<f32>;
@group(0) @binding(6) var irradianceMap: texture_cube<f32>;
@group(0) @binding(7) var environmentSampler: sampler;

#include "@builtin::shaders.frame.sky"
