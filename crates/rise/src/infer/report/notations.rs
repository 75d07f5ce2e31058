//! Shifts and conversions in the notation of other languages.

use syntax::ast::{BinaryOp, Literal, TermId, TermKind};
use syntax::{Code, Fix, Span};

use super::super::Infer;
use crate::types::Type;

/// The most bits by which a power of two that is written for a shift may shift.
const MOST_BITS: u32 = 30;

impl Infer<'_> {
    /// Reports `x >> 2` and `x << 1`, where a number stands in the place of a function. Returns
    /// false if neither operand is written as a number.
    pub(in crate::infer) fn reported_shift(
        &mut self,
        op: BinaryOp,
        lhs: TermId,
        rhs: TermId,
    ) -> bool {
        let is_number = |term| {
            let kind = &self.item.term(self.bare(term)).kind;
            matches!(
                kind,
                TermKind::Literal(Literal::Int { .. } | Literal::Float { .. })
            )
        };
        let (left, right) = (is_number(lhs), is_number(rhs));
        if !left && !right {
            return false;
        }
        let number = if right { rhs } else { lhs };
        let other = if right { lhs } else { rhs };
        let ty = self.synth(other);
        let ty = self.table.ty(&ty);
        let sign = op.as_str();
        match &*ty {
            Type::Error => {}
            Type::Fun(..) | Type::Pi(_) => {
                let text = self.source(number);
                let message = format!("`{sign}` composes two functions, and `{text}` is a number");
                self.error(Code::TypeMismatch, self.span(number), message);
            }
            _ => self.shift(op, lhs, rhs),
        }
        true
    }

    fn shift(&mut self, op: BinaryOp, lhs: TermId, rhs: TermId) {
        let span = self.span(lhs).cover(self.span(rhs));
        let (sign, arithmetic) = match op {
            BinaryOp::Then => (">>", "/"),
            _ => ("<<", "*"),
        };
        let bits = self
            .literal_nat(rhs)
            .and_then(|bits| u32::try_from(bits).ok())
            .filter(|bits| *bits <= MOST_BITS);
        let written = bits.map(|bits| {
            let power = 1i64 << bits;
            let text = self.source(lhs);
            match self.item.term(lhs).kind {
                TermKind::Binary { .. } => format!("({text}) {arithmetic} {power}"),
                _ => format!("{text} {arithmetic} {power}"),
            }
        });
        let message = format!("`{sign}` composes functions: RISE has no shift of bits");
        let error = self.error(Code::TypeMismatch, span, message);
        error.help = Some(match &written {
            Some(written) => format!("write `{written}`"),
            None => format!("write `{arithmetic}` and a power of two"),
        });
        error
            .fixes
            .extend(written.map(|written| {
                Fix::preferred(format!("Write `{written}`"), vec![(span, written)])
            }));
    }

    /// Returns the text of the conversion whose type, a scalar, stands as an expression in
    /// `cast(f32)(x)`, `f32(x)` or `(f32)(x)`, and the edit that writes it.
    pub(in crate::infer) fn conversion_to(&self, scalar: TermId) -> Option<(String, Option<Fix>)> {
        if self.in_dpia() {
            return None;
        }
        let ty = self.source(scalar);
        let (span, value) = self.cast_with(scalar)?;
        let Some(value) = value else {
            return Some((format!("(cast(x) : {ty})"), None));
        };
        let written = format!("(cast({}) : {ty})", self.source(value));
        let fix = Fix::preferred(format!("Write `{written}`"), vec![(span, written.clone())]);
        Some((written, Some(fix)))
    }

    /// The place of a cast in which a type stands as an expression, and the value that it converts.
    fn cast_with(&self, scalar: TermId) -> Option<(Span, Option<TermId>)> {
        let mut ty = scalar;
        while let Some(outer) = self.parent(ty, |kind, own| *kind == TermKind::Paren(own)) {
            ty = outer;
        }
        let called = |callee: TermId| {
            let whole = self.parent(
                callee,
                |kind, own| matches!(kind, TermKind::Apply { callee, .. } if *callee == own),
            )?;
            match &self.item.term(whole).kind {
                TermKind::Apply { args, .. } if args.len() == 1 => Some((whole, args[0])),
                _ => None,
            }
        };
        let span = |term: TermId| self.item.term(term).span;
        if let Some((whole, value)) = called(ty) {
            return Some((span(whole), Some(value)));
        }
        let cast = self.parent(
            ty,
            |kind, own| matches!(kind, TermKind::Apply { args, .. } if args.contains(&own)),
        )?;
        let TermKind::Apply { callee, args } = &self.item.term(cast).kind else {
            return None;
        };
        if self.source_name(*callee).is_none_or(|name| name != "cast") {
            return None;
        }
        Some(match (&args[..], called(cast)) {
            ([_], Some((whole, value))) => (span(whole), Some(value)),
            _ => (span(cast), None),
        })
    }

    /// The term that has another one as the part that `is_part` looks for.
    fn parent(&self, term: TermId, is_part: impl Fn(&TermKind, TermId) -> bool) -> Option<TermId> {
        let terms = &self.item.terms;
        let at = terms.iter().position(|whole| is_part(&whole.kind, term))?;
        Some(TermId(at as u32))
    }
}
