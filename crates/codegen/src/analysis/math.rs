//! Lists the functions of `<math.h>` that generated code can call, and recognises those that OpenCL
//! C has on vectors.

use rise::core::Foreign;

/// The names of the functions of C99's `<math.h>` on `double`; those with an `f` behind are on
/// `float`.
const MATH: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp \
    exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log \
    log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo \
    rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc";

pub(crate) fn among(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}

/// Returns the name of a function of `<math.h>` without the suffix of the variant on `float`;
/// `None` for other functions.
pub(crate) fn plain_name(name: &str) -> Option<&str> {
    if among(MATH, name) {
        return Some(name);
    }
    name.strip_suffix('f').filter(|plain| among(MATH, plain))
}

/// Returns true if a function is one of `<math.h>` that OpenCL C has on vectors, lane by lane: it
/// has no body, one type for all parameters and the result, and is not one of those that OpenCL C
/// does not have in this form.
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
