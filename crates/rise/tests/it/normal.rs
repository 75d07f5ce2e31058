//! Tests of elaboration, linking and normalisation of single programs.

use expect_test::{Expect, expect};
use rise::Primitive;
use rise::core::{
    Form, NotRunnable, ParameterForm, Program, SourceError, check, expr_text, normalise,
    program_of, program_text,
};

fn program(text: &str, name: &str) -> Program<Primitive> {
    let program = program_of(text, name).unwrap();
    assert_eq!(check(&program), Ok(()));
    program
}

#[track_caller]
fn linked(text: &str, expected: Expect) {
    expected.assert_eq(&program_text(&program(text, "main")));
}

#[track_caller]
fn normal(text: &str, expected: Expect) {
    let mut program = program(text, "main");
    normalise(&mut program).unwrap();
    assert_eq!(check(&program), Ok(()));
    expected.assert_eq(&program_text(&program));
}

#[test]
fn operators_are_primitives() {
    linked(
        "def main = fun(x: f32, p: (i32, bool) => (-x + 2.0 * x < x / x && !p._2, p._1 % 2))",
        expect![[r#"
            def main : f32 -> (i32, bool) -> (bool, i32) = fun(x, p =>
              (-x + 2.0f * x < x / x && !p._2, p._1 % 2))
        "#]],
    );
}

#[test]
fn ways_to_apply_are_one() {
    linked(
        "def main = depFun(n: Nat => fun(xs: (4 * n).f32 =>
           reduce(add)(0.0f) <| (map(fun(x => x + 1.0f)) >> split(4) >> join) <| xs))",
        expect![[r#"
            def main : (n: Nat) -> (n * 4).f32 -> f32 = depFun(n: Nat => fun(xs =>
              (let x = xs in (let x1 = x in x1 |> map(fun(x2 => x2 + 1.0f)) |> split(4)) |> join)
                |> reduce(add)(0.0f)))
        "#]],
    );
}

#[test]
fn sizes_are_values() {
    linked(
        "def main = depFun((n: Nat, m: Nat) => fun(x: natType =>
           x + n * 2 + m - 1 + min(n, m)^2 + n / 2 + m % n))",
        expect![[r#"
            def main : (n: Nat) -> (m: Nat) -> natType -> natType = depFun((n: Nat, m: Nat) => fun(x =>
              x + n * 2 + m - 1 + min(n, m) ^ 2 + n / 2 + m % n))
        "#]],
    );
}

#[test]
fn what_nothing_determines_is_written() {
    linked(
        "def main = fun(x: f32, k: u8 =>
           let n = (cast(x * 2.0f) : u16) in
           let zeros = (generate(fun(i => 0.0f)) : 4.f32) in
           ((3u8 < k, (cast(n) : f64)), (zeros |> idx(1), (vectorFromScalar(x) : Vec[4, f32]))))",
        expect![[r#"
            def main : f32 -> u8 -> ((bool, f64), (f32, Vec[4, f32])) = fun(x, k =>
              let n = (cast(x * 2.0f) : u16) in
              let zeros = (generate(fun(i => 0.0f)) : 4.f32) in
              ((3 < k, cast(n)), (zeros |> idx(1), vectorFromScalar(x))))
        "#]],
    );
}

#[test]
fn generic_definitions_keep_their_parameters() {
    linked(
        "def main = fun(x => x + 1)",
        expect![[r#"
        def main : {t: Num} -> t -> t = fun(x => x + 1)
    "#]],
    );
    linked(
        "def main = take",
        expect![[r#"
        def main : (n: Nat) -> {m: Nat} -> {t: DataType} -> (n + m).t -> n.t = depFun(n: Nat => fun(xs =>
          xs |> take(n)))
    "#]],
    );
    linked(
        "def main : (n: Nat) -> {m: Nat} -> {t: DataType} -> (n + m).t -> m.t =
           depFun(k: Nat => fun(xs => xs |> drop(k)))",
        expect![[r#"
            def main : (n: Nat) -> {m: Nat} -> {t: DataType} -> (n + m).t -> m.t = depFun(n: Nat => fun(xs =>
              xs |> drop(n)))
        "#]],
    );
    linked(
        "def main = toMemFun(Local)(mapLocal(1)(id))",
        expect![[r#"
        def main : {n: Nat} -> {t: DataType} -> n.t -> n.t = fun(xs =>
          fun(f: n.t -> n.t => let x = xs in f(x) |> toMem(Local))(mapLocal(1)(fun(x => x))))
    "#]],
    );
}

#[test]
fn functions_are_applied() {
    normal(
        "def twice = fun(f: f32 -> f32, x => f(f(x)))
         def main = depFun(n: Nat => map(twice(fun(x => x * x))))",
        expect![[r#"
            def main : {m: Nat} -> (n: Nat) -> m.f32 -> m.f32 = depFun(n: Nat => fun(xs =>
              xs |> map(fun(x => let x1 = x * x in x1 * x1))))
        "#]],
    );
    normal(
        "def main = depFun(n: Nat => fun(img: n.n.f32 => img |> padClamp2D(1) |> slide2D(3)(1)))",
        expect![[r#"
            @assume(n >= 1)
            def main : (n: Nat) -> n.n.f32 -> n.n.3.3.f32 = depFun(n: Nat => fun(img =>
              img
                |> map(padClamp(1)(1))
                |> padClamp(1)(1)
                |> map(slide(3)(1))
                |> slide(3)(1)
                |> map(transpose)))
        "#]],
    );
}

#[test]
fn no_work_is_done_twice() {
    normal(
        "def square = fun(x: f32 => x * x)
         def main = fun(x: f32, y: f32 => square(x + y) + square(y))",
        expect![[r#"
            def main : f32 -> f32 -> f32 = fun(x, y => let x1 = x + y in x1 * x1 + y * y)
        "#]],
    );
    normal(
        "def main = depFun(n: Nat => fun(xs: n.f32, y: f32 => xs |> map(add(y * 2.0f))))",
        expect![[r#"
            def main : (n: Nat) -> n.f32 -> f32 -> n.f32 = depFun(n: Nat => fun(xs, y =>
              let x = y * 2.0f in xs |> map(add(x))))
        "#]],
    );
    normal(
        "def apply = fun(f: f32 -> f32, x => f(x) + f(x + 1.0f))
         def main = fun(y: f32 => apply(mul(y * 2.0f))(y))",
        expect![[r#"
            def main : f32 -> f32 = fun(y => let x = y * 2.0f in x * y + x * (y + 1.0f))
        "#]],
    );
    normal(
        "def main = depFun(n: Nat => fun(xs: n.f32, y: f32 =>
           xs |> map(let z = y * y in fun(x => x + z))))",
        expect![[r#"
            def main : (n: Nat) -> n.f32 -> f32 -> n.f32 = depFun(n: Nat => fun(xs, y =>
              let z = y * y in xs |> map(fun(x => x + z))))
        "#]],
    );
}

#[test]
fn what_may_not_run_stays_where_it_is() {
    normal(
        "def half = fun(x: i32 => x * x / 2)
         def main = fun(x: i32, y: i32 => y != 0 && half(x / y) > 1 || (let z = x / y in z == z))",
        expect![[r#"
            def main : i32 -> i32 -> bool = fun(x, y =>
              y != 0 && (let x1 = x / y in x1 * x1 / 2 > 1) || (let z = x / y in z == z))
        "#]],
    );
}

#[test]
fn names_stay_apart() {
    normal(
        "def inner = fun(x: f32, y: f32 => x - y)
         def main = fun(x: f32, y: f32 => let add = x * 2.0f in inner(y * y)(add) + inner(x)(y))",
        expect![[r#"
            def main : f32 -> f32 -> f32 = fun(x, y =>
              let add1 = x * 2.0f in let x1 = y * y in x1 - add1 + (x - y))
        "#]],
    );
}

#[test]
fn origins_lead_to_the_text_and_its_uses() {
    let text = "def inner = fun(xs: 4.f32 => xs |> map(fun(x => x * 2.0f)))
def outer = fun(ys: 4.f32 => inner(ys))
def main = fun(zs: 4.f32 => outer(zs))";
    let items: Vec<&str> = syntax::split(text)
        .into_iter()
        .map(|span| &text[std::ops::Range::<usize>::from(span)])
        .collect();
    let mut program = program(text, "main");
    normalise(&mut program).unwrap();
    let body = program.signature().body;
    assert!(matches!(body.form, Form::Primitive(Primitive::Map, ..)));
    let mut place = program.origins[body.origin.0 as usize].clone();
    let mut shown = Vec::new();
    loop {
        let item = match place.def {
            None => items[2],
            Some(_) if shown.is_empty() => items[0],
            Some(_) => items[1],
        };
        let part = |span| &item[std::ops::Range::<usize>::from(span)];
        shown.push((part(place.span), part(place.head)));
        match place.used_at {
            Some(used_at) => place = program.origins[used_at.0 as usize].clone(),
            None => break,
        }
    }
    assert_eq!(
        shown,
        [
            ("xs |> map(fun(x => x * 2.0f))", "map"),
            ("inner", "inner"),
            ("outer", "outer")
        ]
    );
    assert_eq!(expr_text(&program, &body), "zs |> map(fun(x => x * 2.0f))");
}

#[test]
fn parameters_and_what_can_run() {
    let text = "def main : {m: Nat} -> (n: Nat) -> n.m.f32 -> m.f32 -> n.f32 =
        depFun(n: Nat => fun(rows, xs => rows |> map(dot(xs))))
      def generic = fun(xs => xs |> map(fun(x => x + 1)))
      def higher = fun(f: f32 -> f32 => f(1.0f))
      def where = depFun(a: AddrSp => fun(x: f32 => x |> toMem(a)))";
    let main = program(text, "main");
    assert_eq!(main.runnable(), Ok(()));
    let signature = main.signature();
    let sizes: Vec<_> = signature.sizes().map(|v| main.name_of(v)).collect();
    assert_eq!(sizes, ["n", "m"]);
    let values: Vec<_> = signature.values().map(|p| p.local.name.clone()).collect();
    assert_eq!(values, ["rows", "xs"]);
    assert!(matches!(
        signature.params[0].form,
        ParameterForm::TypeLevel { implicit: true, .. }
    ));
    let why = |name| program(text, name).runnable().unwrap_err();
    assert!(matches!(why("generic"), NotRunnable::Generic { .. }));
    expect!["`generic` is generic over the number type `t`; write the type of a parameter, of the result, or of a number (`0i32`), or a definition that uses `generic` at one type"]
        .assert_eq(&why("generic").to_string());
    expect![
        "the parameter `f` of `higher` is a function; write a definition that applies `higher` to a function"
    ]
    .assert_eq(&why("higher").to_string());
    expect!["`where` is generic over the address space `a`; write a definition that fixes it"]
        .assert_eq(&why("where").to_string());
}

#[test]
fn conditions_of_definitions_are_known() {
    let text = "def chunks : (s: Nat) -> {n: Nat} -> n.f32 -> (n / s).f32 =
        depFun(s: Nat => fun(xs => xs |> split(s) |> map(reduce(add)(0.0f))))
      def main = depFun(n: Nat => fun(xs: (8 * n).f32 => xs |> chunks(4) |> chunks(2)))";
    let program = program(text, "main");
    assert_eq!(program.obligations, []);
    let names = rise::Names(program.names.iter().cloned().collect());
    let facts: Vec<String> = program
        .facts
        .iter()
        .map(|fact| rise::print::prop_text(fact, &names))
        .collect();
    assert_eq!(facts, ["2 divides n*2", "4 divides n*8"]);
}

#[test]
fn wrong_texts_say_what_is_wrong() {
    let text = "def bad = fun(x: f32 => x + true)\ndef main = fun(x: f32 => bad(x))";
    let error = program_of(text, "main").unwrap_err();
    assert!(matches!(error, SourceError::Wrong { .. }));
    expect![[r#"
        `bad` has errors: `+` needs two operands of one type: the left one is `f32`, the right one `bool`
        expected: f32
           found: bool"#]].assert_eq(&error.to_string());
    expect!["there is no definition of `other`"]
        .assert_eq(&program_of(text, "other").unwrap_err().to_string());
    let text = "def main = fun(x: f32 => main(x))";
    assert!(program_of(text, "main").is_err());
}

#[test]
fn functions_that_double_are_an_error() {
    let mut text = String::from("def g0 = fun(f: f32 -> f32, x: f32 => f(f(x)))\n");
    for n in 1..30 {
        text.push_str(&format!(
            "def g{n} = fun(f: f32 -> f32, x: f32 => g{0}(g{0}(f))(x))\n",
            n - 1
        ));
    }
    text.push_str("def main = fun(x: f32 => g5(fun(y => y + 1.0f))(x))");
    let work = move || {
        let mut program = program(&text, "main");
        normalise(&mut program).unwrap_err().to_string()
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let message = thread.spawn(work).unwrap().join().unwrap();
    expect!["`main` is too large: with its functions applied it has more than 1000000 parts"]
        .assert_eq(&message);
}

#[test]
fn what_is_as_deep_as_allowed_fits_the_stacks_of_the_compiler() {
    let mut text = String::from("def main0 = fun(x: f32 => x)\n");
    for n in 1..400 {
        let sum = "x + (x * ".repeat(3);
        let close = ")".repeat(3);
        text.push_str(&format!(
            "def main{n} = fun(x: f32 => {sum}main{}(x){close})\n",
            n - 1
        ));
    }
    let work = move || {
        let mut program = program(&text, "main399");
        let before = program_text(&program).len();
        normalise(&mut program).unwrap();
        assert_eq!(check(&program), Ok(()));
        (before, program_text(&program).len())
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let (before, after) = thread.spawn(work).unwrap().join().unwrap();
    assert!(before > after && after > 10_000, "{before}, {after}");
}

#[test]
fn functions_over_implicit_parameters_are_arguments() {
    linked(
        "def at : ({n: Nat} -> {t: DataType} -> n.t -> n.t) -> 4.f32 -> 2.4.f32 -> (4.f32, 2.4.f32) =
           fun(f, xs, ys => (f(xs), f(ys)))
         def same = fun(xs => xs |> map(id))
         def main = at(same)",
        expect![[r#"
            def main : 4.f32 -> 2.4.f32 -> (4.f32, 2.4.f32) = fun(xs, xs1 =>
              fun(f: {n: Nat} -> {t: DataType} -> n.t -> n.t =>
                let xs2 = xs in let ys = xs1 in (f(xs2), f(ys)))(map(fun(x => x))))
        "#]],
    );
    normal(
        "def maps : ({n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t) ->
             3.4.f32 -> 3.4.f32 = fun(f => fun(xs => xs |> f(f(fun(x => x + 1.0f)))))
         def main = maps(map)",
        expect![[r#"
            def main : 3.4.f32 -> 3.4.f32 = fun(xs => xs |> map(map(fun(x => x + 1.0f))))
        "#]],
    );
}

#[test]
fn one_fun_takes_parameters_behind_implicit_ones() {
    normal(
        "def app : (i32 -> i32) -> {k: Nat} -> k.i32 -> {m: Nat} -> m.i32 -> (k.i32, m.i32) =
           fun(f, xs, ys => (xs |> map(f), ys |> map(f)))
         def main = fun(xs: 4.i32, ys: 3.i32 => app(fun(x => x + 1))(xs)(ys))",
        expect![[r#"
            def main : 4.i32 -> 3.i32 -> (4.i32, 3.i32) = fun(xs, ys =>
              (xs |> map(fun(x => x + 1)), ys |> map(fun(x => x + 1))))
        "#]],
    );
}

#[test]
fn names_of_components_are_halves_of_the_pair() {
    normal(
        "def main = fun(xs: 4.f32, ys: 4.f32 =>
           zip(xs)(ys) |> map(fun((x, y) => let z = x * y in z + x)) |> reduce(fun((a, b) => a + b))(0.0f))",
        expect![[r#"
            def main : 4.f32 -> 4.f32 -> f32 = fun(xs, ys =>
              zip(xs)(ys) |> map(fun(p => let z = p._1 * p._2 in z + p._1)) |> reduce(add)(0.0f))
        "#]],
    );
}

#[test]
fn an_ascribed_function_is_used_at_the_sizes_of_its_place() {
    normal(
        "def main = fun(xs: 4.f32 => (map(neg) : {n: Nat} -> n.f32 -> n.f32)(xs))",
        expect![[r#"
            def main : 4.f32 -> 4.f32 = fun(xs => xs |> map(neg))
        "#]],
    );
}
