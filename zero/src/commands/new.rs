use std::fs;
use std::path::Path;

use serde_json::json;

use crate::print::{Failure, Report};
use crate::world_dir::find_world;
use crate::{ProgramError, print};

pub fn new(dir: &Path) -> Result<Report, Failure> {
    let failed = |source| ProgramError::File { path: dir.to_owned(), source };
    // A name such as `.` or `worlds/..` still ends in a folder.
    let whole = std::path::absolute(dir).map_err(failed)?;
    let around = find_world(None, whole.parent().unwrap_or(&whole)).ok();
    let name = whole.file_name().and_then(|name| name.to_str()).unwrap_or("world").to_owned();
    zero_runtime::create_world(&whole, &name).map_err(|fault| Failure { fault, exit_code: print::FAILED })?;
    keep_out_of_git(&whole).map_err(failed)?;
    let shown = dir.display();
    let zero = program();
    let mut report = Report::new(
        format!(
            "made the world '{name}' in {shown}\n\n  cd {shown}\n  {zero} check                         look for mistakes\n  {zero} exec -e 'return engine.mode'  run Luau in it\n  {zero} mcp                           serve it to an agent over standard input and output"
        ),
        json!({ "world": whole, "name": name }),
    );
    if let Some(around) = around {
        report.notes.push(format!(
            "note: it lies inside another world, {}; each has files and a history of its own",
            around.display()
        ));
    }
    Ok(report)
}

/// What the engine keeps for itself in a world is of this machine, a token among it.
fn keep_out_of_git(world: &Path) -> std::io::Result<()> {
    let file = world.join(".gitignore");
    if file.exists() { Ok(()) } else { fs::write(file, ".zero/\n") }
}

/// How to call this program again from another folder: by its name where the shell found it so.
fn program() -> String {
    let called = std::env::args_os().next().unwrap_or_default();
    let by_name = Path::new(&called).components().count() == 1;
    match std::env::current_exe() {
        Ok(path) if !by_name => path.display().to_string(),
        _ => "zero".to_owned(),
    }
}
