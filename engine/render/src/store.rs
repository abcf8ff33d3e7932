//! What the device holds of the assets a scene draws: uploaded once per content, rebuilt when the
//! content's hash changes, and kept in its last good state while a new one is broken.

pub(crate) mod materials;
pub(crate) mod meshes;
pub(crate) mod pipelines;
pub(crate) mod stages;
pub(crate) mod surfaces;
pub(crate) mod textures;

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use zero_base::{Diagnostic, Hash};

/// A thing that was made, and what was worth saying about it.
pub(crate) type Made<T> = Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Things made from content, by name.
#[derive(Debug)]
pub(crate) struct Store<T> {
    slots: BTreeMap<String, Slot<T>>,
    /// Two names with the same content share one thing.
    by_content: BTreeMap<Hash, Weak<T>>,
    draw: u64,
}

#[derive(Debug)]
struct Slot<T> {
    tried: Hash,
    good: Option<Arc<T>>,
    problems: Vec<Diagnostic>,
    last_used: u64,
}

/// What a name stands for now.
#[derive(Debug)]
pub(crate) struct Found<T> {
    /// The newest version that could be made; none when there never was one.
    pub(crate) good: Option<Arc<T>>,
    /// What is wrong with the version asked for.
    pub(crate) problems: Vec<Diagnostic>,
}

impl<T> Clone for Found<T> {
    fn clone(&self) -> Found<T> {
        Found { good: self.good.clone(), problems: self.problems.clone() }
    }
}

/// Things that this many draws in a row did not ask for are let go.
const DRAWS_KEPT: u64 = 240;

impl<T> Store<T> {
    pub(crate) fn new() -> Store<T> {
        Store { slots: BTreeMap::new(), by_content: BTreeMap::new(), draw: 0 }
    }

    /// The thing called `name`, made by `make` if its content is not the one last tried.
    pub(crate) fn get(&mut self, name: &str, content: Hash, make: impl FnOnce() -> Made<T>) -> Found<T> {
        let draw = self.draw;
        if let Some(slot) = self.slots.get_mut(name).filter(|slot| slot.tried == content) {
            slot.last_used = draw;
            return Found { good: slot.good.clone(), problems: slot.problems.clone() };
        }
        let before = self.slots.get(name).and_then(|slot| slot.good.clone());
        let (good, problems) = match self.by_content.get(&content).and_then(Weak::upgrade) {
            Some(shared) => (Some(shared), Vec::new()),
            None => match make() {
                Ok((thing, remarks)) => {
                    let thing = Arc::new(thing);
                    // Remarks belong to one name's file; only what has none is shared.
                    if remarks.is_empty() {
                        self.by_content.insert(content, Arc::downgrade(&thing));
                    }
                    (Some(thing), remarks)
                }
                Err(problems) => (before, problems),
            },
        };
        let found = Found { good: good.clone(), problems: problems.clone() };
        self.slots.insert(name.to_owned(), Slot { tried: content, good, problems, last_used: draw });
        found
    }

    /// The asset called `name` is gone: so is its last good version.
    pub(crate) fn forget(&mut self, name: &str) {
        self.slots.remove(name);
    }

    /// Counts a draw, and lets go of what has not been asked for in a long time.
    pub(crate) fn next_draw(&mut self) {
        self.draw += 1;
        let draw = self.draw;
        self.slots.retain(|_, slot| slot.last_used + DRAWS_KEPT >= draw);
        self.by_content.retain(|_, thing| thing.strong_count() > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> Hash {
        Hash::of(text.as_bytes())
    }

    #[test]
    fn a_broken_version_keeps_the_last_good_one_until_it_is_mended() {
        let mut store: Store<u32> = Store::new();
        let problem = || Diagnostic::error("test/broken", "broken");
        assert_eq!(store.get("a", hash("1"), || Err(vec![problem()])).good, None);
        assert_eq!(*store.get("a", hash("2"), || Ok((2, Vec::new()))).good.unwrap(), 2);
        let broken = store.get("a", hash("3"), || Err(vec![problem()]));
        assert_eq!((*broken.good.unwrap(), broken.problems.len()), (2, 1));
        // The same broken content is not tried again, and still complains.
        let again = store.get("a", hash("3"), || unreachable!("the content did not change"));
        assert_eq!((*again.good.unwrap(), again.problems.len()), (2, 1));
        assert_eq!(*store.get("a", hash("4"), || Ok((4, Vec::new()))).good.unwrap(), 4);
        store.forget("a");
        assert_eq!(store.get("a", hash("3"), || Err(vec![problem()])).good, None);
    }

    #[test]
    fn equal_content_is_made_once_and_unused_things_go() {
        let mut store: Store<u32> = Store::new();
        let first = store.get("a", hash("1"), || Ok((1, Vec::new()))).good.unwrap();
        let second = store.get("b", hash("1"), || unreachable!("made already")).good.unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        drop((first, second));
        (0..=DRAWS_KEPT).for_each(|_| store.next_draw());
        assert!(store.slots.is_empty() && store.by_content.is_empty());
    }
}
