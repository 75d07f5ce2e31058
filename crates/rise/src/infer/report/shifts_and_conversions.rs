//! Messages about shifts and conversions in the notation of other languages.

use syntax::ast::{BinaryOp, Literal, ScalarType, TermId, TermKind};
use syntax::{Fix, Span};

use super::super::Infer;
use crate::codes;
use crate::types::Type;

/// The greatest number of bits of a shift that is rewritten with a power of two.
const MAX_SHIFT_BITS: u32 = 30;

/// A conversion in the notation of another language.
struct Cast {
    whole: Span,
    converts: CastOperand,
}

/// The operand of a conversion.
enum CastOperand {
    Value(TermId),
    /// The elements of the array that a higher-order function applies the conversion to.
    Elements,
    Unknown,
}

impl Infer<'_> {
    /// Reports `x >> 2` and `x << 1`, which are compositions in RISE, where a number is used as a
    /// function. Returns false if neither operand is written as a number.
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
        use ScalarType::{U8, U16, U32, U64};
        match &*ty {
            Type::Error => {}
            Type::Fun(..) | Type::Pi(_) => {
                let text = self.source(number);
                let side = if right { "right" } else { "left" };
                let message = format!(
                    "`{sign}` composes two functions, and its {side} operand `{text}` is a number"
                );
                self.error(codes::TYPE_MISMATCH, self.span(number), message);
            }
            Type::Scalar(U8 | U16 | U32 | U64) => self.shift(op, lhs, rhs, false),
            _ => self.shift(op, lhs, rhs, true),
        }
        true
    }

    /// Reports a shift. With `is_signed` the shifted number may be negative.
    fn shift(&mut self, op: BinaryOp, lhs: TermId, rhs: TermId, is_signed: bool) {
        let span = self.span(lhs).cover(self.span(rhs));
        let (sign, arithmetic) = match op {
            BinaryOp::Then => (">>", "/"),
            _ => ("<<", "*"),
        };
        let bits = self
            .literal_nat(rhs)
            .and_then(|bits| u32::try_from(bits).ok())
            .filter(|bits| *bits <= MAX_SHIFT_BITS);
        let written = bits.map(|bits| {
            let power = 1i64 << bits;
            let text = self.source(lhs);
            match self.item.term(lhs).kind {
                TermKind::Binary { .. } => format!("({text}) {arithmetic} {power}"),
                _ => format!("{text} {arithmetic} {power}"),
            }
        });
        let message = format!("`{sign}` composes functions: RISE has no bit shifts");
        self.error(codes::TYPE_MISMATCH, span, message).advise(
            Some(match &written {
                Some(written) if op == BinaryOp::Then && is_signed => {
                    format!("write `{written}`, which rounds towards 0")
                }
                Some(written) => format!("write `{written}`"),
                None => format!("write `{arithmetic}` and a power of two"),
            }),
            written.map(|written| Fix::write(span, written)),
        );
    }

    /// Returns the text of the conversion to the type `ty` that `cast(f32)(x)`, `cast(x, f32)`,
    /// `f32(x)` or `(f32)(x)` intends, and the fix that writes it; `scalar` is the type that is
    /// used as an expression.
    pub(in crate::infer) fn conversion_to(
        &self,
        scalar: TermId,
        ty: &str,
    ) -> Option<(String, Option<Fix>)> {
        if self.in_dpia() {
            return None;
        }
        let Cast { whole, converts } = self.cast_with(scalar)?;
        let (written, edits) = match converts {
            CastOperand::Unknown => return Some((format!("(cast(x) : {ty})"), None)),
            CastOperand::Elements => {
                let written = format!("fun(x => (cast(x) : {ty}))");
                (written.clone(), vec![(whole, written)])
            }
            CastOperand::Value(value) => {
                let span = self.span(value);
                let edits = vec![
                    (Span::new(whole.start, span.start), "(cast(".to_owned()),
                    (Span::new(span.end, whole.end), format!(") : {ty})")),
                ];
                (format!("(cast({}) : {ty})", self.source(value)), edits)
            }
        };
        let fix = Fix::preferred(format!("Write `{written}`"), edits);
        Some((written, Some(fix)))
    }

    /// Returns the conversion in the notation of another language in which the type at `scalar` is
    /// used as an expression; `None` if it is none.
    fn cast_with(&self, scalar: TermId) -> Option<Cast> {
        let mut ty = scalar;
        while let Some(outer) = self.parent(ty, |kind, own| *kind == TermKind::Paren(own)) {
            ty = outer;
        }
        if let Some((whole, value)) = self.call_of(ty) {
            return Some(Cast {
                whole: self.span(whole),
                converts: CastOperand::Value(value),
            });
        }
        let cast = self.call_with(ty)?;
        let TermKind::Apply { callee, args } = &self.item.term(cast).kind else {
            return None;
        };
        let is_cast = |term| self.source_name(term).is_some_and(|name| name == "cast");
        let value_before = match &self.item.term(*callee).kind {
            TermKind::Apply { callee, args } if is_cast(*callee) && args.len() == 1 => {
                Some(args[0])
            }
            _ => None,
        };
        if !is_cast(*callee) && value_before.is_none() {
            return None;
        }
        let piped = self.parent(cast, |kind, own| {
            matches!(kind, TermKind::Binary { op: BinaryOp::Pipe, rhs, .. } if *rhs == own)
        });
        let (whole, converts) = match (&args[..], value_before) {
            ([_], Some(value)) => (cast, CastOperand::Value(value)),
            ([first, second], None) => {
                let value = if *first == ty { *second } else { *first };
                (cast, CastOperand::Value(value))
            }
            ([_], None) if let Some((whole, value)) = self.call_of(cast) => {
                (whole, CastOperand::Value(value))
            }
            ([_], None) if let Some(pipe) = piped => match self.item.term(pipe).kind {
                TermKind::Binary { lhs, .. } => (pipe, CastOperand::Value(lhs)),
                _ => return None,
            },
            ([_], None) if self.call_with(cast).is_some() => (cast, CastOperand::Elements),
            _ => (cast, CastOperand::Unknown),
        };
        Some(Cast {
            whole: self.span(whole),
            converts,
        })
    }

    /// Returns the call of `function`, and its argument; `None` if it is not called with exactly
    /// one argument.
    fn call_of(&self, function: TermId) -> Option<(TermId, TermId)> {
        let whole = self.parent(
            function,
            |kind, own| matches!(kind, TermKind::Apply { callee, .. } if *callee == own),
        )?;
        match &self.item.term(whole).kind {
            TermKind::Apply { args, .. } if args.len() == 1 => Some((whole, args[0])),
            _ => None,
        }
    }

    /// Returns the call that has the term as an argument.
    fn call_with(&self, arg: TermId) -> Option<TermId> {
        self.parent(
            arg,
            |kind, own| matches!(kind, TermKind::Apply { args, .. } if args.contains(&own)),
        )
    }

    /// Returns the first term that contains `term` as a part that `is_part` accepts.
    pub(super) fn parent(
        &self,
        term: TermId,
        is_part: impl Fn(&TermKind, TermId) -> bool,
    ) -> Option<TermId> {
        let terms = &self.item.terms;
        let at = terms.iter().position(|whole| is_part(&whole.kind, term))?;
        Some(TermId(at as u32))
    }
}
