//! What one file of Luau declares, read without running it.

use std::fmt;

use zero_base::{Diagnostic, Span};

use super::types::{Type, separated};

/// Everything [`crate::luau::parse`] found in one file. Half-typed files give what can be
/// read of them, and diagnostics for the rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chunk {
    /// Named functions in the order they are written, typed or not.
    pub functions: Vec<Signature>,
    pub types: Vec<TypeAlias>,
    pub requires: Vec<RequireCall>,
    /// Look-ups of assets by a literal name.
    pub lookups: Vec<LookupCall>,
    /// `--!members <Type>`
    pub members: Vec<Members>,
    /// How what the chunk returns begins: `M` of `return M`. None where it returns nothing.
    pub returned: Option<String>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Chunk {
    /// The function of that name, `M.spawn`; the last one where a name is declared twice,
    /// because that is the one the script keeps.
    pub fn function(&self, name: &str) -> Option<&Signature> {
        self.functions.iter().rev().find(|function| function.name == name)
    }

    /// What the script offers others, in order: the functions of the table it returns; of a
    /// script that returns nothing, its global functions.
    pub fn offered(&self) -> Vec<&Signature> {
        let public = || self.functions.iter().filter(|function| !function.local && !function.nested);
        let owner = self.returned.as_deref();
        let of_table = |function: &&Signature| function.owner().is_some_and(|of| owner.is_none_or(|owner| of == owner));
        let narrowest = [
            public().filter(|function| owner.is_none() && function.owner().is_none()).collect::<Vec<_>>(),
            public().filter(of_table).collect(),
            // `return setmetatable(M, …)`, or a return that is not written yet.
            public().filter(|function| function.owner().is_some()).collect(),
        ];
        narrowest.into_iter().find(|functions| !functions.is_empty()).unwrap_or_default()
    }

    /// The alias of that name, those outside of functions first.
    pub fn alias(&self, name: &str) -> Option<&TypeAlias> {
        alias_named(&self.types, name)
    }
}

pub(super) fn alias_named<'a>(types: &'a [TypeAlias], name: &str) -> Option<&'a TypeAlias> {
    let mut named = types.iter().filter(|alias| alias.name == name);
    let first = named.next()?;
    if first.nested { Some(named.find(|alias| !alias.nested).unwrap_or(first)) } else { Some(first) }
}

/// The header of a named function, with the words above it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signature {
    /// As it is written after `function`: `M.spawn`, `M:rename`, `update`.
    pub name: String,
    /// Written with a colon: `self` is not among the parameters.
    pub method: bool,
    pub local: bool,
    /// `typed function`: its arguments are checked at every call.
    pub typed: bool,
    /// Declared inside another function.
    pub nested: bool,
    pub generics: Vec<String>,
    pub params: Vec<Param>,
    /// What `...` holds: `any` where it has no annotation, none without `...`.
    pub variadic: Option<Type>,
    /// `--!arg ... text`
    pub variadic_description: String,
    pub returns: Vec<Type>,
    /// `--!desc`
    pub description: String,
    /// `--!return`
    pub return_description: String,
    /// `--!example`, one entry for each.
    pub examples: Vec<String>,
    /// Line of the declaration, from 1.
    pub line: u32,
    /// From `typed`, `local` or `function` to the end of the header.
    pub span: Span,
}

impl Signature {
    /// The last part of the name: `spawn` of `M.spawn`.
    pub fn short_name(&self) -> &str {
        self.name.rsplit(['.', ':']).next().unwrap_or(&self.name)
    }

    /// The table it is a member of: `M` of `M.spawn`.
    pub fn owner(&self) -> Option<&str> {
        self.name.rsplit_once(['.', ':']).map(|(owner, _)| owner)
    }

    /// The call as a reader sees it: `spawn(kind: "cube" | "sphere", opts: SpawnOpts?): {EntityRef}`.
    pub fn call_text(&self) -> String {
        CallText(self).to_string()
    }
}

struct CallText<'a>(&'a Signature);

impl fmt::Display for CallText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signature = self.0;
        f.write_str(signature.short_name())?;
        if !signature.generics.is_empty() {
            write!(f, "<{}>", signature.generics.join(", "))?;
        }
        f.write_str("(")?;
        separated(f, ", ", &signature.params)?;
        if let Some(rest) = &signature.variadic {
            let comma = if signature.params.is_empty() { "" } else { ", " };
            write!(f, "{comma}...: {rest}")?;
        }
        f.write_str(")")?;
        if signature.returns.is_empty() {
            return Ok(());
        }
        write!(f, ": {}", super::types::ReturnTypes(&signature.returns))
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Param {
    pub name: String,
    pub type_: Option<Type>,
    /// `--!arg name text`
    pub description: String,
    pub span: Span,
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.type_ {
            Some(type_) => write!(f, "{}: {type_}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// `type Name<T> = …`, `export type Name = …`
#[derive(Debug, Clone, PartialEq)]
pub struct TypeAlias {
    pub name: String,
    pub exported: bool,
    /// Declared inside a function.
    pub nested: bool,
    pub generics: Vec<Generic>,
    pub type_: Type,
    pub description: String,
    pub line: u32,
}

/// A parameter of a type alias.
#[derive(Debug, Clone, PartialEq)]
pub struct Generic {
    pub name: String,
    /// `T...`
    pub pack: bool,
    pub default: Option<Type>,
}

/// `require("name")`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequireCall {
    pub name: String,
    /// The literal, quotes included.
    pub span: Span,
    /// The local that holds the module itself.
    pub local: Option<String>,
}

/// A call that finds an asset by a literal name: `asset.resolve("demo.gold", "material")`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupCall {
    /// `asset.resolve`
    pub call: &'static str,
    /// Position of the name among the arguments, from 1.
    pub argument: usize,
    pub name: String,
    pub type_: Option<String>,
    /// The literal, quotes included.
    pub span: Span,
}

/// `--!members <Type>`: the table declared on the next line of code has the members of that
/// type, whatever its metatable does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    pub type_name: String,
    /// The name after `local`, where the next line of code declares one.
    pub local: Option<String>,
    pub span: Span,
}

/// A string literal given to a call, on its own or as a field of a table written in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralCall {
    /// As written: `asset.resolve`, `g:node`. What hangs off a call or an index starts with
    /// its separator: `:node`.
    pub callee: String,
    /// Which call of the file it is, from 0: literals of one call share the number.
    pub call: usize,
    /// Position among the arguments, from 1; a method's `self` is not counted.
    pub position: usize,
    pub literal: String,
    /// The field of the table at that position which holds the literal.
    pub table_field: Option<String>,
    /// The literal, quotes included.
    pub span: Span,
}
