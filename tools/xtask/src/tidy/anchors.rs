use std::collections::BTreeSet;

/// The anchors a Markdown page can be linked at: its headings, as GitHub spells them, and `<a id>`s.
pub fn anchors(markdown: &str) -> BTreeSet<String> {
    let headings = markdown.lines().filter(|line| line.starts_with('#')).map(|line| slug(line.trim_start_matches('#')));
    let named = markdown.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    headings.chain(named).collect()
}

fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_ids_are_anchors() {
        let found = anchors("# Known gaps\n## Play: `input`, sound\ntext <a id=\"old-name\"></a>\n");
        let expected = ["known-gaps", "old-name", "play-input-sound"];
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }
}
