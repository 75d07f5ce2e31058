//! The signatures of programs, and the check that a program can run.

use nat::Var;
use syntax::ast::{Kind, Name};

use super::{Expr, Form, Origin, Param, Program};
use crate::types::{Ty, Type};

/// The parameters and the body of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature<P> {
    /// The parameters, outermost first.
    pub params: Vec<Parameter>,
    /// The body under the parameters; its type is the type of the result.
    pub body: Expr<P>,
}

/// A parameter of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The form of the parameter.
    pub form: ParameterForm,
    /// The origin of the binder.
    pub origin: Origin,
}

/// The forms of parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterForm {
    /// A type-level parameter: a size, type, address space or access, or a function on sizes.
    TypeLevel {
        /// The variable.
        var: Var,
        /// The variable's kind.
        kind: Kind,
        /// True if the argument is inferred at each use.
        implicit: bool,
    },
    /// A value.
    Value(Param),
}

impl<P> Signature<P> {
    /// Returns the size parameters in the order of generated functions: first the explicit ones,
    /// then the implicit ones.
    pub fn sizes(&self) -> impl Iterator<Item = Var> {
        let with = |wanted: bool| {
            self.params
                .iter()
                .filter_map(move |param| match param.form {
                    ParameterForm::TypeLevel {
                        var,
                        kind: Kind::Nat,
                        implicit,
                    } => (implicit == wanted).then_some(var),
                    _ => None,
                })
        };
        with(false).chain(with(true))
    }

    /// Returns the value parameters, in order.
    pub fn values(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter_map(|param| match &param.form {
            ParameterForm::Value(param) => Some(param),
            ParameterForm::TypeLevel { .. } => None,
        })
    }

    /// Returns the type of the result.
    pub fn result(&self) -> &Ty {
        &self.body.ty
    }
}

/// The reason why a program cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRunnable {
    /// The program has a type-level parameter that is not a size.
    #[error(
        "`{program}` is generic over the {what} `{name}`; {}", how_to_fix(.program, .is_type)
    )]
    Generic {
        /// The name of the program.
        program: Name,
        /// The name of the parameter.
        name: Name,
        /// The noun for the parameter's kind.
        what: &'static str,
        /// True if the parameter is a type.
        is_type: bool,
    },
    /// A value parameter is a function.
    #[error(
        "the parameter `{name}` of `{program}` is a function; write a definition that applies \
         `{program}` to a function"
    )]
    TakesFunction {
        /// The name of the program.
        program: Name,
        /// The name of the parameter.
        name: Name,
    },
}

fn how_to_fix(program: &Name, is_type: &bool) -> String {
    match is_type {
        true => format!(
            "write the type of a parameter, of the result, or of a number (`0i32`), or a definition \
             that uses `{program}` at one type"
        ),
        false => "write a definition that fixes it".to_owned(),
    }
}

impl<P: Clone> Program<P> {
    /// Returns the program's parameters, which are the leading functions of its body.
    /// [`link`](super::link) makes one for each parameter of the type.
    pub fn signature(&self) -> Signature<P> {
        let mut params = Vec::new();
        let mut body = &self.body;
        loop {
            let (form, inner) = match &body.form {
                Form::Lambda(param, inner) => (ParameterForm::Value(param.clone()), inner),
                Form::DepLambda(var, kind, inner) => {
                    let implicit = matches!(&*body.ty, Type::Pi(pi) if pi.implicit);
                    let (var, kind) = (*var, *kind);
                    let form = ParameterForm::TypeLevel {
                        var,
                        kind,
                        implicit,
                    };
                    (form, inner)
                }
                _ => break,
            };
            params.push(Parameter {
                form,
                origin: body.origin,
            });
            body = inner;
        }
        Signature {
            params,
            body: body.clone(),
        }
    }

    /// Checks that the program can run or be compiled: it takes only sizes, and data whose types
    /// are known up to sizes.
    ///
    /// # Errors
    /// Returns the first parameter that makes the program generic or is a function.
    pub fn runnable(&self) -> Result<(), NotRunnable> {
        for param in self.signature().params {
            match param.form {
                ParameterForm::TypeLevel {
                    kind: Kind::Nat, ..
                } => {}
                ParameterForm::TypeLevel { var, kind, .. } => {
                    return Err(NotRunnable::Generic {
                        program: self.name.clone(),
                        name: self.name_of(var),
                        what: crate::infer::kind_noun(kind),
                        is_type: !matches!(
                            kind,
                            Kind::AddrSp | Kind::Nat2Nat | Kind::Nat2Data | Kind::ReadWrite
                        ),
                    });
                }
                ParameterForm::Value(param) => {
                    if matches!(*param.ty, Type::Fun(..) | Type::Pi(_)) {
                        return Err(NotRunnable::TakesFunction {
                            program: self.name.clone(),
                            name: param.local.name,
                        });
                    }
                }
            }
        }
        Ok(())
    }
}
