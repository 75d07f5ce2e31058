//! Conditions on sizes of single primitives that their types do not express, and the ranges of the
//! sizes that functions which are arguments of primitives take.

use nat::{Nat, Prop};
use syntax::Span;
use syntax::ast::TermId;

use super::Infer;
use super::obligations::ConditionOrigin;
use crate::pattern::{Pattern, View};
use crate::primitive::Primitive;
use crate::spine::Spine;
use crate::types::{Arg, SizeFun, Type};
use crate::{Target, TermInfo};

impl Infer<'_> {
    pub(super) fn special_conditions(
        &mut self,
        primitive: Primitive,
        head: TermId,
        args: &[TermId],
    ) {
        match primitive.pattern() {
            Pattern::View(View::Partition) => self.partition_range(args),
            Pattern::View(_) if primitive == Primitive::Reorder => self.reorder_inverse(head, args),
            Pattern::DepMap(_) => self.dep_map_range(args),
            Pattern::Iterate => self.iterate_sizes(head, args),
            Pattern::DepMatch => self.bound_size_range(args),
            _ => {}
        }
    }

    /// Records the conditions and the ranges of sizes for a use of a primitive of DPIA with this
    /// name; `args` are the explicit arguments.
    pub(super) fn phrase_conditions(&mut self, primitive: &str, head: TermId, args: &[TermId]) {
        if let Some(primitive) = Primitive::from_name(primitive) {
            return self.special_conditions(primitive, head, args);
        }
        match (primitive, args) {
            ("reorderAcc", [n, g, ..]) => self.reorder_range(head, *n, *g),
            ("forNat", [n, body]) | ("parForNat", [n, _, _, body]) => {
                if let Some(n) = self.nat_argument(*n) {
                    self.set_range(*body, &n);
                }
                if let [_, f, _, _] = args
                    && let Some(n) = self.nat_argument(*n)
                {
                    self.set_range(*f, &n);
                }
            }
            ("withNat", _) => self.bound_size_range(args),
            ("depIdx" | "depIdxAcc", [i, xs]) => self.below_size(*i, *xs),
            _ => {}
        }
    }

    /// Requires that the index `i` into the dependent array `xs` is below the number of elements of
    /// the array.
    fn below_size(&mut self, i: TermId, xs: TermId) {
        if let Some(i_nat) = self.nat_argument(i)
            && let Some(data) = self.data_of_phrase(&self.terms[xs.0 as usize])
            && let Type::DepArray(n, _) = &*data
        {
            let inside = Prop::AtLeast(n.clone(), Nat::add(&i_nat, &Nat::constant(1)));
            let words = "the index must be below the number of elements of the dependent array";
            let span = self.span(i);
            let functions = None;
            self.require_by_words(inside, span, words, functions);
        }
    }

    /// Records the condition of `reorderAcc(n, g, …)`: `g` maps `[0, n)` into itself.
    fn reorder_range(&mut self, head: TermId, n: TermId, g: TermId) {
        let (Some(n), Some(function)) = (self.nat_argument(n), self.size_fun_argument(g)) else {
            return;
        };
        self.set_range(g, &n);
        let index = self.index_var("i", &n);
        let there = self.table.apply_size_fun(&function, &Nat::var(index));
        let inside = Prop::AtLeast(n, Nat::add(&there, &Nat::constant(1)));
        let words = "the function of `reorderAcc` must map each index of the array to an index of the array";
        let span = self.span(head);
        let functions = Some(self.span(g));
        self.require_by_words(inside, span, words, functions);
    }

    /// Records the conditions of `reorder(n)(g)(h)`: `g` and `h` map `[0, n)` into itself and are
    /// inverse to each other.
    fn reorder_inverse(&mut self, head: TermId, args: &[TermId]) {
        let [n, g, h, ..] = args else { return };
        let (Some(n), Some(g_fun), Some(h_fun)) = (
            self.nat_argument(*n),
            self.size_fun_argument(*g),
            self.size_fun_argument(*h),
        ) else {
            return;
        };
        for term in [g, h] {
            self.set_range(*term, &n);
        }
        let span = self.span(head);
        let functions = Some(self.span(*g).cover(self.span(*h)));
        let index = self.index_var("i", &n);
        let i = Nat::var(index);
        for (f, back) in [(&g_fun, &h_fun), (&h_fun, &g_fun)] {
            let there = self.table.apply_size_fun(f, &i);
            let again = self.table.apply_size_fun(back, &there);
            let inside = Prop::AtLeast(n.clone(), Nat::add(&there, &Nat::constant(1)));
            let words = "the functions of `reorder` must map each index of the array to an index of the array";
            self.require_by_words(inside, span, words, functions);
            let words = "the two functions of `reorder` must be inverse to each other";
            let undone = Prop::Equal(again, i.clone());
            self.require_by_words(undone, span, words, functions);
        }
    }

    /// Sets the range of the size `i` that the function `len` of `partition(m)(len)` takes to
    /// `0 <= i < m`.
    fn partition_range(&mut self, args: &[TermId]) {
        if let [m, len, ..] = args
            && let Some(m) = self.nat_argument(*m)
        {
            self.set_range(*len, &m);
        }
    }

    /// Sets the range of the size that the function of a `depMapSeq` or `depMapPar` takes to
    /// `0 <= k < n`, where `n` is the length of the array.
    fn dep_map_range(&mut self, args: &[TermId]) {
        if let [f, xs, ..] = args
            && let Some(data) = self.data_of_phrase(&self.terms[xs.0 as usize])
            && let Type::DepArray(n, _) = &*data
        {
            let n = n.clone();
            self.set_range(*f, &n);
        }
    }

    /// Sets the range of the size that the function of `letNat` or `withNat` takes, to `0 <= k < n` for an index
    /// of type `Idx[n]`, or that of `dmatch`, to `0 <= k < n + 1` for a segment of `n` elements. The
    /// length of another dependent pair has no known bound.
    fn bound_size_range(&mut self, args: &[TermId]) {
        if let [value, f, ..] = args
            && let Some(var) = self.bound_by(*f)
        {
            let bound = self.size_bound(*value);
            self.bound_size(var, bound);
        }
    }

    /// Sets the range of a size to `0 <= k < bound`, if it has a bound.
    pub(super) fn bound_size(&mut self, var: nat::Var, bound: Option<Nat>) {
        if bound.is_some() {
            self.table.update(var).range = bound;
            self.facts.forget();
        }
    }

    /// Returns the exclusive upper bound of the size that an index, or a segment of an array, binds;
    /// `None` for other terms.
    pub(super) fn size_bound(&self, value: TermId) -> Option<Nat> {
        if let Some(data) = self.data_of_phrase(&self.terms[value.0 as usize])
            && let Type::Index(n) = &*data
        {
            return Some(n.clone());
        }
        let spine = Spine::of(self.item, self.bare(value));
        let name_use = self.uses.iter().rev().find(|u| u.term == spine.head)?;
        match name_use.target {
            Target::Primitive(Primitive::Segment) => {
                let n = self.implicit_size(spine.head, "n")?;
                Some(Nat::add(&n, &Nat::ONE))
            }
            _ => None,
        }
    }

    /// Sets the values of the size that the function of `iterate(k)` takes to `m * n^j` with
    /// `0 <= j < k`, where `n` and `m` are the implicit arguments of `iterate`.
    fn iterate_sizes(&mut self, head: TermId, args: &[TermId]) {
        let is_size = |&arg: &TermId| self.nat_argument(arg).is_some();
        let Some(at) = args.iter().position(is_size) else {
            return;
        };
        let [rounds, function, ..] = args[at..] else {
            return;
        };
        let (Some(rounds), Some(var), Some(n), Some(m)) = (
            self.nat_argument(rounds),
            self.bound_by(function),
            self.implicit_size(head, "n"),
            self.implicit_size(head, "m"),
        ) else {
            return;
        };
        let round = self.index_var("j", &rounds);
        let size = Nat::mul(&m, &Nat::pow(&n, &Nat::var(round)));
        self.table.update(var).values = Some(size);
    }

    /// Returns the size that the implicit parameter `name` of the function at `head` is
    /// instantiated with.
    fn implicit_size(&self, head: TermId, name: &str) -> Option<Nat> {
        let name_use = self.uses.iter().rev().find(|u| u.term == head)?;
        name_use.implicits.iter().find_map(|(n, arg)| match arg {
            Arg::Nat(size) if n == name => Some(size.clone()),
            _ => None,
        })
    }

    /// Requires a condition that messages express by `words`. `functions` is the place of the
    /// functions that are wrong if it fails.
    fn require_by_words(
        &mut self,
        prop: Prop,
        span: Span,
        words: &'static str,
        functions: Option<Span>,
    ) {
        let source = ConditionOrigin::Words { words, functions };
        self.note_condition(prop, span, false, Some(source));
    }

    fn set_range(&mut self, fun: TermId, range: &Nat) {
        if let Some(var) = self.bound_by(fun) {
            self.bound_size(var, Some(range.clone()));
        }
    }

    fn nat_argument(&self, term: TermId) -> Option<Nat> {
        match &self.terms[term.0 as usize] {
            TermInfo::Arg(Arg::Nat(n)) => Some(n.clone()),
            _ => None,
        }
    }

    fn size_fun_argument(&self, term: TermId) -> Option<SizeFun> {
        match &self.terms[term.0 as usize] {
            TermInfo::Arg(Arg::SizeFun(f)) => Some(f.clone()),
            _ => None,
        }
    }
}
