use std::collections::{BTreeMap, BTreeSet};

use zero_base::Hash;

use crate::error::io_error;
use crate::history::Contents;
use crate::journal::record::{Commit, FileRecord, Version};
use crate::journal::{Placed, TailCommit};
use crate::placing::Placing;
use crate::{Conflict, Origin, Recovery, Vfs, VfsError, VfsPath};

/// The contents a path went through since the oldest commit that is not marked, in order.
#[derive(Default)]
struct Chain(Vec<State>);

struct State {
    hash: Option<Hash>,
    /// The commit that put it there, and the content; none where a commit or an edit found it.
    own: Option<(u64, Option<Version>)>,
}

/// What is to be done about a path.
enum Remedy {
    Nothing,
    /// It is at an older state of the chain: put this one there.
    Place(Option<Version>),
    /// Its content is none of the chain: somebody else changed it since.
    KeepExternal {
        id: u64,
        lost: Option<Version>,
    },
}

impl Vfs {
    /// Finishes the commits that are not marked. Doing it twice changes nothing: a file that is
    /// where it should be is left alone.
    pub(crate) fn recover(&mut self, tail: &[TailCommit], recovery: &mut Recovery) {
        let mut chains: BTreeMap<VfsPath, Chain> = BTreeMap::new();
        for TailCommit { commit, .. } in tail {
            for file in &commit.files {
                chains.entry(file.path.clone()).or_default().extend(commit, file);
            }
        }
        let mut failed: BTreeMap<u64, String> = BTreeMap::new();
        let mut fail = |chain: &Chain, error: VfsError| {
            failed.extend(chain.commits().map(|id| (id, error.to_string())));
        };
        let mut remedies = Vec::new();
        for (path, chain) in &chains {
            match self.remedy(path, chain, recovery) {
                Ok(remedy) => remedies.extend(remedy.map(|version| (path, chain, version))),
                Err(error) => fail(chain, error),
            }
        }
        // Removals first: a name may change from folder to file.
        remedies.sort_by_key(|(_, _, version)| version.is_some());
        for (path, chain, version) in remedies {
            if let Err(error) = self.place_durably(path, version) {
                fail(chain, error);
            }
        }
        let unmarked = tail.iter().filter(|entry| entry.placed == Placed::No).map(|entry| entry.commit.id);
        for id in unmarked.collect::<Vec<_>>() {
            match failed.remove(&id) {
                Some(reason) => recovery.unfinished.push((id, reason)),
                None => {
                    self.journal.mark_done(id);
                    recovery.redone.push(id);
                }
            }
        }
        let unfinished: BTreeSet<u64> = recovery.unfinished.iter().map(|(id, _)| *id).collect();
        let left = chains.iter().filter(|(_, chain)| chain.commits().any(|id| unfinished.contains(&id)));
        self.look_again(left.map(|(path, _)| path));
    }

    /// The version to put at `path`, if something is to be put there or, with none, taken away.
    fn remedy(
        &mut self,
        path: &VfsPath,
        chain: &Chain,
        recovery: &mut Recovery,
    ) -> Result<Option<Option<Version>>, VfsError> {
        let found = self.accountable_hash(path)?;
        match chain.remedy(found) {
            Remedy::Nothing => Ok(None),
            Remedy::Place(version) => Ok(Some(version)),
            Remedy::KeepExternal { id, lost } => {
                let committed = lost.as_ref().map(|version| version.hash);
                recovery.conflicts.push(Conflict { path: path.clone(), id, found, committed });
                if let Contents::Bytes(bytes) = self.contents(lost)? {
                    self.store.put(Hash::of(&bytes), &bytes)?;
                }
                Ok(None)
            }
        }
    }

    pub(crate) fn place_durably(&self, path: &VfsPath, version: Option<Version>) -> Result<(), VfsError> {
        let source = &self.mounts.source;
        let mut placing = Placing::new(source);
        let placed = match self.contents(version)? {
            Contents::Bytes(bytes) => source.stage(path, &bytes).and_then(|staged| placing.put(staged)),
            Contents::Absent | Contents::NotKept(_) => placing.take_away(path),
        };
        placed.and_then(|()| placing.sync()).map_err(io_error("put in place", path))
    }
}

impl Chain {
    fn extend(&mut self, commit: &Commit, file: &FileRecord) {
        let hash = |version: &Option<Version>| version.as_ref().map(|version| version.hash);
        let own = (commit.origin == Origin::Local).then(|| (commit.id, file.after.clone()));
        self.0.push(State { hash: hash(&file.before), own: None });
        self.0.push(State { hash: hash(&file.after), own });
    }

    fn commits(&self) -> impl Iterator<Item = u64> {
        self.0.iter().filter_map(|state| state.own.as_ref()).map(|(id, _)| *id)
    }

    fn remedy(&self, found: Option<Hash>) -> Remedy {
        let Some(last) = self.0.iter().rposition(|state| state.own.is_some()) else { return Remedy::Nothing };
        let (id, version) = self.0[last].own.clone().expect("the last state a commit put there has one");
        match self.0.iter().rposition(|state| state.hash == found) {
            // Taking away what is gone removes the empty folders that a crash left.
            Some(at) if at >= last && found.is_none() => Remedy::Place(None),
            Some(at) if at >= last => Remedy::Nothing,
            Some(_) => Remedy::Place(version),
            None => Remedy::KeepExternal { id, lost: version },
        }
    }
}

#[cfg(test)]
mod tests;
