//! String literals of Luau, both ways, and what counts as a name.

const KEYWORDS: &[&str] = &[
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not", "or",
    "repeat", "return", "then", "true", "until", "while",
];

pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// Whether `word` can stand after a dot.
pub(super) fn is_identifier(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !is_keyword(word)
}

/// `text` as a literal on one line, in double quotes.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            '\n' => quoted.push_str("\\n"),
            // Three digits, so that a digit that follows stays its own character.
            control if control.is_ascii_control() => quoted.push_str(&format!("\\{:03}", control as u32)),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The value of a quoted or long literal as it stands in a source, delimiters included.
/// Bytes that are not UTF-8 become the replacement character.
pub(super) fn unquote(literal: &str) -> String {
    if literal.starts_with('[') {
        return long_body(literal).to_owned();
    }
    let body = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    if !body.contains(['\\', '\r']) {
        return body.to_owned();
    }
    let mut decoded = Vec::with_capacity(body.len());
    let mut rest = body.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'\\' {
            rest = escape(rest, &mut decoded);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Decodes what follows a backslash and returns the rest.
fn escape<'a>(rest: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    let Some((&kind, tail)) = rest.split_first() else { return rest };
    let simple = match kind {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'z' => {
            let blank = tail.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 11).count();
            return &tail[blank..];
        }
        b'x' => return hexadecimal(tail, decoded),
        b'u' => return code_point(tail, decoded),
        b'0'..=b'9' => {
            let digits = rest.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
            let value = rest[..digits].iter().fold(0u32, |value, digit| value * 10 + u32::from(digit - b'0'));
            decoded.push(value.min(255) as u8);
            return &rest[digits..];
        }
        b'\r' => {
            decoded.push(b'\n');
            return tail.strip_prefix(b"\n").unwrap_or(tail);
        }
        other => other,
    };
    decoded.push(simple);
    tail
}

fn hexadecimal<'a>(rest: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    let digits = rest.iter().take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
    if let Some(value) = number(&rest[..digits]) {
        decoded.push(value as u8);
    }
    &rest[digits..]
}

fn code_point<'a>(rest: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    let Some(inner) = rest.strip_prefix(b"{") else { return rest };
    let digits = inner.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if let Some(character) = number(&inner[..digits]).and_then(char::from_u32) {
        decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    inner[digits..].strip_prefix(b"}").unwrap_or(&inner[digits..])
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok().and_then(|digits| u32::from_str_radix(digits, 16).ok())
}

/// The inside of `[==[ … ]==]`; a line break right after the opening does not count.
fn long_body(literal: &str) -> &str {
    let level = literal.bytes().skip(1).take_while(|&byte| byte == b'=').count();
    let body = literal.get(level + 2..literal.len().saturating_sub(level + 2)).unwrap_or_default();
    let body = body.strip_prefix('\r').unwrap_or(body);
    body.strip_prefix('\n').unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_decode_as_the_language_does() {
        let check = |literal: &str, expected: &str| assert_eq!(unquote(literal), expected, "{literal}");
        check(r#""plain""#, "plain");
        check(r"'a\'b'", "a'b");
        check(r#""a\n\65\0661\x41\u{e9}\z   b""#, "a\nAB1Aéb");
        check("[[long]]", "long");
        check("[==[\nlong]]\n]==]", "long]]\n");
        check("\"", "");
        check("[[", "");
        check(r#""\999""#, "\u{fffd}");
        assert_eq!(unquote(&quote("a\"b\\c\nd\x0001é")), "a\"b\\c\nd\x0001é");
    }

    #[test]
    fn keywords_are_not_names() {
        assert!(KEYWORDS.is_sorted());
        assert!(is_identifier("typed") && is_identifier("_x9"));
        assert!(!is_identifier("end") && !is_identifier("9x") && !is_identifier("") && !is_identifier("a b"));
    }
}
