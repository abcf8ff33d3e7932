use std::collections::BTreeSet;

use zero_base::{Diagnostic, Span, did_you_mean};

use super::line_map::{Edit, ShaderText};
use super::{Defines, Includes, SourceFile};

/// Composes shader text from files: resolves `#include "name"` (each file once), keeps or drops
/// `// @when NAME value… … // @end` blocks, and prints defines where `#{NAME}` stands.
///
/// Directives stand on lines of their own. Blocks nest; a block is kept when the define NAME has
/// one of the listed values. A name that is not defined is an error, so that a slip of the pen
/// never silently drops code.
pub struct Preprocessor<'a> {
    defines: &'a Defines,
    includes: &'a dyn Includes,
    shader: ShaderText,
    included: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
}

const DEEPEST_INCLUDE: usize = 32;
const LONGEST_TEXT: usize = 512 << 10;

impl<'a> Preprocessor<'a> {
    pub fn new(defines: &'a Defines, includes: &'a dyn Includes) -> Preprocessor<'a> {
        Preprocessor {
            defines,
            includes,
            shader: ShaderText::default(),
            included: BTreeSet::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Adds a file and all it includes, unless it is already in.
    pub fn add(&mut self, file: &SourceFile) {
        self.add_at_depth(file, 0);
    }

    /// Adds the file that `name` stands for, as if an `#include` asked for it.
    pub fn add_include(&mut self, name: &str) {
        match self.includes.include(name, "") {
            Ok(file) => self.add(&file),
            Err(fault) => self.diagnostics.push(Diagnostic::error(fault.code, fault.message)),
        }
    }

    /// Adds lines that were made from another file: each carries the line of `path` to blame.
    pub fn add_generated(&mut self, path: &str, lines: &[(u32, String)]) {
        let file = self.shader.add_file(path);
        for (line, text) in lines {
            self.shader.add_line(file, *line, text, Vec::new());
        }
    }

    pub fn finish(self) -> Result<ShaderText, Vec<Diagnostic>> {
        if self.diagnostics.is_empty() { Ok(self.shader) } else { Err(self.diagnostics) }
    }

    fn add_at_depth(&mut self, file: &SourceFile, depth: usize) {
        if !self.included.insert(file.path.clone()) {
            return;
        }
        let id = self.shader.add_file(&file.path);
        let mut blocks: Vec<Block> = Vec::new();
        let mut comment_depth = 0;
        for (number, text) in (1..).zip(file.text.lines()) {
            let at = |message: String, code: &'static str| {
                let start = text.len() - text.trim_start().len();
                let span = Span { end_column: text.trim_end().len() as u32 + 1, ..Span::at(number, start as u32 + 1) };
                Diagnostic::error(code, message).in_file(&file.path).at(span)
            };
            let directive = if comment_depth == 0 { Directive::read(text) } else { Ok(Directive::Code) };
            comment_depth = comment_depth_after(text, comment_depth);
            let kept = blocks.iter().all(|block| block.kept);
            match directive {
                Ok(Directive::When { name, values }) => {
                    let defined = self.defines.get(name);
                    if kept && defined.is_none() {
                        let known: Vec<&String> = self.defines.keys().collect();
                        self.diagnostics.push(
                            at(
                                format!("'{name}' is not a variant of this shader{}", did_you_mean(name, &known)),
                                "shader/unknown_variant",
                            )
                            .choices(name, &known),
                        );
                    }
                    let kept = defined.is_some_and(|value| values.contains(&value.as_str()));
                    blocks.push(Block { line: number, kept });
                }
                Ok(Directive::End) => {
                    if blocks.pop().is_none() {
                        self.diagnostics.push(at("'@end' closes no '@when'".to_owned(), "shader/end_without_when"));
                    }
                }
                _ if !kept => {}
                Ok(Directive::Include(name)) => match self.includes.include(name, &file.path) {
                    Ok(_) if depth >= DEEPEST_INCLUDE => self.diagnostics.push(at(
                        format!("includes go deeper than {DEEPEST_INCLUDE} files here"),
                        "shader/include_depth",
                    )),
                    Ok(included) => self.add_at_depth(&included, depth + 1),
                    Err(fault) => {
                        self.diagnostics
                            .push(at(format!("'{name}' cannot be included: {}", fault.message), "shader/include"));
                    }
                },
                Ok(Directive::Code) => match substitute(text, self.defines) {
                    Ok((text, edits)) => self.shader.add_line(id, number, &text, edits),
                    Err((column, name)) => {
                        let known: Vec<&String> = self.defines.keys().collect();
                        let message = format!("'#{{{name}}}' names no define{}", did_you_mean(name, &known));
                        self.diagnostics.push(
                            Diagnostic::error("shader/unknown_define", message)
                                .in_file(&file.path)
                                .at(Span::at(number, column))
                                .choices(name, &known),
                        );
                    }
                },
                Err(message) => self.diagnostics.push(at(message, "shader/directive")),
            }
            if self.shader.text().len() > LONGEST_TEXT {
                self.diagnostics.push(at(
                    format!("the composed shader is longer than {} KiB", LONGEST_TEXT >> 10),
                    "shader/too_long",
                ));
                return;
            }
        }
        for block in blocks {
            self.diagnostics.push(
                Diagnostic::error("shader/when_without_end", "this '@when' is never closed by an '// @end'")
                    .in_file(&file.path)
                    .at(Span::at(block.line, 1)),
            );
        }
    }
}

struct Block {
    line: u32,
    kept: bool,
}

enum Directive<'a> {
    Include(&'a str),
    When { name: &'a str, values: Vec<&'a str> },
    End,
    Code,
}

impl<'a> Directive<'a> {
    fn read(line: &'a str) -> Result<Directive<'a>, String> {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("//").map(str::trim_start).and_then(|rest| rest.strip_prefix('@')) {
            let mut words = rest.split_ascii_whitespace();
            return match words.next() {
                Some("when") => match (words.next(), words.collect::<Vec<_>>()) {
                    (Some(name), values) if !values.is_empty() => Ok(Directive::When { name, values }),
                    _ => Err("'@when' needs a name and at least one value: // @when NAME value".to_owned()),
                },
                Some("end") => Ok(Directive::End),
                _ => Ok(Directive::Code),
            };
        }
        if !line.starts_with('#') || line.starts_with("#{") {
            return Ok(Directive::Code);
        }
        let name = line
            .strip_prefix("#include")
            .and_then(|rest| rest.trim_start().strip_prefix('"'))
            .and_then(|rest| rest.split_once('"'))
            .filter(|(name, rest)| !name.is_empty() && (rest.trim().is_empty() || rest.trim().starts_with("//")));
        match name {
            Some((name, _)) => Ok(Directive::Include(name)),
            None => Err(format!(
                "'{}' is no directive: lines that start with '#' are written #include \"identity\"",
                line.chars().take(60).collect::<String>()
            )),
        }
    }
}

/// Replaces every `#{NAME}`; or names the first one that is not defined, and its column.
fn substitute<'t>(text: &'t str, defines: &Defines) -> Result<(String, Vec<Edit>), (u32, &'t str)> {
    let mut composed = String::with_capacity(text.len());
    let mut edits = Vec::new();
    let mut done = 0;
    while let Some(found) = text[done..].find("#{") {
        let start = done + found;
        let name_start = start + 2;
        let Some(length) = text[name_start..].find('}') else { break };
        let name = &text[name_start..name_start + length];
        let value = defines.get(name).ok_or((start as u32 + 1, name))?;
        composed.push_str(&text[done..start]);
        let printed = composed.len();
        composed.push_str(value);
        done = name_start + length + 1;
        edits.push(Edit { composed: printed..composed.len(), authored: start..done });
    }
    composed.push_str(&text[done..]);
    Ok((composed, edits))
}

/// How many block comments are open after `line`: WGSL's nest, and directives in them are text.
fn comment_depth_after(line: &str, mut depth: usize) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        match (&bytes[at..at + 2], depth) {
            (b"//", 0) => return 0,
            (b"/*", _) => (depth, at) = (depth + 1, at + 2),
            (b"*/", 1..) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    depth
}
