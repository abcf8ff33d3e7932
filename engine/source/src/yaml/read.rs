use std::collections::HashMap;
use std::ops::Range;

use serde_saphyr::granit_parser::{self as granit, Event, Parser, ScalarStyle, StructureStyle, Tag};
use zero_base::{Diagnostic, Related, Span};

use super::node::Layout;
use super::{MAX_BYTES, MAX_DEPTH, MAX_NODES, Node, Value, scalar};

mod expand;

/// Reads one document. Every error that can be told apart is reported: `yaml/syntax`,
/// `yaml/duplicate_key`, `yaml/too_deep`, `yaml/too_large`. Empty text is null.
pub fn parse(text: &str) -> Result<Node, Vec<Diagnostic>> {
    if text.len() > MAX_BYTES {
        let message = format!("the text is {} bytes long; at most {MAX_BYTES} are read", text.len());
        return Err(vec![Diagnostic::error("yaml/too_large", message)]);
    }
    let mut reader = Reader::new(text);
    if let Err(problem) = reader.read() {
        reader.problems.push(*problem);
    }
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    reader.expand().map_err(|problem| vec![*problem])
}

/// [`parse`], with every diagnostic naming the file.
pub fn parse_file(text: &str, path: &str) -> Result<Node, Vec<Diagnostic>> {
    parse(text).map_err(|problems| {
        let name = |mut problem: Diagnostic| {
            problem.related.iter_mut().for_each(|related| related.path = path.to_owned());
            problem.in_file(path)
        };
        problems.into_iter().map(name).collect()
    })
}

/// A node before aliases are followed: children are places in the arena, so that an alias
/// costs nothing until [`Reader::expand`] counts what it stands for.
struct Raw {
    content: Content,
    bytes: Range<usize>,
    layout: Layout,
}

enum Content {
    Scalar(Value),
    List(Vec<usize>),
    Map(Vec<(RawKey, usize)>),
    Alias(usize),
}

struct RawKey {
    text: String,
    bytes: Range<usize>,
}

/// A collection whose end has not been read.
struct Open {
    node: usize,
    key: Option<RawKey>,
    seen: HashMap<String, Span>,
}

struct Reader<'a> {
    text: &'a str,
    lines: Vec<usize>,
    arena: Vec<Raw>,
    open: Vec<Open>,
    anchors: HashMap<usize, usize>,
    root: Option<usize>,
    problems: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Reader {
            text,
            lines: std::iter::once(0).chain(starts).collect(),
            arena: Vec::new(),
            open: Vec::new(),
            anchors: HashMap::new(),
            root: None,
            problems: Vec::new(),
        }
    }

    fn read(&mut self) -> Result<(), Box<Diagnostic>> {
        // Keys of JSON text may be longer than the 1024 characters YAML asks readers to expect.
        const LONGEST_KEY: usize = 64 * 1024;
        let mut options = granit::options! { simple_key_max_lookahead: LONGEST_KEY };
        options.set_emit_comments(false);
        let mut documents = 0;
        for next in Parser::new_from_str_with_options(self.text, options) {
            let (event, span) = next.map_err(|error| self.scan_error(&error))?;
            let bytes = span.byte_range().unwrap_or(0..0);
            match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(self.error(
                            "yaml/syntax",
                            &bytes,
                            "a file holds one document; remove the second '---'",
                        ));
                    }
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let value = self.scalar(&text, style, tag.as_deref(), &bytes)?;
                    let layout = match style {
                        ScalarStyle::Literal | ScalarStyle::Folded => Layout::BlockScalar,
                        _ => Layout::Scalar,
                    };
                    let is_key = self.open.last().is_some_and(|open| self.expects_key(open));
                    if is_key {
                        self.key(&text, style, value, anchor, bytes)?;
                    } else {
                        self.add(Content::Scalar(value), bytes, layout, anchor)?;
                    }
                }
                Event::SequenceStart(style, anchor, tag) => {
                    self.check_tag(tag.as_deref(), "seq", &bytes)?;
                    self.open(Content::List(Vec::new()), bytes, layout_of(style), anchor)?;
                }
                Event::MappingStart(style, anchor, tag) => {
                    self.check_tag(tag.as_deref(), "map", &bytes)?;
                    self.open(Content::Map(Vec::new()), bytes, layout_of(style), anchor)?;
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let open = self.open.pop().expect("the parser balances its events");
                    let raw = &mut self.arena[open.node];
                    raw.bytes.end = raw.bytes.end.max(bytes.end);
                }
                Event::Alias(anchor) => {
                    let target = self.anchors.get(&anchor).copied();
                    let Some(target) = target.filter(|target| self.open.iter().all(|open| open.node != *target)) else {
                        return Err(self.error("yaml/syntax", &bytes, "an alias cannot stand inside what it repeats"));
                    };
                    self.add(Content::Alias(target), bytes, Layout::Alias, 0)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        bytes: &Range<usize>,
    ) -> Result<Value, Box<Diagnostic>> {
        let syntax = |message: &str| self.error("yaml/syntax", bytes, message);
        let plain = || scalar::resolve(text).map_err(|reason| syntax(&format!("'{text}': {reason}")));
        let Some(tag) = tag else {
            return if style == ScalarStyle::Plain { plain() } else { Ok(Value::String(text.to_owned())) };
        };
        let value = match tag.core_suffix() {
            Some("str") => return Ok(Value::String(text.to_owned())),
            Some("null" | "bool" | "int" | "float") => plain()?,
            // `!` alone asks for a string.
            _ if tag.handle().is_empty() && tag.suffix() == "!" => return Ok(Value::String(text.to_owned())),
            _ => return Err(self.unknown_tag(tag, bytes)),
        };
        let fits = match (tag.core_suffix(), &value) {
            (Some("null"), Value::Null) | (Some("bool"), Value::Bool(_)) | (Some("float"), Value::Number(_)) => true,
            (Some("int"), Value::Number(number)) => number.is_i64() || number.is_u64(),
            _ => false,
        };
        if fits { Ok(value) } else { Err(syntax(&format!("'{text}' is not what its tag {} says", tag.original()))) }
    }

    fn check_tag(&self, tag: Option<&Tag>, expected: &str, bytes: &Range<usize>) -> Result<(), Box<Diagnostic>> {
        match tag {
            Some(tag) if tag.core_suffix() != Some(expected) => Err(self.unknown_tag(tag, bytes)),
            _ => Ok(()),
        }
    }

    fn unknown_tag(&self, tag: &Tag, bytes: &Range<usize>) -> Box<Diagnostic> {
        let message = format!("the tag {} has no meaning here; remove it (data is told by its keys)", tag.original());
        self.error("yaml/syntax", bytes, &message)
    }

    fn expects_key(&self, open: &Open) -> bool {
        matches!(self.arena[open.node].content, Content::Map(_)) && open.key.is_none()
    }

    fn key(
        &mut self,
        text: &str,
        style: ScalarStyle,
        value: Value,
        anchor: usize,
        bytes: Range<usize>,
    ) -> Result<(), Box<Diagnostic>> {
        let Value::String(key) = value else {
            let message = format!("keys are strings: write \"{text}\" in quotes");
            return Err(self.error("yaml/syntax", &bytes, &message));
        };
        if style == ScalarStyle::Plain && key == "<<" {
            let message = "merge keys ('<<') are not part of YAML 1.2; write the fields out";
            return Err(self.error("yaml/syntax", &bytes, message));
        }
        if anchor != 0 {
            return Err(self.error("yaml/syntax", &bytes, "a key cannot carry an anchor"));
        }
        let span = self.span(&bytes);
        let open = self.open.last_mut().expect("a key stands in a map");
        if let Some(first) = open.seen.get(&key) {
            let lines = (first.line, span.line);
            let message = format!("the key '{key}' is written twice in one map, on lines {} and {}", lines.0, lines.1);
            let related = Related { message: "first written here".into(), path: String::new(), span: Some(*first) };
            let mut problem = Diagnostic::error("yaml/duplicate_key", message).at(span);
            problem.related.push(related);
            self.problems.push(problem);
        } else {
            open.seen.insert(key.clone(), span);
        }
        open.key = Some(RawKey { text: key, bytes });
        Ok(())
    }

    fn open(
        &mut self,
        content: Content,
        bytes: Range<usize>,
        layout: Layout,
        anchor: usize,
    ) -> Result<(), Box<Diagnostic>> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.too_deep(&bytes));
        }
        let node = self.add(content, bytes, layout, anchor)?;
        self.open.push(Open { node, key: None, seen: HashMap::new() });
        Ok(())
    }

    fn add(
        &mut self,
        content: Content,
        bytes: Range<usize>,
        layout: Layout,
        anchor: usize,
    ) -> Result<usize, Box<Diagnostic>> {
        if self.arena.len() >= MAX_NODES {
            return Err(self.too_many(&bytes));
        }
        let node = self.arena.len();
        if self.open.last().is_some_and(|open| self.expects_key(open)) {
            return Err(self.error("yaml/syntax", &bytes, "keys are strings, not lists, maps or aliases"));
        }
        self.arena.push(Raw { content, bytes, layout });
        if anchor != 0 {
            self.anchors.insert(anchor, node);
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(node);
        };
        match &mut self.arena[open.node].content {
            Content::List(items) => items.push(node),
            Content::Map(entries) => {
                entries.push((open.key.take().expect("a map's value follows its key"), node));
            }
            Content::Scalar(_) | Content::Alias(_) => unreachable!("only collections are opened"),
        }
        Ok(node)
    }

    fn too_many(&self, bytes: &Range<usize>) -> Box<Diagnostic> {
        let message = format!("more than {MAX_NODES} values, each use of an alias counted as what it repeats");
        self.error("yaml/too_large", bytes, &message)
    }

    fn too_deep(&self, bytes: &Range<usize>) -> Box<Diagnostic> {
        self.error("yaml/too_deep", bytes, &format!("lists and maps are nested more than {MAX_DEPTH} deep"))
    }

    fn scan_error(&self, error: &granit::ScanError) -> Box<Diagnostic> {
        let at = error.marker().byte_offset().unwrap_or(self.text.len());
        if matches!(error.kind(), granit::ErrorKind::RecursionLimitExceeded) {
            return self.too_deep(&(at..at));
        }
        self.error("yaml/syntax", &(at..at), &error.info())
    }

    fn error(&self, code: &'static str, bytes: &Range<usize>, message: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, message).at(self.span(bytes)))
    }

    fn span(&self, bytes: &Range<usize>) -> Span {
        let (line, column) = self.place(bytes.start);
        let (end_line, end_column) = self.place(bytes.end.max(bytes.start));
        Span { line, column, end_line, end_column }
    }

    fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|start| *start <= offset);
        (line as u32, (offset - self.lines[line - 1]) as u32 + 1)
    }
}

fn layout_of(style: StructureStyle) -> Layout {
    match style {
        StructureStyle::Block => Layout::Block,
        StructureStyle::Flow => Layout::Flow,
    }
}
