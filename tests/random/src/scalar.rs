//! Generates expressions without arrays.

use crate::{Data, Maker, Num, Scope};

impl Maker {
    /// Computes a scalar, pair or vector from a value without arrays and the scalars in scope.
    pub fn computed(&mut self, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        if let Data::Pair(a, b) = ty
            && a.is_scalar()
            && b.is_scalar()
            && self.choice.one_in(3)
        {
            return (self.pair(value, a, b), ty.clone());
        }
        let (value, ty) = self.part(value, ty);
        let mut text = self.single(&value, &ty);
        if let Some((other, _)) = scope.iter().find(|(_, other)| *other == ty)
            && ty.is_number()
            && self.choice.one_in(2)
        {
            text = format!("{text} + {other}");
        }
        (text, ty)
    }

    /// Computes a pair of scalars from another one.
    fn pair(&mut self, value: &str, a: &Data, b: &Data) -> String {
        match self.choice.below(4) {
            0 => {
                let first = self.single(&format!("{value}._1"), a);
                let second = self.single(&format!("{value}._2"), b);
                format!("({first}, {second})")
            }
            1 => {
                let first = self.single(&format!("fst({value})"), a);
                format!("makePair({first})(snd({value}))")
            }
            2 => {
                let x = self.name("h");
                let half = self.single(&x, a);
                format!("mapFst(fun({x} => {half}))({value})")
            }
            _ => {
                let x = self.name("h");
                let half = self.single(&x, b);
                format!("mapSnd(fun({x} => {half}))({value})")
            }
        }
    }

    /// Selects a scalar or vector of a value without arrays.
    pub fn part(&mut self, value: &str, ty: &Data) -> (String, Data) {
        match ty {
            Data::Pair(a, b) => match self.choice.one_in(2) {
                true => self.part(&format!("{value}._1"), a),
                false => self.part(&format!("{value}._2"), b),
            },
            _ => (value.to_owned(), ty.clone()),
        }
    }

    /// Computes a scalar or vector from one of the same type.
    pub fn single(&mut self, value: &str, ty: &Data) -> String {
        match ty {
            Data::Vector(lanes, num) => self.vector(value, *lanes, *num),
            Data::Scalar(Num::Bool) => self.truth(value),
            Data::Scalar(num) => self.scalar(value, *num),
            Data::Pair(..) | Data::Array(..) => value.to_owned(),
        }
    }

    fn scalar(&mut self, value: &str, num: Num) -> String {
        let k = self.literal(num);
        match self.choice.below(15) {
            0 => value.to_owned(),
            1 => format!("{value} * {value}"),
            2 => format!("{value} - {k}"),
            3 => format!("select({value} < {k})({value})({k})"),
            4 if num.is_float() => format!("{value} / {}", self.positive(num)),
            4 => format!("{value} % {}", self.positive(num)),
            5 => {
                let x = self.name("t");
                format!("(let {x} = {value} + {k} in {x} * {x})")
            }
            6 => format!("-({value}) + {k}"),
            7 => format!("{value} / {}", self.positive(num)),
            8 => {
                // A conversion to another type and back.
                let between = match (num, self.choice.of(Num::ALL)) {
                    // GCC 12 drops both conversions when it vectorises for AVX-512.
                    (Num::F64, Num::F32) => Num::I64,
                    (_, between) => between,
                };
                let (there, back) = (between.name(), num.name());
                format!("(cast((cast({value}) : {there})) : {back})")
            }
            9 if self.choice.one_in(2) => self.foreign_call(value, num),
            10 => {
                let list = format!("makeArray(3)({value}, {k}, {value} + {k})");
                format!("({list} |> idx({}))", self.choice.below(3))
            }
            12 if num.is_float() => format!("fma({value})({k})({value})"),
            13 if num.is_float() => format!("{}({value})", self.function_of_floats()),
            13 => format!("abs({value})"),
            14 => format!("min({value} + {k})(max({value})({k}))"),
            11 => {
                let test = self.comparison(value, num);
                format!("select(!({test}) || {value} >= {k})({k})({value} + {k})")
            }
            _ => format!("{value} * {k} + {k}"),
        }
    }

    /// Returns a function of floats whose result does not depend on the C library.
    fn function_of_floats(&mut self) -> &'static str {
        self.choice.of(&["abs", "sqrt", "floor", "ceil", "round"])
    }

    fn comparison(&mut self, value: &str, num: Num) -> String {
        let sign = self.choice.of(&["<", "<=", ">", ">=", "==", "!="]);
        format!("{value} {sign} {}", self.literal(num))
    }

    fn truth(&mut self, value: &str) -> String {
        match self.choice.below(5) {
            0 => value.to_owned(),
            1 => format!("!{value}"),
            2 => format!("{value} && true"),
            3 => format!("({value} || false) == {value}"),
            _ => self.foreign_call(value, Num::Bool),
        }
    }

    fn vector(&mut self, value: &str, lanes: u32, num: Num) -> String {
        let k = self.literal(num);
        match self.choice.below(7) {
            0 => value.to_owned(),
            1 => format!("{value} * {value}"),
            2 => format!(
                "{value} + (vectorFromScalar({k}) : Vec[{lanes}, {}])",
                num.name()
            ),
            3 if num.is_float() => format!("fma({value})({value})(-{value})"),
            4 if num.is_float() => format!("{}({value})", self.function_of_floats()),
            4 => format!("abs({value})"),
            5 => format!("max({value})(min({value} * {value})({value}))"),
            3 => format!("{value} - {value} * {value}"),
            _ => {
                let x = self.name("l");
                let lane = match self.choice.below(3) {
                    0 => format!("select({x} < {k})({k})({x})"),
                    1 => format!("{x} * {k} + {x}"),
                    _ => format!("-{x}"),
                };
                format!("({value} |> mapVec(fun({x} => {lane})))")
            }
        }
    }

    /// Generates `fun(acc, x => …)` for reductions, or `fun(x, acc => …)` for scans of one type:
    /// `acc` has type `out`, `x` has `elem`.
    pub fn combination(&mut self, out: &Data, elem: &Data) -> String {
        let (a, x) = (self.name("a"), self.name("x"));
        let (mut part, part_ty) = self.part(&x, elem);
        if part_ty != *out {
            part = format!("(cast({part}) : {out})");
        }
        let body = match (out, self.choice.below(5)) {
            (Data::Vector(..), 0) => format!("{a} - {part}"),
            (Data::Vector(_, num), 1) if num.is_float() => format!("fma({part})({part})({a})"),
            (Data::Vector(..), _) => format!("{a} + {part} * {part}"),
            (_, 1) => format!("select({a} < {part})({part})({a})"),
            (_, 2) => format!("{a} - {part}"),
            (Data::Scalar(num), 3) if num.is_float() => format!("fma({part})({part})({a})"),
            (_, 3) => format!("{a} + {part} * {part}"),
            (_, 4) => format!("max({a})({part})"),
            _ => format!("{a} + {part}"),
        };
        format!("fun({a}, {x} => {body})")
    }

    /// Returns an initial value for reductions of this type.
    pub fn start(&mut self, ty: &Data) -> String {
        match ty {
            Data::Vector(lanes, num) => {
                let k = self.literal(*num);
                format!("(vectorFromScalar({k}) : Vec[{lanes}, {}])", num.name())
            }
            Data::Scalar(num) => self.literal(*num),
            Data::Pair(a, b) => {
                let (a, b) = (self.start(a), self.start(b));
                format!("({a}, {b})")
            }
            Data::Array(..) => "_".to_owned(),
        }
    }

    pub fn literal(&mut self, num: Num) -> String {
        let k = self.choice.below(5);
        match num {
            Num::Bool => if k < 3 { "true" } else { "false" }.to_owned(),
            // Inexact numbers, so that sums and products are rounded.
            Num::F32 => format!("{k}.3f"),
            _ if num.is_float() => format!("{k}.3{}", num.name()),
            _ => format!("{k}{}", num.name()),
        }
    }

    /// Returns a positive number, as a divisor.
    fn positive(&mut self, num: Num) -> String {
        let k = 1 + self.choice.below(7);
        match num.is_float() {
            true => format!("{k}.0{}", num.name()),
            false => format!("{k}{}", num.name()),
        }
    }
}
