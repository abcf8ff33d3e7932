use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use super::chunk::{RequireCall, TypeAlias};
use super::scope::Imports;

/// The names of one file, while types are looked up.
pub(super) struct Module<'a> {
    pub types: Aliases<'a>,
    pub by_name: HashMap<String, usize>,
    requires: Requires<'a>,
    pub imports: Option<Source<'a>>,
    /// Modules reached from here by the name of a local.
    pub reached: HashMap<String, Option<usize>>,
}

impl<'a> Module<'a> {
    pub fn new(types: Aliases<'a>, requires: Requires<'a>, imports: Option<Source<'a>>) -> Module<'a> {
        let mut by_name: HashMap<String, usize> = HashMap::new();
        for (index, alias) in types.iter().enumerate() {
            let known = by_name.entry(alias.name.clone()).or_insert(index);
            if types[*known].nested && !alias.nested {
                *known = index;
            }
        }
        Module { types, by_name, requires, imports, reached: HashMap::new() }
    }

    /// The module that a local of this one holds.
    pub fn required_as(&self, local: &str) -> Option<Module<'a>> {
        let require = self.requires.iter().find(|require| require.local.as_deref() == Some(local))?;
        let imports = self.imports.as_ref()?.get();
        let types = Aliases::Shared(imports.types_of(&require.name)?);
        Some(match imports.imports_of(&require.name) {
            Some(further) => {
                Module::new(types, Requires::Shared(further.requires), Some(Source::Shared(further.imports)))
            }
            None => Module::new(types, Requires::Own(&[]), None),
        })
    }
}

#[derive(Clone)]
pub(super) enum Aliases<'a> {
    Own(&'a [TypeAlias]),
    Shared(Arc<Vec<TypeAlias>>),
}

#[derive(Clone)]
pub(super) enum Requires<'a> {
    Own(&'a [RequireCall]),
    Shared(Arc<Vec<RequireCall>>),
}

#[derive(Clone)]
pub(super) enum Source<'a> {
    Own(&'a dyn Imports),
    Shared(Arc<dyn Imports>),
}

impl Deref for Aliases<'_> {
    type Target = [TypeAlias];

    fn deref(&self) -> &[TypeAlias] {
        match self {
            Aliases::Own(types) => types,
            Aliases::Shared(types) => types,
        }
    }
}

impl Deref for Requires<'_> {
    type Target = [RequireCall];

    fn deref(&self) -> &[RequireCall] {
        match self {
            Requires::Own(requires) => requires,
            Requires::Shared(requires) => requires,
        }
    }
}

impl Source<'_> {
    pub fn get(&self) -> &dyn Imports {
        match self {
            Source::Own(imports) => *imports,
            Source::Shared(imports) => &**imports,
        }
    }
}
