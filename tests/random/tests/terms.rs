//! Tests that type inference and linking terminate on small terms, well-typed and ill-typed, within
//! a stack of ordinary size, and that well-typed terms stay well-typed when they are elaborated,
//! linked and normalised.

use elevate::lang::{File, Programs};
use random_programs::terms::{OTHERS, Words, term};
use rise::core::{check, normalise, program_of};
use rise::{Env, Primitive, Resolution};
use syntax::ast::Name;
use syntax::{Dialect, Severity};

/// The default stack size of a thread.
const STACK: usize = 2 << 20;

fn on_small_stack(run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, run).unwrap().join().unwrap();
    });
}

/// Returns random terms; their number is set by `RISE_TERMS`.
fn terms(functions: &[&str]) -> Vec<String> {
    let count = std::env::var("RISE_TERMS").ok();
    let count: u64 = count.and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let first = std::env::var("RISE_FIRST").ok();
    let first: u64 = first.and_then(|n| n.parse().ok()).unwrap_or(0);
    let words = Words {
        functions,
        others: OTHERS,
    };
    (first..first + count)
        .map(|seed| term(seed, &words))
        .collect()
}

fn primitives() -> Vec<&'static str> {
    Primitive::ALL.iter().map(|p| p.name()).collect()
}

/// Checks a RISE term; a well-typed one must stay well-typed.
fn check_rise(term: &str) -> bool {
    let text = format!("def f = depFun(n: Nat => fun(x, y => {term}))");
    let Ok(mut program) = program_of(&text, "f") else {
        return false;
    };
    assert_eq!(check(&program), Ok(()), "{text}");
    if normalise(&mut program).is_ok() {
        assert_eq!(check(&program), Ok(()), "normalised: {text}");
    }
    true
}

#[test]
fn primitives_applied_to_primitives() {
    let all = primitives();
    on_small_stack(|| {
        for p in &all {
            for q in &all {
                check_rise(&format!("{p}({q})"));
            }
        }
    });
}

#[test]
fn terms_of_rise() {
    let terms = terms(&primitives());
    on_small_stack(|| {
        let right = terms.iter().filter(|term| check_rise(term)).count();
        assert!(right > terms.len() / 100, "{right} are right");
    });
}

/// An environment without definitions: only primitives are known.
struct Nothing;

impl Env for Nothing {
    fn resolve(&self, _: &str) -> Resolution {
        Resolution::Unknown
    }

    fn names(&self) -> Vec<Name> {
        Vec::new()
    }
}

#[test]
fn terms_of_dpia() {
    let all: Vec<&str> = dpia::Prim::ALL.iter().map(|p| p.name()).collect();
    let terms = terms(&all);
    on_small_stack(|| {
        for term in &terms {
            let text = format!("def f = depFun(n: Nat => fun(x, y => {term}))");
            let parsed = syntax::parse_in(&text, Dialect::Dpia);
            dpia::typing::infer(&parsed.item, &Nothing);
        }
    });
}

#[test]
fn sides_of_rules() {
    let all = primitives();
    let terms = terms(&all);
    on_small_stack(|| {
        let mut right = 0;
        for sides in terms.chunks(2) {
            let [left, side] = sides else { continue };
            for side in [left, side] {
                let text = format!("rule r(n: Nat) = {left} |-> {side}");
                let file = File::new(&text, Programs::standard().clone());
                let wrong = file.diagnostics();
                let wrong = wrong.iter().any(|d| d.severity == Severity::Error);
                right += usize::from(!wrong);
            }
        }
        assert!(right > 0, "no rule is right");
    });
}
