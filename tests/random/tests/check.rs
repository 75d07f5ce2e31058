//! Tests that every random program is well-typed, and that together they use every primitive of
//! their targets.

use random_programs::{Backend, Program, program, program_of, shrink};

const COUNT: u64 = 300;

fn programs() -> impl Iterator<Item = (u64, Backend, Program)> {
    [Backend::C, Backend::OpenMp, Backend::OpenCl]
        .into_iter()
        .flat_map(|backend| (0..COUNT).map(move |seed| (seed, backend, program(seed, backend))))
}

#[test]
fn programs_check() {
    let mut wrong = Vec::new();
    for (seed, backend, program) in programs() {
        if let Err(error) = rise::core::program_of(&program.text, "random") {
            wrong.push(format!(
                "seed {seed}, {backend:?}: {error}\n{}",
                program.text
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_primitive_is_used() {
    /// Primitives that are written as operators or in another way.
    const ELSEWHERE: &[&str] = &[
        "letValue", "add", "sub", "mul", "div", "mod", "neg", "gt", "lt", "ge", "le", "equal",
        "notEqual", "not", "and", "or",     // `let {k} = …` is written for it.
        "letNat", // The last bits of their results depend on the C library.
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "erf",
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
        "acosh", "atanh", // The test `functions_of_c` compares them.
        "trunc", "fmod", "copysign", "fmin", "fmax",
    ];
    let all: String = programs().map(|(_, _, program)| program.text).collect();
    let used = |name: &str| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        all.split(|c| !is_word(c)).any(|word| word == name)
    };
    let missing: Vec<&str> = rise::Primitive::ALL
        .iter()
        .map(|primitive| primitive.name())
        .filter(|name| !ELSEWHERE.contains(name) && !used(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn choices_make_the_program_again() {
    for (_, backend, program) in programs().step_by(10) {
        assert_eq!(program_of(&program.choices, backend).text, program.text);
    }
}

#[test]
fn what_is_wrong_gets_smaller() {
    let wrong = |program: &Program| program.text.contains("scanSeq");
    let found = programs().find(|(_, _, program)| wrong(program));
    let Some((_, backend, program)) = found else {
        panic!("no program scans");
    };
    let small = shrink(&program, backend, 500, &mut |program| wrong(program));
    assert!(wrong(&small) && small.text.len() <= program.text.len());
    assert!(rise::core::program_of(&small.text, "random").is_ok());
}
