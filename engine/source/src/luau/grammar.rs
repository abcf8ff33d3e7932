//! The grammar of types, as Luau 0.740 reads it.

use zero_base::Span;

use super::lexer::Kind;
use super::literal;
use super::script::Script;
use super::types::{FunctionType, Indexer, TableField, TableType, Type};
use super::words;

/// Types nest at most this deep; deeper ones are refused, so that no reader of a type can
/// run out of stack.
const DEPTH_LIMIT: usize = 100;

/// A place where the text is not what the grammar asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub message: String,
    pub span: Span,
}

pub(super) type Parsed<T> = Result<T, Refusal>;

/// Reads types and headers from the tokens of a script.
pub(super) struct Grammar<'a> {
    pub script: &'a Script<'a>,
    /// The next token.
    pub at: usize,
    depth: usize,
}

impl<'a> Grammar<'a> {
    pub fn new(script: &'a Script<'a>, at: usize) -> Grammar<'a> {
        Grammar { script, at, depth: 0 }
    }

    pub fn is(&self, word: &str) -> bool {
        self.script.is(self.at, word)
    }

    /// Steps over `word` if it is next.
    pub fn take(&mut self, word: &str) -> bool {
        let found = self.is(word);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.take(word) { Ok(()) } else { Err(self.expected(&format!("'{word}'"))) }
    }

    pub fn name(&mut self, what: &str) -> Parsed<&'a str> {
        if self.script.kind(self.at) != Some(Kind::Name) {
            return Err(self.expected(what));
        }
        self.at += 1;
        Ok(self.script.word(self.at - 1))
    }

    /// `expected X, got Y`, at the next token.
    pub fn expected(&self, what: &str) -> Refusal {
        let got = match self.script.tokens.get(self.at) {
            None => "the end of the file".to_owned(),
            Some(_) => format!("'{}'", super::text::clip(self.script.word(self.at), 40)),
        };
        Refusal { message: format!("expected {what}, got {got}"), span: self.script.token_span(self.at) }
    }

    /// A type with everything that can follow its first part: `A | B`, `A & B`, `A?`.
    pub fn type_(&mut self) -> Parsed<Type> {
        self.nested(|grammar| {
            let first = if grammar.is("|") || grammar.is("&") { None } else { Some(grammar.simple_type()?) };
            grammar.suffix(first)
        })
    }

    /// Keeps the nesting of what `read` reads within the limit.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEPTH_LIMIT {
            return Err(Refusal {
                message: format!("types nest deeper than {DEPTH_LIMIT} levels; name the inner ones with `type`"),
                span: self.script.token_span(self.at),
            });
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn suffix(&mut self, first: Option<Type>) -> Parsed<Type> {
        let mut parts: Vec<Type> = first.into_iter().collect();
        let (mut union, mut intersection, mut optional) = (false, false, false);
        loop {
            let operator = self.at;
            if self.take("?") {
                optional = true;
            } else if self.take("|") {
                union = true;
                parts.push(self.simple_type()?);
            } else if self.take("&") {
                intersection = true;
                parts.push(self.simple_type()?);
            } else {
                break;
            }
            if intersection && (union || optional) {
                return Err(Refusal {
                    message: "a union and an intersection are mixed; put parentheses around one".to_owned(),
                    span: self.script.token_span(operator),
                });
            }
        }
        let mut type_ = match parts.len() {
            0 => return Err(self.expected("a type")),
            1 => parts.swap_remove(0),
            _ if union => Type::Union(parts),
            _ => Type::Intersection(parts),
        };
        if optional && !matches!(type_, Type::Optional(_)) {
            type_ = Type::Optional(Box::new(type_));
        }
        Ok(type_)
    }

    fn simple_type(&mut self) -> Parsed<Type> {
        let script = self.script;
        match script.kind(self.at) {
            Some(Kind::Name) => self.named(),
            Some(Kind::Text) => {
                self.at += 1;
                Ok(Type::Literal(literal::unquote(script.word(self.at - 1))))
            }
            Some(Kind::Keyword) => {
                let type_ = match script.word(self.at) {
                    "nil" => Type::Nil,
                    "true" => Type::Boolean(true),
                    "false" => Type::Boolean(false),
                    _ => return Err(self.expected("a type")),
                };
                self.at += 1;
                Ok(type_)
            }
            Some(Kind::Symbol) if self.is("{") => self.table(),
            Some(Kind::Symbol) if self.is("(") || self.is("<") => self.function_or_group(),
            _ => Err(self.expected("a type")),
        }
    }

    fn named(&mut self) -> Parsed<Type> {
        let mut name = self.name("a type")?;
        if name == "typeof" && self.is("(") {
            return self.typeof_();
        }
        let mut module = None;
        if self.take(".") {
            module = Some(name.to_owned());
            name = self.name("the name of a type")?;
        }
        let arguments = if self.take("<") { self.arguments()? } else { Vec::new() };
        Ok(Type::Named { module, name: name.to_owned(), arguments })
    }

    /// The expression is not read, only stepped over.
    fn typeof_(&mut self) -> Parsed<Type> {
        let open = self.at;
        let Some(close) = self.script.typeof_end(open) else {
            self.at = self.script.tokens.len();
            return Err(self.expected("')'"));
        };
        self.at = close + 1;
        let (start, end) = (self.script.tokens[open].end, self.script.tokens[close].start);
        Ok(Type::Typeof(self.script.slice(start, end).trim().to_owned()))
    }

    /// What stands between `<` and `>` after the name of an alias.
    fn arguments(&mut self) -> Parsed<Vec<Type>> {
        let mut arguments = Vec::new();
        if self.take(">") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.type_or_pack()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(">")?;
        Ok(arguments)
    }

    /// A type, `...T`, `T...` or `(A, B)`.
    pub fn type_or_pack(&mut self) -> Parsed<Type> {
        if let Some(pack) = self.pack_tail()? {
            return Ok(pack);
        }
        if !self.is("(") {
            return self.type_();
        }
        match self.parenthesised(Group::Pack)? {
            Type::Pack(mut items) if items.len() == 1 && (self.is("?") || self.is("|") || self.is("&")) => {
                self.suffix(items.pop())
            }
            Type::Pack(items) => Ok(Type::Pack(items)),
            function => self.suffix(Some(function)),
        }
    }

    /// `...T` or `T...`, if one of them is next.
    fn pack_tail(&mut self) -> Parsed<Option<Type>> {
        if self.take("...") {
            return Ok(Some(Type::Variadic(Box::new(self.type_()?))));
        }
        if self.script.kind(self.at) == Some(Kind::Name) && self.script.is(self.at + 1, "...") {
            let name = self.script.word(self.at).to_owned();
            self.at += 2;
            return Ok(Some(Type::GenericPack(name)));
        }
        Ok(None)
    }

    fn table(&mut self) -> Parsed<Type> {
        self.expect("{")?;
        let mut table = TableType::default();
        loop {
            if self.take("}") {
                return Ok(Type::Table(table));
            }
            let start = self.at;
            let colon_next = self.script.is(self.at + 1, ":");
            if (self.script.is_name(self.at, "read") || self.script.is_name(self.at, "write"))
                && !colon_next
                && (self.script.kind(self.at + 1) == Some(Kind::Name) || self.script.is(self.at + 1, "["))
            {
                self.at += 1;
            }
            let named = self.script.kind(self.at) == Some(Kind::Name) && self.script.is(self.at + 1, ":");
            if self.is("[") {
                self.bracketed(&mut table, start)?;
            } else if named {
                let name = self.name("the name of a field")?.to_owned();
                self.expect(":")?;
                self.field(&mut table, name, start)?;
            } else if table.fields.is_empty() && table.indexer.is_none() {
                let item = self.type_()?;
                self.expect("}")?;
                return Ok(Type::Array(Box::new(item)));
            } else {
                self.name("the name of a field")?;
                self.expect(":")?;
            }
            if !self.take(",") && !self.take(";") && !self.is("}") {
                return Err(self.expected("'}'"));
            }
        }
    }

    /// `["odd key"]: T` or `[K]: V`
    fn bracketed(&mut self, table: &mut TableType, start: usize) -> Parsed<()> {
        let open = self.at;
        self.expect("[")?;
        if self.script.kind(self.at) == Some(Kind::Text) && self.script.is(self.at + 1, "]") {
            let name = literal::unquote(self.script.word(self.at));
            self.at += 2;
            self.expect(":")?;
            return self.field(table, name, start);
        }
        let key = self.type_()?;
        self.expect("]")?;
        self.expect(":")?;
        let value = self.type_()?;
        if table.indexer.is_some() {
            return Err(Refusal {
                message: "a table type has at most one indexer".to_owned(),
                span: self.script.token_span(open),
            });
        }
        table.indexer = Some(Box::new(Indexer { key, value }));
        Ok(())
    }

    fn field(&mut self, table: &mut TableType, name: String, start: usize) -> Parsed<()> {
        let type_ = self.type_()?;
        let description = words::of_field(self.script, start, self.at);
        table.fields.push(TableField { name, type_, description });
        Ok(())
    }

    fn function_or_group(&mut self) -> Parsed<Type> {
        let generics = if self.is("<") { Some(self.generic_names()?) } else { None };
        let type_ = self.parenthesised(if generics.is_some() { Group::Function } else { Group::Type })?;
        match (type_, generics) {
            (Type::Function(function), Some(generics)) => Ok(Type::Function(FunctionType { generics, ..function })),
            (type_, _) => Ok(type_),
        }
    }

    /// What starts with `(`: a function type, a type in parentheses, or a pack.
    fn parenthesised(&mut self, group: Group) -> Parsed<Type> {
        self.expect("(")?;
        let mut params: Vec<(Option<String>, Type)> = Vec::new();
        while !self.is(")") {
            if let Some(pack) = self.pack_tail()? {
                params.push((None, pack));
                break;
            }
            let named = self.script.kind(self.at) == Some(Kind::Name) && self.script.is(self.at + 1, ":");
            let mut name = None;
            if named {
                name = Some(self.name("the name of a parameter")?.to_owned());
                self.expect(":")?;
            }
            params.push((name, self.type_()?));
            if !self.take(",") {
                break;
            }
            if self.is(")") {
                return Err(self.expected("a type"));
            }
        }
        self.expect(")")?;
        if self.take("->") {
            let returns = self.return_types()?;
            return Ok(Type::Function(FunctionType { generics: Vec::new(), params, returns }));
        }
        let named = params.iter().any(|(name, _)| name.is_some());
        let tail = matches!(params.last(), Some((_, Type::Variadic(_) | Type::GenericPack(_))));
        match group {
            Group::Pack if !named => Ok(Type::Pack(params.into_iter().map(|(_, type_)| type_).collect())),
            Group::Type if params.len() == 1 && !named && !tail => Ok(params.swap_remove(0).1),
            _ => Err(self.expected("'->'")),
        }
    }

    /// What follows `:` after the parameters, or `->` in a function type.
    pub fn return_types(&mut self) -> Parsed<Vec<Type>> {
        if let Some(pack) = self.pack_tail()? {
            return Ok(vec![pack]);
        }
        if !self.is("(") {
            return Ok(vec![self.type_()?]);
        }
        self.nested(|grammar| match grammar.parenthesised(Group::Pack)? {
            Type::Pack(mut items)
                if items.len() == 1 && !matches!(items[0], Type::Variadic(_) | Type::GenericPack(_)) =>
            {
                Ok(vec![grammar.suffix(items.pop())?])
            }
            Type::Pack(items) => Ok(items),
            // A function type ends where its own return types end.
            function => Ok(vec![function]),
        })
    }

    /// `<T, U...>` before the parameters of a function.
    pub fn generic_names(&mut self) -> Parsed<Vec<String>> {
        self.expect("<")?;
        let mut names = Vec::new();
        loop {
            let name = self.name("the name of a type parameter")?;
            let pack = self.take("...");
            names.push(if pack { format!("{name}...") } else { name.to_owned() });
            if !self.take(",") {
                break;
            }
        }
        self.expect(">")?;
        Ok(names)
    }
}

/// What a parenthesis that no `->` follows may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Type,
    Pack,
    Function,
}
