use super::*;
use crate::fixture::Fixture;
use expect_test::{Expect, expect};

fn at_cursor(text: &str) -> (Fixture, Vec<Completion>) {
    let fixture = Fixture::new(text);
    let found = completions(&fixture.db, fixture.cursors[0]);
    (fixture, found)
}

/// Compares the first `count` completions, one a line.
fn check(text: &str, count: usize, expected: Expect) {
    let (_, found) = at_cursor(text);
    let shown: Vec<String> = found
        .iter()
        .take(count)
        .map(|found| {
            let detail = found
                .detail
                .as_ref()
                .map(|ty| format!(" : {ty}"))
                .unwrap_or_default();
            let insert = match found.insert == found.label {
                true => String::new(),
                false => format!("    => {}", found.insert),
            };
            format!("{:?} {}{detail}{insert}\n", found.kind, found.label)
        })
        .collect();
    expected.assert_eq(&shown.concat());
}

fn labels(text: &str) -> Vec<String> {
    at_cursor(text)
        .1
        .into_iter()
        .map(|found| found.label)
        .collect()
}

#[test]
fn after_a_pipe_what_accepts_the_value_comes_first() {
    check(
        "def norm = fun(xs => xs)\ndef f = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> $0\n",
        14,
        expect![[r#"
            Function norm : {t: DataType} -> t -> t
            Function map : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => map(${1:f})
            Function reduce : {n: Nat} -> {t: DataType} -> (t -> t -> t) -> t -> n.t -> t    => reduce(${1:f})(${2:x})
            Function zip : {n: Nat} -> {s: DataType} -> {t: DataType} -> n.s -> n.t -> n.(s, t)
            Function split : (n: Nat) -> {m: Nat} -> {t: DataType} -> (n*m).t -> m.n.t where n >= 1    => split(${1:n})
            Function join : {n: Nat} -> {m: Nat} -> {t: DataType} -> n.m.t -> (n*m).t
            Function transpose : {n: Nat} -> {m: Nat} -> {t: DataType} -> n.m.t -> m.n.t
            Function slide : {n: Nat} -> (sz: Nat) -> (sp: Nat) -> {t: DataType} -> (n*sp+sz).t -> (n+1).sz.t where sp >= 1    => slide(${1:sz})(${2:sp})
            Function mapSeq : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapSeq(${1:f})
            Function reduceSeq : {n: Nat} -> {s: DataType} -> {t: DataType} -> (t -> s -> t) -> t -> n.s -> t    => reduceSeq(${1:f})(${2:x})
            Function mapGlobal : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapGlobal(${1:f})
            Function assume : (m: Nat) -> {n: Nat} -> {t: DataType} -> n.t -> m.t where m == n    => assume(${1:m})
            Function circularBuffer : {n: Nat} -> (alloc: Nat) -> (sz: Nat) -> {s: DataType} -> {t: DataType} -> (s -> t) -> (n+sz-1).s -> n.sz.t where alloc >= sz, sz >= 1    => circularBuffer(${1:alloc})(${2:sz})(${3:f})
            Function concat : {n: Nat} -> {m: Nat} -> {t: DataType} -> n.t -> m.t -> (n+m).t
        "#]],
    );
    check(
        "def f = fun(x: f32 => x |> $0\n",
        4,
        expect![[r#"
            Function add : {t: Num} -> t -> t -> t
            Function mul : {t: Num} -> t -> t -> t
            Function abs : {t: Num} -> t -> t
            Function cast : {s: Scalar} -> {t: Scalar} -> s -> t
        "#]],
    );
}

#[test]
fn after_a_pipe_the_prefix_filters() {
    check(
        "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> ma$0))\n",
        6,
        expect![[r#"
            Function map : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => map(${1:f})
            Function mapSeq : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapSeq(${1:f})
            Function mapGlobal : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapGlobal(${1:f})
            Function mapLocal : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapLocal(${1:f})
            Function mapPar : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapPar(${1:f})
            Function mapSeqUnroll : {n: Nat} -> {s: DataType} -> {t: DataType} -> (s -> t) -> n.s -> n.t    => mapSeqUnroll(${1:f})
        "#]],
    );
}

#[test]
fn the_common_pattern_comes_first_after_a_pipe() {
    let found = labels("def f = depFun(n: Nat => fun(xs: n.f32 => xs |> ma$0))\n");
    assert_eq!(found[0], "map");
    let found = labels("def f = depFun(n: Nat => fun(xs: n.f32 => xs |> $0\n");
    assert_eq!(found[..3], ["map", "reduce", "zip"]);
    // `makeDepPair` accepts any value.
    let pair = found.iter().position(|label| label == "makeDepPair");
    let last = found.iter().position(|label| label == "reduceSeqUnroll");
    assert!(pair > last, "{found:?}");
}

#[test]
fn sizes_come_first_where_a_size_is_wanted() {
    let program = |call: &str| {
        labels(&format!(
            "def f = depFun(n: Nat => fun((xs: n.f32, y: f32) => {call}$0"
        ))
    };
    assert_eq!(program("split(")[0], "n");
    assert_eq!(program("zip(")[..2], ["xs", "y"]);
    assert_eq!(program("zip(xs)(")[..2], ["xs", "y"]);
    assert_eq!(program("xs |> pad2D(n)(")[0], "n");
}

#[test]
fn the_brief_type_leaves_out_what_is_inferred() {
    let (_, found) = at_cursor("def f = depFun(n: Nat => fun(xs: n.f32 => xs |> ma$0))\n");
    assert_eq!(found[0].brief.as_deref(), Some("(s -> t) -> n.s -> n.t"));
}

#[test]
fn what_expressions_begin_with_comes_before_the_library() {
    assert_eq!(labels("def f = de$0\n")[0], "depFun");
    assert_eq!(labels("def f = fu$0\n")[0], "fun");
    assert_eq!(labels("def f = fun(xs: 4.f32 => le$0)\n")[0], "let");
}

#[test]
fn locals_come_first_in_expressions() {
    check(
        "def scale = fun(x => x * 2.0f)\ndef f = depFun(n: Nat => fun((xs: n.f32, y: f32) => zip($0",
        6,
        expect![[r#"
            Value xs : n.f32
            Value y : f32
            Function scale : f32 -> f32
            Keyword depFun    => depFun(${1:n}: ${2:Nat} => $0)
            Keyword fun    => fun(${1:x} => $0)
            Keyword let    => let ${1:x} = ${2:value} in $0
        "#]],
    );
}

#[test]
fn only_what_is_in_scope() {
    let found = labels("def f = fun(outer => (fun(inner => inner))(ou$0)) + fun(later => later)\n");
    assert!(found.contains(&"outer".to_owned()));
    let found = labels("def f = fun(outer => (fun(inner => inner))($0)) + fun(later => later)\n");
    assert!(!found.contains(&"inner".to_owned()) && !found.contains(&"later".to_owned()));
    assert!(found.contains(&"outer".to_owned()));
    let found =
        labels("def f : (n: Nat) -> n.f32 -> f32 = depFun(k: Nat => fun(xs => $0\n\ndef g = 1\n");
    for name in ["n", "k", "xs", "g"] {
        assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
    }
    let found = labels("def f = let a = 1.0f in let b = a$0 in b\n");
    assert!(found.contains(&"a".to_owned()) && !found.contains(&"b".to_owned()));
}

#[test]
fn types_kinds_and_annotations() {
    check(
        "def f = depFun((n: Nat, t: Num) => fun(x: $0\n",
        6,
        expect![[r#"
        TypeParameter n : Nat
        TypeParameter t : Num
        Type bool
        Type f16
        Type f32
        Type f64
    "#]],
    );
    check(
        "def f = depFun((n: Nat, t: Num) => fun(x: n.$0\n",
        3,
        expect![[r#"
        TypeParameter n : Nat
        TypeParameter t : Num
        Type bool
    "#]],
    );
    check(
        "def f = depFun(n: $0\n",
        10,
        expect![[r#"
        Kind Nat
        Kind DataType
        Kind Scalar
        Kind Num
        Kind Int
        Kind Float
        Kind AddrSp
        Kind Nat2Nat
        Kind Nat2Data
    "#]],
    );
    check(
        "@$0\ndef f = 1\n",
        10,
        expect![[r#"
            Annotation assume    => assume($1)
            Annotation exact
            Annotation inout    => inout($1)
            Annotation opencl    => opencl(local = [$1], global = [$2])
            Annotation run    => run($1)
            Annotation strategy    => strategy($1)
            Annotation target    => target(${1|c,openmp,opencl|})
        "#]],
    );
    check(
        "@target($0)\ndef f = 1\n",
        10,
        expect![[r#"
        Annotation c
        Annotation opencl
        Annotation openmp
    "#]],
    );
    check(
        "@strategy($0)\ndef f = 1\n",
        8,
        expect![[r#"
            Function lowerToC : Lower to C
            Function lowerToGlobal : Lower to OpenCL: a work-item an element
            Function lowerToGlobal2D : Lower to OpenCL: a work-item for each row and column
            Function lowerToGroups2D : Lower to OpenCL: work-groups and work-items in two dimensions
            Function lowerToOpenCL : Lower to OpenCL
            Function lowerToOpenMP : Lower to OpenMP
            Function BENF : Normalize: functions applied (BENF)
            Function CNF : Fuse all maps in the definition
        "#]],
    );
    check(
        "@strategy(lowerT$0)\ndef f = 1\n",
        8,
        expect![[r#"
            Function lowerToC : Lower to C
            Function lowerToGlobal : Lower to OpenCL: a work-item an element
            Function lowerToGlobal2D : Lower to OpenCL: a work-item for each row and column
            Function lowerToGroups2D : Lower to OpenCL: work-groups and work-items in two dimensions
            Function lowerToOpenCL : Lower to OpenCL
            Function lowerToOpenMP : Lower to OpenMP
        "#]],
    );
    check(
        "//- /main.rise\n@strategy(\"own.elevate\", $0)\ndef f = 1\n//- /own.elevate\nstrategy fast = lowerToC\nrule r = map(f) |-> mapSeq(f)\n",
        8,
        expect![[r#"
            Function fast
        "#]],
    );
    check(
        "@inout($0)\ndef f = depFun((n: Nat) => fun(x: n.f32, a: f32 => x))\n",
        10,
        expect![[r#"
            Value a
            Value x
        "#]],
    );
    check(
        "@run($0)\ndef f = depFun((n: Nat, m: Nat) => fun(x: n.f32 => x))\n",
        10,
        expect![[r#"
        TypeParameter m
        TypeParameter n
    "#]],
    );
}

#[test]
fn what_fits_an_argument_comes_first() {
    check(
        "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> toMem($0)))\n",
        4,
        expect![[r#"
            AddressSpace Constant
            AddressSpace Global
            AddressSpace Local
            AddressSpace Private
        "#]],
    );
    check(
        "def f = depFun((n: Nat, k: Nat) => fun(xs: (n * k).f32 => xs |> split($0)))\n",
        2,
        expect![[r#"
            TypeParameter k : Nat
            TypeParameter n : Nat
        "#]],
    );
}

#[test]
fn halves_of_a_pair() {
    check(
        "def f = fun(p: (f32, 4.i32) => p.$0)\n",
        9,
        expect![[r#"
        Field _1 : f32
        Field _2 : 4.i32
    "#]],
    );
    check("def f = fun(x: f32 => x.$0)\n", 9, expect![[""]]);
}

#[test]
fn items_begin_on_their_own_lines() {
    check(
        "$0",
        9,
        expect![[r#"
        Keyword def    => def ${1:name} = $0
        Keyword import    => import "$0"
        Keyword foreign    => foreign def ${1:name}(${2:x}: ${3:f32}): ${4:f32}
    "#]],
    );
    check(
        "def f = 1\n\nde$0\n",
        9,
        expect![[r#"
        Keyword def    => def ${1:name} = $0
    "#]],
    );
    check(
        "def f = 1\n\n$0\n",
        9,
        expect![[r#"
        Keyword def    => def ${1:name} = $0
        Keyword import    => import "$0"
        Keyword foreign    => foreign def ${1:name}(${2:x}: ${3:f32}): ${4:f32}
    "#]],
    );
    assert_eq!(labels("def f = let x = 1 $0"), ["in"]);
    assert_eq!(labels("foreign $0"), ["def"]);
}

#[test]
fn types_and_kinds_of_parameters_left_of_the_value() {
    let found = labels("def f(n: Nat)(xs: $0): f32 = 1.0f");
    for label in ["n", "f32", "Nat", "Num", "Vec"] {
        assert!(found.contains(&label.to_owned()), "{label}");
    }
    let found = labels("def f(n: Nat)(xs: n.f32, y: f32): f32 = $0");
    for label in ["n", "xs", "y"] {
        assert!(found.contains(&label.to_owned()), "{label}");
    }
    assert!(labels("def f(xs: size.f32, ys: $0").contains(&"size".to_owned()));
    assert!(!labels("def f(xs: siz$0").contains(&"siz".to_owned()));
    assert_eq!(labels("def f($0"), Vec::<String>::new());
}

#[test]
fn nothing_where_a_name_is_new_or_in_comments() {
    for text in [
        "def $0",
        "def f = fun($0",
        "def f = fun(x, y$0 => x)",
        "def f = let $0",
        "// com$0ment",
        "def f = 1 // com$0ment\n",
        "def f = 1\n// com$0ment\n",
        "import \"li$0b\"",
        "def f = 1$02",
    ] {
        assert_eq!(labels(text), [""; 0], "{text}");
    }
}

#[test]
fn a_word_is_replaced_as_a_whole() {
    let (fixture, found) = at_cursor("def f = fun(xs => xs |> ma$0pSeq(id))\n");
    let map = found.iter().find(|found| found.label == "map");
    let map = map.map(|map| {
        (
            fixture.slice(fixture.files[0], map.replace),
            map.insert.clone(),
        )
    });
    // The call is there already, so no arguments are inserted.
    assert_eq!(map, Some(("mapSeq".to_owned(), "map".to_owned())));
}

#[test]
fn what_a_binder_hides_is_offered_once() {
    let found = labels("def f = fun(map => ma$0)\n");
    assert_eq!(found.iter().filter(|label| *label == "map").count(), 1);
}

#[test]
fn documentation_on_request() {
    let (fixture, found) = at_cursor("/// Doubles.\ndef twice = fun(x => x + x)\ndef f = tw$0\n");
    let docs = resolve_completion(&fixture.db, found[0].source);
    expect![[r#"
        ```rise
        twice : {t: Num} -> t -> t
        ```

        Doubles."#]]
    .assert_eq(&docs.unwrap_or_default());
    let (fixture, found) = at_cursor("def f = fun(xs => xs |> transp$0\n");
    assert_eq!(found[0].label, "transpose");
    let docs = resolve_completion(&fixture.db, found[0].source).unwrap_or_default();
    assert!(docs.contains("transpose : "), "{docs}");
}

#[test]
fn everywhere_in_a_program_without_panic() {
    let text = crate::fixture::LISTING_4;
    let mut fixture = Fixture::new(text);
    let file = fixture.files[0];
    for end in 0..=text.len() as u32 {
        completions(&fixture.db, FilePosition { file, offset: end });
    }
    for end in (0..text.len()).step_by(3) {
        fixture
            .db
            .set_file(db::FilePath::disk("/main.rise"), &text[..end]);
        completions(
            &fixture.db,
            FilePosition {
                file,
                offset: end as u32,
            },
        );
    }
}

#[test]
fn a_type_may_be_followed_by_conditions() {
    assert!(labels("def f : (n: Nat) -> n.f32 $0").contains(&"where".to_owned()));
    assert!(labels("def f : (n: Nat) -> n.f32 wh$0 = 1").contains(&"where".to_owned()));
    assert!(!labels("def f = fun(x: f32 => x $0").contains(&"where".to_owned()));
    assert_eq!(
        labels("def f : (n: Nat) -> (m: Nat) -> n.f32 where $0").len(),
        2
    );
}

#[test]
fn functions_come_first_where_one_is_wanted() {
    let first = |call: &str| {
        let text = format!(
            "def larger = fun(a: f32, b: f32 => select(a < b)(b)(a))\ndef f = depFun(n: Nat => fun((xs: n.f32, m: f32) => {call}"
        );
        let mut found = labels(&text);
        found.truncate(4);
        found
    };
    expect!["add, mul, div, larger"].assert_eq(&first("xs |> reduce($0").join(", "));
    expect!["add, mul, div, larger"].assert_eq(&first("xs |> reduceSeq($0)(0.0f)))").join(", "));
    expect!["add, mul, and, div"].assert_eq(&first("reduce($0").join(", "));
    expect!["m, xs, larger, depFun"].assert_eq(&first("xs |> map($0").join(", "));
}
