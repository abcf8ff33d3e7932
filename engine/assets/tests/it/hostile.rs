use std::fs;

use crate::stage::{world, world_with};

#[test]
fn content_of_any_kind_is_indexed_without_a_panic() {
    let huge = format!("a: {}\n", "x".repeat(1 << 20));
    let wide = (0..5_000).map(|index| format!("k{index}: v\n")).collect::<String>();
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let bomb = "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c]\n";
    let texts = [
        huge.as_str(),
        &wide,
        &deep,
        bomb,
        "\u{0}\u{1}",
        "---\n---\n",
        ": : :",
        "? [a, b]\n: c\n",
        "\u{feff}a: b",
        "*nope",
    ];
    for text in texts {
        let stage = world(&[
            ("odd.assetType/type.yaml", text),
            ("odd.assetType/about.yaml", text),
            ("x.odd/.metadata", text),
            ("x.odd/body", text),
            ("p.package/package.yaml", text),
            ("p.package/m.module/init.luau", text),
            ("g.material/mat.yaml", text),
            ("s.scene/scene.yaml", text),
        ]);
        for asset in stage.assets.list(None) {
            if asset.root == zero_assets::Root::Source {
                stage.assets.validate(&stage.vfs, asset);
                stage.assets.description(&stage.vfs, asset);
                stage.assets.used_by(&stage.vfs, &asset.guid);
            }
        }
        stage.assets.diagnostics();
        stage.agrees_with_a_cold_scan();
    }
}

#[test]
fn names_of_any_kind_are_answered_without_a_panic() {
    let stage = world(&[("kit.package/package.yaml", ""), ("kit.package/a.module/init.luau", "")]);
    let from = crate::stage::path("/zero/source/kit.package/a.module/init.luau");
    let long = "a.".repeat(400);
    let names = [
        "",
        ".",
        "..",
        "....",
        "~",
        "~.",
        "~~",
        "@",
        "@::",
        "@root::",
        "@builtin::",
        "::",
        "a::b",
        "@a::b::c",
        "/",
        "//",
        "ast_",
        "a.\u{0}",
        "é.ü",
        "\u{202e}x",
        ".a..b",
        "a.",
        "init",
        "kit.a.init",
        &long,
    ];
    for name in names {
        for from in [None, Some(&from)] {
            let _ = stage.assets.resolve(name, None, from);
            let _ = stage.assets.resolve(name, Some("module"), from);
        }
        let _ = stage.assets.resolve_require(&stage.vfs, &from, name);
    }
    assert!(stage.assets.resolve_require(&stage.vfs, &from, "kit.a.init").is_ok());
}

#[test]
fn folders_of_any_depth_and_number_are_indexed() {
    let deep = format!("{}/x.module/init.luau", vec!["d.package"; 58].join("/"));
    let stage = world(&[(&deep, ""), ("far.package/package.yaml", "")]);
    let asset = stage.assets.find_by_name("x", None)[0];
    assert_eq!(asset.identity.matches('.').count(), 58);
    stage.assets.validate(&stage.vfs, asset);

    let many: Vec<(String, String)> =
        (0..400).map(|index| (format!("many/a{index}.data/data.yaml"), format!("next: a{}\n", index + 1))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let stage = world(&many);
    assert_eq!(stage.assets.list(Some("data")).len(), 400);
    stage.assets.diagnostics();
}

#[cfg(unix)]
#[test]
fn names_that_are_not_text_are_passed_over() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::TempDir::new().unwrap();
    let source = folder.path().join("source");
    fs::create_dir_all(source.join("good.module")).unwrap();
    fs::write(source.join("good.module/init.luau"), "return {}").unwrap();
    for name in [&b"bad\xff.module"[..], b"line\nbreak.module", b"back\\slash.module", b"%2e%2e.module"] {
        let bad = source.join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir_all(&bad).unwrap();
        fs::write(bad.join("init.luau"), [0xff, 0xfe]).unwrap();
    }
    fs::write(source.join("good.module/README.md"), [0xff, 0xfe, b'\n']).unwrap();
    let config = zero_vfs::VfsConfig {
        io: std::sync::Arc::new(zero_base::RealIo),
        world: folder.path().to_owned(),
        libraries: Vec::new(),
        watch: false,
    };
    let (vfs, _) = zero_vfs::Vfs::open(config).unwrap();
    let assets = zero_assets::Assets::open(&vfs);
    assert_eq!(assets.categories(), ["assetType"]);
    assets.diagnostics();

    let stage = world_with(&[], Vec::new());
    assert_eq!(stage.own(), [""; 0]);
}

#[test]
fn bytes_that_are_no_text_are_told_by_every_check() {
    let stage = world(&[("a.module/README.md", "x"), ("a.module/.metadata", "")]);
    fs::write(stage.folder.path().join("source/a.module/init.luau"), [b'-', b'-', 0xff, 0xc0]).unwrap();
    let mut assets = stage.assets;
    assets.refresh(&stage.vfs, &[crate::stage::path("/zero/source/a.module/init.luau")]);
    let asset = assets.resolve("a", None, None).unwrap();
    let problems = crate::stage::brief(&assets.validate(&stage.vfs, asset));
    assert_eq!(problems, ["error vfs/not_utf8 a.module/init.luau"]);
    assert_eq!(assets.references(&stage.vfs, asset), []);
}
