use std::collections::BTreeMap;

use super::{Finding, Tree};

/// The folders that make up the built-in library.
const LIBRARY: &[&str] = &["builtin", "luau-api", "toolboxes"];

/// Every asset folder of the library holds a `README.md`, and a `.metadata` whose guid no other
/// has: a guid made up at load time would change with every build.
pub fn find(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for folder in tree.folders().into_iter().filter(|folder| is_asset(folder)) {
        if !tree.files.contains_key(&format!("{folder}/README.md")) {
            findings.push(Finding::new(
                folder,
                None,
                "the asset has no README.md",
                "say what it is for and how it is used",
            ));
        }
        let path = format!("{folder}/.metadata");
        let Some((line, guid)) = tree.text(&path).and_then(guid) else {
            let remedy = "write `guid: ast_` and 32 random hex digits into its .metadata";
            findings.push(Finding::new(folder, None, "the asset has no guid", remedy));
            continue;
        };
        if !well_formed(&guid) {
            let remedy = "write `ast_` and 32 lower-case hex digits";
            findings.push(Finding::new(&path, line, format!("'{guid}' is no guid"), remedy));
        } else if let Some(owner) = owners.get(&guid) {
            let remedy = "give the newer of the two a fresh one";
            findings.push(Finding::new(&path, line, format!("{guid} is the guid of {owner}, too"), remedy));
        } else {
            owners.insert(guid, folder);
        }
    }
    findings
}

/// `name.type`, inside the library and outside the templates that new assets are copied from.
fn is_asset(folder: &str) -> bool {
    let mut names = folder.split('/');
    let in_library = names.next().is_some_and(|top| LIBRARY.contains(&top));
    let typed = |name: &str| name.find('.').is_some_and(|at| at > 0);
    in_library && names.clone().all(|name| name != "template") && names.next_back().is_some_and(typed)
}

/// The guid and its line, from YAML or from JSON.
fn guid(metadata: &str) -> Option<(usize, String)> {
    metadata.lines().enumerate().find_map(|(index, line)| {
        let line = line.trim_start_matches([' ', '{', '\t']).replace('"', "");
        let value = line.strip_prefix("guid:")?.trim_end_matches(['}', ' ', '\t']);
        Some((index + 1, value.split(',').next().unwrap_or_default().trim().to_owned()))
    })
}

fn well_formed(guid: &str) -> bool {
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    guid.strip_prefix("ast_").is_some_and(|digits| digits.len() == 32 && digits.chars().all(hex))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "guid: ast_0123456789abcdef0123456789abcdef\ntags: []\n";

    fn check<const N: usize>(files: [(&str, &str); N], expected: &[&str]) {
        let found: Vec<String> = find(&Tree::of(files)).iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn an_asset_is_described_and_has_a_guid() {
        check([("builtin/a.module/README.md", ""), ("builtin/a.module/.metadata", A)], &[]);
        check([("builtin/a.module/init.luau", "")], &["no README.md", "no guid"]);
        check([("toolboxes/t.toolbox/README.md", ""), ("toolboxes/t.toolbox/.metadata", "tags: []")], &["no guid"]);
        check([("luau-api/a.module/README.md", ""), ("luau-api/a.module/.metadata", "guid: ast_XY")], &["is no guid"]);
    }

    #[test]
    fn guids_are_unique_in_either_spelling() {
        let json = r#"{ "guid": "ast_0123456789abcdef0123456789abcdef", "tags": [] }"#;
        check(
            [
                ("builtin/a.module/README.md", ""),
                ("builtin/a.module/.metadata", A),
                ("builtin/b.module/README.md", ""),
                ("builtin/b.module/.metadata", json),
            ],
            &["builtin/b.module/.metadata:1: ast_0123456789abcdef0123456789abcdef is the guid of builtin/a.module"],
        );
    }

    #[test]
    fn plain_folders_templates_and_other_trees_are_no_assets() {
        check([("builtin/systems/x.luau", ""), ("tests/a.module/init.luau", "")], &[]);
        let kind = "builtin/assetTypes/m.assetType";
        let files = [
            (format!("{kind}/README.md"), ""),
            (format!("{kind}/.metadata"), A),
            (format!("{kind}/template/s.module/init.luau"), ""),
        ];
        check(files.each_ref().map(|(path, text)| (path.as_str(), *text)), &[]);
    }
}
