//! Prepares runs: determines the sizes and arguments of a program, and checks them.

use crate::cc::Outputs;
use crate::generate::{FillError, Generator};
use crate::literal::{Literal, LiteralError};
use crate::npy::{self, NpyError};
use crate::process::{self, bytes_text};
use crate::shape::{Bindings, Shape, ShapeError};
use crate::size_inference::{self, Equation, SizesError, UntypedShape};
use crate::value::Value;
use dpia::IndexWidth;
use nat::{Nat, Prop, Var};
use rise::core::{NotRunnable, Param, Program};
use rise::{Names, Primitive};
use std::path::{Path, PathBuf};
use syntax::ast::Name;
use thiserror::Error;

mod element_counts;

/// The number of evaluation steps after which a condition counts as undecided.
const MAX_STEPS: u64 = 20_000_000;

/// The user's request for a run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The sizes by name (`-D n=1024`).
    pub sizes: Vec<(String, u64)>,
    /// The default sizes, which are used if no size or argument determines them (`@run(n = 1024)`).
    pub defaults: Vec<(String, u64)>,
    /// The arguments by name. Missing ones are random.
    pub args: Vec<(String, ArgumentSource)>,
    /// The seed of random arguments.
    pub seed: u64,
    /// The largest number of bytes of the arguments and the result together; by default the
    /// available memory.
    pub memory: Option<u64>,
}

/// The source of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentSource {
    /// A generated value.
    Generated(Generator),
    /// A literal.
    Literal(Literal),
    /// A `.npy` file.
    File(PathBuf),
}

/// The prepared data of a run.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The sizes, in the order of the parameters of generated functions.
    pub sizes: Vec<(Name, i64)>,
    /// The values of the program's type-level variables.
    pub bindings: Bindings,
    /// The names of the parameters.
    pub params: Vec<Name>,
    /// The arguments, in the order of the parameters.
    pub args: Vec<Value>,
    /// The sources of the arguments.
    pub sources: Vec<ArgumentSource>,
    /// The number of parts of the result to which a compiled program writes: the parameters that it
    /// updates in place, and the outputs.
    pub parts: usize,
    /// The positions of the parameters that are updated in place.
    pub inout: Box<[usize]>,
    /// The shape of the result, if it is known before the run.
    pub result: Result<Shape, ShapeError>,
}

impl Launch {
    /// Returns the parts of the result that a compiled program writes.
    pub fn outputs(&self) -> Outputs<'_> {
        Outputs {
            count: self.parts,
            inout: &self.inout,
        }
    }

    /// Returns the values of the type-level variables of another program with the same parameters.
    pub fn bindings_of(&self, program: &Program<Primitive>) -> Bindings {
        let sizes = program.signature().sizes().collect::<Vec<Var>>();
        let values = self.sizes.iter().map(|(_, value)| *value);
        Bindings {
            nats: sizes.into_iter().zip(values).collect(),
            names: Names(program.names.clone().into()),
            index: self.bindings.index,
            ..Bindings::default()
        }
    }
}

/// The reason why a program cannot be run with a request.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The program has other parameters than sizes and data.
    #[error(transparent)]
    NotRunnable(#[from] NotRunnable),
    /// The program has no such size.
    #[error("`{program}` has no size `{name}`{}", there_are(.known))]
    NoSize {
        /// The name of the program.
        program: Name,
        /// The name in the request.
        name: String,
        /// The names of the program's sizes.
        known: Vec<Name>,
    },
    /// The program has no such parameter.
    #[error("`{program}` has no parameter `{name}`{}", there_are(.known))]
    NoParameter {
        /// The name of the program.
        program: Name,
        /// The name in the request.
        name: String,
        /// The names of the program's parameters.
        known: Vec<Name>,
    },
    /// A size or an argument is given twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// Sizes without a value.
    #[error("there is no value for {}; {}", quoted(.0), how_to_give(.0))]
    MissingSizes(Vec<Name>),
    /// A file or literal has another number of dimensions than its parameter, so that it determines
    /// no sizes.
    #[error("the argument `{name}`: {place}{found}, and `{ty}` has {expected}")]
    Dimensions {
        /// The name of the parameter.
        name: Name,
        /// The file, as a prefix of the message; empty for a literal.
        place: String,
        /// The dimensions of the argument.
        found: String,
        /// The type of the parameter.
        ty: String,
        /// The dimensions of the type.
        expected: String,
    },
    /// A size exceeds the limit of the index width.
    #[error("the size `{0}` is {1}; it must be less than {limit}", limit = limit_text(*.2))]
    LargeSize(Name, u64, IndexWidth),
    /// A size or an index that is used as data does not fit into 32 bits.
    #[error(
        "the program computes with numbers of type `{0}` up to {1}, which do not fit into 32 bits"
    )]
    LargeNumber(String, u64),
    /// The sizes and arguments are inconsistent.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// A condition on the sizes does not hold.
    #[error("`{condition}` does not hold{}", for_values(.values))]
    Condition {
        /// The condition.
        condition: String,
        /// The values of the sizes in it: `n = 5, k = 2`.
        values: String,
    },
    /// A condition on the sizes cannot be decided.
    #[error("whether `{condition}` holds cannot be computed{}", for_values(.values))]
    Undecided {
        /// The condition.
        condition: String,
        /// The values of the sizes in it.
        values: String,
    },
    /// A parameter is too large, or its size is undefined.
    #[error("the parameter `{name}`: {error}")]
    Parameter {
        /// The name of the parameter.
        name: Name,
        /// The reason.
        error: ShapeError,
    },
    /// An intermediate array of the program has more elements than indices of generated code allow.
    #[error("an array inside of `{program}`: {error}")]
    Inside {
        /// The name of the program.
        program: Name,
        /// The reason.
        error: ShapeError,
    },
    /// The result is too large, or its size is undefined.
    #[error("the result: {0}")]
    Result(ShapeError),
    /// The arguments and the result are larger than the memory limit of the request, or the
    /// available memory.
    #[error("arguments and result take {} of memory, and {} are available", bytes_text(*.needed), bytes_text(*.available))]
    Memory {
        /// The number of bytes that are needed.
        needed: u64,
        /// The number of bytes that the arguments and the result may take.
        available: u64,
    },
    /// A literal does not fit its parameter.
    #[error("the argument `{name}`: {error}")]
    Literal {
        /// The name of the parameter.
        name: Name,
        /// The reason.
        error: LiteralError,
    },
    /// An argument cannot be generated.
    #[error("the argument `{name}`: {error}")]
    Fill {
        /// The name of the parameter.
        name: Name,
        /// The reason.
        error: FillError,
    },
    /// A file does not fit its parameter.
    #[error("the argument `{name}`: {}: {error}", path.display())]
    File {
        /// The name of the parameter.
        name: Name,
        /// The path of the file.
        path: PathBuf,
        /// The reason.
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
    /// Returns true if the generation of the arguments was cancelled.
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

/// The sizes and shapes of a run, before its arguments are generated.
struct ResolvedSizes {
    params: Vec<Param>,
    vars: Vec<Var>,
    bindings: Bindings,
    sources: Vec<ArgumentSource>,
    shapes: Vec<Shape>,
    result: Result<Shape, ShapeError>,
}

impl ResolvedSizes {
    fn named(&self, program: &Program<Primitive>) -> Vec<(Name, i64)> {
        let values = self.vars.iter().map(|var| {
            let value = self.bindings.nats.get(var).copied().unwrap_or_default();
            (program.name_of(*var), value)
        });
        values.collect()
    }
}

/// Prepares a run with 32-bit indices.
pub fn prepare(program: &Program<Primitive>, request: &Request) -> Result<Launch, LaunchError> {
    prepare_for(program, request, IndexWidth::Bits32, &|| false)
}

/// Returns the sizes of a run with indices of a width, in the order of the parameters.
///
/// # Errors
/// Fails if the sizes are missing, or do not allow the run.
pub fn sizes(
    program: &Program<Primitive>,
    request: &Request,
    index: IndexWidth,
) -> Result<Vec<(Name, i64)>, LaunchError> {
    let found = sized(program, request, index)?;
    Ok(found.named(program))
}

/// Determines and checks the sizes of a run.
fn sized(
    program: &Program<Primitive>,
    request: &Request,
    index: IndexWidth,
) -> Result<ResolvedSizes, LaunchError> {
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
    element_counts::check(program, &bindings)?;
    Ok(ResolvedSizes {
        params,
        vars: sizes,
        bindings,
        sources,
        shapes,
        result,
    })
}

/// Returns the number of parts of the result that are in memory of their own.
fn number_of_parts(program: &Program<Primitive>) -> usize {
    let signature = program.signature();
    let values: Vec<&Param> = signature.values().collect();
    let updated = program.inout.iter().filter_map(|at| values.get(*at));
    let updated: Vec<rise::Ty> = updated.map(|param| param.ty.clone()).collect();
    let places = rise::types::in_place_components(signature.result(), &updated);
    rise::types::parts(signature.result(), &places.unwrap_or_default()).len()
}

/// Prepares a run with indices of this width. `stop` is called periodically, and cancels the
/// preparation when it returns true.
///
/// # Errors
/// Fails if the request does not fit the program, or the preparation is cancelled: see
/// [`LaunchError::is_stopped`].
pub fn prepare_for(
    program: &Program<Primitive>,
    request: &Request,
    index: IndexWidth,
    stop: &dyn Fn() -> bool,
) -> Result<Launch, LaunchError> {
    let found = sized(program, request, index)?;
    let named = found.named(program);
    let ResolvedSizes {
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
        // Each argument has a different seed.
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
        parts: number_of_parts(program),
        inout: program.inout.clone(),
        result,
        bindings,
    })
}

fn shapes(params: &[Param], bindings: &Bindings) -> Result<Vec<Shape>, LaunchError> {
    let shape = |param: &Param| {
        Shape::of(&param.ty, bindings).map_err(|error| LaunchError::Parameter {
            name: param.local.name.clone(),
            error,
        })
    };
    params.iter().map(shape).collect()
}

/// Checks that the values fit into memory, before they are allocated.
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

/// Returns the source of each argument, which is random by default.
fn sources<P>(
    program: &Program<P>,
    params: &[Param],
    request: &Request,
) -> Result<Vec<ArgumentSource>, LaunchError> {
    let mut found: Vec<Option<ArgumentSource>> = vec![None; params.len()];
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
        .map(|source| source.unwrap_or(ArgumentSource::Generated(Generator::Random)))
        .collect())
}

/// Determines the sizes: first those of the request, then those that follow from arguments and
/// conditions, then the defaults and those that follow from them.
fn bind_sizes<P>(
    program: &Program<P>,
    sizes: &[Var],
    params: &[Param],
    sources: &[ArgumentSource],
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
    size_inference::solve(&equations, &program.obligations, bindings)?;
    for (name, value) in &request.defaults {
        if let (Some(var), Ok(value)) = (of_name(name), i64::try_from(*value))
            && !bindings.nats.contains_key(&var)
        {
            bindings.nats.insert(var, value);
            size_inference::solve(&equations, &program.obligations, bindings)?;
        }
    }
    let complete = complete(program, sizes, bindings);
    if let Err(LaunchError::MissingSizes(_)) = complete {
        // An argument of another form than its parameter determines no sizes.
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

/// Returns the error for an argument with another number of dimensions than its type. Returns
/// `None` if the numbers are equal or cannot be determined, and for a literal with fewer
/// dimensions, whose scalars fill arrays.
fn dimensions(
    param: &Param,
    source: &ArgumentSource,
    outline: &UntypedShape,
    bindings: &Bindings,
) -> Option<LaunchError> {
    let (expected, found) = size_inference::dimensions(&param.ty, outline)?;
    // A scalar literal fills an array.
    let fits = match source {
        ArgumentSource::Literal(_) => found <= expected,
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
        ArgumentSource::File(path) => (
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

/// Returns the lengths of an argument, if its source determines them.
fn outline(name: &Name, source: &ArgumentSource) -> Result<Option<UntypedShape>, LaunchError> {
    match source {
        ArgumentSource::Literal(literal) => Ok(Some(literal.outline())),
        ArgumentSource::File(path) => {
            let reader = npy::Reader::open(path).map_err(file_error(name, path))?;
            Ok(Some(reader.outline()))
        }
        ArgumentSource::Generated(_) => Ok(None),
    }
}

fn file_error(name: &Name, path: &Path) -> impl FnOnce(NpyError) -> LaunchError {
    move |error| LaunchError::File {
        name: name.clone(),
        path: path.to_owned(),
        error: Box::new(error),
    }
}

/// Returns the equations between sizes and the lengths of arguments.
fn equations(params: &[Param], sources: &[ArgumentSource]) -> Result<Vec<Equation>, LaunchError> {
    let mut equations = Vec::new();
    for (param, source) in params.iter().zip(sources) {
        let name = &param.local.name;
        if let Some(outline) = outline(name, source)? {
            equations.extend(size_inference::equations(&param.ty, &outline, name));
        }
    }
    Ok(equations)
}

/// Checks that every size has a value within the limit.
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

/// A function from the name of a size of the program to its value.
type SizeOf<'a> = &'a dyn Fn(&str) -> Option<u64>;
/// A function that returns true if the preparation is cancelled.
type IsCancelled<'a> = &'a dyn Fn() -> bool;

fn argument(
    name: Name,
    shape: Shape,
    source: &ArgumentSource,
    seed: u64,
    (size, stop): (SizeOf<'_>, IsCancelled<'_>),
) -> Result<Value, LaunchError> {
    match source {
        ArgumentSource::Generated(generator) => (generator.value(shape, seed, size, stop))
            .map_err(|error| LaunchError::Fill { name, error }),
        ArgumentSource::Literal(literal) => {
            (literal.value(shape)).map_err(|error| LaunchError::Literal { name, error })
        }
        ArgumentSource::File(path) => {
            let value = npy::Reader::open(path).and_then(|reader| reader.read(shape));
            value.map_err(file_error(&name, path))
        }
    }
}

/// Checks conditions on the sizes. Fails if one of them does not hold or cannot be decided.
pub fn check(conditions: &[Prop], bindings: &Bindings) -> Result<(), LaunchError> {
    let vars: Vec<(Var, i64)> = (bindings.nats.iter())
        .map(|(var, value)| (*var, *value))
        .collect();
    for prop in conditions {
        let holds = holds(prop, &vars, &mut 0);
        if holds == Some(true) {
            continue;
        }
        let condition = rise::print::prop_text(prop, &bindings.names);
        let values = bindings.values_text(|visit| prop.for_each_var(visit));
        return Err(match holds {
            Some(_) => LaunchError::Condition { condition, values },
            None => LaunchError::Undecided { condition, values },
        });
    }
    Ok(())
}

/// Returns true if a condition holds; `None` if it cannot be computed, or takes too many steps.
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

#[cfg(test)]
mod tests;
