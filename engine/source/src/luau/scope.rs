use std::sync::Arc;

use super::chunk::{Chunk, RequireCall, TypeAlias};

/// Where the types of other modules come from. The names are those a `require` uses, so an
/// implementation knows from which file it is asked.
pub trait Imports {
    /// The aliases of that module, those it does not export included: exported ones may be
    /// written in terms of them. None when there is no such module.
    fn types_of(&self, require_name: &str) -> Option<Arc<Vec<TypeAlias>>>;

    /// What that module itself requires. Without it, its types that are written in terms of
    /// further modules are not checked.
    fn imports_of(&self, _require_name: &str) -> Option<ModuleImports> {
        None
    }

    /// Aliases every file sees without a `require`; a file's own come first.
    fn ambient(&self) -> Option<Arc<Vec<TypeAlias>>> {
        None
    }
}

/// The requires of a module and what they stand for there.
#[derive(Clone)]
pub struct ModuleImports {
    pub requires: Arc<Vec<RequireCall>>,
    pub imports: Arc<dyn Imports>,
}

/// A file that stands alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoImports;

impl Imports for NoImports {
    fn types_of(&self, _require_name: &str) -> Option<Arc<Vec<TypeAlias>>> {
        None
    }
}

/// The names a signature of `chunk` can use.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub types: &'a [TypeAlias],
    pub requires: &'a [RequireCall],
    pub imports: &'a dyn Imports,
}

impl<'a> Scope<'a> {
    pub fn new(chunk: &'a Chunk, imports: &'a dyn Imports) -> Scope<'a> {
        Scope { types: &chunk.types, requires: &chunk.requires, imports }
    }
}
