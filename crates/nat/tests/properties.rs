//! Property tests: every operation agrees with evaluation, and proofs and refutations are correct.

use nat::{Facts, Nat, NatFun, Prop, Solution, Var, Verdict, solve};
use proptest::prelude::*;

/// An expression before normalisation.
#[derive(Clone, Debug)]
enum Expr {
    Const(i64),
    Var(u32),
    Op(Op, Box<Expr>, Box<Expr>),
    Log2(Box<Expr>),
    App(Box<Expr>),
    /// A sum whose index is variable 9.
    Sum(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Min,
    Max,
    CeilDiv,
}

const INDEX: u32 = 9;
const FUN: Var = Var(20);
const VARS: u32 = 3;

fn function(arg: i64) -> i64 {
    arg.rem_euclid(5) * 2 + 1
}

impl Expr {
    fn nat(&self) -> Nat {
        match self {
            Expr::Const(value) => Nat::constant(*value),
            Expr::Var(var) => Nat::var(Var(*var)),
            Expr::Log2(a) => Nat::log2(&a.nat()),
            Expr::App(a) => Nat::apply(FUN, &a.nat()),
            Expr::Sum(a, b, body) => Nat::sum(Var(INDEX), &a.nat(), &b.nat(), &body.nat()),
            Expr::Op(op, a, b) => {
                let make = match op {
                    Op::Add => Nat::add,
                    Op::Sub => Nat::sub,
                    Op::Mul => Nat::mul,
                    Op::Div => Nat::div,
                    Op::Mod => Nat::rem,
                    Op::Pow => Nat::pow,
                    Op::Min => Nat::min,
                    Op::Max => Nat::max,
                    Op::CeilDiv => Nat::ceil_div,
                };
                make(&a.nat(), &b.nat())
            }
        }
    }

    fn eval(&self, vars: &[i64; 10]) -> Option<i128> {
        Some(match self {
            Expr::Const(value) => i128::from(*value),
            Expr::Var(var) => i128::from(vars[*var as usize]),
            Expr::Log2(a) => i128::from(a.eval(vars)?.checked_ilog2()?),
            Expr::App(a) => i128::from(function(i64::try_from(a.eval(vars)?).ok()?)),
            Expr::Sum(a, b, body) => {
                let (from, to) = (a.eval(vars)?, b.eval(vars)?);
                if to - from > 200 {
                    return None;
                }
                let mut sum = 0;
                // An overflow in the body also occurs in an empty sum if that is split.
                let mut first = *vars;
                first[INDEX as usize] = from as i64;
                body.eval(&first)?;
                for index in from..to {
                    let mut inside = *vars;
                    inside[INDEX as usize] = index as i64;
                    sum += body.eval(&inside)?;
                }
                sum
            }
            Expr::Op(op, a, b) => {
                let (a, b) = (a.eval(vars)?, b.eval(vars)?);
                let floor = |a: i128, b: i128| {
                    (b != 0).then(|| a / b - i128::from(a % b != 0 && (a < 0) != (b < 0)))
                };
                match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a.checked_mul(b)?,
                    Op::Div => floor(a, b)?,
                    Op::Mod => a - b * floor(a, b)?,
                    // Larger powers overflow when they are expanded.
                    Op::Pow => a.checked_pow(u32::try_from(b).ok().filter(|b| *b <= 12)?)?,
                    Op::Min => a.min(b),
                    Op::Max => a.max(b),
                    Op::CeilDiv => floor(a + b - 1, b)?,
                }
            }
        })
        .filter(|value| value.abs() < 1 << 40)
    }
}

fn expr(depth: u32, vars: u32, sums: bool) -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        2 => (-4i64..12).prop_map(Expr::Const),
        5 => (0..vars).prop_map(Expr::Var),
    ];
    leaf.prop_recursive(depth, 24, 2, move |inner| {
        let op = prop_oneof![
            5 => Just(Op::Add), 4 => Just(Op::Sub), 5 => Just(Op::Mul), 4 => Just(Op::Div),
            3 => Just(Op::Mod), 1 => Just(Op::Pow), 1 => Just(Op::Min), 1 => Just(Op::Max),
            1 => Just(Op::CeilDiv),
        ];
        let pair = (op, inner.clone(), inner.clone())
            .prop_map(|(op, a, b)| Expr::Op(op, a.into(), b.into()));
        let index = prop_oneof![
            Just(Expr::Var(INDEX)),
            inner
                .clone()
                .prop_map(|e| Expr::Op(Op::Mul, e.into(), Expr::Var(INDEX).into())),
            inner
                .clone()
                .prop_map(|e| Expr::Op(Op::Mod, Expr::Var(INDEX).into(), e.into())),
            (inner.clone(), 1..4i64).prop_map(|(e, k)| Expr::Op(
                Op::Add,
                e.into(),
                Expr::Op(Op::Pow, Expr::Var(INDEX).into(), Expr::Const(k).into()).into()
            )),
        ];
        let sum = (inner.clone(), inner.clone(), index)
            .prop_map(|(a, b, body)| Expr::Sum(a.into(), b.into(), body.into()));
        prop_oneof![
            20 => pair,
            1 => inner.clone().prop_map(|a| Expr::Log2(a.into())),
            1 => inner.prop_map(|a| Expr::App(a.into())),
            if sums { 2 } else { 0 } => sum,
        ]
    })
}

fn any_expr() -> impl Strategy<Value = Expr> {
    expr(4, VARS, true)
}

/// Generates expressions without functions and sums, for the prover.
fn plain_expr() -> impl Strategy<Value = Expr> {
    expr(3, VARS, false).prop_filter("no functions", |e| !e.nat().mentions(FUN))
}

fn values() -> impl Strategy<Value = [i64; 10]> {
    proptest::array::uniform3(0i64..9).prop_map(|[a, b, c]| [a, b, c, 0, 0, 0, 0, 0, 0, 0])
}

fn eval(nat: &Nat, vars: &[i64; 10]) -> Option<i64> {
    nat.eval(&|v| vars.get(v.0 as usize).copied(), &|_, arg| {
        Some(function(arg))
    })
}

fn holds(prop: &Prop, vars: &[i64; 10]) -> Option<bool> {
    prop.eval(&|v| vars.get(v.0 as usize).copied(), &|_, arg| {
        Some(function(arg))
    })
}

fn grid() -> impl Iterator<Item = [i64; 10]> {
    (0..343).map(|code| [code % 7, code / 7 % 7, code / 49, 0, 0, 0, 0, 0, 0, 0])
}

/// Generates conditions of the forms of facts.
fn fact() -> impl Strategy<Value = Prop> {
    let small = || expr(1, VARS, false).prop_filter("no functions", |e| !e.nat().mentions(FUN));
    prop_oneof![
        (1i64..7, small()).prop_map(|(d, a)| Prop::Divides(Nat::constant(d), a.nat())),
        (0..VARS, small()).prop_map(|(d, a)| Prop::Divides(Nat::var(Var(d)), a.nat())),
        (small(), small()).prop_map(|(a, b)| Prop::AtLeast(a.nat(), b.nat())),
        (0..VARS, small()).prop_map(|(d, a)| Prop::AtLeast(a.nat(), Nat::var(Var(d)) + 1)),
        (0..VARS, small()).prop_map(|(d, a)| Prop::Equal(Nat::var(Var(d)), a.nat())),
    ]
}

fn goal() -> impl Strategy<Value = Prop> {
    prop_oneof![
        (plain_expr(), plain_expr()).prop_map(|(a, b)| Prop::AtLeast(a.nat(), b.nat())),
        (plain_expr(), plain_expr()).prop_map(|(a, b)| Prop::Equal(a.nat(), b.nat())),
        (plain_expr(), plain_expr()).prop_map(|(a, b)| Prop::Divides(a.nat(), b.nat())),
        (1i64..5, plain_expr()).prop_map(|(d, a)| Prop::Divides(Nat::constant(d), a.nat())),
        fact(),
    ]
}

fn facts_of(props: &[Prop]) -> Facts {
    let mut facts = Facts::new();
    props.iter().for_each(|prop| facts.assume(prop));
    facts
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normal_form_keeps_the_value(e in any_expr(), vars in values()) {
        if let Some(value) = e.eval(&vars) {
            prop_assert_eq!(eval(&e.nat(), &vars).map(i128::from), Some(value));
        }
    }

    #[test]
    fn sums_and_products_are_commutative(a in any_expr(), b in any_expr()) {
        let (a, b) = (a.nat(), b.nat());
        prop_assert_eq!(&a + &b, &b + &a);
        prop_assert_eq!(&a * &b, &b * &a);
        prop_assert_eq!(&a - &a, Nat::ZERO);
    }

    #[test]
    fn polynomials_are_a_ring(
        a in prop::collection::vec((0..VARS, 0..VARS, -3i64..4), 0..4),
        b in prop::collection::vec((0..VARS, 0..VARS, -3i64..4), 0..4),
        c in prop::collection::vec((0..VARS, 0..VARS, -3i64..4), 0..4),
    ) {
        let poly = |parts: Vec<(u32, u32, i64)>| parts.iter().fold(Nat::ONE, |sum, (x, y, k)| {
            sum + Nat::var(Var(*x)) * Nat::var(Var(*y)) * *k
        });
        let (a, b, c) = (poly(a), poly(b), poly(c));
        prop_assert_eq!((&a + &b) + &c, &a + (&b + &c));
        prop_assert_eq!((&a * &b) * &c, &a * (&b * &c));
        prop_assert_eq!(&a * (&b + &c), &a * &b + &a * &c);
        prop_assert_eq!(Nat::div(&(&a * &b), &b), if b.is_zero() { Nat::div(&b, &b) } else { a });
    }

    #[test]
    fn substitution_is_evaluation(e in any_expr(), x in any_expr(), vars in values()) {
        let put = e.nat().subst(&|v| (v == Var(1)).then(|| x.nat()));
        if let Some(value) = x.eval(&vars) {
            let mut inside = vars;
            inside[1] = value as i64;
            // A variable is never negative. Large powers that cancel in `e` may overflow when they
            // are expanded.
            if value >= 0
                && let Some(expected) = e.eval(&inside)
                && let Some(found) = eval(&put, &vars)
            {
                prop_assert_eq!(i128::from(found), expected);
            }
        }
    }

    #[test]
    fn functions_are_put_in(e in any_expr(), vars in values()) {
        // The function is `natFun(i => i % 5 * 2 + 1)`.
        let body = Nat::rem(&Nat::var(Var(30)), &Nat::constant(5)) * 2 + 1;
        let put = e.nat().subst_fun(&|f| {
            (f == FUN).then(|| NatFun { param: Var(30), body: body.clone() })
        });
        prop_assert!(!put.mentions(FUN));
        if let Some(expected) = e.eval(&vars) {
            prop_assert_eq!(eval(&put, &vars).map(i128::from), Some(expected));
        }
    }

    #[test]
    fn normalizing_under_facts_keeps_the_value(
        e in plain_expr(), facts in prop::collection::vec(fact(), 1..4),
    ) {
        let simple = facts_of(&facts).normalize(&e.nat());
        for vars in grid() {
            if facts.iter().all(|f| holds(f, &vars) == Some(true))
                && let Some(value) = e.eval(&vars) {
                    prop_assert_eq!(eval(&simple, &vars).map(i128::from), Some(value));
                }
        }
    }

    #[test]
    fn verdicts_are_right(goal in goal(), props in prop::collection::vec(fact(), 0..4)) {
        let facts = facts_of(&props);
        let satisfied = |vars: &[i64; 10]| props.iter().all(|f| holds(f, vars) == Some(true));
        match facts.prove(&goal) {
            Verdict::Proved => for vars in grid().filter(satisfied) {
                prop_assert_ne!(holds(&goal, &vars), Some(false), "at {:?}", vars);
            },
            Verdict::Refuted(sizes) => {
                let mut vars = [0; 10];
                sizes.iter().for_each(|(v, value)| vars[v.0 as usize] = *value);
                prop_assert_eq!(holds(&goal, &vars), Some(false));
                prop_assert!(sizes.iter().all(|(_, value)| *value >= 0));
            }
            Verdict::Unknown => {}
        }
        if facts.excludes(&goal) {
            for vars in grid().filter(satisfied) {
                prop_assert_ne!(holds(&goal, &vars), Some(true), "at {:?}", vars);
            }
        }
    }

    #[test]
    fn solutions_solve(
        a in plain_expr(), b in plain_expr(), props in prop::collection::vec(fact(), 0..2),
        opens in 1..4u32,
    ) {
        // Variable 0 is open, or 0 and 1; facts are about the other variables.
        let is_open = |v: Var| v.0 < opens.min(2);
        let known = |p: &Prop| (0..opens.min(2)).all(|v| !p.mentions(Var(v)));
        let props: Vec<Prop> = props.into_iter().filter(known).collect();
        let facts = facts_of(&props);
        let (lhs, rhs) = (a.nat(), b.nat());
        if let Solution::Solved(all) = solve(&lhs, &rhs, &facts, &is_open, &|_, _| true) {
            for vars in grid().filter(|vars| props.iter().all(|f| holds(f, vars) == Some(true))) {
                let mut inside = vars;
                let mut fits = true;
                for assignment in &all {
                    fits &= assignment.needs.iter().all(|p| holds(p, &vars) == Some(true));
                    match eval(&assignment.value, &vars) {
                        Some(value) => {
                            if fits {
                                prop_assert!(value >= 0, "{:?} at {:?}", assignment, vars);
                            }
                            inside[assignment.var.0 as usize] = value;
                        }
                        None => fits = false,
                    }
                }
                if let (true, Some(l), Some(r)) = (fits, a.eval(&inside), b.eval(&inside)) {
                    prop_assert_eq!(l, r, "{:?} at {:?}", all, vars);
                }
            }
        }
    }
}
