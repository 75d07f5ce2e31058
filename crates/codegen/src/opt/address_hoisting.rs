//! Hoists address computations: minima, maxima and quotients of counters that inner loops compute,
//! or that are computed several times, are declared in the body of the loop whose counter they
//! depend on, as people write them: `const int before = i > 0 ? i - 1 : 0;` for the row above, and
//! the length of a row.
//!
//! This is loop-invariant code motion and common subexpression elimination for sizes (Aho, Lam,
//! Sethi and Ullman, *Compilers*, section 9.5).

use std::sync::Arc;

use nat::{Facts, Nat, Part, Prop, Summand, Var};
use rise::core::Origin;
use rise::{Ty, Type};
use syntax::ast::{Name, ScalarType};

use crate::ir::{Expr, ExprKind, Function, Loop, LoopMode, Maker, Place, Stmt, StmtKind, Variable};

use super::{Pass, Run};
use crate::analysis::conditions::assume_counter;
use crate::analysis::conditions::solve_for_zero;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};

pub(crate) const PASS: Pass = Pass {
    name: "address-hoisting",
    run: Run::Always(hoist_addresses),
    changes: Changes {
        moved: "uses an index that is computed in advance",
        repeated: "each array has a variable for its index",
        rewritten: "uses a variable for the common part of several indices",
    },
};

/// Declares minima and maxima of counters, and ends of loops and indices of pointer assignments
/// that contain a division, if they are computed several times or, without a division, in an inner
/// loop.
fn hoist_addresses(function: &mut Function) {
    let facts = function.known();
    let mut body = std::mem::take(&mut function.body);
    let mut pass = AddressHoisting {
        function,
        facts,
        counters: Vec::new(),
    };
    pass.block(&mut body);
    function.body = body;
}

struct AddressHoisting<'f> {
    function: &'f mut Function,
    facts: Facts,
    /// The counters of the enclosing loops with the ends of their ranges, outermost first.
    counters: Vec<(Var, Nat)>,
}

/// A size that may be declared in the body of a loop.
struct Candidate {
    nat: Nat,
    occurrences: usize,
    in_inner_loop: bool,
    is_loop_end: bool,
}

impl AddressHoisting<'_> {
    fn block(&mut self, body: &mut [Stmt]) {
        for stmt in body {
            if let StmtKind::For(Loop {
                counter,
                from,
                to,
                step,
                mode,
                body,
            }) = &mut stmt.kind
            {
                let facts = self.facts.clone();
                assume_counter(&mut self.facts, *counter, from, to, step);
                self.counters.push((*counter, to.clone()));
                // Loops whose iterations are distributed together must be perfectly nested.
                let nested = matches!(body.as_slice(), [Stmt { kind: StmtKind::For(Loop { mode, .. }), .. }] if *mode == LoopMode::Parallel);
                if !(nested && *mode == LoopMode::Parallel) {
                    self.hoist_into_body(body, stmt.origin);
                }
                self.block(body);
                self.counters.pop();
                self.facts = facts;
            } else {
                walk::each_block(stmt, &mut |body| self.block(body));
            }
        }
    }

    /// Declares at the start of the body of a loop the sizes that it computes several times or,
    /// without a division, in an inner loop, and replaces them by the declared variables.
    fn hoist_into_body(&mut self, body: &mut Vec<Stmt>, origin: Origin) {
        let mut found = Vec::new();
        self.collect(body, false, &mut found);
        found.retain(|one: &Candidate| one.occurrences > 1 || one.in_inner_loop);
        let mut declarations = Vec::new();
        for Candidate {
            nat, is_loop_end, ..
        } in found
        {
            let name = if is_loop_end && !has_division(&nat) {
                "end".into()
            } else {
                self.descriptive_name(&nat)
            };
            if let Some((declaration, var)) = self.declare(&nat, name, origin) {
                let mut put = ReplaceSize {
                    target: &nat,
                    by: Nat::var(var),
                };
                walk::change_all(body, &mut put);
                declarations.push(declaration);
            }
        }
        body.splice(0..0, declarations);
    }

    fn is_known(&self, var: Var) -> bool {
        self.function.sizes.contains(&var) || self.counters.iter().any(|(c, _)| *c == var)
    }

    /// Returns true if a size contains no other variables than size parameters and the counters of
    /// the enclosing loops, and at least one of these counters.
    fn is_fixed(&self, nat: &Nat) -> bool {
        !nat.any_var(&|var| !self.is_known(var))
            && self.counters.iter().any(|(c, _)| nat.mentions(*c))
    }

    fn collect(&self, body: &[Stmt], inside: bool, out: &mut Vec<Candidate>) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::For(Loop { from, to, body, .. }) => {
                    self.collect_extrema(from, inside, out);
                    self.collect_extrema(to, inside, out);
                    if has_division(to) {
                        self.record(to.clone(), inside, out);
                    }
                    if let Some(found) = out.iter_mut().find(|found| found.nat == *to) {
                        found.is_loop_end = true;
                    }
                    self.collect(body, true, out);
                }
                StmtKind::Block(body) => self.collect(body, inside, out),
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.collect_from_expr(condition, inside, out);
                    self.collect(then, inside, out);
                    self.collect(otherwise, inside, out);
                }
                StmtKind::Declare(_, Some(value)) => self.collect_from_expr(value, inside, out),
                StmtKind::Assign(place, value) => {
                    self.collect_from_place(place, inside, out);
                    self.collect_from_expr(value, inside, out);
                }
                StmtKind::Point(_, place) => {
                    self.collect_from_place(place, inside, out);
                    if let Some(index) = place.index.as_ref().filter(|index| has_division(index)) {
                        self.record(index.clone(), inside, out);
                    }
                }
                StmtKind::Reduce(reduce) => {
                    self.collect(&reduce.element_body, true, out);
                    self.collect(&reduce.combine, true, out);
                }
                StmtKind::Kernel(kernel) => self.collect(&kernel.body, inside, out),
                StmtKind::Declare(_, None) | StmtKind::Swap(..) | StmtKind::Barrier(_) => {}
            }
        }
    }

    fn collect_from_expr(&self, expr: &Expr, inside: bool, out: &mut Vec<Candidate>) {
        walk::sub_exprs(expr, &mut |part| match &part.kind {
            ExprKind::Load(place) => self.collect_from_place(place, inside, out),
            ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
                self.collect_extrema(nat, inside, out);
            }
            _ => {}
        });
    }

    fn collect_from_place(&self, place: &Place, inside: bool, out: &mut Vec<Candidate>) {
        for nat in [&place.index, &place.lane].into_iter().flatten() {
            self.collect_extrema(nat, inside, out);
        }
    }

    fn collect_extrema(&self, nat: &Nat, inside: bool, out: &mut Vec<Candidate>) {
        for summand in nat.summands() {
            for (part, _) in &summand.factors {
                match part {
                    Part::Min(_) | Part::Max(_) => {
                        let whole = rebuild(part, &|nat| nat.clone());
                        if let Some(whole) = whole.filter(|whole| self.is_fixed(whole)) {
                            self.record(whole, inside, out);
                        }
                    }
                    Part::Div(a, b) | Part::Rem(a, b) => {
                        self.collect_extrema(a, inside, out);
                        self.collect_extrema(b, inside, out);
                    }
                    _ => {}
                }
            }
        }
    }

    fn record(&self, nat: Nat, inside: bool, out: &mut Vec<Candidate>) {
        if !self.is_fixed(&nat) {
            return;
        }
        let is_loop_end = has_division(&nat);
        match out.iter_mut().find(|found| found.nat == nat) {
            Some(found) => {
                found.occurrences += 1;
                found.in_inner_loop |= inside && !is_loop_end;
            }
            None => out.push(Candidate {
                nat,
                occurrences: 1,
                in_inner_loop: inside && !is_loop_end,
                is_loop_end: false,
            }),
        }
    }

    /// Creates a constant with the value of a size, and returns its declaration and its size
    /// variable; `None` if the size may be negative, or if it is a minimum or maximum without a
    /// known bound.
    fn declare(&mut self, nat: &Nat, name: Name, origin: Origin) -> Option<(Stmt, Var)> {
        let at_least = |a: &Nat, b: Nat| self.facts.proves(&Prop::AtLeast(a.clone(), b));
        if !at_least(nat, Nat::ZERO) {
            return None;
        }
        let ends = self.counters.iter().rev().map(|(_, to)| to.clone());
        let members = extremum_operands(nat).into_iter().map(|member| member + 1);
        let bound = ends
            .chain(members)
            .filter(|end| !self.counters.iter().any(|(c, _)| end.mentions(*c)))
            .find(|end| at_least(end, nat + 1));
        let ty: Ty = match bound {
            Some(bound) => Arc::new(Type::Index(bound)),
            None if extremum_operands(nat).is_empty() => {
                Arc::new(Type::Scalar(ScalarType::NatType))
            }
            None => return None,
        };
        let variable = Variable::scalar(name.clone(), ty.clone(), origin);
        let id = self.function.fresh_variable(variable);
        let var = self.function.fresh_size(&name);
        let expr = |kind: ExprKind| Expr::new(kind, ty.clone(), origin);
        let value = expr(ExprKind::Load(Place::plain(id)));
        self.function.opaque.push((var, value));
        if let Type::Index(n) = &*ty {
            self.facts.index(var, n);
        }
        let value = expr(ExprKind::Nat(nat.clone()));
        let declaration = Stmt::new(
            StmtKind::Declare(id, Some(value)),
            origin,
            Some(Maker::Pass(PASS.name)),
        );
        Some((declaration, var))
    }

    /// Returns the name of a constant. A size that is no minimum or maximum is named `length`. A
    /// minimum or maximum of two sizes is named `before` or `after` if its operand with the
    /// innermost counter is that counter less or plus a number, otherwise `edge` if the operands
    /// are equal for one value of the counter; other ones are named `at`.
    fn descriptive_name(&self, nat: &Nat) -> Name {
        let members = extremum_operands(nat);
        let [a, b] = members.as_slice() else {
            return if members.is_empty() { "length" } else { "at" }.into();
        };
        let counter = self.counters.iter().rev().find(|(c, _)| nat.mentions(*c));
        let Some((counter, _)) = counter else {
            return "at".into();
        };
        let counter = *counter;
        let moving = if a.mentions(counter) { a } else { b };
        let distance = Nat::sub(moving, &Nat::var(counter)).as_const();
        match distance {
            Some(distance) if distance < 0 => "before".into(),
            Some(distance) if distance > 0 => "after".into(),
            _ if solve_for_zero(&Nat::sub(a, b), counter).is_some() => "edge".into(),
            _ => "at".into(),
        }
    }
}

fn extremum_operands(nat: &Nat) -> Vec<Nat> {
    let summands = nat.summands();
    let [summand] = summands.as_slice() else {
        return Vec::new();
    };
    match summand.factors.as_slice() {
        [(Part::Min(all) | Part::Max(all), 1)] => all.to_vec(),
        _ => Vec::new(),
    }
}

/// Returns true if a quotient or a remainder is a factor of a summand of a size, not only a part of
/// a factor.
pub(crate) fn has_division(nat: &Nat) -> bool {
    let division = |(part, _): &(Part<'_>, u32)| matches!(part, Part::Div(..) | Part::Rem(..));
    nat.summands()
        .iter()
        .any(|summand| summand.factors.iter().any(division))
}

struct ReplaceSize<'n> {
    target: &'n Nat,
    by: Nat,
}

impl Change for ReplaceSize<'_> {
    fn nat(&mut self, nat: &mut Nat) {
        *nat = replace_subterm(nat, self.target, &self.by);
    }
}

/// Returns a size with `by` in place of each occurrence of the subterm `target`.
fn replace_subterm(nat: &Nat, target: &Nat, by: &Nat) -> Nat {
    if nat == target {
        return by.clone();
    }
    let inner = |nat: &Nat| replace_subterm(nat, target, by);
    let mut out = nat.clone();
    for summand in nat.summands() {
        let old = product(&summand, &|part| rebuild(part, &|nat| nat.clone()));
        let new = product(&summand, &|part| {
            let whole = rebuild(part, &|nat| nat.clone())?;
            if whole == *target {
                Some(by.clone())
            } else {
                rebuild(part, &inner)
            }
        });
        if let (Some(old), Some(new)) = (old, new)
            && old != new
        {
            out = Nat::sub(&out, &old) + &new;
        }
    }
    out
}

fn product(summand: &Summand<'_>, part: &dyn Fn(&Part<'_>) -> Option<Nat>) -> Option<Nat> {
    let mut out = Nat::constant(summand.coeff);
    for (factor, exp) in &summand.factors {
        let factor = part(factor)?;
        for _ in 0..*exp {
            out = &out * &factor;
        }
    }
    Some(out)
}

/// Returns a factor of a size with its operands replaced; `None` unless the factor is a variable,
/// minimum, maximum, quotient or remainder.
fn rebuild(part: &Part<'_>, operand: &dyn Fn(&Nat) -> Nat) -> Option<Nat> {
    let joined = |all: &[Nat], join: fn(&Nat, &Nat) -> Nat| {
        all.iter().map(operand).reduce(|a, b| join(&a, &b))
    };
    match part {
        Part::Var(var) => Some(Nat::var(*var)),
        Part::Min(all) => joined(all, Nat::min),
        Part::Max(all) => joined(all, Nat::max),
        Part::Div(a, b) => Some(Nat::div(&operand(a), &operand(b))),
        Part::Rem(a, b) => Some(Nat::rem(&operand(a), &operand(b))),
        Part::Add(..)
        | Part::Mul(..)
        | Part::Pow(..)
        | Part::Index(_)
        | Part::Log2(_)
        | Part::Sum { .. }
        | Part::Apply(..)
        | Part::TooBig { .. } => None,
    }
}
