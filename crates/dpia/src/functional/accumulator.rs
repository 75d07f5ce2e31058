//! The check that the functions of reductions and scans can update their accumulators in place.
//!
//! A step of a reduction overwrites the accumulator while it reads the old one. That is correct if
//! each write reads only the place that it writes, or a part of it. The check follows the places of
//! each write and of its reads in the accumulator; a read that it cannot follow is reported.

use std::sync::Arc;

use nat::{Facts, Nat, Prop, Var};
use rise::core::{Form, Local, Node, Origin};
use rise::pattern::MapLoop;
use rise::types::contains_array;
use rise::{Arg, Pattern, Primitive, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::Half;

use super::access_inference::Term;
use super::access_path::{
    AccessPath, PathElement, View, place, read_view, size_at, take_half, view,
};

/// The smallest number of a loop variable, above the numbers in programs and signatures.
const LOOP_VARS: u32 = 1 << 23;

/// The greatest number of expressions that are followed, because nested `let`s can grow
/// exponentially. A check that would follow more reports a misplaced read.
const MAX_READS: u32 = 1 << 20;

/// The value of a local variable, as far as reads are followed through it.
#[derive(Clone)]
enum BoundValue {
    /// A part of another expression.
    Part(Term, AccessPath),
    Index(Nat),
    /// A value in memory of its own.
    Stored,
}

/// A read of the accumulator that is not known to be within the place that is written.
pub(crate) struct MisplacedRead {
    pub read: Origin,
    /// The expression whose value is written at the same time or before.
    pub write: Option<Origin>,
}

/// Returns the first misplaced read in the body of the function of a reduction or scan whose
/// accumulator contains arrays; `None` if there is none.
pub(crate) fn misplaced_read(
    accumulator: &Local,
    body: &Term,
    facts: &Facts,
) -> Option<MisplacedRead> {
    let mut follow = AccumulatorCheck::new(accumulator, facts);
    follow.write(body, &mut Vec::new());
    follow.misplaced_read
}

/// Returns the first read of a parameter that is not known to be before its new value is written;
/// `None` if there is none. The new value is the component of the result that the projections
/// `place` select. The components of the result are written from left to right.
pub(crate) fn read_after_update(
    param: &Local,
    place: &[Half],
    result: &Term,
    facts: &Facts,
) -> Option<MisplacedRead> {
    let mut follow = AccumulatorCheck::new(param, facts);
    follow.update(result, place);
    follow.misplaced_read
}

struct AccumulatorCheck<'a> {
    accumulator: &'a Local,
    facts: Facts,
    bound: FxHashMap<u32, BoundValue>,
    /// The number of enclosing loops that write, and of enclosing second halves, before which a
    /// first half is written.
    loops: usize,
    next: u32,
    /// The number of expressions followed so far.
    reads: u32,
    /// The expressions whose values are stored in memory of their own before they are used.
    stored: FxHashSet<*const Node<Primitive>>,
    /// The path from the value that is written to the part of it that is the accumulator.
    component: AccessPath,
    /// The expression that is the new value of a parameter.
    write: Option<Origin>,
    misplaced_read: Option<MisplacedRead>,
}

impl<'a> AccumulatorCheck<'a> {
    fn new(accumulator: &'a Local, facts: &Facts) -> AccumulatorCheck<'a> {
        AccumulatorCheck {
            accumulator,
            facts: facts.clone(),
            bound: FxHashMap::default(),
            loops: 0,
            next: LOOP_VARS,
            reads: 0,
            stored: FxHashSet::default(),
            component: AccessPath::new(),
            write: None,
            misplaced_read: None,
        }
    }

    /// Follows the writes of a result, or of a part of it, one component of which is the new value
    /// of the parameter. `component` selects it in the part.
    fn update(&mut self, term: &Term, component: &[Half]) {
        match (&term.form, component) {
            (Form::Primitive(Primitive::Let, _, args), _) if args.len() == 2 => {
                self.let_in(&args[0], &args[1], &[]);
                if let Form::Lambda(_, body) = &args[1].form {
                    self.update(body, component);
                }
            }
            (Form::Primitive(Primitive::Select, _, args), _) if args.len() == 3 => {
                self.update(&args[1], component);
                self.update(&args[2], component);
            }
            // The first component is written before the second one.
            (Form::Primitive(Primitive::MakePair, _, args), [Half::First, inner @ ..]) => {
                self.update(&args[0], inner);
                self.loops += 1;
                self.read(&args[1], vec![PathElement::Any], &None);
                self.loops -= 1;
            }
            (Form::Primitive(Primitive::MakePair, _, args), [Half::Second, inner @ ..]) => {
                self.update(&args[1], inner);
            }
            _ => {
                let half = |half: &Half| PathElement::Half(*half == Half::Second);
                self.component = component.iter().map(half).collect();
                self.write = Some(term.origin);
                self.write(term, &mut Vec::new());
            }
        }
    }

    fn index(&mut self, count: &Nat) -> Nat {
        let var = Var(self.next);
        self.next += 1;
        self.facts.range(var, &Nat::ZERO, count);
        Nat::var(var)
    }

    // ----- writing -----

    fn write(&mut self, term: &Term, views: &mut Vec<View>) {
        if self.misplaced_read.is_some() {
            return;
        }
        if !contains_array(&term.ty) {
            // The components of a tuple are written at once.
            let component = match &*term.ty {
                Type::Pair(..) => self.component.clone(),
                _ => Vec::new(),
            };
            let place = place(views, component);
            return self.read(term, Vec::new(), &place);
        }
        let Form::Primitive(primitive, types, args) = &term.form else {
            let place = place(views, Vec::new());
            return self.read(term, vec![PathElement::Any], &place);
        };
        if self.write_loop(*primitive, args, views) {
            return;
        }
        let view = match (primitive, &args[..]) {
            (Primitive::Zip, [a, b]) => return self.write_halves(a, b, views, View::Zip),
            (Primitive::MakePair, [a, b]) => return self.write_halves(a, b, views, View::Half),
            (Primitive::Concat, [a, b]) => {
                self.write(a, views);
                let behind = array(&a.ty).map_or(View::Unknown, |(n, _)| View::Behind(n.clone()));
                return self.write_through(b, views, behind);
            }
            (Primitive::Select, [condition, a, b]) => {
                if self.loops > 0 {
                    self.read(condition, Vec::new(), &place(views, Vec::new()));
                }
                self.write(a, views);
                return self.write(b, views);
            }
            // The accumulator stays as it is, or a part of it.
            (Primitive::Fst | Primitive::Snd, _) => {
                let place = place(views, Vec::new());
                return self.read(term, vec![PathElement::Any], &place);
            }
            (Primitive::ReduceSeq | Primitive::ReduceSeqUnroll, [f, init, xs]) => {
                return self.write_reduction([f, xs], init, views);
            }
            (Primitive::RepeatInPlace, [f, init]) => {
                return self.write_reduction([f], init, views);
            }
            // The last round writes while its function may read anything.
            (Primitive::Repeat | Primitive::Iterate, _) => return self.read_all(args, &None),
            (Primitive::Let, [value, f]) => {
                self.let_in(value, f, views);
                if let Form::Lambda(_, body) = &f.form {
                    self.write(body, views);
                }
                return;
            }
            _ => view(*primitive, types, args),
        };
        match args.last() {
            Some(xs) => self.write_through(xs, views, view),
            None => {
                let place = place(views, Vec::new());
                self.read(term, vec![PathElement::Any], &place);
            }
        }
    }

    fn write_through(&mut self, term: &Term, views: &mut Vec<View>, view: View) {
        views.push(view);
        self.write(term, views);
        views.pop();
    }

    fn write_halves(&mut self, a: &Term, b: &Term, views: &mut Vec<View>, half: fn(bool) -> View) {
        self.write_through(a, views, half(false));
        // The first half has been written before the second half is.
        self.loops += 1;
        self.write_through(b, views, half(true));
        self.loops -= 1;
    }

    /// Follows a reduction or a `repeatInPlace` whose result is written. It works in the memory of
    /// the accumulator from which it starts; while it runs, its other arguments `terms` and nothing
    /// else may read this accumulator.
    fn write_reduction<const N: usize>(
        &mut self,
        terms: [&Term; N],
        init: &Term,
        views: &mut Vec<View>,
    ) {
        self.write(init, views);
        self.loops += 1;
        for term in terms {
            self.read(term, vec![PathElement::Any], &None);
        }
        self.loops -= 1;
    }

    /// Follows the patterns that write element by element; returns false for others.
    fn write_loop(&mut self, primitive: Primitive, args: &[Term], views: &mut Vec<View>) -> bool {
        let (Some(f), Some(xs)) = (args.first(), args.last()) else {
            return false;
        };
        match primitive.pattern() {
            Pattern::Map(MapLoop::Sequential | MapLoop::Unrolled | MapLoop::Parallel(_)) => {}
            Pattern::DepMap(_) => {}
            Pattern::Map(MapLoop::Computed | MapLoop::Stream | MapLoop::Lanes) => return false,
            Pattern::Scan => {
                if let Some(init) = args.get(1) {
                    self.stored(init, views);
                }
            }
            Pattern::Scalar | Pattern::Connective | Pattern::Select => return false,
            Pattern::Element | Pattern::Half(_) | Pattern::Pair => return false,
            Pattern::MapHalf(_) | Pattern::Generate | Pattern::Literal => return false,
            Pattern::View(_) | Pattern::Zip | Pattern::Concat | Pattern::Reduce(_) => return false,
            Pattern::Iterate | Pattern::Stream(_) | Pattern::Let | Pattern::Memory => return false,
            Pattern::Repeat(_) => return false,
            Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch => return false,
        }
        let (index, f) = match (&f.form, array(&xs.ty)) {
            (Form::DepLambda(var, _, body), _) => (Nat::var(*var), body),
            (_, Some((n, _))) => (self.index(n), f),
            _ => return false,
        };
        self.stored_in(xs, views);
        let Some((param, mut body)) = lambda(f) else {
            // A primitive as the function reads its element.
            let place = place(views, vec![PathElement::At(index.clone())]);
            self.read(xs, vec![PathElement::At(index)], &place);
            return true;
        };
        let part = BoundValue::Part(xs.clone(), vec![PathElement::At(index.clone())]);
        self.bound.insert(param, part);
        if let Form::Lambda(accumulator, inner) = &body.form {
            self.bound.insert(accumulator.local.id, BoundValue::Stored);
            body = inner;
        }
        self.loops += 1;
        self.write_through(body, views, View::At(index));
        self.loops -= 1;
        true
    }

    fn let_in(&mut self, value: &Term, f: &Term, views: &[View]) {
        let Form::Lambda(param, _) = &f.form else {
            return;
        };
        let bound = if is_stored(value) {
            self.stored(value, views);
            BoundValue::Stored
        } else {
            BoundValue::Part(value.clone(), Vec::new())
        };
        self.bound.insert(param.local.id, bound);
    }

    /// Marks a value that is evaluated before anything at the current place is written. Follows its
    /// reads only in loops, where other places may have been written before.
    fn stored(&mut self, term: &Term, views: &[View]) {
        self.stored.insert(Arc::as_ptr(term));
        if self.loops > 0
            && let Form::Primitive(_, _, args) = &term.form
        {
            let place = place(views, Vec::new());
            self.read_all(args, &place);
        }
    }

    /// Follows the stored values in the input of a loop.
    fn stored_in(&mut self, term: &Term, views: &[View]) {
        if is_stored(term) {
            return self.stored(term, views);
        }
        if let Form::Primitive(_, _, args) = &term.form {
            for arg in args.iter() {
                self.stored_in(arg, views);
            }
        }
    }

    // ----- reading -----

    /// Follows the reads of the accumulator in reading a part of an expression.
    fn read(&mut self, term: &Term, path: AccessPath, place: &Option<AccessPath>) {
        if self.misplaced_read.is_some() {
            return;
        }
        self.reads += 1;
        if self.reads > MAX_READS {
            self.misplaced_read = Some(MisplacedRead {
                read: term.origin,
                write: self.write,
            });
            return;
        }
        match &term.form {
            Form::Var(local) if local == self.accumulator => self.compare(term, &path, place),
            Form::Var(local) => {
                if let Some(BoundValue::Part(whole, prefix)) = self.bound.get(&local.id).cloned() {
                    let path = prefix.into_iter().chain(path).collect();
                    self.read(&whole, path, place);
                }
            }
            Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
            Form::Primitive(..) if self.stored.contains(&Arc::as_ptr(term)) => {}
            Form::Primitive(primitive, types, args) => {
                self.read_primitive(*primitive, types, args, path, place);
            }
            Form::Foreign(_, args) => {
                for arg in args.iter() {
                    self.read(arg, Vec::new(), place);
                }
            }
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                self.read(body, vec![PathElement::Any], place);
            }
            Form::Apply(f, x) => {
                self.read(f, vec![PathElement::Any], place);
                self.read(x, vec![PathElement::Any], place);
            }
        }
    }

    fn read_primitive(
        &mut self,
        primitive: Primitive,
        types: &[Arg],
        args: &[Term],
        mut path: AccessPath,
        place: &Option<AccessPath>,
    ) {
        use Primitive::{Fst, Generate, Idx, MakePair, Map, Select, Snd, ToMem, Zip};
        match (primitive, args) {
            (Idx, [index, xs]) => {
                self.read(index, Vec::new(), place);
                let at = self
                    .index_of(index)
                    .map_or(PathElement::Any, PathElement::At);
                path.insert(0, at);
                self.read(xs, path, place);
            }
            (Fst | Snd, [pair]) => {
                path.insert(0, PathElement::Half(primitive == Snd));
                self.read(pair, path, place);
            }
            (MakePair, [a, b]) => match take_half(&mut path, 0) {
                Some(half) => self.read(if half { b } else { a }, path, place),
                None => self.read_all(args, place),
            },
            (Zip, [a, b]) => match take_half(&mut path, 1) {
                Some(half) => self.read(if half { b } else { a }, path, place),
                None => {
                    self.read(a, path.clone(), place);
                    self.read(b, path, place);
                }
            },
            (Map | Generate, [f, xs @ ..]) => self.read_element(f, xs.first(), path, place),
            (Select, [condition, a, b]) => {
                self.read(condition, Vec::new(), place);
                self.read(a, path.clone(), place);
                self.read(b, path, place);
            }
            // The value is stored before its user writes.
            (ToMem, _) if self.loops == 0 => {}
            (Primitive::Let, [value, f]) => {
                if let Some((param, body)) = lambda(f) {
                    let part = BoundValue::Part(value.clone(), Vec::new());
                    self.bound.insert(param, part);
                    self.read(body, path, place);
                }
            }
            (_, [.., xs]) => match read_view(
                primitive.pattern(),
                primitive.entry().index_map.as_ref(),
                (types, size_at(types, 0)),
                path,
            ) {
                Some(path) => self.read(xs, path, place),
                None => self.read_all(args, place),
            },
            _ => {}
        }
    }

    /// Follows the read of an element of an array that a function makes, from the elements of `xs`
    /// or from indices.
    fn read_element(
        &mut self,
        f: &Term,
        xs: Option<&Term>,
        mut path: AccessPath,
        place: &Option<AccessPath>,
    ) {
        let first = match path.is_empty() {
            true => PathElement::Any,
            false => path.remove(0),
        };
        match (lambda(f), xs, first) {
            (Some((param, body)), Some(xs), first) => {
                let part = BoundValue::Part(xs.clone(), vec![first]);
                self.bound.insert(param, part);
                self.read(body, path, place);
            }
            (None, Some(xs), first) => self.read(xs, vec![first], place),
            (Some((param, body)), None, first) => {
                if let PathElement::At(index) = first {
                    self.bound.insert(param, BoundValue::Index(index));
                }
                self.read(body, path, place);
            }
            (None, None, _) => {}
        }
    }

    /// Follows the reads of arguments, of which any element may be read.
    fn read_all(&mut self, args: &[Term], place: &Option<AccessPath>) {
        for arg in args {
            let path = if contains_array(&arg.ty) {
                vec![PathElement::Any]
            } else {
                Vec::new()
            };
            self.read(arg, path, place);
        }
    }

    fn index_of(&self, term: &Term) -> Option<Nat> {
        match &term.form {
            Form::Nat(size) => Some(size.clone()),
            Form::Literal(syntax::ast::Literal::Int { value, .. }) => {
                Some(Nat::constant(i64::try_from(*value).ok()?))
            }
            Form::Var(local) => match self.bound.get(&local.id)? {
                BoundValue::Index(index) => Some(index.clone()),
                _ => None,
            },
            Form::Primitive(Primitive::NatAsIndex | Primitive::IndexAsNat, _, args) => {
                self.index_of(args.last()?)
            }
            _ => None,
        }
    }

    /// Checks that a read place is the written one or a part of it.
    fn compare(&mut self, term: &Term, read: &[PathElement], place: &Option<AccessPath>) {
        let same = |a: &PathElement, b: &PathElement| match (a, b) {
            (PathElement::At(a), PathElement::At(b)) => self.equal(a, b),
            (PathElement::Lanes(a, n), PathElement::Lanes(b, m)) => {
                self.equal(a, b) && self.equal(n, m)
            }
            (PathElement::Half(a), PathElement::Half(b)) => a == b,
            _ => false,
        };
        let place = place.as_deref();
        let place = place.and_then(|place| place.strip_prefix(&self.component[..]));
        let fits = place.is_some_and(|place| {
            read.len() >= place.len() && read.iter().zip(place).all(|(a, b)| same(a, b))
        });
        if !fits {
            self.misplaced_read = Some(MisplacedRead {
                read: term.origin,
                write: self.write,
            });
        }
    }

    fn equal(&self, a: &Nat, b: &Nat) -> bool {
        a == b || self.facts.proves(&Prop::Equal(a.clone(), b.clone()))
    }
}

/// Returns the number of the parameter and the body if `f` is an abstraction.
fn lambda(f: &Term) -> Option<(u32, &Term)> {
    match &f.form {
        Form::Lambda(param, body) => Some((param.local.id, body)),
        _ => None,
    }
}

/// Returns true if the expression is the application of a primitive that stores its result in
/// memory of its own.
fn is_stored(term: &Term) -> bool {
    matches!(&term.form, Form::Primitive(primitive, ..) if super::is_stored(primitive.pattern()))
}

fn array(ty: &Type) -> Option<(&Nat, &Type)> {
    match ty {
        Type::Array(n, element) => Some((n, element)),
        _ => None,
    }
}
