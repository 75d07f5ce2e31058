//! Tests of the syntax that only DPIA has: commands and phrase types.

mod rendering;

use expect_test::{Expect, expect};
use rendering::render;
use rendering::sexpr::dump;
use syntax::ast::{ItemKind, TermKind};
use syntax::{Dialect, codes, format_in, parse, parse_in, split};

const LISTING_10: &str = include_str!("programs/mv_imperative.dpia");
const EVERYTHING: &str = include_str!("programs/everything.dpia");

fn trees(text: &str) -> String {
    let mut out = String::new();
    for span in split(text) {
        let parsed = parse_in(&text[std::ops::Range::from(span)], Dialect::Dpia);
        assert_eq!(parsed.diagnostics, [], "{text}");
        out.push_str(&format!("{}\n", dump(&parsed.item)));
    }
    out
}

/// Compares the errors and the tree of each text.
fn check(texts: &[&str], expect: Expect) {
    let mut out = String::new();
    for text in texts {
        let parsed = parse_in(text, Dialect::Dpia);
        assert!(parsed.diagnostics.len() <= 1, "{text}");
        for diagnostic in &parsed.diagnostics {
            out.push_str(&render(text, diagnostic));
        }
        out.push_str(&format!("{}\n\n", dump(&parsed.item)));
    }
    expect.assert_eq(&out);
}

#[test]
fn listing_10() {
    expect![[r#"
        (def mvOptImp - (depFun ((n Nat) (m Nat) (s Nat)) (fun ((output (Acc (Array n (scalar f32))))) (fun ((M (Exp (Array n (Array m (scalar f32))) (access Rd)))) (fun ((x (Exp (Array m (scalar f32)) (access Rd)))) (apply parForWorkGroup (binary / n s) (Array s (scalar f32)) (apply joinAcc output) (fun (wgId wgOut) (apply parForLocal s (scalar f32) wgOut (fun (lId lOut) (apply new (address Private) (scalar f32) (fun (accumAcc accumExp) (seq (assign accumAcc (float 0.0 f32)) (apply for m (fun (i) (assign accumAcc (binary + accumExp (binary * (apply fst (apply idx i (apply zip (apply idx lId (apply idx wgId (apply split s M))) x))) (apply snd (apply idx i (apply zip (apply idx lId (apply idx wgId (apply split s M))) x)))))))) (assign lOut accumExp)))))))))))))
    "#]].assert_eq(&trees(LISTING_10));
    expect![[r#"
        // RISE & Shine, listing 10; the free variables `s` and `output` are bound, and the element type of the outer
        // loop is Array[s, f32] as the types demand (the listing prints Array[m, f32]).
        def mvOptImp = depFun((n: Nat, m: Nat, s: Nat) =>
          fun(output: Acc[Array[n, f32]] =>
            fun(M: Exp[Array[n, Array[m, f32]], Rd] => fun(x: Exp[Array[m, f32], Rd] =>
              parForWorkGroup(n / s, Array[s, f32], joinAcc(output), fun((wgId, wgOut) =>
                parForLocal(s, f32, wgOut, fun((lId, lOut) =>
                  new(Private, f32, fun((accumAcc, accumExp) =>
                    accumAcc = 0.0f;
                    for(m, fun(i =>
                      accumAcc = accumExp
                        + fst(idx(i, zip(idx(lId, idx(wgId, split(s, M))), x)))
                          * snd(idx(i, zip(idx(lId, idx(wgId, split(s, M))), x)))));
                    lOut = accumExp))))))))))
    "#]].assert_eq(&format_in(LISTING_10, Dialect::Dpia));
}

#[test]
fn everything() {
    expect![[r#"
        (import "mv_imperative.dpia")
        (def (@ target opencl) everything (pi (n Nat) (pi (a AddrSp) (pi (w ReadWrite) (arrow (Acc (array n (scalar f32))) (arrow (Exp (array n (scalar f32)) (access Rd)) (arrow (paren (arrow (Exp (scalar f32) w) (Exp (scalar f32) (access Wr)))) (arrow (paren (arrow (Acc (scalar f32)) (arrow Comm Comm))) Comm))))))) (depFun ((n Nat) (a AddrSp) (w ReadWrite)) (fun (output input f body) (if (binary == n (int 0)) skip (apply new a (array n (scalar f32)) (fun (temporary stored) (seq (apply parFor n (scalar f32) temporary (fun (i out) (assign out (binary + (apply idx i input) (float 1.0 f32))))) (apply for n (fun (i) (assign (apply idxAcc i output) (let x (apply idx i stored) (apply select (binary < x (float 0.0 f32)) (unary - x) x))))) (apply barrier true false))))))))
        (def functional - (fun ((xs (Exp (array (int 4) (scalar f32)) (access Rd))) (ys (Exp (array (int 4) (scalar f32)) (access St)))) (binary |> (apply mapSeq (int 4) (scalar f32) (scalar f32) (fun ((x (Exp (scalar f32) (access Rd)))) x) xs) (apply toMem (address Private)))))
        (def twice - (fun ((c Comm)) (paren (seq c c))))
        (def accesses - (apply f (access Rd) (access Wr) _ (Exp (scalar f32) _) (arrow Comm Comm) (seq skip skip)))
    "#]].assert_eq(&trees(EVERYTHING));
    expect![[r#"
        /// Every form that DPIA adds to RISE.
        import "mv_imperative.dpia"

        @target(opencl)
        def everything :
          (n: Nat) -> (a: AddrSp) -> (w: ReadWrite) -> Acc[n.f32]
          -> Exp[n.f32, Rd]
          -> (Exp[f32, w] -> Exp[f32, Wr])
          -> (Acc[f32] -> Comm -> Comm)
          -> Comm =
          depFun((n: Nat, a: AddrSp, w: ReadWrite) =>
            fun((output, input, f, body) =>
              if (n == 0) {
                skip
              } else { // never empty
                new(a, n.f32, fun((temporary, stored) =>
                  parFor(n, f32, temporary, fun((i, out) =>
                    out = idx(i, input) + 1.0f));
                  /* two loops */
                  for(n, fun(i =>
                    idxAcc(i, output) = let x = idx(i, stored) in select(x < 0.0f, -x, x)));
                  barrier(true, false)))
              }))

        def functional = fun((xs: Exp[4.f32, Rd], ys: Exp[4.f32, St]) =>
          mapSeq(4, f32, f32, fun(x: Exp[f32, Rd] => x), xs) |> toMem(Private))

        def twice = fun(c: Comm =>
          (
            c;
            c
          ))
        def accesses =
          f(
            Rd,
            Wr,
            _,
            Exp[f32, _],
            Comm -> Comm,
            skip;
            skip)
    "#]]
    .assert_eq(&format_in(EVERYTHING, Dialect::Dpia));
}

#[test]
fn words_of_dpia_are_names_in_rise() {
    let text = "def skip = fun((if, else, Exp, Acc, Comm, Rd, Wr, St, ReadWrite) => if)";
    assert_eq!(parse(text).diagnostics, []);
    check(
        &[text, "def Rd = x", "def f = fun(Comm => x)"],
        expect![[r#"
        def skip = fun((if, else, Exp, Acc, Comm, Rd, Wr, St, ReadWrite) => if)
            ^^^^ reserved-name: `skip` is a reserved word: choose another name
        (def skip - (fun (if else Exp Acc Comm Rd Wr St ReadWrite) (if (missing) (missing) (missing))))

        def Rd = x
            ^^ reserved-name: `Rd` is a reserved word: choose another name
        (def Rd - x)

        def f = fun(Comm => x)
                    ^^^^ reserved-name: `Comm` is a reserved word: choose another name
        (def f - (fun (Comm) x))

    "#]],
    );
}

#[test]
fn a_let_reaches_as_far_as_it_can() {
    check(
        &[
            "def f = let x = 1 in a = x; b = x",
            "def f = a = let x = 1 in x; b = 2",
            "def f = a = 1; let x = 2 in b = x; c = x",
            "def f = g(let x = 1 in skip; skip, y)",
            "def f = (a = 1; b = 2)",
        ],
        expect![[r#"
            (def f - (let x (int 1) (seq (assign a x) (assign b x))))

            (def f - (assign a (let x (int 1) (seq x (assign b (int 2))))))

            (def f - (seq (assign a (int 1)) (let x (int 2) (seq (assign b x) (assign c x)))))

            (def f - (apply g (let x (int 1) (seq skip skip)) y))

            (def f - (paren (seq (assign a (int 1)) (assign b (int 2)))))

        "#]],
    );
}

#[test]
fn separators_behind_the_last_command() {
    check(
        &[
            "def f = skip;",
            "def f = fun(x => a = 1; b = 2;)",
            "def f = if (x) { skip; } else { a = 1; }",
            "def f = g(skip;, y)",
            "def f = (skip; : Comm)",
            "def f = let x = skip; in x",
        ],
        expect![[r#"
            (def f - skip)

            (def f - (fun (x) (seq (assign a (int 1)) (assign b (int 2)))))

            (def f - (if x skip (assign a (int 1))))

            (def f - (apply g skip y))

            (def f - (ascribe skip Comm))

            (def f - (let x skip x))

        "#]],
    );
}

#[test]
fn half_typed() {
    check(
        &[
            "def f = a =",
            "def f = fun(a => a = ",
            "def f = fun(a => a = 1;",
            "def f = fun(a => a = 1; b",
            "def f = if",
            "def f = if (",
            "def f = if (x",
            "def f = if (x)",
            "def f = if (x) {",
            "def f = if (x) { a =",
            "def f = if (x) { skip",
            "def f = if (x) { skip }",
            "def f = if (x) { skip } else",
            "def f = if (x) { skip } else {",
            "def f = fun(a => if (x) { skip } else { a = 1; )",
            "def f : Exp",
            "def f : Exp[",
            "def f : Exp[f32",
            "def f : Exp[f32,",
            "def f : Exp[f32, Rd",
            "def f : Exp[f32] = x",
            "def f : Acc",
            "def f : Acc[",
            "def f : Acc[f32 -> Comm = x",
            "def f : (w: Read",
        ],
        expect![[r#"
            def f = a =
                      ^ syntax-error: expected an expression after `=`
            (def f - (assign a (missing)))

            def f = fun(a => a = 
                               ^ syntax-error: expected an expression after `=`
            (def f - (fun (a) (assign a (missing))))

            def f = fun(a => a = 1;
                                  ^ syntax-error: expected `)` to close this `(`
            def f = fun(a => a = 1;
                       ^ this `(` is not closed
            fix: Insert `)` [(23..23, ")")]
            (def f - (fun (a) (assign a (int 1))))

            def f = fun(a => a = 1; b
                                    ^ syntax-error: expected `)` to close this `(`
            def f = fun(a => a = 1; b
                       ^ this `(` is not closed
            fix: Insert `)` [(25..25, ")")]
            (def f - (fun (a) (seq (assign a (int 1)) b)))

            def f = if
                     ^ syntax-error: expected `(` and the condition after `if`
            def f = if
                    ^^ an `if` is written `if (condition) { command } else { command }`
            (def f - (if (missing) (missing) (missing)))

            def f = if (
                       ^ syntax-error: expected an expression after `(`
            (def f - (if (missing) (missing) (missing)))

            def f = if (x
                        ^ syntax-error: expected `)` to close this `(`
            def f = if (x
                       ^ this `(` is not closed
            fix: Insert `)` [(13..13, ")")]
            (def f - (if x (missing) (missing)))

            def f = if (x)
                         ^ syntax-error: expected `{` and a command after `)`
            def f = if (x)
                    ^^ an `if` is written `if (condition) { command } else { command }`
            (def f - (if x (missing) (missing)))

            def f = if (x) {
                           ^ syntax-error: expected a command after `{`
            (def f - (if x (missing) (missing)))

            def f = if (x) { a =
                               ^ syntax-error: expected an expression after `=`
            (def f - (if x (assign a (missing)) (missing)))

            def f = if (x) { skip
                                ^ syntax-error: expected `}` to close this `{`
            def f = if (x) { skip
                           ^ this `{` is not closed
            fix: Insert `}` [(21..21, "}")]
            (def f - (if x skip (missing)))

            def f = if (x) { skip }
                                  ^ syntax-error: expected `else` and a block: `else { skip }` does nothing
            def f = if (x) { skip }
                    ^^ this `if` has no `else`
            fix: Insert `else { skip }` [(23..23, " else { skip }")]
            (def f - (if x skip (missing)))

            def f = if (x) { skip } else
                                       ^ syntax-error: expected `{` and a command after `else`
            def f = if (x) { skip } else
                                    ^^^^ an `if` is written `if (condition) { command } else { command }`
            (def f - (if x skip (missing)))

            def f = if (x) { skip } else {
                                         ^ syntax-error: expected a command after `{`
            (def f - (if x skip (missing)))

            def f = fun(a => if (x) { skip } else { a = 1; )
                                                         ^ syntax-error: expected `}` to close this `{`
            def f = fun(a => if (x) { skip } else { a = 1; )
                                                  ^ this `{` is not closed
            fix: Insert `}` [(46..46, "}")]
            (def f - (fun (a) (if x skip (assign a (int 1)))))

            def f : Exp
                      ^ syntax-error: expected `[` after `Exp`: write `Exp[t, Rd]`
            (def f (Exp (missing) (missing)) (missing))

            def f : Exp[
                       ^ syntax-error: expected a type after `[`
            (def f (Exp (missing) (missing)) (missing))

            def f : Exp[f32
                          ^ syntax-error: expected `,` and an access: `Exp[t, Rd]` is read, `Exp[t, Wr]` still to be written
            (def f (Exp (scalar f32) (missing)) (missing))

            def f : Exp[f32,
                           ^ syntax-error: expected `Rd`, `Wr` or `St` after `,`
            (def f (Exp (scalar f32) (missing)) (missing))

            def f : Exp[f32, Rd
                              ^ syntax-error: expected `]` to close this `[`
            def f : Exp[f32, Rd
                       ^ this `[` is not closed
            fix: Insert `]` [(19..19, "]")]
            (def f (Exp (scalar f32) (access Rd)) (missing))

            def f : Exp[f32] = x
                          ^ syntax-error: expected `,` and an access: `Exp[t, Rd]` is read, `Exp[t, Wr]` still to be written
            (def f (Exp (scalar f32) (missing)) x)

            def f : Acc
                      ^ syntax-error: expected `[` after `Acc`: write `Acc[t]`
            (def f (Acc (missing)) (missing))

            def f : Acc[
                       ^ syntax-error: expected a type after `[`
            (def f (Acc (missing)) (missing))

            def f : Acc[f32 -> Comm = x
                                  ^ syntax-error: expected `]` to close this `[`
            def f : Acc[f32 -> Comm = x
                       ^ this `[` is not closed
            fix: Insert `]` [(23..23, "]")]
            (def f (Acc (arrow (scalar f32) Comm)) x)

            def f : (w: Read
                        ^^^^ syntax-error: `Read` is not a kind: did you mean `ReadWrite`?
            fix: Write `ReadWrite` [(12..16, "ReadWrite")]
            (def f (pi (w ReadWrite) (missing)) (missing))

        "#]],
    );
}

#[test]
fn a_separator_is_missing() {
    check(
        &[
            "def f = fun((a, b) =>\n  a = 1\n  b = 2)",
            "def f = fun((a, b) => for(n, fun(i => a = i)) b = 2; skip)",
            "def f = fun(x => skip if (x) { skip } else { skip } skip)",
            "def f = x y",
            "def f = g(x y)",
            "def f = g(a = 1 b = 2)",
        ],
        expect![[r#"
              a = 1
                  ^ syntax-error: expected `;` before `b`, because commands are separated by `;`
            fix: Insert `;` [(29..29, ";")]
            (def f - (fun (a b) (seq (assign a (int 1)) (assign b (int 2)))))

            def f = fun((a, b) => for(n, fun(i => a = i)) b = 2; skip)
                                                        ^ syntax-error: expected `;` before `b`, because commands are separated by `;`
            fix: Insert `;` [(45..45, ";")]
            (def f - (fun (a b) (seq (apply for n (fun (i) (assign a i))) (assign b (int 2)) skip)))

            def f = fun(x => skip if (x) { skip } else { skip } skip)
                                ^ syntax-error: expected `;` before `if`, because commands are separated by `;`
            fix: Insert `;` [(21..21, ";")]
            (def f - (fun (x) (seq skip (if x skip skip) skip)))

            def f = x y
                      ^ syntax-error: unexpected `y` after the definition: arguments must be in parentheses, as in `f(x)`
            (def f - x)

            def f = g(x y)
                      ^ syntax-error: expected `,` or `)` before `y`
            def f = g(x y)
                     ^ this `(` is not closed
            help: an argument must be in parentheses: `x(y)`
            fix: Insert `,` [(11..11, ",")]
            fix: Write `x(y)` [(11..12, "("), (13..13, ")")]
            (def f - (apply g x))

            def f = g(a = 1 b = 2)
                          ^ syntax-error: expected `;` before `b`, because commands are separated by `;`
            fix: Insert `;` [(15..15, ";")]
            (def f - (apply g (seq (assign a (int 1)) (assign b (int 2)))))

        "#]],
    );
}

#[test]
fn a_command_is_missing() {
    check(
        &[
            "def f = fun(a => ; a = 1)",
            "def f = fun(a => a = 1;; a = 2)",
            "def f = fun(a => a = 1; = 2)",
            "def f = fun(a => a = 1; |> b)",
            "def f = if (x) {} else { skip }",
            "def f = if (x) { skip }; else { skip }",
            "def f = else { skip }",
            "def f = fun(x => skip else)",
        ],
        expect![[r#"
            def f = fun(a => ; a = 1)
                           ^ syntax-error: expected an expression after `=>`
            (def f - (fun (a) (seq (missing) (assign a (int 1)))))

            def f = fun(a => a = 1;; a = 2)
                                  ^ syntax-error: expected a command after `;`
            (def f - (fun (a) (seq (assign a (int 1)) (assign a (int 2)))))

            def f = fun(a => a = 1; = 2)
                                  ^ syntax-error: expected a command after `;`
            (def f - (fun (a) (assign a (int 1))))

            def f = fun(a => a = 1; |> b)
                                  ^ syntax-error: expected a command after `;`
            (def f - (fun (a) (assign a (int 1))))

            def f = if (x) {} else { skip }
                           ^^ syntax-error: expected a command in the block: `skip` is the command that does nothing
            fix: Write `skip` [(16..16, " skip ")]
            (def f - (if x (missing) skip))

            def f = if (x) { skip }; else { skip }
                                   ^ syntax-error: there must be no `;` before the `else` of an `if`
            fix: Remove `;` [(23..24, "")]
            (def f - (if x skip skip))

            def f = else { skip }
                    ^^^^ syntax-error: this `else` has no `if`
            (def f - (missing))

            def f = fun(x => skip else)
                                ^ syntax-error: expected `)` to close this `(`
            def f = fun(x => skip else)
                       ^ this `(` is not closed
            (def f - (fun (x) skip))

        "#]],
    );
}

#[test]
fn habits_from_other_languages() {
    check(
        &[
            "def f = fun(a => a := 1)",
            "def f = fun((a, e) => a += 1; skip)",
            "def f = fun(a => a = b = 1; skip)",
            "def f = if (x = 1) { skip } else { skip }",
            "def f = if x { skip } else { skip }",
            "def f = if (x) skip else skip",
            "def f = fun(a => if (x) a = 1; else a = 2; b = 3)",
            "def f = if (x) { skip } else if (y) { skip } else { skip }",
            "def f = fun(a => a[3] = 1)",
            "def f = let x = 1; skip",
            "def f = let x = g(y); a = x in skip",
            "def f : Exp(f32, Rd) = x",
            "def f : Exp[f32, read] = x",
            "def f : Exp[f32, 3] = x",
            "def f : Exp[f32, Rd, Wr] = x",
            "def f : Comm[f32] -> Comm = x",
            "def f : skip -> Comm = x",
            "def f : (w: readwrite) -> Comm = x",
            "def f = fun(w: ReadWrite => x)",
            "@run(n = 1; m = 2) def f = x",
        ],
        expect![[r#"
            def f = fun(a => a := 1)
                               ^^ syntax-error: an assignment is written with `=`
            fix: Write `=` [(19..21, "=")]
            (def f - (fun (a) (assign a (int 1))))

            def f = fun((a, e) => a += 1; skip)
                                    ^^ syntax-error: there is no `+=`: an acceptor can only be written, so the left operand of `+` must be an expression, as in `acc = exp + x`
            (def f - (fun (a e) (seq (assign a (int 1)) skip)))

            def f = fun(a => a = b = 1; skip)
                                   ^ syntax-error: assignments do not chain: write one assignment for each acceptor, with `;` between them
            (def f - (fun (a) (seq (assign (assign a b) (int 1)) skip)))

            def f = if (x = 1) { skip } else { skip }
                          ^ syntax-error: `=` is only for assignments: write `==` to compare two values
            fix: Write `==` [(14..15, "==")]
            (def f - (if (binary == x (int 1)) skip skip))

            def f = if x { skip } else { skip }
                     ^ syntax-error: expected `(` and the condition after `if`
            def f = if x { skip } else { skip }
                    ^^ an `if` is written `if (condition) { command } else { command }`
            (def f - (if x skip skip))

            def f = if (x) skip else skip
                         ^ syntax-error: expected `{` and a command after `)`
            def f = if (x) skip else skip
                    ^^ an `if` is written `if (condition) { command } else { command }`
            (def f - (if x skip skip))

            def f = fun(a => if (x) a = 1; else a = 2; b = 3)
                                  ^ syntax-error: expected `{` and a command after `)`
            def f = fun(a => if (x) a = 1; else a = 2; b = 3)
                             ^^ an `if` is written `if (condition) { command } else { command }`
            (def f - (fun (a) (seq (if x (assign a (int 1)) (assign a (int 2))) (assign b (int 3)))))

            def f = if (x) { skip } else if (y) { skip } else { skip }
                                       ^ syntax-error: expected `{` and a command after `else`
            def f = if (x) { skip } else if (y) { skip } else { skip }
                                    ^^^^ an `if` is written `if (condition) { command } else { command }`
            (def f - (if x skip (if y skip skip)))

            def f = fun(a => a[3] = 1)
                              ^ syntax-error: arrays are not indexed with brackets: write `idx(i, xs)` to read, `idxAcc(i, xs)` to write
            (def f - (fun (a) (assign a (int 1))))

            def f = let x = 1; skip
                            ^ syntax-error: expected `in` after the value of `x`
            def f = let x = 1; skip
                    ^^^ a `let` is written `let name = value in result`
            (def f - (let x (seq (int 1) skip) (missing)))

            (def f - (let x (seq (apply g y) (assign a x)) skip))

            def f : Exp(f32, Rd) = x
                       ^ syntax-error: `Exp` takes brackets: write `Exp[t, Rd]`
            (def f (Exp (scalar f32) (access Rd)) x)

            (def f (Exp (scalar f32) read) x)

            def f : Exp[f32, 3] = x
                             ^ syntax-error: expected `Rd`, `Wr` or `St`, found `3`
            (def f (Exp (scalar f32) (int 3)) x)

            def f : Exp[f32, Rd, Wr] = x
                              ^ syntax-error: expected `]` to close this `[`
            def f : Exp[f32, Rd, Wr] = x
                       ^ this `[` is not closed
            (def f (Exp (scalar f32) (access Rd)) x)

            def f : Comm[f32] -> Comm = x
                        ^ syntax-error: `Comm` takes no arguments
            (def f (arrow Comm Comm) x)

            def f : skip -> Comm = x
                    ^^^^ syntax-error: expected a type, found `skip`: the type of commands is `Comm`
            (def f (arrow (missing) Comm) x)

            def f : (w: readwrite) -> Comm = x
                        ^^^^^^^^^ syntax-error: `readwrite` is not a kind: did you mean `ReadWrite`?
            fix: Write `ReadWrite` [(12..21, "ReadWrite")]
            (def f (pi (w ReadWrite) Comm) x)

            def f = fun(w: ReadWrite => x)
                           ^^^^^^^^^ syntax-error: `ReadWrite` is a kind, and `fun` binds only values: bind sizes and types by a `depFun` around it
            fix: Bind sizes and types by `depFun` [(8..11, "depFun")]
            (def f - (fun ((w (missing))) x))

            @run(n = 1; m = 2) def f = x
                     ^ syntax-error: expected `)` to close this `(`
            @run(n = 1; m = 2) def f = x
                ^ this `(` is not closed
            (def (@ run (= n (int 1))) f - x)

        "#]],
    );
}

#[test]
fn long_sequences_are_flat() {
    let sequence = |n: usize| format!("def f = fun(a => {}skip)", "a = 1; ".repeat(n));
    let parsed = parse_in(&sequence(10_000), Dialect::Dpia);
    assert_eq!(parsed.diagnostics, []);
    let ItemKind::Def { body, .. } = parsed.item.kind else {
        panic!("it is a definition");
    };
    let TermKind::Fun { body, .. } = parsed.item.term(body).kind else {
        panic!("it is a function");
    };
    let TermKind::Sequence(commands) = &parsed.item.term(body).kind else {
        panic!("it is a sequence");
    };
    assert_eq!(commands.len(), 10_001);
    let formatted = format_in(&sequence(10_000), Dialect::Dpia);
    assert_eq!(formatted.lines().count(), 10_002);
}

#[test]
fn deep_commands_are_an_error() {
    for (open, close) in [
        ("if (x) { ", " } else { skip }"),
        ("if (x) { skip } else { ", " }"),
        ("for(n, fun(i => ", "))"),
        ("(", "; skip)"),
        ("if (", ") { skip } else { skip }"),
    ] {
        let deep = |n| format!("def f = {}skip{}", open.repeat(n), close.repeat(n));
        let parsed = parse_in(&deep(50_000), Dialect::Dpia);
        assert_eq!(parsed.diagnostics[0].code, codes::TOO_DEEP, "{open}");
        assert_eq!(parse_in(&deep(80), Dialect::Dpia).diagnostics, [], "{open}");
    }
    let chain = |n| format!("def f = {}skip", "a = let x = 1 in ".repeat(n));
    assert_eq!(parse_in(&chain(400), Dialect::Dpia).diagnostics, []);
    assert_eq!(
        parse_in(&chain(50_000), Dialect::Dpia).diagnostics[0].code,
        codes::TOO_DEEP
    );
}
