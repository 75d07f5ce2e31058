//! Decides algebraic laws of operators: of built-in ones, and of functions that are recognised as
//! such or as compositions of them.

use rise::Primitive;
use rise::types::{Arg, Type};
use syntax::ast::{Literal, ScalarType};

use super::Ctx;
use super::cond::Truth;
use crate::term::{Local, Node, Store, Term};

/// A law of a binary function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    /// `f(f(a)(b))(c)` is `f(a)(f(b)(c))`.
    Associative,
    /// `f(a)(b)` is `f(b)(a)`.
    Commutative,
    /// `f(a)(a)` is `a`.
    Idempotent,
    /// `f(a)(b)` is `b` if a component of `b` is less than the same component of `a`, and `a`
    /// otherwise; or if it is greater. A reduction then gives the first of the least elements, or of
    /// the greatest ones, or the initial value, which each part of the elements may start from.
    Selective,
}

/// The maximal depth to which operators are analysed: through definitions, η-redexes, and operators
/// on pairs and arrays.
const DEPTH: u32 = 16;

/// A binary function, as far as it is recognised.
#[derive(Clone, Debug, PartialEq)]
enum Operator {
    /// A primitive other than a minimum or maximum, with the exactness of its arithmetic.
    Primitive(Primitive, Numbers),
    Min(Option<ScalarType>),
    Max(Option<ScalarType>),
    /// The function that returns its first argument.
    First,
    /// The function that returns its second argument.
    Second,
    /// The function on pairs that applies one operator to the first components and another one to
    /// the second.
    Pair(Box<Operator>, Box<Operator>),
    /// The function on arrays that applies an operator elementwise.
    Elements(Box<Operator>),
    Unknown,
}

/// The exactness of the arithmetic of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    /// Integers and truth values: laws hold exactly.
    Exact,
    /// Floating-point numbers, or numbers of unknown type: laws hold up to rounding.
    Rounded,
}

/// Decides if a law holds for an operator. If it holds up to rounding only, the text of the result
/// states this.
pub(super) fn law(ctx: &mut Ctx<'_, '_>, law: Law, op: Term) -> Truth {
    if law == Law::Selective {
        return selective(ctx, op, DEPTH);
    }
    let operator = operator(ctx, op, DEPTH);
    let word = match law {
        Law::Commutative => "commutative",
        Law::Idempotent => "idempotent",
        Law::Associative | Law::Selective => "associative",
    };
    holds(&operator, law, word)
}

/// Decides if an operator is selective.
fn selective(ctx: &mut Ctx<'_, '_>, op: Term, depth: u32) -> Truth {
    let unknown = || {
        Truth::Unknown(
            "it is not known whether the operator is selective".into(),
            None,
        )
    };
    let Some(depth) = depth.checked_sub(1) else {
        return unknown();
    };
    match ctx.cx.store.node(op) {
        Node::Global(..) => match super::apply::unfold_in(ctx, op) {
            Some(body) => selective(ctx, body, depth),
            None => unknown(),
        },
        Node::Lambda(a, inner) => match ctx.cx.store.node(inner) {
            Node::Lambda(b, body) if selects_less(ctx.cx.store, a, b, body) => Truth::True(None),
            _ => unknown(),
        },
        _ => unknown(),
    }
}

/// Returns true if a term is `select(b._1 < a._1)(b)(a)`, or a variant of that with `>`, with other
/// components, or with the whole values.
fn selects_less(store: &Store, a: Local, b: Local, body: Term) -> bool {
    use Primitive::*;
    let (Node::Primitive(Select, _), values) = spine(store, body) else {
        return false;
    };
    let &[condition, chosen, kept] = &values[..] else {
        return false;
    };
    let (Node::Primitive(Lt | Gt, _), tested) = spine(store, condition) else {
        return false;
    };
    let &[left, right] = &tested[..] else {
        return false;
    };
    let compares = |x, y| {
        component(store, left, x).is_some_and(|path| component(store, right, y) == Some(path))
    };
    is_var(store, chosen, b) && is_var(store, kept, a) && (compares(a, b) || compares(b, a))
}

/// Returns the projections that select a component of a variable, the outermost first; `None` for
/// other terms.
fn component(store: &Store, mut term: Term, of: Local) -> Option<Vec<Primitive>> {
    let mut path = Vec::new();
    while !is_var(store, term, of) {
        let (Node::Primitive(projection @ (Primitive::Fst | Primitive::Snd), _), values) =
            spine(store, term)
        else {
            return None;
        };
        let &[inner] = &values[..] else { return None };
        path.push(projection);
        term = inner;
    }
    Some(path)
}

fn holds(operator: &Operator, law: Law, word: &str) -> Truth {
    use Primitive::*;
    match operator {
        Operator::Primitive(p @ (Add | Mul), _) if law == Law::Idempotent => {
            Truth::False(format!("`{}` is not {word}", p.name()).into())
        }
        Operator::Primitive(Add | Mul, Numbers::Rounded) if law == Law::Associative => {
            let name = operator.name();
            Truth::True(Some(format!("`{name}` is {word} up to rounding")))
        }
        Operator::Primitive(Add | Mul | And | Or, _) | Operator::Min(_) | Operator::Max(_) => {
            Truth::True(None)
        }
        Operator::Primitive(Equal | NotEqual, _) if law == Law::Commutative => Truth::True(None),
        Operator::Primitive(p, _) => Truth::False(format!("`{}` is not {word}", p.name()).into()),
        Operator::First | Operator::Second => match law {
            Law::Associative | Law::Idempotent => Truth::True(None),
            Law::Commutative | Law::Selective => {
                Truth::False("the operator takes one argument and drops the other".into())
            }
        },
        Operator::Pair(a, b) => match (holds(a, law, word), holds(b, law, word)) {
            (Truth::True(a), Truth::True(b)) => Truth::True(a.or(b)),
            (Truth::True(_), other) | (other, _) => other,
        },
        Operator::Elements(op) => holds(op, law, word),
        Operator::Unknown => Truth::Unknown(
            format!("it is not known whether the operator is {word}").into(),
            None,
        ),
    }
}

impl Operator {
    fn name(&self) -> &'static str {
        match self {
            Operator::Primitive(p, _) => p.name(),
            _ => "it",
        }
    }
}

/// Decides if `z` is neutral for an operator, on both sides.
pub(super) fn neutral(ctx: &mut Ctx<'_, '_>, op: Term, z: Term) -> Truth {
    let operator = operator(ctx, op, DEPTH);
    is_neutral(ctx.cx.store, &operator, z)
}

fn is_neutral(store: &Store, operator: &Operator, z: Term) -> Truth {
    use Primitive::*;
    let unknown = || {
        Truth::Unknown(
            "it is not known whether the initial value is neutral".into(),
            None,
        )
    };
    let verdict = |fits: Option<bool>, word: &str| match fits {
        Some(true) => Truth::True(None),
        Some(false) => {
            Truth::False(format!("the initial value is not neutral for `{word}`").into())
        }
        None => unknown(),
    };
    match operator {
        Operator::Primitive(Add, _) => verdict(number(store, z).map(|n| n == 0.0), "add"),
        Operator::Primitive(Mul, _) => verdict(number(store, z).map(|n| n == 1.0), "mul"),
        Operator::Primitive(And, _) => verdict(truth(store, z), "and"),
        Operator::Primitive(Or, _) => verdict(truth(store, z).map(|b| !b), "or"),
        Operator::Min(Some(ty)) => verdict(is_end(store, z, *ty, false), "min"),
        Operator::Max(Some(ty)) => verdict(is_end(store, z, *ty, true), "max"),
        Operator::Pair(a, b) => match spine(store, z) {
            (Node::Primitive(MakePair, _), values) if values.len() == 2 => {
                match (
                    is_neutral(store, a, values[0]),
                    is_neutral(store, b, values[1]),
                ) {
                    (Truth::True(a), Truth::True(b)) => Truth::True(a.or(b)),
                    (Truth::True(_), other) | (other, _) => other,
                }
            }
            _ => unknown(),
        },
        Operator::Elements(op) => match spine(store, z) {
            (Node::Primitive(Generate, _), values) if values.len() == 1 => {
                match store.node(values[0]) {
                    Node::Lambda(index, body) if !store.has_free(body, index) => {
                        is_neutral(store, op, body)
                    }
                    _ => unknown(),
                }
            }
            (Node::Primitive(MakeArray, _), values) => {
                let all = values.iter().map(|value| is_neutral(store, op, *value));
                let other = all
                    .into_iter()
                    .find(|truth| !matches!(truth, Truth::True(_)));
                other.unwrap_or(Truth::True(None))
            }
            _ => unknown(),
        },
        _ => unknown(),
    }
}

fn number(store: &Store, term: Term) -> Option<f64> {
    match spine(store, term) {
        (Node::Literal(literal), _) => match store.literal_of(literal) {
            #[allow(clippy::cast_precision_loss)]
            Literal::Int { value, .. } => Some(*value as f64),
            Literal::Float { text, .. } => text.parse().ok(),
            Literal::Bool(_) => None,
        },
        (Node::Nat(arg), _) => match store.arg(arg) {
            #[allow(clippy::cast_precision_loss)]
            Arg::Nat(nat) => nat.as_const().map(|n| n as f64),
            _ => None,
        },
        (Node::Primitive(Primitive::VectorFromScalar, _), values) => {
            values.first().and_then(|lane| number(store, *lane))
        }
        _ => None,
    }
}

fn truth(store: &Store, term: Term) -> Option<bool> {
    match store.node(term) {
        Node::Literal(literal) => match store.literal_of(literal) {
            Literal::Bool(value) => Some(*value),
            _ => None,
        },
        _ => None,
    }
}

/// Returns true if a literal is the smallest value of an integer type, or the largest one if
/// `smallest` is false. `None` if the term is not an integer literal, or the type not an integer
/// type.
fn is_end(store: &Store, term: Term, ty: ScalarType, smallest: bool) -> Option<bool> {
    let Node::Literal(literal) = store.node(term) else {
        return None;
    };
    let Literal::Int { value, .. } = *store.literal_of(literal) else {
        return None;
    };
    let (low, high) = match ty {
        ScalarType::I8 => (i8::MIN.into(), i8::MAX.into()),
        ScalarType::I16 => (i16::MIN.into(), i16::MAX.into()),
        ScalarType::I32 => (i32::MIN.into(), i32::MAX.into()),
        ScalarType::I64 => (i64::MIN.into(), i64::MAX.into()),
        ScalarType::U8 => (0, u8::MAX.into()),
        ScalarType::U16 => (0, u16::MAX.into()),
        ScalarType::U32 => (0, u32::MAX.into()),
        ScalarType::U64 => (0, i128::from(u64::MAX)),
        _ => return None,
    };
    Some(value == if smallest { low } else { high })
}

/// Returns the head of an application and its arguments.
fn spine(store: &Store, term: Term) -> (Node, Vec<Term>) {
    let (head, values) = store.spine(term);
    (store.node(head), values)
}

fn operator(ctx: &mut Ctx<'_, '_>, op: Term, depth: u32) -> Operator {
    let Some(depth) = depth.checked_sub(1) else {
        return Operator::Unknown;
    };
    match ctx.cx.store.node(op) {
        Node::Primitive(primitive, _) => built_in(ctx.cx.store, primitive, op),
        Node::Global(..) => match super::apply::unfold_in(ctx, op) {
            Some(body) => operator(ctx, body, depth),
            None => Operator::Unknown,
        },
        Node::Lambda(a, inner) => match ctx.cx.store.node(inner) {
            Node::Lambda(b, body) => of_body(ctx, a, b, body, depth),
            // The function is an η-redex.
            Node::Apply(op, x) if is_var(ctx.cx.store, x, a) && !ctx.cx.store.has_free(op, a) => {
                operator(ctx, op, depth)
            }
            _ => Operator::Unknown,
        },
        _ => Operator::Unknown,
    }
}

fn built_in(store: &Store, primitive: Primitive, op: Term) -> Operator {
    use Primitive::*;
    let ty = match &**store.type_of(op) {
        Type::Fun(from, _) => Some(&**from),
        _ => None,
    };
    match primitive {
        Min => Operator::Min(ty.and_then(ordered)),
        Max => Operator::Max(ty.and_then(ordered)),
        Add | Sub | Mul | Div | Mod | And | Or | Equal | NotEqual => {
            Operator::Primitive(primitive, ty.map_or(Numbers::Rounded, numbers))
        }
        _ => Operator::Unknown,
    }
}

/// Returns the type if it is a scalar type that is not a floating-point type; `None` otherwise.
/// With NaN, a minimum depends on the order of the arguments.
fn ordered(ty: &Type) -> Option<ScalarType> {
    match ty {
        Type::Scalar(scalar) if !scalar.is_float() => Some(*scalar),
        _ => None,
    }
}

fn numbers(ty: &Type) -> Numbers {
    match ty {
        Type::Scalar(ScalarType::F16 | ScalarType::F32 | ScalarType::F64) => Numbers::Rounded,
        Type::Scalar(_) | Type::Index(_) => Numbers::Exact,
        Type::Vector(_, elem) => numbers(elem),
        _ => Numbers::Rounded,
    }
}

fn is_var(store: &Store, term: Term, local: Local) -> bool {
    matches!(store.node(term), Node::Var(found) if found == local)
}

/// Recognises the operator `fun(a, b => body)`.
fn of_body(ctx: &mut Ctx<'_, '_>, a: Local, b: Local, body: Term, depth: u32) -> Operator {
    use Primitive::*;
    if is_var(ctx.cx.store, body, a) {
        return Operator::First;
    }
    if is_var(ctx.cx.store, body, b) {
        return Operator::Second;
    }
    let (head, values) = spine(ctx.cx.store, body);
    match (head, &values[..]) {
        (Node::Primitive(Select, _), &[condition, x, y]) => {
            choice(ctx.cx.store, a, b, condition, x, y)
        }
        (Node::Primitive(MakePair, _), &[x, y]) => {
            match (
                half(ctx, a, b, x, Fst, depth),
                half(ctx, a, b, y, Snd, depth),
            ) {
                (Some(first), Some(second)) => Operator::Pair(first.into(), second.into()),
                _ => Operator::Unknown,
            }
        }
        (Node::Primitive(Map | MapSeq, _), &[f, zipped]) => elements(ctx, a, b, f, zipped, depth),
        (_, [.., x, y]) => {
            let (x, y) = (*x, *y);
            let op = match ctx.cx.store.node(body) {
                Node::Apply(f, _) => match ctx.cx.store.node(f) {
                    Node::Apply(op, _) => op,
                    _ => return Operator::Unknown,
                },
                _ => return Operator::Unknown,
            };
            if ctx.cx.store.has_free(op, a) || ctx.cx.store.has_free(op, b) {
                return Operator::Unknown;
            }
            if is_var(ctx.cx.store, x, a) && is_var(ctx.cx.store, y, b) {
                return operator(ctx, op, depth);
            }
            if is_var(ctx.cx.store, x, b) && is_var(ctx.cx.store, y, a) {
                let flipped = operator(ctx, op, depth);
                return match &flipped {
                    Operator::First => Operator::Second,
                    Operator::Second => Operator::First,
                    other => match holds(other, Law::Commutative, "") {
                        Truth::True(_) => flipped,
                        _ => Operator::Unknown,
                    },
                };
            }
            Operator::Unknown
        }
        _ => Operator::Unknown,
    }
}

/// Recognises a minimum or a maximum: `select(a < b)(a)(b)` and its variants.
fn choice(store: &Store, a: Local, b: Local, condition: Term, x: Term, y: Term) -> Operator {
    use Primitive::*;
    let (Node::Primitive(test, _), tested) = spine(store, condition) else {
        return Operator::Unknown;
    };
    let &[left, right] = &tested[..] else {
        return Operator::Unknown;
    };
    let straight = |x, y| is_var(store, x, a) && is_var(store, y, b);
    let turned = |x, y| is_var(store, x, b) && is_var(store, y, a);
    let same = (straight(left, right) && straight(x, y)) || (turned(left, right) && turned(x, y));
    let other = (straight(left, right) && turned(x, y)) || (turned(left, right) && straight(x, y));
    let ty = ordered(store.type_of(x));
    match (test, same, other) {
        (Lt | Le, true, _) | (Gt | Ge, _, true) => Operator::Min(ty),
        (Gt | Ge, true, _) | (Lt | Le, _, true) => Operator::Max(ty),
        _ => Operator::Unknown,
    }
}

/// Recognises the operator on one component of two pairs: `op(a._1)(b._1)`.
fn half(
    ctx: &mut Ctx<'_, '_>,
    a: Local,
    b: Local,
    term: Term,
    which: Primitive,
    depth: u32,
) -> Option<Operator> {
    let Node::Apply(f, y) = ctx.cx.store.node(term) else {
        return None;
    };
    let Node::Apply(op, x) = ctx.cx.store.node(f) else {
        return None;
    };
    let is_half = |store: &Store, term: Term, of: Local| match spine(store, term) {
        (Node::Primitive(found, _), values) => {
            found == which && values.len() == 1 && is_var(store, values[0], of)
        }
        _ => false,
    };
    let store = &*ctx.cx.store;
    if store.has_free(op, a) || store.has_free(op, b) {
        return None;
    }
    (is_half(store, x, a) && is_half(store, y, b)).then(|| operator(ctx, op, depth))
}

/// Recognises the operator on the elements of two arrays: `map(fun(p =>
/// op(p._1)(p._2)))(zip(a)(b))`.
fn elements(
    ctx: &mut Ctx<'_, '_>,
    a: Local,
    b: Local,
    f: Term,
    zipped: Term,
    depth: u32,
) -> Operator {
    let store = &*ctx.cx.store;
    let in_order = match spine(store, zipped) {
        (Node::Primitive(Primitive::Zip, _), values) => {
            values.len() == 2 && is_var(store, values[0], a) && is_var(store, values[1], b)
        }
        _ => false,
    };
    let Node::Lambda(p, body) = store.node(f) else {
        return Operator::Unknown;
    };
    let (Node::Apply(g, y), true) = (store.node(body), in_order) else {
        return Operator::Unknown;
    };
    let Node::Apply(op, x) = store.node(g) else {
        return Operator::Unknown;
    };
    let is_half = |term: Term, which: Primitive| match spine(store, term) {
        (Node::Primitive(found, _), values) => {
            found == which && values.len() == 1 && is_var(store, values[0], p)
        }
        _ => false,
    };
    let free = [a, b, p].iter().any(|local| store.has_free(op, *local));
    if free || !is_half(x, Primitive::Fst) || !is_half(y, Primitive::Snd) {
        return Operator::Unknown;
    }
    match operator(ctx, op, depth) {
        Operator::Unknown => Operator::Unknown,
        known => Operator::Elements(known.into()),
    }
}
