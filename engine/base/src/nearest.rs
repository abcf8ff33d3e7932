/// The candidate that looks most like `word`, or none when nothing is close enough to be a
/// plausible slip. Case and separators (`_`, `-`, space, `.`) do not count as differences.
pub fn nearest<'a, S>(word: &str, candidates: impl IntoIterator<Item = &'a S>) -> Option<&'a str>
where
    S: AsRef<str> + 'a + ?Sized,
{
    // A word longer than this is pasted content, not a slip of a name.
    const LONGEST_WORD: usize = 256;
    if word.len() > LONGEST_WORD {
        return None;
    }
    let folded = fold(word);
    candidates
        .into_iter()
        .map(AsRef::as_ref)
        .filter(|candidate| candidate.len() <= LONGEST_WORD)
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &fold(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= allowance(word, candidate))
        .min_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(b.1)))
        .map(|(_, candidate)| candidate)
}

/// `; did you mean 'x'?`, or nothing: to be appended to a message.
pub fn did_you_mean<'a, S>(word: &str, candidates: impl IntoIterator<Item = &'a S>) -> String
where
    S: AsRef<str> + 'a + ?Sized,
{
    nearest(word, candidates).map(|near| format!("; did you mean '{near}'?")).unwrap_or_default()
}

fn allowance(word: &str, candidate: &str) -> usize {
    (word.chars().count().min(candidate.chars().count()) / 3).max(1)
}

fn fold(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_leaves_strangers_alone() {
        let check = |word: &str, expected: Option<&str>| {
            assert_eq!(nearest(word, &["sizeMetres", "position", "rotation"]), expected, "{word}");
        };
        check("siezMetres", Some("sizeMetres"));
        check("size_metres", Some("sizeMetres"));
        check("Position", Some("position"));
        check("banana", None);
        check("", None);
        check(&"x".repeat(1000), None);
        assert_eq!(did_you_mean("postion", &["position"]), "; did you mean 'position'?");
    }
}
