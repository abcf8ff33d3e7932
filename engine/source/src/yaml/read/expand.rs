use std::ops::Range;

use zero_base::{Diagnostic, Span};

use super::super::node::{Layout, Source};
use super::super::{Entry, MAX_BYTES, MAX_DEPTH, MAX_NODES, Node, Value};
use super::{Content, Reader};

impl Reader<'_> {
    /// The tree of nodes, with every alias replaced by what it stands for, within the budgets.
    pub(super) fn expand(&self) -> Result<Node, Box<Diagnostic>> {
        let Some(root) = self.root else {
            let source = Source { bytes: self.text.len()..self.text.len(), layout: Layout::Scalar };
            return Ok(Node { value: Value::Null, span: Span::at(1, 1), source });
        };
        let mut budget = Budget { nodes: MAX_NODES, repeated_bytes: MAX_BYTES };
        self.build(root, 0, Repeat::No, &mut budget)
    }

    /// Recursion is as deep as the nesting, which is bounded.
    fn build(&self, at: usize, depth: usize, repeat: Repeat, budget: &mut Budget) -> Result<Node, Box<Diagnostic>> {
        let raw = &self.arena[at];
        budget.nodes = budget.nodes.checked_sub(1).ok_or_else(|| self.too_many(&raw.bytes))?;
        let value = match &raw.content {
            Content::Scalar(value) => {
                if let (Repeat::Yes, Value::String(text)) = (repeat, value) {
                    self.repeat(text.len(), &raw.bytes, budget)?;
                }
                value.clone()
            }
            Content::Alias(target) => self.build(*target, depth, Repeat::Yes, budget)?.value,
            Content::List(_) | Content::Map(_) if depth >= MAX_DEPTH => return Err(self.too_deep(&raw.bytes)),
            Content::List(items) => {
                let items = items.iter().map(|item| self.build(*item, depth + 1, repeat, budget));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Content::Map(entries) => {
                let mut built = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    if let Repeat::Yes = repeat {
                        self.repeat(key.text.len(), &raw.bytes, budget)?;
                    }
                    let value = self.build(*value, depth + 1, repeat, budget)?;
                    let key_span = self.span(&key.bytes);
                    built.push(Entry { key: key.text.clone(), key_span, value, key_bytes: key.bytes.clone() });
                }
                Value::Map(built)
            }
        };
        let source = Source { bytes: raw.bytes.clone(), layout: raw.layout };
        Ok(Node { value, span: self.span(&raw.bytes), source })
    }

    fn repeat(&self, bytes: usize, at: &Range<usize>, budget: &mut Budget) -> Result<(), Box<Diagnostic>> {
        let left = budget.repeated_bytes.checked_sub(bytes);
        budget.repeated_bytes = left.ok_or_else(|| {
            let message = format!("aliases repeat more than {MAX_BYTES} bytes of text");
            self.error("yaml/too_large", at, &message)
        })?;
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Repeat {
    Yes,
    No,
}

struct Budget {
    nodes: usize,
    repeated_bytes: usize,
}
