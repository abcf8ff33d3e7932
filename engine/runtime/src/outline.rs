//! What a script declares, as data: for `ref:outline()` and the checks of asset types, and in
//! part for `describe_tool`. Read from its text; nothing is run.

use serde_json::{Value as Json, json};
use zero_source::luau::{Chunk, Param, Signature, TableType, Type, TypeAlias};

/// The functions it offers, its types, and how the value it returns begins.
pub(crate) fn of(chunk: &Chunk) -> Json {
    json!({
        "functions": chunk.offered().into_iter().map(function).collect::<Json>(),
        "types": chunk.types.iter().map(|alias| with_fields(type_(alias), Some(&alias.type_))).collect::<Json>(),
        "returned": chunk.returned,
    })
}

fn function(signature: &Signature) -> Json {
    json!({
        "name": signature.short_name(),
        "signature": signature.call_text(),
        "typed": signature.typed,
        "description": signature.description,
        "params": signature.params.iter().map(checked_param).collect::<Json>(),
        "returns": returns(signature),
        "examples": signature.examples,
        "line": signature.line,
    })
}

pub(crate) fn params(signature: &Signature) -> Json {
    signature.params.iter().map(param).collect()
}

fn param(param: &Param) -> Json {
    let type_ = param.type_.as_ref().map(ToString::to_string);
    let optional = type_.as_deref().is_none_or(|type_| type_.ends_with('?'));
    json!({ "name": param.name, "type": type_, "optional": optional, "description": param.description })
}

/// With what its type says about the values it takes.
fn checked_param(written: &Param) -> Json {
    let mut described = with_fields(param(written), written.type_.as_ref());
    described["checked"] = json!(written.type_.as_ref().is_some_and(|type_| *type_ != Type::named("any")));
    described["open"] = json!(written.type_.as_ref().is_some_and(is_open));
    described
}

pub(crate) fn returns(signature: &Signature) -> Json {
    json!({
        "type": signature.returns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        "description": signature.return_description,
    })
}

pub(crate) fn types(aliases: &[TypeAlias]) -> Json {
    aliases.iter().map(type_).collect()
}

fn type_(alias: &TypeAlias) -> Json {
    json!({ "name": alias.name, "type": alias.type_.to_string(), "description": alias.description })
}

fn with_fields(mut described: Json, type_: Option<&Type>) -> Json {
    described["fields"] = json!(type_.map(fields).unwrap_or_default());
    described
}

/// Names of the fields that a table of this type has, those of every alternative.
fn fields(type_: &Type) -> Vec<&str> {
    let mut names: Vec<&str> =
        tables(type_).into_iter().flat_map(|table| &table.fields).map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a table of this type may have any fields with anything in them: `{ [string]: any }`.
fn is_open(type_: &Type) -> bool {
    let any = |indexer: &zero_source::luau::Indexer| {
        indexer.key == Type::named("string") && indexer.value == Type::named("any")
    };
    tables(type_).into_iter().any(|table| table.indexer.as_deref().is_some_and(any))
}

/// The tables among the alternatives and the parts of a type.
fn tables(type_: &Type) -> Vec<&TableType> {
    match type_ {
        Type::Table(table) => vec![table],
        Type::Optional(inner) => tables(inner),
        Type::Union(parts) | Type::Intersection(parts) => parts.iter().flat_map(tables).collect(),
        _ => Vec::new(),
    }
}
