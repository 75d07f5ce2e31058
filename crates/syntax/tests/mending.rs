//! Tests that the fixes of a syntax error result in a text without that error.

use expect_test::{Expect, expect};
use syntax::{Fix, parse};

/// Compares the error of each text, and the text after each fix.
fn check(texts: &[&str], expect: Expect) {
    let mut out = String::new();
    for text in texts {
        let parsed = parse(text);
        out.push_str(&format!("{text}\n"));
        for error in &parsed.diagnostics {
            out.push_str(&format!("    {}\n", error.message));
            for fix in &error.fixes {
                let mended = mended(text, fix);
                let again = parse(&mended).diagnostics;
                assert!(
                    again.iter().all(|next| next.message != error.message),
                    "{text}: {mended}"
                );
                out.push_str(&format!("    {} => {mended}\n", fix.title));
            }
        }
    }
    expect.assert_eq(&out);
}

/// Returns the text after the edits of a fix, which are in order.
fn mended(text: &str, fix: &Fix) -> String {
    let mut mended = text.to_owned();
    for (span, new) in fix.edits.iter().rev() {
        mended.replace_range(std::ops::Range::from(*span), new);
    }
    mended
}

#[test]
fn arguments_without_parentheses() {
    check(
        &[
            "def f = fun(xs => map g xs)",
            "def f = fun(xs => xs |> map fun(x => x))",
            "def f = fun(xs => map (g) xs)",
            "def f = fun(xs => xs |> map g |> reduce add 0.0f)",
            "def f = fun(xs => zip(xs, map (g h) xs))",
            "def f = fun(xs => let x = idx 0 xs in x)",
            "def f = fun(x => (fst x, g (h x) (+)))",
            "def f = fun(xs => zip(xs ys))",
            "def f = reduce(+)(0.0f)",
            "def f = fun(xs: n.f32 => xs mapSeq(fun(x => x)))",
            "def f = fun(xs => xs |> split(2) map(g) |> join)",
            "def f = fun(xs => xs map(g) reduce(add)(0.0f))",
            "def f = fun(g: (f32 -> f32) -> f32 => g map(h))",
            "def f = fun(xs => sum(xs, axis = 0))",
            "def f = fun(x => select(x = 1)(x)(0))",
            "def f = fun(xs n.f32 => xs)",
            "def f = fun(x => x >>> 1)",
            "foreign ef sqrt(x: f32): f32",
            "de helper = fun(x => x)",
        ],
        expect![[r#"
            def f = fun(xs => map g xs)
                arguments must be in parentheses: write `map(g)(xs)`
                put the arguments in parentheses => def f = fun(xs => map(g)(xs))
            def f = fun(xs => xs |> map fun(x => x))
                arguments must be in parentheses: write `map(fun(x => x))`
                put the arguments in parentheses => def f = fun(xs => xs |> map(fun(x => x)))
            def f = fun(xs => map (g) xs)
                arguments must be in parentheses: write `map (g)(xs)`
                put the arguments in parentheses => def f = fun(xs => map (g)(xs))
            def f = fun(xs => xs |> map g |> reduce add 0.0f)
                arguments must be in parentheses: write `map(g)`
                put the arguments in parentheses => def f = fun(xs => xs |> map(g) |> reduce(add)(0.0f))
            def f = fun(xs => zip(xs, map (g h) xs))
                expected `,` or `)` before `h`
                Insert `,` => def f = fun(xs => zip(xs, map (g, h) xs))
                Write `g(h)` => def f = fun(xs => zip(xs, map (g(h)) xs))
            def f = fun(xs => let x = idx 0 xs in x)
                arguments must be in parentheses: write `idx(0)(xs)`
                put the arguments in parentheses => def f = fun(xs => let x = idx(0)(xs) in x)
            def f = fun(x => (fst x, g (h x) (+)))
                arguments must be in parentheses: write `fst(x)`
                put the arguments in parentheses => def f = fun(x => (fst(x), g (h x) (+)))
            def f = fun(xs => zip(xs ys))
                expected `,` or `)` before `ys`
                Insert `,` => def f = fun(xs => zip(xs, ys))
                Write `xs(ys)` => def f = fun(xs => zip(xs(ys)))
            def f = reduce(+)(0.0f)
                an operator that is an argument must be in parentheses: `(+)`
                Write `(+)` => def f = reduce((+))(0.0f)
                Write `add` => def f = reduce(add)(0.0f)
            def f = fun(xs: n.f32 => xs mapSeq(fun(x => x)))
                expected `|>` before `mapSeq`
                Insert `|>` => def f = fun(xs: n.f32 => xs |> mapSeq(fun(x => x)))
            def f = fun(xs => xs |> split(2) map(g) |> join)
                expected `|>` before `map`
                Insert `|>` => def f = fun(xs => xs |> split(2) |> map(g) |> join)
            def f = fun(xs => xs map(g) reduce(add)(0.0f))
                expected `|>` before `map`
                Insert `|>` => def f = fun(xs => xs |> map(g) |> reduce(add)(0.0f))
            def f = fun(g: (f32 -> f32) -> f32 => g map(h))
                arguments must be in parentheses: write `g(map(h))`
                put the arguments in parentheses => def f = fun(g: (f32 -> f32) -> f32 => g(map(h)))
            def f = fun(xs => sum(xs, axis = 0))
                arguments have no names: write them in the order of the parameters
                Remove the name => def f = fun(xs => sum(xs, 0))
            def f = fun(x => select(x = 1)(x)(0))
                `=` is only for definitions: write `==` to compare two values
                Write `==` => def f = fun(x => select(x == 1)(x)(0))
            def f = fun(xs n.f32 => xs)
                expected `:` between the parameter `xs` and its type
                Insert `:` => def f = fun(xs: n.f32 => xs)
            def f = fun(x => x >>> 1)
                `>>>` is not an operator: RISE has no bit shifts
            foreign ef sqrt(x: f32): f32
                expected `def` after `foreign`, found `ef`
                Write `def` => foreign def sqrt(x: f32): f32
            de helper = fun(x => x)
                a definition begins with `def`, not `de`
                Write `def` => def helper = fun(x => x)
        "#]],
    );
}

#[test]
fn functions() {
    check(
        &[
            "def f = fun(x: f32 -> x + 1.0f)",
            "def f = fun(g: f32 -> f32 -> g(1.0f))",
            "def f = fun(g: f32 -> f32 => g(1.0f))",
            "def f = fun(x: f32) => x + 1.0f",
            "def f = fun(x: f32) -> x",
            "def f = fun x => x",
            "def f = fun(n: Nat, xs: n.f32 => xs)",
            "def f = depFun(n: Nat, xs: n.f32 => xs)",
            "def f = \\x y -> x",
            "def f = lambda x, y: x + y",
            "def f = λx. x",
            "def f = map(|x| x + 1.0f)",
            "def f = map(x => x + 1.0f, xs)",
            "def f = a => b => a",
            "def f = (x: f32) => x",
            "def f = g . h . i",
            "def f = g $ x",
            "def f = xs.map(g).reduce(add)(0.0f)",
        ],
        expect![[r#"
            def f = fun(x: f32 -> x + 1.0f)
                the parameters of `fun` are followed by `=>`, not `->`
                Write `=>` => def f = fun(x: f32 => x + 1.0f)
            def f = fun(g: f32 -> f32 -> g(1.0f))
                the parameters of `fun` are followed by `=>`, not `->`
                Write `=>` => def f = fun(g: f32 -> f32 => g(1.0f))
            def f = fun(g: f32 -> f32 => g(1.0f))
            def f = fun(x: f32) => x + 1.0f
                the parentheses of `fun` must enclose its body, too: write `fun(x => …)`
                Move the `)` behind the body => def f = fun(x: f32 => x + 1.0f)
            def f = fun(x: f32) -> x
                the parentheses of `fun` must enclose its body, too: write `fun(x => …)`
                Move the `)` behind the body => def f = fun(x: f32 => x)
            def f = fun x => x
                expected `(` after `fun`: write `fun(x => …)`
                Write the parentheses => def f = fun(x => x)
            def f = fun(n: Nat, xs: n.f32 => xs)
                `Nat` is a kind, and `fun` binds only values: bind sizes and types by a `depFun` around it
                Bind sizes and types by `depFun` => def f = depFun(n: Nat => fun(xs: n.f32 => xs))
            def f = depFun(n: Nat, xs: n.f32 => xs)
                expected a kind such as `Nat` or `DataType`, found `n`
                Bind sizes and types by `depFun` => def f = depFun(n: Nat => fun(xs: n.f32 => xs))
            def f = \x y -> x
                this is not the notation of a function: write `fun(x, y => …)`
                write `fun` => def f = fun(x, y => x)
            def f = lambda x, y: x + y
                this is not the notation of a function: write `fun(x, y => …)`
                write `fun` => def f = fun(x, y => x + y)
            def f = λx. x
                this is not the notation of a function: write `fun(x => …)`
                write `fun` => def f = fun(x => x)
            def f = map(|x| x + 1.0f)
                this is not the notation of a function: write `fun(x => …)`
                write `fun` => def f = map(fun(x => x + 1.0f))
            def f = map(x => x + 1.0f, xs)
                `=>` is part of a function: write `map(fun(x => …))`
                write `fun` => def f = map(fun(x => x + 1.0f), xs)
            def f = a => b => a
                `=>` is part of a function: write `fun(x => …)`
                write `fun` => def f = fun(a => fun(b => a))
            def f = (x: f32) => x
                `=>` is part of a function: write `fun(x => …)`
                write `fun` => def f = fun((x: f32) => x)
            def f = g . h . i
                functions are composed with `<<`, or with `>>` in the order in which they are applied
                Write `<<` => def f = g << h << i
            def f = g $ x
                `$` is not part of RISE: write `<|`
                Write `<|` => def f = g <| x
            def f = xs.map(g).reduce(add)(0.0f)
                values have no component `map`: expected `_1` or `_2` after the `.`, the components of a pair
                Write `|>` => def f = xs |> map(g) |> reduce(add)(0.0f)
        "#]],
    );
}

#[test]
fn definitions() {
    check(
        &[
            "def f(x: f32): f32 = x",
            "def f(x) = x // the same\n",
            "def f(n: Nat, m: Nat)(xs: n.m.f32, g: f32 -> f32): n.m.f32 = xs",
            "def f x y = x + y",
            "def f(a: f32) x y: f32 = x + y",
            "def f() = 1.0f",
            "def f[n: Nat](xs: n.f32) = xs",
            "def f[n](xs: n.f32) = xs",
            "def f{n}(xs: n.f32) = xs",
            "def f(x: f32) -> f32 = x",
            "def f(x: f32) where 4 | n = x",
            "def f(x: f32): where 4 | n = x",
            "def f(x f32): f32 = x",
            "def f(f32 x): f32 = x",
            "def f(x y): f32 = x",
            "def f((a, b): (f32, f32)): f32 = a",
            "def f(_: f32): f32 = 1.0f",
            "def f(x: f32):: f32 = x",
            "def f(x: f32) := x",
            "def f(inout x: f32): f32 = x",
            "def f(inout n: Nat): f32 = x",
            "def f(n: Natural)(xs: n.f32) = xs",
            "def f{n: f32} = 1",
            "def f(x: f32) => x",
            "def f(x",
            "def f(x: n.",
            "def f(n: Nat)(",
            "def f(x: f32):",
            "def f(x) { return x }",
            "let x = 3",
            "val x = 3",
            "fn f(x: f32) -> f32 { x }",
            "type T = f32",
            "def f :: f32 = 3.0f",
            "def f := 3",
            "def f : f32 => f32 = id",
            "def f : f32 -> f32 => fun(x => let y = x in y)",
            "def f : (n: Nat) => n.f32 = x",
            "import library",
            "import my library",
            "# a comment",
            "-- a comment",
            "(* a comment *)",
            "def f = x -- the same value",
            "def f = 3;",
            "def f = fun(x => x;)",
        ],
        expect![[r#"
            def f(x: f32): f32 = x
            def f(x) = x // the same

            def f(n: Nat, m: Nat)(xs: n.m.f32, g: f32 -> f32): n.m.f32 = xs
            def f x y = x + y
                parameters must be in parentheses: write `def f(x, y) = …`
                Write parentheses => def f(x, y) = x + y
            def f(a: f32) x y: f32 = x + y
                parameters must be in parentheses: write `def f(x, y) = …`
                Write parentheses => def f(a: f32)(x, y): f32 = x + y
            def f() = 1.0f
                a definition without parameters has no parentheses
                Remove the parentheses => def f = 1.0f
            def f[n: Nat](xs: n.f32) = xs
                parameters are in parentheses, or in braces if they are inferred: write `(n: Nat)` or `{n: Nat}`
                Write braces => def f{n: Nat}(xs: n.f32) = xs
            def f[n](xs: n.f32) = xs
                parameters are in parentheses, or in braces if they are inferred: write `(n: Nat)` or `{n: Nat}`
            def f{n}(xs: n.f32) = xs
                expected `:` and the kind of `n`, as in `n: Nat`
            def f(x: f32) -> f32 = x
                the type of the result must come after `:`, not `->`
                Write `:` => def f(x: f32): f32 = x
            def f(x: f32) where 4 | n = x
                expected `:` and the type of the result before `where`
            def f(x: f32): where 4 | n = x
                expected a type between `:` and `where`
            def f(x f32): f32 = x
                expected `:` between the parameter `x` and its type
                Insert `:` => def f(x: f32): f32 = x
            def f(f32 x): f32 = x
                the type of a parameter follows its name: write `x: f32`
                Write `x: f32` => def f(x: f32): f32 = x
            def f(x y): f32 = x
                expected `,` between the parameters `x` and `y`
                Insert `,` => def f(x, y): f32 = x
            def f((a, b): (f32, f32)): f32 = a
            def f(_: f32): f32 = 1.0f
            def f(x: f32):: f32 = x
                expected `:`, found `::`
                Write `:` => def f(x: f32): f32 = x
            def f(x: f32) := x
                expected `=`, found `:=`
                Write `=` => def f(x: f32) = x
            def f(inout x: f32): f32 = x
            def f(inout n: Nat): f32 = x
                `inout` marks a value that is updated in place, and this is a size or type
            def f(n: Natural)(xs: n.f32) = xs
            def f{n: f32} = 1
                expected a kind such as `Nat` or `DataType`, found `f32`
            def f(x: f32) => x
                expected `=` before the definition's value, found `=>`
                Write `=` => def f(x: f32) = x
            def f(x
                expected `)` to close this `(`
                Insert `)` => def f(x)
            def f(x: n.
                expected a type after `.`
            def f(n: Nat)(
                expected a parameter after `(`
            def f(x: f32):
                expected a type after `:`
            def f(x) { return x }
                expected `=` and the definition's value after `)`
            let x = 3
                a definition begins with `def`, not `let`
                Write `def` => def x = 3
            val x = 3
                a definition begins with `def`, not `val`
                Write `def` => def x = 3
            fn f(x: f32) -> f32 { x }
                a definition begins with `def`, not `fn`
            type T = f32
                a type cannot be given a name: write the type where it is used
            def f :: f32 = 3.0f
                expected `:`, found `::`
                Write `:` => def f : f32 = 3.0f
            def f := 3
                expected `=`, found `:=`
                Write `=` => def f = 3
            def f : f32 => f32 = id
                the type of a function is written with `->`, not `=>`
                Write `->` => def f : f32 -> f32 = id
            def f : f32 -> f32 => fun(x => let y = x in y)
                expected `=` before the definition's value, found `=>`
                Write `=` => def f : f32 -> f32 = fun(x => let y = x in y)
            def f : (n: Nat) => n.f32 = x
                the type of a function is written with `->`, not `=>`
                Write `->` => def f : (n: Nat) -> n.f32 = x
            import library
                expected the path of a file in quotes, as in `import "library.rise"`
                Write `"library.rise"` => import "library.rise"
            import my library
                expected the path of a file in quotes, as in `import "my library.rise"`
            # a comment
                `#` does not begin a comment: write `//`, or `/* … */` around the comment
                Write `//` => // a comment
            -- a comment
                `--` does not begin a comment: write `//`, or `/* … */` around the comment
                Write `//` => // a comment
            (* a comment *)
                `(*` does not begin a comment: write `//`, or `/* … */` around the comment
            def f = x -- the same value
                `--` does not begin a comment: write `//`, or `/* … */` around the comment
                Write `//` => def f = x // the same value
            def f = 3;
                a definition does not end with `;`: remove it
                remove `;` => def f = 3
            def f = fun(x => x;)
                an expression does not end with `;`: remove it
                remove `;` => def f = fun(x => x)
        "#]],
    );
}

#[test]
fn values() {
    check(
        &[
            "def f = let x = 3; x + 1",
            "def f = let x = 3; y = 4 in x + y",
            "def f = let x = 3, y = 4 in x + y",
            "def f = let x = 3\n  x + 1",
            "def f = fun(a =>\n  val b = a in b)",
            "def f = xs[0][1]",
            "def f = xs[i, j + 1]",
            "def f = if (a) b else c",
            "def f = if (a) && b then c else d",
            "def f = fun(x => x if a else b)",
            "def f = .5f + x",
            "def f = 5. + x",
            "def f = 1.0F",
            "def f = 3L",
            "def f = +x",
            "def f = map(+ 1.0f)",
            "def f = x += 1",
            "def f = a & b",
            "def f = a & 1",
            "def f : 2*n.f32 = xs",
            "def f = x mod 2",
            "def f = (1.0f + 2.0f]",
            "def f = let a = g(x in a",
            "def f = fun((x, y => x)",
        ],
        expect![[r#"
            def f = let x = 3; x + 1
                the value of a `let` is followed by `in`, not `;`
                write `in` => def f = let x = 3 in x + 1
            def f = let x = 3; y = 4 in x + y
                the value of a `let` is followed by `in`, not `;`
                write `in let` => def f = let x = 3 in let y = 4 in x + y
            def f = let x = 3, y = 4 in x + y
                expected `in` after the value of `x`
                write `in let` => def f = let x = 3 in let y = 4 in x + y
            def f = let x = 3
              x + 1
                expected `in` after the value of `x`
                write `in` => def f = let x = 3 in
              x + 1
            def f = fun(a =>
              val b = a in b)
                a value is named by `let`, not `val`: `let x = value in result`
                Write `let` => def f = fun(a =>
              let b = a in b)
            def f = xs[0][1]
                arrays are not indexed with brackets: write `xs |> idx(i)`
                Write `idx` => def f = idx(1)(idx(0)(xs))
            def f = xs[i, j + 1]
                arrays are not indexed with brackets: write `xs |> idx(i)`
                Write `idx` => def f = idx(j + 1)(idx(i)(xs))
            def f = if (a) b else c
                there is no `if`: write `select(condition, then, else)`
                Write `select` => def f = select(a)(b)(c)
            def f = if (a) && b then c else d
                there is no `if`: write `select(condition, then, else)`
                Write `select` => def f = select((a) && b)(c)(d)
            def f = fun(x => x if a else b)
                there is no `if`: write `select(condition, then, else)`
            def f = .5f + x
                a float needs a digit before its point: write `0.5f`
                Write `0.5f` => def f = 0.5f + x
            def f = 5. + x
                a float needs a digit after its point: write `5.0`
                Write `5.0` => def f = 5.0 + x
            def f = 1.0F
                `F` is not a number type: write `1.0f`
                Write `1.0f` => def f = 1.0f
            def f = 3L
                `L` is not a number type: write `3i64`
                Write `3i64` => def f = 3i64
            def f = +x
                `+` must be between two operands: only `-` and `!` can be before a single operand
                Remove `+` => def f = x
            def f = map(+ 1.0f)
                an operator with one of its operands is not a function: write `fun(x => x + …)`
            def f = x += 1
                there is no `+=`: values never change; name a new value, as in `let y = x + 1 in …`
            def f = a & b
                `&` is not part of RISE: write `&&` to combine booleans; there are no bitwise operations
                Write `&&` => def f = a && b
            def f = a & 1
                `&` is not part of RISE, which has no bitwise operations
            def f : 2*n.f32 = xs
                a size with operators needs parentheses in a type: write `(2*n).f32`
                Write `(2*n)` => def f : (2*n).f32 = xs
            def f = x mod 2
                `mod` is a function: the operator is written `%`
                Write `%` => def f = x % 2
            def f = (1.0f + 2.0f]
                expected `)` to close this `(`
                Write `)` => def f = (1.0f + 2.0f)
            def f = let a = g(x in a
                expected `)` to close this `(`
                Insert `)` => def f = let a = g(x) in a
            def f = fun((x, y => x)
                expected `)` to close this `(`
                Insert `)` => def f = fun((x, y) => x)
        "#]],
    );
}

#[test]
fn types() {
    check(
        &[
            "def f = fun(xs: [n, f32] => xs)",
            "def f = fun(xs: [n, m, f32] => xs)",
            "def f = fun(xs: [f32; n + 1] => xs)",
            "def f = fun(xs: [[f32; n]; m] => xs)",
            "def f = fun(xs: [n][m]f32 => xs)",
            "def f = fun(xs: [f32] => xs)",
            "def f = fun(xs: f32[n][m] => xs)",
            "def f = fun(xs: f32[] => xs)",
            "def f = fun(xs: n f32 => xs)",
            "def f = fun(xs: n * f32 => xs)",
            "def f = fun(xs: Array[f32, n] => xs)",
            "def f = fun(xs: Array<n, f32> => xs)",
            "def f = fun(xs: Vec[k, t] => xs)",
            "def f = fun(xs: Array(n, f32) => xs)",
        ],
        expect![[r#"
            def f = fun(xs: [n, f32] => xs)
                an array type is written without brackets: write `n.f32`
                Write `n.f32` => def f = fun(xs: n.f32 => xs)
            def f = fun(xs: [n, m, f32] => xs)
                an array type is written without brackets: write `n.m.f32`
                Write `n.m.f32` => def f = fun(xs: n.m.f32 => xs)
            def f = fun(xs: [f32; n + 1] => xs)
                an array type is written without brackets: write `(n + 1).f32`
                Write `(n + 1).f32` => def f = fun(xs: (n + 1).f32 => xs)
            def f = fun(xs: [[f32; n]; m] => xs)
                an array type is written without brackets: write `m.n.f32`
                Write `m.n.f32` => def f = fun(xs: m.n.f32 => xs)
            def f = fun(xs: [n][m]f32 => xs)
                an array type is written without brackets: write `n.m.f32`
                Write `n.m.f32` => def f = fun(xs: n.m.f32 => xs)
            def f = fun(xs: [f32] => xs)
                an array type is its size, a `.` and the type of its elements: write `n.f32`
            def f = fun(xs: f32[n][m] => xs)
                the size of an array must come before its elements: write `n.m.f32`
                Write `n.m.f32` => def f = fun(xs: n.m.f32 => xs)
            def f = fun(xs: f32[] => xs)
                the size of an array must come before its elements: write `n.f32`
            def f = fun(xs: n f32 => xs)
                a `.` must be between the size of an array and the type of its elements, as in `n.f32`
                Write `.` => def f = fun(xs: n.f32 => xs)
            def f = fun(xs: n * f32 => xs)
                a `.` must be between the size of an array and the type of its elements, as in `n.f32`
                Write `.` => def f = fun(xs: n.f32 => xs)
            def f = fun(xs: Array[f32, n] => xs)
                `Array` takes the size first: write `Array[n, f32]`
                Swap the two => def f = fun(xs: Array[n, f32] => xs)
            def f = fun(xs: Array<n, f32> => xs)
                `Array` takes brackets: write `Array[n, t]`
                Write brackets => def f = fun(xs: Array[n, f32] => xs)
            def f = fun(xs: Vec[k, t] => xs)
            def f = fun(xs: Array(n, f32) => xs)
                `Array` takes brackets: write `Array[n, t]`
                Write brackets => def f = fun(xs: Array[n, f32] => xs)
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        &[
            "def f : n.f32 where 4 divide n = x",
            "def f : n.f32 where 4 | n and n > 4 and n < 9 = x",
            "def f : n.f32 where 4 | n && n > 4 && n < 9 = x",
            "def f : n.f32 where n > 4 or n < 9 = x",
            "def f : n.f32 where n % 4 = 0 = x",
            "def f : n.f32 where n mod 4 == 0 = x",
            "def f : n.f32 where 0 < n < 9 = x",
            "def f : n.f32 if n > 4 = x",
            "@assume(n > 4 && 4 divide n)\ndef f = x",
        ],
        expect![[r#"
            def f : n.f32 where 4 divide n = x
                expected `divides` between two sizes, found `divide`
                Write `divides` => def f : n.f32 where 4 divides n = x
            def f : n.f32 where 4 | n and n > 4 and n < 9 = x
                conditions on sizes are separated by `,`, not `and`
                Write `,` => def f : n.f32 where 4 | n, n > 4, n < 9 = x
            def f : n.f32 where 4 | n && n > 4 && n < 9 = x
                conditions on sizes are separated by `,`, not `&&`
                Write `,` => def f : n.f32 where 4 | n, n > 4, n < 9 = x
            def f : n.f32 where n > 4 or n < 9 = x
                there is no "or" in conditions on sizes: all conditions must hold
            def f : n.f32 where n % 4 = 0 = x
                `=` is only for definitions: write `==` to compare two values
                Write `==` => def f : n.f32 where n % 4 == 0 = x
            def f : n.f32 where n mod 4 == 0 = x
                `mod` is a function: the operator is written `%`
                Write `%` => def f : n.f32 where n % 4 == 0 = x
            def f : n.f32 where 0 < n < 9 = x
                comparisons do not chain: write two conditions, as in `a < b, b < c`
            def f : n.f32 if n > 4 = x
                conditions on sizes must come after `where`, not `if`
                Write `where` => def f : n.f32 where n > 4 = x
            @assume(n > 4 && 4 divide n)
            def f = x
                expected `divides` between two sizes, found `divide`
                Write `divides` => @assume(n > 4 && 4 divides n)
            def f = x
        "#]],
    );
}

#[test]
fn foreign_functions() {
    check(
        &[
            "foreign def f(x: f32): f32 = { return x; }",
            "foreign def f(x: f32): f32 { return x; }",
            "foreign def f(x: f32): f32 = \"{ return x; }\"",
            "foreign def f(x: f32): f32 = return x;",
            "foreign def f(x: f32): f32 = x * 2.0f",
            "foreign def f(x: f32): f32 \"\"\"{ return x; }\"\"\"",
            "foreign def f : f32 -> i32 -> f32",
            "foreign def f : f32",
            "foreign def f(f32, x: f32, i32): f32",
            "foreign def f(float y): f32",
            "foreign def f(x f32): f32",
            "foreign def f(x: f32) -> f32",
            "foreign def f(x: f32) f32",
            "foreign f(x: f32): f32",
            "foreign float f(float x)",
            "foreign def f(x: f32): f32;",
        ],
        expect![[r#"
            foreign def f(x: f32): f32 = { return x; }
                expected the function's body in C between three quotes, as in `"""{ return x; }"""`
                Put the body between three quotes => foreign def f(x: f32): f32 = """{ return x; }"""
            foreign def f(x: f32): f32 { return x; }
                expected the function's body in C between three quotes, as in `"""{ return x; }"""`
                Put the body between three quotes => foreign def f(x: f32): f32 = """{ return x; }"""
            foreign def f(x: f32): f32 = "{ return x; }"
                expected the function's body in C between three quotes, as in `"""{ return x; }"""`
                Put the body between three quotes => foreign def f(x: f32): f32 = """{ return x; }"""
            foreign def f(x: f32): f32 = return x;
                expected the function's body in C between three quotes, as in `"""{ return x; }"""`
                Put the body between three quotes => foreign def f(x: f32): f32 = """{ return x; }"""
            foreign def f(x: f32): f32 = x * 2.0f
                expected the function's body in C between three quotes, as in `"""{ return x; }"""`
                Put the body between three quotes => foreign def f(x: f32): f32 = """{ return x * 2.0f; }"""
            foreign def f(x: f32): f32 """{ return x; }"""
                expected `=` before the function's body
                Insert `=` => foreign def f(x: f32): f32 = """{ return x; }"""
            foreign def f : f32 -> i32 -> f32
                the parameters of a foreign function must have names: write `foreign def f(x: f32, y: i32): f32`
                Name the parameters => foreign def f(x: f32, y: i32): f32
            foreign def f : f32
                expected the parameters of `f` before its result
            foreign def f(f32, x: f32, i32): f32
                the parameter of a foreign function must have a name: write `y: f32`
                Name the parameters => foreign def f(y: f32, x: f32, x1: i32): f32
            foreign def f(float y): f32
                the type of a parameter must come after its name: write `y: f32`
                Write `y: f32` => foreign def f(y: f32): f32
            foreign def f(x f32): f32
                expected `:` and the type of the parameter `x`, which is not inferred
                Insert `:` => foreign def f(x: f32): f32
            foreign def f(x: f32) -> f32
                the result type of a foreign function must come after `:`, not `->`
                Write `:` => foreign def f(x: f32): f32
            foreign def f(x: f32) f32
                expected `:` before the result type
                Insert `:` => foreign def f(x: f32): f32
            foreign f(x: f32): f32
                expected `def` after `foreign`
                Insert `def` => foreign def f(x: f32): f32
            foreign float f(float x)
                expected `def` after `foreign`
            foreign def f(x: f32): f32;
                a definition does not end with `;`: remove it
                remove `;` => foreign def f(x: f32): f32
        "#]],
    );
}

#[test]
fn signs_and_words_of_other_languages() {
    check(
        &[
            "def f = fun(x => x as f32)",
            "def f = fun(x => (f32)x)",
            "def f = fun(x => (f32) x + 1.0f)",
            "def f = fun(x: f32 = x + 1.0f)",
            "def f = fun(x: f32 y: f32 => x + y)",
            "def f = depFun((n: Nat m: Nat) => x)",
            "def f = fun(x => y = x * x in y + 1.0f)",
            "def f = fun(a, b => a <> b)",
            "def f = “text”",
        ],
        expect![[r#"
            def f = fun(x => x as f32)
                a conversion is written `(cast(x) : f32)`
                Write `(cast(x) : f32)` => def f = fun(x => (cast(x) : f32))
            def f = fun(x => (f32)x)
                a conversion is written `(cast(x) : f32)`
                Write `(cast(x) : f32)` => def f = fun(x => (cast(x) : f32))
            def f = fun(x => (f32) x + 1.0f)
                a conversion is written `(cast(x) : f32)`
                Write `(cast(x) : f32)` => def f = fun(x => (cast(x) : f32) + 1.0f)
            def f = fun(x: f32 = x + 1.0f)
                the parameters of `fun` are followed by `=>`, not `=`
                Write `=>` => def f = fun(x: f32 => x + 1.0f)
            def f = fun(x: f32 y: f32 => x + y)
                expected `,` between the parameters `x` and `y`
                Insert `,` => def f = fun(x: f32, y: f32 => x + y)
            def f = depFun((n: Nat m: Nat) => x)
                expected `,` between the parameters `n` and `m`
                Insert `,` => def f = depFun((n: Nat, m: Nat) => x)
            def f = fun(x => y = x * x in y + 1.0f)
                a value is named by `let`: write `let y = …`
                Insert `let` => def f = fun(x => let y = x * x in y + 1.0f)
            def f = fun(a, b => a <> b)
                there is no `<>`: write `!=` to compare two values
                Write `!=` => def f = fun(a, b => a != b)
            def f = “text”
                `“` is not part of RISE: text must be between two `"`
        "#]],
    );
}

#[test]
fn signs_of_other_languages() {
    check(
        &[
            "def f = fun(x => ~x)",
            "def f = fun(x => ~g(x) + 1)",
            "def f = fun(x => x++)",
            "def f = fun(x => x-- + 1)",
            "def f = fun(x => ++x)",
            "def f = fun(xs, ys => xs ++ ys ++ xs)",
            "def f = fun(xs => xs !! 2 + 1)",
            "def f = fun(b => !!b)",
            "def f = fun(x => x +. 1.0)",
            "def f = fun(xs => xs .* 2.0f)",
        ],
        expect![[r#"
            def f = fun(x => ~x)
                `~` is not part of RISE: write `!` to negate a boolean, and `-x - 1` to invert the bits of an integer
                Write `!` => def f = fun(x => !x)
                Write `(-x - 1)` => def f = fun(x => (-x - 1))
            def f = fun(x => ~g(x) + 1)
                `~` is not part of RISE: write `!` to negate a boolean, and `-x - 1` to invert the bits of an integer
                Write `!` => def f = fun(x => !g(x) + 1)
                Write `(-g(x) - 1)` => def f = fun(x => (-g(x) - 1) + 1)
            def f = fun(x => x++)
                there is no `++`: values never change; write `x + 1` for a new value
                Write `+ 1` => def f = fun(x => x + 1)
            def f = fun(x => x-- + 1)
                there is no `--`: values never change; write `x - 1` for a new value
                Write `- 1` => def f = fun(x => x - 1 + 1)
            def f = fun(x => ++x)
                there is no `++`: values never change; write `x + 1` for a new value
                Write `(x + 1)` => def f = fun(x => (x + 1))
            def f = fun(xs, ys => xs ++ ys ++ xs)
                there is no `++`: write `concat(xs)(ys)` to join two arrays
                Write `concat(xs)(ys)` => def f = fun(xs, ys => concat(xs)(ys) ++ xs)
            def f = fun(xs => xs !! 2 + 1)
                there is no `!!`: write `xs |> idx(2)` for an element of an array
                Write `idx(2)(xs)` => def f = fun(xs => idx(2)(xs) + 1)
            def f = fun(b => !!b)
            def f = fun(x => x +. 1.0)
                there is no `+.`: numbers of all types have the same operators
                Remove `.` => def f = fun(x => x + 1.0)
            def f = fun(xs => xs .* 2.0f)
                there is no `.*`: operators work on single values, and `map` applies a function to each element of an array
        "#]],
    );
}

#[test]
fn words_of_other_languages() {
    check(
        &[
            "def f = fun(x => case x of 0 => 1 | _ => 2)",
            "def f = fun(x => match x { 0 => 1, _ => 2 })",
            "def f = fun(case => case(1))",
            "def f : forall n. n.f32 -> n.f32 = fun(xs => xs)",
            "def f : forall (n: Nat). n.f32 = 1",
            "def f : ∀ n. n.f32 = 1",
            "def f = fun(x => let mut y = x in y)",
            "def f<n: Nat> = fun(x => x)",
            "def f = fun(xs: &n.f32 => xs)",
            "def f = fun(xs => xs.T)",
            "def f = fun(xs => xs.sum())",
            "def f = fun(xs => xs[1:3])",
            "def f = fun(xs => [x for x in xs])",
            "def f = fun(xs => oclRun([64], [1])(xs))",
        ],
        expect![[r#"
            def f = fun(x => case x of 0 => 1 | _ => 2)
                there is no `case`: write `select(condition, then, else)`
            def f = fun(x => match x { 0 => 1, _ => 2 })
                there is no `match`: write `select(condition, then, else)`
            def f = fun(case => case(1))
            def f : forall n. n.f32 -> n.f32 = fun(xs => xs)
                there is no `forall`: sizes and types must be parameters of the type
            def f : forall (n: Nat). n.f32 = 1
                there is no `forall`: sizes and types must be parameters of the type
            def f : ∀ n. n.f32 = 1
                `∀` is not part of RISE: sizes and types that a type takes are its parameters, as in `(n: Nat) -> n.f32 -> f32`
            def f = fun(x => let mut y = x in y)
                there is no `mut`: the value of a `let` never changes
                Remove `mut` => def f = fun(x => let y = x in y)
            def f<n: Nat> = fun(x => x)
                sizes and types are parameters: write `def f(n: Nat) = …`
            def f = fun(xs: &n.f32 => xs)
                there are no reference types: write the type without `&`
                Remove `&` => def f = fun(xs: n.f32 => xs)
            def f = fun(xs => xs.T)
                values have no component `T`: expected `_1` or `_2` after the `.`, the components of a pair
                Write `|> transpose` => def f = fun(xs => xs |> transpose)
            def f = fun(xs => xs.sum())
                values have no component `sum`: expected `_1` or `_2` after the `.`, the components of a pair
                Write `|>` => def f = fun(xs => xs |> sum)
            def f = fun(xs => xs[1:3])
                a part of an array is written `xs |> drop(a) |> take(n)`: its `n` elements from `a` on
            def f = fun(xs => [x for x in xs])
                there are no list comprehensions: write `xs |> map(fun(x => …))`
            def f = fun(xs => oclRun([64], [1])(xs))
                launch sizes are not written in brackets: `oclRun(64, 1, 1)(n, 1, 1)` takes the local and then the global sizes, in three dimensions each
        "#]],
    );
}

#[test]
fn at_between_operands() {
    check(
        &[
            "def f = fun(x => g @ x)",
            "def f = map(g) @ map(h) @ k",
            "def f = fun(x => g @ h(x) + 1.0f)",
            "def f = g@h",
        ],
        expect![[r#"
            def f = fun(x => g @ x)
                `@` is not an operator: write `g(x)` to apply a function, or `g << x` to compose two functions
                Write `g(x)` => def f = fun(x => g(x))
                Write `g << x` => def f = fun(x => g << x)
            def f = map(g) @ map(h) @ k
                `@` is not an operator: write `map(g)(map(h))` to apply a function, or `map(g) << map(h)` to compose two functions
                Write `map(g)(map(h))` => def f = map(g)(map(h)) @ k
                Write `map(g) << map(h)` => def f = map(g) << map(h) @ k
            def f = fun(x => g @ h(x) + 1.0f)
                `@` is not an operator: write `g(h(x))` to apply a function, or `g << h(x)` to compose two functions
                Write `g(h(x))` => def f = fun(x => g(h(x)) + 1.0f)
                Write `g << h(x)` => def f = fun(x => g << h(x) + 1.0f)
            def f = g@h
                `@` is not an operator: write `g(h)` to apply a function, or `g << h` to compose two functions
                Write `g(h)` => def f = g(h)
                Write `g << h` => def f = g << h
        "#]],
    );
}

#[test]
fn blocks() {
    check(
        &[
            "def f = fun(x => { x + 1.0f })",
            "def f = { let y = 1.0f; let z = y; y * z }",
            "def f = fun(x => {\n  let y = x;\n  return y;\n})",
            "def f = fun(x => 2.0f * { x + 1.0f; })",
            "def f = fun(x => { var y = x; y })",
            "def f = fun(x => { y = x; y })",
            "def f = fun(x => {})",
            "def f = fun(x) { return x; }",
        ],
        expect![[r#"
            def f = fun(x => { x + 1.0f })
                expected an expression, found `{`: write parentheses to group parts of an expression
                Remove the braces => def f = fun(x => x + 1.0f)
            def f = { let y = 1.0f; let z = y; y * z }
                there are no blocks: to name a value, write `let x = value in result`, without braces and `;`
                Remove the braces => def f = let y = 1.0f in let z = y in y * z
            def f = fun(x => {
              let y = x;
              return y;
            })
                there are no blocks: to name a value, write `let x = value in result`, without braces and `;`
                Remove the braces => def f = fun(x =>
              let y = x in
              y)
            def f = fun(x => 2.0f * { x + 1.0f; })
                there are no blocks: to name a value, write `let x = value in result`, without braces and `;`
                Write parentheses => def f = fun(x => 2.0f * (x + 1.0f))
            def f = fun(x => { var y = x; y })
                there are no blocks: to name a value, write `let x = value in result`, without braces and `;`
                Remove the braces => def f = fun(x => let y = x in y)
            def f = fun(x => { y = x; y })
                there are no blocks: to name a value, write `let x = value in result`, without braces and `;`
            def f = fun(x => {})
                expected an expression, found `{`: write parentheses to group parts of an expression
            def f = fun(x) { return x; }
                expected `=>` after the parameters of `fun`
        "#]],
    );
}

#[test]
fn words_before_definitions() {
    check(
        &[
            "__global__",
            "inline",
            "public static",
            "extern",
            "kernel f = x",
        ],
        expect![[r#"
            __global__
                to make a kernel, write `@target(opencl)` before the definition, not `__global__`
                Write `@target(opencl)` => @target(opencl)
            inline
                a definition begins with `def`: `inline` cannot come before it
                Remove `inline` => 
            public static
                a definition begins with `def`: `public static` cannot come before it
                Remove `public static` => 
            extern
                to declare a function of C, write `foreign def`, not `extern def`
                Write `foreign` => foreign
            kernel f = x
                expected `def`, `foreign def` or `import`, found `kernel`
        "#]],
    );
}

#[test]
fn paths_in_other_quotes() {
    check(
        &[
            "import 'library.rise'",
            "import <library.rise>",
            "import “library.rise”",
            "import `library.rise`",
            "import 'library.rise",
        ],
        expect![[r#"
            import 'library.rise'
                the path of a file must be in double quotes: write `"library.rise"`
                Write `"library.rise"` => import "library.rise"
            import <library.rise>
                the path of a file must be in double quotes: write `"library.rise"`
                Write `"library.rise"` => import "library.rise"
            import “library.rise”
                the path of a file must be in double quotes: write `"library.rise"`
                Write `"library.rise"` => import "library.rise"
            import `library.rise`
                the path of a file must be in double quotes: write `"library.rise"`
                Write `"library.rise"` => import "library.rise"
            import 'library.rise
                `'` is not part of RISE: names are made of letters, digits and `_`
        "#]],
    );
}

#[test]
fn names_in_modules() {
    check(
        &[
            "def f = fun(x => np.maximum(x)(0.0f))",
            "def f = map(math.sqrt)",
            "def f = fun(x, y => std::max(x, y))",
            "def f = fun(x => tf.math.sin(x))",
            "def f = fun(np => np.maximum)",
            "def f = fun(x => (x : f32))",
        ],
        expect![[r#"
            def f = fun(x => np.maximum(x)(0.0f))
                there are no modules, so `np.maximum` cannot be found
                Write `maximum` => def f = fun(x => maximum(x)(0.0f))
            def f = map(math.sqrt)
                there are no modules, so `math.sqrt` cannot be found
                Write `sqrt` => def f = map(sqrt)
            def f = fun(x, y => std::max(x, y))
                there are no modules, so `std::max` cannot be found
                Write `max` => def f = fun(x, y => max(x, y))
            def f = fun(x => tf.math.sin(x))
                there are no modules, so `tf.math.sin` cannot be found
                Write `sin` => def f = fun(x => sin(x))
            def f = fun(np => np.maximum)
                values have no component `maximum`: expected `_1` or `_2` after the `.`, the components of a pair
            def f = fun(x => (x : f32))
        "#]],
    );
}

#[test]
fn numbers_of_other_languages() {
    check(
        &["def f = 070f", "def f = 3F", "def f = 000f"],
        expect![[r#"
            def f = 070f
                a float needs a digit after its point: write `70.0f`
                Write `70.0f` => def f = 70.0f
            def f = 3F
                a float needs a digit after its point: write `3.0f`
                Write `3.0f` => def f = 3.0f
            def f = 000f
                a float needs a digit after its point: write `0.0f`
                Write `0.0f` => def f = 0.0f
        "#]],
    );
}

#[test]
fn types_of_definitions_without_a_colon() {
    check(
        &[
            "def f (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs => xs))",
            "def f(n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32 = depFun((n: Nat, m: Nat) => fun(xs => xs))",
            "def f {n: Nat} -> n.f32 -> n.f32 = fun(xs => xs)",
            "def f 3.f32 -> f32 = fun(x => 1.0f)",
            "def f 3.4.f32 -> f32 = fun(x => 1.0f)",
            "def f f32 = 1.0f",
            "def f n.f32 = xs",
            "def f (n: Nat) -> n.f32 -> f32 = fun(xs => 1.0f)",
            "def f 3",
        ],
        expect![[r#"
            def f (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs => xs))
                expected `:` between `f` and its type
                Insert `:` => def f : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs => xs))
            def f(n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32 = depFun((n: Nat, m: Nat) => fun(xs => xs))
                expected `:` between `f` and its type
                Insert `:` => def f : (n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32 = depFun((n: Nat, m: Nat) => fun(xs => xs))
            def f {n: Nat} -> n.f32 -> n.f32 = fun(xs => xs)
                expected `:` between `f` and its type
                Insert `:` => def f : {n: Nat} -> n.f32 -> n.f32 = fun(xs => xs)
            def f 3.f32 -> f32 = fun(x => 1.0f)
                expected `:` between `f` and its type
                Insert `:` => def f : 3.f32 -> f32 = fun(x => 1.0f)
            def f 3.4.f32 -> f32 = fun(x => 1.0f)
                expected `:` between `f` and its type
                Insert `:` => def f : 3.4.f32 -> f32 = fun(x => 1.0f)
            def f f32 = 1.0f
                expected `:` between `f` and its type
                Insert `:` => def f : f32 = 1.0f
            def f n.f32 = xs
                expected `:` between `f` and its type
                Insert `:` => def f : n.f32 = xs
            def f (n: Nat) -> n.f32 -> f32 = fun(xs => 1.0f)
                the type of the result must come after `:`, not `->`
                Write `:` => def f (n: Nat): n.f32 -> f32 = fun(xs => 1.0f)
            def f 3
                expected `:` and a type, or `=` and a value, after `f`
        "#]],
    );
}

#[test]
fn results_without_in() {
    check(
        &[
            "def f = fun(x: f32 => let y = (x)x)",
            "def f = fun(x: f32 => let y = (x)z = 3 in z)",
            "def f = fun(x: f32 => let y = x,z = 3 in z)",
        ],
        expect![[r#"
            def f = fun(x: f32 => let y = (x)x)
                expected `in` after the value of `y`
                write `in` => def f = fun(x: f32 => let y = (x) in x)
            def f = fun(x: f32 => let y = (x)z = 3 in z)
                expected `in` after the value of `y`
                write `in let` => def f = fun(x: f32 => let y = (x) in let z = 3 in z)
            def f = fun(x: f32 => let y = x,z = 3 in z)
                expected `in` after the value of `y`
                write `in let` => def f = fun(x: f32 => let y = x in let z = 3 in z)
        "#]],
    );
}

#[test]
fn numbers_after_a_dot() {
    check(
        &[
            "def f = fun(x: f32 => max(x)(vec0.0f))",
            "def f = fun(x: n.0f => x)",
        ],
        expect![[r#"
            def f = fun(x: f32 => max(x)(vec0.0f))
                expected a size or type after the `.`, found `0f`
            def f = fun(x: n.0f => x)
                expected a size or type after the `.`, found `0f`
        "#]],
    );
}

#[test]
fn conversions_of_other_languages() {
    check(
        &[
            "def f = fun(x: i32 => cast[f32](x))",
            "def f = map(cast[f32])",
            "def f = fun(x: i32 => cast[f32](x + 1) + 1.0f)",
            "def f = fun(x: i32 => (float) x + 1.0f)",
            "def f = fun(x: i32 => (double)x)",
            "def f = fun(x: f32 => x as int)",
            "def f = fun(float => (float) x)",
        ],
        expect![[r#"
            def f = fun(x: i32 => cast[f32](x))
                a conversion is written `(cast(x) : f32)`
                Write `(cast(x) : f32)` => def f = fun(x: i32 => (cast(x) : f32))
            def f = map(cast[f32])
                a conversion is written `fun(x => (cast(x) : f32))`
                Write `fun(x => (cast(x) : f32))` => def f = map(fun(x => (cast(x) : f32)))
            def f = fun(x: i32 => cast[f32](x + 1) + 1.0f)
                a conversion is written `(cast(x + 1) : f32)`
                Write `(cast(x + 1) : f32)` => def f = fun(x: i32 => (cast(x + 1) : f32) + 1.0f)
            def f = fun(x: i32 => (float) x + 1.0f)
                a conversion is written `(cast(x) : f32)`
                Write `(cast(x) : f32)` => def f = fun(x: i32 => (cast(x) : f32) + 1.0f)
            def f = fun(x: i32 => (double)x)
                a conversion is written `(cast(x) : f64)`
                Write `(cast(x) : f64)` => def f = fun(x: i32 => (cast(x) : f64))
            def f = fun(x: f32 => x as int)
                a conversion is written `(cast(x) : i32)`
                Write `(cast(x) : i32)` => def f = fun(x: f32 => (cast(x) : i32))
            def f = fun(float => (float) x)
                arguments must be in parentheses: write `(float)(x)`
                put the arguments in parentheses => def f = fun(float => (float)(x))
        "#]],
    );
}

#[test]
fn comparisons_after_not() {
    check(
        &[
            "def f = fun(x, y => not x < y)",
            "def f = fun(x, y => select(not x < y && x > 0)(x)(y))",
            "def f = fun(x, y => not (x + 1) == y(0))",
            "def f = fun(x, y => g x + select(not x < y)(x)(y))",
            "def f = fun(x => not x)",
            "def f = fun(x => not x && y < z)",
        ],
        expect![[r#"
            def f = fun(x, y => not x < y)
                arguments must be in parentheses: write `not(x < y)`
                put the arguments in parentheses => def f = fun(x, y => not(x < y))
            def f = fun(x, y => select(not x < y && x > 0)(x)(y))
                arguments must be in parentheses: write `not(x < y)`
                put the arguments in parentheses => def f = fun(x, y => select(not(x < y) && x > 0)(x)(y))
            def f = fun(x, y => not (x + 1) == y(0))
            def f = fun(x, y => g x + select(not x < y)(x)(y))
                arguments must be in parentheses: write `g(x)`
                put the arguments in parentheses => def f = fun(x, y => g(x) + select(not(x < y))(x)(y))
            def f = fun(x => not x)
                arguments must be in parentheses: write `not(x)`
                put the arguments in parentheses => def f = fun(x => not(x))
            def f = fun(x => not x && y < z)
                arguments must be in parentheses: write `not(x)`
                put the arguments in parentheses => def f = fun(x => not(x) && y < z)
        "#]],
    );
}

#[test]
fn arguments_of_annotations() {
    check(
        &[
            "@run(n: 10)\ndef f = 3",
            "@opencl(local: [64], global : [n])\ndef f = 3",
        ],
        expect![[r#"
            @run(n: 10)
            def f = 3
                expected `=` between `n` and its value, found `:`
                Write `=` => @run(n = 10)
            def f = 3
            @opencl(local: [64], global : [n])
            def f = 3
                expected `=` between `local` and its value, found `:`
                Write `=` => @opencl(local = [64], global = [n])
            def f = 3
        "#]],
    );
}
