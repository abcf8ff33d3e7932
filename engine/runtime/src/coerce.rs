//! JSON arguments as Luau values: where the signature says that a reference is meant, a name
//! becomes one. Everything else is left to the guard, which knows how to say what is wrong.

use std::rc::Rc;

use serde_json::Value as Json;
use zero_base::Fault;
use zero_script::mlua::{Function, Table, Value};
use zero_script::{OVERRUN, fault_of, from_json};
use zero_source::luau::{Scope, Type};

use crate::shared::Shared;

/// Deeper than this nothing is looked at: a recursive type would have no end.
const DEEPEST: usize = 32;

pub(crate) fn argument(shared: &Rc<Shared>, scope: &Scope, type_: Option<&Type>, value: &Json) -> Result<Value, Fault> {
    let coercion = Coercion { shared, scope };
    match type_ {
        Some(type_) => coercion.value(type_, value, 0),
        None => coercion.plain(value),
    }
}

struct Coercion<'a> {
    shared: &'a Rc<Shared>,
    scope: &'a Scope<'a>,
}

impl Coercion<'_> {
    fn plain(&self, value: &Json) -> Result<Value, Fault> {
        from_json(self.shared.vm().lua(), value).map_err(|e| fault_of(&e))
    }

    fn value(&self, type_: &Type, value: &Json, depth: usize) -> Result<Value, Fault> {
        if depth > DEEPEST {
            return self.plain(value);
        }
        match type_ {
            Type::Optional(inner) if !value.is_null() => self.value(inner, value, depth + 1),
            Type::Union(parts) => {
                // The part that fits the shape decides; a reference only where nothing plain does.
                let fitting = parts.iter().find(|part| fits(part, value));
                match fitting {
                    Some(part) => self.value(part, value, depth + 1),
                    None => self.plain(value),
                }
            }
            Type::Array(item) => match value {
                Json::Array(items) => self.list(items, |_| Some(&**item), depth),
                _ => self.plain(value),
            },
            Type::Table(table) => match value {
                Json::Object(fields) => {
                    let made = self.table()?;
                    for (name, value) in fields {
                        let known = table.fields.iter().find(|field| field.name == *name).map(|field| &field.type_);
                        let type_ = known.or(table.indexer.as_ref().map(|indexer| &indexer.value));
                        let value = match type_ {
                            Some(type_) => self.value(type_, value, depth + 1)?,
                            None => self.plain(value)?,
                        };
                        made.raw_set(name.as_str(), value).map_err(|e| fault_of(&e))?;
                    }
                    Ok(Value::Table(made))
                }
                Json::Array(items) if table.fields.is_empty() => {
                    self.list(items, |_| table.indexer.as_ref().map(|indexer| &indexer.value), depth)
                }
                _ => self.plain(value),
            },
            Type::Named { module: None, name, .. } if name == "EntityRef" => self.entity(value),
            Type::Named { module: None, name, arguments } if name == "AssetRef" => self.asset(arguments.first(), value),
            Type::Named { module, name, .. } => match self.alias(module.as_deref(), name) {
                Some(type_) => self.value(&type_, value, depth + 1),
                None => self.plain(value),
            },
            _ => self.plain(value),
        }
    }

    fn list<'t>(
        &self,
        items: &[Json],
        type_of: impl Fn(usize) -> Option<&'t Type>,
        depth: usize,
    ) -> Result<Value, Fault> {
        let made = self.table()?;
        for (index, item) in items.iter().enumerate() {
            let value = match type_of(index) {
                Some(type_) => self.value(type_, item, depth + 1)?,
                None => self.plain(item)?,
            };
            made.raw_set(index + 1, value).map_err(|e| fault_of(&e))?;
        }
        Ok(Value::Table(made))
    }

    fn table(&self) -> Result<Table, Fault> {
        self.shared.vm().lua().create_table().map_err(|e| fault_of(&e))
    }

    fn alias(&self, module: Option<&str>, name: &str) -> Option<Type> {
        let named = |types: &[zero_source::luau::TypeAlias]| {
            types.iter().find(|alias| alias.name == name).map(|alias| alias.type_.clone())
        };
        match module {
            None => named(self.scope.types).or_else(|| named(&self.scope.imports.ambient()?)),
            Some(module) => {
                let require = self.scope.requires.iter().find(|call| call.local.as_deref() == Some(module))?;
                named(&self.scope.imports.types_of(&require.name)?)
            }
        }
    }

    fn entity(&self, value: &Json) -> Result<Value, Fault> {
        match value {
            Json::String(_) => self.call_global("entity", None, value),
            _ => self.plain(value),
        }
    }

    fn asset(&self, category: Option<&Type>, value: &Json) -> Result<Value, Fault> {
        let category = match category {
            Some(Type::Literal(text)) => Some(text.clone()),
            Some(Type::Named { module: None, name, .. }) => Some(name.clone()),
            _ => None,
        };
        match value {
            Json::String(_) => self.call_global("asset", category.as_deref(), value),
            _ => self.plain(value),
        }
    }

    /// `entity(name)` or `asset.resolve(name, category)`, so that a miss says what a script's would.
    fn call_global(&self, name: &str, category: Option<&str>, value: &Json) -> Result<Value, Fault> {
        let vm = self.shared.vm();
        let global: Table = vm.lua().globals().get(name).map_err(|e| fault_of(&e))?;
        let argument = self.plain(value)?;
        let values = if name == "entity" {
            let call: Function = global.metatable().and_then(|meta| meta.raw_get("__call").ok()).ok_or_else(|| {
                Fault::new("engine/library", "the built-in entity module cannot be called; the library is damaged")
            })?;
            vm.call(&call, (global, argument), OVERRUN)?
        } else {
            let resolve: Function = global.get("resolve").map_err(|e| fault_of(&e))?;
            vm.call(&resolve, (argument, category), OVERRUN)?
        };
        Ok(values.into_iter().next().unwrap_or(Value::Nil))
    }
}

fn fits(type_: &Type, value: &Json) -> bool {
    match type_ {
        Type::Optional(inner) => value.is_null() || fits(inner, value),
        Type::Union(parts) => parts.iter().any(|part| fits(part, value)),
        Type::Array(_) => value.is_array(),
        Type::Table(_) => value.is_object() || value.is_array(),
        Type::Literal(text) => value.as_str() == Some(text),
        Type::Boolean(flag) => value.as_bool() == Some(*flag),
        Type::Nil => value.is_null(),
        Type::Named { name, .. } => match name.as_str() {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "vector" => false,
            "EntityRef" | "AssetRef" => value.is_string(),
            _ => !value.is_string(),
        },
        _ => true,
    }
}
