//! Whether two programs mean the same: both interpreted for random sizes, functions and arrays.

use nat::Var;
use rise::Type;
use rise::core::{Program, program_of};
use rise::types::Ty;
use rise::{Names, Primitive};
use runtime::compare::compare;
use runtime::generate::{Fill, Random};
use runtime::interp::{self, Options};
use runtime::{Bindings, Shape, Value};
use syntax::ast::{Kind, ScalarType};

/// How often sizes are drawn until they fulfil what both programs assume.
const TRIES: u32 = 200;

/// A definition that calls both programs with the same functions, and what it is called with.
struct Run {
    programs: [Program<Primitive>; 2],
    unit: i64,
    largest: i64,
}

/// Two definitions of a text that should mean the same.
pub struct Pair<'a> {
    /// The text, with everything that they use.
    pub text: &'a str,
    /// The one definition.
    pub before: &'a str,
    /// The other one. Behind the sizes of the first one it may take more.
    pub after: &'a str,
    /// The sizes that it takes more, as arguments: `(4)`.
    pub more: &'a str,
    /// What all sizes are multiples of.
    pub unit: i64,
    /// The largest size, in units.
    pub largest: i64,
}

impl Pair<'_> {
    /// How many of three runs there were sizes for, all of which agreed.
    ///
    /// # Errors
    ///
    /// What differs, with the programs.
    pub fn agree(&self, seed: u64) -> Result<u32, String> {
        let mut random = Random::new(seed);
        let mut runs = 0;
        for round in 0..3 {
            let with_text = |error: String| format!("{error}\n{}", self.text);
            let calls = self.calls(&mut random).map_err(with_text)?;
            let text = format!("{}\n{calls}", self.text);
            let with_text = |error: String| format!("{error}\n{text}");
            let program =
                |name| program_of(&text, name).map_err(|error| with_text(error.to_string()));
            let run = Run {
                programs: [program("callBefore")?, program("callAfter")?],
                unit: self.unit,
                largest: self.largest,
            };
            runs += u32::from(run.once(&mut random, seed + round).map_err(with_text)?);
        }
        Ok(runs)
    }

    /// `callBefore` and `callAfter`, in which functions that the programs take are put in.
    fn calls(&self, random: &mut Random) -> Result<String, String> {
        let program = program_of(self.text, self.before).map_err(|error| error.to_string())?;
        let names = Names(program.names.clone().into());
        let signature = program.signature();
        let (mut sizes, mut params) = (Vec::new(), Vec::new());
        let (mut leading, mut args) = (String::new(), String::new());
        for param in &signature.params {
            use rise::core::ParameterForm as P;
            match &param.form {
                P::TypeLevel {
                    var,
                    kind: Kind::Nat,
                    implicit: false,
                } => {
                    let name = program.name_of(*var);
                    sizes.push(format!("{name}: Nat"));
                    leading += &format!("({name})");
                }
                P::TypeLevel { .. } => return Err("it is generic".to_owned()),
                P::Value(param) if matches!(*param.ty, Type::Fun(..)) => {
                    let function = Functions {
                        random,
                        names: &names,
                        bound: Vec::new(),
                    };
                    args += &format!("({})", function.of(&param.ty)?);
                }
                P::Value(param) => {
                    let name = format!("p{}", params.len());
                    params.push(format!(
                        "{name}: {}",
                        rise::print::type_text(&param.ty, &names)
                    ));
                    args += &format!("({name})");
                }
            }
        }
        let mut calls = String::new();
        let sides = [
            ("callBefore", self.before, ""),
            ("callAfter", self.after, self.more),
        ];
        for (call, side, more) in sides {
            let mut body = format!("{side}{leading}{more}{args}");
            if !params.is_empty() {
                body = format!("fun(({}) => {body})", params.join(", "));
            }
            if !sizes.is_empty() {
                body = format!("depFun(({}) => {body})", sizes.join(", "));
            }
            calls += &format!("def {call} = {body}\n");
        }
        Ok(calls)
    }
}

impl Run {
    /// Whether there were sizes for a run.
    fn once(&self, random: &mut Random, seed: u64) -> Result<bool, String> {
        let Some(sizes) = (0..TRIES).find_map(|_| self.sizes(random)) else {
            return Ok(false);
        };
        let args = self.args(&sizes, seed)?;
        let mut results = Vec::new();
        for program in &self.programs {
            let bindings = bindings(program, &sizes);
            let outcome = interp::run(program, &bindings, &args, &Options::default());
            results.push(
                outcome
                    .map_err(|error| format!("{error}, for {sizes:?}"))?
                    .value,
            );
        }
        let found = compare(&results[1], &results[0], None).ok_or("the results differ in shape")?;
        match found.first {
            Some(first) => Err(format!(
                "at {} it is {}, not {}, for sizes {sizes:?}",
                first.path, first.actual, first.expected
            )),
            None => Ok(true),
        }
    }

    /// Random sizes that fulfil what both programs assume.
    fn sizes(&self, random: &mut Random) -> Option<Vec<i64>> {
        let count = self.programs[0].signature().sizes().count();
        let draw = |_| self.unit * (1 + (random.draw() % self.largest as u64) as i64);
        let sizes: Vec<i64> = (0..count).map(draw).collect();
        let fits = self.programs.iter().all(|program| {
            let bindings = bindings(program, &sizes);
            let value = |var: Var| bindings.nats.get(&var).copied();
            let mut props = program.obligations.iter();
            props.all(|prop| prop.eval(&value, &|_, _| None) == Some(true))
                && self.shapes(program, &bindings).is_ok()
        });
        fits.then_some(sizes)
    }

    fn shapes(
        &self,
        program: &Program<Primitive>,
        bindings: &Bindings,
    ) -> Result<Vec<Shape>, String> {
        let signature = program.signature();
        let shape = |ty: &Ty| Shape::of(ty, bindings).map_err(|error| error.to_string());
        signature.values().map(|param| shape(&param.ty)).collect()
    }

    fn args(&self, sizes: &[i64], seed: u64) -> Result<Vec<Value>, String> {
        let program = &self.programs[0];
        let shapes = self.shapes(program, &bindings(program, sizes))?;
        let fill = |(at, shape)| Fill::Random(seed * 31 + at).value(shape);
        let values = (0..).zip(shapes).map(fill);
        values
            .map(|value| value.map_err(|error| error.to_string()))
            .collect()
    }
}

fn bindings(program: &Program<Primitive>, sizes: &[i64]) -> Bindings {
    let vars = program.signature();
    Bindings {
        nats: vars.sizes().zip(sizes.iter().copied()).collect(),
        names: Names(program.names.clone().into()),
        ..Bindings::default()
    }
}

/// Random functions, as text.
struct Functions<'r> {
    random: &'r mut Random,
    names: &'r Names,
    bound: Vec<(String, Ty)>,
}

impl Functions<'_> {
    fn of(mut self, ty: &Ty) -> Result<String, String> {
        self.value(ty, 3)
    }

    fn draw(&mut self, below: usize) -> usize {
        (self.random.draw() % below as u64) as usize
    }

    /// An expression of a type over what is bound.
    fn value(&mut self, ty: &Ty, depth: u32) -> Result<String, String> {
        match &**ty {
            Type::Fun(from, to) => {
                let name = format!("x{}", self.bound.len());
                self.bound.push((name.clone(), from.clone()));
                let body = self.value(to, depth)?;
                let from = rise::print::type_text(from, self.names);
                Ok(format!("fun({name}: {from} => {body})"))
            }
            Type::Scalar(scalar @ (ScalarType::I32 | ScalarType::F32)) => {
                Ok(self.number(*scalar, depth))
            }
            Type::Pair(a, b) => {
                let (a, b) = (self.value(a, depth)?, self.value(b, depth)?);
                Ok(format!("({a}, {b})"))
            }
            Type::Array(_, element) => {
                let element = self.value(element, depth)?;
                let ty = rise::print::type_text(ty, self.names);
                Ok(format!("(generate(fun(i => {element})) : {ty})"))
            }
            _ => Err("no functions of this type are made up".to_owned()),
        }
    }

    fn number(&mut self, scalar: ScalarType, depth: u32) -> String {
        let (zero, suffix) = match scalar {
            ScalarType::F32 => ("0.0f", ".0f"),
            _ => ("0", ""),
        };
        if depth > 0 {
            let (a, b) = (
                self.number(scalar, depth - 1),
                self.number(scalar, depth - 1),
            );
            match self.draw(5) {
                0 => return format!("({a} + {b})"),
                1 => return format!("({a} - {b})"),
                2 => return format!("({a} * {b})"),
                3 => return format!("select({a} < {zero})({b})({a})"),
                _ => {}
            }
        }
        let at = self.draw(self.bound.len() + 1);
        let Some((name, ty)) = self.bound.get(at) else {
            return format!("{}{suffix}", self.draw(7));
        };
        let is = |ty: &Ty| **ty == Type::Scalar(scalar);
        match &**ty {
            _ if is(ty) => name.clone(),
            Type::Array(_, element) if is(element) => {
                format!("({name} |> reduceSeq(fun(a, x => a * 3{suffix} + x))(1{suffix}))")
            }
            Type::Pair(a, _) if is(a) => format!("{name}._1"),
            Type::Pair(_, b) if is(b) => format!("{name}._2"),
            _ => format!("2{suffix}"),
        }
    }
}
