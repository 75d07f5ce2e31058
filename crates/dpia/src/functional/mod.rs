//! From RISE to functional DPIA: which expressions are read, and which are written.
//!
//! [`functional`] gives every expression its phrase type, or says every reason why the program
//! cannot be compiled as it stands: a value that is read before anything has written it to memory,
//! an array that nothing copies to where it is wanted, a pattern without an implementation.

pub mod complaint;
mod rows;
mod targets;
mod views;
mod walk;

use rise::Primitive;
use rise::core::{Form, Program};
use rise::{Ty, Type};
use syntax::ast::Kind;

pub use complaint::{Complaint, Level, ParameterKind, Problem, User};

use crate::phrase::PhraseProgram;
use crate::target::Target;

/// The phrase that a program in normal form is, every access solved; or all that is missing for
/// one.
pub fn functional(
    program: &Program<Primitive>,
    target: Target,
) -> Result<PhraseProgram, Vec<Complaint>> {
    let complaints = parameters(program);
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let mut walk = walk::Walk::new(program, target);
    let body = walk.definition(&program.body);
    if !walk.complaints.is_empty() {
        return Err(walk.complaints);
    }
    Ok(PhraseProgram {
        name: program.name.clone(),
        body,
        obligations: program.obligations.clone(),
        facts: program.facts.clone(),
        names: program.names.clone(),
        origins: program.origins.clone(),
        next_local: walk.next_local,
    })
}

/// The parameters that compiled code cannot have.
fn parameters(program: &Program<Primitive>) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut term = &program.body;
    loop {
        let (name, kind) = match &term.form {
            Form::Lambda(param, body) => {
                let name = param.local.name.clone();
                term = body;
                (name, is_function(&param.ty).then_some(ParameterKind::Function))
            }
            Form::DepLambda(var, kind, body) => {
                term = body;
                let wrong = (*kind != Kind::Nat).then_some(ParameterKind::TypeLevel(*kind));
                (program.name_of(*var), wrong)
            }
            _ => return complaints,
        };
        if let Some(kind) = kind {
            complaints.push(Complaint {
                at: program.body.origin,
                problem: Problem::Parameter { name, kind },
                nest: Vec::new(),
            });
        }
    }
}

fn is_function(ty: &Ty) -> bool {
    matches!(&**ty, Type::Fun(..) | Type::Pi(_))
}
