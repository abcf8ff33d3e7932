use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use zero_base::Fault;
use zero_runtime::{Answer, Op, Outcome};

/// The most text one reply carries: about six thousand tokens.
pub const BUDGET_BYTES: usize = 24_000;

/// Where a caller finds what a reply had no room for.
pub trait Spill {
    /// Puts `text` where `read_file` reaches it and answers its path.
    fn spill(&self, extension: &str, text: &str) -> Option<String>;
}

/// The result of a tool call. A reply that is an object comes in both halves, structured and
/// as text; one with a picture or a text of its own has no structured half, because several
/// clients show their model nothing else once there is one.
pub fn reply(op: &Op, outcome: Outcome, spill: &dyn Spill) -> CallToolResult {
    match outcome {
        Ok(answer) => answered(op, answer, spill),
        Err(fault) => refused(fault),
    }
}

/// A refusal that the caller can act on.
pub fn refused(fault: Fault) -> CallToolResult {
    let mut text = fault.to_string();
    for diagnostic in &fault.diagnostics {
        text.push_str(&format!("\n{diagnostic}"));
    }
    let mut error = json!({ "code": fault.code, "message": fault.message });
    if let Some(data) = fault.data {
        error["data"] = data;
    }
    if !fault.diagnostics.is_empty() {
        error["diagnostics"] = json!(fault.diagnostics);
    }
    let value = fit(json!({ "error": error }), BUDGET_BYTES);
    let mut result = CallToolResult::structured_error(value);
    result.content = vec![ContentBlock::text(cut_text(&text, BUDGET_BYTES).0)];
    result
}

fn answered(op: &Op, mut answer: Answer, spill: &dyn Spill) -> CallToolResult {
    let mut content: Vec<ContentBlock> =
        answer.images.into_iter().map(|picture| ContentBlock::image(picture.png_base64, "image/png")).collect();
    let text = answer.text.map(|text| fit_text(op, &text, &mut answer.value, spill));
    let value = fit_or_spill(answer.value, spill);
    let mut result = CallToolResult::default();
    if text.is_none() && content.is_empty() {
        result.structured_content = Some(value.clone());
    }
    content.extend(text.map(ContentBlock::text));
    content.push(ContentBlock::text(value.to_string()));
    result.content = content;
    result.is_error = Some(answer.failed);
    result
}

fn fit_or_spill(value: Value, spill: &dyn Spill) -> Value {
    if value.to_string().len() <= BUDGET_BYTES {
        return value;
    }
    let whole = serde_json::to_string_pretty(&value).unwrap_or_default();
    let rest = match spill.spill("json", &whole) {
        Some(path) => format!("the whole is in {path}: read_file it with offset and limit"),
        None => "ask for less".to_owned(),
    };
    let note = format!("too long for one reply: long texts and lists are shortened here; {rest}");
    let mut fitted = fit(value, BUDGET_BYTES - note.len() - 16);
    fitted["cut"] = json!(note);
    fitted
}

/// `value` describes the text: of a file, what it says about lines is made to fit what is shown.
fn fit_text(op: &Op, text: &str, value: &mut Value, spill: &dyn Spill) -> String {
    let (head, whole) = cut_text(text, BUDGET_BYTES);
    if whole {
        return head;
    }
    let lines = head.lines().count() as u64;
    let rest = match op {
        Op::ReadFile(read) if head.ends_with('\n') => {
            let next = read.offset.unwrap_or(1) + lines;
            value["to"] = json!(next - 1);
            value["next"] = json!({ "offset": next });
            format!("read on with read_file {}", json!({ "path": read.path, "offset": next }))
        }
        _ => match spill.spill("txt", text) {
            Some(path) => format!("the whole is in {path}: read_file {}", json!({ "path": path, "offset": lines + 1 })),
            None => "ask for less".to_owned(),
        },
    };
    format!("{head}\n[cut here: {} of {} bytes shown; {rest}]", head.len(), text.len())
}

/// The first `budget` bytes, to the end of a line where there is one, and whether that is all.
fn cut_text(text: &str, budget: usize) -> (String, bool) {
    if text.len() <= budget {
        return (text.to_owned(), true);
    }
    let head = &text[..text.floor_char_boundary(budget)];
    let end = head.rfind('\n').map_or(head.len(), |at| at + 1);
    (head[..end].to_owned(), false)
}

/// Shortens texts, lists and maps below the top level until `value` fits.
fn fit(value: Value, budget: usize) -> Value {
    let mut most = 1 << 16;
    let mut fitted = value;
    while fitted.to_string().len() > budget && most > 0 {
        fitted = match fitted {
            Value::Object(fields) => {
                Value::Object(fields.into_iter().map(|(name, value)| (name, shorten(value, most))).collect())
            }
            other => shorten(other, most),
        };
        most /= 2;
    }
    fitted
}

fn shorten(value: Value, most: usize) -> Value {
    match value {
        Value::String(text) if text.len() > most => {
            let kept = text.floor_char_boundary(most);
            Value::String(format!("{}…", &text[..kept]))
        }
        Value::Array(items) => {
            let kept = items.into_iter().take((most / 16).max(1));
            Value::Array(kept.map(|item| shorten(item, most)).collect())
        }
        Value::Object(fields) => {
            let kept = fields.into_iter().take((most / 16).max(1));
            Value::Object(kept.map(|(name, value)| (name, shorten(value, most))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use zero_base::Diagnostic;
    use zero_runtime::{Picture, ReadFile};

    use super::*;

    #[derive(Default)]
    struct Spilled(RefCell<Vec<String>>);

    impl Spill for Spilled {
        fn spill(&self, extension: &str, text: &str) -> Option<String> {
            self.0.borrow_mut().push(text.to_owned());
            Some(format!("/tmp/x.{extension}"))
        }
    }

    fn texts(result: &CallToolResult) -> Vec<&str> {
        result.content.iter().filter_map(|block| block.as_text().map(|text| text.text.as_str())).collect()
    }

    fn answer(value: Value) -> Answer {
        Answer { value, ..Answer::default() }
    }

    #[test]
    fn an_object_comes_in_both_halves_alike() {
        let result = reply(&Op::Hash, Ok(answer(json!({ "world": "ab" }))), &Spilled::default());
        assert_eq!(texts(&result), [r#"{"world":"ab"}"#]);
        assert_eq!(result.structured_content, Some(json!({ "world": "ab" })));
        assert_eq!(result.is_error, Some(false));
        let failed = Answer { failed: true, ..answer(json!({ "ok": false })) };
        assert_eq!(reply(&Op::Hash, Ok(failed), &Spilled::default()).is_error, Some(true));
    }

    #[test]
    fn pictures_and_texts_have_no_structured_half() {
        let picture = Picture { png_base64: "AAAA".into(), width: 1, height: 1 };
        let result = reply(
            &Op::Capture(Default::default()),
            Ok(Answer { images: vec![picture], ..answer(json!({ "width": 1 })) }),
            &Spilled::default(),
        );
        assert_eq!(result.content[0].as_image().unwrap().mime_type, "image/png");
        assert_eq!((texts(&result), &result.structured_content), (vec![r#"{"width":1}"#], &None));
        let result = reply(
            &Op::Hash,
            Ok(Answer { text: Some("body".into()), ..answer(json!({ "path": "/a" })) }),
            &Spilled::default(),
        );
        assert_eq!((texts(&result), &result.structured_content), (vec!["body", r#"{"path":"/a"}"#], &None));
    }

    #[test]
    fn a_long_file_says_where_to_read_on() {
        let op = Op::ReadFile(ReadFile { path: "/zero/source/a.txt".into(), offset: Some(10), limit: None });
        let text = "0123456789\n".repeat(4000);
        let spilled = Spilled::default();
        let described = json!({ "lines": 4009, "from": 10, "to": 4009 });
        let result = reply(&op, Ok(Answer { text: Some(text), ..answer(described) }), &spilled);
        let shown = texts(&result)[0];
        let lines = shown.lines().filter(|line| *line == "0123456789").count();
        assert!(shown.len() < BUDGET_BYTES + 200);
        assert!(
            shown.contains(&format!(r#"read_file {{"path":"/zero/source/a.txt","offset":{}}}"#, 10 + lines)),
            "{shown}"
        );
        let described: Value = serde_json::from_str(texts(&result)[1]).unwrap();
        assert_eq!((&described["to"], &described["next"]["offset"]), (&json!(9 + lines), &json!(10 + lines)));
        assert!(spilled.0.borrow().is_empty());
    }

    #[test]
    fn a_long_value_is_shortened_and_kept_whole_elsewhere() {
        let value = json!({
            "ok": true,
            "value": { "rows": (0..20_000).collect::<Vec<_>>(), "text": "é".repeat(50_000) },
            "deep": [[["x".repeat(40_000)]]],
        });
        let spilled = Spilled::default();
        let result = reply(&Op::Hash, Ok(answer(value.clone())), &spilled);
        let structured = result.structured_content.clone().unwrap();
        assert!(texts(&result)[0].len() <= BUDGET_BYTES);
        assert_eq!(texts(&result)[0], structured.to_string());
        assert_eq!(structured["ok"], true);
        assert!(structured["cut"].as_str().unwrap().contains("/tmp/x.json"));
        assert_eq!(serde_json::from_str::<Value>(&spilled.0.borrow()[0]).unwrap(), value);
    }

    #[test]
    fn a_refusal_is_a_text_to_act_on_and_a_code() {
        let fault = Fault::new("vfs/stale_base", "changed since")
            .with_data(json!({ "now": "ab" }))
            .with_diagnostics(vec![Diagnostic::warning("a/b", "look").in_file("/x")]);
        let result = refused(fault);
        assert_eq!(texts(&result), ["changed since [vfs/stale_base]\n/x: warning: look [a/b]"]);
        let error = &result.structured_content.unwrap()["error"];
        assert_eq!((&error["code"], &error["data"]["now"]), (&json!("vfs/stale_base"), &json!("ab")));
        assert_eq!(result.is_error, Some(true));
        let long = refused(Fault::new("a/b", "x".repeat(100_000)));
        assert!(texts(&long)[0].len() <= BUDGET_BYTES);
        assert!(long.structured_content.unwrap().to_string().len() <= BUDGET_BYTES);
    }
}
