//! Whether the iterations of parallel loops stay out of each other's way.
//!
//! What the translation makes does so by construction; hand-written programs are held to the rule
//! that makes it so, which is DPIA's own (syntactic control of interference): the body of a
//! parallel loop uses nothing from outside of it that could write, other than the acceptor that it
//! is given, and reads nothing that the loop's iterations write.

use rise::Type;
use rise::core::{Form, Local, Node, Origin};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::Name;

use crate::phrase::{Phrase, PhraseProgram};
use crate::prim::Prim;

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
    let mut finder = Finder::default();
    finder.phrase(&program.body);
    finder.found
}

/// A parallel loop around what is looked at.
struct Loop {
    name: &'static str,
    origin: Origin,
    /// The expressions that read what the loop writes.
    written: FxHashSet<u32>,
}

#[derive(Default)]
struct Finder {
    loops: Vec<Loop>,
    /// For every variable in scope how many loops are around its binder.
    depth: FxHashMap<u32, usize>,
    /// The expression that reads the memory that an acceptor writes.
    readers: FxHashMap<u32, u32>,
    found: Vec<Race>,
    /// What is found already: a use that stands in several places of the program is one in the
    /// text.
    places: FxHashSet<(Origin, Origin)>,
}

impl Finder {
    fn phrase(&mut self, phrase: &Phrase) {
        match &phrase.form {
            Form::Var(local) => self.variable(local, &phrase.ty, phrase.origin),
            Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
            Form::Lambda(param, body) => {
                self.depth.insert(param.local.id, self.loops.len());
                self.phrase(body);
            }
            Form::DepLambda(_, _, body) | Form::DepApply(body, _) => self.phrase(body),
            Form::Apply(f, x) => {
                self.phrase(f);
                self.phrase(x);
            }
            Form::Foreign(_, args) => args.iter().for_each(|arg| self.phrase(arg)),
            Form::Primitive(prim, _, args) => {
                if let (Prim::New, [body]) = (prim, &args[..]) {
                    self.remember(body);
                }
                match parallel(*prim) {
                    Some(bodies) => self.parallel(phrase, *prim, args, bodies),
                    None => args.iter().for_each(|arg| self.phrase(arg)),
                }
            }
        }
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
        before.iter().for_each(|arg| self.phrase(arg));
        let mut written = FxHashSet::default();
        if let Some(target) = before.first() {
            self.written(target, &mut written);
        }
        self.loops.push(Loop {
            name: prim.name(),
            origin: phrase.origin,
            written,
        });
        bodies.iter().for_each(|body| self.phrase(body));
        self.loops.pop();
    }

    /// What reads the memory behind an acceptor.
    fn written(&self, acceptor: &Phrase, into: &mut FxHashSet<u32>) {
        let mut rest: Vec<&Node<Prim>> = vec![acceptor];
        while let Some(node) = rest.pop() {
            match &node.form {
                Form::Var(local) => into.extend(self.readers.get(&local.id).copied()),
                Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                    rest.push(body);
                }
                Form::Apply(f, x) => rest.extend([&**f, &**x]),
                Form::Primitive(_, _, args) | Form::Foreign(_, args) => {
                    rest.extend(args.iter().map(|arg| &**arg));
                }
                Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
            }
        }
    }

    fn variable(&mut self, local: &Local, ty: &Type, at: Origin) {
        let name = || local.name.clone();
        if let Some(around) = self
            .loops
            .iter()
            .rev()
            .find(|l| l.written.contains(&local.id))
        {
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
