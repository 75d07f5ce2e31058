//! The rewriting of a program such that each `scatter` takes its elements in order.
//!
//! Views between a loop and `scatter` that change the order are moved to the other side of the
//! loop, where they rearrange its input: `mapSeq(f) |> reorder` becomes `reorder |> mapSeq(f)`. If
//! views split and join the results of several loops, the loops become `map`s that a loop over the
//! result reads, unless that computes something twice. In the remaining cases the elements are
//! stored and copied, on targets with a single kind of memory.

use std::sync::Arc;

use nat::Facts;
use rise::core::{Form, Mapper, Node, Origin, Param, Program, lambda, subst_local, subterms, walk};
use rise::pattern::{MapLoop, View};
use rise::types::contains_array;
use rise::{Arg, Pattern, Primitive, Ty, Type};
use rustc_hash::FxHashSet;

use super::out_of_order;
use crate::functional::access_inference::Term;
use crate::functional::views::function_rearranges;
use crate::target::Features;

/// A program whose `scatter`s take their elements in order.
pub(in crate::functional) struct InOrder {
    pub program: Program<Primitive>,
    /// The `scatter`s whose elements are stored.
    pub stored: FxHashSet<Origin>,
}

/// Rewrites the program such that these `scatter`s take their elements in order; returns `None` if
/// that requires memory and the target has several kinds, or if a term has a form that cannot be
/// rewritten.
pub(in crate::functional) fn in_order(
    program: &Program<Primitive>,
    scatters: FxHashSet<Origin>,
    facts: &Facts,
    target: Features,
) -> Option<InOrder> {
    let mut rewrite = Rewrite {
        program: program.clone(),
        scatters,
        facts,
        has_memory: !target.has_work_items(),
        stored: FxHashSet::default(),
        failed: false,
    };
    let body = rewrite.expr(&program.body);
    if rewrite.failed {
        return None;
    }
    let program = Program {
        body,
        ..rewrite.program
    };
    debug_assert_eq!(rise::core::check(&program), Ok(()));
    Some(InOrder {
        program,
        stored: rewrite.stored,
    })
}

struct Rewrite<'f> {
    /// The program, which provides new variables.
    program: Program<Primitive>,
    /// The `scatter`s that take their elements out of order.
    scatters: FxHashSet<Origin>,
    facts: &'f Facts,
    /// True if memory needs no address space.
    has_memory: bool,
    stored: FxHashSet<Origin>,
    failed: bool,
}

impl Mapper<Primitive> for Rewrite<'_> {
    fn keeps_types(&self) -> bool {
        true
    }

    fn expr(&mut self, expr: &Term) -> Term {
        match &expr.form {
            Form::Primitive(Primitive::Scatter, _, args) if args.len() == 2 => {
                let is_meant = self.scatters.contains(&expr.origin);
                let expr = walk(self, expr);
                match is_meant {
                    true => self.scatter(&expr),
                    false => expr,
                }
            }
            Form::Primitive(Primitive::Map, types, args) => match &args[..] {
                [f, xs] if self.is_in(f) && function_rearranges(f) => {
                    let pushed = self.pushed(expr);
                    if !matches!(&pushed.form, Form::Primitive(Primitive::Map, ..)) {
                        return walk(self, &pushed);
                    }
                    // The elements that a `scatter` does not write cannot be read by another one,
                    // so all are rewritten.
                    let all = scatters_in(f);
                    self.scatters
                        .extend((all.len() > 1).then_some(all).into_iter().flatten());
                    let xs = self.expr(xs);
                    let xs = match self.read(&xs, true) {
                        Some(read) => read,
                        None => {
                            self.store_at(self.within(f));
                            self.stored(&xs)
                        }
                    };
                    let f = self.function(f);
                    with_args(Primitive::MapSeq, types, [f, xs], expr)
                }
                _ => walk(self, expr),
            },
            _ => walk(self, expr),
        }
    }
}

impl Rewrite<'_> {
    /// Returns the `scatter`s in a term that are to be rewritten.
    fn within(&self, term: &Term) -> Vec<Origin> {
        let mut found = scatters_in(term);
        found.retain(|scatter| self.scatters.contains(scatter));
        found
    }

    fn is_in(&self, term: &Term) -> bool {
        !self.within(term).is_empty()
    }

    /// Rewrites a `scatter` such that it takes its elements in order.
    fn scatter(&mut self, scatter: &Term) -> Term {
        let Form::Primitive(_, types, args) = &scatter.form else {
            return scatter.clone();
        };
        let with = |xs| {
            let args = [args[0].clone(), xs];
            with_args(Primitive::Scatter, types, args, scatter)
        };
        let pushed = with(self.pushed(&args[1]));
        if out_of_order(&pushed, self.facts).is_empty() {
            return pushed;
        }
        let read = match self.read(&args[1], true) {
            Some(read) => read,
            None => {
                self.store_at([scatter.origin]);
                self.stored(&args[1])
            }
        };
        with(self.copied(&read))
    }

    fn store_at(&mut self, scatters: impl IntoIterator<Item = Origin>) {
        self.stored.extend(scatters);
        self.failed |= !self.has_memory;
    }

    /// Returns the term that stores a term in memory by `toMem`.
    fn stored(&mut self, term: &Term) -> Term {
        let types = [Arg::Type(term.ty.clone())].into();
        let form = Form::Primitive(Primitive::ToMem, types, [term.clone()].into());
        Node::new(form, term.ty.clone(), term.origin)
    }

    /// Returns the term that copies a readable term element by element in order, by `mapSeq`s.
    fn copied(&mut self, term: &Term) -> Term {
        let (n, element) = match &*term.ty {
            Type::Array(n, element) => (n.clone(), element.clone()),
            ty => {
                self.failed |= contains_array(ty);
                return term.clone();
            }
        };
        let param = self.param("x", &element);
        let body = self.copied(&Node::var(&param, term.origin));
        let types = [Arg::Nat(n), Arg::Type(element.clone()), Arg::Type(element)];
        let args = [lambda(param, body), term.clone()];
        let form = Form::Primitive(Primitive::MapSeq, types.into(), args.into());
        Node::new(form, term.ty.clone(), term.origin)
    }

    fn param(&mut self, name: &str, ty: &Ty) -> Param {
        Param {
            local: self.program.fresh_local(name),
            ty: ty.clone(),
        }
    }

    // ----- views before loops -----

    /// Moves the views that rearrange a loop's result before the loop.
    fn pushed(&mut self, term: &Term) -> Term {
        let Form::Primitive(primitive, types, args) = &term.form else {
            return term.clone();
        };
        match (primitive, &args[..]) {
            (Primitive::Reorder, [xs]) => {
                let xs = self.pushed(xs);
                match &xs.form {
                    Form::Primitive(map, inner, args) if is_loop(*map) && args.len() == 2 => {
                        let (f, ys) = (args[0].clone(), &args[1]);
                        let Type::Array(_, element) = &*ys.ty else {
                            return with_args(*primitive, types, [xs.clone()], term);
                        };
                        let types = with_type(types, element);
                        let ys = with_args(*primitive, &types, [ys.clone()], ys);
                        with_args(*map, inner, [f, ys], &xs)
                    }
                    _ => with_args(*primitive, types, [xs], term),
                }
            }
            (Primitive::Map, [g, xs]) if function_rearranges(g) => {
                let xs = self.pushed(xs);
                match (&g.form, loop_over(&xs)) {
                    (Form::Lambda(q, chain), Some((map, inner, p, body, ys))) => {
                        let body = self.pushed(&subst_local(chain, &q.local, body));
                        let types = with_type(inner, &body.ty);
                        let f = lambda(p.clone(), body);
                        with_args(map, &types, [f, ys.clone()], term)
                    }
                    _ => with_args(*primitive, types, [g.clone(), xs], term),
                }
            }
            (map, [f, ys]) if is_loop(*map) => match &f.form {
                Form::Lambda(param, body) => {
                    let f = lambda(param.clone(), self.pushed(body));
                    with_args(*map, types, [f, ys.clone()], term)
                }
                _ => term.clone(),
            },
            (view, [xs]) if is_rearrangement(*view) => {
                let xs = self.pushed(xs);
                with_args(*view, types, [xs], term)
            }
            (Primitive::Let, [value, f]) => match &f.form {
                Form::Lambda(param, body) => {
                    let f = lambda(param.clone(), self.pushed(body));
                    with_args(*primitive, types, [value.clone(), f], term)
                }
                _ => term.clone(),
            },
            _ => term.clone(),
        }
    }

    // ----- loops over what they read -----

    /// Makes a readable term of a written one: its sequential loops become `map`s. Returns `None`
    /// if the term contains other patterns than such loops and rearrangements, or if something
    /// would be computed more than once although each element is read once. `outermost` is true if
    /// no loop is around the term.
    fn read(&mut self, term: &Term, outermost: bool) -> Option<Term> {
        let Form::Primitive(primitive, types, args) = &term.form else {
            return None;
        };
        match (primitive, &args[..]) {
            (Primitive::MapSeq | Primitive::MapSeqUnroll, [f, xs]) => {
                let Form::Lambda(param, body) = &f.form else {
                    return None;
                };
                if !outermost && computes(xs) {
                    return None;
                }
                let f = match &*body.ty {
                    // The halves of a pair are read separately, so the elements would be computed
                    // twice.
                    Type::Pair(..) => return None,
                    ty if contains_array(ty) => lambda(param.clone(), self.read(body, false)?),
                    _ => f.clone(),
                };
                let args = [f, xs.clone()];
                Some(with_args(Primitive::Map, types, args, term))
            }
            (Primitive::Map, [f, xs]) if function_rearranges(f) && !leaves_out(f) => {
                let xs = self.read(xs, outermost)?;
                Some(with_args(*primitive, types, [f.clone(), xs], term))
            }
            (view, [xs]) if is_rearrangement(*view) => {
                let xs = self.read(xs, outermost)?;
                Some(with_args(*view, types, [xs], term))
            }
            _ => None,
        }
    }

    // ----- functions that rearrange -----

    /// Rewrites a function that rearranges to one that reads its argument and writes its result in
    /// order.
    fn function(&mut self, f: &Term) -> Term {
        match &f.form {
            Form::Lambda(param, body) => lambda(param.clone(), self.chain(body)),
            _ => {
                self.failed = true;
                f.clone()
            }
        }
    }

    /// Rewrites a chain of views of a readable argument that contains a `scatter` to be rewritten.
    fn chain(&mut self, term: &Term) -> Term {
        let Form::Primitive(primitive, types, args) = &term.form else {
            return term.clone();
        };
        let Some((xs, before)) = args.split_last() else {
            return term.clone();
        };
        let is_meant = *primitive == Primitive::Scatter && self.scatters.contains(&term.origin);
        let inner = before.first().filter(|f| self.is_in(f));
        let (read, written) = match (is_meant || inner.is_some(), self.is_in(xs)) {
            (true, true) => {
                let xs = self.chain(xs);
                self.store_at([term.origin]);
                (self.stored(&xs), None)
            }
            (true, false) => (xs.clone(), None),
            (false, _) => (xs.clone(), Some(self.chain(xs))),
        };
        let with = |primitive, last| {
            let args: Vec<Term> = before.iter().cloned().chain([last]).collect();
            with_args(primitive, types, args, term)
        };
        match (written, inner) {
            (Some(written), _) => with(*primitive, written),
            (None, None) => {
                let copied = self.copied(&read);
                with(*primitive, copied)
            }
            (None, Some(f)) if *primitive == Primitive::Map => {
                let f = self.function(f);
                with_args(Primitive::MapSeq, types, [f, read], term)
            }
            (None, Some(_)) => {
                self.failed = true;
                term.clone()
            }
        }
    }
}

/// Returns the origins of the `scatter`s in a term.
fn scatters_in(term: &Term) -> Vec<Origin> {
    subterms(term)
        .filter(|term| matches!(term.form, Form::Primitive(Primitive::Scatter, ..)))
        .map(|term| term.origin)
        .collect()
}

/// Makes the application of a primitive to these arguments, with the type and the origin of `term`.
fn with_args(
    primitive: Primitive,
    types: &Arc<[Arg]>,
    args: impl Into<Arc<[Term]>>,
    term: &Term,
) -> Term {
    let form = Form::Primitive(primitive, types.clone(), args.into());
    Node::new(form, term.ty.clone(), term.origin)
}

/// Replaces the last data type in a list of type-level arguments.
fn with_type(types: &[Arg], ty: &Ty) -> Arc<[Arg]> {
    let mut types = types.to_vec();
    let mut all = types.iter_mut().rev();
    if let Some(last) = all.find(|arg| matches!(arg, Arg::Type(_))) {
        *last = Arg::Type(ty.clone());
    }
    types.into()
}

/// Returns the parts of a loop that writes an array: map, type-level arguments, parameter, body and
/// array; `None` for other terms.
fn loop_over(term: &Term) -> Option<(Primitive, &[Arg], &Param, &Term, &Term)> {
    let Form::Primitive(map, types, args) = &term.form else {
        return None;
    };
    match &args[..] {
        [f, xs] if is_loop(*map) => match &f.form {
            Form::Lambda(param, body) => Some((*map, types, param, body, xs)),
            _ => None,
        },
        _ => None,
    }
}

fn is_loop(primitive: Primitive) -> bool {
    matches!(
        primitive.pattern(),
        Pattern::Map(MapLoop::Sequential | MapLoop::Unrolled | MapLoop::Parallel(_))
    )
}

/// Returns true if a view reads each element of its argument once.
fn is_rearrangement(primitive: Primitive) -> bool {
    use Primitive::{Assume, Join, Reorder, Split, Transpose};
    matches!(primitive, Join | Split | Transpose | Reorder | Assume)
}

/// Returns true if a function that rearranges may leave elements unwritten, or splits vectors.
fn leaves_out(f: &Term) -> bool {
    subterms(f).any(|term| match &term.form {
        Form::Primitive(Primitive::Map, ..) => false,
        Form::Primitive(primitive, ..) => !is_rearrangement(*primitive),
        _ => false,
    })
}

/// Returns true if reading an element of a term computes more than its place.
fn computes(term: &Term) -> bool {
    subterms(term).any(|term| match &term.form {
        Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Lambda(..) => false,
        Form::Primitive(primitive, ..) => match primitive.pattern() {
            Pattern::View(View::Scatter | View::PadEmpty) => true,
            Pattern::View(View::Lanes | View::Vectors | View::DepJoin | View::Partition) => true,
            Pattern::View(_) | Pattern::Element | Pattern::Half(_) | Pattern::Zip => false,
            Pattern::Map(map) => map != MapLoop::Computed,
            Pattern::Scalar => !matches!(primitive, Primitive::IndexAsNat | Primitive::NatAsIndex),
            Pattern::Connective | Pattern::Select | Pattern::Pair | Pattern::MapHalf(_) => true,
            Pattern::Generate | Pattern::Literal | Pattern::Concat | Pattern::DepMap(_) => true,
            Pattern::Reduce(_) | Pattern::Scan | Pattern::Iterate | Pattern::Stream(_) => true,
            Pattern::Repeat(_) | Pattern::Let | Pattern::Memory | Pattern::Kernel => true,
            Pattern::DepPair | Pattern::DepMatch => true,
        },
        _ => true,
    })
}
