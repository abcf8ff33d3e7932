// Develops the picture: light becomes display colour at every sample of a pixel, and only then are
// the samples averaged, so that edges against bright things stay smooth.

#include "@builtin::shaders.frame.tone_curve"

@group(0) @binding(0) var light: texture_multisampled_2d<f32>;

@vertex
fn vertex_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment_main(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(position.xy);
    let samples = i32(textureNumSamples(light));
    var sum = vec3<f32>(0.0);
    for (var index = 0; index < samples; index++) {
        sum += tone_mapped(textureLoad(light, pixel, index).rgb);
    }
    return vec4<f32>(encoded(sum / f32(samples)), 1.0);
}

// The sRGB transfer function, IEC 61966-2-1.
fn encoded(linear: vec3<f32>) -> vec3<f32> {
    let low = linear * 12.92;
    let high = 1.055 * pow(max(linear, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, linear <= vec3<f32>(0.0031308));
}
