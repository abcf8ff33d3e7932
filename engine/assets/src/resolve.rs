//! From a name to an asset.

use zero_base::{Guid, did_you_mean, nearest};
use zero_vfs::VfsPath;

use crate::asset::Asset;
use crate::error::AssetError;
use crate::index::Assets;
use crate::names::{Address, unqualified};
use crate::root::Root;
use crate::types::TypeInfo;

impl Assets {
    /// The asset a name stands for, as written in the file `from` (none: in the world's own
    /// scope). Names are identities (`demo.beats`, `@builtin::materials.default`, `@root::x`),
    /// package-relative (`~.tail`, `~Name.tail`), relative (`.sibling`, `..up`), identities with
    /// the type's suffix (`kit.package`), guids, or paths of asset folders. Where assets of
    /// several types share an identity, the type has to be given.
    pub fn resolve(&self, name: &str, type_: Option<&str>, from: Option<&VfsPath>) -> Result<&Asset, AssetError> {
        let type_ = type_.map(|type_name| self.known_type(type_name)).transpose()?;
        if let Ok(guid) = name.parse::<Guid>() {
            return self.checked(self.get(&guid), name, type_);
        }
        if name.starts_with('/') {
            let path = VfsPath::parse(name)?;
            return self.checked(self.at(&path), name, type_);
        }
        let address = self.address(name, from)?;
        let identities = [Some(address.identity.as_str()), address.inside.as_deref()];
        for identity in identities.into_iter().flatten() {
            let found = self.find(&address, identity, type_);
            let found = if found.is_empty() { self.find_suffixed(&address, identity, type_) } else { found };
            match found.as_slice() {
                [] => {}
                [asset] => return Ok(asset),
                several => return Err(ambiguous(name, several)),
            }
        }
        Err(self.not_found(name, &address, type_.map(|info| info.name.as_str())))
    }

    /// The type of this name, or the refusal that names the nearest.
    pub fn known_type(&self, name: &str) -> Result<&TypeInfo, AssetError> {
        let known = self.categories();
        self.type_info(name).ok_or_else(|| AssetError::UnknownType {
            name: name.to_owned(),
            hint: did_you_mean(name, &known),
            known,
        })
    }

    /// The assets an identity stands for, one of each type: those that keep the name.
    fn find(&self, address: &Address, identity: &str, type_: Option<&TypeInfo>) -> Vec<&Asset> {
        let fits = |asset: &&Asset| type_.is_none_or(|info| asset.type_name == info.name);
        let mut found: Vec<&Asset> = Vec::new();
        let qualified = address.root.qualify(identity);
        for asset in self.entries.identified(&qualified).map(|entry| &entry.asset).filter(fits) {
            if found.iter().all(|other| other.type_name != asset.type_name) {
                found.push(asset);
            }
        }
        if found.is_empty() && address.bare {
            // Names by a type's own rule hold across roots, unless two roots give the same.
            for asset in self.entries.loosely_named(identity).map(|entry| &entry.asset).filter(fits) {
                if found.iter().all(|other| other.identity != asset.identity || other.type_name != asset.type_name) {
                    found.push(asset);
                }
            }
        }
        found
    }

    /// The same for an identity that ends in its type's suffix.
    fn find_suffixed(&self, address: &Address, identity: &str, type_: Option<&TypeInfo>) -> Vec<&Asset> {
        let Some((stem, info)) = self.registry.split_name(identity) else { return Vec::new() };
        if type_.is_some_and(|wanted| wanted.name != info.name) {
            return Vec::new();
        }
        self.find(address, stem, Some(info))
    }

    fn checked<'a>(
        &'a self,
        found: Option<&'a Asset>,
        name: &str,
        type_: Option<&TypeInfo>,
    ) -> Result<&'a Asset, AssetError> {
        let wrong_type = |asset: &Asset| type_.filter(|info| asset.type_name != info.name);
        match found {
            Some(asset) if wrong_type(asset).is_none() => Ok(asset),
            found => Err(AssetError::NotFound {
                what: type_.map_or("asset", |info| &info.name).to_owned(),
                name: name.to_owned(),
                hint: found
                    .map(|asset| format!("; it is the {} '{}'", asset.type_name, asset.identity))
                    .unwrap_or_default(),
                nearest: None,
            }),
        }
    }

    pub(crate) fn not_found(&self, name: &str, address: &Address, type_: Option<&str>) -> AssetError {
        let candidates = self.list(type_);
        let nearest = self.suggestion(address, &candidates, type_);
        let hint = match &nearest {
            Some(near) => format!("; did you mean '{near}'?"),
            None => match self.find(address, &address.identity, None).first() {
                Some(other) => format!("; '{}' is a {}", other.identity, other.type_name),
                None => String::new(),
            },
        };
        AssetError::NotFound { what: type_.unwrap_or("asset").to_owned(), name: name.to_owned(), hint, nearest }
    }

    /// What was most likely meant: the same identity in another root, an asset with that last
    /// name, or the identity that looks most like it.
    fn suggestion(&self, address: &Address, candidates: &[&Asset], type_: Option<&str>) -> Option<String> {
        let in_full = !address.bare && address.root != Root::Source;
        let spelled = |asset: &Asset| match asset.root == address.root && !in_full {
            true => unqualified(&asset.identity).to_owned(),
            false => asset.identity.clone(),
        };
        let elsewhere = candidates.iter().find(|asset| unqualified(&asset.identity) == address.identity);
        if let Some(asset) = elsewhere {
            return Some(spelled(asset));
        }
        let last = address.identity.rsplit('.').next().unwrap_or_default();
        if let [only] = self.find_by_name(last, type_).as_slice() {
            return Some(spelled(only));
        }
        let spellings: Vec<String> = candidates.iter().map(|asset| spelled(asset)).collect();
        let written = if in_full { address.root.qualify(&address.identity) } else { address.identity.clone() };
        nearest(&written, &spellings).map(str::to_owned)
    }
}

fn ambiguous(name: &str, several: &[&Asset]) -> AssetError {
    let candidates = several.iter().map(|asset| format!("{} ({}, {})", asset.identity, asset.type_name, asset.path));
    AssetError::Ambiguous { name: name.to_owned(), candidates: candidates.collect() }
}
