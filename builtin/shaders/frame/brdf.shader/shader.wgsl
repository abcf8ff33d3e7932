// The metallic-roughness reflection model.

const PI: f32 = 3.14159265;

// Trowbridge and Reitz's distribution (GGX): Walter et al., "Microfacet Models for Refraction
// through Rough Surfaces" (2007), equation 33. `alpha` is perceptual roughness squared.
fn distribution(NoH: f32, alpha: f32) -> f32 {
    let alpha2 = alpha * alpha;
    let spread = (NoH * alpha2 - NoH) * NoH + 1.0;
    return alpha2 / (PI * spread * spread);
}

// Smith's masking and shadowing, height correlated, divided by 4 NoL NoV: Heitz, "Understanding the
// Masking-Shadowing Function in Microfacet-Based BRDFs" (2014), equation 99.
fn visibility(NoV: f32, NoL: f32, alpha: f32) -> f32 {
    let alpha2 = alpha * alpha;
    let view = NoL * sqrt((NoV - NoV * alpha2) * NoV + alpha2);
    let light = NoV * sqrt((NoL - NoL * alpha2) * NoL + alpha2);
    return 0.5 / max(view + light, 1e-6);
}

// Schlick, "An Inexpensive BRDF Model for Physically-based Rendering" (1994).
fn fresnel(f0: vec3<f32>, VoH: f32) -> vec3<f32> {
    let away = 1.0 - VoH;
    let away2 = away * away;
    return f0 + (1.0 - f0) * (away2 * away2 * away);
}

// How much of a uniform environment a surface mirrors: x times f0, plus y. The curve fit of Karis,
// "Physically Based Shading on Mobile" (2014).
fn environment_response(NoV: f32, roughness: f32) -> vec2<f32> {
    let r = roughness * vec4<f32>(-1.0, -0.0275, -0.572, 0.022) + vec4<f32>(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * NoV)) * r.x + r.y;
    return vec2<f32>(-1.04, 1.04) * a + r.zw;
}

// What one bounce loses on rough surfaces, given back: Turquin, "Practical multiple scattering
// compensation for microfacet models" (2019), with the fit above as the albedo.
fn bounce_compensation(f0: vec3<f32>, response: vec2<f32>) -> vec3<f32> {
    return 1.0 + f0 * (1.0 / max(response.x + response.y, 0.05) - 1.0);
}
