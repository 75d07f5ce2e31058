//! Transforms access paths through views and projections, the same for reading and for writing. A
//! view that splits an array for a reader joins it for a writer, so `split` has the path of
//! `joinAcc`.

use dpia::Prim;
use nat::Nat;
use rise::SizeFun;
use rise::pattern::IndexArithmetic;
use syntax::ast::BinaryOp;

use super::Lower;
use super::env::{Call, Env, Path, Step};
use super::read::{nat_arg, size_fun};
use super::store::{apply_size, lost};
use crate::error::Result;

impl Lower<'_> {
    /// Returns the path into the argument of a view or projection, given the path into its result;
    /// `None` if this function has no rule for the primitive.
    pub(super) fn step_below(
        &mut self,
        call: &Call<'_>,
        path: Path,
        env: &Env,
    ) -> Result<Option<Path>> {
        let Call {
            prim, types, args, ..
        } = *call;
        let origin = call.origin();
        if let Some(map) = prim.index_map() {
            let (mut at, mut rest) = (Vec::new(), path);
            for _ in 0..map.arity().0 {
                let (i, path) = self.pop_index(rest, origin)?;
                at.push(i);
                rest = path;
            }
            let given = map.apply(types, &at, &mut SizeArithmetic(self));
            let given = given.ok_or_else(|| lost(origin))?;
            return Ok(Some(
                given
                    .into_iter()
                    .rev()
                    .fold(rest, |path, index| path.push(Step::Index(index))),
            ));
        }
        use Prim::*;
        Ok(Some(match prim {
            Idx | IdxAcc => path.push(Step::Index(self.index(&args[0], env)?)),
            IdxVec | IdxVecAcc => path.push(Step::Lane(self.index(&args[0], env)?)),
            DepIdx | DepIdxAcc => path.push(Step::Index(nat_arg(types, 2))),
            Fst | PairAcc1 => path.push(Step::Member(false)),
            Snd | PairAcc2 => path.push(Step::Member(true)),
            AsScalar | AsVectorAcc => {
                let (i, path) = self.pop_index(path, origin)?;
                let (number, lane) = self.divide(&i, &nat_arg(types, 0));
                path.push(Step::Lane(lane)).push(Step::Index(number))
            }
            Gather | ScatterAcc => {
                let (i, path) = self.pop_index(path, origin)?;
                let found = self.read(&args[0], Path::new().push(Step::Index(i)), env)?;
                path.push(Step::Index(self.expr_as_nat(found)))
            }
            Partition | DepJoinAcc => {
                let lengths = size_fun(types, if prim == Partition { 3 } else { 1 });
                let (i, path) = self.pop_index(path, origin)?;
                let (j, path) = self.pop_index(path, origin)?;
                let before = self.offset(&lengths, &i);
                path.push(Step::Index(before + &j))
            }
            _ => return Ok(None),
        }))
    }
}

/// The arithmetic of access paths on sizes, with the facts that hold at the current place.
struct SizeArithmetic<'l, 'p>(&'l Lower<'p>);

impl IndexArithmetic for SizeArithmetic<'_, '_> {
    type Index = Nat;

    fn size(&mut self, size: &Nat) -> Nat {
        size.clone()
    }

    fn binary(&mut self, op: BinaryOp, a: Nat, b: Nat) -> Option<Nat> {
        Some(match op {
            BinaryOp::Add => a + &b,
            BinaryOp::Sub => Nat::sub(&a, &b),
            BinaryOp::Mul => a * &b,
            BinaryOp::Div => self.0.simplify(&Nat::div(&self.0.simplify(&a), &b)),
            BinaryOp::Mod => self.0.simplify(&Nat::rem(&self.0.simplify(&a), &b)),
            _ => return None,
        })
    }

    fn apply(&mut self, function: &SizeFun, at: Nat) -> Option<Nat> {
        Some(apply_size(function, &at))
    }
}
