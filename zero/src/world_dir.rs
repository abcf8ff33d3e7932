use std::path::{Path, PathBuf};

use crate::ProgramError;

/// The file that makes a folder a world.
const MARKER: &str = "world.yaml";

/// The world a command is about: the one named, else the nearest folder at or above `from`
/// that is one. Absolute, links resolved, so that every process names its lock alike.
pub fn find_world(named: Option<&Path>, from: &Path) -> Result<PathBuf, ProgramError> {
    let found = match named {
        Some(dir) if dir.join(MARKER).is_file() => dir,
        Some(dir) => return Err(ProgramError::NotAWorld { dir: dir.to_owned() }),
        None => from
            .ancestors()
            .find(|dir| dir.join(MARKER).is_file())
            .ok_or_else(|| ProgramError::NoWorld { from: from.to_owned() })?,
    };
    found.canonicalize().map_err(|source| ProgramError::File { path: found.to_owned(), source })
}

/// The engine's name for a file or folder on disk, if it lies in the world's sources.
/// Absolute paths of the engine (`/zero/…`, `/source/…`) are taken as they are.
pub fn engine_path(world: &Path, written: &str) -> Option<String> {
    const ENGINE_ROOTS: [&str; 2] = ["/zero", "/source"];
    let lies_below =
        |root: &&str| written.strip_prefix(*root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if ENGINE_ROOTS.iter().any(lies_below) {
        return Some(written.to_owned());
    }
    let on_disk = Path::new(written).canonicalize().ok()?;
    let below = on_disk.strip_prefix(world.join("source").canonicalize().ok()?).ok()?;
    let mut path = String::from("/zero/source");
    for part in below.components() {
        path.push('/');
        path.push_str(part.as_os_str().to_str()?);
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_world_and_names_what_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let inner = root.join("game/source/kit.package");
        std::fs::create_dir_all(&inner).unwrap();
        assert!(matches!(find_world(None, &inner), Err(ProgramError::NoWorld { .. })));
        std::fs::write(root.join("game/world.yaml"), "name: game\n").unwrap();
        assert_eq!(find_world(None, &inner).unwrap(), root.join("game"));
        assert_eq!(find_world(Some(&root.join("game")), Path::new("/")).unwrap(), root.join("game"));
        let error = find_world(Some(&root), &inner).unwrap_err();
        assert_eq!(error.code(), "world/not_found");
        assert!(error.to_string().contains("zero new"), "{error}");
    }

    #[test]
    fn a_disk_path_in_the_sources_gets_its_engine_name() {
        let dir = tempfile::tempdir().unwrap();
        let world = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(world.join("source/a.module")).unwrap();
        std::fs::write(world.join("source/a.module/init.luau"), "").unwrap();
        std::fs::write(world.join("loose.luau"), "").unwrap();
        let name = |path: &Path| engine_path(&world, path.to_str().unwrap());
        assert_eq!(name(&world.join("source/a.module/init.luau")).as_deref(), Some("/zero/source/a.module/init.luau"));
        assert_eq!(name(&world.join("source")).as_deref(), Some("/zero/source"));
        assert_eq!(name(&world.join("loose.luau")), None);
        assert_eq!(name(&world.join("absent")), None);
        assert_eq!(engine_path(&world, "/source/x").as_deref(), Some("/source/x"));
        assert_eq!(engine_path(&world, "/zero/source/x").as_deref(), Some("/zero/source/x"));
        assert_eq!(engine_path(&world, "/zeroes/x"), None);
    }
}
