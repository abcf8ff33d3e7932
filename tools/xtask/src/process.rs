use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// Prints the command, runs it with this terminal, and fails unless it exits with 0.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let line = shown(command);
    eprintln!("$ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("`{line}` ended with {status}"))),
        Err(error) => Err(cannot_start(&line, &error)),
    }
}

/// Runs quietly and gives what it wrote to stdout; what it wrote to stderr goes into the failure.
pub fn output(command: &mut Command) -> Result<String, Failure> {
    let line = shown(command);
    let output = command.stdin(Stdio::null()).output().map_err(|error| cannot_start(&line, &error))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Failure::new(format!("`{line}` ended with {}", output.status)).with_remedy(stderr));
    }
    String::from_utf8(output.stdout).map_err(|_| Failure::new(format!("`{line}` did not print UTF-8")))
}

/// Whether the program exists and exits with 0; its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as one would type it, without its environment.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

pub fn cannot_start(line: &str, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{line}` did not start: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let mut command = Command::new("zero");
        command.args(["run", "--world", "my worlds/it's", ""]);
        assert_eq!(shown(&command), r"zero run --world 'my worlds/it'\''s' ''");
    }

    #[test]
    fn a_program_that_fails_and_one_that_is_missing_are_failures() {
        assert!(succeeds(Command::new("true").arg("x")));
        assert!(!succeeds(&mut Command::new("false")));
        let missing = output(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(missing.headline.contains("did not start"), "{missing}");
    }
}
