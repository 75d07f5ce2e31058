//! The data flow of a definition for the editor: for each expression whether its value is read,
//! written or stored.

use nat::{Nat, Prop, Var};
use rise::core::{Form, Launch, Source};
use rise::pattern::{Level, MapLoop, RepeatLoop, Stream, View};
use rise::{Access, Address, Arg, Names, Pattern, Ty, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::Span;
use syntax::ast::{AddressSpace, Name};

use crate::phrase::{Phrase, PhraseProgram};
use crate::prim::Prim;

/// The greatest number of arguments that are named as the sources of an expression.
const MAX_ARGUMENTS: usize = 3;

/// The way in which a value is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Materialization {
    /// Computed where it is read.
    Read,
    /// Written to its destination.
    Written,
    /// Stored in memory of its own; for OpenCL in this address space.
    Stored(Option<AddressSpace>),
    /// A stream: its elements are available one after the other.
    Stream,
}

impl Materialization {
    /// Returns a single word that describes the materialization, without the address space.
    pub const fn word(self) -> &'static str {
        match self {
            Materialization::Read => "read",
            Materialization::Written => "write",
            Materialization::Stored(_) => "stored",
            Materialization::Stream => "stream",
        }
    }
}

/// The sources of an expression's elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The names of arguments of the program.
    pub arguments: Vec<Name>,
    /// True if there are more arguments than are listed.
    pub more: bool,
    /// True if memory of the program is read.
    pub memory: bool,
    /// True if elements are computed.
    pub computed: bool,
}

impl Sources {
    fn computed() -> Sources {
        Sources {
            computed: true,
            ..Sources::default()
        }
    }

    fn memory() -> Sources {
        Sources {
            memory: true,
            ..Sources::default()
        }
    }

    fn and(mut self, other: &Sources) -> Sources {
        for name in &other.arguments {
            if self.arguments.contains(name) {
                continue;
            }
            if self.arguments.len() == MAX_ARGUMENTS {
                self.more = true;
                break;
            }
            self.arguments.push(name.clone());
        }
        self.more |= other.more;
        self.memory |= other.memory;
        self.computed |= other.computed;
        self
    }
}

/// The destination of a written value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Destination {
    /// The result of the program.
    Result,
    /// Memory of the program.
    Memory,
}

/// The data flow of an expression in the text of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowFact {
    /// The span of the whole expression. For a part of another definition, that of its use.
    pub span: Span,
    /// The span of the word to point at.
    pub head: Span,
    /// The data type of the expression.
    pub data: Ty,
    /// The way in which its value is available.
    pub materialization: Materialization,
    /// The sources of a value that is read.
    pub from: Sources,
    /// The destination of a value that is written.
    pub into: Destination,
    /// The primitive that makes the value, if its use is in the definition itself.
    pub made_by: Option<Prim>,
    /// The first type-level argument of this primitive if it is a size, which for maps and
    /// reductions is the number of elements.
    pub count: Option<Nat>,
    /// The type of the buffer of a stream of windows; `None` for other values.
    pub window: Option<Ty>,
    /// True if the expression is inside a parallel loop.
    pub in_parallel: bool,
    /// The enclosing parallel maps that are distributed over OpenCL's work-items or work-groups,
    /// outermost first. If the expression is such a map, it is the last one itself.
    pub shared: Box<[DistributedMap]>,
    /// The index in [`DataFlow::launches`] of the launch that runs the expression.
    pub launch: usize,
}

/// A map that is distributed over OpenCL's work-items or work-groups.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DistributedMap {
    /// The pattern, `mapGlobal`, `mapWorkGroup` or `mapLocal`.
    pub by: Prim,
    /// The dimension, 0 to 2.
    pub dimension: u8,
    /// The number of elements.
    pub count: Nat,
}

/// The data flow of a definition, in the order of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFlow {
    /// The facts of the expressions, one for each span: that of the outermost expression.
    pub facts: Vec<FlowFact>,
    /// The names of size variables.
    pub names: Names,
    /// The size parameters of the program.
    pub sizes: Vec<Var>,
    /// The launch sizes for OpenCL: first those of the annotation, then those of each `oclRun`.
    pub launches: Vec<Launch>,
    /// The conditions on sizes that hold in the program: its obligations and its facts.
    pub conditions: Vec<Prop>,
}

impl DataFlow {
    /// Returns the fact of the expression with this span, if there is one.
    pub fn at(&self, span: Span) -> Option<&FlowFact> {
        let at = self.facts.binary_search_by_key(&span, |fact| fact.span);
        at.ok().and_then(|at| self.facts.get(at))
    }
}

/// Computes the data flow of the expressions in the definition's own text.
pub fn flow(program: &PhraseProgram) -> DataFlow {
    let mut walk = FlowAnalysis {
        program,
        facts: Vec::new(),
        seen: FxHashSet::default(),
        scope: FxHashMap::default(),
        into: Destination::Result,
        in_parallel: false,
        shared: Vec::new(),
        launches: vec![program.launch.clone()],
        launch: 0,
    };
    let mut sizes = Vec::new();
    let mut body = &program.body;
    loop {
        match &body.form {
            Form::Lambda(param, inner) => {
                let mut sources = Sources::default();
                sources.arguments.push(param.local.name.clone());
                walk.scope.insert(param.local.id, sources);
                body = inner;
            }
            Form::DepLambda(var, _, inner) => {
                sizes.push(*var);
                body = inner;
            }
            _ => break,
        }
    }
    walk.visit(body);
    let mut facts = walk.facts;
    facts.sort_by_key(|fact| fact.span);
    DataFlow {
        facts,
        names: Names(program.names.clone().into()),
        sizes,
        launches: walk.launches,
        conditions: [&*program.obligations, &*program.facts].concat(),
    }
}

struct FlowAnalysis<'p> {
    program: &'p PhraseProgram,
    facts: Vec<FlowFact>,
    seen: FxHashSet<Span>,
    /// The sources of the variables in scope.
    scope: FxHashMap<u32, Sources>,
    into: Destination,
    in_parallel: bool,
    shared: Vec<DistributedMap>,
    launches: Vec<Launch>,
    launch: usize,
}

impl FlowAnalysis<'_> {
    /// Records the facts of a phrase and its parts, and returns its sources.
    fn visit(&mut self, phrase: &Phrase) -> Sources {
        // Outer expressions come first, so that the use of a definition has the fact of its result.
        let at = self.note(phrase);
        let from = self.inside(phrase);
        if let Some(fact) = at.and_then(|at| self.facts.get_mut(at)) {
            fact.from = from.clone();
        }
        from
    }

    fn note(&mut self, phrase: &Phrase) -> Option<usize> {
        let Type::Exp(data, access) = &*phrase.ty else {
            return None;
        };
        let (source, is_own) = self.place(phrase)?;
        if !self.seen.insert(source.span) {
            return None;
        }
        let (prim, count, window) = match &phrase.form {
            Form::Primitive(prim, types, _) if is_own => {
                (Some(*prim), first_size(types), window(*prim, types))
            }
            _ => (None, None, None),
        };
        let fact = FlowFact {
            span: source.span,
            head: source.head,
            data: data.clone(),
            materialization: materialization_of(phrase, *access),
            from: Sources::default(),
            into: self.into,
            made_by: prim,
            count,
            window,
            in_parallel: self.in_parallel,
            shared: self.shared.iter().cloned().chain(shared(phrase)).collect(),
            launch: self.launch,
        };
        self.facts.push(fact);
        Some(self.facts.len() - 1)
    }

    /// Returns the place of a phrase in the definition's own text, and true if the phrase itself is
    /// in this text. For a phrase in another definition it is the place where that definition is
    /// used. Returns `None` if there is no such place.
    fn place(&self, phrase: &Phrase) -> Option<(Source, bool)> {
        let origins = &self.program.origins;
        let mut source = origins.get(phrase.origin.0 as usize)?;
        let is_own = source.def.is_none();
        for _ in 0..origins.len() {
            if source.def.is_none() {
                return Some((source.clone(), is_own));
            }
            source = origins.get(source.used_at?.0 as usize)?;
        }
        None
    }

    fn inside(&mut self, phrase: &Phrase) -> Sources {
        match &phrase.form {
            Form::Var(local) => self.scope.get(&local.id).cloned().unwrap_or_default(),
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) => self.visit(body),
            Form::Primitive(Prim::OclRun, types, args) => {
                let outer = self.launch;
                self.launch = self.launches.len();
                self.launches.push(launch_of(types));
                let from = self.primitive(Prim::OclRun, args, None);
                self.launch = outer;
                from
            }
            Form::Primitive(prim, _, args) => self.primitive(*prim, args, shared(phrase)),
            Form::Foreign(_, args) => {
                for arg in args.iter() {
                    self.visit(arg);
                }
                Sources::computed()
            }
            _ => Sources::computed(),
        }
    }

    fn primitive(
        &mut self,
        prim: Prim,
        args: &[Phrase],
        shared: Option<DistributedMap>,
    ) -> Sources {
        let (functions, values): (Vec<_>, Vec<_>) =
            args.iter().partition(|arg| is_function(&arg.form));
        let outside = self.into;
        let Some(pattern) = prim.pattern() else {
            return Sources::computed();
        };
        if super::is_stored(pattern) {
            self.into = Destination::Memory;
        }
        let values: Vec<Sources> = values.into_iter().map(|arg| self.visit(arg)).collect();
        if matches!(
            pattern,
            Pattern::Scan
                | Pattern::Iterate
                | Pattern::Repeat(_)
                | Pattern::Stream(Stream::Map | Stream::Ring | Stream::Window)
        ) {
            self.into = Destination::Memory;
        }
        let outer = self.in_parallel;
        self.in_parallel |= pattern.level().is_some();
        let depth = self.shared.len();
        self.shared.extend(shared);
        let last = values.last().cloned().unwrap_or_default();
        let bodies: Vec<Sources> = functions
            .into_iter()
            .map(|f| self.function(pattern, f, &last))
            .collect();
        self.in_parallel = outer;
        self.shared.truncate(depth);
        self.into = outside;
        gives(pattern, &values, bodies.last())
    }

    /// Visits the function of a primitive that is applied to the elements of `over`.
    fn function(&mut self, pattern: Pattern, f: &Phrase, over: &Sources) -> Sources {
        let mut params = match pattern {
            Pattern::Reduce(_) => vec![Sources::memory(), over.clone()],
            Pattern::Scan => vec![over.clone(), Sources::memory()],
            Pattern::Generate => vec![Sources::computed()],
            Pattern::Iterate | Pattern::Repeat(_) => vec![Sources::memory()],
            Pattern::Scalar | Pattern::Connective | Pattern::Select => vec![over.clone()],
            Pattern::Element | Pattern::Half(_) | Pattern::Pair => vec![over.clone()],
            Pattern::MapHalf(_) | Pattern::Literal | Pattern::View(_) => vec![over.clone()],
            Pattern::Zip | Pattern::Concat | Pattern::Map(_) => vec![over.clone()],
            Pattern::DepMap(_) | Pattern::Stream(_) | Pattern::Let => vec![over.clone()],
            Pattern::Memory | Pattern::Kernel | Pattern::DepPair => vec![over.clone()],
            Pattern::DepMatch => vec![over.clone()],
        };
        params.reverse();
        let mut body = f;
        loop {
            match &body.form {
                Form::Lambda(param, inner) => {
                    let reads = params.pop().unwrap_or_default();
                    self.scope.insert(param.local.id, reads);
                    body = inner;
                }
                Form::DepLambda(_, _, inner) => body = inner,
                _ => return self.visit(body),
            }
        }
    }
}

/// Returns the sources of a primitive's value.
fn gives(pattern: Pattern, values: &[Sources], body: Option<&Sources>) -> Sources {
    let last = || values.last().cloned().unwrap_or_default();
    let all = |values: &[Sources]| {
        let none = Sources::default();
        values.iter().fold(none, |all, one| all.and(one))
    };
    match pattern {
        // The elements that these leave out are not known.
        Pattern::View(View::Scatter | View::PadEmpty) => Sources::computed(),
        Pattern::View(_) | Pattern::Element | Pattern::Half(_) => last(),
        Pattern::Zip | Pattern::Stream(Stream::Zip) | Pattern::Pair | Pattern::Literal => {
            all(values)
        }
        Pattern::Select => all(values.get(1..).unwrap_or_default()),
        Pattern::Map(MapLoop::Computed) | Pattern::Let | Pattern::DepMatch => {
            body.cloned().unwrap_or_else(last)
        }
        Pattern::MapHalf(_) => last().and(body.unwrap_or(&Sources::default())),
        Pattern::Memory | Pattern::Reduce(_) | Pattern::Repeat(RepeatLoop::While) => {
            Sources::memory()
        }
        Pattern::Stream(Stream::Ring | Stream::Window) => Sources::memory(),
        Pattern::Scalar | Pattern::Connective | Pattern::Generate => Sources::computed(),
        Pattern::Concat | Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Scan => {
            Sources::computed()
        }
        Pattern::Iterate | Pattern::Stream(Stream::Map) | Pattern::Kernel | Pattern::DepPair => {
            Sources::computed()
        }
        Pattern::Repeat(RepeatLoop::InPlace | RepeatLoop::Buffers) => Sources::computed(),
    }
}

fn is_function(form: &Form<Prim>) -> bool {
    matches!(form, Form::Lambda(..) | Form::DepLambda(..))
}

/// Returns the phrase as a distributed map, if it is a map that is distributed over work-items or
/// work-groups.
fn shared(phrase: &Phrase) -> Option<DistributedMap> {
    let Form::Primitive(by, types, _) = &phrase.form else {
        return None;
    };
    match by.pattern()?.level()? {
        Level::Threads => return None,
        Level::Global | Level::WorkGroup | Level::Local => {}
    }
    let dimension = match types.last() {
        Some(Arg::Nat(dimension)) => dimension.as_const().unwrap_or(0),
        _ => 0,
    };
    Some(DistributedMap {
        by: *by,
        dimension: u8::try_from(dimension).unwrap_or(0).min(2),
        count: first_size(types)?,
    })
}

/// Returns the launch sizes of an `oclRun`.
fn launch_of(types: &[Arg]) -> Launch {
    let size = |arg: &Arg| match arg {
        Arg::Nat(size) => Some(size.clone()),
        _ => None,
    };
    let sizes: Vec<Nat> = types.iter().take(6).filter_map(size).collect();
    match sizes.split_at_checked(3) {
        Some((local, global)) => Launch::of(local, global),
        None => Launch::default(),
    }
}

fn first_size(types: &[Arg]) -> Option<Nat> {
    match types.first() {
        Some(Arg::Nat(size)) => Some(size.clone()),
        _ => None,
    }
}

/// Returns the type of the buffer if the primitive makes a stream of windows.
fn window(prim: Prim, types: &[Arg]) -> Option<Ty> {
    let (count, element) = match (prim, types) {
        (Prim::CircularBuffer, [_, _, Arg::Type(element), _, Arg::Nat(count), ..])
        | (Prim::RotateValues, [_, Arg::Type(element), _, Arg::Nat(count), ..]) => (count, element),
        _ => return None,
    };
    Some(Type::Array(count.clone(), element.clone()).into())
}

fn materialization_of(phrase: &Phrase, access: Access) -> Materialization {
    if let Form::Primitive(prim, types, _) = &phrase.form
        && prim.pattern().is_some_and(super::is_stored)
    {
        return Materialization::Stored(match types.last() {
            Some(Arg::Address(Address::Space(space))) => Some(*space),
            _ => None,
        });
    }
    match access {
        Access::Wr => Materialization::Written,
        Access::St => Materialization::Stream,
        Access::Rd | Access::Var(_) => Materialization::Read,
    }
}
