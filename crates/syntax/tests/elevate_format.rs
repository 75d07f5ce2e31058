//! Tests of the ELEVATE formatter: its layouts, and that it changes white space only.

mod rendering;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use rendering::sexpr_elevate::dump;
use syntax::TokenKind;
use syntax::elevate::{format, lex, parse, split};

const PROGRAMS: [&str; 3] = [
    include_str!("programs/elevate/mv.elevate"),
    include_str!("programs/elevate/examples.elevate"),
    include_str!("programs/elevate/schedules.elevate"),
];

fn check(text: &str, expect: Expect) {
    let formatted = format(text);
    expect.assert_eq(&formatted);
    assert_eq!(format(&formatted), formatted);
}

fn trees(text: &str) -> Vec<String> {
    split(text)
        .into_iter()
        .map(|span| dump(&parse(&text[std::ops::Range::from(span)]).item))
        .collect()
}

/// Returns the tokens and comments of a text.
fn words(text: &str) -> Vec<&str> {
    lex(text)
        .map(|token| &text[std::ops::Range::from(token.span)])
        .filter(|word| !word.trim().is_empty())
        .map(str::trim_end)
        .collect()
}

#[test]
fn the_listing_of_the_paper() {
    check(
        PROGRAMS[0],
        expect![[r#"
        splitJoinMap `@` outermost(isMap) `;`
        toMapWorkGroup `@` outermost(isMap) `;`
        toMapLocal `@` outermost(isMap) `;`
        fuseReduceMap `@` every(isReduce) `;`
        toReduceSeq `@` every(isReduce)
    "#]],
    );
}

#[test]
fn the_worked_examples() {
    check(
        PROGRAMS[1],
        expect![[r#"
        import "mv.elevate"
        language rise
        traversal functionFirst

        tune s : Nat
        /// Splits a map into chunks.
        rule splitJoinMap(n: Nat = s) = map(f) |-> split(n) >> map(map(f)) >> join assuming n divides size
        rule toMapWorkGroup(d: Int = 0) =
          map |-> mapWorkGroup(d)
          requires not within(mapGlobal(_)) and not within(mapWorkGroup(d))
        rule toMapLocal(d: Int = 0) =
          map |-> mapLocal(d)
          requires within(mapWorkGroup(d)) and not within(mapLocal(d))
        rule toReduceSeq(a: Addr = Private) = { reduce |-> reduceSeq(a) | reduceSeq |-> reduceSeq(a) } // second: no address space chosen yet
        strategy every(c)(s) = tryAll(c ; s)
        pred isMap = { map | map(_) | map(_)(_) }

        // 2  fusion / fission with a scope condition and a test
        @title("Fuse maps")
        rule mapFusion = map(f) >> map(g) |-> map(f >> g)
        @title("Split map")
        rule mapFission =
          map(fun(x => f(gx))) |-> map(fun(x => gx)) >> map(f)
          where x notIn f and not holds(isIdentifier, gx)
        example "three maps" {
          input fun(xs => xs |> map(h) |> map(g) |> map(f))
          apply normalize(mapFusion)
          expect fun(xs => xs |> map(h >> g >> f))
          modulo BENF
        }

        // 3  parameters, annotations, nat arithmetic
        rule splitJoin(n: Nat) =
          map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join
          assuming n divides m
        rule slideBeforeSplit =
          slide(n)(s) >> split(k) |-> slide(w)(s * k) >> map(slide(n)(s))
          let w = s * (k - 1) + n // correct for every s
        rule slideOverlap(u: Nat) =
          slide(n)(m) : l.t -> c.n.t |-> slide(u)(v) >> map(slide(n)(m)) >> join
          let v = u + m - n
          requires m divides v
          assuming v divides (l - n + m)

        // 4  algebraic laws
        @title("Fuse map into reduce")
        rule fuseReduceMap = {
            map(g) >> reduce(f)(z) |-> reduceSeq(fun(acc, y => f(acc)(g(y))))(z)
          | map(g) >> reduceSeq(f)(z) |-> reduceSeq(fun(acc, y => f(acc)(g(y))))(z)
        }
        @title("Split reduction")
        rule splitReduce(n: Nat) =
          reduce(op)(z) : m.t -> t |-> split(n) >> map(reduce(op)(z)) >> reduce(op)(z)
          requires assoc(op) and neutral(op, z)
          assuming n divides m
        unsafe rule unFuse =
          reduceSeq(fun(acc, y => op(acc)(gy)))(z) |-> map(fun(y => gy)) >> reduce(op)(z)
          where acc notIn gy and acc notIn op and y notIn op

        // 5  λ rules and normal forms
        rule eta = fun(x => f(x)) |-> f where x notIn f
        @looping
        rule etaExp = f : a -> b |-> fun(x => f(x))
        normalform BENF = normalize(eta <+ beta)
        normalform RNF = normalize(DFNF ; mapFission) ; DFNF
        normalform CNF = normalize(mapFusion)

        // 6  core library as strategies (recursion, laziness)
        strategy try(s) = s <+ id
        strategy repeat(s) = try(s ; repeat(s))
        strategy topDown(s) = s <+ one(topDown(s))
        strategy bottomUp(s) = one(bottomUp(s)) <+ s
        strategy tryAll(s) = all(tryAll(try(s))) ; try(s)
        strategy outermost(c)(s) = topDown(c ; s)
        strategy innermost(c)(s) = bottomUp(c ; s)
        strategy fmap(s) = function(argumentOf(map, body(s)))
        strategy body(s) = p => p match {
          case fun(x => b) => s(b).mapSuccess(nb => fun(x => nb))
          case _ => fail(p)
        }
        def f(s: Strategy[Rise]): Strategy[Rise] = p => p match {
          case fun(x, b) => s(b).mapSuccess(nb => fun(x, nb))
          case _ => Failure(s)
        }

        // 7  tiling: functional strategy over a list (paper's tileND, nearly verbatim)
        strategy tileND(ns: List[Nat]): Strategy =
          DFNF ;
          (ns match {
            case [] => id
            case [n] => function(splitJoin(n))
            case n :: ms => fmap(tileND(ms)) ; function(splitJoin(n)) ; interchange(ns.size)
          })
        @title("Tile {x}×{y}")
        strategy tile(x: Nat, y: Nat) = tileND([x, y])

        // 9  Shine text (backquotes kept); @ binds tighter, parentheses optional
        def blocking =
          baseline
            `;` tile(32, 32) `@` outermost(mapNest(2))
            `;;` reduceMapFission `@` outermost(isApplied(isApplied(isReduceSeq)))
            `;;` splitStrategy(4) `@` innermost(isFullyAppliedReduce)
            `;;` reorder(List(1, 2, 5, 6, 3, 4))

        // 10  separable convolution; numeric side condition checked on literals
        rule separateDotVH(w2d: Expr, wV: Expr, wH: Expr) =
          dot(join(w2d), join(nbh)) ↦ nbh |> transpose |> map(dot(wV)) |> dot(wH)
          requires holds(outerProduct(wV, wH), w2d) // trusted when the weights are not literal: `assuming`
        val sbf = (topDown(separateDotVH(binomial2d, binomialV, binomialH)) ; lowerToC)(bf)

        // 11  memory: scope-safe storeInMemory and packing
        strategy storeInMemory(what: Pred)(how: Strategy) = p => extract(what)(p) match {
          case Success(t) if closedAt(t, p) =>
            (how(t)).flatMapSuccess(t2 =>
              replaceAll(what, x, p).mapSuccess(q => rise { let(toMem(t2))(fun(x => q)) }))
          case _ => fail(p)
        }
        val packB =
          storeInMemory(isApplied(isTranspose))(
            permuteB ;;
            vectorize(32) @ innermost(isFullyAppliedMap) ;;
            parallel @ outermost(isApplied(isMap)))
            @ inLambda

        // 8  TVM GEMM, paper text
        val loopPerm =
          (topDown(tile(32, 32)) ;;
            topDown(isReduce ; split(4)) ;;
            topDown(reorder(Seq(1, 2, 5, 3, 6, 4))) ;;
            topDown(vectorize(32)))
        val arrayPacking = (packB ;; loopPerm ;; topDown(vectorize(32)) ;; parallelizeCopy)
        (arrayPacking ;; topDown(parallel) ;; bottomUp(isReduce ; unroll) ; lowerToC)(mm) // run on program mm of the open .rise file
    "#]],
    );
}

#[test]
fn schedules() {
    check(
        PROGRAMS[2],
        expect![[r#"
        // The schedules of matrix multiplication: as the compiler has them, then as the paper prints them.
        val baseline = DFNF ; (fuseReduceMap @ topDown)
        val blocking =
          baseline
            ; (tile(32, 32) @ outermost(mapNest(2))) // partial1
            ;; (reduceMapFission @ outermost(isApplied(isApplied(isReduceSeq)))) // partial2: back to reduce and map
            ;; (splitStrategy(4) @ innermost(isFullyAppliedReduce)) // partial3: K to K/4, 4
            ;; reorder([1, 2, 5, 6, 3, 4])
        val vectorization = blocking ;; (vectorize(32) @ innermost(isFullyAppliedMap))
        val loopPerm =
          baseline ;
          tile ;;
          reduceMapFission ;;
          splitStrategy(4) ;;
          reorder([1, 2, 5, 3, 6, 4]) ;;
          (vectorize(32) @ innermost(isFullyAppliedMap))
        val arrayPacking = packB ;; loopPerm
        val cacheBlocks = arrayPacking ;; (unroll @ innermost(isReduceSeq))
        val par =
          arrayPacking ;; (parallel @ outermost(isApplied(isMap))) ;; (unroll @ innermost(isReduceSeq))

        val paperBaseline = (DFNF ; topDown(fuseReduceMap) ; lowerToC)(mm)
        val paperBlocking =
          topDown(tile(32, 32)) ;; topDown(isReduce ; split(4)) ;; topDown(reorder(Seq(1, 2, 5, 6, 3, 4)))
        val paperLoopPerm =
          topDown(tile(32, 32)) ‘;;‘
          topDown(isReduce ‘;’ split(4)) ‘;;’
          topDown(reorder(Seq(1, 2, 5, 3, 6, 4))) ;;
          topDown(vectorize(32))
        val tutorial =
          (`map -> mapPar` @ outermost(isPrimitive(map))) ;
          (`map -> mapSeq` @ outermost(isPrimitive(map))) ;
          (`reduce -> reduceSeq` @ everywhere)
        val vectors =
          innermost(isAppliedMap)(
            `map(f) -> asVector >> map(f_vec) >> asScalar`(4) ;
            (`map -> mapSeq` @ innermost(isPrimitive(map))) ;
            storeTempAsVectors) ;
          optimizationStrategy
        (paperBlocking ; lowerToC)(mm)
    "#]],
    );
}

#[test]
fn long_rules_break_at_their_parts() {
    check(
        "rule r(n:Nat,a:Addr=Private)={map(f):m.s->m.t|->split(n)>>map(map(f))>>join assuming n divides m and(n>=1 or m>=1)\n|map(verylongname(f)(g)(h)) >> map(anotherverylongname) |-> map(verylongname(f)(g)(h) >> anotherverylongname >> join) where f notIn g requires assoc(f) let k=n*2}",
        expect![[r#"
            rule r(n:Nat,a:Addr=Private)={map(f):m.s->m.t|->split(n)>>map(map(f))>>join assuming n divides m and(n>=1 or m>=1)
            |map(verylongname(f)(g)(h)) >> map(anotherverylongname) |-> map(verylongname(f)(g)(h) >> anotherverylongname >> join) where f notIn g requires assoc(f) let k=n*2}
        "#]],
    );
    check(
        "rule slide2(u: Nat) = slide(n)(m) >> map(averylongfunction) |-> slide(u)(v) >> map(slide(n)(m)) >> join >> map(averylongfunction)",
        expect![[r#"
            rule slide2(u: Nat) =
              slide(n)(m) >> map(averylongfunction)
                |-> slide(u)(v) >> map(slide(n)(m)) >> join >> map(averylongfunction)
        "#]],
    );
}

#[test]
fn comments_stay_at_their_words() {
    check(
        "// head\nval /* a */ x = // b\n  a ; // c\n  // d\n  b /* e */ ;; c\n/// doc\n@title(\"t\") // f\n@looping rule r = { // g\n  a |-> b // h\n  | c |-> d } // i\n\n\n// end",
        expect![[r#"
            // head
            val /* a */ x = // b
              a ; // c
              // d
              b /* e */ ;;
              c
            /// doc
            @title("t") // f
            @looping
            rule r = { // g
                a |-> b // h
              | c |-> d
            } // i

            // end
        "#]],
    );
}

#[test]
fn operators_begin_or_end_lines() {
    check(
        "val a = one ;\n two ;\n three\nval b = one\n ; two\n ;; three @ outermost(f)\nval c = averylongstrategy(some, arguments) <+ anotherverylongstrategy(some, arguments) <+ athird(some, arguments)",
        expect![[r#"
            val a =
              one ;
              two ;
              three
            val b =
              one
                ; two
                ;; three @ outermost(f)
            val c =
              averylongstrategy(some, arguments)
                <+ anotherverylongstrategy(some, arguments)
                <+ athird(some, arguments)
        "#]],
    );
}

#[test]
fn blocks_begin_behind_what_they_belong_to() {
    check(
        "strategy f(s)(g:Int->Int):Strategy=p=>s(p) match{case Success(q)if holdsFor(q,p)=>q case [a,b]=>a case x::xs=>f(x) case _=>\nfail(p)}\nval g=with BENF{a;;b}\nval h=rule{map(f)|->mapSeq(f)}\nval k=foo(x, y=>y match {\n case map(f) => rise{map(f)} case _ => y})\nval l = if a<b&&!c then x+1 else -y*(2-z)",
        expect![[r#"
            strategy f(s)(g: Int -> Int): Strategy = p => s(p) match {
              case Success(q) if holdsFor(q, p) => q
              case [a, b] => a
              case x :: xs => f(x)
              case _ => fail(p)
            }
            val g = with BENF { a ;; b }
            val h = rule { map(f) |-> mapSeq(f) }
            val k =
              foo(x, y => y match {
                case map(f) => rise { map(f) }
                case _ => y
              })
            val l = if a < b && !c then x + 1 else -y * (2 - z)
        "#]],
    );
}

#[test]
fn tunes_and_headers() {
    check(
        "import   \"a.elevate\"\nlanguage\nrise\ntraversal  functionFirst\ntune s:Nat in 1 .. 64 step 4 where 4 divides s\ntune t  :  Nat=32 tune u : Nat in {8,16} tune v: Nat in divisors( n )",
        expect![[r#"
            import "a.elevate"
            language rise
            traversal functionFirst
            tune s : Nat in 1..64 step 4 where 4 divides s
            tune t : Nat = 32
            tune u : Nat in {8, 16}
            tune v : Nat in divisors(n)
        "#]],
    );
}

#[test]
fn what_has_an_error_stays() {
    let text = "val  x = (a ;\n\nval  y = b";
    assert_eq!(format(text), "val  x = (a ;\n\nval y = b\n");
}

#[test]
fn an_operator_behind_a_header_stays_an_operator() {
    let text = "traversal f@unctionFirst\ntune  s: Nat";
    let formatted = format(text);
    assert_eq!(formatted, "traversal f@unctionFirst\ntune s : Nat\n");
    assert_eq!(trees(&formatted), trees(text));
}

/// Generates white space and comments between tokens.
fn gap() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " ",
        " ",
        " ",
        "\n",
        "\n\n",
        "  \n  ",
        " /* c */ ",
        " // c\n",
        "\n// c\n",
        "\t",
        " /* a\n b */ ",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn formatting_changes_white_space_only(
        program in 0usize..3,
        gaps in prop::collection::vec(gap(), 40),
        every in 1usize..6,
    ) {
        let mut text = String::new();
        let mut gaps = gaps.iter().cycle();
        for (at, token) in lex(PROGRAMS[program]).enumerate() {
            let space = token.kind == TokenKind::Whitespace;
            match space && at % every == 0 {
                true => text.extend(gaps.next().copied()),
                false => text.push_str(&PROGRAMS[program][std::ops::Range::from(token.span)]),
            }
        }
        let formatted = format(&text);
        prop_assert_eq!(trees(&formatted), trees(&text));
        prop_assert_eq!(words(&formatted), words(&text));
        prop_assert_eq!(format(&formatted), formatted);
    }

    #[test]
    fn damaged_text_keeps_its_words(
        program in 0usize..3,
        place in any::<prop::sample::Index>(),
        length in 0usize..30,
        with in prop::sample::select(vec!["", ";", "(", ")", " ", "{", "}", "`", "@", " @x", "where ", "=", "|->", "\"", "/*", "\n(", "case ", "‘"]),
    ) {
        let text = PROGRAMS[program];
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let from = place.index(places.len());
        let to = (from + length).min(places.len() - 1);
        let text = [&text[..places[from]], with, &text[places[to]..]].concat();
        let formatted = format(&text);
        prop_assert_eq!(words(&formatted), words(&text));
        prop_assert_eq!(format(&formatted), formatted.clone());
        prop_assert_eq!(trees(&formatted), trees(&text));
    }
}
