//! The forms of DPIA in which a program can be: functional and imperative.

use rise::Type;
use rise::types::{contains_array, outputs};
use syntax::ast::Kind;

/// The two forms of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// An expression under its parameters, which is translated to imperative DPIA.
    Functional,
    /// A command under its parameters, which consists of loops and assignments.
    Imperative,
}

impl Stage {
    /// Returns the stage of a definition of this type; `None` for parts of programs, such as
    /// functions of functions.
    pub fn of(ty: &Type) -> Option<Stage> {
        let mut ty = ty;
        let mut outputs = 0;
        loop {
            match ty {
                Type::Pi(pi) if pi.kind == Kind::Nat => ty = &pi.body,
                Type::Fun(param, result) => {
                    match &**param {
                        Type::Exp(..) => {}
                        Type::Acc(_) => outputs += 1,
                        _ => return None,
                    }
                    ty = result;
                }
                Type::Exp(..) if outputs == 0 => return Some(Stage::Functional),
                Type::Comm => return Some(Stage::Imperative),
                _ => return None,
            }
        }
    }
}

/// Returns true if a definition of this type can be compiled on its own: its parameters are sizes,
/// data and acceptors, its result is data or a command, no parameter is a tuple that contains or may
/// contain an array, and neither is an [output](rise::types::outputs) of its result.
pub fn is_program(ty: &Type) -> bool {
    fn passes(ty: &Type) -> bool {
        match ty {
            Type::Pi(pi) => passes(&pi.body),
            Type::Fun(param, result) => is_passed(param) && passes(result),
            Type::Exp(data, _) => outputs(data).iter().all(|one| !is_tuple_of_arrays(one)),
            _ => true,
        }
    }
    fn is_passed(param: &Type) -> bool {
        match param {
            Type::Exp(data, _) | Type::Acc(data) => !is_tuple_of_arrays(data),
            _ => true,
        }
    }
    fn is_tuple_of_arrays(data: &Type) -> bool {
        matches!(data, Type::Pair(a, b) if contains_array(a) || contains_array(b))
    }
    Stage::of(ty).is_some() && passes(ty)
}
