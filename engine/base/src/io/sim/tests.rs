use super::*;

const FILE: &str = "/world/a.txt";

fn world() -> SimIo {
    let io = SimIo::new();
    io.create_dir_all(Path::new("/world")).unwrap();
    io.sync_dir(Path::new("/")).unwrap();
    io
}

fn text(io: &SimIo, path: &str) -> Option<String> {
    io.read(Path::new(path)).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Every text `path` can have after a cut at the end of the log.
fn outcomes(io: &SimIo, path: &str) -> Vec<Option<String>> {
    let mut seen: Vec<_> = (0..1000).map(|seed| text(&io.after_cut(io.operations(), seed), path)).collect();
    seen.sort();
    seen.dedup();
    seen
}

#[test]
fn behaves_like_a_disk_while_it_runs() {
    let io = world();
    io.write(Path::new(FILE), b"one").unwrap();
    io.append(Path::new(FILE), b" two").unwrap();
    assert_eq!(text(&io, FILE).unwrap(), "one two");
    io.truncate(Path::new(FILE), 3).unwrap();
    let before = io.metadata(Path::new(FILE)).unwrap();
    io.rename(Path::new(FILE), Path::new("/world/b.txt")).unwrap();
    assert_eq!((text(&io, FILE), text(&io, "/world/b.txt").unwrap()), (None, "one".to_owned()));
    assert_eq!(io.metadata(Path::new("/world/b.txt")).unwrap(), before);
    assert_eq!(io.remove_dir(Path::new("/world")).unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
    assert_eq!(io.write(Path::new("/none/x"), b"").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(io.read(Path::new("/world")).unwrap_err().kind(), ErrorKind::IsADirectory);
    assert_eq!(io.read_dir(Path::new("/world")).unwrap()[0].name, "b.txt");
}

#[test]
fn a_synced_file_needs_its_name_synced_too() {
    let io = world();
    io.write(Path::new(FILE), b"one").unwrap();
    io.sync_file(Path::new(FILE)).unwrap();
    assert_eq!(outcomes(&io, FILE), [None, Some("one".into())]);
    io.sync_dir(Path::new("/world")).unwrap();
    assert_eq!(outcomes(&io, FILE), [Some("one".into())]);
}

#[test]
fn unsynced_bytes_are_lost_torn_or_zeros() {
    let io = world();
    io.write(Path::new(FILE), b"one").unwrap();
    io.sync_file(Path::new(FILE)).unwrap();
    io.sync_dir(Path::new("/world")).unwrap();
    io.append(Path::new(FILE), b"AB").unwrap();
    io.append(Path::new(FILE), b"C").unwrap();
    let seen = outcomes(&io, FILE);
    for expected in ["one", "oneA", "oneAB", "oneABC", "one\0\0C", "oneA\0"] {
        assert!(seen.contains(&Some(expected.into())), "{expected:?} in {seen:?}");
    }
    assert!(seen.iter().flatten().all(|text| text.starts_with("one")), "synced bytes stay: {seen:?}");
}

#[test]
fn a_rename_is_whole_and_durable_after_its_folder_is_synced() {
    let io = world();
    io.write(Path::new(FILE), b"old").unwrap();
    io.write(Path::new("/world/new"), b"new").unwrap();
    for path in [FILE, "/world/new"] {
        io.sync_file(Path::new(path)).unwrap();
    }
    io.sync_dir(Path::new("/world")).unwrap();
    io.rename(Path::new("/world/new"), Path::new(FILE)).unwrap();
    assert_eq!(outcomes(&io, FILE), [Some("new".into()), Some("old".into())]);
    io.sync_dir(Path::new("/world")).unwrap();
    assert_eq!(outcomes(&io, FILE), [Some("new".into())]);
    assert_eq!(outcomes(&io, "/world/new"), [None]);
}

#[test]
fn a_folder_whose_name_is_lost_takes_its_files_along() {
    let io = world();
    io.create_dir_all(Path::new("/world/sub")).unwrap();
    io.write(Path::new("/world/sub/a"), b"1").unwrap();
    io.sync_file(Path::new("/world/sub/a")).unwrap();
    io.sync_dir(Path::new("/world/sub")).unwrap();
    assert_eq!(outcomes(&io, "/world/sub/a"), [None, Some("1".into())]);
}

#[test]
fn fails_when_told_to() {
    let io = world();
    io.write(Path::new(FILE), b"").unwrap();
    io.fail_after(1, ErrorKind::StorageFull);
    io.append(Path::new(FILE), b"1").unwrap();
    assert_eq!(io.append(Path::new(FILE), b"2345").unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(text(&io, FILE).unwrap(), "123", "half of the write that found the disk full");
    io.heal();
    io.deny("/world");
    assert_eq!(io.remove_file(Path::new(FILE)).unwrap_err().kind(), ErrorKind::PermissionDenied);
    io.append(Path::new(FILE), b"!").unwrap();
}
