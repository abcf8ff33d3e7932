fn surface(input: SurfaceInput) -> Surface {
    let uv = input.uv * material.uvScale + material.uvOffset;
    let measured = textureSample(roughnessMetallicTexture, roughnessMetallicTextureSampler, uv);
    let bump = textureSample(normalTexture, normalTextureSampler, uv).xyz;

    var s = default_surface(input);
    s.albedo = material.albedo.rgb * textureSample(albedoTexture, albedoTextureSampler, uv).rgb;
    s.normal = bumped_normal(input, bump, material.normalScale);
    s.metallic = material.metallic * measured.b;
    s.roughness = material.roughness * measured.g;
    s.reflectance = material.reflectance;
    s.occlusion = mix(1.0, measured.r, material.occlusionStrength);
    s.emissive = material.emissive.rgb * material.emissiveIntensity
        * textureSample(emissiveTexture, emissiveTextureSampler, uv).rgb;
    return s;
}
