use std::path::Path;

use serde_json::json;

use crate::print::{Failure, Report};
use crate::{ProgramError, print};

pub fn new(dir: &Path) -> Result<Report, Failure> {
    let failed = |source| ProgramError::File { path: dir.to_owned(), source };
    // A name such as `.` or `worlds/..` still ends in a folder.
    let whole = std::path::absolute(dir).map_err(failed)?;
    let name = whole.file_name().and_then(|name| name.to_str()).unwrap_or("world").to_owned();
    zero_runtime::create_world(&whole, &name).map_err(|fault| Failure { fault, exit_code: print::FAILED })?;
    let shown = dir.display();
    Ok(Report::new(
        format!(
            "made the world '{name}' in {shown}\n\n  cd {shown}\n  zero check                       look for mistakes\n  zero exec -e 'return engine.mode'  run Luau in it\n  zero mcp                         serve it to an agent over standard input and output"
        ),
        json!({ "world": whole, "name": name }),
    ))
}
