//! `cargo xtask bench`: runs a race of `tools/opponents` and reads its result to people.

use std::fs;
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::Value;

use crate::failure::Failure;
use crate::lint::OPPONENTS;
use crate::process;
use crate::repo::Repo;

#[derive(Args)]
pub struct Options {
    /// The race to run.
    name: Option<String>,
}

pub fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let mut command = repo.cargo(["run", "--release", "--quiet", "--manifest-path", OPPONENTS, "--"]);
    let Some(name) = &options.name else {
        return process::run(command.arg("--list"));
    };
    let result = race(command.arg(name))?;
    let folder = repo.target.join("bench");
    let path = folder.join(format!("{name}.json"));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, format!("{result:#}\n")))
        .map_err(|error| Failure::new(format!("{} cannot be written: {error}", path.display())))?;
    println!("{}\n\nwritten to {}", table(&result), path.display());
    let slow = over_budget(&result);
    if slow.is_empty() { Ok(()) } else { Err(Failure::new(format!("over budget: {}", slow.join(", ")))) }
}

/// Progress goes to the terminal, the result comes back.
fn race(command: &mut Command) -> Result<Value, Failure> {
    let line = process::shown(command);
    eprintln!("$ {line}");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let output =
        child.and_then(|child| child.wait_with_output()).map_err(|error| process::cannot_start(&line, &error))?;
    if !output.status.success() {
        return Err(Failure::new(format!("`{line}` ended with {}", output.status)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| Failure::new(format!("`{line}` printed no result: {error}")))
}

fn rows(result: &Value) -> &[Value] {
    result["rows"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Markdown, so that it can go into the performance page as it is.
fn table(result: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map(|number| format!("{number:.3}")).unwrap_or_default(),
        _ => "–".to_owned(),
    };
    let mut lines = vec![
        format!("{} on {}", text(&result["bench"]), text(&result["machine"])),
        String::new(),
        "| Case | Zero | Opponent | Opponent's | Unit | Ratio | Budget |".to_owned(),
        "| --- | --- | --- | --- | --- | --- | --- |".to_owned(),
    ];
    for row in rows(result) {
        let cells = ["case", "ours", "opponent", "theirs", "unit", "ratio", "budget"].map(|key| text(&row[key]));
        lines.push(format!("| {} |", cells.join(" | ")));
    }
    lines.join("\n")
}

fn over_budget(result: &Value) -> Vec<String> {
    let over = |row: &&Value| match (measured(row), row["budget"].as_f64()) {
        (Some(measured), Some(budget)) => measured > budget,
        _ => false,
    };
    let named = |row: &Value| {
        format!(
            "{} ({:.2} of {:.2})",
            row["case"].as_str().unwrap_or("?"),
            measured(row).unwrap_or_default(),
            budget(row)
        )
    };
    rows(result).iter().filter(over).map(named).collect()
}

/// What the budget is for: the ratio, or the time itself where there is no opponent.
fn measured(row: &Value) -> Option<f64> {
    row["ratio"].as_f64().or_else(|| row["ours"].as_f64())
}

fn budget(row: &Value) -> f64 {
    row["budget"].as_f64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> Value {
        serde_json::json!({ "bench": "index", "machine": "2 cores", "rows": [
            { "case": "cold", "ours": 30.0, "unit": "ms", "opponent": "read", "theirs": 20.0, "ratio": 1.5, "budget": 2.0 },
            { "case": "warm", "ours": 30.0, "unit": "ms", "opponent": "walk", "theirs": 10.0, "ratio": 3.0, "budget": 2.5 },
            { "case": "free", "ours": 1.0, "unit": "ms", "opponent": "none", "theirs": 1.0, "ratio": 1.0, "budget": null },
        ]})
    }

    #[test]
    fn a_result_becomes_a_table() {
        let table = table(&result());
        assert!(table.starts_with("index on 2 cores\n"), "{table}");
        assert!(table.contains("| cold | 30.000 | read | 20.000 | ms | 1.500 | 2.000 |"), "{table}");
        assert!(table.ends_with("| free | 1.000 | none | 1.000 | ms | 1.000 | – |"), "{table}");
    }

    #[test]
    fn what_is_over_its_budget_is_named() {
        assert_eq!(over_budget(&result()), ["warm (3.00 of 2.50)"]);
    }
}
