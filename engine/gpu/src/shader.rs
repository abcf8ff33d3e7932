mod check;
mod line_map;
mod preprocess;

use std::collections::BTreeMap;
use std::sync::Arc;

use zero_base::{Fault, Hash};

pub use line_map::ShaderText;
pub use preprocess::Preprocessor;

/// Names and values of one variant: what `// @when NAME value` blocks ask for and `#{NAME}` prints.
pub type Defines = BTreeMap<String, String>;

/// A piece of shader text and the name diagnostics call it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    pub path: String,
    pub text: Arc<str>,
}

/// Finds what `#include "name"` means in the file `from`.
pub trait Includes {
    fn include(&self, name: &str, from: &str) -> Result<SourceFile, Fault>;
}

/// For shaders that stand alone: every include is refused.
pub struct NoIncludes;

impl Includes for NoIncludes {
    fn include(&self, name: &str, _from: &str) -> Result<SourceFile, Fault> {
        Err(Fault::new("shader/include", format!("nothing can be included here, and '{name}' is")))
    }
}

impl ShaderText {
    /// Identifies the composed text: equal hashes compile to equal pipelines.
    pub fn hash(&self) -> Hash {
        Hash::of(self.text().as_bytes())
    }
}

#[cfg(test)]
mod tests;
