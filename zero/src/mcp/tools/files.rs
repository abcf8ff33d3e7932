use zero_base::Fault;
use zero_runtime::{EditFile, Op, ReadFile, WriteFile};

use super::{Effect, ToolSpec};
use crate::mcp::arguments::Arguments;
use crate::mcp::schema::{boolean, integer, list, map, object, of_kind, reply, string};

const MOST_LINES: u64 = 1_000_000_000;
const BASE: &str =
    "Hash the file must have now, as read_file gave it; a file changed since is refused with both hashes.";
const DURABLE: &str = "During play: change the authored file at once, instead of the copy that ends with play.";

pub const READ_FILE: ToolSpec = ToolSpec {
    name: "read_file",
    title: "Read a file",
    description: "Read a text file, a picture or a folder listing of the engine's file system: /zero/source (authored; \
                  /source for short), /zero/source/libs/@builtin (the engine's library), /zero/source/tmp and /tmp \
                  (scratch). Answers the text, then its path, line count and hash.",
    effect: Effect::Reads,
    input: || {
        object(
            &[
                ("path", string("Absolute path, such as /zero/source/main.scene/scene.yaml.")),
                ("offset", integer(1, MOST_LINES, "First line, from 1.")),
                ("limit", integer(1, MOST_LINES, "Most lines to read; 2000 if absent.")),
            ],
            &["path"],
        )
    },
    output: None,
    op: read_file,
};

fn read_file(arguments: &Arguments) -> Result<Op, Fault> {
    Ok(Op::ReadFile(ReadFile {
        path: arguments.required_text("path"),
        offset: arguments.whole("offset"),
        limit: arguments.whole("limit"),
    }))
}

pub const WRITE_FILE: ToolSpec = ToolSpec {
    name: "write_file",
    title: "Write a file",
    description: "Create or replace a file under /zero/source (durable at once, reloaded at once) or /tmp. Missing \
                  folders are made. A folder named <name>.<type> is an asset: a component is \
                  /zero/source/Spin.component/init.luau. Answers the bytes written, the new hash and what is wrong \
                  with the content.",
    effect: Effect::Replaces,
    input: || {
        object(
            &[
                ("path", string("Absolute path.")),
                ("content", string("The whole text. Exactly one of content and content_b64.")),
                ("content_b64", string("The whole file as base64, for what is not text.")),
                ("base", string(BASE)),
                ("durable", boolean(DURABLE)),
            ],
            &["path"],
        )
    },
    output: Some(written),
    op: write_file,
};

fn write_file(arguments: &Arguments) -> Result<Op, Fault> {
    arguments.exactly_one(&["content", "content_b64"])?;
    Ok(Op::WriteFile(WriteFile {
        path: arguments.required_text("path"),
        content: arguments.text("content"),
        content_b64: arguments.text("content_b64"),
        base: base(arguments)?,
        durable: arguments.flag("durable"),
    }))
}

pub const EDIT_FILE: ToolSpec = ToolSpec {
    name: "edit_file",
    title: "Edit a file",
    description: "Replace one exact piece of a text file under /zero/source. Refused when the piece is missing, or \
                  occurs more than once and replace_all is not set: give more of its surroundings.",
    effect: Effect::Runs,
    input: || {
        object(
            &[
                ("path", string("Absolute path.")),
                ("old_string", string("The piece as it stands, spaces and line ends included.")),
                ("new_string", string("What takes its place.")),
                ("old", string("Same as old_string.")),
                ("new", string("Same as new_string.")),
                ("replace_all", boolean("Replace every occurrence.")),
                ("base", string(BASE)),
                ("durable", boolean(DURABLE)),
            ],
            &["path"],
        )
    },
    output: Some(written),
    op: edit_file,
};

fn edit_file(arguments: &Arguments) -> Result<Op, Fault> {
    Ok(Op::EditFile(EditFile {
        path: arguments.required_text("path"),
        old: arguments.one_text_of("old_string", "old")?,
        new: arguments.one_text_of("new_string", "new")?,
        replace_all: arguments.flag("replace_all"),
        base: base(arguments)?,
        durable: arguments.flag("durable"),
    }))
}

fn base(arguments: &Arguments) -> Result<Option<zero_base::Hash>, Fault> {
    let parsed = arguments.text("base").map(|text| text.parse::<zero_base::Hash>()).transpose();
    parsed.map_err(|error| arguments.fault("mcp/bad_argument", format!("'base': {error}")))
}

fn written() -> serde_json::Value {
    reply(&[
        ("path", string("The file, by its full path.")),
        ("bytes", of_kind("integer", "Size of the file now.")),
        ("hash", string("Content hash now; pass it as `base` of the next write.")),
        ("diagnostics", list(map("code, severity, message, path, span."), "What is wrong with the content.")),
    ])
}
