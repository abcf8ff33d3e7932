use zero_base::Hash;

use super::record::Record;

/// How a journal file begins: a mark, the version of the format, what kind of file it is.
pub(super) const HEADER_BYTES: usize = 16;
pub(super) const FORMAT: u32 = 1;
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

/// None when the bytes do not begin like a segment; the version when it is not ours.
pub(super) fn read_header(bytes: &[u8]) -> Option<Result<SegmentKind, u32>> {
    let rest = bytes.get(..HEADER_BYTES)?.strip_prefix(MARK)?;
    let number = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().expect("four bytes"));
    Some(match (number(0), number(4)) {
        (FORMAT, 0) => Ok(SegmentKind::Plain),
        (FORMAT, _) => Ok(SegmentKind::Base),
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
