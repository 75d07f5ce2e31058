//! Resolves the names of C functions that programs declare.

use rise::core::Foreign;
use rise::{Ty, Type};
use syntax::ast::ScalarType;

use super::reserved;
use dpia::Target;

/// The functions of C99's `<math.h>` on `double`; with the suffix `f` they are on `float`.
const MATH: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp \
    exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log \
    log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo \
    rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc";

/// The macros of `<math.h>` for any float type.
const MATH_MACROS: &str = "isnan isinf isfinite isnormal signbit";

fn among(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}

/// Returns the name on `double` of a function of `<math.h>`.
fn plain_name(name: &str) -> Option<&str> {
    if among(MATH, name) {
        return Some(name);
    }
    name.strip_suffix('f').filter(|plain| among(MATH, plain))
}

/// Returns the name in C of a function without a body: for one of `<math.h>` the variant for its
/// type.
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

/// Returns the name in OpenCL C of a function of `<math.h>`; its functions take every float type.
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

/// Returns true if OpenCL C has a lane-wise variant of a function of `<math.h>` for vectors.
pub(crate) fn is_on_vectors(function: &Foreign) -> bool {
    let one_type = (function.params.iter()).all(|(_, ty)| *ty == function.result);
    let plain = plain_name(&function.name);
    let other = [
        "lrint",
        "llrint",
        "lround",
        "llround",
        "scalbn",
        "scalbln",
        "nexttoward",
    ];
    function.body.is_none() && one_type && plain.is_some_and(|name| !other.contains(&name))
}

/// The names of a foreign function and its parameters in the text of a target.
///
/// Names that are reserved in the target are replaced, and the preprocessor renames them in the
/// body.
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

    /// Returns the text between the head of the function and its body.
    pub fn before_body(&self) -> String {
        let define = |(own, name): &(String, String)| {
            format!("\n#pragma push_macro(\"{own}\")\n#undef {own}\n#define {own} {name}\n")
        };
        self.renamed.iter().map(define).collect()
    }

    /// Returns the text after the body.
    pub fn after_body(&self) -> String {
        let names = self.renamed.iter().rev();
        names
            .map(|(own, _)| format!("\n#pragma pop_macro(\"{own}\")"))
            .collect()
    }
}
