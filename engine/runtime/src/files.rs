//! `read_file`, `write_file`, `edit_file`.

use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::json;
use zero_base::{Diagnostic, Fault, Hash};
use zero_vfs::{Kind, VfsPath, WriteOptions};

use crate::ops::{Answer, EditFile, Outcome, Picture, ReadFile, WriteFile};
use crate::shared::Shared;

/// Lines a read gives when it names a start and no end.
const LINES_BY_DEFAULT: u64 = 2000;

pub(crate) fn read(shared: &Shared, request: &ReadFile) -> Outcome {
    let state = shared.state.borrow();
    let path = VfsPath::parse(&request.path)?;
    let stat = state.vfs.stat(&path).ok_or_else(|| not_found(&state, &path))?;
    if stat.kind == Kind::Folder {
        let entries = state.vfs.list(&path)?;
        let lines: Vec<String> = entries
            .iter()
            .map(|entry| match entry.kind {
                Kind::Folder => format!("{}/", entry.name),
                Kind::File => entry.name.clone(),
            })
            .collect();
        let value = json!({ "path": path, "kind": "folder", "entries": lines.len() });
        return Ok(Answer { value, text: Some(lines.join("\n")), ..Answer::default() });
    }
    let bytes = state.vfs.read(&path)?;
    let hash = Hash::of(&bytes);
    if path.name().ends_with(".png") {
        let (width, height) = png_size(&bytes)
            .ok_or_else(|| Fault::new("vfs/not_a_picture", format!("{path} does not hold a PNG picture")))?;
        let value = json!({ "path": path, "kind": "picture", "width": width, "height": height, "bytes": bytes.len(), "hash": hash });
        let picture = Picture { png_base64: BASE64.encode(&bytes), width, height };
        return Ok(Answer { value, images: vec![picture], ..Answer::default() });
    }
    let text = state.vfs.read_text(&path)?;
    let total = text.lines().count() as u64;
    let (offset, limit) = match (request.offset, request.limit) {
        (None, None) => (1, u64::MAX),
        (offset, limit) => (offset.unwrap_or(1).max(1), limit.unwrap_or(LINES_BY_DEFAULT)),
    };
    let whole = offset == 1 && limit >= total;
    let shown = if whole {
        text
    } else {
        text.lines().skip(offset as usize - 1).take(limit as usize).collect::<Vec<_>>().join("\n")
    };
    let last = (offset - 1).saturating_add(limit).min(total);
    let mut value = json!({ "path": path, "kind": "file", "lines": total, "from": offset, "to": last, "bytes": bytes.len(), "hash": hash });
    if last < total {
        value["next"] = json!({ "offset": last + 1 });
    }
    Ok(Answer { value, text: Some(shown), ..Answer::default() })
}

fn not_found(state: &crate::state::State, path: &VfsPath) -> Fault {
    let parent = path.parent();
    let siblings: Vec<String> = parent
        .as_ref()
        .and_then(|parent| state.vfs.list(parent).ok())
        .into_iter()
        .flatten()
        .map(|entry| entry.name)
        .collect();
    Fault::new(
        "vfs/not_found",
        format!("there is nothing at {path}{}", zero_base::did_you_mean(path.name(), &siblings)),
    )
}

/// Width and height from a PNG's first chunk.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.get(..24)?;
    if !header.starts_with(b"\x89PNG\r\n\x1a\n") || &header[12..16] != b"IHDR" {
        return None;
    }
    let number = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().expect("four bytes"));
    Some((number(16), number(20)))
}

pub(crate) fn write(shared: &Rc<Shared>, request: &WriteFile) -> Outcome {
    let bytes = match (&request.content, &request.content_b64) {
        (Some(text), None) => text.clone().into_bytes(),
        (None, Some(encoded)) => BASE64
            .decode(encoded)
            .map_err(|error| Fault::new("vfs/base64", format!("content_b64 is not base64: {error}")))?,
        _ => return Err(Fault::new("vfs/content", "give exactly one of content and content_b64")),
    };
    let path = VfsPath::parse(&request.path)?;
    put(shared, &path, &bytes, WriteOptions { base: request.base, durable: request.durable })
}

pub(crate) fn edit(shared: &Rc<Shared>, request: &EditFile) -> Outcome {
    let path = VfsPath::parse(&request.path)?;
    let text = shared.state.borrow().vfs.read_text(&path)?;
    if request.old.is_empty() {
        return Err(Fault::new("edit/empty", "old_string is empty; write_file replaces a whole file"));
    }
    let found = text.matches(&request.old).count();
    if found == 0 {
        return Err(Fault::new(
            "edit/not_found",
            format!(
                "old_string does not occur in {path}; read the file again and copy it exactly, whitespace included"
            ),
        ));
    }
    if found > 1 && !request.replace_all {
        return Err(Fault::new(
            "edit/ambiguous",
            format!("old_string occurs {found} times in {path}; take in more lines around it, or set replace_all"),
        ));
    }
    let edited = text.replace(&request.old, &request.new);
    let base = request.base.or(Some(Hash::of(text.as_bytes())));
    let mut answer = put(shared, &path, edited.as_bytes(), WriteOptions { base, durable: request.durable })?;
    answer.value["replaced"] = json!(if request.replace_all { found } else { 1 });
    Ok(answer)
}

fn put(shared: &Rc<Shared>, path: &VfsPath, bytes: &[u8], options: WriteOptions) -> Outcome {
    let (receipt, diagnostics) = shared.write_file(path, bytes, options)?;
    let mut value = json!({
        "path": path,
        "bytes": bytes.len(),
        "before": receipt.before,
        "hash": receipt.after,
        "created": receipt.before.is_none(),
    });
    if shared.state.borrow().vfs.shadowing() && !options.durable {
        value["shadow"] = json!(
            "play runs: the write is seen until play ends and then dropped; keep it with durable or vfs.promotePlayShadow"
        );
    }
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    if !diagnostics.is_empty() {
        value["diagnostics"] = json!(diagnostics);
    }
    if failed {
        value["note"] = json!("written, but the file has errors: what was loaded before keeps running");
    }
    Ok(Answer { value, ..Answer::default() })
}
