mod barriers;

use super::*;
use crate::fixture::{Fixture, LISTING_1, LISTING_4};
use expect_test::{Expect, expect};

fn hints(fixture: &Fixture, config: &InlayConfig) -> Vec<InlayHint> {
    let file = fixture.files[0];
    let whole = Span::new(0, fixture.text(file).len() as u32);
    let range = fixture.ranges.first().map_or(whole, |range| range.span);
    inlay_hints(&fixture.db, file, range, config)
}

/// Compares the text with the hints inserted in `«»`.
fn check(text: &str, config: &InlayConfig, expected: Expect) {
    let fixture = Fixture::new(text);
    let mut shown = fixture.text(fixture.files[0]);
    for hint in hints(&fixture, config).iter().rev() {
        assert!(
            hint.label.chars().count() <= config.max_length,
            "{}",
            hint.label
        );
        let pad = if hint.pad_left { " " } else { "" };
        shown.insert_str(hint.offset as usize, &format!("{pad}«{}»", hint.label));
    }
    expected.assert_eq(&shown);
}

#[test]
fn listing_1() {
    check(
        LISTING_1,
        &InlayConfig::default(),
        expect![[r#"
            def mv«: (n: Nat) -> (m: Nat) -> … -> n.f32» = depFun((n: Nat, m: Nat) =>
              fun(M: Array[n, Array[m, f32]] =>
                fun(x: Array[m, f32] =>
                  M |> map(fun(row«: m.f32» =>
                    zip(row)(x) |> «m.(f32, f32)»
                      map(fun(ax«: (f32, f32)» => fst(ax) * snd(ax))) |> «m.f32»
                      reduce(add)(0.0f) )) )) ) «f32» «n.f32»
        "#]],
    );
}

#[test]
fn parameters_left_of_the_value() {
    check(
        "def scale(a: f32)(xs: n.f32): n.f32 = xs |> map(fun(x => a * x))\n\
         def total(xs: n.t, start: t) = xs |> reduce(add)(start)\n\
         def double(x) = 2 * x\n\
         def inner(x: f32){n: Nat}(xs: n.f32) = xs |> map(fun(y => x * y))\n\
         def front{n: Nat}(xs: (n + 1).f32): n.f32 = xs |> take(n)\n",
        &InlayConfig::default(),
        expect![[r#"
            def scale«{n: Nat}»(a: f32)(xs: n.f32): n.f32 = xs |> map(fun(x«: f32» => a * x))
            def total«{n: Nat, t: Num}»(xs: n.t, start: t)«: t» = xs |> reduce(add)(start)
            def double«{t: Num}»(x«: t»)«: t» = 2 * x
            def inner(x: f32){n: Nat}(xs: n.f32)«: n.f32» = xs |> map(fun(y«: f32» => x * y))
            def front{n: Nat}(xs: (n + 1).f32): n.f32 = xs |> take(n)
        "#]],
    );
}

#[test]
fn hints_of_parameters_can_be_inserted() {
    let fixture = Fixture::new("def total(xs: n.t, start: t) = xs |> reduce(add)(start)\n");
    let hints = hints(&fixture, &InlayConfig::default());
    let edits = hints.into_iter().filter_map(|hint| hint.insert).flatten();
    let text = fixture.applied(&edits.collect::<Vec<_>>(), fixture.files[0]);
    expect![[r#"
        def total{n: Nat, t: Num}(xs: n.t, start: t): t = xs |> reduce(add)(start)
    "#]]
    .assert_eq(&text);
}

#[test]
fn listing_4() {
    check(
        LISTING_4,
        &InlayConfig::default(),
        expect![[r#"
            def mvOpt«: (n: Nat) -> (m: Nat) -> … -> n.f32» = depFun((n: Nat, m: Nat, s: Nat) =>
              fun(M: Array[n, Array[m, f32]] =>
                fun(x: Array[m, f32] =>
                  M |> split(s) |> mapWorkGroup(fun(rows«: s.m.f32» =>
                    rows |> mapLocal(fun(row«: m.f32» =>
                      zip(row)(x) |> «m.(f32, f32) · read»
                        reduceSeq(Private)(fun(acc«: f32», ax«: (f32, f32)» =>
                          acc + (fst(ax) * snd(ax))))(0.0f) )) «f32 · stored: private, 4 B» «s.f32 · write»
                  )) |> join «n.f32 · write»
                )) )
        "#]],
    );
}

#[test]
fn each_can_be_turned_off() {
    let none = InlayConfig {
        parameters: false,
        definitions: false,
        pipelines: false,
        ..InlayConfig::default()
    };
    assert!(hints(&Fixture::new(LISTING_1), &none).is_empty());
    let implicits = InlayConfig {
        implicits: true,
        ..none
    };
    check(
        LISTING_1,
        &implicits,
        expect![[r#"
        def mv = depFun((n: Nat, m: Nat) =>
          fun(M: Array[n, Array[m, f32]] =>
            fun(x: Array[m, f32] =>
              M |> map«{n = n, s = m.f32, t = f32}»(fun(row =>
                zip«{n = m, s = f32, t = f32}»(row)(x) |>
                  map«{n = m, s = (f32, f32), t = f32}»(fun(ax => fst«{s = f32, t = f32}»(ax) * snd«{s = f32, t = f32}»(ax))) |>
                  reduce«{n = m, t = f32}»(add«{t = f32}»)(0.0f) )) )) )
    "#]],
    );
}

#[test]
fn labels_are_cut_and_tooltips_are_whole() {
    let fixture = Fixture::new(LISTING_4);
    let short = InlayConfig {
        max_length: 12,
        ..InlayConfig::default()
    };
    let shown: Vec<String> = hints(&fixture, &short)
        .into_iter()
        .map(|hint| format!("{:<12} | {}\n", hint.label, hint.tooltip))
        .collect();
    expect![[r#"
        : … -> n.f32 | (n: Nat) -> (m: Nat) -> (s: Nat) -> n.m.f32 -> m.f32 -> n.f32 where s divides n
        : s.m.f32    | s.m.f32
        : m.f32      | m.f32
        m.(f32, f32) | m.(f32, f32)
        : f32        | f32
        : (f32, f32) | (f32, f32)
        f32          | f32
        s.f32        | s.f32
        n.f32        | n.f32
    "#]].assert_eq(&shown.concat());
}

#[test]
fn hints_that_can_be_written_insert_themselves() {
    let fixture = Fixture::new(
        "def mm = depFun((n: Nat, m: Nat) => fun(A: n.m.f32 => A |> map(fun(row => row))))\n\
         def first = fun(p => let q = p in fst(q))\n",
    );
    let edits: Vec<TextEdit> = hints(&fixture, &InlayConfig::default())
        .into_iter()
        .filter_map(|hint| hint.insert)
        .flatten()
        .collect();
    let after = fixture.applied(&edits, fixture.files[0]);
    expect![[r#"
        def mm: (n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32 = depFun((n: Nat, m: Nat) => fun(A: n.m.f32 => A |> map(fun(row: m.f32 => row))))
        def first: {t: DataType} -> {s: DataType} -> (t, s) -> t = fun(p => let q = p in fst(q))
    "#]].assert_eq(&after);
    let errors = |text: &str| {
        let fixture = Fixture::new(text);
        let found = crate::diagnostics(&fixture.db, fixture.files[0]);
        found
            .into_iter()
            .map(|found| found.message)
            .collect::<Vec<_>>()
    };
    assert_eq!(errors(&after), [""; 0]);
}

#[test]
fn a_type_that_is_written_in_the_same_line_is_not_shown_again() {
    check(
        "def f : 4.f32 -> 4.f32 -> 4.f32 = fun(xs => fun(ys => xs |> map(fun(x => x))))
def g : (n: Nat) -> n.f32 -> n.f32 =
  depFun(n: Nat => fun(xs => xs))
",
        &InlayConfig::default(),
        expect![[r#"
            def f : 4.f32 -> 4.f32 -> 4.f32 = fun(xs => fun(ys => xs |> map(fun(x«: f32» => x))))
            def g : (n: Nat) -> n.f32 -> n.f32 =
              depFun(n: Nat => fun(xs«: n.f32» => xs))
        "#]],
    );
}

#[test]
fn only_the_range_is_answered() {
    check(
        "def f = fun(x => x + 1.0f)\n<|>def g = fun(x => x)<|>\ndef h = fun(x => x)\n",
        &InlayConfig::default(),
        expect![[r#"
            def f = fun(x => x + 1.0f)
            def g«: {t: DataType} -> t -> t» = fun(x«: t» => x)
            def h = fun(x => x)
        "#]],
    );
}

#[test]
fn half_typed_code_keeps_its_hints() {
    check(
        "def f = depFun(n: Nat => fun(xs: n.f32 =>\n  xs |>\n    map(fun(x => x)) |>\n",
        &InlayConfig::default(),
        expect![[r#"
            def f = depFun(n: Nat => fun(xs: n.f32 =>
              xs |>
                map(fun(x«: f32» => x)) |> «n.f32»
        "#]],
    );
}

#[test]
fn what_is_not_known_has_no_hint() {
    check(
        "def f = fun(xs: 4.f32 =>\n  xs\n    |> map(fun(x => x * x)\n    |> reduce(add)(0.0f))\n",
        &InlayConfig::default(),
        expect![[r#"
            def f = fun(xs: 4.f32 =>
              xs
                |> map(fun(x => x * x)
                |> reduce(add)(0.0f))
        "#]],
    );
}

/// A program that stores rows and reads them again.
const BLUR: &str = "\
@target(c)
@run(n = 1024, m = 1000)
def blur = depFun((n: Nat, m: Nat) => fun(image: (n + 2).m.f32 =>
  image
    |> slide(3)(1)
    |> mapSeq(fun(lines =>
      lines
        |> transpose
        |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f)))))
    |> toMem
    |> mapSeq(fun(line =>
      line
        |> split(4)
        |> mapSeq(fun(four =>
          four
            |> mapSeq(fun(x => x * 0.25f))
            |> toMem
            |> reduceSeq(add)(0.0f)))))))
";

fn only_flow(access_flow: AccessFlow) -> InlayConfig {
    InlayConfig {
        parameters: false,
        definitions: false,
        pipelines: false,
        access_flow,
        ..InlayConfig::default()
    }
}

#[test]
fn stages_say_how_they_are_accessed() {
    check(
        BLUR,
        &only_flow(AccessFlow::Compact),
        expect![[r#"
            @target(c)
            @run(n = 1024, m = 1000)
            def blur = depFun((n: Nat, m: Nat) => fun(image: (n + 2).m.f32 =>
              image
                |> slide(3)(1) «read»
                |> mapSeq(fun(lines =>
                  lines
                    |> transpose «read»
                    |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f))))) «write» «write»
                |> toMem «stored: heap, 4.1 MB»
                |> mapSeq(fun(line =>
                  line
                    |> split(4) «read»
                    |> mapSeq(fun(four =>
                      four
                        |> mapSeq(fun(x => x * 0.25f)) «write»
                        |> toMem «stored: stack, 16 B»
                        |> reduceSeq(add)(0.0f))))))) «stored: variable, 4 B» «write» «write»
        "#]],
    );
    check(
        BLUR,
        &InlayConfig {
            max_length: 80,
            ..only_flow(AccessFlow::Full)
        },
        expect![[r#"
            @target(c)
            @run(n = 1024, m = 1000)
            def blur = depFun((n: Nat, m: Nat) => fun(image: (n + 2).m.f32 =>
              image
                |> slide(3)(1) «read from image»
                |> mapSeq(fun(lines =>
                  lines
                    |> transpose «read from image»
                    |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f))))) «write to memory, m*4 B = 4000 B» «write to memory, n*m*4 B = 4.1 MB»
                |> toMem «stored: heap, n*m*4 B = 4.1 MB»
                |> mapSeq(fun(line =>
                  line
                    |> split(4) «read from memory»
                    |> mapSeq(fun(four =>
                      four
                        |> mapSeq(fun(x => x * 0.25f)) «write to memory, 16 B»
                        |> toMem «stored: stack, 16 B»
                        |> reduceSeq(add)(0.0f))))))) «stored: variable, 4 B» «write to the result, (m/4)*4 B = 1000 B» «write to the result, n*(m/4)*4 B = 1.0 MB»
        "#]],
    );
    check(
        BLUR,
        &only_flow(AccessFlow::Off),
        expect![[r#"
            @target(c)
            @run(n = 1024, m = 1000)
            def blur = depFun((n: Nat, m: Nat) => fun(image: (n + 2).m.f32 =>
              image
                |> slide(3)(1)
                |> mapSeq(fun(lines =>
                  lines
                    |> transpose
                    |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f)))))
                |> toMem
                |> mapSeq(fun(line =>
                  line
                    |> split(4)
                    |> mapSeq(fun(four =>
                      four
                        |> mapSeq(fun(x => x * 0.25f))
                        |> toMem
                        |> reduceSeq(add)(0.0f)))))))
        "#]],
    );
}

#[test]
fn accesses_stand_behind_the_type_as_far_as_there_is_room() {
    let with_types = InlayConfig {
        pipelines: true,
        ..only_flow(AccessFlow::Full)
    };
    for max_length in [14, 28, 40] {
        let config = InlayConfig {
            max_length,
            ..with_types
        };
        let fixture = Fixture::new(BLUR);
        let labels: Vec<String> = hints(&fixture, &config)
            .into_iter()
            .map(|hint| hint.label)
            .collect();
        assert!(
            labels
                .iter()
                .all(|label| label.chars().count() <= max_length)
        );
    }
    check(
        BLUR,
        &with_types,
        expect![[r#"
            @target(c)
            @run(n = 1024, m = 1000)
            def blur = depFun((n: Nat, m: Nat) => fun(image: (n + 2).m.f32 =>
              image
                |> slide(3)(1) «n.3.m.f32 · read from image»
                |> mapSeq(fun(lines =>
                  lines
                    |> transpose «m.3.f32 · read from image»
                    |> mapSeq(fun(column => column |> reduceSeq(add)(0.0f))))) «m.f32 · write to memory, m*4 B = 4000 B» «n.m.f32 · write»
                |> toMem «n.m.f32 · stored: heap, n*m*4 B = 4.1 MB»
                |> mapSeq(fun(line =>
                  line
                    |> split(4) «(m/4).4.f32 · read from memory»
                    |> mapSeq(fun(four =>
                      four
                        |> mapSeq(fun(x => x * 0.25f)) «4.f32 · write to memory, 16 B»
                        |> toMem «4.f32 · stored: stack, 16 B»
                        |> reduceSeq(add)(0.0f))))))) «f32 · stored: variable, 4 B» «(m/4).f32 · write» «n.(m/4).f32 · write»
        "#]],
    );
}

#[test]
fn what_is_not_compiled_has_no_accesses() {
    let text = BLUR.replace("@target(c)\n", "").replace("mapSeq", "map");
    let text = text.replace("reduceSeq", "reduce").replace("|> toMem", "");
    let found = hints(&Fixture::new(&text), &only_flow(AccessFlow::Full));
    assert!(found.is_empty(), "{found:?}");
    // A program that cannot be compiled has none either.
    let text = BLUR.replacen("    |> toMem\n", "", 1);
    let found = hints(&Fixture::new(&text), &only_flow(AccessFlow::Full));
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn openmp_and_opencl() {
    let text = "\
@target(openmp)
def f = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, ys: m.f32 =>
  xs
    |> mapPar(fun(row =>
      zip(row)(ys)
        |> mapSeq(fun(p => p._1 * p._2))
        |> toMem
        |> reduceSeq(add)(0.0f)))))

@target(opencl)
def g = depFun(n: Nat => fun(xs: n.16.f32 =>
  xs
    |> mapGlobal(fun(row =>
      row
        |> mapSeq(fun(x => x + 1.0f))
        |> toMem(Private)
        |> slide(3)(1)
        |> mapSeq(reduceSeq(Private)(add)(0.0f))))))
";
    check(
        text,
        &only_flow(AccessFlow::Full),
        expect![[r#"
            @target(openmp)
            def f = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32, ys: m.f32 =>
              xs
                |> mapPar(fun(row =>
                  zip(row)(ys) «read from xs, ys»
                    |> mapSeq(fun(p => p._1 * p._2)) «write to memory, m*4 B»
                    |> toMem «stored: heap, m*4 B»
                    |> reduceSeq(add)(0.0f))))) «stored: variable, 4 B» «write to the result, n*4 B»

            @target(opencl)
            def g = depFun(n: Nat => fun(xs: n.16.f32 =>
              xs
                |> mapGlobal(fun(row =>
                  row
                    |> mapSeq(fun(x => x + 1.0f)) «write to memory, 64 B»
                    |> toMem(Private) «stored: private, 64 B»
                    |> slide(3)(1) «read from memory»
                    |> mapSeq(reduceSeq(Private)(add)(0.0f)))))) «write to the result, 56 B» «write to the result, n*56 B»
        "#]],
    );
}

#[test]
fn streams() {
    let text = "\
@target(c)
def f = depFun((n: Nat, m: Nat) => fun(xs: (n + 2).m.f32 =>
  xs
    |> circularBuffer(3)(3)(fun(line => line |> mapSeq(fun(x => x + 1.0f))))
    |> iterateStream(fun(lines =>
      lines
        |> transpose
        |> mapSeq(reduceSeq(add)(0.0f))))))
";
    check(
        text,
        &only_flow(AccessFlow::Compact),
        expect![[r#"
            @target(c)
            def f = depFun((n: Nat, m: Nat) => fun(xs: (n + 2).m.f32 =>
              xs
                |> circularBuffer(3)(3)(fun(line => line |> mapSeq(fun(x => x + 1.0f)))) «stream, window stored: heap»
                |> iterateStream(fun(lines =>
                  lines
                    |> transpose «read»
                    |> mapSeq(reduceSeq(add)(0.0f)))))) «write» «write»
        "#]],
    );
}

fn only_values() -> InlayConfig {
    InlayConfig {
        values: true,
        ..only_flow(AccessFlow::Off)
    }
}

#[test]
fn stages_show_what_they_give_for_small_sizes() {
    check(
        "\
def f = depFun(n: Nat => fun(xs: n.i32 =>
  xs
    |> split(2)
    |> map(fun(two =>
      two
        |> map(fun(x => x * 10))
        |> reduce(add)(1)))))
def pairs = fun(xs: 4.f32, ys: 4.f32 => zip(xs)(ys) |> map(fun(p => p._1 * p._2)))
",
        &only_values(),
        expect![[r#"
            def f = depFun(n: Nat => fun(xs: n.i32 =>
              xs «= [0, 1, 2, 3]»
                |> split(2) «= [[0, 1], [2, 3]]»
                |> map(fun(two =>
                  two «= [0, 1]»
                    |> map(fun(x => x * 10)) «= [0, 10]»
                    |> reduce(add)(1))))) «= 11» «= [11, 51]»
            def pairs = fun(xs: 4.f32, ys: 4.f32 => zip(xs)(ys) |> map(fun(p => p._1 * p._2))) «= [0.0, 1.0, 4.0, 9.0]»
        "#]],
    );
}

#[test]
fn sizes_are_those_of_the_run_if_they_are_small() {
    let text = "\
@run(n = 6, m = 4096)
def f = depFun((n: Nat, m: Nat) => fun(xs: n.i32, ys: (8 * m).i32 =>
  concat(xs)(ys)
    |> take(n)
    |> split(3)))
";
    let found = hints(&Fixture::new(text), &only_values());
    let shown: Vec<&str> = found.iter().map(|hint| hint.label.as_str()).collect();
    expect![[r#"
        [
            "= [0, 1, 2, …, 21, 22, 23]",
            "= [0, 1, 2, 3, 4, 5]",
            "= [[0, 1, 2], [3, 4, 5]]",
        ]
        The first value here, with

        ```text
        n = 6
        m = 3
        xs = [0, 1, 2, 3, 4, 5]
        ys = [0, 1, 2, …, 21, 22, 23]
        ```"#]]
    .assert_eq(&format!("{shown:#?}\n{}", found[0].details));
}

#[test]
fn conditions_choose_the_sizes() {
    let text = "\
def f = depFun((n: Nat, m: Nat) => fun(xs: n.m.i32 =>
  xs
    |> split(32)
    |> map(transpose >> split(3))
    |> join
    |> join
    |> join))
";
    let found = hints(&Fixture::new(text), &only_values());
    let labels: Vec<&str> = found.iter().map(|hint| hint.label.as_str()).collect();
    expect![[r#"
        [
            "= [[0, 1, 2], [3, 4, 5], [6, 7, 8], …]",
            "= [[[0, 1, 2], [3, 4, 5], [6, 7, 8], …]]",
            "= [[[[0, 3, …], [1, 4, …], …]]]",
            "= [[[0, 3, …], [1, 4, …], …]]",
            "= [[0, 3, …], [1, 4, …], …]",
            "= [0, 3, 6, …, 89, 92, 95]",
        ]
        The first value here, with

        ```text
        n = 32
        m = 3
        xs = [[0, 1, 2], [3, 4, 5], [6, 7, 8], …, [87, 88, 89], [90, 91, 92], [93, 94, 95]]
        ```"#]]
    .assert_eq(&format!("{labels:#?}\n{}", found[0].details));
}

#[test]
fn what_does_not_run_has_no_values() {
    let foreign = "\
foreign def twice(x: f32): f32 = \"\"\"{ return x + x; }\"\"\"
def f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(twice)))
";
    let function = "def f = depFun(n: Nat => fun((g: f32 -> f32, xs: n.f32) => xs |> map(g)))\n";
    let endless = "\
def f = depFun(n: Nat => fun(xs: (1000000007 * n).f32 => xs |> map(fun(x => x + x))))
";
    let impossible = "@assume(n >= 100000)\ndef f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + x))))\n";
    let large = "def f = fun(xs: 100000000.i64 => xs |> map(fun(x => x + 1)))\n";
    for text in [foreign, function, endless, impossible, large] {
        let found = hints(&Fixture::new(text), &only_values());
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn what_is_computed_before_a_failure_is_shown() {
    let text = "\
def f = depFun(n: Nat => fun(xs: n.i32 =>
  xs
    |> mapSeq(fun(x => x + 1))
    |> mapSeq(fun(x => 12 / (x - 3)))
    |> mapSeq(fun(x => x + 2))))
";
    check(
        text,
        &only_values(),
        expect![[r#"
        def f = depFun(n: Nat => fun(xs: n.i32 =>
          xs «= [0, 1, 2, 3]»
            |> mapSeq(fun(x => x + 1)) «= [1, 2, 3, 4]»
            |> mapSeq(fun(x => 12 / (x - 3)))
            |> mapSeq(fun(x => x + 2))))
    "#]],
    );
}

#[test]
fn the_documentation_shows_hints_as_they_are() {
    let page = include_str!("../../../../docs/lsp.md");
    let program = page
        .split("```rise\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("the page has a program");
    let written: Vec<String> = program
        .lines()
        .map(|line| {
            line.split_once("// ")
                .map_or("", |(_, hint)| hint)
                .to_owned()
        })
        .collect();
    let config = InlayConfig {
        pipelines: true,
        ..only_flow(AccessFlow::Compact)
    };
    let mut shown = vec![String::new(); written.len()];
    for hint in hints(&Fixture::new(program), &config) {
        let line = program[..hint.offset as usize].matches('\n').count();
        shown[line].push_str(&hint.label);
    }
    assert_eq!(shown, written);
}

#[test]
fn names_in_patterns() {
    check(
        "def f((a, b): (f32, i32), (c, _)) =
  let (d, e) = (a, b) in
  fun((x, y), z => x + y + z + c + d)((d, e))
",
        &InlayConfig::default(),
        expect![[r#"
            def f«{t: DataType}»((a, b): (f32, i32), (c«: f32», _))«: f32 -> f32» =
              let (d«: f32», e«: i32») = (a, b) in
              fun((x«: f32», y«: i32»), z«: f32» => x + y + z + c + d)((d, e))
        "#]],
    );
}

#[test]
fn local_definitions() {
    check(
        "def f(n: Nat)(xs: n.f32) =
  let g(x: f32, ys: m.f32) = x in
  let h(x) = x + g(x, xs) in
  h(1.0f)
",
        &InlayConfig::default(),
        expect![[r#"
            def f(n: Nat)(xs: n.f32)«: f32» =
              let g«{m: Nat}»(x: f32, ys: m.f32)«: f32» = x in
              let h(x«: f32»)«: f32» = x + g(x, xs) in
              h(1.0f)
        "#]],
    );
}
