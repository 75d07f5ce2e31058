//! The check of the order in which the elements of `scatter` are written.
//!
//! If an index of `scatter` repeats, the last element with that index must remain. Generated code
//! writes an element when the loop that computes it runs, so loops must compute the elements of
//! `scatter` in their order. Views between a loop and `scatter` can change that order; then
//! [`in_order`] rewrites the program.
//!
//! Each dimension of a written array is represented as a mixed-radix number whose digits are loop
//! counters (the delinearised subscripts of dependence analysis). `join` concatenates digits,
//! `split` cuts them, `transpose` swaps dimensions. Elements that differ in one dimension only are
//! written in ascending order if the digits of that dimension are loops from the outermost to the
//! innermost. A dimension that a view rearranges in another way counts as shuffled.
//!
//! Iterations of a parallel map have no order. Repeated indices are an error there, which only the
//! interpreter can report, as they are not known before the run.

mod in_order;
#[cfg(test)]
mod tests;

use std::ops::Range;

use nat::{Facts, Nat, Prop, Var};
use rise::core::{Form, Origin, Param, subterms};
use rise::pattern::MapLoop;
use rise::{Arg, DataFun, Pattern, Primitive, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::Literal;

pub(super) use in_order::{InOrder, in_order};

use super::access_inference::Term;
use super::access_path::size_at;
use super::problem::{Problem, ProblemKind};
use super::views::function_rearranges;

/// The length of a loop's time interval, which limits how often its digit can be split in two.
const LOOP: u64 = 1 << 32;

/// The greatest number of components of a tuple that is followed; the layouts of a larger one are
/// unknown.
const MAX_COMPONENTS: usize = 1 << 10;

/// The smallest number of an index variable, above the numbers in programs and signatures.
const INDEX_VARS: u32 = 1 << 23;

/// A digit of the position in a dimension: the counter of a loop, or a part of it.
#[derive(Clone, Debug)]
struct Digit {
    size: Nat,
    /// The time interval of the digit: it orders loops from the outermost to the innermost, and the
    /// parts of one counter.
    time: Range<u64>,
    parallel: bool,
    at: Origin,
}

/// The position in a dimension, as digits with the most significant first.
#[derive(Clone, Debug, Default)]
struct Dimension {
    digits: Vec<Digit>,
    /// The view that shuffles the elements, if there is one.
    shuffled: Option<Origin>,
}

/// The dimensions of one scalar component of a written value, outermost first.
type Layout = Vec<Dimension>;

/// Returns a problem for each `scatter` of a program whose elements are written out of order.
pub(super) fn out_of_order(body: &Term, facts: &Facts) -> Vec<Problem> {
    if !has_scatter(body) {
        return Vec::new();
    }
    let mut order = WriteOrder {
        facts: facts.clone(),
        depth: 0,
        mapped: 0,
        params: FxHashMap::default(),
        next_index: INDEX_VARS,
        found: Vec::new(),
    };
    order.layouts(body);
    order.found
}

fn has_scatter(body: &Term) -> bool {
    subterms(body).any(|term| matches!(term.form, Form::Primitive(Primitive::Scatter, ..)))
}

struct WriteOrder {
    facts: Facts,
    /// The number of enclosing loops.
    depth: u32,
    /// The number of enclosing `map`s whose functions rearrange elements: the index of the
    /// dimension that a view in such a function affects.
    mapped: usize,
    /// The layouts of the parameters of functions that rearrange.
    params: FxHashMap<u32, Vec<Layout>>,
    next_index: u32,
    found: Vec<Problem>,
}

/// The last argument of a primitive, which the primitive rearranges.
enum Input<'t> {
    Term(&'t Term),
    /// The layouts of the argument of an applied function; `None` if they are unknown.
    Given(Option<Vec<Layout>>),
}

/// The order of the elements of an array of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Indices {
    Ascending,
    Distinct,
    Unknown,
}

impl WriteOrder {
    /// Computes the layout of each component of a written expression; returns `None` for one that
    /// is read.
    fn layouts(&mut self, term: &Term) -> Option<Vec<Layout>> {
        match &term.form {
            Form::Var(local) => self.params.get(&local.id).cloned(),
            Form::Literal(_) | Form::Nat(_) | Form::Global(..) => None,
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                self.separately(body);
                None
            }
            Form::Apply(f, x) => {
                self.separately(f);
                self.separately(x);
                None
            }
            Form::Foreign(_, args) => {
                args.iter().for_each(|arg| self.separately(arg));
                None
            }
            Form::Primitive(primitive, types, args) => match args.split_last() {
                Some((last, before)) => self.primitive(
                    (*primitive, types, term.origin),
                    before,
                    Input::Term(last),
                    &term.ty,
                ),
                None => None,
            },
        }
    }

    /// Checks an expression that is no part of the current written value.
    fn separately(&mut self, term: &Term) {
        let around = (self.depth, self.mapped);
        (self.depth, self.mapped) = (0, 0);
        self.layouts(term);
        (self.depth, self.mapped) = around;
    }

    /// Returns the layouts of a function's result, given those of its argument.
    fn applied(&mut self, f: &Term, arg: Option<Vec<Layout>>) -> Option<Vec<Layout>> {
        match &f.form {
            Form::Lambda(Param { local, .. }, body) => {
                if let Some(arg) = arg {
                    self.params.insert(local.id, arg);
                }
                self.layouts(body)
            }
            Form::DepLambda(_, _, body) => self.applied(body, arg),
            Form::Primitive(primitive, types, before) => match &*f.ty {
                Type::Fun(_, result) => self.primitive(
                    (*primitive, types, f.origin),
                    before,
                    Input::Given(arg),
                    result,
                ),
                _ => None,
            },
            _ => None,
        }
    }

    fn input(&mut self, input: Input<'_>) -> Option<Vec<Layout>> {
        match input {
            Input::Term(term) => self.layouts(term),
            Input::Given(layouts) => layouts,
        }
    }

    fn primitive(
        &mut self,
        (primitive, types, origin): (Primitive, &[Arg], Origin),
        before: &[Term],
        last: Input<'_>,
        ty: &Ty,
    ) -> Option<Vec<Layout>> {
        use Primitive::{
            AsScalar, AsVector, AsVectorAligned, Assume, Concat, DepJoin, Iterate, Join, Let,
            MakePair, Map, MapFst, MapSnd, OclRun, PadEmpty, Reorder, Repeat, RepeatInPlace,
            ScanSeq, Scatter, Split, Transpose, Unzip, Zip,
        };
        let at = self.mapped;
        match (primitive.pattern(), before) {
            (Pattern::Map(MapLoop::Computed | MapLoop::Lanes), _) => {}
            (pattern @ (Pattern::Map(_) | Pattern::DepMap(_)), [f]) => {
                self.aside(last);
                let (count, element) = array(ty)?;
                let digit = self.digit(count, pattern.level().is_some(), origin);
                self.depth += 1;
                let elements = self
                    .applied(f, None)
                    .or_else(|| self.in_order(&element, origin));
                self.depth -= 1;
                let dimension = Dimension::of(digit);
                return Some(with_dimension(elements?, &dimension));
            }
            (Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element, _) => {}
            (Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate, _) => {}
            (Pattern::Literal | Pattern::View(_) | Pattern::Zip | Pattern::Concat, _) => {}
            (Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan, _) => {}
            (Pattern::Iterate | Pattern::Repeat(_) | Pattern::Stream(_) | Pattern::Let, _) => {}
            (Pattern::Memory | Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch, _) => {}
        }
        match (primitive, before) {
            (ScanSeq, _) => {
                before.iter().for_each(|arg| self.separately(arg));
                self.aside(last);
                self.in_order(ty, origin)
            }
            (Iterate, [f]) => {
                self.aside(last);
                // The layout has the sizes of a round, not those of the last one.
                let layouts = self.applied(f, None)?;
                self.each(layouts, |this, layout| {
                    for at in 0..layout.len() {
                        let size = Nat::var(this.fresh_index());
                        layout[at] = this.fused(layout, at, size, origin);
                    }
                })
            }
            (Repeat, [f]) => {
                self.aside(last);
                self.applied(f, None)
            }
            (RepeatInPlace, [f]) => {
                self.aside(last);
                self.separately(f);
                self.in_order(ty, origin)
            }
            (Zip, [a]) => {
                let (first, second) = (self.layouts(a), self.input(last));
                let mut layouts = first?;
                layouts.extend(second?);
                Some(layouts)
            }
            (MakePair, [a]) => {
                let (first, second) = (self.layouts(a), self.input(last));
                if first.is_none() && second.is_none() {
                    return None;
                }
                // A half without arrays is written by one assignment.
                let Type::Pair(a, b) = &**ty else { return None };
                let mut layouts = first.or_else(|| self.in_order(a, origin))?;
                layouts.extend(second.or_else(|| self.in_order(b, origin))?);
                Some(layouts)
            }
            (Concat, [a]) => {
                let digit = self.digit(Nat::constant(2), false, origin);
                self.depth += 1;
                let first = self.layouts(a);
                let second = self.input(last);
                self.depth -= 1;
                let (first, second) = (first?, second?);
                let size = &size_at(types, 0)? + &size_at(types, 1)?;
                let both = first.into_iter().zip(second);
                Some(
                    both.map(|(a, b)| self.concatenated(a, b, &digit, &size))
                        .collect(),
                )
            }
            (Let, [value]) => {
                self.separately(value);
                match last {
                    Input::Term(f) => self.applied(f, None),
                    Input::Given(_) => None,
                }
            }
            (Map, [f]) if function_rearranges(f) => {
                let Some(layouts) = self.input(last) else {
                    self.separately(f);
                    return None;
                };
                self.mapped += 1;
                let found = self.applied(f, Some(layouts));
                self.mapped -= 1;
                found
            }
            (MapFst | MapSnd, [f]) if function_rearranges(f) => {
                let Some(mut first) = self.input(last) else {
                    self.separately(f);
                    return None;
                };
                let count = match &*f.ty {
                    Type::Fun(param, _) => components(param),
                    _ => return None,
                };
                let cut = match primitive {
                    MapFst => count,
                    _ => first.len().checked_sub(count)?,
                };
                let mut second = first.split_off(cut.min(first.len()));
                match primitive {
                    MapFst => first = self.applied(f, Some(first))?,
                    _ => second = self.applied(f, Some(second))?,
                }
                first.extend(second);
                Some(first)
            }
            (Scatter, [indices]) => {
                self.separately(indices);
                let is_term = matches!(last, Input::Term(_));
                let layouts = self.input(last)?;
                self.scattered(layouts, indices, size_at(types, 1)?, (origin, is_term))
            }
            (Unzip | OclRun | Assume, []) => self.input(last),
            (Transpose, []) => {
                let layouts = self.input(last)?;
                self.each(layouts, |_, layout| {
                    if layout.len() > at + 1 {
                        layout.swap(at, at + 1);
                    }
                })
            }
            (Join | AsScalar | DepJoin, []) => {
                let layouts = self.input(last)?;
                self.each(layouts, |this, layout| {
                    if layout.len() > at + 1 {
                        let inner = layout.remove(at + 1);
                        layout[at].digits.extend(inner.digits);
                        layout[at].shuffled = layout[at].shuffled.or(inner.shuffled);
                    }
                    if primitive == DepJoin {
                        let size = Nat::var(this.fresh_index());
                        layout[at] = this.fused(layout, at, size, origin);
                    }
                })
            }
            (Split | AsVector | AsVectorAligned, []) => {
                let (inner, outer) = (size_at(types, 0)?, size_at(types, 1)?);
                let layouts = self.input(last)?;
                self.each(layouts, |this, layout| {
                    if layout.len() > at {
                        let (high, low) = this.split(layout, at, (&outer, &inner), origin);
                        layout.splice(at..=at, [high, low]);
                    }
                })
            }
            (Reorder, []) => {
                let layouts = self.input(last)?;
                self.each(layouts, |_, layout| {
                    if let Some(dimension) = layout.get_mut(at) {
                        dimension.shuffle(origin);
                    }
                })
            }
            (PadEmpty, []) => {
                let size = &size_at(types, 0)? + &size_at(types, 1)?;
                let layouts = self.input(last)?;
                self.each(layouts, |this, layout| {
                    if layout.len() > at {
                        layout[at] = this.fused(layout, at, size.clone(), origin);
                    }
                })
            }
            _ => {
                before.iter().for_each(|arg| self.separately(arg));
                self.aside(last);
                None
            }
        }
    }

    fn aside(&mut self, input: Input<'_>) {
        if let Input::Term(term) = input {
            self.separately(term);
        }
    }

    fn each(
        &mut self,
        mut layouts: Vec<Layout>,
        mut change: impl FnMut(&mut Self, &mut Layout),
    ) -> Option<Vec<Layout>> {
        for layout in &mut layouts {
            change(self, layout);
        }
        Some(layouts)
    }

    /// Returns the layouts of a value that is written by consecutive assignments, in order.
    fn in_order(&mut self, ty: &Ty, origin: Origin) -> Option<Vec<Layout>> {
        if components(ty) > MAX_COMPONENTS {
            return None;
        }
        let (count, element) = match &**ty {
            Type::Pair(a, b) => {
                let mut layouts = self.in_order(a, origin)?;
                layouts.extend(self.in_order(b, origin)?);
                return Some(layouts);
            }
            _ => match array(ty) {
                Some(parts) => parts,
                None => return Some(vec![Layout::new()]),
            },
        };
        let digit = self.digit(count, false, origin);
        self.depth += 1;
        let elements = self.in_order(&element, origin);
        self.depth -= 1;
        let dimension = Dimension::of(digit);
        Some(with_dimension(elements?, &dimension))
    }

    /// Makes the digit of a loop at the current depth.
    fn digit(&mut self, size: Nat, parallel: bool, at: Origin) -> Digit {
        let start = u64::from(self.depth) * LOOP;
        Digit {
            size,
            time: start..start + LOOP,
            parallel,
            at,
        }
    }

    fn fresh_index(&mut self) -> Var {
        self.next_index += 1;
        Var(self.next_index - 1)
    }

    fn proves(&self, prop: Prop) -> bool {
        self.facts.proves(&prop)
    }

    fn equal(&self, a: &Nat, b: &Nat) -> bool {
        a == b || self.proves(Prop::Equal(a.clone(), b.clone()))
    }

    // ----- views -----

    /// Merges a dimension to one digit if its elements are written in order; marks it as shuffled
    /// otherwise.
    fn fused(&self, layout: &Layout, at: usize, size: Nat, origin: Origin) -> Dimension {
        let mut dimension = layout[at].clone();
        match dimension.misplaced() {
            Some(_) => dimension.shuffle(origin),
            None => dimension.merge(size),
        }
        dimension
    }

    /// Splits a dimension of `outer` rows of `inner` elements into two.
    fn split(
        &self,
        layout: &Layout,
        at: usize,
        (outer, inner): (&Nat, &Nat),
        origin: Origin,
    ) -> (Dimension, Dimension) {
        let dimension = &layout[at];
        if dimension.shuffled.is_none() {
            if let Some(parts) = self.cut(layout, at, inner) {
                return parts;
            }
            let fused = self.fused(layout, at, Nat::mul(outer, inner), origin);
            if let ([digit], None) = (&fused.digits[..], fused.shuffled)
                && let Some((high, low)) = halved(layout, at, digit, outer.clone(), inner.clone())
            {
                return (Dimension::of(high), Dimension::of(low));
            }
        }
        let mut dimension = dimension.clone();
        dimension.shuffle(origin);
        (dimension.clone(), dimension)
    }

    /// Splits the digits of a dimension where the product of the lower ones is `inner`; `None` if
    /// there is no such place.
    fn cut(&self, layout: &Layout, at: usize, inner: &Nat) -> Option<(Dimension, Dimension)> {
        let mut high = layout[at].digits.clone();
        let mut low = Vec::new();
        let mut rest = inner.clone();
        while !self.equal(&rest, &Nat::ONE) {
            let digit = high.pop()?;
            if self.equal(&rest, &digit.size) {
                rest = Nat::ONE;
                low.push(digit);
            } else if let Some(left) = rest.ratio(&digit.size) {
                rest = left;
                low.push(digit);
            } else {
                let count = digit.size.ratio(&rest)?;
                let (first, second) = halved(layout, at, &digit, count, rest)?;
                high.push(first);
                low.push(second);
                rest = Nat::ONE;
            }
        }
        low.reverse();
        let part = |digits| Dimension {
            digits,
            shuffled: None,
        };
        Some((part(high), part(low)))
    }

    /// Returns the layout of the concatenation of two arrays, of which the second is written after
    /// the first; `digit` is the digit that distinguishes the two.
    fn concatenated(&self, a: Layout, b: Layout, digit: &Digit, size: &Nat) -> Layout {
        let (at, origin) = (self.mapped, digit.at);
        let dimensions = a.len().min(b.len());
        let whole = |k: usize| {
            // The two arrays have different loops, which are comparable only as a whole.
            let size = match k == at {
                true => size.clone(),
                false => product(&a[k]),
            };
            let mut both = self.fused(&a, k, size.clone(), origin);
            let second = self.fused(&b, k, size.clone(), origin);
            both.digits.extend(second.digits);
            both.digits.extend((k == at).then(|| digit.clone()));
            both.shuffled = both.shuffled.or(second.shuffled);
            if both.shuffled.is_none() {
                both.merge(size);
            }
            both
        };
        (0..dimensions).map(whole).collect()
    }

    // ----- scatter -----

    fn scattered(
        &mut self,
        layouts: Vec<Layout>,
        indices: &Term,
        size: Nat,
        (origin, is_term): (Origin, bool),
    ) -> Option<Vec<Layout>> {
        let at = self.mapped;
        let known = self.indices(indices);
        let mut misplaced = None;
        let layouts = self.each(layouts, |this, layout| {
            let Some(dimension) = layout.get(at) else {
                return;
            };
            match known {
                Indices::Ascending => layout[at] = this.fused(layout, at, size.clone(), origin),
                Indices::Distinct => layout[at].shuffle(origin),
                Indices::Unknown => {
                    match this.without_single(dimension).misplaced() {
                        Some(found) => {
                            misplaced = misplaced.or(Some(found));
                            // Cleared, so that it is reported once.
                            layout[at] = Dimension::default();
                        }
                        None => layout[at].shuffle(origin),
                    }
                }
            }
        });
        if let Some(misplaced) = misplaced {
            self.found.push(Problem {
                at: origin,
                kind: ProblemKind::ScatterOrder {
                    by: misplaced,
                    is_kept: false,
                    // Nothing can be copied inside a function that rearranges.
                    could_store: is_term && at == 0,
                },
                nest: Vec::new(),
            });
        }
        layouts
    }

    /// Removes the loops that have at most one iteration.
    fn without_single(&self, dimension: &Dimension) -> Dimension {
        let mut dimension = dimension.clone();
        let is_single = |digit: &Digit| self.proves(Prop::AtLeast(Nat::ONE, digit.size.clone()));
        dimension.digits.retain(|digit| !is_single(digit));
        dimension
    }

    /// Returns the order of an array of indices, if a `generate` computes it from the positions;
    /// [`Indices::Unknown`] for others.
    fn indices(&mut self, indices: &Term) -> Indices {
        let Form::Primitive(Primitive::Generate, _, args) = &indices.form else {
            return Indices::Unknown;
        };
        let (Some(f), Type::Array(n, _)) = (args.first(), &*indices.ty) else {
            return Indices::Unknown;
        };
        let Form::Lambda(param, body) = &f.form else {
            return Indices::Unknown;
        };
        let mut locals = FxHashMap::default();
        let i = self.fresh_index();
        locals.insert(param.local.id, Nat::var(i));
        let Some(index) = self.index(body, &mut locals) else {
            return Indices::Unknown;
        };
        // `j` is a later position than `i`.
        let j = self.fresh_index();
        let mut facts = self.facts.clone();
        facts.range(i, &Nat::ZERO, n);
        facts.range(j, &(&Nat::var(i) + &Nat::ONE), n);
        let later = |nat: &Nat| nat.subst(&|var| (var == i).then(|| Nat::var(j)));
        let above = |a: &Nat, b: &Nat| facts.proves(&Prop::AtLeast(a.clone(), b + &Nat::ONE));
        let next = later(&index);
        if above(&next, &index) {
            return Indices::Ascending;
        }
        if above(&index, &next) {
            return Indices::Distinct;
        }
        // `a % b` is distinct if the values of `a` are distinct and less than `b` apart.
        let modulo = self.remainder(body, &mut locals);
        let differ = modulo.is_some_and(|(a, b)| {
            let next = later(&a);
            let within = |high: &Nat, low: &Nat| above(high, low) && above(&(low + &b), high);
            within(&next, &a) || within(&a, &next)
        });
        match differ {
            true => Indices::Distinct,
            false => Indices::Unknown,
        }
    }

    /// Returns the operands of `%`, if an index is a remainder.
    fn remainder(&mut self, term: &Term, locals: &mut FxHashMap<u32, Nat>) -> Option<(Nat, Nat)> {
        match &term.form {
            Form::Primitive(Primitive::NatAsIndex | Primitive::IndexAsNat, _, args) => {
                self.remainder(args.last()?, locals)
            }
            Form::Primitive(Primitive::Mod, _, args) => match &args[..] {
                [a, b] => Some((self.index(a, locals)?, self.index(b, locals)?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Translates an index or number to a size; `None` if it is not made of numbers, variables and
    /// arithmetic.
    fn index(&mut self, term: &Term, locals: &mut FxHashMap<u32, Nat>) -> Option<Nat> {
        use Primitive::{Add, Div, IndexAsNat, Mod, Mul, NatAsIndex, Sub};
        match &term.form {
            Form::Nat(size) => Some(size.clone()),
            Form::Literal(Literal::Int { value, .. }) => {
                Some(Nat::constant(i64::try_from(*value).ok()?))
            }
            Form::Var(local) => {
                let known = locals.entry(local.id);
                Some(
                    known
                        .or_insert_with(|| Nat::var(self.fresh_index()))
                        .clone(),
                )
            }
            Form::Primitive(NatAsIndex | IndexAsNat, _, args) => self.index(args.last()?, locals),
            Form::Primitive(primitive @ (Add | Sub | Mul | Div | Mod), _, args) => {
                let [a, b] = &args[..] else {
                    return None;
                };
                let (a, b) = (self.index(a, locals)?, self.index(b, locals)?);
                Some(match primitive {
                    Add => Nat::add(&a, &b),
                    Sub => Nat::sub(&a, &b),
                    Mul => Nat::mul(&a, &b),
                    Div => Nat::div(&a, &b),
                    _ => Nat::rem(&a, &b),
                })
            }
            _ => None,
        }
    }
}

impl Dimension {
    fn of(digit: Digit) -> Dimension {
        Dimension {
            digits: vec![digit],
            shuffled: None,
        }
    }

    fn shuffle(&mut self, by: Origin) {
        if !self.digits.is_empty() {
            self.shuffled = self.shuffled.or(Some(by));
        }
    }

    /// Replaces all digits of the dimension by a single one of this size.
    fn merge(&mut self, size: Nat) {
        let Some(first) = self.digits.first().cloned() else {
            return;
        };
        let join = |time: Range<u64>, digit: &Digit| {
            time.start.min(digit.time.start)..time.end.max(digit.time.end)
        };
        *self = Dimension::of(Digit {
            size,
            time: self.digits.iter().fold(first.time.clone(), join),
            parallel: self.digits.iter().all(|digit| digit.parallel),
            ..first
        });
    }

    /// Returns the view or loop that causes elements to be written out of order. Parallel loops are
    /// ignored, because they have no order.
    fn misplaced(&self) -> Option<Misplaced> {
        let sequential: Vec<&Digit> = self.digits.iter().filter(|d| !d.parallel).collect();
        if let Some(view) = self.shuffled {
            return (!sequential.is_empty()).then_some(Misplaced::View(view));
        }
        let inner = |pair: &&[&Digit]| pair[1].time.start < pair[0].time.end;
        let pair = sequential.windows(2).find(inner)?;
        Some(Misplaced::Loop(pair[1].at))
    }
}

/// The cause of elements that are written out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// A view of the result of the loop that writes them.
    View(Origin),
    /// A loop that is further out than a loop over elements that are further apart.
    Loop(Origin),
}

fn with_dimension(elements: Vec<Layout>, dimension: &Dimension) -> Vec<Layout> {
    let within = |mut layout: Layout| {
        layout.insert(0, dimension.clone());
        layout
    };
    elements.into_iter().map(within).collect()
}

/// Splits a digit in two, unless another dimension has loops in its time interval.
fn halved(
    layout: &Layout,
    at: usize,
    digit: &Digit,
    high: Nat,
    low: Nat,
) -> Option<(Digit, Digit)> {
    let Range { start, end } = digit.time;
    let middle = start + (end - start) / 2;
    let others = layout.iter().enumerate().filter(|(other, _)| *other != at);
    let inside = |other: &Digit| other.time.start < end && start < other.time.end;
    let apart = !others.flat_map(|(_, dim)| &dim.digits).any(inside);
    (apart && start < middle).then(|| {
        let part = |size, time| Digit {
            size,
            time,
            ..digit.clone()
        };
        (part(high, start..middle), part(low, middle..end))
    })
}

fn product(dimension: &Dimension) -> Nat {
    let sizes = dimension.digits.iter().map(|digit| &digit.size);
    sizes.fold(Nat::ONE, |all, size| Nat::mul(&all, size))
}

/// Returns the number of elements and the element type of an array, a vector or a dependent array.
fn array(ty: &Type) -> Option<(Nat, Ty)> {
    match ty {
        Type::Array(n, element) | Type::Vector(n, element) => Some((n.clone(), element.clone())),
        Type::DepArray(n, DataFun::Lambda(_, element)) => Some((n.clone(), element.clone())),
        _ => None,
    }
}

/// Counts the scalars and vectors in a value, without the sizes of arrays.
fn components(ty: &Type) -> usize {
    match ty {
        Type::Pair(a, b) => components(a).saturating_add(components(b)),
        _ => array(ty).map_or(1, |(_, element)| components(&element)),
    }
}
