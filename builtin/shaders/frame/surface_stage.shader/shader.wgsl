// Draws meshes with a surface shader. The renderer composes this with the shader and with the
// declarations its properties ask for.

#include "@builtin::shaders.frame.lighting"

struct Corner {
    @builtin(position) clipPosition: vec4<f32>,
    @location(0) worldPosition: vec3<f32>,
    @location(1) worldNormal: vec3<f32>,
    @location(2) objectPosition: vec3<f32>,
    @location(3) uv: vec2<f32>,
}

@vertex
fn vertex_main(
    @builtin(instance_index) instance: u32,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
) -> Corner {
    let record = instances[instance];
    let at = vec4<f32>(position, 1.0);
    let world = vec3<f32>(dot(record.worldRows[0], at), dot(record.worldRows[1], at), dot(record.worldRows[2], at));
    let turned = vec3<f32>(
        dot(record.normalRows[0].xyz, normal),
        dot(record.normalRows[1].xyz, normal),
        dot(record.normalRows[2].xyz, normal),
    );
    return Corner(frame.clipFromWorld * vec4<f32>(world, 1.0), world, turned, position, uv);
}

@fragment
fn fragment_main(corner: Corner) -> @location(0) vec4<f32> {
    let view = normalize(frame.cameraPosition.xyz - corner.worldPosition);
    let input = SurfaceInput(
        corner.worldPosition,
        normalize(corner.worldNormal),
        corner.objectPosition,
        corner.uv,
        view,
        corner.clipPosition.xy,
    );
    return vec4<f32>(min(lit(input, surface(input)), vec3<f32>(60000.0)), 1.0);
}
