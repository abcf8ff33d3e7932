use zero_base::Hash;

use super::record::Record;

/// How a journal file begins: a mark, the version of the format, what kind of file it is.
pub(super) const HEADER_BYTES: usize = 16;
/// 2 came with [`Record::Mended`].
pub(super) const FORMAT: u32 = 2;
const OLDEST_FORMAT: u32 = 1;
const MARK: &[u8; 8] = b"ZEROJRNL";
const CHECK_BYTES: usize = 16;

/// A record that claims to be longer is damage. Inline contents make up nearly all of one.
pub(super) const LONGEST_RECORD: usize = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentKind {
    Plain,
    /// Stands for every segment before it.
    Base,
}

pub(super) fn header(kind: SegmentKind) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(u32::from(kind == SegmentKind::Base).to_le_bytes());
    bytes
}

/// None when the bytes do not begin like a segment of ours; the version when it is not ours.
pub(super) fn read_header(bytes: &[u8]) -> Option<Result<SegmentKind, u32>> {
    let rest = bytes.get(..HEADER_BYTES)?.strip_prefix(MARK)?;
    let number = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().expect("four bytes"));
    Some(match (number(0), number(4)) {
        (OLDEST_FORMAT..=FORMAT, 0) => Ok(SegmentKind::Plain),
        (OLDEST_FORMAT..=FORMAT, 1) => Ok(SegmentKind::Base),
        (OLDEST_FORMAT..=FORMAT, _) => return None,
        // No format has this number: the size of the file reached the disk, its bytes did not.
        (0, _) => return None,
        (version, _) => Err(version),
    })
}

/// A record as it lies in a segment: its length, its payload, a check over the payload.
pub(super) fn frame(record: &Record) -> Vec<u8> {
    let payload = record.encode();
    let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&payload);
    bytes.extend_from_slice(&check(&payload));
    bytes
}

/// The record that begins at `offset` and where the next one does. None at the end of what is whole.
pub(super) fn record_at(bytes: &[u8], offset: usize) -> Option<(Record, usize)> {
    let (length, rest) = bytes.get(offset..)?.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > LONGEST_RECORD {
        return None;
    }
    let (payload, rest) = rest.split_at_checked(length)?;
    if rest.get(..CHECK_BYTES)? != check(payload) {
        return None;
    }
    Some((Record::decode(payload)?, offset + 4 + length + CHECK_BYTES))
}

/// Where the records go on after the one at `damaged`, which cannot be read. None when nothing
/// that can be read follows.
///
/// A content in a record may look like a record itself, so a place is believed only if the
/// damaged record says that it ends there, or if everything from there to the end is whole.
pub(super) fn resume_after(bytes: &[u8], damaged: usize) -> Option<usize> {
    let text_end = bytes.get(damaged + 4..).and_then(Record::length_by_its_text).map(|length| end(damaged, length));
    let ends = [claimed_end(bytes, damaged), text_end];
    let possible = || ends.into_iter().flatten();
    if let Some(next) = possible().find(|&end| is_record_at(bytes, end)) {
        return Some(next);
    }
    // One damage cannot make both say the same, nor one of them fit by chance.
    let agreed = ends[0] == ends[1] && ends[0].is_some_and(|end| end >= bytes.len());
    if agreed || possible().any(|end| end == bytes.len()) {
        return None;
    }
    let mut from = possible().filter(|&end| end < bytes.len()).max().unwrap_or(damaged + 1);
    loop {
        let place = (from..bytes.len()).find(|&place| is_record_at(bytes, place))?;
        match first_break_after(bytes, place) {
            None => return Some(place),
            Some(broken) => from = broken + 1,
        }
    }
}

/// Where the records that begin at `place` are followed by others out of line: they may lie in
/// the content of a record. None if there are only records from there on, with at most a torn
/// one at the end or damaged ones that say where the next one is.
fn first_break_after(bytes: &[u8], mut place: usize) -> Option<usize> {
    loop {
        if let Some((_, next)) = record_at(bytes, place) {
            place = next;
        } else if let Some(end) = claimed_end(bytes, place).filter(|&end| is_record_at(bytes, end)) {
            place = end;
        } else {
            return (place..bytes.len()).any(|later| is_record_at(bytes, later)).then_some(place);
        }
    }
}

fn claimed_end(bytes: &[u8], offset: usize) -> Option<usize> {
    let length = u32::from_le_bytes(*bytes.get(offset..)?.first_chunk::<4>()?) as usize;
    (length <= LONGEST_RECORD).then_some(end(offset, length))
}

/// Of the record at `offset` with a payload of this length.
fn end(offset: usize, length: usize) -> usize {
    offset.saturating_add(4 + CHECK_BYTES).saturating_add(length)
}

/// Looks before it computes the check: most places are no record.
fn is_record_at(bytes: &[u8], offset: usize) -> bool {
    bytes.get(offset + 4..).is_some_and(Record::may_begin) && record_at(bytes, offset).is_some()
}

fn check(payload: &[u8]) -> [u8; CHECK_BYTES] {
    *Hash::of(payload).as_bytes().first_chunk().expect("a hash is longer than its check")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_up_to_the_first_that_is_not_whole() {
        let records = [Record::Done { id: 1 }, Record::Undone { id: 2 }, Record::Done { id: 3 }];
        let mut bytes = header(SegmentKind::Plain);
        let ends: Vec<usize> = records
            .iter()
            .map(|record| {
                bytes.extend(frame(record));
                bytes.len()
            })
            .collect();
        let readable = |bytes: &[u8]| {
            let mut offset = HEADER_BYTES;
            std::iter::from_fn(|| record_at(bytes, offset).map(|(_, next)| offset = next)).count()
        };
        for length in HEADER_BYTES..=bytes.len() {
            let whole = ends.iter().filter(|&&end| end <= length).count();
            assert_eq!(readable(&bytes[..length]), whole, "cut at {length}");
        }
        for flipped in HEADER_BYTES..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[flipped] ^= 0x40;
            let whole = ends.iter().filter(|&&end| end <= flipped).count();
            assert_eq!(readable(&bytes), whole, "bit flipped at {flipped}");
        }
    }

    #[test]
    fn headers_tell_kind_and_version() {
        for kind in [SegmentKind::Plain, SegmentKind::Base] {
            assert_eq!(read_header(&header(kind)), Some(Ok(kind)));
        }
        let mut newer = header(SegmentKind::Plain);
        newer[8] = 9;
        assert_eq!(read_header(&newer), Some(Err(9)));
        assert_eq!(read_header(&newer[..15]), None);
        assert_eq!(read_header(b"something else entirely"), None);
    }
}
