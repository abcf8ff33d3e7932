use serde_json::{Value as Json, json};

use crate::luau::{NoImports, Scope, json_schema, parse};

fn schema(source: &str) -> Json {
    let chunk = parse(source);
    let signature = chunk.functions.last().expect("a function");
    json_schema(signature, &Scope::new(&chunk, &NoImports))
}

fn check(param: &str, expected: Json) {
    let schema = schema(&format!("typed function f(x: {param}) end"));
    assert_eq!(schema["properties"]["x"], expected, "{param}");
}

#[test]
fn every_type_has_a_schema() {
    check("number", json!({ "type": "number" }));
    check("\"a\" | \"b\"", json!({ "type": "string", "enum": ["a", "b"] }));
    check("true", json!({ "type": "boolean", "enum": [true] }));
    check("true | false", json!({ "type": "boolean" }));
    check("{string}", json!({ "type": "array", "items": { "type": "string" } }));
    check("{any}", json!({ "type": "array", "items": { "description": "any value" } }));
    check("{number?}", json!({ "type": "array", "items": { "anyOf": [{ "type": "number" }, { "type": "null" }] } }));
    check("{[string]: number}", json!({ "type": "object", "additionalProperties": { "type": "number" } }));
    check("{[number]: string}", json!({ "type": "array", "items": { "type": "string" } }));
    check("any", json!({ "description": "any value" }));
    check("{}", json!({ "description": "any list or object" }));
    check("(number) -> ()", json!({ "description": "a value of type (number) -> ()" }));
    check("string | number", json!({ "anyOf": [{ "type": "string" }, { "type": "number" }] }));
    check("string | \"a\"", json!({ "type": "string" }));
    check("EntityRef", json!({ "type": "string", "description": "entity id (ent_…) or unique name" }));
    check("AssetRef<mesh>", json!({ "type": "string", "description": "identity or guid of an asset of type mesh" }));
    let three = json!({ "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3, "description": "a vector: [x, y, z]" });
    check("vector", three);
    check(
        "{ a: number, b: string?, [\"odd key\"]: any }",
        json!({
            "type": "object",
            "properties": {
                "a": { "type": "number" }, "b": { "type": "string" }, "odd key": { "description": "any value" },
            },
            "required": ["a"],
            "additionalProperties": false,
        }),
    );
    check(
        "{ a: number, [string]: number? }",
        json!({
            "type": "object",
            "properties": { "a": { "type": "number" } },
            "required": ["a"],
            "additionalProperties": { "type": "number" },
        }),
    );
    check(
        "{ a: number } & { b: number }",
        json!({
            "type": "object",
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            "required": ["a", "b"],
            "additionalProperties": false,
        }),
    );
    check(
        "{[\"a\" | \"b\"]: number}",
        json!({
            "type": "object",
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            "required": [],
            "additionalProperties": false,
        }),
    );
}

#[test]
fn a_tool_reads_as_its_author_wrote_it() {
    let source = "
export type Mode = \"edit\" | \"play\"
export type SpawnOpts = {
    position: {number}?, -- where, in metres
    mode: Mode?,
    parent: EntityRef?,
}
--!arg kind what to spawn
--!arg opts where and how
--!arg ... more
typed function M.spawn(kind: (\"cube\" | \"sphere\"), opts: SpawnOpts?, again: SpawnOpts?, ...: number): {EntityRef}
end";
    let expected = json!({
        "type": "object",
        "x-order": ["kind", "opts", "again", "..."],
        "properties": {
            "kind": { "type": "string", "enum": ["cube", "sphere"], "description": "what to spawn" },
            "opts": { "$ref": "#/$defs/SpawnOpts", "description": "where and how" },
            "again": { "$ref": "#/$defs/SpawnOpts" },
            "...": { "type": "array", "items": { "type": "number" }, "description": "more" },
        },
        "required": ["kind"],
        "additionalProperties": false,
        "$defs": { "SpawnOpts": {
            "type": "object",
            "properties": {
                "position": { "type": "array", "items": { "type": "number" }, "description": "where, in metres" },
                "mode": { "type": "string", "enum": ["edit", "play"] },
                "parent": { "type": "string", "description": "entity id (ent_…) or unique name" },
            },
            "required": [],
            "additionalProperties": false,
        } },
    });
    assert_eq!(schema(source), expected);
}

#[test]
fn recursive_types_refer_to_themselves() {
    let expected = json!({ "Tree": {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
        },
        "required": ["name"],
        "additionalProperties": false,
    } });
    for source in [
        "type Tree = { name: string, children: {Tree}? } typed function f(x: Tree) end",
        "type Tree = { name: string, children: {Tree}? }? typed function f(x: Tree) end",
    ] {
        let schema = schema(source);
        assert_eq!(schema["properties"]["x"], json!({ "$ref": "#/$defs/Tree" }), "{source}");
        if !source.contains("}? }?") {
            assert_eq!(schema["$defs"], expected);
        }
    }
}

/// What strict clients refuse: a bare `true`, an array without `items`, a reference to
/// something that is not there.
#[test]
fn strict_clients_take_every_schema() {
    let sources = [
        "type A = {A} typed function f(x: A) end",
        "type A = {A}? typed function f(x: A, y: {[string]: A}) end",
        "type A = B | {A} type B = { a: A } | { b: B } typed function f(x: A, y: B) end",
        "type L<T> = { value: T, next: L<T>? } typed function f(x: L<number>, y: L<string>, z: L<L<any>>) end",
        "type G<T> = { inner: G<{T}> } typed function f(x: G<number>) end",
        "type A = A typed function f(x: A) end",
        "type A = A & { x: A } typed function f(x: A) end",
        "type A = { x: A & B } type B = { x: B & A, y: number } typed function f(x: A) end",
        "typed function f(x: Unknown, y: {Unknown}, ...: Unknown) end",
        "type A0 = { a: number } type A1 = { a: A0 } type A2 = { a: A1 } type A3 = { a: A2 } type A4 = { a: A3 } \
         type A5 = { a: A4 } type A6 = { a: A5 } type A7 = { a: A6 } type A8 = { a: A7 } typed function f(x: A8) end",
    ];
    for source in sources {
        let schema = schema(source);
        assert_eq!(schema["type"], "object", "{source}");
        walk(&schema, &schema, source);
    }
}

fn walk(schema: &Json, root: &Json, source: &str) {
    let object = schema.as_object().unwrap_or_else(|| panic!("{source}: {schema} is no object"));
    if let Some(reference) = object.get("$ref").and_then(Json::as_str) {
        let target = root.pointer(reference.trim_start_matches('#'));
        assert!(target.is_some_and(Json::is_object), "{source}: {reference}");
    }
    assert_eq!(object.get("type").and_then(Json::as_str) == Some("array"), object.contains_key("items"), "{source}");
    for (key, value) in object {
        match key.as_str() {
            "properties" | "$defs" => {
                value.as_object().into_iter().flatten().for_each(|(_, part)| walk(part, root, source))
            }
            "anyOf" => value.as_array().into_iter().flatten().for_each(|part| walk(part, root, source)),
            "items" => walk(value, root, source),
            "additionalProperties" if *value != json!(false) => walk(value, root, source),
            _ => {}
        }
    }
}
