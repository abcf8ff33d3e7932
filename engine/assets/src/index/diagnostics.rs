use std::collections::HashMap;

use zero_base::{Diagnostic, Related, did_you_mean};

use super::Assets;
use super::entries::Entry;
use crate::layout::{is_name, kind_of};
use crate::tree::Folder;

/// Of one kind of problem, so that a hostile tree gives an answer of bounded size.
const MOST_OF_A_KIND: usize = 1000;

impl Assets {
    /// What is wrong with the tree as a whole: declarations, sidecars, names that clash and
    /// folders whose type is unknown. What is inside an asset is [`Assets::validate`]'s.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = self.registry.diagnostics().chain(self.given.diagnostics()).cloned().collect();
        all.extend(self.entries.all().flat_map(|entry| entry.metadata.problems.iter().cloned()).take(MOST_OF_A_KIND));
        self.shared_identities(&mut all);
        self.shared_guids(&mut all);
        self.folder_names(&mut all);
        all.sort_by(|a, b| (&a.path, a.span, &a.code, &a.message).cmp(&(&b.path, b.span, &b.code, &b.message)));
        all
    }

    fn shared_identities(&self, all: &mut Vec<Diagnostic>) {
        let mut problems = Vec::new();
        for (identity, entries) in self.entries.shared_identities() {
            let mut keepers: HashMap<&str, &Entry> = HashMap::new();
            for entry in entries {
                let asset = &entry.asset;
                // A tool is called by its toolbox's name in each root, and by its address only here.
                let own = asset.identity == *identity || entry.loose.as_ref() == Some(identity);
                let Some(keeper) = keepers.get(asset.type_name.as_str()).filter(|_| own) else {
                    keepers.entry(&asset.type_name).or_insert(entry);
                    continue;
                };
                if keeper.asset.identity != asset.identity {
                    continue;
                }
                let message = format!(
                    "two assets of type {} are called '{identity}'; this one is reached only by its guid. Rename one",
                    asset.type_name
                );
                problems.push(beside(
                    "asset/duplicate_identity",
                    message,
                    asset.path.as_str(),
                    keeper.asset.path.as_str(),
                ));
            }
        }
        problems.sort_by(|a, b| a.path.cmp(&b.path));
        problems.dedup();
        all.extend(problems.into_iter().take(MOST_OF_A_KIND));
    }

    fn shared_guids(&self, all: &mut Vec<Diagnostic>) {
        let mut problems = Vec::new();
        for (guid, entries) in self.entries.shared_guids() {
            let keeper = &entries[0].asset;
            for entry in &entries[1..] {
                let message = format!(
                    "the guid {guid} already belongs to {}; this asset goes by {} until its .metadata has one of its own. \
                     Remove the guid there to be given one",
                    keeper.identity, entry.asset.guid
                );
                let file = format!("{}/{}", entry.asset.path, crate::metadata::METADATA);
                problems.push(beside("asset/duplicate_guid", message, &file, keeper.path.as_str()));
            }
        }
        problems.sort_by(|a, b| a.path.cmp(&b.path));
        all.extend(problems.into_iter().take(MOST_OF_A_KIND));
    }

    /// Unknown suffixes, and names that differ only by case.
    fn folder_names(&self, all: &mut Vec<Diagnostic>) {
        let mut unknown = Vec::new();
        let mut clashes = Vec::new();
        for (root, top) in &self.roots {
            case_clashes(&root.folder(), top, &mut clashes);
        }
        let suffixes: Vec<&str> = self.types().map(|info| info.suffix.as_str()).collect();
        self.each_folder(&mut |name, folder, step| {
            case_clashes(&step.spot.path, folder, &mut clashes);
            let Some((_, suffix)) = name.rsplit_once('.').filter(|(stem, suffix)| !stem.is_empty() && is_name(suffix))
            else {
                return;
            };
            if kind_of(name, folder, &self.registry).is_none() {
                let message = format!(
                    "no type '{suffix}' is registered, so this folder is no asset{}; declare it in {suffix}.assetType/type.yaml, \
                     or name the folder without a dot",
                    did_you_mean(suffix, &suffixes)
                );
                let problem = Diagnostic::error("asset/unknown_type", message).in_file(&step.spot.path);
                unknown.push(problem.choices(suffix, &suffixes));
            }
        });
        all.extend(unknown.into_iter().take(MOST_OF_A_KIND));
        all.extend(clashes.into_iter().take(MOST_OF_A_KIND));
    }
}

fn case_clashes(path: &str, folder: &Folder, clashes: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for name in folder.files.iter().chain(folder.folders.keys()) {
        let Some(first) = seen.insert(name.to_lowercase(), name) else { continue };
        let message =
            format!("'{name}' differs from '{first}' only by case: not every disk can hold both. Rename one of them");
        clashes.push(beside("asset/case_clash", message, &format!("{path}/{name}"), &format!("{path}/{first}")));
    }
}

fn beside(code: &'static str, message: String, path: &str, other: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(code, message).in_file(path);
    diagnostic.related.push(Related { message: "the other one".to_owned(), path: other.to_owned(), span: None });
    diagnostic
}
