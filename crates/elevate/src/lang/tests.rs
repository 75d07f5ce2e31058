//! Tests strategies of files, applied to programs.

use std::sync::Arc;

use expect_test::{Expect, expect};
use syntax::elevate::ast::Order;

use crate::lang::{
    Definition, File, NotRewritten, Programs, Request, Rewritten, rewrite, run_example,
};
use crate::normal::NormalForm;
use crate::term::{self, Store};

/// The corpus against which the project is measured: matrix-vector multiplication, its lowered
/// form, and the strategies that lower it.
const MV: &str = "
def mv = depFun((n: Nat, m: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    fun(x: Array[m, f32] =>
      M |> map(fun(row =>
        zip(row)(x) |>
          map(fun(ax => fst(ax) * snd(ax))) |>
          reduce(add)(0.0f) )) )) )
";

const MV_OPT: &str = "
def mvOpt = depFun((n: Nat, m: Nat, s: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    fun(x: Array[m, f32] =>
      M |> split(s) |> mapWorkGroup(fun(rows =>
        rows |> mapLocal(fun(row =>
          zip(row)(x) |>
            reduceSeq(Private)(fun(acc, ax =>
              acc + (fst(ax) * snd(ax))))(0.0f) ))
      )) |> join
    )) )
";

const LISTING_3: &str = "
splitJoinMap   `@` outermost(isMap)  `;`
toMapWorkGroup `@` outermost(isMap)  `;`
toMapLocal     `@` outermost(isMap)  `;`
fuseReduceMap  `@` every(isReduce)   `;`
toReduceSeq    `@` every(isReduce)
";

/// Runs work that may nest deeply on a thread with a stack as large as that of the tools.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn_scoped(scope, work)
            .expect("a thread starts")
            .join()
            .expect("it does not panic")
    })
}

pub(super) fn file(strategy: &str, programs: &str) -> File {
    let file = File::new(strategy, Programs::of(programs));
    let errors: Vec<String> = file
        .diagnostics()
        .into_iter()
        .filter(|d| d.severity == syntax::Severity::Error)
        .map(|d| d.message)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    file
}

pub(super) fn main_of(file: &File) -> &Arc<Definition> {
    file.items().last().expect("there is a main expression")
}

fn rewritten(file: &File, name: &str) -> Result<Rewritten, NotRewritten> {
    let id = file.programs().named(name).expect("it is defined");
    let def = file.programs().definition(id).expect("it is right");
    on_large_stack(|| {
        let mut request = Request::default();
        request.options.trace = true;
        rewrite(
            main_of(file),
            file.definitions(),
            &def,
            Order::Default,
            &request,
        )
    })
}

/// Compares the rewritten program, or the failure, with the expected text.
fn becomes(strategy: &str, programs: &str, name: &str, expected: Expect) {
    let file = file(strategy, programs);
    let text = match rewritten(&file, name) {
        Ok(rewritten) => {
            let mut out = rise::core::def_text(&rewritten.def);
            for step in rewritten.trace {
                let rule = step.rule;
                out.push_str(&format!("\n{rule} at {}", step.path));
            }
            out
        }
        Err(NotRewritten::Failed(report)) => {
            format!("{}\n{}", report.message, report.notes.join("\n"))
        }
        Err(NotRewritten::Strategy(trouble)) => trouble.message,
        Err(NotRewritten::Parameters(parameters)) => format!("{parameters:?}"),
        Err(NotRewritten::NotTuned(wrong)) => wrong.message,
        Err(NotRewritten::TooLarge) => "too large".into(),
    };
    expected.assert_eq(&format!("{text}\n"));
}

#[test]
fn applied_abstractions_match_patterns_of_functions() {
    let program = "def f = fun(y: f32 => (fun(x => neg(x)))(y))\n";
    for strategy in ["eta", "try(eta)", "eta <+ id", "try(try(eta))"] {
        let file = file(&format!("body({strategy})"), program);
        let done = rewritten(&file, "f");
        let done = done.unwrap_or_else(|error| panic!("{strategy}: {error:?}"));
        assert_eq!(done.steps, 1, "{strategy}");
    }
}

#[test]
fn lowering_errors_say_what_to_do() {
    use crate::lowering::LoweringError;
    let all = [
        LoweringError::TooLarge,
        LoweringError::IllTyped,
        LoweringError::StoredInView,
        LoweringError::NotDistributed,
    ];
    let texts: Vec<String> = all.iter().map(LoweringError::to_string).collect();
    expect![[r#"
        the program becomes too large
        a part of the program has no type that its pattern admits, such as a type variable in the place of an array: write this type out
        an array would be stored again at each read of the array that contains it: store one of the two before the loop that reads it, with `toMem`
        every work-item of the inner loop would store or compute the same: store it before the outer loop, with `toMem`"#]].assert_eq(&texts.join("\n"));
}

#[test]
fn listing_3_on_listing_1_is_listing_4() {
    let file = file(LISTING_3, &format!("{MV}{MV_OPT}"));
    let rewritten = rewritten(&file, "mv").expect("it applies");
    let id = file.programs().named("mvOpt").expect("it is defined");
    let wanted = file.programs().definition(id).expect("it is right");
    let mut store = Store::new();
    let wanted = term::import(&mut store, &wanted).expect("small");
    let found = term::import(&mut store, &rewritten.def).expect("small");
    // Listing 4 names the rows of a group, and listing 3 does not.
    let benf: crate::engine::Strategy =
        Arc::new(crate::engine::StrategyKind::NormalForm(NormalForm::Benf));
    let [wanted, found] = [wanted.root, found.root].map(|root| {
        let outcome = crate::engine::run(&mut store, root, &benf, &Default::default());
        outcome.result.expect("BENF is there")
    });
    let texts = [wanted, found].map(|root| term::print(&store, root));
    assert!(store.alpha_eq(wanted, found), "{}\n{}", texts[0], texts[1]);
    assert_eq!(rewritten.obligations.len(), 1);
}

#[test]
fn listing_3_step_by_step() {
    becomes(
        LISTING_3,
        MV,
        "mv",
        expect![[r#"
            @assume(s | n)
            def mv : (n: Nat) -> (m: Nat) -> (s: Nat) -> n.m.f32 -> m.f32 -> n.f32 =
              depFun((n: Nat, m: Nat, s: Nat) => fun(M, x =>
                M
                  |> split(s)
                  |> mapWorkGroup(
                    mapLocal(fun(row =>
                      zip(row)(x) |> reduceSeq(Private)(fun(acc, y => acc + y._1 * y._2))(0.0f))))
                  |> join))

            splitJoin(s) at body.body.body.body
            toMapWorkGroup(0) at body.body.body.body.argument
            toMapLocal(0) at body.body.body.body.argument.function.argument
            fuseReduceMap at body.body.body.body.argument.function.argument.argument.body
            toReduceSeq(Private) at body.body.body.body.argument.function.argument.argument.body.function.function.function
        "#]],
    );
}

#[test]
fn tile_sizes_are_arguments() {
    becomes(
        "splitJoinMap(32) @ outermost(isMap)",
        MV,
        "mv",
        expect![[r#"
            @assume(32 | n)
            def mv : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32 = depFun((n: Nat, m: Nat) => fun(M, x =>
              M
                |> split(32)
                |> map(map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f))))
                |> join))

            splitJoin(32) at body.body.body.body
        "#]],
    );
}

#[test]
fn a_parameter_needs_consent_where_others_would_notice() {
    let file = file(LISTING_3, MV);
    let id = file.programs().named("mv").expect("it is defined");
    let def = file.programs().definition(id).expect("it is right");
    let refused = on_large_stack(|| {
        let request = Request {
            may_extend: false,
            ..Request::default()
        };
        let result = rewrite(
            main_of(&file),
            file.definitions(),
            &def,
            Order::Default,
            &request,
        );
        match result {
            Err(NotRewritten::Parameters(parameters)) => parameters.len(),
            _ => 0,
        }
    });
    assert_eq!(refused, 1);
}

#[test]
fn steps_are_exported_with_the_parameters_of_open_tunes() {
    let text = |def| rise::core::def_text(&def);
    let done = rewritten(&file(LISTING_3, MV), "mv");
    let done = done.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(done.parameters.len(), 1);
    let exported = |term| text(done.run.export(term).expect("it is small"));
    let last = done.trace.last().expect("there are steps");
    assert_eq!(exported(last.after), text(done.def.clone()));
    assert_eq!(exported(done.run.root), text(done.def.clone()));
    let first = exported(done.trace[0].after);
    expect![[r#"
        @assume(s | n)
        def mv : (n: Nat) -> (m: Nat) -> (s: Nat) -> n.m.f32 -> m.f32 -> n.f32 =
          depFun((n: Nat, m: Nat, s: Nat) => fun(M, x =>
            M
              |> split(s)
              |> map(map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f))))
              |> join))
    "#]].assert_eq(&first);

    // If the strategy fails, the type of the definition is not extended, and nothing is assumed.
    let failing = format!("{LISTING_3} `;` fail");
    let Err(NotRewritten::Failed(report)) = rewritten(&file(&failing, MV), "mv") else {
        panic!("the strategy does not fail");
    };
    let step = &report.outcome.trace[0];
    let exported = |term| text(report.run.export(term).expect("it is small"));
    assert_eq!(format!("@assume(s | n)\n{}", exported(step.after)), first);
    assert!(!exported(step.before).contains("s: Nat"));
}

#[test]
fn a_failure_names_the_innermost_rule_and_what_it_found() {
    becomes(
        "topDown(toMapLocal) ; body(body(body(mapFusion)))",
        MV,
        "mv",
        expect![[r#"
            `toMapLocal(0)` does not apply: `within(mapWorkGroup(d))
                and not within(mapLocal(d))
                and holds(free(isMapLocalIn(d) <+ isMapWorkGroup <+ isMapGlobal), f)` does not hold: the place is not inside `mapWorkGroup`
            found: M |> map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f)))
        "#]],
    );
    becomes(
        "toReduceSeq @ outermost(isMap)",
        MV,
        "mv",
        expect![[r#"
        `toReduceSeq(Private)` does not apply: `reduce(f)` is not found
        found: M |> map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f)))
        tried by `outermost(isMap)(toReduceSeq(Private))`
    "#]],
    );
    becomes(
        "body(body(isMap))",
        MV,
        "mv",
        expect![[r#"
        `isMap` does not hold
        found: fun(M, x => M |> map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f))))
    "#]],
    );
}

/// Returns the message and the notes of the failure of a strategy.
fn failure(strategy: &str, programs: &str, name: &str) -> (String, String) {
    match rewritten(&file(strategy, programs), name) {
        Err(NotRewritten::Failed(report)) => (report.message, report.notes.join("\n")),
        _ => panic!("`{strategy}` does not fail"),
    }
}

#[test]
fn a_nest_that_is_not_deep_enough_is_counted() {
    let strategy = "DFNF ; body(body(body(body(mapNest(3)))))";
    let (message, notes) = failure(strategy, MV, "mv");
    assert_eq!(message, "the nest has 1 loop, and `mapNest(3)` requires 3");
    assert!(!notes.contains("argumentOf"), "{notes}");
}

#[test]
fn maps_that_a_nest_does_not_go_into_are_not_counted() {
    let program = "def f = fun(xs: 3.4.f32 => xs |> map(map(neg)))\n";
    for strategy in ["body(mapNest(2))", "body(mapNest(1))", "mapNest(2)"] {
        let (message, notes) = failure(strategy, program, "f");
        assert!(!message.contains("the nest has"), "{strategy}: {message}");
        assert!(notes.contains("found: "), "{strategy}: {notes}");
    }
}

#[test]
fn a_failure_after_unfolding_does_not_ask_to_unfold() {
    let programs = format!(
        "{MV}\ndef twice = depFun((n: Nat, m: Nat) => fun((M: n.m.f32, x: m.f32) => mv(n)(m)(M)(x)))\n"
    );
    let (_, notes) = failure("topDown(removeTransposePair)", &programs, "twice");
    assert!(notes.contains("unfold(mv)"), "{notes}");
    let (_, notes) = failure(
        "unfoldAll ; topDown(removeTransposePair)",
        &programs,
        "twice",
    );
    assert!(!notes.contains("unfold(mv)"), "{notes}");
}

#[test]
fn what_cannot_be_made_counts_more_than_a_condition_of_a_term_around() {
    let programs = "def windows = depFun((n: Nat, m: Nat) => fun(img: (4 * n + 2).(m + 2).f32 => img |> slide(3)(1) |> map(fun(rows => rows |> transpose |> slide(3)(1) |> map(transpose) |> map(fun(w => w |> join |> map(fun(x => select(x < 0.0f)(0.0f)(x))) |> reduceSeq(add)(0.0f)))))))\n";
    let (message, _) = failure("topDown(vectorizeWindows(4))", programs, "windows");
    assert!(message.contains("`select`"), "{message}");
}

#[test]
fn strategies_that_do_not_end_are_reported_with_their_loop() {
    becomes(
        "repeat(id)",
        MV,
        "mv",
        expect![[r#"
            the strategy does not end: the strategy that it repeats never fails, and changes nothing
            found: depFun((n: Nat, m: Nat) => fun(M, x => M |> map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f)))))
        "#]],
    );
    becomes(
        "strategy s = id ; s\nval it: Strategy = s\nit",
        MV,
        "mv",
        expect![[r#"
            the strategy does not end: it repeats s
            found: depFun((n: Nat, m: Nat) => fun(M, x => M |> map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f)))))
        "#]],
    );
    becomes(
        "strategy s = p => s(p)\ns",
        MV,
        "mv",
        expect![[r#"
            the strategy does not end: it repeats s
            found: depFun((n: Nat, m: Nat) => fun(M, x => M |> map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f)))))
        "#]],
    );
    becomes(
        "def f(n: Int): Int = f(n + 1)\nsplitJoin(f(1)) @ topDown",
        MV,
        "mv",
        expect![[r#"
            calls nest deeper than 400: `f` calls itself without end, or its list is too long
            found: depFun((n: Nat, m: Nat) => fun(M, x => M |> map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f)))))
        "#]],
    );
    becomes(
        "strategy grow = p => grow(p) match { case Success(q) => Success(q) case Failure(s) => Failure(s) }\ngrow",
        MV,
        "mv",
        expect![[r#"
            `grow` fails
            found: depFun((n: Nat, m: Nat) => fun(M, x => M |> map(fun(row => zip(row)(x) |> map(fun(ax => ax._1 * ax._2)) |> reduce(add)(0.0f)))))
            tried by `grow`
        "#]],
    );
    becomes(
        "rule commute = a + b |-> b + a\nrepeat(topDown(commute))",
        "def program = fun((x: i32, y: i32) => x + y)",
        "program",
        expect![[r#"
            the strategy does not end: it repeats commute
            found: add
            after 66 steps
        "#]],
    );
}

#[test]
fn strategies_may_be_functions_of_programs() {
    let text = "
strategy inBody(s: Strategy): Strategy = p => p match {
  case fun(x => b) => s(b).mapSuccess(nb => fun(x => nb))
  case _ => fail(p)
}
strategy inBodyToo(s: Strategy[Rise]): Strategy[Rise] = p => p match {
  case fun(x, b) => s(b).mapSuccess(nb => fun(x, nb))
  case _ => Failure(s)
}
";
    let program = "def program = fun((x: i32, y: i32) => (fun(z => z + y))(x))";
    becomes(
        &format!("{text}\ninBody(inBodyToo(beta))"),
        program,
        "program",
        expect![[r#"
            def program : i32 -> i32 -> i32 = fun(x, y => x + y)

            beta at root
        "#]],
    );
    becomes(
        &format!("{text}\ninBody(inBody(inBody(beta)))"),
        program,
        "program",
        expect![[r#"
            `inBody(beta)` fails
            found: fun(y => let z = x in z + y)
            tried by `inBody(inBody(inBody(beta)))`
        "#]],
    );
}

#[test]
fn terms_are_looked_at_by_patterns_of_rise() {
    becomes(
        "strategy stages: Strategy = p => p match {
           case map(f)(xs) => Success(xs)
           case reduce(add)(z)(xs) => Success(z)
           case _ => Failure(isMap)
         }\n\
         body(stages)",
        "def program = fun(xs: 4.f32 => xs |> map(fun(x => x + 1.0f)))",
        "program",
        expect![[r#"
            def program : 4.f32 -> 4.f32 = fun(xs => xs)

        "#]],
    );
    becomes(
        "strategy first: Strategy = p => p match {
           case reduce(add)(z)(xs) => Success(z)
           case _ => Failure(isMap)
         }\n\
         body(first)",
        "def program = fun(xs: 4.f32 => xs |> reduce(add)(0.5f))",
        "program",
        expect![[r#"
            def program : 4.f32 -> f32 = fun(xs => 0.5f)

        "#]],
    );
}

#[test]
fn storing_in_memory_as_the_paper_writes_it() {
    becomes(
        "strategy store(what: Pred)(how: Strategy): Strategy = p => extract(what)(p) match {
           case Success(t) if closedAt(t, p) => how(t).flatMapSuccess(t2 =>
             replaceAll(what)(x)(p).mapSuccess(q => rise { let(toMem(t2))(fun(x => q)) }))
           case _ => fail(p)
         }\n\
         store(isApplied(isTranspose))(id) @ inLambda",
        "def program = depFun((n: Nat, m: Nat) => fun((a: n.m.f32, b: m.n.f32) => zip(transpose(a))(b)))",
        "program",
        expect![[r#"
            def program : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.n.f32 -> m.(n.f32, n.f32) =
              depFun((n: Nat, m: Nat) => fun(a, b => let x = a |> transpose |> toMem in zip(x)(b)))

        "#]],
    );
    becomes(
        "strategy store(what: Pred)(how: Strategy): Strategy = p => extract(what)(p) match {
           case Success(t) if closedAt(t, p) => how(t).flatMapSuccess(t2 =>
             replaceAll(what)(x)(p).mapSuccess(q => rise { let(toMem(t2))(fun(x => q)) }))
           case _ => fail(p)
         }\n\
         body(store(isApplied(isTranspose))(id))",
        "def program = depFun((n: Nat, m: Nat) => fun((a: n.m.f32) => transpose(a)))",
        "program",
        expect![[r#"
            the strategy calls `fail`
            found: depFun(m: Nat => transpose)
            tried by `store(isApplied(isTranspose))(id)`
        "#]],
    );
}

#[test]
fn lists_and_numbers_are_computed() {
    becomes(
        "def sum(xs: List[Int]): Int = xs match { case [] => 0 case x :: rest => x + sum(rest) }
         def last[a](xs: List[a]): a = xs match { case [x] => x case _ :: rest => last(rest) }
         val sizes = [2, 3, 4].reverse
         strategy pick(n: Int): Strategy =
           if n > 8 and sizes.size == 3 then splitJoin(last(sizes) + sum([1, 1])) else fail\n\
         pick(sum(sizes)) @ topDown",
        "def program = fun(xs: 64.f32 => xs |> map(fun(x => x + 1.0f)))",
        "program",
        expect![[r#"
            def program : 64.f32 -> 64.f32 = fun(xs => xs |> split(4) |> map(map(fun(x => x + 1.0f))) |> join)

            splitJoin(4) at body
        "#]],
    );
    becomes(
        "splitJoin([1].tail.head) @ topDown",
        "def program = fun(xs: 64.f32 => xs |> map(fun(x => x + 1.0f)))",
        "program",
        expect![[r#"
            in `head`: no case matches `[]`
            found: map(fun(x => x + 1.0f))
        "#]],
    );
}

#[test]
fn normal_forms_between_steps_are_the_ones_that_are_asked_for() {
    becomes(
        "with BENF { id ;; id }",
        "def program = fun(xs: 64.f32 => xs |> map(fun(x => (fun(y => y + x))(x))))",
        "program",
        expect![[r#"
            def program : 64.f32 -> 64.f32 = map(fun(x => x + x))

            BENF at root
        "#]],
    );
    becomes(
        "id ;; id",
        "def program = fun(g: f32 -> f32 => fun(xs: 64.f32 => xs |> map(g)))",
        "program",
        expect![[r#"
            def program : (f32 -> f32) -> 64.f32 -> 64.f32 = map

            DFNF at root
        "#]],
    );
}

#[test]
fn a_main_expression_may_name_its_program() {
    let file = file(
        "(topDown(beta))(program)",
        "def program = fun(x: i32 => (fun(y => y))(x))",
    );
    let main = main_of(&file);
    assert_eq!(super::program_of(main), file.programs().named("program"));
    becomes(
        "(topDown(beta))(program)",
        "def program = fun(x: i32 => (fun(y => y))(x))",
        "program",
        expect![[r#"
            def program : i32 -> i32 = fun(x => x)

            beta at body
        "#]],
    );
}

#[test]
fn rules_of_the_file_are_applied() {
    becomes(
        "tune width: Nat = 4
         rule chunks(n: Nat = width) = map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join
           assuming n divides m\n\
         chunks @ topDown",
        "def program = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))",
        "program",
        expect![[r#"
            @assume(4 | n)
            def program : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
              xs |> split(4) |> map(map(fun(x => x + 1.0f))) |> join))

            chunks(4) at body.body
        "#]],
    );
    becomes(
        "rule { map(f) |-> mapSeq(f) } @ topDown",
        "def program = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))",
        "program",
        expect![[r#"
            def program : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
              xs |> mapSeq(fun(x => x + 1.0f))))

            rule { … } at body.body
        "#]],
    );
    becomes(
        "strategy replaced(e: Expr): Strategy = rule { map(e) |-> mapSeq(e) }\n\
         replaced(fun(x => x + 1.0f)) @ topDown",
        "def program = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))",
        "program",
        expect![[r#"
            def program : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
              xs |> mapSeq(fun(x => x + 1.0f))))

            rule { … } at body.body
        "#]],
    );
}

#[test]
fn examples_say_what_comes_out() {
    let text = "
example \"three maps\" { input fun(xs => xs |> map(h) |> map(g) |> map(f))  apply normalize(mapFusion) @ inLambda
                         expect fun(xs => xs |> map(h >> g >> f))  modulo BENF }
example \"wrong\" { input fun(xs: 4.f32 => xs |> map(fun(x => x + 1.0f)))  apply topDown(toMapSeq)
                    expect fun(xs: 4.f32 => xs |> mapPar(fun(x => x + 1.0f))) }
example \"fails\" { input fun(xs: 4.f32 => xs)  apply topDown(toMapSeq)  expect failure }
example \"does not fail\" { input fun(xs: 4.f32 => xs |> map(fun(x => x)))  apply topDown(toMapSeq)  expect failure }
example \"traced\" { input fun(x: i32 => (fun(y => y))(x))  apply topDown(beta)  expect trace [beta] }
example \"other trace\" { input fun(x: i32 => (fun(y => y))(x))  apply topDown(beta)  expect trace [eta, beta] }
";
    let file = file(text, "");
    let mut out = String::new();
    for definition in file.items() {
        let said =
            on_large_stack(|| run_example(definition, file.definitions(), Order::Default, None));
        for diagnostic in said {
            out.push_str(&format!("{}\n", diagnostic.message));
            if let Some(help) = diagnostic.help {
                out.push_str(&format!("  help: {help}\n"));
            }
        }
    }
    expect![[r#"
        the strategy returns another program:
          expected mapPar(fun(x => x + 1.0f))
          found    mapSeq(fun(x => x + 1.0f))
          help: expected `mapPar`, found `mapSeq`
        the example expects that the strategy fails, and the strategy succeeds
          help: the strategy returns mapSeq(fun(x => x))
        the strategy applies the rules [beta]
          help: step 1 applies `beta`, and the example expects `eta`
    "#]]
    .assert_eq(&out);
}

#[test]
fn long_and_deep_strategies_are_no_danger() {
    let chain = vec!["id"; 4000].join(" ; ");
    let deep = format!("{}id{}", "try(".repeat(150), ")".repeat(150));
    let list = vec!["1"; 3000].join(", ");
    for text in [
        chain,
        deep,
        format!(
            "def count(xs: List[Int]): Int = xs match {{ case [] => 0 case _ :: r => 1 + count(r) }}\nsplitJoin(count([{list}]))"
        ),
        "strategy many(n: Int): Strategy = if n > 0 then id ; many(n - 1) else id\nmany(20000)"
            .into(),
    ] {
        let file = on_large_stack(|| File::new(&text, Programs::of(MV)));
        let _ = rewritten(&file, "mv");
    }
}

#[test]
fn repetitions_do_not_nest() {
    let strategy = "rule commute = a + b |-> b + a\nrepeatNTimes(50000)(topDown(commute))";
    let file = file(strategy, "def f = fun((x: i32, y: i32) => x + y)");
    let rewritten = rewritten(&file, "f").expect("it ends");
    assert_eq!(rewritten.steps, 50_000);
    // The names would be copied for each step.
    let depth = rewritten.trace.iter().map(|step| step.strategies.len());
    assert_eq!(depth.max(), Some(0));
}
