//! Whether an asset holds the files its type asks for, and nothing the type does not know.

mod content;

use zero_base::{Diagnostic, Severity, did_you_mean};
use zero_vfs::Vfs;

use crate::asset::Asset;
use crate::index::Assets;
use crate::metadata::{METADATA, REFERENCES};
use crate::types::{FileRule, FileRuleKind, TypeInfo, is_type_folder};

/// Of one kind of problem in one asset.
const MOST_OF_A_KIND: usize = 50;

impl Assets {
    /// Whether the asset is what its type says: the files it must and may hold, their content,
    /// where it lies, its sidecar, and the names it refers to. The type's own code is not asked.
    pub fn validate(&self, vfs: &Vfs, asset: &Asset) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        let Some(info) = self.type_info(&asset.type_name) else {
            let message = format!("its type '{}' is not registered", asset.type_name);
            return vec![Diagnostic::error("asset/unknown_type", message).in_file(asset.path.as_str())];
        };
        if let Some(entry) = self.entries.at(&asset.path) {
            problems.extend(entry.metadata.problems.iter().cloned());
        }
        self.place_problems(asset, info, &mut problems);
        self.missing(vfs, asset, info, &mut problems);
        self.unlisted(asset, info, &mut problems);
        if is_type_folder(asset.path.name()) {
            self.declaration_problems(asset, &mut problems);
        }
        problems.extend(self.reference_problems(vfs, asset));
        // Two rules may ask for the same of one file.
        let mut told = Vec::with_capacity(problems.len());
        for problem in problems {
            if !told.contains(&problem) {
                told.push(problem);
            }
        }
        told
    }

    /// The asset lies in one of the types it belongs into.
    fn place_problems(&self, asset: &Asset, info: &TypeInfo, problems: &mut Vec<Diagnostic>) {
        if info.within.is_empty() {
            return;
        }
        let holder = asset.path.parent().and_then(|folder| self.at(&folder));
        if holder.is_some_and(|holder| info.within.contains(&holder.type_name)) {
            return;
        }
        let message =
            format!("a {} lies directly in a {}; move its folder there", info.name, info.within.join(" or a "));
        problems.push(Diagnostic::error("asset/outside_container", message).in_file(asset.path.as_str()));
    }

    /// Required files that are not there, and the content of those that are.
    fn missing(&self, vfs: &Vfs, asset: &Asset, info: &TypeInfo, problems: &mut Vec<Diagnostic>) {
        let files = self.files(asset);
        let rules = &info.files;
        for (rule, required) in
            rules.required.iter().map(|rule| (rule, true)).chain(rules.optional.iter().map(|rule| (rule, false)))
        {
            let present = match &rule.kind {
                FileRuleKind::File => self.check_file(vfs, asset, (rule, &files), problems),
                FileRuleKind::Folder => {
                    let folder = |path: &str| self.folder(&asset.path).is_some_and(|own| own.folder(path).is_some());
                    rule.patterns().any(|pattern| match pattern.literal() {
                        Some(path) => folder(path),
                        None => files.iter().any(|file| parents(file).any(|parent| pattern.matches(parent))),
                    })
                }
                FileRuleKind::Asset(type_name) => self.children(asset).into_iter().any(|child| {
                    let fits = type_name.as_ref().is_none_or(|name| *name == child.type_name);
                    fits && child.path.relative_to(&asset.path).is_some_and(|path| rule.matches(path))
                }),
            };
            if required && !present {
                problems.push(absent(asset, info, rule, &files));
            }
        }
    }

    /// Checks the content of the files a rule names. Answers whether there is one.
    fn check_file(
        &self,
        vfs: &Vfs,
        asset: &Asset,
        (rule, files): (&FileRule, &[String]),
        problems: &mut Vec<Diagnostic>,
    ) -> bool {
        let matching: Vec<&String> = files.iter().filter(|file| rule.matches(file)).collect();
        let spellings = matching.iter().filter(|file| rule.patterns().any(|own| own.literal() == Some(file.as_str())));
        let spellings: Vec<&&String> = spellings.collect();
        if let [_, _, ..] = spellings.as_slice() {
            let first =
                rule.patterns().filter_map(|own| own.literal()).find(|own| files.iter().any(|file| file == own));
            let first = first.unwrap_or_default();
            for other in spellings.iter().filter(|other| other.as_str() != first) {
                let message = format!("'{other}' is never read, because '{first}' is there too; remove one of them");
                let problem = Diagnostic::warning("asset/two_spellings", message);
                problems.push(problem.in_file(format!("{}/{other}", asset.path)));
            }
        }
        for file in matching.iter().take(MOST_OF_A_KIND) {
            for check in &rule.content {
                content::check(vfs, &format!("{}/{file}", asset.path), check, problems);
            }
        }
        !matching.is_empty()
    }

    /// Files and nested assets that no rule names.
    fn unlisted(&self, asset: &Asset, info: &TypeInfo, problems: &mut Vec<Diagnostic>) {
        if info.files.allow_unlisted {
            return;
        }
        let rules: Vec<&FileRule> = info.files.required.iter().chain(&info.files.optional).collect();
        let named: Vec<&str> = rules.iter().flat_map(|rule| rule.patterns()).filter_map(|own| own.literal()).collect();
        let files = self.files(asset);
        let listed = |file: &str| {
            [METADATA, REFERENCES].contains(&file)
                || info.primary.iter().any(|primary| primary == file)
                || rules.iter().any(|rule| match rule.kind {
                    FileRuleKind::File => rule.matches(file),
                    FileRuleKind::Folder => parents(file).any(|parent| rule.matches(parent)),
                    FileRuleKind::Asset(_) => false,
                })
        };
        for file in files.iter().filter(|file| !listed(file)).take(MOST_OF_A_KIND) {
            let message = format!("a {} holds no file '{file}'{}", info.name, did_you_mean(file, &named));
            let problem = Diagnostic::warning("asset/unlisted_file", message);
            problems.push(problem.in_file(format!("{}/{file}", asset.path)).choices(file, &named));
        }
        if info.container {
            return;
        }
        for child in self.children(asset).into_iter().take(MOST_OF_A_KIND) {
            let path = child.path.relative_to(&asset.path).unwrap_or_default();
            let named = |rule: &&&FileRule| match &rule.kind {
                FileRuleKind::Asset(type_name) => {
                    rule.matches(path) && type_name.as_ref().is_none_or(|name| *name == child.type_name)
                }
                _ => false,
            };
            if !rules.iter().any(|rule| named(&rule)) {
                let message = format!("a {} holds no other assets; move '{}' beside it", info.name, child.name);
                problems.push(Diagnostic::error("asset/not_a_container", message).in_file(child.path.as_str()));
            }
        }
    }

    /// What a type's declaration says that cannot hold.
    fn declaration_problems(&self, asset: &Asset, problems: &mut Vec<Diagnostic>) {
        let Some(info) = self.types().find(|info| info.path.as_ref() == Some(&asset.path)) else {
            // Its declaration lost to another, or is missing: both are reported for the tree.
            return;
        };
        let file = info.file();
        problems.extend(info.diagnostics.iter().cloned());
        let known = self.categories();
        let rules = &info.references;
        let named = rules.keys.iter().map(|rule| (&rule.type_name, Some(rule.span)));
        let named = named.chain(rules.args.iter().map(|rule| (&rule.type_name, Some(rule.span))));
        let named = named.chain(rules.fields.iter().map(|rule| (&rule.type_name, Some(rule.span))));
        for (name, span) in named.chain(info.within.iter().map(|name| (name, None))) {
            if known.contains(name) {
                continue;
            }
            let message = format!("no type '{name}' is registered{}", did_you_mean(name, &known));
            let mut problem = Diagnostic::warning("asset/unknown_type", message).in_file(&file).choices(name, &known);
            problem.span = span;
            problems.push(problem);
        }
        self.inspector_problems(asset, info, problems);
    }

    fn inspector_problems(&self, asset: &Asset, info: &TypeInfo, problems: &mut Vec<Diagnostic>) {
        let Some(name) = &info.inspector else {
            // What comes with the engine must be complete; a world's own type may wait.
            let severity = if asset.root.rank() == 0 { Severity::Error } else { Severity::Warning };
            let message = "the type names no inspector: add inspector: { type: \"inspector.luau\" } and that file";
            problems.push(Diagnostic::new(severity, "assetType.inspector_required", message).in_file(info.file()));
            return;
        };
        if !self.has_file(&asset.path, name) {
            let message = format!("the inspector '{name}' that type.yaml names is not there");
            problems.push(Diagnostic::error("assetType.inspector_invalid", message).in_file(info.file()));
        }
    }
}

fn absent(asset: &Asset, info: &TypeInfo, rule: &FileRule, files: &[String]) -> Diagnostic {
    let spellings: Vec<&str> = rule.patterns().map(|pattern| pattern.as_str()).collect();
    let what = match &rule.kind {
        FileRuleKind::File => "file",
        FileRuleKind::Folder => "folder",
        FileRuleKind::Asset(_) => "asset",
    };
    let purpose = if rule.description.is_empty() { String::new() } else { format!(" ({})", rule.description) };
    let near = did_you_mean(&rule.path.to_string(), files).replace("did you mean", "is it");
    let message = format!("a {} needs the {what} '{}'{purpose}{near}", info.name, spellings.join("' or '"));
    Diagnostic::new(rule.severity, "asset/missing_file", message).in_file(asset.path.as_str())
}

/// The folders of a relative path, innermost first.
fn parents(file: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(file.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/')).map(|(folder, _)| folder)
}
