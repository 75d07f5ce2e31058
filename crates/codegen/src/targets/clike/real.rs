//! Prints sizes as `double`, in which nothing overflows. The printed expression has the value of
//! the size or an upper bound of it, apart from rounding, which only affects values above 2^53.

use nat::{Nat, Part};

use crate::analysis::counts::bound;

use super::helpers::Helper;
use super::{Prec, Printer};
use crate::error::Result;

/// The C type in which sizes are computed where integers could overflow.
pub(in crate::targets) const REAL: &str = "double";

impl Printer<'_> {
    /// Writes a size, or an upper bound of it, as a `double`.
    pub(in crate::targets) fn real(&mut self, nat: &Nat, least: Prec) -> Result<()> {
        let nat = self.without_rounded(nat);
        self.at_least(least, |this| {
            this.within_real(true, |this| this.polynomial(&nat, Some(REAL)))
        })
    }

    /// Returns a size without the subtracted terms that would be replaced by upper bounds.
    fn without_rounded(&self, nat: &Nat) -> Nat {
        let is_rounded = |part: &Part<'_>| match part {
            Part::Div(a, b) | Part::Rem(a, b) => !(self.fits_64_bits(a) && self.fits_64_bits(b)),
            Part::Pow(..) | Part::Sum { .. } => true,
            _ => false,
        };
        let summands = nat.summands();
        let rounded = summands.iter().filter(|summand| {
            summand.coeff < 0 && summand.factors.iter().any(|(part, _)| is_rounded(part))
        });
        rounded.fold(nat.clone(), |rest, summand| rest - &summand.nat())
    }

    fn within_real<T>(&mut self, in_real: bool, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.in_real, in_real);
        let result = write(self);
        self.in_real = outer;
        result
    }

    pub(in crate::targets) fn real_power(&mut self, part: &Part<'_>, exp: u32) -> Result<Prec> {
        let name = self.helpers.need(Helper::PowReal);
        self.write(&format!("{name}("));
        self.part(part, Some(REAL))?;
        self.write(&format!(", {exp})"));
        Ok(Prec::Postfix)
    }

    /// Writes a part of a size as a `double`, or an upper bound of it. Divisions use 64-bit
    /// integers if these do not overflow, so that quotients are rounded down.
    pub(in crate::targets) fn real_part(&mut self, part: &Part<'_>) -> Result<Prec> {
        let fits = |nat: &Nat| self.fits_64_bits(nat);
        match part {
            Part::Div(a, b) if !(fits(a) && fits(b)) => {
                self.real(a, Prec::Product)?;
                self.write(" / ");
                self.real(b, Prec::Unary)?;
                Ok(Prec::Product)
            }
            // A remainder is below the divisor.
            Part::Rem(a, b) if !(fits(a) && fits(b)) => {
                self.real(b, Prec::Sum)?;
                Ok(Prec::Sum)
            }
            Part::Div(a, b) | Part::Rem(a, b) if self.is_nonneg(a) => {
                self.integer(a, Prec::Product)?;
                self.write(match part {
                    Part::Div(..) => " / ",
                    _ => " % ",
                });
                self.integer(b, Prec::Unary)?;
                Ok(Prec::Product)
            }
            Part::Pow(base, exponent) => {
                let name = self.helpers.need(Helper::PowReal);
                self.write(&format!("{name}("));
                self.real(base, Prec::Conditional)?;
                self.write(", ");
                self.integer(exponent, Prec::Conditional)?;
                self.write(")");
                Ok(Prec::Postfix)
            }
            Part::Sum { from, to, body } => self.summation(from, to, body),
            Part::Min(all) => self.real_extremum(Helper::Min, all),
            Part::Max(all) => self.real_extremum(Helper::Max, all),
            part => {
                let wide = self.wide();
                self.within_real(false, |this| this.part(part, Some(wide)))
            }
        }
    }

    /// Returns true if it is known that the computation of a size does not overflow with 64 bits.
    fn fits_64_bits(&self, nat: &Nat) -> bool {
        bound(nat, self.function.index.limit() as f64) < 2f64.powi(63)
    }

    fn real_extremum(&mut self, helper: Helper, all: &[Nat]) -> Result<Prec> {
        let name = self.helpers.wide(helper);
        let Some((last, rest)) = all.split_last() else {
            return Ok(Prec::Postfix);
        };
        for one in rest {
            self.write(&format!("{name}("));
            self.integer(one, Prec::Conditional)?;
            self.write(", ");
        }
        self.integer(last, Prec::Conditional)?;
        self.write(&")".repeat(rest.len()));
        Ok(Prec::Postfix)
    }

    /// Writes a size that is an integer within a `double`: a number or variable directly, as well
    /// as every size if sizes have 64 bits, other sizes with a conversion to 64 bits.
    pub(in crate::targets) fn integer(&mut self, nat: &Nat, least: Prec) -> Result<()> {
        let is_plain = nat.as_const().is_some() || nat.as_var().is_some() || self.is_wide();
        let wide = (!is_plain).then(|| self.wide());
        let in_real = self.fits_64_bits(nat);
        self.at_least(least, |this| {
            this.within_real(in_real, |this| this.polynomial(nat, wide))
        })
    }
}
