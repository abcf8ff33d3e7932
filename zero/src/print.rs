use std::io::{self, Write};

use serde_json::{Value, json};
use zero_base::Fault;

use crate::ProgramError;

/// What a command that worked has to say, for people and for programs.
#[derive(Debug, Default)]
pub struct Report {
    pub text: String,
    /// Lines for standard error: what was logged, and why it failed.
    pub notes: Vec<String>,
    pub value: Value,
    pub exit_code: i32,
}

/// Why a command did not work, and what it exits with.
#[derive(Debug)]
pub struct Failure {
    pub fault: Fault,
    pub exit_code: i32,
}

/// The operation failed.
pub const FAILED: i32 = 1;
/// The words on the command line make no sense.
pub const WRONG_USAGE: i32 = 2;
/// No engine could be had, or it ended.
pub const NO_ENGINE: i32 = 3;

impl Report {
    pub fn new(text: impl Into<String>, value: Value) -> Report {
        Report { text: text.into(), value, ..Report::default() }
    }
}

impl Failure {
    pub fn no_engine(fault: impl Into<Fault>) -> Failure {
        Failure { fault: fault.into(), exit_code: NO_ENGINE }
    }

    /// What an operation was refused with. An engine that is gone is no answer of it.
    pub fn refused(fault: Fault) -> Failure {
        let exit_code = match &*fault.code {
            "engine/gone"
            | "engine/attach"
            | "engine/panic"
            | "world/owner_not_ready"
            | "world/owner_silent"
            | "world/owned"
            | "world/lock_lost" => NO_ENGINE,
            _ => FAILED,
        };
        Failure { fault, exit_code }
    }
}

impl From<ProgramError> for Failure {
    fn from(error: ProgramError) -> Failure {
        let exit_code = match &error {
            ProgramError::Usage { .. } | ProgramError::CallerName { .. } => WRONG_USAGE,
            ProgramError::File { .. } => FAILED,
            _ => NO_ENGINE,
        };
        Failure { fault: error.into(), exit_code }
    }
}

/// Prints the outcome of a command and answers the exit code.
pub fn print(outcome: Result<Report, Failure>, as_json: bool) -> i32 {
    match outcome {
        Ok(report) => {
            if as_json {
                out(&report.value.to_string());
            } else if !report.text.is_empty() {
                out(report.text.trim_end_matches('\n'));
            }
            report.notes.iter().for_each(|note| err(note));
            report.exit_code
        }
        Err(failure) => {
            if as_json {
                out(&error_value(&failure.fault).to_string());
            }
            err(&error_text(&failure.fault));
            failure.exit_code
        }
    }
}

/// A refusal as lines for a terminal.
pub fn error_text(fault: &Fault) -> String {
    let mut text = format!("error: {fault}");
    for diagnostic in &fault.diagnostics {
        text.push_str(&format!("\n{diagnostic}"));
    }
    text
}

fn error_value(fault: &Fault) -> Value {
    json!({ "error": fault })
}

/// A value as a person reads it: a text as it is, nothing for null, JSON otherwise.
pub fn readable(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

/// Writes a line to standard output. A reader that went away is no error of ours.
pub fn out(line: &str) {
    let mut stdout = io::stdout().lock();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

pub fn err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use zero_base::{Diagnostic, Span};

    use super::*;

    #[test]
    fn errors_read_as_message_and_code_then_one_line_a_diagnostic() {
        let fault = Fault::new("script/error", "attempt to call nil")
            .with_diagnostics(vec![Diagnostic::error("a/b", "here").in_file("/zero/source/x.luau").at(Span::at(3, 1))]);
        assert_eq!(
            error_text(&fault),
            "error: attempt to call nil [script/error]\n/zero/source/x.luau:3:1: error: here [a/b]"
        );
        assert_eq!(error_value(&fault)["error"]["code"], "script/error");
        assert_eq!(Failure::refused(fault).exit_code, FAILED);
        assert_eq!(Failure::refused(Fault::new("engine/gone", "x")).exit_code, NO_ENGINE);
        assert_eq!(Failure::from(ProgramError::usage("x")).exit_code, WRONG_USAGE);
    }
}
