//! Whether the iterations of parallel loops stay out of each other's way.
//!
//! What the translation makes does so by construction; hand-written programs are held to the rule
//! that makes it so, which is DPIA's own (syntactic control of interference): the body of a
//! parallel loop uses nothing from outside of it that could write, other than the acceptor that it
//! is given, and reads nothing that other iterations of the loop write.

mod paths;

use nat::{Facts, Nat, Var};
use rise::Type;
use rise::core::{Form, Local, Origin, Param};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::Name;

use crate::functional::places::{Path, Step};
use crate::phrase::{self, Phrase, PhraseProgram};
use crate::prim::Prim;

/// Variables for indices are numbered from here on, away from those of programs and signatures.
const INDEX_VARS: u32 = 1 << 23;

/// Something in the body of a parallel loop that the iterations share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Race {
    /// What is wrong.
    pub problem: Sharing,
    /// Where it is used.
    pub at: Origin,
    /// The loop.
    pub around: Origin,
}

/// How the iterations of a loop share something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Sharing {
    /// A place outside of the loop is written.
    #[error("every iteration of `{loop_name}` may write to `{name}`")]
    Written {
        /// The acceptor.
        name: Name,
        /// The loop.
        loop_name: &'static str,
    },
    /// A command from outside of the loop is run, which may write anywhere.
    #[error("every iteration of `{loop_name}` runs `{name}`, and what that writes is not known")]
    Run {
        /// The command, or the function that gives it.
        name: Name,
        /// The loop.
        loop_name: &'static str,
    },
    /// What iterations of the loop write is read in it.
    #[error("`{name}` is read here while other iterations of `{loop_name}` write it")]
    Read {
        /// The expression.
        name: Name,
        /// The loop.
        loop_name: &'static str,
    },
}

/// All that iterations of parallel loops share, in the order of the program.
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
    finder.read(&program.body, Path::new());
    finder.found
}

/// The expressions that read what an acceptor writes, each with the part of it that is written;
/// none, if that is not known to be one place.
type Written = FxHashMap<u32, Option<Path>>;

/// A parallel loop around what is looked at.
struct Loop {
    name: &'static str,
    origin: Origin,
    /// What one iteration writes.
    written: Written,
}

struct Finder {
    facts: Facts,
    next: u32,
    loops: Vec<Loop>,
    /// For every variable in scope how many loops are around its binder.
    depth: FxHashMap<u32, usize>,
    /// The expression that reads the memory that an acceptor writes.
    readers: FxHashMap<u32, u32>,
    /// What the acceptors that loops give to their bodies write.
    parts: FxHashMap<u32, Written>,
    /// The indices in scope.
    indices: FxHashMap<u32, Nat>,
    found: Vec<Race>,
    /// What is found already: a use that stands in several places of the program is one in the
    /// text.
    places: FxHashSet<(Origin, Origin)>,
}

impl Finder {
    /// Looks at what is done for a part of a phrase: the whole, if the path is empty.
    fn read(&mut self, phrase: &Phrase, path: Path) {
        match &phrase.form {
            Form::Var(local) => self.variable(local, &phrase.ty, phrase.origin, &path),
            Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
            Form::Lambda(param, body) => {
                self.bind(param);
                self.read(body, path);
            }
            Form::DepLambda(_, _, body) | Form::DepApply(body, _) => self.read(body, Path::new()),
            Form::Apply(f, x) => {
                self.read(f, Path::new());
                self.read(x, Path::new());
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
            self.read(arg, Path::new());
        }
    }

    fn bind(&mut self, param: &Param) {
        self.depth.insert(param.local.id, self.loops.len());
        if let Some(Type::Index(n)) = phrase::data(&param.ty).map(|ty| &**ty) {
            self.index(param.local.id, n);
        }
    }

    /// A variable for an index below `n`.
    fn index(&mut self, local: u32, n: &Nat) -> Nat {
        let var = Var(self.next);
        self.next += 1;
        self.facts.range(var, &Nat::ZERO, n);
        self.indices.insert(local, Nat::var(var));
        Nat::var(var)
    }

    /// `new(fun((acc, exp) => …))`: the expression reads what the acceptor writes.
    fn remember(&mut self, body: &Phrase) {
        if let Form::Lambda(acceptor, inner) = &body.form
            && let Form::Lambda(reader, _) = &inner.form
        {
            self.readers.insert(acceptor.local.id, reader.local.id);
        }
    }

    /// A loop whose values from `bodies` on run in parallel, and write to the one at the start.
    fn parallel(&mut self, phrase: &Phrase, prim: Prim, args: &[Phrase], bodies: usize) {
        let (before, bodies) = args.split_at(bodies.min(args.len()));
        self.all(before);
        let own = match (prim, bodies) {
            (Prim::ParReduce, _) => None,
            (_, [body]) => self.iteration(body),
            _ => None,
        };
        let element = own.as_ref().map(|(at, ..)| vec![Step::At(at.clone())]);
        let mut written = Written::default();
        if let Some(target) = before.first() {
            self.written(target, element, &mut written);
        }
        self.loops.push(Loop {
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
                self.read(body, Path::new());
            }
            None => self.all(bodies),
        }
        self.loops.pop();
    }

    /// The index of an iteration, what it is given, and what it does.
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

    fn variable(&mut self, local: &Local, ty: &Type, at: Origin, path: &[Step]) {
        let name = || local.name.clone();
        if let Some(around) = self.loops.iter().rev().find(|around| {
            let place = around.written.get(&local.id);
            place.is_some_and(|place| !self.stays_in(path, place.as_deref()))
        }) {
            let (loop_name, around) = (around.name, around.origin);
            let name = name();
            return self.report(Sharing::Read { name, loop_name }, at, around);
        }
        let depth = self.depth.get(&local.id).copied().unwrap_or(0);
        // The loops around it from its binder inwards share it.
        let Some(around) = self.loops.get(depth) else {
            return;
        };
        let (loop_name, around) = (around.name, around.origin);
        let problem = match result(ty) {
            Type::Acc(_) => Sharing::Written {
                name: name(),
                loop_name,
            },
            Type::Comm => Sharing::Run {
                name: name(),
                loop_name,
            },
            _ => return,
        };
        self.report(problem, at, around);
    }

    fn report(&mut self, problem: Sharing, at: Origin, around: Origin) {
        if self.places.insert((at, around)) {
            self.found.push(Race {
                problem,
                at,
                around,
            });
        }
    }
}

/// What a function gives in the end.
fn result(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Fun(_, result) => result,
            Type::Pi(pi) => &pi.body,
            _ => return ty,
        };
    }
}

/// For a parallel loop, the first of its values that run in parallel.
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
