use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zero_base::{Diagnostic, Hash, Io};

use crate::cache::Durability;
use crate::error::io_error;
use crate::external::Strangers;
use crate::hashes::{self, Hashes, Remembered};
use crate::journal::{Journal, Limits};
use crate::known::SetAside;
use crate::mounts::Mounts;
use crate::overlay::Overlay;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::watch::Watch;
use crate::{FileEvent, Recovery, TxnId, VfsConfig, VfsError, VfsPath};

/// The virtual file system of one open world.
///
/// Reads show, from the top: the uncommitted writes of open transactions, the play shadow, the
/// disk and the libraries. Writes go through transactions; [`Vfs::commit`] makes one durable.
pub struct Vfs {
    pub(crate) mounts: Mounts,
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) transactions: BTreeMap<TxnId, Transaction>,
    pub(crate) last_txn: u64,
    /// Bytes that one transaction, or the play shadow, may hold in memory.
    pub(crate) most_uncommitted: u64,
    /// What open transactions have written. Each path belongs to one of them.
    pub(crate) pending: Overlay<TxnId>,
    /// What was written during play, with the caller who did.
    pub(crate) shadow: Option<Overlay<String>>,
    pub(crate) events: Vec<FileEvent>,
    /// What every file on disk is, as far as commits and external edits account for it.
    pub(crate) known: BTreeMap<VfsPath, Hash>,
    pub(crate) hashes: Mutex<Hashes>,
    pub(crate) sidecars: Mutex<SetAside>,
    /// What could not be read when the disk was looked at.
    pub(crate) unread: BTreeMap<VfsPath, VfsError>,
    /// There was no record of what its files were.
    pub(crate) is_first_look: bool,
    pub(crate) watch: Option<Watch>,
    pub(crate) io: Arc<dyn Io>,
    /// The folder of what can be worked out again.
    pub(crate) cache: PathBuf,
}

/// 1 GiB: what a script that means well never writes at once.
const MOST_UNCOMMITTED: u64 = 1 << 30;
/// The cache of what every file is.
const HASHES: &str = "hashes";

impl Vfs {
    /// Opens a world: finishes what a crash interrupted, and finds what other programs changed
    /// since. Takes no lock; that no other engine has the world open is the caller's affair.
    pub fn open(config: VfsConfig) -> Result<(Vfs, Recovery), VfsError> {
        Vfs::open_with(config, Limits::default())
    }

    pub(crate) fn open_with(config: VfsConfig, limits: Limits) -> Result<(Vfs, Recovery), VfsError> {
        let VfsConfig { io, world, libraries, watch } = config;
        let own = make_own_folders(&*io, &world)?;
        let mounts = Mounts::new(&io, &world, libraries)?;
        // Those in the authored tree go when it is looked at, below.
        mounts.source_scratch.remove_temporaries();
        let (journal, loaded) = Journal::open(io.clone(), own.join("journal"), limits)?;
        let cache = own.join("cache");
        let remembered = Remembered::load(&*io, &cache.join(HASHES));
        let strangers = if remembered.is_some() { Strangers::Record } else { Strangers::Adopt };
        let is_first_look = remembered.is_none();
        let Remembered { as_of, mut known, mut hashes } = remembered.unwrap_or_default();
        hashes.changed = is_first_look;
        for (path, _, after) in journal.file_changes_after(as_of) {
            hashes.changed = true;
            match after {
                Some(hash) => known.insert(path.clone(), *hash),
                None => known.remove(path),
            };
        }
        // Watching begins before everything is looked at: no edit falls in between.
        let watch = watch.then(|| Watch::new(mounts.disk_folders().map(|folder| folder.root.as_path())));
        let mut vfs = Vfs {
            store: Store::new(io.clone(), own.join("store")),
            mounts,
            journal,
            transactions: BTreeMap::new(),
            last_txn: 0,
            most_uncommitted: MOST_UNCOMMITTED,
            pending: Overlay::new(),
            shadow: None,
            events: Vec::new(),
            known,
            hashes: Mutex::new(hashes),
            sidecars: Mutex::new(Some(HashMap::new())),
            unread: BTreeMap::new(),
            is_first_look,
            watch,
            io,
            cache,
        };
        let mut recovery = Recovery { torn_bytes: loaded.torn_bytes, ..Recovery::default() };
        let tail = vfs.mend_journal(loaded, &mut recovery)?;
        vfs.recover(&tail, &mut recovery);
        let roots = vfs.roots();
        let (source, libraries) = roots.split_at(1);
        recovery.external = vfs.reconcile(source, strangers)?;
        vfs.reconcile(libraries, Strangers::Adopt)?;
        recovery.unread = unread(std::mem::take(&mut vfs.unread));
        if !vfs.is_first_look {
            vfs.save_changed_cache(Durability::Now);
        }
        Ok((vfs, recovery))
    }

    /// Lets the journal begin a new segment and forget what is too old to be of use. Failing at
    /// it costs space, not content.
    pub(crate) fn keep_house(&mut self) {
        if !self.journal.is_full() {
            return;
        }
        // The cache goes first: it must not be older than the oldest record that is left.
        let kept = self.journal.rotate().is_ok() && self.save_cache(Durability::Now);
        match if kept { self.journal.compact() } else { Ok(Vec::new()) } {
            Ok(unneeded) => unneeded.into_iter().for_each(|hash| self.store.discard(hash)),
            Err(error) => tracing::warn!(%error, "the journal could not be compacted"),
        }
    }

    fn save_cache(&self, durability: Durability) -> bool {
        let as_of = self.journal.next_id() - 1;
        let mut hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        let saved = hashes::save((&*self.io, &self.cache.join(HASHES)), as_of, (&self.known, &hashes), durability);
        match &saved {
            Ok(()) => {
                hashes.changed = false;
                hashes.saved = self.io.metadata(&self.cache.join(HASHES)).ok();
            }
            Err(error) => tracing::warn!(%error, "the hashes of files could not be saved"),
        }
        saved.is_ok()
    }

    /// A cache that says what it would say again is left alone, if it is still the one that was
    /// saved: it counts from its last commit, and later ones are in the journal for as long as
    /// it needs them.
    pub(crate) fn save_changed_cache(&self, durability: Durability) {
        let saved_as_is = {
            let hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
            !hashes.changed && self.io.metadata(&self.cache.join(HASHES)).ok() == hashes.saved
        };
        if !saved_as_is {
            self.save_cache(durability);
        }
    }
}

impl Drop for Vfs {
    fn drop(&mut self) {
        self.save_changed_cache(Durability::Now);
    }
}

/// Without a word a file that is there would seem to be missing.
fn unread(mut found: BTreeMap<VfsPath, VfsError>) -> Vec<Diagnostic> {
    const MOST_TOLD: usize = 90;
    let rest = found.keys().nth(MOST_TOLD).cloned().map(|first| found.split_off(&first)).unwrap_or_default();
    let told = |(path, error): (&VfsPath, &VfsError)| {
        let message = format!("{error}; until it can be read, what is in it is missing from the world");
        Diagnostic::warning(error.code(), message).in_file(path.as_str())
    };
    let mut diagnostics: Vec<Diagnostic> = found.iter().map(told).collect();
    if let Some((path, error)) = rest.first_key_value() {
        let message = format!("{} more files or folders cannot be read, this one and those after it", rest.len());
        diagnostics.push(Diagnostic::warning(error.code(), message).in_file(path.as_str()));
    }
    diagnostics
}

/// The engine's own folder in the world, with all it holds.
fn make_own_folders(io: &dyn Io, world: &Path) -> Result<PathBuf, VfsError> {
    let own = world.join(".zero");
    let make = || {
        io.metadata(world)?;
        for folder in ["journal", "store", "cache", "scratch"] {
            io.create_dir_all(&own.join(folder))?;
        }
        io.sync_dir(&own)?;
        io.sync_dir(world)
    };
    make().map_err(io_error("open the world at", world.display()))?;
    Ok(own)
}
