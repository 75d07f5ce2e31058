//! Runs two programs on the same input.

use std::time::Duration;

use nat::{Nat, Prop, Var};
use rise::core::Program;
use rise::{Names, Primitive};
use runtime::compare::compare;
use runtime::generate::{Fill, Random};
use runtime::interp::{self, Options};
use runtime::{Bindings, Shape, Value};

use crate::Sizes;

/// The number of attempts to draw sizes that satisfy the assumptions of both programs.
const TRIES: u32 = 400;
/// The maximal size of the input in bytes.
const BYTES: u64 = 4 << 20;
/// The maximal unit: with larger units the sizes would be too large.
const UNIT: i64 = 4096;
/// The time limit of a run.
const PATIENCE: Duration = Duration::from_secs(20);

/// Two definitions that call both programs with the same functions, and the sizes to try.
pub(crate) struct Run {
    pub(crate) programs: [Program<Primitive>; 2],
    pub(crate) sizes: Sizes,
}

impl Run {
    /// Runs both programs once and compares the results. Returns false if no sizes were found, the
    /// input is too large, or the original program fails.
    pub(crate) fn once(&self, random: &mut Random, seed: u64) -> Result<bool, String> {
        let units = self.units();
        let Some(sizes) = (0..TRIES).find_map(|_| self.draw(random, &units)) else {
            return Ok(false);
        };
        let Some(args) = self.args(&sizes, seed)? else {
            return Ok(false);
        };
        let [before, after] = &self.programs;
        let Ok(expected) = result(before, &sizes, &args) else {
            return Ok(false);
        };
        let said = |error| format!("{error}, for sizes {sizes:?}");
        let actual = result(after, &sizes, &args).map_err(said)?;
        let found = compare(&actual, &expected, None);
        let found = found.ok_or_else(|| said("the results differ in shape".to_owned()))?;
        match found.first {
            Some(first) => Err(said(format!(
                "at {} it is {}, not {}",
                first.path, first.actual, first.expected
            ))),
            None => Ok(true),
        }
    }

    /// Returns the candidates for the unit of a size; the usual unit occurs twice.
    fn units(&self) -> Vec<i64> {
        let mut units = vec![self.sizes.unit; 2];
        let mut all = self.sizes.unit;
        for prop in self
            .programs
            .iter()
            .flat_map(|program| &program.obligations)
        {
            if let Prop::Divides(unit, _) = prop
                && let Some(unit) = Nat::as_const(unit)
                && (2..=UNIT).contains(&unit)
            {
                units.push(unit);
                all = lcm(all, unit);
            }
        }
        if all <= UNIT {
            units.push(all);
        }
        units
    }

    /// Draws random sizes that satisfy the assumptions of both programs.
    fn draw(&self, random: &mut Random, units: &[i64]) -> Option<Vec<i64>> {
        let count = self.programs[0].signature().sizes().count();
        let mut below = |bound: u64| random.draw() % bound;
        let draw = |_| {
            let unit = units[below(units.len() as u64) as usize];
            let rounds = if unit > 32 { 2 } else { self.sizes.largest };
            unit * (1 + below(rounds as u64) as i64)
        };
        let sizes: Vec<i64> = (0..count).map(draw).collect();
        let fits = self.programs.iter().all(|program| {
            let bindings = bindings(program, &sizes);
            let value = |var: Var| bindings.nats.get(&var).copied();
            let mut props = program.obligations.iter();
            props.all(|prop| prop.eval(&value, &|_, _| None) == Some(true))
                && shapes(program, &bindings).is_ok()
        });
        fits.then_some(sizes)
    }

    /// Returns the arguments of both programs; `None` if they are too large.
    fn args(&self, sizes: &[i64], seed: u64) -> Result<Option<Vec<Value>>, String> {
        let program = &self.programs[0];
        let shapes = shapes(program, &bindings(program, sizes))?;
        if shapes.iter().map(Shape::size).sum::<u64>() > BYTES {
            return Ok(None);
        }
        let fill = |(at, shape)| Fill::Random(seed.wrapping_mul(31).wrapping_add(at)).value(shape);
        let values: Result<_, _> = (0..).zip(shapes).map(fill).collect();
        values.map(Some).map_err(|error| error.to_string())
    }
}

fn result(program: &Program<Primitive>, sizes: &[i64], args: &[Value]) -> Result<Value, String> {
    let options = Options {
        time_limit: Some(PATIENCE),
        ..Options::default()
    };
    let outcome = interp::run(program, &bindings(program, sizes), args, &options);
    let outcome = outcome.map_err(|error| error.to_string())?;
    Ok(outcome.value)
}

fn shapes(program: &Program<Primitive>, bindings: &Bindings) -> Result<Vec<Shape>, String> {
    let signature = program.signature();
    let shape = |ty| Shape::of(ty, bindings).map_err(|error| error.to_string());
    signature.values().map(|param| shape(&param.ty)).collect()
}

fn bindings(program: &Program<Primitive>, sizes: &[i64]) -> Bindings {
    let vars = program.signature();
    Bindings {
        nats: vars.sizes().zip(sizes.iter().copied()).collect(),
        names: Names(program.names.clone().into()),
        ..Bindings::default()
    }
}

fn lcm(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
