//! The detection of data races between the iterations of parallel loops.
//!
//! Translated programs are free of races by construction. Written programs must obey DPIA's rule
//! that ensures it (syntactic control of interference): the body of a parallel loop uses no command
//! or acceptor from outside except for the acceptor that it is given, and reads nothing that other
//! iterations of the loop write.

mod paths;

use nat::{Facts, Nat, Var};
use rise::Type;
use rise::core::{Form, Local, Origin, Param};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::Name;

use crate::functional::access_path::{AccessPath, PathElement};
use crate::phrase::{self, Phrase, PhraseProgram};
use crate::prim::Prim;

/// The smallest number of an index variable, above the numbers in programs and signatures.
const INDEX_VARS: u32 = 1 << 23;

/// A data race: an acceptor, a command or memory that the iterations of a parallel loop share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Race {
    /// The way in which the iterations conflict.
    pub problem: RaceKind,
    /// The origin of the conflicting use.
    pub at: Origin,
    /// The origin of the parallel loop.
    pub around: Origin,
}

/// The ways in which the iterations of a loop share something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RaceKind {
    /// An acceptor from outside of the loop is written.
    #[error("every iteration of `{loop_name}` may write to `{name}`")]
    Written {
        /// The name of the acceptor.
        name: Name,
        /// The name of the loop.
        loop_name: &'static str,
    },
    /// A command from outside of the loop is run, which may write anywhere.
    #[error(
        "every iteration of `{loop_name}` runs `{name}`, and what `{name}` writes is not known"
    )]
    Run {
        /// The name of the command, or of the function that returns it.
        name: Name,
        /// The name of the loop.
        loop_name: &'static str,
    },
    /// Memory is read that other iterations of the loop write.
    #[error("`{name}` is read here while other iterations of `{loop_name}` write it")]
    Read {
        /// The name of the expression.
        name: Name,
        /// The name of the loop.
        loop_name: &'static str,
    },
}

/// Returns the data races of a program, at most one for each use and loop.
pub fn races(program: &PhraseProgram) -> Vec<Race> {
    let mut facts = Facts::new();
    for prop in program.facts.iter().chain(&program.obligations) {
        facts.assume(prop);
    }
    let mut finder = Finder {
        facts,
        next: INDEX_VARS,
        loops: Vec::new(),
        depth: FxHashMap::default(),
        readers: FxHashMap::default(),
        parts: FxHashMap::default(),
        indices: FxHashMap::default(),
        found: Vec::new(),
        places: FxHashSet::default(),
    };
    for (acceptor, value) in crate::imperative::updated_parameters(program) {
        if let Some(acceptor) = acceptor {
            finder.readers.insert(acceptor.local.id, value.local.id);
        }
    }
    finder.read(&program.body, AccessPath::new());
    finder.found
}

/// Maps the numbers of the variables that read written memory to the path of the written part in
/// that memory, or to `None` if it is not a single place.
type WrittenPaths = FxHashMap<u32, Option<AccessPath>>;

/// An enclosing parallel loop.
struct ParallelLoop {
    name: &'static str,
    origin: Origin,
    /// The memory that a single iteration writes.
    written: WrittenPaths,
}

struct Finder {
    facts: Facts,
    next: u32,
    loops: Vec<ParallelLoop>,
    /// Maps each variable in scope to the number of parallel loops around its binder.
    depth: FxHashMap<u32, usize>,
    /// Maps the numbers of acceptors to those of the variables that read their memory.
    readers: FxHashMap<u32, u32>,
    /// Maps the parameters of parallel loops to the memory that an iteration writes.
    parts: FxHashMap<u32, WrittenPaths>,
    /// Maps the variables in scope that are indices to sizes, which are variables of
    /// [`Self::facts`].
    indices: FxHashMap<u32, Nat>,
    found: Vec<Race>,
    /// The use and the loop of each race found so far: a use that occurs in several places of the
    /// program occurs once in the text.
    places: FxHashSet<(Origin, Origin)>,
}

impl Finder {
    /// Checks the uses of variables in a phrase of which only the part at `path` is read; the empty
    /// path is the whole.
    fn read(&mut self, phrase: &Phrase, path: AccessPath) {
        match &phrase.form {
            Form::Var(local) => self.variable(local, &phrase.ty, phrase.origin, &path),
            Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
            Form::Lambda(param, body) => {
                self.bind(param);
                self.read(body, path);
            }
            Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                self.read(body, AccessPath::new())
            }
            Form::Apply(f, x) => {
                self.read(f, AccessPath::new());
                self.read(x, AccessPath::new());
            }
            Form::Foreign(_, args) => self.all(args),
            Form::Primitive(prim, types, args) => {
                if let (Prim::New, [body]) = (prim, &args[..]) {
                    self.remember(body);
                }
                match parallel(*prim) {
                    Some(bodies) => self.parallel(phrase, *prim, args, bodies),
                    None => self.read_primitive(*prim, types, args, path),
                }
            }
        }
    }

    fn all(&mut self, args: &[Phrase]) {
        for arg in args {
            self.read(arg, AccessPath::new());
        }
    }

    fn bind(&mut self, param: &Param) {
        self.depth.insert(param.local.id, self.loops.len());
        if let Some(Type::Index(n)) = phrase::data(&param.ty).map(|ty| &**ty) {
            self.index(param.local.id, n);
        }
    }

    /// Makes a size for the variable `local`, an index below `n`, and records it.
    fn index(&mut self, local: u32, n: &Nat) -> Nat {
        let var = Var(self.next);
        self.next += 1;
        self.facts.range(var, &Nat::ZERO, n);
        self.indices.insert(local, Nat::var(var));
        Nat::var(var)
    }

    /// Records for `new(fun((acc, exp) => …))` that the expression reads the memory of the
    /// acceptor.
    fn remember(&mut self, body: &Phrase) {
        if let Form::Lambda(acceptor, inner) = &body.form
            && let Form::Lambda(reader, _) = &inner.form
        {
            self.readers.insert(acceptor.local.id, reader.local.id);
        }
    }

    /// Checks a parallel loop whose arguments from `bodies` on run in parallel and write to the
    /// first argument.
    fn parallel(&mut self, phrase: &Phrase, prim: Prim, args: &[Phrase], bodies: usize) {
        let (before, bodies) = args.split_at(bodies.min(args.len()));
        self.all(before);
        let own = match (prim, bodies) {
            (Prim::ParReduce, _) => None,
            (_, [body]) => self.iteration(body),
            _ => None,
        };
        let element = own
            .as_ref()
            .map(|(at, ..)| vec![PathElement::At(at.clone())]);
        let mut written = WrittenPaths::default();
        if let Some(target) = before.first() {
            self.written(target, element, &mut written);
        }
        self.loops.push(ParallelLoop {
            name: prim.name(),
            origin: phrase.origin,
            written: written.clone(),
        });
        match own {
            Some((_, params, body)) => {
                let depth = self.loops.len();
                for local in params.into_iter().flatten() {
                    self.depth.insert(local, depth);
                    self.parts.insert(local, written.clone());
                }
                self.read(body, AccessPath::new());
            }
            None => self.all(bodies),
        }
        self.loops.pop();
    }

    /// Returns the index of an iteration as a size, the numbers of the counter (`None` if it is a
    /// size) and of the acceptor that the body binds, and the body under them.
    fn iteration<'p>(&mut self, body: &'p Phrase) -> Option<(Nat, [Option<u32>; 2], &'p Phrase)> {
        let (at, counter, inner) = match &body.form {
            Form::Lambda(counter, inner) => {
                self.bind(counter);
                let local = counter.local.id;
                (self.indices.get(&local)?.clone(), Some(local), inner)
            }
            Form::DepLambda(var, _, inner) => (Nat::var(*var), None, inner),
            _ => return None,
        };
        match &inner.form {
            Form::Lambda(acceptor, body) => Some((at, [counter, Some(acceptor.local.id)], body)),
            _ => None,
        }
    }

    fn variable(&mut self, local: &Local, ty: &Type, at: Origin, path: &[PathElement]) {
        let name = || local.name.clone();
        if let Some(around) = self.loops.iter().rev().find(|around| {
            let place = around.written.get(&local.id);
            place.is_some_and(|place| !self.stays_in(path, place.as_deref()))
        }) {
            let (loop_name, around) = (around.name, around.origin);
            let name = name();
            return self.report(RaceKind::Read { name, loop_name }, at, around);
        }
        let depth = self.depth.get(&local.id).copied().unwrap_or(0);
        // The outermost loop inside its binder shares it.
        let Some(around) = self.loops.get(depth) else {
            return;
        };
        let (loop_name, around) = (around.name, around.origin);
        let problem = match result(ty) {
            Type::Acc(_) => RaceKind::Written {
                name: name(),
                loop_name,
            },
            Type::Comm => RaceKind::Run {
                name: name(),
                loop_name,
            },
            _ => return,
        };
        self.report(problem, at, around);
    }

    fn report(&mut self, problem: RaceKind, at: Origin, around: Origin) {
        if self.places.insert((at, around)) {
            self.found.push(Race {
                problem,
                at,
                around,
            });
        }
    }
}

/// Returns the result type of a function after all arguments.
fn result(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Fun(_, result) => result,
            Type::Pi(pi) => &pi.body,
            _ => return ty,
        };
    }
}

/// Returns the index of the first argument that a parallel loop runs in parallel, as it does all
/// arguments after it; `None` if the primitive is no parallel loop.
fn parallel(prim: Prim) -> Option<usize> {
    match prim {
        Prim::ParFor
        | Prim::ParForGlobal
        | Prim::ParForWorkGroup
        | Prim::ParForLocal
        | Prim::ParForNat => Some(1),
        Prim::ParReduce => Some(2),
        _ => None,
    }
}
