//! Functions that are made up, for programs that take some.

use rise::types::Ty;
use rise::{Names, Type};
use runtime::generate::Random;
use syntax::ast::ScalarType;

/// Random functions, as text.
pub(crate) struct Functions<'r> {
    pub(crate) random: &'r mut Random,
    pub(crate) names: &'r Names,
    bound: Vec<(String, Ty)>,
}

impl<'r> Functions<'r> {
    pub(crate) fn new(random: &'r mut Random, names: &'r Names) -> Functions<'r> {
        Functions {
            random,
            names,
            bound: Vec::new(),
        }
    }

    /// A function of a type.
    ///
    /// # Errors
    /// None is made up of this type.
    pub(crate) fn of(mut self, ty: &Ty) -> Result<String, String> {
        self.value(ty, 3)
    }

    fn draw(&mut self, below: usize) -> usize {
        (self.random.draw() % below as u64) as usize
    }

    fn text(&self, ty: &Ty) -> String {
        rise::print::type_text(ty, self.names)
    }

    /// An expression of a type over what is bound.
    fn value(&mut self, ty: &Ty, depth: u32) -> Result<String, String> {
        match &**ty {
            Type::Fun(from, to) => {
                let name = format!("x{}", self.bound.len());
                self.bound.push((name.clone(), from.clone()));
                let body = self.value(to, depth)?;
                Ok(format!("fun({name}: {} => {body})", self.text(from)))
            }
            Type::Scalar(ScalarType::Bool) => Ok(["true", "false"][self.draw(2)].to_owned()),
            Type::Scalar(scalar) if *scalar != ScalarType::NatType => {
                Ok(self.number(*scalar, depth))
            }
            Type::Pair(a, b) => {
                let (a, b) = (self.value(a, depth)?, self.value(b, depth)?);
                Ok(format!("({a}, {b})"))
            }
            Type::Array(_, element) => {
                let element = self.value(element, depth)?;
                Ok(format!(
                    "(generate(fun(i => {element})) : {})",
                    self.text(ty)
                ))
            }
            Type::Vector(_, element) => {
                let element = self.value(element, depth)?;
                Ok(format!("(vectorFromScalar({element}) : {})", self.text(ty)))
            }
            _ => Err(format!("no `{}` is made up", self.text(ty))),
        }
    }

    fn number(&mut self, scalar: ScalarType, depth: u32) -> String {
        if depth > 0 {
            let (a, b) = (
                self.number(scalar, depth - 1),
                self.number(scalar, depth - 1),
            );
            match self.draw(5) {
                0 => return format!("({a} + {b})"),
                1 => return format!("({a} - {b})"),
                2 => return format!("({a} * {b})"),
                3 => return format!("select({a} < {})({b})({a})", number(0, scalar)),
                _ => {}
            }
        }
        let at = self.draw(self.bound.len() + 1);
        let Some((name, ty)) = self.bound.get(at) else {
            return number(self.draw(7), scalar);
        };
        let is = |ty: &Ty| **ty == Type::Scalar(scalar);
        match &**ty {
            _ if is(ty) => name.clone(),
            Type::Array(_, element) if is(element) => {
                let [one, three] = [1, 3].map(|value| number(value, scalar));
                format!("({name} |> reduceSeq(fun(a, x => a * {three} + x))({one}))")
            }
            Type::Pair(a, _) if is(a) => format!("{name}._1"),
            Type::Pair(_, b) if is(b) => format!("{name}._2"),
            _ => number(2, scalar),
        }
    }
}

/// A literal.
fn number(value: usize, scalar: ScalarType) -> String {
    match scalar {
        ScalarType::F32 => format!("{value}.0f"),
        ScalarType::F16 | ScalarType::F64 => format!("{value}.0{}", scalar.as_str()),
        other => format!("{value}{}", other.as_str()),
    }
}
