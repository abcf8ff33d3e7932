// From scene light to display light: AgX, Troy Sobotka's view transform (2022), with the curve as
// the polynomial that Benjamin Wrensch fitted to it ("Minimal AgX Implementation", 2023).

// Linear sRGB to the wider working space, and its colours drawn together so that bright ones lose
// saturation instead of shifting hue.
const INSET: mat3x3<f32> = mat3x3<f32>(
    vec3<f32>(0.842479062253094, 0.0423282422610123, 0.0423756549057051),
    vec3<f32>(0.0784335999999992, 0.878468636469772, 0.0784336),
    vec3<f32>(0.0792237451477643, 0.0791661274605434, 0.879142973793104),
);
const OUTSET: mat3x3<f32> = mat3x3<f32>(
    vec3<f32>(1.19687900512017, -0.0528968517574562, -0.0529716355144438),
    vec3<f32>(-0.0980208811401368, 1.15190312990417, -0.0980434501171241),
    vec3<f32>(-0.0990297440797205, -0.0989611768448433, 1.15107367264116),
);
// Stops below and above 1 that the curve spans.
const LOWEST: f32 = -12.47393;
const HIGHEST: f32 = 4.026069;

// The look on top: AgX by itself is flat.
const CONTRAST: f32 = 1.22;
const SATURATION: f32 = 1.28;

fn tone_mapped(light: vec3<f32>) -> vec3<f32> {
    let drawn = INSET * max(light, vec3<f32>(0.0));
    let stops = clamp(log2(max(drawn, vec3<f32>(1e-10))), vec3<f32>(LOWEST), vec3<f32>(HIGHEST));
    let x = (stops - LOWEST) / (HIGHEST - LOWEST);
    let x2 = x * x;
    let x4 = x2 * x2;
    let curve = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
    let contrasted = pow(max(curve, vec3<f32>(0.0)), vec3<f32>(CONTRAST));
    let grey = dot(contrasted, vec3<f32>(0.2126, 0.7152, 0.0722));
    let saturated = grey + SATURATION * (contrasted - grey);
    // The curve works on encoded values; the picture is encoded by its own function.
    return saturate(pow(max(OUTSET * saturated, vec3<f32>(0.0)), vec3<f32>(2.2)));
}
