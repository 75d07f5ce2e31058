//! Generates random functions, as arguments for programs.

use rise::types::Ty;
use rise::{Names, Type};
use runtime::generate::Random;
use syntax::ast::ScalarType;

/// A generator of random terms, as text.
pub struct Functions<'r> {
    random: &'r mut Random,
    names: &'r Names,
    bound: Vec<(String, Ty)>,
    binders: &'r [String],
}

impl<'r> Functions<'r> {
    /// Creates a generator of closed terms.
    pub fn new(random: &'r mut Random, names: &'r Names) -> Functions<'r> {
        Functions {
            random,
            names,
            bound: Vec::new(),
            binders: &[],
        }
    }

    /// Makes the generator use the variables in `bound`; the variables that terms bind themselves
    /// have names of `binders`, if there are any.
    #[must_use]
    pub fn over(self, bound: Vec<(String, Ty)>, binders: &'r [String]) -> Functions<'r> {
        Functions {
            bound,
            binders,
            ..self
        }
    }

    /// Generates a term of type `ty`.
    ///
    /// # Errors
    /// No term of this type can be generated.
    pub fn of(&mut self, ty: &Ty) -> Result<String, String> {
        self.value(ty, 3)
    }

    fn draw(&mut self, below: usize) -> usize {
        (self.random.draw() % below as u64) as usize
    }

    fn fresh(&mut self) -> String {
        match self.binders.len() {
            0 => format!("x{}", self.bound.len()),
            count => self.binders[self.draw(count)].clone(),
        }
    }

    /// Returns a variable of this type with high probability, if there is one and the type is not
    /// scalar.
    fn variable(&mut self, ty: &Ty) -> Option<String> {
        if matches!(**ty, Type::Scalar(_)) {
            return None;
        }
        let fits: Vec<String> = (self.bound.iter())
            .filter(|(_, own)| own == ty)
            .map(|(name, _)| name.clone())
            .collect();
        if fits.is_empty() || self.draw(4) == 0 {
            return None;
        }
        let at = self.draw(fits.len());
        fits.get(at).cloned()
    }

    /// Returns an array of this length, if there is one, with probability one half, and the type of
    /// its elements.
    fn mapped(&mut self, size: &nat::Nat) -> Option<(String, Ty)> {
        let fits = self.bound.iter().find_map(|(name, ty)| match &**ty {
            Type::Array(n, element) if n == size => Some((name.clone(), element.clone())),
            _ => None,
        });
        fits.filter(|_| self.random.draw().is_multiple_of(2))
    }

    fn text(&self, ty: &Ty) -> String {
        rise::print::type_text(ty, self.names)
    }

    /// Generates an expression of type `ty` over the bound variables.
    fn value(&mut self, ty: &Ty, depth: u32) -> Result<String, String> {
        if let Some(name) = self.variable(ty) {
            return Ok(name);
        }
        match &**ty {
            Type::Fun(from, to) => {
                let name = self.fresh();
                let around = self.bound.clone();
                // A variable that the new one shadows cannot occur in the body.
                self.bound.retain(|(other, _)| *other != name);
                self.bound.push((name.clone(), from.clone()));
                let body = self.value(to, depth);
                self.bound = around;
                Ok(format!("fun({name}: {} => {})", self.text(from), body?))
            }
            Type::Scalar(ScalarType::Bool) => Ok(["true", "false"][self.draw(2)].to_owned()),
            Type::Scalar(scalar) if *scalar != ScalarType::NatType => {
                Ok(self.number(*scalar, depth))
            }
            Type::Pair(a, b) => {
                let (a, b) = (self.value(a, depth)?, self.value(b, depth)?);
                Ok(format!("({a}, {b})"))
            }
            Type::Array(size, element) => {
                if let Some((name, from)) = self.mapped(size) {
                    let function = Ty::new(Type::Fun(from, element.clone()));
                    let function = self.value(&function, depth)?;
                    return Ok(format!("({name} |> map({function}))"));
                }
                let element = self.value(element, depth)?;
                Ok(format!(
                    "(generate(fun(at => {element})) : {})",
                    self.text(ty)
                ))
            }
            Type::Vector(_, element) => {
                let element = self.value(element, depth)?;
                Ok(format!("(vectorFromScalar({element}) : {})", self.text(ty)))
            }
            Type::Index(_) => Ok(format!("(0 : {})", self.text(ty))),
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

fn number(value: usize, scalar: ScalarType) -> String {
    match scalar {
        ScalarType::F32 => format!("{value}.0f"),
        ScalarType::F16 | ScalarType::F64 => format!("{value}.0{}", scalar.as_str()),
        other => format!("{value}{}", other.as_str()),
    }
}
