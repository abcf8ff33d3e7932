fn surface(input: SurfaceInput) -> Surface {
    var s = default_surface(input);
    s.albedo = material.albedo.rgb;
    s.roughness = material.roughness;
    return s;
}
