//! Prints row-major indices of arrays as people write them: `(i * m + j) * o + k`.

use nat::{Nat, Part, Prop};

use super::{Prec, Printer};
use crate::error::Result;

impl Printer<'_> {
    /// Writes an index into an array with these extents, the outermost first: row-major if it can
    /// be split into the indices of the dimensions, otherwise as a plain size.
    pub(in crate::targets) fn by_rows(&mut self, index: &Nat, extents: &[Nat]) -> Result<()> {
        let Some(digits) = self.digits(index, extents) else {
            return self.nat(index, Prec::Conditional);
        };
        let first = digits.iter().position(|digit| !digit.is_zero());
        match first {
            Some(first) => self.row(&digits[first..], &extents[first..]).map(drop),
            None => self.nat(index, Prec::Conditional),
        }
    }

    /// Returns the index of each dimension; `None` if these contain more divisions than the index
    /// itself, if the index is not known to be composed of them, if it is a constant, or if there
    /// are fewer than two dimensions.
    fn digits(&self, index: &Nat, extents: &[Nat]) -> Option<Vec<Nat>> {
        if extents.len() < 2 || index.as_const().is_some() {
            return None;
        }
        let mut rest = index.clone();
        let mut digits = Vec::with_capacity(extents.len());
        for extent in extents.iter().skip(1).rev() {
            let (row, column) = self.row_and_column(&rest, extent);
            digits.push(column);
            rest = row;
        }
        digits.push(rest);
        digits.reverse();
        let total: usize = digits.iter().map(divisions).sum();
        if total > divisions(index) {
            return None;
        }
        let mut whole = Nat::ZERO;
        for (digit, extent) in digits.iter().zip(extents) {
            whole = whole * extent + digit;
        }
        (self.facts.normalize(&whole) == *index).then_some(digits)
    }

    fn row_and_column(&self, index: &Nat, extent: &Nat) -> (Nat, Nat) {
        let divided = |index: &Nat| {
            let row = self.facts.normalize(&Nat::div(index, extent));
            // If the quotient has no divisions left, the remainder is the difference.
            let column = match divisions(&row) {
                0 => Nat::sub(index, &(&row * extent)),
                _ => Nat::rem(index, extent),
            };
            (row, self.facts.normalize(&column))
        };
        let (row, column) = divided(index);
        let behind = match index.summands().last() {
            Some(last) if last.factors.is_empty() && last.coeff < 0 => Nat::constant(-last.coeff),
            _ => return (row, column),
        };
        // The index `(i + 1) * m - 1` is the last of row `i`.
        let (next, start) = divided(&(index + &behind));
        let inside = Prop::AtLeast(extent.clone(), behind.clone());
        if start.is_zero() && self.facts.proves(&inside) {
            (next - 1, Nat::sub(extent, &behind))
        } else {
            (row, column)
        }
    }

    /// Writes the row-major index with these digits, `(i * m + j) * o + k`; the first digit is not
    /// 0.
    fn row(&mut self, digits: &[Nat], extents: &[Nat]) -> Result<Prec> {
        let (Some(last), Some(extent)) = (digits.last(), extents.last()) else {
            return Ok(Prec::Postfix);
        };
        let before = &digits[..digits.len() - 1];
        if before.is_empty() {
            return self.bare_nat(last);
        }
        if extent.is_one() {
            return self.row(before, &extents[..before.len()]);
        }
        let number = extent.as_const();
        let first = match before {
            [first] => first.as_const(),
            _ => None,
        };
        match (first, number) {
            // The form `m + j` instead of `1 * m + j`.
            (Some(1), _) => {
                self.nat(extent, Prec::Sum)?;
                if last.is_zero() {
                    return Ok(Prec::Sum);
                }
            }
            (Some(first), Some(number)) => self.write(&(first * number).to_string()),
            // Numbers come first, sizes last: `32 * i + j`, `i * m + j`.
            (_, Some(_)) => {
                self.nat(extent, Prec::Unary)?;
                self.write(" * ");
                self.at_least(Prec::Unary, |this| {
                    this.row(before, &extents[..before.len()])
                })?;
            }
            _ => {
                self.at_least(Prec::Product, |this| {
                    this.row(before, &extents[..before.len()])
                })?;
                self.write(" * ");
                self.nat(extent, Prec::Unary)?;
            }
        }
        if last.is_zero() {
            return Ok(Prec::Product);
        }
        self.write(" + ");
        self.nat(last, Prec::Sum)?;
        Ok(Prec::Sum)
    }
}

/// Returns the number of quotients and remainders in a size.
fn divisions(nat: &Nat) -> usize {
    let part = |part: &Part<'_>| match part {
        Part::Div(a, b) | Part::Rem(a, b) => 1 + divisions(a) + divisions(b),
        Part::Pow(a, b) | Part::Add(a, b) | Part::Mul(a, b) => divisions(a) + divisions(b),
        Part::Min(all) | Part::Max(all) => all.iter().map(divisions).sum(),
        Part::Log2(a) | Part::Apply(_, a) => divisions(a),
        Part::Sum { from, to, body } => divisions(from) + divisions(to) + divisions(body),
        Part::Var(_) | Part::Index(_) | Part::TooBig { .. } => 0,
    };
    let summands = nat.summands();
    let factors = summands.iter().flat_map(|summand| &summand.factors);
    factors.map(|(factor, _)| part(factor)).sum()
}
