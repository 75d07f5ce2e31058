//! Tests of the texts of terms after hand-written rewrites.

use std::sync::Arc;

use expect_test::{Expect, expect};
use rise::core::{Def, Form, Local, Node, Origin, Param, apply, lambda};
use rise::{Arg, Primitive, Type};

use super::terms::{Core, strip, uses};
use super::{Unwritable, rewritten};
use crate::fixture::Fixture;

/// A rewrite of one node; returns `None` if it does not apply.
type Rule = fn(&Core, &mut u32) -> Option<Core>;

/// Applies `rule` from the root down, at most `count` times.
fn everywhere(term: &Core, rule: Rule, fresh: &mut u32, count: &mut usize) -> Core {
    if *count > 0
        && let Some(new) = rule(term, fresh)
    {
        *count -= 1;
        return everywhere(&new, rule, fresh, count);
    }
    let mut go = |part: &Core| everywhere(part, rule, fresh, count);
    let form = match &term.form {
        Form::Lambda(param, body) => Form::Lambda(param.clone(), go(body)),
        Form::DepLambda(var, kind, body) => Form::DepLambda(*var, *kind, go(body)),
        Form::Apply(f, x) => Form::Apply(go(f), go(x)),
        Form::DepApply(f, arg) => Form::DepApply(go(f), arg.clone()),
        Form::Primitive(p, types, args) => {
            Form::Primitive(*p, types.clone(), args.iter().map(go).collect())
        }
        Form::Foreign(f, args) => Form::Foreign(f.clone(), args.iter().map(go).collect()),
        other => other.clone(),
    };
    Node::new(form, term.ty.clone(), term.origin)
}

fn apply_rule(def: &Def<Primitive>, rule: Rule, mut count: usize) -> Option<Def<Primitive>> {
    let mut fresh = def.locals;
    let before = count;
    let body = everywhere(&def.body, rule, &mut fresh, &mut count);
    (count < before).then(|| Def {
        body,
        locals: fresh,
        ..def.clone()
    })
}

fn param(name: &str, ty: &rise::Ty, fresh: &mut u32) -> Param {
    *fresh += 1;
    Param {
        local: Local {
            id: *fresh - 1,
            name: name.into(),
        },
        ty: ty.clone(),
    }
}

/// Rewrites `map(f) >> map(g)` to `map(f >> g)`.
fn fuse(term: &Core, fresh: &mut u32) -> Option<Core> {
    let Form::Primitive(p @ (Primitive::Map | Primitive::MapSeq), types, args) = &term.form else {
        return None;
    };
    let [g, inner] = &**args else { return None };
    let Form::Primitive(q, inner_types, inner_args) = &inner.form else {
        return None;
    };
    let [f, xs] = &**inner_args else { return None };
    let Type::Fun(from, _) = &*f.ty else {
        return None;
    };
    (p == q).then_some(())?;
    let x = param("x", from, fresh);
    let var = Node::var(&x, Origin(0));
    let between = apply(f, var, Origin(0));
    let body = apply(g, between, Origin(0));
    let types = [types[0].clone(), inner_types[1].clone(), types[2].clone()];
    let args = Arc::new([lambda(x, body), xs.clone()]);
    let form = Form::Primitive(*p, Arc::new(types), args);
    Some(Node::new(form, term.ty.clone(), term.origin))
}

/// Rewrites `map` to `mapSeq`.
fn map_seq(term: &Core, _: &mut u32) -> Option<Core> {
    match &term.form {
        Form::Primitive(Primitive::Map, types, args) => {
            let form = Form::Primitive(Primitive::MapSeq, types.clone(), args.clone());
            Some(Node::new(form, term.ty.clone(), term.origin))
        }
        _ => None,
    }
}

/// Rewrites `map(f)` to `split(2) >> map(map(f)) >> join`, for arrays with an even constant size.
fn split_join(term: &Core, _: &mut u32) -> Option<Core> {
    let Form::Primitive(Primitive::Map, types, args) = &term.form else {
        return None;
    };
    let ([f, xs], [Arg::Nat(n), s, t]) = (&**args, &**types) else {
        return None;
    };
    let (two, half) = (nat::Nat::constant(2), nat::Nat::constant(n.as_const()? / 2));
    (n.as_const()? % 2 == 0 && n.as_const()? > 2).then_some(())?;
    let array = |n: &nat::Nat, ty: &Arg| match ty {
        Arg::Type(ty) => Arc::new(Type::Array(n.clone(), ty.clone())),
        _ => Arc::new(Type::Error),
    };
    let node = |p, types: Vec<Arg>, args: Vec<Core>, ty| {
        Node::new(
            Form::Primitive(p, types.into(), args.into()),
            ty,
            term.origin,
        )
    };
    let (rows, out) = (array(&two, s), array(&two, t));
    let Type::Fun(from, to) = &*f.ty else {
        return None;
    };
    let [from, to] = [from, to].map(|ty| Arc::new(Type::Array(two.clone(), ty.clone())));
    let split = node(
        Primitive::Split,
        vec![Arg::Nat(two.clone()), Arg::Nat(half.clone()), s.clone()],
        vec![xs.clone()],
        array(&half, &Arg::Type(rows.clone())),
    );
    let inner = node(
        Primitive::Map,
        vec![Arg::Nat(two.clone()), s.clone(), t.clone()],
        vec![f.clone()],
        Arc::new(Type::Fun(from, to)),
    );
    let outer = node(
        Primitive::Map,
        vec![
            Arg::Nat(half.clone()),
            Arg::Type(rows),
            Arg::Type(out.clone()),
        ],
        vec![inner, split],
        array(&half, &Arg::Type(out)),
    );
    let join = vec![Arg::Nat(half), Arg::Nat(two), t.clone()];
    Some(node(Primitive::Join, join, vec![outer], term.ty.clone()))
}

/// Rewrites `fun(x => f(x))` to `f`.
fn eta(term: &Core, _: &mut u32) -> Option<Core> {
    let Form::Lambda(param, body) = &term.form else {
        return None;
    };
    let (f, x) = strip(body)?;
    let is_param = matches!(&x.form, Form::Var(local) if *local == param.local);
    (is_param && uses(&f, &param.local) == 0).then_some(f)
}

/// Removes two consecutive transpositions.
fn transposes(term: &Core, _: &mut u32) -> Option<Core> {
    let inner = |term: &Core| match &term.form {
        Form::Primitive(Primitive::Transpose, _, args) => args.first().cloned(),
        _ => None,
    };
    inner(&inner(term)?)
}

fn check(text: &str, rule: Rule, expected: Expect) {
    check_in(text, rule, 1, false, expected);
}

fn check_in(text: &str, rule: Rule, count: usize, exact: bool, expected: Expect) {
    let fixture = Fixture::new(text);
    let file = fixture.files[0];
    let mut shown = String::new();
    for &item in &*fixture.db.items(file) {
        let Some(def) = fixture.db.elaborated(item) else {
            continue;
        };
        let Some(new) = apply_rule(&def, rule, count) else {
            continue;
        };
        match rewritten(&fixture.db, item, &new, exact) {
            Ok(done) => shown.push_str(&fixture.applied_all(&done.edits)),
            Err(error) => shown.push_str(&error.to_string()),
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn fused_maps_are_one_stage() {
    check(
        "def two = fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> map(g))\n",
        fuse,
        expect![[r#"
            def two = fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f >> g))
        "#]],
    );
}

#[test]
fn functions_keep_their_text() {
    check(
        "def two = fun(xs: 8.f32 =>\n  xs\n    |> map(fun(x => x + 1.0f)) // one more\n    |> \
         map(fun(y => /* twice */ y * 2.0f)) // twice as much\n    |> reduceSeq(add)(0.0f))\n",
        fuse,
        expect![[r#"
            def two = fun(xs: 8.f32 =>
              xs
                // one more
                |> map(fun(x => x + 1.0f) >> fun(y => /* twice */ y * 2.0f)) // twice as much
                |> reduceSeq(add)(0.0f))
        "#]],
    );
}

#[test]
fn calls_stay_calls() {
    check(
        "def two = fun(xs: 8.f32 => map(fun(x => x + 1.0f))(map(fun(x => x * 2.0f))(xs)))\n",
        fuse,
        expect![[r#"
            def two = fun(xs: 8.f32 => map(fun(x => x * 2.0f) >> fun(x => x + 1.0f))(xs))
        "#]],
    );
}

#[test]
fn compositions_stay_compositions() {
    check(
        "def two : 8.8.f32 -> 8.f32 =\n  map(map(fun(x => x + 1.0f)) >> map(fun(x => x * 2.0f)) >> reduceSeq(add)(0.0f))\n",
        fuse,
        expect![[r#"
            def two : 8.8.f32 -> 8.f32 =
              map(map(fun(x => x + 1.0f) >> fun(x => x * 2.0f)) >> reduceSeq(add)(0.0f))
        "#]],
    );
}

/// Applies a strategy to a whole definition, like an editor.
fn applied(text: &str, strategy: &str) -> String {
    let fixture = Fixture::new(text);
    let item = fixture.db.items(fixture.files[0])[0];
    let done = super::apply_rewrite(&fixture.db, item, strategy, &elevate::term::Path::ROOT);
    done.unwrap_or_else(|error| panic!("{text}: {error}")).text
}

#[test]
fn longer_compositions_are_rewritten_stage_by_stage() {
    let text = |stages: &str| {
        format!(
            "def all = fun((xs: 8.f32, f: f32 -> f32, g: f32 -> f32, h: f32 -> f32) => xs |> {stages})"
        )
    };
    for (before, after) in [
        ("map(f) >> map(g) >> map(h)", "map(f) >> map(g >> h)"),
        ("(map(f) >> (map(g) >> map(h)))", "map(f) |> map(g >> h)"),
        ("map(f) |> map(g) >> map(h)", "map(f) |> map(g >> h)"),
        ("map(f >> g) |> map(h)", "map(f >> g >> h)"),
    ] {
        assert_eq!(applied(&text(before), "topDown(mapFusion)"), text(after));
    }
}

#[test]
fn lines_of_the_paper_stay_as_they_are() {
    check(
        crate::fixture::LISTING_1,
        map_seq,
        expect![[r#"
            def mv = depFun((n: Nat, m: Nat) =>
              fun(M: Array[n, Array[m, f32]] =>
                fun(x: Array[m, f32] =>
                  M |> mapSeq(fun(row =>
                    zip(row)(x) |>
                      map(fun(ax => fst(ax) * snd(ax))) |>
                      reduce(add)(0.0f) )) )) )
        "#]],
    );
    check_in(
        crate::fixture::LISTING_1,
        map_seq,
        9,
        false,
        expect![[r#"
        def mv = depFun((n: Nat, m: Nat) =>
          fun(M: Array[n, Array[m, f32]] =>
            fun(x: Array[m, f32] =>
              M |> mapSeq(fun(row =>
                zip(row)(x) |>
                  mapSeq(fun(ax => fst(ax) * snd(ax))) |>
                  reduce(add)(0.0f) )) )) )
    "#]],
    );
}

#[test]
fn stages_are_inserted_in_the_style_of_the_pipeline() {
    check(
        "def one = fun(xs: 8.f32 => xs |> map(fun(x => x + 1.0f)))\n",
        split_join,
        expect![[r#"
            def one = fun(xs: 8.f32 => xs |> split(2) |> map(map(fun(x => x + 1.0f))) |> join)
        "#]],
    );
    check(
        "def one = fun(xs: 8.f32 =>\n  xs |> // in\n    map(fun(x =>\n      x + 1.0f)) |> // mapped\n    reduceSeq(add)(0.0f))\n",
        split_join,
        expect![[r#"
            def one = fun(xs: 8.f32 =>
              xs |> // in
                split(2) |>
                map(map(fun(x =>
                  x + 1.0f))) |>
                join |> // mapped
                reduceSeq(add)(0.0f))
        "#]],
    );
    check(
        "def one = fun(xs: 8.f32 => map(fun(x => x + 1.0f))(xs))\n",
        split_join,
        expect![[r#"
            def one = fun(xs: 8.f32 => join(map(map(fun(x => x + 1.0f)))(split(2)(xs))))
        "#]],
    );
}

#[test]
fn comments_of_what_goes_stay() {
    check(
        "def same = fun(xs: 4.8.f32 =>\n  xs\n    |> transpose // one way\n    |> transpose /* and back */\n    |> map(map(fun(x => x + 1.0f))))\n",
        transposes,
        expect![[r#"
            def same = fun(xs: 4.8.f32 =>
              xs
                // one way
                /* and back */
                |> map(map(fun(x => x + 1.0f))))
        "#]],
    );
}

#[test]
fn names_are_not_captured() {
    check(
        "def two = fun(x: f32 => fun(xs: 8.f32 => xs |> map(fun(y => y + x)) |> map(mul(x))))\n",
        fuse,
        expect![[r#"
            def two = fun(x: f32 => fun(xs: 8.f32 => xs |> map(fun(y => y + x) >> mul(x))))
        "#]],
    );
}

#[test]
fn a_function_that_only_applies_another_one_is_it() {
    check_in(
        "def one = fun((xs: 8.f32, f: f32 -> f32) => xs |> map(fun(x => f(x))))\n",
        eta,
        1,
        true,
        expect![[r#"
            def one = fun((xs: 8.f32, f: f32 -> f32) => xs |> map(f))
        "#]],
    );
}

/// Applies every rewrite to every example, once and everywhere.
#[test]
fn texts_of_examples_read_back_as_the_rewritten_terms() {
    let rules: [(&str, Rule); 5] = [
        ("fuse", fuse),
        ("map_seq", map_seq),
        ("split_join", split_join),
        ("eta", eta),
        ("transposes", transposes),
    ];
    let (mut done, mut wrong) = (0, Vec::new());
    let (db, files) = super::examples::all();
    for (path, file) in files {
        for &item in &*db.items(file) {
            let Some(def) = db.elaborated(item) else {
                continue;
            };
            for (name, rule) in rules {
                for count in [1, 1000] {
                    let Some(new) = apply_rule(&def, rule, count) else {
                        continue;
                    };
                    match rewritten(&db, item, &new, name == "eta") {
                        Ok(new) => {
                            done += 1;
                            let (old, new) = (comments(&db.item_text(item)), comments(&new.text));
                            if old != new {
                                wrong.push(format!(
                                    "{path}, {}: {name}: {old:?}, then {new:?}",
                                    def.name
                                ));
                            }
                        }
                        Err(Unwritable::Broken) => {}
                        Err(error) => {
                            wrong.push(format!("{path}, {}: {name} {count}: {error}", def.name))
                        }
                    }
                }
            }
        }
    }
    assert!(done > 300, "only {done} rewrites");
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        done + wrong.len(),
        wrong.join("\n")
    );
}

/// Returns the sorted contents of the comments of a text.
fn comments(text: &str) -> Vec<String> {
    use syntax::TokenKind::{BlockComment, LineComment};
    let mut comments: Vec<String> = syntax::lex(text)
        .filter(|token| matches!(token.kind, LineComment | BlockComment))
        .map(|token| &text[std::ops::Range::from(token.span)])
        .map(|comment| comment.trim_matches(['/', '*', ' ']).to_owned())
        .collect();
    comments.sort();
    comments
}
