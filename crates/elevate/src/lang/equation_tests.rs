//! Tests that the native strategies agree with the equations of the library.

use expect_test::expect;

use super::tests::{file, main_of, on_large_stack};
use crate::lang::{File, library};
use crate::term::{self, Store};

/// Sample programs to which the strategies are applied.
const SAMPLES: &str = "
def maps = depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32, xs: n.f32) =>
  xs |> map(f) |> map(g) |> map(fun(x => f(g(x))))))
def redexes = fun((x: i32, y: i32) => (fun(a => (fun(b => a + b))(y)))(x) + (fun(c => c))(y))
def rows = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>
  xss |> map(map(fun(x => x + 1.0f))) |> transpose |> map(reduce(add)(0.0f))))
";

#[test]
fn the_engines_forms_are_their_equations() {
    let strategies = [
        "topDown(beta)",
        "bottomUp(beta)",
        "tryAll(beta)",
        "tryAll(mapFusion)",
        "alltd(mapFusion)",
        "alltd(beta)",
        "sometd(mapFusion)",
        "sometd(isReduce)",
        "somebu(mapFusion)",
        "somebu(beta)",
        "allTopDown(try(mapFusion))",
        "allBottomUp(try(beta))",
        "allTopDown(not(isReduce))",
        "not(topDown(isReduce))",
        "not(not(body(isLambda)))",
        "try(mapFusion) ; try(beta)",
        "repeat(topDown(mapFusion))",
        "repeat(body(id) ; fail)",
        "repeatNTimes(0)(fail)",
        "repeatNTimes(1)(topDown(mapFusion))",
        "repeatNTimes(2)(topDown(mapFusion))",
        "repeatNTimes(3)(try(topDown(beta)))",
        "normalize(mapFusion)",
        "normalize(beta <+ eta)",
        "BENF",
        "DFNF",
        "DFNF ; mapFusion @ topDown",
        "RNF",
    ];
    let mut different = String::new();
    for strategy in strategies {
        let file = file(strategy, SAMPLES);
        for name in ["maps", "redexes", "rows"] {
            let id = file.programs().named(name).expect("it is defined");
            let def = file.programs().definition(id).expect("it is right");
            let same = on_large_stack(|| equations_agree(&file, &def));
            if !same {
                different.push_str(&format!("{strategy} on {name}\n"));
            }
        }
    }
    expect![[""]].assert_eq(&different);
}

/// Returns true if a strategy has the same result with the native forms and with the equations of
/// the library.
fn equations_agree(file: &File, def: &rise::core::Def<rise::Primitive>) -> bool {
    let mut store = Store::new();
    let imported = term::import(&mut store, def).expect("small");
    let worlds = [
        super::GlobalEnv::new(file.definitions(), &mut store),
        super::GlobalEnv::by_equations(file.definitions(), &mut store),
    ];
    let results = worlds.map(|globals| {
        let strategy = super::run::strategy_of(&globals, main_of(file)).expect("it is one");
        let outcome = crate::engine::run(&mut store, imported.root, &strategy, &Default::default());
        outcome.result.ok()
    });
    match results {
        [Some(a), Some(b)] => store.alpha_eq(a, b),
        [a, b] => a == b,
    }
}

#[test]
fn every_native_definition_is_rusts_and_the_other_way_round() {
    let mut declared: Vec<String> = library()
        .items()
        .filter_map(|id| library().definition(id))
        .filter(|definition| {
            super::eval::is_built_in(definition) || definition.item.attribute("native").is_some()
        })
        .filter(|definition| definition.name() != "CNF")
        .map(|definition| definition.name().to_string())
        .collect();
    declared.sort();
    let known: Vec<&str> = super::eval::NATIVES.iter().map(|(name, _)| *name).collect();
    assert_eq!(declared, known);
}
