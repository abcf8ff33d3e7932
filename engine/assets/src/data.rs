//! Reading a data file into a tree with positions, whatever is in it.

use zero_base::Diagnostic;
use zero_source::yaml::{self, Node};
use zero_vfs::{Vfs, VfsError, VfsPath};

/// The text of a file.
pub(crate) fn text(vfs: &Vfs, path: &str) -> Result<String, Diagnostic> {
    let read = VfsPath::parse(path).and_then(|path| vfs.read_text(&path));
    read.map_err(|error| failed(&error, path))
}

/// A YAML or JSON file as a tree.
pub(crate) fn read(vfs: &Vfs, path: &str) -> Result<Node, Vec<Diagnostic>> {
    let text = text(vfs, path).map_err(|problem| vec![problem])?;
    yaml::parse_file(&text, path)
}

pub(crate) fn failed(error: &VfsError, path: &str) -> Diagnostic {
    Diagnostic::error(error.code(), error.to_string()).in_file(path)
}
