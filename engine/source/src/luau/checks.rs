use super::shape::{ShapeId, Shapes};

/// What the guards of one file test, for explaining the test that failed.
#[derive(Debug, Clone, Default)]
pub struct Checks {
    /// The name given to the runtime by the file's preamble.
    pub module: String,
    pub functions: Vec<Check>,
    pub shapes: Shapes,
}

/// One typed function; its position in [`Checks::functions`] is the index its guard reports.
#[derive(Debug, Clone, Default)]
pub struct Check {
    /// `M.spawn`
    pub name: String,
    /// `spawn(kind: "cube" | "sphere", opts: SpawnOpts?)`
    pub call: String,
    pub params: Vec<CheckedParam>,
    pub variadic: Option<ShapeId>,
    /// Line of the declaration.
    pub line: u32,
}

#[derive(Debug, Clone)]
pub struct CheckedParam {
    pub name: String,
    /// None where a later parameter of the same name hides it.
    pub shape: Option<ShapeId>,
}
