use super::shape::Shape;
use super::types::Type;

/// Types that Luau computes; nothing can be tested about them.
pub(super) const TYPE_FUNCTIONS: &[&str] = &[
    "add",
    "concat",
    "div",
    "eq",
    "getmetatable",
    "idiv",
    "index",
    "intersect",
    "keyof",
    "le",
    "len",
    "lt",
    "mod",
    "mul",
    "not",
    "or",
    "pow",
    "rawget",
    "rawkeyof",
    "refine",
    "setmetatable",
    "singleton",
    "sub",
    "union",
    "unm",
    "userdata",
];

/// Types no file can declare, sorted: those of the language, and those that the engine makes.
pub(super) const BUILTINS: &[(&str, Shape)] = &[
    ("EntityRef", Shape::EntityRef),
    ("any", Shape::Any),
    ("boolean", Shape::Boolean),
    ("buffer", Shape::Buffer),
    ("never", Shape::Never),
    ("nil", Shape::Nil),
    ("number", Shape::Number),
    ("string", Shape::String),
    ("table", Shape::Table),
    ("thread", Shape::Thread),
    ("unknown", Shape::Any),
    ("vector", Shape::Vector),
];

pub(super) fn builtin(name: &str) -> Option<Shape> {
    let found = BUILTINS.binary_search_by_key(&name, |&(name, _)| name).ok()?;
    Some(BUILTINS[found].1.clone())
}

/// `AssetRef<"material">` and `AssetRef<material>` name the same kind.
pub(super) fn asset_argument(argument: &Type) -> Option<String> {
    match argument {
        Type::Literal(text) => Some(text.clone()),
        Type::Named { module: None, name, .. } if name != "any" && name != "string" => Some(name.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(TYPE_FUNCTIONS.is_sorted());
        assert!(BUILTINS.is_sorted_by_key(|(name, _)| name));
    }
}
