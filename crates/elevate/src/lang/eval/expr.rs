//! Evaluates expressions.

use std::sync::Arc;

use nat::Nat;
use rise::types::Address;
use syntax::ast::{Literal, TermId, TermKind};
use syntax::elevate::ast::{Case, Expr as Syntax, ExprId, ExprKind, Item, Op, ParamId};

use super::{Eval, EvalError, EvalResult, Expr, Function, List, Scope, Value, ValueOrTailCall};
use crate::engine::{Strategy, StrategyKind};
use crate::lang::check::{BinderKey, Meaning};

impl Eval<'_, '_> {
    pub(super) fn syntax(&self, id: ExprId) -> Syntax {
        self.definition.item.expr(id).clone()
    }

    /// Returns the value of an expression.
    pub(super) fn expr(&mut self, id: ExprId, scope: &Scope) -> EvalResult {
        match self.flow(id, scope, false)? {
            ValueOrTailCall::Value(value) => Ok(value),
            ValueOrTailCall::Apply(strategy, term) => self.applied(&strategy, term),
        }
    }

    /// Evaluates an expression. If it is in tail position (`tail`), a strategy that it applies to a
    /// program is returned instead of applied, so that loops do not nest on the stack of the
    /// thread.
    pub(super) fn flow(
        &mut self,
        id: ExprId,
        scope: &Scope,
        tail: bool,
    ) -> Result<ValueOrTailCall, EvalError> {
        let definition = self.definition.clone();
        let meaning = definition.checked.meanings.get(&id);
        if let Some(Meaning::Quote(_)) = meaning {
            return self.quoted(id, scope).map(ValueOrTailCall::Value);
        }
        let value = match &definition.item.expr(id).kind {
            ExprKind::Paren(inner) => return self.flow(*inner, scope, tail),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let branch = if self.truth(*condition, scope)? {
                    *then
                } else {
                    *otherwise
                };
                return self.flow(branch, scope, tail);
            }
            ExprKind::Match { scrutinee, cases } => {
                return self.cases(id, *scrutinee, cases, scope, tail);
            }
            ExprKind::With { normal_form, body } => {
                let mut inner = scope.clone();
                inner.normal_form = Some(self.strategy(*normal_form, scope)?);
                return self.flow(*body, &inner, tail);
            }
            ExprKind::Call { callee, args } => {
                if let Some(Meaning::Node(node)) = meaning {
                    return self
                        .node(id, *node, args, scope)
                        .map(ValueOrTailCall::Value);
                }
                return self.call(*callee, args, scope, tail);
            }
            ExprKind::Missing | ExprKind::Hole => {
                return self.error(id, "an expression is missing here");
            }
            ExprKind::Name(_) => self.name(id, scope)?,
            ExprKind::Literal(literal) => self.literal(id, literal)?,
            ExprKind::String(text) => Value::String((**text).into()),
            ExprKind::Address(space) => Value::Address(Address::Space(*space)),
            ExprKind::Type(term) => self.rise_type(id, *term)?,
            ExprKind::Member { object, name } => {
                let object = self.expr(*object, scope)?;
                if name.is_none() {
                    return self.error(id, "a name is missing here");
                }
                let function = self.name(id, scope)?;
                self.apply_function(function, vec![(None, object)])?
            }
            ExprKind::Binary { op, lhs, rhs, .. } => self.binary(id, *op, *lhs, *rhs, scope)?,
            ExprKind::Neg(operand) => match self.number(*operand, scope)? {
                Value::Int(int) => Value::Int(int.saturating_neg()),
                Value::Nat(nat) => Value::Nat(Nat::sub(&Nat::constant(0), &nat)),
                other => other,
            },
            ExprKind::Not(operand) => match meaning {
                Some(Meaning::Negation) => {
                    Value::Strategy(Arc::new(StrategyKind::Not(self.strategy(*operand, scope)?)))
                }
                _ => Value::Bool(!self.truth(*operand, scope)?),
            },
            ExprKind::Lambda { params, body } => self.lambda(params, *body, scope)?,
            ExprKind::List { elements, .. } => {
                let elements: Result<Vec<Value>, EvalError> =
                    elements.iter().map(|&e| self.expr(e, scope)).collect();
                Value::List(List::new(elements?))
            }
            ExprKind::Tuple(members) => {
                let members: Result<Vec<Value>, EvalError> =
                    members.iter().map(|&e| self.expr(e, scope)).collect();
                Value::Tuple(members?.into())
            }
            ExprKind::Rise(_) => return self.error(id, "this expression of RISE has errors"),
            ExprKind::Rule(alts) => Value::Strategy(self.inline_rule(alts, scope)?),
        };
        Ok(ValueOrTailCall::Value(value))
    }

    fn name(&mut self, id: ExprId, scope: &Scope) -> EvalResult {
        match self.definition.checked.meanings.get(&id).cloned() {
            Some(Meaning::Local(key)) => match scope.get(&key) {
                Some(value) => Ok(value.clone()),
                None => self.error(id, "this name has no value here"),
            },
            Some(Meaning::Item { id: item, defaults }) => {
                let value = self.globals.clone().value(item)?;
                match defaults {
                    true => self.apply_function(value, Vec::new()),
                    false => Ok(value),
                }
            }
            _ => self.error(id, "this name is not defined"),
        }
    }

    /// Returns the value of a RISE type without names.
    fn rise_type(&mut self, id: ExprId, term: TermId) -> EvalResult {
        match closed_type(&self.definition.item, term) {
            Some(ty) => Ok(Value::Type(ty)),
            None => self.error(id, "a type that is used as a value cannot contain names"),
        }
    }

    fn literal(&mut self, id: ExprId, literal: &Literal) -> EvalResult {
        match literal {
            Literal::Bool(bool) => Ok(Value::Bool(*bool)),
            Literal::Int { value, .. } => match i64::try_from(*value) {
                Ok(value) => Ok(Value::Int(value)),
                Err(_) => self.error(id, "this number does not fit 64 bits"),
            },
            Literal::Float { .. } => self.error(
                id,
                "a floating-point number is allowed only in an expression of RISE",
            ),
        }
    }

    fn lambda(&mut self, params: &[ParamId], body: ExprId, scope: &Scope) -> EvalResult {
        if params.is_empty() {
            return self.expr(body, scope);
        }
        Ok(Value::Function(Arc::new(Function::Lambda {
            definition: self.definition.clone(),
            params: params.into(),
            body,
            scope: scope.clone(),
            given: 0,
        })))
    }

    fn binary(
        &mut self,
        id: ExprId,
        op: Op,
        lhs: ExprId,
        rhs: ExprId,
        scope: &Scope,
    ) -> EvalResult {
        let strategy = |step: StrategyKind| Ok(Value::Strategy(Arc::new(step)));
        match op {
            Op::Seq => strategy(StrategyKind::Seq(
                self.strategy(lhs, scope)?,
                self.strategy(rhs, scope)?,
            )),
            Op::Choice => strategy(StrategyKind::Choice(
                self.strategy(lhs, scope)?,
                self.strategy(rhs, scope)?,
            )),
            Op::SeqNormal => {
                let normal = match &scope.normal_form {
                    Some(normal) => normal.clone(),
                    None => self.globals.default_normal_form()?,
                };
                let (left, right) = (self.strategy(lhs, scope)?, self.strategy(rhs, scope)?);
                Ok(Value::Strategy(StrategyKind::seq([left, normal, right])))
            }
            Op::At => {
                let strategy = self.strategy(lhs, scope)?;
                let traversal = self.expr(rhs, scope)?;
                self.apply_function(traversal, vec![(None, Value::Strategy(strategy))])
            }
            Op::And | Op::Or
                if self.definition.checked.meanings.get(&id) == Some(&Meaning::Both) =>
            {
                let (left, right) = (self.strategy(lhs, scope)?, self.strategy(rhs, scope)?);
                strategy(match op {
                    Op::And => StrategyKind::Seq(left, right),
                    _ => StrategyKind::Choice(left, right),
                })
            }
            Op::And => Ok(Value::Bool(
                self.truth(lhs, scope)? && self.truth(rhs, scope)?,
            )),
            Op::Or => Ok(Value::Bool(
                self.truth(lhs, scope)? || self.truth(rhs, scope)?,
            )),
            Op::Eq | Op::Ne => {
                let (left, right) = (self.expr(lhs, scope)?, self.expr(rhs, scope)?);
                match self.equal(&left, &right) {
                    Some(equal) => Ok(Value::Bool(equal == (op == Op::Eq))),
                    None => self.error(id, "these two values cannot be compared"),
                }
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let (left, right) = (self.known(lhs, scope)?, self.known(rhs, scope)?);
                Ok(Value::Bool(match op {
                    Op::Lt => left < right,
                    Op::Le => left <= right,
                    Op::Gt => left > right,
                    _ => left >= right,
                }))
            }
            Op::Cons => {
                let head = self.expr(lhs, scope)?;
                match self.expr(rhs, scope)? {
                    Value::List(tail) => {
                        let all = std::iter::once(head).chain(tail.elements().iter().cloned());
                        Ok(Value::List(List::new(all)))
                    }
                    _ => self.error(rhs, "this is not a list"),
                }
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod => {
                let (left, right) = (self.number(lhs, scope)?, self.number(rhs, scope)?);
                match arithmetic(op, &left, &right) {
                    Ok(value) => Ok(value),
                    Err(message) => self.error(id, message),
                }
            }
        }
    }

    /// Returns true if two values are equal; `None` if they cannot be compared, such as strategies,
    /// functions, values of different types, and RISE expressions while no program is rewritten. A
    /// size and an integer can be compared.
    fn equal(&mut self, left: &Value, right: &Value) -> Option<bool> {
        let all = |eval: &mut Self, left: &[Value], right: &[Value]| {
            if left.len() != right.len() {
                return Some(false);
            }
            let mut pairs = left.iter().zip(right);
            pairs.try_fold(true, |same, (left, right)| {
                Some(same && eval.equal(left, right)?)
            })
        };
        Some(match (left, right) {
            (Value::Int(left), Value::Int(right)) => left == right,
            (Value::Nat(_) | Value::Int(_), Value::Nat(_) | Value::Int(_)) => {
                left.nat()? == right.nat()?
            }
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::String(left), Value::String(right)) => left == right,
            (Value::Address(left), Value::Address(right)) => left == right,
            (Value::Type(left), Value::Type(right)) => left == right,
            (Value::List(left), Value::List(right)) => {
                all(self, left.elements(), right.elements())?
            }
            (Value::Tuple(left), Value::Tuple(right)) => all(self, left, right)?,
            (Value::Expr(left), Value::Expr(right)) => self.equal_exprs(left, right)?,
            _ => return None,
        })
    }

    fn equal_exprs(&mut self, left: &Expr, right: &Expr) -> Option<bool> {
        let (left, right) = (self.term(left).ok()?, self.term(right).ok()?);
        let context = self.context.as_mut()?;
        Some(context.store.alpha_eq(left, right))
    }

    // ----- values of required types -----

    pub(super) fn strategy(&mut self, id: ExprId, scope: &Scope) -> Result<Strategy, EvalError> {
        let value = self.expr(id, scope)?;
        match self.as_strategy(value) {
            Some(strategy) => Ok(strategy),
            None => self.error(id, "this is not a strategy"),
        }
    }

    pub(super) fn truth(&mut self, id: ExprId, scope: &Scope) -> Result<bool, EvalError> {
        match self.expr(id, scope)? {
            Value::Bool(bool) => Ok(bool),
            _ => self.error(id, "this is not a boolean"),
        }
    }

    fn number(&mut self, id: ExprId, scope: &Scope) -> EvalResult {
        match self.expr(id, scope)? {
            value @ (Value::Int(_) | Value::Nat(_)) => Ok(value),
            _ => self.error(id, "this is not a number"),
        }
    }

    /// Returns the value of a number without variables; fails for other values.
    fn known(&mut self, id: ExprId, scope: &Scope) -> Result<i64, EvalError> {
        let value = self.number(id, scope)?;
        match value.int() {
            Some(int) => Ok(int),
            None => self.error(id, "this size has no value here, so it cannot be compared"),
        }
    }

    fn cases(
        &mut self,
        id: ExprId,
        scrutinee: ExprId,
        cases: &[Case],
        scope: &Scope,
        tail: bool,
    ) -> Result<ValueOrTailCall, EvalError> {
        let value = self.expr(scrutinee, scope)?;
        for case in cases {
            let Some(inner) = self.matches(case.pattern, &value, scope)? else {
                continue;
            };
            if let Some(guard) = case.guard
                && !self.truth(guard, &inner)?
            {
                continue;
            }
            return self.flow(case.body, &inner, tail);
        }
        let text = value.text(&|var| self.globals.name_of(var));
        self.error(id, format!("no case matches `{text}`"))
    }
}

fn closed_type(item: &Item, id: TermId) -> Option<rise::Ty> {
    let size = |id: TermId| match &item.term(id).kind {
        TermKind::Literal(Literal::Int { value, .. }) => {
            Some(Nat::constant(i64::try_from(*value).ok()?))
        }
        _ => None,
    };
    Some(Arc::new(match &item.term(id).kind {
        TermKind::Scalar(scalar) => rise::Type::Scalar(*scalar),
        TermKind::Paren(inner) => return closed_type(item, *inner),
        TermKind::Index(n) => rise::Type::Index(size(*n)?),
        TermKind::Vector { size: n, elem } => {
            rise::Type::Vector(size(*n)?, closed_type(item, *elem)?)
        }
        TermKind::Array { size: n, elem, .. } => {
            rise::Type::Array(size(*n)?, closed_type(item, *elem)?)
        }
        TermKind::Tuple(a, b) | TermKind::Pair(a, b) => {
            rise::Type::Pair(closed_type(item, *a)?, closed_type(item, *b)?)
        }
        _ => return None,
    }))
}

fn arithmetic(op: Op, left: &Value, right: &Value) -> Result<Value, &'static str> {
    const LARGE: &str = "the result does not fit 64 bits";
    const ZERO: &str = "division by zero";
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        let result = match op {
            Op::Add => left.checked_add(*right),
            Op::Sub => left.checked_sub(*right),
            Op::Mul => left.checked_mul(*right),
            Op::Div | Op::Mod if *right == 0 => return Err(ZERO),
            Op::Div => left.checked_div_euclid(*right),
            _ => left.checked_rem_euclid(*right),
        };
        return result.map(Value::Int).ok_or(LARGE);
    }
    let (Some(left), Some(right)) = (left.nat(), right.nat()) else {
        return Err("an operand is not a number");
    };
    let result = match op {
        Op::Add => Nat::add(&left, &right),
        Op::Sub => Nat::sub(&left, &right),
        Op::Mul => Nat::mul(&left, &right),
        Op::Div | Op::Mod if right.is_zero() => return Err(ZERO),
        Op::Div => Nat::div(&left, &right),
        _ => Nat::rem(&left, &right),
    };
    match result.is_too_big() {
        true => Err(LARGE),
        false => Ok(Value::Nat(result)),
    }
}

impl Value {
    /// Returns the value as a size, if it is a size or an integer.
    pub fn nat(&self) -> Option<Nat> {
        match self {
            Value::Nat(nat) => Some(nat.clone()),
            Value::Int(int) => Some(Nat::constant(*int)),
            _ => None,
        }
    }

    /// Returns the value as a number, if it is an integer or a size without variables.
    pub fn int(&self) -> Option<i64> {
        match self {
            Value::Nat(nat) => nat.as_const(),
            Value::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// Returns the scope extended by a binding of this value.
    pub(super) fn bound(self, key: BinderKey, scope: &Scope) -> Scope {
        scope.with(key, self)
    }
}
