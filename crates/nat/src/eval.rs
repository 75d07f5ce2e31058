//! Evaluation of sizes.

use crate::division::{floor_div, floor_rem};
use crate::repr::{Atom, Nat, Op, Repr, Var};

/// The greatest number of sizes, operands and summands of sums included, that one evaluation
/// computes. It limits the time for long and nested sums.
const MAX_STEPS: u32 = 200_000;

impl Nat {
    /// Evaluates the size, with the values of variables from `vars` and those of size functions at
    /// arguments from `funs`. Returns `None` if one of them returns `None`, if the size is
    /// undefined, on overflow, or if the evaluation takes too many steps.
    pub fn eval(
        &self,
        vars: &dyn Fn(Var) -> Option<i64>,
        funs: &dyn Fn(Var, i64) -> Option<i64>,
    ) -> Option<i64> {
        let value = Evaluation::new(vars, funs).nat(self)?;
        i64::try_from(value).ok()
    }

    /// Returns true if the size has no variables, and its value or a part of it does not fit into
    /// 64 bits. Returns false if the evaluation takes too many steps.
    pub fn overflows(&self) -> bool {
        if self.as_const().is_some() || self.any_var(&|_| true) {
            return false;
        }
        let mut evaluation = Evaluation::new(&|_| None, &|_, _| None);
        let value = evaluation.nat(self);
        evaluation.steps <= MAX_STEPS && value.is_none_or(|value| i64::try_from(value).is_err())
    }
}

struct Evaluation<'a> {
    vars: &'a dyn Fn(Var) -> Option<i64>,
    funs: &'a dyn Fn(Var, i64) -> Option<i64>,
    indices: Vec<i64>,
    steps: u32,
}

impl<'a> Evaluation<'a> {
    fn new(
        vars: &'a dyn Fn(Var) -> Option<i64>,
        funs: &'a dyn Fn(Var, i64) -> Option<i64>,
    ) -> Evaluation<'a> {
        Evaluation {
            vars,
            funs,
            indices: Vec::new(),
            steps: 0,
        }
    }

    fn nat(&mut self, nat: &Nat) -> Option<i128> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let terms = match &nat.0 {
            Repr::Const(value) => return Some(i128::from(*value)),
            Repr::Var(var) => return (self.vars)(*var).map(i128::from),
            Repr::Poly(terms) => terms,
        };
        let mut sum = 0i128;
        for term in terms.iter() {
            let mut product = i128::from(term.coeff);
            for factor in &term.mono.0 {
                let value = self.atom(&factor.atom)?;
                product = product.checked_mul(value.checked_pow(factor.exp)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    fn small(&mut self, nat: &Nat) -> Option<i64> {
        i64::try_from(self.nat(nat)?).ok()
    }

    fn atom(&mut self, atom: &Atom) -> Option<i128> {
        let node = match atom {
            Atom::Var(var) => return (self.vars)(*var).map(i128::from),
            Atom::Bound(index) => {
                let at = self.indices.len().checked_sub(*index as usize + 1)?;
                return Some(i128::from(self.indices[at]));
            }
            Atom::Node(node) => node,
        };
        Some(match &node.op {
            Op::Div(a, b) => i128::from(floor_div(self.small(a)?, self.small(b)?)?),
            Op::Mod(a, b) => i128::from(floor_rem(self.small(a)?, self.small(b)?)?),
            Op::Pow(a, b) => power(self.nat(a)?, self.nat(b)?)?,
            Op::Min(all) => self.all(all)?.into_iter().min()?,
            Op::Max(all) => self.all(all)?.into_iter().max()?,
            Op::Log2(a) => i128::from(self.nat(a)?.checked_ilog2()?),
            Op::Sum { from, to, body } => self.sum(from, to, body)?,
            Op::App(fun, arg) => {
                let arg = self.small(arg)?;
                i128::from((self.funs)(*fun, arg)?)
            }
            Op::BigAdd(a, b) => self.nat(a)?.checked_add(self.nat(b)?)?,
            Op::BigMul(a, b) => self.nat(a)?.checked_mul(self.nat(b)?)?,
            Op::TooBig { .. } => return None,
        })
    }

    fn all(&mut self, all: &[Nat]) -> Option<Vec<i128>> {
        all.iter().map(|nat| self.nat(nat)).collect()
    }

    fn sum(&mut self, from: &Nat, to: &Nat, body: &Nat) -> Option<i128> {
        let (from, to) = (self.small(from)?, self.small(to)?);
        let mut sum = 0i128;
        for index in from..to {
            self.indices.push(index);
            let value = self.nat(body);
            self.indices.pop();
            sum = sum.checked_add(value?)?;
        }
        Some(sum)
    }
}

fn power(base: i128, exp: i128) -> Option<i128> {
    match (base, u32::try_from(exp)) {
        (_, Ok(exp)) if exp < 128 => base.checked_pow(exp),
        (0 | 1, _) if exp >= 0 => Some(base),
        (-1, _) if exp >= 0 => Some(if exp % 2 == 0 { 1 } else { -1 }),
        _ => None,
    }
}
