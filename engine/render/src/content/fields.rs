use std::ops::RangeInclusive;

use zero_base::{Diagnostic, Span, did_you_mean};
use zero_source::yaml::Node;

/// Reads the keys of one map: what is missing has its default, what is wrong or unknown is a
/// diagnostic at its place.
pub(super) struct Fields<'a> {
    node: &'a Node,
    path: &'a str,
    code: &'static str,
    known: Vec<&'static str>,
    pub(super) problems: Vec<Diagnostic>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(node: &'a Node, path: &'a str, code: &'static str) -> Fields<'a> {
        let mut fields = Fields { node, path, code, known: Vec::new(), problems: Vec::new() };
        if !node.is_map() && !node.is_null() {
            fields.complain(node.span(), format!("expected a map of keys and values, not a {}", node.type_name()));
        }
        fields
    }

    pub(super) fn get(&mut self, key: &'static str) -> Option<&'a Node> {
        self.known.push(key);
        self.node.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, key: &'static str) -> Option<&'a str> {
        let node = self.get(key)?;
        let text = node.as_str();
        if text.is_none() {
            self.complain(node.span(), format!("'{key}' is a text, not a {}", node.type_name()));
        }
        text
    }

    pub(super) fn number(&mut self, key: &'static str, default: f64, range: RangeInclusive<f64>) -> f64 {
        let Some(node) = self.get(key) else { return default };
        self.number_of(node, key, &range).unwrap_or(default)
    }

    pub(super) fn whole(&mut self, key: &'static str, default: u32, range: RangeInclusive<u32>) -> u32 {
        let Some(node) = self.get(key) else { return default };
        match node.as_i64().and_then(|number| u32::try_from(number).ok()).filter(|number| range.contains(number)) {
            Some(number) => number,
            None => {
                let (low, high) = (range.start(), range.end());
                self.complain(node.span(), format!("'{key}' is a whole number from {low} to {high}"));
                default
            }
        }
    }

    /// A list of `N` numbers; one number stands for all of them.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        key: &'static str,
        default: [f64; N],
        range: RangeInclusive<f64>,
    ) -> [f64; N] {
        let Some(node) = self.get(key) else { return default };
        if !node.is_list() {
            return self.number_of(node, key, &range).map_or(default, |number| [number; N]);
        }
        if node.items().len() != N {
            let given = node.items().len();
            self.complain(node.span(), format!("'{key}' is a number or a list of {N}, not of {given}"));
            return default;
        }
        let mut numbers = default;
        for (slot, item) in numbers.iter_mut().zip(node.items()) {
            if let Some(number) = self.number_of(item, key, &range) {
                *slot = number;
            }
        }
        numbers
    }

    pub(super) fn complain(&mut self, span: Span, message: String) {
        self.problems.push(Diagnostic::error(self.code, message).in_file(self.path).at(span));
    }

    /// Reports every key that nobody asked for, and hands back all problems.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        for entry in self.node.entries() {
            if !self.known.contains(&entry.key.as_str()) {
                let message = format!("'{}' means nothing here{}", entry.key, did_you_mean(&entry.key, &self.known));
                self.problems.push(
                    Diagnostic::error(self.code, message)
                        .in_file(self.path)
                        .at(entry.key_span)
                        .choices(&entry.key, &self.known),
                );
            }
        }
        self.problems
    }

    fn number_of(&mut self, node: &Node, key: &str, range: &RangeInclusive<f64>) -> Option<f64> {
        let number = node.as_f64().filter(|number| number.is_finite() && range.contains(number));
        if number.is_none() {
            let (low, high) = (range.start(), range.end());
            self.complain(node.span(), format!("'{key}' is a number from {low} to {high}"));
        }
        number
    }
}
