//! Tests the messages of the checker.

use expect_test::{Expect, expect};
use syntax::Severity;

use crate::lang::{File, Programs, library};

/// Compares the types of the definitions of a file, and its diagnostics.
fn check(text: &str, expected: Expect) {
    let file = File::new(text, Programs::standard().clone());
    let mut out = String::new();
    for definition in file.items() {
        let name = definition.name();
        if !name.is_empty() {
            let scheme = definition.checked.signature.scheme.text();
            out.push_str(&format!("{name}: {scheme}\n"));
        }
    }
    for diagnostic in file.diagnostics() {
        let at = &text[diagnostic.span.start as usize..diagnostic.span.end as usize];
        let word = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
            Severity::Hint => "hint",
        };
        out.push_str(&format!(
            "{word}[{}] at `{at}`: {}\n",
            diagnostic.code.as_str(),
            diagnostic.message
        ));
        if let Some(help) = &diagnostic.help {
            out.push_str(&format!("  help: {help}\n"));
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn the_library_has_no_errors_and_its_headers_say_all_of_its_types() {
    let mut out = String::new();
    for id in library().items() {
        let definition = library().definition(id).expect("it is there");
        let name = definition.name();
        let said = &definition.checked.diagnostics;
        for diagnostic in said.iter().filter(|d| d.severity != Severity::Hint) {
            out.push_str(&format!("{name}: {}\n", diagnostic.message));
        }
        let header = crate::lang::header_signature(&definition.item);
        if !name.is_empty() && header.scheme != definition.checked.signature.scheme {
            out.push_str(&format!(
                "{name}: {} in the header, {} found\n",
                header.scheme.text(),
                definition.checked.signature.scheme.text()
            ));
        }
    }
    expect![[r#"
        flatMapSuccess: (r: Result) -> (f: Expr -> Result) -> Result in the header, (r: Result) -> (f: Strategy) -> Result found
    "#]]
    .assert_eq(&out);
}

#[test]
fn listing_3_is_a_file() {
    check(
        "splitJoinMap   `@` outermost(isMap)  `;`\n\
         toMapWorkGroup `@` outermost(isMap)  `;`\n\
         toMapLocal     `@` outermost(isMap)  `;`\n\
         fuseReduceMap  `@` every(isReduce)   `;`\n\
         toReduceSeq    `@` every(isReduce)\n",
        expect![""],
    );
}

#[test]
fn types_are_inferred() {
    check(
        "strategy twice(s) = s ; s\n\
         strategy under(c)(s) = topDown(c ; s)\n\
         strategy nTimes(n)(s) = if n > 0 then s ; nTimes(n - 1)(s) else id\n\
         def first(xs) = xs.head\n\
         def compose(f)(g) = x => g(f(x))\n\
         val sizes = [1, 2, 3]\n\
         pred isNest = isMap ; body(isMap)\n\
         strategy blocks(ns: List[Nat]) = tileND(ns)\n\
         strategy keeps = p => isMap(p)\n\
         strategy unlessMap = not isMap ; etaExp\n\
         tune n: Nat\n",
        expect![[r#"
            twice: (s: Strategy) -> Strategy
            under: (c: Strategy) -> (s: Strategy) -> Strategy
            nTimes: (n: Int) -> (s: Strategy) -> Strategy
            first: (xs: List[a]) -> a
            compose: (f: Expr -> a) -> (g: a -> Result) -> Strategy
            sizes: List[Int]
            isNest: Pred
            blocks: (ns: List[Nat]) -> Strategy
            keeps: Strategy
            unlessMap: Strategy
            n: Nat
        "#]],
    );
}

#[test]
fn what_follows_from_a_mistake_is_no_second_one() {
    check(
        "val a = topDown @ toMapSeq\n\
         val b = splitJoin(32) @ body(topDown)\n\
         val c = repeat(3)(toMapSeq)\n\
         val d = p => p match { }\n\
         tune k : Nat in 4..2\n",
        expect![[r#"
            a: Strategy
            b: Strategy
            c: _
            d: Strategy
            k: Nat
            error[type-mismatch] at `topDown @ toMapSeq`: `topDown` is a traversal, which must come after `@`, and `toMapSeq` must come before it
            error[type-mismatch] at `topDown`: `topDown` needs one more argument: `s: Strategy`
            error[type-mismatch] at `3`: expected Strategy, found Int
            error[syntax-error] at `p`: this `match` has no `case`, so that it has no result
              help: a `case` without conditions matches everything: `case _ => fail(p)`
            error[obligation-fails] at `4..2`: the range from 4 to 2 is empty: write the smaller size first
        "#]],
    );
}

#[test]
fn behind_at_stands_a_traversal() {
    check(
        "val a = splitJoin(32) @ isMap\n\
         val b = splitJoin(32) @ toMapSeq\n\
         val c = splitJoin(32) @ outermost\n\
         val d = splitJoin @ topDown\n\
         val e = splitJoin(32) @ outermost(toMapSeq)\n\
         val f = splitJoin(32, 4) @ topDown\n",
        expect![[r#"
            a: Strategy
            b: Strategy
            c: Strategy
            d: Strategy
            e: Strategy
            f: Strategy
            error[type-mismatch] at `isMap`: expected a traversal after `@`, which says where to apply a strategy, and `isMap` is a predicate
              help: write `@ outermost(p)` to apply a strategy at the outermost place where the predicate `p` holds
            error[type-mismatch] at `toMapSeq`: expected a traversal after `@`, which says where to apply a strategy, and `toMapSeq` is a rule
              help: write `s ; t` to apply one after the other, or `s @ topDown` to apply `s` at the first place where it does not fail
            error[type-mismatch] at `outermost`: expected Traversal after `@`, found (p: Strategy) -> (s: Strategy) -> Strategy
              help: `outermost` needs its argument `p: Strategy` first
            error[type-mismatch] at `splitJoin`: `splitJoin` needs one more argument: `n: Nat`
            error[not-a-function] at `4`: `splitJoin` takes 1 argument, found 2
        "#]],
    );
}

#[test]
fn unknown_names_are_reported_once_with_what_was_meant() {
    check(
        "val a = topDwn(splitJoin(4)) ; topDwn(splitJoin(8))\n\
         val b = isPrimitive(mapp)\n\
         val c = [1, 2].sise\n\
         strategy d(s: Stratgey) = s\n\
         val e = frobnicate\n\
         val f = tile(32, z = 32)\n\
         val g = toReduceSeq(private)\n",
        expect![[r#"
            a: Strategy
            b: Pred
            c: _
            d: (s: _) -> _
            e: _
            f: _
            g: Rule
            error[unknown-name] at `topDwn`: there is no strategy `topDwn`
              help: did you mean `topDown`?
            error[unknown-name] at `mapp`: `mapp` is not defined in RISE
              help: did you mean `map`?
            error[unknown-name] at `sise`: this is a List[Int], which has no `sise`
              help: did you mean `size`?
            error[unknown-name] at `Stratgey`: there is no type `Stratgey`
              help: did you mean `Strategy`?
            error[unknown-name] at `frobnicate`: there is no strategy `frobnicate`
              help: define the strategy in this file, or import the file that defines it
            error[unknown-name] at `z`: the called function has no parameter `z`
              help: the parameters are `x` and `y`
            error[unknown-name] at `private`: there is no strategy `private`
              help: did you mean `Private`?
        "#]],
    );
}

#[test]
fn misspelt_names_of_examples_are_reported() {
    check(
        "example {
           input fun(xs => mpa(f)(?redcue(xs)))
           apply toMapSeq
           expect fun(xs => mapSeqq(f)(?redcue(xs)))
        }",
        expect![[r#"
            error[unknown-name] at `mpa`: `mpa` is not defined
              help: did you mean `map`? write `?mpa` to match any value
            error[unknown-name] at `mapSeqq`: `mapSeqq` is not defined
              help: did you mean `mapSeq`? write `?mapSeqq` to match any value
        "#]],
    );
}

#[test]
fn arguments_must_fit() {
    check(
        "val a = tile(32)(\"x\")\n\
         val b = topDown(3)\n\
         val c: Strategy = tile(32)\n\
         val d = tile(1, 2)(3)\n\
         val e = isMap(map)(map)\n\
         val f: Strategy = [id]\n\
         val g = toReduceSeq(32)\n\
         val h = if isMap then id else fail\n\
         val i = id + 1\n",
        expect![[r#"
            a: Strategy
            b: Strategy
            c: Strategy
            d: Result
            e: _
            f: Strategy
            g: Rule
            h: Strategy
            i: Int
            error[type-mismatch] at `"x"`: expected Nat, found String
            error[type-mismatch] at `3`: expected Strategy, found Int
            error[type-mismatch] at `tile(32)`: `tile` needs one more argument: `y: Nat`
            error[not-a-function] at `map`: this takes no arguments: it is a Result
            error[type-mismatch] at `[id]`: expected Strategy, found List[Strategy]
            error[type-mismatch] at `32`: expected Addr, found Int
            error[type-mismatch] at `isMap`: expected Bool, found a strategy: whether `isMap` succeeds depends on a program
              help: write `ifThenElse(c)(s)(t)`, or `(c ; s) <+ t`, to decide by the program
            error[type-mismatch] at `id`: expected Int, found Strategy
        "#]],
    );
}

#[test]
fn strings_and_lists_of_strings_are_explained() {
    check(
        "strategy a = implementInOrder(stored = [x, row])\n\
         strategy b = implementInOrder(stored = x)\n\
         strategy c = implementInOrder(stored = \"x\")\n\
         strategy d = implementInOrder(stored = [1])\n",
        expect![[r#"
            a: Strategy
            b: Strategy
            c: Strategy
            d: Strategy
            error[type-mismatch] at `x`: expected String, found the name `x`
              help: a string is written in quotes: `"x"`
            error[type-mismatch] at `row`: expected String, found the name `row`
              help: a string is written in quotes: `"row"`
            error[type-mismatch] at `x`: expected List[String], found the name `x`
              help: a string is written in quotes: `["x"]`
            error[type-mismatch] at `"x"`: expected List[String], found String
              help: a list is written in brackets, as in `["x", "y"]`
            error[type-mismatch] at `1`: expected String, found Int
        "#]],
    );
}

#[test]
fn one_mistake_is_one_error() {
    check(
        "strategy a = nosuch ; (nosuch <+ id) ; topDown(nosuch) @ nosuch\n\
         strategy b = a ; missing(a, a)\n\
         strategy c(x: Nosuch) = x ; x\n",
        expect![[r#"
            a: Strategy
            b: Strategy
            c: (x: _) -> Strategy
            error[unknown-name] at `nosuch`: there is no strategy `nosuch`
              help: define the strategy in this file, or import the file that defines it
            error[unknown-name] at `missing`: there is no strategy `missing`
              help: define the strategy in this file, or import the file that defines it
            error[unknown-name] at `Nosuch`: there is no type `Nosuch`
              help: the types are `Nat`, `Int`, `Bool`, `String`, `Addr`, `Expr`, `Type`, `Result`, `Strategy`, `Traversal`, `Pred`, `Rule` and `List`
        "#]],
    );
}

#[test]
fn loops_that_are_plain_to_see_are_warnings() {
    check(
        "strategy s = s ; id\n\
         strategy t = isMap <+ t\n\
         strategy u(x: Strategy): Strategy = try(u(x))\n\
         strategy fine(x: Strategy): Strategy = try(x ; fine(x))\n\
         strategy alsoFine(x: Strategy): Strategy = x <+ one(alsoFine(x))\n\
         val v = repeat(id)\n\
         val w = repeat(try(mapFusion))\n\
         val x = repeat(isMap)\n\
         val y = normalize(etaExp)\n\
         val z = normalize(not(isLambda) ; etaExp)\n",
        expect![[r#"
            s: Strategy
            t: Strategy
            u: (x: Strategy) -> Strategy
            fine: (x: Strategy) -> Strategy
            alsoFine: (x: Strategy) -> Strategy
            v: Strategy
            w: Strategy
            x: Strategy
            y: Strategy
            z: Strategy
            warning[endless-strategy] at `s`: `s` applies itself to the same program, before it does anything else: it never ends
              help: apply it to a part of the program, as in `one(s…)`, or after a strategy that may fail, as in `try(s ; s…)`
            warning[endless-strategy] at `t`: `t` applies itself to the same program, before it does anything else: it never ends
              help: apply it to a part of the program, as in `one(t…)`, or after a strategy that may fail, as in `try(s ; t…)`
            warning[endless-strategy] at `u(x)`: `u` applies itself to the same program, before it does anything else: it never ends
              help: apply it to a part of the program, as in `one(u…)`, or after a strategy that may fail, as in `try(s ; u…)`
            warning[endless-strategy] at `id`: this strategy never fails, so `repeat` applies it for ever
              help: `repeat` ends when the strategy that it repeats fails
            warning[endless-strategy] at `try(mapFusion)`: this strategy never fails, so `repeat` applies it for ever
              help: `repeat` ends when the strategy that it repeats fails
            warning[endless-strategy] at `isMap`: a predicate changes nothing: once it holds, `repeat` applies it for ever
            warning[endless-strategy] at `normalize(etaExp)`: `etaExp` is marked `@looping`, which says that it applies to its own result, so `normalize` may never end
              help: put a guard before the rule: `guard ; etaExp`
        "#]],
    );
}

#[test]
fn patterns_bind_names() {
    check(
        "strategy inBody(s: Strategy): Strategy = p => p match {\n\
           case fun(x => b) => s(b).mapSuccess(nb => fun(x => nb))\n\
           case app(f, x) => Failure(s)\n\
           case map(g)(xs) => Success(xs)\n\
           case _ => fail(p)\n\
         }\n\
         def sum(xs) = xs match { case [] => 0 case x :: rest => x + sum(rest) }\n\
         def which(r) = r match { case Success(p) => p case Failure(s) => s }\n\
         def lost(x) = x match { case y => 1 case 2 => 3 }\n",
        expect![[r#"
            inBody: (s: Strategy) -> Strategy
            sum: (xs: List[Int]) -> Int
            which: (r: Result) -> Expr
            lost: (x: Int) -> Int
            error[type-mismatch] at `s`: expected Expr, found Strategy
              help: `s` is a strategy, not an expression of RISE
            warning[unreachable-case] at `case 2 => 3`: this case is never reached
        "#]],
    );
}

#[test]
fn the_scala_form_of_the_paper_is_read() {
    check(
        "def inBody(s: Strategy[Rise]): Strategy[Rise] = p => p match {\n\
           case fun(x, b) => s(b).mapSuccess(nb => fun(x, nb))\n\
           case _ => Failure(s)\n\
         }\n",
        expect![[r#"
            inBody: (s: Strategy) -> Strategy
        "#]],
    );
}

#[test]
fn storing_in_memory_makes_a_variable_of_its_own() {
    check(
        "strategy store(what: Pred)(how: Strategy): Strategy = p => extract(what)(p) match {\n\
           case Success(t) if closedAt(t, p) => how(t).flatMapSuccess(t2 =>\n\
             replaceAll(what)(x)(p).mapSuccess(q => rise { let(toMem(t2))(fun(x => q)) }))\n\
           case _ => fail(p)\n\
         }\n",
        expect![[r#"
            store: (what: Pred) -> (how: Strategy) -> Strategy
        "#]],
    );
}

#[test]
fn rules_have_parameters_and_metavariables() {
    check(
        "rule tiles(n) = map(f) |-> split(n) >> map(map(f)) >> join\n\
         rule replaces(w2d, w) = dot(join(w2d), join(x)) |-> dot(join(w), join(x))\n\
         rule locally(d: Int = 0, a: Addr = Private) = map |-> mapLocal(d)\n\
         rule guarded(s: Strategy) = map(f) |-> mapSeq(f) where holds(s, f)\n\
         rule wrong = map(f) |-> mapSeq(f) where holds(f, f)\n\
         val given = rule { map |-> mapSeq }\n",
        expect![[r#"
            tiles: (n: Nat) -> Rule
            replaces: (w2d: Expr, w: Expr) -> Rule
            locally: (d: Int = …, a: Addr = …) -> Rule
            guarded: (s: Strategy) -> Rule
            wrong: Rule
            given: Rule
            error[obligation-fails] at `split(n)`: the right side needs n divides m, which neither the left side nor a clause states
              help: name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and state the condition with `assuming`
            error[cannot-infer] at `join(x)`: nothing determines the sizes in `n*m` = `k*l`
            expected: (n*m).s
               found: (k*l).s
              help: write one of the sizes or types down
            error[unknown-name] at `f`: there is no strategy `f`
              help: define the strategy in this file, or import the file that defines it
        "#]],
    );
}

/// The name of a function is no metavariable, which is a warning where one may be meant.
#[test]
fn functions_in_patterns_are_warned_of() {
    check(
        "rule passed = f(exp) |-> fun(x => f(x))(exp)\n\
         rule named = f(?exp) |-> fun(x => f(x))(?exp)\n\
         rule applied = max(log(x))(abs(x)) |-> max(abs(x))(log(x))\n\
         rule mapped = map(sqrt) |-> map(fun(x => sqrt(x)))\n\
         rule composed = floor >> ceil |-> floor\n\
         rule bound = map(fun(abs => f(abs))) |-> map(f) where abs notIn f\n\
         rule parameter(round: Expr) = map(round) |-> mapSeq(round)\n\
         def isLog(e: Expr): Bool = e match {\n  case log => true\n  case _ => false\n}\n",
        expect![[r#"
            passed: Rule
            named: Rule
            applied: Rule
            mapped: Rule
            composed: Rule
            bound: Rule
            parameter: (round: Expr) -> Rule
            isLog: (e: Expr) -> Bool
            warning[function-in-pattern] at `exp`: `exp` is a primitive of RISE, and matches itself only
              help: to match every term, write `?exp` or another name, here and on the right side
            warning[function-in-pattern] at `log`: `log` is a primitive of RISE, and matches itself only
              help: to match every term, write `?log` or another name, here and on the right side
        "#]],
    );
}

#[test]
fn mutually_recursive_definitions_are_checked() {
    check(
        "strategy even(s) = s ; all(odd(s))\n\
         strategy odd(s) = try(s) ; all(even(s))\n\
         strategy wrong = even(3)\n",
        expect![[r#"
            even: (s: Strategy) -> Strategy
            odd: (s: Strategy) -> Strategy
            wrong: Strategy
            error[type-mismatch] at `3`: expected Strategy, found Int
        "#]],
    );
}

#[test]
fn mixing_choice_and_sequence_is_hinted_at() {
    check(
        "val a = isMap ; mapFusion <+ isReduce ; id\n",
        expect![[r#"
            a: Strategy
            hint[ambiguous-operators] at `isMap ; mapFusion`: `;` binds tighter than `<+`, so all of this is one alternative
            hint[ambiguous-operators] at `isReduce ; id`: `;` binds tighter than `<+`, so all of this is one alternative
        "#]],
    );
}

#[test]
fn the_worked_examples_of_the_language_are_right() {
    let text = r#"
tune chunk : Nat
rule splitJoinMap(n: Nat = chunk) = map(f) : size.s -> size.t |-> split(n) >> map(map(f)) >> join  assuming n divides size
rule toMapWorkGroup(d: Int = 0) = map |-> mapWorkGroup(d)  requires not within(mapGlobal(_)) and not within(mapWorkGroup(d))
rule toMapLocal(d: Int = 0)     = map |-> mapLocal(d)      requires within(mapWorkGroup(d)) and not within(mapLocal(d))
rule toReduceSeq(a: Addr = Private) = { reduce |-> reduceSeq(a) | reduceSeq |-> reduceSeq(a) }
strategy every(c)(s) = tryAll(c ; s)
pred isMap = { map | map(_) | map(_)(_) }
@title("Fuse maps") rule mapFusion  = map(f) >> map(g) |-> map(f >> g)
@title("Split map") rule mapFission = map(fun(x => f(gx))) |-> map(fun(x => gx)) >> map(f)  where x notIn f and not holds(isIdentifier, gx)
rule splitJoin(n: Nat) = map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join   assuming n divides m
rule slideBeforeSplit  = slide(n)(s) >> split(k) |-> slide(w)(s*k) >> map(slide(n)(s))   let w = s*(k-1) + n
@title("Fuse map into reduce") rule fuseReduceMap = {
    map(g) >> reduce(f)(z)    |-> reduceSeq(fun(acc, y => f(acc)(g(y))))(z)
  | map(g) >> reduceSeq(f)(z) |-> reduceSeq(fun(acc, y => f(acc)(g(y))))(z) }
@title("Split reduction") rule splitReduce(n: Nat) = reduce(op)(z) : m.t -> t |-> split(n) >> map(reduce(op)(z)) >> reduce(op)(z)
     requires assoc(op) and neutral(op, z)   assuming n divides m
unsafe rule unFuse = reduceSeq(fun(acc, y => op(acc)(gy)))(z) |-> map(fun(y => gy)) >> reduce(op)(z)  where acc notIn gy and acc notIn op and y notIn op
rule eta      = fun(x => f(x)) |-> f   where x notIn f
@looping rule etaExp   = f : a -> b |-> fun(x => f(x))
normalform BENF = normalize(eta <+ beta)
normalform RNF  = normalize(DFNF ; mapFission) ; DFNF        normalform CNF = normalize(mapFusion)
strategy try(s) = s <+ id                       strategy repeat(s) = try(s ; repeat(s))
strategy topDown(s) = s <+ one(topDown(s))      strategy bottomUp(s) = one(bottomUp(s)) <+ s
strategy tryAll(s) = all(tryAll(try(s))) ; try(s)
strategy outermost(c)(s) = topDown(c ; s)       strategy innermost(c)(s) = bottomUp(c ; s)
strategy fmap(s) = function(argumentOf(map, body(s)))
strategy body(s) = p => p match { case fun(x => b) => s(b).mapSuccess(nb => fun(x => nb))  case _ => fail(p) }
strategy tileND(ns: List[Nat]): Strategy = DFNF ; (ns match {
  case []      => id
  case [n]     => function(splitJoin(n))
  case n :: ms => fmap(tileND(ms)) ; function(splitJoin(n)) ; interchange(ns.size) })
@title("Tile {x}×{y}") strategy tile(x: Nat, y: Nat) = tileND([x, y])
val loopPerm = (topDown(tile(32,32)) ;; topDown(isReduce ; split(4)) ;; topDown(reorder(Seq(1,2,5,3,6,4))) ;; topDown(vectorize(32)))
val arrayPacking = (packB ;; loopPerm ;; topDown(vectorize(32)) ;; parallelizeCopy)
def baseline = DFNF ; (fuseReduceMap @ topDown)
def blocking = baseline `;` tile(32,32) `@` outermost(mapNest(2)) `;;` reduceMapFission `@` outermost(isApplied(isApplied(isReduceSeq)))
               `;;` splitStrategy(4) `@` innermost(isFullyAppliedReduce) `;;` reorder(List(1,2,5,6,3,4))
strategy storeInMemory(what: Pred)(how: Strategy): Strategy = p => extract(what)(p) match {
  case Success(t) if closedAt(t, p) => (how(t)).flatMapSuccess(t2 => replaceAll(what, x)(p).mapSuccess(q => rise { let(toMem(t2))(fun(x => q)) }))
  case _ => fail(p) }
val packB = storeInMemory(isApplied(isTranspose))(permuteB ;; vectorize(32) @ innermost(isFullyAppliedMap) ;; parallel @ outermost(isApplied(isMap))) @ inLambda
(arrayPacking ;; topDown(parallel) ;; bottomUp(isReduce ; unroll) ; lowerToC)(mm)
"#;
    let mm = "def mm = depFun((n: Nat, k: Nat, m: Nat) => fun((A: n.k.f32, B: k.m.f32) => A |> map(fun(arow => B |> transpose |> map(fun(bcol => zip(arow)(bcol) |> map(fun(p => fst(p) * snd(p))) |> reduce(add)(0.0f)))))))";
    let file = File::new(text, Programs::of(mm));
    let errors = file.diagnostics().into_iter();
    let errors = errors.filter(|d| d.severity <= Severity::Warning);
    let errors: Vec<String> = errors.map(|d| d.message).collect();
    // The warning comes from `unFuse`, whose left side constrains the types less than its right
    // side requires.
    expect![[r#"
        the right side has a type only where the type `u` of the left side is `t`"#]]
    .assert_eq(&errors.join("\n"));
}

#[test]
fn types_that_grow_too_large_are_given_up() {
    let tuples = (1..12).map(|i| format!("val a{i} = (a{}, a{})\n", i - 1, i - 1));
    let text = format!(
        "val a0 = (id, id)\n{}val user = a9\n",
        tuples.collect::<String>()
    );
    let file = File::new(&text, Programs::standard().clone());
    let messages: Vec<String> = file.diagnostics().into_iter().map(|d| d.message).collect();
    assert_eq!(messages, ["the type of this expression is too large"]);
}

#[test]
fn loops_are_reordered_by_permutations() {
    let text = "
strategy twice = reorder([1, 1])
strategy gap = loopReorder([1, 3])
strategy zero = reorder(List(0, 1))
strategy right = reorder([1, 2, 5, 6, 3, 4]) ; loopReorder([2, 1]) ; reorder([])
strategy taken(perm: List[Int]): Strategy = reorder(perm)
";
    let file = File::new(text, Programs::standard().clone());
    let messages: Vec<String> = file.diagnostics().into_iter().map(|d| d.message).collect();
    assert_eq!(
        messages,
        [
            "`reorder` takes each loop exactly once, and this list is not a permutation of [1, 2]",
            "`loopReorder` takes each loop exactly once, and this list is not a permutation of [1, 2]",
            "`reorder` takes each loop exactly once, and this list is not a permutation of [1, 2]",
        ]
    );
}

#[test]
fn attributes_that_do_not_exist_are_errors() {
    check(
        "@titel(\"A\")\nstrategy a = id\n\
         @target(opencl)\nstrategy b = id\n\
         @inline\nstrategy c = id\n\
         @title(\"D\") @kind(fuse)\nstrategy d = id\n",
        expect![[r#"
            a: Strategy
            b: Strategy
            c: Strategy
            d: Strategy
            error[bad-annotation] at `titel`: there is no attribute `@titel`
              help: did you mean `@title`?
            error[bad-annotation] at `target`: `@target` is allowed only before definitions of programs, in .rise files
              help: the attributes of strategies are `@action`, `@hidden`, `@kind`, `@looping`, `@menu`, `@native`, `@order` and `@title`
            error[bad-annotation] at `inline`: there is no attribute `@inline`
              help: the attributes are `@action`, `@hidden`, `@kind`, `@looping`, `@menu`, `@native`, `@order` and `@title`
        "#]],
    );
}

#[test]
fn fixes_and_related_places_of_later_items_are_in_the_text() {
    let text = "val first : Strategy = id\n\nval second : Strategy = topDwn(id)\n\n\
                strategy third = rule { map(f) |-> mapSeq(f) | map(map(f)) |-> mapSeq(map(f)) }\n";
    let file = File::new(text, Programs::standard().clone());
    let mut out = String::new();
    for diagnostic in file.diagnostics() {
        let at = |span: syntax::Span| &text[std::ops::Range::from(span)];
        out.push_str(&format!(
            "{}: {}\n",
            at(diagnostic.span),
            diagnostic.message
        ));
        for related in &diagnostic.related {
            out.push_str(&format!("  {}\n", at(related.place.span)));
        }
        for (span, new) in diagnostic.fixes.iter().flat_map(|fix| &fix.edits) {
            out.push_str(&format!("  `{}` becomes `{new}`\n", at(*span)));
        }
    }
    expect![[r#"
        topDwn: there is no strategy `topDwn`
          `topDwn` becomes `topDown`
        map(map(f)) |-> mapSeq(map(f)): this alternative is never used: an earlier alternative matches everything that it matches
          map(f) |-> mapSeq(f)
    "#]].assert_eq(&out);
}
