//! Purity: the expressions that need no commands.

use std::sync::Arc;

use rise::core::{Form, Node};
use rise::pattern::{MapLoop, Pattern, View};
use rise::{Type, core::Param};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Translation;
use crate::phrase::Phrase;
use crate::prim::{PhraseClass, Prim};

/// A memo table by address; it keeps the phrases alive, so that addresses are not reused.
#[derive(Default)]
pub struct Purity(FxHashMap<*const Node<Prim>, (Phrase, bool)>);

impl Purity {
    fn of(&mut self, phrase: &Phrase) -> bool {
        if let Some((_, pure)) = self.0.get(&Arc::as_ptr(phrase)) {
            return *pure;
        }
        let pure = match &phrase.form {
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) => return true,
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) => self.of(body),
            Form::Apply(..) | Form::DepApply(..) | Form::Global(..) => false,
            Form::Primitive(prim, _, args) => is_pure(*prim) && args.iter().all(|arg| self.of(arg)),
            // A tuple that a function returns is stored, so that its projections do not call the
            // function twice.
            Form::Foreign(function, args) => {
                !matches!(*function.result, Type::Pair(..)) && args.iter().all(|arg| self.of(arg))
            }
        };
        self.0.insert(Arc::as_ptr(phrase), (phrase.clone(), pure));
        pure
    }
}

impl Translation {
    /// Returns true if reading a phrase needs no commands.
    pub fn is_pure(&mut self, phrase: &Phrase) -> bool {
        self.purity.of(phrase)
    }
}

/// Returns true if a primitive may occur in an expression of an imperative program.
pub fn is_pure(prim: Prim) -> bool {
    let PhraseClass::Expression(pattern) = prim.class() else {
        return false;
    };
    match pattern {
        Pattern::Scalar | Pattern::Connective | Pattern::Select => true,
        Pattern::Element | Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) => true,
        Pattern::Generate | Pattern::Literal | Pattern::Zip => true,
        Pattern::View(View::Scatter | View::PadEmpty) => false,
        Pattern::View(
            View::Index
            | View::Gather
            | View::PadCst
            | View::PadClamp
            | View::Lanes
            | View::Vectors
            | View::Unzip
            | View::DepJoin
            | View::Partition,
        ) => true,
        Pattern::Map(map) => map == MapLoop::Computed,
        // A dependent pair is split where it is matched, and in memory only if it is stored.
        Pattern::DepPair | Pattern::DepMatch => false,
        Pattern::Concat | Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan => false,
        Pattern::Iterate | Pattern::Stream(_) | Pattern::Let | Pattern::Memory => false,
        Pattern::Repeat(_) | Pattern::Kernel => false,
    }
}

/// Returns true if it costs nothing to read an expression twice: a variable, a number, or a part of
/// one.
pub fn is_atomic(phrase: &Phrase) -> bool {
    match &phrase.form {
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) => true,
        Form::Primitive(Prim::IndexAsNat | Prim::NatAsIndex | Prim::Fst | Prim::Snd, _, args) => {
            args.iter().all(is_atomic)
        }
        _ => false,
    }
}

/// Returns true for arithmetic on counters and sizes, which becomes a part of an index.
pub fn is_index_arithmetic(phrase: &Phrase) -> bool {
    match &phrase.form {
        Form::Primitive(
            Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Div
            | Prim::Mod
            | Prim::IndexAsNat
            | Prim::NatAsIndex,
            _,
            args,
        ) => args.iter().all(is_index_arithmetic),
        _ => is_atomic(phrase),
    }
}

/// Calls `f` for each subterm of `phrase`, once for shared ones.
pub fn for_each(
    phrase: &Phrase,
    seen: &mut FxHashSet<*const Node<Prim>>,
    f: &mut dyn FnMut(&Phrase),
) {
    if !seen.insert(Arc::as_ptr(phrase)) {
        return;
    }
    f(phrase);
    for child in phrase.form.children() {
        for_each(child, seen, f);
    }
}

/// Counts the reads of a variable up to 2; one inside a function counts as 2, because the function
/// may run several times.
pub fn uses(param: &Param, body: &Phrase) -> usize {
    fn count(param: &Param, phrase: &Phrase, weight: usize) -> usize {
        let found = match &phrase.form {
            Form::Var(local) => usize::from(*local == param.local) * weight,
            Form::Literal(_) | Form::Nat(_) | Form::Global(..) => 0,
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) => count(param, body, 2),
            Form::DepApply(f, _) => count(param, f, weight),
            Form::Apply(f, x) => count(param, f, weight) + count(param, x, weight),
            Form::Primitive(_, _, args) | Form::Foreign(_, args) => {
                let mut sum = 0;
                for arg in args.iter() {
                    sum += count(param, arg, weight);
                    if sum >= 2 {
                        break;
                    }
                }
                sum
            }
        };
        found.min(2)
    }
    count(param, body, 1)
}
