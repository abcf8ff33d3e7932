use serde_json::Value;
use zero_runtime::Op;

use super::{Effect, ToolSpec};
use crate::mcp::schema::{boolean, object, one_of, reply};

pub const PLAY: ToolSpec = ToolSpec {
    name: "play",
    title: "Start play",
    description: "Start play: scripts update, 60 frames a second. Refused, naming them, while the world has errors. What \
                  play changes in entities ends with it; file writes during play end with it too unless durable.",
    effect: Effect::Switches,
    input: || object(&[], &[]),
    output: Some(run_state),
    op: |_| Ok(Op::Play),
};

pub const EDIT: ToolSpec = ToolSpec {
    name: "edit",
    title: "Back to edit",
    description: "End play and go back to the authored world: entities and files are as they were before play, \
                  except for durable writes.",
    effect: Effect::Replaces,
    input: || object(&[], &[]),
    output: Some(run_state),
    op: |_| Ok(Op::Edit),
};

pub const PAUSE: ToolSpec = ToolSpec {
    name: "pause",
    title: "Pause or resume",
    description: "Freeze play, or let it go on with paused: false. The mode stays.",
    effect: Effect::Switches,
    input: || object(&[("paused", boolean("true if absent."))], &[]),
    output: Some(run_state),
    op: |arguments| Ok(Op::Pause { paused: arguments.get("paused").unwrap_or(true) }),
};

fn run_state() -> Value {
    reply(&[("mode", one_of(&["edit", "play"], "The mode now.")), ("paused", boolean("Whether play is frozen."))])
}
