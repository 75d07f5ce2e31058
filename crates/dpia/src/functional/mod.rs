//! The translation of RISE to functional DPIA: the inference of accesses.
//!
//! [`functional`] gives every expression its phrase type, or returns all reasons why the program
//! cannot be compiled: a value that is read before it is written to memory, an array that must be
//! copied, a pattern without an implementation.

mod accumulator;
mod checks;
pub mod complaint;
mod flow;
mod launch;
mod memory;
mod misfit;
mod nesting;
pub(crate) mod places;
mod repeat;
pub mod report;
mod rows;
mod scatter;
mod select;
mod sizes;
mod suppose;
mod targets;
mod unwritten;
mod views;
mod walk;
mod writes;

use nat::Prop;
use rise::core::{Form, Origin, Program};
use rise::{DataFun, Primitive, Type};
use syntax::ast::Kind;

pub use complaint::{
    Complaint, Level, Limit, Loop, Memory, Misfit, Misplaced, ParameterKind, Problem, Repeat, Room,
    Sharers, Space, User, WrongLaunch,
};
pub use flow::{Destination, Fact, Flow, Held, Shared, Sources, flow};
pub use report::{Written, diagnostics};
pub(crate) use rows::{TypeParam, row};
pub use select::{Selection, is_program, made_for, may_be_program, stands_alone};
pub use suppose::{Tried, stored_in, try_spaces};
pub use targets::allows;

use crate::phrase::{PhraseProgram, contains_array};
use crate::target::{Device, Target};

/// The result of checking a program for a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The translated program, with all accesses solved; `None` if there is an error.
    pub phrase: Option<PhraseProgram>,
    /// Every error and hint.
    pub complaints: Vec<Complaint>,
}

/// Translates a program in normal form to functional DPIA, with all accesses solved.
///
/// # Errors
/// Returns every reason why the program cannot be compiled.
pub fn functional(
    program: &Program<Primitive>,
    target: Target,
) -> Result<PhraseProgram, Vec<Complaint>> {
    let Checked { phrase, complaints } = check(program, target);
    phrase.ok_or(complaints)
}

/// Checks a program for a target; see [`functional`]. The result also has hints about programs that
/// can be compiled.
pub fn check(program: &Program<Primitive>, target: Target) -> Checked {
    check_on(program, target, &Device::default())
}

/// Checks a program for a target and an OpenCL device; see [`functional`].
pub fn check_on(program: &Program<Primitive>, target: Target, device: &Device) -> Checked {
    let mut outside = parameters(program);
    if outside.iter().any(Complaint::is_generic) {
        // The types of the program are not known yet.
        return Checked {
            phrase: None,
            complaints: outside,
        };
    }
    let mut walk = walk::Walk::new(program, target, device);
    walk.check_launch(None, &program.launch);
    let said = |sizes: &[Option<nat::Nat>; 3]| sizes.iter().any(Option::is_some);
    if walk.kernels && (said(&program.launch.local) || said(&program.launch.global)) {
        walk.complain(program.body.origin, Problem::NoEffect);
    }
    let body = walk.definition(&program.body);
    let no_result = |c: &Complaint| matches!(c.problem, Problem::NoResult { .. });
    if let Some(complaint) = outside.iter_mut().find(|complaint| no_result(complaint)) {
        complaint.problem = Problem::NoResult {
            pair: zips(checks::result(&program.body), &walk),
        };
        // The result cannot be written in any way.
        walk.complaints
            .retain(|complaint| !complaint.wants_result());
    }
    walk.complaints.splice(0..0, outside);
    walk.check_parameters(program);
    let unwritten = unwritten::readers(program, &walk.facts);
    walk.complaints.extend(unwritten);
    if !walk.complaints.iter().any(Complaint::is_error) {
        let found = scatter::out_of_order(&program.body, &walk.facts);
        if let Some(checked) = with_scatters_in_order(program, &found, &walk) {
            return checked;
        }
        walk.complaints.extend(found);
    }
    let wrong = walk.complaints.iter().any(Complaint::is_error);
    let phrase = PhraseProgram {
        name: program.name.clone(),
        body,
        obligations: walk.obligations,
        facts: program.facts.clone(),
        names: program.names.clone(),
        origins: program.origins.clone(),
        next_local: walk.next_local,
        launch: program.launch.clone(),
    };
    let mut complaints = walk.complaints;
    if !wrong {
        complaints.extend(repeat::repeated(&phrase));
    }
    Checked {
        phrase: (!wrong).then_some(phrase),
        complaints,
    }
}

/// Checks a program in which these `scatter`s take their elements in order; returns `None` if that
/// is impossible.
fn with_scatters_in_order(
    program: &Program<Primitive>,
    found: &[Complaint],
    walk: &walk::Walk,
) -> Option<Checked> {
    if found.is_empty() {
        return None;
    }
    let scatters = found.iter().map(|complaint| complaint.at).collect();
    let scatter::InOrder { program, stored } =
        scatter::in_order(program, scatters, &walk.facts, walk.target)?;
    if !scatter::out_of_order(&program.body, &walk.facts).is_empty() {
        return None;
    }
    let mut checked = check_on(&program, walk.target, &walk.device);
    checked.phrase.as_ref()?;
    let kept = found
        .iter()
        .filter(|complaint| stored.contains(&complaint.at));
    checked
        .complaints
        .extend(kept.cloned().map(Complaint::kept));
    Some(checked)
}

/// Reports parameters and results that generated functions cannot have.
fn parameters(program: &Program<Primitive>) -> Vec<Complaint> {
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
        problems.extend(kind.map(|kind| Problem::Parameter { name, kind }));
    }
    let result = &checks::result(&program.body).ty;
    if has_tuple_of_arrays(result) || matches!(**result, Type::DepPair(_)) {
        problems.push(Problem::NoResult { pair: None });
    }
    if problems.iter().any(Problem::is_generic) {
        problems.retain(Problem::is_generic);
    }
    let at = program.body.origin;
    let nest = Vec::new;
    problems
        .into_iter()
        .map(|problem| Complaint {
            at,
            problem,
            nest: nest(),
        })
        .collect()
}

/// Returns the primitive that makes a pair of two written arrays of one length, which could be an
/// array of pairs.
fn zips(result: &walk::Term, walk: &walk::Walk) -> Option<(Primitive, Origin)> {
    let Form::Primitive(primitive, ..) = result.form else {
        return None;
    };
    let Type::Pair(a, b) = &*result.ty else {
        return None;
    };
    let (Type::Array(n, first), Type::Array(m, second)) = (&**a, &**b) else {
        return None;
    };
    let pairs = matches!(primitive, Primitive::MakePair | Primitive::Unzip);
    let alike = walk.facts.proves(&Prop::Equal(n.clone(), m.clone()));
    let flat = !contains_array(first) && !contains_array(second);
    let written = !walk.complaints.iter().any(Complaint::wants_result);
    (pairs && alike && flat && written).then_some((primitive, result.origin))
}

fn value_parameter(ty: &Type) -> Option<ParameterKind> {
    match ty {
        Type::Fun(..) | Type::Pi(_) => Some(ParameterKind::Function),
        Type::DepPair(_) => Some(ParameterKind::DepPair),
        _ => has_tuple_of_arrays(ty).then_some(ParameterKind::Arrays),
    }
}

/// Returns true if a type contains a tuple with arrays. Generated functions pass arrays as pointers
/// and tuples as structs; C has no struct with an array whose size is a parameter.
fn has_tuple_of_arrays(ty: &Type) -> bool {
    match ty {
        Type::Pair(a, b) => contains_array(a) || contains_array(b),
        Type::Array(_, element) => has_tuple_of_arrays(element),
        Type::DepArray(_, DataFun::Lambda(_, element))
        | Type::DepPair(DataFun::Lambda(_, element)) => has_tuple_of_arrays(element),
        _ => false,
    }
}
