//! Tests of error recovery in ELEVATE: the messages, their spans, and the rest of the tree.

mod rendering;

use expect_test::{Expect, expect};
use rendering::render;
use rendering::sexpr_elevate::dump;
use syntax::elevate::{check_order, parse, split};

/// Compares the tree and the messages of each item, for one mistake in each.
fn check(text: &str, expect: Expect) {
    let mut out = String::new();
    for span in split(text) {
        let item = &text[std::ops::Range::from(span)];
        let parsed = parse(item);
        out.push_str(&dump(&parsed.item));
        out.push('\n');
        for diagnostic in &parsed.diagnostics {
            out.push_str(&render(item, diagnostic));
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn operators_without_an_operand() {
    check(
        "val a = b ;\nval c = d",
        expect![[r#"
            (val a - (binary ; b (missing)))
            val a = b ;
                      ^ syntax-error: expected a strategy after `;`: remove `;` at the end
            fix: Remove `;` [(10..11, "")]
            (val c - d)
        "#]],
    );
    check(
        "val a = (b ; ) <+ c",
        expect![[r#"
            (val a - (binary <+ (paren (binary ; b (missing))) c))
            val a = (b ; ) <+ c
                       ^ syntax-error: expected a strategy after `;`
            fix: Remove `;` [(11..12, "")]
        "#]],
    );
    check(
        "val a = ; b",
        expect![[r#"
        (val a - (binary ; (missing) b))
        val a = ; b
              ^ syntax-error: expected an expression after `=`
    "#]],
    );
    check(
        "val a = b @",
        expect![[r#"
            (val a - (binary @ b (missing)))
            val a = b @
                      ^ syntax-error: expected a strategy after `@`: remove `@` at the end
            fix: Remove `@` [(10..11, "")]
        "#]],
    );
    check(
        "val a = b ; ;; c",
        expect![[r#"
        (val a - (binary ;; (binary ; b (missing)) c))
        val a = b ; ;; c
                  ^ syntax-error: expected an expression after `;`
    "#]],
    );
    check(
        "splitJoin(32) @ outermost(isMap) `;`\n",
        expect![[r#"
            (main (binary ; (binary @ (call splitJoin (int 32)) (call outermost isMap)) (missing)))
            splitJoin(32) @ outermost(isMap) `;`
                                             ^^^ syntax-error: expected a strategy after `;`: remove `;` at the end
            fix: Remove `;` [(33..36, "")]
        "#]],
    );
}

#[test]
fn calls_behind_white_space() {
    check(
        "strategy f (s) = s",
        expect![[r#"
            (strategy f (s) - s)
            strategy f (s) = s
                       ^ syntax-error: the `(` of parameters follows the name without white space
            fix: Remove the white space [(10..11, "")]
        "#]],
    );
    check(
        "val a = f(g (x))",
        expect![[r#"
            (val a - (call f g))
            val a = f(g (x))
                        ^ syntax-error: there must be no white space between a function and the `(` of its arguments
            fix: Remove the white space [(11..12, "")]
        "#]],
    );
    check(
        "rule r = map(f (x)) |-> f",
        expect![[r#"
            (rule r (alt (apply map f) f))
            rule r = map(f (x)) |-> f
                           ^ syntax-error: there must be no white space between a function and the `(` of its arguments
            fix: Remove the white space [(14..15, "")]
        "#]],
    );
}

#[test]
fn attributes_and_operators() {
    check(
        "val a = b @outermost(isMap) ; c",
        expect![[r#"
            (val a - b)
            (@ outermost isMap) (stray)
            @outermost(isMap) ; c
            ^^^^^^^^^^ syntax-error: `@outermost` is an attribute, and no definition follows it: to apply `outermost` to the strategy before it, write `@ outermost`
            fix: Write `@ outermost` [(1..1, " ")]
        "#]],
    );
    check(
        "@title(\"x\")",
        expect![[r#"
        (@ title "x") (stray)
        @title("x")
                  ^ syntax-error: expected a definition after the attribute
    "#]],
    );
    check(
        "@title(\"x\") import \"a\"",
        expect![[r#"
        (@ title "x") (stray)
        @title("x")
                  ^ syntax-error: expected a definition after the attribute
        (import "a")
    "#]],
    );
}

#[test]
fn definitions() {
    check(
        "strategy = s",
        expect![[r#"
        (strategy - - s)
        strategy = s
               ^ syntax-error: expected a name after `strategy`
    "#]],
    );
    check(
        "strategy f(s) s",
        expect![[r#"
        (strategy f (s) - (missing))
        strategy f(s) s
                    ^ syntax-error: expected `=` and a strategy after `)`
    "#]],
    );
    check(
        "strategy f(s) => s",
        expect![[r#"
            (strategy f (s) - s)
            strategy f(s) => s
                          ^^ syntax-error: a definition has a `=` before its right side, not `=>`
            fix: Write `=` [(14..16, "=")]
        "#]],
    );
    check(
        "strategy match(s) = s",
        expect![[r#"
        (strategy match (s) - s)
        strategy match(s) = s
                 ^^^^^ reserved-name: `match` is a reserved word: choose another name
    "#]],
    );
    check(
        "val x(n) = n",
        expect![[r#"
        (val x - n)
        val x(n) = n
             ^ syntax-error: a `val` has no parameters: define a `strategy`
    "#]],
    );
    check(
        "rule r(n: Nat): Strategy = a |-> b",
        expect![[r#"
        (rule r ((n Nat)) (alt a b))
        rule r(n: Nat): Strategy = a |-> b
                      ^ syntax-error: a rule has no written type: the types of its sides are inferred
    "#]],
    );
    check(
        "unsafe strategy f = s",
        expect![[r#"
        (unsafe) (rule -)
        unsafe
             ^ syntax-error: expected `rule` after `unsafe`
        (strategy f - s)
    "#]],
    );
    check(
        "strategy f(s: f32) = s",
        expect![[r#"
        (strategy f ((s (missing))) - s)
        strategy f(s: f32) = s
                      ^^^ syntax-error: `f32` is a type of RISE: a program has type `Expr` here, a type of RISE itself is a `Type`
    "#]],
    );
    check(
        "tune s",
        expect![[r#"
        (tune s - - - -)
        tune s
             ^ syntax-error: expected `: Nat` after `s`
    "#]],
    );
    check(
        "tune s : Nat in 4",
        expect![[r#"
            (tune s Nat (between (int 4) (missing)) - -)
            tune s : Nat in 4
                            ^ syntax-error: expected `..` and the end of the range, as in `1..64`, after `4`
        "#]],
    );
    check(
        "foo = a ; b",
        expect![[r#"
        (main foo)
        foo = a ; b
            ^ syntax-error: unexpected `=`: a definition begins with `strategy`, `rule`, `val` or another of these words
    "#]],
    );
    check(
        "foreign def f(x: f32): f32",
        expect![[r#"
        (stray)
        foreign
        ^^^^^^^ syntax-error: foreign functions are defined in RISE, in `.rise` files
        (strategy f ((x (missing))) (missing) (missing))
        def f(x: f32): f32
                 ^^^ syntax-error: `f32` is a type of RISE: a program has type `Expr` here, a type of RISE itself is a `Type`
    "#]],
    );
}

#[test]
fn rules() {
    check(
        "rule r = map(f)",
        expect![[r#"
        (rule r (alt (apply map f) (missing)))
        rule r = map(f)
                      ^ syntax-error: expected `|->` and the right side of the rule after `)`
    "#]],
    );
    check(
        "rule r = map(f) -> mapSeq(f)",
        expect![[r#"
            (rule r (alt (apply map f) (apply mapSeq f)))
            rule r = map(f) -> mapSeq(f)
                            ^^ syntax-error: expected `|->` between the two sides of a rule, found `->`
            fix: Write `|->` [(16..18, "|->")]
        "#]],
    );
    check(
        "rule r = map(f) => mapSeq(f)",
        expect![[r#"
            (rule r (alt (apply map f) (apply mapSeq f)))
            rule r = map(f) => mapSeq(f)
                            ^^ syntax-error: expected `|->` between the two sides of a rule, found `=>`
            fix: Write `|->` [(16..18, "|->")]
        "#]],
    );
    check(
        "rule r = a |-> b | c |-> d",
        expect![[r#"
        (rule r (alt a b))
        rule r = a |-> b | c |-> d
                         ^ syntax-error: unexpected `|` after the rule: several alternatives must be in braces, as in `{ a |-> b | c |-> d }`
    "#]],
    );
    check(
        "rule r = { a |-> b, c |-> d }",
        expect![[r#"
            (rule r (alt a b) (alt c d))
            rule r = { a |-> b, c |-> d }
                              ^ syntax-error: alternatives are separated by `|`
            fix: Write `|` [(18..19, "|")]
        "#]],
    );
    check(
        "rule r = { a |-> b c |-> d }",
        expect![[r#"
        (rule r (alt a b))
        rule r = { a |-> b c |-> d }
                           ^ syntax-error: expected `|` or `}`, found `c`
    "#]],
    );
    check(
        "rule r = a |->",
        expect![[r#"
        (rule r (alt a (missing)))
        rule r = a |->
                     ^ syntax-error: expected an expression after `|->`
    "#]],
    );
    check(
        "rule r = |-> b",
        expect![[r#"
        (rule r (alt (missing) b))
        rule r = |-> b
               ^ syntax-error: expected an expression after `=`
    "#]],
    );
    check(
        "rule r = a |-> b : t",
        expect![[r#"
        (rule r (alt a b))
        rule r = a |-> b : t
                         ^ syntax-error: a type without parentheses is allowed only at the end of a pattern: write `(e : t)`
    "#]],
    );
    check(
        "rule r = map(f : t) |-> b",
        expect![[r#"
            (rule r (alt (apply map f) b))
            rule r = map(f : t) |-> b
                           ^ syntax-error: a value and its type must be in parentheses: `(value : type)`
        "#]],
    );
    check(
        "rule r = a |-> b ; c",
        expect![[r#"
        (rule r (alt a b))
        rule r = a |-> b ; c
                         ^ syntax-error: unexpected `;` after the rule: a rule has terms of RISE on both sides, `strategy` defines a strategy
    "#]],
    );
    check(
        "rule r = { a |-> b | c |->",
        expect![[r#"
        (rule r (alt a b) (alt c (missing)))
        rule r = { a |-> b | c |->
                                 ^ syntax-error: expected an expression after `|->`
    "#]],
    );
    check(
        "strategy s = a |-> b",
        expect![[r#"
            (strategy s - a)
            strategy s = a |-> b
                           ^^^ syntax-error: unexpected `|->` after the strategy: `|->` is allowed only in rules
        "#]],
    );
    check(
        "val x = map(f) >> map(g)",
        expect![[r#"
            (val x - (call map f))
            val x = map(f) >> map(g)
                           ^^ syntax-error: unexpected `>>` after the value: `>>` joins functions of RISE; write `;` to join strategies
        "#]],
    );
    check(
        "rule r = xs[3] |-> a.1",
        expect![[r#"
            (rule r (alt xs (project a _1)))
            rule r = xs[3] |-> a.1
                       ^ syntax-error: arrays are not indexed with brackets: write `xs |> idx(i)`
            fix: Write `idx` [(9..14, "idx(3)(xs)")]
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        "rule r = a |-> b where n",
        expect![[r#"
        (rule r (alt a b (where (missing))))
        rule r = a |-> b where n
                               ^ syntax-error: expected a condition such as `n divides m`, `x notIn f` or `n <= m`, found `n`
    "#]],
    );
    check(
        "rule r = a |-> b where n divides",
        expect![[r#"
        (rule r (alt a b (where (divides n (missing)))))
        rule r = a |-> b where n divides
                                       ^ syntax-error: expected an expression after `divides`
    "#]],
    );
    check(
        "rule r = a |-> b where f(x)(y)",
        expect![[r#"
        (rule r (alt a b (where (missing))))
        rule r = a |-> b where f(x)(y)
                               ^^^^^^^ syntax-error: expected a condition such as `n divides m`, `x notIn f` or `n <= m`, found `f(x)(y)`
    "#]],
    );
    check(
        "rule r = a |-> b where n <= m <= k",
        expect![[r#"
            (rule r (alt a b (where (<= (binary <= n m) k))))
            rule r = a |-> b where n <= m <= k
                                          ^^ ambiguous-operators: comparisons do not chain: join two with `&&`, as in `a <= b && b <= c`
            rule r = a |-> b where n <= m <= k
                                     ^^ the first of the two operators
        "#]],
    );
    check(
        "rule r = a |-> b where (n divides m or x notIn f) and !(n == m) && a : AddrSp",
        expect![[r#"
            (rule r (alt a b (where (and (and (paren (or (divides n m) (notIn x f))) (not (paren (== n m)))) (kind a AddrSp)))))
        "#]],
    );
    check(
        "rule r = a |-> b where holds(s)",
        expect![[r#"
        (rule r (alt a b (where (holds s (missing)))))
        rule r = a |-> b where holds(s)
                                     ^ syntax-error: expected `,` and a metavariable, as in `holds(isMap, f)`, after `s`
    "#]],
    );
    check(
        "rule r = a |-> b let n = m in c",
        expect![[r#"
            (rule r (alt a b (let n m)))
            rule r = a |-> b let n = m in c
                                       ^^ syntax-error: a `let` after a rule has no `in`: its name is in scope in the whole rule
        "#]],
    );
    check(
        "rule r = a |-> b where requires c == d",
        expect![[r#"
        (rule r (alt a b (where (missing)) (requires (== c d))))
        rule r = a |-> b where requires c == d
                             ^ syntax-error: expected an expression after `where`
    "#]],
    );
    check(
        "strategy s = a where n divides m",
        expect![[r#"
        (strategy s - a)
        strategy s = a where n divides m
                       ^^^^^ syntax-error: unexpected `where` after the strategy: conditions are allowed only in rules
    "#]],
    );
}

#[test]
fn matches() {
    check(
        "val a = x match { case y -> z }",
        expect![[r#"
            (val a - (match x (case (term y) z)))
            val a = x match { case y -> z }
                                     ^^ syntax-error: the pattern of a case is followed by `=>`, not `->`
            fix: Write `=>` [(25..27, "=>")]
        "#]],
    );
    check(
        "val a = x match { y => z case _ => w }",
        expect![[r#"
        (val a - (match x (case _ w)))
        val a = x match { y => z case _ => w }
                          ^ syntax-error: expected `case` or `}`, found `y`: a case is written `case p => e`
    "#]],
    );
    check(
        "val a = x match case y => z",
        expect![[r#"
            (val a - (match x))
            val a = x match case y => z
                          ^ syntax-error: expected `{` and the cases after `match`
            val a = x match case y => z
                      ^^^^^ a `match` is written `e match { case p => a  case _ => b }`
        "#]],
    );
    check(
        "val a = x match { case y => } ; b",
        expect![[r#"
        (val a - (binary ; (match x (case y (missing))) b))
        val a = x match { case y => } ; b
                                  ^ syntax-error: expected an expression after `=>`
    "#]],
    );
    check(
        "val a = x match { case y => z } ; b",
        expect![[r#"
            (val a - (binary ; (match x (case y z)) b))
            val a = x match { case y => z } ; b
                                            ^ syntax-error: `;` cannot follow a `match` directly: put parentheses around the `match`
            fix: Put parentheses around the `match` [(8..8, "("), (31..31, ")")]
        "#]],
    );
    check(
        "val a = x match { case Success(p, q) => z case app(f) => w }",
        expect![[r#"
            (val a - (match x (case (missing) z) (case (missing) w)))
            val a = x match { case Success(p, q) => z case app(f) => w }
                                   ^^^^^^^^^^^^^ syntax-error: `Success(p)` takes one pattern, found 2
        "#]],
    );
    check(
        "val a = x match { case y if c => z",
        expect![[r#"
            (val a - (match x (case y (if c) z)))
            val a = x match { case y if c => z
                                             ^ syntax-error: expected `}` to close this `{`
            val a = x match { case y if c => z
                            ^ this `{` is not closed
            fix: Insert `}` [(34..34, "}")]
        "#]],
    );
    check(
        "val a = if b then c",
        expect![[r#"
            (val a - (if b c (missing)))
            val a = if b then c
                              ^ syntax-error: expected `else` and a branch
            val a = if b then c
                    ^^ an `if` is written `if c then a else b`
        "#]],
    );
    check(
        "val a = with BENF a ; b",
        expect![[r#"
            (val a - (with BENF (missing)))
            val a = with BENF a ; b
                            ^ syntax-error: expected `{` and a strategy after `BENF`
        "#]],
    );
}

#[test]
fn words_of_rise() {
    check(
        "val a = let x = 1 in x",
        expect![[r#"
            (val a - (missing))
            val a = let x = 1 in x
                    ^^^ syntax-error: there is no `let` in strategies: name the value with `val`, or make it a parameter
        "#]],
    );
    check(
        "val a = f(Nat)",
        expect![[r#"
        (val a - (call f (missing)))
        val a = f(Nat)
                  ^^^ syntax-error: `Nat` is a type of ELEVATE or a kind: it must come after a `:`
    "#]],
    );
    check(
        "val a = ?f ; b",
        expect![[r#"
        (val a - (binary ; (missing) b))
        val a = ?f ; b
                ^^ syntax-error: `?f` is a metavariable: those are allowed only in rules and patterns
    "#]],
    );
    check(
        "rule r = ?f |-> `where`(x)",
        expect![[r#"
        (rule r (alt ?f (apply where x)))
    "#]],
    );
    check(
        "rule r = where(x) |-> y",
        expect![[r#"
            (rule r (alt (missing) (missing) (where (paren (missing)))))
            rule r = where(x) |-> y
                     ^^^^^ reserved-name: `where` is a reserved word: write it in backquotes to use it as a name
            fix: Put it in backquotes [(9..14, "`where`")]
        "#]],
    );
    check(
        "val a = “s”",
        expect![[r#"
            (val a - s)
            val a = “s”
                    ^ syntax-error: `“` is not part of ELEVATE: text must be between two `"`
        "#]],
    );
    check(
        "val a = `b ; c",
        expect![[r#"
        (val a - (missing))
        val a = `b ; c
                ^ unterminated: this backquote is not closed on its line
    "#]],
    );
    check(
        "val a = ``",
        expect![[r#"
            (val a - )
            val a = ``
                    ^^ syntax-error: expected a name between the backquotes
        "#]],
    );
    check(
        "rule r = a → b",
        expect![[r#"
            (rule r (alt a b))
            rule r = a → b
                       ^ syntax-error: `→` is not part of ELEVATE: write `->`
            fix: Write `->` [(11..14, "->")]
        "#]],
    );
}

#[test]
fn examples_and_headers() {
    check(
        "language fsmooth\nrule buildGet = (build n f)[i] |-> f i",
        expect![[r#"
            (language fsmooth)
            language fsmooth
                     ^^^^^^^ syntax-error: strategies for programs in `fsmooth` are not supported: the language is `rise`
            (rule buildGet (alt (paren build) f))
            rule buildGet = (build n f)[i] |-> f i
                                 ^ syntax-error: expected `)` to close this `(`
            rule buildGet = (build n f)[i] |-> f i
                            ^ this `(` is not closed
        "#]],
    );
    check(
        "traversal downwards",
        expect![[r#"
            (traversal -)
            traversal downwards
                      ^^^^^^^^^ syntax-error: `downwards` is not an order of traversal: expected `default`, `functionFirst` or `argumentFirst`
        "#]],
    );
    check(
        "import tiling",
        expect![[r#"
        (import -)
        import tiling
             ^ syntax-error: expected a path in quotes, as in `import "tiling.elevate"`, after `import`
    "#]],
    );
    check(
        "example { input f apply s }",
        expect![[r#"
        (example - (input f) (apply s) (expect (missing)))
        example { input f apply s }
                                ^ syntax-error: expected `expect` and a program, `failure` or `trace [rules]`, found `}`
        example { input f apply s }
        ^^^^^^^ an example is written `example { input program apply strategy expect program }`
    "#]],
    );
    check(
        "example \"x\" input f apply s expect g",
        expect![[r#"
            (example "x" (input f) (apply s) (expect g))
            example "x" input f apply s expect g
                      ^ syntax-error: expected `{`, `input` and a program after `"x"`
        "#]],
    );
    check(
        "example \"x\" { apply s expect g }",
        expect![[r#"
        (example "x" (input (missing)) (apply (missing)) (expect (missing)))
        example "x" { apply s expect g }
                    ^ syntax-error: expected `input` and a program, found `apply`
        example "x" { apply s expect g }
        ^^^^^^^ an example is written `example { input program apply strategy expect program }`
    "#]],
    );
    check(
        "example { input failure apply s expect failure modulo BENF }",
        expect![[r#"
            (example - (input failure) (apply s) (expect failure) (modulo BENF))
        "#]],
    );
    check(
        "example { input f apply s expect trace [a b] }",
        expect![[r#"
            (example - (input f) (apply s) (expect (trace a)))
            example { input f apply s expect trace [a b] }
                                                    ^ syntax-error: expected `,` or `]` before `b`
            example { input f apply s expect trace [a b] }
                                                   ^ this `[` is not closed
        "#]],
    );
}

#[test]
fn the_order_of_items() {
    let text = "import \"a\"\nlanguage rise\nval x = a\nb ; c\ntraversal default\nrule r = a |-> b\nlanguage rise\nd ; e\nf g\n";
    let items: Vec<_> = split(text)
        .into_iter()
        .map(|span| {
            let text = &text[std::ops::Range::from(span)];
            (text, parse(text))
        })
        .collect();
    let mut out = String::new();
    for (at, diagnostic) in check_order(items.iter().map(|(_, parsed)| parsed)) {
        out.push_str(&render(items[at].0, &diagnostic));
    }
    expect![[r#"
        b ; c
        ^ syntax-error: the main expression must be the last item of a file, and another item follows this one
        help: no operator joins this expression to the item before: insert an operator such as `;`, name the expression with `val`, or move it to the end
        traversal default
                  ^^^^^^^ syntax-error: `traversal` must come before all definitions, because it applies to the whole file
        language rise
                 ^^^^ syntax-error: the file has a `language` already
    "#]].assert_eq(&out);
}

#[test]
fn mentions() {
    let item = parse("strategy f(s: List[Nat] = t) = x => s(x, n = 3).size match { case y :: `map f` => rise { map(fun(z => z + y)) } }").item;
    let mentions: Vec<String> = item
        .mentions()
        .into_iter()
        .map(|mention| format!("{} {:?}", mention.name, mention.place))
        .collect();
    expect![[r#"
        t Strategy
        s Strategy
        x Strategy
        n Argument
        size Member
        y Pattern
        map f Pattern
        map Term
        z Term
        y Term"#]]
    .assert_eq(&mentions.join("\n"));
}

#[test]
fn misspelt_words_of_rules() {
    check(
        "rule b(n: Nat) = map(f) : m.s -> m.t |-> split(n) >> join\n  equires n >= 1\n  assuming n divides m",
        expect![[r#"
            (rule b ((n Nat)) (alt (ascribe (apply map f) (arrow (array m s) (array m t))) (binary >> (apply split n) join) (requires (>= n (int 1))) (assuming (divides n m))))
              equires n >= 1
              ^^^^^^^ syntax-error: unexpected `equires`: did you mean `requires`?
            fix: Change to `requires` [(60..67, "requires")]
        "#]],
    );
    check(
        "rule b = f |-> g requires n >= 1 ad n <= m",
        expect![[r#"
            (rule b (alt f g (requires (and (>= n (int 1)) (<= n m)))))
            rule b = f |-> g requires n >= 1 ad n <= m
                                             ^^ syntax-error: unexpected `ad`: did you mean `and`?
            fix: Change to `and` [(33..35, "and")]
        "#]],
    );
    check(
        "rule b = f |-> g assuming n divide m or x notin f",
        expect![[r#"
            (rule b (alt f g (assuming (or (divides n m) (notIn x f)))))
            rule b = f |-> g assuming n divide m or x notin f
                                        ^^^^^^ syntax-error: unexpected `divide`: did you mean `divides`?
            fix: Change to `divides` [(28..34, "divides")]
        "#]],
    );
    check(
        "rule b = f |-> g let w = s * (k - 1) n\n  requires w >= 1",
        expect![[r#"
            (rule b (alt f g (let w (binary * s (paren (binary - k (int 1))))) (requires (>= w (int 1)))))
            rule b = f |-> g let w = s * (k - 1) n
                                                 ^ syntax-error: unexpected `n` after a rule: expected an operator, or `where`, `requires`, `assuming` or `let`
        "#]],
    );
    check(
        "rule b = { f |-> g wher n >= 1 | g |-> f }",
        expect![[r#"
            (rule b (alt f g (where (>= n (int 1)))) (alt g f))
            rule b = { f |-> g wher n >= 1 | g |-> f }
                               ^^^^ syntax-error: unexpected `wher`: did you mean `where`?
            fix: Change to `where` [(19..23, "where")]
        "#]],
    );
    check(
        "val a = b\nrule c = f |-> g\n  fun(x => x)",
        expect![[r#"
            (val a - b)
            (rule c (alt f g))
              fun(x => x)
              ^^^ syntax-error: unexpected `fun` after a rule: expected an operator, or `where`, `requires`, `assuming` or `let`
        "#]],
    );
}

#[test]
fn misspelt_words_of_items() {
    check(
        "une rows : Nat in 1..8 = 4",
        expect![[r#"
        (tune rows Nat (between (int 1) (int 8)) - (int 4))
        une rows : Nat in 1..8 = 4
        ^^^ syntax-error: unexpected `une`: did you mean `tune`?
        fix: Change to `tune` [(0..3, "tune")]
    "#]],
    );
    check(
        "pre x(n: Nat) = isMap\nstrateg y = x",
        expect![[r#"
        (pred x ((n Nat)) isMap)
        pre x(n: Nat) = isMap
        ^^^ syntax-error: unexpected `pre`: did you mean `pred`?
        fix: Change to `pred` [(0..3, "pred")]
        (strategy y - x)
        strateg y = x
        ^^^^^^^ syntax-error: unexpected `strateg`: did you mean `strategy`?
        fix: Change to `strategy` [(0..7, "strategy")]
    "#]],
    );
    check(
        "@title(\"z\") rul z = f |-> g",
        expect![[r#"
        (@ title "z") (rule z (alt f g))
        @title("z") rul z = f |-> g
                    ^^^ syntax-error: unexpected `rul`: did you mean `rule`?
        fix: Change to `rule` [(12..15, "rule")]
    "#]],
    );
    check(
        "exmaple \"t\" {\n  inptu f\n  apply s\n  exepct g\n}",
        expect![[r#"
            (example "t" (input f) (apply s) (expect g))
            exmaple "t" {
            ^^^^^^^ syntax-error: unexpected `exmaple`: did you mean `example`?
            fix: Change to `example` [(0..7, "example")]
        "#]],
    );
    check(
        "improt \"a.elevate\"\nlanguag rise\ntraversl default\nunsfe rule a = b |-> c",
        expect![[r#"
            (import "a.elevate")
            improt "a.elevate"
            ^^^^^^ syntax-error: unexpected `improt`: did you mean `import`?
            fix: Change to `import` [(0..6, "import")]
            (language rise)
            languag rise
            ^^^^^^^ syntax-error: unexpected `languag`: did you mean `language`?
            fix: Change to `language` [(0..7, "language")]
            (traversal default)
            traversl default
            ^^^^^^^^ syntax-error: unexpected `traversl`: did you mean `traversal`?
            fix: Change to `traversal` [(0..8, "traversal")]
            (main unsfe)
            (rule a (alt b c))
        "#]],
    );
    check(
        "val a = c\nfun b(x) = x",
        expect![[r#"
        (val a - c)
        (strategy b (x) - x)
        fun b(x) = x
        ^^^ syntax-error: `fun` does not define a name: a strategy is defined by `strategy`
        fix: Write `strategy` [(0..3, "strategy")]
    "#]],
    );
    check(
        "foo x = 3",
        expect![[r#"
        (main foo)
        foo x = 3
            ^ syntax-error: unexpected `x`: a definition begins with `strategy`, `rule`, `val` or another of these words
    "#]],
    );
}

#[test]
fn brackets_too_many_in_examples() {
    check(
        "example {\n  input fun(xs => xs |> map()) |> map(g))\n  apply s\n  expect g\n}",
        expect![[r#"
            (example - (input (binary |> (fun (xs) (binary |> xs (apply map (missing)))) (apply map g))) (apply s) (expect g))
              input fun(xs => xs |> map()) |> map(g))
                                       ^ syntax-error: expected an argument after `(`
        "#]],
    );
    check(
        "example {\n  input f\n  apply topDownmapFusion)\n  expect g\n}",
        expect![[r#"
            (example - (input f) (apply topDownmapFusion) (expect g))
              apply topDownmapFusion)
                                    ^ syntax-error: unmatched `)`
        "#]],
    );
}

#[test]
fn operators_that_are_missing() {
    check(
        "val a = toMapSeq @ outermost(isMap)\n        toReduceSeq @ every(isReduce)",
        expect![[r#"
            (val a - (binary @ toMapSeq (call outermost isMap)))
                    toReduceSeq @ every(isReduce)
                    ^^^^^^^^^^^ syntax-error: no operator joins `toReduceSeq` to the expression before it: write an operator such as `;`, or begin the main expression at the start of its line
            fix: Insert `;` [(35..35, " ;")]
        "#]],
    );
    check(
        "val a = normalize mapFusion",
        expect![[r#"
            (val a - normalize)
            val a = normalize mapFusion
                              ^^^^^^^^^ syntax-error: no operator joins `mapFusion` to the expression before it: write an operator such as `;`, or put the argument in parentheses
            fix: Insert `;` [(17..17, " ;")]
            fix: Put the argument in parentheses [(17..18, "("), (27..27, ")")]
        "#]],
    );
    check(
        "val a = b @ every isApplied(isReduce) ; c",
        expect![[r#"
            (val a - (binary @ b every))
            val a = b @ every isApplied(isReduce) ; c
                              ^^^^^^^^^ syntax-error: no operator joins `isApplied` to the expression before it: write an operator such as `;`, or put the argument in parentheses
            fix: Insert `;` [(17..17, " ;")]
            fix: Put the argument in parentheses [(17..18, "("), (37..37, ")")]
        "#]],
    );
    check(
        "val a = f (x)",
        expect![[r#"
            (val a - f)
            val a = f (x)
                      ^ syntax-error: there must be no white space between a function and the `(` of its arguments
            fix: Remove the white space [(9..10, "")]
        "#]],
    );
    check(
        "val a = b\n  (c ; d)(e)",
        expect![[r#"
            (val a - b)
              (c ; d)(e)
              ^ syntax-error: no operator joins `(` to the expression before it: write an operator such as `;`, or begin the main expression at the start of its line
            fix: Insert `;` [(9..9, " ;")]
        "#]],
    );
    check(
        "val a = b | c ; d",
        expect![[r#"
            (val a - (binary <+ b (binary ; c d)))
            val a = b | c ; d
                      ^ syntax-error: `|` separates alternatives of rules only: write `<+` between strategies, which tries the second one where the first one fails
            fix: Write `<+` [(10..11, "<+")]
        "#]],
    );
    check(
        "val a = f((b | c))",
        expect![[r#"
            (val a - (call f (paren (binary <+ b c))))
            val a = f((b | c))
                         ^ syntax-error: `|` separates alternatives of rules only: write `<+` between strategies, which tries the second one where the first one fails
            fix: Write `<+` [(13..14, "<+")]
        "#]],
    );
}
