//! Determines the dimensions of an array along which work-items or threads write it in parallel.
//!
//! Parallel writes have no order, so values that are scattered to one index must be equal. The
//! analysis follows the dimensions from parallel maps to `scatter`: through views, functions, and
//! the slots of variables.

use rise::core::Form;
use rise::pattern::{MapLoop, RepeatLoop, View};
use rise::{Pattern, Primitive as P, Type};
use rustc_hash::FxHashMap;

use super::super::block::Operand;
use super::{Compiler, Env, Function, Head, StaticValue, Term, Thunk};

/// For each dimension, from the outermost on, true if it is written in parallel. Missing dimensions
/// are not.
pub(super) type Dims = Vec<bool>;

/// The largest number of expressions that the analysis visits for one array. Beyond it, all
/// dimensions count as written in parallel.
const MAX_VISITED_EXPRS: usize = 1 << 16;

impl Compiler {
    /// Returns the dimensions of an argument that are written in parallel.
    pub(super) fn parallel(&self, arg: &Thunk) -> Dims {
        let mut look = self.look();
        match arg {
            Thunk::Term(term, env) => look.term(term, env, Vec::new()),
            Thunk::Ready(meaning) => look.meaning(meaning, Vec::new()),
        }
    }

    /// If the program has a `scatter`, stores the dimensions along which the value of a term is
    /// written in parallel, for the slots of the value.
    pub(super) fn keep_parallel(&mut self, out: &Operand, term: &Term, env: &Env) {
        if self.scatters && !matches!(out, Operand::Word(..)) {
            let dims = self.look().term(term, env, Vec::new());
            self.keep_dims(out, &dims);
        }
    }

    /// If the program has a `scatter`, stores the dimensions along which the elements of an
    /// argument are written in parallel, for the slots of an element.
    pub(super) fn keep_parallel_elements(&mut self, out: &Operand, arg: &Thunk) {
        if self.scatters && !matches!(out, Operand::Word(..)) {
            let dims = self.parallel(arg);
            self.keep_dims(out, dims.get(1..).unwrap_or_default());
        }
    }

    fn keep_dims(&mut self, out: &Operand, dims: &[bool]) {
        if !dims.contains(&true) {
            return;
        }
        match out {
            Operand::Slot(slot) => {
                self.parallel.insert(*slot, dims.to_vec());
            }
            Operand::Pair(a, b) => {
                self.keep_dims(a, dims);
                self.keep_dims(b, dims);
            }
            Operand::Word(..) | Operand::Elem(..) | Operand::Val(_) => {}
        }
    }

    fn look(&self) -> ParallelAnalysis<'_> {
        ParallelAnalysis {
            slots: &self.parallel,
            bound: FxHashMap::default(),
            remaining: MAX_VISITED_EXPRS,
        }
    }
}

struct ParallelAnalysis<'c> {
    slots: &'c FxHashMap<usize, Dims>,
    /// The dimensions of the parameters of inlined functions.
    bound: FxHashMap<u32, Dims>,
    remaining: usize,
}

impl ParallelAnalysis<'_> {
    fn meaning(&mut self, meaning: &StaticValue, args: Vec<Dims>) -> Dims {
        match meaning {
            StaticValue::Data(out) => self.out(out),
            StaticValue::Function(f) => match &**f {
                Function::Lambda(param, body, env) => {
                    let mut args = args.into_iter();
                    self.bound
                        .insert(param.local.id, args.next().unwrap_or_default());
                    self.term(body, env, args.collect())
                }
                Function::DepLambda(_, body, env) => self.term(body, env, args),
                Function::Primitive(partial) => match partial.head {
                    Head::Primitive(primitive) => {
                        let own = partial.args.iter().map(Part::StaticValue);
                        self.primitive(primitive, own.collect(), args, partial.missing)
                    }
                    Head::Foreign(_) => Dims::new(),
                },
            },
        }
    }

    fn out(&self, out: &Operand) -> Dims {
        match out {
            Operand::Slot(slot) => self.slots.get(slot).cloned().unwrap_or_default(),
            Operand::Pair(a, b) => either(self.out(a), self.out(b)),
            Operand::Word(..) | Operand::Elem(..) | Operand::Val(_) => Dims::new(),
        }
    }

    /// Analyses a term that is applied to arguments with these dimensions.
    fn term(&mut self, term: &Term, env: &Env, mut args: Vec<Dims>) -> Dims {
        if self.remaining == 0 {
            return possible(&term.ty);
        }
        self.remaining -= 1;
        match &term.form {
            Form::Var(local) => match (self.bound.get(&local.id), env.local(local)) {
                (Some(dims), _) => dims.clone(),
                (None, Some(meaning)) => self.meaning(&meaning, args),
                (None, None) => Dims::new(),
            },
            Form::Lambda(param, body) => {
                let arg = match args.is_empty() {
                    true => Dims::new(),
                    false => args.remove(0),
                };
                self.bound.insert(param.local.id, arg);
                self.term(body, env, args)
            }
            Form::DepLambda(_, _, body) | Form::DepApply(body, _) => self.term(body, env, args),
            Form::Apply(f, x) => {
                let x = self.term(x, env, Vec::new());
                args.insert(0, x);
                self.term(f, env, args)
            }
            Form::Primitive(primitive, _, own) => {
                let own = own.iter().map(|arg| Part::Term(arg, env));
                self.primitive(*primitive, own.collect(), args, missing(&term.ty))
            }
            Form::Foreign(..) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => Dims::new(),
        }
    }

    fn part(&mut self, part: &Part<'_>, args: Vec<Dims>) -> Dims {
        match part {
            Part::Term(term, env) => self.term(term, env, args),
            Part::StaticValue(meaning) => self.meaning(meaning, args),
            Part::Known(dims) => dims.clone(),
        }
    }

    /// Analyses the result of a primitive that lacks `missing` arguments. Arguments that `args`
    /// lacks count as not written in parallel.
    fn primitive(
        &mut self,
        primitive: P,
        mut own: Vec<Part<'_>>,
        args: Vec<Dims>,
        missing: usize,
    ) -> Dims {
        let unknown = missing.saturating_sub(args.len());
        own.extend(args.into_iter().map(Part::Known));
        own.extend(std::iter::repeat_with(|| Part::Known(Dims::new())).take(unknown));
        let Some((last, before)) = own.split_last() else {
            return Dims::new();
        };
        match (primitive.pattern(), before) {
            (Pattern::Map(MapLoop::Computed), [f]) => {
                let mut dims = self.part(last, Vec::new()).into_iter();
                let first = dims.next().unwrap_or_default();
                let element = self.part(f, vec![dims.collect()]);
                [first].into_iter().chain(element).collect()
            }
            // The lanes of a vector are no dimension.
            (Pattern::Map(MapLoop::Lanes), _) => Dims::new(),
            (pattern @ (Pattern::Map(_) | Pattern::DepMap(_)), [f]) => {
                let element = self.part(f, vec![Dims::new()]);
                [pattern.level().is_some()]
                    .into_iter()
                    .chain(element)
                    .collect()
            }
            (
                Pattern::Iterate | Pattern::Repeat(RepeatLoop::InPlace | RepeatLoop::Buffers),
                [f],
            ) => self.part(f, vec![Dims::new()]),
            // The value is stored in memory, so its dimensions do not matter.
            (Pattern::Let, [_]) => self.part(last, vec![Dims::new()]),
            (Pattern::Zip | Pattern::Pair | Pattern::Concat, [first]) => {
                let first = self.part(first, Vec::new());
                either(first, self.part(last, Vec::new()))
            }
            (Pattern::MapHalf(_), [f]) => {
                let dims = self.part(last, Vec::new());
                let half = self.part(f, vec![dims.clone()]);
                either(dims, half)
            }
            (Pattern::View(View::Scatter), [_])
            | (Pattern::View(View::PadEmpty | View::Unzip) | Pattern::Kernel, []) => {
                self.part(last, Vec::new())
            }
            (Pattern::View(View::Index), []) => {
                let map = primitive.entry().index_map.as_ref();
                let dims = self.part(last, Vec::new());
                map.map_or_else(Dims::new, |map| map.spread(&dims))
            }
            (Pattern::View(View::Lanes | View::DepJoin), []) => {
                let mut dims = self.part(last, Vec::new());
                if dims.len() > 1 {
                    let inner = dims.remove(1);
                    dims[0] |= inner;
                }
                dims
            }
            (Pattern::View(View::Vectors), []) => {
                let mut dims = self.part(last, Vec::new());
                if let Some(&first) = dims.first() {
                    dims.insert(0, first);
                }
                dims
            }
            _ => Dims::new(),
        }
    }
}

/// Returns the number of value parameters of a function type.
fn missing(mut ty: &Type) -> usize {
    let mut count = 0;
    while let Type::Fun(_, result) = ty {
        count += 1;
        ty = result;
    }
    count
}

/// Returns the conservative result for a type: all of its array dimensions are written in parallel.
fn possible(mut ty: &Type) -> Dims {
    let mut dims = Dims::new();
    loop {
        ty = match ty {
            Type::Fun(_, result) => result,
            Type::Array(_, element) => {
                dims.push(true);
                element
            }
            _ => return dims,
        };
    }
}

enum Part<'t> {
    Term(&'t Term, &'t Env),
    StaticValue(&'t StaticValue),
    Known(Dims),
}

fn either(mut a: Dims, b: Dims) -> Dims {
    a.resize(a.len().max(b.len()), false);
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
    a
}
