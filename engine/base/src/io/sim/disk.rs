use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Component, Path};
use std::sync::Arc;

use super::super::{FileKind, Metadata};
use crate::Random;

/// Stands for an inode: names come and go, the node keeps its bytes.
pub(super) type NodeId = u64;

const ROOT: NodeId = 1;

/// One change of the disk, in terms of nodes, so that it means the same on every picture of it.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    MakeFile { folder: NodeId, name: String, node: NodeId },
    MakeFolder { folder: NodeId, name: String, node: NodeId },
    Unlink { folder: NodeId, name: String },
    Rename { node: NodeId, from: (NodeId, String), to: (NodeId, String) },
    Replace { node: NodeId, bytes: Arc<[u8]> },
    Write { node: NodeId, offset: usize, bytes: Arc<[u8]> },
    Truncate { node: NodeId, size: usize },
    SyncFile { node: NodeId },
    SyncFolder { folder: NodeId },
}

impl Operation {
    /// The same write with its first half only; none for what writes no bytes.
    pub(super) fn halved(&self) -> Option<Operation> {
        match self {
            Operation::Replace { bytes, .. } | Operation::Write { bytes, .. } => Some(self.torn(bytes.len() / 2)),
            _ => None,
        }
    }

    fn torn(&self, length: usize) -> Operation {
        match self {
            Operation::Replace { node, bytes } => Operation::Replace { node: *node, bytes: bytes[..length].into() },
            Operation::Write { node, offset, bytes } => {
                Operation::Write { node: *node, offset: *offset, bytes: bytes[..length].into() }
            }
            other => other.clone(),
        }
    }

    fn is_of_file(&self, file: NodeId) -> bool {
        match self {
            Operation::Replace { node, .. } | Operation::Write { node, .. } | Operation::Truncate { node, .. } => {
                *node == file
            }
            _ => false,
        }
    }
}

/// A picture of the disk.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    nodes: BTreeMap<NodeId, Node>,
    /// The number of the last change; stands for the time of day, so that no two changes share one.
    pub(super) clock: u64,
}

#[derive(Debug, Clone)]
struct Node {
    content: Content,
    modified: u64,
}

#[derive(Debug, Clone)]
enum Content {
    File(Vec<u8>),
    Folder(BTreeMap<String, NodeId>),
}

impl Disk {
    pub(super) fn empty() -> Disk {
        let root = Node { content: Content::Folder(BTreeMap::new()), modified: 0 };
        Disk { nodes: BTreeMap::from([(ROOT, root)]), clock: 0 }
    }

    pub(super) fn next_node(&self) -> NodeId {
        self.nodes.last_key_value().map_or(ROOT, |(last, _)| last + 1)
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<NodeId> {
        parts(path)
            .try_fold(ROOT, |folder, name| self.entry_of(folder, name)?.ok_or_else(|| ErrorKind::NotFound.into()))
    }

    /// The folder that holds `path`, and its name in there.
    pub(super) fn place(&self, path: &Path) -> io::Result<(NodeId, String)> {
        let name = parts(path).last().ok_or(ErrorKind::InvalidInput)?.to_owned();
        let folder = self.find(path.parent().ok_or(ErrorKind::InvalidInput)?)?;
        self.folder(folder)?;
        Ok((folder, name))
    }

    pub(super) fn entry(&self, folder: NodeId, name: &str) -> Option<NodeId> {
        self.entry_of(folder, name).ok().flatten()
    }

    pub(super) fn file(&self, node: NodeId) -> io::Result<&[u8]> {
        match &self.nodes.get(&node).ok_or(ErrorKind::NotFound)?.content {
            Content::File(bytes) => Ok(bytes),
            Content::Folder(_) => Err(ErrorKind::IsADirectory.into()),
        }
    }

    pub(super) fn folder(&self, node: NodeId) -> io::Result<&BTreeMap<String, NodeId>> {
        match &self.nodes.get(&node).ok_or(ErrorKind::NotFound)?.content {
            Content::Folder(entries) => Ok(entries),
            Content::File(_) => Err(ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn kind(&self, node: NodeId) -> FileKind {
        if self.folder(node).is_ok() { FileKind::Folder } else { FileKind::File }
    }

    pub(super) fn metadata(&self, node: NodeId) -> Metadata {
        Metadata {
            kind: self.kind(node),
            size: self.file(node).map_or(0, |bytes| bytes.len() as u64),
            modified_nanos: self.nodes.get(&node).map_or(0, |node| i128::from(node.modified)),
            inode: node,
        }
    }

    pub(super) fn check_replaceable(&self, old: NodeId, new: NodeId) -> io::Result<()> {
        match (self.folder(old), self.folder(new)) {
            (Ok(entries), Ok(_)) if entries.is_empty() => Ok(()),
            (Ok(_), Ok(_)) => Err(ErrorKind::DirectoryNotEmpty.into()),
            (Ok(_), Err(_)) => Err(ErrorKind::IsADirectory.into()),
            (Err(_), Ok(_)) => Err(ErrorKind::NotADirectory.into()),
            (Err(_), Err(_)) => Ok(()),
        }
    }

    /// Carries out change number `at`.
    pub(super) fn apply(&mut self, at: u64, operation: &Operation) {
        self.clock = at;
        match operation {
            Operation::MakeFile { folder, name, node } => {
                self.make(*node, Content::File(Vec::new()));
                self.link(*folder, name, *node);
            }
            Operation::MakeFolder { folder, name, node } => {
                self.make(*node, Content::Folder(BTreeMap::new()));
                self.link(*folder, name, *node);
            }
            Operation::Unlink { folder, name } => {
                self.entries(*folder).remove(name);
            }
            Operation::Rename { node, from, to } => {
                self.unlink_node(from.0, &from.1, *node);
                self.link(to.0, &to.1, *node);
            }
            Operation::Replace { node, bytes } => *self.bytes(*node) = bytes.to_vec(),
            Operation::Write { node, offset, bytes } => {
                let file = self.bytes(*node);
                file.resize(file.len().max(offset + bytes.len()), 0);
                file[*offset..offset + bytes.len()].copy_from_slice(bytes);
            }
            Operation::Truncate { node, size } => self.bytes(*node).resize(*size, 0),
            Operation::SyncFile { .. } | Operation::SyncFolder { .. } => {}
        }
    }

    fn entry_of(&self, folder: NodeId, name: &str) -> io::Result<Option<NodeId>> {
        Ok(self.folder(folder)?.get(name).copied())
    }

    fn make(&mut self, node: NodeId, content: Content) {
        self.nodes.entry(node).or_insert(Node { content, modified: self.clock });
    }

    fn link(&mut self, folder: NodeId, name: &str, node: NodeId) {
        self.entries(folder).insert(name.to_owned(), node);
    }

    /// Takes the name away unless it has come to stand for another node.
    fn unlink_node(&mut self, folder: NodeId, name: &str, node: NodeId) {
        let entries = self.entries(folder);
        if entries.get(name) == Some(&node) {
            entries.remove(name);
        }
    }

    fn entries(&mut self, node: NodeId) -> &mut BTreeMap<String, NodeId> {
        match &mut self.touched(node).content {
            Content::Folder(entries) => entries,
            Content::File(_) => unreachable!("an operation names the folder it was checked against"),
        }
    }

    fn bytes(&mut self, node: NodeId) -> &mut Vec<u8> {
        match &mut self.touched(node).content {
            Content::File(bytes) => bytes,
            Content::Folder(_) => unreachable!("an operation names the file it was checked against"),
        }
    }

    fn touched(&mut self, node: NodeId) -> &mut Node {
        let node = self.nodes.get_mut(&node).expect("an operation follows the one that made its node");
        node.modified = self.clock;
        node
    }
}

fn parts(path: &Path) -> impl Iterator<Item = &str> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    })
}

/// What is durable at a point of the log, and what is not yet.
pub(super) struct Unsynced {
    durable: Disk,
    /// With their numbers, in order.
    pending: Vec<(u64, Operation)>,
}

impl Unsynced {
    pub(super) fn new(durable: Disk) -> Unsynced {
        Unsynced { durable, pending: Vec::new() }
    }

    pub(super) fn record(&mut self, at: u64, operation: &Operation) {
        match operation {
            Operation::SyncFile { node } => self.settle(|pending| match pending {
                operation if operation.is_of_file(*node) => Settled::Whole,
                _ => Settled::No,
            }),
            Operation::SyncFolder { folder } => self.settle(|pending| match pending {
                Operation::MakeFile { folder: of, .. }
                | Operation::MakeFolder { folder: of, .. }
                | Operation::Unlink { folder: of, .. }
                    if of == folder =>
                {
                    Settled::Whole
                }
                Operation::Rename { from, .. } if from.0 == *folder => Settled::Whole,
                Operation::Rename { to, .. } if to.0 == *folder => Settled::NewName,
                _ => Settled::No,
            }),
            other => {
                // A node outlives its names: bytes can be durable while no name of it is.
                match other {
                    Operation::MakeFile { node, .. } => self.durable.make(*node, Content::File(Vec::new())),
                    Operation::MakeFolder { node, .. } => self.durable.make(*node, Content::Folder(BTreeMap::new())),
                    _ => {}
                }
                self.pending.push((at, other.clone()));
            }
        }
    }

    pub(super) fn keep_all(mut self) -> Disk {
        self.pending.iter().for_each(|(at, operation)| self.durable.apply(*at, operation));
        self.durable
    }

    pub(super) fn keep_none(self) -> Disk {
        self.durable
    }

    /// Each operation is kept, lost or torn on its own; leaving out an earlier one while a later
    /// one is kept is what a disk that reorders does.
    pub(super) fn keep_some(mut self, random: &mut Random) -> Disk {
        for (at, operation) in std::mem::take(&mut self.pending) {
            match random.below(3) {
                0 => {}
                1 => self.durable.apply(at, &operation),
                _ => self.keep_torn(at, &operation, random),
            }
        }
        self.durable
    }

    fn keep_torn(&mut self, at: u64, operation: &Operation, random: &mut Random) {
        let (node, end, length) = match operation {
            Operation::Replace { node, bytes } => (*node, bytes.len(), bytes.len()),
            Operation::Write { node, offset, bytes } => (*node, offset + bytes.len(), bytes.len()),
            // The new name is there and the old one still is. Within one folder a rename is whole.
            Operation::Rename { node, from, to } if from.0 != to.0 => {
                return self.durable.link(to.0, &to.1, *node);
            }
            whole => return self.durable.apply(at, whole),
        };
        self.durable.apply(at, &operation.torn(random.below(length as u64 + 1) as usize));
        // The size can reach the disk before the bytes do: the rest then reads as zeros.
        if random.below(2) == 0 {
            let file = self.durable.bytes(node);
            file.resize(file.len().max(end), 0);
        }
    }

    fn settle(&mut self, settled: impl Fn(&Operation) -> Settled) {
        let pending = std::mem::take(&mut self.pending);
        for (at, operation) in pending {
            match settled(&operation) {
                Settled::Whole => self.durable.apply(at, &operation),
                Settled::NewName => {
                    let Operation::Rename { node, from, to } = operation else { unreachable!("only a rename has two") };
                    self.durable.link(to.0, &to.1, node);
                    self.pending.push((at, Operation::Rename { node, from, to }));
                }
                Settled::No => self.pending.push((at, operation)),
            }
        }
    }
}

/// How much of an operation a sync makes durable.
enum Settled {
    Whole,
    /// Of a rename between folders: the new name, while the old one may still be there.
    NewName,
    No,
}
