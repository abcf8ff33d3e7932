use super::*;

const SHAPES: &[(&str, Primitive)] = &[
    ("cube", Primitive::Cube { size: [1.0, 2.0, 3.0] }),
    ("plane", Primitive::Plane { size: [4.0, 2.0], segments: [3, 2] }),
    ("sphere", Primitive::Sphere { radius: 0.5, segments: 16, rings: 8 }),
    ("cylinder", Primitive::Cylinder { radius: 0.5, height: 2.0, segments: 12 }),
    ("cone", Primitive::Cone { radius: 0.5, height: 1.0, segments: 12 }),
    ("capsule", Primitive::Capsule { radius: 0.25, height: 1.0, segments: 12, rings: 8 }),
    ("torus", Primitive::Torus { radius: 0.375, tube_radius: 0.125, segments: 16, tube_segments: 8 }),
];

fn triangles(mesh: &MeshData) -> impl Iterator<Item = [usize; 3]> {
    mesh.indices.chunks_exact(3).map(|corners| [corners[0] as usize, corners[1] as usize, corners[2] as usize])
}

#[test]
fn every_triangle_faces_the_way_its_normals_point() {
    for (name, shape) in SHAPES {
        let mesh = shape.mesh();
        assert_eq!((mesh.normals.len(), mesh.uvs.len()), (mesh.positions.len(), mesh.positions.len()), "{name}");
        for corners in triangles(&mesh) {
            let [a, b, c] = corners.map(|index| Vec3::from_array(mesh.positions[index]));
            let face = (b - a).cross(c - a);
            assert!(face.length() > 1e-7, "{name} has a triangle without area");
            for index in corners {
                let normal = Vec3::from_array(mesh.normals[index]);
                assert!((normal.length() - 1.0).abs() < 1e-5, "{name}");
                assert!(normal.dot(face.normalize()) > 0.5, "{name} at {:?}", mesh.positions[index]);
            }
        }
    }
}

#[test]
fn closed_shapes_have_the_volume_of_their_numbers() {
    let volume = |shape: &Primitive| -> f32 {
        let mesh = shape.mesh();
        triangles(&mesh)
            .map(|corners| {
                let [a, b, c] = corners.map(|index| Vec3::from_array(mesh.positions[index]));
                a.dot(b.cross(c)) / 6.0
            })
            .sum()
    };
    let check = |shape: Primitive, expected: f32| {
        let measured = volume(&shape);
        assert!((measured / expected - 1.0).abs() < 0.02, "{shape:?}: {measured}, not {expected}");
    };
    let pi = std::f32::consts::PI;
    check(Primitive::Cube { size: [1.0, 2.0, 3.0] }, 6.0);
    check(Primitive::Sphere { radius: 1.0, segments: 64, rings: 32 }, 4.0 / 3.0 * pi);
    check(Primitive::Cylinder { radius: 1.0, height: 2.0, segments: 64 }, 2.0 * pi);
    check(Primitive::Cone { radius: 1.0, height: 3.0, segments: 64 }, pi);
    check(Primitive::Capsule { radius: 0.5, height: 2.0, segments: 64, rings: 32 }, pi / 6.0 + pi / 4.0);
    check(Primitive::Torus { radius: 2.0, tube_radius: 0.5, segments: 64, tube_segments: 32 }, 2.0 * pi * pi * 0.5);
}

#[test]
fn bounds_follow_transforms() {
    let bounds = SHAPES[0].1.mesh().bounds();
    assert_eq!((bounds.min, bounds.max), (Vec3::new(-0.5, -1.0, -1.5), Vec3::new(0.5, 1.0, 1.5)));
    let moved = bounds.transformed(&Mat4::from_translation(Vec3::X));
    assert_eq!(moved.center(), Vec3::X);
    assert!(Bounds::EMPTY.is_empty() && !Bounds::EMPTY.join(bounds).is_empty());
    assert!(Bounds::EMPTY.transformed(&Mat4::IDENTITY).is_empty());
}

#[test]
fn computed_normals_of_a_sphere_point_outwards() {
    let mesh = SHAPES[2].1.mesh();
    let normals = MeshData::computed_normals(&mesh.positions, &mesh.indices);
    for &index in &mesh.indices {
        let outwards = Vec3::from_array(mesh.positions[index as usize]).normalize();
        assert!(outwards.dot(Vec3::from_array(normals[index as usize])) > 0.85, "{outwards}");
    }
}
