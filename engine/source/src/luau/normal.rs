//! Second half of resolving: unions become flat, intersections of tables become one record,
//! and aliases disappear. Works through a queue, so that types may be as deep as they like.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::raw::{Lookup, Raw, RawId};
use super::shape::{Node, Record, RecordField, Shape, ShapeId, Shapes};

/// A type as alternatives, each of which is a list of parts that hold together. Parts are
/// leaves, arrays and records.
type Form = Vec<Vec<RawId>>;

/// Types with more alternatives than this, or with more parts in all of them together, are
/// not checked.
const WIDEST: usize = 256;
const MOST_PARTS: usize = 1024;
/// More shapes than this come from types that multiply; the rest of them accepts anything.
const MOST_SHAPES: usize = 10_000;

pub(super) struct Normal {
    raw: Vec<Raw>,
    forms: Vec<Option<Rc<Form>>>,
    /// The first alias with that form: what its shape is called.
    names: HashMap<Rc<Form>, String>,
    ids: HashMap<Rc<Form>, ShapeId>,
    leaves: HashMap<Shape, ShapeId>,
    open_records: HashMap<RawId, ShapeId>,
    queue: Vec<(ShapeId, Pending)>,
    shapes: Shapes,
    nil: RawId,
    too_wide: RawId,
}

enum Pending {
    Form(Rc<Form>),
    /// A record that is part of an intersection: other parts may have fields of their own.
    Open(RawId),
}

impl Normal {
    /// `order` lists every type after those it consists of.
    pub fn new(mut lookup: Lookup<'_>, order: &[RawId]) -> Normal {
        let nil = lookup.leaf(Shape::Nil);
        let too_wide = lookup.leaf(Shape::Unchecked("a very wide type".to_owned()));
        let count = lookup.nodes.len();
        let mut normal = Normal {
            raw: lookup.nodes,
            forms: vec![None; count],
            names: HashMap::new(),
            ids: HashMap::new(),
            leaves: HashMap::new(),
            open_records: HashMap::new(),
            queue: Vec::new(),
            shapes: Shapes::default(),
            nil,
            too_wide,
        };
        // All forms first: each shape can then be called by its alias from the beginning.
        for &id in order {
            normal.form(id);
        }
        normal
    }

    pub fn shape_of(&mut self, raw: RawId) -> ShapeId {
        let form = self.form(raw);
        let id = self.id_of(form);
        while let Some((id, pending)) = self.queue.pop() {
            let shape = match pending {
                Pending::Form(form) => self.shape(&form),
                Pending::Open(atom) => match self.single(atom) {
                    Shape::Record(record) => Shape::Record(Record { closed: false, ..record }),
                    other => other,
                },
            };
            self.shapes.nodes[id.0 as usize].shape = shape;
        }
        id
    }

    pub fn finish(mut self) -> Shapes {
        mark_recursive(&mut self.shapes);
        self.shapes
    }

    /// Never goes deep: what a type consists of has its form already.
    fn form(&mut self, id: RawId) -> Rc<Form> {
        if let Some(form) = &self.forms[id.0 as usize] {
            return form.clone();
        }
        let form = match self.raw[id.0 as usize].clone() {
            Raw::Leaf(_) | Raw::Array(_) | Raw::Record { .. } => Rc::new(vec![vec![id]]),
            Raw::Alias { target: None, .. } => Rc::new(vec![vec![self.too_wide]]),
            Raw::Alias { name, target: Some(target) } => {
                let form = self.form(target);
                self.call(&form, name);
                form
            }
            Raw::Optional(inner) => {
                let inner = self.form(inner);
                let nil = Rc::new(vec![vec![self.nil]]);
                self.either(&[inner, nil])
            }
            Raw::Union(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.form(part)).collect();
                self.either(&parts)
            }
            Raw::Intersection(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.form(part)).collect();
                self.both(&parts)
            }
        };
        self.forms[id.0 as usize] = Some(form.clone());
        form
    }

    /// Remembers what the alias of a form is called; of an optional one, what it is without nil.
    fn call(&mut self, form: &Rc<Form>, name: String) {
        let rest = if form.contains(&vec![self.nil]) {
            Rc::new(form.iter().filter(|alternative| **alternative != [self.nil]).cloned().collect())
        } else {
            form.clone()
        };
        let leaf = matches!(&rest[..], [only] if self.leaf_of(only).is_some());
        if !leaf && !rest.is_empty() {
            self.names.entry(rest).or_insert(name);
        }
    }

    fn either(&self, parts: &[Rc<Form>]) -> Rc<Form> {
        let mut seen = HashSet::new();
        let alternatives: Form =
            parts.iter().flat_map(|part| part.iter()).filter(|part| seen.insert(*part)).cloned().collect();
        self.bounded(alternatives)
    }

    /// `A & (B | C)` is `(A & B) | (A & C)`.
    fn both(&self, parts: &[Rc<Form>]) -> Rc<Form> {
        let mut product: Form = vec![Vec::new()];
        for part in parts {
            if product.len() * part.len() > WIDEST {
                return Rc::new(vec![vec![self.too_wide]]);
            }
            let mut seen = HashSet::new();
            let mut next = Form::new();
            for left in &product {
                for right in part.iter() {
                    let mut together = left.clone();
                    together.extend(right.iter().filter(|atom| !left.contains(atom)));
                    if seen.insert(together.clone()) {
                        next.push(together);
                    }
                }
            }
            product = next;
            if product.iter().any(|together| together.len() > MOST_PARTS) {
                return self.bounded(product);
            }
        }
        self.bounded(product)
    }

    fn bounded(&self, form: Form) -> Rc<Form> {
        let narrow = form.len() <= WIDEST && form.iter().map(Vec::len).sum::<usize>() <= MOST_PARTS;
        Rc::new(if narrow { form } else { vec![vec![self.too_wide]] })
    }

    fn id_of(&mut self, form: Rc<Form>) -> ShapeId {
        if let Some(&id) = self.ids.get(&form) {
            return id;
        }
        if self.shapes.nodes.len() >= MOST_SHAPES {
            return self.leaf(Shape::Unchecked("one type too many".to_owned()));
        }
        let name = self.names.get(&form).cloned();
        let id = self.push(Shape::Any, name);
        self.ids.insert(form.clone(), id);
        self.queue.push((id, Pending::Form(form)));
        id
    }

    fn push(&mut self, shape: Shape, name: Option<String>) -> ShapeId {
        self.shapes.nodes.push(Node { shape, name, recursive: false });
        ShapeId(self.shapes.nodes.len() as u32 - 1)
    }

    fn leaf(&mut self, shape: Shape) -> ShapeId {
        if let Some(&id) = self.leaves.get(&shape) {
            return id;
        }
        let id = self.push(shape.clone(), None);
        self.leaves.insert(shape, id);
        id
    }

    fn raw_leaf(&self, atom: RawId) -> Option<&Shape> {
        if let Raw::Leaf(shape) = &self.raw[atom.0 as usize] { Some(shape) } else { None }
    }

    fn shape(&mut self, form: &Form) -> Shape {
        let mut nil = false;
        let mut words: Vec<String> = Vec::new();
        let (mut yes, mut no) = (false, false);
        let mut members: Vec<Vec<RawId>> = Vec::new();
        for alternative in form {
            let atoms = self.tested(alternative);
            let leaf = if let [atom] = atoms[..] { self.raw_leaf(atom).cloned() } else { None };
            match leaf {
                Some(shape @ (Shape::Any | Shape::Unchecked(_))) => return shape,
                Some(Shape::Nil) => nil = true,
                Some(Shape::Never) => {}
                Some(Shape::Just(true)) => yes = true,
                Some(Shape::Just(false)) => no = true,
                Some(Shape::Words(more)) => words.extend(more),
                _ => members.push(atoms),
            }
        }
        if nil && (!members.is_empty() || !words.is_empty() || yes || no) {
            let rest = form.iter().filter(|alternative| self.leaf_of(&self.tested(alternative)) != Some(&Shape::Nil));
            let rest: Form = rest.cloned().collect();
            return Shape::Optional(self.id_of(Rc::new(rest)));
        }
        let strings = members.iter().any(|atoms| matches!(self.leaf_of(atoms), Some(Shape::String)));
        let booleans = members.iter().any(|atoms| matches!(self.leaf_of(atoms), Some(Shape::Boolean)));
        let mut parts = Vec::new();
        if !words.is_empty() && !strings {
            let mut seen = HashSet::new();
            words.retain(|word| seen.insert(word.clone()));
            parts.push(Shape::Words(words));
        }
        if yes && no && !booleans {
            parts.push(Shape::Boolean);
        } else if (yes || no) && !booleans {
            parts.push(Shape::Just(yes));
        }
        if members.is_empty() && parts.len() <= 1 {
            return parts.pop().unwrap_or(if nil { Shape::Nil } else { Shape::Never });
        }
        if parts.is_empty() && members.len() == 1 {
            return self.together(&members[0]);
        }
        let parts = parts.into_iter().map(|part| self.leaf(part)).collect::<Vec<_>>();
        let members = members.into_iter().map(|atoms| self.id_of(Rc::new(vec![atoms])));
        Shape::Union(parts.into_iter().chain(members.collect::<Vec<_>>()).collect())
    }

    fn leaf_of(&self, atoms: &[RawId]) -> Option<&Shape> {
        if let [atom] = atoms { self.raw_leaf(*atom) } else { None }
    }

    /// The parts of an intersection that say something: `any` adds nothing to others, `{}`
    /// nothing to a table, `string` nothing to words.
    fn tested(&self, atoms: &[RawId]) -> Vec<RawId> {
        if atoms.len() == 1 {
            return atoms.to_vec();
        }
        let table = |atom: &RawId| matches!(self.raw[atom.0 as usize], Raw::Array(_) | Raw::Record { .. });
        let word = |atom: &RawId| matches!(self.raw_leaf(*atom), Some(Shape::Words(_)));
        let (tables, words) = (atoms.iter().any(table), atoms.iter().any(word));
        let says = |atom: &&RawId| match self.raw_leaf(**atom) {
            Some(Shape::Any | Shape::Unchecked(_)) => false,
            Some(Shape::Table) => !tables,
            Some(Shape::String) => !words,
            _ => true,
        };
        let tested: Vec<RawId> = atoms.iter().filter(says).copied().collect();
        if tested.is_empty() { atoms[..1].to_vec() } else { tested }
    }

    /// One alternative: a single part, or several that hold together.
    fn together(&mut self, atoms: &[RawId]) -> Shape {
        if let [atom] = atoms {
            return self.single(*atom);
        }
        if atoms.iter().all(|atom| matches!(self.raw[atom.0 as usize], Raw::Record { .. })) {
            return self.merged(atoms);
        }
        let parts = atoms.iter().map(|&atom| self.open(atom)).collect();
        Shape::Intersection(parts)
    }

    fn open(&mut self, atom: RawId) -> ShapeId {
        if !matches!(self.raw[atom.0 as usize], Raw::Record { .. }) {
            return self.id_of(Rc::new(vec![vec![atom]]));
        }
        if let Some(&id) = self.open_records.get(&atom) {
            return id;
        }
        let name = self.names.get(&vec![vec![atom]]).cloned();
        let id = self.push(Shape::Any, name);
        self.open_records.insert(atom, id);
        self.queue.push((id, Pending::Open(atom)));
        id
    }

    fn single(&mut self, atom: RawId) -> Shape {
        match self.raw[atom.0 as usize].clone() {
            Raw::Leaf(shape) => shape,
            Raw::Array(item) => Shape::Array(self.raw_id(item)),
            Raw::Record { .. } => self.merged(&[atom]),
            // Forms hold no other parts.
            _ => Shape::Any,
        }
    }

    fn raw_id(&mut self, raw: RawId) -> ShapeId {
        let form = self.form(raw);
        self.id_of(form)
    }

    /// One record with the fields of all: a field of several must be what each says.
    fn merged(&mut self, atoms: &[RawId]) -> Shape {
        let mut fields: Vec<(String, String, Vec<RawId>)> = Vec::new();
        let mut at: HashMap<String, usize> = HashMap::new();
        let mut indexer = None;
        for atom in atoms {
            let Raw::Record { fields: own, indexer: own_indexer } = self.raw[atom.0 as usize].clone() else { continue };
            indexer = indexer.or(own_indexer);
            for field in own {
                match at.get(&field.name) {
                    Some(&index) => fields[index].2.push(field.type_),
                    None => {
                        at.insert(field.name.clone(), fields.len());
                        fields.push((field.name, field.description, vec![field.type_]));
                    }
                }
            }
        }
        let fields = fields.into_iter().map(|(name, description, types)| {
            let forms: Vec<_> = types.iter().map(|&type_| self.form(type_)).collect();
            let form = if let [form] = &forms[..] { form.clone() } else { self.both(&forms) };
            RecordField { name, shape: self.id_of(form), description }
        });
        let fields = fields.collect();
        let indexer = indexer.map(|(key, value)| (self.raw_id(key), self.raw_id(value)));
        Shape::Record(Record { fields, indexer, closed: indexer.is_none() })
    }
}

/// Marks every shape that lies on a loop (Tarjan's components, without recursion).
fn mark_recursive(shapes: &mut Shapes) {
    const UNSEEN: u32 = u32::MAX;
    let count = shapes.nodes.len();
    let parts: Vec<Vec<ShapeId>> = shapes.ids().map(|id| shapes.parts(id)).collect();
    let mut order = vec![UNSEEN; count];
    let mut lowest = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut stack = Vec::new();
    let mut next = 0;
    for root in 0..count {
        if order[root] != UNSEEN {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, part)) = path.pop() {
            if part == 0 {
                (order[node], lowest[node]) = (next, next);
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(child) = parts[node].get(part).map(|child| child.0 as usize) {
                path.push((node, part + 1));
                if order[child] == UNSEEN {
                    path.push((child, 0));
                } else if on_stack[child] {
                    lowest[node] = lowest[node].min(order[child]);
                }
                continue;
            }
            if lowest[node] == order[node] {
                let start = stack.iter().rposition(|&member| member == node).unwrap_or(0);
                let component = stack.split_off(start);
                let looped = component.len() > 1 || parts[node].contains(&ShapeId(node as u32));
                for member in component {
                    on_stack[member] = false;
                    shapes.nodes[member].recursive = looped;
                }
            }
            if let Some(&(parent, _)) = path.last() {
                lowest[parent] = lowest[parent].min(lowest[node]);
            }
        }
    }
}
