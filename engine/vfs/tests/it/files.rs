use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use zero_base::{Fault, Hash, RealIo};
use zero_vfs::{Kind, Layer, Library, Vfs, VfsConfig, WriteOptions};

use crate::world::{LIBRARY, World, code, path, put, source};

#[test]
fn the_tree_has_its_fixed_folders() {
    let world = World::holding(&[("b.txt", "b"), ("a.module/init.luau", "a")]);
    assert_eq!(world.names("/"), ["tmp", "zero"]);
    assert_eq!(world.names("/zero"), ["source"]);
    assert_eq!(world.names("/zero/source"), ["a.module", "b.txt", "libs", "tmp"]);
    assert_eq!(world.names("/zero/source/libs"), ["@kit"]);
    assert_eq!(world.names("/tmp"), [""; 0]);
    for folder in ["/", "/zero", "/zero/source", "/zero/source/libs", "/zero/source/tmp", "/tmp"] {
        assert_eq!(world.vfs.stat(&path(folder)).unwrap().kind, Kind::Folder, "{folder}");
    }
    assert_eq!(world.vfs.stat(&path("/zero/runtime")), None);
    assert_eq!(world.files(), ["a.module/init.luau", "b.txt"]);
}

#[test]
fn only_source_and_scratch_are_written() {
    let mut world = World::new();
    let txn = world.begin("ada");
    let mut write = |at: &str| world.vfs.write(txn, &path(at), b"x", WriteOptions::default()).map(|r| r.layer);
    assert_eq!(write("/zero/source/a/b.txt").unwrap(), Layer::Uncommitted { owner: "ada".into() });
    assert_eq!(write("/zero/source/tmp/report.txt").unwrap(), Layer::Disk);
    assert_eq!(write("/tmp/x").unwrap(), Layer::Disk);
    for refused in ["/zero/source/libs/@kit/a", "/zero/source/libs", "/zero", "/zero/runtime/state", "/zero/docs/x"] {
        assert_eq!(code(write(refused)), "vfs/read_only", "{refused}");
    }
    for outside in ["/etc/passwd", "/zero/else", "/zero/source/libs/@none/a"] {
        assert_eq!(code(write(outside)), "vfs/outside", "{outside}");
    }
    assert_eq!(code(world.vfs.read(&path("/etc/passwd"))), "vfs/outside");
}

#[test]
fn a_library_is_the_same_embedded_and_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    put(&place("builtin/readme.md"), "# kit");
    put(&place("builtin/kit/b.luau"), "hidden below the longer prefix? no: another name");
    fs::remove_file(place("builtin/kit/b.luau")).unwrap();
    put(&place("api/a.luau"), "return 1");
    fs::create_dir_all(place("world")).unwrap();
    let on_disk = vec![(String::new(), place("builtin")), ("kit".to_owned(), place("api"))];
    let libraries =
        vec![("embedded".to_owned(), Library::Embedded(LIBRARY)), ("disk".to_owned(), Library::Disk(on_disk))];
    let config = VfsConfig { io: Arc::new(RealIo), world: place("world"), libraries, watch: false };
    let (vfs, _) = Vfs::open(config).unwrap();
    for library in ["@embedded", "@disk"] {
        let at = |name: &str| path(&format!("/zero/source/libs/{library}{name}"));
        let names = |name: &str| vfs.list(&at(name)).unwrap().into_iter().map(|e| e.name).collect::<Vec<_>>();
        assert_eq!(names(""), ["kit", "readme.md"], "{library}");
        assert_eq!(names("/kit"), ["a.luau"], "{library}");
        assert_eq!(&*vfs.read(&at("/kit/a.luau")).unwrap(), b"return 1", "{library}");
        assert_eq!(vfs.stat(&at("/readme.md")).unwrap().layer, Layer::Library);
        assert_eq!(vfs.walk(&at("")), [at("/kit/a.luau"), at("/readme.md")]);
        assert_eq!(vfs.hash(&at("/readme.md")).unwrap(), Hash::of(b"# kit"));
        assert_eq!(code(vfs.read(&at("/none"))), "vfs/not_found");
        assert_eq!(code(vfs.read(&at("/kit"))), "vfs/not_a_file");
        assert_eq!(code(vfs.list(&at("/readme.md"))), "vfs/not_a_folder");
    }
    let hash = |library: &str| vfs.hash(&path(&format!("/zero/source/libs/{library}"))).unwrap();
    assert_eq!(hash("@embedded"), hash("@disk"));
}

#[test]
fn links_are_refused_wherever_they_lead() {
    let outside = tempfile::tempdir().unwrap();
    put(&outside.path().join("secret.txt"), "secret");
    let mut world = World::holding(&[("a.txt", "a")]);
    symlink(outside.path().join("secret.txt"), world.disk("file")).unwrap();
    symlink(outside.path(), world.disk("folder")).unwrap();
    symlink(world.disk("a.txt"), world.disk("inside")).unwrap();
    for link in ["file", "folder/secret.txt", "folder/new.txt", "inside"] {
        assert_eq!(code(world.vfs.read(&source(link))), "vfs/link", "{link}");
        assert_eq!(world.vfs.stat(&source(link)), None);
        let txn = world.begin("ada");
        assert_eq!(code(world.write(txn, link, "x")), "vfs/link", "{link}");
        assert_eq!(code(world.vfs.remove(txn, &source(link))), "vfs/link", "{link}");
    }
    assert_eq!(world.names("/zero/source"), ["a.txt", "libs", "tmp"]);
    assert_eq!(world.files(), ["a.txt"]);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "nothing was written through the link");
    assert_eq!(fs::read_to_string(outside.path().join("secret.txt")).unwrap(), "secret");
}

#[test]
fn a_source_folder_that_is_a_link_is_no_world() {
    let folder = tempfile::tempdir().unwrap();
    symlink("/", folder.path().join("source")).unwrap();
    assert_eq!(code(Vfs::open(crate::world::config(folder.path(), false)).map(drop)), "vfs/link");
}

#[test]
fn a_refusal_says_what_is_there_instead() {
    let world = World::holding(&[("kit.package/beats.module/init.luau", "x")]);
    let message = |name: &str| world.vfs.read(&source(name)).unwrap_err().to_string();
    assert!(message("kit.pakage/a").contains("did you mean 'kit.package'?"), "{}", message("kit.pakage/a"));
    assert!(message("other").contains("the nearest folder is /zero/source"), "{}", message("other"));
    let text = message("kit.package/beats.module/init.lua");
    assert!(text.contains("did you mean 'init.luau'?"), "{text}");
}

#[test]
fn text_that_is_not_utf8_names_the_byte() {
    let world = World::holding(&[("a.txt", "ok")]);
    fs::write(world.disk("b.txt"), b"abc\xffdef").unwrap();
    assert_eq!(world.vfs.read_text(&source("a.txt")).unwrap(), "ok");
    let fault = Fault::from(world.vfs.read_text(&source("b.txt")).unwrap_err());
    assert_eq!((fault.code.as_ref(), fault.data.unwrap()["offset"].as_u64()), ("vfs/not_utf8", Some(3)));
}

#[test]
fn kinds_do_not_mix() {
    let mut world = World::holding(&[("a/b.txt", "b")]);
    let txn = world.begin("ada");
    assert_eq!(code(world.write(txn, "a", "x")), "vfs/not_a_file");
    assert_eq!(code(world.write(txn, "a/b.txt/c", "x")), "vfs/not_a_folder");
    assert_eq!(code(world.vfs.list(&source("a/b.txt"))), "vfs/not_a_folder");
    assert_eq!(code(world.vfs.read(&source("a"))), "vfs/not_a_file");
    // In one transaction a file can become a folder and a folder a file.
    world.vfs.remove(txn, &source("a")).unwrap();
    world.write(txn, "a", "file now").unwrap();
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.on_disk("a").as_deref(), Some("file now"));
    let txn = world.begin("ada");
    world.vfs.remove(txn, &source("a")).unwrap();
    world.write(txn, "a/b/c.txt", "folder again").unwrap();
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.on_disk("a/b/c.txt").as_deref(), Some("folder again"));
}

#[test]
fn a_file_has_a_largest_size() {
    let mut world = World::new();
    let txn = world.begin("ada");
    let large = vec![0; (64 << 20) + 1];
    let written = world.vfs.write(txn, &source("a.bin"), &large, WriteOptions::default());
    assert_eq!(code(written), "vfs/too_large");
    fs::write(world.disk("b.bin"), &large).unwrap();
    assert_eq!(code(world.vfs.read(&source("b.bin"))), "vfs/too_large");
    assert_eq!(world.vfs.stat(&source("b.bin")).unwrap().size, large.len() as u64);
    let with_it = world.world_hash();
    fs::remove_file(world.disk("b.bin")).unwrap();
    assert_ne!(world.world_hash(), with_it, "it counts by its size");
}

#[test]
fn the_world_hash_is_of_what_was_authored() {
    let mut world = World::holding(&[("a.txt", "a"), ("sub/b.txt", "b"), ("sub-x", "c")]);
    let hash = world.world_hash();
    put(&world.disk("tmp/report.txt"), "scratch");
    put(&world.disk("libs/@kit/x"), "a library is not in the world's folder");
    fs::create_dir(world.disk("empty")).unwrap();
    assert_eq!(world.world_hash(), hash);
    assert_eq!(world.vfs.walk(&path("/zero/source/tmp")), [path("/zero/source/tmp/report.txt")]);

    world.save("sub/b.txt", "B");
    assert_ne!(world.world_hash(), hash);
    world.save("sub/b.txt", "b");
    assert_eq!(world.world_hash(), hash);
    assert_eq!(world.vfs.hash(&source("a.txt")).unwrap(), Hash::of(b"a"));
    assert_eq!(code(world.vfs.hash(&source("none"))), "vfs/not_found");

    let same = World::holding(&[("sub/b.txt", "b"), ("sub-x", "c"), ("a.txt", "a")]);
    assert_eq!(same.world_hash(), hash, "the hash depends on names and contents only");
    let moved = World::holding(&[("a.txt", "a"), ("sub/b.txt", "b"), ("sub/sub-x", "c")]);
    assert_ne!(moved.world_hash(), hash);
}

#[test]
fn an_edit_that_keeps_size_and_time_is_seen_while_the_file_is_young() {
    let world = World::holding(&[("a.txt", "one")]);
    let modified = fs::metadata(world.disk("a.txt")).unwrap().modified().unwrap();
    assert_eq!(world.vfs.hash(&source("a.txt")).unwrap(), Hash::of(b"one"));
    fs::write(world.disk("a.txt"), "two").unwrap();
    fs::File::options().write(true).open(world.disk("a.txt")).unwrap().set_modified(modified).unwrap();
    assert_eq!(world.vfs.hash(&source("a.txt")).unwrap(), Hash::of(b"two"));
}

#[test]
fn scratch_is_written_through_and_stays_out_of_everything() {
    let mut world = World::new();
    let hash = world.world_hash();
    let (note, kept) = (path("/tmp/notes/a.txt"), path("/zero/source/tmp/a.txt"));
    let txn = world.begin("ada");
    for at in [&note, &kept] {
        world.vfs.write(txn, at, b"x", WriteOptions::default()).unwrap();
    }
    let receipt = world.vfs.write(txn, &note, b"y", WriteOptions::default()).unwrap();
    assert_eq!((receipt.before, receipt.after), (Some(Hash::of(b"x")), Hash::of(b"y")));
    assert!(world.vfs.take_events().is_empty());
    assert!(world.vfs.roll_back(txn).files.is_empty());
    assert_eq!(&*world.vfs.read(&note).unwrap(), b"y");
    assert_eq!(world.on_disk("tmp/a.txt").as_deref(), Some("x"));
    assert_eq!(world.world_hash(), hash);

    // Between scratch and the authored tree, both ways.
    let txn = world.begin("ada");
    world.vfs.rename(txn, &path("/tmp/notes"), &source("notes")).unwrap();
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.on_disk("notes/a.txt").as_deref(), Some("y"));
    assert_eq!(world.names("/tmp"), [""; 0]);
    let txn = world.begin("ada");
    world.vfs.rename(txn, &source("notes/a.txt"), &path("/tmp/back.txt")).unwrap();
    world.vfs.commit(txn).unwrap();
    assert_eq!(world.names("/tmp"), ["back.txt"]);
    assert!(world.files().is_empty());
    let txn = world.begin("ada");
    assert_eq!(world.vfs.remove(txn, &path("/tmp/back.txt")).unwrap().len(), 1);
    assert_eq!(code(world.vfs.remove(txn, &path("/tmp"))), "vfs/read_only");
}
