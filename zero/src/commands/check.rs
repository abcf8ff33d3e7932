use serde_json::Value;
use zero_base::Diagnostic;
use zero_runtime::Op;

use super::{Context, World};
use crate::print::{FAILED, Failure, Report, readable};
use crate::{ProgramError, world_dir};

pub fn check(context: &Context, path: Option<&str>) -> Result<Report, Failure> {
    let answer =
        context.in_world(|world| world.call(Op::Check { path: path.map(|path| resolve(world, path)).transpose()? }))?;
    let mut report = Report::new(text(&answer.value), answer.value);
    let clean = report.value["ok"] == Value::Bool(true) && !answer.failed;
    report.exit_code = if clean { 0 } else { FAILED };
    Ok(report)
}

fn resolve(world: &World, path: &str) -> Result<String, Failure> {
    let root = world.backend.world();
    world_dir::engine_path(root, path).ok_or_else(|| {
        let message = format!("'{path}' does not lie in the sources of this world, {}", root.join("source").display());
        ProgramError::usage(message).into()
    })
}

/// One line a diagnostic, then the count.
fn text(value: &Value) -> String {
    let diagnostics = value["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut lines: Vec<String> = diagnostics.iter().map(diagnostic_line).collect();
    let count = |name: &str, one: &str, many: &str| {
        let count = value[name].as_u64().unwrap_or(0);
        format!("{count} {}", if count == 1 { one } else { many })
    };
    let mut summary = format!("{}, {}", count("errors", "error", "errors"), count("warnings", "warning", "warnings"));
    if let Some(types) = value["typeCheck"].as_str() {
        summary.push_str(&format!("; types: {types}"));
    }
    lines.push(summary);
    lines.join("\n")
}

pub fn diagnostic_line(value: &Value) -> String {
    match serde_json::from_value::<Diagnostic>(value.clone()) {
        Ok(diagnostic) => diagnostic.to_string(),
        Err(_) => readable(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_as_lines_a_terminal_can_link_and_a_count() {
        let diagnostic = Diagnostic::error("luau/syntax", "expected 'end'").in_file("/zero/source/a.luau");
        let value = json!({
            "ok": false, "errors": 1, "warnings": 0, "typeCheck": "not checked", "diagnostics": [diagnostic],
        });
        assert_eq!(
            text(&value),
            "/zero/source/a.luau: error: expected 'end' [luau/syntax]\n1 error, 0 warnings; types: not checked"
        );
    }
}
