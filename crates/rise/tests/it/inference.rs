//! Tests of inference: types, parameters, conditions and messages.

use crate::definitions::report;
use expect_test::{Expect, expect};

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&report(text));
}

#[test]
fn numbers_take_their_type_from_their_surroundings() {
    check(
        "def three = 1 + 2
def half = 0.5
def next = fun(x => 1 + x)
def mixed = fun(x: f64 => 2 * x + 0.5)
def small = fun(x: u8 => x + 200)
def used = fun(x: f32 => select(1 < 2)(x)(0))
def first = fun(xs: 4.f32 => idx(0)(xs))
def lanes = fun(v: Vec[4, f32] => v * 2)",
        expect![[r#"
            three : {t: Num} -> t
            half : {t: Float} -> t
            next : {t: Num} -> t -> t
            mixed : f64 -> f64
            small : u8 -> u8
            used : f32 -> f32
            first : 4.f32 -> f32
            lanes : Vec[4, f32] -> Vec[4, f32]
        "#]],
    );
}

#[test]
fn what_stays_open_becomes_a_parameter() {
    check(
        "def increments = map(fun(x => x + 1))
def firsts = fun(xs => xs |> map(fst))
def fours = fun(xs => xs |> split(4))
def twice = fun(f => fun(x => f(f(x))))
def apply = fun(f, x => f(x))
def compose = fun(f, g => f >> g)
def both = fun(f, x => (f(x), x))
def plain = fun(xs, ys => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0))",
        expect![[r#"
            increments : {n: Nat} -> {t: Num} -> n.t -> n.t
            firsts : {n: Nat} -> {t: DataType} -> {s: DataType} -> n.(t, s) -> n.t
            fours : {n: Nat} -> {t: DataType} -> (n*4).t -> n.4.t
            twice : {t: DataType} -> (t -> t) -> t -> t
            apply : {t: DataType} -> {s: DataType} -> (t -> s) -> t -> s
            compose : {t: DataType} -> {s: DataType} -> {u: DataType} -> (t -> s) -> (s -> u) -> t -> u
            both : {t: DataType} -> {s: DataType} -> (t -> s) -> t -> (s, t)
            plain : {n: Nat} -> {t: Num} -> n.t -> n.t -> t
        "#]],
    );
}

#[test]
fn parameters_left_of_the_value() {
    check(
        "def a(n: Nat, m: Nat)(xs: n.m.f32, f: m.f32 -> f32): n.f32 = xs |> map(f)
def b(x) = 2 * x
def c(x: f32){m: Nat}(ys: m.f32): m.f32 = ys |> map(fun(y => x + y))
def d(n: Nat, x)(xs: n.f32): n.f32 where 4 | n = xs |> split(4) |> join
def e(f, x) = f(x)
def f(n: Nat) = fun(xs: n.f32 => xs |> take(2))
def g(x: f32) = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(y => x + y))))
def h(x: f32)(t: Num)(y: t, z: t): t = y + z
def i{t: DataType}(x: t): (t, t) = (x, x)
def j(xs: 8.f32): f32 -> f32 = fun(y => y + (xs |> idx(0)))
def k = a(4, 2)
def l(inout: f32, where): f32 = inout + where",
        expect![[r#"
            a : (n: Nat) -> (m: Nat) -> n.m.f32 -> (m.f32 -> f32) -> n.f32
            b : {t: Num} -> t -> t
            c : f32 -> {m: Nat} -> m.f32 -> m.f32
            d : {t: DataType} -> (n: Nat) -> t -> n.f32 -> n.f32 where 4 divides n
            e : {t: DataType} -> {s: DataType} -> (t -> s) -> t -> s
            f : (n: Nat) -> n.f32 -> 2.f32 where n >= 2
              Information[obligation] at `take`: assumes n >= 2
                help: the condition is checked before each run, and each use of the definition must meet it
            g : f32 -> (n: Nat) -> n.f32 -> n.f32
            h : f32 -> (t: Num) -> t -> t -> t
            i : {t: DataType} -> t -> (t, t)
            j : 8.f32 -> f32 -> f32
            k : 4.2.f32 -> (2.f32 -> f32) -> 4.f32
            l : f32 -> f32 -> f32
        "#]],
    );
}

#[test]
fn names_in_types_of_parameters_become_implicit_parameters() {
    check(
        "def a(xs: n.t, ys: n.t): n.(t, t) = zip(xs)(ys)
def b(xs: (n + 1).t): n.t = xs |> take(n)
def c(xs: n.t, start: t): t = xs |> reduce(add)(start)
def d(x: t, y: t): bool = x < y
def e(x: t): t = x / x
def f(xs: n.f32)(k: Nat)(ys: (n * k).f32) = ys |> split(n)
def g(f: (m: Nat) -> m.t -> t)(xs: n.t): t = f(n)(xs)
def h(xs: n..dataFun(i => i.t), p: DepPair[k => k.t]) = xs
def i(xs: n.f32) = xs |> split(s)
def j(x: t): t = sqrt(x)
def k(v: Vec[n, t]): Vec[n, t] = v + v
def l(xs: m.n.f32){k: Nat}(ys: (k + m).f32): (k + n).f32 = concat(ys |> drop(m))(xs |> join |> take(n))
def use = fun(xs: 4.i32 => a(xs)(xs))",
        expect![[r#"
            a : {n: Nat} -> {t: DataType} -> n.t -> n.t -> n.(t, t)
            b : {n: Nat} -> {t: DataType} -> (n+1).t -> n.t
            c : {n: Nat} -> {t: Num} -> n.t -> t -> t
            d : {t: Scalar} -> t -> t -> bool
            e : {t: Num} -> t -> t
            f : {n: Nat} -> n.f32 -> (k: Nat) -> (n*k).f32 -> k.n.f32 where n >= 1
              Information[obligation] at `split`: assumes n >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            g : {t: DataType} -> {n: Nat} -> ((m: Nat) -> m.t -> t) -> n.t -> t
            h : {n: Nat} -> {t: DataType} -> n..dataFun(i => i.t) -> DepPair[k => k.t] -> n..dataFun(i => i.t)
            i : {n: Nat} -> n.f32 -> _
              Error[unknown-name] at `s`: cannot find the size or type `s` in this scope
                help: bind the name: `depFun(s: Nat => …)` in an expression, `(s: Nat) -> …` in a type
            j : {t: Float} -> t -> t
            k : {n: Nat} -> {t: Num} -> Vec[n, t] -> Vec[n, t]
              Error[cannot-infer] at `t`: no kind has exactly the types that `t` can be: numbers (integers or floating point)
                help: bind it with a kind, as in `{t: Int}`
            l : {m: Nat} -> {n: Nat} -> m.n.f32 -> {k: Nat} -> (m+k).f32 -> (n+k).f32 where m*n >= n
              Information[obligation] at `take`: assumes m*n >= n
                help: the condition is checked before each run, and each use of the definition must meet it
            use : 4.i32 -> 4.(i32, i32)
        "#]],
    );
}

#[test]
fn implicit_parameters_follow_from_the_types_of_parameters() {
    check(
        "def aa(xs: (n * n).f32): f32 = 1.0f
def bb(xs: (n + m).f32): f32 = 1.0f
def cc(xs: n.f32): m.f32 = xs
def dd(x: f32): t = x
def ee(xs: n.f32)(n: Nat): f32 = 1.0f
def ff(n: i32)(xs: n.f32): f32 = 1.0f
def gg(xs: aa.f32): f32 = 1.0f
def hh(xs: map.f32): f32 = 1.0f
def ii(x: float): f32 = x
def jj(height: Nat)(xs: heigth.f32): f32 = 1.0f
def kk(x: f23): f32 = 1.0f
def ll(x: t): t = x + 1.0f
def mm(x: t): bool = select(x)(x)(x + x)
def nn(xs: n.f32): n.f32 where 4 | m = xs
def oo(xs: k.f32, k: f32)(xs: f32): f32 = 1.0f
def pp(xs: (n / 2).f32, g: n.f32 -> f32): f32 = g",
        expect![[r#"
            aa : {n: Nat} -> (n^2).f32 -> f32
              Error[cannot-infer] at `n`: the size `n` cannot be found from `(n * n).f32`: write `(n: Nat)`
                help: a size is found where it occurs alone, or linearly with sizes that are known, as in `(n + 1).f32`
            bb : {n: Nat} -> {m: Nat} -> (n+m).f32 -> f32
              Error[cannot-infer] at `n`: the size `n` cannot be found from `(n + m).f32`: write `(n: Nat)`
                help: a size is found where it occurs alone, or linearly with sizes that are known, as in `(n + 1).f32`
            cc : {n: Nat} -> n.f32 -> n.f32
              Error[unknown-name] at `m`: nothing binds the size `m`: it stands only in the result
                help: add `(m: Nat)` or `{m: Nat}`
            dd : f32 -> _
              Error[unknown-name] at `t`: nothing binds the type `t`: it stands only in the result
                help: add `(t: DataType)` or `{t: DataType}`
            ee : {m: Nat} -> m.f32 -> (n: Nat) -> f32
              Error[unknown-name] at `n`: the size `n` is bound after this place
                related `n`: `n` is a parameter
                help: write the parameter `n` to the left of its uses
            ff : {n: Nat} -> i32 -> n.f32 -> f32
              Error[unknown-name] at `n`: expected a size, found the value `n`
                related `n`: `n` is a parameter
                help: types cannot depend on values
            gg : {n: Nat} -> n.f32 -> f32
              Error[kind-mismatch] at `aa`: expected a size or type, found the function `aa`
            hh : {n: Nat} -> n.f32 -> f32
              Error[kind-mismatch] at `map`: expected a size or type, found the function `map`
            ii : _ -> f32
              Error[unknown-name] at `float`: cannot find the size or type `float` in this scope
                help: did you mean `f32`?
            jj : {heigth: Nat} -> (height: Nat) -> heigth.f32 -> f32
              Hint[implicit-size] at `heigth`: `heigth` becomes an implicit size of this definition
                help: did you mean `height`?
            kk : {f23: DataType} -> f23 -> f32
              Hint[implicit-size] at `f23`: `f23` becomes an implicit type of this definition
                help: did you mean `f32`?
            ll : {t: Num} -> t -> t
              Error[type-mismatch] at `1.0f`: `+` needs two operands of one type: the left one is `t`, the right one `f32`
                expected: t
                   found: f32
                related `x`: this is `t`
            mm : {t: Num} -> t -> bool
              Error[type-mismatch] at `x`: `select` expects `bool` here, and this is `t`
                expected: bool
                   found: t
                related `x`: `x` is `t`
            nn : {n: Nat} -> n.f32 -> n.f32
              Error[unknown-name] at `m`: nothing binds the size `m`
                help: add `(m: Nat)` or `{m: Nat}`
            oo : {n: Nat} -> n.f32 -> f32 -> f32 -> f32
              Error[unknown-name] at `k`: expected a size, found the value `k`
                related `k`: `k` is a parameter
                help: types cannot depend on values
              Error[duplicate-parameter] at `xs`: `xs` is already a parameter of this function
                related `xs`: `xs` is first bound here
                help: rename one of the two
            pp : {n: Nat} -> (n/2).f32 -> (n.f32 -> f32) -> f32
              Error[type-mismatch] at `g`: the definition's type says `f32` here, and this is a function `n.f32 -> f32`
                expected: f32
                   found: n.f32 -> f32
                related `f32`: the type is written here
                help: an argument of the function is missing
        "#]],
    );
}

#[test]
fn a_parameter_states_the_conditions_of_its_argument() {
    check(
        "def inner : (w: Nat) -> (w + 1).f32 -> w.f32 =
  depFun(w: Nat => fun(xs => xs |> slide(2)(1) |> map(reduce(add)(0.0f))))
def outer : ((w: Nat) -> (w + 1).f32 -> w.f32 where w >= 1) -> (m: Nat) -> (m + 1).f32 -> m.f32 =
  fun(f => depFun(m: Nat => fun(xs => f(m)(xs))))
def both = outer(inner)
def written = outer(depFun(v: Nat => fun(xs => xs |> slide(2)(1) |> map(reduce(add)(0.0f)))))
def stronger : ((w: Nat) -> (w + 1).f32 -> w.f32 where w >= 4) -> (m: Nat) -> (m + 1).f32 -> m.f32 =
  fun(f => outer(f))
def weaker : ((w: Nat) -> (w + 1).f32 -> w.f32 where w >= 4) -> 3.f32 -> 2.f32 =
  fun(f => fun(xs => f(2)(xs)))
def silent : ((w: Nat) -> (w + 1).f32 -> w.f32) -> 3.f32 -> 2.f32 = fun(f => fun(xs => f(2)(xs)))
def unstated = silent(inner)",
        expect![[r#"
            inner : (w: Nat) -> (w+1).f32 -> w.f32 where w >= 1
              Information[obligation] at `slide`: assumes w >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            outer : ((w: Nat) -> (w+1).f32 -> w.f32 where w >= 1) -> (m: Nat) -> (m+1).f32 -> m.f32 where m >= 1
              Information[obligation] at `f`: assumes m >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            both : (m: Nat) -> (m+1).f32 -> m.f32 where m >= 1
              Information[obligation] at `outer`: assumes m >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            written : (m: Nat) -> (m+1).f32 -> m.f32 where m >= 1
              Information[obligation] at `outer`: assumes m >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            stronger : ((w: Nat) -> (w+1).f32 -> w.f32 where w >= 4) -> (m: Nat) -> (m+1).f32 -> m.f32 where m >= 1
              Error[obligation-fails] at `f`: `f` needs w >= 4, which the type of the parameter of `outer` does not state: it fails for w = 1
                help: write the type of the parameter as `(… where w >= 4)`
              Information[obligation] at `outer`: assumes m >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            weaker : ((w: Nat) -> (w+1).f32 -> w.f32 where w >= 4) -> 3.f32 -> 2.f32
              Error[obligation-fails] at `2`: `f` needs 2 >= 4, which does not hold: its type has the condition w >= 4
            silent : ((w: Nat) -> (w+1).f32 -> w.f32) -> 3.f32 -> 2.f32
            unstated : 3.f32 -> 2.f32
              Error[obligation-fails] at `inner`: `inner` needs w >= 1, which the type of the parameter of `silent` does not state: it fails for w = 0
                help: write the type of the parameter as `(… where w >= 1)`
        "#]],
    );
}

#[test]
fn conditions_are_about_inferred_sizes_too() {
    check(
        "def quarter : {w: Nat} -> w.f32 -> f32 =
  fun(xs => xs |> split(4) |> map(reduce(add)(0.0f)) |> reduce(add)(0.0f))
def at : (n: Nat) -> ({w: Nat} -> w.f32 -> f32 where 4 divides w) -> (4 * n).f32 -> f32 =
  depFun(n: Nat => fun(f, xs => f(xs)))
def third : (n: Nat) -> (4 * n).f32 -> f32 = depFun(n: Nat => fun(xs => at(n)(quarter)(xs)))
def odd : (n: Nat) -> ({w: Nat} -> w.f32 -> f32 where 4 | w) -> n.f32 -> f32 =
  depFun(n: Nat => fun(f, xs => f(xs)))
def divisor : (s: Nat) -> ((w: Nat) -> w.f32 -> (w / s).f32 where s | w) -> 12.f32 -> 3.f32 where s == 4 =
  depFun(s: Nat => fun(f, xs => f(12)(xs)))
def rows = depFun(w: Nat => fun(xs: w.f32 => xs |> split(4) |> map(reduce(add)(0.0f))))
def divided = divisor(4)(rows)",
        expect![[r#"
            quarter : {w: Nat} -> w.f32 -> f32 where 4 divides w
              Information[obligation] at `split`: assumes 4 divides w
                help: the condition is checked before each run, and each use of the definition must meet it
            at : (n: Nat) -> ({w: Nat} -> w.f32 -> f32 where 4 divides w) -> (n*4).f32 -> f32
            third : (n: Nat) -> (n*4).f32 -> f32
            odd : (n: Nat) -> ({w: Nat} -> w.f32 -> f32 where 4 divides w) -> n.f32 -> f32 where 4 divides n
              Information[obligation] at `f`: assumes 4 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            divisor : (s: Nat) -> ((w: Nat) -> w.f32 -> (w/4).f32 where 4 divides w) -> 12.f32 -> 3.f32 where s == 4
            rows : (w: Nat) -> w.f32 -> (w/4).f32 where 4 divides w
              Information[obligation] at `split`: assumes 4 divides w
                help: the condition is checked before each run, and each use of the definition must meet it
            divided : 12.f32 -> 3.f32
        "#]],
    );
}

#[test]
fn a_condition_behind_a_type_is_about_what_the_type_takes() {
    check(
        "def a : (n: Nat) -> ({w: Nat} -> w.f32 -> f32 where 4 | n) -> n.f32 -> f32 =
  depFun(n: Nat => fun(f, xs => f(xs)))
def b : ({w: Nat} -> w.f32 -> f32 where w >= 4, w < 3) -> 4.f32 -> f32 = fun(f, xs => f(xs))
def c : ({w: Nat} -> w.f32 -> f32 where w) -> 4.f32 -> f32 = fun(f, xs => f(xs))
def d : ({w: Nat} -> w.f32 -> f32 where k >= 1) -> 4.f32 -> f32 = fun(f, xs => f(xs))
def e : (n: Nat) -> n.f32 -> (n / 4).4.f32 where 4 | n, n >= 8 = depFun(n: Nat => fun(xs => xs |> split(4)))
def g = e(4)",
        expect![[r#"
            a : (n: Nat) -> ({w: Nat} -> w.f32 -> f32) -> n.f32 -> f32
              Error[bad-annotation] at `4 | n`: a condition after a type must use a size parameter of this type
                help: write a condition on other sizes after the definition's type, or in `@assume`
            b : ({w: Nat} -> w.f32 -> f32 where w >= 4) -> 4.f32 -> f32
              Error[obligation-fails] at `w < 3`: no size meets both this condition and the conditions before it
            c : ({w: Nat} -> w.f32 -> f32) -> 4.f32 -> f32
              Error[bad-annotation] at `w`: expected a condition on sizes, found `w`
                help: write `where 4 | n, n >= 12`
            d : ({w: Nat} -> w.f32 -> f32) -> 4.f32 -> f32
              Error[unknown-name] at `k`: cannot find the size or type `k` in this scope
                help: bind the name: `depFun(k: Nat => …)` in an expression, `(k: Nat) -> …` in a type
            e : (n: Nat) -> n.f32 -> (n/4).4.f32 where 4 divides n, n >= 8
            g : _
              Error[obligation-fails] at `4`: `e` needs 4 >= 8, which does not hold: its type has the condition n >= 8
        "#]],
    );
}

#[test]
fn two_parameters_in_parentheses_take_a_pair_apart() {
    check(
        "def products = fun(xs: 4.f32, ys => zip(xs)(ys) |> map(fun((x, y) => x * y)))
def typed = fun(xs: 4.(f32, i32) => xs |> map(fun((x: f32, y: i32) => (y, x))))
def written : (f32, f32) -> f32 = fun((x, y) => x + y)
def curried : f32 -> f32 -> f32 = fun((x, y) => x + y)
def sum = fun(xs: 4.f32 => xs |> reduce(fun((x, y) => x + y))(0.0f))
def open = fun((x, y) => x + 1.0f * y)
def nested = fun(xs: 4.(f32, (f32, i32)) => xs |> map(fun((x, yz) => (fun((y, z) => y) : (f32, i32) -> f32)(yz) + x)))
def piped = fun(p: (f32, i32) => p |> fun((x, y) => x + 1.0f))
def applied = fun(p: (f32, i32) => (fun((x, y) => y))(p))
def wrong = fun(xs: 4.(f32, f32) => xs |> map(fun((x: f32, y: i32) => x)))
def list = fun(xs: 4.(f32, f32) => xs |> map(fun(x, y => x)))",
        expect![[r#"
            products : 4.f32 -> 4.f32 -> 4.f32
            typed : 4.(f32, i32) -> 4.(i32, f32)
            written : (f32, f32) -> f32
            curried : f32 -> f32 -> f32
            sum : 4.f32 -> f32
            open : f32 -> f32 -> f32
            nested : 4.(f32, (f32, i32)) -> 4.f32
            piped : (f32, i32) -> f32
            applied : (f32, i32) -> i32
            wrong : 4.(f32, f32) -> _
              Error[type-mismatch] at `i32`: `y` is given `f32`, and its annotation says `i32`
                expected: f32
                   found: i32
            list : 4.(f32, f32) -> _
              Error[type-mismatch] at `x, y`: this function takes 2 arguments, and `map` gives it one: `(f32, f32)`
                help: write `fun((x, y) => …)` for a function of a pair
        "#]],
    );
}

#[test]
fn a_mathematical_function_is_declared_at_the_type_of_its_argument() {
    check(
        "def a = fun(x: f64 => lgamma(x))
def b = fun(xs: 4.f16 => xs |> map(tgamma))
def c = fun(x: f64, y: f64 => fdim(x + y)(1.0))
def d = fun(x => x |> erfc)",
        expect![[r#"
            a : f64 -> _
              Error[unknown-name] at `lgamma`: cannot find `lgamma` in this scope
                help: declare it: `foreign def lgamma(x: f64): f64`
            b : {t: DataType} -> 4.f16 -> 4.t
              Error[unknown-name] at `tgamma`: cannot find `tgamma` in this scope
                help: declare it: `foreign def tgamma(x: f16): f16`
            c : f64 -> f64 -> _
              Error[unknown-name] at `fdim`: cannot find `fdim` in this scope
                help: declare it: `foreign def fdim(x: f64, y: f64): f64`
            d : {t: DataType} -> t -> _
              Error[unknown-name] at `erfc`: cannot find `erfc` in this scope
                help: declare it: `foreign def erfc(x: f32): f32`
        "#]],
    );
}

#[test]
fn windows_and_chunks_bring_conditions() {
    check(
        "def chunks = depFun(n: Nat => fun(xs: n.f32 => xs |> split(4)))
def known = depFun(n: Nat => fun(xs: (8 * n).f32 => xs |> split(4)))
def tiles = depFun((n: Nat, s: Nat) => fun(xs: n.f32 => xs |> split(s) |> map(map(fun(x => x + 1.0f))) |> join))
def windows = depFun(n: Nat => fun(xs: n.f32 => xs |> slide(5)(2)))
def rest = depFun(n: Nat => fun(xs: n.f32 => xs |> drop(3) |> take(2)))
def user = depFun(n: Nat => fun(xs: (n + 1).f32 => chunks(n + 1)(xs)))
@assume(4 | n, n >= 12)
def stated = depFun(n: Nat => fun(xs: n.f32 => xs |> split(2) |> join |> slide(12)(1)))",
        expect![[r#"
            chunks : (n: Nat) -> n.f32 -> (n/4).4.f32 where 4 divides n
              Information[obligation] at `split`: assumes 4 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            known : (n: Nat) -> (n*8).f32 -> (n*2).4.f32
            tiles : (n: Nat) -> (s: Nat) -> n.f32 -> n.f32 where s divides n
              Information[obligation] at `split`: assumes s divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            windows : (n: Nat) -> n.f32 -> ((n-1)/2-1).5.f32 where 2 divides n - 5, n >= 5
              Information[obligation] at `slide`: assumes 2 divides n - 5, n >= 5
                help: the condition is checked before each run, and each use of the definition must meet it
            rest : (n: Nat) -> n.f32 -> 2.f32 where n >= 5
              Information[obligation] at `take`: assumes n >= 5
                help: the condition is checked before each run, and each use of the definition must meet it
            user : (n: Nat) -> (n+1).f32 -> ((n-3)/4+1).4.f32 where 4 divides n + 1
              Information[obligation] at `chunks`: assumes 4 divides n + 1
                help: the condition is checked before each run, and each use of the definition must meet it
            stated : (n: Nat) -> n.f32 -> (n-11).12.f32 where 4 divides n, n >= 12
        "#]],
    );
}

#[test]
fn conditions_survive_partial_application() {
    check(
        "def chunks = depFun((a: Nat, n: Nat) => fun(xs: n.f32 => xs |> split(a) |> join))
def partial = chunks(128)
def written : (m: Nat) -> m.f32 -> m.f32 = chunks(128)
def behind : f32 -> (m: Nat) -> m.f32 -> m.f32 = fun(x => chunks(4))
def again = partial(256)
def wrong = partial(100)",
        expect![[r#"
            chunks : (a: Nat) -> (n: Nat) -> n.f32 -> n.f32 where a divides n
              Information[obligation] at `split`: assumes a divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            partial : (n: Nat) -> n.f32 -> n.f32 where 128 divides n
              Information[obligation] at `chunks`: assumes 128 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            written : (m: Nat) -> m.f32 -> m.f32 where 128 divides m
              Information[obligation] at `chunks`: assumes 128 divides m
                help: the condition is checked before each run, and each use of the definition must meet it
            behind : f32 -> (m: Nat) -> m.f32 -> m.f32 where 4 divides m
              Information[obligation] at `chunks`: assumes 4 divides m
                help: the condition is checked before each run, and each use of the definition must meet it
            again : 256.f32 -> 256.f32
            wrong : _
              Error[obligation-fails] at `100`: `partial` needs 128 divides 100, which does not hold: its type has the condition 128 divides n
        "#]],
    );
}

#[test]
fn dependent_arrays_and_pairs() {
    check(
        "def triangle = depFun(n: Nat => fun(rows: n..dataFun(i => (i + 1).f32) =>
  rows |> depMapSeq(depFun(k: Nat => fun(row => row |> mapSeq(fun(x => x * 2.0f)))))))
def flat = depFun(n: Nat => fun(rows: n..dataFun(i => (i + 1).f32) => rows |> depJoin))
def parts = depFun(n: Nat => fun(xs: (3 * n).f32 => xs |> partition(2)(natFun(i => (i + 1) * n))))
def packed = depFun(n: Nat => fun(xs: n.f32 => makeDepPair(n)(xs)))
def opened = fun(p: DepPair[k => k.f32] => dmatch(p)(depFun(k: Nat => fun(xs => xs |> reduce(add)(0.0f)))))
def back = depFun(n: Nat => fun(xs: n.f32 => xs |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))))
def generic : {n: Nat} -> {f: Nat2Data} -> n..f -> n..f = fun(xs => xs)",
        expect![[r#"
            triangle : (n: Nat) -> n..dataFun(i => (i+1).f32) -> n..dataFun(k => (k+1).f32)
            flat : (n: Nat) -> n..dataFun(i => (i+1).f32) -> (n+(n^2-n)/2).f32
            parts : (n: Nat) -> (n*3).f32 -> 2..dataFun(i => (n*i+n).f32)
            packed : (n: Nat) -> n.f32 -> DepPair[k => k.f32]
            opened : DepPair[k => k.f32] -> f32
            back : (n: Nat) -> n.f32 -> n.f32
            generic : {n: Nat} -> {f: Nat2Data} -> n..f -> n..f
        "#]],
    );
}

#[test]
fn iterate_halves_at_every_step() {
    check(
        "def tree = depFun((n: Nat, k: Nat) => fun(xs: (n * 2^k).f32 =>
  xs |> iterate(k)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f)))))))
def six = fun(xs: 64.f32 => xs |> iterate(6)(depFun(l: Nat => fun(part => part |> split(2) |> mapSeq(reduceSeq(add)(0.0f))))))",
        expect![[r#"
            tree : (n: Nat) -> (k: Nat) -> (n*2^k).f32 -> n.f32
            six : 64.f32 -> 1.f32
        "#]],
    );
}

#[test]
fn a_result_of_another_shape_is_one_error() {
    check(
        "def joined : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
  xs |> split(4) |> mapSeq(mapSeq(fun(x => x + 1.0f)))))
def rows : (n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32 = depFun((n: Nat, m: Nat) => fun(xs =>
  xs |> mapSeq(fun(row => row |> split(4) |> mapSeq(mapSeq(fun(x => x + 1.0f)))))))
def parts : (n: Nat) -> n.f32 -> (n/4).4.f32 = depFun(n: Nat => fun(xs => xs |> mapSeq(fun(x => x + 1.0f))))
def scalars : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
  xs |> asVectorAligned(4) |> mapSeq(fun(x => x + x))))
def vectors : (n: Nat) -> n.f32 -> (n/4).Vec[4, f32] = depFun(n: Nat => fun(xs => xs |> mapSeq(fun(x => x + x))))
def axes : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.n.f32 = depFun((n: Nat, m: Nat) => fun(xs =>
  xs |> mapSeq(mapSeq(fun(x => x + x)))))
def total : (n: Nat) -> n.f32 -> f32 = depFun(n: Nat => fun(xs => xs |> mapSeq(fun(x => x * x))))",
        expect![[r#"
            joined : (n: Nat) -> n.f32 -> n.f32 where 4 divides n
              Error[type-mismatch] at `xs |> split(4) |> mapSeq(mapSeq(fun(x => x + 1.0f)))`: the definition's type says an array `n.f32` here, and this is an array `(n/4).4.f32`
                expected: n.f32
                   found: (n/4).4.f32
                related `(n: Nat) -> n.f32 -> n.f32`: the type is written here
                help: `… |> join` has the type `n.f32`
              Information[obligation] at `split`: assumes 4 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            rows : (n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32 where 4 divides m
              Error[type-mismatch] at `xs |> mapSeq(fun(row => row |> split(4) |> mapSeq(mapSeq(fun(x => x + 1.0f)))))`: the definition's type says an array `n.m.f32` here, and this is an array `n.(m/4).4.f32`
                expected: n.m.f32
                   found: n.(m/4).4.f32
                related `(n: Nat) -> (m: Nat) -> n.m.f32 -> n.m.f32`: the type is written here
                help: `… |> map(join)` has the type `n.m.f32`
              Information[obligation] at `split`: assumes 4 divides m
                help: the condition is checked before each run, and each use of the definition must meet it
            parts : (n: Nat) -> n.f32 -> (n/4).4.f32
              Error[type-mismatch] at `xs |> mapSeq(fun(x => x + 1.0f))`: the definition's type says an array `(n/4).4.f32` here, and this is an array `n.f32`
                expected: (n/4).4.f32
                   found: n.f32
                related `(n: Nat) -> n.f32 -> (n/4).4.f32`: the type is written here
                help: `… |> split(4)` has the type `(n/4).4.f32`
            scalars : (n: Nat) -> n.f32 -> n.f32 where 4 divides n
              Error[type-mismatch] at `xs |> asVectorAligned(4) |> mapSeq(fun(x => x + x))`: the definition's type says an array `n.f32` here, and this is an array `(n/4).Vec[4, f32]`
                expected: n.f32
                   found: (n/4).Vec[4, f32]
                related `(n: Nat) -> n.f32 -> n.f32`: the type is written here
                help: `… |> asScalar` has the type `n.f32`
              Information[obligation] at `asVectorAligned`: assumes 4 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            vectors : (n: Nat) -> n.f32 -> (n/4).Vec[4, f32]
              Error[type-mismatch] at `xs |> mapSeq(fun(x => x + x))`: the definition's type says an array `(n/4).Vec[4, f32]` here, and this is an array `n.f32`
                expected: (n/4).Vec[4, f32]
                   found: n.f32
                related `(n: Nat) -> n.f32 -> (n/4).Vec[4, f32]`: the type is written here
                help: `… |> asVector(4)` has the type `(n/4).Vec[4, f32]`
            axes : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.n.f32
              Error[size-mismatch] at `xs |> mapSeq(mapSeq(fun(x => x + x)))`: two dimensions are swapped: expected `m.n.f32`, found `n.m.f32`
                expected: m.n.f32
                   found: n.m.f32
                they differ for n = 0, m = 1
                related `(n: Nat) -> (m: Nat) -> n.m.f32 -> m.n.f32`: the type is written here
                help: `transpose` exchanges the two dimensions
            total : (n: Nat) -> n.f32 -> f32
              Error[type-mismatch] at `xs |> mapSeq(fun(x => x * x))`: the definition's type says `f32` here, and this is an array `n.f32`
                expected: f32
                   found: n.f32
                related `(n: Nat) -> n.f32 -> f32`: the type is written here
                help: `reduce` makes one value of the elements of an array, as in `|> reduce(add)(0.0f)`
        "#]],
    );
}

#[test]
fn sizes_inside_iterate_stay_inside() {
    check(
        "def powers : (n: Nat) -> (k: Nat) -> n.i32 -> n.i32 -> n.i32 = depFun((n: Nat, k: Nat) => fun(xs, factors =>
  xs |> iterate(k)(depFun(l: Nat => fun(part =>
    zip(part)(factors |> assume(l)) |> mapSeq(fun((x, y) => x * y)))))))
def of_others : (n: Nat) -> (m: Nat) -> n.i32 -> m.i32 -> n.i32 = depFun((n: Nat, m: Nat) => fun(xs, factors =>
  xs |> iterate(2)(depFun(l: Nat => fun(part =>
    zip(part)(factors |> assume(l)) |> mapSeq(fun((x, y) => x * y)))))))",
        expect![[r#"
            powers : (n: Nat) -> (k: Nat) -> n.i32 -> n.i32 -> n.i32
            of_others : (n: Nat) -> (m: Nat) -> n.i32 -> n.i32 -> n.i32 where n == m
              Information[obligation] at `assume`: assumes n == m
                help: the condition is checked before each run, and each use of the definition must meet it
        "#]],
    );
}

#[test]
fn conditions_inside_iterate_are_about_the_sizes_that_occur() {
    check(
        "def step = depFun(l: Nat => fun(p: l.i32 => p |> padClamp(1)(1) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0))))
def written = depFun((n: Nat, k: Nat) => fun(xs: n.i32 =>
  xs |> iterate(k)(depFun(l: Nat => fun(p => p |> padClamp(1)(1) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0)))))))
def given = depFun((n: Nat, k: Nat) => fun(xs: n.i32 => xs |> iterate(k)(step)))
def positive = depFun((n: Nat, k: Nat) => fun(xs: (n + 1).i32 => xs |> iterate(k)(step)))
def open = depFun(k: Nat => iterate(k)(step))
def pairs = depFun((n: Nat, k: Nat) => fun(xs: (n * 2^k).i32 =>
  xs |> iterate(k)(depFun(l: Nat => fun(p => p |> padClamp(1)(1) |> slide(4)(2) |> mapSeq(reduceSeq(add)(0)))))))
def fourths = depFun((n: Nat, k: Nat) => fun(xs: (n * 2^k).i32 =>
  xs |> iterate(k)(depFun(l: Nat => fun(p => p |> split(2) |> mapSeq(reduceSeq(add)(0)) |> split(4) |> join)))))
def nested = depFun((n: Nat, j: Nat, k: Nat) => fun(xs: n.i32 =>
  xs |> iterate(j)(depFun(l: Nat => fun(p => p |> iterate(k)(step))))))
def life = depFun((n: Nat, m: Nat, steps: Nat) => fun(grid: n.m.i32 =>
  grid |> iterate(steps)(depFun(l: Nat => fun(rows =>
    rows |> padCst2D(1)(0) |> slide2D(3)(1) |> mapSeq(mapSeq(fun(w => w |> join |> reduceSeq(add)(0)))))))))",
        expect![[r#"
            step : (l: Nat) -> l.i32 -> l.i32 where l >= 1
              Information[obligation] at `padClamp`: assumes l >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            written : (n: Nat) -> (k: Nat) -> n.i32 -> n.i32 where n >= 1
              Information[obligation] at `padClamp`: assumes n >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            given : (n: Nat) -> (k: Nat) -> n.i32 -> n.i32 where n >= 1
              Information[obligation] at `step`: assumes n >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            positive : (n: Nat) -> (k: Nat) -> (n+1).i32 -> (n+1).i32
            open : {n: Nat} -> (k: Nat) -> n.i32 -> n.i32 where n >= 1
              Information[obligation] at `step`: assumes n >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            pairs : (n: Nat) -> (k: Nat) -> (n*2^k).i32 -> n.i32 where n*2 >= 1
              Information[obligation] at `padClamp`: assumes n*2 >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            fourths : (n: Nat) -> (k: Nat) -> (n*2^k).i32 -> n.i32 where 4 divides n
              Information[obligation] at `p |> split(2) |> mapSeq(reduceSeq(add)(0)) |> split(4) |> join`: assumes 4 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            nested : (n: Nat) -> (j: Nat) -> (k: Nat) -> n.i32 -> n.i32 where n >= 1
              Information[obligation] at `step`: assumes n >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
            life : (n: Nat) -> (m: Nat) -> (steps: Nat) -> n.m.i32 -> n.m.i32 where n >= 1, m >= 1
              Information[obligation] at `slide2D`: assumes n >= 1, m >= 1
                help: the condition is checked before each run, and each use of the definition must meet it
        "#]],
    );
}

#[test]
fn conditions_inside_iterate_that_fail() {
    check(
        "def none = depFun(k: Nat => fun(xs: 0.i32 =>
  xs |> iterate(k)(depFun(l: Nat => fun(p => p |> padClamp(1)(1) |> slide(3)(1) |> mapSeq(reduceSeq(add)(0)))))))
def odd = depFun(k: Nat => fun(xs: 9.i32 => xs |> iterate(k)(depFun(l: Nat => fun(p => p |> split(2) |> join)))))",
        expect![[r#"
            none : (k: Nat) -> 0.i32 -> 0.i32
              Error[obligation-fails] at `padClamp`: `padClamp` needs 0 >= 1, which does not hold: its type has the condition n >= min(1, l+r)
            odd : (k: Nat) -> 9.i32 -> 9.i32
              Error[obligation-fails] at `p |> split(2) |> join`: 2 does not divide 9
        "#]],
    );
}

#[test]
fn the_result_of_a_dependent_map_may_be_the_same_for_all_sizes() {
    check(
        "def sums = depFun(n: Nat => fun(xs: n..dataFun(i => (i + 1).f32) =>
  xs |> depMapSeq(depFun(k: Nat => fun(p => p |> reduceSeq(add)(0.0f))))))
def differences = depFun(n: Nat => fun(xs: n..dataFun(i => (i + 1).u8) =>
  xs |> depMapSeq(depFun(k: Nat => fun(p => p |> reduceSeq(fun(a, b => a - b))(0))))))
def zeros = depFun(n: Nat => fun(xs: n..dataFun(i => (i + 1).f32) => xs |> depMapSeq(depFun(k: Nat => fun(p => 0)))))
def increments = depFun(n: Nat => fun(xs: n..dataFun(i => (i + 1).f32) =>
  xs |> depMapSeq(depFun(k: Nat => fun(p => p |> mapSeq(fun(x => x + 1)))))))
def lanes = depFun(n: Nat => fun(xs: n..dataFun(i => 4.Vec[i + 1, f32]) =>
  xs |> depMapSeq(depFun(k: Nat => fun(p => p |> reduceSeq(add)(vectorFromScalar(0.0f)))))))",
        expect![[r#"
            sums : (n: Nat) -> n..dataFun(i => (i+1).f32) -> n..dataFun(k => f32)
            differences : (n: Nat) -> n..dataFun(i => (i+1).u8) -> n..dataFun(k => u8)
            zeros : {t: Num} -> (n: Nat) -> n..dataFun(i => (i+1).f32) -> n..dataFun(k => t)
            increments : (n: Nat) -> n..dataFun(i => (i+1).f32) -> n..dataFun(k => (k+1).f32)
            lanes : (n: Nat) -> n..dataFun(i => 4.Vec[i + 1, f32]) -> n..dataFun(k => Vec[k + 1, f32])
        "#]],
    );
}

#[test]
fn address_spaces_and_dimensions_may_be_written() {
    check(
        "def sums = depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
  a |> mapWorkGroup(0)(fun(row => row |> reduceSeq(Private)(add)(0.0f)))))
def anywhere = depFun((n: Nat, a: AddrSp) => fun(xs: n.f32 => xs |> mapSeq(fun(x => x)) |> toMem(a)))
def local = depFun(n: Nat => anywhere(n)(Local))",
        expect![[r#"
            sums : (n: Nat) -> (m: Nat) -> n.m.f32 -> n.f32
            anywhere : (n: Nat) -> (a: AddrSp) -> n.f32 -> n.f32
            local : (n: Nat) -> n.f32 -> n.f32
        "#]],
    );
}

#[test]
fn written_types_bind_names_for_the_body() {
    check(
        "def chunk : {n: Nat} -> {t: DataType} -> (4 * n).t -> n.4.t = fun(xs => xs |> split(4) |> take(n) |> drop(0))
def renamed : (rows: Nat) -> rows.f32 -> rows.f32 = depFun(n: Nat => fun(xs: n.f32 => xs))
def holes : (n: Nat) -> _ -> n.f32 = depFun(n: Nat => fun(xs => xs |> map(fun(x => x + 1.0f))))
def later : (n: Nat) -> {m: Nat} -> n.m.f32 -> m.n.f32 = depFun(n: Nat => transpose)",
        expect![[r#"
            chunk : {n: Nat} -> {t: DataType} -> (n*4).t -> n.4.t
            renamed : (rows: Nat) -> rows.f32 -> rows.f32
            holes : (n: Nat) -> n.f32 -> n.f32
            later : (n: Nat) -> {m: Nat} -> n.m.f32 -> m.n.f32
        "#]],
    );
}

#[test]
fn foreign_functions_ascriptions_and_lets() {
    check(
        "foreign def expf(x: f32): f32
foreign def mix(a: Vec[4, f32], p: (f32, i32)): Vec[4, f32] = \"\"\"{ return a; }\"\"\"
def soft = fun(x: f32 => let y = expf(x) in y / (1 + y))
def wide = fun(x: u8 => (cast(x) : f32))
def size = depFun(n: Nat => fun(x: f32 => x * cast(n + 1)))
def same = let(2.0f)(fun(y => y * y))",
        expect![[r#"
            expf : f32 -> f32
            mix : Vec[4, f32] -> (f32, i32) -> Vec[4, f32]
            soft : f32 -> f32
            wide : u8 -> f32
            size : (n: Nat) -> f32 -> f32
            same : f32
        "#]],
    );
}

#[test]
fn operators_are_functions() {
    check(
        "def sum = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce((+))(0)))
def steps = map(fun(x => x * 2.0f)) >> reduce(add)(0) >> fun(s => s + 1)
def before = reduce(add)(0.0f) << map(fst)
def piped = fun(x => x |> (fun(y => y + 1.0f) >> fun(y => y * y)))
def left = fun(xs: 8.f32 => map(fun(x => x + 1)) <| xs)",
        expect![[r#"
            sum : (n: Nat) -> n.f32 -> f32
            steps : {n: Nat} -> n.f32 -> f32
            before : {n: Nat} -> {t: DataType} -> n.(f32, t) -> f32
            piped : f32 -> f32
            left : 8.f32 -> 8.f32
        "#]],
    );
}

#[test]
fn conditions_on_parameters_that_are_inferred() {
    check(
        "def some = fun(xs => xs |> split(4) |> join |> take(9))
def few = fun(xs: 10.f32 => xs |> split(4) |> join |> take(9))
def rows = fun(xs: 8.4.f32 => xs |> map(take(5)))",
        expect![[r#"
            some : {n: Nat} -> {t: DataType} -> (n*4).t -> 9.t where n*4 >= 9
              Information[obligation] at `take`: assumes n*4 >= 9
                help: the condition is checked before each run, and each use of the definition must meet it
            few : 10.f32 -> 9.f32
              Error[obligation-fails] at `split`: `split` needs a size that 4 divides, found the size 10
                expected: (m*4).f32
                   found: 10.f32
                related `xs`: `xs` is `10.f32`
            rows : 8.4.f32 -> 8.5.f32
              Error[negative-size] at `take(5)`: `take` needs a size of at least 5, found the size 4
                expected: 4.f32 -> 5.f32
                   found: (m+5).f32 -> 5.f32
        "#]],
    );
}

/// Types that double at each step are abandoned at the limit.
#[test]
fn types_that_double_end_in_one_error() {
    let stages = " |> fun(y => (y, y))".repeat(60);
    let nested: String = (1..60)
        .map(|i| format!("let a{i} = (a{}, a{}) in ", i - 1, i - 1))
        .collect();
    let mut chain = "def d0 = fun(x => (x, x))\n".to_owned();
    for i in 1..40 {
        chain.push_str(&format!("def d{i} = fun(x => d{}(d{}(x)))\n", i - 1, i - 1));
    }
    for text in [
        format!("def f = fun(x: f32 => x{stages})"),
        format!("def g = fun(a0: f32 => {nested}a59)"),
        chain,
    ] {
        let report = report(&text);
        assert_eq!(report.matches("Error[too-deep]").count(), 1, "{report}");
        assert_eq!(report.matches("Error[").count(), 1, "{report}");
    }
}

#[test]
fn literals_are_checked_where_their_type_is_fixed() {
    check(
        "def big = 300
def more = fun(a: u8 => a + big)
def plus = fun(x => x + 300)
def again = fun(x: u8 => plus(x))
def fine = fun(x: i32 => plus(x))
def rows : (n: Nat) -> n.f32 -> (n/8).f32 = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> iterate(3)(depFun(l: Nat => fun(p => p |> split(2) |> map(reduce(add)(0.0f)))))))
def g : {n: Nat} -> n.f32 -> n.f32 = fun(xs => xs)
def given = fun(xs: 3.f32 => g(3)(xs))",
        expect![[r#"
            big : {t: Num} -> t
            more : u8 -> u8
              Error[literal-out-of-range] at `big`: 300 does not fit `u8`, whose values go from 0 to 255
                help: the number is in the definition of `big`
            plus : {t: Num} -> t -> t
            again : u8 -> u8
              Error[literal-out-of-range] at `plus`: 300 does not fit `u8`, whose values go from 0 to 255
                help: the number is in the definition of `plus`
            fine : i32 -> i32
            rows : (n: Nat) -> n.f32 -> (n/8).f32 where 8 divides n
              Information[obligation] at `iterate`: assumes 8 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            g : {n: Nat} -> n.f32 -> n.f32
            given : 3.f32 -> _
              Error[kind-mismatch] at `3`: `g` takes no size, and `3` is where it takes an array
                help: remove `3`
        "#]],
    );
}

#[test]
fn values_that_stand_for_sizes_are_told_what_a_size_is() {
    check(
        "def prefix = depFun(n: Nat => fun(i: Idx[10], xs: n.f32 => xs |> take(indexAsNat(i))))
def rows = depFun(n: Nat => fun(lengths: n.natType, xs: n..dataFun(i => (lengths |> idx(i)).f32) => xs))",
        expect![[r#"
            prefix : (n: Nat) -> Idx[10] -> n.f32 -> _
              Error[kind-mismatch] at `indexAsNat(i)`: `take` takes a size here, and `indexAsNat(i)` is a value
                help: a size is made of numbers and of names that `depFun` binds, and comes before values
            rows : {m: Nat} -> (n: Nat) -> n.natType -> n..dataFun(i => m.f32) -> n..dataFun(i => m.f32)
              Error[kind-mismatch] at `lengths |> idx(i)`: expected a size, found `lengths |> idx(i)`
                help: a size is made of numbers and of names that `depFun` binds
        "#]],
    );
}

#[test]
fn a_parameter_has_a_name_of_its_own() {
    check(
        "def sizes = depFun((n: Nat, n: Nat) => fun(xs: n.f32 => xs))
def values = fun((a: f32, a: f32) => a)
def triple = fun(x, x, x => x)
def written : (n: Nat) -> f32 -> {n: Nat} -> n.f32 -> f32 = depFun(n: Nat => fun(x => fun(xs => x)))
def argument : ((n: Nat) -> n.f32 -> f32) -> (n: Nat) -> n.f32 -> f32 = fun(f => depFun(n: Nat => fun(xs => f(n)(xs))))
def nested = fun(x: f32 => fun(x: f32 => x))",
        expect![[r#"
            sizes : (n: Nat) -> (n: Nat) -> n.f32 -> n.f32
              Error[duplicate-parameter] at `n`: `n` is already a parameter of this function
                related `n`: `n` is first bound here
                help: rename one of the two
            values : f32 -> f32 -> f32
              Error[duplicate-parameter] at `a`: `a` is already a parameter of this function
                related `a`: `a` is first bound here
                help: rename one of the two
            triple : {t: DataType} -> {s: DataType} -> {u: DataType} -> t -> s -> u -> u
              Error[duplicate-parameter] at `x`: `x` is already a parameter of this function
                related `x`: `x` is first bound here
                help: rename one of the two
              Error[duplicate-parameter] at `x`: `x` is already a parameter of this function
                related `x`: `x` is first bound here
                help: rename one of the two
            written : (n: Nat) -> f32 -> {n: Nat} -> n.f32 -> f32
              Error[duplicate-parameter] at `n`: `n` is already a parameter of this function
                related `n`: `n` is first bound here
                help: rename one of the two
            argument : ((n: Nat) -> n.f32 -> f32) -> (n: Nat) -> n.f32 -> f32
            nested : f32 -> f32 -> f32
        "#]],
    );
}

#[test]
fn a_pattern_fits_the_pair_that_it_takes_apart() {
    check(
        "def three = fun(xs: 4.(f32, f32) => xs |> map(fun((a, b, c) => a + b + c)))
def right = fun(xs: 4.(f32, (f32, i32)) => xs |> map(fun((a, b, c) => a + b)))
def left = fun(xs: 4.((f32, f32), i32) => map(fun((a, b, c) => a + b))(xs))
def numbers = fun(xs: 4.f32 => xs |> map(fun((a, b) => a + b)))
def rows = fun(xs: 4.4.f32 => xs |> map(fun((a, b) => a + b)))
def two = fun(xs: 4.f32 => xs |> map(fun(a, b => a + b)))
def folded = fun(xs: 4.f32 => xs |> reduce(fun(a, b, c => a + b + c))(0.0f))
def written : (f32, f32) -> f32 = fun((a, b, c) => a)
def number : f32 -> f32 = fun((a, b) => a)
def unknown = map(fun((a, b) => a + b))
def other = fun(xs: 4.f32 => xs |> map(fun((a, b) => a + nothing)))",
        expect![[r#"
            three : 4.(f32, f32) -> _
              Error[type-mismatch] at `a, b, c`: this pattern has 3 components, and `map` gives it a pair `(f32, f32)`, which has 2
                help: a pair has two components: write `fun((a, b) => …)`
            right : 4.(f32, (f32, i32)) -> _
              Error[type-mismatch] at `a, b, c`: this pattern has 3 components, and `map` gives it a pair `(f32, (f32, i32))`, which has 2
                help: write `fun((a, p) => …)`, with `p._1` for `b` and `p._2` for `c`
            left : 4.((f32, f32), i32) -> _
              Error[type-mismatch] at `a, b, c`: this pattern has 3 components, and `map` gives it a pair `((f32, f32), i32)`, which has 2
                help: write `fun((p, c) => …)`, with `p._1` for `a` and `p._2` for `b`
            numbers : 4.f32 -> _
              Error[type-mismatch] at `a, b`: this pattern has 2 components, and `map` gives it `f32`, which is not a pair
                help: take one parameter: `fun(a => …)`
            rows : 4.4.f32 -> _
              Error[type-mismatch] at `a, b`: this pattern has 2 components, and `map` gives it `4.f32`, which is not a pair
                help: take one parameter, `fun(a => …)`: its first element is `a |> idx(0)`
            two : 4.f32 -> _
              Error[type-mismatch] at `a, b`: this function takes 2 arguments, and `map` gives it one: `f32`
                help: take one parameter: `fun(a => …)`
            folded : 4.f32 -> _
              Error[type-mismatch] at `a, b, c`: this function takes 3 arguments, and `reduce` gives it 2
                help: take as many arguments as are given: `fun(a, b => …)`
            written : (f32, f32) -> f32
              Error[type-mismatch] at `a, b, c`: this pattern has 3 components, and the definition's type has a pair `(f32, f32)`, which has 2
                related `(f32, f32) -> f32`: the type is written here
                help: a pair has two components: write `fun((a, b) => …)`
            number : f32 -> f32
              Error[type-mismatch] at `a, b`: this pattern has 2 components, and the definition's type has `f32`, which is not a pair
                related `f32 -> f32`: the type is written here
                help: take one parameter: `fun(a => …)`
            unknown : {n: Nat} -> {t: Num} -> n.(t, t) -> n.t
            other : 4.f32 -> _
              Error[type-mismatch] at `a, b`: this pattern has 2 components, and `map` gives it `f32`, which is not a pair
                help: take one parameter: `fun(a => …)`
              Error[unknown-name] at `nothing`: cannot find `nothing` in this scope
        "#]],
    );
}

#[test]
fn the_operand_with_fewer_values_is_converted() {
    check(
        "def a = fun(x: i32 => x + 0.5f)
def b = fun(x: i32 => 0.5f * x)
def c = fun(x: f32, y: i32 => x * y)
def d = fun(x: i32 => x + 0.5)
def e = fun(x: i32, y: i64 => x + y)
def f = fun(x: f32 => x + 2i32)
def g : f32 -> i32 = fun(x => 0.5f)
def h : i32 -> f32 = fun(x => 2i32)
def i : i32 -> f32 = fun(x => x)",
        expect![[r#"
            a : i32 -> i32
              Error[type-mismatch] at `0.5f`: `+` needs two operands of one type: the left one is `i32`, the right one `f32`
                expected: i32
                   found: f32
                related `x`: this is `i32`
                help: `cast` converts one of them: `(cast(x) : f32)`
            b : i32 -> f32
              Error[type-mismatch] at `x`: `*` needs two operands of one type: the left one is `f32`, the right one `i32`
                expected: f32
                   found: i32
                related `0.5f`: this is `f32`
                help: `cast` converts one of them: `(cast(x) : f32)`
            c : f32 -> i32 -> f32
              Error[type-mismatch] at `y`: `*` needs two operands of one type: the left one is `f32`, the right one `i32`
                expected: f32
                   found: i32
                related `x`: this is `f32`
                help: `cast` converts one of them: `(cast(y) : f32)`
            d : i32 -> i32
              Error[type-mismatch] at `0.5`: `+` needs two operands of one type: the left one is `i32`, the right one a number with a point
                related `x`: this is `i32`
                help: `cast` converts one of them: `(cast(x) : f32)`
            e : i32 -> i64 -> i32
              Error[type-mismatch] at `y`: `+` needs two operands of one type: the left one is `i32`, the right one `i64`
                expected: i32
                   found: i64
                related `x`: this is `i32`
                help: `cast` converts one of them: `(cast(x) : i64)`
            f : f32 -> f32
              Error[type-mismatch] at `2i32`: `+` needs two operands of one type: the left one is `f32`, the right one `i32`
                expected: f32
                   found: i32
                related `x`: this is `f32`
                help: write `2.0f`
            g : f32 -> i32
              Error[type-mismatch] at `0.5f`: the definition's type says `i32` here, and this is `f32`
                expected: i32
                   found: f32
                related `f32 -> i32`: the type is written here
                help: `i32` has no fractions: write a whole number, or take a type like `f32`
            h : i32 -> f32
              Error[type-mismatch] at `2i32`: the definition's type says `f32` here, and this is `i32`
                expected: f32
                   found: i32
                related `i32 -> f32`: the type is written here
                help: write `2.0f`
            i : i32 -> f32
              Error[type-mismatch] at `x`: the definition's type says `f32` here, and this is `i32`
                expected: f32
                   found: i32
                related `i32 -> f32`: the type is written here
                help: `cast` converts it: `(cast(x) : f32)`
        "#]],
    );
}

#[test]
fn conditions_on_sizes_are_relations_that_hold_together() {
    check(
        "def a : (n: Nat) -> n.f32 -> f32 where n != 1 = depFun(n: Nat => fun(xs => 1.0f))
def b : (n: Nat) -> n.f32 -> f32 where n >= 4 || 4 | n = depFun(n: Nat => fun(xs => 1.0f))
def c : (n: Nat) -> n.f32 -> f32 where n == 4 || n == 5 = depFun(n: Nat => fun(xs => 1.0f))
def d : (n: Nat) -> n.f32 -> f32 where n + 1 = depFun(n: Nat => fun(xs => 1.0f))
def e : (n: Nat) -> n.f32 -> f32 where n == 4, n == 5 = depFun(n: Nat => fun(xs => 1.0f))
def f : (n: Nat) -> n.f32 -> f32 where n >= 4, 3 | n, n <= 3 = depFun(n: Nat => fun(xs => 1.0f))
def g : (n: Nat) -> n.f32 -> f32 where 4 == 5 = depFun(n: Nat => fun(xs => 1.0f))",
        expect![[r#"
            a : (n: Nat) -> n.f32 -> f32
              Error[bad-annotation] at `n != 1`: `!=` cannot be used in a condition on sizes
                help: state which sizes are allowed, with `==`, `<`, `<=`, `>`, `>=` or `|`, as in `n >= 2`
            b : (n: Nat) -> n.f32 -> f32
              Error[bad-annotation] at `n >= 4 || 4`: `||` does not join conditions on sizes
                help: conditions that all hold are separated by commas: write `where 4 | n, n >= 12`
            c : (n: Nat) -> n.f32 -> f32
              Error[bad-annotation] at `n == 4 || n == 5`: `||` does not join conditions on sizes
                help: conditions that all hold are separated by commas: write `where 4 | n, n >= 12`
            d : (n: Nat) -> n.f32 -> f32
              Error[bad-annotation] at `n + 1`: expected a condition on sizes, found `n + 1`
                help: write `where 4 | n, n >= 12`
            e : (n: Nat) -> 4.f32 -> f32 where n == 4
              Error[obligation-fails] at `n == 5`: no size meets both this condition and the conditions before it
                related `n == 4`: the condition contradicts this one
            f : (n: Nat) -> n.f32 -> f32 where n >= 4, 3 divides n
              Error[obligation-fails] at `n <= 3`: no size meets both this condition and the conditions before it
                related `n >= 4`: the condition contradicts this one
            g : (n: Nat) -> n.f32 -> f32
              Error[bad-annotation] at `4 == 5`: a condition after a type must use a size parameter of this type
                help: write a condition on other sizes after the definition's type, or in `@assume`
        "#]],
    );
}

#[test]
fn a_size_comes_from_where_it_was_found() {
    check(
        "def a = fun(xs: 3.5.f32, ys: 3.4.f32 => zip(xs)(ys) |> map(fun((x, y) => zip(x)(y))))
def b = fun(f: 3.5.f32 -> f32, ys: 3.4.f32 => f(ys))
def c = fun(xs: 3.5.f32, ys: 3.4.f32 => select(true)(xs)(ys))",
        expect![[r#"
            a : 3.5.f32 -> 3.4.f32 -> 3.5.(f32, f32)
              Error[size-mismatch] at `y`: `zip` expects the size `5` here, and this has `4`
                expected: 5.f32
                   found: 4.f32
                related `x`: the size `5` comes from here
                related `y`: `y` is `4.f32`
                help: the expected size is 1 more than the found one
            b : (3.5.f32 -> f32) -> 3.4.f32 -> f32
              Error[size-mismatch] at `ys`: `f` expects the size `5` here, and this has `4`
                expected: 3.5.f32
                   found: 3.4.f32
                related `ys`: `ys` is `3.4.f32`
                help: the expected size is 1 more than the found one
            c : 3.5.f32 -> 3.4.f32 -> 3.5.f32
              Error[size-mismatch] at `ys`: `select` expects the size `5` here, and this has `4`
                expected: 3.5.f32
                   found: 3.4.f32
                related `ys`: `ys` is `3.4.f32`
                help: the expected size is 1 more than the found one
        "#]],
    );
}

#[test]
fn a_mistake_is_reported_once_with_what_is_missing() {
    check(
        "def initial = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce(add)))
def step = fun(xs: 4.f32 => xs |> slide(3) |> map(reduce(add)(0.0f)))
def size = fun(xs: 4.f32 => xs |> split |> join)
def halves = fun(xs: 4.f32 => xs |> map(fun(p => p._1 + p._2)))
def kind = depFun(n: Int => fun(xs: n.f32 => xs))
def pairs = fun((xs: 4.f32, ys: 4.f32) => zip(xs)(ys) |> map(mul))
def index = fun(xs: 4.f32, i: i32 => xs |> idx(i))
def values : (m: Nat) -> m.f32 -> f32 = fun(xs => xs |> reduce(add)(0.0f))",
        expect![[r#"
            initial : (n: Nat) -> n.f32 -> _
              Error[type-mismatch] at `xs`: the initial value of `reduce` is missing before the array
                help: write `xs |> reduce(add)(0.0f)`
            step : {n: Nat} -> 4.f32 -> n._
              Error[kind-mismatch] at `slide`: `slide` must first be given the size that its type calls `sp`
                help: write the size after `slide(3)`: `slide(3)(…)`
            size : {n: Nat} -> {m: Nat} -> 4.f32 -> (n*m)._
              Error[kind-mismatch] at `split`: `split` must first be given the size that its type calls `n`
                help: write the size after `split`: `split(…)`
            halves : 4.f32 -> _
              Error[type-mismatch] at `p`: `._1` and `._2` select a component of a pair, and this is `f32`
            kind : {m: Nat} -> (n: Int) -> m.f32 -> m.f32
              Error[kind-mismatch] at `n`: expected a size, found the integer type `n`
                help: a size has the kind `Nat`: bind it as `n: Nat`
            pairs : 4.f32 -> 4.f32 -> _
              Error[not-data] at `mul`: `map` needs a function that returns data, and this one returns a function
                help: the function is given a pair: write `fun((x, y) => x * y)`
            index : 4.f32 -> i32 -> _
              Error[type-mismatch] at `i`: `idx` expects `Idx[4]` here, and this is `i32`
                expected: Idx[4]
                   found: i32
                related `xs`: the expected type comes from here
                related `i`: `i` is `i32`
                help: `natAsIndex(4)((cast(i) : natType))` makes an index of it
            values : (m: Nat) -> m.f32 -> f32
        "#]],
    );
}

#[test]
fn names_of_other_languages_and_lanes_are_explained() {
    check(
        "def a = fun(x: f32 => clamp(x, 0.0f, 1.0f))
def b = fun(xs: 4.f32 => average(xs))
def c = fun(xs: 4.f32 => std(xs))
def d = fun(v: Vec[4, i32] => select(v > 0)(v)(-v))
def e = depFun(n: Nat => fun(xs: n.f32 => generate(fun(i: Idx[n] => xs |> idx(i + 1)))))
def f = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, b: m.f32 => zip(a)(b) |> map(fun((x, y) => x + y))))
def g = depFun((n: Nat, m: Nat) => fun(a: n.m.f32, b: m.f32 => zip(b)(a) |> map(fun((x, y) => x + y))))
def h = depFun(n: Nat => fun(xs: n.f32 => xs |> idx(blockIdx.x * blockDim.x + threadIdx.x)))",
        expect![[r#"
            a : f32 -> _
              Error[unknown-name] at `clamp`: cannot find `clamp` in this scope
                help: write `min(max(x)(low))(high)`
            b : 4.f32 -> _
              Error[unknown-name] at `average`: cannot find `average` in this scope
                help: write `mean(xs)`
            c : 4.f32 -> _
              Error[unknown-name] at `std`: cannot find `std` in this scope
                help: divide the sum of the squares of the differences from `mean(xs)` by the number of elements; `sqrt` computes a root
            d : Vec[4, i32] -> _
              Error[wrong-subkind] at `v`: `>` works on scalars (bool, numbers, Idx), and this is `Vec[4, i32]`
                help: choose for each lane: `v |> mapVec(fun(x => select(x > 0)(…)(…)))`
            e : (n: Nat) -> n.f32 -> _
              Error[wrong-subkind] at `i`: `+` works on numbers and vectors of numbers, and this is `Idx[n]`
                help: compute with the number, and make an index of the result: `natAsIndex(n)(indexAsNat(i) + 1)`
            f : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> _
              Error[size-mismatch] at `b`: `zip` is given an array of rows and one row: their sizes `n` and `m` differ
                expected: n.f32
                   found: m.f32
                they differ for n = 0, m = 1
                related `a`: the size `n` comes from here
                related `b`: `b` is `m.f32`
                help: for each row write `a |> map(fun(row => zip(row)(b) |> …))`
            g : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> _
              Error[size-mismatch] at `a`: `zip` is given an array of rows and one row: their sizes `m` and `n` differ
                expected: m.m.f32
                   found: n.m.f32
                they differ for n = 0, m = 1
                related `b`: the size `m` comes from here
                related `a`: `a` is `n.m.f32`
                help: for each row write `a |> map(fun(row => zip(b)(row) |> …))`
            h : (n: Nat) -> n.f32 -> _
              Error[kind-mismatch] at `blockIdx.x`: expected an expression, found a type: `blockIdx.x`
                help: programs do not use the numbers of work-items: `mapGlobal(fun(x => …))` gives each work-item an element, and `generate(fun(i => …))` makes an array from indices
        "#]],
    );
}

#[test]
fn arguments_in_another_order_are_one_mistake() {
    check(
        "def a = depFun(n: Nat => fun(xs: n.f32 => xs |> scanSeq(0.0f)(add)))
def b = depFun(n: Nat => fun(xs: n.f32 => reduce(add)(xs)(0.0f)))
def c = depFun(n: Nat => fun(xs: n.f32 => reduceSeq(xs, fun(x, y => x + y), 0.0f)))
def d = depFun(n: Nat => fun(xs: n.f32 => map(xs)(fun(x => x + 1.0f))))
def scale = depFun(n: Nat => fun(x: f32, xs: n.f32 => xs |> map(mul(x))))
def e = depFun(n: Nat => fun(xs: n.f32 => scale(n)(xs)(2.0f)))
def f = depFun(n: Nat => fun(xs: n.u8 => xs |> scanSeq(fun(acc, x => acc + cast(x)))(0.0f)))
def g = depFun(n: Nat => fun(xs: n.u8 => xs |> reduceSeq(fun(x: u8 => fun(acc: f32 => acc + cast(x))))(0.0f)))",
        expect![[r#"
            a : (n: Nat) -> n.f32 -> _
              Error[type-mismatch] at `0.0f`: the arguments of `scanSeq` are swapped: `add` must come before `0.0f`
                expected: f32 -> t -> t
                   found: f32
            b : (n: Nat) -> n.f32 -> _
              Error[type-mismatch] at `xs`: the arguments of `reduce` are swapped: `0.0f` must come before `xs`
                related `xs`: `xs` is `n.f32`
            c : (n: Nat) -> n.f32 -> _
              Error[type-mismatch] at `xs`: the arguments of `reduceSeq` are in the wrong order: the right order is `fun(…)`, then `0.0f`, then `xs`
                expected: t -> s -> t
                   found: n.f32
                related `xs`: `xs` is `n.f32`
            d : (n: Nat) -> n.f32 -> _
              Error[type-mismatch] at `xs`: the arguments of `map` are swapped: `fun(…)` must come before `xs`
                expected: s -> t
                   found: n.f32
                related `xs`: `xs` is `n.f32`
            scale : (n: Nat) -> f32 -> n.f32 -> n.f32
            e : (n: Nat) -> n.f32 -> _
              Error[type-mismatch] at `xs`: the arguments of `scale` are swapped: `2.0f` must come before `xs`
                expected: f32
                   found: n.f32
                related `xs`: `xs` is `n.f32`
            f : (n: Nat) -> n.u8 -> _
              Error[type-mismatch] at `acc, x`: the parameters `acc` and `x` are swapped: `scanSeq` gives its function `u8` first, and then `f32`
            g : (n: Nat) -> n.u8 -> _
              Error[type-mismatch] at `x: u8 => fun(acc: f32`: the parameters `x` and `acc` are swapped: `reduceSeq` gives its function `f32` first, and then `u8`
        "#]],
    );
}

#[test]
fn an_initial_value_has_the_form_of_the_accumulator() {
    check(
        "def a = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 => xss |> reduceSeq(fun(acc, xs => zip(acc)(xs) |> map(fun((a, x) => a + x))))(0.0f)))
def b = depFun((n: Nat, m: Nat) => fun(xss: n.m.m.f32 => xss |> reduceSeq(fun(acc, xs => zip(acc)(xs) |> map(fun((a, x) => zip(a)(x) |> map(fun((b, y) => b + y))))))(0)))
def c = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(fun(acc, x => (acc._1 + x, acc._2 * x)))(0.0f)))
def d = depFun(n: Nat => fun(xs: n.f32 => xs |> scanSeq(fun(x, acc => vectorFromScalar(x) + (acc : Vec[4, f32])))(0.0f)))",
        expect![[r#"
            a : (n: Nat) -> (m: Nat) -> n.m.f32 -> _
              Error[type-mismatch] at `0.0f`: the accumulator of `reduceSeq` is an array `m.f32`, and its initial value is `f32`
                expected: m.f32
                   found: f32
                related `fun`: this function takes and gives an array `m.f32`
                help: write `generate(fun(i => 0.0f))`
            b : (n: Nat) -> (m: Nat) -> n.m.m.f32 -> _
              Error[type-mismatch] at `0`: the accumulator of `reduceSeq` is an array `m.m.f32`, and its initial value is a number
                related `fun`: this function takes and gives an array `m.m.f32`
                help: write `generate(fun(i => generate(fun(j => 0))))`
            c : (n: Nat) -> n.f32 -> _
              Error[type-mismatch] at `0.0f`: the accumulator of `reduceSeq` is a pair `(f32, f32)`, and its initial value is `f32`
                expected: (f32, f32)
                   found: f32
                related `fun`: this function takes and gives a pair `(f32, f32)`
                help: write `(0.0f, 0.0f)`
            d : (n: Nat) -> n.f32 -> _
              Error[type-mismatch] at `0.0f`: the accumulator of `scanSeq` is `Vec[4, f32]`, and its initial value is `f32`
                expected: Vec[4, f32]
                   found: f32
                related `fun`: this function takes and gives `Vec[4, f32]`
                help: write `vectorFromScalar(0.0f)`
        "#]],
    );
}

#[test]
fn a_reduction_is_not_converted_where_its_result_is() {
    check(
        "def a = depFun(n: Nat => fun(xs: n.u8 => xs |> reduce(add)(0.0f)))
def b : (n: Nat) -> n.u8 -> i32 = depFun(n: Nat => fun(xs => xs |> reduce(add)(0)))
def c = depFun(n: Nat => fun(xs: n.u8 => xs |> reduceSeq(fun(acc, x => acc + x))(0.0f)))
def d = depFun(n: Nat => fun(xs: n.f64 => xs |> reduce(add)(0.0f)))",
        expect![[r#"
            a : (n: Nat) -> n.u8 -> _
              Error[type-mismatch] at `0.0f`: `reduce` expects `u8` here, and this is `f32`
                expected: u8
                   found: f32
                help: to compute in `f32`, convert the elements before: `map(fun(x => (cast(x) : f32)))`
            b : (n: Nat) -> n.u8 -> i32
              Error[type-mismatch] at `xs |> reduce(add)(0)`: the definition's type says `i32` here, and this is `u8`
                expected: i32
                   found: u8
                related `(n: Nat) -> n.u8 -> i32`: the type is written here
                help: to compute in `i32`, convert the elements before: `map(fun(x => (cast(x) : i32)))`
            c : (n: Nat) -> n.u8 -> _
              Error[type-mismatch] at `x`: `+` needs two operands of one type: the left one is `f32`, the right one `u8`
                expected: f32
                   found: u8
                related `acc`: this is `f32`
                help: `cast` converts one of them: `(cast(x) : f32)`
            d : (n: Nat) -> n.f64 -> _
              Error[type-mismatch] at `0.0f`: `reduce` expects `f64` here, and this is `f32`
                expected: f64
                   found: f32
                help: write `0.0f64`
        "#]],
    );
}

#[test]
fn operators_on_what_is_no_number() {
    check(
        "def a = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => xs + ys))
def b = depFun(n: Nat => fun(x: f32, ys: n.f32 => x * ys))
def c = depFun(n: Nat => fun(xs: n.f32 => -xs))
def d = fun(x: f32, v: Vec[4, f32] => v * x)
def e = fun(a: f32, p: (f32, f32) => a + p)
def f = fun(p: (f32, f32), q: (f32, f32) => p + q)
def g = depFun(n: Nat => fun(ps: n.(f32, f32) => ps |> reduce(add)((0.0f, 0.0f))))
def h = depFun(n: Nat => fun(xs: n.f32 => reduce(add, 0.0f) * 2.0f))
def i = depFun(n: Nat => fun(xs: n..dataFun(i => i.f32) => xs |> map(reduce(add)(0.0f))))
def j = fun(x: f32 => add(x, x, x))",
        expect![[r#"
            a : (n: Nat) -> n.f32 -> n.f32 -> _
              Error[wrong-subkind] at `xs`: `+` works on numbers and vectors of numbers, and this is `n.f32`
                help: an operator works on single elements: `zip(xs)(ys) |> map(fun((x, y) => x + y))`
            b : (n: Nat) -> f32 -> n.f32 -> _
              Error[type-mismatch] at `ys`: `*` needs two operands of one type: the left one is `f32`, the right one an array `n.f32`
                expected: f32
                   found: n.f32
                related `x`: this is `f32`
                help: an operator works on single elements: `ys |> map(fun(y => x * y))`
            c : (n: Nat) -> n.f32 -> _
              Error[wrong-subkind] at `xs`: `-` works on numbers and vectors of numbers, and this is `n.f32`
                help: an operator works on single elements: `xs |> map(neg)`
            d : f32 -> Vec[4, f32] -> _
              Error[type-mismatch] at `x`: `*` needs two operands of one type: the left one is `Vec[4, f32]`, the right one `f32`
                expected: Vec[4, f32]
                   found: f32
                related `v`: this is `Vec[4, f32]`
                help: make a vector of the scalar: `vectorFromScalar(x)`
            e : f32 -> (f32, f32) -> _
              Error[type-mismatch] at `p`: `+` needs two operands of one type: the left one is `f32`, the right one a pair `(f32, f32)`
                expected: f32
                   found: (f32, f32)
                related `a`: this is `f32`
                help: take a half of the pair: `p._1` or `p._2`
            f : (f32, f32) -> (f32, f32) -> _
              Error[wrong-subkind] at `p`: `+` works on numbers and vectors of numbers, and this is `(f32, f32)`
                help: compute with each component: `(p._1 + q._1, p._2 + q._2)`
            g : (n: Nat) -> n.(f32, f32) -> _
              Error[wrong-subkind] at `add`: this function works on numbers and vectors of numbers, and `reduce` gives it `(f32, f32)`
                related `ps`: the expected type comes from here
                help: write `fun(a, b => (a._1 + b._1, a._2 + b._2))`, or make a number of each pair before, as in `map(fun(p => p._1 * p._2))`
            h : (n: Nat) -> n.f32 -> _
              Error[wrong-subkind] at `reduce(add, 0.0f)`: `*` works on numbers and vectors of numbers, and this is `m.f32 -> f32` (for any size `m`)
                help: an argument is missing: `reduce(add, 0.0f)(…)`
            i : (n: Nat) -> n..dataFun(i => i.f32) -> _
              Error[type-mismatch] at `map`: `map` expects an array `m.s` (for any size `m` and data type `s`), and `n..dataFun(i => i.f32)` is piped into it
                expected: m.s
                   found: n..dataFun(i => i.f32)
                related `xs`: `xs` is `n..dataFun(i => i.f32)`
                help: the rows of a dependent array differ in length, and `depMapSeq` works on each: `depMapSeq(depFun(i: Nat => fun(row => …)))`
            j : f32 -> _
              Error[not-a-function] at `x`: `add` takes no further argument: its result is `f32`
                help: `add` takes 2 arguments: remove this one
        "#]],
    );
}

#[test]
fn mathematical_functions_have_the_type_and_the_name_that_they_need() {
    check(
        "def a = fun(x: f32, y: f32 => prod(x, y))
def b = fun(x: i32, y: i32 => fmin(x)(y))
def c = depFun(n: Nat => fun(xs: n.f64 => xs |> map(fabs)))
def d = fun(x: Vec[4, f64] => tgamma(x))
def e = fun(x: f32 => rsqrt(x))
def f : f64 -> f64 = fun(x => fdim(2.0, x))
def g = depFun(n: Nat => fun(xs: n.f32 => sum(xs) + pow(2.0f, sin(1.0f))))
def h = depFun((n: Nat, m: Nat) => fun(xs: n.f32 => xs |> take(min(n, m))))",
        expect![[r#"
            a : f32 -> f32 -> _
              Error[unknown-name] at `prod`: cannot find `prod` in this scope
                help: write `product`
            b : i32 -> i32 -> _
              Error[wrong-subkind] at `x`: `fmin` works on floating-point numbers and vectors of them, and this is `i32`
                related `x`: `x` is `i32`
            c : {t: DataType} -> (n: Nat) -> n.f64 -> n.t
              Error[unknown-name] at `fabs`: cannot find `fabs` in this scope
                help: write `abs`
            d : Vec[4, f64] -> _
              Error[unknown-name] at `tgamma`: cannot find `tgamma` in this scope
                help: write `mapVec(tgamma)`, and declare `foreign def tgamma(x: f64): f64`
            e : f32 -> _
              Error[unknown-name] at `rsqrt`: cannot find `rsqrt` in this scope
                help: write `fun(x => (1.0 / sqrt(x) : f32))`
            f : f64 -> f64
              Error[unknown-name] at `fdim`: cannot find `fdim` in this scope
                help: declare it: `foreign def fdim(x: f64, y: f64): f64`
            g : (n: Nat) -> n.f32 -> f32
            h : (n: Nat) -> (m: Nat) -> n.f32 -> (min(n, m)).f32
        "#]],
    );
}

/// `min` and `max` of sizes are sizes, and functions of values where an argument is a value or absent.
#[test]
fn minimum_and_maximum_of_sizes_and_of_values() {
    check(
        "def a = depFun((n: Nat, m: Nat) => fun(xs: n.f32 => xs |> take(min(n, m) + 0)))
def b = depFun((n: Nat, m: Nat) => max(n, m) + 1)
def c = fun(x: f32, y: f32 => max(max(x + y, y * 2.0f), 0.0f) + min(-x, y))
def d = depFun(n: Nat => fun(xs: n.i32 => xs |> map(max(0)) |> reduce(min)(9)))
def e = depFun(n: Nat => fun(k: natType => min(k, n)))
def f = depFun(n: Nat => fun(x: i32 => max(x, n)))
def g = fun(x: i32 => sqrt(x))
def h = fun(v: Vec[4, f64] => round(abs(v)))
def i = fun(x => floor(x))",
        expect![[r#"
            a : (n: Nat) -> (m: Nat) -> n.f32 -> (min(n, m)).f32
            b : (n: Nat) -> (m: Nat) -> natType
            c : f32 -> f32 -> f32
            d : (n: Nat) -> n.i32 -> i32
            e : (n: Nat) -> natType -> natType
            f : (n: Nat) -> i32 -> _
              Error[type-mismatch] at `n`: `max` expects `i32` here, and this is `natType`
                expected: i32
                   found: natType
                related `n`: `n` is `natType`
                help: `cast` converts it: `(cast(n) : i32)`
            g : i32 -> _
              Error[wrong-subkind] at `x`: `sqrt` works on floating-point numbers and vectors of them, and this is `i32`
                related `x`: `x` is `i32`
            h : Vec[4, f64] -> Vec[4, f64]
            i : {t: Float} -> t -> t
        "#]],
    );
}

/// A definition of the file hides a primitive, and `min` is still the function on sizes where a size
/// is read.
#[test]
fn definitions_hide_primitives() {
    check(
        "foreign def sqrt(x: f32): f64
def min = fun(x: bool, y: bool => x && y)
def a = fun(x: f32 => sqrt(x))
def b = depFun((n: Nat, m: Nat) => fun(xs: n.f32 => xs |> take(min(n, m))))
def c = fun(x: bool => min(x)(true))",
        expect![[r#"
            sqrt : f32 -> f64
              Error[foreign-signature] at `sqrt`: `sqrt` of `<math.h>` has the type `f32 -> f32`, and is declared with `f32 -> f64`
                help: write `foreign def sqrt(x: f32): f32`, or give the function a body
            min : bool -> bool -> bool
            a : f32 -> f64
            b : (n: Nat) -> (m: Nat) -> n.f32 -> (min(n, m)).f32
            c : bool -> bool
        "#]],
    );
}

#[test]
fn an_annotation_is_one_mistake() {
    check(
        "def a : f32 -> f32 = fun(x: f64 => x)
def b : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs: n.f64 => xs |> map(fun(x => x + 1.0f))))
def c : f32 -> f32 = fun(x: i32 => nothing)",
        expect![[r#"
            a : f32 -> f32
              Error[type-mismatch] at `f64`: `x` is given `f32`, and its annotation says `f64`
                expected: f32
                   found: f64
            b : (n: Nat) -> n.f32 -> n.f32
              Error[type-mismatch] at `n.f64`: `xs` is given an array `n.f32`, and its annotation says an array `n.f64`
                expected: n.f32
                   found: n.f64
            c : f32 -> f32
              Error[type-mismatch] at `i32`: `x` is given `f32`, and its annotation says `i32`
                expected: f32
                   found: i32
              Error[unknown-name] at `nothing`: cannot find `nothing` in this scope
        "#]],
    );
}

#[test]
fn rounds_that_take_off_elements_are_one_mistake() {
    check(
        "def a = fun(xs: 16.f32 => xs |> iterate(3)(depFun(l: Nat => fun(ys => ys |> slide(3)(1) |> map(reduce(add)(0.0f))))))",
        expect![[r#"
            a : {n: Nat} -> 16.f32 -> n.f32
              Error[size-mismatch] at `ys |> slide(3)(1) |> map(reduce(add)(0.0f))`: no value of the unknown size `n` makes `n*l - 2` equal to `l`
                expected: l.f32
                   found: (n*l-2).f32
                help: each round of `iterate` divides the size by the same number: to remove some elements in each round, as `slide` does, write the rounds one after the other, without `iterate`
        "#]],
    );
}

#[test]
fn conditions_of_arguments_with_implicit_sizes() {
    check(
        "def four : {n: Nat} -> n.f32 -> (n/4).4.f32 where 4 divides n = fun(xs => xs |> split(4))
def apply : ({n: Nat} -> n.f32 -> (n/4).4.f32) -> 8.f32 -> 2.4.f32 = fun(f => fun(xs => f(xs)))
def user = fun(xs: 8.f32 => apply(four)(xs))",
        expect![[r#"
            four : {n: Nat} -> n.f32 -> (n/4).4.f32 where 4 divides n
            apply : ({n: Nat} -> n.f32 -> (n/4).4.f32) -> 8.f32 -> 2.4.f32
            user : 8.f32 -> 2.4.f32
              Error[obligation-fails] at `four`: `four` needs 4 divides n, which the type of the parameter of `apply` does not state: it fails for n = 1
                help: write the type of the parameter as `(… where 4 divides n)`
        "#]],
    );
}

#[test]
fn rows_are_joined_or_reduced_one_by_one() {
    check(
        "def a = depFun(n: Nat => fun(xss: n.4.f32 => xss |> reduce(add)(0.0f)))
def b : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs => xs |> split(4) |> map(map(fun(x => x * 2.0f)))))
def axpy = depFun(n: Nat => fun(a: f32, xs: n.f32, ys: n.f32 => a * xs + ys))",
        expect![[r#"
            a : (n: Nat) -> n.4.f32 -> _
              Error[wrong-subkind] at `add`: this function works on numbers and vectors of numbers, and `reduce` gives it `4.f32`
                related `xss`: the expected type comes from here
                help: for one result of each row write `map(reduce(add)(…))`, and for one of all rows `join` before it
            b : (n: Nat) -> n.f32 -> n.f32 where 4 divides n
              Error[type-mismatch] at `xs |> split(4) |> map(map(fun(x => x * 2.0f)))`: the definition's type says an array `n.f32` here, and this is an array `(n/4).4.f32`
                expected: n.f32
                   found: (n/4).4.f32
                related `(n: Nat) -> n.f32 -> n.f32`: the type is written here
                help: `… |> join` has the type `n.f32`
              Information[obligation] at `split`: assumes 4 divides n
                help: the condition is checked before each run, and each use of the definition must meet it
            axpy : (n: Nat) -> f32 -> n.f32 -> n.f32 -> _
              Error[type-mismatch] at `xs`: `*` needs two operands of one type: the left one is `f32`, the right one an array `n.f32`
                expected: f32
                   found: n.f32
                related `a`: this is `f32`
                help: an operator works on single elements: `zip(xs)(ys) |> map(fun((x, y) => a * x + y))`
        "#]],
    );
}

#[test]
fn what_is_declared_is_not_declared_again() {
    check(
        "foreign def pow(x: f32, y: f32): f32
def a = fun(x: f32, y: f32 => power(x, y))",
        expect![[r#"
            pow : f32 -> f32 -> f32
            a : f32 -> f32 -> _
              Error[unknown-name] at `power`: cannot find `power` in this scope
                help: write `pow`
        "#]],
    );
}

#[test]
fn a_function_of_more_arguments_is_not_replaced_at_once() {
    let is_preferred = |name: &str| {
        let text = format!("def f = fun((a: 4.f32, b: 4.f32) => {name}(a)(b))");
        let checked = crate::definitions::check(&text, &mut crate::definitions::library());
        let fix = checked[0].diagnostics[0].fixes.first();
        fix.is_some_and(|fix| fix.preferred)
    };
    assert!(is_preferred("zipp"));
    assert!(!is_preferred("zip3"));
}

/// Returns the text of a definition after the first fix of its only error.
fn mended(text: &str) -> String {
    let checked = crate::definitions::check(text, &mut crate::definitions::library());
    let errors = checked[0].diagnostics.iter();
    let errors: Vec<_> = errors
        .filter(|found| found.severity == syntax::Severity::Error)
        .collect();
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    let fix = errors[0].fixes.first().expect(text);
    let moved = fix.moves.iter().map(|&(to, from)| {
        let text = &text[std::ops::Range::from(from)];
        (to, text.to_owned())
    });
    let mut edits: Vec<_> = fix.edits.iter().cloned().chain(moved).collect();
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let mut mended = text.to_owned();
    for (span, new) in edits.iter().rev() {
        mended.replace_range(std::ops::Range::from(*span), new);
    }
    mended
}

#[test]
fn fixes_of_calls_give_programs_without_errors() {
    let texts = [
        "def f = fun(xs: 4.f32 => xs |> padEmpty(1)(1))",
        "def f = depFun(n: Nat => (generate(n)(fun(i => i)) : n.Idx[n]))",
        "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x + 1.0f), 1)))",
        "def f = depFun(n: Nat => fun(xs: n.f32 => toMem(xs, Global)))",
        "def f = depFun(n: Nat => fun(xs: n.f32 => toMem(xs)(Global)))",
        "def f = fun(xs: 8.f32 => xs |> iterate(depFun(l: Nat => fun(ys: (2 * l).f32 => ys |> take(l))))(3))",
        "def f = fun(xs: 4.f32 => xs |> padCst(1)(1) |> slide(3)(1))",
        "def f = fun(xs: 4.(f32, f32) => fst(xs))",
        "def f = fun(xs: 4.f32, ys: 4.f32 => zip(xs)(ys) |> snd)",
        "def f = fun(xs: 4.(4.f32, f32) => xs._1 |> join)",
        "def f = depFun(n: Nat => fun(xs: (4 * n).f32, ys: (4 * n).f32 => zip(xs |> split(4))(ys)))",
        "def f = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => zip(xs)(ys |> split(4))))",
        "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> gather(fun(i => i))))",
        "def f = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => map(fun(x, y => x + y))(xs)(ys)))",
        "def f = fun(x: i32 => cast(x, f32))",
        "def f = fun(x: i32 => cast(x + 1)(f32))",
        "def f = fun(x: i32 => x |> cast(f32))",
        "def f = depFun(n: Nat => fun(xs: n.i32 => map(cast(f32))(xs)))",
        "def f = fun(xs: 4.f32, ys: 4.f32, zs: 4.f32 => zip3(xs, ys, zs))",
        "def f = fun(xs: 4.f32 => xs |> toMem(Shared))",
        "def f = fun(xs: 4.f32 => xs |> toMem(local))",
        "def f = fun(v: Vec[4, i32] => v % 5)",
        "def f = fun(v: Vec[4, f32] => 0.0f < v)",
        "def f = fun(xs: 4.f32 => iterate(2)(fun(ys => ys |> map(fun(x => x + 1.0f))))(xs))",
    ];
    let mut found = String::new();
    for text in texts {
        let mended = mended(text);
        let again = crate::definitions::check(&mended, &mut crate::definitions::library());
        let mut errors = again[0].diagnostics.iter();
        let error = errors.find(|found| found.severity == syntax::Severity::Error);
        assert!(error.is_none(), "{mended}: {error:?}");
        found += &format!("{mended}\n");
    }
    expect![[r#"
        def f = fun(xs: 4.f32 => xs |> padEmpty(1))
        def f = depFun(n: Nat => (generate(fun(i => i)) : n.Idx[n]))
        def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(1)(fun(x => x + 1.0f))))
        def f = depFun(n: Nat => fun(xs: n.f32 => toMem(Global)(xs)))
        def f = depFun(n: Nat => fun(xs: n.f32 => toMem(Global)(xs)))
        def f = fun(xs: 8.f32 => xs |> iterate(3)(depFun(l: Nat => fun(ys: (2 * l).f32 => ys |> take(l)))))
        def f = fun(xs: 4.f32 => xs |> padCst(1)(1)(0) |> slide(3)(1))
        def f = fun(xs: 4.(f32, f32) => map(fst)(xs))
        def f = fun(xs: 4.f32, ys: 4.f32 => zip(xs)(ys) |> map(snd))
        def f = fun(xs: 4.(4.f32, f32) => (xs |> map(fst)) |> join)
        def f = depFun(n: Nat => fun(xs: (4 * n).f32, ys: (4 * n).f32 => zip(xs |> split(4))(ys |> split(4))))
        def f = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => zip(xs |> split(4))(ys |> split(4))))
        def f = depFun(n: Nat => fun(xs: n.f32 => xs |> gather(generate(fun(i => i)))))
        def f = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 => map(fun((x, y) => x + y))(zip(xs)(ys))))
        def f = fun(x: i32 => (cast(x) : f32))
        def f = fun(x: i32 => (cast(x + 1) : f32))
        def f = fun(x: i32 => (cast(x) : f32))
        def f = depFun(n: Nat => fun(xs: n.i32 => map(fun(x => (cast(x) : f32)))(xs)))
        def f = fun(xs: 4.f32, ys: 4.f32, zs: 4.f32 => zip(xs)(zip(ys)(zs)))
        def f = fun(xs: 4.f32 => xs |> toMem(Local))
        def f = fun(xs: 4.f32 => xs |> toMem(Local))
        def f = fun(v: Vec[4, i32] => v |> mapVec(fun(x => x % 5)))
        def f = fun(v: Vec[4, f32] => v |> mapVec(fun(x => 0.0f < x)))
        def f = fun(xs: 4.f32 => iterate(2)(depFun(l: Nat => fun(ys => ys |> map(fun(x => x + 1.0f)))))(xs))
    "#]].assert_eq(&found);
}
