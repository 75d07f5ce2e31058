//! Chooses the names in generated text of C functions that programs declare, of their parameters,
//! and of functions of `<math.h>`.

use rise::core::Foreign;
use rise::{Ty, Type};
use syntax::ast::ScalarType;

use super::reserved;
use crate::analysis::math::{among, plain_name};
use crate::targets::Target;

/// The names of the macros of `<math.h>` that take any float.
const MATH_MACROS: &str = "isnan isinf isfinite isnormal signbit";

/// Returns the name in C of a function or macro of `<math.h>`: for functions, that of the variant
/// for their type. Returns `None` for other functions, and for those with a body.
pub(crate) fn math_name(function: &Foreign) -> Option<String> {
    if function.body.is_some() {
        return None;
    }
    if among(MATH_MACROS, &function.name) {
        return Some(function.name.to_string());
    }
    let plain = plain_name(&function.name)?;
    let types = function.params.iter().map(|(_, ty)| ty);
    let is_float = |ty: &Ty| matches!(**ty, Type::Scalar(ScalarType::F32));
    let suffix = if types.chain([&function.result]).any(is_float) {
        "f"
    } else {
        ""
    };
    Some(format!("{plain}{suffix}"))
}

/// Returns the name in OpenCL C of the function that computes a function of `<math.h>`; functions
/// of OpenCL C take every float type.
pub(crate) fn opencl_name(name: &str) -> String {
    let plain = plain_name(name).unwrap_or(name);
    match plain {
        "nearbyint" => "rint",
        "scalbn" | "scalbln" => "ldexp",
        "lrint" | "llrint" => "convert_long_rte",
        "nexttoward" => "nextafter",
        other => other,
    }
    .to_owned()
}

/// The names of a foreign function and its parameters in the text of a target.
///
/// Names of parameters that are reserved in the target are replaced, and the preprocessor replaces
/// them in the body, as well as the name of a function that calls itself.
#[derive(Clone, Debug)]
pub struct ForeignNames {
    /// The name of the function.
    pub function: String,
    /// The names of the parameters, in order.
    pub params: Vec<String>,
    /// The names in the body that are replaced, and their replacements.
    renamed: Vec<(String, String)>,
}

impl ForeignNames {
    /// Returns the names for a function that is called `name` in the text.
    pub fn of(function: &Foreign, name: &str, target: Target) -> ForeignNames {
        let mut renamed = Vec::new();
        if *function.name != *name && function.calls_itself() {
            renamed.push((function.name.to_string(), name.to_owned()));
        }
        let is_taken = |name: &str| {
            reserved::is_word(target, name) || function.params.iter().any(|(p, _)| **p == *name)
        };
        let params = function.params.iter().map(|(param, _)| {
            if !reserved::is_word(target, param) {
                return param.to_string();
            }
            // All names that start with `CLK_` are reserved.
            let mut name = format!("v_{param}");
            while is_taken(&name) {
                name.push('_');
            }
            renamed.push((param.to_string(), name.clone()));
            name
        });
        ForeignNames {
            function: name.to_owned(),
            params: params.collect(),
            renamed,
        }
    }

    /// Returns the text between the head of the function and its body: for each replaced name, the
    /// definition of a macro.
    pub fn before_body(&self) -> String {
        let define = |(own, name): &(String, String)| {
            format!("\n#pragma push_macro(\"{own}\")\n#undef {own}\n#define {own} {name}\n")
        };
        self.renamed.iter().map(define).collect()
    }

    /// Returns the text after the body, which restores the macros that were defined before it.
    pub fn after_body(&self) -> String {
        let names = self.renamed.iter().rev();
        names
            .map(|(own, _)| format!("\n#pragma pop_macro(\"{own}\")"))
            .collect()
    }
}
