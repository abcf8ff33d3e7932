//! From the name in a `require` to the file it runs.

use zero_vfs::{Vfs, VfsPath};

use crate::asset::Asset;
use crate::error::AssetError;
use crate::index::Assets;
use crate::names::{Address, INIT_FILES, is_init};
use crate::root::{Root, place};
use crate::tree::Folder;

/// What a script's name ends in, the canonical spelling first.
const SCRIPT_SUFFIXES: [&str; 2] = [".luau", ".lua"];

impl Assets {
    /// The `.luau` (or `.lua`) file that `require(name)` in the file `from` runs. A module's
    /// `init` file stands for its folder, any other file for itself: `kit.beats` is
    /// `kit.package/beats.module/init.luau`, `kit.beats.tables` the file `tables.luau` beside it.
    /// Only types that say so (`requirable`) are loaded by their identity.
    pub fn resolve_require(&self, vfs: &Vfs, from: &VfsPath, name: &str) -> Result<VfsPath, AssetError> {
        let file = self.required_file(from, name)?;
        // The index follows the file system by events; between the two, the file system is right.
        match vfs.stat(&file) {
            Some(_) => Ok(file),
            None => Err(self.no_module(name, &self.address(name, Some(from))?)),
        }
    }

    pub(crate) fn required_file(&self, from: &VfsPath, name: &str) -> Result<VfsPath, AssetError> {
        let address = self.address(name, Some(from))?;
        let identities = [Some(address.identity.as_str()), address.inside.as_deref()];
        for identity in identities.into_iter().flatten() {
            if let Some(file) = self.module_body(&address.root, identity, name)? {
                return Ok(file);
            }
            if let Some(file) = self.script_file(&address.root, identity, name)? {
                return Ok(file);
            }
        }
        for identity in identities.into_iter().flatten() {
            if let Some(asset) = self.unloadable(&address.root, identity) {
                return Err(self.not_requirable(asset, &address));
            }
        }
        Err(self.no_module(name, &address))
    }

    /// The name of a script in logs and traces: `@local.source.demo.beats`, `@builtin::modules.transform`.
    pub fn module_name(&self, file: &VfsPath) -> Option<String> {
        let (root, relative) = place(file)?;
        let (folders, name) = relative.rsplit_once('/').unwrap_or(("", relative));
        let mut identity = self.folder_identity(&root, folders);
        if !is_init(name) || identity.is_empty() {
            let stem = SCRIPT_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
            identity = if identity.is_empty() { stem.to_owned() } else { format!("{identity}.{stem}") };
        }
        Some(match root {
            Root::Source => format!("@local.source.{identity}"),
            Root::Library(_) => root.qualify(&identity),
        })
    }

    /// The body of the requirable asset with this identity.
    fn module_body(&self, root: &Root, identity: &str, name: &str) -> Result<Option<VfsPath>, AssetError> {
        let mut bodies: Vec<(&Asset, VfsPath)> = Vec::new();
        for entry in self.entries.identified(&root.qualify(identity)) {
            let asset = &entry.asset;
            let first_of_type = bodies.iter().all(|(other, _)| other.type_name != asset.type_name);
            let requirable = self.type_info(&asset.type_name).is_some_and(|info| info.requirable);
            if requirable
                && first_of_type
                && let Some(body) = self.init_file(&asset.path)
            {
                bodies.push((asset, body));
            }
        }
        one_of(name, bodies.into_iter().map(|(_, body)| body).collect())
    }

    /// A script that stands for itself, or the `init` file of a plain folder.
    fn script_file(&self, root: &Root, identity: &str, name: &str) -> Result<Option<VfsPath>, AssetError> {
        let parts: Vec<&str> = identity.split('.').collect();
        let (Some((last, above)), Some(top)) = (parts.split_last(), self.roots.get(root)) else { return Ok(None) };
        let mut files = Vec::new();
        for (path, folder) in self.folders_called(root, top, above) {
            let script = SCRIPT_SUFFIXES.iter().map(|suffix| format!("{last}{suffix}"));
            let script = script.into_iter().find(|script| folder.files.contains(script.as_str()));
            files.extend(script.and_then(|script| VfsPath::parse(&format!("{path}/{script}")).ok()));
        }
        if files.is_empty() {
            for (path, _) in self.folders_called(root, top, &parts) {
                let plain = VfsPath::parse(&path).ok().filter(|path| self.at(path).is_none());
                files.extend(plain.and_then(|path| self.init_file(&path)));
            }
        }
        one_of(name, files)
    }

    /// The folders whose path identity is made of `parts`; several where a plain folder and an
    /// asset are called the same.
    fn folders_called<'a>(&self, root: &Root, top: &'a Folder, parts: &[&str]) -> Vec<(String, &'a Folder)> {
        let mut found = Vec::new();
        self.descend((root.folder(), top), parts, &mut found);
        found
    }

    fn descend<'a>(&self, (path, folder): (String, &'a Folder), parts: &[&str], found: &mut Vec<(String, &'a Folder)>) {
        if parts.is_empty() {
            found.push((path, folder));
            return;
        }
        for (name, below) in &folder.folders {
            let kind = crate::layout::kind_of(name, below, &self.registry);
            let may_state_a_name = kind.is_some_and(|(_, info)| info.name_from.is_some());
            if !may_state_a_name && !name.starts_with(parts[0]) {
                continue;
            }
            let child = format!("{path}/{name}");
            let stem = kind.map_or(&**name, |(stem, _)| stem);
            let own_name = self.given.get(&child).unwrap_or(stem);
            // A folder's name may hold dots of its own.
            let taken = own_name.split('.').count();
            if taken <= parts.len() && own_name.split('.').eq(parts[..taken].iter().copied()) {
                self.descend((child, below), &parts[taken..], found);
            }
        }
    }

    fn init_file(&self, folder: &VfsPath) -> Option<VfsPath> {
        let name = INIT_FILES.into_iter().find(|name| self.has_file(folder, name))?;
        folder.join(name).ok()
    }

    fn folder_identity(&self, root: &Root, relative: &str) -> String {
        let top = self.roots.get(root);
        let step = top.and_then(|top| crate::layout::follow(root, top, relative, (&self.registry, &self.given)));
        step.map(|step| step.spot.identity).unwrap_or_else(|| relative.replace('/', "."))
    }

    /// An asset that has the identity but is not for `require`.
    fn unloadable(&self, root: &Root, identity: &str) -> Option<&Asset> {
        self.entries.identified(&root.qualify(identity)).map(|entry| &entry.asset).next()
    }

    fn not_requirable(&self, asset: &Asset, address: &Address) -> AssetError {
        let requirable: Vec<String> =
            self.types().filter(|info| info.requirable).map(|info| format!("a {}", info.name)).collect();
        if requirable.contains(&format!("a {}", asset.type_name)) {
            return AssetError::NotFound {
                what: asset.type_name.clone(),
                name: address.root.qualify(&address.identity),
                hint: format!(" with a body: {} has no init.luau", asset.path),
                nearest: None,
            };
        }
        AssetError::NotRequirable {
            identity: asset.identity.clone(),
            type_name: asset.type_name.clone(),
            requirable,
            hint: "; reach it with asset.resolve".to_owned(),
        }
    }

    fn no_module(&self, name: &str, address: &Address) -> AssetError {
        let requirable = self.types().find(|info| info.requirable).map(|info| info.name.clone());
        let mut error = self.not_found(name, address, requirable.as_deref());
        if let AssetError::NotFound { what, .. } = &mut error {
            *what = "module".to_owned();
        }
        error
    }
}

fn one_of(name: &str, mut files: Vec<VfsPath>) -> Result<Option<VfsPath>, AssetError> {
    match files.len() {
        0 | 1 => Ok(files.pop()),
        _ => {
            let candidates = files.iter().map(VfsPath::to_string).collect();
            Err(AssetError::Ambiguous { name: name.to_owned(), candidates })
        }
    }
}
