use std::path::Path;

use serde_json::json;
use zero_base::Hash;
use zero_runtime::{EngineConfig, Execute, Guides, Op};

use crate::support::{Block, World, blocks, caller, repository};

#[test]
fn the_carried_library_is_the_one_on_disk() {
    let mut disk = Vec::new();
    for (place, folder) in zero_library::PARTS {
        let prefix = if place.is_empty() { String::new() } else { format!("{place}/") };
        collect(&repository().join(folder), &prefix, &mut disk);
    }
    disk.sort();
    let carried: Vec<(String, Hash)> =
        zero_library::FILES.iter().map(|(name, bytes)| ((*name).to_owned(), Hash::of(bytes))).collect();
    assert_eq!(disk, carried);
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, Hash)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), files);
        } else {
            files.push((format!("{prefix}{name}"), Hash::of(&std::fs::read(entry.path()).unwrap())));
        }
    }
}

#[test]
fn the_carried_library_runs() {
    let folder = tempfile::TempDir::new().unwrap();
    zero_runtime::create_world(folder.path(), "carried").unwrap();
    let config = EngineConfig { world: folder.path().to_owned(), builtin: None, pictures: false };
    let engine = zero_runtime::Engine::open(config).unwrap();
    let execute = Execute { code: Some("return entity.spawn('x').id".to_owned()), ..Execute::default() };
    assert_eq!(engine.call_blocking(caller(), Op::Execute(execute)).unwrap().value["result"], "ent_6");
    let capture = engine.call_blocking(caller(), Op::Capture(Default::default())).unwrap_err();
    assert_eq!(capture.code, "gpu/off");
}

#[test]
fn every_file_of_the_library_checks_clean() {
    let world = World::new();
    let check = world.call(Op::Check { path: Some("/zero/source/libs/@builtin".to_owned()) }).unwrap().value;
    assert_eq!(check["errors"], 0, "{:#}", check["diagnostics"]);
    assert!(check["files"].as_u64().unwrap() > 100);
}

#[test]
fn every_type_works_on_what_it_makes() {
    let world = World::new();
    world.run("tools.createToolbox({ name = 'box', description = 'A box.' })");
    let types = world.run("return asset.categories()");
    for category in types.as_array().unwrap() {
        let category = category.as_str().unwrap();
        let options = if category == "tool" { "{ into = asset.resolve('box', 'toolbox') }" } else { "nil" };
        let made = world.run(&format!("return asset.create('{category}', 'made_{category}', {options})"));
        let validation =
            world.run(&format!("return asset.validate(asset.resolve('{}', '{category}'))", made.as_str().unwrap()));
        let errors: Vec<_> = validation["problems"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|problem| problem["severity"] == "error")
            .collect();
        let only_undescribed = errors.iter().all(|problem| {
            problem["message"].as_str().unwrap_or_default().to_lowercase().contains("describe")
                || problem["code"].as_str().unwrap_or_default().contains("described")
        });
        assert!(only_undescribed, "{category}: {errors:#?}");
        let record = world.run(&format!("return asset.inspect('{}', '{category}')", made.as_str().unwrap()));
        assert_eq!(record["typeName"], category, "{record}");
        assert!(record.get("warning").is_none_or(|warning| warning.is_null()), "{record:#}");
    }
}

#[test]
fn guides_are_found_by_path_and_words() {
    let world = World::new();
    let guides = |request: Guides| world.call(Op::Guides(request));
    let path = |path: &str| Guides { path: Some(path.to_owned()), ..Guides::default() };
    for page in [
        "readme",
        "core/getting-started",
        "core/entities",
        "core/components",
        "core/tools",
        "types/scene",
        "systems/reflections",
    ] {
        let answer = guides(path(page)).unwrap();
        assert!(answer.text.unwrap().len() > 300, "{page}");
    }
    assert!(guides(path("types/component")).unwrap().text.unwrap().contains("About this type"));
    let fault = guides(path("core/entites")).unwrap_err();
    assert!(fault.message.contains("core/entities"), "{fault}");
    let hits = guides(Guides { query: Some("spawn an entity".to_owned()), ..Guides::default() }).unwrap();
    assert!(hits.value["hits"].as_array().unwrap().len() > 1);
    let index = guides(Guides::default()).unwrap();
    assert!(index.text.unwrap().contains("core/getting-started"));
}

/// The Luau blocks of every guide run, in order, in one fresh world per guide.
#[test]
fn the_code_of_every_guide_runs() {
    let list = World::new().call(Op::Guides(Guides { list: true, ..Guides::default() })).unwrap();
    let mut ran = 0;
    for guide in list.value["guides"].as_array().unwrap() {
        let path = guide["path"].as_str().unwrap();
        if path.starts_with("types/") || path.starts_with("systems/") {
            continue;
        }
        let world = World::new();
        let text =
            world.call(Op::Guides(Guides { path: Some(path.to_owned()), ..Guides::default() })).unwrap().text.unwrap();
        ran += run_blocks(&world, path, &text);
    }
    assert!(ran >= 10, "{ran}");
}

/// Those of the README, too, in one fresh world.
#[test]
fn the_code_of_the_readme_runs() {
    let text = std::fs::read_to_string(repository().join("README.md")).unwrap();
    assert_eq!(run_blocks(&World::new(), "README.md", &text), 3);
}

fn run_blocks(world: &World, page: &str, text: &str) -> usize {
    let luau: Vec<Block> = blocks(text).into_iter().filter(|block| block.language == "luau").collect();
    for block in &luau {
        if !block.what.is_empty() {
            let written = world.write(&format!("/zero/{}", block.what), &block.code);
            assert!(written["diagnostics"].as_array().is_none_or(Vec::is_empty), "{page}: {written:#}");
            continue;
        }
        let answer = world.execute(&block.code);
        assert!(!answer.failed, "{page}:\n{}\n{:#}", block.code, answer.value);
    }
    luau.len()
}

/// Every tool's examples run, each in a fresh scene with the few entities toolboxes speak of.
#[test]
fn the_examples_of_every_tool_run() {
    let world = World::new();
    let rows = world.run("return tools.list()");
    let mut ran = 0;
    for row in rows.as_array().unwrap() {
        let (toolbox, tool) = (row["toolbox"].as_str().unwrap(), row["tool"].as_str().unwrap());
        let described =
            world.call(Op::DescribeTool { tool: tool.to_owned(), toolbox: Some(toolbox.to_owned()) }).unwrap().value;
        assert!(described["findings"].is_null(), "{toolbox}.{tool}: {:#}", described["findings"]);
        assert!(
            !described["description"].as_str().unwrap_or_default().is_empty(),
            "{toolbox}.{tool} has no description"
        );
        let examples = described["examples"].as_array().cloned().unwrap_or_default();
        assert!(!examples.is_empty(), "{toolbox}.{tool} has no example");
        for example in examples {
            let example = example.as_str().unwrap();
            let fresh = World::new();
            // A block whose last line calls the tool, or an argument list.
            let (setup, last) = example.trim_end().rsplit_once('\n').unwrap_or(("", example));
            let code = if last.trim_start().starts_with(&format!("tools.use({toolbox:?}, {tool:?}")) {
                format!("{setup}\nreturn {last}")
            } else {
                format!(
                    "return tools.use({toolbox:?}, {tool:?}{}{example})",
                    if example.trim().is_empty() { "" } else { ", " }
                )
            };
            let answer = fresh.execute(&code);
            assert!(!answer.failed, "{toolbox}.{tool}:\n{code}\n{:#}", answer.value);
            assert_eq!(answer.value["result"]["exitCode"], 0, "{toolbox}.{tool}:\n{code}\n{:#}", answer.value);
            ran += 1;
        }
    }
    assert!(ran >= 20, "{ran}");
}

/// The Luau suites of the library, by the engine's own runner.
#[test]
fn the_suites_of_the_library_pass() {
    let world = World::new();
    let answer = world.tool("tests.run", serde_json::json!({ "library": true }));
    assert_eq!(answer["ok"], serde_json::json!(true), "{answer:#}");
    assert!(answer["value"]["passed"].as_u64().unwrap_or_default() > 5, "{answer:#}");
    assert_eq!(answer["value"]["failed"], 0, "{answer:#}");
}

/// What a script only mentions, in comments, texts and nested tables, is not taken for what it declares.
#[test]
fn what_scripts_declare_is_read_as_the_engine_reads_it() {
    let world = World::new();
    world.write(
        "/zero/source/Door.component/init.luau",
        "-- public = { ghost = Field.number(1) }\npublic = {\n\topening = Field.record({ wide = Field.number(2, Sync, 'Metres.') }),\n\
         \tkind = Field.enum({ 'round', 'square' }, 'round'),\n}\nsystem = 'render'\nfunction update(dt) end\nfunction open() end\n",
    );
    assert_eq!(
        world.run(
            "local detail = asset.inspect('Door', 'component').detail
             local names = {}
             for index, field in detail.fields do names[index] = field.name .. ':' .. field.kind end
             table.sort(names)
             return { names, detail.lifecycle, detail.methods, detail.system }"
        ),
        json!([["kind:enum", "opening:record"], ["update"], ["open"], "render"])
    );
    world.write(
        "/zero/source/sums.module/init.luau",
        "local Sums = {}\nlocal private = {}\nfunction private.no() end\n--!desc Adds.\n--!arg a One.\n--!return The sum.\n--!example 1, 2\n\
         typed function Sums.add(a: number, b: { [string]: any }?): number\n\treturn a\nend\nreturn Sums\n",
    );
    let functions = world.run("return asset.inspect('sums', 'module').detail.exposes");
    assert_eq!(functions.as_array().unwrap().len(), 1, "{functions}");
    let add = &functions[0];
    assert_eq!((&add["name"], &add["typed"], &add["line"]), (&json!("add"), &json!(true), &json!(8)), "{add}");
    assert_eq!((&add["examples"], &add["returns"]["type"]), (&json!(["1, 2"]), &json!("number")), "{add}");
    assert_eq!((&add["params"][0]["checked"], &add["params"][1]["open"]), (&json!(true), &json!(true)), "{add}");
    let codes = |name: &str, type_: &str| {
        let code = format!(
            "local codes = {{}} for i, p in asset.validate('{name}', '{type_}').problems do codes[i] = p.code end return codes"
        );
        world.run(&code)
    };
    assert!(!codes("sums", "module").as_array().unwrap().contains(&json!("module/no_return")));
    world.write("/zero/source/sums.module/init.luau", "local M = {}\nfunction M.add() return 1 end\n");
    assert!(codes("sums", "module").as_array().unwrap().contains(&json!("module/no_return")));
}

/// Content that draws with defaults, as a placeholder, or not at all: every check says so, in the same words.
#[test]
fn what_the_renderer_would_refuse_is_found_without_drawing() {
    let world = World::new();
    let check = || world.call(Op::Check { path: None }).unwrap().value;
    let found = |path: &str, check: &serde_json::Value| {
        let all = check["diagnostics"].as_array().unwrap().iter();
        let here = all.filter(|found| found["path"] == path && found["severity"] != "info");
        here.filter(|found| found["code"].as_str().unwrap().contains('/'))
            .map(|found| {
                let text = |key: &str| found[key].as_str().unwrap();
                format!("{} {} {}: {}", text("severity"), text("code"), found["span"]["line"], text("message"))
            })
            .collect::<Vec<_>>()
    };
    let case = |asset: &str, type_: &str, file: &str, text: &str, expected: &[&str]| {
        let path = format!("/zero/source/{asset}.{type_}/{file}");
        let written = world.write(&path, text);
        assert_eq!(written["diagnostics"].as_array().map_or(0, Vec::len), expected.len(), "{written:#}");
        let checked = check();
        let told: Vec<String> =
            found(&path, &checked).into_iter().filter(|told| !told.contains("undescribed")).collect();
        assert_eq!(told.len(), expected.len(), "{path}: {told:#?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.starts_with(expected), "{told}, not {expected}");
        }
        let problems = world.run(&format!("return asset.validate('{asset}', '{type_}').problems"));
        for told in &told {
            let message = told.split_once(": ").unwrap().1;
            assert!(
                problems.as_array().unwrap().iter().any(|problem| problem["message"] == message),
                "{message}: {problems:#}"
            );
        }
    };
    let standard = "shader: \"@builtin::shaders.standard\"\n";
    case("plain", "material", "mat.yaml", &format!("{standard}values:\n  roughness: 0.5\n"), &[]);
    case(
        "brick",
        "material",
        "mat.yaml",
        &format!("{standard}values:\n  albdo: \"#ff0000\"\n  roughness: high\n"),
        &[
            "warning render/material 3: the shader '@builtin::shaders.standard' has no value 'albdo'; did you mean 'albedo'?",
            "error render/material 4: 'roughness' is a number, not high",
        ],
    );
    case(
        "top",
        "material",
        "mat.yaml",
        &format!("{standard}albdo: 1\n"),
        &["error render/material 2: 'albdo' means nothing here"],
    );
    case("lost", "material", "mat.yaml", "shader: shadrs.none\n", &["error asset/unresolved_reference 1: "]);
    case(
        "box",
        "mesh",
        "mesh.yaml",
        "primitive: cub\n",
        &["error render/mesh 1: 'cub' is no primitive; did you mean 'cube'?"],
    );
    case("none", "mesh", "mesh.yaml", "{}\n", &["error render/mesh null: a mesh has a 'primitive'"]);
    world.write(
        "/zero/source/glow.shader/shader.wgsl",
        "fn surface(input: SurfaceInput) -> Surface {\n\tvar out = default_surface(input);\n\treturn out;\n}\n",
    );
    case(
        "glow",
        "shader",
        "properties.yaml",
        "- { name: heat, type: flot }\n",
        &["error render/properties 1: 'flot' is no property type; did you mean 'float'?"],
    );
    let refused = world.call(Op::Play).unwrap_err();
    assert_eq!(refused.code, "play/diagnostics");
    assert!(refused.message.contains("'roughness' is a number"), "{}", refused.message);
}

/// One fact, one severity: what the check calls an error keeps play from starting.
#[test]
fn a_scene_that_names_a_mesh_which_is_not_there_does_not_play() {
    let world = World::new();
    let path = "/zero/source/far.scene/scene.yaml";
    let scene = |mesh: &str| {
        format!(
            "scene: 1\nnextId: 2\nentities:\n  - id: ent_1\n    name: a\n    components:\n      Mesh: {{ mesh: \"{mesh}\" }}\n"
        )
    };
    world.write(path, &scene("@builtin::meshes.cub"));
    let check = world.call(Op::Check { path: None }).unwrap().value;
    assert_eq!(check["errors"], 1, "{check:#}");
    assert!(world.call(Op::Play).unwrap_err().message.contains("did you mean '@builtin::meshes.cube'?"));
    world.write(path, &scene("@builtin::meshes.cube"));
    world.call(Op::Play).unwrap();
}

#[test]
fn a_texture_is_made_named_and_checked() {
    let world = World::new();
    world.run(
        "asset.create('texture', 'checker')
         asset.create('texture', 'copy', { png = asset.resolve('checker', 'texture'):getBytes() })
         asset.create('material', 'tiled', { textures = { albedoTexture = 'copy' } })",
    );
    assert_eq!(
        world.run("local d = asset.inspect('copy', 'texture').detail return { d.width, d.height }"),
        json!([8, 8])
    );
    assert_eq!(world.run("return asset.resolve('tiled', 'material'):deps()[2].name"), json!("copy"));
    let errors = || world.call(Op::Check { path: None }).unwrap().value["errors"].clone();
    assert_eq!(errors(), 0);
    let written = world.write("/zero/source/copy.texture/texture.png", "no picture");
    assert_eq!(written["diagnostics"][0]["code"], "render/texture", "{written:#}");
    assert_eq!(errors(), 1);
    world.run("asset.resolve('copy', 'texture'):delete()");
    let found = world.call(Op::Check { path: None }).unwrap().value;
    assert_eq!(found["errors"], 1, "{found:#}");
    assert_eq!(found["diagnostics"][0]["code"], "asset/unresolved_reference", "{found:#}");
}
