// Light that leaves a surface towards the camera: direct lights, the sky around it, and its own.

#include "@builtin::shaders.frame.bindings"
#include "@builtin::shaders.frame.brdf"
#include "@builtin::shaders.frame.shadows"
#include "@builtin::shaders.frame.surface"

// Below this a highlight is smaller than a pixel and flickers.
const SMOOTHEST: f32 = 0.045;

fn lit(input: SurfaceInput, surface: Surface) -> vec3<f32> {
    let normal = normalize(surface.normal);
    let view = input.viewDirection;
    let NoV = max(abs(dot(normal, view)), 1e-4);
    let roughness = clamp(surface.roughness, SMOOTHEST, 1.0);
    let metallic = saturate(surface.metallic);
    let diffuse = surface.albedo * (1.0 - metallic);
    let f0 = mix(vec3<f32>(0.16 * surface.reflectance * surface.reflectance), surface.albedo, metallic);
    let response = environment_response(NoV, roughness);
    let compensation = bounce_compensation(f0, response);

    var light = surface.emissive;
    for (var index = 0u; index < frame.counts.x; index++) {
        let source = frame.lights[index];
        let toLight = source.toLight.xyz;
        let NoL = dot(normal, toLight);
        if (NoL <= 0.0) {
            continue;
        }
        var reaching = source.irradiance.rgb * NoL;
        if (source.toLight.w > 0.0) {
            reaching *= sun_visibility(input.worldPosition, input.worldNormal, toLight);
        }
        let middle = normalize(view + toLight);
        let alpha = roughness * roughness;
        let mirrored = distribution(saturate(dot(normal, middle)), alpha) * visibility(NoV, NoL, alpha);
        let f = fresnel(f0, saturate(dot(view, middle)));
        light += reaching * (diffuse / PI * (1.0 - f) + f * mirrored * compensation);
    }

    let mirrorShare = (f0 * response.x + response.y) * compensation;
    let around = textureSampleLevel(irradianceMap, environmentSampler, normal, 0.0).rgb + frame.ambient.rgb / PI;
    let ahead = environment(reflect(-view, normal), roughness) + frame.ambient.rgb / PI;
    light += surface.occlusion * (diffuse * (1.0 - mirrorShare) * around + mirrorShare * ahead);
    return light;
}

// The sky as a surface of some roughness mirrors it. The map holds it filtered in equal steps of
// roughness; a smooth surface shows more detail than the map, so it asks the sky itself.
fn environment(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    let steps = f32(textureNumLevels(environmentMap) - 1u);
    let blurred = textureSampleLevel(environmentMap, environmentSampler, direction, roughness * steps).rgb;
    let blur = smoothstep(0.05, 0.25, roughness);
    if (blur >= 1.0) {
        return blurred;
    }
    return mix(sky_radiance(direction), blurred, blur);
}
