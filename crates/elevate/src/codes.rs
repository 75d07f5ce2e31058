//! Declares the diagnostics about rules, strategies and their examples, and about names that hide
//! those of a library.

use syntax::declare_diagnostics;

declare_diagnostics! {
    /// A definition shadows a definition of the standard library, or a primitive.
    ///
    /// This is allowed, and only a hint: in this file, and in the files that import it, the name refers to the definition. A reader
    /// may expect that the name has its usual meaning.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def dot = fun(x: f32, y: f32 => x * y)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def times = fun(x: f32, y: f32 => x * y)
    /// ```
    SHADOWED_NAME = "shadowed-name";

    /// A pattern contains the name of a primitive, such as `exp`, where it may be meant as a metavariable.
    ///
    /// On the left side of a rule, the name of a primitive matches this primitive only. `?exp` is a metavariable, and so is every name
    /// that RISE does not define. The warning is not about primitives that are applied, are operands, or are arguments of other
    /// primitives, as in `map(exp)`.
    ///
    /// Wrong:
    ///
    /// ```elevate wrong
    /// rule abstracted = f(exp) |-> fun(x => f(x))(exp)
    /// ```
    ///
    /// Right:
    ///
    /// ```elevate right
    /// rule abstracted = f(?exp) |-> fun(x => f(x))(?exp)
    /// ```
    FUNCTION_IN_PATTERN = "function-in-pattern";

    /// A strategy does not terminate.
    ///
    /// `repeat(s)` and `normalize(s)` apply `s` as long as it succeeds. They do not terminate if `s` always succeeds, such as `id`,
    /// `try(s)`, or a rule that applies to its own result (`@looping`). A strategy that begins with itself does not terminate
    /// either.
    ///
    /// Wrong:
    ///
    /// ```elevate wrong
    /// val again : Strategy = repeat(try(topDown(mapFusion)))
    /// ```
    ///
    /// Right:
    ///
    /// ```elevate right
    /// val again : Strategy = repeat(topDown(mapFusion))
    /// ```
    ENDLESS_STRATEGY = "endless-strategy";

    /// A case of `match`, or an alternative of a rule, is never reached, because an earlier one matches first.
    ///
    /// The first case that matches is used. Move general cases after specific ones.
    ///
    /// Wrong:
    ///
    /// ```elevate wrong
    /// def count(xs: List[Int]): Int = xs match {
    ///   case ys => 1
    ///   case [] => 0
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```elevate right
    /// def count(xs: List[Int]): Int = xs match {
    ///   case [] => 0
    ///   case ys => 1
    /// }
    /// ```
    UNREACHABLE_CASE = "unreachable-case";

    /// A strategy does not apply to the program that it is for.
    ///
    /// The message names the rule that failed and the closest match: the part of its pattern that does not match, with the term that
    /// was found instead, or the condition that does not hold. `rise-ls rewrite … --trace` shows the steps before the failure. Use
    /// `try` for a part of a strategy that does not have to apply.
    ///
    /// With a file `loops.elevate`
    ///
    /// ```elevate with file=loops.elevate
    /// /// One loop.
    /// val oneLoop : Strategy = topDown(mapFusion) ; topDown(toMapSeq)
    /// ```
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// @strategy("loops.elevate", oneLoop)
    /// @target(c)
    /// def program = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// @strategy("loops.elevate", oneLoop)
    /// @target(c)
    /// def program = depFun(n: Nat => fun(xs: n.f32 =>
    ///   xs |> map(fun(x => x + 1.0f)) |> map(fun(x => x * 2.0f))))
    /// ```
    STRATEGY_FAILS = "strategy-fails";

    /// The result of an example is not the expected one.
    ///
    /// The result of the strategy differs from the program after `expect`, the strategy fails where a program is expected, or it
    /// succeeds where `failure` is expected. Programs are compared up to the names of bound variables; `modulo BENF` compares them
    /// in that normal form, in which `map(f >> g)` and `map(fun(x => g(f(x))))` are equal.
    ///
    /// Wrong:
    ///
    /// ```elevate wrong
    /// example "one map" {
    ///   input depFun(n: Nat => fun(f: f32 -> f32, g: f32 -> f32, xs: n.f32 => xs |> map(f) |> map(g)))
    ///   apply topDown(mapFusion)
    ///   expect depFun(n: Nat => fun(f: f32 -> f32, g: f32 -> f32, xs: n.f32 => xs |> map(g >> f)))
    ///   modulo BENF
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```elevate right
    /// example "one map" {
    ///   input depFun(n: Nat => fun(f: f32 -> f32, g: f32 -> f32, xs: n.f32 => xs |> map(f) |> map(g)))
    ///   apply topDown(mapFusion)
    ///   expect depFun(n: Nat => fun(f: f32 -> f32, g: f32 -> f32, xs: n.f32 => xs |> map(f >> g)))
    ///   modulo BENF
    /// }
    /// ```
    EXAMPLE_FAILS = "example-fails";
}
