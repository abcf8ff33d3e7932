//! Luau that tests values. A test is an expression on a local; shapes that need more than one
//! get a function or a table of their own, which the preamble of the file declares.

use std::collections::HashMap;

use super::literal::{is_identifier, quote};
use super::shape::{Record, Shape, ShapeId, Shapes};

/// Values of recursive types are followed this deep; what lies deeper is accepted as it is,
/// so that cyclic values end.
pub(super) const DEPTH_LIMIT: usize = 64;

/// Words up to this many are compared one by one, more are looked up in a table; unions up to
/// this many are written out where they are used.
const SHORT: usize = 4;

/// Declarations up to this many are locals of the file, more are fields of one table: a
/// function of Luau has at most 200 locals and as many upvalues.
const MOST_LOCALS: usize = 60;

/// What the preamble of a file must declare, filled as tests are written.
pub(super) struct Declarations<'a> {
    shapes: &'a Shapes,
    /// Declarations by what they test.
    numbers: HashMap<Subject, usize>,
    /// The value of each declaration; empty until it is written.
    values: Vec<String>,
    queue: Vec<(usize, Subject)>,
    in_table: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    Value(ShapeId),
    /// The set of a record's field names.
    Fields(ShapeId),
    /// Everything in `...`.
    Rest(ShapeId),
}

/// Where a test is written: inside the function of a recursive shape, the depth and the
/// values already seen go along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Guard,
    /// In the function of a table that can hold itself.
    Loop,
    /// In the function of a union on a loop: no deeper than what it was called with.
    Union,
}

impl<'a> Declarations<'a> {
    pub fn new(shapes: &'a Shapes) -> Declarations<'a> {
        let declared = shapes.ids().filter(|&id| needs_declaration(shapes.get(id))).count();
        Declarations {
            shapes,
            numbers: HashMap::new(),
            values: Vec::new(),
            queue: Vec::new(),
            in_table: declared > MOST_LOCALS,
        }
    }

    /// An expression that is true if the local `value` is of that shape; none if anything is.
    pub fn test(&mut self, id: ShapeId, value: &str) -> Option<String> {
        self.test_in(id, value, Place::Guard)
    }

    /// The same for everything in `...`.
    pub fn test_rest(&mut self, id: ShapeId) -> Option<String> {
        self.test(id, "v")?;
        Some(format!("{}(...)", self.declared(Subject::Rest(id))))
    }

    /// Statements that declare all that the tests written so far use.
    pub fn finish(mut self) -> String {
        while let Some((number, subject)) = self.queue.pop() {
            self.values[number] = match subject {
                Subject::Value(id) => self.value(id),
                Subject::Fields(id) => self.fields(id),
                Subject::Rest(id) => self.rest(id),
            };
        }
        if self.values.is_empty() {
            return String::new();
        }
        let mut code = if self.in_table {
            "local __t={} ".to_owned()
        } else {
            let names: Vec<String> = (0..self.values.len()).map(|number| self.name(number)).collect();
            format!("local {} ", names.join(","))
        };
        for (number, value) in self.values.iter().enumerate() {
            code.push_str(&format!("{}={value} ", self.name(number)));
        }
        format!("{}{code}", helpers(&code))
    }

    fn name(&self, number: usize) -> String {
        if self.in_table { format!("__t[{}]", number + 1) } else { format!("__t{}", number + 1) }
    }

    fn declared(&mut self, subject: Subject) -> String {
        if let Some(&number) = self.numbers.get(&subject) {
            return self.name(number);
        }
        let number = self.values.len();
        self.values.push(String::new());
        self.numbers.insert(subject, number);
        self.queue.push((number, subject));
        self.name(number)
    }

    fn test_in(&mut self, id: ShapeId, value: &str, place: Place) -> Option<String> {
        let shapes = self.shapes;
        let shape = shapes.get(id);
        let type_is = |name: &str| Some(format!("__ty({value})==\"{name}\""));
        if needs_declaration(shape) {
            let declared = self.declared(Subject::Value(id));
            return Some(match (shape, place) {
                (Shape::Words(_), _) => format!("{declared}[{value}]==true"),
                (Shape::Vec3, _) => format!("(__ty({value})==\"vector\" or {declared}({value}))"),
                _ if !shapes.is_recursive(id) => format!("{declared}({value})"),
                (_, Place::Guard) => format!("{declared}({value},0,{{}})"),
                (_, Place::Loop) => format!("{declared}({value},d+1,s)"),
                (_, Place::Union) => format!("{declared}({value},d,s)"),
            });
        }
        match shape {
            Shape::Any | Shape::Unchecked(_) => None,
            Shape::Never => Some("false".to_owned()),
            Shape::Nil => Some(format!("{value}==nil")),
            Shape::Boolean => type_is("boolean"),
            Shape::Number => type_is("number"),
            Shape::String => type_is("string"),
            Shape::Thread => type_is("thread"),
            Shape::Buffer => type_is("buffer"),
            Shape::Vector => type_is("vector"),
            Shape::Table => type_is("table"),
            Shape::EntityRef => Some(format!("__host.EntityRef({value})")),
            Shape::AssetRef { kind, identity } => {
                let arguments = [kind, identity].into_iter().map_while(|argument| argument.as_deref().map(quote));
                let arguments: Vec<String> = std::iter::once(value.to_owned()).chain(arguments).collect();
                Some(format!("__host.AssetRef({})", arguments.join(",")))
            }
            Shape::Just(expected) => Some(format!("{value}=={expected}")),
            Shape::Words(words) => {
                let tests: Vec<String> = words.iter().map(|word| format!("{value}=={}", quote(word))).collect();
                Some(if tests.len() == 1 { tests.concat() } else { format!("({})", tests.join(" or ")) })
            }
            Shape::Optional(inner) => {
                self.test_in(*inner, value, place).map(|test| format!("({value}==nil or {test})"))
            }
            Shape::Union(parts) => self.either(parts, value, place),
            Shape::Intersection(parts) => {
                let tests: Vec<String> = parts.iter().filter_map(|&part| self.test_in(part, value, place)).collect();
                (!tests.is_empty()).then(|| format!("({})", tests.join(" and ")))
            }
            // These need a declaration.
            Shape::Vec3 | Shape::Array(_) | Shape::Record(_) => None,
        }
    }

    fn either(&mut self, parts: &[ShapeId], value: &str, place: Place) -> Option<String> {
        let tests: Option<Vec<String>> = parts.iter().map(|&part| self.test_in(part, value, place)).collect();
        tests.map(|tests| format!("({})", tests.join(" or ")))
    }

    fn value(&mut self, id: ShapeId) -> String {
        match self.shapes.get(id) {
            Shape::Words(words) => set(words.iter()),
            Shape::Vec3 => VEC3.to_owned(),
            Shape::Union(parts) => {
                let place = if self.shapes.is_recursive(id) { Place::Union } else { Place::Guard };
                let parameters = if place == Place::Union { "x,d,s" } else { "x" };
                let test = self.either(parts, "x", place).unwrap_or_else(|| "true".to_owned());
                format!("function({parameters}) return {test} end")
            }
            Shape::Array(item) => self.array(id, *item),
            Shape::Record(record) => self.record(id, record),
            _ => "nil".to_owned(),
        }
    }

    /// The function around the tests of a table. A loop of types carries the depth and, for
    /// each function, the tables it has seen: each is tested once.
    fn table_function(
        &mut self,
        id: ShapeId,
        opening: &str,
        tests: impl FnOnce(&mut Self, Place, &str) -> String,
    ) -> String {
        if !self.shapes.is_recursive(id) {
            let tests = tests(self, Place::Guard, "return false");
            return format!("function(x) {opening} {tests}return true end");
        }
        let tests = tests(self, Place::Loop, "m[x]=false return false");
        let key = id.0 + 1;
        format!(
            "function(x,d,s) {opening} if d>{DEPTH_LIMIT} then return true end \
             local m=s[{key}] if not m then m={{}} s[{key}]=m end \
             local r=m[x] if r~=nil then return r end m[x]=true {tests}return true end"
        )
    }

    fn array(&mut self, id: ShapeId, item: ShapeId) -> String {
        let opening = "if __ty(x)~=\"table\" then return false end";
        self.table_function(id, opening, |this, place, fail| {
            let test = this.test_in(item, "v", place).map_or(String::new(), |test| format!(" or not ({test})"));
            format!("for k,v in {ENTRIES} do if __ty(k)~=\"number\"{test} then {fail} end end ")
        })
    }

    fn record(&mut self, id: ShapeId, record: &Record) -> String {
        let opening = "if __ty(x)~=\"table\" then x=__ref(x) if not x then return false end \
                       elseif __gm(x)~=nil then x=__ref(x) or x end";
        self.table_function(id, opening, |this, place, fail| {
            let mut code = String::new();
            for field in &record.fields {
                let Some(test) = this.test_in(field.shape, "v", place) else { continue };
                let access = if is_identifier(&field.name) {
                    format!("x.{}", field.name)
                } else {
                    format!("x[{}]", quote(&field.name))
                };
                let local = if code.is_empty() { "local " } else { "" };
                code.push_str(&format!("{local}v={access} if not ({test}) then {fail} end "));
            }
            let unnamed = this.unnamed(id, record);
            if let Some((key, value)) = record.indexer {
                let tests = [this.test_in(key, "k", place), this.test_in(value, "v", place)];
                let tests: Vec<String> = tests.into_iter().flatten().collect();
                if !tests.is_empty() {
                    let tests = tests.join(" and ");
                    code.push_str(&format!("for k,v in {ENTRIES} do if {unnamed}not ({tests}) then {fail} end end "));
                }
            } else if record.closed {
                let unnamed = unnamed.trim_end_matches(" and ");
                code.push_str(&format!("for k in __nx,x do if {unnamed} then {fail} end end "));
            }
            code
        })
    }

    /// A condition on `k`, with ` and ` after it: that no field of the record has that name.
    fn unnamed(&mut self, id: ShapeId, record: &Record) -> String {
        match record.fields.len() {
            0 => String::new(),
            1..=SHORT => record.fields.iter().map(|field| format!("k~={} and ", quote(&field.name))).collect(),
            _ => format!("not {}[k] and ", self.declared(Subject::Fields(id))),
        }
    }

    fn fields(&self, id: ShapeId) -> String {
        match self.shapes.get(id) {
            Shape::Record(record) => set(record.fields.iter().map(|field| &field.name)),
            _ => "{}".to_owned(),
        }
    }

    fn rest(&mut self, id: ShapeId) -> String {
        let test = self.test(id, "v").unwrap_or_else(|| "true".to_owned());
        format!(
            "function(...) for i=1,__sel(\"#\",...) do local v=__sel(i,...) if not ({test}) then return false end end \
             return true end"
        )
    }
}

const VEC3: &str = "function(x) if __ty(x)~=\"table\" then return false end local a,b,c=x.x,x.y,x.z \
    if a==nil and b==nil and c==nil then a,b,c=x[1],x[2],x[3] end \
    if __ty(a)~=\"number\" or __ty(b)~=\"number\" or __ty(c)~=\"number\" then return false end \
    local n=0 for _ in __nx,x do n=n+1 end return n==3 end";

/// What a loop over a table's own entries goes over: a metatable could put anything in their
/// place, endless things included.
const ENTRIES: &str = "__gm(x)~=nil and __raw(x) or x";

/// Functions that only some tables use. One copies a table's own entries. For the other, a
/// reference of the engine stands for an empty table with the reference's fields; one that
/// cannot be read is nil, not an error of the check.
fn helpers(code: &str) -> String {
    let mut helpers = String::new();
    if code.contains("__raw(") {
        helpers.push_str("local function __raw(t) local c={} for k,v in __nx,t do c[k]=v end return c end ");
    }
    if code.contains("__ref(") {
        helpers.push_str(
            "local __ref do local sm,pc=setmetatable,pcall __ref=function(u) \
             if not (__host.EntityRef(u) or __host.AssetRef(u)) then return nil end \
             return sm({},{__index=function(_,k) local ok,r=pc(function() return u[k] end) \
             if ok then return r end return nil end}) end end ",
        );
    }
    helpers
}

fn needs_declaration(shape: &Shape) -> bool {
    match shape {
        Shape::Words(words) => words.len() > SHORT,
        Shape::Union(parts) => parts.len() > SHORT,
        Shape::Vec3 | Shape::Array(_) | Shape::Record(_) => true,
        _ => false,
    }
}

fn set<'a>(words: impl Iterator<Item = &'a String>) -> String {
    let entries: Vec<String> = words.map(|word| format!("[{}]=true", quote(word))).collect();
    format!("{{{}}}", entries.join(","))
}
