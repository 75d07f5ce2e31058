//! What a program runs with: values for its sizes and parameters, checked before it starts.

use crate::generate::{FillError, Generator};
use crate::literal::{Literal, LiteralError};
use crate::npy::{self, NpyError};
use crate::ocl::PlanError;
use crate::process::{self, bytes_text};
use crate::shape::{Bindings, Shape, ShapeError};
use crate::sizes::{self, Equation, Outline, SizesError};
use crate::value::Value;
use dpia::IndexWidth;
use nat::{Nat, Prop, Var};
use rise::core::{NotRunnable, Param, Program};
use rise::{Names, Primitive};
use std::path::PathBuf;
use syntax::ast::Name;
use thiserror::Error;

mod counts;

/// Instances of a condition that are tried before it counts as undecided.
const MAX_STEPS: u64 = 20_000_000;

/// What the user says about a run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Sizes by name (`-D n=1024`).
    pub sizes: Vec<(String, u64)>,
    /// Sizes that count where nothing else says what they are (`@run(n = 1024)`).
    pub defaults: Vec<(String, u64)>,
    /// Arguments by name; the others are random.
    pub args: Vec<(String, Source)>,
    /// The seed of random arguments.
    pub seed: u64,
    /// Bytes that the arguments and the result may have together; what the machine has if it is
    /// not given.
    pub memory: Option<u64>,
}

/// Where an argument comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// It is made up.
    Generated(Generator),
    /// What is written.
    Literal(Literal),
    /// A `.npy` file.
    File(PathBuf),
}

/// Everything that a program runs with.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The sizes, in the order of generated functions.
    pub sizes: Vec<(Name, i64)>,
    /// What the program's variables stand for.
    pub bindings: Bindings,
    /// The names of the parameters.
    pub params: Vec<Name>,
    /// The arguments, in order.
    pub args: Vec<Value>,
    /// Where each of them is from.
    pub sources: Vec<Source>,
    /// The shape of the result, if it is known before.
    pub result: Result<Shape, ShapeError>,
}

/// Why a program does not start.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// It takes more than sizes and data.
    #[error(transparent)]
    NotRunnable(#[from] NotRunnable),
    /// There is no such size.
    #[error("`{program}` has no size `{name}`{}", there_are(.known))]
    NoSize {
        /// The program.
        program: Name,
        /// What was given.
        name: String,
        /// What there is.
        known: Vec<Name>,
    },
    /// There is no such parameter.
    #[error("`{program}` has no parameter `{name}`{}", there_are(.known))]
    NoParameter {
        /// The program.
        program: Name,
        /// What was given.
        name: String,
        /// What there is.
        known: Vec<Name>,
    },
    /// Two parameters, or two arguments, of one name.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// Sizes that nothing says.
    #[error("there is no value for {}; {}", quoted(.0), how_to_give(.0))]
    MissingSizes(Vec<Name>),
    /// A file or a written value says nothing of a size, because it has other dimensions than the
    /// parameter.
    #[error("the argument `{name}`: {place}{found}, and `{ty}` has {expected}")]
    Dimensions {
        /// The parameter.
        name: Name,
        /// The file; empty if there is none.
        place: String,
        /// What there is.
        found: String,
        /// The parameter's type.
        ty: String,
        /// What there should be.
        expected: String,
    },
    /// A size does not fit.
    #[error("the size `{0}` is {1}; it must be less than {limit}", limit = limit_text(*.2))]
    LargeSize(Name, u64, IndexWidth),
    /// A size or an index is data, and does not fit.
    #[error(
        "the program computes with numbers of type `{0}` up to {1}, which do not fit into 32 bits"
    )]
    LargeNumber(String, u64),
    /// Sizes and arguments do not fit together.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// A condition on the sizes does not hold.
    #[error("`{condition}` does not hold{}", for_values(.values))]
    Condition {
        /// The condition.
        condition: String,
        /// The sizes in it: `n = 5, k = 2`.
        values: String,
    },
    /// A condition on the sizes could not be decided.
    #[error("whether `{condition}` holds cannot be computed{}", for_values(.values))]
    Undecided {
        /// The condition.
        condition: String,
        /// The sizes in it.
        values: String,
    },
    /// A parameter is too large, or has no size.
    #[error("the parameter `{name}`: {error}")]
    Parameter {
        /// Its name.
        name: Name,
        /// What is wrong.
        error: ShapeError,
    },
    /// An array inside of the program has more elements than generated code counts.
    #[error("an array inside of `{program}`: {error}")]
    Inside {
        /// The program.
        program: Name,
        /// What is wrong.
        error: ShapeError,
    },
    /// The result is too large.
    #[error("the result: {0}")]
    Result(ShapeError),
    /// The sizes that kernels are launched with.
    #[error(transparent)]
    Device(Box<PlanError>),
    /// Arguments and result are larger than the memory that is left.
    #[error("arguments and result take {} of memory, and {} are available", bytes_text(*.needed), bytes_text(*.available))]
    Memory {
        /// So many bytes would be needed.
        needed: u64,
        /// So many can be had.
        available: u64,
    },
    /// What is written does not fit the parameter.
    #[error("the argument `{name}`: {error}")]
    Literal {
        /// The parameter.
        name: Name,
        /// What is wrong.
        error: LiteralError,
    },
    /// No value can be made up.
    #[error("the argument `{name}`: {error}")]
    Fill {
        /// The parameter.
        name: Name,
        /// What is wrong.
        error: FillError,
    },
    /// The file does not fit the parameter.
    #[error("the argument `{name}`: {}: {error}", path.display())]
    File {
        /// The parameter.
        name: Name,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Box<NpyError>,
    },
}

fn limit_text(index: IndexWidth) -> &'static str {
    match index {
        IndexWidth::Bits32 => "2^31",
        IndexWidth::Bits64 => "2^59",
    }
}

fn quoted(names: &[Name]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    all.join(", ")
}

fn there_are(known: &[Name]) -> String {
    if known.is_empty() {
        "; it has none".to_owned()
    } else {
        format!("; it has {}", quoted(known))
    }
}

fn how_to_give(names: &[Name]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("-D {name}=…")).collect();
    format!(
        "give {} with `{}`",
        if all.len() == 1 { "it" } else { "them" },
        all.join(" ")
    )
}

fn for_values(values: &str) -> String {
    if values.is_empty() {
        String::new()
    } else {
        format!(" for {values}")
    }
}

impl LaunchError {
    /// Returns true if the arguments were not made because somebody asked to give up.
    pub fn is_stopped(&self) -> bool {
        matches!(
            self,
            LaunchError::Fill {
                error: FillError::Stopped,
                ..
            }
        )
    }
}

/// What is known of a run before its arguments are made.
struct Sizes {
    params: Vec<Param>,
    vars: Vec<Var>,
    bindings: Bindings,
    sources: Vec<Source>,
    /// The shapes of the arguments.
    shapes: Vec<Shape>,
    result: Result<Shape, ShapeError>,
}

impl Sizes {
    /// Returns each size with its name.
    fn named(&self, program: &Program<Primitive>) -> Vec<(Name, i64)> {
        let values = self.vars.iter().map(|var| {
            let value = self.bindings.nats.get(var).copied().unwrap_or_default();
            (program.name_of(*var), value)
        });
        values.collect()
    }
}

/// Makes everything ready for a run with indices of 32 bits.
pub fn prepare(program: &Program<Primitive>, request: &Request) -> Result<Launch, LaunchError> {
    prepare_for(program, request, IndexWidth::Bits32, &|| false)
}

/// Returns the sizes of a run with indices of a width, in the order of the parameters.
///
/// # Errors
/// The run cannot start with them.
pub fn sizes(
    program: &Program<Primitive>,
    request: &Request,
    index: IndexWidth,
) -> Result<Vec<(Name, i64)>, LaunchError> {
    let found = sized(program, request, index)?;
    Ok(found.named(program))
}

/// Finds and checks the sizes of a run.
fn sized(
    program: &Program<Primitive>,
    request: &Request,
    index: IndexWidth,
) -> Result<Sizes, LaunchError> {
    program.runnable()?;
    let signature = program.signature();
    let params: Vec<Param> = signature.values().cloned().collect();
    let sizes: Vec<Var> = signature.sizes().collect();
    let mut bindings = Bindings {
        names: Names(program.names.clone().into()),
        index,
        ..Bindings::default()
    };
    let sources = sources(program, &params, request)?;
    bind_sizes(program, &sizes, &params, &sources, request, &mut bindings)?;
    check(&program.obligations, &bindings)?;
    let result = match Shape::of(signature.result(), &bindings) {
        Ok(shape) => Ok(shape),
        Err(error @ ShapeError::Dependent(_)) => Err(error),
        Err(error) => return Err(LaunchError::Result(error)),
    };
    let shapes = shapes(&params, &bindings)?;
    counts::check(program, &bindings)?;
    Ok(Sizes {
        params,
        vars: sizes,
        bindings,
        sources,
        shapes,
        result,
    })
}

/// Makes everything ready for a run with indices of this width. `stop` is asked from time to time
/// whether to give up.
///
/// # Errors
/// The run cannot start, or `stop` has said so: see [`LaunchError::is_stopped`].
pub fn prepare_for(
    program: &Program<Primitive>,
    request: &Request,
    index: IndexWidth,
    stop: &dyn Fn() -> bool,
) -> Result<Launch, LaunchError> {
    let found = sized(program, request, index)?;
    let named = found.named(program);
    let Sizes {
        params,
        vars: sizes,
        bindings,
        sources,
        shapes,
        result,
    } = found;
    let memory = request.memory.or_else(process::available_memory);
    check_memory(shapes.iter().chain(&result), memory)?;
    let mut args = Vec::new();
    let size = |name: &str| {
        let var = sizes.iter().find(|var| *program.name_of(**var) == *name)?;
        u64::try_from(*bindings.nats.get(var)?).ok()
    };
    for ((at, (param, shape)), source) in (0u64..).zip(params.iter().zip(shapes)).zip(&sources) {
        let name = param.local.name.clone();
        // Arguments of one run have different numbers.
        let seed = request
            .seed
            .wrapping_mul(0x2545_f491_4f6c_dd1d)
            .wrapping_add(at);
        args.push(argument(name, shape, source, seed, (&size, stop))?);
    }
    Ok(Launch {
        sizes: named,
        params: (params.iter().map(|param| param.local.name.clone())).collect(),
        args,
        sources,
        result,
        bindings,
    })
}

/// The shapes of the arguments.
fn shapes(params: &[Param], bindings: &Bindings) -> Result<Vec<Shape>, LaunchError> {
    let shape = |param: &Param| {
        Shape::of(&param.ty, bindings).map_err(|error| LaunchError::Parameter {
            name: param.local.name.clone(),
            error,
        })
    };
    params.iter().map(shape).collect()
}

/// Refuses values that do not fit into memory before they are made.
fn check_memory<'a>(
    shapes: impl Iterator<Item = &'a Shape>,
    available: Option<u64>,
) -> Result<(), LaunchError> {
    let needed = shapes.fold(0, |sum: u64, shape| sum.saturating_add(shape.size()));
    match available {
        Some(available) if needed > available => Err(LaunchError::Memory { needed, available }),
        _ => Ok(()),
    }
}

/// Where each argument is from.
fn sources<P>(
    program: &Program<P>,
    params: &[Param],
    request: &Request,
) -> Result<Vec<Source>, LaunchError> {
    let mut found: Vec<Option<Source>> = vec![None; params.len()];
    for (name, source) in &request.args {
        let at = params.iter().position(|param| param.local.name == *name);
        let place = at.and_then(|at| found.get_mut(at));
        match place {
            Some(Some(_)) => return Err(LaunchError::Twice(name.clone())),
            Some(place) => *place = Some(source.clone()),
            None => {
                return Err(LaunchError::NoParameter {
                    program: program.name.clone(),
                    name: name.clone(),
                    known: params
                        .iter()
                        .map(|param| param.local.name.clone())
                        .collect(),
                });
            }
        }
    }
    Ok(found
        .into_iter()
        .map(|source| source.unwrap_or(Source::Generated(Generator::Random)))
        .collect())
}

/// Sizes that are given come first, then those that follow from arguments and conditions, then
/// defaults and what follows from them.
fn bind_sizes<P>(
    program: &Program<P>,
    sizes: &[Var],
    params: &[Param],
    sources: &[Source],
    request: &Request,
    bindings: &mut Bindings,
) -> Result<(), LaunchError> {
    let of_name = |name: &str| {
        sizes
            .iter()
            .copied()
            .find(|var| program.name_of(*var) == name)
    };
    for (name, value) in &request.sizes {
        let var = of_name(name).ok_or_else(|| LaunchError::NoSize {
            program: program.name.clone(),
            name: name.clone(),
            known: sizes.iter().map(|var| program.name_of(*var)).collect(),
        })?;
        let large = || LaunchError::LargeSize(name.as_str().into(), *value, bindings.index);
        let fits = *value < bindings.index.limit();
        let number = i64::try_from(*value).ok().filter(|_| fits);
        let number = number.ok_or_else(large)?;
        if bindings.nats.insert(var, number).is_some() {
            return Err(LaunchError::Twice(name.clone()));
        }
    }
    let equations = equations(params, sources)?;
    sizes::solve(&equations, &program.obligations, bindings)?;
    for (name, value) in &request.defaults {
        if let (Some(var), Ok(value)) = (of_name(name), i64::try_from(*value))
            && !bindings.nats.contains_key(&var)
        {
            bindings.nats.insert(var, value);
            sizes::solve(&equations, &program.obligations, bindings)?;
        }
    }
    let complete = complete(program, sizes, bindings);
    if let Err(LaunchError::MissingSizes(_)) = complete {
        // What was given may be of another form, and therefore say nothing.
        let arguments = params.iter().zip(sources);
        if let Some(error) = arguments.into_iter().find_map(|(param, source)| {
            let outline = outline(&param.local.name, source).ok()??;
            dimensions(param, source, &outline, bindings)
        }) {
            return Err(error);
        }
    }
    complete
}

/// What is wrong with an argument of another number of dimensions than its type has.
fn dimensions(
    param: &Param,
    source: &Source,
    outline: &Outline,
    bindings: &Bindings,
) -> Option<LaunchError> {
    let (expected, found) = sizes::dimensions(&param.ty, outline)?;
    // A written number fills an array.
    let fits = match source {
        Source::Literal(_) => found <= expected,
        _ => found == expected,
    };
    if fits {
        return None;
    }
    let words = |count: usize| match count {
        0 => "no dimensions".to_owned(),
        1 => "one dimension".to_owned(),
        _ => format!("{count} dimensions"),
    };
    let (place, found) = match source {
        Source::File(path) => (
            format!("{}: ", path.display()),
            format!("the file has {}", words(found)),
        ),
        _ => (String::new(), format!("the value has {}", words(found))),
    };
    Some(LaunchError::Dimensions {
        name: param.local.name.clone(),
        place,
        found,
        ty: rise::print::type_text(&param.ty, &bindings.names),
        expected: words(expected),
    })
}

/// How many elements an argument has, if that is given.
fn outline(name: &Name, source: &Source) -> Result<Option<Outline>, LaunchError> {
    match source {
        Source::Literal(literal) => Ok(Some(literal.outline())),
        Source::File(path) => {
            let reader = npy::Reader::open(path).map_err(|error| LaunchError::File {
                name: name.clone(),
                path: path.clone(),
                error: Box::new(error),
            })?;
            Ok(Some(reader.outline()))
        }
        Source::Generated(_) => Ok(None),
    }
}

/// What the arguments say about sizes.
fn equations(params: &[Param], sources: &[Source]) -> Result<Vec<Equation>, LaunchError> {
    let mut equations = Vec::new();
    for (param, source) in params.iter().zip(sources) {
        let name = &param.local.name;
        if let Some(outline) = outline(name, source)? {
            equations.extend(sizes::equations(&param.ty, &outline, name));
        }
    }
    Ok(equations)
}

/// Every size has a value that fits.
fn complete<P>(
    program: &Program<P>,
    sizes: &[Var],
    bindings: &Bindings,
) -> Result<(), LaunchError> {
    let missing = |var: &&Var| !bindings.nats.contains_key(var);
    let missing: Vec<Name> = sizes
        .iter()
        .filter(missing)
        .map(|var| program.name_of(*var))
        .collect();
    if !missing.is_empty() {
        return Err(LaunchError::MissingSizes(missing));
    }
    for var in sizes {
        let value = bindings.nats.get(var).copied().unwrap_or_default();
        let value = u64::try_from(value).unwrap_or_default();
        if value >= bindings.index.limit() {
            let name = program.name_of(*var);
            return Err(LaunchError::LargeSize(name, value, bindings.index));
        }
    }
    Ok(())
}

/// Gives the value of a size of the program by its name.
type SizeOf<'a> = &'a dyn Fn(&str) -> Option<u64>;
/// Says whether to give up.
type Stop<'a> = &'a dyn Fn() -> bool;

fn argument(
    name: Name,
    shape: Shape,
    source: &Source,
    seed: u64,
    (size, stop): (SizeOf<'_>, Stop<'_>),
) -> Result<Value, LaunchError> {
    match source {
        Source::Generated(generator) => (generator.value(shape, seed, size, stop))
            .map_err(|error| LaunchError::Fill { name, error }),
        Source::Literal(literal) => {
            (literal.value(shape)).map_err(|error| LaunchError::Literal { name, error })
        }
        Source::File(path) => {
            let value = npy::Reader::open(path).and_then(|reader| reader.read(shape));
            value.map_err(|error| LaunchError::File {
                name,
                path: path.clone(),
                error: Box::new(error),
            })
        }
    }
}

/// Checks the conditions on the sizes.
pub fn check(conditions: &[Prop], bindings: &Bindings) -> Result<(), LaunchError> {
    for prop in conditions {
        let mut steps = 0;
        let holds = holds(
            prop,
            &bindings
                .nats
                .iter()
                .map(|(v, n)| (*v, *n))
                .collect::<Vec<_>>(),
            &mut steps,
        );
        if holds == Some(true) {
            continue;
        }
        let condition = rise::print::prop_text(prop, &bindings.names);
        let values = values(prop, bindings);
        return Err(match holds {
            Some(_) => LaunchError::Condition { condition, values },
            None => LaunchError::Undecided { condition, values },
        });
    }
    Ok(())
}

/// Whether a condition holds; none if it cannot be computed.
fn holds(prop: &Prop, vars: &[(Var, i64)], steps: &mut u64) -> Option<bool> {
    *steps += 1;
    if *steps > MAX_STEPS {
        return None;
    }
    let lookup = |var: Var| {
        vars.iter()
            .rev()
            .find(|(known, _)| *known == var)
            .map(|(_, n)| *n)
    };
    let value = |nat: &Nat| nat.eval(&lookup, &|_, _| None);
    let Prop::ForAll {
        var,
        from,
        to,
        prop,
    } = prop
    else {
        return prop.eval(&lookup, &|_, _| None);
    };
    let (from, to) = (value(from)?, value(to)?);
    let mut inner = vars.to_vec();
    let at = inner.len();
    inner.push((*var, 0));
    for index in from..to {
        inner[at].1 = index;
        if !holds(prop, &inner, steps)? {
            return Some(false);
        }
    }
    Some(true)
}

/// `n = 5, k = 2`
fn values(prop: &Prop, bindings: &Bindings) -> String {
    let mut all: Vec<String> = Vec::new();
    prop.for_each_var(&mut |var| {
        if let Some(value) = bindings.nats.get(&var) {
            let text = format!("{} = {value}", bindings.names.get(var));
            if !all.contains(&text) {
                all.push(text);
            }
        }
    });
    all.join(", ")
}

#[cfg(test)]
mod tests;
