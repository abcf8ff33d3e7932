// Filters the sky into one level of a cube map: as a surface of some roughness mirrors it, or as
// the soft light on a matt surface. Runs once for every level whenever the sky changes.

#include "@builtin::shaders.frame.sky"

struct Level {
    // Width of a face in texels.
    size: u32,
    samples: u32,
    // 0: mirrored with `roughness`; 1: irradiance over π.
    matt: u32,
    roughness: f32,
}

@group(0) @binding(0) var<uniform> sky: Sky;
@group(0) @binding(1) var<uniform> level: Level;
@group(0) @binding(2) var faces: texture_storage_2d_array<rgba16float, write>;

@compute @workgroup_size(8, 8, 1)
fn compute_main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= level.size || id.y >= level.size) {
        return;
    }
    let normal = face_direction(id.z, (vec2<f32>(id.xy) + 0.5) / f32(level.size) * 2.0 - 1.0);
    textureStore(faces, id.xy, id.z, vec4<f32>(min(gathered(normal), vec3<f32>(60000.0)), 1.0));
}

// Cube faces in the order +X, −X, +Y, −Y, +Z, −Z.
fn face_direction(face: u32, at: vec2<f32>) -> vec3<f32> {
    switch face {
        case 0u: { return normalize(vec3<f32>(1.0, -at.y, -at.x)); }
        case 1u: { return normalize(vec3<f32>(-1.0, -at.y, at.x)); }
        case 2u: { return normalize(vec3<f32>(at.x, 1.0, at.y)); }
        case 3u: { return normalize(vec3<f32>(at.x, -1.0, -at.y)); }
        case 4u: { return normalize(vec3<f32>(at.x, -at.y, 1.0)); }
        default: { return normalize(vec3<f32>(-at.x, -at.y, -1.0)); }
    }
}

// The mean of the sky over the lobe around `normal`, by importance sampling. For mirrors the view
// is taken along the normal and samples weigh by their cosine: Karis, "Real Shading in Unreal
// Engine 4" (2013).
fn gathered(normal: vec3<f32>) -> vec3<f32> {
    let aside = select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(normal.y) > 0.9);
    let tangent = normalize(cross(aside, normal));
    let bitangent = cross(normal, tangent);
    let alpha = level.roughness * level.roughness;
    var sum = vec3<f32>(0.0);
    var weights = 0.0;
    for (var index = 0u; index < level.samples; index++) {
        let u = (f32(index) + 0.5) / f32(level.samples);
        let around = f32(reverseBits(index)) * 2.3283064e-10 * 6.2831853;
        var cosine = sqrt(1.0 - u);
        if (level.matt == 0u) {
            cosine = sqrt((1.0 - u) / (1.0 + (alpha * alpha - 1.0) * u));
        }
        let sine = sqrt(max(1.0 - cosine * cosine, 0.0));
        let middle = tangent * (sine * cos(around)) + bitangent * (sine * sin(around)) + normal * cosine;
        if (level.matt == 1u) {
            sum += sky_radiance(middle);
            weights += 1.0;
        } else {
            let direction = reflect(-normal, middle);
            let weight = saturate(dot(normal, direction));
            sum += sky_radiance(direction) * weight;
            weights += weight;
        }
    }
    return sum / max(weights, 1e-4);
}
