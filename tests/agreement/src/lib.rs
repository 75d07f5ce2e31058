//! Tests the equivalence of two programs: both are interpreted for random sizes, functions and
//! arrays.
//!
//! [`Pair`] compares two definitions of a text. For programs of other origin, [`agree`] is called
//! with a function that links a text of calls to them.

mod functions;
mod run;

use rise::core::{ParameterForm, Program, program_of};
use rise::types::Ty;
use rise::{Arg, Names, Primitive, Type};
use runtime::generate::Random;
use syntax::ast::{Kind, ScalarType};

pub use functions::Functions;
use run::Run;

/// The sizes to try.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The number of which all sizes are multiples, unless the programs assume something else.
    pub unit: i64,
    /// The largest size, in units.
    pub largest: i64,
}

/// Two definitions of a text that should be equivalent.
pub struct Pair<'a> {
    /// The text, with all definitions that both use.
    pub text: &'a str,
    /// The name of the first definition.
    pub before: &'a str,
    /// The name of the second definition. It may have more sizes after those of the first one.
    pub after: &'a str,
    /// The additional sizes of the second definition, as arguments: `(4)`.
    pub more: &'a str,
    /// The number of which all sizes are multiples.
    pub unit: i64,
    /// The largest size, in units.
    pub largest: i64,
}

/// A function that returns the program which makes a call of one side.
pub type Link<'l> = dyn FnMut(Side, &Call) -> Result<Program<Primitive>, String> + 'l;

impl Pair<'_> {
    /// Runs the pair three times. Returns the number of runs for which there were sizes; in all of
    /// them the results agree.
    ///
    /// # Errors
    ///
    /// The results differ; the error describes how and contains the programs.
    pub fn agree(&self, seed: u64) -> Result<u32, String> {
        let with_text = |error: String| format!("{error}\n{}", self.text);
        let before = program_of(self.text, self.before);
        let before = before.map_err(|error| with_text(error.to_string()))?;
        let sizes = Sizes {
            unit: self.unit,
            largest: self.largest,
        };
        let mut link = |side: Side, call: &Call| {
            let (def, more) = match side {
                Side::Before => (self.before, ""),
                Side::After => (self.after, self.more),
            };
            let text = format!("{}\n{}", self.text, call.definition("call", def, more));
            program_of(&text, "call").map_err(|error| format!("{error}\n{text}"))
        };
        let found = agree(&before, sizes, 3, seed, &mut link).map_err(with_text)?;
        Ok(found.agreed)
    }
}

/// One of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The original program.
    Before,
    /// The program that should be equivalent.
    After,
}

/// The outcome of the runs of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of runs with the same result.
    pub agreed: u32,
    /// The number of runs without a result: no sizes were found that satisfy the assumptions of the
    /// programs and are small enough, or the original program fails for them.
    pub skipped: u32,
}

/// Compares `runs` runs of the program `before` with those of another one. `link` returns the
/// program for a call of one of them.
///
/// # Errors
///
/// The results differ, or no call can be generated.
pub fn agree(
    before: &Program<Primitive>,
    sizes: Sizes,
    runs: u32,
    seed: u64,
    link: &mut Link<'_>,
) -> Result<Found, String> {
    let mut random = Random::new(seed);
    let mut found = Found::default();
    for round in 0..runs {
        let call = Call::of(before, &mut random)?;
        let programs = [link(Side::Before, &call)?, link(Side::After, &call)?];
        let run = Run { programs, sizes };
        let agrees = run.once(&mut random, seed.wrapping_add(u64::from(round)));
        match agrees.map_err(|error| format!("{error}\n{}", call.definition("call", "it", "")))? {
            true => found.agreed += 1,
            false => found.skipped += 1,
        }
    }
    Ok(found)
}

/// A call of a program: its function arguments are generated, its other arguments are parameters.
pub struct Call {
    sizes: Vec<String>,
    params: Vec<String>,
    /// The sizes and types of the call, and the arguments after them.
    given: [String; 2],
}

impl Call {
    /// Generates a call of a program.
    ///
    /// # Errors
    /// The program has a parameter for which no argument can be generated.
    pub fn of(program: &Program<Primitive>, random: &mut Random) -> Result<Call, String> {
        let names = Names(program.names.clone().into());
        let signature = program.signature();
        let mut call = Call {
            sizes: Vec::new(),
            params: Vec::new(),
            given: Default::default(),
        };
        // Types are generated: every data type is a number type.
        let mut types = Vec::new();
        for param in &signature.params {
            match &param.form {
                ParameterForm::TypeLevel {
                    var,
                    kind,
                    implicit,
                } => {
                    let name = program.name_of(*var);
                    let text = match kind {
                        Kind::Nat => {
                            call.sizes.push(format!("{name}: Nat"));
                            name.to_string()
                        }
                        Kind::DataType | Kind::Scalar | Kind::Num | Kind::Int | Kind::Float => {
                            let scalar = match kind {
                                Kind::Float => ScalarType::F32,
                                _ => ScalarType::I32,
                            };
                            let ty = Ty::new(Type::Scalar(scalar));
                            types.push((*var, Arg::Type(ty)));
                            scalar.as_str().to_owned()
                        }
                        _ => return Err(format!("no `{kind}` is made up")),
                    };
                    if !implicit {
                        let behind = usize::from(!call.given[1].is_empty());
                        call.given[behind] += &format!("({text})");
                    }
                }
                ParameterForm::Value(param) => {
                    let value = |var| types.iter().find(|(own, _)| *own == var);
                    let ty = rise::subst::subst(&param.ty, &|var| {
                        value(var).map(|(_, arg)| arg.clone())
                    });
                    let text = match &*ty {
                        Type::Fun(..) => Functions::new(random, &names).of(&ty)?,
                        Type::Pi(..) => {
                            let ty = rise::print::type_text(&ty, &names);
                            return Err(format!("no `{ty}` is made up"));
                        }
                        _ => {
                            let name = format!("p{}", call.params.len());
                            let ty = rise::print::type_text(&ty, &names);
                            call.params.push(format!("{name}: {ty}"));
                            name
                        }
                    };
                    call.given[1] += &format!("({text})");
                }
            }
        }
        Ok(call)
    }

    /// Returns a definition `name` that makes this call of `called`, with the additional sizes
    /// `more` after its sizes.
    pub fn definition(&self, name: &str, called: &str, more: &str) -> String {
        let [first, rest] = &self.given;
        let mut body = format!("{called}{first}{more}{rest}");
        if !self.params.is_empty() {
            body = format!("fun(({}) => {body})", self.params.join(", "));
        }
        if !self.sizes.is_empty() {
            body = format!("depFun(({}) => {body})", self.sizes.join(", "));
        }
        format!("def {name} = {body}\n")
    }
}
