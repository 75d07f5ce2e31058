//! The translation of RISE to functional DPIA: the inference of accesses, and the checks of a
//! program for a target.
//!
//! [`functional`] gives every expression its phrase type, or returns all reasons why the program
//! cannot be compiled: a value that is read before it is written to memory, an array that must be
//! copied, a pattern without an implementation.

mod access_inference;
pub(crate) mod access_path;
mod access_table;
mod accumulator;
mod data_flow;
mod launch;
mod memory;
mod nesting;
mod placement;
mod primitive_checks;
pub mod problem;
mod recomputation;
pub mod report;
mod scatter;
mod sizes;
mod space_trials;
mod target_selection;
mod targets;
mod uninitialized_reads;
mod views;
mod write_conflicts;

use rise::core::{Form, Program};
use rise::pattern::{ReduceLoop, RepeatLoop};
use rise::types::{has_tuple_of_arrays, is_output, outputs};
use rise::{Pattern, Primitive, Type};
use syntax::ast::Kind;

pub(crate) use access_table::{TypeParam, access_signature};
pub use data_flow::{
    DataFlow, Destination, DistributedMap, FlowFact, Materialization, Sources, flow,
};
pub use problem::{
    ConcurrentWriters, DeviceLimit, DistributableLoop, LaunchError, Memory, MemorySize, Misplaced,
    ParallelMap, ParameterKind, PlacementError, Problem, ProblemKind, RecomputationCause,
    SpaceChoice, User,
};
pub use report::{DefinitionSource, diagnostics};
pub use space_trials::{TrialResult, stored_in, try_spaces};
pub use target_selection::{
    first_required, is_choice, is_program, makes_choice, may_be_program, required, stands_alone,
};
pub use targets::allows;

use crate::phrase::PhraseProgram;
use crate::target::{Device, Features};

/// The result of checking a program for a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The translated program, with all accesses solved; `None` if there is an error.
    pub phrase: Option<PhraseProgram>,
    /// Every error and hint.
    pub problems: Vec<Problem>,
}

/// Translates a program in normal form to functional DPIA, with all accesses solved.
///
/// # Errors
/// Returns all problems of the program: every reason why it cannot be compiled, and hints.
pub fn functional(
    program: &Program<Primitive>,
    target: Features,
) -> Result<PhraseProgram, Vec<Problem>> {
    let Checked { phrase, problems } = check(program, target);
    phrase.ok_or(problems)
}

/// Checks a program for a target and the default OpenCL device; see [`functional`]. The result also
/// has hints about programs that can be compiled.
pub fn check(program: &Program<Primitive>, target: Features) -> Checked {
    check_on(program, target, &Device::default())
}

/// Checks a program for a target and an OpenCL device; see [`functional`].
pub fn check_on(program: &Program<Primitive>, target: Features, device: &Device) -> Checked {
    let outside = parameters(program);
    if outside.iter().any(Problem::is_generic) {
        // The types of the program are not known yet.
        return Checked {
            phrase: None,
            problems: outside,
        };
    }
    let mut walk = access_inference::AccessInference::new(program, target, device);
    walk.check_launch(None, &program.launch);
    let said = |sizes: &[Option<nat::Nat>; 3]| sizes.iter().any(Option::is_some);
    if walk.kernels && (said(&program.launch.local) || said(&program.launch.global)) {
        walk.report(program.body.origin, ProblemKind::NoEffect);
    }
    let body = walk.definition(&program.body);
    if outside
        .iter()
        .any(|problem| problem.kind == ProblemKind::NoResult)
    {
        // The result cannot be written in any way.
        walk.problems.retain(|problem| !problem.wants_result());
    }
    walk.problems.splice(0..0, outside);
    walk.check_parameters(program);
    let unwritten = uninitialized_reads::readers(program, &walk.facts);
    walk.problems.extend(unwritten);
    if !walk.problems.iter().any(Problem::is_error) {
        let found = scatter::out_of_order(&program.body, &walk.facts);
        if let Some(checked) = with_scatters_in_order(program, &found, &walk) {
            return checked;
        }
        walk.problems.extend(found);
    }
    let wrong = walk.problems.iter().any(Problem::is_error);
    let phrase = PhraseProgram {
        name: program.name.clone(),
        body,
        obligations: walk.obligations,
        facts: program.facts.clone(),
        names: program.names.clone(),
        origins: program.origins.clone(),
        next_local: walk.next_local,
        launch: program.launch.clone(),
        inout: program.inout.clone(),
    };
    let mut problems = walk.problems;
    if !wrong {
        problems.extend(recomputation::repeated(&phrase));
    }
    Checked {
        phrase: (!wrong).then_some(phrase),
        problems,
    }
}

/// Rewrites a program such that the `scatter`s of the problems `found` take their elements in
/// order, and checks the result. Returns `None` if there are no such problems, or if the rewriting
/// or the check fails.
fn with_scatters_in_order(
    program: &Program<Primitive>,
    found: &[Problem],
    walk: &access_inference::AccessInference,
) -> Option<Checked> {
    if found.is_empty() {
        return None;
    }
    let scatters = found.iter().map(|problem| problem.at).collect();
    let scatter::InOrder { program, stored } =
        scatter::in_order(program, scatters, &walk.facts, walk.target)?;
    if !scatter::out_of_order(&program.body, &walk.facts).is_empty() {
        return None;
    }
    let mut checked = check_on(&program, walk.target, &walk.device);
    checked.phrase.as_ref()?;
    let kept = found.iter().filter(|problem| stored.contains(&problem.at));
    checked
        .problems
        .extend(kept.cloned().map(Problem::with_stored_elements));
    Some(checked)
}

/// Returns the problems of parameters and results that generated functions cannot have; only those
/// of type-level parameters that are no sizes, if there are any.
fn parameters(program: &Program<Primitive>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut term = &program.body;
    loop {
        let (name, kind) = match &term.form {
            Form::Lambda(param, body) => {
                term = body;
                (param.local.name.clone(), value_parameter(&param.ty))
            }
            Form::DepLambda(var, kind, body) => {
                term = body;
                let wrong = (*kind != Kind::Nat).then_some(ParameterKind::TypeLevel(*kind));
                (program.name_of(*var), wrong)
            }
            _ => break,
        };
        problems.extend(kind.map(|kind| ProblemKind::Parameter { name, kind }));
    }
    let result = &primitive_checks::result(&program.body).ty;
    if !outputs(result).iter().all(|output| is_output(output)) {
        problems.push(ProblemKind::NoResult);
    }
    if problems.iter().any(ProblemKind::is_generic) {
        problems.retain(ProblemKind::is_generic);
    }
    let at = program.body.origin;
    let nest = Vec::new;
    problems
        .into_iter()
        .map(|kind| Problem {
            at,
            kind,
            nest: nest(),
        })
        .collect()
}

/// Returns true if a primitive of this pattern stores its result in memory of its own.
fn is_stored(pattern: Pattern) -> bool {
    match pattern {
        Pattern::Memory => true,
        Pattern::Reduce(reduce) => reduce != ReduceLoop::Undetermined,
        Pattern::Repeat(repeat) => repeat == RepeatLoop::While,
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => false,
        Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate => false,
        Pattern::Literal | Pattern::View(_) | Pattern::Zip | Pattern::Concat => false,
        Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Scan | Pattern::Iterate => false,
        Pattern::Stream(_) | Pattern::Let | Pattern::Kernel | Pattern::DepPair => false,
        Pattern::DepMatch => false,
    }
}

fn value_parameter(ty: &Type) -> Option<ParameterKind> {
    match ty {
        Type::Fun(..) | Type::Pi(_) => Some(ParameterKind::Function),
        Type::DepPair(_) => Some(ParameterKind::DepPair),
        _ => has_tuple_of_arrays(ty).then_some(ParameterKind::Arrays),
    }
}
