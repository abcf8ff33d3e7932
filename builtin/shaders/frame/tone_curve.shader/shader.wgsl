// From scene light to display light: the PBR Neutral tone mapper of the Khronos Group (2024). Colours
// keep the hue and saturation they were given; only what is brighter than a display can show is
// compressed, and loses saturation on its way to white.

// Fixed: a white surface in a sun of intensity 3 is bright, not blown out.
const EXPOSURE: f32 = 1.3;
// Head-on reflectance of dielectrics, which lightens every colour and is taken off again.
const SHEEN: f32 = 0.04;
// Where compression starts, and how quickly compressed colours turn white.
const SHOULDER: f32 = 0.76;
const WHITENING: f32 = 0.15;

fn tone_mapped(light: vec3<f32>) -> vec3<f32> {
    var color = max(light, vec3<f32>(0.0)) * EXPOSURE;
    let darkest = min(color.r, min(color.g, color.b));
    color -= select(SHEEN, darkest - darkest * darkest / (4.0 * SHEEN), darkest < 2.0 * SHEEN);
    let peak = max(color.r, max(color.g, color.b));
    if (peak < SHOULDER) {
        return color;
    }
    let room = 1.0 - SHOULDER;
    let compressed = 1.0 - room * room / (peak + room - SHOULDER);
    let white = 1.0 - 1.0 / (WHITENING * (peak - compressed) + 1.0);
    return mix(color * (compressed / peak), vec3<f32>(compressed), white);
}
