//! Scalar expressions.

use crate::{Data, Maker};

impl Maker {
    /// A scalar computed from a value without arrays and from the scalars in scope.
    pub fn computed(&mut self, value: &str, ty: &Data, scope: &[(String, Data)]) -> (String, Data) {
        if let Data::Pair(a, b) = ty
            && self.choice.one_in(4)
        {
            // A pair of scalars is written as one.
            let first = self.scalar(&format!("{value}._1"), a);
            let second = self.scalar(&format!("{value}._2"), b);
            if a.is_scalar() && b.is_scalar() {
                return (format!("({first}, {second})"), ty.clone());
            }
        }
        let (value, ty) = self.some_scalar(value, ty);
        let mut text = self.scalar(&value, &ty);
        if let Some((other, _)) = scope.iter().find(|(_, other)| *other == ty)
            && self.choice.one_in(2)
        {
            text = format!("{text} + {other}");
        }
        (text, ty)
    }

    /// A scalar in a value without arrays.
    fn some_scalar(&mut self, value: &str, ty: &Data) -> (String, Data) {
        match ty {
            Data::Pair(a, b) => match self.choice.one_in(2) {
                true => self.some_scalar(&format!("{value}._1"), a),
                false => self.some_scalar(&format!("{value}._2"), b),
            },
            _ => (value.to_owned(), ty.clone()),
        }
    }

    fn scalar(&mut self, value: &str, ty: &Data) -> String {
        let k = self.literal(ty);
        match (self.choice.below(8), ty) {
            (0, _) => value.to_owned(),
            (1, _) => format!("{value} * {value}"),
            (2, _) => format!("{value} - {k}"),
            (3, _) => format!("select({value} < {k})({value})({k})"),
            (4, Data::Int) => format!("{value} % 7"),
            (4, _) => format!("{value} / 2.0f"),
            (5, _) => {
                let x = self.name("t");
                format!("let {x} = {value} + {k} in {x} * {x}")
            }
            (6, _) => format!("-({value}) + {k}"),
            _ => format!("{value} * {k} + {k}"),
        }
    }

    /// `fun(acc, x => …)` for reductions and scans: `acc` of type `out`, `x` of `elem`.
    pub fn combination(&mut self, out: &Data, elem: &Data) -> String {
        let (a, x) = (self.name("a"), self.name("x"));
        let (mut part, part_ty) = self.some_scalar(&x, elem);
        if part_ty != *out {
            part = format!("(cast({part}) : {out})");
        }
        let body = match self.choice.below(4) {
            0 => format!("{a} + {part} * {part}"),
            1 => format!("select({a} < {part})({part})({a})"),
            2 => format!("{a} - {part}"),
            _ => format!("{a} + {part}"),
        };
        // `scanSeq` takes the element first, reductions the accumulator.
        if out == elem && body.starts_with(&format!("{a} + {part}")) {
            return format!("fun({a}, {x} => {body})");
        }
        format!("fun({a}, {x} => {body})")
    }

    pub fn literal(&mut self, ty: &Data) -> String {
        let k = self.choice.below(5);
        match ty {
            Data::Int => format!("{k}"),
            _ => format!("{k}.5f"),
        }
    }
}
