use zero_base::{Diagnostic, Severity, did_you_mean};
use zero_source::yaml::Node;

/// Of the unknown keys of one map: beyond that it is another file that lies here.
const MOST_UNKNOWN: usize = 20;

/// A map of a declaration being read: every key that is asked for is known, every other is
/// reported, and a value of the wrong kind is reported and left out.
pub(super) struct Form<'a> {
    /// None where the map is missing or is none: every key is absent then.
    node: Option<&'a Node>,
    file: &'a str,
    /// What the map is, in the words of a message.
    what: &'static str,
    asked: Vec<&'static str>,
}

impl<'a> Form<'a> {
    pub fn new(node: &'a Node, file: &'a str, what: &'static str, problems: &mut Vec<Diagnostic>) -> Form<'a> {
        if !node.is_map() {
            problems.push(wrong(file, node, what, "a map of keys"));
        }
        Form { node: Some(node).filter(|node| node.is_map()), file, what, asked: Vec::new() }
    }

    /// The value of a key, `null` counting as absent.
    pub fn value(&mut self, key: &'static str) -> Option<&'a Node> {
        self.asked.push(key);
        self.node?.get(key).filter(|value| !value.is_null())
    }

    pub fn text(&mut self, key: &'static str, problems: &mut Vec<Diagnostic>) -> Option<&'a str> {
        let value = self.value(key)?;
        let text = value.as_str().filter(|text| !text.trim().is_empty());
        self.or_report(text, value, key, "text", problems)
    }

    pub fn flag(&mut self, key: &'static str, problems: &mut Vec<Diagnostic>) -> bool {
        let Some(value) = self.value(key) else { return false };
        self.or_report(value.as_bool(), value, key, "true or false", problems).unwrap_or(false)
    }

    pub fn count(&mut self, key: &'static str, problems: &mut Vec<Diagnostic>) -> Option<u64> {
        let value = self.value(key)?;
        let number = value.as_i64().and_then(|number| u64::try_from(number).ok());
        self.or_report(number, value, key, "a whole number, 0 or more", problems)
    }

    /// A list; one value counts as a list of it.
    pub fn list(&mut self, key: &'static str) -> Vec<&'a Node> {
        match self.value(key) {
            Some(value) if value.is_list() => value.items().iter().collect(),
            Some(value) => vec![value],
            None => Vec::new(),
        }
    }

    pub fn texts(&mut self, key: &'static str, problems: &mut Vec<Diagnostic>) -> Vec<String> {
        let items = self.list(key);
        items
            .into_iter()
            .filter_map(|item| self.or_report(item.as_str(), item, key, "text", problems))
            .map(str::to_owned)
            .collect()
    }

    /// One of a fixed set of words.
    pub fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&str, T)],
        problems: &mut Vec<Diagnostic>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let text = value.as_str().unwrap_or_default();
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*meaning);
        }
        let choices: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("'{key}' is one of {}{}", choices.join(", "), did_you_mean(text, &choices));
        problems.push(
            Diagnostic::error("asset/bad_type", message).in_file(self.file).at(value.span()).choices(text, choices),
        );
        None
    }

    /// Reports a value that is not what its key takes.
    pub fn or_report<T>(
        &self,
        read: Option<T>,
        value: &Node,
        key: &str,
        expected: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<T> {
        if read.is_none() {
            problems.push(wrong(self.file, value, &format!("'{key}'"), expected));
        }
        read
    }

    /// Reports a key that must be there.
    pub fn require(&self, key: &str, problems: &mut Vec<Diagnostic>) {
        if let Some(node) = self.node {
            let message = format!("{} needs '{key}'", self.what);
            problems.push(Diagnostic::error("asset/bad_type", message).in_file(self.file).at(node.span()));
        }
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(self, problems: &mut Vec<Diagnostic>) {
        let entries = self.node.map(Node::entries).unwrap_or_default().iter();
        for entry in entries.filter(|entry| !self.asked.contains(&entry.key.as_str())).take(MOST_UNKNOWN) {
            let near = did_you_mean(&entry.key, &self.asked);
            let message = format!("{} has no key '{}'{near}", self.what, entry.key);
            let problem = Diagnostic::new(Severity::Warning, "asset/unknown_key", message).in_file(self.file);
            problems.push(problem.at(entry.key_span).choices(&entry.key, &self.asked));
        }
    }
}

fn wrong(file: &str, value: &Node, what: &str, expected: &str) -> Diagnostic {
    let message = format!("{what} is {expected}, not {}", article(value.type_name()));
    Diagnostic::error("asset/bad_type", message).in_file(file).at(value.span())
}

fn article(type_name: &str) -> String {
    if type_name == "null" { "nothing".to_owned() } else { format!("a {type_name}") }
}
