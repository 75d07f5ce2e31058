//! Transforms access paths through views, the same for reading and for writing. A view that splits
//! an array for a reader joins it for a writer, so `split` has the path of `joinAcc`.

use dpia::{Phrase, Prim};
use rise::Arg;
use rise::core::Origin;

use super::Lower;
use super::env::{Env, Path, Step};
use super::read::{nat_arg, size_fun};
use super::store::apply_size;
use crate::error::CompileError;

impl Lower<'_> {
    /// Returns the path below a view, given the path above it; `None` if the primitive is not such
    /// a view.
    pub(super) fn step_below(
        &mut self,
        (prim, origin): (Prim, Origin),
        types: &[Arg],
        args: &[Phrase],
        path: Path,
        env: &Env,
    ) -> Result<Option<Path>, CompileError> {
        use Prim::*;
        Ok(Some(match prim {
            Idx | IdxAcc => path.push(Step::Index(self.index(&args[0], env)?)),
            IdxVec | IdxVecAcc => path.push(Step::Lane(self.index(&args[0], env)?)),
            DepIdx | DepIdxAcc => path.push(Step::Index(nat_arg(types, 2))),
            Fst | PairAcc1 => path.push(Step::Member(false)),
            Snd | PairAcc2 => path.push(Step::Member(true)),
            Assume | Take | TakeAcc => path,
            Drop | DropAcc => {
                let (i, path) = self.pop_index(path, origin)?;
                path.push(Step::Index(i + &nat_arg(types, 2)))
            }
            Split | Slide | JoinAcc => {
                let step = nat_arg(types, if prim == JoinAcc { 1 } else { 3 });
                let (i, path) = self.pop_index(path, origin)?;
                let (j, path) = self.pop_index(path, origin)?;
                path.push(Step::Index(i * &step + &j))
            }
            Join | SplitAcc => {
                let (i, path) = self.pop_index(path, origin)?;
                let (row, column) = self.divide(&i, &nat_arg(types, 1));
                path.push(Step::Index(column)).push(Step::Index(row))
            }
            AsScalar | AsVectorAcc => {
                let (i, path) = self.pop_index(path, origin)?;
                let (number, lane) = self.divide(&i, &nat_arg(types, 0));
                path.push(Step::Lane(lane)).push(Step::Index(number))
            }
            Transpose | TransposeAcc => {
                let (i, path) = self.pop_index(path, origin)?;
                let (j, path) = self.pop_index(path, origin)?;
                path.push(Step::Index(i)).push(Step::Index(j))
            }
            Reorder | ReorderAcc => {
                let order = size_fun(types, if prim == Reorder { 3 } else { 2 });
                let (i, path) = self.pop_index(path, origin)?;
                path.push(Step::Index(apply_size(&order, &i)))
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
