use std::fmt;

/// A type as the author wrote it: names are not looked up. [`crate::luau::resolve`] turns it
/// into a [`crate::luau::Shape`], which has no names left.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// `number`, `SpawnOpts`, `Types.Box<number>`, `AssetRef<"mesh">`.
    Named {
        module: Option<String>,
        name: String,
        arguments: Vec<Type>,
    },
    /// `"cube"`
    Literal(String),
    /// `true`, `false`
    Boolean(bool),
    Nil,
    /// `T?`
    Optional(Box<Type>),
    Union(Vec<Type>),
    Intersection(Vec<Type>),
    /// `{T}`
    Array(Box<Type>),
    Table(TableType),
    Function(FunctionType),
    /// `typeof(expression)`, with the text between the parentheses.
    Typeof(String),
    /// `...T`
    Variadic(Box<Type>),
    /// `(A, B)` as the argument of a generic.
    Pack(Vec<Type>),
    /// `T...`
    GenericPack(String),
}

impl Type {
    /// A type that is one bare name.
    pub fn named(name: impl Into<String>) -> Type {
        Type::Named { module: None, name: name.into(), arguments: Vec::new() }
    }
}

/// `{ name: T, ["odd key"]: U, [K]: V }`
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct TableType {
    pub fields: Vec<TableField>,
    pub indexer: Option<Box<Indexer>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableField {
    pub name: String,
    pub type_: Type,
    /// The comment above the field or at the end of its line.
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Indexer {
    pub key: Type,
    pub value: Type,
}

/// `<T>(x: A, ...B) -> R`
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionType {
    pub generics: Vec<String>,
    /// A variadic tail is a last [`Type::Variadic`] or [`Type::GenericPack`] without a name.
    pub params: Vec<(Option<String>, Type)>,
    pub returns: Vec<Type>,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Named { module, name, arguments } => {
                if let Some(module) = module {
                    write!(f, "{module}.")?;
                }
                f.write_str(name)?;
                if !arguments.is_empty() {
                    f.write_str("<")?;
                    separated(f, ", ", arguments)?;
                    f.write_str(">")?;
                }
                Ok(())
            }
            Type::Literal(text) => f.write_str(&super::literal::quote(text)),
            Type::Boolean(value) => write!(f, "{value}"),
            Type::Nil => f.write_str("nil"),
            Type::Optional(inner) => write!(f, "{}?", Atom(inner)),
            Type::Union(parts) => {
                separated(f, " | ", parts.iter().map(|part| Member { part, other: Operator::Intersection }))
            }
            Type::Intersection(parts) => {
                separated(f, " & ", parts.iter().map(|part| Member { part, other: Operator::Union }))
            }
            Type::Array(item) => write!(f, "{{{item}}}"),
            Type::Table(table) => table.fmt(f),
            Type::Function(function) => function.fmt(f),
            Type::Typeof(expression) => write!(f, "typeof({expression})"),
            Type::Variadic(item) => write!(f, "...{item}"),
            Type::Pack(items) => {
                f.write_str("(")?;
                separated(f, ", ", items)?;
                f.write_str(")")
            }
            Type::GenericPack(name) => write!(f, "{name}..."),
        }
    }
}

impl fmt::Display for TableType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fields.is_empty() && self.indexer.is_none() {
            return f.write_str("{}");
        }
        f.write_str("{ ")?;
        separated(f, ", ", &self.fields)?;
        if let Some(indexer) = &self.indexer {
            let comma = if self.fields.is_empty() { "" } else { ", " };
            write!(f, "{comma}[{}]: {}", indexer.key, indexer.value)?;
        }
        f.write_str(" }")
    }
}

impl fmt::Display for TableField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if super::literal::is_identifier(&self.name) {
            write!(f, "{}: {}", self.name, self.type_)
        } else {
            write!(f, "[{}]: {}", super::literal::quote(&self.name), self.type_)
        }
    }
}

impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.generics.is_empty() {
            write!(f, "<{}>", self.generics.join(", "))?;
        }
        f.write_str("(")?;
        for (index, (name, type_)) in self.params.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match name {
                Some(name) => write!(f, "{comma}{name}: {type_}")?,
                None => write!(f, "{comma}{type_}")?,
            }
        }
        write!(f, ") -> {}", ReturnTypes(&self.returns))
    }
}

/// What stands after `:` or `->`: one type bare, any other number in parentheses.
pub(super) struct ReturnTypes<'a>(pub &'a [Type]);

impl fmt::Display for ReturnTypes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [one] => one.fmt(f),
            several => {
                f.write_str("(")?;
                separated(f, ", ", several)?;
                f.write_str(")")
            }
        }
    }
}

/// A type to which `?` is appended: compound ones need parentheses.
struct Atom<'a>(&'a Type);

impl fmt::Display for Atom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Type::Union(_) | Type::Intersection(_) | Type::Function(_) => write!(f, "({})", self.0),
            other => other.fmt(f),
        }
    }
}

#[derive(PartialEq)]
enum Operator {
    Union,
    Intersection,
}

/// A part of a union or an intersection; the two do not mix without parentheses.
struct Member<'a> {
    part: &'a Type,
    other: Operator,
}

impl fmt::Display for Member<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grouped = match self.part {
            Type::Function(_) => true,
            Type::Intersection(_) => self.other == Operator::Intersection,
            Type::Union(_) | Type::Optional(_) => self.other == Operator::Union,
            _ => false,
        };
        if grouped { write!(f, "({})", self.part) } else { self.part.fmt(f) }
    }
}

pub(super) fn separated<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    separator: &str,
    items: impl IntoIterator<Item = T>,
) -> fmt::Result {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}
