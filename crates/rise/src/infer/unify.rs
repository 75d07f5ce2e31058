//! Unification of types and sizes, and the deferred equations between sizes.

use std::sync::Arc;

use nat::{Nat, NatFun, Prop, Solution, Var};
use syntax::Span;
use syntax::ast::{BinaryOp, BinderId, Kind, TermId};

use super::Infer;
use super::unification_table::{State, VarInfo};
use crate::classes::Classes;
use crate::subst::{subst, subst_prop};
use crate::types::{Access, Arg, DataFun, Pi, SizeFun, Ty, Type, var_arg};

/// The reason why two types must be equal, for messages about a mismatch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cause {
    /// The place of a message.
    pub span: Span,
    pub why: CauseCode,
}

impl Cause {
    pub(super) const fn new(span: Span, why: CauseCode) -> Cause {
        Cause { span, why }
    }

    pub(super) const fn context(span: Span) -> Cause {
        Cause::new(span, CauseCode::Context)
    }

    /// Returns the head of the function that takes the value as an argument, and the value; `None`
    /// if the reason is not a call.
    pub(super) const fn call(self) -> Option<(TermId, TermId)> {
        match self.why {
            CauseCode::Argument { head, term } => Some((head, term)),
            CauseCode::Piped { head, value } => Some((head, value)),
            _ => None,
        }
    }

    /// Returns the same reason with another place, that of a part of the term.
    pub(super) const fn at(self, span: Span) -> Cause {
        Cause::new(span, self.why)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum CauseCode {
    /// The type of the argument `term` must be that of the parameter of the function at `head`.
    Argument { head: TermId, term: TermId },
    /// The type of `value` must be that of the parameter of the stage with the function `head`.
    Piped { head: TermId, value: TermId },
    /// The operands of an operator must have the same type.
    Operand {
        op: BinaryOp,
        lhs: TermId,
        rhs: TermId,
    },
    /// The body of a definition must have the written type.
    Written { ty: TermId },
    /// The term of `(e : t)` must have the written type.
    Ascribed { ty: TermId },
    /// The value of an assignment must have the type of the acceptor.
    Assigned { lhs: TermId },
    /// The argument of an annotated parameter must have the annotated type.
    Annotated { param: BinderId },
    /// The context of the term requires the type.
    Context,
}

/// The reason why two types do not unify.
#[derive(Clone, Debug)]
pub(super) enum UnifyError {
    /// The types have different constructors, or are variables without a common instance.
    Types,
    /// The occurs check fails: a variable would have to equal this type, which contains it.
    Infinite(Ty),
    /// The type has no instance in the classes.
    Classes(Classes, Ty),
    /// A rigid variable would escape the scope of its binder.
    Escape(Var),
}

/// A deferred equation between sizes.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub expected: Nat,
    pub found: Nat,
    /// An index into `Infer::demands`.
    pub demand: usize,
}

/// Two types that must be equal, which are kept for messages about their sizes.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub cause: Cause,
    pub expected: Ty,
    pub found: Ty,
}

impl Infer<'_> {
    /// Unifies two types and reports a mismatch; returns true if they unify (equations between
    /// sizes may be deferred).
    pub(super) fn demand(&mut self, expected: &Ty, found: &Ty, cause: Cause) -> bool {
        match self.try_unify(expected, found, cause) {
            Ok(()) => true,
            Err(clash) => {
                self.report_clash(&clash, expected, found, cause);
                false
            }
        }
    }

    /// Solves the type variables of a type that must equal the type of an expression with an error,
    /// so that no further error is about them.
    fn break_variables(&mut self, ty: &Ty) {
        let ty = self.table.ty(ty);
        let mut open = Vec::new();
        for_each_var(&ty, &mut |var| open.push(var));
        for var in open {
            if self.table.is_open(var) && self.table.info(var).kind == Kind::DataType {
                self.solve_var(var, Arg::Type(Arc::new(Type::Error)));
            }
        }
    }

    /// Unifies two types as [`Infer::demand`] does, without a message.
    pub(super) fn try_unify(
        &mut self,
        expected: &Ty,
        found: &Ty,
        cause: Cause,
    ) -> Result<(), UnifyError> {
        self.demands.push(Demand {
            cause,
            expected: expected.clone(),
            found: found.clone(),
        });
        let (before, accesses) = (self.equations.len(), self.accesses.len());
        self.table.begin_unify();
        let result = self.unify(expected, found);
        if result.is_err() {
            // The types differ, so equations between their sizes are irrelevant.
            self.equations.truncate(before);
            self.accesses.truncate(accesses);
        }
        if self.equations.len() == before {
            self.demands.pop();
        }
        result
    }

    /// Unifies the types and returns true if that is possible; otherwise backtracks, so that
    /// nothing changes.
    pub(super) fn attempt(&mut self, expected: &Ty, found: &Ty, cause: Cause) -> bool {
        let snapshot = self.table.snapshot();
        let (equations, obligations, demands, accesses) = (
            self.equations.len(),
            self.obligations.len(),
            self.demands.len(),
            self.accesses.len(),
        );
        match self.try_unify(expected, found, cause) {
            Ok(()) => {
                self.table.commit(snapshot);
                true
            }
            Err(_) => {
                self.table.rollback_to(snapshot);
                self.equations.truncate(equations);
                self.obligations.truncate(obligations);
                self.demands.truncate(demands);
                self.accesses.truncate(accesses);
                self.facts.forget();
                false
            }
        }
    }

    fn unify(&mut self, a: &Ty, b: &Ty) -> Result<(), UnifyError> {
        if Arc::ptr_eq(a, b) || !self.table.count_pair() {
            return Ok(());
        }
        let (a, b) = (self.table.head(a), self.table.head(b));
        match (&*a, &*b) {
            (Type::Error, _) => {
                self.break_variables(&b);
                Ok(())
            }
            (_, Type::Error) => {
                self.break_variables(&a);
                Ok(())
            }
            (Type::Var(x), Type::Var(y)) if x == y => Ok(()),
            (Type::Var(x), Type::Var(y)) if self.table.is_open(*x) && self.table.is_open(*y) => {
                self.merge(*x, *y, &a)
            }
            (Type::Var(x), _) if self.table.is_open(*x) => self.bind(*x, &b),
            (_, Type::Var(y)) if self.table.is_open(*y) => self.bind(*y, &a),
            (Type::Scalar(s), Type::Scalar(t)) if s == t => Ok(()),
            (Type::Index(m), Type::Index(n)) => {
                self.equate(m, n);
                Ok(())
            }
            (Type::Vector(m, s), Type::Vector(n, t)) | (Type::Array(m, s), Type::Array(n, t)) => {
                self.equate(m, n);
                self.unify(s, t)
            }
            (Type::Pair(s, t), Type::Pair(u, v)) => {
                let first = self.unify(s, u);
                self.unify(t, v).and(first)
            }
            (Type::Fun(s, t), Type::Fun(u, v)) => {
                self.accesses.flip_variance();
                let first = self.unify(s, u);
                self.accesses.flip_variance();
                self.unify(t, v).and(first)
            }
            (Type::Exp(s, wanted), Type::Exp(t, found)) => {
                self.demand_access(*wanted, *found, s);
                self.unify(s, t)
            }
            (Type::Acc(s), Type::Acc(t)) => self.unify(s, t),
            (Type::Comm, Type::Comm) => Ok(()),
            (Type::DepArray(m, f), Type::DepArray(n, g)) => {
                self.equate(m, n);
                self.unify_data_fun(f, g, Some(m))
            }
            (Type::DepPair(f), Type::DepPair(g)) => self.unify_data_fun(f, g, None),
            (Type::Apply(f, m), Type::Apply(g, n)) if f == g => {
                self.equate(m, n);
                Ok(())
            }
            (Type::Apply(f, n), _) if self.table.is_open(*f) => self.bind_data_fun(*f, n, &b),
            (_, Type::Apply(f, n)) if self.table.is_open(*f) => self.bind_data_fun(*f, n, &a),
            (Type::Pi(p), Type::Pi(q)) if p.kind == q.kind && p.implicit == q.implicit => {
                self.unify_pi(p, q)
            }
            _ => Err(UnifyError::Types),
        }
    }

    /// Unifies the types of two dependent functions. The conditions of the found type must follow
    /// from those of the expected one.
    fn unify_pi(&mut self, p: &Pi, q: &Pi) -> Result<(), UnifyError> {
        let name = self.table.info(p.var).name.clone();
        let skolem = self.skolem(name, p.kind);
        let arg = self.var_as_arg(skolem, p.kind);
        let (expected, found) = match self.accesses.is_contravariant() {
            true => (q, p),
            false => (p, q),
        };
        self.assume_conditions_of(expected, skolem);
        let span = self.current_span();
        for prop in found.conditions.iter() {
            let put = |v: Var| (v == found.var).then(|| arg.clone());
            self.require(subst_prop(prop, &put), span);
        }
        let (a, b) = (self.instance(p, &arg), self.instance(q, &arg));
        self.unify(&a, &b)
    }

    fn unify_data_fun(
        &mut self,
        f: &DataFun,
        g: &DataFun,
        range: Option<&Nat>,
    ) -> Result<(), UnifyError> {
        let (f, g) = (self.table.data_fun(f), self.table.data_fun(g));
        match (&f, &g) {
            (DataFun::Var(x), DataFun::Var(y)) if x == y => Ok(()),
            (DataFun::Var(x), _) if self.table.is_open(*x) && !fun_mentions(&g, *x) => {
                self.solve_data_fun(*x, g)
            }
            (_, DataFun::Var(y)) if self.table.is_open(*y) && !fun_mentions(&f, *y) => {
                self.solve_data_fun(*y, f)
            }
            // A function that mentions the other one can equal it pointwise only, as `f` and
            // `dataFun(i => f(i))` do.
            _ => {
                let skolem = self.skolem("i".into(), Kind::Nat);
                self.table.update(skolem).range = range.cloned();
                let at = Nat::var(skolem);
                let (a, b) = (
                    self.table.apply_data_fun(&f, &at),
                    self.table.apply_data_fun(&g, &at),
                );
                self.unify(&a, &b)
            }
        }
    }

    /// Solves a function variable with a value that does not mention it.
    fn solve_data_fun(&mut self, f: Var, value: DataFun) -> Result<(), UnifyError> {
        let mut free = Vec::new();
        for_each_var_fun(&value, &mut |v| free.push(v));
        self.check_scope(f, &free)?;
        self.solve_var(f, Arg::DataFun(value));
        Ok(())
    }

    /// Solves `f(n) = ty` for the unification variable `f`: abstracts over `n` if it is a rigid
    /// variable, otherwise the function is constant.
    pub(super) fn bind_data_fun(&mut self, f: Var, n: &Nat, ty: &Ty) -> Result<(), UnifyError> {
        let n = self.table.nat(n);
        let ty = self.table.ty(ty);
        let rigid = n.as_var().filter(|&v| self.table.is_rigid(v));
        let name = rigid.map_or_else(|| "i".into(), |v| self.table.info(v).name.clone());
        let param = self.skolem(name, Kind::Nat);
        let body = match rigid {
            Some(var) => subst(&ty, &|v| (v == var).then(|| Arg::Nat(Nat::var(param)))),
            _ => ty,
        };
        if mentions(&body, f) {
            return Err(UnifyError::Infinite(body));
        }
        self.solve_data_fun(f, DataFun::Lambda(param, body))
    }

    fn merge(&mut self, x: Var, y: Var, a: &Ty) -> Result<(), UnifyError> {
        let (classes_x, classes_y) = (self.table.info(x).classes, self.table.info(y).classes);
        let both = classes_x.and(classes_y);
        if both.is_empty() {
            return Err(UnifyError::Types);
        }
        let level = self.table.info(x).level.min(self.table.info(y).level);
        // A name from the text is preferred to one from a signature.
        self.solve_var(y, Arg::Type(a.clone()));
        let info = self.table.update(x);
        info.classes = both;
        info.level = level;
        Ok(())
    }

    fn bind(&mut self, x: Var, ty: &Ty) -> Result<(), UnifyError> {
        let ty = self.table.ty(ty);
        if mentions(&ty, x) {
            return Err(UnifyError::Infinite(ty));
        }
        if let Type::Apply(fun, at) = &*ty
            && self.table.is_open(*fun)
            && !Classes::DATA.within(self.table.info(x).classes)
        {
            return self.bind_data_fun(*fun, at, &Arc::new(Type::Var(x)));
        }
        self.restrict(&ty, self.table.info(x).classes)?;
        let mut free = Vec::new();
        for_each_var(&ty, &mut |v| free.push(v));
        self.check_scope(x, &free)?;
        self.solve_var(x, Arg::Type(ty));
        Ok(())
    }

    /// Checks that no variable of a solution of `x` is bound deeper than `x`; unification variables
    /// are moved out to its level.
    fn check_scope(&mut self, x: Var, free: &[Var]) -> Result<(), UnifyError> {
        let level = self.table.info(x).level;
        for &v in free {
            let info = self.table.info(v);
            if info.level <= level {
                continue;
            }
            match info.state {
                State::Rigid => return Err(UnifyError::Escape(v)),
                _ => self.table.update(v).level = level,
            }
        }
        Ok(())
    }

    /// Solves a unification variable.
    pub(super) fn solve_var(&mut self, x: Var, value: Arg) {
        let at = self.current_span();
        if self.obligation_vars.contains(&x) {
            self.facts.forget();
        }
        self.table.update(x).state = State::Solved(value, at);
        self.solved_since_retry = true;
    }

    /// Returns the place for messages about the current unification: for a pipe, that of the
    /// function of the last stage of the piped value.
    pub(super) fn current_span(&self) -> Span {
        match self.demands.last().map(|d| d.cause) {
            Some(Cause {
                why: CauseCode::Piped { value, .. },
                ..
            }) => self.last_stage(value),
            Some(cause) => cause.span,
            None => Span::default(),
        }
    }

    /// Unifies two sizes, or defers the equation.
    pub(super) fn equate(&mut self, expected: &Nat, found: &Nat) {
        let (expected, found) = (self.table.nat(expected), self.table.nat(found));
        if expected == found {
            return;
        }
        let demand = self.demands.len().saturating_sub(1);
        if !self.try_equate(&expected, &found, demand) {
            self.equations.push(Equation {
                expected,
                found,
                demand,
            });
        }
    }

    /// Solves or proves the equation if that is possible now. Returns false otherwise.
    fn try_equate(&mut self, expected: &Nat, found: &Nat, demand: usize) -> bool {
        // A fast path for the common case without collecting facts: an unknown equals a size.
        for (x, value) in [(expected, found), (found, expected)] {
            if let Some(x) = x.as_var()
                && self.table.is_open(x)
                && !value.mentions(x)
                && self.nat_in_scope(x, value)
            {
                self.solve_nat(x, value.clone());
                return true;
            }
        }
        for (side, value) in [(expected, found), (found, expected)] {
            if let Some((f, arg)) = side.as_apply()
                && self.table.is_open(f)
                && self.solve_size_fun(f, &arg, value)
            {
                return true;
            }
        }
        if self.deferring {
            return false;
        }
        let inner = vars_of([expected, found]);
        let facts = self.facts_for(&inner);
        let table = &self.table;
        if !inner.iter().any(|&v| table.is_open(v)) {
            // Equations between rigid sizes are proved now or decided at the end.
            return facts.proves(&Prop::Equal(expected.clone(), found.clone()));
        }
        let solution = nat::solve(
            expected,
            found,
            &facts,
            &|v| table.is_open(v) && table.info(v).kind == Kind::Nat,
            &|x, v| table.visible(x, v),
        );
        match solution {
            Solution::Trivial => true,
            Solution::Solved(assignments) if !self.dividing && divides_by_more(&assignments) => {
                false
            }
            Solution::Solved(assignments) => {
                let span = self.demands[demand].cause.span;
                for assignment in assignments {
                    self.solve_nat(assignment.var, assignment.value);
                    for need in assignment.needs {
                        self.require(need, span);
                    }
                }
                true
            }
            Solution::Refuted(_) | Solution::Stuck => false,
        }
    }

    /// Solves `f(i) = value` for the unification variable `f` and a rigid variable `i` by
    /// abstracting over `i`. Returns false if that is impossible.
    fn solve_size_fun(&mut self, f: Var, arg: &Nat, value: &Nat) -> bool {
        let Some(index) = arg.as_var().filter(|&v| self.table.is_rigid(v)) else {
            return false;
        };
        let param = self.skolem(self.table.info(index).name.clone(), Kind::Nat);
        let body = value.subst(&|v| (v == index).then(|| Nat::var(param)));
        let level = self.table.info(f).level;
        let escapes = body
            .any_var(&|v| v != param && self.table.info(v).level > level && self.table.is_rigid(v));
        if escapes || value.mentions(f) {
            return false;
        }
        self.adjust_levels(level, &body);
        self.solve_var(f, Arg::SizeFun(SizeFun::Lambda(NatFun { param, body })));
        true
    }

    fn nat_in_scope(&self, x: Var, value: &Nat) -> bool {
        let level = self.table.info(x).level;
        let mut fine = true;
        value.for_each_var(&mut |v| {
            let info = self.table.info(v);
            fine &= info.level <= level || matches!(info.state, State::Open);
        });
        fine
    }

    fn solve_nat(&mut self, x: Var, value: Nat) {
        self.adjust_levels(self.table.info(x).level, &value);
        self.solve_var(x, Arg::Nat(value));
    }

    /// Moves the unification variables of a size out to `level`.
    fn adjust_levels(&mut self, level: u32, size: &Nat) {
        let mut deeper = Vec::new();
        size.for_each_var(&mut |v| deeper.push(v));
        for v in deeper {
            if self.table.info(v).level > level && self.table.is_open(v) {
                self.table.update(v).level = level;
            }
        }
    }

    /// Retries the deferred equations as long as that solves variables.
    pub(super) fn solve_deferred(&mut self) {
        while self.solved_since_retry && !self.equations.is_empty() {
            self.solved_since_retry = false;
            let equations = std::mem::take(&mut self.equations);
            for equation in equations {
                let (a, b) = self.table.sides(&equation);
                if a != b && !self.try_equate(&a, &b, equation.demand) {
                    self.equations.push(equation);
                }
            }
        }
        self.solved_since_retry = false;
    }

    /// Solves the remaining equations in order, also those whose solution requires a condition such
    /// as `n/8 divides n`.
    pub(super) fn solve_deferred_quotients(&mut self) {
        let mut at = 0;
        while let Some(equation) = self.equations.get(at).cloned() {
            let (a, b) = self.table.sides(&equation);
            self.dividing = true;
            let solved = self.try_equate(&a, &b, equation.demand);
            self.dividing = false;
            if solved {
                self.equations.remove(at);
                self.solve_deferred();
                at = 0;
            } else {
                at += 1;
            }
        }
    }

    /// Makes a Skolem constant: a rigid variable, one level deeper.
    pub(super) fn skolem(&mut self, name: syntax::ast::Name, kind: Kind) -> Var {
        let (level, span) = (self.level + 1, self.current_span());
        let info = VarInfo::new(name, kind, level, State::Rigid, span);
        self.table.add(VarInfo {
            inner: true,
            ..info
        })
    }

    /// Makes the type-level argument that is the variable of this kind.
    pub(super) fn var_as_arg(&self, var: Var, kind: Kind) -> Arg {
        var_arg(var, kind)
    }
}

/// Returns true if a solution is a quotient whose divisor is neither a name nor a number, with the
/// condition that there is no remainder. Other equations may give a solution without a condition.
fn divides_by_more(assignments: &[nat::Assignment]) -> bool {
    let simple = |d: &Nat| d.as_var().is_some() || d.as_const().is_some();
    let needs = assignments.iter().flat_map(|a| &a.needs);
    needs
        .into_iter()
        .any(|need| matches!(need, Prop::Divides(d, _) if !simple(d)))
}

/// Returns the variables of two sizes, once per occurrence.
pub(super) fn vars_of(sides: [&Nat; 2]) -> Vec<Var> {
    let mut vars = Vec::new();
    for side in sides {
        side.for_each_var(&mut |v| vars.push(v));
    }
    vars
}

/// The occurs check: returns true if the type variable occurs in a resolved type.
pub(super) fn mentions(ty: &Ty, x: Var) -> bool {
    let mut found = false;
    for_each_var(ty, &mut |v| found |= v == x);
    found
}

fn fun_mentions(fun: &DataFun, x: Var) -> bool {
    let mut found = false;
    for_each_var_fun(fun, &mut |v| found |= v == x);
    found
}

/// Calls `f` for every free variable of a type, once per occurrence.
pub(crate) fn for_each_var(ty: &Type, f: &mut dyn FnMut(Var)) {
    for_each_free_var(ty, &mut Vec::new(), f);
}

fn for_each_free_var(ty: &Type, bound: &mut Vec<Var>, f: &mut dyn FnMut(Var)) {
    let depth = bound.len();
    let mut free = |v: Var, bound: &[Var]| {
        if !bound.contains(&v) {
            f(v);
        }
    };
    if let Type::Var(v) | Type::Apply(v, _) = ty {
        free(*v, bound);
    }
    if let Some(size) = ty.size() {
        size.for_each_var(&mut |v| free(v, bound));
    }
    if let Type::DepArray(_, DataFun::Var(v)) | Type::DepPair(DataFun::Var(v)) = ty {
        free(*v, bound);
    }
    bound.extend(ty.binder());
    if let Type::Pi(pi) = ty {
        for prop in pi.conditions.iter() {
            prop.for_each_var(&mut |v| free(v, bound));
        }
    }
    for part in ty.components() {
        for_each_free_var(part, bound, f);
    }
    bound.truncate(depth);
    if let Type::Exp(_, Access::Var(v)) = ty
        && !bound.contains(v)
    {
        f(*v);
    }
}

fn for_each_var_fun(fun: &DataFun, f: &mut dyn FnMut(Var)) {
    match fun {
        DataFun::Var(v) => f(*v),
        DataFun::Lambda(param, body) => for_each_free_var(body, &mut vec![*param], f),
    }
}
