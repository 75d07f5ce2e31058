//! Prints sizes and indices as integer expressions of C.

use crate::targets::CDialect;
use dpia::IndexWidth;
use nat::{Nat, Part, Summand, Var};

use crate::analysis::arith::{Arith, Ranks, arrange, as_remainders};
use crate::analysis::conditions::solve_for_zero;
use syntax::ast::ScalarType;

use super::helpers::Helper;
use super::large::{divides_large, is_large};
use super::{Prec, Printer};
use crate::error::{self, Result};

impl Printer<'_> {
    pub(in crate::targets) fn nat(&mut self, nat: &Nat, least: Prec) -> Result<()> {
        self.at_least(least, |this| this.bare_nat(nat))
    }

    pub(in crate::targets) fn bare_nat(&mut self, nat: &Nat) -> Result<Prec> {
        self.polynomial(nat, None)
    }

    /// Writes a size as a value of `natType`, which wraps around at 32 bits: intermediate results
    /// may exceed an `int`. `cast` is true if the caller casts the result to an integer type of at
    /// most 32 bits.
    pub(in crate::targets) fn size_value(&mut self, nat: &Nat, cast: bool) -> Result<Prec> {
        let large = is_large(nat) || divides_large(nat);
        let fits = match self.is_wide() {
            true => cast || nat.as_const().is_some(),
            false => !large,
        };
        if fits {
            return self.bare_nat(nat);
        }
        if !cast {
            self.write("(int)");
        }
        let wide = (!self.is_wide()).then(|| self.wide());
        self.at_least(Prec::Unary, |this| this.polynomial(nat, wide))?;
        Ok(Prec::Unary)
    }

    /// Writes a number of elements or bytes to allocate, computed as `size_t`.
    pub(in crate::targets) fn wide_nat(&mut self, nat: &Nat) -> Result<()> {
        self.polynomial(nat, Some("size_t")).map(drop)
    }

    /// Returns true if sizes have 64 bits.
    pub(in crate::targets) fn is_wide(&self) -> bool {
        self.function.index == IndexWidth::Bits64
    }

    /// Returns the name of the type of sizes, counters and indices.
    pub(in crate::targets) fn size_type(&self) -> &'static str {
        match self.function.index {
            IndexWidth::Bits32 => "int",
            IndexWidth::Bits64 => self.wide(),
        }
    }

    /// Returns the name of the signed type with 64 bits, for sizes that may exceed an `int`.
    pub(in crate::targets) fn wide(&self) -> &'static str {
        self.target.scalar_name(ScalarType::I64)
    }

    pub(in crate::targets) fn polynomial(&mut self, nat: &Nat, wide: Option<&str>) -> Result<Prec> {
        let counters = self.counters.clone();
        let order = Ranks {
            counters: &counters,
            sizes: &self.function.sizes,
            in_index: self.in_index,
        };
        let nat = &as_remainders(nat);
        let dividends: Vec<Option<Dividend>> = {
            let summands = nat.summands();
            (0..summands.len())
                .map(|at| self.dividend(&summands, at))
                .collect()
        };
        let mut summands = nat.summands();
        for (at, dividend) in dividends.iter().enumerate() {
            let Some(Dividend { whole, taken }) = dividend else {
                continue;
            };
            // A term that one division has taken is not available for another.
            if taken
                .iter()
                .any(|(from, coeff)| summands[*from].coeff.abs() < coeff.abs())
            {
                continue;
            }
            for (from, coeff) in taken {
                summands[*from].coeff -= coeff;
            }
            for (part, _) in &mut summands[at].factors {
                if let Part::Div(_, by) = *part {
                    *part = Part::Div(whole, by);
                }
            }
        }
        summands.retain(|s| s.coeff != 0);
        let arith = arrange(summands, &order);
        self.arith(&arith, wide)
    }

    /// Returns the dividend for writing `c * (a / b) + c * k` as `c * ((a + b * k) / b)`, if that
    /// is the usual form because terms are subtracted in `a`, or if C divides correctly only then
    /// because `a` may be negative; otherwise `None`. The summand with the quotient is the one at
    /// `at`.
    fn dividend(&self, summands: &[Summand<'_>], at: usize) -> Option<Dividend> {
        let of = summands.get(at)?;
        let (a, b, shared) = quotient_in(of)?;
        if of.coeff <= 0 {
            return None;
        }
        let fits = self.is_nonneg(a);
        let mut whole = (*a).clone();
        let mut taken = Vec::new();
        let subtracted = a.summands();
        for negative in subtracted.iter().filter(|s| s.coeff < 0) {
            for (from, other) in summands.iter().enumerate() {
                let Some(factors) = without(&other.factors, &shared) else {
                    continue;
                };
                let same = factors.as_slice() == negative.factors.as_slice();
                let related = !fits && shares_variable(&factors, &negative.factors);
                if from == at || !(same || related) || other.coeff % of.coeff != 0 {
                    continue;
                }
                // A whole term; of a number the required amount.
                let coeff = if factors.is_empty() {
                    of.coeff
                } else {
                    other.coeff
                };
                if other.coeff < coeff || taken.iter().any(|(known, _)| *known == from) {
                    continue;
                }
                let Some(term) = plain_term(&factors) else {
                    continue;
                };
                whole = whole + &(b.clone() * &(term * (coeff / of.coeff)));
                taken.push((from, coeff));
            }
        }
        let fewer = |nat: &Nat| nat.summands().iter().filter(|s| s.coeff < 0).count();
        let better = !fits && self.is_nonneg(&whole) || fits && fewer(&whole) < fewer(a);
        (better && !taken.is_empty()).then_some(Dividend { whole, taken })
    }

    /// Writes an arithmetic expression; with `wide`, products and sums are computed in that type.
    fn arith(&mut self, arith: &Arith<'_>, wide: Option<&str>) -> Result<Prec> {
        match arith {
            Arith::Int(value) => {
                self.write(&value.to_string());
                Ok(if *value < 0 {
                    Prec::Unary
                } else {
                    Prec::Postfix
                })
            }
            Arith::Part(part, exp) => self.power(part, *exp, wide),
            Arith::Sum(all) => self.sum(all, wide),
            Arith::Product(all) => {
                for (at, factor) in all.iter().enumerate() {
                    if at > 0 {
                        self.write(" * ");
                    }
                    // Divisions in products are in parentheses, although the first one needs none.
                    let is_division =
                        matches!(factor, Arith::Part(Part::Div(..) | Part::Rem(..), 1));
                    let is_sum = matches!(factor, Arith::Sum(_));
                    let here = wide.filter(|_| at == 0 || is_sum && self.in_real);
                    let cast = here.filter(|_| !is_sum && !self.is_widened(factor));
                    if let Some(ty) = cast {
                        self.write(&format!("({ty})"));
                    }
                    let least = if is_division || cast.is_some() {
                        Prec::Unary
                    } else {
                        Prec::Product
                    };
                    let least = if at > 0 {
                        least.max(Prec::Unary)
                    } else {
                        least
                    };
                    self.at_least(least, |this| this.arith(factor, here))?;
                }
                Ok(Prec::Product)
            }
        }
    }

    /// Returns true if an expression is printed in a wide type in any case: a division whose
    /// dividend is large, or a power.
    fn is_widened(&self, arith: &Arith<'_>) -> bool {
        match arith {
            Arith::Part(Part::Div(a, _) | Part::Rem(a, _), 1) => {
                !self.in_real && self.is_large_dividend(a)
            }
            Arith::Part(Part::Pow(..), 1) => true,
            _ => false,
        }
    }

    fn sum(&mut self, all: &[(bool, Arith<'_>)], wide: Option<&str>) -> Result<Prec> {
        for (at, (negative, summand)) in all.iter().enumerate() {
            match (at, negative) {
                (0, true) => self.write("-"),
                (0, false) => {}
                (_, true) => self.write(" - "),
                (_, false) => self.write(" + "),
            }
            let is_nested = |arith: &Arith<'_>| matches!(arith, Arith::Product(_) | Arith::Sum(_));
            let is_division = matches!(summand, Arith::Part(Part::Div(..) | Part::Rem(..), 1));
            // A nested operand already has the type.
            let has_type = is_division && all.iter().any(|(_, summand)| is_nested(summand));
            let cast = wide.filter(|_| {
                at == 0 && !has_type && !is_nested(summand) && !self.is_widened(summand)
            });
            if let Some(ty) = cast {
                self.write(&format!("({ty})"));
            }
            let least = if *negative || cast.is_some() {
                Prec::Product
            } else {
                Prec::Sum
            };
            let least = if cast.is_some() || (at == 0 && *negative) {
                Prec::Unary
            } else {
                least
            };
            self.at_least(least, |this| this.arith(summand, wide))?;
        }
        Ok(if all.len() > 1 {
            Prec::Sum
        } else {
            Prec::Unary
        })
    }

    fn power(&mut self, part: &Part<'_>, exp: u32, wide: Option<&str>) -> Result<Prec> {
        if exp == 1 {
            return self.part(part, wide);
        }
        if self.in_real {
            return self.real_power(part, exp);
        }
        let name = self.helper(Helper::Pow, wide.is_some());
        self.write(&name);
        self.write("(");
        self.part(part, None)?;
        self.write(&format!(", {exp})"));
        Ok(Prec::Postfix)
    }

    pub(in crate::targets) fn part(&mut self, part: &Part<'_>, wide: Option<&str>) -> Result<Prec> {
        match part {
            Part::Var(var) => self.var(*var),
            Part::Index(at) => {
                let at = self.indices.len().checked_sub(*at as usize + 1);
                let name = at.and_then(|at| self.indices.get(at)).cloned();
                self.write(name.as_deref().unwrap_or("0"));
                Ok(Prec::Postfix)
            }
            part if self.in_real => self.real_part(part),
            Part::Div(a, b) => self.quotient(a, b, (" / ", Helper::FloorDiv), wide),
            Part::Rem(a, b) => self.quotient(a, b, (" % ", Helper::FloorMod), wide),
            Part::Pow(a, b) if a.as_const() == Some(2) => {
                match wide.or_else(|| self.is_wide().then(|| self.wide())) {
                    Some(ty) => self.write(&format!("({ty})1 << ")),
                    None => self.write("1 << "),
                }
                self.nat(b, Prec::Unary)?;
                // The result is an operand in parentheses in every context.
                Ok(Prec::Or)
            }
            Part::Pow(a, b) => self.call(Helper::Pow, &[a, b], wide),
            Part::Min(all) => self.extremum(Helper::Min, all, wide),
            Part::Max(all) => self.extremum(Helper::Max, all, wide),
            Part::Log2(a) => self.call(Helper::Log2, &[a], None),
            Part::Sum { from, to, body } => self.summation(from, to, body),
            Part::Apply(fun, arg) => Err(error::size_function(
                &rise::print::nat_text(&Nat::apply(*fun, arg), &self.shown),
                self.origin,
            )),
            Part::Add(a, b) => {
                self.operand(a, Prec::Sum, wide)?;
                self.write(" + ");
                self.operand(b, Prec::Product, wide)?;
                Ok(Prec::Sum)
            }
            Part::Mul(a, b) => {
                self.operand(a, Prec::Product, wide)?;
                self.write(" * ");
                self.operand(b, Prec::Unary, wide)?;
                Ok(Prec::Product)
            }
            Part::TooBig { .. } => Err(error::too_big(self.origin)),
        }
    }

    /// Writes the name of a size variable, or the expression of an opaque size.
    pub(in crate::targets) fn var(&mut self, var: Var) -> Result<Prec> {
        if let Some(name) = self.names.var(var) {
            let name = name.to_owned();
            self.used_vars.insert(var);
            self.write(&name);
            return Ok(Prec::Postfix);
        }
        let function = self.function;
        match function.opaque.iter().find(|(v, _)| *v == var) {
            Some((_, value)) => self.bare_expr(value),
            None => {
                let name = super::names::identifier(&self.shown.get(var));
                self.write(&name);
                Ok(Prec::Postfix)
            }
        }
    }

    /// Writes a size in a wide type if it may exceed an `int`, which an operand may, unlike the
    /// size of an array. The wide type is `wide`, by default [`Printer::wide`].
    pub(in crate::targets) fn operand(
        &mut self,
        nat: &Nat,
        least: Prec,
        wide: Option<&str>,
    ) -> Result<()> {
        let wide = self.is_large(nat).then(|| wide.unwrap_or(self.wide()));
        self.at_least(least, |this| this.polynomial(nat, wide))
    }

    fn quotient(
        &mut self,
        a: &Nat,
        b: &Nat,
        (sign, floor): (&str, Helper),
        wide: Option<&str>,
    ) -> Result<Prec> {
        let large = self.is_large_dividend(a);
        if !self.is_nonneg(a) {
            // The helper function for a large dividend is wide in any case.
            let wide = (large && !self.is_large(a)).then(|| self.wide());
            return self.call(floor, &[a, b], wide);
        }
        let of_dividend = large.then(|| wide.unwrap_or(self.wide()));
        self.at_least(Prec::Product, |this| this.polynomial(a, of_dividend))?;
        self.write(sign);
        self.operand(b, Prec::Unary, wide)?;
        Ok(Prec::Product)
    }

    fn call(&mut self, helper: Helper, args: &[&Nat], wide: Option<&str>) -> Result<Prec> {
        let name = self.helper(
            helper,
            wide.is_some() || args.iter().any(|arg| self.is_large(arg)),
        );
        self.write(&name);
        self.write("(");
        self.list(args, |this, arg| match helper {
            Helper::FloorDiv | Helper::FloorMod if wide.is_some() => {
                this.at_least(Prec::Conditional, |this| this.polynomial(arg, wide))
            }
            _ => this.operand(arg, Prec::Conditional, None),
        })?;
        self.write(")");
        Ok(Prec::Postfix)
    }

    /// Returns the name of a helper on `int`, or of its 64-bit variant if `wide` is true or sizes
    /// have 64 bits.
    fn helper(&mut self, helper: Helper, wide: bool) -> String {
        if wide || self.is_wide() {
            self.helpers.wide(helper)
        } else {
            self.helpers.need(helper).to_owned()
        }
    }

    /// Writes a maximum or minimum. In C, one of two sizes is written as `j > 0 ? j - 1 : 0` if a
    /// counter decides, which C compilers vectorise better than a call; others are calls such as
    /// `imax(0, e)`.
    fn extremum(&mut self, helper: Helper, all: &[Nat], wide: Option<&str>) -> Result<Prec> {
        let [a, b] = all else {
            return self.nested(helper, all, wide);
        };
        // Devices have instructions for the calls.
        if self.target.dialect() == CDialect::OpenCl {
            return self.nested(helper, all, wide);
        }
        let Some((counter, limit, grows)) = self.border(a, b) else {
            return self.nested(helper, all, wide);
        };
        // The first size is larger above the limit and smaller below it; at the limit they are
        // equal.
        let (above, below) = if grows { (a, b) } else { (b, a) };
        let (operator, limit) = match helper {
            Helper::Max => (" > ", limit - 1),
            _ => (" < ", limit + 1),
        };
        self.var(counter)?;
        self.write(operator);
        self.nat(&limit, Prec::Sum)?;
        self.write(" ? ");
        self.nat(above, Prec::Conditional)?;
        self.write(" : ");
        self.nat(below, Prec::Conditional)?;
        Ok(Prec::Conditional)
    }

    /// Returns the innermost counter that decides which of two sizes is larger, the value at which
    /// they are equal, and true if the first one is larger above it; `None` if the sizes do not
    /// differ by a linear function of a counter with the coefficient 1 or -1, or if one contains a
    /// minimum or maximum.
    pub(in crate::targets) fn border(&self, a: &Nat, b: &Nat) -> Option<(Var, Nat, bool)> {
        let nested = |nat: &Nat| {
            let extremum =
                |(part, _): &(Part<'_>, u32)| matches!(part, Part::Min(_) | Part::Max(_));
            nat.summands()
                .iter()
                .any(|summand| summand.factors.iter().any(extremum))
        };
        if nested(a) || nested(b) {
            return None;
        }
        let difference = Nat::sub(a, b);
        let counter = *self
            .counters
            .iter()
            .rev()
            .find(|counter| difference.mentions(**counter))?;
        let (limit, grows) = solve_for_zero(&difference, counter)?;
        Some((counter, limit, grows))
    }

    /// Writes nested calls such as `imin(a, imin(b, c))`.
    fn nested(&mut self, helper: Helper, all: &[Nat], wide: Option<&str>) -> Result<Prec> {
        let large = all.iter().any(|one| self.is_large(one));
        let name = self.helper(helper, wide.is_some() || large);
        let Some((last, rest)) = all.split_last() else {
            return Ok(Prec::Postfix);
        };
        for one in rest {
            self.write(&name);
            self.write("(");
            self.operand(one, Prec::Conditional, None)?;
            self.write(", ");
        }
        self.operand(last, Prec::Conditional, None)?;
        self.write(&")".repeat(rest.len()));
        Ok(Prec::Postfix)
    }
}

/// A dividend into which terms beside the quotient have been moved.
struct Dividend {
    whole: Nat,
    /// The positions of the summands from which coefficients were taken, with the amounts taken.
    taken: Vec<(usize, i64)>,
}

type Factor<'a> = (Part<'a>, u32);

/// Returns the operands of the only quotient in a product, and the other factors; `None` if there
/// is not exactly one quotient, to the power 1.
fn quotient_in<'a>(summand: &Summand<'a>) -> Option<(&'a Nat, &'a Nat, Vec<Factor<'a>>)> {
    let is_quotient = |(part, _): &&Factor<'a>| matches!(part, Part::Div(..));
    let mut quotients = summand.factors.iter().filter(is_quotient);
    let (Some((Part::Div(a, b), 1)), None) = (quotients.next(), quotients.next()) else {
        return None;
    };
    let others = summand.factors.iter().filter(|f| !is_quotient(f));
    Some((a, b, others.cloned().collect()))
}

/// Returns a product without some factors; `None` if they are not in it.
fn without<'a>(factors: &[Factor<'a>], others: &[Factor<'a>]) -> Option<Vec<Factor<'a>>> {
    let mut left = factors.to_vec();
    for other in others {
        let at = left.iter().position(|factor| factor == other)?;
        left.remove(at);
    }
    Some(left)
}

/// Returns the product of factors if all of them are variables, otherwise `None`.
fn plain_term(factors: &[Factor<'_>]) -> Option<Nat> {
    let mut term = Nat::ONE;
    for (part, exp) in factors {
        let Part::Var(var) = part else {
            return None;
        };
        for _ in 0..*exp {
            term = &term * &Nat::var(*var);
        }
    }
    Some(term)
}

fn shares_variable(a: &[Factor<'_>], b: &[Factor<'_>]) -> bool {
    let is_in = |part: &Part<'_>| b.iter().any(|(other, _)| other == part);
    a.iter()
        .any(|(part, _)| matches!(part, Part::Var(_)) && is_in(part))
}
