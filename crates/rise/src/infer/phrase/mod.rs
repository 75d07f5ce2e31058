//! Inference of DPIA's terms (`docs/dpia.md`): expressions have phrase types `Exp[t, a]`, and there
//! are acceptors and commands. Everything else is inferred as in RISE.

mod access;
mod access_fix;
mod apply;

use std::sync::Arc;

use syntax::Dialect;
use syntax::ast::{BinaryOp, BinderId, Half, Kind, Literal, ScalarType, TermId, TermKind, UnaryOp};

use super::Infer;
use super::expr::Expectation;
use super::unify::{Cause, CauseCode};
use crate::classes::Classes;
use crate::codes;
use crate::types::{Access, Arg, Ty, Type};
use crate::{BinderInfo, TermInfo};

pub(super) use access::AccessConstraints;

impl Infer<'_> {
    pub(super) fn in_dpia(&self) -> bool {
        self.dialect == Dialect::Dpia
    }

    /// Infers a term of DPIA; returns `None` if it is inferred as in RISE.
    pub(super) fn phrase(&mut self, term: TermId, wanted: Expectation) -> Option<Ty> {
        let ty = match &self.item.term(term).kind {
            TermKind::Literal(literal) => self.literal_phrase(term, literal),
            TermKind::Unary { op, operand } => self.unary_phrase(*op, *operand),
            TermKind::Binary {
                op: BinaryOp::Pow, ..
            } if self.is_size(term) => {
                self.elab_nat(term);
                readable(ScalarType::NatType)
            }
            TermKind::Binary { op, lhs, rhs, .. } if is_operator(*op) => {
                self.operator_phrase(*op, *lhs, *rhs)
            }
            TermKind::Project { pair, half } => self.half_phrase(*pair, *half),
            TermKind::Pair(a, b) => self.pair_phrase(term, *a, *b, wanted),
            TermKind::Let {
                binder,
                value,
                body,
            } => return Some(self.let_phrase(*binder, *value, *body, wanted)),
            TermKind::Assign { lhs, rhs, .. } => self.assignment(*lhs, *rhs),
            TermKind::Sequence(commands) => {
                commands.iter().for_each(|&command| self.command(command));
                Arc::new(Type::Comm)
            }
            TermKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.check_against(*condition, &readable(ScalarType::Bool));
                self.command(*then);
                self.command(*otherwise);
                Arc::new(Type::Comm)
            }
            TermKind::Skip => Arc::new(Type::Comm),
            _ => return None,
        };
        Some(self.unify_with_expected(term, ty, wanted))
    }

    /// Checks a term against a type that the construct around it requires. Returns false if a
    /// mismatch was found, in the term or its parts.
    pub(super) fn check_against(&mut self, term: TermId, expected: &Ty) -> bool {
        let cause = Cause::context(self.span(term));
        let clashes = self.clashes;
        self.check(term, expected, cause);
        self.clashes == clashes
    }

    fn command(&mut self, term: TermId) {
        self.check_against(term, &Arc::new(Type::Comm));
    }

    fn literal_phrase(&mut self, term: TermId, literal: &Literal) -> Ty {
        let data = self.literal(term, literal);
        Arc::new(Type::Exp(data, Access::Rd))
    }

    fn unary_phrase(&mut self, op: UnaryOp, operand: TermId) -> Ty {
        let ty = match op {
            UnaryOp::Not => readable(ScalarType::Bool),
            UnaryOp::Neg => self.open_readable(Kind::Num, operand),
        };
        match self.check_against(operand, &ty) {
            true => ty,
            false => self.broken(),
        }
    }

    /// Makes the type `Exp[t, Rd]` for an unknown `t` of the kind.
    fn open_readable(&mut self, kind: Kind, at: TermId) -> Ty {
        let data = self.open_type("t", Classes::of_kind(kind), at);
        Arc::new(Type::Exp(data, Access::Rd))
    }

    fn operator_phrase(&mut self, op: BinaryOp, lhs: TermId, rhs: TermId) -> Ty {
        use BinaryOp::{Add, And, Div, Mod, Mul, Or, Sub};
        let operand = match op {
            And | Or => readable(ScalarType::Bool),
            Mod => self.open_readable(Kind::Int, lhs),
            Add | Sub | Mul | Div => self.open_readable(Kind::Num, lhs),
            _ => self.open_readable(Kind::Scalar, lhs),
        };
        if !self.check_against(lhs, &operand) {
            self.without_diagnostics(|this| this.synth(rhs));
            return self.broken();
        }
        let cause = Cause::new(self.span(rhs), CauseCode::Operand { op, lhs, rhs });
        let clashes = self.clashes;
        self.check(rhs, &operand, cause);
        match op {
            _ if self.clashes > clashes => self.broken(),
            Add | Sub | Mul | Div | Mod => operand,
            _ => readable(ScalarType::Bool),
        }
    }

    fn half_phrase(&mut self, pair: TermId, half: Half) -> Ty {
        let first = self.open_type("s", Classes::DATA, pair);
        let second = self.open_type("t", Classes::DATA, pair);
        let both = Arc::new(Type::Pair(first.clone(), second.clone()));
        if !self.check_against(pair, &Arc::new(Type::Exp(both, Access::Rd))) {
            return self.broken();
        }
        let data = match half {
            Half::First => first,
            Half::Second => second,
        };
        Arc::new(Type::Exp(data, Access::Rd))
    }

    /// Infers the pair `(a, b)`, both halves of which have the access of the pair.
    fn pair_phrase(&mut self, term: TermId, a: TermId, b: TermId, wanted: Expectation) -> Ty {
        let access = self.memory_access(term);
        let (first, second) = match wanted.map(|(ty, _)| self.table.head(ty)).as_deref() {
            Some(Type::Exp(data, _)) => match &*self.table.head(data) {
                Type::Pair(first, second) => (first.clone(), second.clone()),
                _ => self.open_pair(term),
            },
            _ => self.open_pair(term),
        };
        let whole = Type::Pair(first.clone(), second.clone());
        let fine = self.check_against(a, &Arc::new(Type::Exp(first, access)));
        let half = Arc::new(Type::Exp(second, access));
        match fine && self.check_against(b, &half) {
            // Resolving the whole type detects that it has become too large.
            true => self.table.ty(&Arc::new(Type::Exp(Arc::new(whole), access))),
            false => self.broken(),
        }
    }

    /// Makes a unification variable for an access of `Rd` or `Wr`.
    fn memory_access(&mut self, at: TermId) -> Access {
        let access = self.open_access(at);
        self.restrict_access(&Arg::Access(access), false);
        access
    }

    fn open_pair(&mut self, term: TermId) -> (Ty, Ty) {
        let first = self.open_type("s", Classes::DATA, term);
        (first, self.open_type("t", Classes::DATA, term))
    }

    /// Infers `let x = value in body`: the value has access `Rd` and the body is an expression.
    fn let_phrase(
        &mut self,
        binder: BinderId,
        value: TermId,
        body: TermId,
        wanted: Expectation,
    ) -> Ty {
        let data = self.open_type("s", Classes::DATA, value);
        let readable = Arc::new(Type::Exp(data, Access::Rd));
        let ty = match self.check_against(value, &readable) {
            true => readable,
            false => self.broken(),
        };
        self.binders[binder.0 as usize] = BinderInfo::Value(ty.clone());
        let result = self.in_scope(|this| {
            this.bind_value(binder, ty);
            this.body(body, wanted)
        });
        let head = self.table.head(&result);
        if let Type::Exp(data, _) = &*head {
            // The body has access `Rd` or `Wr`: a stream cannot outlive the `let` that makes it.
            let access = self.memory_access(body);
            let memory = Arc::new(Type::Exp(data.clone(), access));
            let (span, why) = (self.span(body), CauseCode::Context);
            let agrees = self.try_unify(&memory, &result, Cause::new(span, why));
            debug_assert!(agrees.is_ok(), "it is of the same data");
        }
        if !matches!(*head, Type::Comm) {
            return result;
        }
        let message = "`let` names a value in an expression, and this is a command";
        self.error(codes::TYPE_MISMATCH, self.span(body), message)
            .help = Some("memory that commands share is made by `new`".into());
        self.broken()
    }

    /// Infers `acceptor = expression`; reports an assignment of data that contains an array.
    fn assignment(&mut self, lhs: TermId, rhs: TermId) -> Ty {
        let data = self.open_type("t", Classes::DATA, lhs);
        if !self.check_against(lhs, &Arc::new(Type::Acc(data.clone()))) {
            self.without_diagnostics(|this| this.synth(rhs));
            return Arc::new(Type::Comm);
        }
        let cause = Cause::new(self.span(rhs), CauseCode::Assigned { lhs });
        let clashes = self.clashes;
        self.check(rhs, &Arc::new(Type::Exp(data.clone(), Access::Rd)), cause);
        let data = self.table.ty(&data);
        if self.clashes == clashes && holds_array(&data) {
            let text = self.show(&data);
            let message = format!("an assignment writes one value, and this is an array `{text}`");
            self.error(codes::TYPE_MISMATCH, self.span(lhs), message)
                .help =
                Some("write its elements in a loop: `for(n, fun(i => idxAcc(i, out) = …))`".into());
        }
        Arc::new(Type::Comm)
    }

    /// Reports the first parameter or other bound value of an item of DPIA whose type is
    /// undetermined, unless there is an error already.
    pub(super) fn report_unknown_phrases(&mut self) {
        if !self.in_dpia() || self.failed() {
            return;
        }
        for index in 0..self.binders.len() {
            let BinderInfo::Value(ty) = &self.binders[index] else {
                continue;
            };
            let Type::Var(var) = &*self.table.head(ty) else {
                continue;
            };
            if !self.table.is_open(*var) {
                continue;
            }
            let binder = &self.item.binders[index];
            let name = binder.name.clone();
            let message = format!("the type of `{name}` is unknown");
            self.error(codes::CANNOT_INFER, binder.span, message).help = Some(format!(
                "write its type, as in `fun({name}: Exp[f32, Rd] => …)`"
            ));
            return;
        }
    }

    /// Returns the type of a readable expression of the data type; in RISE the data type itself.
    pub(super) fn as_phrase(&self, data: Ty) -> Ty {
        match (self.in_dpia(), &*data) {
            (true, Type::Error) | (false, _) => data,
            (true, _) => Arc::new(Type::Exp(data, Access::Rd)),
        }
    }

    /// Returns the data type of an expression or acceptor of DPIA, and other types themselves;
    /// `None` for a term that is not an expression or was not inferred.
    pub(super) fn data_of_phrase(&self, info: &TermInfo) -> Option<Ty> {
        let TermInfo::Expr(ty) = info else {
            return None;
        };
        let head = self.table.head(ty);
        Some(match &*head {
            Type::Exp(data, _) | Type::Acc(data) => self.table.head(data),
            _ => head,
        })
    }
}

/// Makes the type `Exp[s, Rd]`.
fn readable(scalar: ScalarType) -> Ty {
    Arc::new(Type::Exp(Arc::new(Type::Scalar(scalar)), Access::Rd))
}

/// Returns true if an operator has a primitive.
fn is_operator(op: BinaryOp) -> bool {
    super::operators::operator_primitive(op).is_some()
}

/// Returns true if the type contains an array type or a dependent pair; variables do not count.
fn holds_array(data: &Type) -> bool {
    match data {
        Type::Array(..) | Type::DepArray(..) | Type::DepPair(_) => true,
        Type::Pair(a, b) => holds_array(a) || holds_array(b),
        _ => false,
    }
}
