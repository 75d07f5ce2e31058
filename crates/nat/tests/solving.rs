//! Tests of the solutions of equations between sizes.

use nat::{Facts, Nat, Prop, Solution, Var, solve};
use smol_str::SmolStr;

const NAMES: [&str; 26] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
    "t", "u", "v", "w", "x", "y", "z",
];

fn name(var: Var) -> SmolStr {
    SmolStr::new_static(NAMES[var.0 as usize])
}

fn var(name: &str) -> Var {
    Var(NAMES.iter().position(|n| *n == name).unwrap() as u32)
}

fn v(name: &str) -> Nat {
    Nat::var(var(name))
}

fn c(value: i64) -> Nat {
    Nat::constant(value)
}

fn show(solution: Solution) -> String {
    let nat = |n: &Nat| n.display(&name).to_string();
    match solution {
        Solution::Trivial => "holds".into(),
        Solution::Stuck => "stuck".into(),
        Solution::Refuted(sizes) => {
            let all: Vec<_> = sizes
                .iter()
                .map(|(v, k)| format!("{} = {k}", name(*v)))
                .collect();
            format!(
                "fails for {}",
                if all.is_empty() {
                    "all".into()
                } else {
                    all.join(", ")
                }
            )
        }
        Solution::Solved(all) => {
            let one = |a: &nat::Assignment| {
                let needs: Vec<_> = a
                    .needs
                    .iter()
                    .map(|p| p.display(&name).to_string())
                    .collect();
                let needs = if needs.is_empty() {
                    String::new()
                } else {
                    format!(" if {}", needs.join(", "))
                };
                format!("{} := {}{needs}", name(a.var), nat(&a.value))
            };
            all.iter().map(one).collect::<Vec<_>>().join("; ")
        }
    }
}

/// Solves an equation; the variables from `x` on are open and see all others.
fn solved(lhs: Nat, rhs: Nat) -> String {
    solved_under(&Facts::new(), lhs, rhs)
}

fn solved_under(facts: &Facts, lhs: Nat, rhs: Nat) -> String {
    show(solve(&lhs, &rhs, facts, &|v| v.0 >= var("x").0, &|_, _| {
        true
    }))
}

#[test]
fn of_one_unknown() {
    assert_eq!(solved(v("x"), v("n") + 1), "x := n + 1");
    assert_eq!(solved(v("n") * 2, v("x")), "x := n*2");
    assert_eq!(solved(v("x") + 3, c(5)), "x := 2");
    assert_eq!(solved(v("x") + 3, v("n")), "x := n - 3 if n >= 3");
    assert_eq!(solved(v("x") * 4, c(12)), "x := 3");
    assert_eq!(solved(v("x") * 4, v("n")), "x := n/4 if 4 divides n");
    assert_eq!(solved(v("x") * 4, v("n") * 8 + 4), "x := n*2 + 1");
    assert_eq!(solved(v("x") * v("s"), v("n")), "x := n/s if s divides n");
    assert_eq!(solved(v("x") * v("s"), v("n") * v("s")), "x := n");
    assert_eq!(
        solved(v("p") * v("x") + v("s"), v("n")),
        "x := (n-s)/p if p divides n - s, n >= s"
    );
    assert_eq!(
        solved(v("x") * 2 + 3, v("n")),
        "x := (n-1)/2 - 1 if 2 divides n - 3, n >= 3"
    );
    assert_eq!(
        solved(v("x") - 1 + v("s"), v("n")),
        "x := n - s + 1 if n + 1 >= s"
    );
    assert_eq!(
        solved(v("x") * Nat::pow(&c(2), &v("k")), v("n")),
        "x := n/2^k if 2^k divides n"
    );
    assert_eq!(
        solved(
            v("x") * Nat::pow(&v("n"), &v("k")),
            Nat::pow(&v("n"), &(v("k") + 1))
        ),
        "x := n"
    );
}

#[test]
fn without_a_solution() {
    assert_eq!(solved(v("x") * 4, c(10)), "fails for all");
    assert_eq!(solved(v("x") + 5, c(3)), "fails for all");
    assert_eq!(solved(v("x") * 2, v("n") * 2 + 1), "fails for all");
    assert_eq!(solved(v("x"), v("x") + 1), "fails for all");
    assert_eq!(solved(v("x") * v("x"), c(10)), "fails for all");
    assert_eq!(solved(v("x") * v("x"), c(9)), "x := 3");
}

#[test]
fn without_an_unknown() {
    assert_eq!(solved(v("n") * 2 + v("n"), v("n") * 3), "holds");
    assert_eq!(solved(c(3), c(4)), "fails for all");
    assert_eq!(solved(v("n"), v("n") + 1), "fails for n = 0");
    assert_eq!(solved(v("n"), v("m")), "fails for m = 0, n = 1");
    let halves = Nat::div(&v("n"), &c(2)) + Nat::ceil_div(&v("n"), &c(2));
    assert_eq!(
        solved(Nat::div(&v("n"), &c(32)) * 32, v("n")),
        "fails for n = 1"
    );
    assert!(["holds", "stuck"].contains(&solved(halves, v("n")).as_str()));
}

#[test]
fn of_several_unknowns() {
    assert_eq!(solved(v("x"), v("y")), "x := y");
    assert_eq!(solved(v("x"), v("y") + 3), "x := y + 3");
    assert_eq!(solved(v("y") * v("z"), v("x")), "x := y*z");
    assert_eq!(solved(v("x") * v("y"), v("n")), "stuck");
    assert_eq!(solved(v("x") * 4, v("y") * 8), "x := y*2");
    assert_eq!(solved(v("y") * v("s"), v("x") * v("s")), "x := y");
    assert_eq!(solved(Nat::div(&v("x"), &c(2)), v("n")), "stuck");
}

#[test]
fn with_facts() {
    let mut facts = Facts::new();
    facts.assume(&Prop::Divides(v("s"), v("n")));
    facts.assume(&Prop::AtLeast(v("m"), c(3)));
    assert_eq!(solved_under(&facts, v("x") * v("s"), v("n")), "x := n/s");
    assert_eq!(
        solved_under(&facts, v("x") * v("s"), v("n") * v("k")),
        "x := k*(n/s)"
    );
    assert_eq!(solved_under(&facts, v("x") + 3, v("m")), "x := m - 3");
    assert_eq!(
        solved_under(&facts, v("x") * v("s"), v("n") + v("s")),
        "x := n/s + 1"
    );
    assert_eq!(
        solved_under(&facts, Nat::div(&v("n"), &v("s")) * v("s"), v("n")),
        "holds"
    );
    assert_eq!(
        solved_under(&facts, Nat::div(&v("n"), &v("s")) * v("s"), v("n") + 1),
        "fails for n = 0, s = 1"
    );
}

#[test]
fn for_all_values_of_what_is_bound_further_in() {
    // `x` and `y` are bound outside of `l`: `x*l + y = 3*l + n` holds for every `l`.
    let lhs = v("x") * v("l") + v("y");
    let rhs = v("l") * 3 + v("n");
    let visible = |_: Var, other: Var| other != var("l");
    let open = |v: Var| v.0 >= var("x").0;
    let facts = Facts::new();
    assert_eq!(
        show(solve(&lhs, &rhs, &facts, &open, &visible)),
        "x := 3; y := n"
    );
    let rhs = v("l") * v("l");
    assert_eq!(
        show(solve(&(v("x") * v("l")), &rhs, &facts, &open, &visible)),
        "fails for all"
    );
    assert_eq!(
        show(solve(&v("x"), &v("l"), &facts, &open, &visible)),
        "fails for all"
    );
}

#[test]
fn huge_numbers_are_no_trouble() {
    let big = c(i64::MAX);
    assert_eq!(
        solved(v("x") + 1, &big * &big),
        solved(v("x") + 1, &big * &big)
    );
    let _ = solved(&big * v("x"), &big + &big);
    let _ = solved(c(i64::MIN), v("x") * c(i64::MIN) - c(i64::MAX));
    let tower = Nat::pow(&c(2), &c(1_000_000));
    assert_eq!(solved(v("x"), tower.clone()), "x := 2^1000000");
    assert_eq!(solved(&tower * v("x"), &tower * 3), "x := 3");
}
