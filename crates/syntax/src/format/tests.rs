//! Tests that the formatter changes white space only and is idempotent.

#[path = "../../tests/rendering/sexpr.rs"]
mod sexpr;

use super::{format, format_in, format_item, item, same_tokens};
use crate::{Dialect, TokenKind, lex, lex_in, parse, parse_in};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use sexpr::dump;

fn word(words: &'static [&'static str]) -> BoxedStrategy<String> {
    prop::sample::select(words).prop_map(str::to_owned).boxed()
}

fn fill(template: &str, parts: &[String]) -> String {
    let mut parts = parts.iter();
    template
        .chars()
        .map(|c| {
            if c == '$' {
                parts.next().cloned().unwrap_or_default()
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// Generates one of the templates, each `$` replaced by a value of `inner`.
fn templates(
    templates: &'static [&'static str],
    inner: BoxedStrategy<String>,
) -> BoxedStrategy<String> {
    (
        prop::sample::select(templates),
        prop::collection::vec(inner, 5),
    )
        .prop_map(|(template, parts)| fill(template, &parts))
        .boxed()
}

fn size() -> BoxedStrategy<String> {
    word(&["n", "m", "3", "128", "size"])
        .prop_recursive(3, 8, 2, |inner| {
            templates(
                &[
                    "$ + $",
                    "$ * $ - $",
                    "$ / $",
                    "$ ^ $",
                    "($)",
                    "min($, $)",
                    "f($)",
                ],
                inner.boxed(),
            )
        })
        .boxed()
}

fn ty() -> BoxedStrategy<String> {
    word(&[
        "f32",
        "t",
        "bool",
        "natType",
        "elementType",
        "3.3.f32",
        "n.3.4.f32",
        "4.t",
    ])
    .prop_recursive(4, 16, 3, |inner| {
        let inner = inner.boxed();
        let sized = (size(), inner.clone()).prop_map(|(n, t)| {
            [
                format!("({n}).{t}"),
                format!("Array[{n}, {t}]"),
                format!("Vec[{n}, {t}]"),
                format!("Idx[{n}]"),
            ]
        });
        prop_oneof![
            (sized, 0usize..4).prop_map(|(forms, which)| forms[which].clone()),
            templates(
                &[
                    "n.$",
                    "($)",
                    "($, $)",
                    "Tuple[$, $]",
                    "n..f",
                    "n..dataFun(i => $)",
                    "DepPair[k => $]",
                    "($ -> $)",
                    "($ -> $ -> $)",
                    "((n: Nat) -> $)",
                    "({t: Num} -> $ -> $)",
                ],
                inner
            ),
        ]
    })
    .boxed()
}

/// Generates types with conditions, which only RISE has.
fn conditional_type() -> BoxedStrategy<String> {
    templates(
        &[
            "$ where n divides 2 * m",
            "((n: Nat) -> $ -> $ where 4 | n, n >= 12) -> (m: Nat) -> $",
            "(($ where n > 1) -> $) -> $ where aLongerName * 2 <= anotherName, 128 | size",
        ],
        ty(),
    )
}

fn expr() -> BoxedStrategy<String> {
    let leaf = word(&[
        "x",
        "xs",
        "aLongerName",
        "_",
        "3",
        "-3",
        "2.5f",
        "1e-6",
        "true",
        "(+)",
        "let",
        "(-4)",
        "3u8",
    ]);
    let atom = leaf.prop_recursive(6, 40, 4, |inner| {
        let inner = inner.boxed();
        prop_oneof![
            4 => templates(
                &[
                    "map($)", "f($)($)", "reduce($, $)($)", "(p._1)", "zip($)(ys)._2", "($ + $)", "($ * $ + $ - $)",
                    "($ |> map($))", "($ |> f($) |> g($))", "fun(x => $)", "fun(x, y => $)", "fun((x, y) => $ + $)",
                    "fun(x => $ |> f |> g($))", "depFun(n: Nat => $)", "depFun((n: Nat, t: DataType) => $)",
                    "(let x = $ in $)", "fun(x => let y = $ in let z = $ in $)", "($, $)", "(f >> $ >> g)", "($ <| $ <| x)",
                    "($ < $ && !$ || $ == $)", "(- $)", "(- -3)", "f(n, Array[n, f32], 3.3.f32, Local, $)", "f(s -> t)",
                    "natFun(i => i + 1)", "($ ^ $)", "map(fun(x => $))", "map(fun(x => $ |> g))($)", "f($, fun(x => $))",
                ],
                inner.clone()
            ),
            1 => (inner.clone(), ty()).prop_map(|(e, t)| format!("({e} : {t})")),
            1 => (inner, ty()).prop_map(|(e, t)| format!("fun(x: {t} => {e})")),
        ]
    });
    templates(
        &[
            "$",
            "$ |> map($)",
            "$ |> f |> $ |> g($)",
            "let x = $ in $",
            "$ + $",
        ],
        atom.boxed(),
    )
}

fn definition() -> BoxedStrategy<String> {
    (
        word(&[
            "",
            "@target(c) ",
            "@run(n = 1, m = 2) @assume(4 | n, n >= 12) ",
            "@opencl(local = [64, 1, 1]) ",
        ]),
        prop::collection::vec(parameters(), 0..3),
        prop::option::of(prop_oneof![3 => ty(), 1 => conditional_type()]),
        expr(),
    )
        .prop_map(|(annotations, params, ty, body)| match ty {
            Some(ty) => format!("{annotations}def f{} : {ty} = {body}", params.concat()),
            None => format!("{annotations}def f{} = {body}", params.concat()),
        })
        .boxed()
}

/// Generates parameters left of `=`.
fn parameters() -> BoxedStrategy<String> {
    prop_oneof![
        1 => word(&["{n: Nat}", "{n: Nat, t: Num}", "(m: Nat)", "(inout)", "(x, where)"]),
        1 => templates(&["(x: $)", "(x: $, y: $)", "(n: Nat, x: $, y)", "(inout: $)"], ty()),
    ]
    .boxed()
}

fn phrase_type() -> BoxedStrategy<String> {
    let access = word(&["Rd", "Wr", "St", "w", "_"]);
    let leaf = prop_oneof![
        Just("Comm".to_owned()),
        ty().prop_map(|data| format!("Acc[{data}]")),
        (ty(), access).prop_map(|(data, access)| format!("Exp[{data}, {access}]")),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        templates(
            &["$ -> $", "(n: Nat) -> $", "(w: ReadWrite) -> $", "($ -> $)"],
            inner.boxed(),
        )
    })
    .boxed()
}

fn command() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("skip".to_owned()),
        Just("barrier(true, false)".to_owned()),
        expr().prop_map(|value| format!("acc = {value}")),
        (expr(), expr()).prop_map(|(place, value)| format!("idxAcc({place}, out) = {value}")),
    ];
    leaf.prop_recursive(5, 30, 3, |inner| {
        let inner = inner.boxed();
        prop_oneof![
            3 => templates(
                &[
                    "$; $", "$; $; $", "($; $; $;)", "($;)", "for(n, fun(i => $))", "twice($; $)", "twice($;, x)",
                    "new(Private, f32, fun((acc, exp) => $; $))", "if (x == y) { $ } else { $; }",
                    "swap(fun(i => $), fun((i, o) => $; $))", "let x = (1) in $; $",
                ],
                inner.clone()
            ),
            1 => (inner, phrase_type()).prop_map(|(c, t)| format!("f(fun(x: {t} => {c}), {t})")),
        ]
    })
    .boxed()
}

fn imperative() -> BoxedStrategy<String> {
    (prop::option::of(phrase_type()), command())
        .prop_map(|(ty, body)| match ty {
            Some(ty) => format!("@target(c) def f : {ty} = {body}"),
            None => format!("def f = {body}"),
        })
        .boxed()
}

/// Replaces the white space and comments of a text by those of `between`, in turn.
fn scatter(text: &str, between: &[&str]) -> String {
    let mut between = between.iter().cycle();
    let mut out = String::new();
    for token in lex(text) {
        let piece = &text[std::ops::Range::from(token.span)];
        match token.kind {
            kind if kind.is_trivia() => out.push_str(between.next().unwrap_or(&" ")),
            _ => out.push_str(piece),
        }
    }
    out
}

fn separators() -> impl Strategy<Value = Vec<&'static str>> {
    let one = prop_oneof![
        12 => Just(" "),
        4 => Just("\n"),
        2 => Just("\n\n\n"),
        1 => prop::sample::select(vec![
            " // c\n", "\n// own\n", "\n\n\t// own\n\n", " /* b */ ", " /* b */\n", "\n/* b */ ", "\n\n/* b\n  b */\n",
            " // c\n// d\n", " /* a */ /* b */ // c\n\n", "\n/// doc\n", "\r\n", " // c\r\n",
        ]),
    ];
    prop::collection::vec(one, 1..40)
}

fn comments(text: &str) -> Vec<&str> {
    let comments = lex(text).filter(|token| token.kind.is_comment());
    comments
        .map(|token| text[std::ops::Range::from(token.span)].trim_end())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_program_stays(definition in definition(), between in separators()) {
        let text = scatter(&definition, &between);
        let parsed = parse(&text);
        prop_assert_eq!(&parsed.diagnostics, &[], "{}", text);
        let printed = item::layout(&text, &parsed.item, Dialect::Rise).print("\n");
        prop_assert!(same_tokens(&text, &printed, Dialect::Rise), "{text}\n----\n{printed}");
        prop_assert_eq!(comments(&text), comments(&printed));
        let again = parse(&printed);
        prop_assert_eq!(dump(&again.item), dump(&parsed.item));
        prop_assert_eq!(again.item.docs.map(|docs| docs.text), parsed.item.docs.map(|docs| docs.text));
    }

    #[test]
    fn formatting_twice_is_formatting_once(
        definitions in prop::collection::vec(definition(), 1..3),
        between in separators(),
        gap in prop::sample::select(vec!["\n", "\n\n\n", " ", " // end\n", "\n/* a */ /* b */\n\n// c\n", " /* a */ "]),
    ) {
        let text = format!("{gap}{}{gap}", scatter(&definitions.join(" "), &between));
        let once = format(&text);
        prop_assert_eq!(format(&once), once.clone(), "{}", text);
        prop_assert_eq!(comments(&text), comments(&once));
        let trailing = once.lines().any(|line| line.ends_with(' ') && !line.contains("/*"));
        prop_assert!(!trailing, "{once}");
        prop_assert!(once.ends_with('\n') && !once.ends_with("\n\n"));
    }

    #[test]
    fn the_program_stays_in_dpia(definition in imperative(), between in separators()) {
        let text = scatter(&definition, &between);
        let parsed = parse_in(&text, Dialect::Dpia);
        prop_assert_eq!(&parsed.diagnostics, &[], "{}", text);
        let printed = item::layout(&text, &parsed.item, Dialect::Dpia).print("\n");
        prop_assert!(same_tokens(&text, &printed, Dialect::Dpia), "{text}\n----\n{printed}");
        prop_assert_eq!(comments(&text), comments(&printed));
        let again = parse_in(&printed, Dialect::Dpia);
        prop_assert_eq!(dump(&again.item), dump(&parsed.item));
        let twice = item::layout(&printed, &again.item, Dialect::Dpia).print("\n");
        prop_assert_eq!(&twice, &printed, "{}", text);
        let trailing = printed.lines().any(|line| line.ends_with(' ') && !line.contains("/*"));
        prop_assert!(!trailing, "{printed}");
    }

    #[test]
    fn any_text_of_dpia_survives(text in "(def |[=x();{}\n:,/]|if |else |skip|Acc|Rd|\\[|\\]){0,40}") {
        let once = format_in(&text, Dialect::Dpia);
        prop_assert_eq!(format_in(&once, Dialect::Dpia), once.clone());
        let count = |text| lex_in(text, Dialect::Dpia)
            .filter(|token| !token.kind.is_trivia() && token.kind != TokenKind::Semicolon).count();
        prop_assert_eq!(count(&once), count(&text));
    }

    #[test]
    fn any_text_survives(text in "[def =x()\n/*.|>\"@\u{e9}]{0,60}") {
        let once = format(&text);
        prop_assert_eq!(format(&once), once.clone());
        prop_assert_eq!(
            lex(&once).filter(|token| !token.kind.is_trivia()).count(),
            lex(&text).filter(|token| !token.kind.is_trivia()).count()
        );
    }
}

#[test]
fn signs_that_are_no_annotations_stay_in_their_item() {
    for text in [
        "\"\n( @ ",
        "def f = x @\n",
        "def f = x @ ",
        "def f = x @ // y",
    ] {
        let once = format(text);
        assert_eq!(format(&once), once, "{text:?}");
    }
}

fn check(text: &str, expect: Expect) {
    let formatted = format(text);
    expect.assert_eq(&formatted);
    assert_eq!(format(&formatted), formatted);
}

#[test]
fn items_and_comments() {
    check(
        "\n\n// licence\n\n\n\nimport   \"a\"\nimport \"b\" // why\n/* x */ def f=1 /* y */ def g = 2\n\n\n/// doc\n@target( c )\n\ndef h\n:f32=3.0f // end\n// last\n\n\n",
        expect![[r#"
            // licence

            import "a"
            import "b" // why
            /* x */
            def f = 1 /* y */
            def g = 2

            /// doc
            @target(c)

            def h : f32 = 3.0f // end
            // last
        "#]],
    );
    check("", expect![[""]]);
    check("\n\n", expect![[""]]);
    check(
        "def f = (x",
        expect![[r#"
        def f = (x
    "#]],
    );
    check(
        "def  f  =  x\ndef g = (  x\ndef  h=y",
        expect![[r#"
        def f = x
        def g = (  x
        def h = y
    "#]],
    );
    check(
        "foreign def f(x:f32,y:Vec[4,f32]):f32=\"\"\"{\n  return x;\n}\"\"\"",
        expect![[r#"
            foreign def f(x: f32, y: Vec[4, f32]): f32 = """{
              return x;
            }"""
        "#]],
    );
}

fn check_dpia(text: &str, expect: Expect) {
    let formatted = format_in(text, Dialect::Dpia);
    expect.assert_eq(&formatted);
    assert_eq!(format_in(&formatted, Dialect::Dpia), formatted);
}

#[test]
fn commands() {
    check_dpia(
        "def f = fun(a => a = 1; a = 2)\ndef g = fun(a => a = 1)\ndef h = (a = 1; b = 2)",
        expect![[r#"
            def f = fun(a =>
              a = 1;
              a = 2)
            def g = fun(a =>
              a = 1)
            def h =
              (
                a = 1;
                b = 2
              )
        "#]],
    );
    check_dpia(
        "def f = for(n, fun(i => acc = exp)); out = exp\ndef g = a = let x = 1 in x; skip",
        expect![[r#"
            def f =
              for(n, fun(i =>
                acc = exp));
              out = exp
            def g =
              a =
                let x = 1 in
                x;
                skip
        "#]],
    );
    check_dpia(
        "def f = if(x<y){skip}else{a=1;b=2}\ndef g = fun(x => if (x) { for(n, fun(i => skip)) } else { skip })",
        expect![[r#"
            def f =
              if (x < y) {
                skip
              } else {
                a = 1;
                b = 2
              }
            def g = fun(x =>
              if (x) {
                for(n, fun(i => skip))
              } else {
                skip
              })
        "#]],
    );
}

#[test]
fn long_assignments() {
    check_dpia(
        "def f = fun(out => idxAcc(aVeryLongIndex, out) = aVeryLongFunction(withAnArgument, andAnotherOne) + somethingElseThatIsLong)",
        expect![[r#"
            def f = fun(out =>
              idxAcc(aVeryLongIndex, out) = aVeryLongFunction(withAnArgument, andAnotherOne)
                + somethingElseThatIsLong)
        "#]],
    );
    check_dpia(
        "def f = fun(out => idxAcc(aVeryLongIndex, out) = aVeryLongFunction(withAnArgument, andAnotherOne, somethingElseThatIsLong, andMore))",
        expect![[r#"
            def f = fun(out =>
              idxAcc(aVeryLongIndex, out) =
                aVeryLongFunction(withAnArgument, andAnotherOne, somethingElseThatIsLong, andMore))
        "#]],
    );
}

#[test]
fn separators_behind_the_last_command_go() {
    check_dpia(
        "def f = fun(a => a = 1; a = 2; // last\n)\ndef g = if (x) { a = 1; } else { skip; /* nothing */ }\ndef h = skip;",
        expect![[r#"
            def f = fun(a =>
              a = 1;
              a = 2 // last
            )
            def g =
              if (x) {
                a = 1
              } else {
                skip
              /* nothing */ }
            def h = skip
        "#]],
    );
}

#[test]
fn comments_between_commands() {
    check_dpia(
        "def f = fun(a =>\n// first\na = 1; // one\n\n// second\na = 2 /* two */;\n\n\na = 3\n// end\n)",
        expect![[r#"
            def f = fun(a =>
              // first
              a = 1; // one

              // second
              a = 2/* two */ ;

              a = 3
            // end
            )
        "#]],
    );
}

#[test]
fn pipelines() {
    check(
        "def f = fun(x => let y = x in let z = y in z)",
        expect![[r#"
            def f = fun(x => let y = x in let z = y in z)
        "#]],
    );
    check(
        "def f = fun(x => let y = x in\nlet z = y in z)",
        expect![[r#"
            def f = fun(x =>
              let y = x in
              let z = y in
              z)
        "#]],
    );
    check(
        "def f = fun(xs => xs |> map(g) |>\n join)",
        expect![[r#"
        def f = fun(xs =>
          xs
            |> map(g)
            |> join)
    "#]],
    );
    check(
        "def f = fun(xs => xs |>\n join)",
        expect![[r#"
        def f = fun(xs => xs |> join)
    "#]],
    );
    check(
        "def f = fun(xs => xs // input\n |> split(4)\n\n // then\n |> map(g) // done\n |> join)",
        expect![[r#"
            def f = fun(xs =>
              xs // input
                |> split(4)

                // then
                |> map(g) // done
                |> join)
        "#]],
    );
    check(
        "def f = input |> aFirstStageWithALongName(argument) |> aSecondStageWithALongName |> aThirdStageWithALongName(x)",
        expect![[r#"
            def f =
              input
                |> aFirstStageWithALongName(argument)
                |> aSecondStageWithALongName
                |> aThirdStageWithALongName(x)
        "#]],
    );
    check(
        "def f = fun(xs => xs |> map(fun(x => x |> aFirstStageWithALongName(argument) |> aSecondStageWithALongName(x))))",
        expect![[r#"
            def f = fun(xs =>
              xs |> map(fun(x => x |> aFirstStageWithALongName(argument) |> aSecondStageWithALongName(x))))
        "#]],
    );
}

#[test]
fn patterns() {
    check(
        "def f( ( a,( b ,_ ) ):( s,t ),_ ) = let ( x,y :f32 ):(f32,f32)=a in fun( ( c,d ),e=>fun( ( (g,_) )=>c ) )",
        expect![[r#"
            def f((a, (b, _)): (s, t), _) =
              let (x, y: f32): (f32, f32) = a in fun((c, d), e => fun(((g, _)) => c))
        "#]],
    );
}

#[test]
fn local_definitions() {
    check(
        "def f = let g( x:f32 ){ n:Nat }( ys : n.f32 ) :f32 where 4|n=x in let h(y)=g(y) in\nh",
        expect![[r#"
            def f =
              let g(x: f32){n: Nat}(ys: n.f32): f32 where 4 | n = x in
              let h(y) = g(y) in
              h
        "#]],
    );
}

#[test]
fn parameters_left_of_the_value() {
    check(
        "def f( n :Nat ) ( a : n.f32,b ){ m: Nat,t:Num }(c:m.t) :n.f32 where 4|n= a",
        expect![[r#"
            def f(n: Nat)(a: n.f32, b){m: Nat, t: Num}(c: m.t): n.f32 where 4 | n = a
        "#]],
    );
    check(
        "def product(n: Nat, k: Nat, m: Nat)(a: Array[n, Array[k, f32]], b: Array[k, Array[m, f32]]): Array[n, Array[m, f32]] = a",
        expect![[r#"
            def product(n: Nat, k: Nat, m: Nat)(
              a: Array[n, Array[k, f32]],
              b: Array[k, Array[m, f32]]
            ): Array[n, Array[m, f32]] = a
        "#]],
    );
    check(
        "def f(aParameterWithALongName: Nat, anotherParameterWithALongName: Nat)(aValueOfSomeLength: n.f32, another: f32): f32 = fun(x => x)",
        expect![[r#"
            def f(aParameterWithALongName: Nat, anotherParameterWithALongName: Nat)(
              aValueOfSomeLength: n.f32,
              another: f32
            ): f32 =
              fun(x => x)
        "#]],
    );
    check(
        "def f(x: f32, // the first\n // below\n y: f32): (n: Nat) -> n.f32 -> n.f32 -> n.f32 -> n.f32 -> n.f32 -> n.f32 where 4 | n, n >= 2 = xs |> map(fun(x => let aName = x |> aFirstStageWithALongName(argument) in aName))",
        expect![[r#"
            def f(
              x: f32, // the first
              // below
              y: f32
            ): (n: Nat) -> n.f32 -> n.f32 -> n.f32 -> n.f32 -> n.f32 -> n.f32 where 4 | n, n >= 2 =
              xs |> map(fun(x => let aName = x |> aFirstStageWithALongName(argument) in aName))
        "#]],
    );
    check(
        "def f(inout: f32) = fun(y => let aName = inout |> aFirstStageWithALongName(argument) in aName + y + aName + y)",
        expect![[r#"
            def f(inout: f32) = fun(y =>
              let aName = inout |> aFirstStageWithALongName(argument) in aName + y + aName + y)
        "#]],
    );
}

#[test]
fn long_lines() {
    check(
        "def f : (n: Nat) -> (m: Nat) -> Array[n, Array[m, f32]] -> Array[m, f32] -> (f32 -> f32) -> Array[n, f32] = fun(x => x)",
        expect![[r#"
            def f :
              (n: Nat) -> (m: Nat) -> Array[n, Array[m, f32]]
              -> Array[m, f32]
              -> (f32 -> f32)
              -> Array[n, f32] =
              fun(x => x)
        "#]],
    );
    check(
        "def f : (n: Nat) -> n.f32 = depFun(n: Nat =>\n fun(x => let aName = x |> aFirstStageWithALongName(argument) in\n aName))",
        expect![[r#"
            def f : (n: Nat) -> n.f32 = depFun(n: Nat =>
              fun(x =>
                let aName = x |> aFirstStageWithALongName(argument) in
                aName))
        "#]],
    );
    check(
        "def f = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))",
        expect![[r#"
            def f = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>
              zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))
        "#]],
    );
    check(
        "def f = aFunction(withAnArgument(andAnother), aSecondArgumentOfSomeLength, aThirdOneAsWell, andAFourth)",
        expect![[r#"
            def f =
              aFunction(withAnArgument(andAnother), aSecondArgumentOfSomeLength, aThirdOneAsWell, andAFourth)
        "#]],
    );
    check(
        "def f = fun(x => let aName = x |> aFirstStageWithALongName(argument) |> aSecondStageWithALongName(x) in aName + aName)",
        expect![[r#"
            def f = fun(x =>
              let aName = x |> aFirstStageWithALongName(argument) |> aSecondStageWithALongName(x) in
              aName + aName)
        "#]],
    );
    check(
        "def f = aLongOperandWithANameOfItsOwn * anotherOperand + aThirdOperandThatIsLonger * (theFourth + theFifthAndLast)",
        expect![[r#"
            def f =
              aLongOperandWithANameOfItsOwn * anotherOperand
                + aThirdOperandThatIsLonger * (theFourth + theFifthAndLast)
        "#]],
    );
}

#[test]
fn line_ends_stay_as_they_are() {
    assert_eq!(
        format("def  f = x\r\n\r\n\r\n\r\ndef g = y"),
        "def f = x\r\n\r\ndef g = y\r\n"
    );
    assert_eq!(format("\u{feff}def  f = x"), "\u{feff}def f = x\n");
    assert_eq!(format_item("def f  = x", "\n"), "def f = x");
}
