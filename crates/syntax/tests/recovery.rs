//! Tests that incomplete and wrong texts have one error at the right span, and a tree of everything
//! else.

mod rendering;

use expect_test::{Expect, expect};
use rendering::render;
use rendering::sexpr::dump;
use syntax::parse;

/// Compares the errors and the tree of each text.
fn check(texts: &[&str], expect: Expect) {
    let mut out = String::new();
    for text in texts {
        let parsed = parse(text);
        assert!(parsed.diagnostics.len() <= 1, "{text}");
        for diagnostic in &parsed.diagnostics {
            out.push_str(&render(text, diagnostic));
        }
        out.push_str(&format!("{}\n\n", dump(&parsed.item)));
    }
    expect.assert_eq(&out);
}

#[test]
fn half_typed() {
    check(
        &[
            "def",
            "def f",
            "def f =",
            "def f :",
            "def f : n.",
            "def f : n.f32",
            "def f : n.f32 ->",
            "def f : n.f32 =",
            "def f : (n: Nat",
            "def f : (n: Nat)",
            "def f : (n:",
            "def f : Array[n, f32 = x",
            "def f = fun",
            "def f = fun(",
            "def f = fun(x",
            "def f = fun(x:",
            "def f = fun(x =>",
            "def f = fun(x)",
            "def f = fun((x, y => x",
            "def f = fun(x: Array[n, f32 => x)",
            "def f = depFun(",
            "def f = depFun(n",
            "def f = depFun(n:",
            "def f = depFun(n: Nat =>",
            "def f = depFun(n => n)",
            "def f = xs |> map(g) |>",
            "def f = xs |> map( |> join",
            "def f = |> map(g)",
            "def f = zip(xs",
            "def f = zip(xs)(ys",
            "def f = zip(xs,",
            "def f = zip(xs,)",
            "def f = zip()",
            "def f = (a, ",
            "def f = (a : ",
            "def f = (",
            "def f = a +",
            "def f = a + * b",
            "def f = !",
            "def f = p.",
            "def f = p._",
            "def f = let",
            "def f = let x",
            "def f = let x = ",
            "def f = let x = a",
            "def f = let x = a in",
            "def f = let x = a x + 1",
            "def f = natFun(i",
            "def f = dataFun(i =>",
            "def f : DepPair[k",
            "def f : Vec[4]",
            "def f : Vec",
        ],
        expect![[r#"
            def
              ^ syntax-error: expected a name after `def`
            (def - - (missing))

            def f
                ^ syntax-error: expected `:` and a type, or `=` and a value, after `f`
            (def f - (missing))

            def f =
                  ^ syntax-error: expected an expression after `=`
            (def f - (missing))

            def f :
                  ^ syntax-error: expected a type after `:`
            (def f (missing) (missing))

            def f : n.
                     ^ syntax-error: expected a type after `.`
            (def f (array n (missing)) (missing))

            def f : n.f32
                        ^ syntax-error: expected `=` and the definition's value after `f32`
            (def f (array n (scalar f32)) (missing))

            def f : n.f32 ->
                           ^ syntax-error: expected a type after `->`
            (def f (arrow (array n (scalar f32)) (missing)) (missing))

            def f : n.f32 =
                          ^ syntax-error: expected an expression after `=`
            (def f (array n (scalar f32)) (missing))

            def f : (n: Nat
                          ^ syntax-error: expected `)` to close this `(`
            def f : (n: Nat
                    ^ this `(` is not closed
            fix: Insert `)` [(15..15, ")")]
            (def f (pi (n Nat) (missing)) (missing))

            def f : (n: Nat)
                           ^ syntax-error: expected `->` and a type after `(n: Nat)`
            (def f (pi (n Nat) (missing)) (missing))

            def f : (n:
                      ^ syntax-error: expected a kind such as `Nat` or `DataType` after `:`
            (def f (pi (n -) (missing)) (missing))

            def f : Array[n, f32 = x
                               ^ syntax-error: expected `]` to close this `[`
            def f : Array[n, f32 = x
                         ^ this `[` is not closed
            fix: Insert `]` [(20..20, "]")]
            (def f (Array n (scalar f32)) x)

            def f = fun
                      ^ syntax-error: expected `(` after `fun`: write `fun(x => …)`
            (def f - (fun (-) (missing)))

            def f = fun(
                       ^ syntax-error: expected a parameter after `(`
            (def f - (fun (-) (missing)))

            def f = fun(x
                        ^ syntax-error: expected `=>` after the parameters of `fun`
            def f = fun(x
                    ^^^ this `fun` is written `fun(x => …)`
            (def f - (fun (x) (missing)))

            def f = fun(x:
                         ^ syntax-error: expected a type after `:`
            (def f - (fun ((x (missing))) (missing)))

            def f = fun(x =>
                           ^ syntax-error: expected an expression after `=>`
            (def f - (fun (x) (missing)))

            def f = fun(x)
                        ^ syntax-error: expected `=>` after the parameters of `fun`
            def f = fun(x)
                    ^^^ this `fun` is written `fun(x => …)`
            (def f - (fun (x) (missing)))

            def f = fun((x, y => x
                            ^ syntax-error: expected `)` to close this `(`
            def f = fun((x, y => x
                        ^ this `(` is not closed
            fix: Insert `)` [(17..17, ")")]
            (def f - (fun (x y) x))

            def f = fun(x: Array[n, f32 => x)
                                      ^ syntax-error: expected `]` to close this `[`
            def f = fun(x: Array[n, f32 => x)
                                ^ this `[` is not closed
            fix: Insert `]` [(27..27, "]")]
            (def f - (fun ((x (Array n (scalar f32)))) x))

            def f = depFun(
                          ^ syntax-error: expected a parameter after `(`
            (def f - (depFun ((- -)) (missing)))

            def f = depFun(n
                           ^ syntax-error: expected `:` and the kind of `n`, as in `n: Nat`
            (def f - (depFun ((n -)) (missing)))

            def f = depFun(n:
                            ^ syntax-error: expected a kind such as `Nat` or `DataType` after `:`
            (def f - (depFun ((n -)) (missing)))

            def f = depFun(n: Nat =>
                                   ^ syntax-error: expected an expression after `=>`
            (def f - (depFun ((n Nat)) (missing)))

            def f = depFun(n => n)
                           ^ syntax-error: expected `:` and the kind of `n`, as in `n: Nat`
            (def f - (depFun ((n -)) n))

            def f = xs |> map(g) |>
                                  ^ syntax-error: expected an expression after `|>`
            (def f - (binary |> (binary |> xs (apply map g)) (missing)))

            def f = xs |> map( |> join
                             ^ syntax-error: expected an argument after `(`
            (def f - (binary |> (binary |> xs (apply map (missing))) join))

            def f = |> map(g)
                  ^ syntax-error: expected an expression after `=`
            (def f - (binary |> (missing) (apply map g)))

            def f = zip(xs
                         ^ syntax-error: expected `)` to close this `(`
            def f = zip(xs
                       ^ this `(` is not closed
            fix: Insert `)` [(14..14, ")")]
            (def f - (apply zip xs))

            def f = zip(xs)(ys
                             ^ syntax-error: expected `)` to close this `(`
            def f = zip(xs)(ys
                           ^ this `(` is not closed
            fix: Insert `)` [(18..18, ")")]
            (def f - (apply (apply zip xs) ys))

            def f = zip(xs,
                          ^ syntax-error: expected an argument after `,`
            (def f - (apply zip xs (missing)))

            def f = zip(xs,)
                          ^ syntax-error: expected an argument after `,`
            (def f - (apply zip xs (missing)))

            def f = zip()
                       ^ syntax-error: expected an argument after `(`
            (def f - (apply zip (missing)))

            def f = (a, 
                      ^ syntax-error: expected an expression after `,`
            (def f - (pair a (missing)))

            def f = (a : 
                       ^ syntax-error: expected a type after `:`
            (def f - (ascribe a (missing)))

            def f = (
                    ^ syntax-error: expected an expression after `(`
            (def f - (paren (missing)))

            def f = a +
                      ^ syntax-error: expected an expression after `+`
            (def f - (binary + a (missing)))

            def f = a + * b
                      ^ syntax-error: expected an expression after `+`
            (def f - (binary + a (binary * (missing) b)))

            def f = !
                    ^ syntax-error: expected an expression after `!`
            (def f - (unary ! (missing)))

            def f = p.
                     ^ syntax-error: expected `_1` or `_2`, the components of a pair, after `.`
            (def f - p)

            def f = p._
                     ^ syntax-error: expected `_1` or `_2`, the components of a pair, after `.`
            (def f - p)

            (def f - let)

            def f = let x
                        ^ syntax-error: expected `=` after `x`
            (def f - (let x (missing) (missing)))

            def f = let x = 
                          ^ syntax-error: expected an expression after `=`
            (def f - (let x (missing) (missing)))

            def f = let x = a
                            ^ syntax-error: expected `in` after the value of `x`
            def f = let x = a
                    ^^^ a `let` is written `let name = value in result`
            (def f - (let x a (missing)))

            def f = let x = a in
                               ^ syntax-error: expected an expression after `in`
            (def f - (let x a (missing)))

            def f = let x = a x + 1
                            ^ syntax-error: expected `in` after the value of `x`
            def f = let x = a x + 1
                    ^^^ a `let` is written `let name = value in result`
            fix: write `in` [(17..17, " in")]
            (def f - (let x a (binary + x (int 1))))

            def f = natFun(i
                           ^ syntax-error: expected `=>` after the parameters of `natFun`
            def f = natFun(i
                    ^^^^^^ this `natFun` is written `natFun(i => size)`
            (def f - (natFun i (missing)))

            def f = dataFun(i =>
                               ^ syntax-error: expected a type after `=>`
            (def f - (dataFun i (missing)))

            def f : DepPair[k
                            ^ syntax-error: expected `=>` after the parameters of `DepPair`
            def f : DepPair[k
                    ^^^^^^^ this `DepPair` is written `DepPair[n => type]`
            (def f (DepPair k (missing)) (missing))

            def f : Vec[4]
                        ^ syntax-error: expected `,`: `Vec` takes two arguments, as in `Vec[n, t]`
            (def f (Vec (int 4) (missing)) (missing))

            def f : Vec
                      ^ syntax-error: expected `[` after `Vec`: write `Vec[n, t]`
            (def f (Vec (missing) (missing)) (missing))

        "#]],
    );
}

#[test]
fn slips() {
    check(
        &[
            "def f = fun(x -> x)",
            "def f = fun(x: f32 -> x)",
            "def f = fun x => x",
            "def f = \\x -> x",
            "def f = λx -> x",
            "def f = lambda x => x",
            "def f = fn(x => x)",
            "def f = depfun((n: Nat, m: Nat) => n)",
            "def f = natfun(i => i)",
            "def f = map(x => x)(xs)",
            "def f = if a then b else c",
            "def f = if (a) b else c",
            "def f(x) = x",
            "def f(x: f32): f32 = x",
            "f = fun(x => x)",
            "f : f32 = 1.0f",
            "1 + 2",
            "def f = x y",
            "def f = x\ng = y",
            "def f = x)",
            "def f = map(g h)",
            "def f = map(g h) |> join",
            "def f = select(a = b, c, d)",
            "def f = let x: f32 = a in x",
            "def f = let g(x) = a in x",
            "def f = let x == a in x",
            "def f == x",
            "def f => x",
            "def f = x.1",
            "def f = x.2 + 1",
            "def f = x.3",
            "def f = x.first",
            "def f = 1.f",
            "def f = 1.f32 + x",
            "def f = 1. + x",
            "def f = 1f",
            "def f = 3abc",
            "def f = 0x10",
            "def f = 1_000",
            "def f = 1.5i32",
            "def f = 99999999999999999999",
            "def f = -9223372036854775809",
            "def f = 18446744073709551615",
            "def f = a < b < c",
            "def f = (a < b) == c",
            "def f = f >> g << h",
            "def f = (f >> g) << h",
            "def f : n + 1.f32 = x",
            "def f : (n + 1).f32 = x",
            "def f where 4 | n = x",
            "def f : n.f32 where = x",
            "def f : n.f32 where 4 | n, = x",
            "def f : (n.f32 where 4 | n -> m.f32 = x",
            "def f : (n: Nat) -> n.f32 where 4 | n, n + 1 divides m = x",
            "def f : ((n: Nat) -> n.f32 -> f32 where n >= 1) -> f32 = (x : (n: Nat) -> f32 where n == 2)",
            "def where = where + divides",
            "def f : Array(n, f32) = x",
            "def f : Array[n] = x",
            "def f : fun(x => x) = y",
            "def f : (n: Nat, m: Nat) -> n.m.f32 = x",
            "def f : (n: nat) -> n.f32 = x",
            "def f = depFun(n: f32 => n)",
            "def f = fun(n: Nat => n)",
            "def f = fun(f32 => x)",
            "def f = fun(_ => x)",
            "def in = x",
            "def _ = x",
            "def f = let Nat = 3 in x",
            "def f = xs[3]",
            "def f = fun(xs: f32[n] => xs)",
            "def f = fun(x: i32 => cast(x) : f32)",
            "def f = fun(x: i32 => g(x : i32))",
            "def f = [1, 2]",
            "def f = (a, b, c)",
            "def f = \"text\"",
            "def f = a $ b",
            "def f = a → b",
            "def f = a × b ≤ c",
            "def f = a\u{a0}+ b",
            "def f = a; b",
            "def f = a | b",
            "def f = Nat",
            "def f = x in y",
            "def f = a /* b",
            "def f = \"abc",
            "def f : f32 -> = x",
            "def f = (|>)",
            "def f = x -> x",
        ],
        expect![[r#"
            def f = fun(x -> x)
                          ^^ syntax-error: the parameters of `fun` are followed by `=>`, not `->`
            fix: Write `=>` [(14..16, "=>")]
            (def f - (fun (x) x))

            def f = fun(x: f32 -> x)
                               ^^ syntax-error: the parameters of `fun` are followed by `=>`, not `->`
            fix: Write `=>` [(19..21, "=>")]
            (def f - (fun ((x (scalar f32))) x))

            def f = fun x => x
                      ^ syntax-error: expected `(` after `fun`: write `fun(x => …)`
            fix: Write the parentheses [(11..12, "("), (14..16, "=>"), (18..18, ")")]
            (def f - (fun (x) x))

            def f = \x -> x
                    ^ syntax-error: this is not the notation of a function: write `fun(x => …)`
            fix: write `fun` [(8..13, "fun(x =>"), (15..15, ")")]
            (def f - (missing))

            def f = λx -> x
                    ^^ syntax-error: this is not the notation of a function: write `fun(x => …)`
            fix: write `fun` [(8..14, "fun(x =>"), (16..16, ")")]
            (def f - (missing))

            def f = lambda x => x
                    ^^^^^^ syntax-error: this is not the notation of a function: write `fun(x => …)`
            fix: write `fun` [(8..19, "fun(x =>"), (21..21, ")")]
            (def f - (missing))

            def f = fn(x => x)
                    ^^ syntax-error: `fn` does not begin a function: did you mean `fun`?
            fix: Write `fun` [(8..10, "fun")]
            (def f - (fun (x) x))

            def f = depfun((n: Nat, m: Nat) => n)
                    ^^^^^^ syntax-error: `depfun` does not begin a function: did you mean `depFun`?
            fix: Write `depFun` [(8..14, "depFun")]
            (def f - (depFun ((n Nat) (m Nat)) n))

            def f = natfun(i => i)
                    ^^^^^^ syntax-error: `natfun` does not begin a function: did you mean `natFun`?
            fix: Write `natFun` [(8..14, "natFun")]
            (def f - (natFun i i))

            def f = map(x => x)(xs)
                          ^^ syntax-error: `=>` is part of a function: write `map(fun(x => …))`
            fix: write `fun` [(12..12, "fun("), (18..18, ")")]
            (def f - (apply (apply map x) xs))

            def f = if a then b else c
                    ^^ syntax-error: there is no `if`: write `select(condition, then, else)`
            fix: Write `select` [(8..26, "select(a)(b)(c)")]
            (def f - (missing))

            def f = if (a) b else c
                    ^^ syntax-error: there is no `if`: write `select(condition, then, else)`
            fix: Write `select` [(8..23, "select(a)(b)(c)")]
            (def f - (missing))

            (def f (definition x) - x)

            (def f (definition (x (scalar f32))) (scalar f32) x)

            f = fun(x => x)
            ^ syntax-error: a definition begins with `def`: write `def` before `f`
            fix: Write `def` [(0..0, "def ")]
            (stray)

            f : f32 = 1.0f
            ^ syntax-error: a definition begins with `def`: write `def` before `f`
            fix: Write `def` [(0..0, "def ")]
            (stray)

            1 + 2
            ^ syntax-error: expected `def`, `foreign def` or `import`, found `1`
            (stray)

            def f = x y
                      ^ syntax-error: arguments must be in parentheses: write `x(y)`
            fix: put the arguments in parentheses [(9..10, "("), (11..11, ")")]
            (def f - (apply x y))

            g = y
            ^ syntax-error: unexpected `g` after the definition: a new definition begins with `def`
            (def f - x)

            def f = x)
                     ^ syntax-error: unmatched `)`
            (def f - x)

            def f = map(g h)
                        ^ syntax-error: expected `,` or `)` before `h`
            def f = map(g h)
                       ^ this `(` is not closed
            help: an argument must be in parentheses: `g(h)`
            fix: Insert `,` [(13..13, ",")]
            fix: Write `g(h)` [(13..14, "("), (15..15, ")")]
            (def f - (apply map g))

            def f = map(g h) |> join
                        ^ syntax-error: expected `,` or `)` before `h`
            def f = map(g h) |> join
                       ^ this `(` is not closed
            help: an argument must be in parentheses: `g(h)`
            fix: Insert `,` [(13..13, ",")]
            fix: Write `g(h)` [(13..14, "("), (15..15, ")")]
            (def f - (binary |> (apply map g) join))

            def f = select(a = b, c, d)
                             ^ syntax-error: `=` is only for definitions: write `==` to compare two values
            fix: Write `==` [(17..18, "==")]
            (def f - (apply select (binary == a b) c d))

            (def f - (let (x (scalar f32)) a x))

            (def f - (let g (definition x) - a x))

            def f = let x == a in x
                        ^ syntax-error: expected `=` after `x`
            (def f - (let x a x))

            def f == x
                  ^^ syntax-error: expected `=` before the definition's value, found `==`
            fix: Write `=` [(6..8, "=")]
            (def f (missing) x)

            def f => x
                  ^^ syntax-error: expected `=` before the definition's value, found `=>`
            fix: Write `=` [(6..8, "=")]
            (def f (missing) x)

            def f = x.1
                     ^^ syntax-error: component 1 of a pair is written `._1`
            fix: Write `._1` [(9..11, "._1")]
            (def f - (project x _1))

            def f = x.2 + 1
                     ^^ syntax-error: component 2 of a pair is written `._2`
            fix: Write `._2` [(9..11, "._2")]
            (def f - (binary + (project x _2) (int 1)))

            def f = x.3
                     ^^ syntax-error: the components of a pair are written `._1` and `._2`
            (def f - (project x _2))

            def f = x.first
                     ^^^^^^ syntax-error: values have no component `first`: expected `_1` or `_2` after the `.`, the components of a pair
            (def f - (missing))

            def f = 1.f
                    ^^^ bad-number: a float needs a digit after its point: write `1.0f`
            fix: Write `1.0f` [(8..11, "1.0f")]
            (def f - (int 1))

            def f = 1.f32 + x
                    ^^^^^ bad-number: a float needs a digit after its point: write `1.0f32`
            fix: Write `1.0f32` [(8..13, "1.0f32")]
            (def f - (binary + (int 1) x))

            def f = 1. + x
                     ^ bad-number: a float needs a digit after its point: write `1.0`
            fix: Write `1.0` [(10..10, "0")]
            (def f - (binary + (int 1) x))

            def f = 1f
                    ^^ bad-number: a float needs a digit after its point: write `1.0f`
            fix: Write `1.0f` [(8..10, "1.0f")]
            (def f - (int 1))

            def f = 3abc
                     ^^^ bad-number: `abc` is not a number type: after its digits, a number can only have `f`, or a type such as `i32` or `f64`
            (def f - (int 3))

            def f = 0x10
                     ^^^ bad-number: numbers must be written in decimal
            (def f - (int 0))

            def f = 1_000
                     ^^^^ bad-number: there must be no `_` between the digits of a number
            (def f - (int 1))

            def f = 1.5i32
                       ^^^ bad-number: a number with a point or exponent is a float, not of type `i32`
            (def f - (float 1.5))

            def f = 99999999999999999999
                    ^^^^^^^^^^^^^^^^^^^^ bad-number: this number does not fit 64 bits
            (def f - (int 0))

            def f = -9223372036854775809
                     ^^^^^^^^^^^^^^^^^^^ bad-number: this number does not fit 64 bits
            (def f - (int 0))

            (def f - (int 18446744073709551615))

            def f = a < b < c
                          ^ ambiguous-operators: comparisons do not chain: join two with `&&`, as in `a < b && b < c`
            def f = a < b < c
                      ^ the first of the two operators
            (def f - (binary < (binary < a b) c))

            (def f - (binary == (paren (binary < a b)) c))

            def f = f >> g << h
                           ^^ ambiguous-operators: `>>` and `<<` side by side can be read in two ways: put parentheses around one of them
            def f = f >> g << h
                      ^^ the first of the two operators
            (def f - (binary << (binary >> f g) h))

            (def f - (binary << (paren (binary >> f g)) h))

            def f : n + 1.f32 = x
                      ^ syntax-error: a size with operators needs parentheses in a type: write `(n + 1).f32`
            fix: Write `(n + 1)` [(8..8, "("), (13..13, ")")]
            (def f n x)

            (def f (array (paren (binary + n (int 1))) (scalar f32)) x)

            def f where 4 | n = x
                  ^^^^^ syntax-error: `where` must come after a type: write the type of the definition, or write the conditions before the `def`, as `@assume(4 | n)`
            (def f (missing) x)

            def f : n.f32 where = x
                              ^ syntax-error: expected a condition on sizes after `where`
            (def f (where (array n (scalar f32)) (missing)) x)

            def f : n.f32 where 4 | n, = x
                                     ^ syntax-error: expected a condition on sizes after `,`
            (def f (where (array n (scalar f32)) (binary | (int 4) n) (missing)) x)

            def f : (n.f32 where 4 | n -> m.f32 = x
                                       ^^ syntax-error: `where` and its conditions must come after the whole type
            help: write the rest of the type first: `n.f32 -> f32 where 4 | n`
            (def f (paren (where (array n (scalar f32)) (binary | (int 4) n))) x)

            (def f (where (pi (n Nat) (array n (scalar f32))) (binary | (int 4) n) (binary | (binary + n (int 1)) m)) x)

            (def f (arrow (paren (where (pi (n Nat) (arrow (array n (scalar f32)) (scalar f32))) (binary >= n (int 1)))) (scalar f32)) (ascribe x (where (pi (n Nat) (scalar f32)) (binary == n (int 2)))))

            (def where - (binary + where divides))

            def f : Array(n, f32) = x
                         ^ syntax-error: `Array` takes brackets: write `Array[n, t]`
            fix: Write brackets [(13..14, "["), (20..21, "]")]
            (def f (Array n (scalar f32)) x)

            def f : Array[n] = x
                          ^ syntax-error: expected `,`: `Array` takes two arguments, as in `Array[n, t]`
            (def f (Array n (missing)) x)

            def f : fun(x => x) = y
                    ^^^ syntax-error: expected a type, found `fun`: the type of a function is written `s -> t`
            (def f (missing) y)

            def f : (n: Nat, m: Nat) -> n.m.f32 = x
                           ^ syntax-error: there can be only one parameter between these brackets of a type: write `(n: Nat) -> (m: Nat) -> …`
            (def f (pi (n Nat) (pi (m Nat) (array n (array m (scalar f32))))) x)

            def f : (n: nat) -> n.f32 = x
                        ^^^ syntax-error: `nat` is not a kind: did you mean `Nat`?
            fix: Write `Nat` [(12..15, "Nat")]
            (def f (pi (n Nat) (array n (scalar f32))) x)

            def f = depFun(n: f32 => n)
                              ^^^ syntax-error: expected a kind such as `Nat` or `DataType`, found `f32`
            help: `fun` binds parameters that are values
            (def f - (depFun ((n -)) n))

            def f = fun(n: Nat => n)
                           ^^^ syntax-error: `Nat` is a kind, and `fun` binds only values: bind sizes and types by a `depFun` around it
            fix: Bind sizes and types by `depFun` [(8..11, "depFun")]
            (def f - (fun ((n (missing))) n))

            def f = fun(f32 => x)
                        ^^^ reserved-name: `f32` is a reserved word: choose another name
            (def f - (fun (f32) x))

            (def f - (fun (-) x))

            def in = x
                ^^ reserved-name: `in` is a reserved word: choose another name
            (def in - x)

            def _ = x
                ^ syntax-error: `_` is a hole and cannot name a definition
            (def - - x)

            def f = let Nat = 3 in x
                        ^^^ reserved-name: `Nat` is a reserved word: choose another name
            (def f - (let Nat (int 3) x))

            def f = xs[3]
                      ^ syntax-error: arrays are not indexed with brackets: write `xs |> idx(i)`
            fix: Write `idx` [(8..13, "idx(3)(xs)")]
            (def f - xs)

            def f = fun(xs: f32[n] => xs)
                               ^ syntax-error: the size of an array must come before its elements: write `n.f32`
            fix: Write `n.f32` [(16..22, "n.f32")]
            (def f - (fun ((xs (array n (scalar f32)))) xs))

            def f = fun(x: i32 => cast(x) : f32)
                                          ^ syntax-error: a value and its type must be in parentheses: `(value : type)`
            (def f - (fun ((x (scalar i32))) (apply cast x)))

            def f = fun(x: i32 => g(x : i32))
                                      ^ syntax-error: a value and its type must be in parentheses: `(value : type)`
            (def f - (fun ((x (scalar i32))) (apply g x)))

            def f = [1, 2]
                    ^ syntax-error: arrays are not written in brackets: write `makeArray(2)(a, b)`
            (def f - (missing))

            def f = (a, b, c)
                         ^ syntax-error: a pair has two components: nest pairs, as in `(a, (b, c))`
            (def f - (pair a (pair b c)))

            def f = "text"
                    ^^^^^^ syntax-error: a string is not allowed here
            (def f - (missing))

            def f = a $ b
                      ^ syntax-error: `$` is not part of RISE: write `<|`
            fix: Write `<|` [(10..11, "<|")]
            (def f - (binary <| a b))

            def f = a → b
                      ^ syntax-error: `→` is not part of RISE: write `->`
            fix: Write `->` [(10..13, "->")]
            (def f - a)

            def f = a × b ≤ c
                      ^ syntax-error: `×` is not part of RISE: write `*`
            fix: Write `*` [(10..12, "*")]
            (def f - (binary <= (binary * a b) c))

            def f = a + b
                     ^ syntax-error: the character U+00A0 is not part of RISE
            (def f - (binary + a b))

            def f = a; b
                     ^ syntax-error: `;` is not part of RISE: a value is named by `let x = value in result`, and parameters are separated by `,`
            (def f - a)

            def f = a | b
                      ^ syntax-error: `|` is allowed only in conditions of `where` and `@assume`, where it means "divides": write `|>` for a pipeline and `||` for "or"; there are no bitwise operations
            (def f - (binary |> a b))

            def f = Nat
                    ^^^ syntax-error: `Nat` is a kind and is not allowed here
            (def f - (missing))

            def f = x in y
                      ^^ syntax-error: this `in` has no `let`
            (def f - x)

            def f = a /* b
                      ^^ unterminated: this comment is not closed: its end `*/` is missing
            (def f - a)

            def f = "abc
                    ^ unterminated: this string is not closed: `"` is missing on its line
            (def f - (missing))

            def f : f32 -> = x
                         ^ syntax-error: expected a type after `->`
            (def f (arrow (scalar f32) (missing)) x)

            def f = (|>)
                     ^^ syntax-error: `|>` is not a function by itself
            (def f - (missing))

            def f = x -> x
                      ^^ syntax-error: unexpected `->` after the definition: `->` is used in types, a function is written `fun(x => …)`
            (def f - x)

        "#]],
    );
}

#[test]
fn other_items() {
    check(
        &[
            "import",
            "import \"a.rise",
            "import \"a\\q.rise\"",
            "import \"a\\n\\\"\\\\.rise\"",
            "import a",
            "@",
            "@target",
            "@target(c",
            "@target(c\ndef f = g(x)",
            "@target(\nforeign def g(x: f32): f32",
            "@target(c) x def f = 1",
            "@target(c)\n@run(n = 1024, m = 512)\ndef f = 1",
            "@opencl(local = [64, 1, 1], global = [n, 1, 1]) def f = 1",
            "@assume(4 | w, w >= 12, 4 | (w + 1))\ndef f = 1",
            "@strategy(\"file.elevate\", name) def f = 1",
            "@run(n = , m = 2) def f = 1",
            "@run(n = [1, ) def f = 1",
            "foreign",
            "foreign f",
            "foreign def",
            "foreign def f",
            "foreign def f(",
            "foreign def f(x",
            "foreign def f(x: f32",
            "foreign def f(x: f32)",
            "foreign def f(x: f32):",
            "foreign def f(x: f32): f32",
            "foreign def f(x: f32): f32 =",
            "foreign def f(x: f32): f32 = \"\"\"{ return x; }\"\"\"",
            "foreign def f(x: f32, y: Vec[4, f32]): (f32, f32) = \"\"\"{ return x; }\"\"\" z",
            "foreign def f(x: f32): f32 = \"\"\"{ return",
            "foreign def f(x: f32): f32 = \"{ return x; }\"",
            "foreign def f(x: f32): f32 = \"\"\"{\n  return x;\n}\"\"\" = \"\"\"{\n}\"\"\"",
            "def f = \"\"\"{\n}\"\"\" x",
            "foreign def f(): f32",
            "foreign def f(x): f32",
        ],
        expect![[r#"
            import
                 ^ syntax-error: expected a path in quotes after `import`
            (import -)

            import "a.rise
                   ^ unterminated: this string is not closed: `"` is missing on its line
            (import -)

            import "a\q.rise"
                     ^^ syntax-error: `\q` means nothing in a string: there are `\"`, `\\`, `\n` and `\t`
            (import "a.rise")

            (import "a\n\"\\.rise")

            import a
                   ^ syntax-error: expected the path of a file in quotes, as in `import "a.rise"`
            fix: Write `"a.rise"` [(7..8, "\"a.rise\"")]
            (import -)

            @
            ^ syntax-error: expected the name of an annotation after `@`
            (stray)

            @target
                  ^ syntax-error: expected `def` or `foreign def` after the annotation
            (stray)

            @target(c
                    ^ syntax-error: expected `)` to close this `(`
            @target(c
                   ^ this `(` is not closed
            fix: Insert `)` [(9..9, ")")]
            (stray)

            @target(c
                    ^ syntax-error: expected `)` to close this `(`
            @target(c
                   ^ this `(` is not closed
            (def (@ target c) f - (apply g x))

            @target(
                   ^ syntax-error: expected an argument after `(`
            (foreign (@ target (missing)) g ((x (scalar f32))) (scalar f32) -)

            @target(c) x def f = 1
                       ^ syntax-error: unexpected `x` after the annotation: a `def` follows it
            (def (@ target c) f - (int 1))

            (def (@ target c) (@ run (= n (int 1024)) (= m (int 512))) f - (int 1))

            (def (@ opencl (= local (list (int 64) (int 1) (int 1))) (= global (list n (int 1) (int 1)))) f - (int 1))

            (def (@ assume (binary | (int 4) w) (binary >= w (int 12)) (binary | (int 4) (paren (binary + w (int 1))))) f - (int 1))

            (def (@ strategy "file.elevate" name) f - (int 1))

            @run(n = , m = 2) def f = 1
                   ^ syntax-error: expected an expression after `=`
            (def (@ run (= n (missing)) (= m (int 2))) f - (int 1))

            @run(n = [1, ) def f = 1
                       ^ syntax-error: expected an argument after `,`
            (def (@ run (= n (list (int 1) (missing)))) f - (int 1))

            foreign
                  ^ syntax-error: expected `def` after `foreign`
            help: a function of C is declared as in `foreign def hypot(x: f32, y: f32): f32`
            (foreign - () (missing) -)

            foreign f
                  ^ syntax-error: expected `def` after `foreign`
            help: a function of C is declared as in `foreign def hypot(x: f32, y: f32): f32`
            (foreign f () (missing) -)

            foreign def
                      ^ syntax-error: expected a name after `def`
            (foreign - () (missing) -)

            foreign def f
                        ^ syntax-error: expected `(` and the parameters after `f`
            help: a function of C is declared as in `foreign def hypot(x: f32, y: f32): f32`
            (foreign f () (missing) -)

            foreign def f(
                         ^ syntax-error: expected a parameter after `(`
            (foreign f ((- (missing))) (missing) -)

            foreign def f(x
                          ^ syntax-error: expected `:` and the type of the parameter `x`, which is not inferred
            (foreign f ((x (missing))) (missing) -)

            foreign def f(x: f32
                               ^ syntax-error: expected `)` to close this `(`
            foreign def f(x: f32
                         ^ this `(` is not closed
            fix: Insert `)` [(20..20, ")")]
            (foreign f ((x (scalar f32))) (missing) -)

            foreign def f(x: f32)
                                ^ syntax-error: expected `:` and the result type after `)`
            help: a function of C is declared as in `foreign def hypot(x: f32, y: f32): f32`
            (foreign f ((x (scalar f32))) (missing) -)

            foreign def f(x: f32):
                                 ^ syntax-error: expected a type after `:`
            (foreign f ((x (scalar f32))) (missing) -)

            (foreign f ((x (scalar f32))) (scalar f32) -)

            foreign def f(x: f32): f32 =
                                       ^ syntax-error: expected the function's body in C between three quotes, as in `"""{ return x; }"""`
            (foreign f ((x (scalar f32))) (scalar f32) -)

            (foreign f ((x (scalar f32))) (scalar f32) "{ return x; }")

            foreign def f(x: f32, y: Vec[4, f32]): (f32, f32) = """{ return x; }""" z
                                                                                    ^ syntax-error: unexpected `z` after the foreign function
            (foreign f ((x (scalar f32)) (y (Vec (int 4) (scalar f32)))) (pair (scalar f32) (scalar f32)) "{ return x; }")

            foreign def f(x: f32): f32 = """{ return
                                         ^^^ unterminated: this text is not closed: its end `"""` is missing
            (foreign f ((x (scalar f32))) (scalar f32) -)

            foreign def f(x: f32): f32 = "{ return x; }"
                                         ^^^^^^^^^^^^^^^ syntax-error: expected the function's body in C between three quotes, as in `"""{ return x; }"""`
            fix: Put the body between three quotes [(29..44, "\"\"\"{ return x; }\"\"\"")]
            (foreign f ((x (scalar f32))) (scalar f32) -)

            }""" = """{
                 ^ syntax-error: unexpected `=` after the foreign function
            (foreign f ((x (scalar f32))) (scalar f32) "{\n  return x;\n}")

            def f = """{
                    ^^^^ syntax-error: a string is not allowed here
            (def f - (missing))

            foreign def f(): f32
                         ^ syntax-error: expected a parameter after `(`
            (foreign f ((- (missing))) (scalar f32) -)

            foreign def f(x): f32
                          ^ syntax-error: expected `:` and the type of the parameter `x`, which is not inferred
            (foreign f ((x (missing))) (scalar f32) -)

        "#]],
    );
}

#[test]
fn patterns_where_one_name_is_bound() {
    check(
        &[
            "def f = fun(((a, b), c) => a + b * c)",
            "def f = fun((a, b), c => a + b * c)",
            "def f = fun(x, (a, b) => a + x)",
            "def f = fun((x, (a: f32, b)) => a + x)",
            "def f = fun((a, b), (c, d) => a + c)",
            "def f = fun(x, (a, (b, c)) => fun(b => a + b)(c))",
            "def f = fun(p, (a, b) => fun(q => a + p)(b))",
            "def f = fun(((a, b)) => a + b)",
            "def f = fun(((a, b, c), d) => a)",
            "def f = fun((_, b), c => b)",
            "def f = fun(x => let (a, b) = x in a + b)",
            "def f = let (a)(fun(b => b))",
            "def f = depFun((n: Nat), m: Nat => n)",
            "def f = fun(xs |> (a, b), c)",
        ],
        expect![[r#"
            (def f - (fun ((pattern a b) c) (binary + a (binary * b c))))

            (def f - (fun ((pattern a b) c) (binary + a (binary * b c))))

            (def f - (fun (x (pattern a b)) (binary + a x)))

            (def f - (fun (x (pattern (a (scalar f32)) b)) (binary + a x)))

            (def f - (fun ((pattern a b) (pattern c d)) (binary + a c)))

            (def f - (fun (x (pattern a (pattern b c))) (apply (fun (b) (binary + a b)) c)))

            (def f - (fun (p (pattern a b)) (apply (fun (q) (binary + a p)) b)))

            (def f - (fun ((pattern a b)) (binary + a b)))

            def f = fun(((a, b, c), d) => a)
                         ^^^^^^^^^ syntax-error: a pattern has two parts: nest patterns, as in `(a, (b, c))`
            (def f - (fun ((pattern a b c) d) a))

            (def f - (fun ((pattern - b) c) b))

            (def f - (fun (x) (let (pattern a b) x (binary + a b))))

            (def f - (apply (apply let a) (fun (b) b)))

            def f = depFun((n: Nat), m: Nat => n)
                                  ^ syntax-error: expected `=>` after the parameters of `depFun`
            def f = depFun((n: Nat), m: Nat => n)
                    ^^^^^^ this `depFun` is written `depFun(n: Nat => …)`
            (def f - (depFun ((n Nat)) n))

            def f = fun(xs |> (a, b), c)
                         ^ syntax-error: expected `=>` after the parameters of `fun`
            def f = fun(xs |> (a, b), c)
                    ^^^ this `fun` is written `fun(x => …)`
            (def f - (fun (xs) (binary |> (missing) (pair a b))))

        "#]],
    );
}

#[test]
fn conditions_without_a_type() {
    check(
        &[
            "def f : where n >= 4 = 1.0f",
            "def f : where 4 | n = 1.0f",
            "def f = fun((xs: where 4 | n) => xs)",
            "def f = (x : where n >= 4)",
            "def f = fun(xs: n.f32 where 4 | n => xs)",
            "def f = fun(xs => xs) where 4 | n",
            "def f : n.f32 where n = 4 = 1.0f",
            "def f : n.f32 where n = 2 * (m + 1), m = 4 = let x = 1 in x",
            "def f : n.f32 where n = 4",
            "def f = (x : n.f32 where n = 4)",
            "def f : n.f32 where n == 4 = let x = 1 in x",
            "def f : n.f32 where n = depFun(m: Nat => m)",
            "def f : (where: DataType) -> where = where",
            "def f : (n: Nat) -> n.f32 where 4 | n -> f32 = 1.0f",
            "def f : (n: Nat) -> n.f32 where n = 4 -> f32 = 1.0f",
        ],
        expect![[r#"
            def f : where n >= 4 = 1.0f
                  ^ syntax-error: expected a type between `:` and `where`
            help: conditions come after the type, as in `(n: Nat) -> n.f32 -> f32 where 4 | n`
            (def f (where (missing) (binary >= n (int 4))) (float 1.0 f32))

            def f : where 4 | n = 1.0f
                  ^ syntax-error: expected a type between `:` and `where`
            help: conditions come after the type, as in `(n: Nat) -> n.f32 -> f32 where 4 | n`
            (def f (where (missing) (binary | (int 4) n)) (float 1.0 f32))

            def f = fun((xs: where 4 | n) => xs)
                           ^ syntax-error: expected a type between `:` and `where`
            help: conditions come after the type, as in `(n: Nat) -> n.f32 -> f32 where 4 | n`
            (def f - (fun ((xs (where (missing) (binary | (int 4) n)))) xs))

            def f = (x : where n >= 4)
                       ^ syntax-error: expected a type between `:` and `where`
            help: conditions come after the type, as in `(n: Nat) -> n.f32 -> f32 where 4 | n`
            (def f - (ascribe x (where (missing) (binary >= n (int 4)))))

            def f = fun(xs: n.f32 where 4 | n => xs)
                                  ^^^^^ syntax-error: `where` is not allowed after a parameter's type
            help: conditions come after the definition's type, as in `def f : (n: Nat) -> n.f32 -> f32 where 4 | n = …`, or before the `def` as `@assume(4 | n)`
            (def f - (fun ((xs (where (array n (scalar f32)) (binary | (int 4) n)))) xs))

            def f = fun(xs => xs) where 4 | n
                                  ^^^^^ syntax-error: `where` is not allowed after the definition's value
            help: conditions come after the definition's type, as in `def f : (n: Nat) -> n.f32 -> f32 where 4 | n = …`, or before the `def` as `@assume(4 | n)`
            (def f - (fun (xs) xs))

            def f : n.f32 where n = 4 = 1.0f
                                  ^ syntax-error: `=` is only for definitions: write `==` to compare two values
            fix: Write `==` [(22..23, "==")]
            (def f (where (array n (scalar f32)) (binary == n (int 4))) (float 1.0 f32))

            def f : n.f32 where n = 2 * (m + 1), m = 4 = let x = 1 in x
                                  ^ syntax-error: `=` is only for definitions: write `==` to compare two values
            fix: Write `==` [(22..23, "==")]
            (def f (where (array n (scalar f32)) (binary == n (binary * (int 2) (paren (binary + m (int 1))))) (binary == m (int 4))) (let x (int 1) x))

            def f : n.f32 where n = 4
                                  ^ syntax-error: `=` is only for definitions: write `==` to compare two values
            fix: Write `==` [(22..23, "==")]
            (def f (where (array n (scalar f32)) (binary == n (int 4))) (missing))

            def f = (x : n.f32 where n = 4)
                                       ^ syntax-error: `=` is only for definitions: write `==` to compare two values
            fix: Write `==` [(27..28, "==")]
            (def f - (ascribe x (where (array n (scalar f32)) (binary == n (int 4)))))

            (def f (where (array n (scalar f32)) (binary == n (int 4))) (let x (int 1) x))

            (def f (where (array n (scalar f32)) n) (depFun ((m Nat)) m))

            (def f (pi (where DataType) where) where)

            def f : (n: Nat) -> n.f32 where 4 | n -> f32 = 1.0f
                                                  ^^ syntax-error: `where` and its conditions must come after the whole type
            help: write the rest of the type first: `n.f32 -> f32 where 4 | n`
            (def f (where (pi (n Nat) (array n (scalar f32))) (binary | (int 4) n)) (float 1.0 f32))

            def f : (n: Nat) -> n.f32 where n = 4 -> f32 = 1.0f
                                              ^ syntax-error: `=` is only for definitions: write `==` to compare two values
            fix: Write `==` [(34..35, "==")]
            (def f (where (pi (n Nat) (array n (scalar f32))) (binary == n (int 4))) (float 1.0 f32))

        "#]],
    );
}

#[test]
fn habits_from_languages_with_methods_and_loops() {
    check(
        &[
            "def f = fun(xs => xs.map(g))",
            "def f = fun(xs => xs.length)",
            "def f = fun(xs => for (i in 0..4) xs)",
            "def f = fun(xs => for i in xs)",
            "def f = fun(for => for(1))",
            "def f = fun(x => return x + 1.0f)",
            "def f = fun(return => return)",
            "def f = fun(x => x > 0.0f and x < 1.0f)",
            "def f = and(a)(b)",
            "def f = fun(x => x ** 2.0f)",
            "def f = fun(x => { x })",
            "def f = fun(x => x > 0.0f ? x : 0.0f)",
            "def f = fun(x => let y = x; y)",
            "def f = fun(p => fst p)",
            "def f = fun(p => (snd p))",
            "def f = map(fun(p => g p 3))",
            "def f = depFun(n: Nat, fun(xs: n.f32 => xs))",
            "def f = fun((x, y), fun(z => z))",
            "def f : n:Nat -> n.f32 = 3",
        ],
        expect![[r#"
            def f = fun(xs => xs.map(g))
                                ^^^^ syntax-error: values have no component `map`: expected `_1` or `_2` after the `.`, the components of a pair
            help: to apply a function to the value, write `… |> map(…)`
            fix: Write `|>` [(20..21, " |> ")]
            (def f - (fun (xs) (apply (missing) g)))

            def f = fun(xs => xs.length)
                                ^^^^^^^ syntax-error: values have no component `length`: expected `_1` or `_2` after the `.`, the components of a pair
            (def f - (fun (xs) (missing)))

            def f = fun(xs => for (i in 0..4) xs)
                              ^^^ syntax-error: there is no `for`: write patterns such as `map` and `reduce`
            help: `xs |> map(fun(x => …))` computes with each element of an array, and `generate(fun(i => …))` with each index
            (def f - (fun (xs) (missing)))

            def f = fun(xs => for i in xs)
                              ^^^ syntax-error: there is no `for`: write patterns such as `map` and `reduce`
            help: `xs |> map(fun(x => …))` computes with each element of an array, and `generate(fun(i => …))` with each index
            (def f - (fun (xs) (missing)))

            (def f - (fun (for) (apply for (int 1))))

            def f = fun(x => return x + 1.0f)
                             ^^^^^^ syntax-error: there is no `return`: a function returns the value of its body
            fix: Remove `return` [(17..24, "")]
            (def f - (fun (x) (binary + x (float 1.0 f32))))

            (def f - (fun (return) return))

            def f = fun(x => x > 0.0f and x < 1.0f)
                                      ^^^ syntax-error: `and` is a function: the operator is written `&&`
            fix: Write `&&` [(26..29, "&&")]
            (def f - (fun (x) (binary && (binary > x (float 0.0 f32)) (binary < x (float 1.0 f32)))))

            (def f - (apply (apply and a) b))

            def f = fun(x => x ** 2.0f)
                                ^ syntax-error: there is no `**`: write `^` for a power of sizes, and for a power of values declare the function `foreign def pow(x: f32, y: f32): f32`
            (def f - (fun (x) (binary * x (float 2.0 f32))))

            def f = fun(x => { x })
                             ^ syntax-error: expected an expression, found `{`: write parentheses to group parts of an expression
            fix: Remove the braces [(17..19, ""), (20..22, "")]
            (def f - (fun (x) (missing)))

            def f = fun(x => x > 0.0f ? x : 0.0f)
                                      ^ syntax-error: `?` is not part of RISE: write `select(condition, then, else)`
            (def f - (fun (x) (binary > x (float 0.0 f32))))

            def f = fun(x => let y = x; y)
                                      ^ syntax-error: the value of a `let` is followed by `in`, not `;`
            fix: write `in` [(26..27, " in")]
            (def f - (fun (x) (let y x y)))

            def f = fun(p => fst p)
                                 ^ syntax-error: arguments must be in parentheses: write `fst(p)`
            fix: put the arguments in parentheses [(20..21, "("), (22..22, ")")]
            (def f - (fun (p) (apply fst p)))

            def f = fun(p => (snd p))
                                  ^ syntax-error: arguments must be in parentheses: write `snd(p)`
            fix: put the arguments in parentheses [(21..22, "("), (23..23, ")")]
            (def f - (fun (p) (paren (apply snd p))))

            def f = map(fun(p => g p 3))
                                   ^ syntax-error: arguments must be in parentheses: write `g(p)(3)`
            fix: put the arguments in parentheses [(22..23, "("), (24..25, ")("), (26..26, ")")]
            (def f - (apply map (fun (p) (apply g p (int 3)))))

            def f = depFun(n: Nat, fun(xs: n.f32 => xs))
                                 ^ syntax-error: the parameters of a function are followed by `=>`, not `,`
            fix: Write `=>` [(21..22, " =>")]
            (def f - (depFun ((n Nat)) (fun ((xs (array n (scalar f32)))) xs)))

            def f = fun((x, y), fun(z => z))
                              ^ syntax-error: the parameters of a function are followed by `=>`, not `,`
            fix: Write `=>` [(18..19, " =>")]
            (def f - (fun (x y) (fun (z) z)))

            def f : n:Nat -> n.f32 = 3
                     ^ syntax-error: a parameter of a type must be in parentheses: write `(n: Nat) -> …`
            (def f n (int 3))

        "#]],
    );
}
