//! Every random program checks.

use random_programs::{Backend, program};

#[test]
fn programs_check() {
    let mut wrong = Vec::new();
    for backend in [Backend::C, Backend::OpenMp] {
        for seed in 0..300 {
            let program = program(seed, backend);
            if let Err(error) = rise::core::program_of(&program.text, "random") {
                wrong.push(format!(
                    "seed {seed}, {backend:?}: {error}\n{}",
                    program.text
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
