use std::fmt;

/// A path inside an asset, as a type declares it: `*` stands for any part of one name, `**` as
/// a whole segment for any number of folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern(String);

impl PathPattern {
    /// None when the text is empty, absolute, or holds an empty, `.` or `..` segment.
    pub fn parse(text: &str) -> Option<PathPattern> {
        let trimmed = text.strip_suffix('/').unwrap_or(text);
        let sound = trimmed.split('/').all(|segment| !matches!(segment, "" | "." | ".."));
        sound.then(|| PathPattern(trimmed.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path itself, when the pattern stands for just one.
    pub fn literal(&self) -> Option<&str> {
        (!self.0.contains('*')).then_some(self.0.as_str())
    }

    pub fn matches(&self, path: &str) -> bool {
        let pattern: Vec<&str> = self.0.split('/').collect();
        let path: Vec<&str> = path.split('/').collect();
        match_sequence(&pattern, &path, |part| *part == "**", |part, name| match_name(part, name))
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn match_name(pattern: &str, name: &str) -> bool {
    match_sequence(pattern.as_bytes(), name.as_bytes(), |byte| *byte == b'*', |byte, other| byte == other)
}

/// Greedy matching with one place to come back to: linear in practice and at most the product
/// of the lengths, whatever the pattern.
fn match_sequence<P, T>(
    pattern: &[P],
    items: &[T],
    is_any: impl Fn(&P) -> bool,
    matches: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut p, mut i) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while i < items.len() {
        if p < pattern.len() && is_any(&pattern[p]) {
            retry = Some((p, i));
            p += 1;
        } else if p < pattern.len() && matches(&pattern[p], &items[i]) {
            (p, i) = (p + 1, i + 1);
        } else if let Some((any, taken)) = retry {
            retry = Some((any, taken + 1));
            (p, i) = (any + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(is_any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_in_a_name_and_double_stars_cross_folders() {
        let check = |pattern: &str, path: &str, expected: bool| {
            assert_eq!(PathPattern::parse(pattern).unwrap().matches(path), expected, "{pattern} on {path}");
        };
        check("init.luau", "init.luau", true);
        check("init.luau", "init.lua", false);
        check("*.luau", "part.luau", true);
        check("*.luau", "deep/part.luau", false);
        check("template/**", "template/a/b.yaml", true);
        check("template/**", "template", true);
        check("template/**", "templates/a", false);
        check("**/*.png", "a/b/c.png", true);
        check("**/*.png", "c.png", true);
        check("a*b*c", "axxbxxc", true);
        check("a*b*c", "axxbxx", false);
        check("*", "", true);
        check(&"*a".repeat(60), &"a".repeat(250), true);
        check(&format!("{}b", "*a".repeat(60)), &"a".repeat(250), false);
    }

    #[test]
    fn paths_that_leave_the_asset_are_no_patterns() {
        for text in ["", "/", "/a", "a//b", "../a", "a/./b", "a/.."] {
            assert_eq!(PathPattern::parse(text), None, "{text}");
        }
        assert_eq!(PathPattern::parse("shared.module/").unwrap().as_str(), "shared.module");
    }
}
