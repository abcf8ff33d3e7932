//! What the pages of `docs/errors` show happens: what they say fails, fails with the page's code.

use zero_base::Fault;
use zero_runtime::{Answer, Execute, Op, ToolCall, UseTool};

use crate::support::{Block, World, blocks, repository};

/// Pages of refusals that take two callers at once; tests of transactions and scenes provoke them.
const NOT_SHOWN: [&str; 3] = ["scene/changed_on_disk", "txn/busy", "txn/deadlock"];

#[test]
fn what_the_pages_of_codes_show_happens() {
    let mut pages = 0;
    for entry in std::fs::read_dir(repository().join("docs/errors")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Some((area, reason)) = name.split_once('-') else { continue };
        let code = format!("{area}/{reason}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&format!("# {code}\n")), "{name}");
        let world = World::new();
        let refused = blocks(&text).iter().filter(|block| is_refused(&world, block, &code)).count();
        assert_eq!(refused > 0, !NOT_SHOWN.contains(&&*code), "{name} shows {refused} refusals");
        pages += 1;
    }
    assert!(pages >= 10, "{pages}");
}

/// Runs a block; those that say so in their first line must be refused with the code.
fn is_refused(world: &World, block: &Block, code: &str) -> bool {
    let op = match (&*block.language, &*block.what) {
        ("luau", "" | "fails") => Op::Execute(Execute { code: Some(block.code.clone()), ..Execute::default() }),
        ("luau", file) => {
            world.write(&format!("/zero/{file}"), &block.code);
            return false;
        }
        ("json", "use_tool" | "use_tool fails") => {
            let call: ToolCall = serde_json::from_str(&block.code).unwrap();
            Op::UseTool(UseTool { calls: vec![call], ..UseTool::default() })
        }
        ("json", "play" | "play fails") => Op::Play,
        _ => return false,
    };
    let outcome = world.call(op);
    let got = code_of(&outcome);
    if !block.what.ends_with("fails") {
        assert_eq!(got, None, "{code}:\n{}\n{outcome:#?}", block.code);
        return false;
    }
    assert_eq!(got.as_deref(), Some(code), "{}\n{outcome:#?}", block.code);
    true
}

fn code_of(outcome: &Result<Answer, Fault>) -> Option<String> {
    match outcome {
        Err(fault) => Some(fault.code.to_string()),
        Ok(answer) => answer.failed.then(|| answer.value["error"]["code"].as_str().unwrap_or_default().to_owned()),
    }
}
