//! The types a file can name through its requires.

use std::rc::Rc;
use std::sync::Arc;

use zero_source::luau::{Imports, TypeAlias, parse};
use zero_vfs::VfsPath;

use crate::shared::Shared;

pub(crate) struct FileImports {
    shared: Rc<Shared>,
    from: String,
}

impl FileImports {
    pub(crate) fn new(shared: &Rc<Shared>, from: &str) -> FileImports {
        FileImports { shared: Rc::clone(shared), from: from.to_owned() }
    }

    fn types_in(&self, path: &VfsPath) -> Option<Arc<Vec<TypeAlias>>> {
        let text = self.shared.state.borrow().vfs.read_text(path).ok()?;
        Some(Arc::new(parse(&text).types))
    }
}

impl Imports for FileImports {
    fn types_of(&self, require_name: &str) -> Option<Arc<Vec<TypeAlias>>> {
        let path = {
            let state = self.shared.state.borrow();
            let from = VfsPath::parse(&self.from).ok()?;
            state.assets.resolve_require(&state.vfs, &from, require_name).ok()?
        };
        self.types_in(&path)
    }

    fn ambient(&self) -> Option<Arc<Vec<TypeAlias>>> {
        self.types_in(&VfsPath::parse(crate::machine::TYPES).ok()?)
    }
}
