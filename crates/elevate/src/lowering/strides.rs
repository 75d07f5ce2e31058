//! Computes strides: how far apart in memory the elements are that a loop reads one after another.
//!
//! The analysis follows an access through views to memory, as the translation of access paths does
//! (*RISE & Shine*, section 5.3), with symbolic indices of which only the dependence on two loops
//! is known. The order of loops is decided by its results.

use rise::Primitive;
use rise::pattern::{MapLoop, Pattern, View};
use rise::types::{Arg, Type};
use syntax::ast::Half;

use crate::term::{Local, Node, Store, Term};

/// The distance in memory, in elements, between the elements for consecutive values of a loop
/// counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stride {
    /// The loop reads the same element again.
    Zero,
    /// A constant distance.
    Constant(u64),
    /// A distance that depends on data, which is the index of an element.
    Data,
    /// A distance that depends on sizes, or on data that is the index of a row.
    Large,
}

impl Stride {
    fn plus(self, other: Stride) -> Stride {
        match (self, other) {
            (Stride::Zero, stride) | (stride, Stride::Zero) => stride,
            (Stride::Constant(a), Stride::Constant(b)) => Stride::Constant(a.saturating_add(b)),
            (Stride::Large, _) | (_, Stride::Large) => Stride::Large,
            (Stride::Data, _) | (_, Stride::Data) => Stride::Data,
        }
    }

    /// Returns the stride of an index that is multiplied by a size. `factor` is the size, or `None`
    /// if it is not constant.
    fn scaled(self, factor: Option<u64>) -> Stride {
        match (self, factor) {
            (Stride::Zero, _) | (_, Some(0)) => Stride::Zero,
            (stride, Some(1)) => stride,
            (Stride::Constant(a), Some(factor)) => Stride::Constant(a.saturating_mul(factor)),
            _ => Stride::Large,
        }
    }

    fn unknown(self) -> Stride {
        match self {
            Stride::Zero => Stride::Zero,
            Stride::Constant(_) | Stride::Data | Stride::Large => Stride::Data,
        }
    }
}

/// The dependence of an index, or of a place in memory, on the counters of a map and of the
/// reduction in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Index {
    pub map: Stride,
    pub reduction: Stride,
}

impl Index {
    /// An index that depends on neither loop.
    pub const CONSTANT: Index = Index {
        map: Stride::Zero,
        reduction: Stride::Zero,
    };
    /// The counter of the map.
    pub const MAP: Index = Index {
        map: Stride::Constant(1),
        reduction: Stride::Zero,
    };
    /// The counter of the reduction.
    pub const REDUCTION: Index = Index {
        map: Stride::Zero,
        reduction: Stride::Constant(1),
    };

    fn plus(self, other: Index) -> Index {
        Index {
            map: self.map.plus(other.map),
            reduction: self.reduction.plus(other.reduction),
        }
    }

    fn scaled(self, factor: Option<u64>) -> Index {
        Index {
            map: self.map.scaled(factor),
            reduction: self.reduction.scaled(factor),
        }
    }

    fn unknown(self) -> Index {
        Index {
            map: self.map.unknown(),
            reduction: self.reduction.unknown(),
        }
    }
}

/// A step from an array or pair to a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Element(Index),
    Component(Half),
}

/// The value of a bound variable.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A part of the value of a term.
    Part(Term, Vec<Step>),
    /// A number that depends on the loops.
    Number(Index),
}

/// The analysis of the reads of a term.
pub(super) struct StrideAnalysis<'s> {
    store: &'s mut Store,
    bindings: Vec<(Local, Binding)>,
    /// The place in memory of each read.
    reads: Vec<Index>,
    /// True if a part of the term is not understood.
    incomplete: bool,
    /// The remaining number of steps.
    fuel: u32,
}

impl<'s> StrideAnalysis<'s> {
    /// Returns the places in memory that a part of the value of a term is read from; `None` if they
    /// are not known.
    pub fn of(
        store: &'s mut Store,
        bindings: Vec<(Local, Binding)>,
        term: Term,
        path: Vec<Step>,
    ) -> Option<Vec<Index>> {
        let mut accesses = StrideAnalysis {
            store,
            bindings,
            reads: Vec::new(),
            incomplete: false,
            fuel: 4_000,
        };
        accesses.read(term, path);
        (!accesses.incomplete).then_some(accesses.reads)
    }

    /// Adds the reads of a part of the value of a term. The first step of the path to this part is
    /// its last element.
    fn read(&mut self, term: Term, mut path: Vec<Step>) {
        match self.fuel.checked_sub(1) {
            Some(left) => self.fuel = left,
            None => self.incomplete = true,
        }
        if self.incomplete {
            return;
        }
        let (head, args) = self.store.spine(term);
        let (primitive, types) = match self.store.node(head) {
            Node::Primitive(primitive, types) => (primitive, types),
            Node::Literal(_) | Node::Nat(_) => return,
            Node::Var(local) => return self.variable(local, path),
            Node::Lambda(..) => return self.redex(head, &args, path),
            Node::Foreign(_) => {
                return args.iter().for_each(|arg| self.read(*arg, Vec::new()));
            }
            Node::DepApply(f, arg) => {
                let f = self.function(f);
                let Node::DepLambda(var, _, _, body) = self.store.node(f) else {
                    self.incomplete = true;
                    return;
                };
                let arg = self.store.arg(arg).clone();
                let body = self.store.substitute_vars(body, &[(var, arg)]);
                let term = self.store.apply_all(body, args);
                return self.read(term, path);
            }
            Node::Global(..) | Node::Apply(..) | Node::DepLambda(..) => {
                self.incomplete = true;
                return;
            }
        };
        let types = self.store.args(types).clone();
        let size = |at: usize| match types.get(at) {
            Some(Arg::Nat(size)) => size.as_const().and_then(|size| u64::try_from(size).ok()),
            _ => None,
        };
        match (primitive.pattern(), &args[..]) {
            (Pattern::Scalar | Pattern::Connective | Pattern::Select, _) => {
                for (at, arg) in args.iter().enumerate() {
                    let of_result = primitive == Primitive::Select && at > 0;
                    self.read(*arg, if of_result { path.clone() } else { Vec::new() });
                }
            }
            (Pattern::Element, &[index, array]) => {
                self.read(index, Vec::new());
                let index = self.number(index);
                path.push(Step::Element(index));
                self.read(array, path);
            }
            (Pattern::Half(half), &[pair]) => {
                path.push(Step::Component(half));
                self.read(pair, path);
            }
            (Pattern::Pair, &[first, second]) => match path.pop() {
                Some(Step::Component(Half::First)) => self.read(first, path),
                Some(Step::Component(Half::Second)) => self.read(second, path),
                _ => {
                    self.read(first, Vec::new());
                    self.read(second, Vec::new());
                }
            },
            (Pattern::Zip, &[first, second]) => {
                let (index, half) = (path.pop(), path.pop());
                let with = |index: Option<Step>, mut path: Vec<Step>| {
                    path.extend(index);
                    path
                };
                match half {
                    Some(Step::Component(Half::First)) => self.read(first, with(index, path)),
                    Some(Step::Component(Half::Second)) => self.read(second, with(index, path)),
                    _ => {
                        self.read(first, with(index, Vec::new()));
                        self.read(second, with(index, Vec::new()));
                    }
                }
            }
            (Pattern::Map(MapLoop::Computed), &[f, array]) => match path.pop() {
                Some(index @ Step::Element(_)) => {
                    self.apply(f, Binding::Part(array, vec![index]), path);
                }
                _ => self.incomplete = true,
            },
            (Pattern::Generate, &[f]) => match path.pop() {
                Some(Step::Element(index)) => self.apply(f, Binding::Number(index), path),
                _ => self.incomplete = true,
            },
            (Pattern::Literal, _) => {
                path.pop();
                args.iter()
                    .for_each(|element| self.read(*element, path.clone()));
            }
            (Pattern::Let, &[value, f]) => self.apply(f, Binding::Part(value, Vec::new()), path),
            (Pattern::View(View::Gather), &[indices, array]) => {
                let element = path.last().copied();
                self.read(indices, element.into_iter().collect());
                self.view(primitive, View::Gather, &size, &mut path);
                self.read(array, path);
            }
            (Pattern::View(view), &[.., array]) => {
                self.view(primitive, view, &size, &mut path);
                self.read(array, path);
            }
            _ if matches!(**self.store.type_of(term), Type::Array(..)) => self.memory(term, &path),
            // The loops inside a number do not change with the order of the loops around it.
            _ => {}
        }
    }

    /// Returns a function with its applications to type-level arguments reduced.
    fn function(&mut self, f: Term) -> Term {
        let Node::DepApply(inner, arg) = self.store.node(f) else {
            return f;
        };
        let inner = self.function(inner);
        let Node::DepLambda(var, _, _, body) = self.store.node(inner) else {
            return f;
        };
        let arg = self.store.arg(arg).clone();
        self.store.substitute_vars(body, &[(var, arg)])
    }

    /// Changes the path to a part of a view to the path to the corresponding part of its array.
    /// Sets `incomplete` if that is not possible.
    fn view(
        &mut self,
        primitive: Primitive,
        view: View,
        size: &dyn Fn(usize) -> Option<u64>,
        path: &mut Vec<Step>,
    ) {
        let Some(Step::Element(outer)) = path.pop() else {
            self.incomplete = true;
            return;
        };
        let mut inner = || match path.pop() {
            Some(Step::Element(inner)) => inner,
            _ => Index::CONSTANT,
        };
        match (primitive, view) {
            (Primitive::Transpose, _) => {
                let inner = inner();
                path.extend([Step::Element(outer), Step::Element(inner)]);
            }
            (Primitive::Split, _) => {
                let index = outer.scaled(size(0)).plus(inner());
                path.push(Step::Element(index));
            }
            (Primitive::Slide, _) => {
                let index = outer.scaled(size(2)).plus(inner());
                path.push(Step::Element(index));
            }
            // The quotient changes slowly.
            (Primitive::Join, _) => {
                path.extend([Step::Element(outer), Step::Element(Index::CONSTANT)]);
            }
            (Primitive::Reorder, _) | (_, View::Gather) => {
                path.push(Step::Element(outer.unknown()));
            }
            (_, View::Lanes | View::Vectors | View::Unzip | View::DepJoin | View::Partition) => {
                self.incomplete = true;
            }
            (_, View::Index | View::Scatter | View::PadCst | View::PadClamp | View::PadEmpty) => {
                path.push(Step::Element(outer))
            }
        }
    }

    fn variable(&mut self, local: Local, path: Vec<Step>) {
        let found = self.bindings.iter().rfind(|(known, _)| *known == local);
        match found.map(|(_, binding)| binding.clone()) {
            Some(Binding::Number(_)) => {}
            Some(Binding::Part(term, part)) => self.read(term, joined(path, part)),
            None => {
                let ty = self.store.ty_of(self.store.local_ty(local)).clone();
                self.place(&ty, &path);
            }
        }
    }

    fn redex(&mut self, head: Term, args: &[Term], path: Vec<Step>) {
        let Some((&value, rest)) = args.split_first() else {
            self.incomplete = true;
            return;
        };
        let Node::Lambda(param, body) = self.store.node(head) else {
            self.incomplete = true;
            return;
        };
        self.bindings
            .push((param, Binding::Part(value, Vec::new())));
        match (rest.is_empty(), self.store.node(body)) {
            (true, _) => self.read(body, path),
            (false, Node::Lambda(..)) => self.redex(body, rest, path),
            (false, _) => self.incomplete = true,
        }
        self.bindings.pop();
    }

    /// Adds the reads of a part of the result of a function that is applied to this argument.
    fn apply(&mut self, f: Term, argument: Binding, path: Vec<Step>) {
        match self.store.node(f) {
            Node::Lambda(param, body) => {
                self.bindings.push((param, argument));
                self.read(body, path);
                self.bindings.pop();
            }
            _ => {
                let parts = self.store.fun_parts(self.store.ty(f));
                let Some((parameter, _)) = parts else {
                    self.incomplete = true;
                    return;
                };
                let param = self.store.fresh_local("x", parameter);
                let variable = self.store.var(param);
                let body = self.store.apply(f, variable);
                self.bindings.push((param, argument));
                self.read(body, path);
                self.bindings.pop();
            }
        }
    }

    /// Returns the dependence of a number on the loops.
    fn number(&self, term: Term) -> Index {
        self.number_in(term, Vec::new())
    }

    /// Returns the dependence on the loops of a number that is a part of the value of a term. The
    /// path starts at its end.
    fn number_in(&self, term: Term, mut path: Vec<Step>) -> Index {
        let (head, args) = self.store.spine(term);
        let pattern = match self.store.node(head) {
            Node::Primitive(primitive, _) => Some(primitive.pattern()),
            _ => None,
        };
        match (self.store.node(head), pattern, &args[..]) {
            (Node::Var(local), _, []) => {
                let found = self.bindings.iter().rfind(|(known, _)| *known == local);
                match found.map(|(_, binding)| binding) {
                    Some(Binding::Number(index)) => *index,
                    Some(Binding::Part(term, part)) => {
                        self.number_in(*term, joined(path, part.clone()))
                    }
                    None => unknown_part(&path),
                }
            }
            (_, Some(Pattern::Half(half)), &[pair]) => {
                path.push(Step::Component(half));
                self.number_in(pair, path)
            }
            (_, Some(Pattern::Zip), &[first, second]) => match (path.pop(), path.pop()) {
                (Some(index), Some(Step::Component(half))) => {
                    path.push(index);
                    self.number_in([first, second][half as usize], path)
                }
                (index, rest) => unknown_part(&path)
                    .plus(unknown_part(rest.as_slice()))
                    .plus(unknown_part(index.as_slice())),
            },
            (_, Some(Pattern::Generate), &[f]) => match (&path[..], self.store.node(f)) {
                ([Step::Element(index)], Node::Lambda(param, body))
                    if self.store.node(body) == Node::Var(param) =>
                {
                    *index
                }
                _ => unknown_part(&path),
            },
            _ => {
                let parts = args.iter().map(|arg| self.number(*arg).unknown());
                parts.fold(unknown_part(&path), Index::plus)
            }
        }
    }

    /// Adds the read of a part of a stored array.
    fn memory(&mut self, term: Term, path: &[Step]) {
        self.place(&self.store.type_of(term).clone(), path);
    }

    /// Adds the read of a part of an array in memory, whose elements are in the order of its type.
    fn place(&mut self, ty: &Type, path: &[Step]) {
        let mut place = Index::CONSTANT;
        let mut ty = ty;
        for step in path.iter().rev() {
            let Type::Array(_, element) = ty else {
                break;
            };
            if let Step::Element(index) = step {
                place = place.plus(index.scaled(elements(element)));
            }
            ty = element;
        }
        self.reads.push(place);
    }
}

/// Returns the number of elements of nested arrays, where everything but an array counts as one;
/// `None` if it is not constant.
fn elements(ty: &Type) -> Option<u64> {
    match ty {
        Type::Array(length, element) => {
            let length = u64::try_from(length.as_const()?).ok()?;
            elements(element)?.checked_mul(length)
        }
        _ => Some(1),
    }
}

/// Returns the dependence of a part of a value on the loops if the value is not known.
fn unknown_part(path: &[Step]) -> Index {
    let steps = path.iter().map(|step| match step {
        Step::Element(index) => index.unknown(),
        Step::Component(_) => Index::CONSTANT,
    });
    steps.fold(Index::CONSTANT, Index::plus)
}

/// Returns the path that first follows `part` and then `path`, which both start at their ends.
fn joined(path: Vec<Step>, part: Vec<Step>) -> Vec<Step> {
    let mut path = path;
    path.extend(part);
    path
}
