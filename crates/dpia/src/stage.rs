//! The forms of DPIA in which a program can be: functional and imperative.

use rise::Type;
use rise::types::contains_array;
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
/// data and acceptors, its result is data or a command, and no parameter or result is a pair that
/// contains or may contain an array.
pub fn is_program(ty: &Type) -> bool {
    fn passes(ty: &Type) -> bool {
        match ty {
            Type::Pi(pi) => passes(&pi.body),
            Type::Fun(param, result) => passes(param) && passes(result),
            Type::Exp(data, _) | Type::Acc(data) => match &**data {
                Type::Pair(a, b) => !contains_array(a) && !contains_array(b),
                _ => true,
            },
            _ => true,
        }
    }
    Stage::of(ty).is_some() && passes(ty)
}
