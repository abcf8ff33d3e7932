use serde_json::json;
use zero_runtime::{BatchMode, Op, SearchTools, ToolCall, UseTool};

use crate::support::World;

fn toolbox(world: &World) {
    world.run(
        "tools.createToolbox({ name = 'math', description = 'Sums.' })
         tools.create({ name = 'double', toolbox = 'math', description = 'Doubles a number.', signature = '(n: number): any', code = 'return shared.ok(n * 2)' })",
    );
}

#[test]
fn a_tool_answers_the_moment_it_is_written() {
    let world = World::new();
    toolbox(&world);
    assert_eq!(world.tool("math.double", json!([21]))["value"], 42);
    assert_eq!(world.tool("math.double", json!({ "n": 4 }))["value"], 8);
    assert_eq!(world.run("return tools.use('math', 'double', 3).data"), json!(6));
    let path = "/zero/source/math.toolbox/double.tool/init.luau";
    let text = world.run(&format!("return vfs.read('{path}')"));
    world.write(path, &text.as_str().unwrap().replace("n * 2", "n * 3"));
    assert_eq!(world.tool("math.double", json!([21]))["value"], 63);
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let world = World::new();
    toolbox(&world);
    let message = |args: serde_json::Value| {
        let answer = world.tool("math.double", args);
        assert_eq!(answer["ok"], json!(false), "{answer}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    assert!(message(json!({ "nn": 1 })).contains("did you mean 'n'"));
    assert!(message(json!([1, 2])).contains("takes 1 argument"));
    assert!(message(json!(["x"])).contains("expected number"));
    assert!(message(json!([])).contains("missing argument #1 'n'"));
    let unknown = world.tool("math.duoble", json!([1]));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("math.double"), "{unknown}");
    let unknown = world.tool("maths.double", json!([1]));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("'math'"), "{unknown}");
}

#[test]
fn a_tool_that_fails_keeps_nothing() {
    let world = World::new();
    world.run(
        "tools.createToolbox({ name = 'box', description = 'x' })
         tools.create({ name = 'half', toolbox = 'box', description = 'x', code = 'entity.spawn(\"half\") return shared.fail(\"changed my mind\")' })",
    );
    let answer = world.tool("box.half", json!([]));
    assert_eq!(answer["ok"], json!(false));
    assert_eq!(answer["error"]["message"], "changed my mind");
    assert_eq!(answer["rolledBack"], json!(true));
    assert_eq!(world.run("return entity.find('half') == nil"), json!(true));
}

#[test]
fn a_refusal_of_a_tool_carries_its_code() {
    let world = World::new();
    world.run("entity.spawn('crate')");
    let code = |name: &str, args: serde_json::Value| world.tool(name, args)["error"]["code"].clone();
    assert_eq!(code("entityOps.removeComponent", json!(["crate", "Mesh"])), "entity/no_component");
    assert_eq!(code("entityOps.setTransform", json!(["crate", {}])), "entity/nothing_to_set");
    assert_eq!(code("assets.delete", json!(["@builtin::materials.default"])), "asset/read_only");
    world.run(
        "tools.createToolbox({ name = 'box', description = 'x' })
         tools.create({ name = 'no', toolbox = 'box', description = 'x', code = 'return shared.fail(\"not today\", \"box/closed\")' })
         tools.create({ name = 'never', toolbox = 'box', description = 'x', code = 'return shared.fail(\"no\")' })",
    );
    assert_eq!(code("box.no", json!([])), "box/closed");
    assert_eq!(code("box.never", json!([])), "tool/failed");
}

#[test]
fn batches_run_in_order_or_side_by_side() {
    let world = World::new();
    toolbox(&world);
    let call = |n: serde_json::Value| ToolCall {
        toolbox: Some("math".to_owned()),
        tool: "double".to_owned(),
        args: json!([n]),
    };
    let run = |calls: Vec<ToolCall>, mode| world.call(Op::UseTool(UseTool { calls, mode, batch: true })).unwrap().value;
    let answer = run(vec![call(json!(1)), call(json!("x")), call(json!(3))], BatchMode::Sequential);
    assert_eq!(
        (answer["ran"].clone(), answer["total"].clone(), answer["ok"].clone()),
        (json!(2), json!(3), json!(false))
    );
    let answer = run(vec![call(json!(1)), call(json!("x")), call(json!(3))], BatchMode::Parallel);
    assert_eq!(answer["ran"], json!(3));
    assert_eq!(answer["results"][2]["value"], json!(6));
}

#[test]
fn search_finds_by_words_parts_and_slips() {
    let world = World::new();
    let search = |query: &str| {
        let request = SearchTools { query: Some(query.to_owned()), ..SearchTools::default() };
        let value = world.call(Op::SearchTools(request)).unwrap().value;
        value["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(search("spawn")[0], "entityOps.spawn");
    assert_eq!(search("set material")[0], "appearance.setMaterial");
    assert_eq!(search("dspawn entity")[0], "entityOps.despawn");
}

#[test]
fn findings_say_what_a_tool_should_mend() {
    let world = World::new();
    world.run("tools.createToolbox({ name = 'loose', description = 'x' })");
    world.write(
        "/zero/source/loose.toolbox/anything.tool/init.luau",
        "local M = {}\nfunction M.anything(op: string, rest: { [string]: any })\n\treturn 5\nend\nreturn M",
    );
    let described =
        world.call(Op::DescribeTool { tool: "anything".to_owned(), toolbox: Some("loose".to_owned()) }).unwrap().value;
    let codes: Vec<&str> =
        described["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["tool/plain_function", "tool/undescribed", "tool/open_argument", "tool/op_dispatch"]);
    let validated = world.run(
        "local codes = {}
         for _, problem in asset.validate('loose.anything', 'tool').problems do
             if string.find(problem.code, '^tool/') then table.insert(codes, problem.code) end
         end
         return codes",
    );
    assert_eq!(validated, json!(codes));
    let answer = world.tool("loose.anything", json!(["x", {}]));
    assert_eq!(answer["value"], 5);
    assert!(answer["warnings"][0].as_str().unwrap().contains("raw value"));
}

/// Arguments called `stop` or `loop` were taken for an `op`.
#[test]
fn an_argument_is_judged_by_its_fields_and_not_by_their_letters() {
    let world = World::new();
    world.run("tools.createToolbox({ name = 'band', description = 'x' })");
    let findings = |declared: &str| {
        world.write(
            "/zero/source/band.toolbox/play.tool/init.luau",
            &format!("local M = {{}}\nexport type Opts = {declared}\n--!desc Plays.\ntyped function M.play(opts: Opts)\n\treturn {{ exitCode = 0 }}\nend\nreturn M"),
        );
        world.call(Op::DescribeTool { tool: "play".to_owned(), toolbox: Some("band".to_owned()) }).unwrap().value["findings"].clone()
    };
    assert_eq!(findings("{ stop: number, loop: boolean?, crop: string }"), json!(null));
    assert_eq!(findings("{ op: string } | { stop: number }")[0]["code"], "tool/op_dispatch");
}

#[test]
fn a_type_that_does_not_exist_is_an_error_when_the_tool_is_written() {
    let world = World::new();
    toolbox(&world);
    let path = "/zero/source/math.toolbox/double.tool/init.luau";
    let text = world.run(&format!("return vfs.read('{path}')"));
    let written = world.write(path, &text.as_str().unwrap().replace("n: number", "n: numbr"));
    let found = &written["diagnostics"][0];
    assert_eq!(
        (found["code"].as_str(), found["severity"].as_str()),
        (Some("luau/unknown_type"), Some("error")),
        "{written:#}"
    );
    assert!(found["message"].as_str().unwrap().contains("did you mean 'number'?"), "{written:#}");
    let answer = world.tool("math.double", json!(["high"]));
    assert_eq!(answer["error"]["code"], "luau/unknown_type", "{answer:#}");
    let check = world.call(Op::Check { path: None }).unwrap().value;
    assert_eq!(check["ok"], json!(false), "{check:#}");
}

#[test]
fn built_in_tools_work_together() {
    let world = World::new();
    let ok = |name: &str, args: serde_json::Value| {
        let answer = world.tool(name, args);
        assert_eq!(answer["ok"], json!(true), "{name}: {answer:#}");
        answer["value"].clone()
    };
    ok("entityOps.spawn", json!(["box", { "mesh": "@builtin::meshes.cube", "position": [0, 1, 0] }]));
    ok("appearance.setMaterial", json!(["box", "@builtin::materials.gold"]));
    ok("entityOps.setTransform", json!(["box", { "position": [1, 2, 3] }]));
    assert_eq!(
        world.run("return { entity('box').position, entity('box').Material.material.name }"),
        json!([[1, 2, 3], "gold"])
    );
    ok("entityOps.list", json!([]));
    ok("entityOps.describe", json!(["box"]));
    ok("scene.describe", json!([]));
    ok("assets.list", json!([{ "type": "material" }]));
    ok("entityOps.despawn", json!(["box"]));
}

#[test]
fn a_search_weighs_the_words_that_tell_tools_apart() {
    let world = World::new();
    world.run("tools.createToolbox({ name = 'garden', description = 'Gardening' })");
    world.write(
        "/zero/source/garden.toolbox/greet.tool/init.luau",
        "local M = {}\n--!desc Lifts an entity and greets it by name.\ntyped function M.greet(target: EntityRef): any return { exitCode = 0 } end\nreturn M",
    );
    let search = zero_runtime::SearchTools { query: Some("lift an entity".to_owned()), ..Default::default() };
    let found = world.call(Op::SearchTools(search)).unwrap().value;
    assert_eq!(found["tools"][0]["name"], "garden.greet", "{found:#}");
}
