// Draws the depth of meshes as the sun sees them, into one tile of the shadow atlas.

struct InstanceRecord {
    worldRows: array<vec4<f32>, 3>,
    normalRows: array<vec4<f32>, 3>,
}

struct Tile {
    clipFromWorld: mat4x4<f32>,
}

@group(0) @binding(0) var<uniform> tile: Tile;
@group(0) @binding(1) var<storage, read> instances: array<InstanceRecord>;

@vertex
fn vertex_main(@builtin(instance_index) instance: u32, @location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    let record = instances[instance];
    let at = vec4<f32>(position, 1.0);
    let world = vec3<f32>(dot(record.worldRows[0], at), dot(record.worldRows[1], at), dot(record.worldRows[2], at));
    return tile.clipFromWorld * vec4<f32>(world, 1.0);
}
