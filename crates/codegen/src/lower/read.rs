//! Lowers expressions: reads the part of a value at a path.

use std::rc::Rc;

use dpia::prim::PhraseClass;
use dpia::{Phrase, Prim};
use nat::Nat;
use rise::core::{Form, Origin};
use rise::pattern::{MapLoop, Stream, View};
use rise::{Arg, Pattern, SizeFun, Ty, Type};
use syntax::ast::{Half, Literal, ScalarType};

use super::common_subexpressions::ChoiceForm;
use super::env::{Bound, Call, Env, Path, Step};
use super::store::{Part, lost};
use super::{Lower, untranslated};
use crate::analysis::conditions::truth;
use crate::error::Result;
use crate::ir::{Binary, Expr, ExprKind};

impl Lower<'_> {
    /// Returns an expression for the part at `path` of the value of a phrase.
    pub(super) fn read(&mut self, phrase: &Phrase, path: Path, env: &Env) -> Result<Expr> {
        let origin = phrase.origin;
        match &phrase.form {
            Form::Var(local) => match env.get(local).cloned() {
                Some(Bound::Store(store)) => {
                    self.note_views(origin);
                    let part = self.part(&store, path, origin)?;
                    Ok(load(part, origin))
                }
                Some(Bound::Index(nat)) => Ok(self.size(nat, data_of(phrase), origin)),
                Some(Bound::Phrase(inner, steps, bound)) => {
                    let (key, alive) = ((env.binder(local), 0), (env.clone(), None));
                    self.read_once(key, Some(&local.name), path, alive, |this, path| {
                        this.read(&inner, path.push_all(&steps), &bound)
                    })
                }
                _ => Err(lost(origin)),
            },
            Form::Literal(literal) => Ok(self.constant(literal, &data_of(phrase), origin)),
            Form::Nat(nat) => Ok(self.number(nat, origin)),
            Form::Primitive(prim, types, args) => self.below(*prim, origin, |this| {
                let prim = *prim;
                let call = &Call {
                    phrase,
                    prim,
                    types,
                    args,
                };
                if !matches!(prim, Prim::Map | Prim::Generate | Prim::Idx) {
                    return this.read_primitive(call, path, env);
                }
                let (key, alive) = (
                    Self::address_of(phrase, env),
                    (env.clone(), Some(phrase.clone())),
                );
                this.read_once(key, None, path, alive, |this, path| {
                    this.read_primitive(call, path, env)
                })
            }),
            Form::Foreign(function, args) => {
                let args = args
                    .iter()
                    .map(|arg| self.read(arg, Path::new(), env))
                    .collect::<Result<_, _>>()?;
                let call = Expr::new(
                    ExprKind::Call(function.clone(), args),
                    function.result.clone(),
                    origin,
                );
                // Both halves are from a single call.
                let call = match &*call.ty {
                    Type::Pair(..) => self.share(call, None),
                    _ => call,
                };
                project(call, path)
            }
            Form::Apply(f, x) => {
                let Form::Lambda(param, body) = &f.form else {
                    return Err(lost(origin));
                };
                let bound = Bound::Phrase(x.clone(), Rc::new([]), env.clone());
                self.read(body, path, &env.with(&param.local, bound))
            }
            Form::Lambda(..) | Form::DepLambda(..) | Form::DepApply(..) | Form::Global(..) => {
                Err(lost(origin))
            }
        }
    }

    fn read_primitive(&mut self, call: &Call<'_>, path: Path, env: &Env) -> Result<Expr> {
        let (prim, origin) = (call.prim, call.origin());
        let PhraseClass::Expression(pattern) = prim.class() else {
            return Err(untranslated(prim, origin));
        };
        match (pattern, call.args) {
            (Pattern::Scalar | Pattern::Connective, _) => self.read_scalar(call, path, env),
            (Pattern::Select, [condition, then, otherwise]) => {
                let condition = self.read(condition, Path::new(), env)?;
                match truth(&condition) {
                    Some(true) => return self.read(then, path, env),
                    Some(false) => return self.read(otherwise, path, env),
                    None => {}
                }
                let (then, first) = self.branch(|this| this.read(then, path.clone(), env));
                let (otherwise, second) =
                    self.alternative_branch(first, |this| this.read(otherwise, path, env));
                let parts = [condition, then?, otherwise?];
                Ok(self.choice(ChoiceForm::Select, parts, [first, second], origin))
            }
            (Pattern::Element | Pattern::Half(_), _) => self.read_view(call, path, env),
            (Pattern::Pair | Pattern::Zip | Pattern::Stream(Stream::Zip), _) => {
                self.read_pairing(call, pattern == Pattern::Pair, path, env)
            }
            (Pattern::MapHalf(half), _) => self.half_mapped(call, half == Half::Second, path, env),
            (Pattern::Map(MapLoop::Computed), [f, xs]) => self.mapped(f, xs, path, env, origin),
            (Pattern::Generate, [f]) => {
                let (i, path) = self.pop_index(path, origin)?;
                self.body(f, Bound::Index(i), path, env)
            }
            (Pattern::Literal, _) => self.read_element(call, path, env),
            (Pattern::View(view), _) => match view {
                View::PadCst | View::PadClamp => {
                    self.read_padding(call, view == View::PadClamp, path, env)
                }
                View::Vectors => self.read_as_vector(call, path, env),
                View::Index | View::Gather | View::Lanes | View::Unzip => {
                    self.read_view(call, path, env)
                }
                View::DepJoin | View::Partition => self.read_view(call, path, env),
                View::Scatter | View::PadEmpty => Err(untranslated(prim, origin)),
            },
            (Pattern::Select | Pattern::Generate | Pattern::Map(MapLoop::Computed), _) => {
                Err(lost(origin))
            }
            (Pattern::Concat | Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_), _)
            | (Pattern::Scan | Pattern::Iterate | Pattern::Stream(_) | Pattern::Let, _)
            | (Pattern::Repeat(_), _)
            | (Pattern::Memory | Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch, _) => {
                Err(untranslated(prim, origin))
            }
        }
    }

    /// Reads the part at `path` of a view: the part of its array argument at the path that the view
    /// maps it to.
    fn read_view(&mut self, call: &Call<'_>, path: Path, env: &Env) -> Result<Expr> {
        let origin = call.origin();
        let [.., inner] = call.args else {
            return Err(lost(origin));
        };
        let mut path = path;
        match (call.prim.pattern(), path.next()) {
            // An index over all pieces of a partition is an index into the array.
            (Some(Pattern::View(View::Partition)), Some(Step::Joined(_))) => {
                if let Some(Step::Joined(j)) = path.pop() {
                    path = path.push(Step::Index(j));
                }
            }
            (Some(Pattern::View(View::Unzip)), _) => {
                let Some(half @ Step::Member(_)) = path.pop() else {
                    return Err(lost(origin));
                };
                let (i, rest) = self.pop_index(path, origin)?;
                path = rest.push(half).push(Step::Index(i));
            }
            (Some(Pattern::View(View::DepJoin)), _) => {
                let (i, rest) = self.pop_index(path, origin)?;
                path = rest.push(Step::Joined(i));
            }
            _ => match self.step_below(call, path, env)? {
                Some(below) => path = below,
                None => return Err(untranslated(call.prim, origin)),
            },
        }
        self.read(inner, path, env)
    }

    /// Reads a part of `zip` or of a pair: the component that the path selects, or both components.
    fn read_pairing(
        &mut self,
        call: &Call<'_>,
        is_pair: bool,
        mut path: Path,
        env: &Env,
    ) -> Result<Expr> {
        let [a, b] = call.args else {
            return Err(lost(call.origin()));
        };
        let index = match is_pair {
            true => None,
            false => path.pop(),
        };
        self.components(path, call.origin(), |lower, second, path| {
            let path = match &index {
                Some(step) => path.push(step.clone()),
                None => path,
            };
            lower.read(if second { b } else { a }, path, env)
        })
    }

    /// Reads a part of an array whose elements are listed in the program.
    fn read_element(&mut self, call: &Call<'_>, path: Path, env: &Env) -> Result<Expr> {
        let Call { args, .. } = *call;
        let origin = call.origin();
        let (i, path) = self.pop_index(path, origin)?;
        let i = self.simplify(&i);
        if let Some(arg) = i
            .as_const()
            .and_then(|k| usize::try_from(k).ok())
            .and_then(|k| args.get(k))
        {
            return self.read(arg, path, env);
        }
        let elements = args
            .iter()
            .map(|arg| self.read(arg, path.clone(), env))
            .collect::<Result<Vec<_>, _>>()?;
        let Some(first) = elements.first() else {
            return Err(lost(origin));
        };
        let ty = first.ty.clone();
        Ok(Expr::new(ExprKind::Element(elements, i), ty, origin))
    }

    fn read_padding(
        &mut self,
        call: &Call<'_>,
        is_clamped: bool,
        path: Path,
        env: &Env,
    ) -> Result<Expr> {
        let Call { types, args, .. } = *call;
        let origin = call.origin();
        let [.., xs] = args else {
            return Err(lost(origin));
        };
        let (i, path) = self.pop_index(path, origin)?;
        let (n, l) = (nat_arg(types, 0), nat_arg(types, 2));
        let inner = self.simplify(&Nat::sub(&i, &l));
        let zero = Nat::constant(0);
        let (below, above) = (
            self.less(&i, &l),
            self.less(&inner, &n).map(|inside| !inside),
        );
        if is_clamped {
            let mut at = inner;
            if below != Some(false) {
                at = Nat::max(&at, &zero);
            }
            if above != Some(false) {
                at = Nat::min(&at, &Nat::sub(&n, &Nat::constant(1)));
            }
            let at = self.simplify(&at);
            return self.read(xs, path.push(Step::Index(at)), env);
        }
        if below == Some(true) || above == Some(true) {
            return self.read(&args[0], path, env);
        }
        let end = self.simplify(&(l.clone() + &n));
        let mut bounds = Vec::new();
        for (known, bound, operator) in [(above, end, Binary::Lt), (below, l, Binary::Ge)] {
            if known.is_none() {
                let natural = scalar(ScalarType::NatType);
                let left = self.size(i.clone(), natural.clone(), origin);
                let right = self.size(bound, natural, origin);
                bounds.push(Expr::new(
                    ExprKind::Binary(operator, Box::new(left), Box::new(right)),
                    scalar(ScalarType::Bool),
                    origin,
                ));
            }
        }
        let path = (path.clone(), path.push(Step::Index(inner)));
        self.read_within(bounds, (&args[0], path.0), (xs, path.1), env, origin)
    }

    /// Reads an element if all `bounds` hold, which are tested from the last to the first, and the
    /// padding otherwise.
    fn read_within(
        &mut self,
        mut bounds: Vec<Expr>,
        padding: (&Phrase, Path),
        element: (&Phrase, Path),
        env: &Env,
        origin: Origin,
    ) -> Result<Expr> {
        let Some(inside) = bounds.pop() else {
            return self.read(element.0, element.1, env);
        };
        let (value, first) = self.branch(|this| {
            let padding = (padding.0, padding.1.clone());
            this.read_within(bounds, padding, element, env, origin)
        });
        let value = value?;
        let (padding, second) =
            self.alternative_branch(first, |this| this.read(padding.0, padding.1, env));
        let parts = [inside, value, padding?];
        Ok(self.choice(ChoiceForm::Select, parts, [first, second], origin))
    }

    /// Returns the index that is the first step of a path, and the rest of the path; fails for
    /// other paths.
    pub(super) fn pop_index(&self, mut path: Path, origin: Origin) -> Result<(Nat, Path)> {
        match path.pop() {
            Some(Step::Index(i)) => Ok((i, path)),
            _ => Err(lost(origin)),
        }
    }

    /// Returns the quotient and the remainder of two sizes, simplified.
    pub(super) fn divide(&self, i: &Nat, by: &Nat) -> (Nat, Nat) {
        let i = self.simplify(i);
        (
            self.simplify(&Nat::div(&i, by)),
            self.simplify(&Nat::rem(&i, by)),
        )
    }

    /// Returns an expression of this type for a size, simplified; the size is assumed to fit.
    pub(super) fn size(&self, nat: Nat, ty: Ty, origin: Origin) -> Expr {
        Expr::new(ExprKind::Nat(self.simplify(&nat)), ty, origin)
    }

    /// Returns the expression for a constant; of a vector type, one with the number in every lane.
    /// An integer of an index type or `natType` becomes a size.
    fn constant(&self, literal: &Literal, ty: &Ty, origin: Origin) -> Expr {
        if let Type::Vector(_, scalar) = &**ty {
            return Expr::new(
                ExprKind::Broadcast(Box::new(self.constant(literal, scalar, origin))),
                ty.clone(),
                origin,
            );
        }
        let counts = matches!(&**ty, Type::Index(_) | Type::Scalar(ScalarType::NatType));
        let kind = match literal {
            Literal::Int { value, .. } if counts => match i64::try_from(*value) {
                Ok(value) => ExprKind::Nat(Nat::constant(value)),
                Err(_) => ExprKind::Literal(literal.clone()),
            },
            _ => ExprKind::Literal(literal.clone()),
        };
        Expr::new(kind, ty.clone(), origin)
    }
}

/// Returns an expression that reads a part of memory.
pub(super) fn load(part: Part, origin: Origin) -> Expr {
    match part {
        Part::Place(place, ty) => Expr::new(ExprKind::Load(place), ty, origin),
        Part::Halves(a, b) => pair(load(*a, origin), load(*b, origin), origin),
        Part::Lanes(lanes) => {
            let lanes: Vec<Expr> = lanes.into_iter().map(|lane| load(lane, origin)).collect();
            let elem = lanes
                .first()
                .map_or_else(|| Type::Error.into(), |lane| lane.ty.clone());
            let n = i64::try_from(lanes.len()).unwrap_or(i64::MAX);
            Expr::new(
                ExprKind::Vector(lanes),
                Type::Vector(Nat::constant(n), elem).into(),
                origin,
            )
        }
    }
}

/// Returns a pair of expressions; if they are the two halves of one value, that value.
pub(super) fn pair(a: Expr, b: Expr, origin: Origin) -> Expr {
    if let (ExprKind::Half(false, whole), ExprKind::Half(true, other)) = (&a.kind, &b.kind)
        && whole == other
    {
        return (**whole).clone();
    }
    Expr {
        ty: Type::Pair(a.ty.clone(), b.ty.clone()).into(),
        kind: ExprKind::Pair(Box::new(a), Box::new(b)),
        origin,
    }
}

/// Returns a conditional expression; if both values are pairs, a pair of conditional expressions.
pub(super) fn select(condition: Expr, then: Expr, otherwise: Expr, origin: Origin) -> Expr {
    // The halves of tuples are selected separately: a tuple exists only in memory.
    if let (ExprKind::Pair(a, b), ExprKind::Pair(c, d)) = (&then.kind, &otherwise.kind) {
        let first = select(condition.clone(), (**a).clone(), (**c).clone(), origin);
        let second = select(condition, (**b).clone(), (**d).clone(), origin);
        return pair(first, second, origin);
    }
    Expr {
        ty: then.ty.clone(),
        kind: ExprKind::Select(Box::new(condition), Box::new(then), Box::new(otherwise)),
        origin,
    }
}

/// Returns an expression for the part of a value at a path of tuple members and lanes; fails for
/// other paths.
fn project(mut value: Expr, mut path: Path) -> Result<Expr> {
    let origin = value.origin;
    while let Some(step) = path.pop() {
        let (kind, ty) = match (step, &*value.ty) {
            (Step::Member(second), Type::Pair(..)) => {
                value = value.half(second);
                continue;
            }
            (Step::Lane(lane), Type::Vector(_, elem)) => {
                let ty = elem.clone();
                (ExprKind::Lane(Box::new(value), lane), ty)
            }
            _ => return Err(lost(origin)),
        };
        value = Expr { kind, ty, origin };
    }
    Ok(value)
}

/// Returns the type of the data that an expression or acceptor stands for; for other phrases, their
/// own type.
pub(super) fn data_of(phrase: &Phrase) -> Ty {
    match dpia::phrase::data(&phrase.ty) {
        Some(data) => data.clone(),
        None => phrase.ty.clone(),
    }
}

pub(super) fn scalar(scalar: ScalarType) -> Ty {
    Type::Scalar(scalar).into()
}

/// Returns the size that is the type argument at this position; 0 if there is none.
pub(super) fn nat_arg(types: &[Arg], at: usize) -> Nat {
    match types.get(at) {
        Some(Arg::Nat(nat)) => nat.clone(),
        _ => Nat::constant(0),
    }
}

/// Returns the function from sizes to sizes that is the type argument at this position; an unknown
/// function if there is none.
pub(super) fn size_fun(types: &[Arg], at: usize) -> SizeFun {
    match types.get(at) {
        Some(Arg::SizeFun(fun)) => fun.clone(),
        _ => SizeFun::Var(nat::Var(u32::MAX >> 1)),
    }
}
