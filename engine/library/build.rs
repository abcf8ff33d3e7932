//! Lists every file of the built-in library, so that the program carries it.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folder of the repository → where it lies in `@builtin`.
const PARTS: [(&str, &str); 3] = [("builtin", ""), ("luau-api", "modules/api/"), ("toolboxes", "toolboxes/")];

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    let mut files = Vec::new();
    for (folder, prefix) in PARTS {
        let folder = root.join(folder);
        println!("cargo:rerun-if-changed={}", folder.display());
        collect(&folder, prefix, &mut files);
    }
    files.sort();
    let mut code = String::from("pub static FILES: &[(&str, &[u8])] = &[\n");
    for (name, path) in &files {
        let path = path.canonicalize().expect("the file was just listed");
        writeln!(code, "    ({name:?}, include_bytes!({path:?})),").expect("text grows");
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("files.rs");
    fs::write(out, code).expect("the output folder can be written");
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = entry.path();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), files);
        } else if !name.ends_with('~') && !name.ends_with(".swp") {
            files.push((format!("{prefix}{name}"), path));
        }
    }
}
