// How much of the sun reaches a point: 1 in the light, 0 in shadow.

fn sun_visibility(position: vec3<f32>, normal: vec3<f32>, toLight: vec3<f32>) -> f32 {
    let slope = sqrt(saturate(1.0 - dot(normal, toLight) * dot(normal, toLight)));
    for (var index = 0u; index < frame.counts.y; index++) {
        let cascade = frame.cascades[index];
        // The point is moved off its surface by what a filtered texel covers, so that the surface
        // does not shadow itself; how far depends on how steeply the light falls on it.
        let lifted = position + normal * cascade.texel.x * (0.6 + 2.2 * slope);
        let place = (cascade.atlasFromWorld * vec4<f32>(lifted, 1.0)).xyz;
        let margin = cascade.texel.y * 3.0;
        let inside = min(place.xy - cascade.tile.xy, cascade.tile.zw - place.xy) - margin;
        let nearestEdge = min(inside.x, inside.y);
        if (nearestEdge < 0.0 || place.z >= 1.0) {
            continue;
        }
        let lit = filtered_visibility(place, cascade.texel.y);
        // The last cascade fades out at its border instead of ending in a line.
        let fades = index + 1u == frame.counts.y;
        let fade = saturate(nearestEdge / ((cascade.tile.z - cascade.tile.x) * 0.05));
        return mix(1.0, lit, select(1.0, fade, fades));
    }
    return 1.0;
}

// Nine bilinear comparisons around the point, weighted like a tent.
fn filtered_visibility(place: vec3<f32>, texel: f32) -> f32 {
    var sum = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let offset = vec2<f32>(f32(x), f32(y));
            let weight = (2.0 - abs(offset.x)) * (2.0 - abs(offset.y)) / 16.0;
            let depth = clamp(place.z, 0.0, 1.0);
            sum += weight * textureSampleCompareLevel(shadowAtlas, shadowSampler, place.xy + offset * texel, depth);
        }
    }
    return sum;
}
