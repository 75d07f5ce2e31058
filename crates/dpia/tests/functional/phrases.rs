//! Snapshots of the phrases of programs that can be compiled.

use codegen::Target;
use dpia::{Phrase, Prim};
use expect_test::{Expect, expect};
use rise::core::Form;
use rise::{Arg, Names, print};

use crate::file::check;

/// Prints a phrase with the access of every expression.
fn show(phrase: &Phrase, names: &Names, out: &mut String, depth: usize) {
    let indent = "  ".repeat(depth);
    let ty = print::type_text(&phrase.ty, names);
    let types = |types: &[Arg]| -> String {
        let all: Vec<String> = types
            .iter()
            .map(|arg| print::arg_text(arg, names))
            .collect();
        all.join(", ")
    };
    let line = match &phrase.form {
        Form::Var(local) => format!("{} : {ty}", local.name),
        Form::Literal(literal) => format!("{literal:?} : {ty}"),
        Form::Nat(nat) => format!("{} : {ty}", print::nat_text(nat, names)),
        Form::Lambda(param, _) => {
            let ty = print::type_text(&param.ty, names);
            format!("fun {} : {ty}", param.local.name)
        }
        Form::DepLambda(var, kind, _) => format!("depFun {}: {kind}", names.get(*var)),
        Form::Primitive(prim, args, _) => format!("{}[{}] : {ty}", prim.name(), types(args)),
        Form::Foreign(function, _) => format!("{} : {ty}", function.name),
        Form::Apply(..) | Form::DepApply(..) | Form::Global(..) => "not in normal form".into(),
    };
    out.push_str(&format!("{indent}{line}\n"));
    match &phrase.form {
        Form::Lambda(_, body) | Form::DepLambda(_, _, body) => show(body, names, out, depth + 1),
        Form::Primitive(_, _, args) | Form::Foreign(_, args) => {
            args.iter().for_each(|arg| show(arg, names, out, depth + 1));
        }
        _ => {}
    }
}

fn phrase(target: Target, text: &str, expected: Expect) {
    let def = check(text, "main", target);
    let Some(program) = &def.checked.phrase else {
        panic!("{}", def.shown());
    };
    let names = Names(program.names.clone().into());
    let mut shown = String::new();
    show(&program.body, &names, &mut shown, 0);
    expected.assert_eq(&shown);
}

#[test]
fn dot_product() {
    phrase(
        Target::C,
        "def main = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>\n  \
           zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))",
        expect![[r#"
            depFun n: Nat
              fun xs : Exp[n.f32, Rd]
                fun ys : Exp[n.f32, Rd]
                  reduceSeq[n, f32, f32] : Exp[f32, Rd]
                    fun x : Exp[f32, Rd]
                      fun x : Exp[f32, Rd]
                        add[f32] : Exp[f32, Rd]
                          x : Exp[f32, Rd]
                          x : Exp[f32, Rd]
                    Float { text: "0.0", suffix: Some(F32) } : Exp[f32, Rd]
                    map[n, (f32, f32), f32, Rd] : Exp[n.f32, Rd]
                      fun p : Exp[(f32, f32), Rd]
                        mul[f32] : Exp[f32, Rd]
                          fst[f32, f32] : Exp[f32, Rd]
                            p : Exp[(f32, f32), Rd]
                          snd[f32, f32] : Exp[f32, Rd]
                            p : Exp[(f32, f32), Rd]
                      zip[n, f32, f32, Rd] : Exp[n.(f32, f32), Rd]
                        xs : Exp[n.f32, Rd]
                        ys : Exp[n.f32, Rd]
        "#]],
    );
}

#[test]
fn what_is_written_is_rearranged() {
    phrase(
        Target::C,
        "def main = depFun(n: Nat => fun(xs: n.4.f32 =>\n  \
           xs |> mapSeq(mapSeq(fun(x => x + 1.0f))) |> map(fun(row => row |> padEmpty(2))) |> join))",
        expect![[r#"
            depFun n: Nat
              fun xs : Exp[n.4.f32, Rd]
                join[n, 6, f32, Wr] : Exp[(n*6).f32, Wr]
                  map[n, 4.f32, 6.f32, Wr] : Exp[n.6.f32, Wr]
                    fun row : Exp[4.f32, Wr]
                      padEmpty[4, f32, 2] : Exp[6.f32, Wr]
                        row : Exp[4.f32, Wr]
                    mapSeq[n, 4.f32, 4.f32] : Exp[n.4.f32, Wr]
                      fun xs : Exp[4.f32, Rd]
                        mapSeq[4, f32, f32] : Exp[4.f32, Wr]
                          fun x : Exp[f32, Rd]
                            add[f32] : Exp[f32, Rd]
                              x : Exp[f32, Rd]
                              Float { text: "1.0", suffix: Some(F32) } : Exp[f32, Rd]
                          xs : Exp[4.f32, Rd]
                      xs : Exp[n.4.f32, Rd]
        "#]],
    );
}

#[test]
fn streams_of_pairs() {
    phrase(
        Target::C,
        "def main = depFun(n: Nat => fun(xs: (n + 2).f32, ys: n.f32 =>\n  \
           zip(xs |> rotateValues(3)(id))(ys) |> iterateStream(fun(p => p._2))))",
        expect![[r#"
            depFun n: Nat
              fun xs : Exp[(n+2).f32, Rd]
                fun ys : Exp[n.f32, Rd]
                  iterateStream[n, (3.f32, f32), f32, St] : Exp[n.f32, Wr]
                    fun p : Exp[(3.f32, f32), Rd]
                      snd[3.f32, f32] : Exp[f32, Rd]
                        p : Exp[(3.f32, f32), Rd]
                    zipStream[n, 3.f32, f32, St, Rd] : Exp[n.(3.f32, f32), St]
                      rotateValues[n, f32, Rd, 3] : Exp[n.3.f32, St]
                        fun x : Exp[f32, Rd]
                          x : Exp[f32, Rd]
                        xs : Exp[(n+2).f32, Rd]
                      ys : Exp[n.f32, Rd]
        "#]],
    );
}

#[test]
fn values_without_arrays_are_read_where_they_can_be() {
    phrase(
        Target::C,
        "def main = depFun(n: Nat => fun(xs: n.(f32, f32) =>\n  \
           xs |> reduceSeq(fun(acc, x => (acc._1 + x._1, acc._1 * x._2)))((0.0f, 1.0f))))",
        expect![[r#"
            depFun n: Nat
              fun xs : Exp[n.(f32, f32), Rd]
                reduceSeq[n, (f32, f32), (f32, f32)] : Exp[(f32, f32), Rd]
                  fun acc : Exp[(f32, f32), Rd]
                    fun x : Exp[(f32, f32), Rd]
                      makePair[f32, f32, Rd] : Exp[(f32, f32), Rd]
                        add[f32] : Exp[f32, Rd]
                          fst[f32, f32] : Exp[f32, Rd]
                            acc : Exp[(f32, f32), Rd]
                          fst[f32, f32] : Exp[f32, Rd]
                            x : Exp[(f32, f32), Rd]
                        mul[f32] : Exp[f32, Rd]
                          fst[f32, f32] : Exp[f32, Rd]
                            acc : Exp[(f32, f32), Rd]
                          snd[f32, f32] : Exp[f32, Rd]
                            x : Exp[(f32, f32), Rd]
                  makePair[f32, f32, Rd] : Exp[(f32, f32), Rd]
                    Float { text: "0.0", suffix: Some(F32) } : Exp[f32, Rd]
                    Float { text: "1.0", suffix: Some(F32) } : Exp[f32, Rd]
                  xs : Exp[n.(f32, f32), Rd]
        "#]],
    );
}

#[test]
fn rounds_are_an_obligation() {
    let text = "def main = depFun((k: Nat) => fun(xs: (2 ^ k).f32 =>\n  \
           xs |> iterate(k)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f)))))))";
    let def = check(text, "main", Target::C);
    let Some(program) = &def.checked.phrase else {
        panic!("{}", def.shown());
    };
    let names = Names(program.names.clone().into());
    let conditions: Vec<String> = program
        .obligations
        .iter()
        .map(|prop| print::prop_text(prop, &names))
        .collect();
    assert_eq!(conditions, ["k >= 1"]);
}

#[test]
fn every_access_is_solved() {
    let def = check(
        "def main = depFun(n: Nat => fun(xs: n.f32 => let y = xs |> reduceSeq(add)(0.0f) in\n  \
           xs |> mapSeq(fun(x => x * y))))",
        "main",
        Target::C,
    );
    let program = def.checked.phrase.expect("it can be compiled");
    fn visit(phrase: &Phrase) {
        match &phrase.form {
            Form::Primitive(prim, types, args) => {
                let binders = {
                    let mut count = 0;
                    let mut ty = &prim.scheme().ty;
                    while let rise::Type::Pi(pi) = &**ty {
                        count += 1;
                        ty = &pi.body;
                    }
                    count
                };
                assert!(types.len() >= binders, "{}", prim.name());
                assert_ne!(*prim, Prim::Assign);
                args.iter().for_each(visit);
            }
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) => visit(body),
            _ => {}
        }
    }
    visit(&program.body);
}

#[test]
fn what_is_stored_and_what_is_read() {
    let text = "def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n  \
         xs |> map(fun(x => x * 2.0f)) |> mapSeq(id) |> toMem |> slide(3)(1) |> mapSeq(reduceSeq(add)(0.0f))))";
    let def = check(text, "main", Target::C);
    let program = def.checked.phrase.expect("it can be compiled");
    let mut shown = String::new();
    for fact in dpia::functional::flow(&program).facts {
        let place = &text[std::ops::Range::from(fact.span)];
        let last = place.rsplit("|>").next().unwrap_or(place).trim();
        let from = &fact.from;
        let mut reads: Vec<&str> = from.arguments.iter().map(|name| name.as_str()).collect();
        reads.extend(from.memory.then_some("memory"));
        reads.extend(from.computed.then_some("computed"));
        let materialization = fact.materialization.word();
        let into = fact.into;
        shown.push_str(&format!("{materialization} {reads:?} {into:?}: {last}\n"));
    }
    expect![[r#"
        read ["xs"] Memory: xs
        read ["computed"] Memory: map(fun(x => x * 2.0f))
        write ["computed"] Memory: mapSeq(id)
        stored ["memory"] Result: toMem
        read ["memory"] Result: slide(3)(1)
        write ["computed"] Result: mapSeq(reduceSeq(add)(0.0f))
        read ["xs"] Memory: x
        read ["computed"] Memory: x * 2.0f
        read ["computed"] Memory: 2.0f
        read ["computed"] Memory: id
        stored ["memory"] Result: reduceSeq(add)(0.0f)
        read ["computed"] Memory: add
        read ["computed"] Memory: 0.0f
    "#]]
    .assert_eq(&shown);
}
