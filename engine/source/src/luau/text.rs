/// `text` cut to `limit` characters, with an ellipsis where it was cut.
pub(super) fn clip(text: &str, limit: usize) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(limit) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}
