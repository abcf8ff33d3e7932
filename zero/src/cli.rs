//! The command line as data. Options of the program itself go before the command.

mod tool_words;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

pub use tool_words::{Parameter, ToolWords};

/// An agent-first 3D engine: worlds made of files, Luau and tools.
#[derive(Debug, Parser)]
#[command(name = "zero", version, disable_help_subcommand = true, after_help = AFTER_HELP)]
pub struct Cli {
    /// The world's folder [default: the nearest one at or above this folder that holds world.yaml]
    #[arg(long, value_name = "DIR", global = true)]
    pub world: Option<PathBuf>,

    /// Answer with one JSON object
    #[arg(long, global = true)]
    pub json: bool,

    /// The name you act under: lower-case letters, digits, - and _
    #[arg(long = "as", value_name = "NAME", global = true, default_value = "shell")]
    pub caller: String,

    /// Read the built-in library from this checkout instead of the program's own copy
    #[arg(long, value_name = "DIR", global = true)]
    pub builtin: Option<PathBuf>,

    /// Find tools whose name or purpose fits some words
    #[arg(short = 'k', long, value_name = "WORDS", num_args = 1..)]
    pub search: Option<Vec<String>>,

    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER_HELP: &str = "\
Tools:
  zero <toolbox>                  the tools of a toolbox
  zero <toolbox> <tool> --help    what a tool takes and answers
  zero <toolbox> <tool> [args]    use it: in order, or by name as in --fov 60; what reads as JSON is JSON

Pictures:
  zero run --headless --capture FILE.png

Exit codes: 0 done, 1 it failed (a tool's own code for a tool), 2 wrong usage, 3 no engine.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a new world
    New {
        /// The folder to make it in; its name becomes the world's
        dir: PathBuf,
    },
    /// Play a world
    Run(RunArgs),
    /// Serve a world to one agent over standard input and output (MCP)
    Mcp,
    /// Serve a world to agents over HTTP (MCP) on this machine
    Serve {
        /// Port to listen on [default: a free one]
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
        port: u16,
    },
    /// Run Luau in a world
    Exec(ExecArgs),
    /// Look for mistakes in a world
    Check {
        /// A file or folder, on disk or by its engine path [default: the whole world]
        path: Option<String>,
    },
    /// The content hashes of a world
    Hash,
    #[command(external_subcommand)]
    Tool(Vec<OsString>),
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Identity of the scene to load first [default: the world's entry]
    pub scene: Option<String>,

    /// Play without a window: needed as long as zero opens none
    #[arg(long)]
    pub headless: bool,

    /// End after N frames of 1/60 s [default: at Ctrl-C; 1 with --capture]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,

    /// Write a picture of the last frame
    #[arg(long, value_name = "FILE.png")]
    pub capture: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct ExecArgs {
    /// A .luau file, on disk or by its engine path
    #[arg(required_unless_present = "code", conflicts_with = "code")]
    pub file: Option<String>,

    /// Luau source
    #[arg(short = 'e', long, value_name = "CODE")]
    pub code: Option<String>,

    /// What the script sees as SCRIPT_ARGS: one JSON object or array as it is, else a list
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// What the words on the command line ask for.
#[derive(Debug)]
pub enum Parsed {
    Run(Box<Cli>),
    /// `zero --help`: the options of the program and, in a world, its toolboxes.
    Help(Box<Cli>),
    /// The help of one command, or the version.
    Text(String),
    Wrong {
        message: String,
        json: bool,
    },
}

pub fn parse(args: &[OsString]) -> Parsed {
    match Cli::try_parse_from(args) {
        Ok(cli) if cli.command.is_none() && cli.search.is_none() => Parsed::Help(Box::new(cli)),
        Ok(cli) => Parsed::Run(Box::new(cli)),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp if !names_command(args) => match without_help(args) {
                Ok(cli) => Parsed::Help(Box::new(cli)),
                Err(_) => Parsed::Text(error.to_string()),
            },
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Parsed::Text(error.to_string()),
            _ => Parsed::Wrong {
                message: error.to_string().trim_start_matches("error: ").trim_end().to_owned(),
                json: args.iter().any(|word| word == "--json"),
            },
        },
    }
}

/// The help text of the program itself.
pub fn program_help() -> String {
    Cli::command().render_help().to_string()
}

/// The names of the program's own commands.
pub fn command_names() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// A value on the command line: what reads as JSON is JSON, everything else is text.
pub fn value(word: &str) -> serde_json::Value {
    serde_json::from_str(word).unwrap_or_else(|_| word.into())
}

fn names_command(args: &[OsString]) -> bool {
    let names = command_names();
    args.iter().skip(1).any(|word| names.iter().any(|name| word == name.as_str()))
}

fn without_help(args: &[OsString]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(args.iter().filter(|word| *word != "--help" && *word != "-h"))
}

#[cfg(test)]
mod tests;
