// What a surface shader is given and what it answers. It declares
// `fn surface(input: SurfaceInput) -> Surface`, reads its properties from `material`, and samples
// its textures, each of which has a sampler of the same name with `Sampler` appended.

struct SurfaceInput {
    worldPosition: vec3<f32>,
    // Of length one.
    worldNormal: vec3<f32>,
    // Before the entity's transform.
    objectPosition: vec3<f32>,
    uv: vec2<f32>,
    // From the surface to the camera, of length one.
    viewDirection: vec3<f32>,
    // From the picture's top left corner.
    pixel: vec2<f32>,
}

struct Surface {
    // Colour of a dielectric, reflectance of a metal; linear.
    albedo: vec3<f32>,
    // In world space.
    normal: vec3<f32>,
    // 0 for dielectrics, 1 for metals.
    metallic: f32,
    // Perceptual: 0 is a mirror, 1 is matt.
    roughness: f32,
    // How strongly a dielectric mirrors head-on; 0.5 is the 4 % of most materials.
    reflectance: f32,
    // Light the surface gives off by itself.
    emissive: vec3<f32>,
    // Share of the surroundings that the surface sees; 1 is all of it.
    occlusion: f32,
}

fn default_surface(input: SurfaceInput) -> Surface {
    return Surface(vec3<f32>(0.8), input.worldNormal, 0.0, 0.5, 0.5, vec3<f32>(0.0), 1.0);
}

// The normal that a tangent-space normal map asks for. The tangents come from how position and
// texture coordinates change across the picture: Schüler, "Normal Mapping without Precomputed
// Tangents" (ShaderX5, 2006). Call it in uniform control flow.
fn bumped_normal(input: SurfaceInput, texel: vec3<f32>, scale: f32) -> vec3<f32> {
    let alongX = dpdx(input.worldPosition);
    let alongY = dpdy(input.worldPosition);
    let uvX = dpdx(input.uv);
    let uvY = dpdy(input.uv);
    let acrossX = cross(input.worldNormal, alongX);
    let acrossY = cross(alongY, input.worldNormal);
    let tangent = acrossY * uvX.x + acrossX * uvY.x;
    let bitangent = acrossY * uvX.y + acrossX * uvY.y;
    let longest = max(dot(tangent, tangent), dot(bitangent, bitangent));
    if (longest <= 0.0) {
        return input.worldNormal;
    }
    let bump = texel * 2.0 - 1.0;
    let sideways = (tangent * bump.x - bitangent * bump.y) * (scale * inverseSqrt(longest));
    return normalize(sideways + input.worldNormal * max(bump.z, 0.01));
}
