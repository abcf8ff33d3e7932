//! The ways to write an asset's name, brought to one: a root and an identity in it.

use zero_base::did_you_mean;
use zero_vfs::VfsPath;

use crate::error::AssetError;
use crate::index::Assets;
use crate::layout::{Spot, follow};
use crate::root::{Root, place};
use crate::tree::segments;

/// Longer text is content that was pasted where a name belongs.
const LONGEST_NAME: usize = 1024;

/// A name with everything relative in it worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub root: Root,
    pub identity: String,
    /// Where to look when nothing has that identity: inside the asset that a relative name is
    /// written in.
    pub inside: Option<String>,
    /// Written without any prefix.
    pub bare: bool,
}

impl Assets {
    /// Works out a name as it stands in the file `from`.
    pub(crate) fn address(&self, name: &str, from: Option<&VfsPath>) -> Result<Address, AssetError> {
        let own_root = from.and_then(|path| Root::of(path.as_str())).unwrap_or(Root::Source);
        let in_root = |root: Root, tail: &str, bare: bool| {
            check_tail(name, tail)?;
            Ok(Address { root, identity: tail.to_owned(), inside: None, bare })
        };
        if name.len() > LONGEST_NAME {
            return Err(malformed(&name.chars().take(60).collect::<String>(), "it is too long"));
        }
        if let Some(scoped) = name.strip_prefix('@') {
            let Some((scope, tail)) = scoped.split_once("::") else {
                return Err(malformed(name, "after '@' comes a library and '::', as in @builtin::materials.default"));
            };
            return match scope {
                "root" => in_root(own_root, tail, false),
                library => in_root(self.library(library)?, tail, false),
            };
        }
        if let Some(rest) = name.strip_prefix('~') {
            return self.in_package(name, rest, from);
        }
        if name.starts_with('.') {
            return self.relative(name, from);
        }
        in_root(own_root, name, true)
    }

    fn library(&self, name: &str) -> Result<Root, AssetError> {
        let root = Root::Library(name.to_owned());
        if self.roots.contains_key(&root) {
            return Ok(root);
        }
        let known: Vec<String> = self.roots.keys().filter_map(library_name).map(str::to_owned).collect();
        let hint = match did_you_mean(name, &known) {
            near if !near.is_empty() => near,
            _ if known.is_empty() => String::new(),
            _ => format!("; mounted: {}", known.join(", ")),
        };
        Err(AssetError::UnknownLibrary { library: name.to_owned(), hint })
    }

    /// `~.tail`: in the innermost package around the file; `~Name.tail`: in the one called Name.
    fn in_package(&self, name: &str, rest: &str, from: Option<&VfsPath>) -> Result<Address, AssetError> {
        let Some(from) = from else { return Err(AssetError::NoCaller { name: name.to_owned() }) };
        let Some((wanted, tail)) = rest.split_once('.') else {
            return Err(malformed(name, "after '~' comes a dot and what the package holds, as in ~.modules.wheel"));
        };
        check_tail(name, tail)?;
        let packages = self.packages_around(from);
        let package = packages.iter().find(|(own, _)| wanted.is_empty() || own == wanted);
        match (package, Root::of(from.as_str())) {
            (Some((_, identity)), Some(root)) => {
                Ok(Address { root, identity: format!("{identity}.{tail}"), inside: None, bare: false })
            }
            _ => {
                let names: Vec<&str> = packages.iter().map(|(name, _)| name.as_str()).collect();
                let found = match names.as_slice() {
                    [] => "no package".to_owned(),
                    names => format!("{}{}", names.join(" in "), did_you_mean(wanted, names)),
                };
                Err(AssetError::NoPackage { name: name.to_owned(), from: from.to_string(), found })
            }
        }
    }

    /// Name and path identity of the packages a file lies in, innermost first.
    fn packages_around(&self, file: &VfsPath) -> Vec<(String, String)> {
        let mut packages = Vec::new();
        let mut above = Some(file.clone());
        while let Some(path) = above {
            if let Some(entry) = self.entries.at(&path)
                && self.registry.get(&entry.asset.type_name).is_some_and(|info| info.system)
            {
                packages.push((entry.asset.name.clone(), unqualified(&entry.address).to_owned()));
            }
            above = path.parent();
        }
        packages
    }

    /// `.sibling` in the same folder, `..name` one up, `...name` two. An `init` file stands for
    /// the folder it is in, so its siblings lie beside that folder.
    fn relative(&self, name: &str, from: Option<&VfsPath>) -> Result<Address, AssetError> {
        let no_caller = || AssetError::NoCaller { name: name.to_owned() };
        let from = from.ok_or_else(no_caller)?;
        let (root, relative) = place(from).ok_or_else(no_caller)?;
        let tail = name.trim_start_matches('.');
        check_tail(name, tail)?;
        let mut folders: Vec<&str> = segments(relative).collect();
        let file = folders.pop();
        let own_folder = folders.join("/");
        let stands_for_folder = file.is_some_and(is_init) && !folders.is_empty();
        let ups = name.len() - tail.len() - 1 + usize::from(stands_for_folder);
        if ups > folders.len() {
            return Err(AssetError::AboveRoot { name: name.to_owned(), root: root.folder(), from: from.to_string() });
        }
        folders.truncate(folders.len() - ups);
        let below = |folder: &str| match self.spot(&root, folder).identity.as_str() {
            "" => tail.to_owned(),
            identity => format!("{identity}.{tail}"),
        };
        let inside = (stands_for_folder && ups == 1).then(|| below(&own_folder));
        Ok(Address { identity: below(&folders.join("/")), root, inside, bare: false })
    }

    /// What a folder of a root is called; the root itself for one that is not there.
    fn spot(&self, root: &Root, relative: &str) -> Spot {
        let top = self.roots.get(root);
        let step = top.and_then(|top| follow(root, top, relative, (&self.registry, &self.given)));
        step.map(|step| step.spot).unwrap_or_else(|| Spot::of_root(root))
    }
}

/// `init.luau`, or `init.lua`: the file that stands for its folder.
pub(crate) fn is_init(file_name: &str) -> bool {
    INIT_FILES.contains(&file_name)
}

/// The canonical spelling first.
pub(crate) const INIT_FILES: [&str; 2] = ["init.luau", "init.lua"];

/// An identity without its library.
pub(crate) fn unqualified(identity: &str) -> &str {
    identity.split_once("::").map_or(identity, |(_, bare)| bare)
}

fn library_name(root: &Root) -> Option<&str> {
    match root {
        Root::Library(name) => Some(name),
        Root::Source => None,
    }
}

fn check_tail(name: &str, tail: &str) -> Result<(), AssetError> {
    if tail.is_empty() {
        return Err(malformed(name, "it names nothing"));
    }
    if tail.contains('/') {
        return Err(malformed(name, "identities are written with dots, not slashes"));
    }
    if tail.split('.').any(str::is_empty) {
        return Err(malformed(name, "there is nothing between two of its dots, or after the last"));
    }
    if tail.chars().any(char::is_control) {
        return Err(malformed(&name.escape_debug().to_string(), "it has a control character"));
    }
    Ok(())
}

fn malformed(name: &str, reason: &'static str) -> AssetError {
    AssetError::Malformed { name: name.to_owned(), reason }
}
