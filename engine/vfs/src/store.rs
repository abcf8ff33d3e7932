use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use zero_base::{Hash, Io};

use crate::VfsError;
use crate::error::io_error;

/// Contents by hash, one file each, below two digits of it: `ab/cdef…`. A content that is in the
/// store under its name is whole: it is written beside, synced, then renamed.
pub(crate) struct Store {
    io: Arc<dyn Io>,
    root: PathBuf,
    /// Known to survive a power cut. A name found on disk may not: whoever renamed it may have
    /// died before the folder was synced.
    durable: HashSet<Hash>,
}

impl Store {
    pub fn new(io: Arc<dyn Io>, root: PathBuf) -> Store {
        Store { io, root, durable: HashSet::new() }
    }

    /// Keeps `bytes`, durably once this returns.
    pub fn put(&mut self, hash: Hash, bytes: &[u8]) -> Result<(), VfsError> {
        if self.durable.contains(&hash) {
            return Ok(());
        }
        self.try_put(hash, bytes).map_err(io_error("keep a content in the store at", self.path(hash).display()))?;
        self.durable.insert(hash);
        Ok(())
    }

    /// The content, checked against its hash.
    pub fn get(&self, hash: Hash) -> Result<Vec<u8>, VfsError> {
        let path = self.path(hash);
        let bytes = self.io.read(&path).map_err(io_error("read a content of the store at", path.display()))?;
        if Hash::of(&bytes) != hash {
            return Err(VfsError::Damaged { what: format!("content {} in the store", hash.short()) });
        }
        Ok(bytes)
    }

    pub fn contains(&self, hash: Hash) -> bool {
        self.durable.contains(&hash) || self.io.metadata(&self.path(hash)).is_ok()
    }

    /// Forgets a content nobody refers to any more. One that stays behind only takes up space.
    pub fn discard(&mut self, hash: Hash) {
        self.durable.remove(&hash);
        if let Err(error) = self.io.remove_file(&self.path(hash)) {
            tracing::debug!(%hash, %error, "a content of the store could not be discarded");
        }
    }

    fn try_put(&self, hash: Hash, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(hash);
        let folder = path.parent().expect("a content lies in a folder of the store");
        if self.io.metadata(folder).is_err() {
            self.io.create_dir_all(folder)?;
        }
        if self.io.metadata(&path).is_err() {
            let beside = path.with_extension("new");
            self.io.write(&beside, bytes)?;
            self.io.sync_file(&beside)?;
            self.io.rename(&beside, &path)?;
        }
        self.io.sync_dir(folder)?;
        self.io.sync_dir(&self.root)
    }

    fn path(&self, hash: Hash) -> PathBuf {
        let digits = hash.to_string();
        self.root.join(&digits[..2]).join(&digits[2..])
    }
}
