use std::sync::Arc;

use serde::{Deserialize, Serialize};
use zero_base::Hash;

use crate::{EntityChange, FileChange, Origin, VfsPath};

/// Contents up to this size lie in the record itself, larger ones in the store.
pub(crate) const INLINE_BYTES: usize = 4096;

/// One entry of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Record {
    Commit(Commit),
    /// The files of this commit are in place, durably.
    Done {
        id: u64,
    },
    /// This commit could not be put in place; its files are as they were before it.
    Undone {
        id: u64,
    },
    Carried(Carried),
    /// Whatever is damaged before this was dealt with: marks and scenes that stand between the
    /// damage and here say what holds, and what comes after builds on that.
    Mended {},
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Commit {
    pub id: u64,
    pub group: u64,
    pub caller: String,
    pub origin: Origin,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<EntityChange>,
    /// Take effect after the entity changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Checkpoint>,
}

impl Commit {
    pub fn file_changes(&self) -> Vec<FileChange> {
        let hash = |version: &Option<Version>| version.as_ref().map(|version| version.hash);
        self.files.iter().map(|file| (file.path.clone(), hash(&file.before), hash(&file.after))).collect()
    }

    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        self.files.iter().flat_map(|file| file.before.iter().chain(&file.after))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub path: VfsPath,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Version>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Version>,
}

/// A content and where it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Version {
    pub hash: Hash,
    pub size: u64,
    pub kept: Kept,
    /// The content itself, if it is kept inline.
    #[serde(skip)]
    pub bytes: Option<Arc<[u8]>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kept {
    Inline,
    Store,
    /// An external edit whose content was not copied.
    Nowhere,
}

/// The scene's file, with this hash, holds every change of the scene up to here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    pub scene: String,
    pub file: Hash,
}

/// What dropped records still mean for a scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Carried {
    pub scene: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Hash>,
    pub changes: Vec<EntityChange>,
}

impl Record {
    /// The length of the JSON, the JSON, then the inline contents in order.
    pub fn encode(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self).expect("a record has string keys only");
        let mut payload = (json.len() as u32).to_le_bytes().to_vec();
        payload.extend(json);
        if let Record::Commit(commit) = self {
            commit.versions().filter_map(|version| version.bytes.as_deref()).for_each(|bytes| payload.extend(bytes));
        }
        payload
    }

    /// None when the payload is not one of ours.
    pub fn decode(payload: &[u8]) -> Option<Record> {
        let (length, rest) = payload.split_first_chunk::<4>()?;
        let (json, mut inline) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let mut record = serde_json::from_slice(json).ok()?;
        if let Record::Commit(commit) = &mut record {
            let versions = commit.files.iter_mut().flat_map(|file| file.before.iter_mut().chain(&mut file.after));
            for version in versions.filter(|version| version.kept == Kept::Inline) {
                let (bytes, rest) = inline.split_at_checked(usize::try_from(version.size).ok()?)?;
                version.bytes = Some(bytes.into());
                inline = rest;
            }
        }
        inline.is_empty().then_some(record)
    }

    /// How long a payload is that begins with a whole text, by what the text says. None when
    /// the text cannot be read.
    pub fn length_by_its_text(payload: &[u8]) -> Option<usize> {
        let (length, rest) = payload.split_first_chunk::<4>()?;
        let json = rest.get(..u32::from_le_bytes(*length) as usize)?;
        let inline = match serde_json::from_slice(json).ok()? {
            Record::Commit(commit) => {
                let inline = commit.versions().filter(|version| version.kept == Kept::Inline);
                inline.map(|version| version.size).fold(0, u64::saturating_add)
            }
            _ => 0,
        };
        usize::try_from(inline).ok()?.checked_add(4 + json.len())
    }

    /// Whether the payload begins like one: cheap, and true of every payload.
    pub fn may_begin(payload: &[u8]) -> bool {
        const BEGINNINGS: [&[u8]; 5] = [b"{\"commit\"", b"{\"done\"", b"{\"undone\"", b"{\"carried\"", b"{\"mended\""];
        payload.get(4..).is_some_and(|text| BEGINNINGS.iter().any(|beginning| text.starts_with(beginning)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn inline(bytes: &[u8]) -> Option<Version> {
        Some(Version { hash: Hash::of(bytes), size: bytes.len() as u64, kept: Kept::Inline, bytes: Some(bytes.into()) })
    }

    #[test]
    fn every_record_comes_back_as_it_went_in() {
        let file = |name: &str, before, after| FileRecord {
            path: VfsPath::parse(&format!("/zero/source/{name}")).unwrap(),
            before,
            after,
        };
        let stored = Version { hash: Hash::of(b"big"), size: 1 << 40, kept: Kept::Store, bytes: None };
        let change = EntityChange {
            scene: "main".into(),
            entity: "ent_1".into(),
            component: "Transform".into(),
            before: None,
            after: Some(json!({ "z": 0.1 + 0.2, "a": 1.7976931348623157e308, "n": null })),
        };
        let null = EntityChange { before: Some(json!(null)), after: None, ..change.clone() };
        let commit = Commit {
            id: 7,
            group: 3,
            caller: "ada".into(),
            origin: Origin::Local,
            files: vec![file("a", None, inline(b"new\0\xff")), file("b", inline(b""), Some(stored))],
            entities: vec![change.clone(), null],
            checkpoints: vec![Checkpoint { scene: "main".into(), file: Hash::of(b"scene") }],
        };
        let carried = Carried { scene: "main".into(), file: None, changes: vec![change] };
        let marks = [Record::Done { id: u64::MAX }, Record::Undone { id: 1 }, Record::Mended {}];
        for record in [Record::Commit(commit), Record::Carried(carried)].into_iter().chain(marks) {
            let payload = record.encode();
            assert!(Record::may_begin(&payload));
            assert_eq!(Record::length_by_its_text(&payload), Some(payload.len()));
            assert_eq!(Record::decode(&payload).as_ref(), Some(&record));
            assert_eq!(Record::decode(&payload[..payload.len() - 1]), None, "a short payload is refused");
        }
    }
}
