//! Defines the helper functions and tables that generated code uses, and collects those that a text
//! needs.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::targets::{CDialect, Target};
use syntax::ast::ScalarType;

use super::names::is_generated;
use super::sums::Sum;
use crate::ir::types::Int;

/// A helper function with a fixed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Helper {
    FloorDiv,
    FloorMod,
    Min,
    Max,
    Pow,
    Log2,
    Allocate,
    AllocateAligned,
    CheckCount,
    CheckCount64,
    PowReal,
}

impl Helper {
    fn name(self) -> &'static str {
        match self {
            Helper::FloorDiv => "floor_div",
            Helper::FloorMod => "floor_mod",
            Helper::Min => "imin",
            Helper::Max => "imax",
            Helper::Pow => "pow_int",
            Helper::Log2 => "log2_int",
            Helper::Allocate => "allocate",
            Helper::AllocateAligned => "allocate_aligned",
            Helper::CheckCount => "check_count",
            Helper::CheckCount64 => "check_count_64",
            Helper::PowReal => "pow_real",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Helper::FloorDiv => {
                "static inline int floor_div(int a, int b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
"
            }
            Helper::FloorMod => {
                "static inline int floor_mod(int a, int b) {
    int rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
"
            }
            Helper::Min => {
                "static inline int imin(int a, int b) {
    return a < b ? a : b;
}
"
            }
            Helper::Max => {
                "static inline int imax(int a, int b) {
    return a > b ? a : b;
}
"
            }
            Helper::Pow => {
                "static inline int pow_int(int base, int exponent) {
    int result = 1;
    for (int i = 0; i < exponent; i++) {
        result *= base;
    }
    return result;
}
"
            }
            Helper::Log2 => {
                "static inline int log2_int(int x) {
    int result = 0;
    while (x > 1) {
        x /= 2;
        result++;
    }
    return result;
}
"
            }
            Helper::Allocate => {
                "static void *allocate(size_t count, size_t size) {
    void *memory = count <= PTRDIFF_MAX / size ? malloc(count > 0 ? count * size : 1) : NULL;
    if (memory == NULL) {
        fprintf(stderr, \"cannot allocate %zu elements of %zu bytes\\n\", count, size);
        abort();
    }
    return memory;
}
"
            }
            Helper::AllocateAligned => {
                "/* Aligned to a multiple of size, a power of two; freed by release. */
static void *allocate_aligned(size_t count, size_t size, size_t alignment) {
    char *base = allocate(count + (alignment + sizeof(void *)) / size + 1, size);
    char *memory = base + sizeof(void *);
    memory += alignment - (uintptr_t)memory % alignment;
    ((void **)memory)[-1] = base;
    return memory;
}

static void release(void *memory) {
    free(((void **)memory)[-1]);
}
"
            }
            Helper::CheckCount => {
                "/* Ends the program if a number of elements does not fit into an index. */
static void check_count(const char *what, double count) {
    if (count > INT32_MAX) {
        fprintf(stderr, \"%s = %.0f elements do not fit into indices of 32 bits: \"
                \"emit the code with --index 64\\n\", what, count);
        abort();
    }
}
"
            }
            // The limit is 2^59, see `dpia::IndexWidth::limit`.
            Helper::CheckCount64 => {
                "/* Ends the program if a number of elements does not fit into an index. */
static void check_count_64(const char *what, double count) {
    if (!(count < 576460752303423488.0)) {
        fprintf(stderr, \"%s = %.0f elements do not fit into indices of 64 bits\\n\", what, count);
        abort();
    }
}
"
            }
            // No count exceeds that.
            Helper::PowReal => {
                "static double pow_real(double base, int64_t exponent) {
    double result = 1.0;
    for (int64_t i = 0; i < exponent && base > 1.0 && result < 1e18; i++) {
        result *= base;
    }
    return result;
}
"
            }
        }
    }
}

/// The helper functions and tables that a text needs so far.
pub(crate) struct Helpers {
    /// The target of the text.
    pub target: Target,
    fixed: BTreeSet<Helper>,
    /// The sums without a closed form that helper functions compute.
    pub sums: Vec<Sum>,
    /// The texts of the functions for `sums`, each after those that it calls.
    pub sum_texts: Vec<String>,
    /// True if a function of `<math.h>` is called.
    pub math: bool,
    /// True if a loop is annotated with `simd`.
    pub simd: bool,
    /// The names and texts of further helpers, each after those that it calls.
    others: Vec<(String, String)>,
}

impl Helpers {
    /// Creates an empty set for a target.
    pub fn new(target: Target) -> Helpers {
        Helpers {
            target,
            fixed: BTreeSet::new(),
            sums: Vec::new(),
            sum_texts: Vec::new(),
            math: false,
            simd: false,
            others: Vec::new(),
        }
    }

    /// Adds a helper with a fixed text, and returns its name; for the minimum and maximum in OpenCL
    /// C, returns the name of the built-in function.
    pub fn need(&mut self, helper: Helper) -> &'static str {
        if helper == Helper::AllocateAligned {
            self.fixed.insert(Helper::Allocate);
        }
        match (self.target.dialect(), helper) {
            // These are built-in functions of OpenCL C.
            (CDialect::OpenCl, Helper::Min) => return "min",
            (CDialect::OpenCl, Helper::Max) => return "max",
            _ => self.fixed.insert(helper),
        };
        helper.name()
    }

    /// Adds the variant of a helper on `int` for 64-bit integers, and returns its name.
    pub fn wide(&mut self, helper: Helper) -> String {
        let narrow = helper.name();
        let name = format!("{}_64", narrow.trim_end_matches("_int"));
        let wide = match self.target.dialect() {
            CDialect::OpenCl => "long ",
            CDialect::Gnu => "int64_t ",
        };
        self.other(name, |name| {
            let text = helper.text().replace(narrow, name);
            text.replace("int ", wide)
        })
    }

    /// Adds a helper with this name, unless there is one, and returns the name. `text` returns its
    /// text, given the name.
    pub fn other(&mut self, name: String, text: impl FnOnce(&str) -> String) -> String {
        debug_assert!(is_generated(&name), "a definition may be called `{name}`");
        if !self.others.iter().any(|(known, _)| *known == name) {
            let text = text(&name);
            self.others.push((name.clone(), text));
        }
        name
    }

    /// Adds a table of constants in constant memory of OpenCL, unless there is one with the same
    /// type and values, and returns its name.
    pub fn table(&mut self, ty: &str, count: usize, values: &str) -> String {
        let declared = format!("[{count}] = {{{values}}};\n");
        let mut others = self.others.iter();
        let known = others.find(|(_, text)| {
            text.starts_with(&format!("constant {ty} ")) && text.ends_with(&declared)
        });
        if let Some((name, _)) = known {
            return name.clone();
        }
        let tables = self
            .others
            .iter()
            .filter(|(name, _)| name.starts_with("table_"));
        let name = format!("table_{}", tables.count() + 1);
        self.other(name, |name| format!("constant {ty} {name}{declared}"))
    }

    /// Appends the texts of all helpers to `out`, each followed by an empty line.
    pub fn write(&self, out: &mut String) {
        let fixed = self.fixed.iter().map(|helper| helper.text());
        let sums = self.sum_texts.iter().map(String::as_str);
        let others = self.others.iter().map(|(_, text)| text.as_str());
        for text in fixed.chain(others).chain(sums) {
            out.push_str(text);
            out.push('\n');
        }
    }

    /// Adds a function for the quotient or remainder of integers of this type, and returns its
    /// name. For signed types it defines those of the smallest number by -1, which C leaves
    /// undefined.
    pub fn division(&mut self, scalar: ScalarType, is_remainder: bool) -> String {
        let target = self.target;
        let word = if is_remainder { "mod" } else { "div" };
        let short = short(scalar);
        let ty = target.scalar_name(scalar);
        self.other(format!("{word}_{short}"), |name| {
            let signed = Int::of(scalar).is_some_and(|int| int.signed);
            let unsigned = match Int::of(scalar) {
                Some(int) => target.scalar_name(int.wrapping()),
                None => ty,
            };
            let value = match (is_remainder, signed) {
                (true, true) => "y == -1 ? 0 : x % y".to_owned(),
                (true, false) => "x % y".to_owned(),
                (false, true) => format!("y == -1 ? ({ty})-({unsigned})x : x / y"),
                (false, false) => "x / y".to_owned(),
            };
            format!("static inline {ty} {name}({ty} x, {ty} y) {{\n    return {value};\n}}\n")
        })
    }

    /// Adds a function for the greatest integer that is not above a float, as a float, and returns
    /// its name. GCC vectorises the function of `<math.h>` only with `-fno-trapping-math`, which
    /// changes the sign of zeros elsewhere.
    pub fn floor(&mut self, float: ScalarType) -> String {
        let (ty, suffix) = (self.target.scalar_name(float), math_suffix(float));
        self.other(format!("floor_{}", short(float)), |name| {
            format!(
                "static inline {ty} {name}({ty} x) {{\n    {ty} y = rint{suffix}(x);\n    \
                 return y > x ? y - 1.0{suffix} : y;\n}}\n"
            )
        })
    }

    /// Adds a function for the smallest integer that is not below a float, as a float, and returns
    /// its name.
    pub fn ceil(&mut self, float: ScalarType) -> String {
        let (ty, floor) = (self.target.scalar_name(float), self.floor(float));
        self.other(format!("ceil_{}", short(float)), |name| {
            format!("static inline {ty} {name}({ty} x) {{\n    return -{floor}(-x);\n}}\n")
        })
    }

    /// Adds a function that converts a float to an integer type, rounded towards zero and limited
    /// to the range of the type, and returns its name; NaN becomes 0.
    pub fn saturating(&mut self, from: ScalarType, to: ScalarType) -> String {
        let target = self.target;
        let name = format!("{}_to_{}", short(from), short(to));
        self.other(name, |name| {
            let suffix = math_suffix(from);
            let (ty, float) = (target.scalar_name(to), target.scalar_name(from));
            let Some(int) = Int::of(to) else {
                return String::new();
            };
            // Without branches and conditional conversions, which could trap, it is vectorised.
            let largest = largest_below(int.max() + 1, from);
            let mut text = format!("static inline {ty} {name}({float} x) {{\n");
            let _ = writeln!(
                text,
                "    const {float} above = x > {min}.0{suffix} ? x : {min}.0{suffix};",
                min = int.min(),
            );
            let _ = writeln!(
                text,
                "    const {float} within = above < {largest}.0{suffix} ? above : {largest}.0{suffix};",
            );
            let _ = writeln!(text, "    const {ty} n = ({ty})within;");
            let (end, rest) = (int.max() + 1, int.max() - largest);
            let value = match (rest, int.signed) {
                (0, false) => "n".to_owned(),
                (0, true) => "n & (x == x ? -1 : 0)".to_owned(),
                (_, false) => format!("n | (x >= {end}.0{suffix} ? {rest} : 0)"),
                (_, true) => {
                    format!("(n | (x >= {end}.0{suffix} ? {rest} : 0)) & (x == x ? -1 : 0)")
                }
            };
            let _ = writeln!(text, "    return {value};\n}}");
            text
        })
    }
}

/// Returns the largest integer below a power of two that a float type represents.
fn largest_below(power: i128, float: ScalarType) -> i128 {
    let mantissa = if float == ScalarType::F32 { 24 } else { 53 };
    power - (power >> mantissa).max(1)
}

/// Returns the suffix of constants of `f32` or `f64`, and of the functions of `<math.h>` on that
/// type.
fn math_suffix(float: ScalarType) -> &'static str {
    if float == ScalarType::F32 { "f" } else { "" }
}

fn short(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::NatType => "int",
        scalar => scalar.as_str(),
    }
}
