use zero_base::Diagnostic;

use super::*;

fn places(problems: Vec<Diagnostic>) -> Vec<String> {
    let place = |problem: Diagnostic| {
        let span = problem.span.map_or("-".to_owned(), |span| format!("{}:{}", span.line, span.column));
        format!("{span} {}", problem.message)
    };
    problems.into_iter().map(place).collect()
}

#[test]
fn primitives_take_numbers_or_lists_and_have_defaults() {
    let bounds = |text: &str| parse_mesh(text, "mesh.yaml").unwrap().bounds().half_extent().to_array();
    for name in ["capsule", "cone", "cube", "cylinder", "plane", "sphere", "torus"] {
        let [x, y, z] = bounds(&format!("primitive: {name}"));
        assert!((x.max(y).max(z) - 0.5).abs() < 1e-6, "{name} is one metre across");
    }
    assert_eq!(bounds("primitive: cube\nsize: 4"), [2.0, 2.0, 2.0]);
    assert_eq!(bounds("primitive: cube\nsize: [1.6, 5, 1.6]"), [0.8, 2.5, 0.8]);
    assert_eq!(bounds("{ primitive: plane, size: [10, 20], segments: 4 }"), [5.0, 0.0, 10.0]);
}

#[test]
fn explicit_meshes_may_leave_out_what_can_be_computed() {
    let mesh = parse_mesh("positions: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "mesh.yaml").unwrap();
    assert_eq!((mesh.indices, mesh.normals[0]), (vec![0, 1, 2], [0.0, 0.0, 1.0]));
    let flat = parse_mesh("positions: [0, 0, 0, 1, 0, 0, 0, 1, 0]\nindices: [[0, 2, 1]]", "mesh.yaml").unwrap();
    assert_eq!(flat.normals[0], [0.0, 0.0, -1.0]);
}

#[test]
fn what_is_wrong_with_a_mesh_is_said_where_it_stands() {
    let check = |text: &str, expected: &str| {
        let problems = places(parse_mesh(text, "mesh.yaml").unwrap_err());
        assert!(problems[0].starts_with(expected), "{problems:?}, not {expected}");
    };
    check("primitive: cub", "1:12 'cub' is no primitive; did you mean 'cube'?");
    check("primitive: cube\nsice: 2", "2:1 'sice' means nothing here; did you mean 'size'?");
    check("primitive: cube\nsize: [1, 2]", "2:7 'size' is a number or a list of 3, not of 2");
    check("primitive: sphere\nradius: -1", "2:9 'radius' is a number from");
    check("primitive: sphere\nradius: .nan", "2:9 '.nan': numbers must be finite");
    check("primitive: sphere\nsegments: 2.5", "2:11 'segments' is a whole number from 3 to 1024");
    check("primitive: capsule\nradius: 1\nheight: 1", "3:9 'height' is at least twice the radius: 2");
    check(
        "positions: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\nindices: [0, 1, 3]",
        "2:17 an index is a whole number below the 3",
    );
    check("positions: [[0, 0]]", "1:13 each of 'positions' is a list of 3 numbers");
    check("positions: [[0, 0, 1e300]]", "1:20 'positions' holds finite numbers");
    check("positions: [[0, 0, 0]]", "1:12 1 corners do not make whole triangles");
    check("nothing: 1", "- a mesh has a 'primitive'");
    check("", "- a mesh has a 'primitive'");
    check("[1]", "1:1 expected a map");
}

const PROPERTIES: &str = "
- { name: albedo, type: color, default: \"#ff8000\", description: Base colour. }
- { name: roughness, type: range, min: 0, max: 1, default: 0.5 }
- { name: tiling, type: float2, default: [1, 2] }
- { name: layers, type: int, default: 3 }
- { name: wet, type: bool }
- { name: bumps, type: texture, default: normal, encoding: linear }
";

#[test]
fn properties_give_every_material_a_value() {
    let properties = parse_properties(PROPERTIES, "properties.yaml").unwrap();
    let file = parse_material("shader: ~.stone\nvalues:\n  roughness: 0.06\n  wet: true", "mat.yaml").unwrap();
    assert_eq!(file.shader.text, "~.stone");
    let values = file.values(&properties);
    assert_eq!(values.problems, []);
    assert_eq!(values.numbers[0][3], 1.0);
    assert!((values.numbers[0][1] - 0.2158605).abs() < 1e-6, "hex colours are sRGB: {:?}", values.numbers[0]);
    assert_eq!(values.numbers[1..], [vec![0.06], vec![1.0, 2.0], vec![3.0], vec![1.0]]);
    assert_eq!(values.textures, [None]);
    assert!(parse_properties("", "properties.yaml").unwrap().properties.is_empty());
}

#[test]
fn values_that_do_not_fit_keep_the_default_and_say_so() {
    let properties = parse_properties(PROPERTIES, "properties.yaml").unwrap();
    let text = "shader: s\nvalues: { roughness: 2, tiling: 1, rougness: 1, albedo: red }\ntextures: { bump: x }";
    let values = parse_material(text, "mat.yaml").unwrap().values(&properties);
    assert_eq!(values.numbers[1], [0.5]);
    let problems = places(values.problems);
    assert!(
        problems[0].contains("'albedo' is \"#rrggbb\" or a list of 3 or 4 linear numbers, not red"),
        "{problems:?}"
    );
    assert!(problems[1].contains("'roughness' is 2, outside 0 to 1"), "{problems:?}");
    assert!(problems[2].contains("'tiling' is a list of 2 numbers, not 1"), "{problems:?}");
    assert!(problems[3].contains("has no value 'rougness'; did you mean 'roughness'?"), "{problems:?}");
    assert!(problems[4].contains("has no texture 'bump'; did you mean 'bumps'?"), "{problems:?}");
}

#[test]
fn what_is_wrong_with_declarations_is_said_where_it_stands() {
    let check = |text: &str, expected: &str| {
        let problems = places(parse_properties(text, "properties.yaml").unwrap_err());
        assert!(problems[0].starts_with(expected), "{problems:?}, not {expected}");
    };
    check("- { name: a, type: flaot }", "1:20 'flaot' is no property type; did you mean 'float'?");
    check("- { name: a, type: range }", "1:3 'a' is a range and needs 'min' and 'max'");
    check("- { name: 1a, type: float }", "1:3 '1a' cannot name a field");
    check("- { type: float }", "1:3 a property needs 'name'");
    check("- { name: a, type: float }\n- { name: a, type: int }", "2:3 'a' is declared twice");
    check("- { name: a, type: texture, default: grey }", "1:38 'default' is one of white, black, normal");
    check("a: 1", "1:1 properties are a list");
}

#[test]
fn materials_need_a_shader() {
    assert!(places(parse_material("values: {}", "mat.yaml").unwrap_err())[0].contains("names its 'shader'"));
    assert!(
        places(parse_material("shader: a\nvalus: {}", "mat.yaml").unwrap_err())[0].contains("did you mean 'values'?")
    );
    assert!(places(parse_material("shader: a\nvalues: 3", "mat.yaml").unwrap_err())[0].contains("maps property names"));
}
