use std::fs;
use std::path::Path;

use base64::Engine as _;
use serde_json::{Value, json};
use zero_base::Fault;
use zero_runtime::{Answer, Capture, Op};

use super::{Context, World};
use crate::cli::RunArgs;
use crate::print::{FAILED, Failure, Report, readable};
use crate::{ProgramError, logs};

/// Plays a world: for a number of frames, as fast as they come, or on the clock until Ctrl-C.
pub fn play(context: &Context, args: &RunArgs) -> Result<Report, Failure> {
    if !args.headless {
        let message = "zero opens no window: add --headless, with --frames N to end by itself and --capture FILE.png for a picture";
        return Err(ProgramError::usage(message).into());
    }
    context.in_world(|world| {
        let before = world.call(Op::Status)?.value;
        if before["mode"] == "play" {
            let message =
                "this world is being played by another process; it goes back to edit mode before it can be run";
            return Err(Failure { fault: Fault::new("run/playing", message), exit_code: FAILED });
        }
        if let Some(identity) = &args.scene {
            world.call(Op::LoadScene { identity: identity.clone() })?;
        }
        let frames = args.frames.or(args.capture.is_some().then_some(1));
        // Frames that are counted come one by one: the clock must not add its own.
        let paused = world.call(Op::Pause { paused: frames.is_some() });
        let played = logs::answered(|| {
            paused.and_then(|_| world.call(Op::Play)).and_then(|_| match frames {
                Some(frames) => play_frames(world, frames, args.capture.as_deref()),
                None => play_on(world),
            })
        });
        // What play changed ends with it, whatever came of it.
        let ended = world
            .call_at_the_end(Op::Edit)
            .and_then(|_| world.call_at_the_end(Op::Pause { paused: before["paused"] == true }));
        let report = played?;
        ended?;
        Ok(report)
    })
}

fn play_frames(world: &World, frames: u32, capture: Option<&Path>) -> Result<Report, Failure> {
    let step = world.call(Op::Step { frames })?;
    let mut value = json!({ "frames": frames, "state": step.value });
    let mut text = format!("played {frames} {}", if frames == 1 { "frame" } else { "frames" });
    if let Some(file) = capture {
        let answer = world.call(Op::Capture(Capture::default()))?;
        write_picture(file, &answer)?;
        text.push_str(&format!("\npicture in {}", file.display()));
        value["capture"] = json!({ "file": file, "picture": answer.value });
    }
    Ok(with_failures(text, value))
}

/// What failed while the world played, in components, tasks or the entrypoint: said, and no success.
fn with_failures(mut text: String, value: Value) -> Report {
    let list = |name: &str| value["state"][name].as_array().cloned().unwrap_or_default();
    let logged: Vec<Value> = list("logs").iter().map(|line| line["text"].clone()).collect();
    let mut failures: Vec<String> = Vec::new();
    for line in list("errors").iter().chain(&logged).map(readable) {
        if !failures.contains(&line) {
            failures.push(line);
        }
    }
    if failures.is_empty() {
        return Report::new(text, value);
    }
    let errors = if failures.len() == 1 { "error" } else { "errors" };
    text.push_str(&format!("\n{} {errors} while it played", failures.len()));
    Report { text: text.trim_start().to_owned(), notes: failures, value, exit_code: FAILED }
}

fn play_on(world: &World) -> Result<Report, Failure> {
    let context = world.context;
    context.runtime.block_on(context.interrupt.stop.cancelled());
    let state = world.call_at_the_end(Op::Pause { paused: true })?.value;
    Ok(with_failures(String::new(), json!({ "state": state })))
}

fn write_picture(file: &Path, answer: &Answer) -> Result<(), Failure> {
    let picture = answer.images.first().ok_or_else(|| Failure {
        fault: Fault::new("zero/no_picture", "the capture answered no picture"),
        exit_code: FAILED,
    })?;
    let bytes = base64::engine::general_purpose::STANDARD.decode(&picture.png_base64).map_err(|error| Failure {
        fault: Fault::new("zero/no_picture", format!("the picture is not base64: {error}")),
        exit_code: FAILED,
    })?;
    fs::write(file, bytes).map_err(|source| ProgramError::File { path: file.to_owned(), source })?;
    Ok(())
}
