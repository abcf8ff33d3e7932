//! The types a file can name through its requires.

use std::rc::Rc;
use std::sync::Arc;

use zero_source::luau::{Imports, TypeAlias, parse};
use zero_vfs::VfsPath;

use crate::shared::Shared;
use crate::state::State;

/// For whoever cannot hold the state meanwhile.
pub(crate) struct FileImports {
    shared: Rc<Shared>,
    from: String,
}

impl FileImports {
    pub(crate) fn new(shared: &Rc<Shared>, from: &str) -> FileImports {
        FileImports { shared: Rc::clone(shared), from: from.to_owned() }
    }
}

impl Imports for FileImports {
    fn types_of(&self, require_name: &str) -> Option<Arc<Vec<TypeAlias>>> {
        let from = VfsPath::parse(&self.from).ok()?;
        StateImports { state: &self.shared.state.borrow(), from: &from }.types_of(require_name)
    }

    fn ambient(&self) -> Option<Arc<Vec<TypeAlias>>> {
        ambient(&self.shared.state.borrow())
    }
}

/// The same for whoever holds it.
pub(crate) struct StateImports<'a> {
    pub state: &'a State,
    pub from: &'a VfsPath,
}

impl Imports for StateImports<'_> {
    fn types_of(&self, require_name: &str) -> Option<Arc<Vec<TypeAlias>>> {
        let path = self.state.assets.resolve_require(&self.state.vfs, self.from, require_name).ok()?;
        types_in(self.state, &path)
    }

    fn ambient(&self) -> Option<Arc<Vec<TypeAlias>>> {
        ambient(self.state)
    }
}

fn ambient(state: &State) -> Option<Arc<Vec<TypeAlias>>> {
    types_in(state, &VfsPath::parse(crate::machine::TYPES).ok()?)
}

fn types_in(state: &State, path: &VfsPath) -> Option<Arc<Vec<TypeAlias>>> {
    Some(Arc::new(parse(&state.vfs.read_text(path).ok()?).types))
}
