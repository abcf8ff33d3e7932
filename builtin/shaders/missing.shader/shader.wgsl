// A checker that nobody would choose, the same size in the world whatever it is drawn on.
fn surface(input: SurfaceInput) -> Surface {
    let cells = floor(input.worldPosition * 2.0 + 0.001);
    let odd = abs(cells.x + cells.y + cells.z) % 2.0;
    var s = default_surface(input);
    s.albedo = vec3<f32>(0.0);
    s.roughness = 1.0;
    s.emissive = mix(vec3<f32>(0.004), vec3<f32>(0.9, 0.0, 0.9), odd);
    return s;
}
