//! Opening a world whose journal is damaged: what can be read goes on, nothing is put in place
//! that was perhaps taken back, and no entity change is applied on top of one that was lost.

use std::collections::BTreeMap;

use zero_base::{Diagnostic, Hash};

use crate::history::Contents;
use crate::journal::record::{Commit, Version};
use crate::journal::{Loaded, Placed, TailCommit, Unsure, Verdict};
use crate::{Recovery, Vfs, VfsError, VfsPath};

/// How many transactions or files a message names.
const MOST_NAMED: usize = 10;

/// Where the files of a commit are, seen from the commit.
#[derive(Default)]
struct Found {
    before: usize,
    /// As it or a later commit left them.
    after: usize,
    neither: usize,
}

impl Vfs {
    /// Keeps the damaged bytes apart, says what is lost, and closes the damage off in the
    /// journal. Answers the commits that may be unfinished.
    pub(crate) fn mend_journal(
        &mut self,
        loaded: Loaded,
        recovery: &mut Recovery,
    ) -> Result<Vec<TailCommit>, VfsError> {
        if loaded.damages.is_empty() {
            return Ok(loaded.tail);
        }
        self.journal.set_aside(&loaded.damages)?;
        recovery.damaged = loaded.damages.iter().map(|damage| damage.diagnostic()).collect();
        let verdicts = self.verdicts(&loaded.unsure, recovery);
        if !loaded.unmended && verdicts.is_empty() {
            return Ok(loaded.tail);
        }
        self.journal.begin_after_damage(&verdicts)?;
        let (journal, mut read_again) = self.journal.reopen()?;
        self.journal = journal;
        let undone = |commit: &Commit| verdicts.contains(&(commit.id, Verdict::Undone));
        let undone = loaded.unsure.iter().map(|unsure| &unsure.commit).filter(|commit| undone(commit));
        self.look_again(undone.flat_map(|commit| &commit.files).map(|file| &file.path));
        self.take_back_in_flight(&mut read_again, recovery)?;
        recovery.damaged.extend(held_back(&read_again));
        self.journal.mend(read_again.held.values().flatten().cloned().collect())?;
        Ok(read_again.tail)
    }

    fn verdicts(&self, unsure: &[Unsure], recovery: &mut Recovery) -> Vec<(u64, Verdict)> {
        let mut verdicts = Vec::new();
        for Unsure { commit, can_be_redone } in unsure {
            let found = self.found(commit);
            let verdict = match found {
                // None of it is in place. Had it stayed so by a power cut, nothing would follow
                // in the journal: it was taken back.
                Found { after: 0, neither: 0, .. } => Verdict::Undone,
                _ if *can_be_redone => continue,
                Found { before: 0, neither: 0, .. } => Verdict::Done,
                _ => {
                    recovery.damaged.push(undecided(commit));
                    Verdict::Done
                }
            };
            verdicts.push((commit.id, verdict));
        }
        verdicts
    }

    fn found(&self, commit: &Commit) -> Found {
        let mut counts = Found::default();
        for (path, before, after) in commit.file_changes() {
            let left_there = |hash: Option<Hash>| {
                let mut later = self.journal.file_changes_after(commit.id);
                hash == after || later.any(|(of, _, after)| *of == path && *after == hash)
            };
            match self.accountable_hash(&path) {
                Ok(hash) if left_there(hash) => counts.after += 1,
                Ok(hash) if hash == before => counts.before += 1,
                Ok(_) | Err(_) => counts.neither += 1,
            }
        }
        counts
    }

    /// The last commit was under way when the engine stopped, and its entity changes may build
    /// on what was lost: all of it is taken back, if what was there before is known.
    fn take_back_in_flight(&mut self, loaded: &mut Loaded, recovery: &mut Recovery) -> Result<(), VfsError> {
        let under_way = |last: &&TailCommit| last.placed == Placed::No && loaded.held.contains_key(&last.commit.id);
        let Some(TailCommit { commit, .. }) = loaded.tail.last().filter(under_way) else { return Ok(()) };
        let mut to_restore: Vec<(VfsPath, Option<Version>)> = Vec::new();
        for file in &commit.files {
            let found = self.accountable_hash(&file.path)?;
            let is = |version: &Option<Version>| version.as_ref().map(|version| version.hash) == found;
            let restorable = !matches!(self.contents(file.before.clone()), Ok(Contents::NotKept(_)) | Err(_));
            match () {
                () if is(&file.before) => {}
                () if is(&file.after) && restorable => to_restore.push((file.path.clone(), file.before.clone())),
                () => return Ok(()),
            }
        }
        for (path, version) in to_restore {
            self.place_durably(&path, version)?;
        }
        let TailCommit { commit, .. } = loaded.tail.pop().expect("the last one was looked at");
        self.journal.mark_undone(commit.id)?;
        loaded.held.remove(&commit.id);
        self.look_again(commit.files.iter().map(|file| &file.path));
        let message = format!(
            "transaction {} of '{}' was under way when the engine stopped, and may build on what was lost: it was taken back",
            commit.id, commit.caller
        );
        recovery.damaged.push(diagnostic(message));
        Ok(())
    }
}

fn undecided(commit: &Commit) -> Diagnostic {
    let files = list(commit.files.iter().map(|file| file.path.to_string()));
    diagnostic(format!(
        "whether transaction {} of '{}' was finished is not known, because what followed it was lost; its files stay as they are: look at {files}",
        commit.id, commit.caller
    ))
}

/// One for each scene.
fn held_back(loaded: &Loaded) -> Vec<Diagnostic> {
    let mut by_scene: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (id, scenes) in &loaded.held {
        scenes.iter().for_each(|scene| by_scene.entry(scene).or_default().push(*id));
    }
    let one = |(scene, ids): (&str, Vec<u64>)| {
        let (word, changed) = if ids.len() == 1 { ("transaction", "it") } else { ("transactions", "they") };
        diagnostic(format!(
            "entity changes of scene '{scene}' by {word} {} are not applied, because {changed} may build on what was lost: the scene's entities are as they were before the damage. The history still holds the changes; files changed along with them stay as they are",
            list(ids.iter().map(u64::to_string))
        ))
    };
    by_scene.into_iter().map(one).collect()
}

fn diagnostic(message: String) -> Diagnostic {
    Diagnostic::warning("journal/damaged", message).in_file(".zero/journal")
}

fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    let named = names.take(MOST_NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

#[cfg(test)]
mod tests;
