//! Which expressions need no commands.

use std::sync::Arc;

use rise::core::{Form, Node};
use rise::{Type, core::Param};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Translation;
use crate::phrase::Phrase;
use crate::prim::Prim;

/// What is known of phrases, by their addresses, which the phrases themselves hold on to.
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
            // A tuple that a function returns is kept, so that its parts are not two calls.
            Form::Foreign(function, args) => {
                !matches!(*function.result, Type::Pair(..)) && args.iter().all(|arg| self.of(arg))
            }
        };
        self.0.insert(Arc::as_ptr(phrase), (phrase.clone(), pure));
        pure
    }
}

impl Translation {
    /// Whether reading it needs no commands.
    pub fn is_pure(&mut self, phrase: &Phrase) -> bool {
        self.purity.of(phrase)
    }
}

/// Whether a primitive may stand in an expression of an imperative program.
pub fn is_pure(prim: Prim) -> bool {
    use Prim::*;
    match prim {
        Add | Sub | Mul | Div | Neg | Mod | Fma | Gt | Lt | Ge | Le | Equal | NotEqual | Not
        | And | Or | Select | Cast | IndexAsNat | NatAsIndex | Generate | Idx | MakeArray
        | Take | Drop | Split | Join | Transpose | Slide | Assume | Gather | Reorder | PadCst
        | PadClamp | Zip | Unzip | DepIdx | MakePair | Fst | Snd | MapFst | MapSnd
        | VectorFromScalar | AsScalar | AsVector | AsVectorAligned | IdxVec | Map | DepZip
        | DepJoin | Partition => true,
        // It is taken apart where it is matched on, and never in memory unless it is stored.
        MakeDepPair => false,
        Concat | Scatter | PadEmpty | MapVec | MapSeq | MapSeqUnroll | MapPar | MapGlobal
        | MapWorkGroup | MapLocal | MapStream | IterateStream | ReduceSeq | ReduceSeqUnroll
        | ReducePar | ScanSeq | Iterate | CircularBuffer | RotateValues | ZipStream | Let
        | ToMem | OclRun | DepMapSeq | Dmatch => false,
        Assign | Seq | Skip | If | New | NewDoubleBuffer | For | ForUnroll | ForVec | ForNat
        | ParFor | ParForGlobal | ParForWorkGroup | ParForLocal | ParForNat | ParReduce
        | Barrier | DmatchCommand | OclRunCommand | DepPairFst => false,
        IdxAcc | JoinAcc | SplitAcc | TransposeAcc | ZipAcc1 | ZipAcc2 | UnzipAcc | PairAcc
        | PairAcc1 | PairAcc2 | TakeAcc | DropAcc | ReorderAcc | ScatterAcc | AsScalarAcc
        | AsVectorAcc | IdxVecAcc | MapAcc | MapFstAcc | MapSndAcc | DepIdxAcc | DepJoinAcc
        | DepPairSndAcc => false,
    }
}

/// Whether reading it twice is no more work than once: a variable, a number, a part of such.
pub fn is_atomic(phrase: &Phrase) -> bool {
    match &phrase.form {
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) => true,
        Form::Primitive(Prim::IndexAsNat | Prim::NatAsIndex | Prim::Fst | Prim::Snd, _, args) => {
            args.iter().all(is_atomic)
        }
        _ => false,
    }
}

/// Whether it is arithmetic on counters and sizes, which ends up in an index.
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

/// Calls `f` with each phrase in `phrase`, those that are shared once.
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

/// How often a variable is read: 2 stands for more than once, and for under a function, which may
/// run more than once.
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
