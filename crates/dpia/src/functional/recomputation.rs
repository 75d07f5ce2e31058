//! Hints about `map`s whose elements are computed more than once, because they are read more than
//! once.

use rise::core::{Form, Origin, for_each_local, subterms};
use rise::pattern::{MapLoop, View};
use rise::{Access, Arg, Pattern, Primitive};
use rustc_hash::FxHashSet;

use super::problem::{Problem, ProblemKind, RecomputationCause};
use crate::phrase::{Phrase, PhraseProgram};
use crate::prim::Prim;

/// Returns a hint for each map whose elements are computed more than once.
pub(crate) fn repeated(program: &PhraseProgram) -> Vec<Problem> {
    let mut look = RecomputationFinder {
        loops: Vec::new(),
        found: Vec::new(),
    };
    look.visit(&program.body, None);
    look.found
}

/// An enclosing loop of an expression.
struct Loop {
    primitive: Primitive,
    at: Origin,
    /// The variables that are bound in the loop.
    bound: FxHashSet<u32>,
}

struct RecomputationFinder {
    loops: Vec<Loop>,
    found: Vec<Problem>,
}

impl RecomputationFinder {
    /// Visits a phrase; `again` is the reason why its elements are read more than once, if they
    /// are.
    fn visit(&mut self, phrase: &Phrase, again: Option<RecomputationCause>) {
        match &phrase.form {
            Form::Lambda(param, body) => {
                for around in &mut self.loops {
                    around.bound.insert(param.local.id);
                }
                self.visit(body, None);
            }
            Form::DepLambda(_, _, body) => self.visit(body, None),
            Form::Primitive(prim, types, args) => self.primitive(phrase, *prim, types, args, again),
            Form::Foreign(_, args) => args.iter().for_each(|arg| self.visit(arg, None)),
            _ => {}
        }
    }

    fn primitive(
        &mut self,
        phrase: &Phrase,
        prim: Prim,
        types: &[Arg],
        args: &[Phrase],
        again: Option<RecomputationCause>,
    ) {
        let again = match (prim, args) {
            (Prim::Map, [f, _]) if types.contains(&Arg::Access(Access::Rd)) && computes(f) => {
                match again.or_else(|| self.loop_around(phrase)) {
                    Some(reader) => {
                        self.found.push(Problem {
                            at: phrase.origin,
                            kind: ProblemKind::Recomputed { reader },
                            nest: Vec::new(),
                        });
                        None
                    }
                    None => None,
                }
            }
            (Prim::Slide, _) if overlaps(types) => Some(RecomputationCause::Windows(phrase.origin)),
            (Prim::Let, [value, f]) => {
                self.visit(value, used_again(f).map(RecomputationCause::Name));
                return self.visit(f, None);
            }
            _ if prim.pattern().is_some_and(passes) => again,
            _ => None,
        };
        let primitive = prim
            .in_rise()
            .filter(|primitive| repeats(primitive.pattern()));
        for arg in args {
            match (&arg.form, primitive) {
                (Form::Lambda(..), Some(primitive)) => {
                    self.loops.push(Loop {
                        primitive,
                        at: phrase.origin,
                        bound: FxHashSet::default(),
                    });
                    self.visit(arg, None);
                    self.loops.pop();
                }
                (Form::Lambda(..) | Form::DepLambda(..), _) => self.visit(arg, None),
                _ => self.visit(arg, again),
            }
        }
    }

    /// Returns the outermost enclosing loop none of whose variables the expression mentions.
    fn loop_around(&self, phrase: &Phrase) -> Option<RecomputationCause> {
        let around = self.loops.iter().find(|around| {
            let mut depends = false;
            for_each_local(phrase, &mut |local| {
                depends |= around.bound.contains(&local.id)
            });
            !depends
        })?;
        Some(RecomputationCause::Loop(around.primitive, around.at))
    }
}

/// Returns true if a function contains arithmetic, a call of a C function, or a primitive that
/// stores its result.
fn computes(f: &Phrase) -> bool {
    match &f.form {
        Form::Lambda(_, body) | Form::DepLambda(_, _, body) => computes(body),
        Form::Foreign(..) => true,
        Form::Primitive(prim, _, args) => is_work(*prim) || args.iter().any(computes),
        _ => false,
    }
}

fn is_work(prim: Prim) -> bool {
    prim.pattern().is_some_and(super::is_stored)
        || prim.in_rise().is_some_and(Primitive::is_arithmetic)
}

/// Returns true if the type-level arguments of a `slide` are a constant size and a smaller constant
/// step, so that the windows overlap.
fn overlaps(types: &[Arg]) -> bool {
    // The type-level parameters are `{n} {t} (sz) (sp)`.
    match (types.get(2), types.get(3)) {
        (Some(Arg::Nat(size)), Some(Arg::Nat(step))) => match (size.as_const(), step.as_const()) {
            (Some(size), Some(step)) => size > step,
            _ => false,
        },
        _ => false,
    }
}

/// Returns true if the primitive reads an element of its argument as often as its own element is
/// read.
fn passes(pattern: Pattern) -> bool {
    match pattern {
        Pattern::View(View::Gather | View::Scatter | View::PadEmpty) => false,
        Pattern::View(View::DepJoin | View::Partition) => false,
        Pattern::View(_) | Pattern::Map(MapLoop::Computed) | Pattern::Zip => true,
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => false,
        Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate => false,
        Pattern::Literal | Pattern::Concat | Pattern::Map(_) | Pattern::DepMap(_) => false,
        Pattern::Reduce(_) | Pattern::Scan | Pattern::Iterate | Pattern::Stream(_) => false,
        Pattern::Repeat(_) | Pattern::Let | Pattern::Memory | Pattern::Kernel => false,
        Pattern::DepPair => false,
        Pattern::DepMatch => false,
    }
}

/// Returns true if the primitive is a `generate`, a reduction, a scan, or a map other than one over
/// lanes, a stream or a dependent array, which calls its function for each element.
fn repeats(pattern: Pattern) -> bool {
    match pattern {
        Pattern::Map(MapLoop::Lanes | MapLoop::Stream) => false,
        Pattern::Generate | Pattern::Map(_) | Pattern::Reduce(_) | Pattern::Scan => true,
        Pattern::Repeat(_) => true,
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => false,
        Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Literal => false,
        Pattern::View(_) | Pattern::Zip | Pattern::Concat | Pattern::DepMap(_) => false,
        Pattern::Iterate | Pattern::Stream(_) | Pattern::Let | Pattern::Memory => false,
        Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch => false,
    }
}

/// Returns the origin of the second use of a function's parameter, if there is one.
fn used_again(f: &Phrase) -> Option<Origin> {
    let Form::Lambda(param, body) = &f.form else {
        return None;
    };
    subterms(body)
        .filter(|term| matches!(&term.form, Form::Var(local) if *local == param.local))
        .nth(1)
        .map(|term| term.origin)
}
