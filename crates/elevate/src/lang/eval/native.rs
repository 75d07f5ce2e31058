//! Implements the native definitions of the library: those whose right side is `_`, and the
//! engine's versions of those marked `@native`, which tests compare with their equations.

use std::sync::Arc;

use rise::types::Type;
use syntax::elevate::ast::ParamId;

use super::calls::lists;
use super::implementation_choices::leaves_choice;
use super::native_rules::{Delta, IdxReduction, SubexpressionElimination};
use super::quote::{NO_PROGRAM, term_of};
use super::{Eval, EvalError, Expr, List, Value};
use crate::engine::{
    Beta, CallResult, Context, FreshBinder, GentleBeta, Predicate, Reason, Strategy, StrategyKind,
    Test,
};
use crate::lang::definition::Definition;
use crate::lang::library::Library;
use crate::normal::NormalForm;
use crate::term::{Child, Node, Path, Store, Term, repeats_parameter};

/// The names of the native definitions, sorted.
pub(crate) const NATIVE: &[&str] = &[
    "BENF",
    "DFNF",
    "Failure",
    "RNF",
    "Success",
    "all",
    "allBottomUp",
    "allTopDown",
    "alltd",
    "argument",
    "at",
    "beta",
    "body",
    "bottomUp",
    "checkType",
    "closedAt",
    "debug",
    "delta",
    "depFunction",
    "echo",
    "extract",
    "fail",
    "failWith",
    "freshLambdaIdentifier",
    "function",
    "gentleBeta",
    "id",
    "idxReduction",
    "insert",
    "isApply",
    "isArray",
    "isComputation",
    "isData",
    "isDepApply",
    "isDepLambda",
    "isEqualTo",
    "isForeign",
    "isIdentifier",
    "isLambda",
    "isLiteral",
    "isPrimitive",
    "isScalar",
    "isVectorArray",
    "leavesChoice",
    "limit",
    "normalize",
    "not",
    "nth",
    "occurs",
    "one",
    "outerProduct",
    "repeat",
    "repeatNTimes",
    "repeatsParameter",
    "size",
    "some",
    "somebu",
    "sometd",
    "subexpressionElimination",
    "topDown",
    "try",
    "tryAll",
];

impl Eval<'_, '_> {
    /// Returns the value of a native definition with these arguments; `None` if the definition is
    /// not native.
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
        if NATIVE.binary_search(&name.as_str()).is_err() {
            return Ok(None);
        }
        let mut args = Vec::new();
        for list in lists(definition) {
            let value = |id: &ParamId| given.iter().find(|(known, _)| known == id);
            args.extend(list.params.iter().filter_map(value).map(|(_, v)| v.clone()));
        }
        let args = Args { eval: self, args };
        let made = args.native(&name)?;
        match made {
            Some(value) => Ok(Some(value)),
            None => Err(EvalError::new(format!(
                "`{name}` is given something else than it takes"
            ))),
        }
    }
}

/// Returns true if the definition has no equation.
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

struct Args<'a, 'e, 'c> {
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

    /// Returns an argument that is a number without variables.
    fn count(&self, at: usize) -> Result<i64, EvalError> {
        let value = self.args.get(at).and_then(Value::int);
        value.ok_or_else(|| EvalError::new("a size that is left open cannot be counted with"))
    }

    fn native(self, name: &str) -> Result<Option<Value>, EvalError> {
        if let Some(test) = test_named(name) {
            return Ok(Some(Value::Strategy(StrategyKind::test(test))));
        }
        let step = match name {
            "id" | "checkType" => Some(StrategyKind::Id),
            "fail" => Some(StrategyKind::Fail("fail".into())),
            "beta" => Some(StrategyKind::Rule(Arc::new(Beta))),
            "gentleBeta" => Some(StrategyKind::Rule(Arc::new(GentleBeta))),
            "freshLambdaIdentifier" => Some(StrategyKind::Rule(Arc::new(FreshBinder))),
            "idxReduction" => Some(StrategyKind::Rule(Arc::new(IdxReduction))),
            "delta" => Some(StrategyKind::Rule(Arc::new(Delta::new(
                self.eval.globals.lookup(),
            )))),
            "leavesChoice" => Some(self.leaves_choice()),
            "repeatsParameter" => {
                let test =
                    |context: &mut Context<'_>, term: Term| repeats_parameter(context.store, term);
                Some(StrategyKind::Predicate(Predicate::Other(
                    name.into(),
                    Arc::new(test),
                )))
            }
            "BENF" => Some(StrategyKind::NormalForm(NormalForm::Benf)),
            "DFNF" => Some(StrategyKind::NormalForm(NormalForm::Dfnf)),
            "RNF" => Some(StrategyKind::NormalForm(NormalForm::Rnf)),
            _ => None,
        };
        if let Some(step) = step {
            return Ok(Some(Value::Strategy(Arc::new(step))));
        }
        if let Some(form) = form_named(name) {
            let strategy = self.strategy(0);
            return Ok(strategy.map(|s| Value::Strategy(Arc::new(form(s)))));
        }
        self.other(name)
    }

    /// Returns the value of a definition with arguments other than one strategy.
    fn other(self, name: &str) -> Result<Option<Value>, EvalError> {
        let step = match name {
            "nth" => {
                let count = u32::try_from(self.count(0)?).unwrap_or(u32::MAX);
                self.strategy(1).map(|s| StrategyKind::Skip(count, s))
            }
            "repeatNTimes" => {
                let count = self.count(0)?.clamp(0, i64::from(u32::MAX)) as u32;
                self.strategy(1).map(|s| StrategyKind::Times(count, s))
            }
            "limit" => {
                let count = u64::try_from(self.count(0)?).unwrap_or(0);
                self.strategy(1).map(|s| StrategyKind::Limit(count, s))
            }
            "debug" | "echo" => match self.args.first() {
                Some(Value::String(message)) => {
                    let label = format!("{name}({message:?})");
                    Some(StrategyKind::Named(label.into(), StrategyKind::id()))
                }
                _ => None,
            },
            "failWith" => match self.args.first() {
                Some(Value::String(message)) => Some(fail_with(message)),
                _ => None,
            },
            "at" => match self.args.first() {
                Some(Value::List(list)) => match (numbers(list), self.strategy(1)) {
                    (Some(numbers), Some(s)) => Some(at(numbers, s)),
                    _ => None,
                },
                _ => None,
            },
            "isPrimitive" => self.expr(0).map(|expr| is_primitive(&expr, self.eval)),
            "isEqualTo" => self.expr(0).map(is_equal_to),
            "insert" => self.expr(0).map(insert),
            "outerProduct" => match (self.expr(0), self.expr(1)) {
                (Some(column), Some(row)) => Some(self.outer_product(column, row)),
                _ => None,
            },
            "subexpressionElimination" => self
                .strategy(0)
                .map(|find| StrategyKind::Rule(Arc::new(SubexpressionElimination::new(find)))),
            _ => return self.value(name),
        };
        Ok(step.map(|step| Value::Strategy(Arc::new(step))))
    }

    /// Returns the value of a function whose result is not a strategy.
    fn value(self, name: &str) -> Result<Option<Value>, EvalError> {
        Ok(match name {
            "Success" => self.expr(0).map(|program| Value::Result(Ok(program))),
            "Failure" => self.strategy(0).map(|s| Value::Result(Err(s))),
            "size" => match self.args.first() {
                Some(Value::List(list)) => {
                    let size = i64::try_from(list.elements().len());
                    Some(Value::Int(size.unwrap_or(i64::MAX)))
                }
                _ => None,
            },
            "extract" => match (self.strategy(0), self.expr(1)) {
                (Some(what), Some(program)) => Some(extract(self.eval, &what, &program)?),
                _ => None,
            },
            "closedAt" => match (self.expr(0), self.expr(1)) {
                (Some(part), Some(program)) => {
                    let (part, program) = (self.eval.term(&part)?, self.eval.term(&program)?);
                    let context = self.eval.context.as_ref();
                    context.map(|context| Value::Bool(is_closed(context.store, part, program)))
                }
                _ => None,
            },
            _ => None,
        })
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

/// Returns the constructor of a strategy that takes one strategy.
fn form_named(name: &str) -> Option<fn(Strategy) -> StrategyKind> {
    Some(match name {
        "all" => StrategyKind::All,
        "one" => StrategyKind::One,
        "some" => StrategyKind::Some,
        "body" => StrategyKind::Body,
        "function" => StrategyKind::Function,
        "argument" => StrategyKind::Argument,
        "depFunction" => StrategyKind::DepFunction,
        "try" => StrategyKind::Try,
        "repeat" => StrategyKind::Repeat,
        "normalize" => StrategyKind::Normalize,
        "not" => StrategyKind::Not,
        "topDown" => StrategyKind::TopDown,
        "bottomUp" => StrategyKind::BottomUp,
        "allTopDown" => StrategyKind::AllTopDown,
        "allBottomUp" => StrategyKind::AllBottomUp,
        "tryAll" => StrategyKind::TryAll,
        "alltd" => StrategyKind::AllTd,
        "sometd" => StrategyKind::SomeTd,
        "somebu" => StrategyKind::SomeBu,
        "occurs" => |s| {
            StrategyKind::Not(Arc::new(StrategyKind::Not(Arc::new(
                StrategyKind::TopDown(s),
            ))))
        },
        _ => return None,
    })
}

fn test_named(name: &str) -> Option<Predicate> {
    let other = |test: fn(&Store, Term) -> bool| {
        let test: Arc<Test> =
            Arc::new(move |context: &mut Context<'_>, term| test(context.store, term));
        Predicate::Other(name.into(), test)
    };
    Some(match name {
        "isLambda" => Predicate::IsLambda,
        "isDepLambda" => Predicate::IsDepLambda,
        "isIdentifier" => Predicate::IsIdentifier,
        "isLiteral" => Predicate::IsLiteral,
        "isApply" => Predicate::IsApply,
        "isDepApply" => Predicate::IsDepApply,
        "isArray" => Predicate::IsArray,
        "isForeign" => other(|store, term| matches!(store.node(term), Node::Foreign(_))),
        "isData" => {
            other(|store, term| !matches!(**store.type_of(term), Type::Fun(..) | Type::Pi(_)))
        }
        "isScalar" => other(|store, term| matches!(**store.type_of(term), Type::Scalar(_))),
        "isVectorArray" => other(|store, term| match &**store.type_of(term) {
            Type::Array(_, elem) => matches!(**elem, Type::Vector(..)),
            _ => false,
        }),
        "isComputation" => other(is_computation),
        _ => return None,
    })
}

/// Returns true if `isComputation` of section 1.7 of the reference holds for a term.
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

/// Returns true for the types of single values and of pairs of them.
fn is_basic(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Index(_) | Type::Vector(..) | Type::Var(_) => true,
        Type::Pair(a, b) => is_basic(a) && is_basic(b),
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
                "what is inserted has type {}, and what it should replace has type {}",
                crate::term::type_text(context.store, new_ty),
                crate::term::type_text(context.store, old_ty),
            )))),
        }
    };
    StrategyKind::Call("insert".into(), Arc::new(put))
}

fn numbers(list: &List) -> Option<Vec<i64>> {
    list.elements().iter().map(Value::int).collect()
}

/// Returns the strategy that applies `s` at a position, which is given by the indices of children.
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

/// Returns the child with an index, where the function precedes the argument.
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

/// Returns the first subterm, in pre-order, on which a strategy succeeds.
fn extract(eval: &mut Eval<'_, '_>, what: &Strategy, program: &Expr) -> Result<Value, EvalError> {
    let root = eval.term(program)?;
    let Some(context) = eval.context.as_mut() else {
        return Err(EvalError::new(NO_PROGRAM));
    };
    let found = first_part(context, root, &mut |context, part| {
        context.holds(what, part)
    });
    Ok(Value::Result(match found {
        Some(part) => Ok(Expr::Term(part)),
        None => Err(what.clone()),
    }))
}

/// Returns the first subterm in pre-order for which `wanted` holds.
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

/// Returns true if all free variables of the part are free in the whole.
pub(super) fn is_closed(store: &Store, part: Term, whole: Term) -> bool {
    let mut free = store.free(part).iter();
    free.all(|&local| store.has_free(whole, local))
}
