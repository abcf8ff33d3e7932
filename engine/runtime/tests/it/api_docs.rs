//! What the modules of `luau-api` say of their functions, and whether the examples run.

use zero_source::luau::{Signature, parse};

use crate::support::{World, repository};

/// Modules whose functions are not all described yet. Only to become shorter.
const NOT_YET: [&str; 5] = ["component", "entity", "fault", "signal", "task"];

fn functions(module: &str) -> Vec<Signature> {
    let path = repository().join("luau-api").join(format!("{module}.module/init.luau"));
    let mut found = parse(&std::fs::read_to_string(path).unwrap()).functions;
    found.retain(|function| !function.local && !function.nested && function.owner().is_some_and(is_public));
    found
}

/// Metatables answer for the language, not for a caller.
fn is_public(owner: &str) -> bool {
    !owner.ends_with("Meta")
}

fn modules() -> Vec<String> {
    let folders = std::fs::read_dir(repository().join("luau-api")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut modules: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".module")?.to_owned())).collect();
    modules.sort();
    modules
}

#[test]
fn every_function_and_parameter_is_described() {
    let mut missing = Vec::new();
    for module in modules() {
        let mut of_module = Vec::new();
        for function in functions(&module) {
            if function.description.is_empty() {
                of_module.push(format!("{module}: {} has no --!desc", function.name));
            }
            let params = function.params.iter().filter(|param| !matches!(param.name.as_str(), "self" | "_"));
            for param in params.filter(|param| param.description.is_empty()) {
                of_module.push(format!("{module}: {} has no --!arg {}", function.name, param.name));
            }
        }
        match NOT_YET.contains(&module.as_str()) {
            true => assert!(!of_module.is_empty(), "{module} is described: take it off the list"),
            false => missing.extend(of_module),
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// An example is an argument list, or a block of code that names what it shows.
#[test]
fn the_examples_run() {
    let mut ran = 0;
    for module in modules() {
        let global = if module == "field" { "Field".to_owned() } else { module.clone() };
        for function in functions(&module) {
            let called = format!("{global}.{}", function.short_name());
            for example in &function.examples {
                let own = matches!(function.owner(), Some("M" | "Field"));
                let is_block = !own || example.contains(&called) || example.contains("return ");
                let code = if is_block { example.clone() } else { format!("return {called}({example})") };
                let answer = World::new().execute(&code);
                assert!(!answer.failed, "{called}:\n{code}\n{:#}", answer.value);
                ran += 1;
            }
        }
    }
    assert!(ran >= 40, "{ran}");
}
