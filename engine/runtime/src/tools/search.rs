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
            let mut hits: Vec<(u32, Json)> = all(shared, toolbox)
                .into_iter()
                .map(|row| (score(query, &row), row))
                .filter(|(score, _)| *score > 0)
                .collect();
            hits.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1["name"].as_str().cmp(&b.1["name"].as_str())));
            let total = hits.len();
            let rows: Vec<Json> = hits.into_iter().take(limit).map(|(_, row)| row).collect();
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

/// How well a row answers the words: name before purpose before the rest; parts of camelCase
/// names count as words, and a slip of a letter still finds.
fn score(query: &str, row: &Json) -> u32 {
    let name = words(row["name"].as_str().unwrap_or_default());
    let purpose = words(row["purpose"].as_str().unwrap_or_default());
    let signature = words(row["signature"].as_str().unwrap_or_default());
    let mut total = 0;
    for word in words(query) {
        let hit = |list: &[String], exact: u32, part: u32, slip: u32| {
            list.iter()
                .map(|candidate| {
                    if *candidate == word {
                        exact
                    } else if candidate.starts_with(&word)
                        || word.starts_with(candidate.as_str()) && candidate.len() > 3
                    {
                        part
                    } else if word.len() > 3 && zero_base::nearest(&word, &[candidate.as_str()]).is_some() {
                        slip
                    } else {
                        0
                    }
                })
                .max()
                .unwrap_or(0)
        };
        total += hit(&name, 12, 7, 4).max(hit(&purpose, 5, 3, 1)).max(hit(&signature, 2, 1, 0));
    }
    total
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
