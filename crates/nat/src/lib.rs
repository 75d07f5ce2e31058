//! The algebra of sizes: natural-number expressions in normal form, facts about them, a prover that
//! also searches for small counterexamples, and a solver for equations with unknowns.
//!
//! A [`Nat`] is a polynomial with integer coefficients over *atoms*: variables, and operations that
//! are no polynomials (division, remainder, symbolic powers, minimum, maximum, logarithm, sums over
//! an index, applications of size functions), or that are too large to compute as a polynomial.
//! Values are constructed in normal form, so equal normal forms mean equal sizes. Sizes with
//! different normal forms may also be equal, which [`Facts::prove`] decides where it can. An
//! operation beyond the limits ([`Nat::is_too_big`]) is known to be equal only to itself.
//!
//! Meaning: variables are integers `>= 0`, `/` and `%` are floor division and remainder, and
//! division by zero, a negative exponent and the logarithm of 0 or of a negative number are
//! *undefined*. Every simplification preserves the value where it is defined, and may define a
//! value where it was undefined: `(n*s)/s` is `n`, although the former is undefined at `s = 0`.
//! That a divisor is not zero is a separate obligation, which the caller that makes the division
//! has to report.
//!
//! ```
//! use nat::{Facts, Nat, Prop, Solution, Var, Verdict, solve};
//!
//! let [n, s, x] = [0, 1, 2].map(|number| Nat::var(Var(number)));
//! let mut facts = Facts::new();
//! facts.assume(&Prop::Divides(s.clone(), n.clone()));
//! assert_eq!(facts.normalize(&(Nat::div(&n, &s) * &s)), n);
//!
//! let tiles = Nat::div(&n, &Nat::constant(32)) * 32;
//! let whole = Prop::Equal(tiles, n.clone());
//! assert_eq!(Facts::new().prove(&whole), Verdict::Refuted(vec![(Var(0), 1)]));
//!
//! let open = |var| var == Var(2);
//! let Solution::Solved(all) = solve(&(&x * &s), &n, &facts, &open, &|_, _| true) else {
//!     panic!("x*s = n has a solution");
//! };
//! assert_eq!(all[0].value, Nat::div(&n, &s));
//! assert!(all[0].needs.is_empty());
//! ```

mod arith;
mod assumptions;
mod binding;
mod bounds;
mod counterexample;
mod display;
mod division;
mod eval;
mod facts;
mod functions;
mod nonneg;
mod prop;
mod prove;
mod refutation;
mod repr;
mod solve;
mod summands;

pub use binding::NatFun;
pub use facts::Facts;
pub use prop::Prop;
pub use prove::Verdict;
pub use repr::{Nat, Var};
pub use solve::{Assignment, Solution, solve};
pub use summands::{Part, Summand};
