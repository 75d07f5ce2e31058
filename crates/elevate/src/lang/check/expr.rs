//! Infers the types of expressions.

use rise::codes;
use std::sync::Arc;
use syntax::ast::{Literal, Name};
use syntax::elevate::ast::{Case, ExprId, ExprKind, Op, ParamId};

use super::{BinderKey, Infer, Meaning};
use crate::lang::types::{Flavour, Ty, Type};

impl Infer<'_> {
    /// Checks that an expression has the type `wanted`. Returns its own type, or [`Type::Error`]
    /// after reporting a mismatch.
    pub(super) fn expect(&mut self, id: ExprId, wanted: &Ty) -> Ty {
        let found = self.infer(id, Some(wanted));
        self.agree(id, &found, wanted)
    }

    pub(super) fn agree(&mut self, id: ExprId, found: &Ty, wanted: &Ty) -> Ty {
        if self.table.fits(found, wanted) {
            return found.clone();
        }
        self.mismatch(id, found, wanted);
        let error = Arc::new(Type::Error);
        self.exprs[id.0 as usize] = error.clone();
        error
    }

    /// Infers the type of an expression, and records it. `wanted` is the type that its context
    /// suggests; it decides for example if a name refers to RISE or to a strategy.
    pub(super) fn infer(&mut self, id: ExprId, wanted: Option<&Ty>) -> Ty {
        let mut ty = self.infer_form(id, wanted);
        self.negative_size(id, wanted);
        self.table.measure(&ty);
        if self.table.take_too_large() {
            self.too_large(self.span(id));
            ty = Arc::new(Type::Error);
        }
        self.exprs[id.0 as usize] = ty.clone();
        ty
    }

    /// Returns true if the context requires a RISE expression.
    pub(super) fn wants_rise(&self, wanted: Option<&Ty>) -> bool {
        wanted.is_some_and(|ty| *self.table.shallow(ty) == Type::Expr)
    }

    fn infer_form(&mut self, id: ExprId, wanted: Option<&Ty>) -> Ty {
        let item = self.item;
        let span = self.span(id);
        match &item.expr(id).kind {
            ExprKind::Missing => Arc::new(Type::Error),
            ExprKind::Hole => self.hole(id, wanted),
            ExprKind::Name(name) => self.name(id, name, wanted, false),
            ExprKind::Literal(literal) => self.literal(id, literal, wanted),
            ExprKind::String(_) => Arc::new(Type::String),
            ExprKind::Address(_) => Arc::new(Type::Addr),
            ExprKind::Type(_) => Arc::new(Type::Type),
            ExprKind::Call { callee, args } => self.call(id, *callee, args, wanted),
            ExprKind::Member { object, name } => match name {
                Some(name) => self.member(id, *object, name),
                None => {
                    self.infer(*object, None);
                    Arc::new(Type::Error)
                }
            },
            ExprKind::Binary { op, lhs, rhs, .. } => self.binary(id, *op, *lhs, *rhs),
            ExprKind::Neg(operand) => {
                let number = self.table.number();
                self.expect(*operand, &number);
                Arc::new(Type::Int)
            }
            ExprKind::Not(operand) => self.not(id, *operand),
            ExprKind::Lambda { params, body } => self.lambda(params, *body, wanted),
            ExprKind::Match { scrutinee, cases } => self.cases(*scrutinee, cases, wanted),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.condition_of_if(*condition);
                self.branches(&[*then, *otherwise], wanted)
            }
            ExprKind::List { elements, .. } => {
                let elem = self.elem_wanted(wanted);
                for &element in elements {
                    self.expect(element, &elem);
                }
                Arc::new(Type::List(elem))
            }
            ExprKind::Tuple(members) => self.tuple(members, wanted),
            ExprKind::Paren(inner) => self.infer(*inner, wanted),
            ExprKind::Rise(_) => {
                self.quote(id, span);
                Arc::new(Type::Expr)
            }
            ExprKind::Rule(alts) => {
                alts.iter().for_each(|alt| self.alternative(alt));
                Arc::new(Type::Strategy(Flavour::Rule))
            }
            ExprKind::With { normal_form, body } => {
                self.expect(*normal_form, &Type::strategy());
                self.infer(*body, wanted)
            }
        }
    }

    fn hole(&mut self, id: ExprId, wanted: Option<&Ty>) -> Ty {
        let text = wanted.map(|ty| self.text(ty));
        let message = match text.as_deref() {
            None | Some("_") => "an expression is missing here".to_owned(),
            Some(text) => format!("an expression of type {text} is missing here"),
        };
        let span = self.span(id);
        self.error(codes::HOLE, span, message);
        Arc::new(Type::Error)
    }

    fn literal(&mut self, id: ExprId, literal: &Literal, wanted: Option<&Ty>) -> Ty {
        let rise = self.wants_rise(wanted);
        match literal {
            Literal::Bool(_) if !rise => Arc::new(Type::Bool),
            Literal::Int { suffix: None, .. } if !rise => self.table.number(),
            _ => {
                let span = self.span(id);
                self.quote(id, span);
                Arc::new(Type::Expr)
            }
        }
    }

    fn binary(&mut self, id: ExprId, op: Op, lhs: ExprId, rhs: ExprId) -> Ty {
        match op {
            Op::Seq | Op::Choice => {
                if op == Op::Choice {
                    self.mixed(lhs, rhs);
                }
                let left = self.expect(lhs, &Type::strategy());
                let right = self.expect(rhs, &Type::strategy());
                self.both_predicates(&left, &right)
            }
            Op::SeqNormal => {
                self.expect(lhs, &Type::strategy());
                self.expect(rhs, &Type::strategy());
                Type::strategy()
            }
            Op::At => self.at(lhs, rhs),
            Op::Or | Op::And => self.connective(id, lhs, rhs),
            Op::Eq | Op::Ne => {
                let left = self.infer(lhs, None);
                self.expect(rhs, &left);
                Arc::new(Type::Bool)
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                self.numbers(lhs, rhs);
                Arc::new(Type::Bool)
            }
            Op::Cons => {
                let elem = self.infer(lhs, None);
                let list = Arc::new(Type::List(elem));
                self.expect(rhs, &list);
                list
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod => self.numbers(lhs, rhs),
        }
    }

    /// Returns the type of `a ; b` or `a <+ b`: a predicate if both are predicates, else a
    /// strategy.
    fn both_predicates(&mut self, left: &Ty, right: &Ty) -> Ty {
        let is_pred = |ty: &Ty| *self.table.shallow(ty) == Type::Strategy(Flavour::Pred);
        match is_pred(left) && is_pred(right) {
            true => Arc::new(Type::Strategy(Flavour::Pred)),
            false => Type::strategy(),
        }
    }

    /// Infers the types of two numbers, and returns the type of an arithmetic operation on them.
    fn numbers(&mut self, lhs: ExprId, rhs: ExprId) -> Ty {
        let mut of = |id| {
            let wanted = self.table.number();
            let found = self.infer(id, Some(&wanted));
            let shallow = self.table.shallow(&found);
            match *shallow {
                Type::Nat | Type::Int | Type::Error => shallow,
                _ => {
                    self.agree(id, &found, &wanted);
                    self.table.shallow(&found)
                }
            }
        };
        let (left, right) = (of(lhs), of(rhs));
        match (&*left, &*right) {
            (Type::Nat, _) => left,
            (_, Type::Nat) => right,
            (Type::Int, _) => left,
            _ if self.table.is_number(&left) => {
                self.table.fits(&right, &left);
                right
            }
            _ => right,
        }
    }

    /// Infers the type of `lhs @ rhs`, which is `rhs(lhs)`.
    fn at(&mut self, lhs: ExprId, rhs: ExprId) -> Ty {
        let (strategy, traversal) = (Type::strategy(), Type::traversal());
        let left = self.infer(lhs, Some(&strategy));
        let said = self.diagnostics.len();
        let right = self.infer(rhs, Some(&traversal));
        let is_traversal = matches!(&*self.table.shallow(&left), Type::Fun(..))
            && self.table.fits(&left, &traversal);
        if is_traversal && self.table.shallow(&right).is_strategy() {
            self.swapped_sides(lhs, rhs);
            return strategy;
        }
        self.agree(lhs, &left, &strategy);
        // An operand with an error of its own is not reported twice.
        if self.diagnostics.len() == said && !self.table.fits(&right, &traversal) {
            self.no_traversal(rhs, &right);
        }
        strategy
    }

    /// Infers the type of `a && b` or `a || b`, of truth values or of strategies.
    fn connective(&mut self, id: ExprId, lhs: ExprId, rhs: ExprId) -> Ty {
        let left = self.infer(lhs, None);
        let shallow = self.table.shallow(&left);
        let right = self.infer(rhs, Some(&shallow));
        if shallow.is_strategy() {
            self.meanings.insert(id, Meaning::Both);
            let right = self.agree(rhs, &right, &Type::strategy());
            return self.both_predicates(&left, &right);
        }
        let bool = Arc::new(Type::Bool);
        self.agree(lhs, &left, &bool);
        self.agree(rhs, &right, &bool);
        bool
    }

    fn not(&mut self, id: ExprId, operand: ExprId) -> Ty {
        let found = self.infer(operand, None);
        if self.table.shallow(&found).is_strategy() {
            self.meanings.insert(id, Meaning::Negation);
            return Arc::new(Type::Strategy(Flavour::Pred));
        }
        let bool = Arc::new(Type::Bool);
        self.agree(operand, &found, &bool);
        bool
    }

    /// Reports a negative number literal where the context suggests a size.
    fn negative_size(&mut self, id: ExprId, wanted: Option<&Ty>) {
        let number = |id: ExprId| match self.item.expr(id).kind {
            ExprKind::Literal(Literal::Int { value, .. }) => Some(value),
            _ => None,
        };
        let value = match self.item.expr(id).kind {
            ExprKind::Neg(operand) => number(operand).and_then(|value| value.checked_neg()),
            _ => number(id),
        };
        let wants_size = || wanted.is_some_and(|ty| *self.table.shallow(ty) == Type::Nat);
        if let Some(value) = value
            && value < 0
            && wants_size()
        {
            let message = format!("`{value}` is negative, and a size or a count is at least 0");
            self.error(codes::NEGATIVE_SIZE, self.span(id), message);
        }
    }

    /// Infers the type of `x => body`. Parameters without a type get the types that the context
    /// suggests.
    fn lambda(&mut self, params: &[ParamId], body: ExprId, wanted: Option<&Ty>) -> Ty {
        let wanted = wanted.map(|ty| self.table.shallow(ty));
        let (mut wanted_params, mut result) = (Vec::new(), wanted.clone());
        for _ in params {
            match result.as_deref() {
                Some(Type::Strategy(_)) => {
                    wanted_params.push(Arc::new(Type::Expr));
                    result = Some(Arc::new(Type::Result));
                }
                Some(Type::Fun(list, rest)) => {
                    wanted_params.push(list[0].ty.clone());
                    result = Some(super::unify::rest_of(&list[1..], rest));
                }
                _ => result = None,
            }
        }
        let item = self.item;
        let depth = self.scope.len();
        let mut types = Vec::new();
        for (index, &id) in params.iter().enumerate() {
            let param = item.param(id);
            let ty = match param.ty {
                Some(ty) => self.written_type(ty),
                None => match wanted_params.get(index) {
                    Some(ty) => ty.clone(),
                    None => self.table.open(),
                },
            };
            self.params[id.0 as usize] = ty.clone();
            self.bind(&param.name, BinderKey::Param(id), ty.clone(), param.span);
            types.push(ty);
        }
        let body_type = match &result {
            Some(result) => self.expect(body, result),
            None => self.infer(body, None),
        };
        self.scope.truncate(depth);
        match types.is_empty() {
            true => body_type,
            false => Type::fun(types, result.unwrap_or(body_type)),
        }
    }

    fn condition_of_if(&mut self, condition: ExprId) {
        let bool = Arc::new(Type::Bool);
        let found = self.infer(condition, Some(&bool));
        if self.table.shallow(&found).is_strategy() {
            return self.strategy_as_condition(condition);
        }
        self.agree(condition, &found, &bool);
    }

    /// Infers the common type of the branches of `if`. It is that of predicates if all of them are
    /// predicates.
    fn branches(&mut self, branches: &[ExprId], wanted: Option<&Ty>) -> Ty {
        let ty = match wanted {
            Some(wanted) => wanted.clone(),
            None => self.table.open(),
        };
        let mut predicates = !branches.is_empty();
        for &branch in branches {
            let found = self.expect(branch, &ty);
            predicates &= *self.table.shallow(&found) == Type::Strategy(Flavour::Pred);
        }
        match predicates {
            true => Arc::new(Type::Strategy(Flavour::Pred)),
            false => ty,
        }
    }

    fn cases(&mut self, scrutinee: ExprId, cases: &[Case], wanted: Option<&Ty>) -> Ty {
        let looked_at = self.infer(scrutinee, None);
        let ty = match wanted {
            Some(wanted) => wanted.clone(),
            None => self.table.open(),
        };
        if cases.is_empty() {
            self.no_cases(scrutinee);
        }
        for case in cases {
            let depth = self.scope.len();
            self.pattern(case.pattern, &looked_at);
            if let Some(guard) = case.guard {
                self.condition_of_if(guard);
            }
            self.expect(case.body, &ty);
            self.scope.truncate(depth);
        }
        self.unreachable_cases(cases);
        ty
    }

    fn elem_wanted(&mut self, wanted: Option<&Ty>) -> Ty {
        match wanted.map(|ty| self.table.shallow(ty)).as_deref() {
            Some(Type::List(elem)) => elem.clone(),
            _ => self.table.open(),
        }
    }

    fn tuple(&mut self, members: &[ExprId], wanted: Option<&Ty>) -> Ty {
        let wanted = wanted.map(|ty| self.table.shallow(ty));
        let wanted: Vec<Ty> = match wanted.as_deref() {
            Some(Type::Tuple(wanted)) => wanted.to_vec(),
            _ => Vec::new(),
        };
        let members = members.iter().enumerate();
        let types = members.map(|(index, &member)| self.infer(member, wanted.get(index)));
        Arc::new(Type::Tuple(types.collect()))
    }

    /// Returns true if RISE has a definition or primitive of this name.
    pub(super) fn rise_knows(&self, name: &Name) -> bool {
        !matches!(self.env.rise().resolve(name), rise::Resolution::Unknown)
            || rise::Primitive::from_name(name).is_some()
    }
}
