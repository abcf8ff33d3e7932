//! Examples of tools as they are typed into a shell. Tools give them as arguments in Luau.

use serde_json::{Map, Value};

use crate::cli::value;

/// The command that does what an example shows; none for one that computes its arguments.
pub fn command(toolbox: &str, tool: &str, example: &str) -> Option<String> {
    let line = example.trim().lines().last().unwrap_or_default();
    let call = format!("tools.use({toolbox:?}, {tool:?}");
    let list = match line.strip_prefix(call.as_str()) {
        Some(rest) => rest.trim_start_matches(',').strip_suffix(')')?,
        None if example.trim().lines().count() > 1 => return None,
        None => line,
    };
    let mut reader = Reader { rest: list };
    let mut words = vec!["zero".to_owned(), toolbox.to_owned(), tool.to_owned()];
    while !reader.at_end() {
        words.push(quoted(&word(&reader.value()?)));
        if !reader.take(",") && !reader.at_end() {
            return None;
        }
    }
    Some(words.join(" "))
}

/// What the command line reads back as this value.
fn word(given: &Value) -> String {
    match given {
        Value::String(text) if value(text) == *given => text.clone(),
        other => other.to_string(),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+./:@,%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Luau's literals, and calls that name an entity or an asset.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Option<Value> {
        self.skip();
        if self.take("{") {
            return self.table();
        }
        if self.rest.starts_with('"') {
            return self.string().map(Value::from);
        }
        let word = self.word();
        match word {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            "nil" => Some(Value::Null),
            // In a shell an entity or an asset is its name.
            "entity" | "entity.find" | "entity.spawn" | "asset.resolve" => self.named(),
            number => serde_json::from_str(number).ok(),
        }
    }

    /// The first argument of a call, which is read to its end.
    fn named(&mut self) -> Option<Value> {
        let name = self.take("(").then(|| self.value()).flatten()?;
        while self.take(",") {
            self.value()?;
        }
        self.take(")").then_some(name)
    }

    fn table(&mut self) -> Option<Value> {
        let (mut list, mut fields) = (Vec::new(), Map::new());
        while !self.take("}") {
            match self.key() {
                Some(key) => drop(fields.insert(key, self.value()?)),
                None => list.push(self.value()?),
            }
            if !self.take(",") && !self.rest.trim_start().starts_with('}') {
                return None;
            }
        }
        match (list.is_empty(), fields.is_empty()) {
            (true, _) => Some(Value::Object(fields)),
            (false, true) => Some(Value::Array(list)),
            (false, false) => None,
        }
    }

    /// `name =` or `["name"] =`, if one stands here.
    fn key(&mut self) -> Option<String> {
        let before = self.rest;
        let key = if self.take("[") {
            self.string().filter(|_| self.take("]"))
        } else {
            Some(self.word().to_owned()).filter(|word| !word.is_empty())
        };
        let key = key.filter(|_| self.take("="));
        if key.is_none() {
            self.rest = before;
        }
        key
    }

    /// A text in double quotes; its escapes are those of JSON.
    fn string(&mut self) -> Option<String> {
        self.skip();
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        })?;
        let (text, rest) = self.rest.split_at(end.0 + 1);
        self.rest = rest;
        serde_json::from_str(text).ok()
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let (word, rest) = self.rest.split_at(self.rest.find(|c| !part(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn take(&mut self, mark: &str) -> bool {
        self.skip();
        let after = self.rest.strip_prefix(mark);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn at_end(&mut self) -> bool {
        self.skip();
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(example: &str, expected: Option<&str>) {
        assert_eq!(command("box", "make", example).as_deref(), expected, "{example}");
    }

    #[test]
    fn literals_become_words() {
        check("", Some("zero box make"));
        check("\"crate\", 3, -0.5, true, nil", Some("zero box make crate 3 -0.5 true null"));
        check("\"two words\", \"60\"", Some("zero box make 'two words' '\"60\"'"));
        check("\"crate\", { position = { 0, 0.5, 0 } }", Some("zero box make crate '{\"position\":[0,0.5,0]}'"));
        check("{ [\"init.luau\"] = \"it's\" }, {}", Some(r#"zero box make '{"init.luau":"it'\''s"}' '{}'"#));
    }

    #[test]
    fn what_names_something_is_its_name() {
        check("asset.resolve(\"kit.suite\", \"testSuite\")", Some("zero box make kit.suite"));
        check("entity.spawn(\"crate\", { position = { 0, 1, 0 } }), \"x\"", Some("zero box make crate x"));
        check("local a = 1\ntools.use(\"box\", \"make\", \"crate\")", Some("zero box make crate"));
    }

    #[test]
    fn what_is_computed_stays_luau() {
        check("1 + 2", None);
        check("local a = 1\ntools.use(\"box\", \"make\", a)", None);
        check("function(item) return item end", None);
        check("{ 1, a = 2 }", None);
    }
}
