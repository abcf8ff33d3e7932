use zero_base::Fault;
use zero_runtime::{Capture, Op};

use super::{Effect, ToolSpec};
use crate::mcp::arguments::Arguments;
use crate::mcp::schema::{integer, number, object, one_of, point, string};

const MOST_PIXELS_A_SIDE: u64 = 1920;

pub const CAPTURE: ToolSpec = ToolSpec {
    name: "capture",
    title: "Take a picture",
    description: "Look at the world: a PNG that contains every change acknowledged before it, with its size and \
                  brightness statistics. Works with and without a GPU.",
    effect: Effect::Reads,
    input: || {
        object(
            &[
                (
                    "source",
                    one_of(
                        &["main", "camera", "entity", "position"],
                        "main: the scene's camera (if absent). camera: the camera of `entity`. entity: `entity` whole, \
                         from a distance that frames it. position: from `position` towards `lookAt`.",
                    ),
                ),
                ("entity", string("Name or id.")),
                ("position", point("Where to look from, metres.")),
                ("lookAt", point("What to look at, metres.")),
                ("fov", number(1.0, 170.0, "Vertical field of view, degrees.")),
                ("width", integer(1, MOST_PIXELS_A_SIDE, "Pixels.")),
                ("height", integer(1, MOST_PIXELS_A_SIDE, "Pixels.")),
            ],
            &[],
        )
    },
    output: None,
    op: capture,
};

fn capture(arguments: &Arguments) -> Result<Op, Fault> {
    Ok(Op::Capture(Capture {
        source: arguments.text("source"),
        entity: arguments.text("entity"),
        position: arguments.get("position"),
        look_at: arguments.get("lookAt"),
        fov_degrees: arguments.get("fov"),
        width: arguments.whole("width").map(|pixels| pixels as u32),
        height: arguments.whole("height").map(|pixels| pixels as u32),
    }))
}
