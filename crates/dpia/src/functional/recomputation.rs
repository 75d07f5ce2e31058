//! Hints about `map`s whose elements are computed more than once, because they are read more than
//! once.

use rise::core::{Form, Origin, for_each_local, subterms};
use rise::{Access, Arg, Primitive};
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
            _ if passes(prim) => again,
            _ => None,
        };
        let primitive = Primitive::from_name(prim.name()).filter(|_| repeats(prim));
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

    /// Returns the outermost loop that the expression does not depend on.
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

/// Returns true if a function does more than select and rearrange.
fn computes(f: &Phrase) -> bool {
    match &f.form {
        Form::Lambda(_, body) | Form::DepLambda(_, _, body) => computes(body),
        Form::Foreign(..) => true,
        Form::Primitive(prim, _, args) => is_work(*prim) || args.iter().any(computes),
        _ => false,
    }
}

fn is_work(prim: Prim) -> bool {
    use Prim::{Add, Div, Fma, Mod, Mul, Neg, ReducePar, ReduceSeq, ReduceSeqUnroll, Sub, ToMem};
    matches!(
        prim,
        Add | Sub | Mul | Div | Mod | Fma | Neg | ReduceSeq | ReduceSeqUnroll | ReducePar | ToMem
    )
}

/// Returns true if windows overlap.
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
fn passes(prim: Prim) -> bool {
    use Prim::{
        AsScalar, AsVector, AsVectorAligned, Assume, Drop, Join, Map, PadClamp, PadCst, Reorder,
        Slide, Split, Take, Transpose, Unzip, Zip,
    };
    matches!(
        prim,
        AsScalar
            | AsVector
            | AsVectorAligned
            | Assume
            | Drop
            | Join
            | Map
            | PadClamp
            | PadCst
            | Reorder
            | Slide
            | Split
            | Take
            | Transpose
            | Unzip
            | Zip
    )
}

/// Returns true if the primitive calls its function many times.
fn repeats(prim: Prim) -> bool {
    use Prim::{
        Generate, Map, MapGlobal, MapLocal, MapPar, MapSeq, MapSeqUnroll, MapWorkGroup, ReducePar,
        ReduceSeq, ReduceSeqUnroll, ScanSeq,
    };
    matches!(
        prim,
        Generate
            | Map
            | MapGlobal
            | MapLocal
            | MapPar
            | MapSeq
            | MapSeqUnroll
            | MapWorkGroup
            | ReducePar
            | ReduceSeq
            | ReduceSeqUnroll
            | ScanSeq
    )
}

/// Returns the second use of a function's parameter.
fn used_again(f: &Phrase) -> Option<Origin> {
    let Form::Lambda(param, body) = &f.form else {
        return None;
    };
    subterms(body)
        .filter(|term| matches!(&term.form, Form::Var(local) if *local == param.local))
        .nth(1)
        .map(|term| term.origin)
}
