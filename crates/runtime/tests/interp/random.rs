//! Tests that vectorised and element-wise execution of random programs agree.

use crate::harness::{Case, line};
use random_programs::{Backend, program};
use runtime::Value;
use runtime::generate::Fill;
use runtime::interp::{Options, TraceLimits, run};

#[test]
fn both_ways_agree() {
    for seed in 0..150 {
        let backend = if seed % 2 == 0 {
            Backend::C
        } else {
            Backend::OpenMp
        };
        let random = program(seed, backend);
        for n in [1, 4, 9] {
            let n = [("n", n)];
            let sizes: &[(&str, i64)] = if random.sized { &n } else { &[] };
            let case = Case::named(&random.text, "random", sizes);
            let shapes = case.shapes().into_iter();
            let args: Vec<Value> = shapes
                .map(|shape| {
                    let value = Fill::Random(seed).value(shape);
                    value.unwrap_or_else(|error| panic!("{error}"))
                })
                .collect();
            let slow = Options {
                trace: Some(TraceLimits {
                    values: 0,
                    elements: 0,
                }),
                ..Options::default()
            };
            let result = |options: &Options<'_>| {
                let outcome = run(&case.program, &case.bindings, &args, options);
                outcome.map_or_else(|error| error.to_string(), |outcome| line(&outcome.value))
            };
            let fast = result(&Options::default());
            assert_eq!(
                fast,
                result(&slow),
                "seed {seed}, {sizes:?}\n{}",
                random.text
            );
            assert!(
                !fast.starts_with("this is not"),
                "{fast}\nseed {seed}\n{}",
                random.text
            );
        }
    }
}
