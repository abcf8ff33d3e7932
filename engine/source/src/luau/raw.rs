//! First half of resolving: names are looked up and generics substituted. What comes out is
//! still built like the source; [`super::normal`] flattens and merges it.

use std::collections::HashMap;

use zero_base::{Diagnostic, Span, did_you_mean};

use super::chunk::Signature;
use super::modules::{Aliases, Module, Requires, Source};
use super::scope::Scope;
use super::shape::Shape;
use super::types::{TableType, Type};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RawId(pub u32);

#[derive(Debug, Clone)]
pub(super) enum Raw {
    Leaf(Shape),
    /// An alias, or the place of one whose body is still being read.
    Alias {
        name: String,
        target: Option<RawId>,
    },
    Optional(RawId),
    Union(Vec<RawId>),
    Intersection(Vec<RawId>),
    Array(RawId),
    Record {
        fields: Vec<RawField>,
        indexer: Option<(RawId, RawId)>,
    },
}

#[derive(Debug, Clone)]
pub(super) struct RawField {
    pub name: String,
    pub type_: RawId,
    pub description: String,
}

/// The parameters and results of one signature.
#[derive(Debug, Clone, Default)]
pub(super) struct RawSignature {
    pub params: Vec<RawId>,
    pub variadic: Option<RawId>,
    pub returns: Vec<RawId>,
}

/// Types nest at most this deep once their names are looked up, and aliases of one file make
/// at most this many instances. What goes beyond is not checked, and said so.
const DEPTH_LIMIT: usize = 200;
const INSTANCE_LIMIT: usize = 4096;

/// Types that Luau computes; nothing can be tested about them.
const TYPE_FUNCTIONS: &[&str] = &[
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

pub(super) struct Lookup<'a> {
    pub nodes: Vec<Raw>,
    pub diagnostics: Vec<Diagnostic>,
    modules: Vec<Module<'a>>,
    /// The ambient aliases, once somebody asked.
    ambient: Option<Option<usize>>,
    leaves: HashMap<String, RawId>,
    instances: HashMap<(usize, usize, Vec<RawId>), Instance>,
    depth: usize,
    /// How many tables surround the type being read.
    tables: usize,
    /// The declaration being read, for diagnostics.
    place: Span,
    owner: String,
}

#[derive(Clone, Copy)]
struct Instance {
    id: RawId,
    /// How many tables surrounded the alias while its body was read; none when it is done.
    open_at: Option<usize>,
}

/// The module whose names are seen, and the type parameters in scope.
struct Env {
    module: usize,
    generics: HashMap<String, RawId>,
}

impl<'a> Lookup<'a> {
    pub fn new(scope: &Scope<'a>) -> Lookup<'a> {
        let mut lookup = Lookup {
            nodes: Vec::new(),
            diagnostics: Vec::new(),
            modules: Vec::new(),
            ambient: None,
            leaves: HashMap::new(),
            instances: HashMap::new(),
            depth: 0,
            tables: 0,
            place: Span::at(1, 1),
            owner: String::new(),
        };
        let (types, requires) = (Aliases::Own(scope.types), Requires::Own(scope.requires));
        lookup.add_module(types, requires, Some(Source::Own(scope.imports)));
        lookup
    }

    pub fn signature(&mut self, signature: &Signature) -> RawSignature {
        let mut env = Env { module: 0, generics: HashMap::new() };
        for generic in &signature.generics {
            let leaf = self.leaf(Shape::Unchecked(generic.clone()));
            env.generics.insert(generic.clone(), leaf);
        }
        self.owner.clone_from(&signature.name);
        let mut params = Vec::with_capacity(signature.params.len());
        for param in &signature.params {
            self.place = param.span;
            params.push(match &param.type_ {
                Some(type_) => self.read(type_, &env),
                None => self.leaf(Shape::Any),
            });
        }
        self.place = signature.span;
        let variadic = signature.variadic.as_ref().map(|type_| self.read(type_, &env));
        // Results are described, not checked: an unknown name among them is no loss.
        let warnings = self.diagnostics.len();
        let returns = signature.returns.iter().map(|type_| self.read(type_, &env)).collect();
        self.diagnostics.truncate(warnings);
        RawSignature { params, variadic, returns }
    }

    fn add_module(&mut self, types: Aliases<'a>, requires: Requires<'a>, imports: Option<Source<'a>>) -> usize {
        self.modules.push(Module::new(types, requires, imports));
        self.modules.len() - 1
    }

    fn add(&mut self, raw: Raw) -> RawId {
        self.nodes.push(raw);
        RawId(self.nodes.len() as u32 - 1)
    }

    /// Equal leaves are one node, so that instances with equal arguments are one as well.
    pub fn leaf(&mut self, shape: Shape) -> RawId {
        let key = format!("{shape:?}");
        if let Some(&id) = self.leaves.get(&key) {
            return id;
        }
        let id = self.add(Raw::Leaf(shape));
        self.leaves.insert(key, id);
        id
    }

    fn unchecked(&mut self, text: impl Into<String>) -> RawId {
        self.leaf(Shape::Unchecked(text.into()))
    }

    fn warn(&mut self, code: &'static str, message: String) {
        // More of the same help nobody.
        const MOST: usize = 100;
        let diagnostic = Diagnostic::warning(code, message).at(self.place);
        if self.diagnostics.len() < MOST && !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn read(&mut self, type_: &Type, env: &Env) -> RawId {
        if self.depth == DEPTH_LIMIT {
            let owner = self.owner.clone();
            self.warn("luau/unchecked", format!("a type of '{owner}' nests too deep to be checked in full"));
            return self.unchecked("a deeply nested type");
        }
        self.depth += 1;
        let id = self.read_type(type_, env);
        self.depth -= 1;
        id
    }

    fn read_type(&mut self, type_: &Type, env: &Env) -> RawId {
        match type_ {
            Type::Named { module: None, name, arguments } => self.named(name, arguments, env),
            Type::Named { module: Some(module), name, arguments } => self.imported(module, name, arguments, env),
            Type::Literal(text) => self.leaf(Shape::Words(vec![text.clone()])),
            Type::Boolean(value) => self.leaf(Shape::Just(*value)),
            Type::Nil => self.leaf(Shape::Nil),
            Type::Optional(inner) => {
                let inner = self.read(inner, env);
                self.add(Raw::Optional(inner))
            }
            Type::Union(parts) => self.union(parts, env),
            Type::Intersection(parts) => {
                let parts = parts.iter().map(|part| self.read(part, env)).collect();
                self.add(Raw::Intersection(parts))
            }
            Type::Array(item) => {
                self.tables += 1;
                let item = self.read(item, env);
                self.tables -= 1;
                self.add(Raw::Array(item))
            }
            Type::Table(table) => self.table(table, env),
            Type::Variadic(item) => self.read(item, env),
            Type::Function(_) | Type::Typeof(_) | Type::Pack(_) | Type::GenericPack(_) => {
                self.unchecked(super::text::clip(&type_.to_string(), 120))
            }
        }
    }

    /// Words among the members are one member together: there can be very many.
    fn union(&mut self, parts: &[Type], env: &Env) -> RawId {
        let words =
            parts.iter().filter_map(|part| if let Type::Literal(word) = part { Some(word.clone()) } else { None });
        let words: Vec<String> = words.collect();
        let mut members = Vec::new();
        if !words.is_empty() {
            members.push(self.leaf(Shape::Words(words)));
        }
        for part in parts.iter().filter(|part| !matches!(part, Type::Literal(_))) {
            members.push(self.read(part, env));
        }
        self.add(Raw::Union(members))
    }

    fn table(&mut self, table: &TableType, env: &Env) -> RawId {
        // `{}` is written for a table of whatever fields.
        if table.fields.is_empty() && table.indexer.is_none() {
            return self.leaf(Shape::Table);
        }
        self.tables += 1;
        let mut fields: Vec<RawField> = Vec::with_capacity(table.fields.len());
        for field in &table.fields {
            let type_ = self.read(&field.type_, env);
            fields.push(RawField { name: field.name.clone(), type_, description: field.description.clone() });
        }
        let indexer =
            table.indexer.as_ref().map(|indexer| (self.read(&indexer.key, env), self.read(&indexer.value, env)));
        self.tables -= 1;
        self.add(Raw::Record { fields, indexer })
    }

    fn named(&mut self, name: &str, arguments: &[Type], env: &Env) -> RawId {
        if let Some(&generic) = env.generics.get(name) {
            return generic;
        }
        if let Some(shape) = builtin(name) {
            return self.leaf(shape);
        }
        if name == "AssetRef" {
            let mut arguments = arguments.iter().map(asset_argument);
            let (kind, identity) = (arguments.next().flatten(), arguments.next().flatten());
            return self.leaf(Shape::AssetRef { kind, identity });
        }
        let ambient = self.ambient();
        for module in [Some(env.module), ambient].into_iter().flatten() {
            if let Some(&alias) = self.modules[module].by_name.get(name) {
                return self.instance(module, alias, arguments, env);
            }
        }
        if name == "Vec3" {
            return self.leaf(Shape::Vec3);
        }
        if TYPE_FUNCTIONS.contains(&name) {
            return self.unchecked(name);
        }
        let owner = self.owner.clone();
        let known = self.modules[env.module].by_name.keys().map(String::as_str);
        let known: Vec<&str> =
            known.chain(BUILTINS.iter().map(|(name, _)| *name)).chain(["AssetRef", "Vec3"]).collect();
        let near = did_you_mean(name, known);
        let message = format!("no type '{name}' is known here, so '{owner}' does not check it{near}");
        self.warn("luau/unknown_type", message);
        self.unchecked(name)
    }

    fn ambient(&mut self) -> Option<usize> {
        if let Some(known) = self.ambient {
            return known;
        }
        let types = self.modules[0].imports.as_ref().and_then(|imports| imports.get().ambient());
        let module = types.map(|types| self.add_module(Aliases::Shared(types), Requires::Own(&[]), None));
        self.ambient = Some(module);
        module
    }

    /// `Types.SpawnOpts`, where `Types` is a local that holds a module.
    fn imported(&mut self, local: &str, name: &str, arguments: &[Type], env: &Env) -> RawId {
        let written = format!("{local}.{name}");
        let owner = self.owner.clone();
        let Some(module) = self.module_of(local, env.module) else {
            let message = format!("no module is required as '{local}' here, so '{owner}' does not check '{written}'");
            self.warn("luau/unknown_type", message);
            return self.unchecked(written);
        };
        let alias = self.modules[module].by_name.get(name).copied();
        let alias = alias.filter(|&alias| self.modules[module].types[alias].exported);
        if let Some(alias) = alias {
            return self.instance(module, alias, arguments, env);
        }
        let exported = self.modules[module].types.iter().filter(|alias| alias.exported);
        let near = did_you_mean(name, exported.map(|alias| alias.name.as_str()).collect::<Vec<_>>());
        let message = format!("'{local}' exports no type '{name}', so '{owner}' does not check it{near}");
        self.warn("luau/unknown_type", message);
        self.unchecked(written)
    }

    fn module_of(&mut self, local: &str, from: usize) -> Option<usize> {
        if let Some(&known) = self.modules[from].reached.get(local) {
            return known;
        }
        let module = self.modules[from].required_as(local).map(|module| {
            self.modules.push(module);
            self.modules.len() - 1
        });
        self.modules[from].reached.insert(local.to_owned(), module);
        module
    }

    /// An alias with its type parameters filled in.
    fn instance(&mut self, module: usize, alias: usize, arguments: &[Type], env: &Env) -> RawId {
        let types = self.modules[module].types.clone();
        let declared = &types[alias];
        let mut inner = Env { module, generics: HashMap::new() };
        let mut given = Vec::with_capacity(declared.generics.len());
        for (index, generic) in declared.generics.iter().enumerate() {
            let argument = match (arguments.get(index), &generic.default) {
                _ if generic.pack => self.unchecked(format!("{}...", generic.name)),
                (Some(argument), _) => self.read(argument, env),
                (None, Some(default)) => self.read(default, &inner),
                (None, None) => self.unchecked(generic.name.clone()),
            };
            inner.generics.insert(generic.name.clone(), argument);
            given.push(argument);
        }
        let key = (module, alias, given);
        if let Some(instance) = self.instances.get(&key) {
            if instance.open_at.is_none_or(|tables| self.tables > tables) {
                return instance.id;
            }
            let name = declared.name.clone();
            self.warn("luau/unchecked", format!("type '{name}' is defined as itself, so it accepts any value"));
            return self.unchecked(name);
        }
        if self.instances.len() == INSTANCE_LIMIT {
            let name = declared.name.clone();
            self.warn("luau/unchecked", format!("too many different types to check; '{name}' is left out"));
            return self.unchecked(name);
        }
        let name = match arguments {
            [] => declared.name.clone(),
            _ => Type::Named { module: None, name: declared.name.clone(), arguments: arguments.to_vec() }.to_string(),
        };
        let id = self.add(Raw::Alias { name: name.clone(), target: None });
        self.instances.insert(key.clone(), Instance { id, open_at: Some(self.tables) });
        let target = self.read(&declared.type_, &inner);
        self.nodes[id.0 as usize] = Raw::Alias { name, target: Some(target) };
        self.instances.insert(key, Instance { id, open_at: None });
        id
    }
}

const BUILTINS: &[(&str, Shape)] = &[
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

/// Types no file can declare: those of the language, and the two that the engine makes.
fn builtin(name: &str) -> Option<Shape> {
    let found = BUILTINS.binary_search_by_key(&name, |&(name, _)| name).ok()?;
    Some(BUILTINS[found].1.clone())
}

/// `AssetRef<"material">` and `AssetRef<material>` name the same kind.
fn asset_argument(argument: &Type) -> Option<String> {
    match argument {
        Type::Literal(text) => Some(text.clone()),
        Type::Named { module: None, name, .. } if name != "any" && name != "string" => Some(name.clone()),
        _ => None,
    }
}
