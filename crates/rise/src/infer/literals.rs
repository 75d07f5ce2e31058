//! Inference of literals: overloaded numbers, their defaults and their ranges.

use std::sync::Arc;

use nat::{Nat, Prop};
use syntax::ast::{Literal, ScalarType, TermId};

use super::{Infer, OpenLiteral};
use crate::classes::Classes;
use crate::codes;
use crate::types::{Arg, Scheme, Ty, Type};

impl Infer<'_> {
    pub(super) fn literal(&mut self, term: TermId, literal: &Literal) -> Ty {
        match literal {
            Literal::Bool(_) => scalar(ScalarType::Bool),
            Literal::Int {
                value,
                suffix: Some(suffix),
            } => {
                self.in_range(term, *value, *suffix);
                scalar(*suffix)
            }
            Literal::Float {
                text,
                suffix: Some(suffix),
            } => {
                self.float_in_range(term, text, *suffix);
                scalar(*suffix)
            }
            Literal::Int { .. } => self.open_literal(term, literal, Classes::INT_LITERAL),
            Literal::Float { .. } => self.open_literal(term, literal, Classes::FLOAT_LITERAL),
        }
    }

    fn open_literal(&mut self, term: TermId, literal: &Literal, classes: Classes) -> Ty {
        let ty = self.open_type("t", classes, term);
        self.literals.push(OpenLiteral {
            term,
            ty: ty.clone(),
            literal: literal.clone(),
            inherited: false,
        });
        ty
    }

    /// Defaults the types of undetermined literals to `i32`, or to `f32` for literals with a point
    /// and for types that cannot be integers, except for those that are `kept` as parameters of the
    /// item. Then reports literals that are out of range.
    pub(super) fn default_literals(&mut self, kept: &dyn Fn(nat::Var) -> bool) {
        let literals = std::mem::take(&mut self.literals);
        for literal in &literals {
            let ty = self.table.head(&literal.ty);
            if let Type::Var(var) = &*ty
                && self.table.is_open(*var)
                && !kept(*var)
            {
                let classes = self.table.info(*var).classes;
                let default = match literal.literal {
                    Literal::Float { .. } => ScalarType::F32,
                    _ if classes.allows_int() => ScalarType::I32,
                    _ => ScalarType::F32,
                };
                self.solve_var(*var, Arg::Type(scalar(default)));
            }
        }
        for literal in &literals {
            match &*self.table.head(&literal.ty) {
                Type::Var(var) if kept(*var) => {
                    self.generic_literals.push((*var, literal.literal.clone()));
                }
                _ => self.check_literal(literal),
            }
        }
    }

    /// Instantiates the literals of a definition's scheme at one of its uses.
    pub(super) fn instantiate_literals(&mut self, scheme: &Scheme, base: u32, at: TermId) {
        for (var, literal) in scheme.literals.iter() {
            self.literals.push(OpenLiteral {
                term: at,
                ty: Arc::new(Type::Var(nat::Var(base + var.0))),
                literal: literal.clone(),
                inherited: true,
            });
        }
    }

    fn check_literal(&mut self, literal: &OpenLiteral) {
        let before = self.diagnostics.len();
        let ty = self.table.head(&literal.ty);
        let elem = match &*ty {
            Type::Vector(_, elem) => self.table.head(elem),
            _ => ty.clone(),
        };
        match (&literal.literal, &*elem) {
            (Literal::Int { value, .. }, Type::Scalar(scalar)) => {
                self.in_range(literal.term, *value, *scalar);
            }
            (Literal::Int { value, .. }, Type::Index(n)) => {
                self.index_in_range(literal.term, *value, n);
            }
            (Literal::Float { text, .. }, Type::Scalar(scalar)) => {
                self.float_in_range(literal.term, text, *scalar);
            }
            _ => {}
        }
        if literal.inherited && self.diagnostics.len() > before {
            let user = self.source(literal.term);
            if let Some(diagnostic) = self.diagnostics.last_mut() {
                diagnostic.help = Some(format!("the number is in the definition of `{user}`"));
            }
        }
    }

    /// Checks a literal `k` of type `Idx[n]`: reports a negative or too large `k`, and otherwise
    /// requires `n >= k + 1`.
    fn index_in_range(&mut self, term: TermId, value: i128, n: &Nat) {
        let n = self.table.nat(n);
        let size = self.show_nat(&n);
        let below = n.as_const().is_none_or(|n| value < i128::from(n));
        match i64::try_from(value) {
            Ok(k) if k >= 0 && below => {
                let least = Nat::constant(k.saturating_add(1));
                self.require(Prop::AtLeast(n, least), self.span(term));
            }
            _ => {
                let message = format!("the index {value} is outside of `Idx[{size}]`");
                self.error(codes::LITERAL_OUT_OF_RANGE, self.span(term), message)
                    .help = Some(match n.as_const() {
                    Some(0) => "the array is empty".to_owned(),
                    Some(n) => format!("indices go from 0 to {}", n - 1),
                    None => format!("indices go from 0 to {size} - 1"),
                });
            }
        }
    }

    fn in_range(&mut self, term: TermId, value: i128, scalar: ScalarType) {
        let Some((low, high)) = int_range(scalar) else {
            return;
        };
        if (low..=high).contains(&value) {
            return;
        }
        let message =
            format!("{value} does not fit `{scalar}`, whose values go from {low} to {high}");
        self.error(codes::LITERAL_OUT_OF_RANGE, self.span(term), message);
    }

    fn float_in_range(&mut self, term: TermId, text: &str, scalar: ScalarType) {
        let Ok(value) = text.parse::<f64>() else {
            return;
        };
        let limit = match scalar {
            ScalarType::F16 => 65_520.0,
            ScalarType::F32 => f64::from(f32::MAX) * (1.0 + f64::powi(2.0, -25)),
            _ => f64::MAX,
        };
        if value.abs() >= limit && (value.is_infinite() || scalar != ScalarType::F64) {
            let message = format!("{text} does not fit `{scalar}`");
            self.error(codes::LITERAL_OUT_OF_RANGE, self.span(term), message);
        }
    }
}

fn scalar(scalar: ScalarType) -> Ty {
    Arc::new(Type::Scalar(scalar))
}

fn int_range(scalar: ScalarType) -> Option<(i128, i128)> {
    Some(match scalar {
        ScalarType::I8 => (i8::MIN.into(), i8::MAX.into()),
        ScalarType::I16 => (i16::MIN.into(), i16::MAX.into()),
        ScalarType::I32 => (i32::MIN.into(), i32::MAX.into()),
        ScalarType::I64 => (i64::MIN.into(), i64::MAX.into()),
        ScalarType::U8 => (0, u8::MAX.into()),
        ScalarType::U16 => (0, u16::MAX.into()),
        ScalarType::U32 => (0, u32::MAX.into()),
        ScalarType::U64 => (0, u64::MAX.into()),
        ScalarType::NatType => (0, i64::MAX.into()),
        ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => return None,
    })
}
