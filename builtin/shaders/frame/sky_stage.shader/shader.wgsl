// Draws the sky where nothing else stands.

#include "@builtin::shaders.frame.bindings"

struct Corner {
    @builtin(position) clipPosition: vec4<f32>,
    @location(0) farPoint: vec4<f32>,
}

// One triangle that covers the picture, at the far plane, whose depth is 0.
@vertex
fn vertex_main(@builtin(vertex_index) index: u32) -> Corner {
    let corner = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    // Depth is reversed, so a small depth is far away; 0 itself may be infinitely far.
    return Corner(vec4<f32>(corner, 0.0, 1.0), frame.worldFromClip * vec4<f32>(corner, 0.5, 1.0));
}

@fragment
fn fragment_main(corner: Corner) -> @location(0) vec4<f32> {
    let direction = normalize(corner.farPoint.xyz / corner.farPoint.w - frame.cameraPosition.xyz);
    return vec4<f32>(min(sky_radiance(direction) + sun_disc(direction), vec3<f32>(60000.0)), 1.0);
}
