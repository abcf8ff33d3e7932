use super::*;

/// `expected` is the normal form, or a part of the reason for refusal.
fn check(text: &str, expected: Result<&str, &str>) {
    match (VfsPath::parse(text), expected) {
        (Ok(path), Ok(normal)) => {
            assert_eq!(path.as_str(), normal, "{text:?}");
            assert_eq!(VfsPath::parse(normal).unwrap(), path, "a normal form parses to itself: {text:?}");
        }
        (Err(error), Err(reason)) => {
            assert_eq!(error.code(), "vfs/path", "{text:?}");
            assert!(error.to_string().contains(reason), "{text:?}: {error}");
        }
        (got, _) => panic!("{text:?}: expected {expected:?}, got {got:?}"),
    }
}

#[test]
fn ordinary_paths_are_normalised() {
    check("/", Ok("/"));
    check("/zero/source", Ok("/zero/source"));
    check("/zero/source/", Ok("/zero/source"));
    check("/source", Ok("/zero/source"));
    check("/source/a.module/init.luau", Ok("/zero/source/a.module/init.luau"));
    check("/sources/a", Ok("/sources/a"));
    check("/tmp/notes.md", Ok("/tmp/notes.md"));
    check("/zero/source/libs/@builtin/a", Ok("/zero/source/libs/@builtin/a"));
    check("/zero/source/.metadata", Ok("/zero/source/.metadata"));
    check("/zero/source/a..b", Ok("/zero/source/a..b"));
    check("/zero/source/100% wool.txt", Ok("/zero/source/100% wool.txt"));
    check("/zero/source/größe.txt", Ok("/zero/source/größe.txt"));
}

#[test]
fn nothing_that_leads_out_can_be_written() {
    check("", Err("absolute"));
    check("zero/source/a", Err("absolute"));
    check("../a", Err("absolute"));
    check("/..", Err("relative"));
    check("/zero/source/../../etc/passwd", Err("relative"));
    check("/source/..", Err("relative"));
    check("/zero/./source", Err("relative"));
    check("/zero/source/...", Err("relative"));
    check("//server/share", Err("empty segment"));
    check("/zero//source", Err("empty segment"));
    check("/zero/source//", Err("empty segment"));
    check("//", Err("empty segment"));
    check("\\\\server\\share", Err("absolute"));
    check("/zero\\..\\etc", Err("backslash"));
    check("/zero/source/a\\b", Err("backslash"));
    check("C:/Windows", Err("absolute"));
    check("/C:/Windows", Err("drive"));
    check("/zero/source/c:evil", Err("drive"));
    check("/zero/source/a\0b", Err("control"));
    check("/zero/source/a\nb", Err("control"));
    check("/zero/source/a\u{85}b", Err("control"));
    check("/zero/source/%2e%2e/etc", Err("percent-encoded"));
    check("/zero/source/%2E./etc", Err("percent-encoded"));
    check("/zero/source/a%2fb", Err("percent-encoded"));
    check("/zero/source/a%5Cb", Err("percent-encoded"));
    check("/zero/source/a%00", Err("percent-encoded"));
    check("/zero/source/%252e%252e", Err("percent-encoded"));
    check("/zero/source/%25252f", Err("percent-encoded"));
    check("/zero/source/.zero-new-7-0", Err("engine's own"));
    check(&format!("/{}", "a".repeat(256)), Err("255 bytes"));
    check(&format!("/{}", vec!["a".repeat(200); 21].join("/")), Err("4096 bytes"));
    check(&"/a".repeat(65), Err("64 segments"));
    // The alias is spelled out before the limits are checked.
    check(&format!("/source{}", "/a".repeat(63)), Err("64 segments"));
}

#[test]
fn relations_count_whole_segments() {
    let path = |text: &str| VfsPath::parse(text).unwrap();
    assert_eq!(path("/a/bc").relative_to(&path("/a/b")), None);
    assert_eq!(path("/a/b/c").relative_to(&path("/a")), Some("b/c"));
    assert_eq!(path("/a").relative_to(&path("/a")), Some(""));
    assert_eq!(path("/a").relative_to(&path("/")), Some("a"));
    assert_eq!(path("/a/b").parent(), Some(path("/a")));
    assert_eq!(path("/a").parent(), Some(path("/")));
    assert_eq!(path("/").parent(), None);
    assert_eq!(path("/a/b").name(), "b");
    assert_eq!(path("/a/b").segments().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(path("/").segments().count(), 0);
    assert_eq!(path("/a/b").ancestors().collect::<Vec<_>>(), [path("/a"), path("/")]);
}

#[test]
fn joining_cannot_climb() {
    let folder = VfsPath::parse("/zero/source/kit").unwrap();
    assert_eq!(folder.join("a/b").unwrap().as_str(), "/zero/source/kit/a/b");
    assert_eq!(VfsPath::parse("/").unwrap().join("tmp").unwrap().as_str(), "/tmp");
    assert_eq!(folder.join("").unwrap(), folder);
    for climbing in ["..", "a/../../b", "/etc", "a//b", "%2e%2e"] {
        assert!(folder.join(climbing).is_err(), "{climbing:?}");
    }
}

#[test]
fn json_goes_through_the_same_gate() {
    let path: VfsPath = serde_json::from_str("\"/source/a\"").unwrap();
    assert_eq!(serde_json::to_string(&path).unwrap(), "\"/zero/source/a\"");
    assert!(serde_json::from_str::<VfsPath>("\"/zero/../a\"").is_err());
}
