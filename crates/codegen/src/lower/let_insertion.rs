//! Inserts declarations for the values that a statement shares ([`super::common_subexpressions`]):
//! those that are used several times are declared, and the others are inlined.

use rise::Type;
use rise::core::Origin;
use rustc_hash::FxHashMap;

use super::common_subexpressions::{Choice, Computation, Sharing, Value};
use super::{Lower, stmt};
use crate::ir::walk;
use crate::ir::{Expr, ExprKind, Id, Place, Stmt, StmtKind};

impl Lower<'_> {
    /// Appends declarations of the shared values that are used several times, and of choices that
    /// have to be statements, and returns the value of the statement with the other shared values
    /// inlined. They are also inlined into the opaque sizes of the statement.
    pub(super) fn insert_lets(
        &mut self,
        sharing: Sharing,
        value: Expr,
        out: &mut Vec<Stmt>,
    ) -> Expr {
        if sharing.values.is_empty() {
            return value;
        }
        let mut counts = UseCounts {
            lower: self,
            sharing: &sharing,
            uses: vec![0; sharing.values.len()],
            opaque: FxHashMap::default(),
        };
        counts.all(&value);
        let mut insertion = LetInsertion {
            bound: sharing.bound(&counts.uses),
            lower: self,
            sharing: &sharing,
        };
        insertion.substitute_indices();
        insertion.declare(0, out);
        let mut value = value;
        insertion.substitute(&mut value);
        value
    }
}

impl Sharing {
    /// Returns for each value whether it is declared, given the numbers of uses: values with
    /// several uses are, except for tuples that are choices, and so are choices in whose branches a
    /// value is declared. Unused values are not.
    fn bound(&self, uses: &[usize]) -> Vec<bool> {
        let mut bound = vec![false; uses.len()];
        // A value in a branch has a smaller number than the choice.
        for (number, value) in self.values.iter().enumerate() {
            bound[number] = match &value.computation {
                _ if uses[number] == 0 => false,
                Computation::Plain(_) => uses[number] > 1,
                Computation::Choice(choice) => {
                    let tuple = matches!(&*choice.then.ty, Type::Pair(..));
                    uses[number] > 1 && !tuple || self.needs_statement(choice, &bound)
                }
            };
        }
        bound
    }

    /// Returns true if a value in a branch of a choice is declared, so that the choice cannot be an
    /// expression.
    fn needs_statement(&self, choice: &Choice, bound: &[bool]) -> bool {
        let inside = |value: &Value| {
            choice
                .branches()
                .any(|branch| self.is_within(value.region, branch))
        };
        let values = self.values.iter().zip(bound);
        values
            .into_iter()
            .any(|(value, bound)| *bound && inside(value))
    }
}

/// Counts the uses of each shared value, starting from the value of the statement, so that values
/// that it does not need have none.
struct UseCounts<'a, 'p> {
    lower: &'a Lower<'p>,
    sharing: &'a Sharing,
    uses: Vec<usize>,
    /// Maps each opaque size to the number of its uses so far, of which at most two in one
    /// expression are counted.
    opaque: FxHashMap<nat::Var, usize>,
}

impl UseCounts<'_, '_> {
    fn all(&mut self, expr: &Expr) {
        let mut rest = Vec::new();
        self.operands(expr, &mut rest);
        while let Some(value) = rest.pop() {
            self.uses[value] += 1;
            if self.uses[value] > 1 {
                continue;
            }
            match &self.sharing.values[value].computation {
                Computation::Plain(expr) => self.operands(expr, &mut rest),
                Computation::Choice(choice) => {
                    for expr in [&choice.condition, &choice.then, &choice.otherwise] {
                        self.operands(expr, &mut rest);
                    }
                    if matches!(&*choice.then.ty, Type::Pair(..)) {
                        self.operands(&choice.condition, &mut rest);
                    }
                }
            }
        }
    }

    fn operands(&mut self, expr: &Expr, out: &mut Vec<usize>) {
        let (sharing, lower) = (self.sharing, self.lower);
        let mut sizes: Vec<nat::Nat> = Vec::new();
        walk::sub_exprs(expr, &mut |part| match &part.kind {
            ExprKind::Load(place) => {
                out.extend(sharing.by_variable.get(&place.id));
                sizes.extend(place.index.iter().chain(&place.lane).cloned());
            }
            ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
                sizes.push(nat.clone());
            }
            _ => {}
        });
        for (var, value) in lower.function.opaque.iter().skip(sharing.opaque) {
            let mentions = sizes.iter().filter(|nat| nat.mentions(*var)).count();
            for _ in 0..mentions.min(2) {
                let seen = self.opaque.entry(*var).or_default();
                *seen += 1;
                if *seen <= 2 {
                    self.operands(value, out);
                }
            }
        }
    }
}

struct LetInsertion<'a, 'p> {
    lower: &'a mut Lower<'p>,
    sharing: &'a Sharing,
    bound: Vec<bool>,
}

impl LetInsertion<'_, '_> {
    /// Inlines values into the expressions of the opaque sizes that were created while the
    /// statement was read.
    fn substitute_indices(&mut self) {
        for at in self.sharing.opaque..self.lower.function.opaque.len() {
            let mut value = self.lower.function.opaque[at].1.clone();
            self.substitute(&mut value);
            self.lower.function.opaque[at].1 = value;
        }
    }

    /// Appends the declarations of the values in a region that are to be declared.
    fn declare(&self, region: usize, out: &mut Vec<Stmt>) {
        for (value, bound) in self.sharing.values.iter().zip(&self.bound) {
            if value.region != region || !bound {
                continue;
            }
            if let Computation::Choice(choice) = &value.computation
                && self.sharing.needs_statement(choice, &self.bound)
            {
                self.declare_choice(value.id, choice, out);
                continue;
            }
            let mut expr = value.computation.expression();
            self.substitute(&mut expr);
            let origin = expr.origin;
            out.push(stmt(StmtKind::Declare(value.id, Some(expr)), origin));
        }
    }

    /// Appends the declaration of the variable of a choice, and the `if` statement that assigns it.
    fn declare_choice(&self, id: Id, choice: &Choice, out: &mut Vec<Stmt>) {
        let mut condition = choice.condition.clone();
        self.substitute(&mut condition);
        let branch = |region: usize, result: &Expr| {
            let mut body = Vec::new();
            if region != 0 {
                self.declare(region, &mut body);
            }
            let mut result = result.clone();
            self.substitute(&mut result);
            assign_to(Place::plain(id), result, choice.origin, &mut body);
            body
        };
        let kind = StmtKind::If {
            condition,
            then: branch(choice.regions[0], &choice.then),
            otherwise: branch(choice.regions[1], &choice.otherwise),
        };
        out.push(stmt(StmtKind::Declare(id, None), choice.origin));
        out.push(stmt(kind, choice.origin));
    }

    /// Replaces in an expression the variables of shared values that are not declared by their
    /// expressions, and pairs of the components of a shared tuple by the tuple.
    fn substitute(&self, expr: &mut Expr) {
        if let ExprKind::Pair(a, b) = &expr.kind
            && let Some(whole_tuple) = self.whole_tuple(a, b)
        {
            *expr = whole_tuple;
        }
        if let ExprKind::Load(place) = &expr.kind {
            let number = self.sharing.by_variable.get(&place.id).copied();
            let Some(number) = number.filter(|number| !self.bound[*number]) else {
                return;
            };
            let mut value = self.sharing.values[number].computation.expression();
            for &second in &place.members {
                value = value.half(second);
            }
            self.substitute(&mut value);
            *expr = value;
            return;
        }
        for part in walk::parts_mut(expr) {
            self.substitute(part);
        }
    }

    /// Returns a read of the shared tuple, or part of one, whose two components `a` and `b` read;
    /// `None` if there is none.
    fn whole_tuple(&self, a: &Expr, b: &Expr) -> Option<Expr> {
        let (ExprKind::Load(a), ExprKind::Load(b), ty) = (&a.kind, &b.kind, (&a.ty, &b.ty)) else {
            return None;
        };
        let number = *self.sharing.by_variable.get(&a.id)?;
        let (first, rest) = a.members.split_last()?;
        let (second, same) = b.members.split_last()?;
        let is_plain = matches!(
            self.sharing.values[number].computation,
            Computation::Plain(_)
        );
        if a.id != b.id || rest != same || *first || !*second || !is_plain {
            return None;
        }
        let place = Place {
            members: rest.to_vec(),
            ..a.clone()
        };
        Some(Expr::new(
            ExprKind::Load(place),
            Type::Pair(ty.0.clone(), ty.1.clone()).into(),
            self.lower.function.variables[a.id.0 as usize].origin,
        ))
    }
}

/// Appends the assignment of a value to a place; a pair is assigned by its components.
fn assign_to(place: Place, value: Expr, origin: Origin, out: &mut Vec<Stmt>) {
    match value.kind {
        ExprKind::Pair(a, b) => {
            for (second, half) in [(false, *a), (true, *b)] {
                let mut place = place.clone();
                place.members.push(second);
                assign_to(place, half, origin, out);
            }
        }
        _ => out.push(stmt(StmtKind::Assign(place, value), origin)),
    }
}
