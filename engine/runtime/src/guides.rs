//! Guides: `.guide` assets found live, type pages from README and about, package pages.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use zero_assets::Asset;
use zero_base::{Fault, nearest};
use zero_source::yaml;
use zero_vfs::VfsPath;

use crate::ops::{Answer, Guides, Outcome};
use crate::shared::Shared;
use crate::state::State;
use crate::tools::{first_sentence, words};

/// One page: where its text lies.
enum Page {
    File(VfsPath),
    Type(VfsPath),
}

pub(crate) fn answer(shared: &Rc<Shared>, request: &Guides) -> Outcome {
    let state = shared.state.borrow();
    let pages = pages(&state);
    if request.list {
        return Ok(index(&state, &pages));
    }
    match (&request.path, &request.query) {
        (Some(path), _) => page(&state, &pages, path),
        (None, Some(query)) if !query.trim().is_empty() => {
            Ok(search(&state, &pages, query, request.limit.unwrap_or(10)))
        }
        _ => {
            let mut answer = index(&state, &pages);
            if let Some(page) = pages.get("readme") {
                let list = answer.text.take().unwrap_or_default();
                answer.text = Some(format!("{}\n\n# Guides\n\n{list}", text_of(&state, page)));
            }
            Ok(answer)
        }
    }
}

/// Every page by path. A guide's path is its identity with `/` for `.`, less the folder
/// `guides` it may lie in; in a library other than the built-in one with the library in front.
fn pages(state: &State) -> BTreeMap<String, Page> {
    let mut pages = BTreeMap::new();
    for asset in state.assets.list(Some("package")) {
        if let Ok(readme) = asset.path.join("README.md")
            && state.vfs.stat(&readme).is_some()
        {
            pages.insert(format!("systems/{}", asset.name), Page::File(readme));
        }
    }
    for asset in state.assets.list(Some("assetType")) {
        if let Ok(readme) = asset.path.join("README.md") {
            pages.insert(format!("types/{}", asset.name), Page::Type(readme));
        }
    }
    for asset in state.assets.list(Some("guide")) {
        if let Ok(text) = asset.path.join("guide.md") {
            pages.insert(guide_path(state, asset), Page::File(text));
        }
    }
    pages
}

fn guide_path(state: &State, asset: &Asset) -> String {
    let package = state.assets.list(Some("package")).into_iter().find(|package| asset.path.starts_with(&package.path));
    if let Some(package) = package {
        return format!("systems/{}/documentation/{}", package.name, asset.name);
    }
    let bare = asset.identity.rsplit("::").next().unwrap_or(&asset.identity);
    let bare = bare.strip_prefix("guides.").unwrap_or(bare).replace('.', "/");
    match asset.identity.split_once("::") {
        Some((library, _)) if library != "@builtin" => format!("{library}/{bare}"),
        _ => bare,
    }
}

fn text_of(state: &State, page: &Page) -> String {
    match page {
        Page::File(path) => {
            state.vfs.read_text(path).unwrap_or_else(|error| format!("(this page cannot be read: {error})"))
        }
        Page::Type(readme) => {
            let text = state.vfs.read_text(readme).unwrap_or_default();
            match about(state, readme) {
                Some(about) => format!("{}\n\n## About this type\n\n{about}", text.trim_end()),
                None => text,
            }
        }
    }
}

fn about(state: &State, readme: &VfsPath) -> Option<String> {
    let path = readme.parent()?.join("about.yaml").ok()?;
    let about = yaml::parse(&state.vfs.read_text(&path).ok()?).ok()?.to_json();
    let lines: Vec<String> = ["intent", "function", "usage"]
        .iter()
        .filter_map(|key| Some(format!("- **{key}**: {}", about[*key].as_str()?.trim())))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn page(state: &State, pages: &BTreeMap<String, Page>, path: &str) -> Outcome {
    let wanted = path.trim_matches('/');
    let wanted = wanted.strip_suffix(".md").unwrap_or(wanted);
    if let Some(page) = pages.get(wanted).or_else(|| pages.get(&wanted.to_lowercase())) {
        let value = json!({ "path": wanted, "served_by": "engine" });
        return Ok(Answer { value, text: Some(text_of(state, page)), ..Answer::default() });
    }
    let below: Vec<&String> = pages.keys().filter(|known| known.starts_with(&format!("{wanted}/"))).collect();
    if !below.is_empty() {
        let text = below.iter().map(|path| format!("- {path}")).collect::<Vec<_>>().join("\n");
        return Ok(Answer { value: json!({ "path": wanted, "pages": below }), text: Some(text), ..Answer::default() });
    }
    let known: Vec<&String> = pages.keys().collect();
    let near =
        nearest(wanted, known.iter().copied()).map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
    Err(Fault::new("guide/not_found", format!("no guide '{wanted}'{near}; guides with list gives every path"))
        .with_data(json!({ "guides": known })))
}

fn index(state: &State, pages: &BTreeMap<String, Page>) -> Answer {
    let rows: Vec<Json> =
        pages.iter().map(|(path, page)| json!({ "path": path, "purpose": purpose(&text_of(state, page)) })).collect();
    let text = rows
        .iter()
        .map(|row| {
            format!("- {} — {}", row["path"].as_str().unwrap_or_default(), row["purpose"].as_str().unwrap_or_default())
        })
        .collect::<Vec<_>>()
        .join("\n");
    Answer { value: json!({ "guides": rows, "served_by": "engine" }), text: Some(text), ..Answer::default() }
}

/// The first sentence that is neither a heading nor empty.
fn purpose(text: &str) -> String {
    let paragraph: Vec<&str> = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty() || line.starts_with('#'))
        .take_while(|line| !line.is_empty())
        .collect();
    first_sentence(&paragraph.join(" "))
}

fn search(state: &State, pages: &BTreeMap<String, Page>, query: &str, limit: u32) -> Answer {
    let wanted = words(query);
    let mut hits: Vec<(u32, &String, String)> = pages
        .iter()
        .filter_map(|(path, page)| {
            let text = text_of(state, page);
            let (score, line) = score(&wanted, path, &text);
            (score > 0).then_some((score, path, line))
        })
        .collect();
    hits.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let total = hits.len();
    hits.truncate(limit.clamp(1, 50) as usize);
    let rows: Vec<Json> =
        hits.iter().map(|(score, path, line)| json!({ "path": path, "score": score, "line": line })).collect();
    let text = hits.iter().map(|(_, path, line)| format!("- {path}: {line}")).collect::<Vec<_>>().join("\n");
    let value = json!({ "query": query, "mode": "keyword", "total": total, "hits": rows, "served_by": "engine" });
    Answer { value, text: Some(text), ..Answer::default() }
}

/// Hits in the path and headings count most; the line is the one that answers best.
fn score(wanted: &[String], path: &str, text: &str) -> (u32, String) {
    let in_path = words(path);
    let mut total = wanted.iter().filter(|word| in_path.contains(word)).count() as u32 * 10;
    let mut best = (0, String::new());
    let mut body = 0;
    for line in text.lines() {
        let found = words(line);
        let hits = wanted.iter().filter(|word| found.iter().any(|have| have.starts_with(word.as_str()))).count() as u32;
        let weight = if line.starts_with('#') { 3 } else { 1 };
        body += (hits * weight).min(6);
        if hits * weight > best.0 {
            best = (hits * weight, line.trim_matches(['#', ' ']).chars().take(160).collect());
        }
    }
    total += body.min(30);
    (total, best.1)
}
