//! Random well-typed low-level RISE programs, as text: nested patterns, views on what is read and
//! on what is written, stores between them. One seed gives one program, on every machine.
//!
//! Every program checks, and compiles for its target: what generated code computes is to be what
//! the interpreter says.

mod choice;
mod scalar;
mod views;

pub use choice::Choice;

use std::fmt::{self, Display};

/// A data type with known sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Float,
    Int,
    Array(Size, Box<Data>),
    Pair(Box<Data>, Box<Data>),
}

/// A size: a number, or a multiple of the parameter `n` plus a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub of_n: u32,
    pub plus: u32,
}

impl Size {
    pub fn number(plus: u32) -> Size {
        Size { of_n: 0, plus }
    }

    pub fn constant(self) -> Option<u32> {
        (self.of_n == 0).then_some(self.plus)
    }

    pub fn times(self, by: u32) -> Size {
        Size {
            of_n: self.of_n * by,
            plus: self.plus * by,
        }
    }

    pub fn grown(self, by: u32) -> Size {
        Size {
            plus: self.plus + by,
            ..self
        }
    }

    /// Never less than this, whatever `n` is (it may be 1).
    pub fn at_least(self) -> u32 {
        self.of_n + self.plus
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.of_n, self.plus) {
            (0, plus) => write!(f, "{plus}"),
            (1, 0) => f.write_str("n"),
            (1, plus) => write!(f, "(n+{plus})"),
            (of_n, 0) => write!(f, "({of_n}*n)"),
            (of_n, plus) => write!(f, "({of_n}*n+{plus})"),
        }
    }
}

impl Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Float => f.write_str("f32"),
            Data::Int => f.write_str("i32"),
            Data::Array(n, elem) => write!(f, "{n}.{elem}"),
            Data::Pair(a, b) => write!(f, "({a}, {b})"),
        }
    }
}

impl Data {
    pub fn array(n: Size, elem: Data) -> Data {
        Data::Array(n, Box::new(elem))
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self, Data::Float | Data::Int)
    }

    fn has_array(&self) -> bool {
        match self {
            Data::Float | Data::Int => false,
            Data::Array(..) => true,
            Data::Pair(a, b) => a.has_array() || b.has_array(),
        }
    }

    /// How many scalars, if `n` is 4.
    fn weight(&self) -> u64 {
        match self {
            Data::Float | Data::Int => 1,
            Data::Array(n, elem) => u64::from(n.of_n * 4 + n.plus) * elem.weight(),
            Data::Pair(a, b) => a.weight() + b.weight(),
        }
    }
}

/// What programs may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Sequential patterns.
    C,
    /// OpenMP's too.
    OpenMp,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// One definition, `random`.
    pub text: String,
    /// Whether it has the size parameter `n`.
    pub sized: bool,
}

/// The program of a seed.
pub fn program(seed: u64, backend: Backend) -> Program {
    let mut maker = Maker {
        choice: Choice::new(seed),
        backend,
        names: 0,
        fuel: 0,
    };
    maker.program()
}

/// More scalars than this in one value are left alone.
const LARGE: u64 = 4000;

pub(crate) struct Maker {
    pub choice: Choice,
    backend: Backend,
    names: u32,
    /// How many more patterns may nest or follow.
    fuel: u32,
}

impl Maker {
    pub fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn program(&mut self) -> Program {
        let sized = self.choice.one_in(2);
        self.fuel = 2 + self.choice.below(5);
        let params: Vec<(String, Data)> = (0..1 + self.choice.below(3))
            .map(|at| {
                let depth = 1 + self.choice.below(2);
                (format!("x{at}"), self.input(depth, sized && at == 0))
            })
            .collect();
        let (first, ty) = params[0].clone();
        let body = self.written(&first, &ty, &params[1..]);
        let mut text = String::from(match self.backend {
            Backend::C => "@target(c)\n",
            Backend::OpenMp => "@target(openmp)\n",
        });
        text.push_str("def random = ");
        if sized {
            text.push_str("depFun(n: Nat => ");
        }
        text.push_str("fun(");
        for (at, (name, ty)) in params.iter().enumerate() {
            if at > 0 {
                text.push_str(", ");
            }
            text.push_str(&format!("{name}: {ty}"));
        }
        text.push_str(" => ");
        text.push_str(&body);
        text.push(')');
        if sized {
            text.push(')');
        }
        text.push('\n');
        Program { text, sized }
    }

    /// The type of a parameter.
    fn input(&mut self, depth: u32, sized: bool) -> Data {
        let elem = match depth {
            0 | 1 => self.scalar_type(),
            _ => self.input(depth - 1, false),
        };
        let n = match sized {
            true => Size {
                of_n: 1 + self.choice.below(2),
                plus: self.choice.below(3),
            },
            false => Size::number(1 + self.choice.below(6)),
        };
        Data::array(n, elem)
    }

    fn scalar_type(&mut self) -> Data {
        if self.choice.one_in(3) {
            Data::Int
        } else {
            Data::Float
        }
    }

    /// An expression that is still to be written, made from one that is read.
    fn written(&mut self, value: &str, ty: &Data, scope: &[(String, Data)]) -> String {
        let (value, ty) = self.viewed(value, ty, scope);
        let (written, ty) = self.stored_by_pattern(&value, &ty, scope);
        let (written, ty) = self.written_views(&written, &ty);
        if self.fuel == 0 || !ty.has_array() {
            return written;
        }
        self.fuel -= 1;
        if self.choice.one_in(2) {
            return written;
        }
        // Stored, and read again.
        let stored = format!("({written}) |> toMem");
        let name = self.name("y");
        let mut inner = scope.to_vec();
        inner.push((name.clone(), ty.clone()));
        let rest = self.written(&name, &ty, &inner[..scope.len()]);
        format!("let {name} = {stored} in {rest}")
    }

    /// An array written element by element; a scalar is just computed.
    fn stored_by_pattern(
        &mut self,
        value: &str,
        ty: &Data,
        scope: &[(String, Data)],
    ) -> (String, Data) {
        match ty {
            Data::Array(n, elem) => {
                let n = *n;
                if elem.is_scalar() && self.fuel > 0 && self.choice.one_in(6) {
                    self.fuel -= 1;
                    let f = self.combination(elem, elem);
                    let zero = self.literal(elem);
                    return (format!("{value} |> scanSeq({f})({zero})"), ty.clone());
                }
                let x = self.name("e");
                let mut inner = scope.to_vec();
                inner.push((x.clone(), (**elem).clone()));
                let (body, out) = self.element(&x, elem, &inner[..scope.len()]);
                let pattern = self.pattern(n);
                let text = format!("{value} |> {pattern}(fun({x} => {body}))");
                (text, Data::array(n, out))
            }
            Data::Pair(..) | Data::Float | Data::Int => {
                let (text, ty) = self.computed(value, ty, scope);
                (text, ty)
            }
        }
    }

    fn pattern(&mut self, n: Size) -> &'static str {
        if self.backend == Backend::OpenMp && self.choice.one_in(2) {
            return "mapPar";
        }
        match n.constant() {
            Some(1..=8) if self.choice.one_in(5) => "mapSeqUnroll",
            _ => "mapSeq",
        }
    }

    /// What a pattern does with an element: computes a scalar, reduces an array, or writes one.
    fn element(&mut self, x: &str, ty: &Data, scope: &[(String, Data)]) -> (String, Data) {
        if !ty.has_array() {
            return self.computed(x, ty, scope);
        }
        let Data::Array(_, elem) = ty else {
            let half = if self.choice.one_in(2) { 1 } else { 2 };
            let Data::Pair(a, b) = ty else {
                unreachable!("a type with an array")
            };
            let ty = if half == 1 { a } else { b };
            return self.element(&format!("{x}._{half}"), ty, scope);
        };
        if self.fuel == 0 || (!elem.has_array() && self.choice.one_in(2)) {
            return self.reduced(x, ty, scope);
        }
        self.fuel -= 1;
        let (value, ty) = self.viewed(x, ty, scope);
        let (written, ty) = self.stored_by_pattern(&value, &ty, scope);
        self.written_views(&written, &ty)
    }

    /// An array brought down to one scalar.
    fn reduced(&mut self, x: &str, ty: &Data, scope: &[(String, Data)]) -> (String, Data) {
        let mut value = x.to_owned();
        let mut ty = ty.clone();
        while let Some((next, out)) = views::joined(&value, &ty) {
            value = next;
            ty = out;
        }
        let Data::Array(n, elem) = &ty else {
            return self.computed(&value, &ty, scope);
        };
        let out = self.scalar_type();
        let f = self.combination(&out, elem);
        let zero = self.literal(&out);
        let unroll = matches!(n.constant(), Some(1..=8)) && self.choice.one_in(5);
        let name = if unroll {
            "reduceSeqUnroll"
        } else {
            "reduceSeq"
        };
        (format!("{value} |> {name}({f})({zero})"), out)
    }
}
