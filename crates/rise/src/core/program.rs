//! What a program takes and gives, and whether it can run as it is.

use nat::Var;
use syntax::ast::{Kind, Name};

use super::{Expr, Form, Origin, Param, Program};
use crate::types::{Ty, Type};

/// The parameters of a program, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature<P> {
    /// The parameters, outermost first.
    pub params: Vec<Parameter>,
    /// What is under them; its type is that of the result.
    pub body: Expr<P>,
}

/// A parameter of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// What it is.
    pub form: ParameterForm,
    /// Where it is bound.
    pub origin: Origin,
}

/// The forms of parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterForm {
    /// A size, type or address space, or a function on sizes.
    TypeLevel {
        /// The variable.
        var: Var,
        /// What it stands for.
        kind: Kind,
        /// Whether uses infer it.
        implicit: bool,
    },
    /// A value.
    Value(Param),
}

impl<P> Signature<P> {
    /// The size parameters in the order of generated functions: those that are written, then those
    /// that are inferred.
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

    /// The value parameters, in order.
    pub fn values(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter_map(|param| match &param.form {
            ParameterForm::Value(param) => Some(param),
            ParameterForm::TypeLevel { .. } => None,
        })
    }

    /// The type of the result.
    pub fn result(&self) -> &Ty {
        &self.body.ty
    }
}

/// Why a program cannot run as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRunnable {
    /// It takes something besides sizes and data.
    #[error(
        "`{program}` is generic over the {what} `{name}`; {}", how_to_fix(.program, .is_type)
    )]
    Generic {
        /// The program.
        program: Name,
        /// The parameter.
        name: Name,
        /// What it stands for.
        what: &'static str,
        /// True if it stands for a type.
        is_type: bool,
    },
    /// A parameter is a function.
    #[error(
        "the parameter `{name}` of `{program}` is a function; write a definition that applies it \
         to one"
    )]
    TakesFunction {
        /// The program.
        program: Name,
        /// The parameter.
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
    /// The program's parameters: the functions that its body starts with. [`link`](super::link)
    /// puts one there for each parameter of the type.
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

    /// Whether the program can run, or be compiled, as it is: all that it takes is sizes and data
    /// whose types are known up to sizes.
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
