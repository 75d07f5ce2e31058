//! Declares the diagnostics about syntax.

use crate::declare_diagnostics;

declare_diagnostics! {
    /// A token is missing or unexpected.
    ///
    /// The message states what is expected. A missing token is reported at the end of the last word before the gap, which is where
    /// it has to be written; for a bracket that is not closed, the bracket is shown as well. Only the first syntax error of a
    /// definition is reported, and the rest of the definition is parsed as far as possible. Other definitions are not affected.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def total = fun(x: f32 => x +)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def total = fun(x: f32 => x + x)
    /// ```
    SYNTAX_ERROR = "syntax-error";

    /// A comment, a string or a C body is not terminated.
    ///
    /// A comment that begins with `/*` ends with `*/`, and comments do not nest. A string ends on the line on which it begins. The C
    /// body of a foreign function is delimited by two `"""`. The error is at the beginning, because the intended end is not known.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def one = 1.0f
    /// /* the unit
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def one = 1.0f
    /// /* the unit */
    /// ```
    UNTERMINATED = "unterminated";

    /// A number is malformed, or does not fit into 64 bits.
    ///
    /// Numbers are written `3`, `3i32`, `1.5`, `1.5f32`, `1e-6f`; the letters after the digits are a type. A decimal point needs a
    /// digit on both sides. A number without a type may be at most 18446744073709551615, the largest number of 64 bits. This limit
    /// also applies to sizes.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def big = 18446744073709551616
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def big = 18446744073709551615u64
    /// ```
    BAD_NUMBER = "bad-number";

    /// Two operators without a relative precedence are combined without parentheses.
    ///
    /// `f >> g` is `f` and then `g`; `f << g` is `f` after `g`. The meaning of `f >> g << h` depends on which operator is applied
    /// first, so parentheses are required. Comparisons do not chain either: `a < b < c` would compare a boolean with `c`.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def inside = fun(x: f32 => 0.0f < x < 1.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def inside = fun(x: f32 => 0.0f < x && x < 1.0f)
    /// ```
    AMBIGUOUS_OPERATORS = "ambiguous-operators";

    /// A reserved word is used as a name.
    ///
    /// The words of the language (`def`, `fun`, `depFun`, `let`, `in`, …), scalar types (`f32`, `bool`, …), kinds (`Nat`,
    /// `DataType`, …) and the four address spaces cannot be names of definitions or parameters.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def total = fun(in: f32 => in + 1.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def total = fun(input: f32 => input + 1.0f)
    /// ```
    RESERVED_NAME = "reserved-name";

    /// An expression is nested too deeply, or its type is too large.
    ///
    /// Brackets and functions may be nested up to 256 levels deep. Only generated programs usually exceed this limit. Chains are
    /// limited separately: `a |> f |> g |> …` may have some hundreds of stages. Define a part of the expression under its own name.
    /// A type may have 4,000 parts, the type of a strategy 1,000; the size of nested pairs doubles at each level.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def deep = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1.0f)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def deep = ((1.0f))
    /// ```
    TOO_DEEP = "too-deep";

    /// An annotation does not exist, or has wrong arguments.
    ///
    /// The annotations are `@target(c)`, `@target(openmp)` and `@target(opencl)`; `@opencl(local = [64, 1, 1], global = [n, 1, 1])`;
    /// `@run(n = 1024)`, the sizes of a run, which are at most 576460752303423487 (2^59 - 1); `@assume(4 | n, n >= 12)`, further
    /// conditions on sizes; `@strategy(name)` or `@strategy("file.elevate", name)`; and `@exact`, for the rounding of the program. A
    /// definition may have several annotations, but each target and each argument only once. Rules and strategies have
    /// `@title("…")`, `@kind(…)`, `@menu(…)`, `@action("…")`, `@hidden`, `@looping`, `@order(…)` and `@native`.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @target(cuda)
    /// def inc = fun(x: f32 => x + 1.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @target(c)
    /// def inc = fun(x: f32 => x + 1.0f)
    /// ```
    BAD_ANNOTATION = "bad-annotation";
}
