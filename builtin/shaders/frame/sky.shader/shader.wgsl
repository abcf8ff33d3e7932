// The procedural sky: three colours blended by height, and the glow and disc of the sun. Includers
// declare `var<uniform> sky: Sky`.

struct Sky {
    // Colours times intensity; zenith.w is 1 where there is a sky at all.
    zenith: vec4<f32>,
    horizon: vec4<f32>,
    ground: vec4<f32>,
    // xyz: the direction of the sun; w: cosine of the angle its disc reaches to, above 1 for none.
    toSun: vec4<f32>,
    // The sun's irradiance, which the glow around it is a share of; w: radiance of the disc over it.
    sun: vec4<f32>,
}

// How quickly the haze of the horizon thins out upwards, and into the ground downwards.
const HAZE_UP: f32 = 3.2;
const HAZE_DOWN: f32 = 9.0;
// How much of the horizon's colour the ground has where it meets the sky.
const HAZE_ON_GROUND: f32 = 0.8;

fn sky_gradient(direction: vec3<f32>) -> vec3<f32> {
    let up = exp(-HAZE_UP * max(direction.y, 0.0));
    let above = mix(sky.zenith.rgb, sky.horizon.rgb, up);
    let down = HAZE_ON_GROUND * exp(HAZE_DOWN * min(direction.y, 0.0));
    let below = mix(sky.ground.rgb, sky.horizon.rgb, down);
    return select(below, above, direction.y >= 0.0);
}

// Henyey and Greenstein's phase function (1941): how light scatters off haze, `g` towards 1 for
// tighter forward scattering.
fn scattering(cosine: f32, g: f32) -> f32 {
    let spread = 1.0 + g * g - 2.0 * g * cosine;
    return (1.0 - g * g) / (12.566371 * spread * sqrt(spread));
}

fn sun_glow(direction: vec3<f32>) -> vec3<f32> {
    let cosine = dot(direction, sky.toSun.xyz);
    let haze = mix(0.35, 1.0, exp(-HAZE_UP * max(direction.y, 0.0)));
    let glow = haze * 0.045 * scattering(cosine, 0.72) + 0.006 * scattering(cosine, 0.95);
    // The ground hides what is below the horizon; a short fade keeps reflections of it smooth.
    return sky.sun.rgb * glow * smoothstep(-0.08, 0.01, direction.y);
}

// Radiance from a direction, without the disc of the sun: direct light accounts for that.
fn sky_radiance(direction: vec3<f32>) -> vec3<f32> {
    return (sky_gradient(direction) + sun_glow(direction)) * sky.zenith.w;
}

fn sun_disc(direction: vec3<f32>) -> vec3<f32> {
    if (sky.toSun.w > 1.0) {
        return vec3<f32>(0.0);
    }
    let cosine = dot(direction, sky.toSun.xyz);
    let edge = max((1.0 - sky.toSun.w) * 0.15, 1e-6);
    let inside = smoothstep(sky.toSun.w - edge, sky.toSun.w + edge, cosine);
    let above = smoothstep(-0.002, 0.002, direction.y);
    return sky.sun.rgb * sky.sun.w * inside * above * sky.zenith.w;
}
