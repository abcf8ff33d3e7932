use std::borrow::{Borrow, Cow};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::VfsError;

/// A path of the virtual file system: absolute, normalised, without a trailing slash.
///
/// Text becomes a `VfsPath` once, at the edge. What could lead out of the tree (`..`, drives,
/// NUL, encoded dots …) has no `VfsPath`, so nothing below the edge has to look for it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VfsPath(Arc<str>);

/// Names the engine gives to files it is about to rename into place.
pub(crate) const TEMPORARY_PREFIX: &str = ".zero-new-";

const LONGEST_SEGMENT: usize = 255;
const LONGEST_PATH: usize = 4096;
const MOST_SEGMENTS: usize = 64;

impl VfsPath {
    /// Reads an absolute path. `/source/…` is an alias of `/zero/source/…`, one trailing slash
    /// is dropped; everything else that is not already normal is refused.
    pub fn parse(text: &str) -> Result<VfsPath, VfsError> {
        let refuse = |reason: String| VfsError::Path { text: text.chars().take(120).collect(), reason };
        let Some(rest) = text.strip_prefix('/') else {
            return Err(refuse("paths are absolute and start with '/', as in /zero/source/readme.md".into()));
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.is_empty() {
            return if text == "/" { Ok(VfsPath("/".into())) } else { Err(refuse("it has an empty segment".into())) };
        }
        rest.split('/').try_for_each(|segment| check_segment(segment).map_err(refuse))?;
        let path = match rest.strip_prefix("source") {
            Some(below) if below.is_empty() || below.starts_with('/') => Cow::Owned(format!("/zero/source{below}")),
            _ => Cow::Borrowed(&text[..=rest.len()]),
        };
        if path.len() > LONGEST_PATH {
            return Err(refuse(format!("it is longer than {LONGEST_PATH} bytes")));
        }
        if count_slashes(&path) > MOST_SEGMENTS {
            return Err(refuse(format!("it has more than {MOST_SEGMENTS} segments")));
        }
        Ok(VfsPath(path.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last segment; empty for `/`.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder it lies in; none for `/`.
    pub fn parent(&self) -> Option<VfsPath> {
        match self.0.rfind('/')? {
            _ if &*self.0 == "/" => None,
            0 => Some(VfsPath("/".into())),
            end => Some(VfsPath(self.0[..end].into())),
        }
    }

    /// The path `relative` names below this one; it may hold several segments.
    pub fn join(&self, relative: &str) -> Result<VfsPath, VfsError> {
        if relative.starts_with('/') {
            return Err(VfsError::Path {
                text: relative.chars().take(120).collect(),
                reason: format!("it is absolute and cannot be joined to {self}; leave the leading '/' out"),
            });
        }
        VfsPath::parse(&format!("{}/{relative}", self.0.trim_end_matches('/')))
    }

    /// The path of what is called `name` in this folder, which is not `/`; none when that is too
    /// long or too deep. `name` must be [`expressible`].
    pub(crate) fn child(&self, name: &str) -> Option<VfsPath> {
        debug_assert!(expressible(name) && &*self.0 != "/");
        let path = [&*self.0, "/", name].concat();
        let fits = path.len() <= LONGEST_PATH && count_slashes(&path) <= MOST_SEGMENTS;
        fits.then(|| VfsPath(path.into()))
    }

    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0[1..].split('/').filter(|segment| !segment.is_empty())
    }

    /// Whether this is `folder` or lies below it. Counts whole segments: `/a/bc` is not below `/a/b`.
    pub fn starts_with(&self, folder: &VfsPath) -> bool {
        self.relative_to(folder).is_some()
    }

    /// What follows `folder`, without a leading slash; empty when both are the same.
    pub fn relative_to(&self, folder: &VfsPath) -> Option<&str> {
        if &*folder.0 == "/" {
            return Some(&self.0[1..]);
        }
        let rest = self.0.strip_prefix(&*folder.0)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// The folders it lies in, nearest first, up to and with `/`.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = VfsPath> {
        std::iter::successors(self.parent(), VfsPath::parent)
    }
}

fn count_slashes(path: &str) -> usize {
    path.bytes().filter(|byte| *byte == b'/').count()
}

/// Whether a name found on a disk can be part of a path. Others are not shown.
pub(crate) fn expressible(name: &str) -> bool {
    !name.contains('/') && check_segment(name).is_ok()
}

fn check_segment(segment: &str) -> Result<(), String> {
    // Nearly every name; the checks below find nothing wrong with one.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let begins_plainly = match segment.as_bytes() {
        [b'.', second, ..] => *second != b'.' && !segment.starts_with(TEMPORARY_PREFIX),
        [first, ..] => *first != b'.',
        [] => false,
    };
    if begins_plainly && segment.len() <= LONGEST_SEGMENT && segment.bytes().all(plain) {
        return Ok(());
    }
    if segment.is_empty() {
        return Err("it has an empty segment".into());
    }
    if segment.bytes().all(|byte| byte == b'.') {
        return Err(format!("the segment '{segment}' is relative; write the path out"));
    }
    if segment.contains('\\') {
        return Err("it has a backslash; segments are separated by '/'".into());
    }
    if segment.chars().any(char::is_control) {
        return Err("it has a control character".into());
    }
    if has_encoded_separator(segment) {
        return Err(format!("the segment '{segment}' has a percent-encoded dot or slash; write it plain"));
    }
    if segment.len() > LONGEST_SEGMENT {
        return Err(format!("a segment is longer than {LONGEST_SEGMENT} bytes"));
    }
    if let [letter, b':', ..] = segment.as_bytes()
        && letter.is_ascii_alphabetic()
    {
        return Err(format!("the segment '{segment}' looks like a drive"));
    }
    if segment.starts_with(TEMPORARY_PREFIX) {
        return Err(format!("names that start with '{TEMPORARY_PREFIX}' are the engine's own"));
    }
    Ok(())
}

/// `%2e`, `%2f`, `%5c` and `%00`, also when the percent sign itself is encoded, any number of times.
fn has_encoded_separator(segment: &str) -> bool {
    let mut folded = segment.to_ascii_lowercase();
    while folded.contains("%25") {
        folded = folded.replace("%25", "%");
    }
    ["%2e", "%2f", "%5c", "%00"].iter().any(|code| folded.contains(code))
}

impl fmt::Display for VfsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for VfsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VfsPath({})", self.0)
    }
}

impl Borrow<str> for VfsPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl FromStr for VfsPath {
    type Err = VfsError;

    fn from_str(text: &str) -> Result<VfsPath, VfsError> {
        VfsPath::parse(text)
    }
}

impl Serialize for VfsPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for VfsPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<VfsPath, D::Error> {
        VfsPath::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
