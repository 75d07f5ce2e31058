//! Messages about mathematical functions, which are built into other languages and declared in
//! RISE.

use syntax::ast::{ScalarType, TermKind};
use syntax::{Fix, Span};

use super::super::Infer;
use super::super::expr::Expectation;
use crate::codes;
use crate::spine::Spine;
use crate::types::{Ty, Type};

/// The type of the numbers that a function is applied to.
#[derive(Clone, Copy)]
struct NumericType {
    scalar: ScalarType,
    in_vector: bool,
}

/// The replacement of an unknown name and the declarations that it requires.
struct Replacement {
    /// The declaration of the foreign function that the replacement uses, if it is not declared
    /// yet.
    declaration: Option<String>,
    /// The text that replaces the name, if it is another one.
    replacement: Option<String>,
}

impl Infer<'_> {
    /// Adds a fix for an undeclared mathematical function: its declaration at the type of its
    /// arguments, or the primitives that compute it.
    pub(in crate::infer) fn offer_declaration(&mut self, spine: &Spine, wanted: Expectation) {
        let TermKind::Name(name) = &self.item.term(spine.head).kind else {
            return;
        };
        let numbers = self.numbers(spine, wanted);
        let Some(mend) = self.declared(name, numbers) else {
            return;
        };
        let span = self.span(spine.head);
        let help = mend.help();
        let mut edits = Vec::new();
        if let Some(declaration) = &mend.declaration {
            edits.push((Span::empty(0), format!("{declaration}\n\n")));
        }
        let title = match (&mend.declaration, &mend.replacement) {
            (Some(declaration), None) => format!("Declare `{declaration}`"),
            (Some(declaration), Some(text)) => {
                format!("Write `{text}` and declare `{declaration}`")
            }
            (None, text) => format!("Write `{}`", text.as_deref().unwrap_or_default()),
        };
        edits.extend(mend.replacement.map(|text| (span, text)));
        let mut said = self.diagnostics.iter_mut().rev();
        if let Some(said) = said.find(|d| d.code == codes::UNKNOWN_NAME && d.span == span) {
            said.help = Some(help);
            said.fixes.push(Fix::preferred(title, edits));
        }
    }

    fn declared(&self, name: &str, numbers: Option<NumericType>) -> Option<Replacement> {
        let scalar = numbers.map_or(ScalarType::F32, |numbers| numbers.scalar);
        let primitive = match name {
            "fmax" if !scalar.is_float() => Some("max"),
            "fmin" if !scalar.is_float() => Some("min"),
            _ => function_called(name),
        };
        if let Some(text) = primitive {
            return Some(Replacement::written(text));
        }
        let float = match scalar.is_float() {
            true => scalar,
            false => ScalarType::F32,
        };
        if name == "rsqrt" {
            let text = format!("fun(x => (1.0 / sqrt(x) : {float}))");
            return Some(Replacement::written(&text));
        }
        let (function, written) = match name {
            "power" => ("pow", Some("pow".to_owned())),
            _ => (name, None),
        };
        let params = parameters(function)?;
        let in_vector = numbers.is_some_and(|numbers| numbers.in_vector) && params.len() == 1;
        let replacement = match in_vector {
            true => Some(format!("mapVec({function})")),
            false => written,
        };
        let list: Vec<String> = params.iter().map(|p| format!("{p}: {float}")).collect();
        let declaration = format!("foreign def {function}({}): {float}", list.join(", "));
        // Names that the definition does not mention are not resolved.
        let is_declared = self.candidates().iter().any(|known| known == function);
        Some(Replacement {
            declaration: (!is_declared).then_some(declaration),
            replacement,
        })
    }

    /// Returns the type of the numbers that the function is applied to. If no argument is known to
    /// be one, the wanted type of the application determines it: a number, or a function of
    /// numbers.
    fn numbers(&self, spine: &Spine, wanted: Expectation) -> Option<NumericType> {
        let of_argument = |term| self.numbers_of(self.type_of_expr(term)?);
        let mut arguments = spine.args.iter().map(|arg| arg.term);
        arguments
            .find_map(of_argument)
            .or_else(|| match &*self.table.head(wanted?.0) {
                Type::Fun(from, _) => self.numbers_of(from),
                _ => self.numbers_of(wanted?.0),
            })
    }

    fn numbers_of(&self, ty: &Ty) -> Option<NumericType> {
        match &*self.table.head(ty) {
            Type::Scalar(ScalarType::Bool) => None,
            Type::Scalar(scalar) => Some(NumericType {
                scalar: *scalar,
                in_vector: false,
            }),
            Type::Vector(_, elem) => Some(NumericType {
                in_vector: true,
                ..self.numbers_of(elem)?
            }),
            _ => None,
        }
    }
}

impl Replacement {
    fn written(text: &str) -> Replacement {
        Replacement {
            declaration: None,
            replacement: Some(text.to_owned()),
        }
    }

    fn help(&self) -> String {
        match (&self.declaration, &self.replacement) {
            (Some(declaration), None) => format!("declare it: `{declaration}`"),
            (Some(declaration), Some(text)) => {
                format!("write `{text}`, and declare `{declaration}`")
            }
            (None, text) => format!("write `{}`", text.as_deref().unwrap_or_default()),
        }
    }
}

/// Returns true if the name is that of a function for which [`Infer::offer_declaration`] has a
/// replacement or a declaration, so that it is not a misspelt other name.
pub(super) fn is_mathematical(name: &str) -> bool {
    parameters(name).is_some()
        || function_called(name).is_some()
        || matches!(name, "rsqrt" | "power")
}

/// Returns the names of the parameters of a common function of C's `<math.h>`, whose parameters and
/// result have one floating-point type; `None` for other names.
pub(in crate::infer) fn parameters(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "sqrt" | "cbrt" | "exp" | "exp2" | "expm1" | "log" | "log2" | "log10" | "log1p" | "sin"
        | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "asinh"
        | "acosh" | "atanh" | "fabs" | "floor" | "ceil" | "round" | "trunc" | "rint"
        | "nearbyint" | "logb" | "erf" | "erfc" | "tgamma" | "lgamma" => Some(&["x"]),
        "pow" | "atan2" | "fmod" | "fmin" | "fmax" | "fdim" | "hypot" | "copysign"
        | "nextafter" => Some(&["x", "y"]),
        _ => None,
    }
}

/// Returns the function of the library that other languages call `name`; `None` if there is none.
fn function_called(name: &str) -> Option<&'static str> {
    Some(match name {
        "fabs" => "abs",
        "ln" => "log",
        "prod" => "product",
        "rint" | "nearbyint" => "round",
        _ => return None,
    })
}
