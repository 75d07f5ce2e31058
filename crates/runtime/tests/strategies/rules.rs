//! Tests every rule of the library on random terms that match its left side: the result is
//! equivalent, even if names of variables clash.
//!
//! The names of the left side are replaced by random functions, arrays, and sizes that satisfy the
//! conditions. Every variable that such a term binds or mentions has the name of a binder on either
//! side of the rule. The mentioned variables are bound outside, so that variable capture by a rule,
//! or by printing, changes the result.

use agreement::{Call, Functions, Side, Sizes, agree};
use elevate::lang::{File, NotRewritten, Programs, Request, library, rewrite};
use rise::core::program_of;
use rise::types::{Names, Ty, Type};
use runtime::generate::Random;
use syntax::ast::ScalarType;
use syntax::elevate::ast::{ItemKind, Order};

use crate::instance::{Instance, Maker, Rule, strategy};

/// The largest number of random terms for an alternative; `WANTED` is the number of rewritten ones
/// that is enough.
const TRIES: u64 = 400;
const WANTED: usize = 4;

/// Rules that are not tested here, with the reason.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "separateDotVH",
        "weights that are an outer product: their examples",
    ),
    (
        "separateDotHV",
        "weights that are an outer product: their examples",
    ),
    (
        "separateDotTrustedVH",
        "weights that are an outer product: their examples",
    ),
    (
        "separateDotTrustedHV",
        "weights that are an outer product: their examples",
    ),
    (
        "padEmptyBeforeMap",
        "what it promises nobody keeps: that the function does no harm to what nothing wrote",
    ),
    (
        "subexpressionElimination",
        "takes a strategy: its example, and `storeInMemory` in the schedules",
    ),
    (
        "delta",
        "definitions: its example, and `unfoldAll` in the schedules",
    ),
];

/// Terms that built-in rules apply to; `$A` and `$B` are replaced by random terms.
const BUILT_IN: &[(&str, &str)] = &[
    (
        "beta",
        "(fun(p: i32 => p + $A * (fun(q: i32 => q - p))(p)))($B)",
    ),
    (
        "gentleBeta",
        "(fun(p: i32 => (fun(q: i32 => q - $A))(p)))($B)",
    ),
    ("idxReduction", "makeArray(3)($A, $B, $A - $B) |> idx(1)"),
    (
        "freshLambdaIdentifier",
        "makeArray(3)($A, $B, $A) |> map(fun(p: i32 => p + $A * $B))",
    ),
];

impl Instance {
    /// Applies the rule. Returns `None` if it does not apply, and an error if the result is not
    /// equivalent.
    fn hold(&self, seed: u64) -> Result<Option<()>, String> {
        let text = format!("val it : Strategy = {}", self.strategy);
        let file = File::new(&text, Programs::of(&self.program));
        let programs = file.programs();
        let def = programs
            .named("before")
            .and_then(|id| programs.definition(id));
        let (Some(def), Some(it)) = (def, file.named("it")) else {
            return Ok(None);
        };
        let request = Request::default();
        let done = match rewrite(it, file.definitions(), &def, Order::Default, &request) {
            Ok(done) => done,
            Err(NotRewritten::Failed(_)) => return Ok(None),
            Err(other) => return Err(format!("{other:?}\n{}\n{}", self.program, self.strategy)),
        };
        let mut after = done.def;
        after.name = "after".into();
        let text = format!("{}\n{}", self.program, rise::core::def_text(&after));
        let wrong = |error: String| format!("{error}\n{}\n{text}", self.strategy);
        let before = program_of(&text, "before").map_err(|error| wrong(error.to_string()))?;
        let mut link = |side: Side, call: &Call| {
            let def = match side {
                Side::Before => "before",
                Side::After => "after",
            };
            let text = format!("{text}\n{}", call.definition("call", def, ""));
            program_of(&text, "call").map_err(|error| error.to_string())
        };
        let sizes = Sizes {
            unit: 1,
            largest: 1,
        };
        let found = agree(&before, sizes, 1, seed, &mut link).map_err(wrong)?;
        Ok((found.agreed == 1).then_some(()))
    }
}

impl Rule<'_> {
    /// Returns the error of an alternative, if there is one.
    fn try_alt(&self, alt: usize) -> Option<String> {
        let mut applied = 0;
        let mut last = String::new();
        for seed in 0..TRIES {
            let maker = Maker::new(self, alt, seed);
            let Some(instance) = maker.make() else {
                continue;
            };
            match instance.hold(seed) {
                Ok(Some(())) => applied += 1,
                Ok(None) => last = format!("{}\n  {}", instance.program, instance.strategy),
                Err(error) => return Some(format!("{} ({alt}): {error}", self.name)),
            }
            if applied == WANTED {
                return None;
            }
        }
        (applied == 0).then(|| format!("{} ({alt}): it never applies, as to\n{last}", self.name))
    }

    fn hold(&self) -> Vec<String> {
        let alts = 0..self.outlines.len();
        alts.filter_map(|alt| self.try_alt(alt)).collect()
    }
}

/// Returns the rules of the library.
fn rules() -> Vec<Rule<'static>> {
    let mut found = Vec::new();
    for id in library().items() {
        let Some(definition) = library().definition(id) else {
            continue;
        };
        let ItemKind::Rule {
            name: Some(name), ..
        } = &definition.item.kind
        else {
            continue;
        };
        found.push(Rule {
            name: &name.name,
            item: &definition.item,
            text: &definition.text,
            outlines: library().outlines(id),
        });
    }
    found
}

#[test]
fn every_rule_keeps_the_meaning_of_random_terms() {
    let only = std::env::var("RULE").ok();
    let work = move || {
        let mut wrong = Vec::new();
        for rule in rules() {
            let elsewhere = ELSEWHERE.iter().any(|(name, _)| *name == rule.name);
            if elsewhere || only.as_ref().is_some_and(|only| only != rule.name) {
                continue;
            }
            match BUILT_IN.iter().find(|(name, _)| *name == rule.name) {
                Some((name, term)) => wrong.extend(built_in(name, term)),
                None if rule.outlines.is_empty() => {
                    wrong.push(format!("{}: no outline", rule.name))
                }
                None => wrong.extend(rule.hold()),
            }
        }
        wrong
    };
    let thread = std::thread::Builder::new().stack_size(512 << 20);
    let wrong = thread
        .spawn(work)
        .expect("a thread")
        .join()
        .expect("no panic");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}

/// Tests a built-in rule on a term that mentions variables of the context with the names of the
/// rule's own binders.
fn built_in(rule: &str, term: &str) -> Option<String> {
    for seed in 0..WANTED as u64 {
        let mut random = Random::new(seed);
        let number = Ty::new(Type::Scalar(ScalarType::I32));
        let binders = ["p".to_owned(), "q".to_owned()];
        let mut text = term.to_owned();
        for hole in ["$A", "$B"] {
            let bound = vec![("c0".into(), number.clone()), ("c1".into(), number.clone())];
            let names = Names::default();
            let mut terms = Functions::new(&mut random, &names).over(bound, &binders);
            text = text.replace(hole, &terms.of(&number).ok()?);
        }
        let instance = Instance {
            program: format!(
                "def before = fun((p: i32, q: i32) => (fun(c0: i32 => (fun(c1: i32 => {text}))(q)))(p))"
            ),
            strategy: strategy(2, rule),
        };
        match instance.hold(seed) {
            Ok(Some(())) => {}
            Ok(None) => return Some(format!("{rule}: it does not apply to {}", instance.program)),
            Err(error) => return Some(format!("{rule}: {error}")),
        }
    }
    None
}

#[test]
fn what_means_something_else_is_found() {
    let instance = Instance {
        program:
            "def before = fun(xs: 4.i32 => xs |> map(fun(x => x + 1)) |> map(fun(x => x * 2)))"
                .to_owned(),
        strategy: "topDown(rule { map(f) >> map(g) : n.t -> n.t |-> map(g) >> map(f) })".to_owned(),
    };
    let found = instance.hold(0).expect_err("the functions were swapped");
    assert!(found.contains("not"), "{found}");
}
