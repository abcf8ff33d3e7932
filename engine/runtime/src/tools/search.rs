//! Finding tools by words.

use std::rc::Rc;

use serde_json::{Value as Json, json};
use zero_base::{Fault, did_you_mean};

use super::{all, describe, toolbox_name, toolboxes, tools_in};
use crate::ops::SearchTools;
use crate::shared::Shared;

/// Rows for `search_tools`: toolboxes, one toolbox's tools, or the best hits for words.
pub(crate) fn search(shared: &Rc<Shared>, request: &SearchTools) -> Result<Json, Fault> {
    let query = request.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let limit = request.limit.unwrap_or(25).clamp(1, 200) as usize;
    match (query, request.toolbox.as_deref()) {
        (None, None) => {
            Ok(json!({ "toolboxes": toolbox_rows(shared), "next": "search_tools with a toolbox lists its tools" }))
        }
        (None, Some(toolbox)) => {
            find_toolbox(shared, toolbox)?;
            let mut rows = all(shared, Some(toolbox));
            let total = rows.len();
            rows.truncate(limit.max(100));
            if request.schema {
                for row in &mut rows {
                    let name = row["tool"].as_str().unwrap_or_default().to_owned();
                    *row = describe(shared, Some(toolbox), &name)?;
                }
            }
            Ok(json!({ "toolbox": toolbox, "total": total, "tools": rows }))
        }
        (Some(query), toolbox) => {
            let hits = ranked(query, all(shared, toolbox));
            let total = hits.len();
            let rows: Vec<Json> = hits.into_iter().take(limit).collect();
            Ok(json!({ "query": query, "mode": "keyword", "total": total, "tools": rows }))
        }
    }
}

fn find_toolbox(shared: &Shared, name: &str) -> Result<(), Fault> {
    let state = shared.state.borrow();
    let known: Vec<String> = toolboxes(&state).iter().map(|asset| toolbox_name(asset)).collect();
    if known.iter().any(|known| known == name) || toolboxes(&state).iter().any(|asset| asset.identity == name) {
        return Ok(());
    }
    Err(Fault::new("tool/unknown_toolbox", format!("no toolbox '{name}'{}", did_you_mean(name, &known)))
        .with_data(json!({ "toolboxes": known })))
}

fn toolbox_rows(shared: &Shared) -> Vec<Json> {
    let state = shared.state.borrow();
    toolboxes(&state)
        .into_iter()
        .map(|asset| {
            let purpose = first_sentence(&state.assets.description(&state.vfs, asset));
            json!({ "toolbox": toolbox_name(asset), "purpose": purpose, "tools": tools_in(&state, asset).len() })
        })
        .collect()
}

/// Words that say nothing about what a tool is for.
const FILLERS: [&str; 16] =
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "it", "of", "on", "the", "to", "with"];

/// The rows that answer the words, the best first. A word that few rows have says more than one
/// that most have.
fn ranked(query: &str, rows: Vec<Json>) -> Vec<Json> {
    let all = words(query);
    let telling: Vec<&String> = all.iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    let wanted = if telling.is_empty() { all.iter().collect() } else { telling };
    let mut scores = vec![0; rows.len()];
    for word in wanted {
        let mut hits: Vec<u32> = rows.iter().map(|row| hit(row, [12, 5, 2], |found| likeness(word, found))).collect();
        if hits.iter().all(|hit| *hit == 0) {
            hits = rows.iter().map(|row| hit(row, [4, 1, 0], |found| slip(word, found))).collect();
        }
        let having = hits.iter().filter(|hit| **hit > 0).count().max(1);
        let weight = 1 + (rows.len() / having).max(1).ilog2();
        std::iter::zip(&mut scores, hits).for_each(|(score, hit)| *score += hit * weight);
    }
    let scored = std::iter::zip(scores, rows);
    let mut scored: Vec<(u32, Json)> = scored.filter(|(score, _)| *score > 0).collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1["name"].as_str().cmp(&b.1["name"].as_str())));
    scored.into_iter().map(|(_, row)| row).collect()
}

/// How well a row answers one word: the best of its name, purpose and signature, each worth
/// so much; parts of camelCase names count as words.
fn hit(row: &Json, worth: [u32; 3], likeness: impl Fn(&str) -> u32) -> u32 {
    let best = |field: &str| {
        let found = words(row[field].as_str().unwrap_or_default());
        found.iter().map(|word| likeness(word)).max().unwrap_or(0)
    };
    let fields = ["name", "purpose", "signature"].into_iter().map(best);
    fields.zip(worth).map(|(likeness, worth)| (likeness * worth).div_ceil(100)).max().unwrap_or(0)
}

/// In percent: the word itself, with an ending, or a part of it.
fn likeness(word: &str, found: &str) -> u32 {
    if found == word || inflected(word, found) || inflected(found, word) {
        100
    } else if found.starts_with(word) || word.starts_with(found) && found.len() > 3 {
        60
    } else {
        0
    }
}

/// The same for a slip of a letter.
fn slip(word: &str, found: &str) -> u32 {
    if word.len() > 3 && zero_base::nearest(word, &[found]).is_some() { 100 } else { 0 }
}

/// Whether `longer` is `word` with an English ending.
fn inflected(word: &str, longer: &str) -> bool {
    longer.strip_prefix(word).is_some_and(|ending| ["s", "es", "d", "ed", "ing"].contains(&ending))
}

pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous_lower = false;
    let mut current = String::new();
    for c in text.chars() {
        let ends_word = !c.is_alphanumeric() || (c.is_uppercase() && previous_lower);
        if ends_word && !current.is_empty() {
            words.push(std::mem::take(&mut current));
        }
        if c.is_alphanumeric() {
            current.extend(c.to_lowercase());
        }
        previous_lower = c.is_lowercase();
    }
    if !current.is_empty() {
        words.push(current);
    }
    words
}

pub(crate) fn first_sentence(text: &str) -> String {
    let line = text.trim().replace('\n', " ");
    match line.find(". ") {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}
