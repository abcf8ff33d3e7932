//! The sidecars of a whole tree at once. What was read once is kept by content in
//! `.zero/cache/index`, so that opening a world again reads none that has not changed.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value as Json;
use zero_base::Hash;
use zero_vfs::{Vfs, VfsPath};

use crate::data;
use crate::metadata::{self, Metadata};

const NAME: &str = "index";
const TITLE: &str = "zero-index 1";

/// A sidecar without problems: what its content is, and its document as JSON text.
type Kept = (Hash, Vec<u8>);

/// What was read of the sidecars of a tree, and what of it is to be kept.
pub(super) struct Loaded {
    /// In the order of the files.
    pub metadata: Vec<Metadata>,
    new: BTreeMap<Hash, Vec<u8>>,
    cache: Vec<u8>,
}

/// Reads the sidecars. With each comes the hash of its content as far as it is known.
pub(super) fn load(vfs: &Vfs, files: &[(VfsPath, Option<Hash>)]) -> Loaded {
    let cache = vfs.load_cache(NAME, TITLE).unwrap_or_default();
    let kept = read_cache(&cache);
    let from_cache = |hash: &Option<Hash>| {
        let document: Json = serde_json::from_slice(kept.get(hash.as_ref()?)?).ok()?;
        Some(metadata::of_document(document))
    };
    let mut loaded: Vec<Option<Metadata>> = files.iter().map(|(_, hash)| from_cache(hash)).collect();
    let unread = files.iter().zip(&loaded).filter(|(_, loaded)| loaded.is_none());
    let unread: Vec<(VfsPath, Option<Hash>)> = unread.map(|(file, _)| file.clone()).collect();
    let mut new = BTreeMap::new();
    let mut read = vfs.read_texts(&unread, read_one).into_iter();
    for slot in loaded.iter_mut().filter(|slot| slot.is_none()) {
        let (metadata, keep) = read.next().expect("every file was read");
        new.extend(keep.filter(|(hash, _)| !kept.contains_key(hash)));
        *slot = Some(metadata);
    }
    Loaded { metadata: loaded.into_iter().flatten().collect(), new, cache }
}

impl Loaded {
    /// Writes the cache anew if something was read that it did not hold.
    pub fn keep(&self, vfs: &Vfs, files: &[(VfsPath, Option<Hash>)]) {
        if self.new.is_empty() {
            return;
        }
        let kept = read_cache(&self.cache);
        let used = files.iter().filter_map(|(_, hash)| kept.get_key_value(hash.as_ref()?));
        let mut all: BTreeMap<Hash, &[u8]> = used.map(|(hash, document)| (*hash, *document)).collect();
        all.extend(self.new.iter().map(|(hash, document)| (*hash, document.as_slice())));
        vfs.keep_cache(NAME, TITLE, &write_cache(&all));
    }
}

fn read_one(file: &VfsPath, text: Result<String, zero_vfs::VfsError>) -> (Metadata, Option<Kept>) {
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            let problems = vec![data::failed(&error, file.as_str())];
            return (Metadata { problems, ..Metadata::default() }, None);
        }
    };
    let metadata = metadata::parse(&text, file.as_str());
    let document = serde_json::to_vec(&metadata.document).ok();
    // Kept only if reading it back gives the same.
    let same = |document: &Vec<u8>| {
        serde_json::from_slice(document).is_ok_and(|document| metadata::of_document(document) == metadata)
    };
    let keep = document.filter(same).map(|document| (Hash::of(text.as_bytes()), document));
    (metadata, keep)
}

/// For each sidecar its content's hash, the length of its document in four bytes, and the document.
fn write_cache(kept: &BTreeMap<Hash, &[u8]>) -> Vec<u8> {
    let mut body = Vec::new();
    for (hash, document) in kept {
        let Ok(length) = u32::try_from(document.len()) else { continue };
        body.extend_from_slice(hash.as_bytes());
        body.extend_from_slice(&length.to_le_bytes());
        body.extend_from_slice(document);
    }
    body
}

fn read_cache(mut body: &[u8]) -> HashMap<Hash, &[u8]> {
    let mut kept = HashMap::with_capacity(body.len() / 128);
    while let Some((hash, rest)) = body.split_first_chunk::<32>()
        && let Some((length, rest)) = rest.split_first_chunk::<4>()
        && let Some((document, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)
    {
        kept.insert(Hash::from_bytes(*hash), document);
        body = rest;
    }
    kept
}
