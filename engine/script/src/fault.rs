//! What a failure in Luau becomes on its way out: a [`Fault`] with a code, the author's place
//! and a trace.

use mlua::{Error, Table, Value};
use serde_json::json;
use zero_base::{Diagnostic, Fault, Span};
use zero_source::luau::is_argument_error;

use crate::convert::to_json;

/// Turns an error of the machine into a fault.
///
/// A table thrown by a script or by the engine's own API keeps its `code`, `message` and
/// `data`; a string keeps its text, and the code a text ends with (`… [area/reason]`).
pub fn fault_of(error: &Error) -> Fault {
    match error {
        Error::CallbackError { cause, traceback } => {
            let mut fault = fault_of(cause);
            if !has_place(&fault)
                && let Some(place) = first_script_place(traceback)
            {
                fault.message = format!("{place}: {}", fault.message);
                fault.diagnostics = diagnostics_of(&fault);
            }
            fault
        }
        Error::ExternalError(external) => match external.downcast_ref::<Fault>() {
            Some(fault) => fault.clone(),
            None => Fault::new("script/error", external.to_string()),
        },
        Error::RuntimeError(text) => of_text("script/error", text),
        Error::SyntaxError { message, .. } => of_text("script/syntax", message),
        Error::MemoryError(_) => Fault::new(
            "script/memory",
            "the script needed more memory than the machine may have; make less at a time, or use buffers",
        ),
        other => of_text("script/error", &other.to_string()),
    }
}

/// The fault in a value that a script threw.
pub fn fault_of_value(value: &Value) -> Fault {
    match value {
        Value::String(text) => of_text("script/error", &text.to_string_lossy()),
        Value::Error(error) => fault_of(error),
        Value::Table(table) => of_table(table),
        other => {
            let text = to_json(other).map(|json| json.to_string()).unwrap_or_default();
            Fault::new("script/error", format!("the script threw {text}"))
        }
    }
}

/// The fault in what a guarded call caught: the value thrown and the trace to it.
pub(crate) fn fault_of_caught(caught: &Value) -> Fault {
    let Value::Table(table) = caught else { return fault_of_value(caught) };
    let problem = table.raw_get::<Value>("problem").unwrap_or(Value::Nil);
    let trace = table.raw_get::<Option<String>>("trace").ok().flatten().unwrap_or_default();
    let mut fault = fault_of_value(&problem);
    // The trace of a refused argument leads to what was called, not to who called it.
    if fault.code != "script/argument"
        && !has_place(&fault)
        && let Some(place) = first_script_place(&trace)
    {
        fault.message = format!("{place}: {}", fault.message);
        if fault.diagnostics.is_empty() {
            fault.diagnostics = diagnostics_of(&fault);
        }
    }
    let lines: Vec<&str> = trace.lines().map(str::trim).filter(|line| !is_engine_frame(line)).take(40).collect();
    if lines.len() > 1 && fault.data.is_none() {
        fault.data = Some(json!({ "trace": lines }));
    }
    fault
}

/// Whether a frame is native, the engine's own, or its API's: never the author's place.
pub(crate) fn is_engine_frame(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("[C]")
        || line.starts_with("engine/script/src/")
        || line.starts_with("[engine]")
        || line.starts_with("@builtin::modules.api")
}

fn of_table(table: &Table) -> Fault {
    let text = |key: &str| table.raw_get::<Option<String>>(key).ok().flatten();
    let Some(message) = text("message") else {
        let shown = to_json(&Value::Table(table.clone())).map(|json| json.to_string()).unwrap_or_default();
        return Fault::new("script/error", format!("the script threw {shown}"));
    };
    let mut fault = Fault::new(text("code").unwrap_or_else(|| "script/error".to_owned()), message);
    if let Some(place) = text("place")
        && !has_place(&fault)
    {
        fault.message = format!("{place}: {}", fault.message);
    }
    if let Ok(data) = table.raw_get::<Value>("data")
        && !data.is_nil()
    {
        fault.data = to_json(&data).ok();
    }
    fault.diagnostics = match table.raw_get::<Option<String>>("diagnostics").ok().flatten() {
        Some(kept) => serde_json::from_str(&kept).unwrap_or_default(),
        None => diagnostics_of(&fault),
    };
    fault
}

fn of_text(code: &'static str, text: &str) -> Fault {
    let (text, trace) = match text.split_once("\nstack traceback:\n") {
        Some((text, trace)) => (text, Some(trace)),
        None => (text, None),
    };
    let (message, code) = match split_code(text) {
        Some((message, code)) => (message.to_owned(), code.to_owned().into()),
        None if text.ends_with("not enough memory") => (text.to_owned(), "script/memory".into()),
        None if is_argument_error(place_of(text).map_or(text, |(_, _, rest)| rest)) => {
            (text.to_owned(), "script/argument".into())
        }
        None => (text.to_owned(), code.into()),
    };
    let mut fault = Fault { code, message, data: None, diagnostics: Vec::new() };
    fault.diagnostics = diagnostics_of(&fault);
    if let Some(trace) = trace {
        fault.data = Some(json!({ "trace": trace.lines().map(str::trim).take(40).collect::<Vec<_>>() }));
    }
    fault
}

/// `message [area/reason]` in its two parts.
fn split_code(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(']')?;
    let (message, code) = inner.rsplit_once(" [")?;
    let plausible =
        code.contains('/') && code.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'-'));
    plausible.then_some((message, code))
}

fn has_place(fault: &Fault) -> bool {
    place_of(&fault.message).is_some()
}

fn diagnostics_of(fault: &Fault) -> Vec<Diagnostic> {
    let Some((file, line, rest)) = place_of(&fault.message) else { return Vec::new() };
    vec![Diagnostic::error(fault.code.clone(), rest).in_file(file).at(Span::at(line, 1))]
}

/// `name:12: message` in its parts.
pub(crate) fn place_of(message: &str) -> Option<(&str, u32, &str)> {
    let (place, rest) = message.split_once(": ")?;
    let (file, line) = place.rsplit_once(':')?;
    if file.is_empty() || file.contains(['\n', ' ']) {
        return None;
    }
    Some((file, line.parse().ok()?, rest))
}

/// The first frame of a traceback that is neither native nor the engine's own API.
fn first_script_place(traceback: &str) -> Option<String> {
    traceback.lines().map(str::trim).filter(|line| !is_engine_frame(line)).find_map(|line| {
        // `name:12 function f` or `name:12`
        let frame = line.split(' ').next()?;
        let (_, number) = frame.rsplit_once(':')?;
        number.parse::<u32>().ok().map(|_| frame.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_gives_code_and_place() {
        let fault =
            of_text("script/error", "@local.source.demo.spin:7: too slow [script/overrun]\nstack traceback:\n  a:1");
        assert_eq!(fault.code, "script/overrun");
        assert_eq!(fault.message, "@local.source.demo.spin:7: too slow");
        let diagnostic = &fault.diagnostics[0];
        assert_eq!(diagnostic.path.as_deref(), Some("@local.source.demo.spin"));
        assert_eq!(diagnostic.span, Some(Span::at(7, 1)));
        assert_eq!(of_text("script/error", "it is [here]").code, "script/error");
    }

    #[test]
    fn finds_the_authors_frame() {
        let trace = "stack traceback:\n[C] in ?\n@builtin::modules.api.entity:4 function spawn\nexec:2";
        assert_eq!(first_script_place(trace).as_deref(), Some("exec:2"));
    }
}
