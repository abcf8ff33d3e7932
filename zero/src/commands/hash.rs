use zero_runtime::Op;

use super::Context;
use crate::print::{Failure, Report, readable};

pub fn hash(context: &Context) -> Result<Report, Failure> {
    let value = context.in_world(|world| world.call(Op::Hash))?.value;
    let line = |name: &str| format!("{name:<9}{}", readable(&value[name]));
    let text = ["files", "entities", "world"].map(line).join("\n");
    Ok(Report::new(text, value))
}
