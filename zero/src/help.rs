//! What `--help` says about toolboxes and tools, from what the engine says about them.

mod shell;

use serde_json::Value;

use crate::cli::Parameter;

/// What one tool takes, for the command line to read arguments by name.
pub fn parameters(described: &Value) -> Vec<Parameter> {
    let parameter = |argument: &Value| Parameter {
        name: text(&argument["name"]).to_owned(),
        boolean: text(&argument["type"]).trim_end_matches('?') == "boolean",
        fields: fields(described, text(&argument["name"])),
    };
    list(&described["arguments"]).iter().map(parameter).collect()
}

/// The names in a parameter that is a record.
fn fields(described: &Value, parameter: &str) -> Vec<String> {
    let fields = described["parameters"]["properties"][parameter]["properties"].as_object();
    fields.map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
}

/// `zero box tool <needed> [optional]`.
pub fn usage_line(described: &Value) -> String {
    let word = |argument: &Value| {
        let name = text(&argument["name"]);
        if argument["optional"] == Value::Bool(true) { format!(" [{name}]") } else { format!(" <{name}>") }
    };
    let words: String = list(&described["arguments"]).iter().map(word).collect();
    format!("Usage: zero {} {}{words}", text(&described["toolbox"]), text(&described["tool"]))
}

/// The page of one tool, from the answer of `describe_tool`.
pub fn tool_page(described: &Value) -> String {
    let arguments = list(&described["arguments"]);
    let mut page = vec![text(&described["description"]).to_owned(), format!("\n{}", usage_line(described))];
    if !arguments.is_empty() {
        page.push("\nArguments, in order or by name:".to_owned());
        page.push(table(arguments, |argument| format!("--{} {}", text(&argument["name"]), text(&argument["type"]))));
    }
    let types = list(&described["types"]);
    if !types.is_empty() {
        page.push("\nTypes:".to_owned());
        page.extend(types.iter().map(|alias| format!("  {} = {}", text(&alias["name"]), text(&alias["type"]))));
    }
    let returns = &described["returns"];
    match (text(&returns["type"]), text(&returns["description"])) {
        ("", "") => {}
        (kind, "") => page.push(format!("\nAnswers {kind}.")),
        (kind, about) => page.push(format!("\nAnswers {kind}: {about}")),
    }
    page.extend(examples(described));
    page.join("\n")
}

/// As commands, where they can be; as Luau otherwise.
fn examples(described: &Value) -> Vec<String> {
    let (toolbox, tool) = (text(&described["toolbox"]), text(&described["tool"]));
    let (mut commands, mut scripts) = (Vec::new(), Vec::new());
    for example in list(&described["examples"]).iter().map(text) {
        match shell::command(toolbox, tool, example) {
            Some(command) => commands.push(format!("  {command}")),
            None => scripts.push(format!("  {}", example.replace('\n', "\n  "))),
        }
    }
    let under = |heading: &str, lines: Vec<String>| {
        let lines = (!lines.is_empty()).then(|| format!("\n{heading}\n{}", lines.join("\n")));
        lines.into_iter()
    };
    under("Examples:", commands).chain(under("Examples, as arguments in Luau:", scripts)).collect()
}

/// The toolboxes of a world, from the answer of `search_tools`.
pub fn toolboxes_page(answer: &Value) -> String {
    let rows = list(&answer["toolboxes"]);
    if rows.is_empty() {
        return "This world has no toolboxes.".to_owned();
    }
    let rows = described_by(rows, "purpose");
    format!("Toolboxes of this world:\n{}", table(&rows, |row| text(&row["toolbox"]).to_owned()))
}

/// The tools of one toolbox, from the answer of `search_tools`.
pub fn toolbox_page(toolbox: &str, answer: &Value) -> String {
    let rows = described_by(list(&answer["tools"]), "purpose");
    let tools = table(&rows, |row| text(&row["tool"]).to_owned());
    format!("Usage: zero {toolbox} <tool> [args]\n\nTools:\n{tools}\n\nzero {toolbox} <tool> --help says more.")
}

/// What a search found, best first.
pub fn found_page(words: &str, answer: &Value) -> String {
    let rows = described_by(list(&answer["tools"]), "purpose");
    if rows.is_empty() {
        return format!("no tool fits '{words}'; `zero --help` lists the toolboxes");
    }
    table(&rows, |row| format!("{} {}", text(&row["toolbox"]), text(&row["tool"])))
}

fn described_by(rows: &[Value], field: &str) -> Vec<Value> {
    let row = |row: &Value| {
        let mut row = row.clone();
        row["description"] = row[field].clone();
        row
    };
    rows.iter().map(row).collect()
}

/// Two columns: what `name_of` says, and the row's description. A long name gets a line of
/// its own; a description keeps to its column.
fn table(rows: &[Value], name_of: impl Fn(&Value) -> String) -> String {
    const WIDEST: usize = 32;
    let names: Vec<String> = rows.iter().map(name_of).collect();
    let widths = names.iter().map(|name| name.chars().count()).filter(|width| *width <= WIDEST);
    let width = widths.max().unwrap_or(WIDEST);
    let margin = format!("\n{:indent$}", "", indent = width + 4);
    let line = |(name, row): (&String, &Value)| {
        let about = text(&row["description"]).trim().replace('\n', &margin);
        let gap = if name.chars().count() > width && !about.is_empty() { margin.as_str() } else { "  " };
        format!("  {name:width$}{gap}{about}").trim_end().to_owned()
    };
    names.iter().zip(rows).map(line).collect::<Vec<_>>().join("\n")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spawn() -> Value {
        json!({
            "name": "entityOps.spawn", "toolbox": "entityOps", "tool": "spawn",
            "purpose": "Makes an entity.", "signature": "spawn(name: string, opts: SpawnOpts?, quiet: boolean?): Summary",
            "description": "Makes an entity.\nUse it for anything.",
            "arguments": [
                { "name": "name", "type": "string", "optional": false, "description": "What it is called." },
                { "name": "opts", "type": "SpawnOpts?", "optional": true, "description": "Where it stands\nand what it is." },
                { "name": "withAVeryLongNameOfItsOwn", "type": "boolean?", "optional": true, "description": "Says less." },
            ],
            "types": [{ "name": "SpawnOpts", "type": "{ position: Vec3? }" }],
            "returns": { "type": "Summary", "description": "The new entity." },
            "parameters": { "properties": { "opts": { "properties": { "position": {} } } } },
            "examples": ["\"crate\", { position = { 0, 1, 0 } }", "prefix .. \"crate\""],
        })
    }

    #[test]
    fn a_tools_page_says_all_a_caller_needs() {
        assert_eq!(
            tool_page(&spawn()),
            r#"Makes an entity.
Use it for anything.

Usage: zero entityOps spawn <name> [opts] [withAVeryLongNameOfItsOwn]

Arguments, in order or by name:
  --name string      What it is called.
  --opts SpawnOpts?  Where it stands
                     and what it is.
  --withAVeryLongNameOfItsOwn boolean?
                     Says less.

Types:
  SpawnOpts = { position: Vec3? }

Answers Summary: The new entity.

Examples:
  zero entityOps spawn crate '{"position":[0,1,0]}'

Examples, as arguments in Luau:
  prefix .. "crate""#
        );
        let parameters = parameters(&spawn());
        assert_eq!(parameters[1].fields, ["position"]);
        assert_eq!(
            parameters.iter().map(|p| (p.name.as_str(), p.boolean)).collect::<Vec<_>>(),
            [("name", false), ("opts", false), ("withAVeryLongNameOfItsOwn", true),]
        );
    }

    #[test]
    fn toolboxes_and_tools_are_lists_in_columns() {
        let boxes = json!({ "toolboxes": [
            { "toolbox": "assets", "purpose": "Finds assets.", "tools": 3 },
            { "toolbox": "entityOps", "purpose": "Makes entities.", "tools": 9 },
        ] });
        assert_eq!(
            toolboxes_page(&boxes),
            "Toolboxes of this world:\n  assets     Finds assets.\n  entityOps  Makes entities."
        );
        let tools = json!({ "toolbox": "entityOps", "total": 1, "tools": [spawn()] });
        assert!(toolbox_page("entityOps", &tools).contains("Tools:\n  spawn  Makes an entity.\n"));
        assert_eq!(found_page("make", &tools), "  entityOps spawn  Makes an entity.");
        assert!(found_page("x", &json!({ "tools": [] })).contains("no tool fits 'x'"));
        assert_eq!(toolboxes_page(&json!({})), "This world has no toolboxes.");
    }
}
