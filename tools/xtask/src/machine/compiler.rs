use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

/// A C++ compiler that was seen to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    pub program: String,
    /// Cargo's build scripts look for `c++` only: another one has to be named to them.
    named_to_builds: bool,
}

const PROGRAMS: &[&str] = &["c++", "g++", "clang++"];
/// Fails where the compiler is there and its library's headers are not.
const SAMPLE: &str = "#include <string>\nstd::string zero() { return \"0\"; }\n";

impl Compiler {
    /// `$CXX`, then the usual names.
    pub fn find() -> Option<Compiler> {
        let chosen = env::var("CXX").ok().filter(|program| !program.is_empty());
        let candidates = chosen.into_iter().chain(PROGRAMS.iter().map(|program| (*program).to_owned()));
        let program = candidates.into_iter().find(|program| compiles(program))?;
        let named_to_builds = program != PROGRAMS[0] && env::var_os("CXX").is_none();
        Some(Compiler { program, named_to_builds })
    }

    /// Makes a cargo command use this compiler.
    pub fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        if self.named_to_builds {
            command.env("CXX", &self.program);
        }
        command
    }
}

/// `program` may carry arguments, as in `ccache g++`.
fn compiles(program: &str) -> bool {
    let mut words = program.split_whitespace();
    let Some(first) = words.next() else { return false };
    let mut command = Command::new(first);
    command.args(words).args(["-x", "c++", "-fsyntax-only", "-"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    // A compiler that ends before it has read everything closes the pipe: its status says why.
    if let Some(mut stdin) = child.stdin.take() {
        let _closed = stdin.write_all(SAMPLE.as_bytes());
    }
    child.wait().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_compiles_is_a_compiler() {
        assert!(!compiles("no-such-compiler-here"));
        assert!(!compiles("true-but-not-a-program -x"));
        assert!(!compiles("false"));
        assert!(!compiles(""));
    }

    #[test]
    fn a_compiler_of_another_name_is_named_to_the_build() {
        let other = Compiler { program: "clang++".into(), named_to_builds: true };
        let mut command = Command::new("cargo");
        other.apply(&mut command);
        assert!(command.get_envs().any(|(name, value)| name == "CXX" && value.is_some_and(|v| v == "clang++")));
    }
}
