//! Tests the results of rules, and the reasons why they do not apply.

use expect_test::{Expect, expect};

use super::*;
use crate::engine::Assumption;
use crate::rule::{compile_pattern, compile_template, holds, instantiate, matches};
use crate::term::print;

/// Applies the rule at the first place where it applies, and compares the result with its
/// assumptions, or the nearest mismatch.
pub(super) fn rewrite(rule: &str, args: &[RuleArg], program: &str, expected: Expect) {
    expected.assert_eq(&outcome(rule, args, program));
}

pub(super) fn outcome(rule: &str, args: &[RuleArg], program: &str) -> String {
    let defs = Defs::library();
    let definitions = definitions(&defs);
    let item = &items(rule)[0];
    let (rule, diagnostics) = rule_of(item, &defs).expect("a rule");
    assert_eq!(diagnostics, []);
    let mut store = Store::new();
    for name in rise::Env::names(&defs) {
        if let rise::Resolution::Def(id, _) = rise::Env::resolve(&defs, &name) {
            store.name_global(id, name);
        }
    }
    let imported = crate::testing::imported(&mut store, program);
    let facts = imported.facts();
    let host = Host::of(&definitions);
    let mut cx = Context::new(&mut store, &facts, &[]);
    let mut result = first(&mut cx, &host, &rule, args, imported.root);
    if let Err(Some(miss)) = &mut result {
        let explained = miss.explain(&rule, cx.store, &item.text);
        let found = explained.found.map(|term| print(cx.store, term));
        return format!(
            "{}\n  at {} {:?}\n",
            explained.message, explained.path, found
        );
    }
    let (term, assumptions) = result.unwrap_or_else(|_| panic!("no node"));
    let mut text = print(&store, term) + "\n";
    for assumption in assumptions.iter() {
        text += &match assumption {
            Assumption::Size(prop) => {
                format!("  assumes {}\n", prop.display(&|v| store.var_name(v)))
            }
            Assumption::Text(said) => format!("  assumes that {said}\n"),
        };
    }
    text
}

type Found = Result<(Term, std::sync::Arc<[Assumption]>), Option<crate::rule::Mismatch>>;

fn first(
    cx: &mut Context<'_>,
    host: &Host<'_>,
    rule: &Rule,
    args: &[RuleArg],
    term: Term,
) -> Found {
    let mut nearest = match crate::rule::apply(cx, host, rule, args, term) {
        Ok(made) => return Ok((made.term, made.assumptions)),
        Err(miss) => Some(miss),
    };
    let (one, two) = cx.store.ordered(term, Order::Default);
    for child in [one, two].into_iter().flatten() {
        let part = cx.store.child(term, child).unwrap();
        match first(cx, host, rule, args, part) {
            Ok((new, assumed)) => return Ok((cx.store.with_child(term, child, new), assumed)),
            Err(Some(miss)) => nearest = Some(miss.nearer(nearest)),
            Err(None) => {}
        }
    }
    Err(nearest)
}

const FUSION: &str = "rule mapFusion = map(f) >> map(g) |-> map(f >> g)";

#[test]
fn compositions_pipes_and_calls_are_one_thing() {
    let pipe = "depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32, xs: n.f32) => xs |> map(f) |> map(g)))";
    let call =
        "depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32, xs: n.f32) => map(g)(map(f)(xs))))";
    assert_eq!(outcome(FUSION, &[], pipe), outcome(FUSION, &[], call));
    rewrite(
        FUSION,
        &[],
        pipe,
        expect![[r#"
        depFun(n: Nat => fun(f, g, xs => xs |> map(fun(x => g(f(x))))))
    "#]],
    );
    rewrite(
        FUSION,
        &[],
        "depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32) => (map(f) >> map(g) : n.f32 -> n.f32)))",
        expect![[r#"
            depFun(n: Nat => fun(f, g, x => x |> map(fun(x1 => g(f(x1))))))
        "#]],
    );
    // The composition is matched as a pattern, too.
    rewrite(
        "rule r = xs |> map(f) |> map(g) |-> xs |> map(f >> g)",
        &[],
        "depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32) => (map(f) >> map(g) >> map(f) : n.f32 -> n.f32)))",
        expect![[r#"
            depFun(n: Nat => fun(f, g, x => x |> map(f) |> map(fun(x1 => f(g(x1))))))
        "#]],
    );
}

#[test]
fn work_is_not_doubled_by_a_step() {
    rewrite(
        FUSION,
        &[],
        "depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f)) |> map(fun(y => y * y))))",
        expect![[r#"
            depFun(n: Nat => map(fun(x => let y = x + 1.0f in y * y)))
        "#]],
    );
    rewrite(
        FUSION,
        &[],
        "depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f)) |> map(fun(y => y * 2.0f))))",
        expect![[r#"
            depFun(n: Nat => map(fun(x => (x + 1.0f) * 2.0f)))
        "#]],
    );
}

#[test]
fn nothing_is_captured() {
    // The new variable has the name of one that is free in `f`, but is different.
    rewrite(
        "rule r = reduce(op)(z) |-> reduceSeq(fun((acc, y) => op(acc)(y)))(z)",
        &[],
        "depFun(n: Nat => fun((acc: f32, xs: n.f32) => xs |> reduce(fun((a, b) => a + b * acc))(acc)))",
        expect![[r#"
            depFun(n: Nat => fun(acc, xs => xs |> reduceSeq(fun(acc1, y => acc1 + y * acc))(acc)))
        "#]],
    );
    // The rule is applied twice: the variable of the inner result is free in the term that the
    // outer application puts under its own binder.
    let text = "@looping rule expand = f : a -> b |-> fun(x => f(x))";
    let defs = Defs::library();
    let definitions = definitions(&defs);
    let (rule, _) = rule_of(&items(text)[0], &defs).unwrap();
    let mut store = Store::new();
    let root = crate::testing::term(&mut store, "fun(g: f32 -> f32 -> f32 => g)");
    let facts = nat::Facts::new();
    let host = Host::of(&definitions);
    let mut cx = Context::new(&mut store, &facts, &[]);
    let body = cx.store.child(root, crate::term::Child::Body).unwrap();
    let once = super::super::apply(&mut cx, &host, &rule, &[], body)
        .unwrap()
        .term;
    let inner = cx.store.child(once, crate::term::Child::Body).unwrap();
    let twice = super::super::apply(&mut cx, &host, &rule, &[], inner)
        .unwrap()
        .term;
    let whole = cx.store.with_child(once, crate::term::Child::Body, twice);
    assert_eq!(cx.store.free(whole), cx.store.free(body));
}

#[test]
fn scopes_decide() {
    let rule = "rule r = map(fun(x => f(gx))) |-> map(fun(x => gx)) >> map(f) where x notIn f";
    rewrite(
        rule,
        &[],
        "depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32, xs: n.f32) => xs |> map(fun(x => f(g(x))))))",
        expect![[r#"
            depFun(n: Nat => fun(f, g, xs => xs |> map(g) |> map(f)))
        "#]],
    );
    rewrite(
        rule,
        &[],
        "depFun(n: Nat => fun((f: f32 -> f32 -> f32, g: f32 -> f32, xs: n.f32) => xs |> map(fun(x => f(x)(g(x))))))",
        expect![[r#"
            `where x notIn f` does not hold: `x` occurs in `f(x)`
              at root None
        "#]],
    );
}

#[test]
fn functions_in_front_of_arguments_are_found() {
    let rule = "rule r(n: Nat) = map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join requires n >= 1 assuming n divides m";
    let program = "depFun(m: Nat => fun((f: f32 -> f32, xs: m.f32) => xs |> map(f)))";
    rewrite(
        rule,
        &[RuleArg::Int(4)],
        program,
        expect![[r#"
            depFun(m: Nat => fun(f, xs => xs |> split(4) |> map(map(f)) |> join))
              assumes 4 divides m
        "#]],
    );
    rewrite(
        rule,
        &[RuleArg::Int(0)],
        program,
        expect![[r#"
        `requires n >= 1` does not hold: 0 is less than 1
          at root None
    "#]],
    );
    let program = "fun((f: f32 -> f32, xs: 10.f32) => xs |> map(f))";
    rewrite(
        rule,
        &[RuleArg::Int(4)],
        program,
        expect![[r#"
        `assuming n divides m` does not hold: 4 does not divide 10
          at root None
    "#]],
    );
    rewrite(
        rule,
        &[RuleArg::Int(5)],
        program,
        expect![[r#"
            fun(f, xs => xs |> split(5) |> map(map(f)) |> join)
        "#]],
    );
    rewrite(
        "rule r = map |-> mapSeq",
        &[],
        program,
        expect![[r#"
        mapSeq
    "#]],
    );
    rewrite(
        "rule r(d: Int) = map |-> mapGlobal(d)",
        &[RuleArg::Int(1)],
        program,
        expect![[r#"
            mapGlobal(1)
        "#]],
    );
    rewrite(
        "rule r(a: Addr) = reduce |-> reduceSeq(a)",
        &[RuleArg::Address(rise::Address::Space(
            syntax::ast::AddressSpace::Local,
        ))],
        "fun(xs: 10.f32 => xs |> reduce(add)(0.0f))",
        expect![[r#"
            reduceSeq(Local)(add)(0.0f)
        "#]],
    );
}

#[test]
fn functions_that_only_pass_their_parameter_on_are_seen_through() {
    rewrite(
        "rule r = map(map(f)) >> transpose |-> transpose >> map(map(f))",
        &[],
        "depFun((n: Nat, m: Nat) => fun((f: f32 -> f32, xs: n.m.f32) => xs |> map(fun(row => map(fun(x => f(x)))(row))) |> transpose))",
        expect![[r#"
            depFun((n: Nat, m: Nat) => fun(f, xs => xs |> transpose |> map(map(f))))
        "#]],
    );
}

#[test]
fn sizes_match_by_value_and_are_solved_for() {
    let rule = "rule r = take(2 * k) >> drop(k) |-> drop(k) >> take(k)";
    rewrite(
        rule,
        &[],
        "depFun(n: Nat => fun(xs: (n + 9).f32 => xs |> take(6) |> drop(3)))",
        expect![[r#"
            depFun(n: Nat => fun(xs => xs |> drop(3) |> take(3)))
        "#]],
    );
    rewrite(
        rule,
        &[],
        "depFun(n: Nat => fun(xs: (n + 9).f32 => xs |> take(6) |> drop(2)))",
        expect![[r#"
            expected `4` in `take(2 * k)`, found `6`
              at argument.function None
        "#]],
    );
    let rule = "rule r = take(n) >> take(n) |-> take(n)";
    rewrite(
        rule,
        &[],
        "depFun((n: Nat, m: Nat) => fun(xs: (n + m).f32 => xs |> take(n + 0 * m) |> take(n)))",
        expect![[r#"
            depFun((n: Nat, m: Nat) => take(n))
        "#]],
    );
}

#[test]
fn the_nearest_miss_is_told() {
    rewrite(
        FUSION,
        &[],
        "depFun(n: Nat => fun((f: f32 -> f32, xs: n.f32) => xs |> slide(1)(1) |> map(map(f))))",
        expect![[r#"
            expected `map(f)`, found `slide(1)(1)`
              at argument.function Some("slide(1)(1)")
        "#]],
    );
    rewrite(
        "rule r = zip(a)(a) |-> map(fun(x => (x, x)))(a)",
        &[],
        "depFun(n: Nat => fun((a: n.f32, b: n.f32) => zip(a)(b)))",
        expect![[r#"
            `a` already matches another term than `b`
              at argument Some("b")
        "#]],
    );
}

#[test]
fn laws_are_known_of_operators() {
    let rule = "rule r = reduceSeq((op : t -> t -> t))(z) |-> reduce(op)(z) requires assoc(op) and neutral(op, z)";
    let programs = [
        "fun(xs: 9.i32 => xs |> reduceSeq(add)(0))",
        "fun(xs: 9.f32 => xs |> reduceSeq(fun((a, b) => b * a))(1.0f))",
        "fun(xs: 9.i32 => xs |> reduceSeq(fun((a, b) => select(a < b)(a)(b)))(2147483647))",
        "fun(xs: 9.(i32, i32) => xs |> reduceSeq(fun((a, b) => (a._1 + b._1, a._2 * b._2)))((0, 1)))",
        "fun(xs: 9.4.i32 => xs |> reduceSeq(fun((a, b) => zip(a)(b) |> map(fun(p => p._1 + p._2))))(generate(fun(i => 0))))",
        "fun(xs: 9.i32 => xs |> reduceSeq(sub)(0))",
        "fun(xs: 9.i32 => xs |> reduceSeq(add)(1))",
        "fun((f: i32 -> i32 -> i32, xs: 9.i32) => xs |> reduceSeq(f)(1))",
    ];
    let all: Vec<String> = programs.iter().map(|p| outcome(rule, &[], p)).collect();
    expect![[r#"
        reduce(add)(0)
        reduce(fun(a, b => b * a))(1.0f)
          assumes that `mul` is associative up to rounding
        reduce(fun(a, b => select(a < b)(a)(b)))(2147483647)
        reduce(fun(a, b => (a._1 + b._1, a._2 * b._2)))((0, 1))
        reduce(fun(a, b => zip(a)(b) |> map(fun(p => p._1 + p._2))))(generate(fun(i => 0)))
        `requires assoc(op) and neutral(op, z)` does not hold: `sub` is not associative
          at root None
        `requires assoc(op) and neutral(op, z)` does not hold: the initial value is not neutral for `add`
          at root None
        `requires assoc(op) and neutral(op, z)` cannot be proved: it is not known whether the operator is associative
          at root None
    "#]].assert_eq(&all.concat());
}

#[test]
fn what_is_around_decides() {
    let text = "rule r(d: Int) = map |-> mapLocal(d) requires within(mapWorkGroup(d)) and not within(mapLocal(d))";
    let defs = Defs::library();
    let definitions = definitions(&defs);
    let (rule, diagnostics) = rule_of(&items(text)[0], &defs).unwrap();
    assert_eq!(diagnostics, []);
    let mut store = Store::new();
    let program = "depFun((n: Nat, m: Nat) => fun((f: f32 -> f32, xs: n.m.f32) => xs |> mapWorkGroup(1)(map(f)) |> map(map(f))))";
    let root = crate::testing::term(&mut store, program);
    let facts = nat::Facts::new();
    let host = Host::of(&definitions);
    // All places are visited with their context.
    let mut places = vec![(root, Vec::new())];
    let mut found = Vec::new();
    while let Some((term, around)) = places.pop() {
        for d in [0, 1] {
            let mut cx = Context::new(&mut store, &facts, &around);
            if matches!(cx.store.node(term), crate::term::Node::Primitive(..))
                && super::super::matches_only(&mut cx, &host, &rule, &[RuleArg::Int(d)], term)
                    .is_ok()
            {
                found.push((d, around.len()));
            }
        }
        let parts: Vec<_> = store.children(term).collect();
        for (child, part) in parts {
            let mut around = around.clone();
            around.push((term, child));
            places.push((part, around));
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, 1);
}

#[test]
fn patterns_give_values_and_quotations_take_them() {
    let defs = Defs::library();
    let definitions = definitions(&defs);
    let item = &items("pred p = { slide(n)(s)(map(fun(x => b))(xs)) }")[0];
    let ItemKind::Pred {
        body: syntax::elevate::ast::PredBody::Patterns(patterns),
        ..
    } = &item.item.kind
    else {
        panic!("no pattern");
    };
    let (matcher, said) = compile_pattern(&item.item, patterns[0], &[], &defs);
    assert_eq!(said, []);
    let matcher = matcher.unwrap();
    let names: Vec<_> = matcher
        .variables
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["n", "s", "b", "xs", "x"]);
    let mut store = Store::new();
    let program =
        "depFun(n: Nat => fun(xs: (n + 2).f32 => xs |> map(fun(x => x + 1.0f)) |> slide(3)(1)))";
    let mut term = crate::testing::term(&mut store, program);
    while let Some(body) = store.child(term, crate::term::Child::Body) {
        term = body;
    }
    let facts = nat::Facts::new();
    let host = Host::of(&definitions);
    let mut cx = Context::new(&mut store, &facts, &[]);
    let values = matches(&mut cx, &host, &matcher, &[], term).unwrap();
    assert_eq!(values[0], RuleArg::Nat(nat::Nat::constant(3)));
    let RuleArg::Expr(xs) = values[3] else {
        panic!("a term")
    };
    assert_eq!(print(cx.store, xs), "xs");

    let item = &items("val v = rise { xs |> map(fun(y => y)) |> slide(n)(n) }")[0];
    let term = item.item.exprs.iter().find_map(|e| match e.kind {
        syntax::elevate::ast::ExprKind::Rise(term) => Some(term),
        _ => None,
    });
    let params = [("xs".into(), ParamKind::Expr), ("n".into(), ParamKind::Nat)];
    let (quotation, said) = compile_template(&item.item, term.unwrap(), &params, &defs);
    assert_eq!(said, []);
    let args = [RuleArg::Expr(xs), RuleArg::Int(1)];
    let made = instantiate(&mut cx, &host, &quotation.unwrap(), &args).unwrap();
    assert_eq!(
        print(cx.store, made),
        "xs |> map(fun(y => y)) |> slide(1)(1)"
    );
}

#[test]
fn predicates_test_the_whole_application() {
    let defs = Defs::library();
    let definitions = definitions(&defs);
    let predicate = |text: &str| {
        let item = &items(text)[0];
        let ItemKind::Pred {
            body: syntax::elevate::ast::PredBody::Patterns(patterns),
            ..
        } = &item.item.kind
        else {
            panic!("no pattern");
        };
        let (predicate, said) = crate::rule::compile_predicate(&item.item, patterns, &[], &defs);
        assert_eq!(said, []);
        predicate
    };
    let mut store = Store::new();
    let facts = nat::Facts::new();
    let host = Host::of(&definitions);
    let mut term = crate::testing::term(
        &mut store,
        "fun((f: f32 -> f32 -> f32, xs: 8.f32) => reduceSeq(Local)(f)(0.0f)(xs))",
    );
    while let Some(body) = store.child(term, crate::term::Child::Body) {
        term = body;
    }
    let mut cx = Context::new(&mut store, &facts, &[]);
    for (text, expected) in [
        ("pred p = { reduceSeq }", true),
        ("pred p = { reduceSeq(_) | reduceSeq }", true),
        ("pred p = { reduceSeq(Local) }", true),
        ("pred p = { reduceSeq(Global) }", false),
        ("pred p = { map | reduce }", false),
        ("pred p = { reduceSeq(f)(0.0f)(xs) }", true),
        ("pred p = { reduceSeq(f)(1.0f)(xs) }", false),
    ] {
        let found = holds(&mut cx, &host, &predicate(text), &[], term).is_ok();
        assert_eq!(found, expected, "{text}");
    }
}
