use std::fmt::Write;

const MOST_LINES: usize = 12;
const LONGEST_LINE: usize = 160;

/// The lines in which `new` differs from `old`, without the equal ones before and after: enough
/// to see who changed what, never long.
pub(crate) fn short_diff(old: &[u8], new: &[u8]) -> String {
    let (Ok(old), Ok(new)) = (str::from_utf8(old), str::from_utf8(new)) else {
        return format!("binary: {} bytes before, {} after", old.len(), new.len());
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let after = old[before..].iter().rev().zip(new[before..].iter().rev()).take_while(|(a, b)| a == b).count();
    let mut text = format!("@@ line {} @@\n", before + 1);
    write_lines(&mut text, '-', &old[before..old.len() - after]);
    write_lines(&mut text, '+', &new[before..new.len() - after]);
    text
}

fn write_lines(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines.iter().take(MOST_LINES) {
        let shown: String = line.chars().take(LONGEST_LINE).collect();
        let more = if shown.len() < line.len() { "…" } else { "" };
        writeln!(text, "{sign}{shown}{more}").expect("writing to a string cannot fail");
    }
    if lines.len() > MOST_LINES {
        writeln!(text, "{sign}… {} more lines", lines.len() - MOST_LINES).expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_differs_and_no_more() {
        let check = |old: &str, new: &str, expected: &str| {
            assert_eq!(short_diff(old.as_bytes(), new.as_bytes()), expected);
        };
        check("a\nb\nc\n", "a\nB\nc\n", "@@ line 2 @@\n-b\n+B\n");
        check("a\nc", "a\nb\nc", "@@ line 2 @@\n+b\n");
        check("", "x", "@@ line 1 @@\n+x\n");
        check("a\na\na", "a\na", "@@ line 3 @@\n-a\n");
        let long = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
        let diff = short_diff(b"", long.as_bytes());
        assert!(diff.ends_with("+11\n+… 28 more lines\n"), "{diff}");
        assert_eq!(short_diff(b"\xff", b"abc"), "binary: 1 bytes before, 3 after");
        let wide = short_diff(b"", "ä".repeat(1000).as_bytes());
        assert!(wide.chars().count() < 200 && wide.contains('…'));
    }
}
