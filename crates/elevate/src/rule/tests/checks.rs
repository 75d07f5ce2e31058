//! Tests the errors and warnings of rules.

use expect_test::{Expect, expect};

use super::*;

/// Compares the diagnostics of the rule in a text: the span, the message, help and the first fix.
fn said(text: &str, expected: Expect) {
    let defs = Defs::library();
    let item = &items(text)[0];
    let (_, diagnostics) = rule_of(item, &defs).expect("a rule");
    let mut all = String::new();
    for d in diagnostics {
        let place = &item.text[Range::from(d.span)];
        all += &format!(
            "{:?} {} `{place}`: {}\n",
            d.severity,
            d.code.as_str(),
            d.message
        );
        if let Some(help) = &d.help {
            all += &format!("  help: {help}\n");
        }
        if let Some(fix) = d.fixes.first() {
            let (span, new) = &fix.edits[0];
            let mut mended = item.text.clone();
            mended.replace_range(Range::from(*span), new);
            all += &format!("  fix: {mended}\n");
        }
    }
    expected.assert_eq(&all);
}

#[test]
fn the_right_side_uses_what_the_left_side_binds() {
    said(
        "rule r = map(f) >> map(g) |-> map(f >> h)",
        expect![[r#"
            Error unknown-name `h`: nothing on the left side binds `h`, and there is no definition of that name
              help: bind the name on the left side, as a parameter of the rule, or with `let`
        "#]],
    );
    said(
        "rule r = map(f) >> map(g) |-> map(f) >> map(_)",
        expect![[r#"
        Error unknown-name `_`: `_` has no value on the right side
    "#]],
    );
    said("rule r(n: Nat) = map(f) |-> map(f)", expect![[""]]);
}

#[test]
fn a_misspelt_name_is_taken_as_a_metavariable_with_a_warning() {
    said(
        "rule r = transpos >> map(f) |-> map(f)",
        expect![[r#"
            Warning unknown-name `transpos`: `transpos` is not defined and becomes a metavariable, which matches anything; did you mean `transpose`?
              help: to match anything, write `?transpos` or `_`
              fix: rule r = transpose >> map(f) |-> map(f)
            Warning type-mismatch `map(f)`: the right side has a type only where the type `s` of the left side is `n.s`
              help: if the rule is meant for such types only, write the type in the pattern
        "#]],
    );
    said(
        "rule r = ?transpos >> transpose >> transpose |-> ?transpos",
        expect![[""]],
    );
}

#[test]
fn types_that_a_side_requires_are_one_warning() {
    said(
        "rule r = map(f) >> map(g) |-> map(g >> f)",
        expect![[r#"
            Warning type-mismatch `map(g >> f)`: the right side has a type only where the type `u` of the left side is `s`, and `v` is `u`
              help: if the rule is meant for such types only, write the type in the pattern
        "#]],
    );
}

#[test]
fn both_sides_have_one_type() {
    said(
        "rule r = map(f) >> transpose |-> map(f)",
        expect![[r#"
            Error size-mismatch `f`: the two sides have the same type only if n == m
            expected: s -> n.u
               found: s -> m.u
            they differ for n = 0, m = 1
              help: name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and state the condition with `assuming`
            Error size-mismatch `map(f)`: the two sides have the same type only if m == n
            expected: n.s -> m.n.u
               found: n.s -> n.n.u
            they differ for n = 0, m = 1
              help: name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and state the condition with `assuming`
        "#]],
    );
    said(
        "rule r = reduce(op)(z) |-> map(op(z))",
        expect![[r#"
            Error infinite-type `op(z)`: as the function of `map`, `op(z)` would have a type that contains itself
              help: what it takes must equal what it returns here, and one contains the other
        "#]],
    );
    said(
        "rule r = reduce(depZip) |-> id",
        expect![[r#"
            Error infinite-type `depZip`: as the function of `reduce`, `depZip` would have a type that contains itself
              help: what it takes must equal what it returns here, and one contains the other
        "#]],
    );
    said(
        "rule r = join |-> transpose",
        expect![[r#"
            Error infinite-type `transpose`: the right side has another type than the left side: the type of this would contain itself, as a part of `n.t`
              help: is an argument missing, or a step that takes the part out, such as `._1`?
        "#]],
    );
}

#[test]
fn sizes_that_must_be_equal_are_said() {
    said(
        "rule r(n: Nat) = map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join",
        expect![[r#"
            Error obligation-fails `split(n)`: the right side needs n divides m, which neither the left side nor a clause states
              help: add `assuming n divides m`
              fix: rule r(n: Nat) = map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join assuming n divides m
        "#]],
    );
    said(
        "rule r = zip(take(n)(a))(b) |-> zip(a)(b) |> take(n)",
        expect![[r#"
            Error size-mismatch `b`: the two sides have the same type only if n + m == n
            expected: (n+m).t
               found: n.t
            they differ for n = 0, m = 1
              help: name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and state the condition with `assuming`
        "#]],
    );
    said(
        "rule r = slide(n)(s) >> slide(m)(k) |-> slide(m + n - 1)(k) >> map(slide(n)(1))",
        expect![[r#"
            Error size-mismatch `map(slide(n)(1))`: the two sides have the same type only if l + 1 == s*l + (s*m-s-m+1)/k + 1
            expected: (s*l+(s*m-s-m+1)/k+1).(n+m-1).u -> (l+1).m.n.u
               found: (s*l+(s*m-s-m+1)/k+1).(n+m-1).u -> (s*l+(s*m-s-m+1)/k+1).m.n.u
            they differ for s = 2, m = 1, k = 1, l = 1
              help: name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and state the condition with `assuming`
            Error obligation-fails `slide(m + n - 1)(k)`: the right side needs k divides s*k*l + s*m - s - m + 1, which neither the left side nor a clause states
              help: name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and state the condition with `assuming`
            Error obligation-fails `slide(m + n - 1)(k)`: the right side needs s*k*l + s*m + 1 >= s + m, which neither the left side nor a clause states
              help: name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and state the condition with `assuming`
            Error obligation-fails `slide(n)(1)`: the right side needs m >= 1, which neither the left side nor a clause states
              help: add `assuming m >= 1`
              fix: rule r = slide(n)(s) >> slide(m)(k) |-> slide(m + n - 1)(k) >> map(slide(n)(1)) assuming m >= 1
        "#]],
    );
}

#[test]
fn metavariables_under_binders_stay_there() {
    said(
        "rule r = map(fun(x => f(gx))) |-> map(fun(x => gx)) >> map(f)",
        expect![[r#"
            Error unknown-name `f`: `f` may use `x`, which the pattern binds around `f` and nothing binds here
              help: write `where x notIn f` if `f` does not use `x`
              fix: rule r = map(fun(x => f(gx))) |-> map(fun(x => gx)) >> map(f) where x notIn f
        "#]],
    );
    said(
        "rule r = map(fun(x => f(gx))) |-> map(fun(y => gx)) >> map(f) where x notIn f",
        expect![[r#"
            Error unknown-name `gx`: `gx` may use `x`, which the pattern binds around `gx` and nothing binds here
              help: write `where x notIn gx` if `gx` does not use `x`
              fix: rule r = map(fun(x => f(gx))) |-> map(fun(y => gx)) >> map(f) where x notIn f where x notIn gx
        "#]],
    );
    said(
        "rule r = map(fun(x => f(gx))) |-> map(fun(x => f(gx)))",
        expect![[""]],
    );
}

#[test]
fn a_bare_pattern_says_that_it_loops() {
    said(
        "rule r = x |-> id(x)",
        expect![[r#"
            Error endless-strategy `x`: this pattern matches every term, including the result of the rule
              help: write `@looping` before the rule if strategies use it only after a guard
        "#]],
    );
    said("@looping rule r = x |-> id(x)", expect![[""]]);
}

#[test]
fn laws_are_required_or_the_rule_is_unsafe() {
    said(
        "rule r = reduceSeq((op : t -> t -> t))(z) |-> reduce(op)(z)",
        expect![[r#"
            Error obligation-fails `reduce(op)(z)`: the left side combines values in a fixed order, and the right side in any order
              help: add `requires assoc(op) and neutral(op, z)`, or make the rule an `unsafe rule`
        "#]],
    );
    said(
        "rule r = reduceSeq((op : t -> t -> t))(z) |-> reduce(op)(z) assuming assoc(op)",
        expect![[r#"
            Error obligation-fails `assuming assoc(op)`: an assumed law may not hold, so that the rule can change what a program computes
              help: write `requires` instead of `assuming`, or make the rule an `unsafe rule`
        "#]],
    );
    said(
        "unsafe rule r = reduceSeq((op : t -> t -> t))(z) |-> reduce(op)(z)",
        expect![""],
    );
    said(
        "rule r = reduceSeq((op : t -> t -> t))(z) |-> reduce(op)(z) requires assoc(op) and neutral(op, z)",
        expect![""],
    );
    said(
        "rule r = map(f) |-> map(f) requires asoc(f)",
        expect![[r#"
        Error unknown-name `asoc`: there is no condition `asoc`
          help: did you mean `assoc`?
    "#]],
    );
}

#[test]
fn alternatives_that_are_never_taken_are_found() {
    said(
        "rule r = { map(f) |-> mapSeq(f) | map(map(f)) |-> mapSeq(map(f)) }",
        expect![[r#"
            Warning unreachable-case `map(map(f)) |-> mapSeq(map(f))`: this alternative is never used: an earlier alternative matches everything that it matches
              help: put the more specific pattern first, or leave one of the two out
        "#]],
    );
    said(
        "rule r = { map(map(f)) |-> mapSeq(map(f)) | map(f) |-> mapSeq(f) }",
        expect![[""]],
    );
}
