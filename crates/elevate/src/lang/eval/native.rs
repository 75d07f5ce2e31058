//! Implements the native definitions of the library: those whose right side is `_`, and the
//! engine's versions of those marked `@native`, which tests compare with their equations.

use std::sync::Arc;

use rise::pattern::Parallelism;
use rise::types::Type;
use rise::{Pattern, Primitive};
use syntax::elevate::ast::ParamId;

use super::calls::lists;
use super::implementation_choices::leaves_choice;
use super::native_rules::{ContractSums, Delta, IdxReduction, Implement, SubexpressionElimination};
use super::quote::{NO_PROGRAM, term_of};
use super::{Eval, EvalError, Expr, List, Value};
use crate::engine::{
    Beta, CallResult, Context, FreshBinder, GentleBeta, Predicate, Reason, Rewrite, Strategy,
    StrategyKind, Test,
};
use crate::lang::definition::Definition;
use crate::lang::library::Library;
use crate::normal::NormalForm;
use crate::term::{Child, Node, Path, Store, Term, repeats_parameter};

/// The construction of the value of a native definition.
#[derive(Clone, Copy)]
pub(crate) enum Native {
    /// A strategy that is constructed from another one.
    Form(fn(Strategy) -> StrategyKind),
    /// A strategy that is constructed from a number and another strategy.
    Counted(fn(i64, Strategy) -> StrategyKind),
    /// A predicate of the engine.
    Known(fn() -> Predicate),
    /// A predicate that is a Rust function.
    Test(fn(&Store, Term) -> bool),
    /// A rule or another strategy, constructed from the arguments; `None` if their types are wrong.
    Step(fn(&Args<'_, '_, '_>) -> Option<StrategyKind>),
    /// Any value, constructed from the arguments; `None` if their types are wrong.
    Value(fn(Args<'_, '_, '_>) -> Result<Option<Value>, EvalError>),
}

/// The native definitions, sorted by name. Other definitions of the library are evaluated by their
/// right sides.
pub(crate) const NATIVES: &[(&str, Native)] = &[
    (
        "BENF",
        Native::Step(|_| Some(StrategyKind::NormalForm(NormalForm::Benf))),
    ),
    (
        "DFNF",
        Native::Step(|_| Some(StrategyKind::NormalForm(NormalForm::Dfnf))),
    ),
    (
        "Failure",
        Native::Value(|args| Ok(args.strategy(0).map(|s| Value::Result(Err(s))))),
    ),
    (
        "RNF",
        Native::Step(|_| Some(StrategyKind::NormalForm(NormalForm::Rnf))),
    ),
    (
        "Success",
        Native::Value(|args| Ok(args.expr(0).map(|program| Value::Result(Ok(program))))),
    ),
    ("all", Native::Form(StrategyKind::All)),
    ("allBottomUp", Native::Form(StrategyKind::AllBottomUp)),
    ("allTopDown", Native::Form(StrategyKind::AllTopDown)),
    ("alltd", Native::Form(StrategyKind::AllTd)),
    ("argument", Native::Form(StrategyKind::Argument)),
    (
        "at",
        Native::Step(|args| Some(at(args.numbers(0)?, args.strategy(1)?))),
    ),
    ("beta", Native::Step(|_| Some(rule(Beta)))),
    ("body", Native::Form(StrategyKind::Body)),
    ("bottomUp", Native::Form(StrategyKind::BottomUp)),
    ("checkType", Native::Step(|_| Some(StrategyKind::Id))),
    ("closedAt", Native::Value(closed_at)),
    ("contractSums", Native::Step(|_| Some(rule(ContractSums)))),
    (
        "debug",
        Native::Step(|args| labelled("debug", args.string(0)?)),
    ),
    (
        "delta",
        Native::Step(|args| Some(rule(Delta::new(args.eval.globals.lookup())))),
    ),
    ("depFunction", Native::Form(StrategyKind::DepFunction)),
    (
        "echo",
        Native::Step(|args| labelled("echo", args.string(0)?)),
    ),
    ("extract", Native::Value(extract)),
    (
        "fail",
        Native::Step(|_| Some(StrategyKind::Fail("fail".into()))),
    ),
    (
        "failWith",
        Native::Step(|args| Some(fail_with(args.string(0)?))),
    ),
    (
        "freshLambdaIdentifier",
        Native::Step(|_| Some(rule(FreshBinder))),
    ),
    ("function", Native::Form(StrategyKind::Function)),
    ("gentleBeta", Native::Step(|_| Some(rule(GentleBeta)))),
    ("id", Native::Step(|_| Some(StrategyKind::Id))),
    ("idxReduction", Native::Step(|_| Some(rule(IdxReduction)))),
    (
        "implementForThreads",
        Native::Step(|args| args.implement(Parallelism::Threads)),
    ),
    (
        "implementForWorkItems",
        Native::Step(|args| args.implement(Parallelism::WorkItems)),
    ),
    (
        "implementInOrder",
        Native::Step(|args| args.implement(Parallelism::Sequential)),
    ),
    ("insert", Native::Step(|args| args.expr(0).map(insert))),
    ("isApply", Native::Known(|| Predicate::IsApply)),
    ("isArray", Native::Known(|| Predicate::IsArray)),
    ("isComputation", Native::Test(is_computation)),
    (
        "isData",
        Native::Test(|store, term| !matches!(**store.type_of(term), Type::Fun(..) | Type::Pi(_))),
    ),
    ("isDepApply", Native::Known(|| Predicate::IsDepApply)),
    ("isDepLambda", Native::Known(|| Predicate::IsDepLambda)),
    (
        "isEqualTo",
        Native::Step(|args| args.expr(0).map(is_equal_to)),
    ),
    (
        "isForeign",
        Native::Test(|store, term| matches!(store.node(term), Node::Foreign(_))),
    ),
    ("isIdentifier", Native::Known(|| Predicate::IsIdentifier)),
    ("isLambda", Native::Known(|| Predicate::IsLambda)),
    ("isLiteral", Native::Known(|| Predicate::IsLiteral)),
    ("isOperator", Native::Test(is_operator)),
    (
        "isPrimitive",
        Native::Step(|args| Some(is_primitive(&args.expr(0)?, args.eval))),
    ),
    (
        "isScalar",
        Native::Test(|store, term| matches!(**store.type_of(term), Type::Scalar(_))),
    ),
    (
        "isVectorArray",
        Native::Test(|store, term| match &**store.type_of(term) {
            Type::Array(_, elem) => matches!(**elem, Type::Vector(..)),
            _ => false,
        }),
    ),
    (
        "leavesChoice",
        Native::Step(|args| Some(args.leaves_choice())),
    ),
    (
        "limit",
        Native::Counted(|count, s| StrategyKind::Limit(u64::try_from(count).unwrap_or(0), s)),
    ),
    ("normalize", Native::Form(StrategyKind::Normalize)),
    ("not", Native::Form(StrategyKind::Not)),
    (
        "nth",
        Native::Counted(|count, s| StrategyKind::Skip(u32::try_from(count).unwrap_or(u32::MAX), s)),
    ),
    (
        "occurs",
        Native::Form(|s| {
            let found = Arc::new(StrategyKind::TopDown(s));
            StrategyKind::Not(Arc::new(StrategyKind::Not(found)))
        }),
    ),
    ("one", Native::Form(StrategyKind::One)),
    (
        "outerProduct",
        Native::Step(|args| Some(args.outer_product(args.expr(0)?, args.expr(1)?))),
    ),
    ("repeat", Native::Form(StrategyKind::Repeat)),
    (
        "repeatNTimes",
        Native::Counted(|count, s| {
            StrategyKind::Times(count.clamp(0, i64::from(u32::MAX)) as u32, s)
        }),
    ),
    ("repeatsParameter", Native::Test(repeats_parameter)),
    ("size", Native::Value(size)),
    ("some", Native::Form(StrategyKind::Some)),
    ("somebu", Native::Form(StrategyKind::SomeBu)),
    ("sometd", Native::Form(StrategyKind::SomeTd)),
    (
        "subexpressionElimination",
        Native::Step(|args| Some(rule(SubexpressionElimination::new(args.strategy(0)?)))),
    ),
    ("topDown", Native::Form(StrategyKind::TopDown)),
    ("try", Native::Form(StrategyKind::Try)),
    ("tryAll", Native::Form(StrategyKind::TryAll)),
];

fn rule(rule: impl Rewrite + 'static) -> StrategyKind {
    StrategyKind::Rule(Arc::new(rule))
}

/// Returns `id` under a name that consists of `name` and the message.
fn labelled(name: &str, message: &str) -> Option<StrategyKind> {
    let label = format!("{name}({message:?})");
    Some(StrategyKind::Named(label.into(), StrategyKind::id()))
}

impl Eval<'_, '_> {
    /// Returns the value of a native definition with these arguments; `None` if the definition is
    /// not native, or is evaluated by its equation in this environment.
    pub(super) fn native(
        &mut self,
        definition: &Arc<Definition>,
        given: &[(ParamId, Value)],
    ) -> Result<Option<Value>, EvalError> {
        let written = self.globals.equations && !is_built_in(definition);
        if !Library::contains(definition.id) || written {
            return Ok(None);
        }
        let name = definition.name();
        let Ok(at) = NATIVES.binary_search_by_key(&name.as_str(), |(name, _)| name) else {
            return Ok(None);
        };
        let mut args = Vec::new();
        for list in lists(definition) {
            let value = |id: &ParamId| given.iter().find(|(known, _)| known == id);
            args.extend(list.params.iter().filter_map(value).map(|(_, v)| v.clone()));
        }
        let args = Args { eval: self, args };
        let made = args.native(&name, NATIVES[at].1)?;
        match made {
            Some(value) => Ok(Some(value)),
            None => Err(EvalError::new(format!(
                "an argument of `{name}` has another type than `{name}` takes"
            ))),
        }
    }
}

/// Returns true if the definition has no equation: its right side is `_`, or it is a rule without
/// alternatives.
pub(crate) fn is_built_in(definition: &Definition) -> bool {
    use syntax::elevate::ast::{ExprKind, ItemKind, PredBody};
    let hole = |id| definition.item.expr(id).kind == ExprKind::Hole;
    match &definition.item.kind {
        ItemKind::Rule { alts, .. } => alts.is_empty(),
        ItemKind::Pred {
            body: PredBody::Strategy(body),
            ..
        }
        | ItemKind::Strategy { body, .. }
        | ItemKind::Val { body, .. }
        | ItemKind::NormalForm { body, .. } => hole(*body),
        _ => false,
    }
}

pub(crate) struct Args<'a, 'e, 'c> {
    eval: &'a mut Eval<'e, 'c>,
    args: Vec<Value>,
}

impl Args<'_, '_, '_> {
    fn strategy(&self, at: usize) -> Option<Strategy> {
        self.eval.as_strategy(self.args.get(at)?.clone())
    }

    fn expr(&self, at: usize) -> Option<Expr> {
        match self.args.get(at)? {
            Value::Expr(expr) => Some(expr.clone()),
            _ => None,
        }
    }

    fn string(&self, at: usize) -> Option<&str> {
        match self.args.get(at)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    fn bool(&self, at: usize) -> Option<bool> {
        match self.args.get(at)? {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    fn list(&self, at: usize) -> Option<&List> {
        match self.args.get(at)? {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    fn numbers(&self, at: usize) -> Option<Vec<i64>> {
        self.list(at)?.elements().iter().map(Value::int).collect()
    }

    fn count(&self, at: usize) -> Result<i64, EvalError> {
        let value = self.args.get(at).and_then(Value::int);
        value
            .ok_or_else(|| EvalError::new("a size without a value cannot be used as a number here"))
    }

    /// Returns the value of a native definition; `None` if the arguments have other types than it
    /// takes.
    fn native(self, name: &str, native: Native) -> Result<Option<Value>, EvalError> {
        let step = match native {
            Native::Form(form) => self.strategy(0).map(form),
            Native::Counted(form) => {
                let count = self.count(0)?;
                self.strategy(1).map(|s| form(count, s))
            }
            Native::Known(test) => Some(StrategyKind::Predicate(test())),
            Native::Test(test) => {
                let test: Arc<Test> =
                    Arc::new(move |context: &mut Context<'_>, term| test(context.store, term));
                Some(StrategyKind::Predicate(Predicate::Other(name.into(), test)))
            }
            Native::Step(step) => step(&self),
            Native::Value(value) => return value(self),
        };
        Ok(step.map(|step| Value::Strategy(Arc::new(step))))
    }

    fn implement(&self, parallelism: Parallelism) -> Option<StrategyKind> {
        let lists = (1..).map(|at| self.list(at));
        Implement::new(parallelism, self.bool(0)?, lists).map(rule)
    }

    fn leaves_choice(&self) -> StrategyKind {
        let lookup = self.eval.globals.lookup();
        let test = move |context: &mut Context<'_>, term: Term| {
            leaves_choice(context.store, &lookup, term)
        };
        StrategyKind::Predicate(Predicate::Other("leavesChoice".into(), Arc::new(test)))
    }

    fn outer_product(&self, column: Expr, row: Expr) -> StrategyKind {
        let lookup = self.eval.globals.lookup();
        let test = move |context: &mut Context<'_>, term: Term| {
            let Ok(column) = term_of(&column, context) else {
                return false;
            };
            let Ok(row) = term_of(&row, context) else {
                return false;
            };
            crate::rule::separable_filters::outer_product(
                context.store,
                &*lookup,
                column,
                row,
                term,
            )
        };
        StrategyKind::Predicate(Predicate::Other("outerProduct".into(), Arc::new(test)))
    }
}

/// Returns true if a term is a foreign function, the identity, or an abstraction of one or two
/// [basic](is_basic) values with a basic result.
fn is_computation(store: &Store, term: Term) -> bool {
    let basic = |ty: &Type| is_basic(ty);
    match store.node(term) {
        Node::Foreign(_) => return true,
        Node::Lambda(local, body) if store.node(body) == Node::Var(local) => return true,
        Node::Lambda(..) => {}
        _ => return false,
    }
    match &**store.type_of(term) {
        Type::Fun(a, result) if basic(a) => match &**result {
            Type::Fun(b, result) => basic(b) && basic(result),
            result => basic(result),
        },
        _ => false,
    }
}

/// Returns true for scalars, indices, vectors, type variables, and pairs of these.
fn is_basic(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Index(_) | Type::Vector(..) | Type::Var(_) => true,
        Type::Pair(a, b) => is_basic(a) && is_basic(b),
        _ => false,
    }
}

/// Returns true for a scalar operation, a logical connective or `select`. Conversions between
/// indices and numbers, and copies to the lanes of a vector, compute nothing.
fn is_operator(store: &Store, term: Term) -> bool {
    let Node::Primitive(primitive, _) = store.node(term) else {
        return false;
    };
    match primitive.pattern() {
        Pattern::Connective | Pattern::Select => true,
        Pattern::Scalar => !matches!(
            primitive,
            Primitive::IndexAsNat | Primitive::NatAsIndex | Primitive::VectorFromScalar
        ),
        _ => false,
    }
}

fn is_primitive(expr: &Expr, eval: &Eval<'_, '_>) -> StrategyKind {
    if let Expr::Quoted(quoted) = expr {
        if let Some(primitive) = quoted.primitive() {
            return StrategyKind::Predicate(Predicate::IsPrimitive(primitive));
        }
        if let Some(id) = quoted.definition() {
            let def = eval.globals.definitions().program(id);
            let name = def.map_or_else(|| quoted.text().into(), |def| def.name.clone());
            return StrategyKind::Predicate(Predicate::IsGlobal(id, name));
        }
    }
    let expr = expr.clone();
    let test = move |context: &mut Context<'_>, term: Term| {
        let Ok(wanted) = term_of(&expr, context) else {
            return false;
        };
        match (context.store.node(term), context.store.node(wanted)) {
            (Node::Primitive(a, _), Node::Primitive(b, _)) => a == b,
            (Node::Global(a, _), Node::Global(b, _)) => a == b,
            _ => false,
        }
    };
    StrategyKind::Predicate(Predicate::Other("isPrimitive".into(), Arc::new(test)))
}

fn is_equal_to(expr: Expr) -> StrategyKind {
    let label = match &expr {
        Expr::Quoted(quoted) => format!("isEqualTo({})", quoted.text()),
        _ => "isEqualTo(…)".into(),
    };
    let test = move |context: &mut Context<'_>, term: Term| match &expr {
        Expr::Quoted(quoted) => quoted.is(context, term).unwrap_or(false),
        expr => match term_of(expr, context) {
            Ok(own) => context.store.alpha_eq_untyped(own, term),
            Err(_) => false,
        },
    };
    StrategyKind::Predicate(Predicate::Other(label.into(), Arc::new(test)))
}

fn fail_with(message: &str) -> StrategyKind {
    let reason = Reason::Message(message.into());
    let fail = move |_: &mut Context<'_>, _: Term| CallResult::Done(Err(reason.clone()));
    StrategyKind::Call("failWith".into(), Arc::new(fail))
}

/// Returns the strategy that replaces the term by an expression of the same type.
fn insert(expr: Expr) -> StrategyKind {
    let put = move |context: &mut Context<'_>, term: Term| {
        let new = match &expr {
            Expr::Fresh(fresh) => {
                let make = || {
                    let ty = context.store.ty(term);
                    context.store.fresh_local(fresh.name.clone(), ty)
                };
                let local = *fresh.local.get_or_init(make);
                Ok(context.store.var(local))
            }
            Expr::Quoted(quoted) => quoted.in_place(context, term),
            expr => term_of(expr, context),
        };
        let new = match new {
            Ok(new) => new,
            Err(trouble) => return CallResult::Done(Err(Reason::Message(trouble.message))),
        };
        let (old_ty, new_ty) = (context.store.ty(term), context.store.ty(new));
        match context.store.same_type(old_ty, new_ty) {
            true => CallResult::Done(Ok(new)),
            false => CallResult::Done(Err(Reason::Type(format!(
                "the inserted term has the type {}, and the term that it replaces has the type {}",
                crate::term::type_text(context.store, new_ty),
                crate::term::type_text(context.store, old_ty),
            )))),
        }
    };
    StrategyKind::Call("insert".into(), Arc::new(put))
}

/// Returns the strategy that applies `s` to the subterm at a position, which is given by the
/// indices of children from the root on.
fn at(numbers: Vec<i64>, s: Strategy) -> StrategyKind {
    let go = move |context: &mut Context<'_>, term: Term| {
        let mut path = Vec::with_capacity(numbers.len());
        let mut here = term;
        for &number in &numbers {
            let part = usize::try_from(number)
                .ok()
                .and_then(|number| child(context.store, here, number));
            match part {
                Some((child, part)) => {
                    path.push(child);
                    here = part;
                }
                None => {
                    return CallResult::Done(Err(Reason::NoChild {
                        traversal: format!("at({numbers:?})"),
                        found: here,
                    }));
                }
            }
        }
        CallResult::Apply(Arc::new(StrategyKind::At(Path(path), s.clone())), term)
    };
    StrategyKind::Call("at".into(), Arc::new(go))
}

/// Returns the child with an index, where the function of an application precedes its argument;
/// `None` if there is none.
fn child(store: &Store, term: Term, number: usize) -> Option<(Child, Term)> {
    let children: &[Child] = match store.node(term) {
        Node::Apply(..) => &[Child::Function, Child::Argument],
        Node::DepApply(..) => &[Child::Function],
        Node::Lambda(..) | Node::DepLambda(..) => &[Child::Body],
        _ => &[],
    };
    let child = *children.get(number)?;
    Some((child, store.child(term, child)?))
}

fn size(args: Args<'_, '_, '_>) -> Result<Option<Value>, EvalError> {
    let size = |list: &List| i64::try_from(list.elements().len()).unwrap_or(i64::MAX);
    Ok(args.list(0).map(size).map(Value::Int))
}

fn closed_at(args: Args<'_, '_, '_>) -> Result<Option<Value>, EvalError> {
    let (Some(part), Some(program)) = (args.expr(0), args.expr(1)) else {
        return Ok(None);
    };
    let (part, program) = (args.eval.term(&part)?, args.eval.term(&program)?);
    let context = args.eval.context.as_ref();
    Ok(context.map(|context| Value::Bool(is_closed(context.store, part, program))))
}

/// Returns, as a result, the first subterm of a program, in pre-order, on which a strategy
/// succeeds; the strategy as a failure if there is none.
fn extract(args: Args<'_, '_, '_>) -> Result<Option<Value>, EvalError> {
    let (Some(what), Some(program)) = (args.strategy(0), args.expr(1)) else {
        return Ok(None);
    };
    let root = args.eval.term(&program)?;
    let Some(context) = args.eval.context.as_mut() else {
        return Err(EvalError::new(NO_PROGRAM));
    };
    let found = first_part(context, root, &mut |context, part| {
        context.holds(&what, part)
    });
    Ok(Some(Value::Result(match found {
        Some(part) => Ok(Expr::Term(part)),
        None => Err(what),
    })))
}

/// Returns the first subterm, in pre-order, for which `wanted` returns true; `None` if there is
/// none.
pub(super) fn first_part(
    context: &mut Context<'_>,
    root: Term,
    wanted: &mut dyn FnMut(&mut Context<'_>, Term) -> bool,
) -> Option<Term> {
    let mut open = vec![root];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(part) = open.pop() {
        // Terms are hash-consed, so each distinct subterm is visited once.
        if !seen.insert(part) {
            continue;
        }
        if wanted(context, part) {
            return Some(part);
        }
        for number in [1, 0] {
            open.extend(child(context.store, part, number).map(|(_, part)| part));
        }
    }
    None
}

/// Returns true if all variables that are free in `part` are free in `whole`.
pub(super) fn is_closed(store: &Store, part: Term, whole: Term) -> bool {
    let mut free = store.free(part).iter();
    free.all(|&local| store.has_free(whole, local))
}
