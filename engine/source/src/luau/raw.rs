//! First half of resolving: names are looked up and generics substituted. What comes out is
//! still built like the source; [`super::normal`] flattens and merges it.

use std::collections::HashMap;

use zero_base::{Diagnostic, Severity, Span, did_you_mean};

use super::builtin::{BUILTINS, TYPE_FUNCTIONS, asset_argument, builtin};
use super::chunk::Signature;
use super::modules::{Aliases, Module, Requires, Source};
use super::scope::Scope;
use super::shape::Shape;
use super::types::{TableType, Type};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RawId(pub u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Raw {
    Leaf(Shape),
    /// An alias; without a target until its body is read.
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

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RawField {
    pub name: String,
    pub type_: RawId,
    pub description: String,
}

/// The parameters of one signature.
#[derive(Debug, Clone, Default)]
pub(super) struct RawSignature {
    pub params: Vec<RawId>,
    pub variadic: Option<RawId>,
}

/// Types that were not parsed here may nest deeper than the grammar allows; and generics that
/// use themselves with ever new arguments never end. What goes beyond is not checked, and
/// said so.
const DEPTH_LIMIT: usize = 200;
const INSTANCE_LIMIT: usize = 1024;
/// Generics that use generics with other arguments do so at most this often.
const GENERATION_LIMIT: usize = 24;

pub(super) struct Lookup<'a> {
    pub nodes: Vec<Raw>,
    pub diagnostics: Vec<Diagnostic>,
    modules: Vec<Module<'a>>,
    /// The ambient aliases, once somebody asked.
    ambient: Option<Option<usize>>,
    known: HashMap<Raw, RawId>,
    instances: HashMap<(usize, usize, Vec<RawId>), RawId>,
    /// Instances whose bodies are still to be read.
    queue: Vec<Body>,
    depth: usize,
    /// Where each alias was asked for first.
    places: HashMap<RawId, Span>,
    /// The declaration being read, for diagnostics.
    place: Span,
    owner: String,
}

/// The body of an alias with its type parameters filled in.
struct Body {
    id: RawId,
    alias: usize,
    env: Env,
    /// Who asked for it first.
    place: Span,
    owner: String,
}

/// The module whose names are seen, and the type parameters in scope.
struct Env {
    module: usize,
    generics: HashMap<String, RawId>,
    /// How many generics used each other on the way here.
    generation: usize,
}

impl<'a> Lookup<'a> {
    pub fn new(scope: &Scope<'a>) -> Lookup<'a> {
        let mut lookup = Lookup {
            nodes: Vec::new(),
            diagnostics: Vec::new(),
            modules: Vec::new(),
            ambient: None,
            known: HashMap::new(),
            instances: HashMap::new(),
            queue: Vec::new(),
            depth: 0,
            places: HashMap::new(),
            place: Span::at(1, 1),
            owner: String::new(),
        };
        let (types, requires) = (Aliases::Own(scope.types), Requires::Own(scope.requires));
        lookup.add_module(types, requires, Some(Source::Own(scope.imports)));
        lookup
    }

    pub fn parameters(&mut self, signature: &Signature) -> RawSignature {
        let env = self.env_of(signature);
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
        RawSignature { params, variadic }
    }

    pub fn results(&mut self, signature: &Signature) -> Vec<RawId> {
        let env = self.env_of(signature);
        signature.returns.iter().map(|type_| self.read(type_, &env)).collect()
    }

    fn env_of(&mut self, signature: &Signature) -> Env {
        self.owner.clone_from(&signature.name);
        self.place = signature.span;
        let mut env = Env { module: 0, generics: HashMap::new(), generation: 0 };
        for generic in &signature.generics {
            let leaf = self.leaf(Shape::Unchecked(generic.clone()));
            env.generics.insert(generic.clone(), leaf);
        }
        env
    }

    /// Reads the bodies of all aliases that are used, and of those that these use.
    pub fn read_bodies(&mut self) {
        while let Some(body) = self.queue.pop() {
            (self.place, self.owner) = (body.place, body.owner);
            let types = self.modules[body.env.module].types.clone();
            let read = self.read(&types[body.alias].type_, &body.env);
            if let Raw::Alias { target, .. } = &mut self.nodes[body.id.0 as usize] {
                *target = Some(read);
            }
        }
    }

    /// Lets an alias that is defined as itself, without a table in between, accept anything.
    pub fn cut(&mut self, alias: RawId) {
        let Raw::Alias { name, .. } = self.nodes[alias.0 as usize].clone() else { return };
        self.place = self.places.get(&alias).copied().unwrap_or(self.place);
        self.warn("luau/unchecked", format!("type '{name}' is defined as itself, so it accepts any value"));
        let target = Some(self.unchecked(name.clone()));
        self.nodes[alias.0 as usize] = Raw::Alias { name, target };
    }

    fn add_module(&mut self, types: Aliases<'a>, requires: Requires<'a>, imports: Option<Source<'a>>) -> usize {
        self.modules.push(Module::new(types, requires, imports));
        self.modules.len() - 1
    }

    fn add(&mut self, raw: Raw) -> RawId {
        self.nodes.push(raw);
        RawId(self.nodes.len() as u32 - 1)
    }

    pub fn leaf(&mut self, shape: Shape) -> RawId {
        self.shared(Raw::Leaf(shape))
    }

    /// Equal types are one node, so that instances with equal arguments are one as well.
    /// Records keep their own: each is called by its own alias.
    fn shared(&mut self, raw: Raw) -> RawId {
        if let Some(&id) = self.known.get(&raw) {
            return id;
        }
        let id = self.add(raw.clone());
        self.known.insert(raw, id);
        id
    }

    fn unchecked(&mut self, text: impl Into<String>) -> RawId {
        self.leaf(Shape::Unchecked(text.into()))
    }

    fn warn(&mut self, code: &'static str, message: String) {
        self.report(Diagnostic::warning(code, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // More of the same help nobody.
        const MOST: usize = 100;
        let diagnostic = diagnostic.at(self.place);
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
                self.shared(Raw::Optional(inner))
            }
            Type::Union(parts) => self.union(parts, env),
            Type::Intersection(parts) => {
                let parts = parts.iter().map(|part| self.read(part, env)).collect();
                self.shared(Raw::Intersection(parts))
            }
            Type::Array(item) => {
                let item = self.read(item, env);
                self.shared(Raw::Array(item))
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
        self.shared(Raw::Union(members))
    }

    fn table(&mut self, table: &TableType, env: &Env) -> RawId {
        // `{}` is written for a table of whatever fields.
        if table.fields.is_empty() && table.indexer.is_none() {
            return self.leaf(Shape::Table);
        }
        let mut fields: Vec<RawField> = Vec::with_capacity(table.fields.len());
        for field in &table.fields {
            let type_ = self.read(&field.type_, env);
            fields.push(RawField { name: field.name.clone(), type_, description: field.description.clone() });
        }
        let indexer =
            table.indexer.as_ref().map(|indexer| (self.read(&indexer.key, env), self.read(&indexer.value, env)));
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
        let known = [Some(env.module), ambient].into_iter().flatten();
        let known = known.flat_map(|module| self.modules[module].by_name.keys().map(String::as_str));
        let known: Vec<&str> =
            known.chain(BUILTINS.iter().map(|(name, _)| *name)).chain(["AssetRef", "Vec3"]).collect();
        let near = did_you_mean(name, known);
        let message = format!("'{}' names a type '{name}' that does not exist{near}", self.owner);
        self.unknown(env, message, name)
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
        let Some(module) = self.module_of(local, env.module) else {
            let owner = &self.owner;
            let message = format!("'{owner}' names the type '{written}', and no module is required as '{local}' here");
            return self.unknown(env, message, &written);
        };
        let alias = self.modules[module].by_name.get(name).copied();
        let alias = alias.filter(|&alias| self.modules[module].types[alias].exported);
        if let Some(alias) = alias {
            return self.instance(module, alias, arguments, env);
        }
        let exported = self.modules[module].types.iter().filter(|alias| alias.exported);
        let near = did_you_mean(name, exported.map(|alias| alias.name.as_str()).collect::<Vec<_>>());
        let message = format!("'{}' names the type '{written}', which '{local}' does not export{near}", self.owner);
        self.unknown(env, message, &written)
    }

    /// A name that means nothing: an error of this file. In a type of another module it only
    /// leaves a gap here, and whoever loads that module is told.
    fn unknown(&mut self, env: &Env, message: String, written: &str) -> RawId {
        let severity = if env.module == 0 { Severity::Error } else { Severity::Warning };
        self.report(Diagnostic::new(severity, "luau/unknown_type", message));
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
        let generation = if declared.generics.is_empty() { 0 } else { env.generation + 1 };
        let mut inner = Env { module, generics: HashMap::new(), generation };
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
        if let Some(&id) = self.instances.get(&key) {
            return id;
        }
        if self.instances.len() == INSTANCE_LIMIT || generation > GENERATION_LIMIT {
            let name = declared.name.clone();
            self.warn("luau/unchecked", format!("too many different types to check; '{name}' is left out"));
            return self.unchecked(name);
        }
        let name = match arguments {
            [] => declared.name.clone(),
            _ => Type::Named { module: None, name: declared.name.clone(), arguments: arguments.to_vec() }.to_string(),
        };
        let id = self.add(Raw::Alias { name, target: None });
        self.instances.insert(key, id);
        self.places.insert(id, self.place);
        self.queue.push(Body { id, alias, env: inner, place: self.place, owner: self.owner.clone() });
        id
    }
}
