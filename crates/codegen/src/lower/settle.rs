//! What a statement shares ([`super::share`]) as statements and expressions.

use rise::Type;
use rise::core::Origin;
use rustc_hash::FxHashMap;

use super::share::{Choice, Sharing, Value, What};
use super::{Lower, stmt};
use crate::ir::{Expr, ExprKind, Id, Place, Stmt, StmtKind};
use crate::passes::walk;

impl Lower<'_> {
    /// Declares what is used several times, and puts the rest where it is used.
    pub(super) fn settle(&mut self, sharing: Sharing, value: Expr, out: &mut Vec<Stmt>) -> Expr {
        if sharing.values.is_empty() {
            return value;
        }
        let mut counts = Counts {
            lower: self,
            sharing: &sharing,
            uses: vec![0; sharing.values.len()],
            opaque: FxHashMap::default(),
        };
        counts.all(&value);
        let mut settle = Settle {
            kept: sharing.kept(&counts.uses),
            lower: self,
            sharing: &sharing,
        };
        settle.indices();
        settle.declare(0, out);
        let mut value = value;
        settle.put(&mut value);
        value
    }
}

impl Sharing {
    /// Which values have variables of their own, given how often they are used: those that are
    /// used several times, and choices that are statements because of them.
    fn kept(&self, uses: &[usize]) -> Vec<bool> {
        let mut kept = vec![false; uses.len()];
        // What is in a branch has the smaller number.
        for (number, value) in self.values.iter().enumerate() {
            kept[number] = match &value.what {
                _ if uses[number] == 0 => false,
                What::Plain(_) => uses[number] > 1,
                What::Choice(choice) => {
                    let tuple = matches!(&*choice.then.ty, Type::Pair(..));
                    uses[number] > 1 && !tuple || self.is_statement(choice, &kept)
                }
            };
        }
        kept
    }

    /// Whether something in a branch has a variable of its own.
    fn is_statement(&self, choice: &Choice, kept: &[bool]) -> bool {
        let inside = |value: &Value| {
            choice
                .branches()
                .any(|branch| self.is_within(value.region, branch))
        };
        let values = self.values.iter().zip(kept);
        values
            .into_iter()
            .any(|(value, kept)| *kept && inside(value))
    }
}

/// How often each shared value is used by what is used.
struct Counts<'a, 'p> {
    lower: &'a Lower<'p>,
    sharing: &'a Sharing,
    uses: Vec<usize>,
    /// How often indices of data are mentioned.
    opaque: FxHashMap<nat::Var, usize>,
}

impl Counts<'_, '_> {
    fn all(&mut self, expr: &Expr) {
        let mut rest = Vec::new();
        self.parts(expr, &mut rest);
        while let Some(value) = rest.pop() {
            self.uses[value] += 1;
            if self.uses[value] > 1 {
                continue;
            }
            match &self.sharing.values[value].what {
                What::Plain(expr) => self.parts(expr, &mut rest),
                What::Choice(choice) => {
                    for expr in [&choice.condition, &choice.then, &choice.otherwise] {
                        self.parts(expr, &mut rest);
                    }
                    if matches!(&*choice.then.ty, Type::Pair(..)) {
                        self.parts(&choice.condition, &mut rest);
                    }
                }
            }
        }
    }

    fn parts(&mut self, expr: &Expr, out: &mut Vec<usize>) {
        let (sharing, lower) = (self.sharing, self.lower);
        let mut sizes: Vec<nat::Nat> = Vec::new();
        walk::sub_exprs(expr, &mut |part| match &part.kind {
            ExprKind::Load(place) => {
                out.extend(sharing.numbers.get(&place.id));
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
                    self.parts(value, out);
                }
            }
        }
    }
}

/// Puts values in the places of those that are used once.
struct Settle<'a, 'p> {
    lower: &'a mut Lower<'p>,
    sharing: &'a Sharing,
    kept: Vec<bool>,
}

impl Settle<'_, '_> {
    /// Indices of data that the statement brought.
    fn indices(&mut self) {
        for at in self.sharing.opaque..self.lower.function.opaque.len() {
            let mut value = self.lower.function.opaque[at].1.clone();
            self.put(&mut value);
            self.lower.function.opaque[at].1 = value;
        }
    }

    /// Declares what belongs to a region.
    fn declare(&self, region: usize, out: &mut Vec<Stmt>) {
        for (value, kept) in self.sharing.values.iter().zip(&self.kept) {
            if value.region != region || !kept {
                continue;
            }
            if let What::Choice(choice) = &value.what
                && self.sharing.is_statement(choice, &self.kept)
            {
                self.choose(value.id, choice, out);
                continue;
            }
            let mut expr = value.what.expression();
            self.put(&mut expr);
            let origin = expr.origin;
            out.push(stmt(StmtKind::Declare(value.id, Some(expr)), origin));
        }
    }

    /// A choice as a statement.
    fn choose(&self, id: Id, choice: &Choice, out: &mut Vec<Stmt>) {
        let mut condition = choice.condition.clone();
        self.put(&mut condition);
        let branch = |region: usize, result: &Expr| {
            let mut body = Vec::new();
            if region != 0 {
                self.declare(region, &mut body);
            }
            let mut result = result.clone();
            self.put(&mut result);
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

    /// Puts values in the places of the variables that are used once.
    fn put(&self, expr: &mut Expr) {
        if let ExprKind::Pair(a, b) = &expr.kind
            && let Some(whole) = self.whole(a, b)
        {
            *expr = whole;
        }
        if let ExprKind::Load(place) = &expr.kind {
            let number = self.sharing.numbers.get(&place.id).copied();
            let Some(number) = number.filter(|number| !self.kept[*number]) else {
                return;
            };
            let mut value = self.sharing.values[number].what.expression();
            for &second in &place.members {
                value = value.half(second);
            }
            self.put(&mut value);
            *expr = value;
            return;
        }
        for part in walk::parts_mut(expr) {
            self.put(part);
        }
    }

    /// The halves of one shared tuple are that tuple.
    fn whole(&self, a: &Expr, b: &Expr) -> Option<Expr> {
        let (ExprKind::Load(a), ExprKind::Load(b), ty) = (&a.kind, &b.kind, (&a.ty, &b.ty)) else {
            return None;
        };
        let number = *self.sharing.numbers.get(&a.id)?;
        let (first, rest) = a.members.split_last()?;
        let (second, same) = b.members.split_last()?;
        let is_plain = matches!(self.sharing.values[number].what, What::Plain(_));
        if a.id != b.id || rest != same || *first || !*second || !is_plain {
            return None;
        }
        let place = Place {
            members: rest.to_vec(),
            ..a.clone()
        };
        Some(Expr {
            kind: ExprKind::Load(place),
            ty: Type::Pair(ty.0.clone(), ty.1.clone()).into(),
            origin: self.lower.function.variables[a.id.0 as usize].origin,
        })
    }
}

/// The value goes to the place, tuples half by half.
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
