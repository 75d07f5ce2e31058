//! Tests that optimised evaluation of random programs has the results of the reference semantics.

use crate::harness::Case;
use random_programs::{Backend, program};
use runtime::Value;
use runtime::generate::Fill;

#[test]
fn optimized_evaluation_has_the_reference_results() {
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
            let outcomes = case.both_ways(&args);
            let text = &random.text;
            assert!(
                outcomes.agree(),
                "seed {seed}, {sizes:?}\n{text}\n{outcomes:?}"
            );
            if let Err(error) = outcomes.optimized {
                let error = error.to_string();
                assert!(
                    !error.starts_with("this is not"),
                    "{error}\nseed {seed}\n{text}"
                );
            }
        }
    }
}
